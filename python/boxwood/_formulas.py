"""Formulas of several columns that a FunctionTransformer computes: ratios, sums, differences.

A function is called with a table that only writes down what is done to its columns. Whatever it
does besides arithmetic is refused, so the formula is what the function computes. Its results are
also compared with the formula, on the data and on odd numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxwood._functions import KNOWN, Function
from boxwood.sums import _number, _quoted

LARGEST = float(np.finfo(np.float64).max)
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "min": np.minimum,
    "max": np.maximum}
UFUNCS = {call: sign for sign, call in SIGNS.items()} | {np.true_divide: "/"}
_RANKS = {"+": 1, "-": 1, "*": 2, "/": 2}


class UntraceableError(Exception):
    """A function does something besides arithmetic of columns."""


@dataclass(frozen=True)
class Node:
    """A column, a number, or an operation of two nodes.

    Parameters
    ----------
    sign : str
        "column", "number" or one of `SIGNS`.
    column : int
        Of a column its place among the raw columns.
    number : float
        Of a number its value.
    parts : tuple of Node
        What an operation is about.
    """

    sign: str
    column: int = -1
    number: float = 0.0
    parts: tuple[Node, ...] = ()

    def columns(self) -> list[int]:
        """Return the raw columns that occur, in their order."""
        if self.sign == "column":
            return [self.column]
        return list(dict.fromkeys(c for part in self.parts for c in part.columns()))

    def text(self, names: Sequence[str]) -> str:
        """Write the formula in query text."""
        if self.sign == "column":
            return _quoted(names[self.column])
        if self.sign == "number":
            return f"{'-' if self.number < 0 else ''}{_number(abs(self.number))}"
        left, right = self.parts
        if self.sign in ("min", "max"):
            return f"{self.sign}({left.text(names)}, {right.text(names)})"
        rank = _RANKS[self.sign]
        texts = [f"({part.text(names)})" if _RANKS.get(part.sign, 3) < rank + at else
                 part.text(names) for at, part in enumerate(self.parts)]
        return f"{texts[0]} {self.sign} {texts[1]}"

    def values(self, of: Callable[[int], np.ndarray], kind: Any) -> np.ndarray:
        """Calculate the formula in numbers of a type."""
        if self.sign == "column":
            return np.asarray(of(self.column), dtype=kind)
        if self.sign == "number":
            return np.asarray(kind(self.number))
        with np.errstate(all="ignore"):
            return np.asarray(SIGNS[self.sign](*(part.values(of, kind) for part in self.parts)))

    def same_as(self, column: int, others: dict[int, float]) -> bool:
        """Whether the formula gives a column's number unchanged where the others are these."""
        return self._reduced(column, others) == "x"

    def _reduced(self, column: int, others: dict[int, float]) -> Any:
        # "x" for the number of the column, or a number; None for anything else.
        if self.sign == "column":
            return "x" if self.column == column else others[self.column]
        if self.sign == "number":
            return self.number
        left, right = (part._reduced(column, others) for part in self.parts)
        if left is None or right is None or left == right == "x":
            return None
        if "x" not in (left, right):
            with np.errstate(all="ignore"):
                made = float(SIGNS[self.sign](left, right))
            return made if np.isfinite(made) else None
        neutral = {"+": 0.0, "-": 0.0, "*": 1.0, "/": 1.0, "min": LARGEST, "max": -LARGEST}
        if left == "x":
            return "x" if right == neutral[self.sign] else None
        return "x" if left == neutral[self.sign] and self.sign not in ("-", "/") else None


@dataclass(frozen=True)
class Formula:
    """A column that a pipeline calculates from several raw columns.

    Parameters
    ----------
    name : str
        What it is called: the formula as text.
    node : Node
        What it calculates.
    column : int
        The raw column whose number the formula gives unchanged if the others have the values of
        `others`: so splits behind it are found.
    others : dict
        By raw column its number.
    single : bool
        It is calculated in float32.
    """

    name: str
    node: Node
    column: int
    others: dict[int, float] = field(hash=False)
    single: bool = False

    def rule(self, names: Sequence[str]) -> str:
        """Write the statement that the column follows from the others."""
        ending = " in float32" if self.single else ""
        return f"column {_quoted(self.name)} is {self.node.text(names)}{ending}"

    def values(self, of: Callable[[int], np.ndarray]) -> np.ndarray:
        """Calculate it from the numbers of raw columns; the result is doubles."""
        made = self.node.values(of, np.float32 if self.single else np.float64)
        return made.astype(np.float64)


@dataclass(frozen=True)
class ColumnFormula:
    """A formula, and where its columns are among those of a model.

    Parameters
    ----------
    formula : Formula
        What the column follows from.
    names : sequence of str
        The names of the raw columns of the pipeline.
    places : mapping
        By raw column the number of the model's column.
    """

    formula: Formula
    names: Sequence[str]
    places: dict[int, int]

    def rule(self) -> str:
        """Write the statement that the column follows from the others."""
        return self.formula.rule(self.names)

    def values(self, points: np.ndarray) -> np.ndarray:
        """Calculate the column of points."""
        return self.formula.values(lambda raw: points[:, self.places[raw]])


def found_formula(node: Node, names: Sequence[str]) -> Formula | None:
    """Make a formula of a traced expression; None if no column's number comes through unchanged."""
    columns = node.columns()
    for column in columns:
        rest = [one for one in columns if one != column]
        for numbers in itertools.product((1.0, 0.0, LARGEST, -LARGEST), repeat=len(rest)):
            others = dict(zip(rest, numbers, strict=True))
            if node.same_as(column, others):
                return Formula(node.text(names), node, column, others)
    return None


@dataclass(frozen=True)
class Made:
    """What a function makes of a table: a column for each output.

    Parameters
    ----------
    node : Node
        The formula of the column.
    functions : tuple of Function
        Known functions that are applied to its result.
    """

    node: Node
    functions: tuple[Function, ...] = ()


def traced(call: Callable[[Any], Any], columns: Sequence[int],
           names: Sequence[str] | None) -> list[Made]:
    """Find what a function calculates from the columns of a table.

    Parameters
    ----------
    call : callable
        The function.
    columns : sequence of int
        The raw columns of the table.
    names : sequence of str, optional
        Their names, if the function gets a frame; otherwise it gets an array.

    Returns
    -------
    list of Made
        One for each output.

    Raises
    ------
    UntraceableError
        If it does anything else.
    """
    cells = tuple(Made(Node("column", column)) for column in columns)
    try:
        made = call(Table(cells, None if names is None else tuple(names)))
    except UntraceableError:
        raise
    except Exception as error:  # it asks for what the table does not have
        raise UntraceableError(str(error)) from error
    if not isinstance(made, Table) or made.flat:
        raise UntraceableError("it returns no table")
    return list(made.cells)


class Table:
    """A frame, a series or an array that writes down what is calculated from its columns."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, cells: tuple[Made, ...], names: tuple[str, ...] | None,
                 flat: bool = False) -> None:
        self.cells, self.names, self.flat = cells, names, flat

    def __getattr__(self, name: str) -> Any:
        """Find a column of a frame; nothing else is known."""
        if not name.startswith("_") and self.names and not self.flat and name in self.names:
            return self[name]
        raise UntraceableError(f"it uses {name}")

    @property
    def values(self) -> Table:
        return Table(self.cells, None, self.flat)

    def to_numpy(self) -> Table:
        return self.values

    def copy(self) -> Table:
        return Table(self.cells, self.names, self.flat)

    def to_frame(self, name: str = "0") -> Table:
        return Table(self.cells, (name,))

    def reshape(self, *shape: Any) -> Table:
        if shape in ((-1, 1), ((-1, 1),)) and len(self.cells) == 1 and self.names is None:
            return Table(self.cells, None)
        raise UntraceableError("it changes the shape")

    @property
    def iloc(self) -> _ByPlace:
        return _ByPlace(self)

    def at_place(self, key: Any) -> Table:
        """Return columns by their places."""
        if self.flat or not isinstance(key, tuple) or len(key) != 2 or key[0] != slice(None):
            raise UntraceableError("it chooses rows")
        if isinstance(key[1], (int, np.integer)):
            return Table((self.cells[key[1]],), None if self.names is None else
                         (self.names[key[1]],), True)
        places = list(range(len(self.cells)))[key[1]] if isinstance(key[1], slice) else key[1]
        if not all(isinstance(at, (int, np.integer)) and not isinstance(at, bool)
                   for at in places):
            raise UntraceableError("it chooses columns by something else than places")
        return Table(tuple(self.cells[at] for at in places),
                     None if self.names is None else tuple(self.names[at] for at in places))

    def __getitem__(self, key: Any) -> Table:
        if self.names is None:
            return self.at_place(key)
        if self.flat:
            raise UntraceableError("it chooses rows")
        if isinstance(key, str):
            return Table((self.cells[self.names.index(key)],), (key,), True)
        if isinstance(key, list) and all(isinstance(one, str) for one in key):
            return Table(tuple(self.cells[self.names.index(one)] for one in key), tuple(key))
        raise UntraceableError("it chooses rows")

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.names is None or self.flat or not isinstance(key, str) \
                or not isinstance(value, Table) or len(value.cells) != 1:
            raise UntraceableError("it writes into the table")
        if key in self.names:
            at = self.names.index(key)
            self.cells = (*self.cells[:at], *value.cells, *self.cells[at + 1:])
        else:
            self.cells, self.names = self.cells + value.cells, (*self.names, key)

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        """Write down an operation."""
        if method != "__call__" or more:
            raise UntraceableError(f"it calls {ufunc.__name__} with options")
        if len(given) == 1 and ufunc in KNOWN:
            return Table(tuple(Made(one.node, (*one.functions, KNOWN[ufunc]))
                               for one in self.cells), self.names, self.flat)
        if ufunc is np.negative:
            return self * -1
        if len(given) == 2 and ufunc in UFUNCS:
            return _joined(UFUNCS[ufunc], given[0], given[1])
        raise UntraceableError(f"it calls {ufunc.__name__}")

    def __array_function__(self, call: Any, types: Any, given: Any, more: Any) -> Any:
        """Put tables side by side."""
        parts = list(given[0]) if given and isinstance(given[0], (list, tuple)) else []
        beside = call in (np.column_stack, np.hstack) or (
            call is np.concatenate and (more.get("axis") == 1 or tuple(given[1:]) == (1,)))
        if not beside or not parts or not all(isinstance(one, Table) for one in parts):
            raise UntraceableError(f"it calls {call.__name__}")
        if call is not np.column_stack and any(one.flat for one in parts):
            raise UntraceableError("it puts series one below the other")
        return Table(tuple(cell for one in parts for cell in one.cells), None)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise UntraceableError("it converts the table")

    def __bool__(self) -> bool:
        raise UntraceableError("it decides by the values")

    def __len__(self) -> int:
        raise UntraceableError("it asks for the number of rows")

    def __iter__(self) -> Any:
        raise UntraceableError("it goes through the table")

    def __add__(self, other: Any) -> Table:
        return _joined("+", self, other)

    def __radd__(self, other: Any) -> Table:
        return _joined("+", other, self)

    def __sub__(self, other: Any) -> Table:
        return _joined("-", self, other)

    def __rsub__(self, other: Any) -> Table:
        return _joined("-", other, self)

    def __mul__(self, other: Any) -> Table:
        return _joined("*", self, other)

    def __rmul__(self, other: Any) -> Table:
        return _joined("*", other, self)

    def __truediv__(self, other: Any) -> Table:
        return _joined("/", self, other)

    def __rtruediv__(self, other: Any) -> Table:
        return _joined("/", other, self)

    def __neg__(self) -> Table:
        return self * -1

    def _refused(self, *_: Any) -> Any:
        raise UntraceableError("it decides by the values")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refused  # type: ignore[assignment]


class _ByPlace:
    def __init__(self, table: Table) -> None:
        self._table = table

    def __getitem__(self, key: Any) -> Table:
        return self._table.at_place(key)


def _joined(sign: str, left: Any, right: Any) -> Table:
    for one in (left, right):
        if not isinstance(one, (Table, int, float, np.integer, np.floating)) or (
                not isinstance(one, Table) and not np.isfinite(one)):
            raise UntraceableError(f"it calculates with {type(one).__name__}")
    tables = [one for one in (left, right) if isinstance(one, Table)]
    first = tables[0]
    wide = max(len(one.cells) for one in tables)
    # Series with series, tables of as many columns, frames of the same names: all else is broadcast
    # or aligned by rules of its own.
    if any(one.flat != first.flat or len(one.cells) not in (1, wide) for one in tables) or (
            first.names is None) != (tables[-1].names is None) or (
            not first.flat and first.names != tables[-1].names):
        raise UntraceableError("it calculates with tables of different shapes")

    def node(one: Any, at: int) -> Node:
        if not isinstance(one, Table):
            return Node("number", number=float(one))
        cell = one.cells[at if len(one.cells) > 1 else 0]
        if cell.functions:
            raise UntraceableError("it calculates with results of functions")
        return cell.node

    return Table(tuple(Made(Node(sign, parts=(node(left, at), node(right, at))))
                       for at in range(wide)), first.names, first.flat)
