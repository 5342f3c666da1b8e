"""Finds the pipelines inside calibrated, voting and other composed models.

Their steps decide which values of a column the whole model takes, and how a missing one is written,
as the steps of a pipeline that is the model itself do (`pipelines.complete`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from boxwood import _core
from boxwood._pushing import Steps
from boxwood.errors import UnsupportedModelError
from boxwood.models import library_of, unwrapped
from boxwood.models._formats import is_source
from boxwood.models._sklearn_common import array_of
from boxwood.pipelines import PipelineSteps, follow_steps, is_pipeline

# Where scikit-learn's composed models keep their fitted members.
MEMBERS = ("estimators_", "calibrated_classifiers_", "estimator_", "regressor_")


def all_pipelines(models: Mapping[str, Any], pipelines: Mapping[str, Steps],
                  ensembles: Sequence[_core.Ensemble], data: Any) -> list[PipelineSteps]:
    """List the steps of the models that are pipelines, and of those inside of other models."""
    found = [PipelineSteps(name, steps, [column.name for column in steps.columns])
             for name, steps in pipelines.items()]
    for (name, one), ensemble in zip(models.items(), ensembles, strict=True):
        if name not in pipelines and not is_source(one):
            found += inner_pipelines(name, one, [feature.name for feature in ensemble.features],
                                     data)
    return found


def inner_pipelines(name: str, model: Any, columns: Sequence[str],
                    data: Any) -> Iterator[PipelineSteps]:
    """Yield the steps of every pipeline inside a composed model.

    Parameters
    ----------
    name : str
        Of the model, for errors.
    model : object
        A fitted model that Boxwood has read. Of a pipeline nothing is yielded: what is inside it
        reads the columns that its steps make.
    columns : sequence of str
        The names of the columns that it reads.
    data : DataFrame, ndarray or Arrow table, optional
        Its training data.
    """
    if is_pipeline(model):
        return
    for member, places, rows in members(model, data):
        own = columns if places is None else [columns[place] for place in places]
        if is_pipeline(member):
            steps = follow_steps(member, rows)
            for column in steps.columns:
                if column.formula is not None:
                    raise UnsupportedModelError(
                        f'{name}: a pipeline inside it calculates "{column.name}" from other '
                        "columns", "Do this step once, in a pipeline around the whole model")
                column.find_domain("float64" if reads_doubles(member) else "float32")
            found = [column.name for column in steps.columns]
            yield PipelineSteps(name, steps, own if len(own) == len(found) else found)
        else:
            yield from inner_pipelines(name, member, own, rows)


def reads_doubles(model: Any) -> bool:
    """Whether a model, or some model inside it, compares doubles rather than float32 numbers."""
    model = unwrapped(model)
    if is_pipeline(model):
        return reads_doubles(model.steps[-1][1])
    kinds = [base.__name__ for base in type(model).__mro__]
    return "BaseHistGradientBoosting" in kinds or library_of(model) == "lightgbm" or any(
        reads_doubles(member) for member, _, _ in members(model, None)
        if not hasattr(member, "tree_"))


def members(model: Any, data: Any) -> Iterator[tuple[Any, Sequence[int] | None, Any]]:
    """Yield the members of a composed model, and of each its columns and its training data.

    The columns are places among those of the model, or None for all of them.
    """
    if not type(model).__module__.startswith(("sklearn.", "imblearn.")):
        return
    place = next((one for one in MEMBERS if hasattr(model, one)), None)
    found = getattr(model, place) if place else []
    if isinstance(found, np.ndarray):  # the trees of gradient boosting, by round and class
        found = found.ravel().tolist()
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    chosen = getattr(model, "estimators_features_", None)  # of bagging, which makes an array
    rows = data if chosen is None else array_of(model, data)
    for at, one in enumerate(found):
        member = unwrapped(getattr(one, "estimator", one) if place == MEMBERS[1] else one)
        if chosen is None:
            yield member, None, rows
        else:
            yield member, chosen[at], None if rows is None else rows[:, chosen[at]]
