"""Relations between columns that hold in data, as rules to review. None is applied by itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boxwood._arguments import number
from boxwood._tables import Column, columns_of, is_row, is_table, module_of
from boxwood.errors import Error
from boxwood.rules import Rule
from boxwood.sums import Sum, _number, _quoted

# Fewer rows than this with a premise, or fewer expected exceptions, may be chance.
_LEAST_ROWS = 20
_LEAST_VALUES = 5  # of a column that a formula is about: fewer agree by chance
_LEAST_EXCEPTIONS = 10
_MOST_TERMS = 6
_MOST_SAMPLES = 300  # of rows, to find a sum that does not hold in all of them
_SAMPLES, _FEW_ROWS = 12, 8  # of rows, to find a formula that does not hold in all of them

# The operation, the column that is the sum or product, and the two others.
Relation = tuple[str, str, frozenset[str]]


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
    data : DataFrame, Arrow table or dict
        Columns by name. Numbers are compared; other columns are categories.
    share : float
        The least share of rows in which a rule must hold.

    Returns
    -------
    list of Suggestion
        ``a <= b``, ``total = a + b``, ``if a = 0 then b = 0``, ``column c is a / b``, in this
        order. Each can be given as one of the ``rules`` of a question. A relation between three
        columns is listed once: a sum of whole numbers as ``total = a + b``, which may as well be
        given as ``column total is a + b``.
    """
    least = number(share, "share")
    if not 0 < least <= 1:
        raise Error("share", f"{share!r} is not above 0 and at most 1", "Give a share such as 0.99")
    table = _columns(data)
    columns = {name: _values(column) for name, column in table.items()}
    numeric = {name: values for name, values in columns.items() if values.dtype.kind == "f"}
    single = {name for name, column in table.items() if column.single}
    sums = list(_sums(numeric, least))
    known = {relation for relation, _ in sums}
    return [*_orders(numeric, least), *(rule for _, rule in sums), *_implications(columns, least),
            *_listed_once(_derived(numeric, single, least), list(columns), known)]


def _columns(data: Any) -> dict[str, Column]:
    remedy = "Give a DataFrame, an Arrow table or a dict of columns by name"
    if is_table(data):
        columns = columns_of(data)
    elif isinstance(data, Mapping):
        columns = [_named_column(str(name), values) for name, values in data.items()]
    elif is_row(data) or module_of(data) == "pyarrow":
        raise Error("data", f"it is one column or row ({type(data).__name__}), not a table", remedy)
    elif isinstance(data, (np.ndarray, list, tuple)):
        raise Error("data", "its columns have no names", remedy)
    else:
        kind = "None" if data is None else f"of type {type(data).__name__}"
        raise Error("data", f"it is {kind}, not a table", remedy)
    named = {str(column.name): column for column in columns}
    if len(named) < len(columns):
        names = [str(column.name) for column in columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise Error("data", f'two columns are called "{twice}"', "Give every column its own name")
    if len({len(column.values) for column in columns}) > 1:
        raise Error("data", "its columns have different lengths", "Give columns of one length")
    return named


def _named_column(name: str, values: Any) -> Column:
    place = f'data, column "{name}"'
    if hasattr(values, "to_frame"):  # of pandas
        column = columns_of(values.to_frame(), place)[0]
    elif module_of(values) == "pyarrow" and hasattr(values, "to_pylist"):
        column = columns_of(np.array(values.to_pylist(), dtype=object)[:, None], place)[0]
        column.single = str(values.type) == "float"
    else:
        array = np.asarray(values)
        if array.ndim != 1:
            raise Error(place, "it is one value, not a column" if array.ndim == 0 else
                        f"it has {array.ndim} dimensions", "Give a list or an array of its values")
        column = columns_of(array[:, None], place)[0]
    return replace(column, name=name)


def _values(column: Column) -> np.ndarray:
    """Numbers as floats, everything else as objects."""
    if column.categories is not None:
        labels = np.array([*column.categories, None], dtype=object)
        return np.asarray(labels[column.values.astype(int)])
    return column.values.astype(object if column.kind == "text" else float)


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


def _sums(columns: dict[str, np.ndarray],
          least: float) -> Iterator[tuple[Relation | None, Suggestion]]:
    """Yield sums; with their relation where it is one of three columns without factors."""
    # Rules hold exactly, and sums of decimals such as 0.1 + 0.2 = 0.3 do not: only whole numbers.
    names = [name for name, values in columns.items()
             if len(values) and np.all(np.abs(values) < 2**31)
             and np.all(values == np.floor(values)) and np.ptp(values) > 0]
    if not names or len(columns[names[0]]) < _LEAST_ROWS:
        return
    matrix = np.column_stack([np.ones(len(columns[names[0]]))] + [columns[n] for n in names])
    whole, rows = matrix.astype(np.int64), len(matrix)
    seen = set()
    for at, factors in _sums_of_samples(matrix, least):
        used = [(i, factor) for i, factor in enumerate(factors) if factor != 0]
        key = at, tuple(used)
        if key in seen or len(used) > _MOST_TERMS or rows < 3 * len(used):
            continue
        seen.add(key)
        holds = 10_000 * whole[:, at] == sum(round(10_000 * f) * whole[:, i] for i, f in used)
        share = float(np.mean(holds))
        if share < least:
            continue
        right = Sum(tuple((_quoted(names[i - 1]), f) for i, f in used if i > 0), float(factors[0]))
        relation = _relation("+", names[at - 1], {names[i - 1]: f for i, f in used if i > 0}) \
            if factors[0] == 0 else None
        if all(factor < 0 for i, factor in used if i > 0):  # shares that add up to a constant
            left = " + ".join([_quoted(names[at - 1])] + [
                f"{'' if f == -1 else _number(-f) + ' * '}{_quoted(names[i - 1])}"
                for i, f in used if i > 0])
            yield relation, Suggestion(f"{left} = {_number(float(factors[0]))}", share, rows)
        else:
            yield relation, Suggestion(f"{_quoted(names[at - 1])} = {right}", share, rows)


def _relation(op: str, whole: str, parts: dict[str, float]) -> Relation | None:
    """Return one form for whole = a + b, a = whole - b and b = whole - a; for products likewise."""
    if len(parts) != 2 or not all(abs(power) == 1 for power in parts.values()):
        return None
    turned = [name for name, power in parts.items() if power == -1]
    if not turned:
        return op, whole, frozenset(parts)
    if len(turned) == 2:
        return None
    return op, next(name for name in parts if name not in turned), frozenset({whole, *turned})


def _listed_once(found: Iterator[tuple[Relation, str, Suggestion]], order: list[str],
                 known: set[Relation | None]) -> list[Suggestion]:
    """Of several forms of a relation, the one with the largest share, about the last column."""
    best: dict[Relation, tuple[tuple[float, int], Suggestion]] = {}
    for relation, column, rule in found:
        rank = rule.share, order.index(column)
        if relation not in known and (relation not in best or rank > best[relation][0]):
            best[relation] = rank, rule
    return [rule for _, rule in best.values()]


def _sums_of_samples(matrix: np.ndarray, least: float) -> Iterator[tuple[int, np.ndarray]]:
    """Yield sums that may hold in all rows, or in so many that a small sample has no exception."""
    if least == 1:
        yield from _dependent(matrix)
        return
    width = matrix.shape[1]
    size = min(len(matrix), 2 * width + 4)
    draw = np.random.default_rng(0)
    # So many samples that one without an exception is missed once in a thousand times.
    good = max(least**size, 1e-3)
    for _ in range(min(_MOST_SAMPLES, math.ceil(math.log(1e-3) / math.log1p(-good)))):
        yield from _dependent(matrix[draw.choice(len(matrix), size, replace=False)])


def _derived(columns: dict[str, np.ndarray], single: set[str],
             least: float) -> Iterator[tuple[Relation, str, Suggestion]]:
    """Yield columns that are made of two others by one operation, to the last digit."""
    usable = {name: values for name, values in columns.items()
              if len(values) >= _LEAST_ROWS and not np.isnan(values).any()
              and len(np.unique(values)) >= _LEAST_VALUES}
    if not usable:
        return
    # So that most pairs are seen at once to give no column: some sample has no exception.
    rows = len(next(iter(usable.values())))
    draw = np.random.default_rng(0)
    samples = [np.arange(_LEAST_ROWS)] if least == 1 else \
        [draw.choice(rows, _FEW_ROWS, replace=False) for _ in range(_SAMPLES)]
    by_sample: dict[tuple[int, bytes], list[str]] = {}
    for (name, values), (at, sample) in itertools.product(usable.items(), enumerate(samples)):
        by_sample.setdefault((at, (values[sample] + 0.0).tobytes()), []).append(name)
    for a, b in itertools.permutations(usable, 2):
        kind = np.float32 if {a, b} <= single else np.float64
        x, y = usable[a].astype(kind), usable[b].astype(kind)
        seen = []
        for at, sample in enumerate(samples):
            for sign, result in _results(x[sample], y[sample], a < b):
                key = at, (result.astype(np.float64) + 0.0).tobytes()
                seen += [(sign, name) for name in by_sample.get(key, [])]
        for sign, name in dict.fromkeys(seen):
            whole = dict(_results(x, y, True)).get(sign)
            if name in (a, b) or (kind == np.float32) != (name in single) or whole is None:
                continue
            share = float(np.mean(whole.astype(np.float64) == usable[name]))
            if share >= least:
                ending = " in float32" if kind == np.float32 else ""
                relation = _relation("+" if sign in "+-" else "*", name,
                                     {a: 1, b: -1 if sign in "-/" else 1})
                assert relation is not None
                yield relation, name, Suggestion(
                    f"column {_quoted(name)} is {_quoted(a)} {sign} {_quoted(b)}{ending}", share,
                    rows)


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
    """Columns that are sums of earlier ones with short coefficients, by least squares.

    A sum is not used in further ones: its terms are, and the coefficients are then unique.
    """
    kept = [0, 1]
    for at in range(2, matrix.shape[1]):
        factors = np.asarray(np.linalg.lstsq(matrix[:, kept], matrix[:, at], rcond=None)[0])
        short = np.asarray(np.round(factors, 4))
        if np.allclose(short, factors, atol=1e-7) and np.count_nonzero(short[1:]) > 0:
            whole = np.zeros(at)
            whole[kept] = short
            yield at, whole
            if np.array_equal(matrix[:, kept] @ short, matrix[:, at]):
                continue
        kept.append(at)


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
