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
    """Say what a row is called.

    Parameters
    ----------
    label : object
        Of a frame's index; None where there is none.

    Returns
    -------
    int or str
        A number from 0 on, or a text, which is empty where there is no label.
    """
    if isinstance(label, (int, np.integer)) and label >= 0:
        return int(label)
    return "" if label is None else str(label)
