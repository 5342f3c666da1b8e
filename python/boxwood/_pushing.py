"""Turns splits on the output of a pipeline's steps into equivalent splits on its raw columns.

The arithmetic of the steps is not repeated here. For each split the steps are called with raw
values, and a binary search over all doubles finds the largest one that goes left. Rounding and all
steps that `_tracing` accepts are monotone, so the new split sends every raw value where the
pipeline sends it. For categories, every category is tried.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boxwood._binning import OUTSIDE, expanded
from boxwood._formulas import Formula
from boxwood._functions import UNITS, Function, finite_range
from boxwood._tracing import ALONE, BIN, RAW, TABLE, Source
from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import KINDS, LEAF, Ensemble, Tree

ZERO_SIZE = float(np.float32(1e-35))
LARGEST = np.finfo(np.float64).max
OTHER = "(other)"


@dataclass
class RawColumn:
    """A column that goes into the pipeline.

    Parameters
    ----------
    name : str
        Its name.
    categories : list or None
        Of a categorical column its values; None for numbers.
    other : object
        A value that is none of them, where the pipeline takes such; None otherwise.
    missing : object
        How a missing value is written.
    single : bool
        Its numbers are float32.
    shared : list
        Categories that all encoders of the column know.
    complete : bool
        Its missing values are filled in from other columns, so that none may be missing.
    functions : list of Function
        Functions of its numbers that steps apply.
    domain : tuple of float
        The least and the largest number of which all these functions are finite.
    formula : Formula, optional
        It is no column of the raw table: the steps calculate it from others.
    used : bool
        A formula reads it.
    """

    name: str
    categories: list[Any] | None = None
    other: Any = None
    missing: Any = np.nan
    single: bool = False
    shared: list[Any] = field(default_factory=list)
    complete: bool = False
    functions: list[Function] = field(default_factory=list)
    domain: tuple[float, float] = (-LARGEST, LARGEST)
    formula: Formula | None = None
    used: bool = False

    def find_domain(self, read: str) -> None:
        """Set the domain for a model that reads numbers of this type."""
        for function in self.functions:
            low, high = finite_range(function, self.single, read)
            self.domain = (max(self.domain[0], low), min(self.domain[1], high))

    def values(self) -> list[Any]:
        """Return the value of each code."""
        return [*(self.categories or []), *([] if self.other is None else [self.other])]

    def filler(self) -> Any:
        """Return some value that the pipeline takes."""
        known = self.shared or self.categories
        return known[0] if known else 1.0 if self.functions or self.used else 0.0


def objects(values: list[Any]) -> np.ndarray:
    """Make an array of objects from values, without conversion."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@dataclass
class Steps:
    """The fitted steps before the model, as a function of some raw columns.

    Parameters
    ----------
    transform : callable
        From a raw table to what the model reads; the second argument says whether numbers may be
        so large that they become infinite.
    columns : list of RawColumn
        All that go in.
    sources : list of Source
        What each column that comes out is made of.
    table : callable
        From a list of arrays, one for each column, to a raw table.
    zeros_missing : bool
        The model treats the zeros that a sparse matrix omits as missing.
    beyond : callable, optional
        Like `transform`, with columns of intervals that say whether a number is beyond their start
        or, by its argument, their end (`_binning`).
    """

    transform: Callable[[Any, bool], Any]
    columns: list[RawColumn]
    sources: list[Source]
    table: Callable[[list[np.ndarray]], Any]
    zeros_missing: bool = False
    beyond: Callable[[bool], Callable[[Any, bool], Any]] | None = None
    sparse: bool = field(default=False, init=False)
    _missing: dict[int, list[np.ndarray] | None] = field(default_factory=dict, init=False)

    def outputs(self, given: dict[int, np.ndarray], count: int,
                far: bool = False) -> list[np.ndarray]:
        """Run the steps and return the columns of their output.

        Columns that are not given have arbitrary values. `far`: numbers may be so large that they
        become infinite. Each formula is run by itself, with numbers of its columns for which it
        gives the number that is wanted.
        """
        plain = {i: values for i, values in given.items() if self.columns[i].formula is None}
        made = self._run(plain, count, far)
        for i, values in given.items():
            formula = self.columns[i].formula
            if formula is None:
                continue
            own: dict[int, np.ndarray] = {formula.column: values}
            own |= {raw: np.full(count, number) for raw, number in formula.others.items()}
            alone = self._run(own, count, far)
            made = [alone[j] if source.raw == i else column
                    for j, (column, source) in enumerate(zip(made, self.sources, strict=True))]
        return made

    def _run(self, given: dict[int, np.ndarray], count: int, far: bool) -> list[np.ndarray]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = self.transform(self.rows(given, count), far)
        if hasattr(made, "tocsc"):
            self.sparse = True
            return _of_sparse(made, self.zeros_missing)
        if hasattr(made, "columns"):
            return [made.iloc[:, j].to_numpy() for j in range(made.shape[1])]
        return [made[:, j] for j in range(made.shape[1])]

    def of_missing(self, index: int) -> list[np.ndarray] | None:
        """Run a missing value through the steps.

        `index` is the column in which it is missing. Returns None if the steps reject it.
        """
        if index not in self._missing:
            column = self.columns[index]
            hole = np.array([np.nan]) if column.categories is None else objects([column.missing])
            try:
                self._missing[index] = None if column.complete else \
                    self.outputs({index: hole}, 1)
            except (ValueError, TypeError):
                self._missing[index] = None
        return self._missing[index]

    def rows(self, given: dict[int, np.ndarray], count: int) -> Any:
        """Make a raw table; columns that are not given have arbitrary values."""
        arrays = []
        for i, column in enumerate(self.columns):
            if column.formula is not None:
                continue
            values = given.get(i)
            if values is None:
                values = np.full(count, column.filler(),
                                 dtype=object if column.categories is not None else np.float64)
            arrays.append(values)
        return self.table(arrays)


def _of_sparse(made: Any, zeros_missing: bool) -> list[np.ndarray]:
    if not zeros_missing:
        return list(made.toarray().T)
    dense = np.full(made.shape, np.nan)
    entries = made.tocoo()
    dense[entries.row, entries.col] = entries.data
    return list(dense.T)


def as_read(values: Any, input_type: str) -> np.ndarray:
    """Round values as the model does when it reads them; the result is doubles."""
    numbers = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32).astype(np.float64) if input_type == "float32" else numbers


@dataclass(frozen=True)
class Split:
    """What goes left at a node, docs/formats.md.

    Parameters
    ----------
    kind : {"<", "<=", "==", "in"}
        How it compares.
    threshold : float
        With what.
    members : tuple of int
        With which categories.
    missing_left, missing_at_zero, zero_up : bool
        Where special values go.
    """

    kind: str
    threshold: float
    members: tuple[int, ...]
    missing_left: bool
    missing_at_zero: bool
    zero_up: bool

    def left(self, values: np.ndarray) -> np.ndarray:
        """Return for each value whether it goes left."""
        with np.errstate(invalid="ignore"):
            if self.kind == "<":
                found = values < self.threshold
            elif self.kind == "<=":
                found = values <= self.threshold
            elif self.kind == "==":
                found = values == self.threshold
            else:
                inside = (values >= 0 if self.zero_up else values > -1) & (values < 2**31)
                codes = np.where(inside, values, -1).astype(np.int64)
                found = inside & np.isin(codes, np.array(self.members, dtype=np.int64))
            astray = np.isnan(values)
            if self.missing_at_zero:
                astray |= np.abs(values) <= ZERO_SIZE
        return np.where(astray, self.missing_left, found)


def split_of(tree: Tree, node: int) -> Split:
    """Read one split of a tree."""
    kind = KINDS[tree.kind[node]]
    at_zero, up = (bool(flag[node]) if flag is not None else False
                   for flag in (tree.missing_at_zero, tree.zero_up))
    return Split(kind, 0.0 if kind == "in" else float(tree.threshold[node]),
                 tuple(tree.sets[tree.value[node]]) if kind == "in" else (),
                 bool(tree.missing_left[node]), at_zero, up)


@dataclass(frozen=True)
class Pushed:
    """A split of a raw column.

    Parameters
    ----------
    kind : {"<=", "in", "same", "outside"}
        How it compares; "same": as the model's own split; "outside": what is not in an interval
        goes left.
    threshold : float
        The largest number that goes left; of an interval, the largest number below it.
    members : tuple of int
        The codes that go left.
    missing_left : bool
        Where a missing value goes.
    last : float
        The largest number in the interval.
    """

    kind: str
    threshold: float
    members: tuple[int, ...]
    missing_left: bool
    last: float = np.inf


def push(model: Ensemble, steps: Steps) -> dict[tuple[int, Split], Pushed]:
    """Find for every split of a model the equivalent split of the raw column.

    The result is a mapping from the model's column and split.
    """
    sources = steps.sources
    wanted: dict[int, set[Split]] = {}
    for tree in model.trees:
        for node in np.flatnonzero(tree.kind != LEAF).tolist():
            wanted.setdefault(int(tree.feature[node]), set()).add(split_of(tree, node))
    numeric: list[tuple[int, Split]] = []
    binned: list[tuple[int, Split]] = []
    found: dict[tuple[int, Split], Pushed] = {}
    read = model.input
    for column in steps.columns:
        column.find_domain(read)
    tables = _tables(steps, read)
    for j, splits in wanted.items():
        raw = sources[j].raw
        codes, missing = tables[raw]
        for split in splits:
            astray = bool(split.left(missing[j])[0]) if missing is not None else False
            if steps.columns[raw].categories is not None:
                members = tuple(np.flatnonzero(split.left(codes[j])).tolist())
                found[j, split] = Pushed("in", 0.0, members, astray)
            elif split.kind in ("<", "<=") and not split.missing_at_zero:
                (binned if sources[j].state == BIN else numeric).append((j, split))
                found[j, split] = Pushed("<=", 0.0, (), astray)
            elif sources[j].same and sources[j].state == RAW:
                found[j, split] = Pushed("same", 0.0, (), split.missing_left)
            else:
                raise UnsupportedModelError(
                    f'pipeline: the model splits column "{steps.columns[raw].name}" by categories '
                    "or treats its zeros as missing, but an earlier step changes its numbers",
                    "Pass that column to the model unchanged")
    if steps.sparse and steps.zeros_missing:
        _check_zeros(numeric + binned, steps)
    thresholds = _thresholds(numeric, steps, read)
    _check_monotone(numeric, thresholds, steps, read)
    for (j, split), threshold in zip(numeric, thresholds, strict=True):
        found[j, split] = Pushed("<=", threshold, (), found[j, split].missing_left)
    for (j, split), before, last in zip(binned, *_intervals(binned, steps, read), strict=True):
        # If even the numbers outside the range go right, all numbers do.
        ends = (-np.inf, np.inf) if last == -np.inf else (before, last)
        found[j, split] = Pushed("outside", ends[0], (), found[j, split].missing_left, ends[1])
    return found


def _intervals(binned: list[tuple[int, Split]], steps: Steps,
               read: str) -> tuple[list[float], list[float]]:
    """Find the largest numbers before and in the intervals of splits on their columns."""
    if not binned or steps.beyond is None:
        return [], []
    found = []
    for ends in (False, True):
        monotone = replace(steps, transform=steps.beyond(ends))
        found.append(_thresholds(binned, monotone, read))
        _check_monotone(binned, found[-1], monotone, read)
    return found[0], found[1]


def _tables(steps: Steps, read: str) -> list[tuple[list[np.ndarray], list[np.ndarray] | None]]:
    """Run every code of every column, and a missing value, through the steps."""
    found = []
    for i, column in enumerate(steps.columns):
        values = column.values()
        codes: list[np.ndarray] = []
        if values:
            codes = readable(steps.outputs({i: objects(values)}, len(values)), read)
        made = steps.of_missing(i)  # where there is none, rows with a missing value are refused
        found.append((codes, None if made is None else readable(made, read)))
    return found


def readable(columns: list[np.ndarray], read: str) -> list[np.ndarray]:
    """Round columns as the model does when it reads them.

    The result is doubles; a column that is not numeric becomes NaN.
    """
    made = []
    for column in columns:
        try:
            made.append(as_read(column, read))
        except (ValueError, TypeError):  # a column of another raw column's categories
            made.append(np.full(len(column), np.nan))
    return made


def _check_zeros(numeric: list[tuple[int, Split]], steps: Steps) -> None:
    for j, split in numeric:
        if bool(split.left(np.zeros(1))[0]) != split.missing_left:
            name = steps.columns[steps.sources[j].raw].name
            raise UnsupportedModelError(
                "pipeline: its steps produce a sparse matrix, in which XGBoost treats every zero "
                f'as missing; a value within the range of column "{name}" becomes such a zero',
                "Fit with OneHotEncoder(sparse_output=False) and "
                "ColumnTransformer(sparse_threshold=0)")


def _to_rank(numbers: np.ndarray) -> np.ndarray:
    """Give each double its place in their order; both zeros have rank 0."""
    bits = numbers.view(np.int64)
    return np.where(bits >= 0, bits, np.int64(-(2**63)) - bits)


def _to_double(ranks: np.ndarray) -> np.ndarray:
    bits = np.where(ranks >= 0, ranks, np.int64(-(2**63)) - ranks)
    return bits.astype(np.int64).view(np.float64)


def _thresholds(numeric: list[tuple[int, Split]], steps: Steps, read: str) -> list[float]:
    """Find the largest double that goes left, of all splits at a time.

    A row holds one candidate for every raw column, so that one run of the steps halves as many
    ranges as there are columns.
    """
    if not numeric:
        return []
    raws = np.array([steps.sources[j].raw for j, _ in numeric])
    counters = [itertools.count() for _ in steps.columns]
    rows = np.array([next(counters[raw]) for raw in raws])
    count = int(rows.max()) + 1
    read_columns = sorted({j for j, _ in numeric})
    at = np.searchsorted(read_columns, [j for j, _ in numeric])
    bounds = np.array([split.threshold for _, split in numeric])
    strict = np.array([split.kind == "<" for _, split in numeric])
    astray = np.array([split.missing_left for _, split in numeric])
    first, last = _to_rank(np.array([steps.columns[raw].domain for raw in raws])).T
    fillers = [column.filler() if column.categories is None else 0.0 for column in steps.columns]
    low = first - 1  # goes left, or is no number
    high = last + 1  # goes right, or is no number
    while True:
        # The mean, without the sum, which may overflow an integer.
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        if (middle == low).all():
            break
        given = np.tile(fillers, (count, 1))
        given[rows, raws] = _to_double(np.clip(middle, first, last))
        outputs = steps.outputs({raw: given[:, raw] for raw in set(raws.tolist())}, count,
                                far=True)
        values = np.column_stack([as_read(outputs[j], read) for j in read_columns])[rows, at]
        left = np.where(strict, values < bounds, values <= bounds)
        left = np.where(np.isnan(values), astray, left)  # a zero of a sparse matrix
        still = middle > low
        low = np.where(still & left, middle, low)
        high = np.where(still & ~left, middle, high)
    doubles = _to_double(np.clip(low, first, last))
    return np.where(low < first, -np.inf, np.where(low >= last, np.inf, doubles)).tolist()


def _check_monotone(numeric: list[tuple[int, Split]], thresholds: list[float], steps: Steps,
                    read: str) -> None:
    """Try all numbers around thresholds behind functions that may be off in their last digits.

    Where a function differs by more than its error from its value at the threshold, it is on the
    right side. All other numbers are tried.
    """
    windows: dict[int, list[tuple[Split, float, np.ndarray]]] = {}
    for (j, split), threshold in zip(numeric, thresholds, strict=True):
        source = steps.sources[j]
        if source.function is not None:
            column = steps.columns[source.raw]
            near = _numbers_near(source.function, threshold, column)
            windows.setdefault(j, []).append((split, threshold, near))
    for j, several in windows.items():
        column = steps.columns[steps.sources[j].raw]
        tried = np.concatenate([near for _, _, near in several])
        made = steps.outputs({steps.sources[j].raw: tried}, len(tried), far=True)[j]
        ends = np.cumsum([len(near) for _, _, near in several])[:-1]
        for (split, threshold, near), values in zip(
                several, np.split(as_read(made, read), ends), strict=True):
            if not np.array_equal(split.left(values), near <= threshold):
                function = steps.sources[j].function
                raise UnsupportedModelError(
                    f'pipeline: {function.name if function else ""} of column "{column.name}" '
                    f"falls in its last digits near {threshold!r}, where the model splits", ALONE)


def _numbers_near(function: Function, threshold: float, column: RawColumn) -> np.ndarray:
    """List the numbers of a column whose function values may differ by errors only."""
    kind = np.float32 if column.single else np.float64
    if function.knots is not None:
        at = function.knots.astype(kind)
        around = [np.nextafter(at, kind(-np.inf)), at, np.nextafter(at, kind(np.inf))]
        return np.unique(np.concatenate(around)).astype(np.float64)
    units = UNITS if function.units is None else function.units(
        float(np.clip(threshold, *column.domain)))
    middle = kind(np.clip(threshold, *column.domain))
    most = 2**16
    for count in (2**power for power in range(6, 17)):
        ends = _steps_from(middle, count, column)
        with np.errstate(all="ignore"):
            low, at, high = np.asarray(
                function.call(np.array([[ends[0]], [middle], [ends[-1]]], dtype=kind)),
                dtype=kind)[:, 0]
            room = units * np.spacing(np.abs(np.array([low, at, high]))).max()
        enough = ((at - low >= room or ends[0] <= column.domain[0])
                  and (high - at >= room or ends[-1] >= column.domain[1]))
        if enough or function.declared:
            return ends.astype(np.float64)
    raise UnsupportedModelError(
        f'pipeline: {function.name} of column "{column.name}" hardly changes near {threshold!r}, '
        f"where the model splits: more than {2 * most} numbers have the same value but for errors",
        ALONE)


def _steps_from(middle: Any, count: int, column: RawColumn) -> np.ndarray:
    """Return the numbers of the column's type within so many steps of one, in ascending order."""
    whole, bits = (np.int32, 31) if column.single else (np.int64, 63)
    at = np.array([middle]).view(whole)[0]
    rank = int(at) if at >= 0 else -(2**bits) - int(at)
    ranks = np.arange(-count, count + 1, dtype=np.int64) + rank
    made = np.where(ranks >= 0, ranks, -(2**bits) - ranks).astype(whole).view(type(middle))
    return made[(made >= column.domain[0]) & (made <= column.domain[1])]


def pushed_tree(tree: Tree, sources: list[Source], splits: dict[tuple[int, Split], Pushed],
                places: dict[int, int]) -> Tree:
    """Write a tree over raw columns.

    `places` gives the number of each raw column in the new model.
    """
    copies: dict[str, Any] = {key: value.copy() if isinstance(value, np.ndarray) else value
                              for key, value in tree.arrays().items()}
    made = Tree(**{**copies, "sets": []})
    last: dict[int, float] = {}
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        j = int(tree.feature[node])
        split = split_of(tree, node)
        pushed = splits[j, split]
        made.feature[node] = places[sources[j].raw]
        made.missing_left[node] = pushed.missing_left
        members: tuple[int, ...] | None = split.members if split.kind == "in" else None
        if pushed.kind != "same":
            for flags in (made.missing_at_zero, made.zero_up):
                if flags is not None:
                    flags[node] = False
            made.kind[node] = OUTSIDE if pushed.kind == "outside" else KINDS.index(pushed.kind)
            if pushed.kind == "outside":
                last[node] = pushed.last
            made.threshold[node] = pushed.threshold
            made.value[node] = -1
            members = pushed.members if pushed.kind == "in" else None
        if members is not None:
            made.value[node] = len(made.sets)
            made.sets.append(list(members))
    return expanded(made, last) if last else made


def mixed(sources: list[Source]) -> set[int]:
    """Find raw columns that some steps read as numbers and others as categories."""
    states: dict[int, set[bool]] = {}
    for source in sources:
        states.setdefault(source.raw, set()).add(source.state == TABLE)
    return {raw for raw, seen in states.items() if len(seen) == 2}
