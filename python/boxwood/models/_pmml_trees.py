"""Turns the nodes of a PMML tree, which have any number of children, into splits.

A node's children are tried in order, and the first whose predicate is true is taken. Here each try
is a split, unless what is known of the row decides it. Predicates of a missing value are unknown;
the model's missingValueStrategy says what happens then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import EVERY_OUTPUT, LESS, LESS_EQUAL, Tree
from boxwood.models._growing import GrowingTree

STRATEGIES = ("none", "nullPrediction", "defaultChild", "lastPrediction")
PREDICATES = ("True", "False", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate")
MOST_NODES = 1_000_000


@dataclass(frozen=True)
class Field:
    """A field of the data: its categories, or None for numbers, and the precision of numbers."""

    name: str
    place: int
    labels: list[str] | None
    whole: bool
    precision: str

    def entry(self) -> dict[str, Any]:
        """Return the entry of the model file."""
        if self.labels is not None:
            return {"name": self.name, "kind": "categorical", "categories": [
                {"code": code, "label": label} for code, label in enumerate(self.labels)]}
        return {"name": self.name, "kind": "integer" if self.whole else "continuous"}


@dataclass(frozen=True)
class Values:
    """What is known of a value: it may be a number from low to high or a code, or missing."""

    low: float = -np.inf
    high: float = np.inf
    codes: frozenset[int] = frozenset()
    present: bool = True
    missing: bool = True


@dataclass(frozen=True)
class Test:
    """A predicate: `x <= threshold`, a code in a set, or missing; or its contrary."""

    field: Field | None
    kind: str  # "always", "number", "codes" or "missing"
    threshold: float = 0.0
    codes: frozenset[int] = frozenset()
    contrary: bool = False


class Grower:
    """Makes trees; `incomplete` says that some rows with missing values have no prediction."""

    def __init__(self, fields: dict[str, Field], precision: str) -> None:
        self._fields = fields
        self._kind = np.float32 if precision == "float32" else np.float64
        self.incomplete = False

    def tree(self, model: Any, values: Callable[[Any], list[float]], width: int) -> Tree:
        """Return a tree model; `values` gives the `width` numbers of a node that is a leaf."""
        strategy = model.get("missingValueStrategy", "none")
        if strategy not in STRATEGIES:
            raise UnsupportedModelError(
                f"this PMML file treats missing values by {strategy}, which is not supported",
                f"Use one of {', '.join(STRATEGIES)}")
        self._strategy = strategy
        self._last = model.get("noTrueChildStrategy") == "returnLastPrediction"
        self._values, self._width = values, width
        self._growing = GrowingTree()
        self._count = 0
        root = model.find("Node")
        first = self._tests(root)[0]
        if first.kind != "always" or first.contrary:
            raise UnsupportedModelError("this PMML file has a tree that does not take all rows",
                                        "Write it with <True/> at the root")
        known = {field.name: Values(codes=frozenset(range(len(field.labels or []))))
                 for field in self._fields.values()}
        self._node(root, known)
        return self._growing.tree(0 if width == 1 else EVERY_OUTPUT)

    def _tests(self, node: Any) -> list[Test]:
        """Return a node's test, and those that are tried in turn while the value is missing."""
        found = next(one for one in node if one.tag in PREDICATES)
        if found.tag != "CompoundPredicate":
            return [self._test(found)]
        operator = found.get("booleanOperator")
        parts = [one for one in found if one.tag in PREDICATES]
        if operator != "surrogate" or any(one.tag == "CompoundPredicate" for one in parts):
            raise UnsupportedModelError(
                f"this PMML file has a compound predicate ({operator}), which is not supported",
                "Write it with simple predicates or surrogates")
        return [self._test(one) for one in parts]

    def _test(self, found: Any) -> Test:
        if found.tag in ("True", "False"):
            return Test(None, "always", contrary=found.tag == "False")
        field = self._fields.get(found.get("field"))
        if field is None:
            raise UnsupportedModelError(
                f'this PMML file splits the field "{found.get("field")}", which is derived from '
                "others or not active", "Write it without transformations")
        operator = found.get("operator") or found.get("booleanOperator")
        if operator in ("isMissing", "isNotMissing"):
            return Test(field, "missing", contrary=operator == "isNotMissing")
        if field.labels is not None:
            texts = [found.get("value")] if found.tag == "SimplePredicate" else _words(found)
            codes = frozenset(i for i, label in enumerate(field.labels) if label in texts)
            if operator not in ("equal", "notEqual", "isIn", "isNotIn"):
                raise _operator(operator, field)
            return Test(field, "codes", codes=codes, contrary=operator in ("notEqual", "isNotIn"))
        number = self._kind(found.get("value")) if found.tag == "SimplePredicate" else np.nan
        below = float(np.nextafter(number, self._kind(-np.inf)))
        if operator not in ("lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual"):
            raise _operator(operator, field)
        strict = operator in ("lessThan", "greaterOrEqual")
        return Test(field, "number", below if strict else float(number),
                    contrary=operator.startswith("greater"))

    def _leaf(self, node: Any | None) -> int:
        if node is None:
            self.incomplete = True  # any number: the rows that come here are said to have none
            return self._growing.leaf([0.0] * self._width)
        return self._growing.leaf(self._values(node))

    def _node(self, node: Any, known: dict[str, Values]) -> int:
        children = node.findall("Node")
        if not children:
            return self._leaf(node)
        return self._children(node, children, 0, known)

    def _children(self, node: Any, children: list[Any], at: int, known: dict[str, Values],
                  surrogate: int = 0) -> int:
        """Add what happens from the child at a place on; return the place of its root.

        `surrogate` is the place of the test that decides about this child.
        """
        self._count += 1
        if self._count > MOST_NODES:
            raise UnsupportedModelError("this PMML file takes more than a million splits",
                                        "Convert the model of the library itself")
        if at == len(children):
            if self._last:
                return self._leaf(node)
            if all(values.present for values in known.values()):
                raise UnsupportedModelError(
                    "this PMML file has no prediction for some rows without missing values",
                    'Write it with noTrueChildStrategy="returnLastPrediction"')
            return self._leaf(None)
        tests = self._tests(children[at])
        test = tests[surrogate]

        def enter(now: dict[str, Values]) -> int:
            return self._node(children[at], now)

        def go_on(now: dict[str, Values]) -> int:
            return self._children(node, children, at + 1, now)

        if test.field is None:
            return go_on(known) if test.contrary else enter(known)
        field, values = test.field, known[test.field.name]
        missing = self._if_missing(test, node, children[at], enter, go_on) \
            if surrogate + 1 == len(tests) else \
            (lambda now: self._children(node, children, at, now, surrogate + 1))
        if not values.present:
            return missing(known)
        inside, outside = _parts(test, values)
        yes, no = (enter, go_on) if not test.contrary else (go_on, enter)

        def present(part: Values, takes: bool) -> dict[str, Values]:
            return {**known, field.name: replace(part, missing=takes and values.missing)}

        if inside is not None and outside is not None and (
                not values.missing or missing in (enter, go_on)):
            left = missing is yes
            place = self._growing.split(LESS_EQUAL, field.place, test.threshold, left) \
                if test.kind == "number" else \
                self._growing.split_set(field.place, sorted(inside.codes), left)
            self._growing.attach(place, yes(present(inside, left)), no(present(outside, not left)))
            return place
        if values.missing and missing is not (yes if outside is None else no):
            # No number is below minus infinity: only missing values go left.
            place = self._growing.split(LESS, field.place, -np.inf, True) \
                if field.labels is None else \
                self._growing.split_set(field.place, range(len(field.labels)), False)
            absent = {**known, field.name: replace(values, present=False)}
            rest = {**known, field.name: replace(values, missing=False)}

            def again() -> int:
                return self._children(node, children, at, rest, surrogate)

            if field.labels is None:
                self._growing.attach(place, missing(absent), again())
            else:
                left_side = again()
                self._growing.attach(place, left_side, missing(absent))
            return place
        return yes(known) if outside is None else no(known)

    def _if_missing(self, test: Test, node: Any, child: Any, enter: Any, go_on: Any) -> Any:
        """Return what a missing value does: it enters the child, goes on, or ends here."""
        if test.kind == "missing":
            return go_on if test.contrary else enter
        if self._strategy == "defaultChild" and node.get("defaultChild") is not None:
            return enter if node.get("defaultChild") == child.get("id") else go_on
        if self._strategy == "lastPrediction":
            return lambda known: self._leaf(node)
        if self._strategy == "nullPrediction":
            self.incomplete = True  # such rows have no prediction: they may go anywhere
        return go_on


def _parts(test: Test, values: Values) -> tuple[Values | None, Values | None]:
    """Split present values by the test itself, not its contrary; None for nothing."""
    if test.kind == "missing":
        return None, values
    if test.kind == "number":
        if values.high <= test.threshold:
            return values, None
        if values.low >= test.threshold:
            return None, values
        return replace(values, high=test.threshold), replace(values, low=test.threshold)
    inside, outside = values.codes & test.codes, values.codes - test.codes
    return (replace(values, codes=inside) if inside else None,
            replace(values, codes=outside) if outside else None)


def words_of(model: Any, name: str) -> list[str]:
    """List the categories of a field that the predicates of a model name."""
    found = set()
    for predicate in model.iter():
        if predicate.get("field") == name:
            if predicate.tag == "SimplePredicate" and predicate.get("value") is not None:
                found.add(predicate.get("value"))
            elif predicate.tag == "SimpleSetPredicate":
                found |= set(_words(predicate))
    return sorted(found)


def _words(predicate: Any) -> list[str]:
    text = predicate.find("Array").text or ""
    found, word, quoted, some = [], "", False, False
    escaped = False
    for letter in text:
        if escaped:
            word, escaped = word + letter, False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted, some = not quoted, True
        elif letter.isspace() and not quoted:
            if word or some:
                found.append(word)
            word, some = "", False
        else:
            word += letter
    return [*found, word] if word or some else found


def _operator(operator: str, field: Field) -> UnsupportedModelError:
    return UnsupportedModelError(
        f'this PMML file tests the field "{field.name}" by {operator}, which is not supported',
        "Convert the model of the library itself")
