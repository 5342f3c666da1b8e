"""CatBoost models with categorical columns inside calibrations, votes and pipelines.

Their files hold hashes of categories, so the names come from the training data. Every row of a small
grid is compared with the model itself, and the cheapest of them with the answer.
"""

import itertools

import boxwood
import catboost
import numpy as np
import pandas as pd
import pytest
from conftest import case_numbers
from sklearn import calibration, compose, ensemble, model_selection, pipeline, preprocessing

JOBS, HOMES, ROOMS = list("abcdefg"), ["x", "y", "z", ""], [0, 1, 2, 3, 4]
KNOWN = {"job": JOBS, "home": HOMES, "rooms": ROOMS}
ALL = pd.DataFrame(itertools.product([*JOBS, "q"], [*HOMES, "w"], range(-1, 6)), columns=list(KNOWN))


def drawn(seed, rows=150):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({name: random.choice(values, rows) for name, values in KNOWN.items()})
    good = frame["job"].isin(["a", "c", "e"]) & (frame["home"] != "x")
    return random, frame, np.where(good ^ (frame["rooms"] > 2) ^ (random.random(rows) < 0.15), "yes", "no")


def small(random, whole, **more):
    # scikit-learn copies a model only if its settings stay the same objects: a tuple does.
    return catboost.CatBoostClassifier(
        iterations=4, depth=3, verbose=False, allow_writing_files=False, random_seed=1, thread_count=1,
        cat_features=("job", "home", "rooms") if whole else ("job", "home"),
        max_ctr_complexity=int(random.integers(1, 4)), one_hot_max_size=int(random.integers(2, 9)), **more)


WAYS = {
    "alone": lambda one: one(),
    "sigmoid": lambda one: calibration.CalibratedClassifierCV(one(), cv=3),
    "isotonic": lambda one: calibration.CalibratedClassifierCV(one(), cv=2, method="isotonic"),
    "votes": lambda one: ensemble.VotingClassifier(
        [("a", one()), ("b", one(l2_leaf_reg=9)), ("c", one(random_strength=4))], voting="soft"),
    "threshold": lambda one: model_selection.FixedThresholdClassifier(one(), threshold=0.4, pos_label="yes"),
    "pipeline": lambda one: pipeline.make_pipeline(compose.ColumnTransformer(
        [("numbers", preprocessing.StandardScaler(), ["rooms"])], remainder="passthrough",
        verbose_feature_names_out=False).set_output(transform="pandas"), one()),
    "calibrated in a pipeline": lambda one: pipeline.make_pipeline(
        preprocessing.FunctionTransformer(), calibration.CalibratedClassifierCV(one(), cv=2)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", case_numbers(1, 100))
def test_categories_inside(way, seed):
    random, frame, label = drawn(seed)
    model = WAYS[way](lambda **more: small(random, (seed + len(way)) % 2 and way != "pipeline", **more))
    model.fit(frame, label)
    explainer = boxwood.Explainer(model, frame)
    said = np.ravel(model.predict(ALL))
    assert (explainer.predict(ALL) == said).all()
    assert np.abs(model.predict_proba(ALL) - explainer.predict_proba(ALL)).max() < 1e-15
    for i in random.choice(len(ALL), 3).tolist():
        row, wanted = ALL.iloc[i], "yes" if said[i] == "no" else "no"
        answer = explainer.explain(row, wanted, cost="l0")
        # A row may keep a category that nobody knows, and may not change to one.
        better = ALL[said == wanted]
        for name, values in KNOWN.items():
            better = better[better[name].isin(values) | (better[name] == row[name])]
        least = (better != row).sum(axis=1).min() if len(better) else None
        assert answer.status == ("infeasible" if least is None else "optimal")
        if least is not None:
            assert answer.cost == pytest.approx(least) and answer.verify() == []
            assert np.ravel(model.predict(answer.point_frame()[list(frame)]))[0] == wanted


def test_without_the_data_the_names_are_missing():
    random, frame, label = drawn(0)
    model = WAYS["sigmoid"](lambda **more: small(random, True, **more)).fit(frame, label)
    with pytest.raises(boxwood.UnsupportedModelError, match="Give the training data too"):
        boxwood.Explainer(model)
    with pytest.raises(boxwood.UnsupportedModelError, match="Give the training data too"):
        boxwood.Explainer(WAYS["pipeline"](lambda: small(random, False)).fit(frame, label))


def test_an_empty_text_is_a_category():
    random, frame, label = drawn(3)
    label = np.where(frame["home"] == "", "yes", label)
    model = small(random, True).fit(frame, label)
    answer = boxwood.Explainer(model, frame).explain(
        ALL[model.predict(ALL) == "no"].iloc[0], "yes", ranges={"home": [""]}, cost="l0")
    assert answer.point["home"] == "" and model.predict(answer.point_frame()[list(frame)])[0] == "yes"
    assert "(empty)" in str(answer)


@pytest.mark.parametrize("kind", [bool, object, "category"])
def test_truth_values_as_categories(kind):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"rooms": random.integers(0, 5, 150), "flag": random.random(150) < 0.4,
                          "job": random.choice(JOBS, 150)})
    labels = ((frame["rooms"] > 2) ^ frame["flag"] ^ (frame["job"] == "a")).astype(int)
    frame["flag"] = frame["flag"].astype(kind)
    model = catboost.CatBoostClassifier(iterations=6, depth=2, verbose=False, allow_writing_files=False,
                                        cat_features=["flag", "job"]).fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    assert np.abs(explainer.predict_proba(frame) - model.predict_proba(frame)).max() < 1e-15
    for row in range(20):
        answer = explainer.explain(frame.iloc[[row]])
        after = answer.point_frame()
        assert model.predict(after)[0] != model.predict(frame.iloc[[row]])[0]
        if kind is bool:
            changed = {name for name in frame if after[name].iloc[0] != frame[name].iloc[row]}
            assert changed == {change.feature for change in answer.changes}


def test_columns_named_by_numbers_and_two_names_for_nothing():
    _, frame, labels = drawn(4)
    numbered = frame.set_axis(range(3), axis=1)
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=False, allow_writing_files=False,
                                        cat_features=[0, 1]).fit(numbered, labels)
    assert (boxwood.Explainer(model, numbered).predict(numbered) == model.predict(numbered)).all()
    frame["home"] = frame["home"].replace("x", "(empty)")
    model.fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="both an empty text.*Rename"):
        boxwood.Explainer(model, frame)
