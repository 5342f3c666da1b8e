"""Ensembles as numpy arrays, on their way to the core or into Boxwood's own model file."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood.errors import UnsupportedModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boxwood import _core

EVERY_OUTPUT = -1

# What a node is; its number in the arrays is its place here.
KINDS = ("leaf", "<", "<=", "==", "in")
LEAF, LESS, LESS_EQUAL, EQUAL, IN_SET = range(5)
ENUMS = {"library": "Library", "task": "Task", "link": "Link", "input": "Precision",
         "accumulator": "Precision", "order": "SumOrder", "link_form": "LinkForm",
         "decision": "Decision"}


@dataclasses.dataclass
class Tree:
    """One tree, docs/formats.md; arrays have one entry a node, and `kind` has places in `KINDS`."""

    output: int
    values: NDArray[np.float64]
    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.int32]
    sets: list[list[int]] = dataclasses.field(default_factory=list)
    missing_at_zero: NDArray[np.bool_] | None = None
    zero_up: NDArray[np.bool_] | None = None
    width: int = 1  # of a member of a composition: the outputs that a leaf adds to

    def arrays(self) -> dict[str, Any]:
        """Return the fields by name, as the core takes them."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}

    def entry(self) -> dict[str, Any]:
        """Return the entry of the model file."""
        given = {key: value for key, value in self.arrays().items()
                 if value is not None and key != "sets" and (key, value) != ("width", 1)}
        entry = {key: value.tolist() if isinstance(value, np.ndarray) else value
                 for key, value in given.items()}
        entry |= {"kind": [KINDS[kind] for kind in self.kind.tolist()],
                  "threshold": numbers(self.threshold)}
        return {**entry, "sets": self.sets} if self.sets else entry


@dataclasses.dataclass
class Ensemble:
    """An ensemble as docs/formats.md describes it; features are entries of the file."""

    source: str
    objective: str
    task: str
    link: str
    features: list[dict[str, Any]]
    base: list[float]
    trees: list[Tree]
    input: str = "float32"
    classes: list[str] = dataclasses.field(default_factory=list)
    divisor: float = 1.0
    steepness: float = 1.0
    decision: str = "output_above_half"
    library: str = "sklearn"
    accumulator: str = "float64"
    order: str = "base_first"
    factor: float = 1.0
    link_form: str = "plain"
    notes: list[str] = dataclasses.field(default_factory=list)
    composition: str = ""  # JSON
    # Not part of a model file: what the trees do not show, so that a file would not say it;
    # features whose categories are those that the encoders of a pipeline know.
    unsaid: str = ""
    encoded: frozenset[int] = frozenset()

    def _fields(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)
                if one.name not in ("unsaid", "encoded")}

    def to_bytes(self) -> bytes:
        """Return the model file."""
        if self.unsaid:
            raise UnsupportedModelError(
                f"pipeline: {self.unsaid}, which a model file does not say",
                "Save it with Explainer.save_model, and its schema with it")
        fields = self._fields() | {"trees": [tree.entry() for tree in self.trees]}
        del fields["composition"]
        if self.composition:
            fields["composition"] = json.loads(self.composition)
        # The version comes first, for people and for programs that look at the start only.
        return json.dumps({"boxwood_model": 1, **fields}, allow_nan=False, ensure_ascii=False,
                          separators=(",", ":")).encode()

    def to_core(self) -> _core.Ensemble:
        """Hand the arrays to the core; the trees are given up one by one to save memory."""
        from boxwood import _core

        fields = self._fields()
        for key, enum in ENUMS.items():
            fields[key] = getattr(_core, enum)[fields[key]]
        fields["features"] = [
            _core.Feature(one["name"], _core.FeatureKind[one["kind"]],
                          [_core.Category(**category) for category in one.get("categories", [])])
            for one in self.features]
        trees, self.trees = self.trees, []
        trees.reverse()
        fields["trees"] = []
        while trees:
            fields["trees"].append(_core.Tree(**trees.pop().arrays()))
        return _core.Ensemble(**fields)

    @classmethod
    def from_core(cls, core: _core.Ensemble) -> Ensemble:
        """Take the arrays of an ensemble of the core's."""
        fields = core.fields()
        fields |= {key: fields[key].name for key in ENUMS}
        fields["features"] = [
            {"name": one.name, "kind": one.kind.name} | ({"categories": [
                {"code": known.code, "label": known.label}
                | ({"others": True} if known.others else {})
                | ({"hashed": True} if known.hashed else {}) for known in one.categories]}
                if one.categories else {}) for one in fields["features"]]
        return cls(trees=[Tree(**core.tree(i)) for i in range(core.tree_count)], **fields)


def restored(ensemble: Ensemble) -> _core.Ensemble:
    """Make an ensemble of the core's from the arrays that a pickle holds; they are checked."""
    return ensemble.to_core()


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


def made_tree(
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
) -> Tree:
    """Return one tree; all arrays have one entry a node.

    `output`: the output that the leaves add to, or `EVERY_OUTPUT`. `leaf_values`: what the leaves
    add, in the order of the nodes. `feature`, `threshold`, `missing_left`, `left`, `right`: of the
    splits `x <= threshold`; entries of leaves are not used. `sets`: the categories of the splits on
    categories, each set ascending. `set_of`: the index of a split's set, or -1 where it compares a
    number.
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
    return Tree(
        output=output,
        values=np.ascontiguousarray(leaf_values, dtype=np.float64).ravel(),
        kind=np.where(leaf, LEAF, np.where(in_set, IN_SET, LESS_EQUAL)).astype(np.uint8),
        feature=np.where(leaf, -1, feature).astype(np.int32),
        threshold=np.where(leaf | in_set, 0.0, threshold),
        missing_left=~leaf & missing_left.astype(bool),
        left=np.where(leaf, -1, left).astype(np.int32),
        right=np.where(leaf, -1, right).astype(np.int32),
        value=value.astype(np.int32),
        sets=sets or [],
    )
