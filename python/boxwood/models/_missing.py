"""Trees of a model that takes a certain number for a missing value."""

from __future__ import annotations

import dataclasses

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import EQUAL, IN_SET, LEAF, LESS, Ensemble, Tree

MOST_NODES = 8_000_000


def with_missing_number(ensemble: Ensemble, number: float) -> Ensemble:
    """Rewrite trees so that a number goes where missing values go.

    Where a split would send the number the other way, a comparison with it comes first, and the
    branch of missing values is there twice. Below such a comparison the feature is known to be
    missing, or not to be.

    Parameters
    ----------
    ensemble : Ensemble
        A model that reads float32.
    number : float
        What stands for a missing value.

    Returns
    -------
    Ensemble
        The same, with other trees.
    """
    if not np.isfinite(np.float32(number)):
        raise UnsupportedModelError(f"the model treats {number} as missing",
                                    "Use NaN for missing values and fit without missing=")
    room = MOST_NODES
    trees = []
    for tree in ensemble.trees:
        trees.append(_rewritten(tree, float(np.float32(number)), room))
        room -= len(trees[-1].kind)
    return dataclasses.replace(ensemble, trees=trees,
                               notes=[*ensemble.notes, f"{number:g} counts as missing"])


def _rewritten(tree: Tree, number: float, room: int) -> Tree:
    # Of each new node: the old one, or None for a comparison with the number.
    of: list[int | None] = [0]
    feature, left, right = [-1], [-1], [-1]
    waiting: list[tuple[int, int, dict[int, bool]]] = [(0, 0, {})]  # new, old, features missing
    while waiting:
        place, old, known = waiting.pop()
        while tree.kind[old] != LEAF:  # splits that are decided because the feature is missing
            if not known.get(int(tree.feature[old])):
                break
            old = int(tree.left[old] if tree.missing_left[old] else tree.right[old])
        of[place] = old
        if tree.kind[old] == LEAF:
            continue
        if tree.kind[old] == IN_SET:
            raise UnsupportedModelError(
                f"the model treats {number:g} as missing and splits on categories",
                "Use NaN for missing values and fit without missing=")
        column = int(tree.feature[old])
        threshold = tree.threshold[old]
        below = number < threshold if tree.kind[old] == LESS else number <= threshold
        branches = [(int(tree.left[old]), known), (int(tree.right[old]), known)]
        if below != tree.missing_left[old] and column not in known:
            of[place] = None
            branches = [(old, {**known, column: True}), (old, {**known, column: False})]
        if len(of) + 2 > room:
            raise UnsupportedModelError(
                f"the model treats {number:g} as missing, which takes more than {MOST_NODES:,} "
                "nodes",
                "Use NaN for missing values and fit without missing=")
        feature[place], left[place], right[place] = column, len(of), len(of) + 1
        for child, state in branches:
            waiting.append((len(of), child, state))
            of.append(0)
            for links in (feature, left, right):
                links.append(-1)
    added = np.array([one is None for one in of])
    rows = np.array([0 if one is None else one for one in of])

    def taken(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else np.where(added, False, array[rows]).astype(array.dtype)

    return dataclasses.replace(
        tree, kind=np.where(added, EQUAL, tree.kind[rows]).astype(np.uint8),
        feature=np.array(feature, dtype=np.int32),
        threshold=np.where(added, number, tree.threshold[rows]),
        missing_left=added | tree.missing_left[rows], left=np.array(left, dtype=np.int32),
        right=np.array(right, dtype=np.int32),
        value=np.where(added, -1, tree.value[rows]).astype(np.int32),
        missing_at_zero=taken(tree.missing_at_zero), zero_up=taken(tree.zero_up))
