"""One-hot groups: several columns that people know as one feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


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
