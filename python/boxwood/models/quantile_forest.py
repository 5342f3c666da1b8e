"""quantile-forest's models, which are refused: a quantile over leaf samples is not a sum."""

from __future__ import annotations

from typing import Any

from boxwood.errors import UnsupportedModelError


def to_bytes(model: Any) -> bytes:
    """Refuse the model and say why.

    Raises
    ------
    UnsupportedModelError
        Always.
    """
    raise UnsupportedModelError(
        f"{type(model).__name__} predicts a quantile of the training rows in its leaves, which is "
        "not a sum of trees",
        "Fit GradientBoostingRegressor or HistGradientBoostingRegressor with loss=\"quantile\", or "
        "a LightGBM model with objective=\"quantile\"")
