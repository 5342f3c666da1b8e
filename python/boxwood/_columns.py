"""Converts rows and tables to points of a model, and points back to the form of the rows.

The codec of each column (`_codec`) converts its values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from boxwood._codec import Codec
from boxwood._core import unify_missing
from boxwood._forms import Form
from boxwood._formulas import ColumnFormula
from boxwood._groups import NONE, Group
from boxwood._refusals import Refusals
from boxwood._tables import (
    as_table,
    columns_of,
    is_row,
    is_table,
    missing,
    module_of,
)
from boxwood.errors import Error, library
from boxwood.schema import OneHot, meant, nearest

UNNAMED = ("f", "Column_", "x", "column_", "feature_")


class Columns:
    """The columns of a model: a codec for each, and their one-hot groups. It never changes.

    Parameters
    ----------
    codecs : sequence of Codec
        One for each column of the model, in its order.
    groups : sequence of OneHot
        One-hot groups of the schema.
    refusals : Refusals, optional
        What the models say of missing values.
    called : sequence of str, optional
        The names of the data's columns, in the model's order. They differ from the model's where it
        was fitted without names, and where LightGBM has replaced spaces.
    formulas : sequence, optional
        Of the last columns, which a pipeline calculates from the others: rows do not have them.
    """

    def __init__(self, codecs: Sequence[Codec], groups: Sequence[OneHot] = (),
                 refusals: Refusals | None = None, called: Sequence[str] | None = None,
                 formulas: Sequence[ColumnFormula] = ()) -> None:
        self.codecs = tuple(codecs)
        self.formulas = tuple(formulas)
        self.given = len(self.codecs) - len(self.formulas)
        self.names = [codec.name for codec in codecs]
        self.called = self.names if called is None else list(called)
        self.titles = [codec.title for codec in codecs]
        self.refusals = refusals
        self.places = {name: i for i, name in reversed(list(enumerate(self.titles)))}
        for names in (self.called, self.names):
            self.places.update({name: i for i, name in reversed(list(enumerate(names)))})
        start = _start(self.names)
        self.unnamed = all(name == f"{start}{i}" for i, name in enumerate(self.names))
        self.groups = [self._group(one) for one in groups]
        self._group_at = {i: group for group in self.groups for i in group.places}
        # Whether an array of floating-point numbers can be used as a point without conversion.
        self._plain = not self.formulas and not any(
            codec.written or codec.float32_only or codec.mark is not None for codec in codecs)
        self._array_form = Form("array", self.names[:self.given])
        self._with_others = [i for i, codec in enumerate(codecs) if codec.others]
        # Consecutive rows usually have the same names, so the last order is kept.
        self._last_order: tuple[list[str | None], list[int]] = [], []
        self._last_index: tuple[Any, list[str | None]] = None, []

    def _group(self, known: OneHot) -> Group:
        places = [self.index(name, "schema") for name in known.columns]
        labels = list(known.labels or [self.titles[i] for i in places])
        if len(labels) == len(places):
            labels.append(NONE)
        return Group(known.title or self.names[places[0]], places, labels)

    def group_of(self, index: int) -> Group | None:
        """Find the one-hot group of a column.

        None if the column is in no group.
        """
        return self._group_at.get(index)

    def shown(self, index: int) -> str:
        """Return the title of a column, or of its one-hot group."""
        group = self.group_of(index)
        return self.titles[index] if group is None else group.title

    def places_of(self, name: Any, place: str) -> list[int]:
        """Find the columns of a feature or of a one-hot group."""
        for group in self.groups:
            if name == group.title:
                return list(group.places)
        return [self.index(name, place)]

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: Any, place: str) -> int:
        """Find a column by name or title."""
        if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
            if 0 <= name < len(self):
                return int(name)
            raise Error(place, f"no feature {name}", f"The model has features 0 to {len(self) - 1}")
        if name in self.places:
            return self.places[name]
        for group in self.groups:
            if name == group.title:
                shown = ", ".join(self.names[i] for i in group.places[:5])
                raise Error(place, f'"{name}" is a group of one-hot columns',
                            f"Name one of its columns here: {shown}"
                            + (", …" if len(group.places) > 5 else ""))
        known = list(dict.fromkeys([*self.names, *self.titles, *(g.title for g in self.groups)]))
        raise Error(place, f'no feature "{name}"', nearest(str(name), known))

    def order(self, given: Sequence[str | None], place: str) -> list[int]:
        """Match the names of a table or a row with the model's.

        Returns, for each column of the model, its position among the given names.
        """
        known, order = self._last_order
        if given and given == known:
            return order
        order = self._found_order(given, place)
        self._last_order = list(given), order
        return order

    def _found_order(self, given: Sequence[str | None], place: str) -> list[int]:
        named = [name for name in given if name is not None]
        if not named or (self.unnamed and not set(self.names) & set(named)
                         and not set(self.titles) <= set(named)):
            if len(given) == self.given:
                return list(range(self.given))
            raise Error(place, f"{len(given)} columns, but the model reads {self.given}",
                        "Give the columns of the training data, in the same order")
        for name, count in Counter(named).items():
            if count > 1 and name in self.places:
                raise Error(place, f'column "{name}" occurs {count} times',
                            "Remove the duplicates")
        # LightGBM writes the spaces in names as underscores.
        where = {str(name).replace(" ", "_"): i for i, name in enumerate(given)}
        where |= {name: i for i, name in enumerate(given) if name is not None}
        places = [where.get(name, where.get(called, where.get(title)))
                  for name, called, title in zip(self.names[:self.given],
                                                 self.called[:self.given],
                                                 self.titles[:self.given], strict=True)]
        lost = [name for name, at in zip(self.names, places, strict=False) if at is None]
        if lost:
            others = [name for name in named if where[name] not in places]
            raise Error(place, f"the model reads {_listed(lost)}, which "
                               f"{'is' if len(lost) == 1 else 'are'} not given"
                               + (f" (not in the model: {_listed(others)})" if others else ""),
                        meant(lost[0], others) or "Name the columns as they were in training")
        return [at for at in places if at is not None]

    def order_of_table(self, given: Sequence[str | None], place: str) -> list[int]:
        """Match the names of a table's columns with the model's; see `order`.

        A model that was fitted without names calls its columns f0, f1 and so on. Its library reads
        a table with these names in another order by position, or refuses it.
        """
        invented = [f"f{i}" for i in range(len(self))]
        if self.names == invented and list(given) != invented and set(given) == set(invented):
            raise Error(place, "the columns are called f0, f1 and so on, as those of a model that "
                        "was fitted without names, but in another order",
                        "Rename them, or order them")
        return self.order(given, place)

    def encode(self, index: int, value: Any, place: str, *, raw: bool = False) -> float:
        """Turn one value into the number that the model reads; see `Codec.encode`."""
        return self.codecs[index].encode(value, place, raw=raw)

    def point(self, row: Any, place: str = "x") -> np.ndarray:
        """Turn a row into a point: one number for each column of the model."""
        if self._plain and type(row) is np.ndarray and row.dtype.char in "fd" \
                and row.shape == (len(self.names),):
            point = row.astype(np.float64)
            unify_missing(point)  # whatever the bits of a NaN were
            if self.refusals is not None:
                self.refusals.check(point[np.newaxis], place)
            return point
        if is_table(row) or (isinstance(row, np.ndarray) and row.ndim == 2):
            points = self.points(row, place)
            if len(points) != 1:
                raise Error(place, f"expected one row, found {len(points)}",
                            "Give one row, or use explain_batch")
            return points[0]
        if not is_row(row) and (isinstance(row, str) or not isinstance(row, Iterable)):
            kind = f"of type {type(row).__name__}, not" if "boxwood" in type(row).__module__ else \
                f"{row!r}, which is not"
            raise Error(place, f"it is {kind} a row",
                        "Give a Series, a mapping, a one-row table or a 1-D array")
        values, order = self._values_in(row, place)
        for codec, at in zip(self.codecs, order, strict=False):
            if codec.mark is None:
                continue
            # Only columns of objects distinguish kinds of missing values.
            plain = getattr(codec.dtype, "kind", "O") != "O" and missing(values[at])
            codec.check_marks([np.nan if plain else values[at]], place)
        raw = not is_row(row)
        point = self._calculated(np.array([
            [codec.encode(values[at], place, raw=raw)
             for codec, at in zip(self.codecs, order, strict=False)]]))[0]
        if self.refusals is not None:
            self.refusals.check(point[np.newaxis], place)
        return point

    def _values_in(self, row: Any, place: str) -> tuple[list[Any], list[int]]:
        # The values of a row, and where those of the model's columns are among them.
        if not is_row(row):
            values = list(row)
            return values, self.order([None] * len(values), place)
        return (list(row.values() if isinstance(row, Mapping) else row.array),
                self.order(self._names_in(row), place))

    def _names_in(self, row: Any) -> list[str | None]:
        if isinstance(row, Mapping):
            return [str(name) for name in row]
        index, names = self._last_index
        if row.index is not index:  # an index never changes
            names = self._names_of(list(row.index))
            self._last_index = row.index, names
        return names

    def _names_of(self, given: list[Any]) -> list[str | None]:
        names: list[str | None] = [str(name) for name in given]
        # A series without names has numbers as its index. The model's names may be numbers too.
        if not set(self.names) <= set(names) and all(
                isinstance(name, (int, np.integer)) for name in given):
            return [None] * len(given)
        return names

    def points(self, table: Any, place: str = "data") -> np.ndarray:
        """Turn a table into points, one for each row."""
        columns = columns_of(table, place)
        order = self.order_of_table([column.name for column in columns], place)
        count = len(columns[0].values) if columns else 0
        points = np.empty((count, self.given))
        for i, (codec, at) in enumerate(zip(self.codecs, order, strict=False)):
            if codec.mark is not None and module_of(table) == "pandas":
                given = table.iloc[:, at]
                # Steps get what pandas' own types of numbers leave out as NaN.
                codec.check_marks(given.array if given.dtype.kind == "O" else
                                  [np.nan] * bool(given.isna().any()), place)
            elif codec.mark is not None and isinstance(table, np.ndarray):
                codec.check_marks(table[:, at], place)
            points[:, i] = codec.numbers(columns[at], place)
        points = self._calculated(points)
        if self.refusals is not None:
            self.refusals.check(points, place)
        return points

    def _calculated(self, points: np.ndarray) -> np.ndarray:
        """Add the columns that a pipeline calculates."""
        if not self.formulas:
            return points
        return np.column_stack([points, *(one.values(points) for one in self.formulas)])

    def decode(self, index: int, number: float) -> Any:
        """Turn a number that the model reads back into a value; see `Codec.decode`."""
        return self.codecs[index].decode(number)

    def form(self, given: Any, point: np.ndarray | None = None) -> Form:
        """Return the form of a row or a table; `point` is the point of a row."""
        if type(given) is np.ndarray and not self._with_others:
            return self._array_form
        form = self._form(given)
        strangers = {} if point is None else self.strangers(given, point)
        return form._replace(strangers=strangers) if strangers else form

    def _form(self, given: Any) -> Form:
        if is_table(given):
            if module_of(given) != "pandas":
                names = given.schema.names if module_of(given) == "pyarrow" else given.columns
                return Form("dict", self._called(list(names)))
            return Form("series", self._called(list(given.columns)),
                        given.index[0] if len(given) else None)
        if isinstance(given, Mapping):
            return Form("dict", self._called(list(given), self._names_in(given)))
        if is_row(given):
            return Form("series", self._called(list(given.index), self._names_in(given)),
                        given.name)
        return self._array_form

    def _called(self, given: list[Any], names: list[str | None] | None = None) -> list[Any]:
        # The names that the row has for the model's columns.
        order = self.order([str(name) for name in given] if names is None else names, "x")
        return [given[at] for at in order]

    def strangers(self, given: Any, point: np.ndarray, row: int = 0) -> dict[int, Any]:
        """Find the categories of a row that no model knows.

        `point` is the point of the row, `row` its number in a table. Returns the given values by
        column.
        """
        places = [i for i in self._with_others if self.codecs[i].is_other(point[i])]
        if not places:
            return {}
        if not is_table(given) and np.ndim(given) != 2:
            values, order = self._values_in(given, "x")
        else:
            table = as_table(given)
            pandas = module_of(table) == "pandas"
            values = list(table.iloc[row].array if pandas else table[row]) \
                if pandas or isinstance(table, np.ndarray) else \
                [table.column(i)[row].as_py() for i in range(table.num_columns)]
            order = self.order([column.name for column in columns_of(table[:0])], "x")
        return {i: values[order[i]] for i in places}

    def value(self, index: int, number: float, strangers: Mapping[int, Any]) -> Any:
        """Turn a number back into a value; see `Codec.value`."""
        return self.codecs[index].value(number, strangers, index)

    def like(self, form: Form, point: np.ndarray) -> Any:
        """Convert a point to a form; except in arrays, codes become labels and categories."""
        point = point[:self.given]
        if form.kind == "array" and not any(codec.written for codec in self.codecs):
            return point.copy()
        values = [self.value(i, number, form.strangers) for i, number in enumerate(point)]
        if form.kind == "array":
            plain = all(isinstance(value, (int, float)) for value in values)
            return np.array(values, dtype=np.float64 if plain else object)
        if form.kind == "dict":
            return dict(zip(form.names, values, strict=True))
        pandas = library("pandas")

        series = pandas.Series(values, index=form.names, name=form.label, dtype=object)
        # pandas would turn None into NaN; None is only here if it is the column's mark.
        return series if any(value is None for value in values) else series.infer_objects()


def _start(names: list[str]) -> str:
    first = names[0] if names else ""
    return next((start for start in UNNAMED if first == f"{start}0"), "\0")


def _listed(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
