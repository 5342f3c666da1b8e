"""Checks of arguments. Every error names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from boxwood.errors import Error

# The range of the core's integers.
LARGEST = 2**63 - 1
# Values that never change.
PLAIN = frozenset((str, int, float, bool, type(None)))


def number(value: Any, name: str, least: float | None = None, *, bools: bool = False,
           finite: bool = False) -> float:
    """Check a number.

    `least`: the smallest permitted number; NaN is then refused. `bools`: whether True and False are
    accepted, as 1 and 0. `finite`: whether infinity is refused.
    """
    plain = hasattr(value, "__float__") and not isinstance(value, (str, np.complexfloating)) \
        and getattr(value, "ndim", 0) == 0
    try:
        found = float(value) if plain and (bools or not _is_truth(value)) else None
    except (TypeError, ValueError):  # an object that is a number only sometimes
        found = None
    except OverflowError:
        raise too_large(name) from None
    if found is None:
        raise Error(name, f"{value!r} is not a number")
    if least is not None and not found >= least:
        raise Error(name, f"{value!r} is not a number ≥ {least:g}")
    if finite and math.isinf(found):
        raise Error(name, f"{value!r} is not a finite number", "Give a finite one")
    return found


def too_large(name: str) -> Error:
    """Make the error for a number beyond the range of a double."""
    return Error(name, "the number is too large", "Give a number in the range of a double")


def whole(value: Any, name: str, least: int, most: int = LARGEST) -> int:
    """Check a whole number."""
    try:
        fits = not _is_truth(value) and int(value) == value
    except (TypeError, ValueError, OverflowError):
        fits = False
    if fits and value > most:
        raise Error(name, "the number is too large", f"Give at most {most}")
    if not fits or value < least:
        raise Error(name, f"{value!r} is not a whole number ≥ {least}")
    return int(value)


def truth(value: Any, name: str) -> bool:
    """Check a truth value."""
    if not _is_truth(value):
        raise Error(name, f"{value!r} is neither True nor False")
    return bool(value)


def ends(value: Any, name: str, none: str = "means no limit") -> tuple[Any, Any]:
    """Check that a value is a pair; its entries are not checked. `none` says what None does."""
    found = tuple(value) if is_list(value) else ()
    if len(found) != 2:
        raise Error(name, f"{value!r} is not a pair of values",
                    f"Write (lowest, highest); None {none}")
    return found[0], found[1]


def interval(value: Any, name: str) -> tuple[float, float]:
    """Check a pair of numbers in ascending order.

    None, for no limit, becomes an infinite number.
    """
    low, high = ends(value, name)
    low = -math.inf if low is None else number(low, name)
    high = math.inf if high is None else number(high, name)
    if not low <= high:
        raise Error(name, f"the range from {low:g} to {high:g} is empty",
                    "Give the smaller end first")
    return low, high


def by_feature(value: Any, name: str) -> Mapping[Any, Any]:
    """Check that an argument is a mapping by feature.

    None becomes an empty mapping.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Error(name, f"{value!r} is not a mapping of features to values",
                    f"Write {name}={{feature: …}}")
    return value


def is_list(value: Any) -> bool:
    """Whether a value is iterable, and neither a text nor a mapping."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)) \
        and getattr(value, "ndim", 1) > 0


def same_again(target: Any, question: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Make a key that two questions share only if they ask the same.

    None where that cannot be told from the values: iterators are read once, and objects of other
    types may change. 1, 1.0 and True are equal in Python but not as arguments, so types count.
    """
    parts: list[Any] = []
    for key, value in (("target", target), *question.items()):
        kind = type(value)
        if kind is list or kind is tuple:
            if not all(type(one) is str for one in value):
                return None
            value = tuple(value)
        elif kind not in PLAIN and not isinstance(value, (np.number, np.bool_)):
            return None
        parts.append((key, kind, value))
    return tuple(parts)


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))
