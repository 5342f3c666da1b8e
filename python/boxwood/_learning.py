"""What a column of training data says of a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boxwood._columns import label_text
from boxwood._tables import Column, is_number
from boxwood.errors import Error
from boxwood.schema import Feature, UnsaidKind


def keep_places(place: str, given: Sequence[str], own: Sequence[str], whose: str) -> None:
    """Refuse labels that are known as those of other codes.

    Parameters
    ----------
    place : str
        Names the argument in errors.
    given : sequence of str
        The labels of codes 0, 1, ….
    own : sequence of str
        Those that are known.
    whose : str
        Who knows them.
    """
    codes = {label: code for code, label in enumerate(own)}
    for code, label in enumerate(given):
        if codes.get(label, code) != code:
            raise Error(place, f'"{label}" is category {codes[label]} of the {whose}, not {code}',
                        "Keep that order, or give other names")


def learn(feature: Feature, column: Column, model_kind: str, place: str, number: bool = False,
          by_value: bool = False, named: bool = False) -> list[Any] | None:
    """Complete what is known of a feature by what a column of data says.

    Parameters
    ----------
    feature : Feature
        With what the model says; kind, labels and range are set.
    column : Column
        The data.
    model_kind : str
        The kind that the model gives.
    place : str
        Names the argument in errors.
    number : bool
        A schema says that it is a number: the data gives it no labels.
    by_value : bool
        The model reads a category that is a number as that number.
    named : bool
        The model itself knows the names of its categories, whatever their order in the data.

    Returns
    -------
    list or None
        The original values of the labels, where the data has them.
    """
    if column.kind == "category" and number:
        return None
    if column.kind == "category" and by_value and not feature.labels and all(
            is_number(value) for value in column.categories or []):
        # Such a column is read as its numbers.
        if any(isinstance(value, str) for value in column.categories or []):
            raise Error(f'{place}, column "{feature.title or feature.name}"',
                        "its categories are texts that the model reads as numbers",
                        "Make numbers of them, as column.astype(float) does")
        values = sorted(float(value) for value in column.categories or [])
        whole = all(value.is_integer() for value in values)
        if model_kind != "categorical":
            feature.kind = "integer" if whole else "continuous"
        if feature.allowed is None and values:
            feature.allowed = [int(value) if whole else value for value in values]
        return None
    if column.kind == "category":
        texts = [label_text(value) for value in column.categories or []]
        if not named:
            keep_places(f'schema, labels of "{feature.name}"', feature.labels or [], texts, "data")
        if not feature.labels:
            feature.kind = "ordinal" if column.ordered and model_kind != "categorical" \
                else "categorical"
            feature.labels = texts
        originals = dict(zip(texts, column.categories or [], strict=True))
        return [originals.get(label, label) for label in feature.labels]
    if column.kind == "text":
        if not feature.labels:
            raise Error(f'{place}, column "{feature.title or feature.name}"',
                        "it holds texts, and the model does not know them",
                        "Encode it as in training, or give the schema labels")
        return None
    if column.kind == "bool" and not feature.labels and not number:
        feature.kind = model_kind if model_kind == "categorical" else "ordinal"
        feature.labels = ["False", "True"]
        return [False, True]
    if feature.labels and column.kind == "int" and all(
            is_number(label) for label in feature.labels[:-1]):
        # Categories that the model knows by their texts and the data has as whole numbers.
        seen = {str(int(value)): int(value) for value in np.unique(
            column.values[np.isfinite(column.values)])}
        return [seen.get(label, label) for label in feature.labels]
    if feature.labels or model_kind == "categorical":
        return None
    if column.kind == "int":
        feature.kind = "integer"
    elif isinstance(feature.kind, UnsaidKind):
        feature.kind = str(feature.kind)  # the data says so
    finite = column.values[np.isfinite(column.values)]
    if len(finite):
        feature.range = (float(finite.min()), float(finite.max()))
    return None
