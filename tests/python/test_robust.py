"""Robust answers from Python and the command."""

import itertools

import boxwood
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def forest():
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(3)
    frame = pd.DataFrame({"months": random.integers(1, 25, 300), "rate": random.random(300),
                          "kind": random.integers(0, 3, 300)})
    good = frame["months"] / 25 + frame["rate"] + (frame["kind"] == 1) * 0.3 > 1.1
    model = RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0, n_jobs=1)
    return model.fit(frame, good), frame


def test_every_row_within_the_distances_has_the_outcome(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    bad = frame[~model.predict(frame)].head(6)
    for _, row in bad.iterrows():
        answer = explainer.explain(row, True, fixed=["kind"], robust={"months": 2, "rate": 0.05})
        plain = explainer.explain(row, True, fixed=["kind"])
        assert answer.status == "optimal" and answer.cost >= plain.cost
        to = list(answer.point)
        near = [dict(zip(frame.columns, values)) for values in itertools.product(
            to[0] + np.arange(-2, 3), np.linspace(to[1] - 0.05, to[1] + 0.05, 201)[1:-1], [to[2]])]
        assert model.predict(pd.DataFrame(near)).all()
        assert "every row within the given distances" in " ".join(str(answer).split())
        assert 'by at most 2 in "months"' in " ".join(str(answer).split())


def test_a_share_is_one_of_the_ranges(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    share = explainer.explain(row, True, fixed=["kind"], robust=0.05)
    width = {name: float(frame[name].max() - frame[name].min()) for name in ("months", "rate")}
    named = explainer.explain(row, True, fixed=["kind"],
                              robust={name: 0.05 * width[name] for name in width})
    assert share.cost == named.cost and list(share.point) == list(named.point)


def test_what_does_not_go_with_robust_answers_is_refused_by_name(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    for ask, what in ((lambda: explainer.why_not(row, True, robust=0.05), "why-not"),
                      (lambda: explainer.explain(row, True, robust=0.05, proof=True), "a proof"),
                      (lambda: explainer.regions(row, 1, True, robust=0.05), "regions")):
        with pytest.raises(boxwood.Error, match=what):
            ask()
    with pytest.raises(boxwood.Error, match="from 0 to 1"):
        explainer.explain(row, True, robust=5)


def test_texts_say_what_is_promised_and_what_is_not(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    for text in (str(explainer.explain(row, True, robust=0.05)),
                 str(explainer.menu(row, target=True, robust=0.05)),
                 str(explainer.sweep(row, [0.5, 0.6], target=True, robust=0.05))):
        words = " ".join(text.split())
        assert "the outcome also holds for every row that differs from the proposed values" in words
        assert "in numbers as the model reads them (rounded to float32)" in words
        assert 'by at most 1.15 in "months"' in words
    far = explainer.explain(row, True, robust={"rate": 5, "months": 50})
    assert far.status == "infeasible" and "Ask with smaller distances" in str(far)
    assert "no row" not in str(far) and "why_not" not in str(far)
    with pytest.raises(boxwood.Error, match="robust answers cannot be rounded"):
        explainer.explain(row, True, robust=0.05, round=0.1)
