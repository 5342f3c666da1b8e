"""`beat` and --beat: the cheapest change above another row, against the libraries' own scores of all
rows of a small grid."""

import itertools
import json
import os
import subprocess

import boxwood
import numpy as np
import pandas as pd
import pytest

NAMES = ["f0", "f1", "f2"]
WIDTH = 6
ROWS = pd.DataFrame(list(itertools.product(range(WIDTH), repeat=3)), columns=NAMES).astype(float)
SCHEMA = {"features": [{"name": name, "kind": "integer", "range": [0, WIDTH - 1]}
                       for name in NAMES]}
X, OTHER = ROWS.iloc[7], ROWS.iloc[121]


def data():
    random = np.random.default_rng(3)
    x = pd.DataFrame(random.integers(0, WIDTH, (240, 3)), columns=NAMES).astype(float)
    return x, (x @ [1, 2, 1] + random.normal(0, 1, len(x))).to_numpy()


def grades():
    x, y = data()
    return x, np.digitize(y, [5, 10, 15])


def lightgbm_ranker():
    import lightgbm

    x, y = grades()
    return lightgbm.LGBMRanker(n_estimators=12, min_child_samples=5, verbose=-1).fit(
        x, y, group=[24] * 10)


def xgboost_ranker():
    import xgboost

    x, y = grades()
    return xgboost.XGBRanker(n_estimators=10, max_depth=3).fit(x, y, group=[24] * 10)


def catboost_ranker():
    import catboost

    x, y = grades()
    return catboost.CatBoostRanker(iterations=10, depth=3, loss_function="PairLogit",
                                   verbose=False, allow_writing_files=False, thread_count=1).fit(
        x, y, group_id=np.repeat(np.arange(10), 24))


def poisson():
    import xgboost

    x, y = data()
    return xgboost.XGBRegressor(objective="count:poisson", n_estimators=8, max_depth=3).fit(
        x, y.clip(0))


def voting():
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor, VotingRegressor

    return VotingRegressor([
        ("a", GradientBoostingRegressor(n_estimators=6, random_state=0)),
        ("b", RandomForestRegressor(n_estimators=4, max_depth=3, random_state=0))]).fit(*data())


def two_classes():
    from sklearn.ensemble import GradientBoostingClassifier

    x, y = data()
    return GradientBoostingClassifier(n_estimators=12, random_state=0).fit(x, y > 9)


def calibrated():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import RandomForestClassifier

    x, y = data()
    return CalibratedClassifierCV(RandomForestClassifier(5, max_depth=3, random_state=0),
                                  cv=2).fit(x, y > 9)


MODELS = (lightgbm_ranker, xgboost_ranker, catboost_ranker, poisson, voting, two_classes,
          calibrated)


def ranks(model, rows):
    """The library's own numbers by which rows rank."""
    if hasattr(model, "decision_function"):
        return model.decision_function(rows)
    return model.predict_proba(rows)[:, 1] if hasattr(model, "predict_proba") else np.asarray(
        model.predict(rows))


def costs(rows, x):
    return np.abs(rows.to_numpy() - x.to_numpy()).sum(axis=1)


def least_cost(model, x, other):
    better = ranks(model, ROWS) > ranks(model, other.to_frame().T)[0]
    return costs(ROWS, x)[better].min() if better.any() else np.inf


@pytest.mark.parametrize("made", MODELS, ids=lambda one: one.__name__)
def test_the_cheapest_change_above_another_row(made):
    model = made()
    explainer = boxwood.Explainer(model, schema=SCHEMA, scale=None)
    statuses = set()
    for other in (OTHER, ROWS.iloc[33], ROWS.iloc[int(np.argmax(ranks(model, ROWS)))]):
        answer = explainer.explain(X, beat=other, cost="l1")
        least = least_cost(model, X, other)
        statuses.add(answer.status)
        assert answer.proven and answer.cost == least
        if answer.found:  # strictly above, not equal
            assert ranks(model, pd.DataFrame([answer.array], columns=NAMES))[0] > ranks(
                model, other.to_frame().T)[0]
    assert statuses == {"optimal", "infeasible"}  # nothing is above the best row


def test_each_of_several_models_compares_with_its_own_score():
    x, y = data()
    from sklearn.ensemble import GradientBoostingRegressor

    models = [GradientBoostingRegressor(n_estimators=8, random_state=0).fit(x, sign * y)
              for sign in (1, 10)]  # scores of different sizes
    explainer = boxwood.Explainer(models, schema=SCHEMA, scale=None)
    answer = explainer.explain(X, beat=OTHER, agree="all", cost="l1")
    above = np.all([ranks(one, ROWS) > ranks(one, OTHER.to_frame().T)[0] for one in models], axis=0)
    assert answer.cost == costs(ROWS, X)[above].min()


def test_what_has_no_rank_or_two_targets_is_refused():
    from sklearn.ensemble import RandomForestClassifier

    x, y = grades()
    several = boxwood.Explainer(RandomForestClassifier(4, max_depth=3).fit(x, y), schema=SCHEMA)
    with pytest.raises(boxwood.Error, match="beat: .*rows have no rank"):
        several.explain(X, beat=OTHER)
    one = boxwood.Explainer(voting(), schema=SCHEMA)
    with pytest.raises(boxwood.Error, match="beat: it cannot be combined with at_least"):
        one.explain(X, beat=OTHER, at_least=3)
    with pytest.raises(boxwood.Error, match="beat: a sweep"):
        one.sweep(X, [1, 2], beat=OTHER)
    with pytest.raises(boxwood.Error, match="output 1 does not exist"):
        one.explain(X, beat=OTHER, output=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved ranker with its rows."""
    folder = tmp_path_factory.mktemp("beat")
    model = lightgbm_ranker()
    explainer = boxwood.Explainer(model, schema=SCHEMA, scale=None)
    explainer.save_model(folder / "model.json")
    explainer.schema.save(folder / "schema.json")
    ROWS.to_csv(folder / "rows.csv", index=False)
    return folder, model, explainer


def command(folder, name, *more):
    return subprocess.run(
        [os.environ["BOXWOOD_COMMAND"], name, "model.json", "--data", "rows.csv", "--schema",
         "schema.json", "--norm", "l1", *more], cwd=folder, capture_output=True, text=True,
        check=False)


def test_beat_in_the_command(folder):
    folder, model, _ = folder
    done = command(folder, "explain", "--rows", "7,40", "--beat", "121", "--format", "jsonl",
                   "--verify")
    assert done.returncode == 0, done.stderr
    for line, row in zip(done.stdout.splitlines(), (7, 40), strict=True):
        assert json.loads(line)["cost"] == least_cost(model, ROWS.iloc[row], OTHER)
    table = command(folder, "explain", "--row", "7", "--beat", "121").stdout
    assert "proven" in table
    for wrong, said in ((["--beat", "999"], "row 999 does not exist"),
                        (["--beat", "1", "--at-least", "2"], "excludes"),
                        (["--beat", "-1"], "whole number")):
        done = command(folder, "explain", "--row", "7", *wrong)
        assert done.returncode == 2 and said in done.stderr


def test_reasons_in_the_command(folder):
    folder, _, explainer = folder
    found = explainer.reasons(X, beat=OTHER, cost="l1")
    done = command(folder, "reasons", "--row", "7", "--beat", "121", "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["answer"]["cost"] == found.answer.cost
    assert len(told["reasons"]) == len(found) == 3
    for one, reason in zip(told["reasons"], found, strict=True):
        assert one["title"] == reason.feature and one["features"] == [reason.feature]
        assert one["changes"] == reason.changes and one["proven"]
        for key in ("gain", "sufficiency", "necessity"):
            value = getattr(reason, key)
            assert one[key] == (value if np.isfinite(value) else None)
        assert (one["alone"]["status"] == "infeasible") == np.isinf(reason.sufficiency)
        assert (one["without"]["status"] == "infeasible") == np.isinf(reason.necessity)
    table = command(folder, "reasons", "--row", "7", "--beat", "121").stdout
    assert "Every number is proven." in table
    # The same lines as in Python, which names no row.
    assert table.splitlines()[1:] == repr(found).splitlines()[1:]
    stopped = command(folder, "reasons", "--row", "7", "--beat", "121", "--time-limit", "0")
    assert stopped.returncode == 3 and "left open" in stopped.stdout
