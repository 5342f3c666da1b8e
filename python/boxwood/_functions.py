"""Functions of FunctionTransformer that never fall as their argument rises, and where they apply.

numpy rounds sqrt, square and the like correctly, so that they are monotone in floating point too.
Its logarithms and exponentials are a few units of the last place off at most, so that they could
fall by that much from one number to the next. `_pushing` therefore tries all numbers around a
threshold whose results are that near to each other.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxwood.errors import Error, UnsupportedModelError

# numpy's own tests allow 4 units for float32 and fewer for float64; twice that.
UNITS = 8
DECLARED = "_boxwood_monotone"


@dataclass(frozen=True)
class Function:
    """A function that never falls.

    Parameters
    ----------
    call : callable
        The function.
    name : str
        Its name.
    lower : float
        The least number for which it is finite and monotone.
    exact : bool
        It is monotone in floating point, without exceptions.
    declared : bool
        A user says so.
    knots : array, optional
        The function is monotone in floating point between neighbouring knots, without exceptions.
    units : callable, optional
        From a number to the units of the last place by which the function may be off there; `UNITS`
        by default.
    """

    call: Callable[[Any], Any]
    name: str
    lower: float = -np.inf
    exact: bool = False
    declared: bool = False
    knots: np.ndarray | None = None
    units: Callable[[float], float] | None = None


def _above(limit: float) -> float:
    return float(np.nextafter(np.float32(limit), np.float32(np.inf)))  # a float32 as well


KNOWN = {one.call: one for one in (
    *(Function(call, call.__name__, exact=True)
      for call in (np.positive, np.floor, np.ceil, np.trunc, np.rint)),
    *(Function(call, call.__name__, 0.0, exact=True)
      for call in (np.sqrt, np.square, np.abs)),
    *(Function(call, call.__name__, _above(0.0)) for call in (np.log, np.log2, np.log10)),
    Function(np.log1p, "log1p", _above(-1.0)),
    *(Function(call, call.__name__)
      for call in (np.exp, np.exp2, np.expm1, np.cbrt, np.arcsinh, np.arctan, np.tanh)))}


def of_quantiles(step: Any, column: int) -> Function:
    """Return what a fitted QuantileTransformer does to one column.

    Between two quantiles it is `slope * (x - low) + y`, twice, and the mean of both: each operation
    rounds a monotone result, so only the quantiles themselves can be out of order.
    """
    quantiles = np.asarray(step.quantiles_[:, column], dtype=np.float64)

    def call(values: Any) -> Any:
        return step._transform_col(np.array(values, dtype=values.dtype)[:, 0], quantiles,
                                   False)[:, np.newaxis]

    return Function(call, "QuantileTransformer", knots=np.unique(quantiles))


def of_power(step: Any, column: int) -> Function | None:
    """Return what a fitted PowerTransformer does to one column before it standardizes it.

    That is expm1(y) / lambda with y = lambda log1p(x) or lambda log(x), whose error is that of y
    times the size of y. None for older releases, whose formula loses digits next to 0.
    """
    alone = copy.copy(step)
    alone.standardize, alone.n_features_in_ = False, 1
    alone.lambdas_ = step.lambdas_[column:column + 1]
    alone.__dict__.pop("feature_names_in_", None)
    power = float(step.lambdas_[column])
    positive = step.method == "box-cox"
    tiny = 1e-12

    def call(values: Any) -> Any:
        return np.asarray(alone.transform(values))  # set_output may make frames

    if not positive and abs(float(call(np.array([[tiny]]))[0, 0]) - tiny) > 1e-23:
        return None

    def units(number: float) -> float:
        size = abs(np.log(number)) if positive else np.log1p(abs(number))
        factor = abs(power) if positive or number >= 0 else abs(2 - power)
        return UNITS * (2 + factor * float(size))

    return Function(call, "PowerTransformer", _above(0.0) if positive else -np.inf, units=units)


def monotone(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Declare that a function of one column never falls as its argument rises.

    A pipeline whose ``FunctionTransformer`` applies the function can then be explained. The
    declaration is checked on the data that an explainer gets, and its notes mention it.

    Parameters
    ----------
    function : callable
        Takes and returns a table of numbers, each by itself. It is marked in place, also in models
        that are fitted already.

    Returns
    -------
    callable
        The same function.
    """
    if not callable(function):
        raise Error("monotone", f"{function!r} is not a function", "Give the function itself")
    try:
        setattr(function, DECLARED, True)
    except (AttributeError, TypeError) as error:
        raise Error("monotone", f"{function!r} cannot be marked",
                    "Define a function with def that calls it, and use that in the pipeline"
                    ) from error
    return function


RENAMING = {"rename": {"columns"}, "set_axis": {"labels", "axis"}, "add_prefix": {"prefix"},
            "add_suffix": {"suffix"}}


def only_renames(step: Any) -> bool:
    """Whether a FunctionTransformer calls a method of pandas' frames that only renames columns."""
    given = dict(step.kw_args or {})
    function = step.func
    if isinstance(function, functools.partial) and not function.args:
        given = {**function.keywords, **given}
        function = function.func
    frame, _, name = getattr(function, "__qualname__", "").rpartition(".")
    if frame not in ("DataFrame", "NDFrame") or not function.__module__.startswith("pandas."):
        return False
    columns = name != "set_axis" or given.get("axis") in (1, "columns")
    return name in RENAMING and set(given) == RENAMING[name] and columns


def known_function(function: Any) -> Function | None:
    """Return what is known of a function, or None."""
    try:
        known = KNOWN.get(function)
    except TypeError:  # it has no hash
        known = None
    if known is None and getattr(function, DECLARED, False):
        known = Function(function, getattr(function, "__name__", "the function"), declared=True)
    return known


def doubles(function: Function, given: np.ndarray) -> np.ndarray:
    """Apply a function to an array of one column, and return doubles."""
    try:
        return np.asarray(function.call(given), dtype=np.float64)
    except Exception as error:  # of the user's function
        raise UnsupportedModelError(
            f"pipeline: {function.name} fails for an array of numbers "
            f"({type(error).__name__}: {error})",
            "Declare functions of arrays. To rename columns use "
            'FunctionTransformer(pandas.DataFrame.rename, kw_args={"columns": …})') from error


def finite_range(function: Function, single: bool, read: str) -> tuple[float, float]:
    """Return the least and the largest number whose result the model reads as finite."""
    largest = float(np.finfo(np.float32 if single else np.float64).max)
    low = max(function.lower, -largest)

    def finite(number: float) -> bool:
        given = np.array([[number]], dtype=np.float32 if single else np.float64)
        with np.errstate(all="ignore"):
            made = doubles(function, given)
            if read == "float32":
                made = made.astype(np.float32)
        return bool(np.isfinite(made).all())

    def outermost(good: float, bad: float) -> float:
        if finite(bad):
            return bad
        while True:
            middle = good / 2 + bad / 2
            if middle in (good, bad):
                return good
            good, bad = (middle, bad) if finite(middle) else (good, middle)

    start = max(low, 0.0) if function.lower <= 0 else low
    if not finite(start):
        return low, largest
    return (low if function.lower > -np.inf else outermost(start, low),
            outermost(start, largest))
