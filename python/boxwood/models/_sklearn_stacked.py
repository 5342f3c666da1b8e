"""scikit-learn's stacks: a linear model of what other models predict.

The last model computes `X @ coef_ + intercept_` by BLAS, in an order that depends on the machine
and on the number of rows. Its results differ by rounding only, which is bounded here. Boxwood gives
answers that have their outcome in every order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models import unwrapped
from boxwood.models._ensemble import Ensemble
from boxwood.models._sklearn_common import class_labels
from boxwood.models._sklearn_composed import composed, read_member

CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV")
REGRESSORS = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet",
              "ElasticNetCV")
ONE = "Explain one of its estimators_ on its own"
REMEDY = ("Fit it with a linear model on top, such as LogisticRegression or RidgeCV, or explain "
          "one of its estimators_ on its own")


class _Last(NamedTuple):
    weights: np.ndarray
    shift: float
    size: float  # of all that is added besides the members' terms
    precision: Any


def stacked(model: Any, data: Any = None) -> Ensemble:
    """Convert a `StackingClassifier` of two classes or a `StackingRegressor`."""
    name = type(model).__name__
    classifier = hasattr(model, "classes_")
    labels = class_labels(model) if classifier else []
    if model.passthrough:
        raise UnsupportedModelError(
            f"this {name} gives the raw columns to its last model too, and its score is then not "
            "a function of trees alone", "Fit it with passthrough=False")
    if len(labels) > 2:
        raise UnsupportedModelError(
            f"this {name} has {len(labels)} classes, and two are supported: with more, its last "
            "model adds up probabilities of every class of every member",
            ONE + ", with classes=list(classes_), or fit a VotingClassifier"
            ' with voting="soft" of them')
    responses = {"predict_proba": "probability", "decision_function": "score"} if classifier \
        else {"predict": "output"}
    parts = []
    for fitted, method in zip(model.estimators_, model.stack_method_, strict=True):
        if method not in responses:
            raise UnsupportedModelError(
                f"this {name} takes {method} of {type(fitted).__name__}",
                'Fit it with stack_method="predict_proba"')
        part = read_member(fitted, model, responses[method], data, averaged=True)
        if classifier and (part.classes != [0, 1] or (
                method == "decision_function" and len(part.model.base) != 1)):
            raise UnsupportedModelError(
                f"this {name} takes {method} of {type(fitted).__name__}, which is not supported",
                'Fit it with stack_method="predict_proba"')
        parts.append(part)
    single = all(part.single for part in parts)
    last = _last_model(model, np.float32 if single else np.float64, classifier)
    for part, weight in zip(parts, last.weights.tolist(), strict=True):
        part.weight = weight
    # n products, n sums, the shift, and of a scaler two operations each; of a member that is an
    # average itself, its sums and its quotient: a sum of products of any
    # order has an error of at most (number of roundings) * unit * sizes, up to terms of higher
    # order. Boxwood's own sum has one too, of doubles. Twice that, and room for the higher orders.
    roundings = 4 * sum(len(part.inner["members"]) if part.inner else 1 for part in parts) + 8
    narrow = last.precision == np.float32 or any(part.inner and part.single for part in parts)
    unit = 2.0**-24 if narrow else 2.0**-53
    return composed(model, parts, labels=labels, linear={
        "shift": last.shift, "size": last.size, "error": 2 * roundings * unit * (1 + 2.0**-10)})


def _last_model(model: Any, given: Any, classifier: bool) -> _Last:
    """Read the linear model on top, which may follow a `StandardScaler`."""
    name = type(model).__name__
    last = unwrapped(model.final_estimator_)
    scaler = None
    if type(last).__name__ == "Pipeline" and len(last.steps) == 2 and \
            type(last.steps[0][1]).__name__ == "StandardScaler":
        scaler, last = last.steps[0][1], unwrapped(last.steps[1][1])
    known = CLASSIFIERS if classifier else REGRESSORS
    if type(last).__name__ not in known or not type(last).__module__.startswith("sklearn."):
        raise UnsupportedModelError(
            f"this {name} has a {type(last).__name__} on top, whose decisions are not a sum of "
            "functions of its members", REMEDY)
    weights = np.asarray(last.coef_)
    shifts = np.asarray(last.intercept_)
    if weights.size != len(model.estimators_) or shifts.size != 1:
        raise UnsupportedModelError(f"this {name} predicts several targets at once", ONE)
    if classifier and getattr(last, "multi_class", "") == "multinomial":
        raise UnsupportedModelError(f"this {name} has a {type(last).__name__} of the kind "
                                    "multinomial on top", 'Fit it without multi_class')
    precision = np.result_type(np.dtype(given), weights.dtype) if scaler is None else given
    weights = weights.ravel().astype(np.float64)
    shift = float(shifts.ravel()[0])
    size = abs(shift)
    if scaler is not None:
        # (x - mean) / scale: the terms of the means move into the shift.
        scales = np.ones(len(weights)) if scaler.scale_ is None else scaler.scale_
        means = np.zeros(len(weights)) if scaler.mean_ is None else scaler.mean_
        weights = weights / scales
        shift -= float(np.sum(weights * means))
        size += float(np.abs(weights * means).sum())
    if not np.isfinite([*weights, shift, size]).all():
        raise UnsupportedModelError(f"this {name} has infinite coefficients", ONE)
    return _Last(weights, shift, size, precision)
