"""One-hot groups in words: several columns that people know as one feature.

The words are those of the command line's table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from boxwood import _core


class Group(NamedTuple):
    """A one-hot group.

    Parameters
    ----------
    title : str
        What people call it.
    places : list of int
        Its columns.
    labels : list of str
        Of these.
    """

    title: str
    places: list[int]
    labels: list[str]

    def label(self, point: np.ndarray) -> str:
        """Say which column is 1.

        Parameters
        ----------
        point : ndarray
            A point.

        Returns
        -------
        str
            The column's label, or "none".
        """
        hot = (label for label, i in zip(self.labels, self.places, strict=True) if point[i] == 1)
        return next(hot, "none")

    def anything_in(self, query: _core.Query, solution: _core.Solution, single: bool) -> str:
        """Say which columns may be 1 in the region of a solution.

        Parameters
        ----------
        query : _core.Query
            What is asked.
        solution : _core.Solution
            A point and its region.
        single : bool
            Whether the model reads numbers in single precision.

        Returns
        -------
        str
            In words.
        """
        words = []
        for hot, label in zip(self.places, self.labels, strict=True):
            point = solution.point.copy()
            point[self.places] = 0
            point[hot] = 1
            if all(point[i] in solution.region[i] for i in self.places) and (
                    self._allowed(query, point) and _obeys(query, point, single)):
                words.append(label)
        if not words:
            return "none"
        return words[0] if len(words) == 1 else f"one of: {', '.join(words)}"

    def _allowed(self, query: _core.Query, point: np.ndarray) -> bool:
        moved = [i for i in self.places if point[i] != query.point[i]]
        rules = [query.feature(i) for i in moved]
        return all(not rule.fixed and point[i] in rule.range
                   for i, rule in zip(moved, rules, strict=True))


def _obeys(query: _core.Query, point: np.ndarray, single: bool) -> bool:
    most = query.most_changes
    return (most is None or query.change_count(point) <= most) and all(
        any(_holds(literal, point[literal.feature], single) for literal in clause.any_of)
        for clause in query.clauses)


def _holds(literal: _core.Literal, number: float, single: bool) -> bool:
    def read(value: float) -> float:
        return float(np.float32(value)) if single else float(value)

    if np.isnan(number):
        return literal.missing
    value, ends = read(number), literal.range
    if literal.codes:
        return (value > -1 and int(value) in literal.codes) == literal.inside
    above = value >= read(ends.lower) if ends.lower_closed else value > read(ends.lower)
    below = value <= read(ends.upper) if ends.upper_closed else value < read(ends.upper)
    return (above and below) == literal.inside
