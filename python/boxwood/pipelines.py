"""Converts scikit-learn pipelines to models of their raw columns, exactly.

The splits of the last step are rewritten as splits on raw columns (`_tracing`, `_pushing`). The new
model reaches the same leaves, and so has the same scores, for every row that the pipeline accepts.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boxwood._binning import beyond
from boxwood._formulas import Formula
from boxwood._functions import doubles
from boxwood._pushing import OTHER, RawColumn, Steps, mixed, objects, push, pushed_tree, readable
from boxwood._tables import as_table
from boxwood._tracing import (
    ALONE,
    Mark,
    Source,
    Trace,
    first_step,
    follow,
    input_names,
    is_nothing,
    mark_name,
)
from boxwood.errors import Error, UnsupportedModelError, library
from boxwood.models import converted_model, core_ensemble, has_arrays, library_of, unwrapped

if TYPE_CHECKING:
    from boxwood.models._ensemble import Ensemble
    from boxwood.schema import Schema

__all__ = ["PipelineColumn", "complete", "follow_steps", "is_pipeline", "knows_hashes",
           "pushed_back"]


class PipelineColumn(NamedTuple):
    """What pipelines know about a raw column.

    Parameters
    ----------
    values : list or None
        The value of each code, for a categorical column.
    mark : Mark, optional
        How a missing value is written, if the pipeline distinguishes NaN, None and NA.
    closed : bool
        The steps reject missing values of this column.
    domain : tuple, optional
        The least and the largest number of which functions of the steps are finite, and the names
        of these functions.
    """

    values: list[Any] | None = None
    mark: Mark | None = None
    closed: bool = False
    domain: tuple[float, float, str] | None = None


class PipelineSteps(NamedTuple):
    """The steps of a pipeline that a model is, or holds.

    Parameters
    ----------
    model : str
        The name of the model.
    steps : Steps
        The steps before the pipeline's own model.
    names : sequence of str
        What the model calls the columns that go into them.
    """

    model: str
    steps: Steps
    names: Sequence[str]


def is_pipeline(model: Any) -> bool:
    """Whether a model is a scikit-learn pipeline, or of a class derived from it."""
    return _own_base(model) is not None


def _own_base(model: Any) -> type | None:
    """Return scikit-learn's own class of pipelines, which the model is of or derives from."""
    return next((base for base in type(model).__mro__
                 if base.__name__ == "Pipeline" and base.__module__.startswith("sklearn.")), None)


def follow_steps(model: Any, data: Any = None) -> Steps:
    """Follow the raw columns of a fitted pipeline through the steps before its model.

    Parameters
    ----------
    model : sklearn.pipeline.Pipeline
        Fitted; its last step is a tree model that Boxwood reads. Before it may come imputers,
        encoders, scalers, column transformers and selections.
    data : DataFrame or ndarray, optional
        Raw rows, which show which columns are float32: scalers compute in that precision. Without
        them, all numbers are assumed to be float64.

    Returns
    -------
    Steps
        The raw column of each output column, and the steps themselves.

    Raises
    ------
    UnsupportedModelError
        If a step mixes columns or is not supported; it names the step and the reason.
    """
    names = _raw_names(model)
    trace = Trace(names=names)
    zeros_missing = library_of(model.steps[-1][1]) == "xgboost"
    sources = [Source(i) for i in range(len(names))]
    for name, step in model.steps[:-1]:
        sources = follow(step, name, sources, trace)
    return _steps(model, names, trace, sources, data, zeros_missing)


def pushed_back(model: Any, steps: Steps, rounds: int | str | None = None,
                data: Any = None) -> Ensemble:
    """Turn a fitted pipeline into a model of its raw columns.

    Parameters
    ----------
    model : sklearn.pipeline.Pipeline
        The pipeline.
    steps : Steps
        Of `follow_steps`.
    rounds : int or {"all", "best"}, optional
        Which boosting rounds count.
    data : DataFrame or ndarray, optional
        Raw rows, for the names of CatBoost's categories.

    Returns
    -------
    Ensemble
        Its features are the pipeline's raw columns.

    Raises
    ------
    UnsupportedModelError
        If the model cannot be read through these steps; it says why.
    """
    derived = itertools.takewhile(lambda one: one is not _own_base(model), type(model).__mro__)
    for own, method in itertools.product(derived, ("predict", "predict_proba", "transform")):
        if method in vars(own):
            raise UnsupportedModelError(f"pipeline: {own.__name__} overrides {method}",
                                        "Give a scikit-learn Pipeline with the same steps")
    last, sources = unwrapped(model.steps[-1][1]), steps.sources
    if data is None and library_of(last) == "catboost" and last.is_fitted() and \
            last.get_cat_feature_indices():
        raise UnsupportedModelError(
            "pipeline: the last step is a CatBoost model with categorical columns; it "
            "stores only hashes of their categories",
            "Give the training data too: boxwood.Explainer(pipeline, X)")
    try:
        content = _model(last, rounds, steps, data)
    except UnsupportedModelError as error:
        raise error.of_part(f'pipeline, step "{model.steps[-1][0]}"',
                            f"{error.remedy}; keep the steps before it") from error
    _check_width(steps, content)
    if content.unsaid:
        raise UnsupportedModelError(
            f'pipeline, step "{model.steps[-1][0]}": {content.unsaid}',
            "Apply the function to the raw column, in the outer pipeline")
    for raw in mixed(sources):
        if steps.columns[raw].other is not None:
            raise UnsupportedModelError(
                f'pipeline: one step reads column "{steps.columns[raw].name}" as a number, and '
                "another encodes it and accepts unknown categories",
                'Fit the encoder with handle_unknown="error"')
    splits = push(content, steps)
    kept = _kept(model, steps)
    places = {raw: at for at, raw in enumerate(kept)}
    content.trees = [pushed_tree(tree, sources, splits, places) for tree in content.trees]
    content.features = [_feature(raw, steps.columns[raw], sources, content.features)
                        for raw in kept]
    content.source = f"{content.source} in a pipeline"
    content.library = "sklearn"
    content.encoded = frozenset(places[raw] for raw in kept
                                if steps.columns[raw].categories is not None)
    content.input = _precision(steps.columns)
    return content


def _precision(columns: list[RawColumn]) -> str:
    """Return the precision in which numbers are read; a search cannot mix two."""
    single = [column.single for column in columns if column.categories is None]
    if any(single) and not all(single):
        names = [f'"{column.name}"' for column in columns if column.single]
        raise UnsupportedModelError(
            f"pipeline: of the numeric columns only {', '.join(names)} "
            f"{'is' if len(names) == 1 else 'are'} float32; the precision of "
            "scikit-learn then depends on which columns a step combines",
            "Convert these columns to float64 and fit it again")
    return "float32" if single and all(single) else "float64"


def complete(pipelines: Sequence[PipelineSteps], schema: Schema,
             labels: Sequence[Sequence[str]]) -> dict[int, PipelineColumn]:
    """Collect what pipelines know of their raw columns.

    Parameters
    ----------
    pipelines : sequence of PipelineSteps
        Of all models.
    schema : Schema
        Of the first model.
    labels : sequence
        By feature the labels of its categories in the first model. Members of a composition may
        know fewer of them.

    Returns
    -------
    dict
        By the number of the feature.
    """
    values: dict[int, dict[tuple[str, int], Any]] = {}
    others: dict[int, Any] = {}
    models: dict[int, str] = {}
    marks: dict[int, dict[str, Any]] = {}
    closed: set[int] = set()
    domains: dict[int, tuple[float, float, str]] = {}
    places = {feature.name: at for at, feature in enumerate(schema.features)}
    for name, steps, called in pipelines:
        for i, (column, same, own) in enumerate(zip(steps.columns, _marks(steps), called,
                                                    strict=True)):
            if own not in places:
                continue
            at = places[own]
            if steps.of_missing(i) is None:
                closed.add(at)
            if column.functions and column.domain != RawColumn("").domain:
                low, high, known = domains.get(at, (-np.inf, np.inf, ""))
                names = ", ".join(dict.fromkeys(one.name for one in column.functions))
                domains[at] = (max(low, column.domain[0]), min(high, column.domain[1]),
                               known or names)
            before = marks.setdefault(at, same)
            marks[at] = {key: value for key, value in before.items() if key in same}
            if not marks[at]:
                raise Error(name, f'it marks a missing "{own}" differently from the '
                                  "previous model", "Fit both on rows with NaN for missing")
            if column.categories is None:
                continue
            # Members share the model's list of categories; each knows some of them.
            own_values = dict(zip(_numbered(_labels(column)), column.categories, strict=False))
            listed = values.setdefault(at, {})
            others.setdefault(at, column.other)
            if any(listed.setdefault(label, value) != value for label, value in own_values.items()
                   ) or (models.setdefault(at, name) != name and listed != own_values):
                raise Error(name, f'it knows other categories of "{own}" than the previous model',
                            "Fit both on the same rows, or ask them one by one")
    every = set(_all_marks())
    for at, listed in values.items():
        if others[at] in listed.values():
            others[at] = _other(list(listed.values()))
    return {at: PipelineColumn(
        [values[at].get(label, others[at]) for label in _numbered(labels[at])]
        if at in values else None, None if same.keys() == every else
        Mark(next(iter(same.values())), frozenset(every - same.keys())), at in closed,
        domains.get(at))
        for at, same in marks.items()}


def _all_marks() -> dict[str, Any]:
    pandas = sys.modules.get("pandas")  # without pandas, no value is pandas.NA
    return {"NaN": np.nan, "None": None, **({} if pandas is None else {"NA": pandas.NA})}


def _marks(steps: Steps) -> list[dict[str, Any]]:
    """Find for each column the marks that the steps treat like its missing value."""
    every = _all_marks()

    def made(given: dict[int, np.ndarray]) -> str:
        try:
            return repr([part.tolist() for part in readable(steps.outputs(given, 1), "float64")])
        except (ValueError, TypeError):
            return ""  # refused

    numbers = [i for i, column in enumerate(steps.columns)
               if column.categories is None and column.formula is None]
    alike = made(dict.fromkeys(numbers, np.array([np.nan])))
    if alike and alike == made(dict.fromkeys(numbers, objects([None]))):
        numbers = []  # usually none is distinguished, and one call is enough
    found = []
    for i, column in enumerate(steps.columns):
        texts = column.categories is not None and not _of_numbers(column.categories)
        if column.formula is not None:
            found.append(every)
            continue
        if column.categories is None and i not in numbers:
            found.append(every)
            continue
        asked = {"NaN": made({i: np.array([np.nan]) if not texts else objects([np.nan])}),
                 "None": made({i: objects([None])})}
        if "NA" in every:
            # Missing values of pandas' number types reach the steps as NaN.
            asked["NA"] = made({i: objects([every["NA"]])}) if texts else asked["NaN"]
        own = asked[mark_name(column.missing)]
        # A step that rejects missing values rejects every mark of them.
        found.append({key: every[key] for key, said in asked.items() if said == own}
                     if own else every)
    return found


def _raw_names(model: Any) -> list[str]:
    steps = [step for _, step in model.steps]
    if len(steps) == 0 or is_nothing(steps[-1]):
        raise UnsupportedModelError("pipeline: its last step is not a model",
                                    "Add a model as the last step")
    names = input_names(model)
    if names is not None:
        return names
    first = first_step(model)
    count = getattr(first, "n_features_in_", None)
    if count is None:
        raise UnsupportedModelError(
            f'pipeline, step "{model.steps[0][0]}": its input columns are unknown',
            "Call fit first; if it is fitted, put the model or a ColumnTransformer first")
    return [f"f{i}" for i in range(int(count))]


def _model(last: Any, rounds: int | str | None, steps: Steps, data: Any) -> Ensemble:
    from boxwood.models._ensemble import Ensemble

    made = None
    if data is not None and knows_hashes(last):
        rows = data.to_pandas() if hasattr(data, "to_pandas") else data
        made = steps.transform(rows, False)
    if has_arrays(last) and rounds is None:
        return converted_model(last, made)
    return Ensemble.from_core(core_ensemble(last, type(last).__name__, rounds, made))


# Where scikit-learn's models keep the models that they are made of.
INSIDE = ("steps", "estimator", "estimator_", "regressor_", "best_estimator_", "estimators_",
          "calibrated_classifiers_")


def knows_hashes(model: Any) -> bool:
    """Whether a model is, or holds, a CatBoost model that knows its categories by hashes only."""
    if isinstance(model, (list, tuple)):
        return any(knows_hashes(one) for one in model)
    if hasattr(model, "get_cat_feature_indices"):
        return bool(model.is_fitted() and model.get_cat_feature_indices())
    return any(knows_hashes(getattr(model, place)) for place in INSIDE if hasattr(model, place))


def _table(names: list[str] | None, columns: list[RawColumn]) -> Callable[[list[np.ndarray]], Any]:
    def typed(array: np.ndarray, column: RawColumn) -> np.ndarray:
        if column.single:
            return array.astype(np.float32)
        if array.dtype == object and _of_numbers(column.categories or []):
            # Categories that are numbers come as numbers, as they do in the user's table.
            numbers = np.array(array.tolist())
            return numbers if numbers.dtype.kind in "biuf" else array
        return array

    if names is None:
        def stacked(arrays: list[np.ndarray]) -> np.ndarray:
            parts = [typed(array, column) for array, column in zip(arrays, columns, strict=True)]
            kind = object if any(part.dtype == object for part in parts) else None
            if kind is None and all(part.dtype == np.float32 for part in parts):
                kind = np.float32
            return np.column_stack([part.astype(kind or np.float64) for part in parts])

        return stacked
    pandas = library("pandas")

    def framed(arrays: list[np.ndarray]) -> Any:
        parts = [typed(array, column) for array, column in zip(arrays, columns, strict=True)]
        return pandas.DataFrame({name: pandas.Series(part, dtype=part.dtype)
                                 for name, part in zip(names, parts, strict=True)})

    return framed


def _steps(model: Any, names: list[str], trace: Trace, sources: list[Source], data: Any,
           zeros_missing: bool) -> Steps:
    columns = [RawColumn(name, trace.categories.get(i), shared=trace.shared.get(i, []),
                         complete=i in trace.complete)
               for i, name in enumerate(names)]
    for i, mark in trace.missing.items():
        if columns[i].categories is not None:
            columns[i].missing = mark
        elif mark is None:  # while NA finds NaN as well
            raise UnsupportedModelError(
                f'pipeline: a step treats None as missing in the numeric column "{names[i]}"',
                "Write NaN for missing and fit it again with missing_values=np.nan")
    for i, single in enumerate(_single(names, data)):
        columns[i].single = single and columns[i].categories is None
    columns += [_calculated(formula, columns, trace, i)
                for i, formula in enumerate(trace.formulas, len(names))]
    raw = columns[:len(names)]
    for i, functions in trace.functions.items():
        columns[i].functions = functions
        _check_declared(columns[i], i, data)
    named = input_names(model)
    before = model.steps[:-1]

    def through(steps: list[tuple[str, Any]]) -> Callable[[Any, bool], Any]:
        def transform(table: Any, far: bool) -> Any:
            import sklearn

            # The largest numbers become infinite in the steps, and scikit-learn would refuse them.
            with sklearn.config_context(**({"assume_finite": True} if far else {})):
                for _, step in steps:
                    table = table if is_nothing(step) else step.transform(table)
            return table

        return transform

    steps = Steps(through(before), columns, sources, _table(named, raw), zeros_missing,
                  lambda ends: through(beyond(before, ends)))
    try:
        steps.outputs({}, 1)
    except (ValueError, TypeError) as error:
        said = next(iter(str(error).splitlines()), "")
        raise UnsupportedModelError(f"pipeline: its steps reject a test row: {said}",
                                    ALONE) from error
    _try_categories(steps, model)
    return steps


def _calculated(formula: Formula, columns: list[RawColumn], trace: Trace, index: int) -> RawColumn:
    """Make the column of a formula, which counts after the raw columns."""
    used = [columns[raw] for raw in formula.node.columns()]
    for column in used:
        if column.categories is not None:
            raise UnsupportedModelError(
                f'pipeline: a step calculates with column "{column.name}", and another encodes it',
                "Calculate with columns that are numbers only")
        column.used = True
    if formula.name in (column.name for column in columns):
        raise UnsupportedModelError(f'pipeline: a step calculates "{formula.name}", and a column '
                                    "has this name", "Rename the column")
    return RawColumn(formula.name, single=all(column.single for column in used),
                     formula=replace(formula, single=all(column.single for column in used)),
                     complete=any(raw in trace.complete for raw in formula.node.columns()))


def _try_categories(steps: Steps, model: Any) -> None:
    """Drop categories that the pipeline rejects, and find out whether it accepts unknown ones."""
    def takes(run: Callable[..., Any], given: dict[int, np.ndarray]) -> bool:
        try:
            run(given, max((len(array) for array in given.values()), default=1))
        except Exception:  # every library has errors of its own
            return False
        return True

    def whole(given: dict[int, np.ndarray], count: int) -> None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model.predict(steps.rows(given, count))

    # Models that need other types than those of the trial row are skipped.
    ask = whole if any(column.categories for column in steps.columns) and takes(whole, {}) \
        else steps.outputs
    for i, column in enumerate(steps.columns):
        if not column.categories:
            continue
        if not takes(steps.outputs, {i: objects(column.categories)}):
            # Of two encoders of the same column, one may accept a value that the other refuses.
            column.categories = [value for value in column.categories
                                 if takes(steps.outputs, {i: objects([value])})]
        other = _other(column.categories)
        if takes(ask, {i: objects([other])}):
            column.other = other


def _of_numbers(categories: list[Any]) -> bool:
    return all(isinstance(value, (bool, int, float)) for value in categories)


def _other(categories: list[Any]) -> Any:
    if all(isinstance(value, bool) for value in categories):
        return OTHER if len(categories) == 2 else not categories[0]
    if _of_numbers(categories):
        return max(categories) + 1
    return OTHER if OTHER not in categories else f"{OTHER} of {len(categories)}"


def _single(names: list[str], data: Any) -> list[bool]:
    if data is None:
        return [False] * len(names)
    data = as_table(data)
    if hasattr(data, "dtypes") and hasattr(data, "columns"):
        types = {str(name): kind for name, kind in zip(data.columns, data.dtypes, strict=True)}
    elif hasattr(data, "schema") and hasattr(data.schema, "types"):  # of Arrow
        known = {"float": np.dtype(np.float32), "halffloat": np.dtype(np.float16)}
        types = {name: known.get(str(kind)) for name, kind in
                 zip(data.schema.names, data.schema.types, strict=True)}
    else:
        types = dict.fromkeys(names, getattr(data, "dtype", None))
    for name in names:
        if types.get(name) == np.float16:
            raise UnsupportedModelError(f'pipeline: column "{name}" is float16',
                                        "Fit it on float32 or float64 numbers")
    return [types.get(name) == np.float32 for name in names]


def _check_declared(column: RawColumn, index: int, data: Any) -> None:
    """Check on the data that functions never fall which are declared not to."""
    declared = [function for function in column.functions if function.declared]
    if not declared or data is None:
        return
    try:
        values = data[column.name] if hasattr(data, "columns") else np.asarray(data)[:, index]
    except (KeyError, IndexError):
        return
    numbers = np.unique(np.asarray(values, dtype=np.float32 if column.single else np.float64))
    numbers = numbers[~np.isnan(numbers)]
    for function in declared:
        made = doubles(function, numbers[:, None])[:, 0]
        falls = np.flatnonzero(np.diff(made) < 0)
        if len(falls):
            a, b = numbers[falls[0]], numbers[falls[0] + 1]
            raise UnsupportedModelError(
                f'pipeline: {function.name} was declared monotone, but it falls from {a} to {b} in '
                f'column "{column.name}"', ALONE)


def _check_width(steps: Steps, content: Ensemble) -> None:
    width = len(steps.outputs({}, 1))
    if not width == len(steps.sources) == len(content.features):
        raise UnsupportedModelError(
            f"pipeline: {len(steps.sources)} columns were traced, but its steps produce {width} "
            f"and the model reads {len(content.features)}", ALONE)


def _kept(model: Any, steps: Steps) -> list[int]:
    """Choose the raw columns of the new model: all that the pipeline requires."""
    first, count = first_step(model), len(steps.columns)
    if type(first).__name__ != "ColumnTransformer" or not hasattr(first, "feature_names_in_"):
        return list(range(count))
    where = first._transformer_to_input_indices
    taken = {i for name, part, _ in first.transformers_ for i in where.get(name, [])
             if not (isinstance(part, str) and part == "drop")}
    taken |= {source.raw for source in steps.sources}
    return [i for i in range(count) if i in taken]


def _labels(column: RawColumn) -> list[str]:
    """Return the label of each code; the last may stand for all other categories."""
    labels = [_label(value) for value in column.categories or []]
    if column.other is not None:
        labels.append(OTHER if OTHER not in labels else "(any other)")
    return labels


def _numbered(labels: Sequence[str]) -> list[tuple[str, int]]:
    """Tell equal labels apart: the number 1 and the text "1" have one label."""
    return [(label, list(labels[:at]).count(label)) for at, label in enumerate(labels)]


def _label(value: Any) -> str:
    # A whole number has one label, whether it came as an integer or as a float.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _feature(raw: int, column: RawColumn, sources: list[Source],
             features: list[dict[str, Any]]) -> dict[str, Any]:
    if column.categories is not None:
        categories: list[dict[str, Any]] = [{"code": code, "label": label}
                                            for code, label in enumerate(_labels(column))]
        if column.other is not None:
            categories[-1]["others"] = True
        return {"name": column.name, "kind": "categorical", "categories": categories}
    for j, source in enumerate(sources):
        if source.raw == raw and source.same and features[j]["kind"] == "categorical":
            return {**features[j], "name": column.name}
    return {"name": column.name, "kind": "continuous"}
