"""Classifiers whose decision a plain model file cannot say: compositions with one member."""

from __future__ import annotations

import json
from typing import Any

from boxwood.models._ensemble import EVERY_OUTPUT, Ensemble, Tree


def shared_votes(trees: list[Tree], labels: list[str], **fields: Any) -> Ensemble:
    """Return a classifier that adds up votes and predicts the first largest sum.

    The probability of a class is its share of all votes. Sums are compared before they are divided,
    so that this is a composition (docs/formats.md) with one member. `trees` have one number for
    each class; `fields` are further ones of the ensemble.
    """
    for tree in trees:
        if tree.output == EVERY_OUTPUT:
            tree.output, tree.width = 0, len(labels)
    composition = {"sum": "float64", "divisor": 1.0, "normalised": True,
                   "members": [member(outputs=len(labels), classes=list(range(len(labels))),
                                       link="votes", task="multiclass")]}
    return Ensemble(task="multiclass", link="composed", base=[0.0] * len(labels), trees=trees,
                    classes=labels, composition=json.dumps(composition), **fields)


def from_half(trees: list[Tree], base: float, labels: list[str], *, accumulator: str, order: str,
              factor: float, divisor: float, **fields: Any) -> Ensemble:
    """Return a logistic classifier that predicts class 1 from a probability of one half on."""
    composition = {"sum": accumulator, "divisor": 1.0, "threshold": {"target": 1, "least": 0.5},
                   "members": [member(outputs=1, classes=[0, 1], link="sigmoid", task="binary",
                                       accumulator=accumulator, order=order, factor=factor,
                                       divisor=divisor)]}
    return Ensemble(task="multiclass", link="composed", base=[base], trees=trees, classes=labels,
                    composition=json.dumps(composition), **fields)


def member(**fields: Any) -> dict[str, Any]:
    """Return a member of a composition; fields that are not given are those of a plain model."""
    return {"response": "probability", "weight": 1.0, "calibrations": [], "accumulator": "float64",
            "order": "base_first", "factor": 1.0, "divisor": 1.0, "link_form": "plain",
            "steepness": 1.0, "decision": "output_above_half", **fields}
