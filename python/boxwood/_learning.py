"""Builds the schema and the codecs of a model's columns from models, schema and data, once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from boxwood import _core
from boxwood._codec import Codec, label_text
from boxwood._columns import Columns
from boxwood._formulas import ColumnFormula
from boxwood._groups import NONE, found_groups, given_groups
from boxwood._html import plain_number
from boxwood._loading import class_values
from boxwood._refusals import Refusals
from boxwood._tables import Column, columns_of, is_number, is_table, module_of
from boxwood.errors import Error
from boxwood.pipelines import PipelineColumn, PipelineSteps, complete, is_pipeline, knows_hashes
from boxwood.schema import Feature, FoundStep, OneHot, Schema, UnsaidKind, nearest

MOST_DIGITS = 6
FEWEST_VALUES = 10
SPREADS = {"range": _core.Spread.range, "deviation": _core.Spread.deviation,
           "mad": _core.Spread.median_deviation, "quantiles": _core.Spread.quantiles}
EMPTY = "(empty)"  # the label of CatBoost's empty text
BY_POSITION = (_core.Library.xgboost, _core.Library.lightgbm, _core.Library.catboost)


class Known(NamedTuple):
    """What an explainer knows of its columns.

    Parameters
    ----------
    schema : Schema
        With one feature for each column.
    columns : Columns
        Their codecs.
    frame_columns : pandas.Index or None
        The names of the data's columns, in the model's order.
    notes : list of str
        What was found in the data and may be overridden.
    single : bool
        The models are asked as if they read float32, because the data is float32. A number then
        means what it means in the data's columns: 0.4 is the float32 nearest to 0.4.
    """

    schema: Schema
    columns: Columns
    frame_columns: Any
    notes: list[str]
    single: bool


class _Models(NamedTuple):
    features: list[_core.Feature]  # of the first model
    single: bool  # some model reads float32
    first_single: bool  # the first one does
    hashes: bool  # the first one knows categories by their hashes
    by_value: set[int]  # columns whose categories the first one reads as numbers
    disputed: set[int]  # columns that some models read so and others do not
    others: set[int]  # columns with a category for all other values, in some model


class _Learned(NamedTuple):
    originals: Sequence[Sequence[Any] | None]
    points: np.ndarray
    dtypes: Sequence[Any]
    frame_columns: Any = None
    found_whole: frozenset[str] = frozenset()  # columns of floats that hold whole numbers only
    called: list[str] | None = None  # the names of the data's columns
    singles: Sequence[bool] = ()  # whether a column is float32
    floats: frozenset[int] = frozenset()  # the columns of floats


def put_together(models: Mapping[str, Any], ensembles: Sequence[_core.Ensemble],
                 pipelines: Sequence[PipelineSteps], data: Any, given: Schema,
                 categories: Mapping[str, Sequence[str]], scale: str | None,
                 groups: Any, own_types: bool) -> Known:
    """Combine what models, data and schema say about the columns.

    `given` overrides what models and data say. `pipelines` has the steps of models that are
    pipelines, or hold some; `categories` the labels of codes, by column. `own_types`: some model is
    a pipeline, which has found the type of its numbers itself.
    """
    if scale is not None and scale not in SPREADS:
        raise Error("scale", f"unknown scale {scale!r}",
                    'Give "range", "deviation", "mad", "quantiles" or None')
    first = ensembles[0]
    known = _known_of_models(models, ensembles)
    schema = _schema_of_model(first)
    _name_categories(schema, categories)
    formulas = _formulas(pipelines, [feature.name for feature in known.features])
    learned = _nothing_learned(schema)
    notes: list[str] = []
    if data is not None:
        learned = _learn_all(schema, known, given, data, formulas)
        if scale is not None:
            _measure(schema, learned.points, scale)
            schema.scaled = scale
        if groups is None and not given.one_hot:
            said = {feature.name for feature in given.features if feature.kind or feature.labels}
            schema.one_hot = found_groups(schema, learned.points, said)
            notes += [_group_note(group) for group in schema.one_hot]
    columns = complete(pipelines, schema,
                       [[one.label for one in feature.categories] for feature in known.features])
    _allow_named_categories(schema, known, columns, data is not None)
    values = class_values(next(iter(models.values())), first)
    if values is not None:  # the same labels for all libraries; files may differ
        schema.classes = [str(value) for value in values]
    _merge(schema, given)
    stated = [one.rule() for one in formulas]
    schema.rules = [*stated, *(rule for rule in schema.rules or [] if rule not in stated)]
    notes += [f'"{one.formula.name}" is calculated by the pipeline: changes are made to '
              + ", ".join(f'"{one.names[raw]}"' for raw in one.formula.node.columns())
              for one in formulas]
    if groups is not None:
        schema.one_hot = given_groups(groups, schema)
    notes += _grid_notes(schema, learned.found_whole)
    single = not first.single and not own_types and _is_float32(schema, learned)
    if single:
        notes.append("numbers are float32, as in the data")
    elif not first.single:
        notes += _single_notes(schema, learned.points)
    codecs = _codecs(schema, known, learned, columns, single)
    domains = {i: column.domain for i, column in columns.items() if column.domain is not None}
    for i, (low, high, _) in domains.items():
        labels = schema.features[i].labels
        given_range = (0.0, len(labels) - 1.0) if labels else (None, None)
        least, largest = schema.features[i].range or given_range
        schema.features[i].range = (low if least is None else max(least, low),
                                    high if largest is None else min(largest, high))
    notes += dict.fromkeys(
        f'"{called}": the answers rely on the declaration that {function.name} is monotone'
        for one in pipelines for called, column in zip(one.names, one.steps.columns, strict=True)
        for function in column.functions if function.declared)
    closed = frozenset(i for i, column in columns.items() if column.closed)
    divided = frozenset(place for one in formulas for place in one.places.values())
    refusals = Refusals(models, codecs, closed, domains, divided)
    columns_known = Columns(codecs, schema.one_hot, refusals, learned.called, formulas)
    return Known(schema, columns_known, learned.frame_columns, notes, single)


def _known_of_models(models: Mapping[str, Any], ensembles: Sequence[_core.Ensemble]) -> _Models:
    first = ensembles[0]
    each = [_read_by_value(*pair) for pair in zip(ensembles, models.values(), strict=True)]
    return _Models(
        first.features, any(one.single for one in ensembles), first.single,
        first.library == _core.Library.catboost or knows_hashes(next(iter(models.values()))),
        each[0], set().union(*each) - each[0].intersection(*each),
        {i for one in ensembles for i, feature in enumerate(one.features)
         if feature.categories and feature.categories[-1].others})


def _nothing_learned(schema: Schema) -> _Learned:
    nothing = [None] * len(schema)
    return _Learned(nothing, np.empty((0, len(schema))), nothing)


def _codecs(schema: Schema, known: _Models, learned: _Learned,
            columns: Mapping[int, PipelineColumn], single: bool) -> list[Codec]:
    made = []
    for i, (feature, read) in enumerate(zip(schema, known.features, strict=True)):
        column = columns.get(i, PipelineColumn())
        own = learned.originals[i] if column.values is None else column.values
        labels = feature.labels or ()
        if known.hashes and any(one.label == EMPTY for one in read.categories):
            own = ["" if label == EMPTY else value
                   for label, value in zip(labels, own or labels, strict=True)]
        made.append(Codec(
            read.name, feature.title or feature.name, feature.kind, tuple(labels),
            None if own is None else tuple(own),
            others=i in known.others and len(labels) == len(read.categories),
            hashed=any(one.hashed and one.label in labels for one in read.categories),
            written=column.values is not None, by_value=i in known.by_value,
            disputed=i in known.disputed, mark=column.mark, dtype=learned.dtypes[i],
            digits=_digits(feature.step) if known.first_single else None,
            float32_only=single and not learned.singles[i]))
    return made


def _group_note(group: OneHot) -> str:
    names = group.columns
    listed = ", ".join(names) if len(names) < 4 else f"{names[0]}, …, {names[-1]} ({len(names)})"
    none = f'; "{NONE}" is the category without a column' if group.none_allowed else ""
    return f'"{group.title}" is one feature of the one-hot columns {listed}{none}'


def _allow_named_categories(schema: Schema, known: _Models, columns: Mapping[int, PipelineColumn],
                            has_data: bool) -> None:
    # An answer must not name the category that stands for all other values.
    for i in known.others:
        feature = schema.features[i]
        named = (i in columns and columns[i].values is not None) or (
            has_data and not any(one.hashed for one in known.features[i].categories))
        labels = list(feature.labels or ())
        if named and len(labels) > 1 and feature.allowed is None:
            feature.allowed = labels[:-1]


def _formulas(pipelines: Sequence[PipelineSteps], names: list[str]) -> list[ColumnFormula]:
    """Find the columns that pipelines calculate; models of the same columns calculate the same."""
    found: dict[str, ColumnFormula] = {}
    for one in pipelines:
        for column in one.steps.columns:
            if column.formula is None:
                continue
            places = {raw: names.index(one.names[raw]) for raw in column.formula.node.columns()}
            made = ColumnFormula(column.formula, list(one.names), places)
            if found.setdefault(column.name, made).formula != made.formula:
                raise Error(one.model, f'it calculates "{column.name}" in another way than the '
                            "previous model", "Ask the models one by one")
    return [found[name] for name in names if name in found]


def _is_float32(schema: Schema, learned: _Learned) -> bool:
    """Whether float32 numbers are all that the columns need.

    Some columns are float32, and the others have categories or whole numbers that float32 has too.
    """
    def fits(i: int) -> bool:
        feature, values = schema.features[i], learned.points[:, i]
        return learned.singles[i] or bool(feature.labels) or (
            i not in learned.floats and bool((np.abs(values[np.isfinite(values)]) <= 2**24).all()))

    return any(learned.singles) and all(fits(i) for i in range(len(learned.singles)))


def _grid_notes(schema: Schema, found_whole: frozenset[str]) -> list[str]:
    """List the columns of floats whose answers are whole numbers or multiples of a step."""
    found_whole = found_whole - {name for group in schema.one_hot for name in group.columns}
    whole = [feature.title or feature.name for feature in schema
             if feature.name in found_whole and feature.kind == "integer"]
    grids = [f"{feature.title or feature.name} ({plain_number(feature.step)})"
             for feature in schema if feature.step is not None]
    return [f"{words}: {', '.join(names[:5])}"
            + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            for words, names in (("only whole numbers", whole), ("only multiples of a step", grids))
            if names]


def _single_notes(schema: Schema, points: np.ndarray) -> list[str]:
    """Name columns of float32 that the model reads as float64: their numbers have long tails."""
    names, shown = [], ""
    for i, feature in enumerate(schema):
        digits = _digits(feature.step)
        values = points[np.isfinite(points[:, i]), i] if digits is not None else points[:0, i]
        odd = values[values != np.round(values, digits or 0)]
        if len(odd) and (values == values.astype(np.float32)).all():
            names.append(feature.title or feature.name)
            shown = shown or f"{round(float(odd[0]), digits or 0)} is {float(odd[0])!r}"
    return [f"float32 values that the model reads as float64 ({shown}): {', '.join(names[:5])}"
            + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            + "; for readable numbers train with all columns of floats in float32, or rounded in "
            "float64"
            ] if names else []


def _schema_of_model(ensemble: _core.Ensemble) -> Schema:
    features = []
    for one, labels in zip(ensemble.features, _core.known_labels(ensemble), strict=True):
        kind = one.kind.name
        features.append(Feature(
            one.name, kind=UnsaidKind(kind) if kind == "continuous" else kind,
            labels=labels or None, range=(0.0, len(labels) - 1.0) if labels else None))
    return Schema(features, classes=list(ensemble.classes))


def _name_categories(schema: Schema, categories: Mapping[str, Sequence[str]]) -> None:
    for name, labels in categories.items():
        feature = schema[name]
        texts = [str(label) for label in labels]
        keep_places(f'categories, "{name}"', texts, feature.labels or [], "model")
        feature.labels = texts
        if feature.kind not in ("ordinal", "categorical"):
            feature.kind = "categorical"


def _read_by_value(ensemble: _core.Ensemble, model: Any) -> set[int]:
    # Categories without labels, of libraries that read values, are the values themselves.
    if not is_pipeline(model) and ensemble.library in BY_POSITION:
        return set()
    return {i for i, feature in enumerate(ensemble.features)
            if feature.kind.name != "categorical" or (
                feature.categories and not any(one.label for one in feature.categories))}


def _learn_all(schema: Schema, known: _Models, given: Schema, data: Any,
               formulas: Sequence[ColumnFormula]) -> _Learned:
    # Texts in the data may be labels of the given schema. Where that schema says that a feature is
    # a number, the data gives it no labels.
    numbers = set()
    named = {feature.name for feature in schema if feature.labels}
    for feature in given.features:
        if feature.labels and feature.name in schema:
            schema[feature.name].labels = feature.labels
            schema[feature.name].kind = feature.kind or "categorical"
        elif feature.kind in ("continuous", "integer"):
            numbers.add(feature.name)
    table = columns_of(data)
    nothing = _nothing_learned(schema)
    plain = Columns(_codecs(schema, known, nothing, {}, False), formulas=formulas)
    order = plain.order_of_table([column.name for column in table], "data")
    dtypes, frame_columns = [None] * len(order), None
    if is_table(data) and module_of(data) == "pandas":
        sample = data.iloc[:0, order]
        dtypes, frame_columns = list(sample.dtypes), sample.columns
    originals: list[list[Any] | None] = []
    found_whole: set[str] = set()
    for i, at in enumerate(order):
        column, feature = table[at], schema.features[i]
        if column.name is not None and column.name != feature.name:
            feature.title = column.name
        originals.append(learn(feature, column, known.features[i], "data",
                               feature.name in numbers, i in known.by_value,
                               feature.name in named, known.single))
        if feature.kind == "integer" and column.kind == "float":
            found_whole.add(feature.name)
    points = np.column_stack([codec.numbers(table[at], "data")
                              for codec, at in zip(_codecs(schema, known, nothing, {}, False),
                                                   order, strict=False)])
    points = np.column_stack([points, *(one.values(points) for one in formulas)])
    called = [table[at].name or feature.name for at, feature in zip(order, schema, strict=False)]
    singles = [table[at].single for at in order]
    for one in formulas:
        originals.append(None)
        dtypes.append(None)
        called.append(one.formula.name)
        singles.append(one.formula.single)
    floats = frozenset(i for i, at in enumerate(order) if table[at].kind == "float")
    return _Learned(originals, points, dtypes, frame_columns, frozenset(found_whole), called,
                    singles, floats)


def _measure(schema: Schema, points: np.ndarray, scale: str) -> None:
    kinds = [_core.FeatureKind[feature.kind or "continuous"] for feature in schema]
    for feature, (size, quantiles) in zip(
            schema, _core.measure(kinds, points, SPREADS[scale]), strict=True):
        if size != 1:
            feature.scale = size
        feature.quantiles = quantiles or None


def schema_of(given: Any, classes: Sequence[Any] | None = None) -> Schema:
    """Return a copy of the schema given to `Explainer`, in any of its forms, with these classes."""
    schema = _schema_in(given)
    if classes is not None:
        labels = [str(label) for label in classes]
        if schema.classes and schema.classes != labels:
            raise Error("classes", "the schema gives other labels for the classes",
                        "Give the labels in one place only")
        schema.classes = labels
    return schema


def _schema_in(given: Any) -> Schema:
    if given is None:
        return Schema()
    if isinstance(given, Schema):
        return Schema.from_dict(json.loads(given.to_json()))
    if isinstance(given, Mapping):
        return Schema.from_json(json.dumps({"boxwood_schema": 1, **given}))
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return Schema.from_json(given)
    if not isinstance(given, (str, os.PathLike)):
        raise Error("schema", f"unsupported type {type(given).__name__}",
                    "Give a Schema, a mapping, JSON text or the path of a file")
    return Schema.load(given)


def _merge(known: Schema, given: Schema) -> None:
    for feature in given.features:
        if feature.name not in known:
            raise Error("schema", f'the model has no feature "{feature.name}"',
                        nearest(feature.name, [one.name for one in known]))
        own = known[feature.name]
        said = feature.to_dict()
        if "scale" in said:
            own.quantiles = None  # of the data, which would count instead
            known.scaled = True  # and not the same measure for all
        if "labels" in said:
            own.range = None  # of the model's labels
        if said.keys() & {"kind", "allowed", "labels"}:
            own.step = None  # of the data
        if "step" in said and own.kind == "integer" and not float(feature.step or 1).is_integer():
            own.kind = "continuous"
        del said["name"]  # which may be its title here
        for key, value in said.items():
            setattr(own, key, tuple(value) if key == "range" else value)
        listed = said.get("allowed", [])
        if own.range and not own.labels and "range" not in said and not any(
                isinstance(value, str) for value in listed):
            # Of the data; the listed values may lie beyond it.
            own.range = min([own.range[0], *listed]), max([own.range[1], *listed])
    for key in ("subject", "outcome", "classes", "output_unit", "rules", "one_hot",
                "scaled"):
        if getattr(given, key):
            setattr(known, key, getattr(given, key))


def keep_places(place: str, given: Sequence[str], own: Sequence[str], whose: str) -> None:
    """Refuse labels of codes 0, 1, … that `own`, of the model or the data, gives to other codes.

    `whose` names the owner in errors.
    """
    codes = {label: code for code, label in enumerate(own)}
    for code, label in enumerate(given):
        if codes.get(label, code) != code:
            raise Error(place, f'"{label}" is category {codes[label]} of the {whose}, not {code}',
                        "Keep that order, or give other names")


def learn(feature: Feature, column: Column, model: _core.Feature, place: str,
          number: bool = False, by_value: bool = False, named: bool = False,
          single: bool = True) -> list[Any] | None:
    """Set kind, labels and range of a feature from a column of data.

    `number`: the schema says that the feature is a number, so the data gives it no labels.
    `by_value`: the model reads a category that is a number as that number. `named`: the model
    knows the names of its categories, in its own order. `single`: some model reads numbers as
    float32. Returns the values in the data that the labels stand for, if there are any.
    """
    model_kind = model.kind.name
    if column.kind == "category" and number:
        return None
    if column.kind == "category" and by_value and not feature.labels and all(
            is_number(value) for value in column.categories or []):
        # Such a column is read as its numbers.
        if any(isinstance(value, str) for value in column.categories or []):
            raise Error(f'{place}, column "{feature.title or feature.name}"',
                        "its categories are texts, but the model reads numbers",
                        "Convert them to numbers, for example with column.astype(float)")
        values = sorted(float(value) for value in column.categories or [])
        whole = all(value.is_integer() for value in values)
        if model_kind != "categorical":
            feature.kind = "integer" if whole else "continuous"
        if feature.allowed is None and values:
            feature.allowed = [int(value) if whole else value for value in values]
        return None
    if column.kind == "category":
        texts = [label_text(value) for value in column.categories or []]
        if not named:
            keep_places(f'schema, labels of "{feature.name}"', feature.labels or [], texts, "data")
        if not feature.labels:
            feature.kind = "ordinal" if column.ordered and model_kind != "categorical" \
                else "categorical"
            feature.labels = texts
        originals = dict(zip(texts, column.categories or [], strict=True))
        return [originals.get(label, label) for label in feature.labels]
    if column.kind == "text":
        if not feature.labels:
            raise Error(f'{place}, column "{feature.title or feature.name}"',
                        "it contains texts that the model does not know",
                        "Encode it as in training, or give its labels in the schema")
        return None
    if column.kind == "bool" and not feature.labels and not number:
        feature.kind = model_kind if model_kind == "categorical" else "ordinal"
        feature.labels = ["False", "True"]
        return [False, True]
    if feature.labels and column.kind == "int" and all(
            is_number(label) for label in feature.labels[:-1]):
        # Categories that the model knows by their texts and the data has as whole numbers.
        seen = {str(int(value)): int(value) for value in np.unique(
            column.values[np.isfinite(column.values)])}
        return [seen.get(label, label) for label in feature.labels]
    finite = column.values[np.isfinite(column.values)]
    if feature.labels:
        return None
    if model_kind == "categorical":
        # Codes without labels: the model lists those that its splits name, the data has others.
        codes = np.unique(finite)
        if model.categories and feature.allowed is None and len(codes) and (
                (codes >= 0) & (codes == np.floor(codes))).all():
            known = {float(one.code) for one in model.categories}
            feature.allowed = sorted(known | set(codes.tolist()))
        return None
    enough = len(finite) >= FEWEST_VALUES  # a few values may be whole by chance
    if column.kind == "int" or (enough and (finite == np.floor(finite)).all()):
        feature.kind = "integer"
    elif isinstance(feature.kind, UnsaidKind):
        feature.kind = str(feature.kind)  # the data says so
        feature.step = resolution(finite, single) if enough else None
    if len(finite):
        digits = _digits(feature.step)
        low, high = float(finite.min()), float(finite.max())
        feature.range = (low, high) if digits is None else (round(low, digits), round(high, digits))
    return None


def resolution(values: np.ndarray, single: bool = True) -> float | None:
    """Find the largest power of ten of which all values are multiples.

    A multiple of 0.01 is a number with two digits after the point, as float32 (if the model reads
    float32, `single`), or as a double with the rounding errors of a few operations. Returns 0.1,
    0.01, …; None if values have more digits, or are so large that neighbouring multiples cannot be
    distinguished.
    """
    unique = np.unique(values)
    stored_single = (unique == unique.astype(np.float32)).all()
    largest = 2.0**23 if single or stored_single else 2.0**43
    for digits in range(1, MOST_DIGITS + 1):
        if np.abs(unique).max() * 10**digits >= largest:
            return None
        grid = np.round(unique * 10.0**digits) / 10.0**digits
        if (grid.astype(np.float32) == unique).all() if stored_single else \
                (np.abs(grid - unique) <= 4 * np.spacing(np.abs(unique))).all():
            return FoundStep(1 / 10.0**digits)
    return None


def _digits(step: float | None) -> int | None:
    """Count the digits after the decimal point of a step's multiples."""
    if step is None:
        return None
    return next((digits for digits in range(MOST_DIGITS + 1)
                 if round(step, digits) == step), None)
