"""One unit of change of each feature, from data."""

from __future__ import annotations

import numpy as np

from boxwood.errors import Error
from boxwood.schema import Schema

SCALES = ("range", "deviation", "mad", "quantiles")
SHARES = 101


def set_scales(schema: Schema, columns: list[np.ndarray], scale: str) -> None:
    """Set the scale of every feature but categorical ones.

    Parameters
    ----------
    schema : Schema
        With a feature for each column.
    columns : list of ndarray
        Numbers as the model reads them; missing and infinite ones do not count.
    scale : {"range", "deviation", "mad", "quantiles"}
        The measure.
    """
    if scale not in SCALES:
        raise Error("scale", f"no scale {scale!r}",
                    'Give "range", "deviation", "mad", "quantiles" or None')
    for feature, column in zip(schema.features, columns, strict=True):
        values = column[np.isfinite(column)]
        if feature.kind == "categorical" or not len(values):
            continue
        if scale == "quantiles":
            if values.min() < values.max():
                feature.quantiles = np.quantile(values, np.linspace(0, 1, SHARES)).tolist()
            continue
        size = float(values.max() - values.min())
        if scale != "range":
            size = float(values.std())
        if scale == "mad":
            middle = float(np.median(np.abs(values - np.median(values))))
            size = middle if middle > 0 else size
        if size > 0 and np.isfinite(size):
            feature.scale = size
