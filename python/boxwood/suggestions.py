"""Relations between columns that hold in data, as rules to review. None is applied by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from boxwood._arguments import number
from boxwood.errors import Error
from boxwood.rules import Rule
from boxwood.sums import Sum, _number, _quoted

# Fewer rows than this with a premise, or fewer expected exceptions, may be chance.
_LEAST_ROWS = 20
_LEAST_VALUES = 5  # of a column that a formula is about: fewer agree by chance
_LEAST_EXCEPTIONS = 10
_MOST_TERMS = 6


class Suggestion(Rule):
    """A rule that holds in data.

    Parameters
    ----------
    text : str
        The rule as query text.
    share : float
        The share of the rows that it speaks of in which it holds.
    rows : int
        The number of rows that it speaks of: those without a missing value, and of an implication
        those with the premise.
    """

    def __init__(self, text: str, share: float, rows: int) -> None:
        super().__init__(text)
        self.share = share
        self.rows = rows

    def __repr__(self) -> str:
        return f"Suggestion({self.text!r}, share={self.share:.6g}, rows={self.rows})"


def suggest_rules(data: Any, *, share: float = 1.0) -> list[Suggestion]:
    """Find order pairs, sums, implications and derived columns that hold in data.

    Review them before use: data cannot show whether a relation is a law or a coincidence. Relations
    that already follow from the ranges of the columns, or that unrelated columns would satisfy
    as well, are left out.

    Parameters
    ----------
    data : DataFrame or dict
        Columns by name. Numbers are compared; other columns are categories.
    share : float
        The least share of rows in which a rule must hold. Sums and derived columns are suggested
        only if they hold in all rows.

    Returns
    -------
    list of Suggestion
        ``a <= b``, ``total = a + b``, ``if a = 0 then b = 0``, ``column c is a / b``, in this
        order. Each can be given as one of the ``rules`` of a question.
    """
    least = number(share, "share")
    if not 0 < least <= 1:
        raise Error("share", f"{share!r} is not above 0 and at most 1", "Give a share such as 0.99")
    columns = _columns(data)
    numeric = {name: values for name, values in columns.items() if values.dtype.kind == "f"}
    single = {str(name) for name in data if np.asarray(data[name]).dtype == np.float32}
    return [*_orders(numeric, least), *_sums(numeric), *_implications(columns, least),
            *_derived(numeric, single)]


def _columns(data: Any) -> dict[str, np.ndarray]:
    try:
        named = {str(name): np.asarray(data[name]) for name in data}
    except (KeyError, IndexError, TypeError) as error:
        raise Error("data", "its columns have no names", "Give a DataFrame or a dict") from error
    lengths = {values.shape for values in named.values()}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        raise Error("data", "its columns have different lengths", "Give columns of one length")
    return {name: values.astype(float) if values.dtype.kind in "biuf" else values.astype(object)
            for name, values in named.items()}


def _orders(columns: dict[str, np.ndarray], least: float) -> list[Suggestion]:
    found: dict[tuple[str, str], Suggestion] = {}
    for (a, x), (b, y) in itertools.permutations(columns.items(), 2):
        known = ~(np.isnan(x) | np.isnan(y))
        x, y = x[known], y[known]
        if len(x) < _LEAST_ROWS or np.array_equal(x, y):
            continue
        holds = float(np.mean(x <= y))
        if holds < least:
            continue
        # How often values of unrelated columns with the same values would be out of order.
        chance = 1 - float(np.mean(np.searchsorted(np.sort(x), y, side="right"))) / len(x)
        if chance * len(x) >= _LEAST_EXCEPTIONS and chance > 2 * (1 - holds):
            found[a, b] = Suggestion(f"{_quoted(a)} <= {_quoted(b)}", holds, len(x))
    # What follows from two others needs no mention.
    return [rule for (a, b), rule in found.items()
            if not any((a, c) in found and (c, b) in found for c in columns)]


def _sums(columns: dict[str, np.ndarray]) -> Iterator[Suggestion]:
    # Rules hold exactly, and sums of decimals such as 0.1 + 0.2 = 0.3 do not: only whole numbers.
    names = [name for name, values in columns.items()
             if len(values) and np.all(np.abs(values) < 2**31)
             and np.all(values == np.floor(values)) and np.ptp(values) > 0]
    if not names or len(columns[names[0]]) < _LEAST_ROWS:
        return
    matrix = np.column_stack([np.ones(len(columns[names[0]]))] + [columns[n] for n in names])
    for at, factors in _dependent(matrix):
        used = [(i, factor) for i, factor in enumerate(factors) if factor != 0]
        if len(used) > _MOST_TERMS or matrix.shape[0] < 3 * len(used):
            continue
        whole = matrix.astype(np.int64)
        if not np.array_equal(10_000 * whole[:, at],
                              sum(round(10_000 * f) * whole[:, i] for i, f in used)):
            continue
        right = Sum(tuple((_quoted(names[i - 1]), f) for i, f in used if i > 0), float(factors[0]))
        if all(factor < 0 for i, factor in used if i > 0):  # shares that add up to a constant
            left = " + ".join([_quoted(names[at - 1])] + [
                f"{'' if f == -1 else _number(-f) + ' * '}{_quoted(names[i - 1])}"
                for i, f in used if i > 0])
            yield Suggestion(f"{left} = {_number(float(factors[0]))}", 1.0, matrix.shape[0])
        else:
            yield Suggestion(f"{_quoted(names[at - 1])} = {right}", 1.0, matrix.shape[0])


def _derived(columns: dict[str, np.ndarray], single: set[str]) -> Iterator[Suggestion]:
    """Columns that are a sum, difference, product or quotient of two others, to the last digit."""
    usable = {name: values for name, values in columns.items()
              if len(values) >= _LEAST_ROWS and not np.isnan(values).any()
              and len(np.unique(values)) >= _LEAST_VALUES}
    by_start: dict[bytes, list[str]] = {}  # so that most pairs are seen at once to give no column
    for name, values in usable.items():
        by_start.setdefault((values[:_LEAST_ROWS] + 0.0).tobytes(), []).append(name)
    for a, b in itertools.permutations(usable, 2):
        kind = np.float32 if {a, b} <= single else np.float64
        x, y = usable[a].astype(kind), usable[b].astype(kind)
        short = _results(x[:_LEAST_ROWS], y[:_LEAST_ROWS], a < b)
        for sign, result in short:
            names = by_start.get((result.astype(np.float64) + 0.0).tobytes(), [])
            for name in names:
                whole = dict(_results(x, y, True)).get(sign)
                if name in (a, b) or (kind == np.float32) != (name in single) or whole is None \
                        or not np.array_equal(whole.astype(np.float64), usable[name]):
                    continue
                ending = " in float32" if kind == np.float32 else ""
                yield Suggestion(
                    f"column {_quoted(name)} is {_quoted(a)} {sign} {_quoted(b)}{ending}", 1.0,
                    len(usable[name]))


def _results(x: np.ndarray, y: np.ndarray, first: bool) -> Iterator[tuple[str, np.ndarray]]:
    """All operations; those in which the order does not matter only for one order."""
    with np.errstate(all="ignore"):
        yield "-", x - y
        if (y != 0).all():
            yield "/", x / y
        if first:
            yield "+", x + y
            yield "*", x * y


def _dependent(matrix: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Columns that are sums of earlier ones with short coefficients, by least squares."""
    for at in range(2, matrix.shape[1]):
        others = matrix[:, :at]
        factors = np.asarray(np.linalg.lstsq(others, matrix[:, at], rcond=None)[0])
        short = np.asarray(np.round(factors, 4))
        if np.allclose(short, factors, atol=1e-7) and np.count_nonzero(short[1:]) > 0:
            yield at, short


def _implications(columns: dict[str, np.ndarray], least: float) -> Iterator[Suggestion]:
    premises = [(name, value, mask) for name, values in columns.items()
                for value, mask in _common_values(values)]
    for (a, value, mask), (b, other, then) in itertools.permutations(premises, 2):
        if a == b:
            continue
        rows = int(mask.sum())
        holds = float(np.mean(then[mask]))
        usual = float(np.mean(then))
        if holds >= least and (1 - usual) * rows >= _LEAST_EXCEPTIONS \
                and (1 - usual) > 2 * (1 - holds):
            yield Suggestion(f"if {_quoted(a)} = {value} then {_quoted(b)} = {other}", holds, rows)


def _common_values(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Zero of a number, and every category, if there are enough rows of each."""
    if values.dtype.kind == "f":
        candidates = [("0", values == 0)] if len(np.unique(values[~np.isnan(values)])) > 2 else []
    else:
        labels = sorted({str(value) for value in values if value is not None and value == value})
        candidates = [(_quoted(label), np.array([str(value) == label for value in values]))
                      for label in labels[:50]]
    for text, mask in candidates:
        if mask.sum() >= _LEAST_ROWS:
            yield text, mask
