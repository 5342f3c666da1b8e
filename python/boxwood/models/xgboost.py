"""XGBoost's models, through its own UBJSON.

`save_model` of the scikit-learn style classes records more than the booster knows: that their
`predict` stops after the best iteration. So each model is saved by its own class.
"""

from __future__ import annotations

import math
from typing import Any

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble
from boxwood.models._files import written_bytes
from boxwood.models._missing import with_missing_number


def to_bytes(model: Any) -> bytes:
    """Save an XGBoost model as UBJSON.

    An estimator with a number for missing values, which that file does not record, becomes
    Boxwood's own model file.
    """
    if not hasattr(model, "save_model"):
        raise UnsupportedModelError(
            f"{type(model).__name__} is not an XGBoost model",
            "Give a Booster or a fitted estimator such as XGBClassifier",
        )
    if hasattr(model, "get_booster") and not model.__sklearn_is_fitted__():
        raise UnsupportedModelError(f"this {type(model).__name__} is not fitted", "Call fit first")
    missing = getattr(model, "missing", None)
    content = written_bytes(model.save_model, "model.ubj")
    if missing is None or math.isnan(missing):
        return content
    from boxwood import _core

    read = Ensemble.from_core(_core.read_bytes(content, type(model).__name__, None))
    return with_missing_number(read, missing).to_bytes()
