"""LightGBM's models, through its own text.

`model_to_string` keeps the iterations that LightGBM's own `predict` uses: up to the best one after
early stopping, all of them otherwise. The text knows classes by number only; the labels of an
`LGBMClassifier` are added in a line of their own, which LightGBM skips and Boxwood reads.
"""

from __future__ import annotations

import json
from typing import Any

from boxwood.errors import UnsupportedModelError

# LightGBM looks for this line at the end of the text.
LAST_LINE = "\npandas_categorical:"
CLASSES_LINE = "boxwood_classes:"
CROSS_ENTROPY = "cross_entropy"


def to_bytes(model: Any) -> bytes:
    """Write a LightGBM model as text, with the labels of the classes where they are known."""
    if hasattr(model, "model_to_string"):
        return model.model_to_string().encode()
    if all(base.__name__ != "LGBMModel" for base in type(model).__mro__):
        raise UnsupportedModelError(
            f"{type(model).__name__} is not a LightGBM model",
            "Give a Booster or a fitted estimator such as LGBMClassifier",
        )
    if not model.__sklearn_is_fitted__():
        raise UnsupportedModelError(f"this {type(model).__name__} is not fitted", "Call fit first")
    text = model.booster_.model_to_string()
    classes = getattr(model, "classes_", None)
    if classes is None:
        return text.encode()
    if f"\nobjective={CROSS_ENTROPY}" in text:
        raise UnsupportedModelError(
            f"this {type(model).__name__} has the objective {model.objective_}; the classifier "
            "picks a class by a rule that the model file does not record",
            'Fit it with objective="binary", or give its booster_ and ask for the number')
    labels = json.dumps([str(label) for label in classes], ensure_ascii=False)
    before, last, after = text.rpartition(LAST_LINE)
    if not last:
        before, after = text, ""
    return f"{before}\n{CLASSES_LINE}{labels}\n{last[1:]}{after}".encode()
