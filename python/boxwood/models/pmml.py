"""PMML files with trees, as JPMML's converters and R's exporters write them.

The reference is JPMML's evaluator. Read are tree models, their averages and sums, and chains that
end in a logistic or softmax regression model of such sums. `_pmml_trees` turns nodes with any
number of children into splits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble, Tree
from boxwood.models._pmml_trees import Field, Grower, words_of
from boxwood.models._votes import from_half

HOLDERS = ("Header", "DataDictionary", "TransformationDictionary", "MiningBuildTask", "Extension")
NO_PREDICTION = "this model has no prediction for some rows with missing values: give all values"
NOTE = "outputs may differ from JPMML's in the last digits: Java has its own exp"
TIE = 2.0**-20  # of a vote
OTHER = "Convert the model of the library itself"


@dataclass
class Sum:
    """Trees of one output, or of all classes, and what is done with their sum."""

    trees: list[Tree]
    divisor: float = 1.0
    factor: float = 1.0
    base: float = 0.0


def recognised(head: bytes) -> bool:
    """Whether these are the first bytes of a PMML file."""
    start = re.match(rb"(\xef\xbb\xbf)?\s*(<\?xml|<!--|<PMML)", head)
    return start is not None and b"<PMML" in head


def read(content: bytes) -> Ensemble:
    """Convert a PMML file.

    Raises
    ------
    UnsupportedModelError
        If the file is damaged, or its model is not supported.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnsupportedModelError("this PMML file declares entities, which is not supported",
                                    "Write it without a document type")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UnsupportedModelError(f"this PMML file is damaged ({error})",
                                    "Write it again") from error
    for element in root.iter():  # without the name space, which tells the version
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    try:
        return _Document(root).ensemble()
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, StopIteration,
            RecursionError) as error:
        if isinstance(error, UnsupportedModelError):
            raise
        raise UnsupportedModelError(f"this PMML file is not complete ({error!r})",
                                    "Write it again") from error


class _Document:
    def __init__(self, root: Any) -> None:
        self.model = next((child for child in root if child.tag not in HOLDERS), None)
        if self.model is None or self.model.tag not in ("TreeModel", "MiningModel"):
            name = "nothing" if self.model is None else self.model.tag
            raise _refused(f"holds {name}, not trees", OTHER)
        self.single = self.model.get("x-mathContext", "double") == "float"
        dictionary = {one.get("name"): one for one in root.findall("DataDictionary/DataField")}
        schema = self.model.findall("MiningSchema/MiningField")
        targets = [one.get("name") for one in schema
                   if one.get("usageType") in ("target", "predicted")]
        self.classes = [value.attrib["value"] for name in targets
                        for value in dictionary[name].findall("Value")]
        active = [one for one in schema if one.get("usageType", "active") == "active"]
        types = {dictionary[one.get("name")].get("dataType") for one in active}
        self.precision = "float32" if "float" in types else "float64"
        if {"float", "double"} <= types:
            raise _refused("has both float and double fields", OTHER)
        self.fields: dict[str, Field] = {}
        for one in active:
            field = _field(one, dictionary[one.get("name")], len(self.fields), self.precision,
                           self.model)
            if field is not None:
                self.fields[field.name] = field
        self.grower = Grower(self.fields, self.precision)

    def ensemble(self) -> Ensemble:
        """Return the model of the document."""
        model = self.model
        assert model is not None
        segmentation = model.find("Segmentation")
        fields: dict[str, Any] = {
            "source": "PMML", "objective": model.get("algorithmName") or model.tag,
            "library": "other", "input": self.precision, "order": "base_last",
            "accumulator": "float32" if self.single else "float64",
            "features": [field.entry() for field in self.fields.values()]}
        if segmentation is not None and segmentation.get("multipleModelMethod") == "modelChain":
            made = self._chain(segmentation, fields)
        elif model.get("functionName") == "regression":
            total = self._sum(model)
            made = Ensemble(task="regression", link="identity", base=[total.base],
                            trees=total.trees, divisor=total.divisor, factor=total.factor, **fields)
        elif segmentation is not None and segmentation.get("multipleModelMethod") == "majorityVote":
            made = self._majority(model, fields)
        else:
            total = self._votes(model)
            made = Ensemble(task="multiclass", link="votes", classes=self.classes,
                            base=[0.0] * len(self.classes), trees=total.trees,
                            divisor=total.divisor, **fields)
        if self.grower.incomplete:
            made.notes.append(NO_PREDICTION)
        return made

    def _rounded(self, text: str) -> float:
        """Return a number of the model in the type of its arithmetic."""
        return float(np.float32(text)) if self.single else float(text)

    def _number(self, node: Any) -> list[float]:
        return [self._rounded(node.get("score"))]

    def _segments(self, model: Any, methods: dict[str, bool]) -> tuple[list[Any], float]:
        """Return the tree models of an average or a sum, and what their sum is divided by."""
        if model.tag == "TreeModel":
            return [model], 1.0
        method = model.find("Segmentation").get("multipleModelMethod")
        if model.tag != "MiningModel" or method not in methods:
            raise _refused(f"combines models by {method}, which is not supported", OTHER)
        found = []
        for segment in model.findall("Segmentation/Segment"):
            if segment.find("True") is None or segment.find("TreeModel") is None:
                raise _refused("has a segment that is not a tree for all rows", OTHER)
            if float(segment.get("weight", "1")) != 1:
                raise _refused("has segments with weights", OTHER)
            found.append(segment.find("TreeModel"))
        return found, float(len(found)) if methods[method] else 1.0

    def _sum(self, model: Any, output: int = 0) -> Sum:
        parts, divisor = self._segments(model, {"average": True, "sum": False})
        for part in parts:
            if part is not model and part.find("Targets") is not None:
                raise _refused("rescales the numbers of single trees", OTHER)
        trees = [self.grower.tree(part, self._number, 1) for part in parts]
        for tree in trees:
            tree.output = output
        made = Sum(trees, divisor)
        for target in model.findall("Targets/Target"):
            if set(target.attrib) - {"field", "rescaleConstant", "rescaleFactor"}:
                raise _refused("limits or rounds its prediction (Targets)", OTHER)
            made.base = self._rounded(target.get("rescaleConstant", "0"))
            made.factor = self._rounded(target.get("rescaleFactor", "1"))
        if made.factor <= 0:
            raise _refused("multiplies its prediction by a number that is not positive", OTHER)
        return made

    def _votes(self, model: Any) -> Sum:
        if len(self.classes) < 2:
            raise _refused("does not list its classes", "Write the values of the target")
        parts, divisor = self._segments(model, {"average": True})
        alone = model.tag == "TreeModel"

        def shares(node: Any) -> list[float]:
            counts = {one.get("value"): float(one.get("probability") or one.get("recordCount"))
                      for one in node.findall("ScoreDistribution")}
            if not counts:
                raise _refused("has leaves without a distribution of classes", OTHER)
            given = all(one.get("probability") for one in node.findall("ScoreDistribution"))
            total = 1.0 if given else sum(counts.values())
            found = [counts.get(label, 0.0) / total for label in self.classes]
            if alone and self.classes[int(np.argmax(found))] != node.get("score"):
                raise _refused("predicts a class that is not the most frequent in a leaf", OTHER)
            return found

        return Sum([self.grower.tree(part, shares, len(self.classes)) for part in parts], divisor)

    def _majority(self, model: Any, fields: dict[str, Any]) -> Ensemble:
        """Convert a vote between two classes; a tie goes to the class that was voted for first."""
        if len(self.classes) != 2:
            raise _refused("takes a majority vote of several classes, whose ties go to the class "
                           "that was voted for first", 'Write it with "average"')
        parts, _ = self._segments(model, {"majorityVote": False})
        trees: list[Any] = []
        for part in parts:
            weight = 1.0 if trees else 1.0 + TIE  # the first tree decides a tie

            def vote(node: Any, weight: float = weight) -> list[float]:
                return [weight * (label == node.get("score")) for label in self.classes]

            trees.append(self.grower.tree(part, vote, 2))
        return Ensemble(task="multiclass", link="winner", classes=self.classes, base=[0.0, 0.0],
                        trees=trees, **fields)

    def _chain(self, segmentation: Any, fields: dict[str, Any]) -> Ensemble:
        segments = segmentation.findall("Segment")
        last = segments[-1].find("RegressionModel")
        if last is None or last.get("functionName") != "classification":
            raise _refused("chains models in a way that is not supported", OTHER)
        inside = [segment.find("MiningModel") for segment in segments[:-1]]
        names = {model.find("Output/OutputField").get("name"): model for model in inside}
        tables = last.findall("RegressionTable")
        used = [[one.get("name") for one in table.findall("NumericPredictor")] for table in tables]
        plain = all(float(table.get("intercept")) == 0 for table in tables) and all(
            float(one.get("coefficient")) == 1 for table in tables
            for one in table.findall("NumericPredictor"))
        labels = [table.attrib["targetCategory"] for table in tables]
        method = last.get("normalizationMethod")
        if method == "logit" and len(tables) == 2 and plain and len(used[0]) == 1 and not used[1]:
            # The first table's class has the probability, and it wins a tie.
            total = self._sum(names[used[0][0]])
            return from_half(total.trees, total.base, labels[::-1], divisor=total.divisor,
                             factor=total.factor, notes=[NOTE], **fields)
        if method == "softmax" and plain and all(len(one) == 1 for one in used):
            totals = [self._sum(names[one[0]], place) for place, one in enumerate(used)]
            if len({(one.divisor, one.factor) for one in totals}) > 1:
                raise _refused("rescales its classes differently", OTHER)
            return Ensemble(task="multiclass", link="softmax", classes=labels, notes=[NOTE],
                            base=[one.base for one in totals],
                            trees=[tree for one in totals for tree in one.trees],
                            divisor=totals[0].divisor, factor=totals[0].factor, **fields)
        raise _refused(f"ends in a regression model with {method}, which is not supported", OTHER)


def _refused(reason: str, remedy: str) -> UnsupportedModelError:
    return UnsupportedModelError(f"this PMML file {reason}", remedy)


def _field(schema: Any, declared: Any, place: int, precision: str, model: Any) -> Field | None:
    """Read the declaration of a field; None if it has categories and none of them is named."""
    name = schema.attrib["name"]
    for key in ("missingValueReplacement", "outliers"):
        if schema.get(key) not in (None, "asIs"):
            raise _refused(f'replaces values of the field "{name}" ({key})',
                           "Write the file without it")
    if declared.get("dataType") not in ("float", "double", "integer", "string", "boolean"):
        raise _refused(f'has the field "{name}" of type {declared.get("dataType")}', OTHER)
    labels = None
    if declared.get("optype") != "continuous":
        labels = [value.attrib["value"] for value in declared.findall("Value")
                  if value.get("property", "valid") == "valid"]
        if not labels:  # R's exporter lists them for some kinds of models only
            labels = words_of(model, name)
        if not labels:
            return None
    return Field(name, place, labels, declared.get("dataType") == "integer", precision)
