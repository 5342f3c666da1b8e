"""CatBoost's models, through its own JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from boxwood.errors import UnsupportedModelError, library
from boxwood.models._files import written_bytes


def to_bytes(model: Any, pool: Any = None) -> bytes:
    """Save a CatBoost model as JSON.

    Parameters
    ----------
    model : catboost.CatBoost
        A fitted `CatBoost`, `CatBoostClassifier`, `CatBoostRegressor` or `CatBoostRanker`.
    pool : catboost.Pool, optional
        The training data, for the names of the categories.

    Returns
    -------
    bytes
        The content of `save_model("model.json", format="json")`.
    """
    if not hasattr(model, "save_model"):
        raise UnsupportedModelError(
            f"{type(model).__name__} is not a CatBoost model",
            "Give a fitted CatBoostClassifier, CatBoostRegressor or CatBoost",
        )
    if not model.is_fitted():
        raise UnsupportedModelError(f"this {type(model).__name__} is not fitted", "Call fit first")
    if model.get_text_feature_indices() or model.get_embedding_feature_indices():
        raise UnsupportedModelError(
            f"this {type(model).__name__} reads texts or embeddings; its file does not record how "
            "they become numbers", "Fit it on numbers and categories")
    return written_bytes(
        lambda path: model.save_model(path, format="json", pool=pool), "model.json"
    )


def of_binary(content: bytes) -> Any:
    """Load a model in CatBoost's binary format, which only CatBoost itself reads."""
    model = library("catboost").CatBoost()
    model.load_model(blob=content)
    return model


def with_categories(content: bytes, texts: Mapping[int, Sequence[str]]) -> bytes:
    """Add the names of categories to a model file, also of those that no tree names.

    Parameters
    ----------
    content : bytes
        What `to_bytes` returns.
    texts : mapping
        The names by feature.

    Returns
    -------
    bytes
        The file with the key `categories` in `features_info`, `categorical_features`.
    """
    model = json.loads(content)
    for feature in model["features_info"].get("categorical_features", []):
        feature["categories"] = list(texts.get(feature["flat_feature_index"], []))
    return json.dumps(model).encode()
