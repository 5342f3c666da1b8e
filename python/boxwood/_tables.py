"""Columns of pandas frames, Arrow tables and arrays, in one form.

Neither pandas nor pyarrow is imported here: an object of theirs brings them along.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxwood._arguments import too_large
from boxwood.errors import Error


@dataclass
class Column:
    """One column.

    Parameters
    ----------
    name : str or None
        Its name, where it has one.
    kind : {"float", "int", "bool", "category", "text"}
        What its type says.
    values : ndarray
        Numbers (NaN is missing), of a category its codes (-1 is missing), or texts (None).
    categories : list or None
        The values of a category's codes.
    ordered : bool
        Whether they are in an order.
    single : bool
        Whether its type is float32.
    """

    name: str | None
    kind: str
    values: np.ndarray
    categories: list[Any] | None = None
    ordered: bool = False
    single: bool = False


def module_of(value: Any) -> str:
    """Return the library of an object: the first part of its class's module."""
    return type(value).__module__.partition(".")[0]


def is_table(value: Any) -> bool:
    """Whether a value is a pandas frame or an Arrow table, or can become one."""
    kind = type(value).__name__
    if module_of(value) == "pandas":
        return kind == "DataFrame" or hasattr(value, "columns")
    return (module_of(value) == "pyarrow" and kind in ("Table", "RecordBatch")) or hasattr(
        value, "to_arrow")


def is_number(text: Any) -> bool:
    """Whether a value, also a text, can be read as a number."""
    try:
        float(text)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def is_row(value: Any) -> bool:
    """Whether a value is a mapping or a pandas series."""
    return isinstance(value, Mapping) or (
        module_of(value) == "pandas" and hasattr(value, "index") and not hasattr(value, "columns"))


def columns_of(table: Any, place: str = "data") -> list[Column]:
    """Read all columns."""
    table = as_table(table, place)
    if module_of(table) == "pandas":
        return [_pandas_column(str(name), table.iloc[:, i], place)
                for i, name in enumerate(table.columns)]
    if is_table(table):
        return [_arrow_column(name, table.column(i), place)
                for i, name in enumerate(table.schema.names)]
    return [_array_column(i, table[:, i], place) for i in range(table.shape[1])]


def as_table(given: Any, place: str = "data") -> Any:
    """Convert any table to a DataFrame, an Arrow table or a 2-D array."""
    if is_table(given):
        return given.to_arrow() if hasattr(given, "to_arrow") and module_of(given) != "pandas" \
            else given
    try:
        array = np.asarray(given)
    except ValueError:
        raise Error(place, "its rows have different lengths",
                    "Give a data frame, an Arrow table or a 2-D array") from None
    if array.ndim == 0:
        kind = "None" if given is None else f"of type {type(given).__name__}"
        raise Error(place, f"it is {kind}, not a table",
                    "Convert it with toarray()" if hasattr(given, "toarray") else
                    "Convert it with pandas.DataFrame" if isinstance(given, Mapping) else
                    "Give a data frame, an Arrow table or a 2-D array")
    if array.ndim != 2:
        raise Error(place, f"it has {array.ndim} dimensions, not rows and columns",
                    "Give a data frame, an Arrow table or a 2-D array")
    return array


def _array_column(index: int, values: np.ndarray, place: str) -> Column:
    if values.dtype.kind == "b":
        return Column(None, "bool", values.astype(np.float64))
    if values.dtype.kind in "iu":
        return Column(None, "int", values.astype(np.float64))
    if values.dtype.kind == "f":
        return Column(None, "float", values.astype(np.float64), single=_is_float32(values.dtype))
    return _object_column(None, values.astype(object), f"{place}, column {index}")


def _is_float32(dtype: Any) -> bool:
    """Whether a type of numpy or pandas has the numbers of float32."""
    return bool(dtype.kind == "f" and dtype.itemsize == 4)


def missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN or pandas' NA."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


def _object_column(name: str | None, values: np.ndarray, place: str) -> Column:
    present = [value for value in values if not missing(value)]
    if present and all(isinstance(value, (bool, np.bool_)) for value in present):
        kind = "bool"
    elif all(isinstance(value, (int, np.integer)) for value in present):
        kind = "int" if present else "float"
    elif all(isinstance(value, (int, float, np.integer, np.floating)) for value in present):
        kind = "float"
    else:
        return Column(name, "text", np.array([None if missing(value) else value
                                              for value in values], dtype=object))
    try:
        return Column(name, kind, np.array([np.nan if missing(value) else float(value)
                                            for value in values]))
    except OverflowError:
        raise too_large(place) from None


def _pandas_column(name: str, series: Any, place: str) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        return Column(name, "category", np.asarray(series.cat.codes, dtype=np.int64),
                      list(dtype.categories), bool(dtype.ordered))
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, {"b": "bool", "f": "float"}.get(kind, "int"), values,
                      single=_is_float32(dtype))
    if kind in "mM":
        raise Error(f'{place}, column "{name}"', "it contains dates", "Convert them to numbers")
    return _object_column(name, series.to_numpy(dtype=object, na_value=None),
                          f'{place}, column "{name}"')


def _arrow_column(name: str, values: Any, place: str) -> Column:
    if hasattr(values, "combine_chunks") and hasattr(values, "num_chunks"):
        values = values.combine_chunks()
        if hasattr(values, "num_chunks"):  # of older versions, and of empty columns
            values = values.chunk(0) if values.num_chunks else values
    kind = str(values.type)
    if kind.startswith("dictionary"):
        codes = np.array([-1 if code is None else code for code in values.indices.to_pylist()],
                         dtype=np.int64)
        return Column(name, "category", codes, values.dictionary.to_pylist(),
                      bool(values.type.ordered))
    numbers = {"bool": "bool", "float": "float", "double": "float", "halffloat": "float"}
    plain = numbers.get(kind, "int" if "int" in kind else "")
    if plain:
        return Column(name, plain, np.array([np.nan if value is None else float(value)
                                             for value in values.to_pylist()], dtype=np.float64),
                      single=kind == "float")
    return _object_column(name, np.array(values.to_pylist(), dtype=object),
                          f'{place}, column "{name}"')
