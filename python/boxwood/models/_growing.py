"""Grows a tree node by node, for libraries whose trees do not come as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import EVERY_OUTPUT, IN_SET, LEAF, Tree


class GrowingTree:
    """Nodes in the order in which they are added: a parent before its children."""

    def __init__(self) -> None:
        self._kind: list[int] = []
        self._feature: list[int] = []
        self._threshold: list[float] = []
        self._missing_left: list[bool] = []
        self._children: list[list[int]] = []
        self._value: list[int] = []
        self._values: list[float] = []
        self._sets: list[list[int]] = []

    def _add(self, kind: int, feature: int, threshold: float, missing_left: bool,
             value: int) -> int:
        self._kind.append(kind)
        self._feature.append(feature)
        self._threshold.append(threshold)
        self._missing_left.append(missing_left)
        self._value.append(value)
        self._children.append([-1, -1])
        return len(self._kind) - 1

    def leaf(self, values: Sequence[float]) -> int:
        """Add a leaf with one number for each output that the tree adds to; return its place."""
        if not np.isfinite(values).all():
            raise UnsupportedModelError("a leaf of the model holds infinity or NaN",
                                        "Train it again with finite targets and weights")
        self._values.extend(float(value) for value in values)
        return self._add(LEAF, -1, 0.0, False, len(self._values) - len(values))

    def split(self, kind: int, feature: int, threshold: float, missing_left: bool) -> int:
        """Add a comparison with a threshold, of a kind of `KINDS`; return its place."""
        if np.isnan(threshold):
            raise UnsupportedModelError("a threshold of the model is NaN",
                                        "The file is damaged: save the model again")
        return self._add(kind, feature, float(threshold), bool(missing_left), -1)

    def split_set(self, feature: int, members: Sequence[int], missing_left: bool) -> int:
        """Add a split whose left side has these categories; return its place."""
        self._sets.append(sorted(members))
        return self._add(IN_SET, feature, 0.0, bool(missing_left), len(self._sets) - 1)

    def attach(self, parent: int, left: int, right: int) -> None:
        """Give a split its children."""
        self._children[parent] = [left, right]

    def tree(self, output: int = EVERY_OUTPUT) -> Tree:
        """Return the tree; `output` is the one that its leaves add to."""
        children = np.array(self._children, dtype=np.int32)
        return Tree(
            output=output, values=np.array(self._values, dtype=np.float64),
            kind=np.array(self._kind, dtype=np.uint8),
            feature=np.array(self._feature, dtype=np.int32),
            threshold=np.array(self._threshold, dtype=np.float64),
            missing_left=np.array(self._missing_left, dtype=bool),
            left=np.ascontiguousarray(children[:, 0]), right=np.ascontiguousarray(children[:, 1]),
            value=np.array(self._value, dtype=np.int32), sets=self._sets)
