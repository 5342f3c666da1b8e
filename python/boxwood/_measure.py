"""Distances between rows of any kind of table, for `evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxwood._tables import Column, columns_of, is_row, is_table, missing
from boxwood.errors import Error, library

NORMS = ("l0", "l1", "l2", "linf")
SCALES = ("range", "deviation", "mad", None)


def values_of(column: Column) -> np.ndarray:
    if column.kind == "category":
        table = [*(column.categories or []), None]
        return np.array([table[code] for code in column.values.tolist()] or [], dtype=object)
    return column.values


def listed(rows: Any) -> Any:
    """Make a table of a single row; return tables unchanged."""
    if is_table(rows):
        return rows
    if is_row(rows):
        pandas = library("pandas")

        return pandas.DataFrame([dict(rows)])
    array = np.asarray(rows)
    return array[np.newaxis] if array.ndim == 1 else array


def read_columns(rows: Any, names: list[str] | None, place: str) -> tuple[list[str] | None,
                                                                      list[np.ndarray]]:
    found = columns_of(listed(rows))
    own = [column.name for column in found if column.name is not None]
    if names is None or not own:
        if names is not None and len(found) != len(names):
            raise Error(place, f"{len(found)} columns instead of {len(names)}",
                        "Give all tables the same columns")
        return own or None, [values_of(column) for column in found]
    lost = [name for name in names if name not in own]
    if lost:
        raise Error(place, f'there is no column "{lost[0]}"', "Give all tables the same columns")
    return names, [values_of(found[own.index(name)]) for name in names]


def is_number(values: np.ndarray) -> bool:
    return values.dtype != object


@dataclass
class Measure:
    """Distances of values by column: with a scale for numbers, None for categories."""

    names: list[str] | None
    scales: list[float | None]

    @classmethod
    def of(cls, data: Any, scale: str | None) -> Measure:
        if scale not in SCALES:
            raise Error("scale", f"unknown scale {scale!r}",
                        'Give "range", "deviation", "mad" or None')
        names, columns = read_columns(data, None, "data")
        return cls(names, [scale_of(values, scale) if is_number(values) else None
                           for values in columns])

    def columns(self, rows: Any, place: str) -> list[np.ndarray]:
        names = self.names
        _, found = read_columns(rows, names, place)
        if len(found) != len(self.scales):
            raise Error(place, f"{len(found)} columns instead of {len(self.scales)}",
                        "Give all tables the same columns")
        return found

    def changes(self, first: Any, second: Any) -> np.ndarray:
        """Return the distance of each pair of rows in each column; NaN if a row was not found."""
        one = self.columns(first, "originals")
        two = self.columns(second, "counterfactuals")
        count = max(len(one[0]), len(two[0]))
        if {len(one[0]), len(two[0])} - {1, count}:
            raise Error("counterfactuals", f"{len(two[0])} rows for {len(one[0])} originals",
                        "Give one row for each original, or a single original")
        steps = np.column_stack([
            np.broadcast_to(apart_by(a, b, scale), count)
            for a, b, scale in zip(one, two, self.scales, strict=True)])
        steps[np.broadcast_to(empty(two), count)] = np.nan
        return steps


def scale_of(values: np.ndarray, scale: str | None) -> float:
    finite = values[np.isfinite(values)]
    if scale is None or not len(finite):
        return 1.0
    sizes: dict[str, Callable[[np.ndarray], Any]] = {"range": np.ptp, "deviation": np.std,
             "mad": lambda some: np.median(np.abs(some - np.median(some)))}
    size = float(sizes[scale](finite))
    if scale == "mad" and size == 0:  # more than half are equal
        size = float(np.std(finite))
    return size if size > 0 else 1.0


def holes_of(values: np.ndarray) -> np.ndarray:
    if is_number(values):
        return np.isnan(values)
    return np.array([missing(value) for value in values], dtype=bool)


def empty(columns: list[np.ndarray]) -> np.ndarray:
    return np.all([holes_of(values) for values in columns], axis=0)


def apart_by(one: np.ndarray, two: np.ndarray, scale: float | None) -> np.ndarray:
    holes = holes_of(one), holes_of(two)
    if scale is not None and is_number(one) and is_number(two):
        with np.errstate(invalid="ignore"):
            steps = np.abs(two - one) / scale
    else:
        pairs = np.broadcast_arrays(one, two)
        steps = np.array([float(a != b) for a, b in zip(*pairs, strict=True)])
    return np.where(holes[0] & holes[1], 0.0, np.where(holes[0] ^ holes[1], 1.0, steps))


def norm_of(steps: np.ndarray, norm: str) -> np.ndarray:
    if norm not in NORMS:
        raise Error("norm", f"unknown norm {norm!r}", 'Give "l0", "l1", "l2" or "linf"')
    lost = np.isnan(steps).any(axis=-1)
    size = {"l0": lambda: (steps > 0).sum(axis=-1).astype(float),
            "l1": lambda: steps.sum(axis=-1),
            "l2": lambda: np.sqrt((steps**2).sum(axis=-1)),
            "linf": lambda: steps.max(axis=-1)}[norm]()
    return np.where(lost, np.nan, size)


class Space:
    """Rows as points of numbers in scales; categories as columns that lie one scale apart."""

    def __init__(self, measure: Measure, data: Any) -> None:
        self.measure = measure
        self.known: list[Any] = []
        for values, scale in zip(measure.columns(data, "data"), measure.scales, strict=True):
            if scale is None:
                self.known.append(sorted({str(value) for value in values if not missing(value)}))
            else:
                finite = values[np.isfinite(values)]
                self.known.append(float(np.median(finite)) if len(finite) else 0.0)

    def points(self, rows: Any, place: str) -> np.ndarray:
        parts = []
        for values, scale, known in zip(self.measure.columns(rows, place), self.measure.scales,
                                        self.known, strict=True):
            if scale is None:
                # Two categories differ in two columns: each by the root of one half.
                words = np.array([str(value) for value in values], dtype=object)
                parts += [(words == one) * np.sqrt(0.5) for one in known]
            else:
                numbers = np.asarray(values, dtype=np.float64)
                parts.append(np.where(np.isnan(numbers), known, numbers) / scale)
        return np.column_stack([np.asarray(part, dtype=np.float64) for part in parts])
