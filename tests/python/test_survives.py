"""Answers that hold in several models, look normal, or lie where data is."""

import pickle

import boxwood
import numpy as np
import pandas as pd
import pytest
from boxwood.evaluate import clopper_pearson, survival
from sklearn.ensemble import GradientBoostingClassifier, IsolationForest


def fit(frame, decision):
    return GradientBoostingClassifier(n_estimators=15, max_depth=2,
                                      random_state=0).fit(frame, decision)


@pytest.fixture(scope="module")
def loans():
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"income": random.integers(10, 60, 300),
                          "debt": random.integers(0, 40, 300),
                          "months": random.integers(6, 48, 300)})
    score = frame["income"] - frame["debt"] - frame["months"] / 4 + random.normal(0, 6, 300)
    return frame, np.where(score > 5, "granted", "refused")


@pytest.fixture(scope="module")
def models(loans):
    return list(boxwood.retrain(fit, loans, 5, random_state=1))


def grid(frame):
    """Every row of whole numbers within the ranges of the data."""
    axes = [np.arange(frame[name].min(), frame[name].max() + 1) for name in frame]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def cheapest(frame, row, holds, rows):
    scale = (frame.max() - frame.min()).to_numpy(float)
    moved = rows[holds] - row.to_numpy(float)
    costs = (np.abs(moved) / scale).sum(axis=1)
    return costs.min() if len(costs) else np.inf


def test_m_of_k_models_against_every_row(loans, models):
    frame, _ = loans
    rows = grid(frame)
    says = np.stack([model.predict(pd.DataFrame(rows, columns=frame.columns)) == "granted"
                     for model in models])
    explainer = boxwood.Explainer(models, data=frame)
    refused = frame[np.all([model.predict(frame) == "refused" for model in models], axis=0)]
    for i in range(3):
        row = refused.iloc[i]
        before = 0.0
        for agree in (1, 3, 4, "all"):
            answer = explainer.explain(row, "granted", agree=agree, cost="l1")
            least = 5 if agree == "all" else agree
            expected = cheapest(frame, row, says.sum(axis=0) >= least, rows)
            assert answer.status == "optimal"
            assert answer.cost == pytest.approx(expected)
            there = sum(model.predict(answer.point.to_frame().T)[0] == "granted"
                        for model in models)
            assert answer.agreeing == there >= least
            assert answer.cost >= before
            before = answer.cost


def test_texts_name_the_models(loans, models):
    frame, _ = loans
    named = boxwood.Explainer({"now": models[0], "later": models[1], "third": models[2]},
                              data=frame)
    row = frame[models[0].predict(frame) == "refused"].iloc[0]
    answer = named.explain(row, "granted", agree=2)
    words = " ".join(str(answer).split())
    assert '(model "now": probability of "granted"' in words
    assert 'gives "granted" in at least 2 of 3 models' in words
    assert f"{answer.agreeing} of 3 models have this outcome there." in words
    assert "known of these models, not of others" in words
    assert "will last" not in words
    text = named.explain(row, "at least 2 models: want granted")
    assert text.cost == answer.cost and text.agreeing == answer.agreeing
    every = named.explain(row, "every model: want granted")
    assert every.cost == named.explain(row, "granted", agree="all").cost
    listed = [boxwood.Class("granted", model=name) for name in named.names]
    assert every.cost == named.explain(row, listed).cost
    assert pickle.loads(pickle.dumps(answer)).agreeing == answer.agreeing
    batch = named.explain_batch(frame.iloc[:3], "granted", agree=2, show_progress=False)
    assert [one.cost for one in batch] == [
        named.explain(frame.iloc[i], "granted", agree=2).cost for i in range(3)]
    menu = named.menu(row, target="granted", agree=2, k=2)
    assert menu[0].cost == answer.cost
    sweep = named.sweep(row, [0.5, 0.6], target="granted", agree=2)
    assert all(named.explain(row, "granted", probability=level, agree=2).cost == one.cost
               for level, one in zip([0.5, 0.6], sweep.answers, strict=True))


def test_what_m_of_k_refuses(loans, models):
    frame, _ = loans
    explainer = boxwood.Explainer(models[:2], data=frame)
    row = frame.iloc[0]
    with pytest.raises(boxwood.Error, match="3 models cannot agree: there are 2"):
        explainer.explain(row, "granted", agree=3)
    with pytest.raises(boxwood.Error, match="cannot be robust"):
        explainer.explain(row, "granted", agree=1, robust=0.01)
    with pytest.raises(boxwood.Error, match="proofs do not cover an outcome of some of the models"):
        explainer.explain(row, "granted", agree=1, proof=True)


def test_plausible_rows_are_normal(loans, models):
    frame, _ = loans
    rows = grid(frame)
    forest = IsolationForest(n_estimators=20, contamination=0.2, random_state=3).fit(
        frame.to_numpy())
    table = pd.DataFrame(rows, columns=frame.columns)
    holds = (models[0].predict(table) == "granted") & (forest.predict(rows) == 1)
    explainer = boxwood.Explainer(models[0], data=frame, plausible=forest)
    refused = frame[models[0].predict(frame) == "refused"]
    for i in range(3):
        answer = explainer.explain(refused.iloc[i], "granted", cost="l1")
        assert answer.cost == pytest.approx(cheapest(frame, refused.iloc[i], holds, rows))
        words = " ".join(str(answer).split())
        assert 'normal to model "isolation forest (contamination 0.2)"' in words
    fitted = boxwood.Explainer(models[0], data=frame, plausible=True)
    assert fitted.names[-1] == "isolation forest (contamination 0.1)"
    unknown = fitted.explain(refused.iloc[0])  # any other class
    assert fitted.predict(unknown.point.to_frame().T)[0] == "granted"
    again = pickle.loads(pickle.dumps(fitted))
    assert again.explain(refused.iloc[0], "granted").cost == unknown.cost
    with pytest.raises(boxwood.Error, match="no data"):
        boxwood.Explainer(models[0], plausible=True)
    with pytest.raises(boxwood.Error, match="is not a fitted isolation forest"):
        boxwood.Explainer(models[0], data=frame, plausible=IsolationForest())
    with pytest.raises(boxwood.Error, match="not above 0 and at most"):
        boxwood.Explainer(models[0], data=frame, plausible=0.7)


def test_live_regions_hold_rows(loans):
    frame, decision = loans
    model = fit(frame, decision)
    rows = grid(frame)
    leaves = model.apply(pd.DataFrame(rows, columns=frame.columns)).reshape(len(rows), -1)
    of_data = model.apply(frame).reshape(len(frame), -1)
    counts: dict[tuple, int] = {}
    for one in map(tuple, of_data):
        counts[one] = counts.get(one, 0) + 1
    around = np.array([counts.get(tuple(one), 0) for one in leaves])
    granted = model.predict(pd.DataFrame(rows, columns=frame.columns)) == "granted"
    explainer = boxwood.Explainer(model, data=frame)
    row = frame[model.predict(frame) == "refused"].iloc[0]
    for least in (1, 2, 4):
        answer = explainer.explain(row, "granted", live=least, cost="l1")
        holds = granted & (around >= least)
        assert answer.cost == pytest.approx(cheapest(frame, row, holds, rows))
        assert answer.rows_around >= least
        words = " ".join(str(answer).split())
        assert f"holds {answer.rows_around} of the 300 rows of the data" in words
    assert explainer.explain(row, "granted", live=301).status == "infeasible"
    kept = pickle.loads(pickle.dumps(answer))
    assert kept.rows_around == answer.rows_around
    with pytest.raises(boxwood.Error, match="has no data"):
        boxwood.Explainer(model).explain(row, "granted", live=1)
    with pytest.raises(boxwood.Error, match="does not support answers in a region with rows"):
        explainer.explain(row, "granted", live=1, proof=True)


def test_survival_counts_held_out_models(loans, models):
    frame, decision = loans
    held_out = list(boxwood.retrain(fit, (frame, decision), 4, random_state=2))
    found = boxwood.Explainer(models, data=frame).explain_batch(
        frame.iloc[:20], "granted", agree=4, show_progress=False)
    measured = survival(held_out, found.points(), "granted")
    expected = [np.mean(model.predict(found.points()) == "granted") for model in held_out]
    assert measured.total == 80
    assert measured.by_model == pytest.approx(expected)
    assert measured.low < measured.share <= measured.high
    assert "models that were not asked" in str(measured)
    assert str(survival(held_out, frame.iloc[:0], "granted")) == "there is no counterfactual to count"


def test_clopper_pearson():
    # Of R's binom.test.
    assert clopper_pearson(8, 10) == pytest.approx((0.4439045, 0.9747893), abs=1e-6)
    assert clopper_pearson(0, 20) == pytest.approx((0, 0.1684335), abs=1e-6)
    assert clopper_pearson(500, 1000, 0.99) == pytest.approx((0.4589, 0.5411), abs=1e-4)
    with pytest.raises(boxwood.Error, match="not between 0 and 1"):
        clopper_pearson(1, 2, 95)


def test_retrain_samples_tables_together(loans):
    frame, decision = loans
    seen = list(boxwood.retrain(lambda x, y: (x, y), (frame, decision), 2, random_state=4))
    for x, y in seen:
        assert len(x) == len(frame) and len(set(x.index)) < len(frame)
        assert list(y) == list(decision[x.index])
    assert not seen[0][0].equals(seen[1][0])
    with pytest.raises(boxwood.Error, match="different numbers of rows"):
        list(boxwood.retrain(fit, (frame, decision[:5]), 1))
