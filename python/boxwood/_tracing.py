"""Traces each column that a model reads through the steps of a fitted pipeline to its raw column.

A step is accepted only if each of its outputs depends on one column and, for numbers, is monotone:
then a split of the model is a split of the raw column. All other steps are refused by name. The
arithmetic of the steps is not repeated here; `_pushing` calls the steps themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boxwood._formulas import Formula, Made, UntraceableError, found_formula, traced
from boxwood._functions import Function, known_function, of_power, of_quantiles, only_renames
from boxwood._tables import missing
from boxwood.errors import UnsupportedModelError, library

RAW, RISING, TABLE, BIN = "raw", "rising", "table", "bin"
ALONE = "Explain the last step alone, with columns that the other steps have transformed"

# Steps whose outputs are their inputs, one by one, and never fall as these rise.
RISING_STEPS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Binarizer")
ENCODERS = ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder")
OTHER_ENCODERS = ("category_encoders.OrdinalEncoder", "category_encoders.TargetEncoder")
MIXING = {
    "PCA", "KernelPCA", "TruncatedSVD", "FastICA", "NMF", "PolynomialFeatures",
    "Normalizer", "IterativeImputer", "LinearDiscriminantAnalysis",
    "IncrementalPCA", "SparsePCA", "FactorAnalysis", "FeatureAgglomeration", "MiniBatchNMF",
    "MiniBatchSparsePCA", "LatentDirichletAllocation", "DictionaryLearning", "PLSRegression",
    "GaussianRandomProjection", "SparseRandomProjection", "Nystroem", "RBFSampler", "KMeans",
}
UNEVEN = {"QuantileTransformer", "PowerTransformer"}
AFTER = ("Explain the last step alone, with the columns that the steps before it make: "
         "boxwood.Explainer(pipeline[-1], data=pipeline[:-1].transform(X))")
BACK = "; inverse_transform of the step shows an answer in the raw columns"


@dataclass(frozen=True)
class Source:
    """The content of one column at some position of a pipeline.

    Parameters
    ----------
    raw : int
        The raw column that it depends on.
    state : {"raw", "rising", "table", "bin"}
        "raw": the raw values, with missing ones possibly filled in; "rising": a number that never
        falls as the raw number rises; "table": a function of the raw category; "bin": one number
        if the raw number is in an interval, and a smaller or equal one if it is not.
    same : bool
        No step has changed the column.
    function : Function, optional
        A function of the raw number that some step has applied and that is not known to be monotone
        to the last digit.
    """

    raw: int
    state: str = RAW
    same: bool = True
    function: Function | None = None


@dataclass
class Trace:
    """Facts about raw columns that tracing finds.

    Parameters
    ----------
    categories : dict
        By raw column the values that its encoders know, missing ones left out.
    shared : dict
        By raw column those of them that all of its encoders know.
    missing : dict
        By raw column how a missing value is written, where that is not NaN.
    functions : dict
        By raw column the functions that are applied to it.
    complete : set
        Raw columns whose missing values are filled in from other columns, or before a formula.
    names : list
        The names of the raw columns.
    formulas : list
        Formulas of several raw columns. They are numbered after the raw columns, and their results
        are treated like raw columns.
    """

    categories: dict[int, list[Any]] = field(default_factory=dict)
    shared: dict[int, list[Any]] = field(default_factory=dict)
    missing: dict[int, Any] = field(default_factory=dict)
    functions: dict[int, list[Function]] = field(default_factory=dict)
    complete: set[int] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)

    def column_of(self, formula: Formula) -> int:
        """Return the number of a formula among the raw columns; a new one is added."""
        if formula not in self.formulas:
            self.formulas.append(formula)
        return len(self.names) + self.formulas.index(formula)


@dataclass(frozen=True)
class Mark:
    """How a missing value of a column is written, where it matters.

    Parameters
    ----------
    value : object
        NaN, None or pandas' NA.
    others : frozenset of str
        Names of those among them that are something else to a pipeline, or nothing that it takes.
    """

    value: Any
    others: frozenset[str]


def mark_name(value: Any) -> str:
    """Return the name of a missing value: "NaN", "None" or "NA"."""
    return "None" if value is None else "NaN" if isinstance(value, float) else "NA"


def refuse(path: str, step: Any, reason: str, remedy: str = ALONE) -> UnsupportedModelError:
    """Make the error for a step that is not supported."""
    name = type(step).__name__ if not isinstance(step, str) else step
    return UnsupportedModelError(f'pipeline, step "{path}": {name} {reason}', remedy)


def kind_of(step: Any) -> str:
    """Return the name of the scikit-learn class that a step has or is derived from.

    For a step from elsewhere, the name of its own class.
    """
    # A derived class may compute anything, so only the library's own classes are accepted.
    own = type(step)
    if own.__module__.startswith("category_encoders."):
        return f"category_encoders.{own.__name__}"
    return own.__name__ if own.__module__.startswith("sklearn.") else f"custom {own.__name__}"


def first_step(model: Any) -> Any:
    """Find the step that sees the raw columns first.

    None if there is none.
    """
    while hasattr(model, "steps"):
        model = next((step for _, step in model.steps if not is_nothing(step)), None)
    return model


def input_names(model: Any) -> list[str] | None:
    """Return the names of the columns that a pipeline or a step was fitted on, if it has any."""
    names = getattr(first_step(model), "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def is_nothing(step: Any) -> bool:
    """Whether a step is None or "passthrough", so that it changes nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def follow(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through one step; the categories that it knows are added to `trace`."""
    if is_nothing(step):
        return sources
    if isinstance(step, str) and step == "drop":
        return []
    kind = kind_of(step)
    if kind == "Pipeline":
        for name, part in step.steps:
            sources = follow(part, f"{path}.{name}" if path else name, sources, trace)
        return sources
    if kind == "ColumnTransformer":
        return _columns(step, path, sources, trace)
    if kind == "FeatureUnion":
        if step.transformer_weights:
            raise refuse(path, step, "has transformer_weights", "Fit it without them")
        return [source for name, part in step.transformer_list
                for source in follow(part, f"{path}.{name}", sources, trace)]
    if not hasattr(step, "n_features_in_") and kind not in ("FunctionTransformer",):
        if kind in MIXING | UNEVEN | set(RISING_STEPS) | set(ENCODERS):
            raise refuse(path, step, "is not fitted", "Call fit first")
    if kind in RISING_STEPS:
        return [_changed(source) for source in sources]
    if kind == "FunctionTransformer":
        unchanged = step.func is None or only_renames(step)
        return sources if unchanged else _applied(step, path, sources, trace)
    if kind == "SimpleImputer":
        return _imputed(step, path, sources, trace)
    if kind == "MissingIndicator":
        _check_missing(step, path)
        return [_changed(sources[i]) for i in step.features_]
    if kind in ENCODERS:
        return _encoded(step, kind, path, sources, trace)
    if kind in OTHER_ENCODERS:
        return _category_encoded(step, path, sources, trace)
    if kind == "KBinsDiscretizer":
        return _binned(step, path, sources)
    if hasattr(step, "get_support") and kind[:7] != "custom ":
        return [source for source, kept in zip(sources, step.get_support(), strict=True) if kept]
    if kind in MIXING:
        raise refuse(path, step, "mixes input columns, so that a split of the model is not a "
                                 "split of one column",
                     AFTER + (BACK if hasattr(step, "inverse_transform") else ""))
    if kind == "SplineTransformer":
        raise refuse(path, step, "makes several columns of one that rise and fall with it",
                     "Leave it out: trees do not need it")
    if type(step).__module__.startswith("sklearn_pandas."):
        raise refuse(path, step, "of sklearn-pandas is not supported; sklearn-pandas does not run "
                                 "with scikit-learn 1.7 or newer",
                     "Use a ColumnTransformer with the same transformers")
    if kind == "KNNImputer":
        return _complete(step, path, sources, trace)
    if kind in UNEVEN:
        return _curved(step, kind, path, sources, trace)
    raise refuse(path, step, "is not supported")


def _changed(source: Source) -> Source:
    return replace(source, same=False,
                   state=source.state if source.state in (TABLE, BIN) else RISING)


def _binned(step: Any, path: str, sources: list[Source]) -> list[Source]:
    """Trace columns through a KBinsDiscretizer: one number, or a column for each interval."""
    if step.encode == "ordinal":
        return [_changed(source) for source in sources]
    found = []
    for source, count in zip(sources, step.n_bins_.tolist(), strict=True):
        if source.state == BIN:
            raise refuse(path, step, "divides the intervals of another KBinsDiscretizer",
                         "Leave one of the two out")
        state = TABLE if source.state == TABLE else BIN
        found += [replace(source, state=state, same=False)] * count
    return found


def _applied(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through the function of a FunctionTransformer."""
    called = getattr(step.func, "__name__", "a function")
    function = known_function(step.func)
    if function is None:
        return _calculated(step, path, sources, trace)
    if step.kw_args:
        raise refuse(path, step, f"applies {called} with kw_args",
                     "Fit it with a function of one argument")
    for source in sources:
        if source.state == RAW or (function.exact and function.lower < 0
                                   and source.state not in (TABLE, BIN)):
            trace.functions.setdefault(source.raw, []).append(function)
            continue
        raise refuse(path, step, f"applies {called} to numbers that an earlier step has changed",
                     "Apply it to the raw column, before the other steps")
    return [replace(_changed(source), function=source.function if function.exact else function)
            for source in sources]


def _calculated(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through a function that calculates with several of them."""
    called = getattr(step.func, "__name__", "a function")
    unknown = f"applies {called}, which is not known to be monotone"
    declare = ("If it never falls as its argument rises, and treats each number by itself, "
               f"declare it: boxwood.monotone({called})")
    columns = [source.raw for source in sources]
    made: list[Made] | None = None
    reason, framed = "", False
    for framed in (True, False):
        try:
            made = traced(lambda table: step.func(table, **(step.kw_args or {})), columns,
                          [trace.names[raw] for raw in columns]
                          if framed and all(raw < len(trace.names) for raw in columns) else None)
            break
        except UntraceableError as error:
            # Arrays are indexed in another way than frames.
            reason = str(error) if reason in ("", "it chooses rows") else reason
    if made is None:
        raise refuse(path, step, f"{unknown}, and is no arithmetic of columns: {reason}", declare)
    found = []
    for one in made:
        plain = one.node.sign == "column"
        if plain and not one.functions:
            found.append(sources[columns.index(one.node.column)])
            continue
        source = Source(one.node.column, same=False) if plain else \
            _formula(one, step, path, sources, trace, unknown, declare)
        for function in one.functions:
            if source.state != RAW:
                raise refuse(path, step, f"applies {function.name} to results of functions",
                             "Apply one function to the formula")
            trace.functions.setdefault(source.raw, []).append(function)
            source = replace(_changed(source), function=None if function.exact else function)
        found.append(source)
    _compare(step, path, called, columns, made, trace if framed else None)
    return found


def _formula(one: Made, step: Any, path: str, sources: list[Source], trace: Trace, unknown: str,
             declare: str) -> Source:
    """Give the formula of one output a number after the raw columns."""
    used = one.node.columns()
    if len(used) < 2:
        raise refuse(path, step, unknown, declare)
    for source in sources:
        if source.raw in used and (source.state != RAW or source.raw >= len(trace.names)):
            raise refuse(path, step, "calculates with numbers that an earlier step has changed",
                         "Apply it to the raw columns, before the other steps")
    formula = found_formula(one.node, trace.names)
    if formula is None:
        raise refuse(path, step, f"calculates {one.node.text(trace.names)}, in which no column "
                                 "comes through unchanged, whatever the others are",
                     "Divide it into two columns, or add the column to the data before the "
                     "pipeline and give Boxwood its formula as a rule: column … is …")
    if any(source.raw in used and not source.same for source in sources):
        trace.complete |= {*used}  # a missing value was filled in, which the formula does not know
    return Source(trace.column_of(formula), same=False)


def _compare(step: Any, path: str, called: str, columns: list[int], made: list[Made],
             frame: Trace | None) -> None:
    """Compare what a function gives with its formulas, bit for bit."""
    draw = np.random.default_rng(0)
    size = 10.0 ** draw.integers(-8, 9, (500, len(columns)))
    numbers = draw.normal(size=(500, len(columns))) * size
    numbers[:100] = np.round(numbers[:100])
    numbers[:20][draw.random((20, len(columns))) < 0.3] = np.nan
    at = {raw: place for place, raw in enumerate(columns)}
    for kind in (np.float64, np.float32):
        table: Any = numbers.astype(kind)
        read = numbers.astype(kind)

        def column(raw: int, read: Any = read) -> Any:
            return read[:, at[raw]]

        if frame is not None and all(raw < len(frame.names) for raw in columns):
            table = library("pandas").DataFrame(table, columns=[frame.names[raw]
                                                                for raw in columns])
        with np.errstate(all="ignore"):
            given = np.asarray(step.func(table, **(step.kw_args or {})))
            for place, one in enumerate(made):
                wanted = one.node.values(column, kind)
                for function in one.functions:
                    wanted = function.call(wanted)
                if given.shape != (500, len(made)) or given.dtype != wanted.dtype \
                        or not np.array_equal(given[:, place], wanted, equal_nan=True):
                    raise refuse(path, step, f"applies {called}, which does not always calculate "
                                             "what its code says", ALONE)


def _curved(step: Any, kind: str, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through a QuantileTransformer or a PowerTransformer."""
    found = []
    for column, source in enumerate(sources):
        if source.state != RAW:
            raise refuse(path, step, "transforms numbers that an earlier step has changed",
                         "Apply it to the raw column, before the other steps")
        function = of_power(step, column) if kind == "PowerTransformer" else \
            of_quantiles(step, column) if step.output_distribution == "uniform" else None
        if function is None:
            raise refuse(path, step, "applies functions that are not guaranteed to be monotone in "
                                     "floating point", "Leave it out: trees do not need it")
        trace.functions.setdefault(source.raw, []).append(function)
        found.append(replace(_changed(source), function=function))
    return found


def _complete(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through a KNNImputer, which changes nothing in rows without missing values."""
    _check_missing(step, path)
    if step.add_indicator:
        raise refuse(path, step, "adds columns that tell what is missing",
                     "Fit it with add_indicator=False")
    kept = step._valid_mask if not step.keep_empty_features else [True] * len(sources)
    trace.complete |= {source.raw for source in sources}
    return [replace(source, same=False) for source, taken in zip(sources, kept, strict=True)
            if taken]


def _columns(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    if not hasattr(step, "transformers_"):
        raise refuse(path, step, "is not fitted", "Call fit first")
    if step.transformer_weights:
        raise refuse(path, step, "has transformer_weights", "Fit it without them")
    where = step._transformer_to_input_indices
    found = []
    for name, part, _ in step.transformers_:
        chosen = [sources[i] for i in where.get(name, [])]
        found += follow(part, f"{path}.{name}", chosen, trace) if chosen else []
    return found


def _check_missing(step: Any, path: str) -> None:
    if not missing(step.missing_values):
        raise refuse(path, step, f"treats {step.missing_values!r} as missing",
                     "Replace these values by NaN before the pipeline")


def _imputed(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    _check_missing(step, path)
    if not isinstance(step.missing_values, float):
        trace.missing.update({source.raw: step.missing_values for source in sources})
    empty = [missing(value) for value in step.statistics_.tolist()]
    kept = step.keep_empty_features or step.strategy == "constant"
    found = [replace(source, same=False) for source, none in zip(sources, empty, strict=True)
             if kept or not none]
    if step.add_indicator:
        found += [_changed(sources[i]) for i in step.indicator_.features_]
    return found


def _note_categories(known: list[Any], step: Any, path: str, source: Source, trace: Trace) -> None:
    """Add the categories that an encoder knows of a column to `trace`."""
    if source.state in (RISING, BIN):
        raise refuse(path, step, "encodes numbers that an earlier step has changed",
                     "Encode the raw column, or leave the earlier step out")
    if source.state == RAW:
        plain = [value for value in known if not missing(value)]
        listed = trace.categories.setdefault(source.raw, [])
        listed += [value for value in plain if value not in listed]
        shared = trace.shared.setdefault(source.raw, plain)
        trace.shared[source.raw] = [value for value in shared if value in plain]
        for value in known:
            if missing(value) and not isinstance(value, float):
                trace.missing.setdefault(source.raw, value)


def _category_encoded(step: Any, path: str, sources: list[Source], trace: Trace) -> list[Source]:
    """Trace columns through an encoder of category_encoders, which leaves some as they are."""
    if step.drop_invariant and step.invariant_cols:
        raise refuse(path, step, "drops columns", "Fit it with drop_invariant=False")
    if getattr(step, "hierarchy", None) is not None:
        raise refuse(path, step, "has a hierarchy of categories", "Fit it without one")
    tables = getattr(step, "ordinal_encoder", step).mapping
    known = {table["col"]: list(table["mapping"].index) for table in tables}
    found = []
    for name, source in zip(step.feature_names_in_, sources, strict=True):
        if name in known:
            _note_categories(known[name], step, path, source, trace)
            source = replace(source, state=TABLE, same=False)
        found.append(source)
    return found


def _encoded(step: Any, kind: str, path: str, sources: list[Source],
             trace: Trace) -> list[Source]:
    found = []
    for i, source in enumerate(sources):
        known = step.categories_[i].tolist()
        _note_categories(known, step, path, source, trace)
        width = 1
        if kind == "OneHotEncoder":
            # Infrequent categories share a column, and one column may be left out.
            width = len(known)
            rare = getattr(step, "infrequent_categories_", None)
            if rare is not None and rare[i] is not None:
                width -= len(rare[i]) - 1
            if step.drop_idx_ is not None and step.drop_idx_[i] is not None:
                width -= 1
        elif kind == "TargetEncoder" and step.target_type_ == "multiclass":
            width = len(step.classes_)
        found += [replace(source, state=TABLE, same=False)] * width
    return found
