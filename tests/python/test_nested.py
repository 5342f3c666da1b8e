"""Averages of averages: votes, bags and stacks of calibrated and averaged models, against brute force.

BOXWOOD_CASES sets the number of random models.
"""

import boxwood
import numpy as np
import pytest
from conftest import case_numbers
from sklearn import (
    calibration,
    compose,
    ensemble,
    linear_model,
    model_selection,
    multiclass,
)
from test_composed import KINDS, brute_force, check_optimum, draw, small, start
from test_stacks import limit

pytestmark = pytest.mark.filterwarnings("ignore")


def two(kind, index, regression=False):
    """A model of two trees or so: brute force tries all combinations of their thresholds."""
    made = small(kind, index, regression)
    few = {"xgboost": "n_estimators", "lightgbm": "n_estimators", "catboost": "iterations", "hist": "max_iter",
           "boosting": "n_estimators", "forest": "n_estimators", "extra": "n_estimators"}
    return made.set_params(**{few[kind]: 1}) if kind in few else made.set_params(max_depth=2)


def classifiers(index):
    random = np.random.default_rng(index)
    first, second, third = random.choice(KINDS, 3).tolist()
    method = str(random.choice(["sigmoid", "isotonic"]))
    calibrated = calibration.CalibratedClassifierCV(two(first, index), cv=2, method=method)
    weights = None if index % 2 else [0.3, 1.7]
    return {
        0: lambda: ensemble.VotingClassifier([("a", calibrated), ("b", two(second, index))], voting="soft",
                                             weights=weights),
        1: lambda: ensemble.VotingClassifier(
            [("a", calibrated), ("b", ensemble.VotingClassifier(
                [("c", two(second, index)), ("d", two(third, index + 1))], voting="soft", weights=weights))],
            voting="soft"),
        2: lambda: ensemble.VotingClassifier(
            [("a", model_selection.FixedThresholdClassifier(two("xgboost", index), threshold=0.2)),
             ("b", two("xgboost", index + 1)),
             ("c", ensemble.VotingClassifier([("d", two("xgboost", 9))], voting="soft",
                                             weights=[3] if index % 2 else None))], voting="soft"),
        3: lambda: multiclass.OneVsRestClassifier(calibration.CalibratedClassifierCV(two(first, index), cv=2)),
        4: lambda: ensemble.BaggingClassifier(calibration.CalibratedClassifierCV(two(first, index), cv=2),
                                              n_estimators=2, random_state=index),
        5: lambda: model_selection.FixedThresholdClassifier(ensemble.VotingClassifier(
            [("a", calibrated), ("b", two(second, index))], voting="soft"), threshold=0.45),
    }[index % 6]()


@pytest.mark.parametrize("index", case_numbers(6, 600))
def test_averages_of_averages(index):
    frame, _, labels = draw(70 + index, 3 if index % 6 == 3 or index % 12 == 6 else 2, rows=90)
    model = classifiers(index).fit(frame, labels)
    explainer = boxwood.Explainer(model)
    point = start(explainer, index)
    grid, cost, said = brute_force(model, explainer, point, 400_000)
    assert (explainer.predict(grid) == said).all()
    theirs = model.predict_proba(grid)
    assert np.abs(explainer.predict_proba(grid) - theirs).max() < 1e-15
    for target in np.unique(labels).tolist():
        assert check_optimum(explainer, model, point, target, said == target, cost) in (None, target)
    middle = limit(theirs[:, 1])
    check_optimum(explainer, model, point, boxwood.Class(1, probability=middle), theirs[:, 1] >= middle, cost)


REGRESSORS = {
    "votes": lambda a, b, c: ensemble.VotingRegressor(
        [("a", compose.TransformedTargetRegressor(a, func=np.log1p, inverse_func=np.expm1)),
         ("b", ensemble.VotingRegressor([("c", b), ("d", c)], weights=[1, 3]))]),
    "bags": lambda a, b, c: ensemble.BaggingRegressor(
        ensemble.VotingRegressor([("b", b), ("c", c)]), n_estimators=2, random_state=0),
    "a stack": lambda a, b, c: ensemble.StackingRegressor(
        [("a", a), ("b", ensemble.VotingRegressor([("b", b), ("c", c)]))], linear_model.RidgeCV(), cv=2),
}


@pytest.mark.parametrize("way", REGRESSORS)
@pytest.mark.parametrize("index", case_numbers(2, 600))
def test_numbers_of_averages(way, index):
    frame, score, _ = draw(90 + index, rows=90)
    kinds = ["xgboost"] * 3 if index == 1 else np.random.default_rng(index).choice(KINDS, 3).tolist()
    model = REGRESSORS[way](*(two(kind, index + i, True) for i, kind in enumerate(kinds)))
    model.fit(frame, np.exp(np.clip(score, -2, 2)))
    explainer = boxwood.Explainer(model)
    point = start(explainer, index)
    grid, cost, said = brute_force(model, explainer, point, 400_000)
    near = 1e-6 if said.dtype == np.float32 or index == 1 else 1e-14
    assert np.allclose(explainer.predict(grid), said, rtol=near, atol=0)
    wanted = limit(said)
    check_optimum(explainer, model, point, boxwood.Output(at_least=wanted), said >= wanted, cost)
    check_optimum(explainer, model, point, boxwood.Output(at_most=wanted), said <= wanted, cost)


def test_stacks_of_calibrated_models():
    frame, _, labels = draw(5, rows=90)
    model = ensemble.StackingClassifier(
        [("a", calibration.CalibratedClassifierCV(two("forest", 1), cv=2)), ("b", two("hist", 1))], cv=2)
    model.fit(frame, labels)
    explainer = boxwood.Explainer(model)
    point = start(explainer, 1)
    grid, cost, said = brute_force(model, explainer, point, 400_000)
    assert (explainer.predict(grid) == said).all()
    for target in (0, 1):
        assert check_optimum(explainer, model, point, target, said == target, cost) in (None, target)


def test_functions_of_averages_are_refused():
    frame, score, labels = draw(5)
    votes = ensemble.VotingClassifier([("a", two("forest", 1)), ("b", two("hist", 1))], voting="soft")
    for model, target in (
            (calibration.CalibratedClassifierCV(votes, cv=2), labels),
            (ensemble.VotingClassifier([("a", votes), ("b", two("hist", 1))]), labels),
            (compose.TransformedTargetRegressor(ensemble.VotingRegressor(
                [("a", two("forest", 1, True)), ("b", two("hist", 1, True))]), func=np.log1p,
                inverse_func=np.expm1), np.exp(score))):
        with pytest.raises(boxwood.UnsupportedModelError, match="which is itself made of several models"):
            boxwood.Explainer(model.fit(frame, target))
