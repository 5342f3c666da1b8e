"""Files that R itself wrote, with what R predicts. `tests/data/r_files.R` made them; the versions are in said.json."""

import json
import pathlib

import boxwood
import numpy as np
import pandas as pd
import pytest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "r"
SAID = json.loads((DATA / "said.json").read_text(encoding="utf-8"))
ROWS = np.array([[np.nan if cell is None else float(cell) for cell in row] for row in SAID["rows"]])
PEOPLE = pd.DataFrame(SAID["people"])


def test_versions():
    assert SAID["R"].startswith("R version 4.2.2") and SAID["xgboost"] == "1.7.11.1"
    assert (SAID["lightgbm"], SAID["pmml"], SAID["randomForest"]) == ("4.6.0", "2.6.0", "4.7.1.1")


@pytest.mark.parametrize("name", SAID["scores"])
def test_boosted_trees(name):
    path = next(DATA.glob(f"{name}.*"))
    theirs = np.array(SAID["scores"][name], dtype=float)
    early = name == "xgboost_early"
    # XGBoost's predict in R stops after the best round, and the file has later ones.
    explainer = boxwood.Explainer(path, rounds="best" if early else None)
    assert (explainer.scores(ROWS) == theirs).all()
    if early:
        assert (boxwood.Explainer(path).scores(ROWS) != theirs).any()
    assert explainer.columns.names == (["age", "income", "years"] if name.startswith("lightgbm") else
                                       ["f0", "f1", "f2"])
    if theirs.shape[1] == 1 and "poisson" not in name:
        row = ROWS[np.flatnonzero(theirs[:, 0] < 0)[0]]
        answer = explainer.explain(row, "1")
        assert answer.status == "optimal" and answer.verify() == []


@pytest.mark.parametrize("name", SAID["predictions"])
def test_forests_and_trees_as_pmml(name):
    theirs = SAID["predictions"][name]
    explainer = boxwood.Explainer(DATA / f"pmml_{name}.pmml", PEOPLE)
    ours = explainer.predict(PEOPLE)
    if name in ("votes", "classes"):
        assert ours.tolist() == theirs
    else:
        # R adds up the trees in another order than JPMML and Boxwood, and the exporter writes 15 digits.
        assert np.allclose(ours, np.array(theirs, dtype=float), rtol=1e-12, atol=1e-14)
    assert explainer.schema["t"].labels == ["Bad Orb", "Bonn", "Ulm"]
    wanted = boxwood.Class("yes") if name in ("votes", "classes") else \
        boxwood.Output(at_least=float(np.quantile(ours, 0.8)))
    low = ours == "no" if name in ("votes", "classes") else ours < np.quantile(ours, 0.5)
    answer = explainer.explain(PEOPLE.iloc[np.flatnonzero(low)[0]], wanted)
    assert answer.status == "optimal" and answer.verify() == []


def test_surrogates_decide_about_missing_values():
    # rpart looks at the surrogates in turn, as they are in the file, and then goes with the majority.
    explainer = boxwood.Explainer(DATA / "pmml_tree.pmml", PEOPLE)
    complete = explainer.predict(PEOPLE)
    for name, mark in (("a", np.nan), ("b", np.nan), ("t", None)):
        lost = PEOPLE.assign(**{name: mark})
        assert set(explainer.predict(lost)) <= set(complete)
        assert (explainer.predict(lost) != complete).any()
