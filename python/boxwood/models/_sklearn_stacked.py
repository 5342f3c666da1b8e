"""scikit-learn's stacks: a linear model of what other models predict.

With three or more classes the last model adds up the probabilities of all classes of all members,
once for each class.

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
from boxwood.models._sklearn_common import class_labels, version
from boxwood.models._sklearn_composed import Part, composed, read_member

CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV")
REGRESSORS = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet",
              "ElasticNetCV")
ONE = "Explain one of its estimators_ on its own"
REMEDY = ("Fit it with a linear model on top, such as LogisticRegression or RidgeCV, or explain "
          "one of its estimators_ on its own")


class _Last(NamedTuple):
    weights: np.ndarray  # one row, or one for each of three or more classes
    shifts: np.ndarray
    sizes: np.ndarray  # of all that is added besides the members' terms
    precision: Any


def stacked(model: Any, data: Any = None) -> Ensemble:
    """Convert a `StackingClassifier` or a `StackingRegressor`."""
    name = type(model).__name__
    classifier = hasattr(model, "classes_")
    labels = class_labels(model) if classifier else []
    if model.passthrough:
        raise UnsupportedModelError(
            f"this {name} gives the raw columns to its last model too, and its score is then not "
            "a function of trees alone", "Fit it with passthrough=False")
    responses = {"predict_proba": "probability", "decision_function": "score"} if classifier \
        else {"predict": "output"}
    parts = []
    for fitted, method in zip(model.estimators_, model.stack_method_, strict=True):
        if method not in responses:
            raise UnsupportedModelError(
                f"this {name} takes {method} of {type(fitted).__name__}",
                'Fit it with stack_method="predict_proba"')
        part = read_member(fitted, model, responses[method], data, averaged=True)
        scores = len(labels) if len(labels) > 2 else 1
        if classifier and (part.classes != list(range(len(labels))) or (
                method == "decision_function" and len(part.model.base) != scores)):
            raise UnsupportedModelError(
                f"this {name} takes {method} of {type(fitted).__name__}, which is not supported",
                'Fit it with stack_method="predict_proba"')
        parts.append(part)
    single = all(part.single for part in parts)
    last = _last_model(model, np.float32 if single else np.float64, labels)
    # n products, n sums, the shift, and of a scaler two operations each; of a member that is an
    # average itself, its sums and its quotient: a sum of products of any
    # order has an error of at most (number of roundings) * unit * sizes, up to terms of higher
    # order. Boxwood's own sum has one too, of doubles. Twice that, and room for the higher orders.
    terms = sum(len(part.inner["members"]) if part.inner else 1 for part in parts)
    roundings = 4 * terms * (len(labels) if len(labels) > 2 else 1) + 8
    narrow = last.precision == np.float32 or any(part.inner and part.single for part in parts)
    unit = 2.0**-24 if narrow else 2.0**-53
    linear: dict[str, Any] = {"shift": 0.0, "size": 0.0,
                              "error": 2 * roundings * unit * (1 + 2.0**-10)}
    if len(labels) > 2:
        linear["rows"] = [
            {"weights": _spread(parts, row, len(labels)), "shift": shift, "size": size}
            for row, shift, size in zip(last.weights.tolist(), last.shifts.tolist(),
                                        last.sizes.tolist(), strict=True)]
    else:
        linear |= {"shift": float(last.shifts[0]), "size": float(last.sizes[0])}
        for part, weight in zip(parts, last.weights[0].tolist(), strict=True):
            part.weight = weight
    return composed(model, parts, labels=labels, linear=linear)


def _spread(parts: list[Part], row: list[float], classes: int) -> list[float]:
    """Give each member of the composition its weights, one for each class.

    A part that is an average of members has the same weights for all of them, times theirs.
    """
    found: list[float] = []
    for i, part in enumerate(parts):
        own = row[i * classes:(i + 1) * classes]
        inner = part.inner or {"divisor": 1.0, "members": [{"weight": 1.0}]}
        for one in inner["members"]:
            found += [weight * (one["weight"] / inner["divisor"]) for weight in own]
    return found


def _last_model(model: Any, given: Any, labels: list[str]) -> _Last:
    """Read the linear model on top, which may follow a `StandardScaler`."""
    name = type(model).__name__
    last = unwrapped(model.final_estimator_)
    scaler = None
    if type(last).__name__ == "Pipeline" and len(last.steps) == 2 and \
            type(last.steps[0][1]).__name__ == "StandardScaler":
        scaler, last = last.steps[0][1], unwrapped(last.steps[1][1])
    known = CLASSIFIERS if labels else REGRESSORS
    if type(last).__name__ not in known or not type(last).__module__.startswith("sklearn."):
        raise UnsupportedModelError(
            f"this {name} has a {type(last).__name__} on top, whose decisions are not a sum of "
            "functions of its members", REMEDY)
    rows = len(labels) if len(labels) > 2 else 1
    weights = np.atleast_2d(last.coef_)
    shifts = np.broadcast_to(np.asarray(last.intercept_), rows) \
        if np.size(last.intercept_) in (1, rows) else np.empty(0)
    columns = len(model.estimators_) * (rows if rows > 1 else 1)
    if weights.shape != (rows, columns) or shifts.shape != (rows,):
        raise UnsupportedModelError(f"this {name} predicts several targets at once", ONE)
    kind = getattr(last, "multi_class", "")
    if rows == 1 and kind == "multinomial":
        raise UnsupportedModelError(f"this {name} has a {type(last).__name__} of the kind "
                                    "multinomial on top", 'Fit it without multi_class')
    by_class = ["liblinear"] if version() >= (1, 6) else ["liblinear", "newton-cholesky"]
    if rows > 1 and (kind == "ovr" or last.solver in by_class):
        raise UnsupportedModelError(
            f"this {name} has a {type(last).__name__} on top that is one model for each class",
            'Fit it with solver="lbfgs", without multi_class="ovr"')
    precision = np.result_type(np.dtype(given), weights.dtype) if scaler is None else given
    weights = weights.astype(np.float64)
    shifts = shifts.astype(np.float64)
    sizes = np.abs(shifts)
    if scaler is not None:
        # (x - mean) / scale: the terms of the means move into the shift. A size that exceeds the
        # shift says that something is added even where all members contribute 0.
        # It learns means that it does not use: with_mean=False.
        scales = scaler.scale_ if scaler.with_std else np.ones(columns)
        means = scaler.mean_ if scaler.with_mean else np.zeros(columns)
        weights = weights / scales
        shifts = shifts - (weights * means).sum(axis=1)
        sizes = np.nextafter(np.maximum(sizes + np.abs(weights * means).sum(axis=1),
                                        np.abs(shifts)), np.inf)
    if not (np.isfinite(weights).all() and np.isfinite(shifts).all() and np.isfinite(sizes).all()):
        raise UnsupportedModelError(f"this {name} has infinite coefficients", ONE)
    return _Last(weights, shifts, sizes, precision)
