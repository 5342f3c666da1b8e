"""Splits on the columns that KBinsDiscretizer makes, one for each interval of a number.

Such a column is 1 inside the interval and 0 outside, so it is not monotone. "Beyond the start of
the interval" and "beyond its end" are: the steps are run with columns that say this instead, which
gives both ends as they give any other threshold. A split of the column then becomes two splits of
the raw number, and what lies outside the interval is written twice.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from boxwood._tracing import kind_of
from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import LEAF, LESS_EQUAL, Tree

OUTSIDE = 255  # as the kind of a node, until `expanded` rewrites it
MOST = 64  # times the nodes of a tree


def beyond(steps: list[tuple[str, Any]], ends: bool) -> list[tuple[str, Any]]:
    """Copy fitted steps; columns of intervals say whether a number is beyond their start.

    With `ends`, whether it is beyond their end.
    """
    made = copy.deepcopy(steps)
    for _, step in made:
        _rewrite(step, ends)
    return made


def _rewrite(step: Any, ends: bool) -> None:
    for parts in ("steps", "transformers_", "transformer_list"):
        for entry in getattr(step, parts, ()):
            _rewrite(entry[1], ends)
    if not isinstance(step, str) and kind_of(step) == "KBinsDiscretizer" and \
            step.encode != "ordinal":
        step.transform = _Cumulative(step, ends)


class _Cumulative:
    def __init__(self, step: Any, ends: bool) -> None:
        self._own, self._counts, self._ends = step.transform, step.n_bins_.tolist(), ends

    def __call__(self, table: Any) -> Any:
        made = self._own(table)
        sparse = hasattr(made, "toarray")
        dense = made.toarray() if sparse else np.array(made)
        first = 0
        for count in self._counts:
            part = dense[:, first:first + count]
            after = np.cumsum(part[:, ::-1], axis=1)[:, ::-1]
            dense[:, first:first + count] = after - part if self._ends else after
            first += count
        if sparse:
            return type(made)(dense)
        if hasattr(made, "columns"):
            return type(made)(dense, columns=made.columns, index=made.index)
        return dense


def expanded(tree: Tree, last: dict[int, float]) -> Tree:
    """Write the nodes of kind `OUTSIDE` as two splits each.

    Such a node goes left if the number is at most its threshold or above `last[node]`. What other
    splits of the same number leave open is followed, so that no part is written that no number
    reaches.
    """
    tracked = {int(tree.feature[node]) for node in last}
    columns = ("kind", "feature", "threshold", "missing_left", "value", "missing_at_zero",
               "zero_up")
    old = {key: getattr(tree, key) for key in columns}
    made: dict[str, list[Any]] = {key: [] for key in (*columns, "left", "right")}
    # A node, whether it is the second half of an interval, what is possible there (by feature:
    # numbers above the first and at most the second, and whether it may be missing), where it goes.
    everything = (-np.inf, np.inf, True)
    waiting: list[tuple[int, bool, dict[int, Any], int, str]] = [(0, False, {}, -1, "left")]
    while waiting:
        node, second, possible, parent, side = waiting.pop()
        kind, feature = int(tree.kind[node]), int(tree.feature[node])
        outside = kind == OUTSIDE
        if outside or (kind == LESS_EQUAL and feature in tracked):
            low, high, missing = possible.get(feature, everything)
            threshold = last[node] if second else float(tree.threshold[node])
            # Inside the interval is on the right of the first half and on the left of the second.
            goes_left = bool(tree.missing_left[node]) != second
            below = (low, min(high, threshold), missing and goes_left)
            above = (max(low, threshold), high, missing and not goes_left)
            left, right = int(tree.left[node]), int(tree.right[node])
            targets = [(left, False), (right, False)]
            if outside:
                targets = [(right, False), (left, False)] if second else \
                    [(left, False), (node, True)]
            open_sides = [(target, {**possible, feature: limits}, name)
                          for target, limits, name in zip(targets, (below, above),
                                                          ("left", "right"), strict=True)
                          if limits[0] < limits[1] or limits[2]]
            if len(open_sides) == 1:
                (target, again), limits, _ = open_sides[0]
                waiting.append((target, again, limits, parent, side))
                continue
            children = open_sides
        else:
            threshold, goes_left = float(tree.threshold[node]), bool(tree.missing_left[node])
            children = [] if kind == LEAF else [
                ((int(tree.left[node]), False), possible, "left"),
                ((int(tree.right[node]), False), possible, "right")]
        place = len(made["kind"])
        if place > MOST * len(tree.kind):
            raise UnsupportedModelError(
                "pipeline: the columns that KBinsDiscretizer makes, one for each interval, lead to "
                f"trees of more than {MOST} times their size", 'Use encode="ordinal", which the '
                "model can split as well")
        for key in columns:
            made[key].append(None if old[key] is None else old[key][node])
        made["kind"][-1] = LESS_EQUAL if outside else kind
        made["threshold"][-1], made["missing_left"][-1] = threshold, goes_left
        made["left"].append(-1)
        made["right"].append(-1)
        if parent >= 0:
            made[side][parent] = place
        for (target, again), limits, name in reversed(children):
            waiting.append((target, again, limits, place, name))
    arrays = {key: np.array(made[key], dtype=getattr(tree, key).dtype)
              for key in made if getattr(tree, key) is not None}
    return Tree(**{**tree.arrays(), **arrays})
