"""Tree models of ydf (Yggdrasil Decision Forests), from a saved folder or a live model.

Values are rounded to float32; `x >= threshold`, a category of the set, or `true` is the positive
side. Scores are float32 sums, tree by tree. ydf has several engines that add up boosted trees in
different orders: its quick scorer, for trees of up to 64 leaves and one output, begins with the
initial prediction, the others end with it. Forests divide each number by the number of trees first.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models import _ydf_files as files
from boxwood.models._ensemble import EQUAL, LESS, LESS_EQUAL, Ensemble, Tree
from boxwood.models._growing import GrowingTree
from boxwood.models._protobuf import DOUBLE, FLOAT, Damaged, Message
from boxwood.models._votes import member

# Numbers of the tasks and of the losses in ydf's messages.
CLASSIFICATION, REGRESSION, RANKING = 1, 2, 3
LOSSES = {1: "BINOMIAL_LOG_LIKELIHOOD", 2: "SQUARED_ERROR", 3: "MULTINOMIAL_LOG_LIKELIHOOD",
          4: "LAMBDA_MART_NDCG5", 5: "XE_NDCG_MART", 6: "BINARY_FOCAL_LOSS", 7: "POISSON",
          8: "MEAN_AVERAGE_ERROR", 9: "LAMBDA_MART_NDCG"}
QUICK_LEAVES = 64  # of a tree, that ydf's quick scorer takes
LARGEST_EXPONENT = 19  # of POISSON; ydf cuts off what is larger, or smaller than -19
GIVE = "Give a model of GradientBoostedTreesLearner, RandomForestLearner or CartLearner"
EXP = "outputs may differ from ydf's in the last digits: it has its own exp"


def converted(model: Any) -> Ensemble:
    """Convert a model of ydf: it is saved to a temporary folder and read from there."""
    if not hasattr(model, "save"):
        raise UnsupportedModelError(f"{type(model).__name__} of ydf is not a fitted model", GIVE)
    with tempfile.TemporaryDirectory(prefix="boxwood-") as folder:
        path = Path(folder) / "model"
        model.save(str(path))
        return read_folder(path)


def read_folder(path: Path) -> Ensemble:
    """Convert a model that ydf saved in a folder."""
    try:
        return _model(files.read_folder(path))
    except Damaged as error:
        raise UnsupportedModelError(f"{path}: the folder of ydf's model is damaged: {error}",
                                    "Save the model again with model.save(path)") from error


def _model(saved: files.Saved) -> Ensemble:
    if saved.kind not in files.HEADERS:
        raise UnsupportedModelError(f"this model of ydf is {saved.kind or 'unknown'}, which is not "
                                    "supported", GIVE)
    task = saved.about.whole(2)
    if task not in (CLASSIFICATION, REGRESSION, RANKING):
        raise UnsupportedModelError("this model of ydf is trained for neither classification nor "
                                    "regression nor ranking", GIVE)
    if 16 in saved.about:
        raise UnsupportedModelError("this model of ydf corrects its predictions afterwards "
                                    "(postprocessors), which is not supported",
                                    "Train it without calibration")
    used = [column for column in saved.about.wholes(5) if column < len(saved.columns)]
    places = {column: place for place, column in enumerate(used)}
    columns = {column: saved.columns[column] for column in used}
    for column in columns.values():
        _check_column(column)
    label = saved.about.whole(3, -1)
    labels: list[str] = []
    if task == CLASSIFICATION:
        if not 0 <= label < len(saved.columns) or len(saved.columns[label].labels) < 3:
            raise Damaged("its label has fewer than two classes")
        labels = saved.columns[label].labels[1:]
    fields: dict[str, Any] = {
        "source": "ydf", "features": [_feature(column) for column in columns.values()],
        "input": "float32", "library": "other"}
    made = _boosted if saved.kind == "GRADIENT_BOOSTED_TREES" else _forest
    return made(saved, _Reader(saved.nodes, columns, places), labels, fields)


def _check_column(column: files.Column) -> None:
    if column.kind not in (files.NUMERICAL, files.CATEGORICAL, files.BOOLEAN, files.DISCRETIZED):
        raise UnsupportedModelError(
            f"the column {column.name} of this model of ydf holds sets, lists, texts or vectors, "
            "which are not supported", "Train it on numbers, categories and booleans")
    if column.kind == files.CATEGORICAL and column.integerized:
        raise UnsupportedModelError(
            f"the categories of {column.name} are numbers without names in this model of ydf",
            "Train it with ydf on the categories as texts")


def _feature(column: files.Column) -> dict[str, Any]:
    if column.kind == files.CATEGORICAL:
        known: list[dict[str, Any]] = [{"code": code, "label": label}
                                       for code, label in enumerate(column.labels[1:])]
        known.append({"code": len(known), "label": "(other)", "others": True})
        return {"name": column.name, "kind": "categorical", "categories": known}
    return {"name": column.name,
            "kind": "integer" if column.kind == files.BOOLEAN else "continuous"}


def _boosted(saved: files.Saved, reader: _Reader, labels: list[str],
             fields: dict[str, Any]) -> Ensemble:
    header = saved.header
    loss = LOSSES.get(header.whole(3))
    if loss is None:
        raise UnsupportedModelError("this model of ydf has a loss that is not supported",
                                    f"Train it with one of {', '.join(LOSSES.values())}")
    base = header.numbers(4, FLOAT)
    each = header.whole(5, 1)
    if each != len(base) or each != (len(labels) if len(labels) > 2 else 1):
        raise Damaged(f"it has {each} trees a round and {len(base)} initial predictions")
    trees = [reader.tree(lambda node: [node.message(2).number(1)], i % each)
             for i in range(_count(header))]
    reader.finish()
    quick = each == 1 and reader.simple and all(
        int((tree.kind == 0).sum()) <= QUICK_LEAVES for tree in trees)
    order = "base_first" if quick else "base_last"
    fields |= {"objective": loss, "trees": trees}
    if len(labels) == 2:
        return _two(base, labels, fields, link="sigmoid", order=order)
    fields |= {"accumulator": "float32", "order": order, "base": base}
    if labels:
        return Ensemble(task="multiclass", link="softmax", classes=labels, notes=[EXP], **fields)
    if loss == "POISSON":
        _refuse_clamped(base[0], trees)
        return Ensemble(task="regression", link="exponential", notes=[EXP], **fields)
    return Ensemble(task="regression", link="identity", **fields)


def _refuse_clamped(base: float, trees: list[Tree]) -> None:
    """Refuse a Poisson model whose sum can reach the limit beyond which ydf does not take exp."""
    lowest = base + sum(float(tree.values.min()) for tree in trees)
    highest = base + sum(float(tree.values.max()) for tree in trees)
    if lowest < -LARGEST_EXPONENT or highest > LARGEST_EXPONENT:
        raise UnsupportedModelError(
            f"scores of this Poisson model of ydf can exceed {LARGEST_EXPONENT}, where ydf cuts "
            "them off", "Train it with fewer trees or a smaller shrinkage")


def _forest(saved: files.Saved, reader: _Reader, labels: list[str],
            fields: dict[str, Any]) -> Ensemble:
    header = saved.header
    count = _count(header)
    winner_takes_all = bool(header.whole(3, 1))

    def values(node: Message) -> list[float]:
        if not labels:
            return [float(np.float32(node.message(2).number(1)) / np.float32(count))]
        vote = node.message(1)
        if winner_takes_all:
            shares = [float(vote.whole(1) == k + 1) for k in range(len(labels))]
        else:
            counts, total = vote.message(2).numbers(1, DOUBLE), vote.message(2).number(2)
            if len(counts) != len(labels) + 1 or not total > 0:
                raise Damaged("a leaf has no number for each class")
            shares = [one / total for one in counts[1:]]
        own = shares[1:] if len(labels) == 2 else shares
        return [float(np.float32(share / count)) for share in own]

    output = -1 if len(labels) > 2 else 0
    trees = [reader.tree(values, output) for _ in range(count)]
    reader.finish()
    fields |= {"objective": "RANDOM_FOREST", "trees": trees}
    if len(labels) == 2:
        return _two([0.0], labels, fields, link="votes", order="base_first")
    fields |= {"accumulator": "float32", "base": [0.0] * max(len(labels), 1)}
    if labels:
        return Ensemble(task="multiclass", link="votes", classes=labels, **fields)
    return Ensemble(task="regression", link="identity", **fields)


def _count(header: Message) -> int:
    count = header.whole(2)
    if count <= 0:
        raise UnsupportedModelError("this model of ydf has no trees", "Train it with num_trees > 0")
    return count


def _two(base: list[float], labels: list[str], fields: dict[str, Any], *, link: str,
         order: str) -> Ensemble:
    """Return a classifier that predicts the second class from a probability of one half on."""
    composition = {"sum": "float32", "divisor": 1.0, "threshold": {"target": 1, "least": 0.5},
                   "members": [member(outputs=1, classes=[0, 1], link=link, task="binary",
                                      accumulator="float32", order=order)]}
    return Ensemble(task="multiclass", link="composed", base=base, classes=labels,
                    composition=json.dumps(composition),
                    notes=[EXP] if link == "sigmoid" else [], **fields)


class _Reader:
    """Takes trees from the list of nodes, one after the other."""

    def __init__(self, nodes: list[Message], columns: dict[int, files.Column],
                 places: dict[int, int]) -> None:
        self._nodes = nodes
        self._columns = columns
        self._places = places
        self._at = 0
        self.simple = True  # no condition that ydf's quick scorer does not take

    def finish(self) -> None:
        """Check that every node belongs to a tree."""
        if self._at != len(self._nodes):
            raise Damaged(f"it has {len(self._nodes)} nodes, and its trees {self._at}")

    def tree(self, values: Any, output: int) -> Tree:
        """Read the next tree; `values` gives the numbers of a leaf."""
        growing = GrowingTree()
        children: dict[int, list[int]] = {}
        waiting = [(-1, 0)]  # the parent's place and the side; the negative child comes first
        while waiting:
            parent, side = waiting.pop()
            if self._at >= len(self._nodes):
                raise Damaged("its nodes are cut off")
            node = self._nodes[self._at]
            self._at += 1
            condition = node.message(3)
            if 3 not in condition:
                own = growing.leaf(values(node))
            else:
                own, positive = self._split(growing, condition)
                children[own] = [-1, -1]
                waiting += [(own, positive), (own, 1 - positive)]
            if parent >= 0:
                children[parent][side] = own
        for own, (left, right) in children.items():
            growing.attach(own, left, right)
        return growing.tree(output)

    def _split(self, growing: GrowingTree, split: Message) -> tuple[int, int]:
        """Add a split; return its place and the side of its positive child, 1 for right."""
        number, test, missing = split.whole(2), split.message(3), bool(split.whole(1))
        if number not in self._columns:
            raise Damaged(f"a condition is on column {number}, which is no feature")
        column, feature = self._columns[number], self._places[number]
        if 2 in test:
            self._expect(column, files.NUMERICAL)
            return growing.split(LESS, feature, test.message(2).number(1), not missing), 1
        if 3 in test:
            self._expect(column, files.BOOLEAN)
            return growing.split(EQUAL, feature, 1.0, missing), 0
        if 4 in test or 5 in test:
            self._expect(column, files.CATEGORICAL)
            found = test.message(4).wholes(1) if 4 in test else _bits(test.message(5).raw(1))
            return growing.split_set(feature, _codes(found, column), missing), 0
        if 6 in test:
            self._expect(column, files.DISCRETIZED)
            return self._bin(growing, feature, column, test.message(6).whole(1), missing), 1
        if 1 in test:
            self.simple = False
            return growing.split(LESS_EQUAL, feature, np.inf, False), 1
        raise UnsupportedModelError(
            "this model of ydf has conditions on several columns at once (oblique splits or "
            "vectors), which are not supported", 'Train it with split_axis="AXIS_ALIGNED"')

    def _bin(self, growing: GrowingTree, feature: int, column: files.Column, place: int,
             missing: bool) -> int:
        if not 1 <= place <= len(column.boundaries):
            raise Damaged(f"a condition is on bin {place} of {column.name}")
        return growing.split(LESS, feature, column.boundaries[place - 1], not missing)

    def _expect(self, column: files.Column, kind: int) -> None:
        if column.kind != kind:
            raise Damaged(f"a condition does not fit the column {column.name}")


def _bits(content: bytes) -> list[int]:
    return np.flatnonzero(np.unpackbits(np.frombuffer(content, np.uint8),
                                        bitorder="little")).tolist()


def _codes(found: list[int], column: files.Column) -> list[int]:
    """Return Boxwood's codes of ydf's: unknown categories are the last, not the first."""
    if any(one >= len(column.labels) for one in found):
        raise Damaged(f"a condition names a category that {column.name} does not have")
    return sorted({one - 1 if one else len(column.labels) - 1 for one in found})
