"""What the converters of all scikit-learn models share."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError


def version() -> tuple[int, int]:
    """Return the first two numbers of the version of scikit-learn that runs."""
    major, minor = sys.modules["sklearn"].__version__.split(".")[:2]
    return int(major), int(minor)


def source() -> str:
    """Return the library and its version, for people."""
    return f"scikit-learn {sys.modules['sklearn'].__version__}"


def feature_names(model: Any) -> list[str]:
    """Return the names of the columns, or f0, f1, … where the model was fitted without names."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"f{column}" for column in range(model.n_features_in_)]
    return [str(name) for name in names]


def class_labels(model: Any) -> list[str]:
    """Return the labels of the classes as text.

    Raises
    ------
    UnsupportedModelError
        If the model has several targets, or was fitted to one class only.
    """
    name = type(model).__name__
    if getattr(model, "n_outputs_", 1) > 1:
        raise UnsupportedModelError(
            f"this {name} predicts several targets at once, which is not supported",
            "Fit one classifier for each target",
        )
    labels = [str(label) for label in model.classes_]
    if len(labels) < 2:
        raise UnsupportedModelError(
            f"this {name} was fitted with a single class, so it has no other outcome",
            "Fit it to data with at least two classes",
        )
    return labels


def array_of(model: Any, data: Any) -> np.ndarray | None:
    """Turn data into the array that a model of scikit-learn makes of a data frame."""
    if data is None:
        return None
    rows = data.to_pandas() if hasattr(data, "to_pandas") else data
    names = getattr(model, "feature_names_in_", None)
    if names is not None and hasattr(rows, "columns"):
        rows = rows[list(names)]
    check = importlib.import_module("sklearn.utils").check_array
    finite = next(key for key in ("ensure_all_finite", "force_all_finite")
                  if key in inspect.signature(check).parameters)
    return np.asarray(check(rows, dtype=None, **{finite: False}))
