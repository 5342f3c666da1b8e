"""From what a user has, a fitted model, a path or bytes, to the core's ensembles."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boxwood import _core
from boxwood._pushing import Steps
from boxwood.errors import Error
from boxwood.models import library_of, model_bytes
from boxwood.pipelines import to_bytes


def named_models(model: Any) -> dict[str, Any]:
    """Give every model a name.

    Parameters
    ----------
    model : object, list or mapping
        One model, several, or several by name.

    Returns
    -------
    dict
        Models by name, "model" for a single one.
    """
    if isinstance(model, Mapping):
        found = {str(name): one for name, one in model.items()}
    elif isinstance(model, (list, tuple)):
        found = {f"model {i}": one for i, one in enumerate(model, 1)}
    else:
        found = {"model": model}
    if not found:
        raise Error("model", "there is none", "Give at least one model")
    return found


def read(name: str, model: Any, data: Any, rounds: int | str | None,
         steps: Steps | None = None) -> _core.Ensemble:
    """Read one model.

    Parameters
    ----------
    name : str
        Names it in errors.
    model : object
        A fitted model, a path, or the content of a model file.
    data : object
        Training data, for the names of CatBoost's categories.
    rounds : int, str or None
        Which boosting rounds count.
    steps : Steps, optional
        Of a pipeline the steps before its model.

    Returns
    -------
    _core.Ensemble
        What was read.
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _core.read_bytes(bytes(model), name, rounds)
    if isinstance(model, (str, os.PathLike)):
        path = Path(model).expanduser()
        if not path.is_file():
            raise Error(str(model), "no such file", "Give a model file or a fitted model")
        return _core.read_file(str(path), rounds)
    if steps is not None:
        return _core.read_bytes(to_bytes(model, steps, rounds), name)
    pool = None
    if data is not None and library_of(model) == "catboost":
        pool = _pool(model, data)
    return _core.read_bytes(model_bytes(model, pool=pool), name, rounds)


def _pool(model: Any, data: Any) -> Any:
    # Numbers have no names, and a model without categories needs no pool.
    if not model.is_fitted() or not model.get_cat_feature_indices():
        return None
    import catboost

    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    columns = model.feature_names_
    if hasattr(data, "columns") and set(columns) <= {str(name) for name in data.columns}:
        data = data[columns]
    return catboost.Pool(data, cat_features=model.get_cat_feature_indices())


def class_values(model: Any, ensemble: _core.Ensemble) -> list[Any] | None:
    """Find the labels of a fitted classifier, in their own type.

    Parameters
    ----------
    model : object
        A fitted model, or anything else.
    ensemble : _core.Ensemble
        What was read of it.

    Returns
    -------
    list or None
        One for each class.
    """
    known = getattr(model, "classes_", None)
    if known is None or ensemble.class_count == 0:
        return None
    values = known.tolist() if hasattr(known, "tolist") else list(known)
    return values if len(values) == ensemble.class_count else None
