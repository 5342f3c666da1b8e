"""Converts fitted models of other libraries to model files or arrays that the core reads.

Each library has its own module here. It is chosen by the module in which a class of the model was
defined, so that no library is imported that the model does not need.
"""

from __future__ import annotations

import copy
import importlib
import itertools
import os
from typing import TYPE_CHECKING, Any

from boxwood._files import write_file
from boxwood.errors import UnsupportedModelError
from boxwood.models._formats import binary_content, converted_file, is_source

if TYPE_CHECKING:
    from boxwood import _core
    from boxwood.models._ensemble import Ensemble

# The first part of a class's module, and the module here that converts such models. It has either
# `to_bytes(model) -> bytes`, the library's own file, or `converted(model) -> Ensemble`, the arrays.
CONVERTERS = {
    "xgboost": "boxwood.models.xgboost",
    "lightgbm": "boxwood.models.lightgbm",
    "catboost": "boxwood.models.catboost",
    "sklearn": "boxwood.models.sklearn",
    "interpret": "boxwood.models.interpret",
    "pyspark": "boxwood.models.pyspark",
    "treelite": "boxwood.models.treelite",
    "sksurv": "boxwood.models.sksurv",
    "ngboost": "boxwood.models.ngboost",
    "quantile_forest": "boxwood.models.quantile_forest",
    "ydf": "boxwood.models.ydf",
    "h2o": "boxwood.models.h2o",
}


def library_of(model: Any) -> str:
    """Name the library that a model belongs to: a key of `CONVERTERS`.

    A class derived from a library's class belongs to that library. UnsupportedModelError is raised
    if no base class comes from a known library.
    """
    return _root(_library_class(unwrapped(model)))


# scikit-learn's classes that only hold another model: the attribute that has it once it is fitted,
# and what to do if it is not there.
HOLDERS = {
    "BaseSearchCV": ("best_estimator_", "Call fit, with refit=True"),
    "FrozenEstimator": ("estimator", "Give it a fitted model"),
    "SelfTrainingClassifier": ("estimator_", "Call fit, with scikit-learn 1.6 or newer"),
}


def unwrapped(model: Any) -> Any:
    """Return the model that predicts inside one that only holds it; any other model as it is.

    Searches, a `FrozenEstimator` and a `SelfTrainingClassifier` hold a model. `RFE` and `RFECV`
    are a pipeline of a selection and a model. A pipeline of imbalanced-learn predicts without its
    samplers.

    Raises
    ------
    UnsupportedModelError
        If a search has no best model.
    """
    for base in type(model).__mro__:
        if base.__name__ in HOLDERS and _root(base) == "sklearn":
            attribute, remedy = HOLDERS[base.__name__]
            if not hasattr(model, attribute):
                raise UnsupportedModelError(f"this {type(model).__name__} has no {attribute}",
                                            remedy)
            if base.__name__ == "SelfTrainingClassifier":
                _check_names(model)
            return unwrapped(getattr(model, attribute))
        if base.__name__ == "RFE" and _root(base) == "sklearn" and hasattr(model, "estimator_"):
            return _pipeline([("selection", model), ("model", model.estimator_)])
    if type(model).__name__ == "Pipeline" and _root(type(model)) == "imblearn":
        return _pipeline([(name, step) for name, step in model.steps
                          if not hasattr(step, "fit_resample")])
    return model


def _check_names(model: Any) -> None:
    """Refuse names that look like the invented ones of the model inside, but of other columns."""
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    for pattern in ("f{}", "Column_{}", "{}"):
        invented = [pattern.format(i) for i in range(len(names))]
        if invented != names and set(invented) & set(names):
            raise UnsupportedModelError(
                f"this {type(model).__name__} fits its model without the names of columns, and "
                f'columns are named like "{invented[0]}", in another order', "Rename the columns")


def _pipeline(steps: list[tuple[str, Any]]) -> Any:
    """Make a scikit-learn pipeline of fitted steps."""
    return importlib.import_module("sklearn.pipeline").Pipeline(steps)


def separate_models(model: Any) -> list[Any] | None:
    """Return the models inside a classifier of several targets, one for each target, in order.

    That is a `MultiOutputClassifier`, or a `OneVsRestClassifier` of several labels at once; each of
    their models predicts by itself. A pipeline that ends in one stands for as many pipelines with
    the same steps. None for any other model.
    """
    name = next((base.__name__ for base in type(model).__mro__ if _root(base) == "sklearn"), "")
    if name == "Pipeline" and model.steps:
        *before, (last, step) = model.steps
        inside = separate_models(unwrapped(step))
        return inside and [type(model)([*before, (last, one)]) for one in inside]
    if name == "MultiOutputClassifier" and hasattr(model, "estimators_"):
        _refuse_own_methods(model)
        return list(model.estimators_)
    if name == "OneVsRestClassifier" and hasattr(model, "estimators_") and model.multilabel_:
        _refuse_own_methods(model)
        return [_one_label(model, one) for one in model.estimators_]
    return None


def _one_label(model: Any, fitted: Any) -> Any:
    """Make the classifier of one label: it has that label (1) or has not (0)."""
    made = copy.copy(model)
    made.estimators_ = [fitted]
    made.label_binarizer_ = type(model.label_binarizer_)(sparse_output=True).fit([0, 1])
    made.classes_ = made.label_binarizer_.classes_
    return made


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _library_class(model: Any) -> type:
    # XGBoost's and LightGBM's estimators derive from scikit-learn's: the closest base decides.
    for base in type(model).__mro__:
        if _root(base) in CONVERTERS:
            return base
    raise UnsupportedModelError(
        f"{type(model).__module__}.{type(model).__qualname__} is not a supported model",
        f"Pass a fitted model of {', '.join(CONVERTERS)}",
    )


def model_bytes(model: Any, *, pool: Any = None) -> bytes:
    """Turn a fitted model into the content of a model file.

    Parameters
    ----------
    model : object
        A fitted model of XGBoost, LightGBM, CatBoost, scikit-learn or another library that
        docs/models.md lists; or the path or content of a file that only Python converts.
    pool : catboost.Pool, optional
        For CatBoost only: the training data. A CatBoost model stores only hashes of its
        categories; with the data, the file also contains their names.

    Returns
    -------
    bytes
        The library's own format if it is complete (XGBoost, LightGBM, CatBoost), otherwise
        Boxwood's JSON.

    Raises
    ------
    UnsupportedModelError
        If the model is not fitted, or is one that Boxwood cannot represent exactly.
    """
    if is_source(model):
        made = converted_file(model)
        binary = binary_content(model) if made is None else None
        if binary is not None:
            from boxwood.models.catboost import of_binary

            return model_bytes(of_binary(binary), pool=pool)
        if made is None:
            raise UnsupportedModelError("this file is one that Boxwood reads as it is",
                                        "Give it to Explainer or to the command directly")
        return made.to_bytes()
    model = unwrapped(model)
    library = library_of(model)
    _refuse_own_methods(model)
    converter = _converter(model)
    if pool is None:
        return converter.converted(model).to_bytes() if has_arrays(model) \
            else converter.to_bytes(model)
    if library != "catboost":
        raise ValueError(f"pool is only for CatBoost models; this is a model of {library}")
    return converter.to_bytes(model, pool)


def core_ensemble(model: Any, name: str, rounds: int | str | None = None,
                  data: Any = None) -> _core.Ensemble:
    """Turn a fitted model into an ensemble of the core's.

    Parameters
    ----------
    model : object
        As for `model_bytes`.
    name : str
        Names it in errors.
    rounds : int, str or None
        Which boosting rounds count.
    data : DataFrame, ndarray or Arrow table, optional
        The training data, which names the categories of CatBoost.

    Returns
    -------
    _core.Ensemble
        Trees of libraries without a complete model file are passed as arrays.
    """
    from boxwood import _core

    model = unwrapped(model)
    if data is not None and library_of(model) == "catboost" and model.is_fitted():
        from boxwood.models.catboost import read_with

        _refuse_own_methods(model)
        return read_with(model, name, data, rounds)
    if not has_arrays(model):
        return _core.read_bytes(model_bytes(model), name, rounds)
    made = converted_model(model, data)
    return made.to_core() if rounds is None else _core.read_bytes(made.to_bytes(), name, rounds)


def _converter(model: Any) -> Any:
    return importlib.import_module(CONVERTERS[library_of(model)])


def has_arrays(model: Any) -> bool:
    """Whether a model is converted to arrays, because its library has no complete file."""
    return hasattr(_converter(model), "converted")


def converted_model(model: Any, data: Any = None) -> Ensemble:
    """Convert a model into arrays.

    Parameters
    ----------
    model : object
        A fitted model for which `has_arrays` is true, or a pipeline.
    data : DataFrame, ndarray or Arrow table, optional
        The training data, which names the categories of CatBoost models inside a scikit-learn one.

    Returns
    -------
    Ensemble
        Its trees.
    """
    model = unwrapped(model)
    _refuse_own_methods(model)
    given = () if data is None or library_of(model) != "sklearn" else (data,)
    return _converter(model).converted(model, *given)


def _refuse_own_methods(model: Any) -> None:
    # What a class of the user's own does to predictions is not in the trees.
    known = _library_class(model)
    for base in itertools.takewhile(lambda one: one is not known, type(model).__mro__):
        for name in vars(base):
            if name == "_compute_oob_predictions":
                continue  # of a forest, used in training
            if "predict" in name or name in ("decision_function", "score_samples", "apply"):
                raise UnsupportedModelError(
                    f"{base.__name__} overrides {name}, so its trees alone do not "
                    "determine its predictions",
                    f"Give a {known.__name__} with the same trees",
                )


def save_model(model: Any, path: str | os.PathLike[str], *, pool: Any = None) -> None:
    """Write a fitted model to a file that the command `boxwood` reads.

    Parameters
    ----------
    model : object
        As for `model_bytes`.
    path : str or path-like
        The file; it is replaced as a whole or not at all. The format does not depend on its name.
    pool : catboost.Pool, optional
        As for `model_bytes`.

    Raises
    ------
    UnsupportedModelError
        As for `model_bytes`; the file is not touched then.
    """
    write_file(path, model_bytes(model, pool=pool))
