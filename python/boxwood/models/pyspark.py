"""Tree models of Spark ML, from a saved folder or from a model of PySpark, as Boxwood's own file.

Values are doubles; `x <= threshold` goes left, NaN right. A split on categories looks its value up
in the shorter of its two lists: unknown categories and NaN go to the other side. Forests add up
votes or numbers tree by tree. Boosted trees are a dot product of the trees' numbers and weights;
here it is added up in order, as the reference BLAS does.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError, library
from boxwood.models._ensemble import LESS_EQUAL, Ensemble, Tree
from boxwood.models._growing import GrowingTree
from boxwood.models._votes import shared_votes

FORESTS = ("GBTClassificationModel", "GBTRegressionModel", "RandomForestClassificationModel",
           "RandomForestRegressionModel")
ALONE = ("DecisionTreeClassificationModel", "DecisionTreeRegressionModel")
GIVE = f"Give one of {', '.join(FORESTS + ALONE)}, or a PipelineModel that ends in one"
NOTE = "probabilities may differ from Spark's in the last digits: Java has its own exp"


def converted(model: Any) -> Ensemble:
    """Convert a tree model of PySpark, or a pipeline that ends in one.

    It is saved to a temporary folder and read from there, with pyarrow.
    """
    name = type(model).__name__
    if name not in (*FORESTS, *ALONE, "PipelineModel"):
        raise UnsupportedModelError(f"{name} of Spark is not a fitted tree model", GIVE)
    with tempfile.TemporaryDirectory(prefix="boxwood-") as folder:
        model.write().overwrite().save((Path(folder) / "model").as_uri())
        return read_folder(Path(folder) / "model")


def is_folder(path: Path) -> bool:
    """Whether a folder holds something that Spark ML saved."""
    return any(path.glob("metadata/part-*"))


def read_folder(path: Path) -> Ensemble:
    """Convert a model that Spark saved in a folder, or a pipeline that ends in one."""
    about = _metadata(path)
    if _class(about) != "PipelineModel":
        return _model(path, about, None)
    stages = [(stage, _metadata(stage)) for stage in sorted(
        (path / "stages").iterdir(), key=lambda one: int(one.name.partition("_")[0]))
        if is_folder(stage)]
    at = next((i for i, (_, one) in enumerate(stages) if _class(one) in (*FORESTS, *ALONE)), None)
    if at is None:
        raise UnsupportedModelError("this PipelineModel of Spark has no tree model", GIVE)
    return _model(*stages[at], stages[:at])


def _metadata(path: Path) -> dict[str, Any]:
    parts = sorted(path.glob("metadata/part-*"))
    try:
        return json.loads("".join(part.read_text(encoding="utf-8") for part in parts))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UnsupportedModelError(f"{path}: the metadata of Spark's model cannot be read",
                                    "Save the model again") from error


def _class(about: dict[str, Any]) -> str:
    return str(about.get("class", "")).rpartition(".")[2]


def _rows(path: Path) -> list[dict[str, Any]]:
    parquet = library("pyarrow.parquet")
    found = [row for part in sorted(path.glob("part-*.parquet"))
             for row in parquet.read_table(part).to_pylist()]
    if not found:
        raise UnsupportedModelError(f"{path}: the folder of Spark's model has no rows",
                                    "Save the model again, and copy the whole folder")
    return found


def _parameter(about: dict[str, Any], name: str) -> Any:
    return about.get("paramMap", {}).get(name, about.get("defaultParamMap", {}).get(name))


def _model(path: Path, about: dict[str, Any],
           before: list[tuple[Path, dict[str, Any]]] | None) -> Ensemble:
    name = _class(about)
    if name not in (*FORESTS, *ALONE):
        raise UnsupportedModelError(f"{name or 'this folder'} of Spark is not a fitted tree model",
                                    GIVE)
    if _parameter(about, "thresholds"):
        raise UnsupportedModelError(f"this {name} has thresholds, which are not supported",
                                    "Clear them and ask for a probability instead")
    rows = _rows(path / "data")
    if name in ALONE:
        nodes, weights = {0: rows}, [1.0]
    else:
        nodes = {}
        for row in rows:
            nodes.setdefault(row["treeID"], []).append(row["nodeData"])
        trees = sorted(tuple(row.values()) for row in _rows(path / "treesMetadata"))
        weights = [float(row[2]) for row in trees]
    votes = name in ("RandomForestClassificationModel", "DecisionTreeClassificationModel")
    boosted = name.startswith("GBT")

    def values(node: dict[str, Any], tree: int) -> list[float]:
        if not votes:
            return [node["prediction"] * (weights[tree] if boosted else 1.0)]
        counts = np.array(node["impurityStats"], dtype=np.float64)
        # A single tree's raw prediction is its counts; a forest adds up shares of them.
        total = _sum(counts)
        return (counts / total if name in FORESTS and total else counts).tolist()

    made = [_tree(nodes[tree], lambda node, tree=tree: values(node, tree), 0 if not votes else -1)
            for tree in range(len(nodes))]
    labels, features = _names(about, before, nodes)
    fields: dict[str, Any] = {"source": f"Spark {about['sparkVersion']}", "objective": name,
                              "features": features, "input": "float64", "library": "other"}
    classes = labels or [str(k) for k in range(about.get("numClasses", 2))]
    if votes:
        return shared_votes(made, classes, **fields)
    fields |= {"base": [0.0], "trees": made}
    if name == "GBTClassificationModel":
        return Ensemble(task="binary", link="sigmoid", steepness=2.0, notes=[NOTE],
                        decision="score_above_zero", classes=classes, **fields)
    divisor = 1.0 if boosted else float(len(made))
    return Ensemble(task="regression", link="identity", divisor=divisor, **fields)


def _sum(numbers: np.ndarray) -> float:
    total = 0.0  # one after the other, as Scala's sum
    for number in numbers.tolist():
        total += number
    return total


def _tree(nodes: list[dict[str, Any]], values: Any, output: int) -> Tree:
    known = {node["id"]: node for node in nodes}
    growing = GrowingTree()
    waiting = [(0, -1, False)]  # a node, its parent's place, and whether it is the right child
    children: dict[int, list[int]] = {}
    while waiting:
        own, parent, right = waiting.pop()
        node = known[own]
        if node["leftChild"] < 0:
            at = growing.leaf(values(node))
        else:
            at, swapped = _split(growing, node["split"])
            sides = [node["rightChild"], node["leftChild"]]
            below, above = sides[::-1] if not swapped else sides
            waiting += [(above, at, True), (below, at, False)]
            children[at] = [-1, -1]
        if parent >= 0:
            children[parent][right] = at
    for at, (left, right_child) in children.items():
        growing.attach(at, left, right_child)
    return growing.tree(output)


def _split(growing: GrowingTree, split: dict[str, Any]) -> tuple[int, bool]:
    """Add a split; the second result says that its children are swapped."""
    numbers, count = split["leftCategoriesOrThreshold"], split["numCategories"]
    if count < 0:
        return growing.split(LESS_EQUAL, split["featureIndex"], numbers[0], False), False
    left = [int(number) for number in numbers]
    if len(left) <= count // 2:
        return growing.split_set(split["featureIndex"], left, False), False
    others = sorted(set(range(count)) - set(left))
    if not others:  # everything goes left
        return growing.split(LESS_EQUAL, split["featureIndex"], np.inf, True), False
    return growing.split_set(split["featureIndex"], others, False), True


def _names(about: dict[str, Any], before: list[tuple[Path, dict[str, Any]]] | None,
           nodes: dict[int, list[dict[str, Any]]]
           ) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the labels of the classes, if known, and the features."""
    count = about["numFeatures"]
    sizes: dict[int, int] = {}
    for node in (node for several in nodes.values() for node in several):
        if node["leftChild"] >= 0 and node["split"]["numCategories"] >= 0:
            sizes[node["split"]["featureIndex"]] = node["split"]["numCategories"]
    names: list[str] = [f"f{i}" for i in range(count)]
    indexed: dict[str, tuple[str, list[str], bool]] = {}
    if before is not None:
        names = _assembled(about, before, indexed)
        if len(names) != count:
            raise UnsupportedModelError(
                f"this PipelineModel of Spark assembles {len(names)} columns into {count} "
                "features: a column of vectors is among them",
                "Give the tree model alone, with the columns of the vector as its features")
    features = []
    for i, name in enumerate(names):
        own = indexed.get(name)
        if own is not None:
            raw, labels, keeps = own
            known: list[dict[str, Any]] = [{"code": code, "label": label}
                                           for code, label in enumerate(labels)]
            if keeps:
                known.append({"code": len(labels), "label": "(other)", "others": True})
            features.append({"name": raw, "kind": "categorical", "categories": known})
        elif i in sizes:
            features.append({"name": name, "kind": "categorical", "categories": [
                {"code": code, "label": ""} for code in range(sizes[i])]})
        else:
            features.append({"name": name, "kind": "continuous"})
    label = indexed.get(_parameter(about, "labelCol"))
    return label[1] if label else [], features


def _assembled(about: dict[str, Any], before: list[tuple[Path, dict[str, Any]]],
               indexed: dict[str, tuple[str, list[str], bool]]) -> list[str]:
    """Return the columns of the model's vector; put those of StringIndexer into `indexed`."""
    wanted = _parameter(about, "featuresCol")
    assembled: dict[str, list[str]] = {}
    for path, stage in before:
        kind = _class(stage)
        if kind == "StringIndexerModel":
            outputs = _parameter(stage, "outputCols") or [_parameter(stage, "outputCol")]
            inputs = _parameter(stage, "inputCols") or [_parameter(stage, "inputCol")]
            row = _rows(path / "data")[0]
            tables = row.get("labelsArray") or [row["labels"]]
            keeps = _parameter(stage, "handleInvalid") == "keep"
            for output, raw, labels in zip(outputs, inputs, tables, strict=True):
                indexed[output] = (raw, labels, keeps)
        elif kind == "VectorAssembler":
            assembled[_parameter(stage, "outputCol")] = list(_parameter(stage, "inputCols"))
        else:
            raise UnsupportedModelError(
                f"this PipelineModel of Spark has a {kind}, which is not supported",
                "Give the tree model alone: it explains the vectors that the steps make")
    if wanted not in assembled:
        raise UnsupportedModelError(
            f'this PipelineModel of Spark has no VectorAssembler that makes "{wanted}"',
            "Give the tree model alone")
    return assembled[wanted]
