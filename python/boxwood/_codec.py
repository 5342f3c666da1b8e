"""Translates the values of one column to the numbers that the model reads, and back.

A category is written as its label, as its original value where the data has one, or as its code. A
codec is built once from model, schema and data, and never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boxwood._arguments import too_large
from boxwood._tables import Column, is_number, missing
from boxwood._tracing import Mark, mark_name
from boxwood.errors import Error
from boxwood.schema import nearest


def label_text(value: Any) -> str:
    """Return the label that libraries give to a category."""
    return str(value.item() if hasattr(value, "item") else value)


@dataclass(frozen=True)
class Codec:
    """How the values of one column become numbers, and numbers become values.

    Parameters
    ----------
    name : str
        The name in the model.
    title : str
        The name shown to people.
    kind : str
        The kind in the schema.
    labels : tuple of str
        The labels of codes 0, 1, …; empty for numbers.
    originals : tuple or None
        The values in the data that the codes stand for.
    others : bool
        The last label stands for every category that has no label of its own.
    hashed : bool
        The model has only hashes of some categories, and their names are unknown.
    written : bool
        Arrays hold the categories themselves, not their codes, as rows of a pipeline do.
    by_value : bool
        A category that is a number is read as that number, not as its position.
    disputed : bool
        Some of several models read the number, others the position.
    mark : Mark, optional
        How a missing value is written, where it matters.
    dtype : object
        The type of the data's column.
    digits : int, optional
        Digits after the decimal point of the column's values, where known from data or schema.
    float32_only : bool
        The model reads other numbers, but is asked as if it read float32 (`Known.single`), and the
        column's own type is another one.
    """

    name: str
    title: str
    kind: str | None = None
    labels: tuple[str, ...] = ()
    originals: tuple[Any, ...] | None = None
    others: bool = False
    hashed: bool = False
    written: bool = False
    by_value: bool = False
    disputed: bool = False
    mark: Mark | None = None
    dtype: Any = None
    digits: int | None = None
    float32_only: bool = False

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The code of each label, and of an empty text, whose label is a word."""
        found = {label: code for code, label in enumerate(self.labels)}
        if "" in (self.originals or ()):
            found.setdefault("", (self.originals or ()).index(""))
        return found

    @cached_property
    def takes_numbers(self) -> bool:
        """Whether every number is read as it is."""
        return not self.labels and not self.float32_only

    def where(self, place: str) -> str:
        """Name the column within an argument, for errors."""
        return f'{place}, column "{self.title}"'

    def encode(self, value: Any, place: str, *, raw: bool = False) -> float:
        """Turn one value into the number that the model reads.

        A missing value becomes NaN. With `raw`, a number is passed to the model as it is, as in
        arrays; otherwise a number that is a label stands for that category.
        """
        if type(value) is float and self.takes_numbers:
            return value if value == value else np.nan
        try:
            number = self._encode(value, place, raw)
        except OverflowError:
            raise too_large(self.where(place)) from None
        if self.float32_only:
            self._check_float32(np.array([number]), place)
        return number

    def _encode(self, value: Any, place: str, raw: bool) -> float:
        if missing(value):
            return np.nan
        plain = (isinstance(value, (int, float, np.number, np.bool_))
                 and not isinstance(value, np.complexfloating))
        if raw and not self.written and plain:
            return float(value)
        if not self.labels:
            if plain:
                return float(value)
            raise Error(self.where(place), f"{value!r} is not a number",
                        "Give a number, not a text" if is_number(value) else
                        "Give labels in the schema, or pass the training data to Explainer")
        code = next((self.codes[text] for text in _spellings(value) if text in self.codes), None)
        if code is not None:
            return float(code)
        if self.others:
            if self.hashed:
                raise Error(self.where(place),
                            f"{value!r} cannot be identified: the model stores only hashes of "
                            "some categories",
                            "Pass the training data to Explainer: it contains the names")
            return float(len(self.labels) - 1)
        if plain and _is_code(value, self.labels):
            return float(value)
        raise Error(self.where(place), f"no category {value!r}",
                    nearest(label_text(value), list(self.labels)))

    def named(self, value: Any, place: str) -> float:
        """Turn the name of a category into the number that the model reads.

        Parameters
        ----------
        value : object
            A label, or a number where there are no labels.
        place : str
            Names the argument in errors.

        Returns
        -------
        float
            NaN for missing. A name that is no label is an error, also where a row may have it.
        """
        if not self.labels or missing(value) or any(
                text in self.codes for text in _spellings(value)):
            return self.encode(value, place)
        known = list(self.labels[:-1] if self.others else self.labels)
        raise Error(place, f"no category {value!r}", nearest(label_text(value), known))

    def numbers(self, column: Column, place: str) -> np.ndarray:
        """Turn a column of a table into numbers.

        A missing value becomes NaN.
        """
        if column.kind == "category":
            # Only categories that occur in some row: the model may not know others.
            categories = column.categories or []
            table = np.full(len(categories) + 1, np.nan)
            for code in np.unique(column.values[column.values >= 0]):
                table[code] = self._category(int(code), categories[code], place)
            return table[column.values]
        if column.kind == "text" or self.written or (self.labels and column.name is not None):
            known: dict[Any, float] = {}
            return np.array([known[value] if value in known
                             else known.setdefault(value, self.encode(value, place))
                             for value in column.values.tolist()])
        if self.float32_only:
            self._check_float32(column.values, place)
        return column.values

    def _check_float32(self, numbers: np.ndarray, place: str) -> None:
        with np.errstate(over="ignore"):
            other = numbers[(numbers != numbers.astype(np.float32)) & ~np.isnan(numbers)]
        if len(other):
            raise Error(self.where(place), f"{float(other[0])!r} is not a float32 number",
                        "The other columns of the data are float32: convert all to float64")

    def _category(self, position: int, value: Any, place: str) -> float:
        if self.disputed and is_number(value):
            raise Error(self.where(place),
                        "some of the models read its categories as numbers, others as positions",
                        "Ask the models one by one, or convert the column to numbers")
        if self.labels:
            return self.encode(value, place)
        if not self.by_value:
            return float(position)
        if not is_number(value):
            raise Error(self.where(place), f"{value!r} is not a number",
                        "Give the categories that the model was trained on")
        return float(value)

    def decode(self, number: float) -> Any:
        """Turn a number that the model reads back into a value.

        The value is a label, a category of the data, a whole number, or the number itself.
        """
        if np.isnan(number):
            return np.nan if self.mark is None else self.mark.value
        if self.kind == "continuous" or not float(number).is_integer():
            return self._readable(float(number))
        code = int(number)
        if self.originals is not None:
            return self.originals[code] if 0 <= code < len(self.originals) else code
        return self.labels[code] if 0 <= code < len(self.labels) else code

    def _readable(self, number: float) -> float:
        # 0.3 instead of 0.30000001192092896, the float32 that a model reads for it.
        if self.digits is None:
            return number
        short = round(number, self.digits)
        return short if number == float(np.float32(short)) else number

    def value(self, number: float, unknown: Mapping[int, Any], index: int) -> Any:
        """Turn a number back into a value, as `decode` does.

        `unknown` has, by column, the categories of the row that no model knows; they are returned
        as they were given.
        """
        if index in unknown and self.is_other(number):
            return unknown[index]
        return self.decode(number)

    def is_other(self, number: float) -> bool:
        """Whether a code stands for all categories without a label of their own."""
        return self.others and number == len(self.labels) - 1

    def check_marks(self, values: Iterable[Any], place: str) -> None:
        """Refuse marks of missing values that the pipeline reads as something else."""
        if self.mark is None:
            return
        for value in values:
            if missing(value) and mark_name(value) in self.mark.others:
                own = mark_name(self.mark.value)
                raise Error(self.where(place),
                            f"this pipeline marks missing values by {own}, not by "
                            f"{mark_name(value)}", f"Write {own} for a missing value")


def _spellings(value: Any) -> Iterable[str]:
    """List the labels that a value may have: 1, 1.0 and True are written in several ways."""
    yield label_text(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        yield str(int(value))
    if isinstance(value, (int, np.integer)):
        yield f"{int(value)}.0"
    if isinstance(value, (bool, np.bool_)):
        yield str(int(value))
    if isinstance(value, (int, float, np.number)) and value in (0, 1):
        yield str(bool(value))


def _is_code(value: Any, labels: Iterable[str]) -> bool:
    """Tell whether a number is a code of a label; it is none where the labels are numbers."""
    known = list(labels)
    return not any(is_number(label) for label in known) and (
        float(value).is_integer() and 0 <= value < len(known))
