"""Boxwood's own model file, docs/formats.md, built from numpy arrays."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError

EVERY_OUTPUT = -1


@dataclasses.dataclass
class Ensemble:
    """An ensemble as docs/formats.md describes it; trees and features are entries of the file."""

    source: str
    objective: str
    task: str
    link: str
    features: list[dict[str, Any]]
    base: list[float]
    trees: list[dict[str, Any]]
    input: str = "float32"
    classes: list[str] = dataclasses.field(default_factory=list)
    divisor: float = 1.0
    steepness: float = 1.0
    decision: str = "output_above_half"

    def to_bytes(self) -> bytes:
        """Return the model file. All sums run in double, the base first."""
        fields = dataclasses.asdict(self)
        fields |= {"accumulator": "float64", "order": "base_first"}
        # The version comes first, for people and for programs that look at the start only.
        fields = {"boxwood_model": 1, **fields}
        return json.dumps(fields, allow_nan=False, ensure_ascii=False,
                          separators=(",", ":")).encode()


def continuous_features(names: list[str]) -> list[dict[str, Any]]:
    """Return the entries of features that are numbers."""
    return [{"name": name, "kind": "continuous"} for name in names]


def rounded_down(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest float32 at most each threshold.

    No float32 lies between the two, so that `x <= threshold` says the same of every float32 x.
    """
    with np.errstate(over="ignore"):
        nearest = thresholds.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > thresholds, below, nearest).astype(np.float64)


def numbers(values: NDArray[np.float64]) -> list[float | str]:
    """Return numbers for the file; JSON has no infinity, which is written as a word."""
    listed = np.asarray(values, dtype=np.float64).tolist()
    if np.isfinite(values).all():
        return listed
    return [value if np.isfinite(value) else "inf" if value > 0 else "-inf" for value in listed]


def tree_entry(
    *,
    output: int,
    leaf: NDArray[np.bool_],
    leaf_values: NDArray[np.float64],
    feature: NDArray[np.integer],
    threshold: NDArray[np.float64],
    missing_left: NDArray[np.bool_],
    left: NDArray[np.integer],
    right: NDArray[np.integer],
    sets: list[list[int]] | None = None,
    set_of: NDArray[np.integer] | None = None,
) -> dict[str, Any]:
    """Return one tree of the file; all arrays have one entry a node.

    Parameters
    ----------
    output : int
        The output that the leaves add to, or `EVERY_OUTPUT`.
    leaf : array of bool
        Which nodes are leaves.
    leaf_values : array of shape (leaves,) or (leaves, outputs)
        What the leaves add, in the order of the nodes.
    feature, threshold, missing_left, left, right : array
        Of the splits `x <= threshold`; entries of leaves are not used.
    sets : list of list of int, optional
        Rising categories of the splits on categories.
    set_of : array of int, optional
        The index of a split's set, or -1 where it compares a number.

    Returns
    -------
    dict
        An entry of "trees".
    """
    if not np.isfinite(leaf_values).all():
        raise UnsupportedModelError("a leaf of the model holds infinity or NaN",
                                    "Train it again with finite targets and weights")
    width = 1 if leaf_values.ndim == 1 else leaf_values.shape[1]
    in_set = np.zeros(len(leaf), dtype=bool) if set_of is None else ~leaf & (set_of >= 0)
    place = (np.cumsum(leaf) - 1) * width
    value = np.where(leaf, place, -1)
    if set_of is not None:
        value = np.where(in_set, set_of, value)
    kind = np.where(leaf, "leaf", np.where(in_set, "in", "<="))
    entry = {
        "output": output,
        "values": leaf_values.ravel().tolist(),
        "kind": kind.tolist(),
        "feature": np.where(leaf, -1, feature).tolist(),
        "threshold": numbers(np.where(leaf | in_set, 0.0, threshold)),
        "missing_left": (~leaf & missing_left.astype(bool)).tolist(),
        "left": np.where(leaf, -1, left.astype(np.int64)).tolist(),
        "right": np.where(leaf, -1, right.astype(np.int64)).tolist(),
        "value": value.tolist(),
    }
    if sets:
        entry["sets"] = sets
    return entry
