"""Reads models, given as fitted objects, paths or bytes, into the core's ensembles."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boxwood import _core
from boxwood._pushing import Steps
from boxwood.errors import Error
from boxwood.models import core_ensemble, separate_models, unwrapped
from boxwood.models._ensemble import Ensemble, restored
from boxwood.models._formats import binary_content, converted_file, is_source
from boxwood.models.catboost import of_binary
from boxwood.pipelines import pushed_back
from boxwood.schema import no_file


def _reduced(ensemble: _core.Ensemble) -> tuple[Any, ...]:
    return restored, (Ensemble.from_core(ensemble),)


copyreg.pickle(_core.Ensemble, _reduced)


def named_models(model: Any) -> dict[str, Any]:
    """Give every model a name.

    A single model is called "model". A search or a `FrozenEstimator` stands for the model inside, a
    classifier of several targets for its models, called "output 0", "output 1" and so on.
    """
    if isinstance(model, Mapping):
        found = {str(name): one for name, one in model.items()}
    elif isinstance(model, (list, tuple)):
        found = {f"model {i}": one for i, one in enumerate(model, 1)}
    else:
        found = {"model": model}
    if not found:
        raise Error("model", "no model is given", "Give at least one model")
    single = not isinstance(model, (Mapping, list, tuple))
    models: dict[str, Any] = {}
    for name, one in found.items():
        one = unwrapped(one)
        targets = None if is_source(one) else separate_models(one)
        if targets is None:
            models[name] = one
        for i, part in enumerate(targets or ()):
            models[f"output {i}" if single else f"{name} output {i}"] = unwrapped(part)
    return models


def read(name: str, model: Any, data: Any, rounds: int | str | None,
         steps: Steps | None = None) -> _core.Ensemble:
    """Read one model.

    `model` is a fitted model, a path, or the content of a model file; `data` gives the names of
    CatBoost's categories; `steps` are the steps of a pipeline before its model.
    """
    made = converted_file(model) if is_source(model) else None
    if made is not None:
        return _core.read_bytes(made.to_bytes(), name, rounds) if rounds is not None \
            else made.to_core()
    binary = binary_content(model) if is_source(model) and data is not None else None
    if binary is not None:  # with the names of the data, which CatBoost can put in
        return read(name, of_binary(binary), data, rounds)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _core.read_bytes(bytes(model), name, rounds)
    if isinstance(model, (str, os.PathLike)):
        path = Path(model).expanduser()
        if not path.is_file():
            raise no_file(model, "Give a model file or a fitted model")
        return _core.read_file(str(path), rounds)
    if steps is not None:
        return pushed_back(model, steps, rounds, data).to_core()
    return core_ensemble(model, name, rounds, data)


def class_values(model: Any, ensemble: _core.Ensemble) -> list[Any] | None:
    """Find the labels of a fitted classifier, in their own type."""
    known = getattr(model, "classes_", None)
    if known is None or ensemble.class_count == 0:
        return None
    values = known.tolist() if hasattr(known, "tolist") else list(known)
    return values if len(values) == ensemble.class_count else None
