"""Treelite's models, checkpoints and JSON dumps, as Boxwood's own model file.

The reference is GTIL, Treelite's own prediction. A model has float32 or float64 thresholds, and
values and sums have the same type. Trees are added in order from zero, divided by their number in
forests, and the base scores come last. A category is the whole part of a number; NaN goes to the
default side.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError, library
from boxwood.models._ensemble import EQUAL, EVERY_OUTPUT, LESS, LESS_EQUAL, Ensemble, Tree
from boxwood.models._growing import GrowingTree

# By operator: the kind of the split, and whether its children are swapped.
OPERATORS = {"<": (LESS, False), "<=": (LESS_EQUAL, False), ">": (LESS_EQUAL, True),
             ">=": (LESS, True), "==": (EQUAL, False)}
# By task and postprocessor: task and link of the model file.
LINKS = {
    ("kRegressor", "identity"): ("regression", "identity"),
    ("kRegressor", "exponential"): ("regression", "exponential"),
    ("kRegressor", "sigmoid"): ("regression", "sigmoid"),
    ("kRegressor", "signed_square"): ("regression", "square"),
    ("kRegressor", "logarithm_one_plus_exp"): ("regression", "softplus"),
    ("kLearningToRank", "identity"): ("regression", "identity"),
    ("kBinaryClf", "sigmoid"): ("binary", "sigmoid"),
    ("kMultiClf", "softmax"): ("multiclass", "softmax"),
    ("kMultiClf", "identity_multiclass"): ("multiclass", "votes"),
    ("kMultiClf", "multiclass_ova"): ("multiclass", "sigmoid"),
}
FLOATS = {"float32": 2, "float64": 3}  # in a checkpoint
NOTE = "Treelite has no classes: the class is that of the largest probability"


def converted(model: Any) -> Ensemble:
    """Convert a `treelite.Model` of any frontend."""
    if not hasattr(model, "dump_as_json"):
        raise UnsupportedModelError(f"{type(model).__name__} is not a treelite.Model",
                                    "Give a treelite.Model, a checkpoint or a JSON dump")
    return _of_dump(json.loads(model.dump_as_json(pretty_print=False)))


def recognised(head: bytes) -> bool:
    """Whether these are the first bytes of a checkpoint or a JSON dump."""
    if head[:1] == b"{":
        return b'"threshold_type"' in head and b'"leaf_output_type"' in head
    return (len(head) > 13 and head[0] in (3, 4) and head[1:4] == bytes(3)
            and head[5:8] == bytes(3) and head[9:12] == bytes(3)
            and head[12] == head[13] and head[12] in FLOATS.values())


def read(content: bytes) -> Ensemble:
    """Convert a JSON dump, or a checkpoint, which only Treelite itself reads."""
    if content[:1] == b"{":
        try:
            return _of_dump(json.loads(content))
        except (json.JSONDecodeError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise UnsupportedModelError(f"this dump of Treelite is damaged ({error!r})",
                                        "Write it again with model.dump_as_json()") from error
    return converted(library("treelite").Model.deserialize_bytes(content))


def _of_dump(dump: dict[str, Any]) -> Ensemble:
    made = LINKS.get((dump["task_type"], dump["postprocessor"]))
    if made is None:
        raise UnsupportedModelError(
            f"a Treelite model with the task {dump['task_type']} and the postprocessor "
            f"{dump['postprocessor']} is not supported", "Give the model of the library itself")
    if dump["num_target"] != 1:
        raise UnsupportedModelError("a Treelite model with several targets is not supported",
                                    "Convert one model for each target")
    precision = dump["threshold_type"]
    if precision != dump["leaf_output_type"] or precision not in FLOATS:
        raise UnsupportedModelError(
            f"a Treelite model with {precision} thresholds and {dump['leaf_output_type']} leaves "
            "is not supported", "Give the model of the library itself")
    if precision == "float64" and dump["postprocessor"] == "softmax":
        raise UnsupportedModelError(
            "a Treelite model of float64 numbers with a softmax is not supported: Treelite "
            "computes it partly in float32",
            "Give the model of the library itself, for example LightGBM")
    outputs = dump["num_class"][0]
    base = [float(score) for score in dump["base_scores"][:outputs]]
    if precision == "float32" and any(score != float(np.float32(score)) for score in base):
        raise UnsupportedModelError(
            "a Treelite model of float32 numbers with a double base score is not supported: the "
            "two are added in double", "Give the model of the library itself, for example XGBoost")
    categories: dict[int, set[int]] = {}
    trees = [_tree(tree["nodes"], EVERY_OUTPUT if place < 0 else place, categories)
             for tree, place in zip(dump["trees"], dump["class_id"], strict=True)]
    task, link = made
    return Ensemble(
        source="Treelite", objective=f"{dump['task_type']}, {dump['postprocessor']}", task=task,
        link=link, library="other", input=precision, accumulator=precision, order="base_last",
        base=base, trees=trees,
        divisor=float(len(trees)) if dump["average_tree_output"] and trees else 1.0,
        steepness=float(dump["sigmoid_alpha"]) if link == "sigmoid" else 1.0,
        notes=[NOTE] if task != "regression" else [],
        features=[_feature(i, categories) for i in range(dump["num_feature"])])


def _feature(place: int, categories: dict[int, set[int]]) -> dict[str, Any]:
    if place not in categories:
        return {"name": f"f{place}", "kind": "continuous"}
    return {"name": f"f{place}", "kind": "categorical", "categories": [
        {"code": code, "label": ""} for code in sorted(categories[place])]}


def _tree(nodes: list[dict[str, Any]], output: int, categories: dict[int, set[int]]) -> Tree:
    known = {node["node_id"]: node for node in nodes}
    growing = GrowingTree()
    children: dict[int, list[int]] = {}
    up: list[int] = []  # splits on categories
    waiting = [(nodes[0]["node_id"], -1, False)]
    while waiting:
        own, parent, right = waiting.pop()
        node = known.pop(own)  # a node has one parent
        if "leaf_value" in node:
            value = node["leaf_value"]
            at = growing.leaf(value if isinstance(value, list) else [value])
        else:
            at, swapped = _split(growing, node, categories)
            if node["node_type"] == "categorical_test_node":
                up.append(at)
            sides = [node["left_child"], node["right_child"]]
            left, other = sides[::-1] if swapped else sides
            waiting += [(other, at, True), (left, at, False)]
            children[at] = [-1, -1]
        if parent >= 0:
            children[parent][right] = at
    for at, (left, other) in children.items():
        growing.attach(at, left, other)
    made = growing.tree(output)
    if up:  # negative numbers are no category, not even those above -1
        made.zero_up = np.isin(np.arange(len(made.kind)), up)
    return made


def _split(growing: GrowingTree, node: dict[str, Any],
           categories: dict[int, set[int]]) -> tuple[int, bool]:
    feature, default = node["split_feature_id"], bool(node["default_left"])
    if node["node_type"] == "numerical_test_node":
        kind, swapped = OPERATORS[node["comparison_op"]]
        return growing.split(kind, feature, node["threshold"], default != swapped), swapped
    swapped = bool(node["category_list_right_child"])
    members = [int(code) for code in node["category_list"]]
    categories.setdefault(feature, set()).update(members)
    return growing.split_set(feature, members, default != swapped), swapped
