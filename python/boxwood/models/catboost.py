"""CatBoost's models, through its own JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood.errors import UnsupportedModelError, library
from boxwood.models._files import written_bytes

if TYPE_CHECKING:
    from boxwood import _core


def to_bytes(model: Any, pool: Any = None) -> bytes:
    """Save a CatBoost model as JSON; `pool`, the training data, has the names of the categories."""
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


def read_with(model: Any, name: str, data: Any, rounds: int | str | None = None) -> _core.Ensemble:
    """Read a fitted model with the names that its data has, of columns and of categories.

    Parameters
    ----------
    model : catboost.CatBoost
        The model.
    name : str
        Names it in errors.
    data : DataFrame, ndarray or Arrow table
        The training data, or rows with the same categories.
    rounds : int, str or None
        Which boosting rounds count.

    Returns
    -------
    _core.Ensemble
        Its categories have the names of the data; without categories, it is read as it is.
    """
    from boxwood import _core

    def as_it_is() -> _core.Ensemble:
        return _core.read_bytes(to_bytes(model), name, rounds)

    columns, categories = model.feature_names_, model.get_cat_feature_indices()
    unnamed = columns == [str(i) for i in range(len(columns))]
    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if not categories and not (unnamed and hasattr(data, "columns")):
        return as_it_is()
    at = {str(name): i for i, name in enumerate(getattr(data, "columns", ()))}
    if at and set(columns) <= set(at):
        data = data.iloc[:, [at[name] for name in columns]]
    elif hasattr(data, "columns") and len(data.columns) != len(columns):
        # Which columns are meant is told where the data is read.
        return as_it_is()
    pool = library("catboost").Pool(data if categories else data.iloc[:1], cat_features=categories)
    content = to_bytes(model, pool)
    if categories:
        texts = {i: _texts(data, i) for i in categories}
        for i, known in texts.items():
            if {"", "(empty)"} <= set(known):
                raise UnsupportedModelError(
                    f'the column "{columns[i]}" has both an empty text and the text "(empty)" as '
                    "categories, and Boxwood calls the first one by the second",
                    "Rename one of them, and train again")
        content = with_categories(content, texts)
    return _core.read_bytes(content, name, rounds)


def _texts(data: Any, column: int) -> list[str]:
    """List the categories of a column as CatBoost writes them; truth values are 0 and 1."""
    values = data.iloc[:, column] if hasattr(data, "iloc") else np.asarray(data)[:, column]
    return sorted({str(int(value) if isinstance(value, (bool, np.bool_)) else value)
                   for value in set(values) if isinstance(value, (str, int, np.integer, np.bool_))})


def with_categories(content: bytes, texts: Mapping[int, Sequence[str]]) -> bytes:
    """Add the names of categories, by feature, to a model file that `to_bytes` made.

    They go into the key `categories` of `features_info`, `categorical_features`, and may be names
    that no tree has.
    """
    model = json.loads(content)
    for feature in model["features_info"].get("categorical_features", []):
        feature["categories"] = list(texts.get(feature["flat_feature_index"], []))
    return json.dumps(model).encode()
