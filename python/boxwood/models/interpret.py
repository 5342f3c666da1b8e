"""Explainable boosting machines (EBM) of `interpret`, as Boxwood's own model file.

An EBM adds up one table for each term: a feature, or a few features that interact. Each feature is
cut into intervals or categories, and a table has a number for each combination of them. Here each
table becomes a tree. Values are doubles; `x < cut` lies below a cut; a missing value and a category
that training did not see have entries of their own. Scores are double sums: the intercept first,
then the terms in order.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import LESS, Ensemble, Tree
from boxwood.models._growing import GrowingTree

KNOWN = ("ExplainableBoostingClassifier", "ExplainableBoostingRegressor",
         "DPExplainableBoostingClassifier", "DPExplainableBoostingRegressor")
OTHER = "(other)"
# By the name of the link: task, link and decision of the model file.
LINKS = {
    "identity": ("regression", "identity", "output_above_half"),
    "log": ("regression", "exponential", "output_above_half"),
    "logit": ("binary", "sigmoid", "score_above_zero"),
    "mlogit": ("multiclass", "softmax", "largest_score"),
    "vlogit": ("multiclass", "sigmoid", "largest_score"),
}
LAST_DIGITS = "outputs may differ from interpret's in the last digits: its exp is its own"


@dataclass(frozen=True)
class Axis:
    """One dimension of a term's table.

    `cuts`: of numbers; entry 0 of the table is for missing values, 1 for numbers below the first
    cut, and so on. `entries`: of categories, the entry of each code; entry 0 is for missing ones.
    """

    feature: int
    cuts: NDArray[np.float64] | None = None
    entries: tuple[int, ...] = ()


def converted(model: Any) -> Ensemble:
    """Convert an explainable boosting machine: one tree for each term."""
    name = type(model).__name__
    if not any(base.__name__ in KNOWN for base in type(model).__mro__):
        inside = [key for key in ("tree_", "sk_model_") if hasattr(model, key)]
        raise UnsupportedModelError(
            f"{name} of interpret is not an explainable boosting machine",
            f"Give the scikit-learn model inside: model.{inside[0]}" if inside else
            "Use ExplainableBoostingClassifier or ExplainableBoostingRegressor")
    if not hasattr(model, "term_scores_"):
        raise UnsupportedModelError(f"this {name} is not fitted", "Call fit first")
    link = getattr(model, "link_", None)
    if link == "monoclassification":
        raise UnsupportedModelError(
            f"this {name} was fitted with a single class, so it has no other outcome",
            "Fit it to data with at least two classes")
    if link not in LINKS:
        raise UnsupportedModelError(f"this {name} has the unsupported link function {link!r}",
                                    f"Fit it with one of {', '.join(LINKS)}")
    task, own_link, decision = LINKS[link]
    codes = [_codes(levels) for levels in model.bins_]
    base = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    module = sys.modules.get("interpret")
    return Ensemble(
        source=" ".join(["interpret", *([module.__version__] if module else [])]),
        objective=name, task=task, link=own_link, decision=decision, library="other",
        features=[_feature(str(name), known)
                  for name, known in zip(model.feature_names_in_, codes, strict=True)],
        base=base.tolist(), input="float64",
        trees=[_term(model, place, codes, len(base)) for place in range(len(model.term_scores_))],
        classes=[str(label) for label in model.classes_] if task != "regression" else [],
        notes=[] if link == "identity" else [LAST_DIGITS])


def _codes(levels: Sequence[Any]) -> list[str] | None:
    """List the categories of a feature over all its levels of detail; None for numbers."""
    if not isinstance(levels[0], dict):
        return None
    return list(dict.fromkeys(key for level in levels for key in level))


def _feature(name: str, known: list[str] | None) -> dict[str, Any]:
    if known is None:
        return {"name": name, "kind": "continuous"}
    other = OTHER if OTHER not in known else "(any other)"
    categories: list[dict[str, Any]] = [{"code": code, "label": label}
                                        for code, label in enumerate([*known, other])]
    categories[-1]["others"] = True
    return {"name": name, "kind": "categorical", "categories": categories}


def _term(model: Any, place: int, codes: list[list[str] | None], outputs: int) -> Tree:
    features = model.term_features_[place]
    table = np.asarray(model.term_scores_[place], dtype=np.float64)
    if outputs == 1:
        table = table[..., np.newaxis]
    axes = []
    for dimension, feature in enumerate(features):
        levels = model.bins_[feature]
        level = levels[min(len(levels), len(features)) - 1]
        known = codes[feature]
        if known is None:
            axes.append(Axis(feature, cuts=np.asarray(level, dtype=np.float64)))
            continue
        last = table.shape[dimension] - 1
        axes.append(Axis(feature, entries=tuple([*(level.get(key, last) for key in known), last])))
    growing = GrowingTree()
    _grow(growing, axes, table)
    return growing.tree(0 if outputs == 1 else -1)


def _grow(growing: GrowingTree, axes: list[Axis], table: NDArray[np.float64]) -> int:
    """Add the tree of a table; its last dimension is the outputs. Return its root."""
    if not axes:
        return growing.leaf(table.tolist())
    first, rest = axes[0], axes[1:]
    if first.cuts is not None:
        return _grow_numbers(growing, first, rest, table)
    groups: list[tuple[NDArray[np.float64], list[int]]] = []
    for code, entry in enumerate(first.entries):
        same = next((codes for part, codes in groups if np.array_equal(part, table[entry])), None)
        if same is None:
            groups.append((table[entry], [code]))
        else:
            same.append(code)
    # A part that only missing values have comes last: the set of a split is then never empty.
    missing = next((at for at, (part, _) in enumerate(groups) if np.array_equal(part, table[0])),
                   len(groups))
    parts = [part for part, _ in groups] + ([table[0]] if missing == len(groups) else [])

    def between(low: int, high: int) -> int:
        if high - low == 1:
            return _grow(growing, rest, parts[low])
        middle = (low + high) // 2
        members = [code for _, codes in groups[low:middle] for code in codes]
        at = growing.split_set(first.feature, members, low <= missing < middle)
        growing.attach(at, between(low, middle), between(middle, high))
        return at

    return between(0, len(parts))


def _grow_numbers(growing: GrowingTree, axis: Axis, rest: list[Axis],
                  table: NDArray[np.float64]) -> int:
    cuts = axis.cuts
    assert cuts is not None
    # Neighbouring intervals with the same numbers are one.
    starts = [0] + [i for i in range(1, len(cuts) + 1)
                    if not np.array_equal(table[i], table[i + 1])]
    parts = [table[start + 1] for start in starts]
    missing = next((at for at, part in enumerate(parts) if np.array_equal(part, table[0])), None)

    def between(low: int, high: int) -> int:
        if high - low == 1:
            return _grow(growing, rest, parts[low])
        middle = (low + high) // 2
        at = growing.split(LESS, axis.feature, cuts[starts[middle] - 1],
                           missing is not None and low <= missing < middle)
        growing.attach(at, between(low, middle), between(middle, high))
        return at

    if missing is not None:
        return between(0, len(parts))
    # No number is below minus infinity: only missing values go left.
    at = growing.split(LESS, axis.feature, -np.inf, True)
    growing.attach(at, _grow(growing, rest, table[0]), between(0, len(parts)))
    return at
