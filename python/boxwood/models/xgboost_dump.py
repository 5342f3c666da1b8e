"""Dumps of XGBoost's trees, text or JSON, as a model file of XGBoost.

A dump has the trees and nothing else: neither the objective nor the intercept nor which output a
tree adds to. With these given, it is a model again. Its numbers have enough digits to be exact.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from boxwood.errors import UnsupportedModelError

SPLIT = re.compile(r"\s*(\d+):\[(.*)\] yes=(\d+),no=(\d+),missing=(\d+)")
LEAF = re.compile(r"\s*(\d+):leaf=([^,\s]+)")
AGAIN = "Make it again with get_dump() or dump_model(path, dump_format=\"json\")"


def xgboost_from_dump(
    dump: str | Sequence[str],
    *,
    base_score: float | Sequence[float],
    objective: str = "reg:squarederror",
    outputs: int = 1,
    parallel_trees: int = 1,
    feature_names: Sequence[str] | None = None,
) -> bytes:
    """Make a model file of XGBoost from a dump of its trees.

    Parameters
    ----------
    dump : str or sequence of str
        The content of the file that `dump_model` writes, as text or as JSON, or the list that
        `get_dump` returns.
    base_score : float or sequence of float
        The model's intercept, which a dump does not contain: `base_score` in the result of
        `save_config()`, under `learner`, `learner_model_param`. For `binary:logistic` it is a
        probability.
    objective : str
        The name of the objective.
    outputs : int
        The number of classes, or of targets. Trees of a round are in the order of the outputs.
    parallel_trees : int
        `num_parallel_tree`.
    feature_names : sequence of str, optional
        The columns of the training data in their order. By default f0, f1, …

    Returns
    -------
    bytes
        For `Explainer`, or for a file that the command reads.

    Raises
    ------
    UnsupportedModelError
        If the dump is damaged, or has something that is not exact in a dump: vector leaves and
        features of the type "i". The weights of dart trees are not in a dump either, which cannot
        be detected.

    Examples
    --------
    >>> model = boxwood.xgboost_from_dump(open("dump.txt").read(), base_score=0.5,
    ...                                   objective="binary:logistic")
    >>> explainer = boxwood.Explainer(model)
    """
    nodes = _parsed(dump)
    if outputs < 1 or parallel_trees < 1 or len(nodes) % (outputs * parallel_trees):
        raise UnsupportedModelError(
            f"{len(nodes)} trees cannot be divided into rounds of {parallel_trees} trees for each "
            f"of {outputs} outputs", "Check outputs and parallel_trees")
    names = _names(nodes, feature_names)
    place = {name: i for i, name in enumerate(names)}
    scores = [base_score] if isinstance(base_score, (int, float)) else list(base_score)
    if not scores or not all(math.isfinite(score) for score in scores):
        raise UnsupportedModelError("base_score is not a finite number", "Give the model's own")
    several = "num_class" if objective.startswith("multi:") else "num_target"
    counts = {"num_class": "0", "num_target": "1"} | {several: str(outputs)}
    base = ",".join(repr(float(score)) for score in scores)
    trees = [_tree(tree, i, place) for i, tree in enumerate(nodes)]
    return json.dumps({"learner": {
        "attributes": {}, "feature_names": names, "feature_types": [],
        "gradient_booster": {"name": "gbtree", "model": {
            "gbtree_model_param": {"num_trees": str(len(trees)),
                                   "num_parallel_tree": str(parallel_trees)},
            "tree_info": [i // parallel_trees % outputs for i in range(len(trees))],
            "trees": trees}},
        "learner_model_param": {"base_score": f"[{base}]" if len(scores) > 1 else base,
                                "num_feature": str(len(names)), **counts},
        "objective": {"name": objective}}}).encode()


def _damaged(tree: int, what: str) -> UnsupportedModelError:
    return UnsupportedModelError(f"tree {tree} of the dump: {what}", AGAIN)


def _parsed(dump: str | Sequence[str]) -> list[dict[int, dict[str, Any]]]:
    """Return the nodes of each tree by number."""
    if not isinstance(dump, str):
        if not dump or not all(isinstance(one, str) for one in dump):
            raise UnsupportedModelError("this is no dump of XGBoost", AGAIN)
        parts = list(dump)
    elif dump.lstrip().startswith("["):
        try:
            parts = json.loads(dump)
        except (ValueError, RecursionError) as error:
            raise UnsupportedModelError(f"this is no dump of XGBoost: {error}", AGAIN) from error
        return [_json_nodes(one, i) for i, one in enumerate(parts)]
    else:
        parts = re.split(r"^booster\[\d+\]:?\s*$", dump, flags=re.MULTILINE)[1:]
        if not parts:
            raise UnsupportedModelError("this is no dump of XGBoost: it has no booster[0]", AGAIN)
    found = []
    for i, part in enumerate(parts):
        if part.lstrip().startswith("{"):
            try:
                found.append(_json_nodes(json.loads(part), i))
            except (ValueError, RecursionError) as error:
                if isinstance(error, UnsupportedModelError):
                    raise
                raise _damaged(i, str(error)) from error
        else:
            found.append(_text_nodes(part, i))
    return found


def _number(text: Any, tree: int) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise _damaged(tree, f"{text!r} is not a number")
    return value


def _text_nodes(part: str, tree: int) -> dict[int, dict[str, Any]]:
    nodes: dict[int, dict[str, Any]] = {}
    for line in part.splitlines():
        if not line.strip():
            continue
        leaf, split = LEAF.match(line), SPLIT.match(line)
        if leaf:
            if leaf[2].startswith("["):
                raise _vectors()
            own = int(leaf[1])
            node: dict[str, Any] = {"leaf": _number(leaf[2], tree)}
        elif split:
            name, condition = _condition(split[2], tree)
            own = int(split[1])
            node = {"split": name, "split_condition": condition, "yes": int(split[3]),
                    "no": int(split[4]), "missing": int(split[5])}
        elif re.match(r"\s*\d+:\[[^<:]*\] yes=", line):
            raise UnsupportedModelError(
                'the dump has features of the type "i", for which it does not say where missing '
                "values go", "Save the model with save_model")
        else:
            raise _damaged(tree, f"the line {line.strip()[:60]!r} is not understood")
        if own in nodes:
            raise _damaged(tree, f"node {own} occurs twice")
        nodes[own] = node
    return nodes


def _condition(text: str, tree: int) -> tuple[str, float | list[int]]:
    sets = re.fullmatch(r"(.*):\{([\d,]*)\}", text, flags=re.DOTALL)
    if sets:
        return sets[1], [int(code) for code in sets[2].split(",") if code]
    name, found, number = text.rpartition("<")
    if not found:
        raise _damaged(tree, f"the condition {text[:60]!r} is not understood")
    return name, _number(number, tree)


def _vectors() -> UnsupportedModelError:
    return UnsupportedModelError("the dump has leaves with several numbers",
                                 "Save the model with save_model")


def _json_nodes(root: Any, tree: int) -> dict[int, dict[str, Any]]:
    nodes: dict[int, dict[str, Any]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict) or not isinstance(node.get("nodeid"), int):
            raise _damaged(tree, "a node has no nodeid")
        if node["nodeid"] in nodes:
            raise _damaged(tree, f"node {node['nodeid']} occurs twice")
        own = dict(node)
        below = own.pop("children", [])
        if "leaf" in own:
            if isinstance(own["leaf"], list):
                raise _vectors()
            own["leaf"] = _number(own["leaf"], tree)
        else:
            condition = own.get("split_condition")
            if not isinstance(own.get("split"), str) or not all(
                    isinstance(own.get(key), int) for key in ("yes", "no", "missing")):
                raise _damaged(tree, f"node {node['nodeid']} is neither a split nor a leaf")
            if isinstance(condition, list):
                if not all(isinstance(code, int) for code in condition):
                    raise _damaged(tree, "a category is not a whole number")
            else:
                own["split_condition"] = _number(condition, tree)
        nodes[node["nodeid"]] = own
        waiting.extend(below if isinstance(below, list) else [None])
    return nodes


def _names(nodes: list[dict[int, dict[str, Any]]], given: Sequence[str] | None) -> list[str]:
    used = {node["split"] for tree in nodes for node in tree.values() if "split" in node}
    if given is not None:
        names = [str(name) for name in given]
    elif all(re.fullmatch(r"f(0|[1-9]\d{0,6})", name) for name in used):
        names = [f"f{i}" for i in range(max((int(name[1:]) for name in used), default=-1) + 1)]
    else:
        raise UnsupportedModelError("the dump has names of columns, but not their order",
                                    "Give feature_names: the columns of the training data")
    unknown = sorted(used - set(names))
    if unknown:
        raise UnsupportedModelError(f"the dump has the column {unknown[0]!r}, which feature_names "
                                    "does not have", "Give the columns of the training data")
    if len(set(names)) != len(names):
        raise UnsupportedModelError("feature_names has a name twice", "Give each column once")
    return names


def _tree(nodes: dict[int, dict[str, Any]], index: int, place: dict[str, int]) -> dict[str, Any]:
    """Return a tree of the file; its nodes are numbered so that siblings follow each other."""
    if 0 not in nodes:
        raise _damaged(index, "it has no node 0")
    order, taken = [0], {0}
    left: list[int] = []
    right: list[int] = []
    default_left: list[int] = []
    split: list[int] = []
    condition: list[float] = []
    kind: list[int] = []
    sets: list[tuple[int, list[int]]] = []
    for own in order:
        node = nodes[own]
        if "leaf" in node:
            for column in (left, right):
                column.append(-1)
            for column in (default_left, split, kind):
                column.append(0)
            condition.append(node["leaf"])
            continue
        # A split on categories says where its set goes by "yes", which is the right child.
        by_set = isinstance(node["split_condition"], list)
        children = [node["no"], node["yes"]] if by_set else [node["yes"], node["no"]]
        for child in children:
            if child not in nodes or child in taken:
                raise _damaged(index, f"node {child} is missing or has two parents")
            taken.add(child)
        if node["missing"] not in children:
            raise _damaged(index, f"missing values of node {own} go to no child of it")
        left.append(len(order))
        right.append(len(order) + 1)
        order += children
        default_left.append(int(node["missing"] == children[0]))
        split.append(place[node["split"]])
        kind.append(int(by_set))
        condition.append(0.0 if by_set else node["split_condition"])
        if by_set:
            sets.append((len(left) - 1, sorted(node["split_condition"])))
    if len(taken) != len(nodes):
        raise _damaged(index, "it has nodes that no split leads to")
    sizes = [len(codes) for _, codes in sets]
    starts = list(itertools.accumulate(sizes, initial=0))[:-1]
    return {"id": index, "tree_param": {"num_nodes": str(len(left)), "size_leaf_vector": "1"},
            "left_children": left, "right_children": right, "default_left": default_left,
            "split_indices": split, "split_conditions": condition,
            "split_type": kind, "categories_nodes": [own for own, _ in sets],
            "categories_segments": starts, "categories_sizes": sizes,
            "categories": [code for _, codes in sets for code in codes]}
