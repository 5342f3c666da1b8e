"""scikit-learn's wrappers of regression models that change or multiply the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble
from boxwood.models._sklearn_common import source
from boxwood.models._sklearn_composed import (
    ARITHMETIC,
    Part,
    composed,
    read_member,
    unsaid,
)

FUNCTIONS = {np.expm1: "expm1", np.exp: "exponential", np.square: "square", np.sqrt: "square_root"}
FROM_ZERO = ("square", "square_root")  # these rise, or are defined, from 0 on
ROUNDING = 16  # units in the last place by which exp of numpy and of the C library may differ


def transformed_target(model: Any, data: Any = None) -> Ensemble:
    """Convert a `TransformedTargetRegressor`: a rising function of what its model predicts.

    The function is the inverse of the transformer: `np.expm1` or `np.exp`, the scale and shift of a
    scaler, the quantiles of a `QuantileTransformer`, or several of these in a pipeline; also
    `np.square` and `np.sqrt` where the predictions cannot be negative.
    """
    name = type(model).__name__
    part = read_member(model.regressor_, model, "output", data)
    if len(part.model.base) != 1:
        raise UnsupportedModelError(f"this {name} predicts several targets at once",
                                    "Fit one model for each target")
    found = _inverse(model.transformer_)
    if found is None:
        raise UnsupportedModelError(
            f"this {name} transforms its predictions by {_described(model.transformer_)}",
            "Use func=np.log1p and inverse_func=np.expm1, np.log and np.exp, or a scaler; "
            "or give its regressor_ and transform the range that you ask for")
    if _may_be_negative(part.model, found):
        raise UnsupportedModelError(
            f"this {name} transforms its predictions by {_described(model.transformer_)}, and "
            "nothing in its model says that they cannot be negative",
            "Use a forest, whose predictions are averages of targets, or a Poisson loss; or give "
            "its regressor_ and transform the range that you ask for")
    precision = "float32" if part.single else "float64"
    part.calibrations = [{"slope": 1.0, "precision": precision} | one for one in found]
    if not _agrees(part, model.transformer_):
        raise UnsupportedModelError(
            f"this {name} computes {_described(model.transformer_)} of float32 predictions in "
            "another precision", "Use a model that predicts doubles, such as "
            "HistGradientBoostingRegressor, or give its regressor_")
    return composed(model, [part], labels=[], sum=precision)


def _described(transformer: Any) -> str:
    function = getattr(transformer, "inverse_func", None)
    return getattr(function, "__name__", None) or type(transformer).__name__


def _inverse(transformer: Any) -> list[dict[str, Any]] | None:
    """Return the inverse of a transformer as calibrations of the file, if it is such."""
    name = type(transformer).__name__
    if name == "Pipeline":
        several = [_inverse(step) for _, step in reversed(transformer.steps)]
        return None if None in several else [one for found in several for one in found or []]
    if name == "FunctionTransformer":
        if transformer.inv_kw_args:
            return None
        if transformer.inverse_func is None:
            return []
        kind = FUNCTIONS.get(transformer.inverse_func)
        return [{"kind": kind}] if kind else None
    if name == "MaxAbsScaler":
        return [{"kind": "affine", "slope": float(transformer.scale_[0]), "shift": 0.0}]
    if name == "MinMaxScaler":
        return [{"kind": "affine", "slope": 1.0, "shift": -float(transformer.min_[0])},
                {"kind": "quotient", "slope": float(transformer.scale_[0])}]
    if name in ("StandardScaler", "RobustScaler"):
        standard = name == "StandardScaler"
        scales = transformer.with_std if standard else transformer.with_scaling
        moves = transformer.with_mean if standard else transformer.with_centering
        centre = transformer.mean_ if standard else transformer.center_
        return [{"kind": "affine", "slope": float(transformer.scale_[0]) if scales else 1.0,
                 "shift": float(centre[0]) if moves else 0.0}]
    if name == "QuantileTransformer" and transformer.output_distribution == "uniform":
        return [{"kind": "isotonic", "from": transformer.references_.astype(float).tolist(),
                 "to": transformer.quantiles_[:, 0].astype(float).tolist()}]
    return None


def _may_be_negative(content: Ensemble, functions: list[dict[str, Any]]) -> bool:
    """Whether a root or a square may get a number below 0, as far as leaves and functions tell."""
    may = content.link not in ("exponential", "sigmoid", "softplus") and (
        content.link not in ("identity", "square") or content.base[0] < 0
        or any((tree.values < 0).any() for tree in content.trees))
    for one in functions:
        if one["kind"] in FROM_ZERO and may:
            return True
        if one["kind"] == "affine":
            may = may or one["shift"] < 0
        elif one["kind"] == "isotonic":
            may = one["to"][0] < 0
        elif one["kind"] in ("exponential", *FROM_ZERO):
            may = False
    return False


def _agrees(part: Part, transformer: Any) -> bool:
    """Compare the functions with the transformer's own, which depend on versions for float32."""
    kind: Any = np.float32 if part.single else np.float64
    x = np.random.default_rng(0).normal(size=400).astype(kind)
    kinds = {one["kind"] for one in part.calibrations}
    if kinds & set(FROM_ZERO):
        x = abs(x)
    expected = transformer.inverse_transform(x.reshape(-1, 1).copy())[:, 0]
    actual = x
    for one in part.calibrations:
        actual = _applied(one, actual, kind)
    if expected.dtype != actual.dtype:
        return False
    if kinds & {"expm1", "exponential"}:
        return bool((np.abs(expected - actual) <= ROUNDING * np.spacing(np.abs(actual))).all())
    return bool((expected == actual).all())


def _applied(one: dict[str, Any], x: np.ndarray, kind: Any) -> np.ndarray:
    """Return a calibration of numbers, in their precision."""
    if one["kind"] == "affine":
        return x * kind(one["slope"]) + kind(one["shift"])
    if one["kind"] == "quotient":
        return x / kind(one["slope"])
    if one["kind"] == "isotonic":
        return np.interp(x, one["from"], one["to"])
    return next(call for call, name in FUNCTIONS.items() if name == one["kind"])(x)


def multi_output_regressor(model: Any, data: Any = None) -> Ensemble:
    """Convert a `MultiOutputRegressor` as a model of several outputs, one for each target."""
    name = type(model).__name__
    given = [read_member(one, model, "output", data) for one in model.estimators_]
    parts = [part.model for part in given]
    first = parts[0]
    alike = (*ARITHMETIC, "input", "features", "library")
    if any(len(part.base) != 1 or getattr(part, key) != getattr(first, key)
           for part in parts for key in alike):
        raise UnsupportedModelError(
            f"this {name} holds models that add up their trees in different ways",
            "Give one of its estimators_, or all of them by name: dict(zip(names, estimators_)); a "
            "target then names its model")
    for output, part in enumerate(parts):
        for tree in part.trees:
            tree.output = output
    return Ensemble(
        source=source(), objective=f"{name} of {len(parts)} models",
        notes=sorted({f"{part.source} {part.objective}" for part in parts}),
        base=[part.base[0] for part in parts],
        trees=[tree for part in parts for tree in part.trees],
        unsaid=unsaid(given), **{key: getattr(first, key) for key in alike})
