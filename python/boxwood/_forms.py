"""The forms in which rows come and go: a series, a dict or an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Form(NamedTuple):
    """The form of a row, in which points are given back.

    Parameters
    ----------
    kind : {"series", "dict", "array"}
        What it is.
    names : list
        Its names for the model's columns.
    label : object
        Of a series its own name.
    strangers : mapping
        By column a category that no model knows, as it was given.
    """

    kind: str
    names: list[Any]
    label: Any = None
    strangers: Mapping[int, Any] = {}


def row_label(label: Any) -> int | str:
    """Return the name of a row from its label in the frame's index.

    The name is an integer ≥ 0 or a text, which is empty if there is no label (None).
    """
    if isinstance(label, (int, np.integer)) and label >= 0:
        return int(label)
    return "" if label is None else str(label)
