"""One-hot groups: columns that encode one feature, given by the user or found in the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boxwood.errors import Error
from boxwood.schema import OneHot

if TYPE_CHECKING:
    from boxwood.schema import Schema

SEPARATORS = "_=:. -"
ENCODED = "_="  # what get_dummies and encoders write between a column's name and a category
FEWEST_ROWS = 10
NONE = "(none)"  # what a category without a column is called, as in the core
LEAST_OVERLAP = 7.0  # rows with two ones that independent columns would have; by chance 0: 0.1 %


class Group(NamedTuple):
    """A one-hot group.

    Parameters
    ----------
    title : str
        What people call it.
    places : list of int
        Its columns.
    labels : list of str
        Of these, and that of the category for which all columns are 0.
    """

    title: str
    places: list[int]
    labels: list[str]

    def label(self, point: np.ndarray) -> str:
        """Return the label of the column that is 1, or of the category without a column."""
        hot = (label for label, i in zip(self.labels, self.places, strict=False) if point[i] == 1)
        return next(hot, self.labels[-1])


def given_groups(groups: Any, schema: Schema) -> list[OneHot]:
    """Read the argument `groups` of an explainer.

    `groups`: False for no groups; columns by title; or a list of `OneHot` and of lists of columns.
    """
    if groups is True:
        raise Error("groups", "True is not a list of columns",
                    "Leave it out to find groups in the data, or give {title: [columns]}")
    if groups is False:
        return []
    entries = groups.items() if isinstance(groups, Mapping) else [("", one) for one in groups]
    made = []
    for title, one in entries:
        if isinstance(one, OneHot):
            made.append(one)
            continue
        if isinstance(one, str):
            raise Error("groups", f'"{one}" is a single column',
                        "Give a list of columns for each group")
        columns = [schema[str(name)].name for name in one]
        start = next(iter(sorted(_prefixes(columns[0]), key=len, reverse=True)), "") \
            if columns else ""
        while start and not all(name.startswith(start) for name in columns):
            start = next((other for other in sorted(_prefixes(start[:-1]), key=len, reverse=True)),
                         "")
        labels = [name[len(start):] for name in columns] if start else None
        made.append(OneHot(columns, str(title) or _title(start or columns[0]), labels))
    return made


def found_groups(schema: Schema, points: np.ndarray, said: set[str]) -> list[OneHot]:
    """Find one-hot groups in data.

    A group consists of columns of zeros and ones whose names have the same beginning, up to a
    separator, and of which no row has two ones. Columns that are never 0 or never 1 tell nothing
    and are left out. Where every row sets exactly one, ten rows are enough. Where some rows set
    none, columns that are independent of each other must be unlikely to look like this by chance.

    `said` lists the columns whose kind the user gave; they are in no group. Groups are returned in
    the order of their first columns.
    """
    names = [feature.name for feature in schema]
    shown = [feature.title or feature.name for feature in schema]
    free = [i for i, name in enumerate(names)
            if name not in said and schema.features[i].kind != "categorical"
            and len(points) and np.isin(points[:, i], (0.0, 1.0)).all()
            and 0 < points[:, i].sum() < len(points)]
    by_prefix: dict[str, list[int]] = {}
    for i in free:
        for prefix in _prefixes(shown[i]):
            by_prefix.setdefault(prefix, []).append(i)
    taken: set[int] = set()
    found: list[tuple[int, OneHot]] = []
    # The widest set of columns first. Of beginnings that the same columns have, the longest that
    # ends as encoders end it: of status_male single, status_male widowed it is "status_".
    for prefix, places in sorted(by_prefix.items(), key=lambda one: (
            -len(one[1]), one[0][-1] not in ENCODED, -len(one[0]))):
        columns = [i for i in places if i not in taken]
        if len(columns) < 2 or not _exclusive(points[:, columns]):
            continue
        title = _title(prefix)
        if title in names or title in shown or any(title == one.title for _, one in found):
            title = f"{title} (one of {len(columns)})"
        taken |= set(columns)
        none = bool((points[:, columns].sum(axis=1) == 0).any())
        found.append((columns[0], OneHot(
            [names[i] for i in columns], title, [shown[i][len(prefix):] for i in columns],
            none_allowed=none)))
    return [group for _, group in sorted(found, key=lambda one: one[0])]


def _exclusive(ones: np.ndarray) -> bool:
    count = ones.sum(axis=1)
    if (count > 1).any() or len(ones) < FEWEST_ROWS:
        return False
    share = ones.mean(axis=0)
    overlap = len(ones) * (share.sum() ** 2 - (share ** 2).sum()) / 2
    return bool((count == 1).all()) or overlap >= LEAST_OVERLAP


def _prefixes(name: str) -> list[str]:
    """List the beginnings of a name that end with a separator and leave something."""
    return [name[:at + 1] for at in range(1, len(name) - 1)
            if name[at] in SEPARATORS and name[at + 1] not in SEPARATORS]


def _title(prefix: str) -> str:
    # scikit-learn's ColumnTransformer writes the name of the step in front: onehot__purpose_car.
    return prefix.rstrip(SEPARATORS).rpartition("__")[2] or prefix
