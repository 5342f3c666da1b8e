"""Between what people write in a row and the numbers that a model reads.

A category is its label, or its original value where the data told it, or its code. What comes back
has the form of what was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from boxwood._arguments import too_large
from boxwood._forms import Form
from boxwood._groups import Group
from boxwood._refusals import Refusals
from boxwood._tables import (
    Column,
    as_table,
    columns_of,
    is_number,
    is_row,
    is_table,
    missing,
    module_of,
)
from boxwood._tracing import Mark, mark_name
from boxwood.errors import Error, library
from boxwood.schema import OneHot, Schema, nearest

UNNAMED = ("f", "Column_", "x", "column_", "feature_")


def label_text(value: Any) -> str:
    """Write a category as libraries do.

    Parameters
    ----------
    value : object
        A category.

    Returns
    -------
    str
        Its label.
    """
    return str(value.item() if hasattr(value, "item") else value)


class Columns:
    """The columns of a model: names, codes of categories, and what the data's types were.

    Parameters
    ----------
    names : list of str
        The model's own names.
    schema : Schema
        With one feature for each.
    """

    def __init__(self, names: list[str], schema: Schema) -> None:
        self.names = names
        self.titles = [feature.title or feature.name for feature in schema.features]
        self.kinds = [feature.kind for feature in schema.features]
        self.codes: list[dict[str, int] | None] = [
            {label: code for code, label in enumerate(feature.labels)} if feature.labels else None
            for feature in schema.features]
        self.originals: list[list[Any] | None] = [None] * len(names)
        self.dtypes: list[Any] = [None] * len(names)
        # Of pipelines: where arrays hold categories and no codes, and how missing is written.
        self.written: set[int] = set()
        self.marks: dict[int, Mark] = {}
        # Where a category that is a number is that number, and where the last label is any other.
        self.by_value: set[int] = set()
        self.others: set[int] = set()
        self.disputed: set[int] = set()  # some of several models read the number, some its place
        self.refusals: Refusals | None = None
        self.places = {name: i for i, name in reversed(list(enumerate(self.titles)))}
        self.places.update({name: i for i, name in reversed(list(enumerate(names)))})
        self.unnamed = all(name == f"{start}{i}" for start in [_start(names)]
                           for i, name in enumerate(names))

        self.groups = [self._group(one) for one in schema.one_hot]
        self._group_at = {i: group for group in self.groups for i in group.places}

    def _group(self, known: OneHot) -> Group:
        places = [self.index(name, "schema") for name in known.columns]
        return Group(known.title or self.names[places[0]], places,
                     list(known.labels or [self.titles[i] for i in places]))

    def group_of(self, index: int) -> Group | None:
        """Find the one-hot group of a column.

        Parameters
        ----------
        index : int
            The column.

        Returns
        -------
        Group or None
            None where it is a feature of its own.
        """
        return self._group_at.get(index)

    def shown(self, index: int) -> str:
        """Say what people call a column: its title, or that of its one-hot group.

        Parameters
        ----------
        index : int
            The column.

        Returns
        -------
        str
            The title.
        """
        group = self.group_of(index)
        return self.titles[index] if group is None else group.title

    def places_of(self, name: Any, place: str) -> list[int]:
        """Find the columns of a feature or of a one-hot group.

        Parameters
        ----------
        name : str or int
            A name, a title, or a group's title.
        place : str
            Names the argument in errors.

        Returns
        -------
        list of int
            Their numbers.
        """
        for group in self.groups:
            if name == group.title:
                return list(group.places)
        return [self.index(name, place)]

    def __len__(self) -> int:
        """Count them."""
        return len(self.names)

    def index(self, name: Any, place: str) -> int:
        """Find a column by name or title.

        Parameters
        ----------
        name : str or int
            The name, or the number.
        place : str
            Names the argument in errors.

        Returns
        -------
        int
            Its number.
        """
        if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
            if 0 <= name < len(self):
                return int(name)
            raise Error(place, f"no feature {name}", f"The last one is {len(self) - 1}")
        if name in self.places:
            return self.places[name]
        raise Error(place, f'no feature "{name}"', nearest(str(name), self.names))

    def order(self, given: Sequence[str | None], place: str) -> list[int]:
        """Match the names of a table or a row with the model's.

        Parameters
        ----------
        given : sequence of str or None
            The names that are there.
        place : str
            Names the argument in errors.

        Returns
        -------
        list of int
            For each column of the model its place among those given.
        """
        named = [name for name in given if name is not None]
        if not named or (self.unnamed and not set(self.names) & set(named)
                         and not set(self.titles) <= set(named)):
            if len(given) == len(self):
                return list(range(len(self)))
            raise Error(place, f"{len(given)} columns, the model reads {len(self)}",
                        "Give those that it was trained on, in that order")
        for name, count in Counter(named).items():
            if count > 1 and name in self.places:
                raise Error(place, f'column "{name}" is there {count} times', "Give it once")
        where = {name: i for i, name in enumerate(given)}
        places = [where.get(name, where.get(title))
                  for name, title in zip(self.names, self.titles, strict=True)]
        lost = [name for name, at in zip(self.names, places, strict=True) if at is None]
        if lost:
            others = [name for name in named if name not in self.places]
            raise Error(place, f"the model reads {_listed(lost)}, which "
                               f"{'is' if len(lost) == 1 else 'are'} not there"
                               + (f" ({_listed(others)} it does not know)" if others else ""),
                        nearest(lost[0], named) or "Name the columns as they were in training")
        return [at for at in places if at is not None]

    def encode(self, index: int, value: Any, place: str, *, raw: bool = False) -> float:
        """Turn one value into the number that the model reads.

        Parameters
        ----------
        index : int
            The column.
        value : object
            A number, a label, a category, or something missing.
        place : str
            Names the argument in errors.
        raw : bool
            Numbers are the model's own, as in arrays; otherwise those that are labels count so.

        Returns
        -------
        float
            NaN for missing.
        """
        try:
            return self._encode(index, value, place, raw)
        except OverflowError:
            raise too_large(self._where(index, place)) from None

    def _where(self, index: int, place: str) -> str:
        return f'{place}, column "{self.titles[index]}"'

    def _encode(self, index: int, value: Any, place: str, raw: bool) -> float:
        if missing(value):
            return np.nan
        if raw and index not in self.written and isinstance(
                value, (int, float, np.number, np.bool_)):
            return float(value)
        codes = self.codes[index]
        if codes is not None:
            text = label_text(value)
            if text in codes:
                return float(codes[text])
            # A whole float is how a row of numbers has a category that is a whole number.
            if isinstance(value, (float, np.floating)) and float(value).is_integer():
                if str(int(value)) in codes:
                    return float(codes[str(int(value))])
            if isinstance(value, (int, np.integer)) and f"{int(value)}.0" in codes:
                return float(codes[f"{int(value)}.0"])
            # A truth value is 0 or 1 where the categories are numbers.
            if isinstance(value, (bool, np.bool_)) and str(int(value)) in codes:
                return float(codes[str(int(value))])
            # And the other way round.
            if isinstance(value, (int, float, np.number)) and value in (0, 1) \
                    and str(bool(value)) in codes:
                return float(codes[str(bool(value))])
            # What a model does not tell apart has one label, the last.
            if index in self.others and any(_is_hash(label) for label in codes):
                raise Error(self._where(index, place),
                            f"{value!r} may be one of the categories that the model has as hashes",
                            "Give Explainer the training data, which has their names")
            if index in self.others:
                return float(len(codes) - 1)
        if isinstance(value, (int, float, np.number, np.bool_)) and (
                codes is None or _is_code(value, codes)):
            return float(value)
        if codes is None:
            raise Error(self._where(index, place), f"{value!r} is not a number",
                        "Give the number, not its text" if is_number(value) else
                        "Give the schema labels, or Explainer the training data")
        raise Error(self._where(index, place), f"no category {value!r}",
                    nearest(label_text(value), list(codes)))

    def point(self, row: Any, place: str = "x") -> np.ndarray:
        """Turn a row into a point of the model's.

        Parameters
        ----------
        row : Series, mapping, one-row table or 1-D array
            The row.
        place : str
            Names the argument in errors.

        Returns
        -------
        ndarray
            One number for each column.
        """
        if is_table(row) or (isinstance(row, np.ndarray) and row.ndim == 2):
            points = self.points(row, place)
            if len(points) != 1:
                raise Error(place, f"it has {len(points)} rows", "Give one, or use explain_batch")
            return points[0]
        if not is_row(row) and (isinstance(row, str) or not isinstance(row, Iterable)):
            raise Error(place, f"{row!r} is not a row",
                        "Give a Series, a mapping, a one-row table or a 1-D array")
        values, order = self._values_in(row, place)
        for i in self.marks:
            # In a column that holds no objects every missing value is the same.
            plain = getattr(self.dtypes[i], "kind", "O") != "O" and missing(values[order[i]])
            self._refuse_marks(i, [np.nan if plain else values[order[i]]], place)
        raw = not is_row(row)
        point = np.array([self.encode(i, values[at], place, raw=raw) for i, at in enumerate(order)])
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
        given = list(row if isinstance(row, Mapping) else row.index)
        names: list[str | None] = [str(name) for name in given]
        # A series counts its values where it has no names; the model's may be numbers, though.
        if not isinstance(row, Mapping) and not set(self.names) <= set(names) and all(
                isinstance(name, (int, np.integer)) for name in given):
            return [None] * len(given)
        return names

    def _refuse_marks(self, index: int, values: Iterable[Any], place: str) -> None:
        mark = self.marks[index]
        for value in values:
            if missing(value) and mark_name(value) in mark.others:
                own = mark_name(mark.value)
                raise Error(self._where(index, place),
                            f"{mark_name(value)} is something else than {own} to this pipeline",
                            f"Write {own} for missing")

    def points(self, table: Any, place: str = "data") -> np.ndarray:
        """Turn a table into points of the model's.

        Parameters
        ----------
        table : DataFrame, Arrow table or 2-D array
            The table.
        place : str
            Names the argument in errors.

        Returns
        -------
        ndarray
            One row for each of its rows.
        """
        columns = columns_of(table, place)
        order = self.order([column.name for column in columns], place)
        count = len(columns[0].values) if columns else 0
        points = np.empty((count, len(self)))
        for i in self.marks:
            if module_of(table) == "pandas":
                given = table.iloc[:, order[i]]
                # Steps get what pandas' own types of numbers leave out as NaN.
                self._refuse_marks(i, given.array if given.dtype.kind == "O" else
                                   [np.nan] * bool(given.isna().any()), place)
            elif isinstance(table, np.ndarray):
                self._refuse_marks(i, table[:, order[i]], place)
        for i, at in enumerate(order):
            points[:, i] = self.numbers(i, columns[at], place)
        if self.refusals is not None:
            self.refusals.check(points, place)
        return points

    def numbers(self, index: int, column: Column, place: str) -> np.ndarray:
        """Turn one column into numbers.

        Parameters
        ----------
        index : int
            Which of the model's.
        column : Column
            What is given.
        place : str
            Names the argument in errors.

        Returns
        -------
        ndarray
            NaN for missing.
        """
        if column.kind == "category":
            # Only those that some row has: others may be unknown.
            categories = column.categories or []
            table = np.full(len(categories) + 1, np.nan)
            for code in np.unique(column.values[column.values >= 0]):
                table[code] = self._category(index, int(code), categories[code], place)
            return table[column.values]
        if column.kind == "text" or index in self.written or (
                self.codes[index] is not None and column.name is not None):
            known: dict[Any, float] = {}
            return np.array([known[value] if value in known
                             else known.setdefault(value, self.encode(index, value, place))
                             for value in column.values.tolist()])
        return column.values

    def _category(self, index: int, position: int, value: Any, place: str) -> float:
        if index in self.disputed and is_number(value):
            raise Error(self._where(index, place),
                        "some of the models read its categories as numbers, others as places",
                        "Ask the models one by one, or make numbers of the column")
        if self.codes[index] is not None:
            return self.encode(index, value, place)
        # Without labels in model and schema: its number where the model reads numbers, otherwise
        # its position.
        if index not in self.by_value:
            return float(position)
        if not is_number(value):
            raise Error(self._where(index, place), f"{value!r} is not a number",
                        "Give the categories that the model was trained on")
        return float(value)

    def decode(self, index: int, number: float) -> Any:
        """Turn a number of the model's back into what people write.

        Parameters
        ----------
        index : int
            The column.
        number : float
            The value.

        Returns
        -------
        object
            A label, a category of the data's, a whole number, or the number.
        """
        if np.isnan(number):
            return self.marks[index].value if index in self.marks else np.nan
        if self.kinds[index] == "continuous" or not float(number).is_integer():
            return float(number)
        code = int(number)
        originals = self.originals[index]
        if originals is not None:
            return originals[code] if 0 <= code < len(originals) else code
        labels = self.codes[index]
        if labels is not None and 0 <= code < len(labels):
            return list(labels)[code]
        return code

    def form(self, given: Any, point: np.ndarray | None = None) -> Form:
        """See which form a row or a table has.

        Parameters
        ----------
        given : object
            What was given.
        point : ndarray, optional
            What was made of it, where it is a row.

        Returns
        -------
        Form
            Of its points.
        """
        form = self._form(given)
        return form if point is None else form._replace(strangers=self.strangers(given, point))

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
        return Form("array", self.names)

    def _called(self, given: list[Any], names: list[str | None] | None = None) -> list[Any]:
        # The row's own names for the model's columns.
        order = self.order([str(name) for name in given] if names is None else names, "x")
        return [given[at] for at in order]

    def strangers(self, given: Any, point: np.ndarray, row: int = 0) -> dict[int, Any]:
        """Find the categories of a row that no model knows.

        Parameters
        ----------
        given : object
            The row, or a table.
        point : ndarray
            What was made of the row.
        row : int
            Which row of a table.

        Returns
        -------
        dict
            By column the value that was given.
        """
        places = [i for i in self.others if self._is_other(i, point[i])]
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

    def _is_other(self, index: int, number: float) -> bool:
        codes = self.codes[index]
        return codes is not None and number == len(codes) - 1

    def value(self, index: int, number: float, strangers: Mapping[int, Any]) -> Any:
        """Turn a number back into what people write, or wrote.

        Parameters
        ----------
        index : int
            The column.
        number : float
            The value.
        strangers : mapping
            Categories of the row that no model knows.

        Returns
        -------
        object
            As `decode` says; what was given where it is a category that no model knows.
        """
        if index in strangers and self._is_other(index, number):
            return strangers[index]
        return self.decode(index, number)

    def like(self, form: Form, point: np.ndarray) -> Any:
        """Give a point a form.

        Parameters
        ----------
        form : Form
            The form.
        point : ndarray
            The point.

        Returns
        -------
        Series, dict or ndarray
            With labels and categories in place of their codes, unless it is an array.
        """
        if form.kind == "array" and not self.written:
            return point.copy()
        values = [self.value(i, number, form.strangers) for i, number in enumerate(point)]
        if form.kind == "array":
            plain = all(isinstance(value, (int, float)) for value in values)
            return np.array(values, dtype=np.float64 if plain else object)
        if form.kind == "dict":
            return dict(zip(form.names, values, strict=True))
        pandas = library("pandas")

        series = pandas.Series(values, index=form.names, name=form.label, dtype=object)
        # pandas would make NaN of None, which counts only where it is the column's own mark.
        return series if any(value is None for value in values) else series.infer_objects()


def _start(names: list[str]) -> str:
    first = names[0] if names else ""
    return next((start for start in UNNAMED if first == f"{start}0"), "\0")


def _listed(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _is_hash(label: str) -> bool:
    return label.startswith("#") and label[1:].isdigit()


def _is_code(value: Any, codes: Mapping[str, int]) -> bool:
    """Whether a number stands for one of the labels: never where the labels are numbers."""
    return not any(is_number(label) for label in codes) and (
        float(value).is_integer() and 0 <= value < len(codes))
