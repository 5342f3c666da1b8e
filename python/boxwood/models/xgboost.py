"""XGBoost's models, through its own UBJSON.

`save_model` of the scikit-learn style classes records more than the booster knows: that their
`predict` stops after the best iteration. So each model is saved by its own class.
"""

from __future__ import annotations

import math
from typing import Any

from boxwood.errors import UnsupportedModelError
from boxwood.models._files import written_bytes


def to_bytes(model: Any) -> bytes:
    """Save an XGBoost model as UBJSON.

    Parameters
    ----------
    model : xgboost.Booster or xgboost.XGBModel
        A trained booster, or a fitted `XGBClassifier`, `XGBRegressor`, `XGBRanker`,
        `XGBRFClassifier`, `XGBRFRegressor` and the like.

    Returns
    -------
    bytes
        The content of `save_model("model.ubj")`.
    """
    if not hasattr(model, "save_model"):
        raise UnsupportedModelError(
            f"{type(model).__name__} is not an XGBoost model",
            "Give a Booster or a fitted estimator such as XGBClassifier",
        )
    if hasattr(model, "get_booster") and not model.__sklearn_is_fitted__():
        raise UnsupportedModelError(f"this {type(model).__name__} is not fitted", "Call fit first")
    missing = getattr(model, "missing", None)
    if missing is not None and not math.isnan(missing):
        raise UnsupportedModelError(
            f"this {type(model).__name__} treats {missing} as missing, which its file "
            "does not record",
            "Use NaN for missing values and fit without missing=",
        )
    return written_bytes(model.save_model, "model.ubj")
