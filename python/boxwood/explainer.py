"""The explainer: a model, the meaning of its columns, and methods that answer questions."""

from __future__ import annotations

import inspect
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from boxwood import _core
from boxwood._analyses import Analyses
from boxwood._arguments import number, same_again
from boxwood._files import write_file
from boxwood._forms import Form, row_label
from boxwood._inner import all_pipelines
from boxwood._learning import put_together, schema_of
from boxwood._loading import class_values, named_models, read
from boxwood._question import Asked, Question
from boxwood._text import printable
from boxwood.answer import Answer
from boxwood.batch import Batch, explain_rows
from boxwood.costs import CostLike
from boxwood.errors import Error, library
from boxwood.pipelines import follow_steps, is_pipeline
from boxwood.records import sha256
from boxwood.rules import RuleLike
from boxwood.schema import Schema
from boxwood.targets import Models

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from boxwood._codec import Codec

log = logging.getLogger("boxwood")

# How many questions an explainer keeps, ready to be asked again.
MOST_QUESTIONS = 32


class Explainer(Analyses):
    """Answers questions about a model, exactly.

    Parameters
    ----------
    model : object, path, bytes, list or mapping
        A fitted model of XGBoost, LightGBM, CatBoost or scikit-learn; a scikit-learn
        pipeline that ends in one (questions are then about its raw columns); a model file or its
        content; or a list or mapping of several models that read the same columns.
    data : DataFrame, ndarray or Arrow table, optional
        Training data, or similar rows. Types give kinds (whole numbers, categories with their
        labels, truth values). Values give ranges, scales and resolutions: the answers for a column
        of whole numbers, or of multiples of 0.1, 0.01, …, are such numbers too. Columns are found
        by name.
    schema : Schema, mapping, JSON text or path, optional
        What the columns mean; it overrides what the data says.
    categories : mapping, optional
        Labels of codes 0, 1, … by column, if neither the model nor the data contains them.
    classes : sequence, optional
        Names of the classes, in the order of their numbers.
    scale : {"range", "deviation", "mad", "quantiles", None}
        The amount of change that counts as 1, measured in the data: the range, the standard
        deviation, the median absolute deviation, or quantiles (a change counts as the share of
        the data between the two values). None: one unit of the feature.
    rounds : int or {"all", "best"}, optional
        The boosting rounds to use; default: those that the library itself uses.
    groups : mapping, list or False, optional
        One-hot columns that encode one feature: a mapping from titles to columns, or a list of
        lists of columns and `OneHot`. By default groups are found in the data, unless the schema
        lists them; False turns this off.
    plausible : bool, float or IsolationForest, optional
        Every answer must be normal to this isolation forest, which becomes one more model. True
        fits one of 100 trees on `data` with a contamination of 0.1: a tenth of the data counts as
        unusual. A number is another contamination; a fitted forest is taken as it is.

    Attributes
    ----------
    schema : Schema
        What is known about the columns. To change it, give a changed copy to a new explainer.
    names : list of str
        Names of the models.
    notes : list of str
        What was found in the data and can be overridden: one-hot groups (`groups`) and columns
        whose answers are whole multiples of 0.1, 0.01, … (`kind` and `step` of the schema).
    declared : list of str
        Functions of pipelines that `boxwood.monotone` has declared monotone.

    Examples
    --------
    >>> explainer = Explainer(model, data=X_train)                      # doctest: +SKIP
    >>> explainer.explain(X_test.iloc[3], "good", fixed=["age"])       # doctest: +SKIP
    """

    def __init__(self, model: Any, data: Any = None, *,
                 schema: Schema | Mapping[str, Any] | str | os.PathLike[str] | None = None,
                 categories: Mapping[str, Sequence[str]] | None = None,
                 classes: Sequence[Any] | None = None, scale: str | None = "range",
                 rounds: int | str | None = None,
                 groups: bool | Mapping[str, Sequence[str]] | Sequence[Any] | None = None,
                 plausible: Any = None) -> None:
        models = named_models(model)
        pipelines = {name: follow_steps(one, data) for name, one in models.items()
                     if is_pipeline(one)}
        ensembles = [read(name, one, data, rounds, pipelines.get(name))
                     for name, one in models.items()]
        self.names = list(models)
        _core.check_same_columns(ensembles, self.names)
        given = schema_of(schema, classes)
        inside = all_pipelines(models, pipelines, ensembles, data)
        known = put_together(models, ensembles, inside, data, given, categories or {}, scale,
                             groups, own_types=bool(pipelines))
        if known.single:
            ensembles = [one.of_float32() for one in ensembles]
        self.schema, self.columns = known.schema, known.columns
        self.notes = known.notes
        self.declared = sorted({function.name for one in inside
                                for column in one.steps.columns for function in column.functions
                                if function.declared})
        self._frame_columns = known.frame_columns
        self._class_values = [
            class_values(one, ensemble) if not given.classes or i else None
            for i, (one, ensemble) in enumerate(zip(models.values(), ensembles, strict=True))]
        self._data = data
        self._live: _core.LiveRows | None = None
        self._questions: dict[Any, Asked] = {}
        self._normal: tuple[int, float] | None = None
        if plausible is not None and plausible is not False:
            ensembles = [*ensembles, self._plausible(plausible, data, ensembles)]
        self._compile(ensembles)
        refusals = self.columns.refusals
        for i, feature in enumerate(self.schema):
            if feature.missing_allowed and refusals is not None:
                refusals.refuse([i], "schema, missing_allowed")
        first = ensembles[0]
        log.info("%s: %d trees, %d leaves, %d features", first.source, first.tree_count,
                 first.leaf_count, len(self.columns))

    def _plausible(self, given: Any, data: Any, ensembles: list[_core.Ensemble]) -> _core.Ensemble:
        from boxwood.plausible import isolation_of

        points = None if data is None else self.columns.points(data)
        name, forest, least = isolation_of(given, points, ensembles[0])
        self._normal = len(ensembles), least
        self.names = [*self.names, name]
        self._class_values.append(None)
        return forest

    def _compile(self, ensembles: list[_core.Ensemble]) -> None:
        self.core = _core.Model(ensembles, self.schema.to_json(indent=None), self.names)
        self.models = Models(self.core, self.names)

    def __getstate__(self) -> dict[str, Any]:
        """Return the ensembles instead of the core's model, which is rebuilt on arrival."""
        state = {key: value for key, value in self.__dict__.items()
                 if key not in ("core", "models", "_data", "_live", "_questions")}
        return {**state, "ensembles": [self.core.ensemble(i) for i in range(len(self.core))]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Compile the models again."""
        self.__dict__.update(state, _data=None, _live=None, _questions={})
        self._compile(self.__dict__.pop("ensembles"))

    def __repr__(self) -> str:
        model = self.core.ensemble(0)
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        notes = "".join(f"\n  {printable(note)}" for note in self.notes)
        return (f"<Explainer of {printable(f'{model.source} {model.objective}')}: "
                f"{model.tree_count} trees, {len(self.columns)} features{more}{notes}>")

    def _repr_html_(self) -> str:
        from boxwood._html import explainer_html

        return explainer_html(self)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of the "model" (docs/proof.md; several are joined by spaces) and "schema".

        The hash of the schema is that of the file that `Schema.save` writes.
        """
        models = [self.core.ensemble(i).digest for i in range(len(self.core))]
        return {"model": " ".join(models), "schema": sha256(self.schema.to_json())}

    # What the models say.

    def predict(self, data: Any, model: int | str = 0) -> np.ndarray:
        """Predict as the library does.

        Parameters
        ----------
        data : DataFrame, ndarray or Arrow table
            Rows.
        model : int or str
            The model, by number or name, if there are several.

        Returns
        -------
        ndarray
            Labels of classes, or predicted numbers, one or several for each row. For an isolation
            forest these are its `score_samples`; for a multi-label model, probabilities.
        """
        index = self.models.index(model)
        points = self.columns.points(data)
        if self.core.ensemble(index).class_count:
            labels = np.array(self._labels(index))
            return labels[self.core.classes(points, index)[:, 0]]
        outputs = self.core.outputs(points, index)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def predict_proba(self, data: Any, model: int | str = 0) -> np.ndarray:
        """Return the library's probabilities of the classes.

        Parameters
        ----------
        data : DataFrame, ndarray or Arrow table
            Rows.
        model : int or str
            The model, by number or name, if there are several.

        Returns
        -------
        ndarray
            A column for each class.
        """
        index = self.models.index(model)
        if self.core.ensemble(index).class_count == 0:
            raise Error("predict_proba", "the model predicts a number, not a class", "Call predict")
        return self.core.probabilities(self.columns.points(data), index)

    def scores(self, data: Any, model: int | str = 0) -> np.ndarray:
        """Return the library's raw scores, bit for bit.

        Parameters
        ----------
        data : DataFrame, ndarray or Arrow table
            Rows.
        model : int or str
            The model, by number or name, if there are several.

        Returns
        -------
        ndarray
            A column for each output.
        """
        return self.core.scores(self.columns.points(data), self.models.index(model))

    def save_model(self, path: str | os.PathLike[str], index: int = 0) -> None:
        """Write a model in Boxwood's own format, which the checkers of proofs read.

        Parameters
        ----------
        path : str or path-like
            The file, docs/formats.md.
        index : int
            Which model, where there are several.
        """
        write_file(path, self.core.ensemble(index).to_json())

    def save_page(self, path: str | os.PathLike[str], rows: Any, title: str = "") -> None:
        """Write a web page that answers questions about the model and these rows by itself.

        The file contains the model, the schema and the rows: send it only to people who may see
        them. It works from disk and makes no network request (docs/page.md).

        Parameters
        ----------
        path : str or path-like
            The HTML file.
        rows : DataFrame, ndarray or Arrow table
            Rows to choose from.
        title : str
            Its title; by default the library of the model.
        """
        from boxwood._page import write_page

        write_page(self, self.columns.points(rows, "rows"), path, title)

    # Questions.

    def explain(self, x: Any, target: Any = None, *, fixed: Iterable[str] = (),
                only: Iterable[str] | None = None, increase: Iterable[str] = (),
                decrease: Iterable[str] = (), ranges: Mapping[str, Any] | None = None,
                rules: RuleLike | Iterable[RuleLike] = (),
                weights: Mapping[str, float] | None = None, cost: CostLike | None = None,
                max_changes: int | None = None,
                robust: float | Mapping[str, Any] | None = None,
                agree: int | str | None = None, live: int | None = None,
                fewest_first: bool | None = None,
                probability: float | None = None, margin: float | None = None,
                at_least: float | None = None, at_most: float | None = None,
                between: tuple[float, float] | None = None, change: float | str | None = None,
                output: int = 0, beat: Any = None, requirements: Iterable[Any] = (),
                examples: Any = None, ties: int = 16, engine: str = "fast", threads: int = 0,
                time_limit: float | None = None, node_limit: int | None = None,
                memory_limit: int | None = None, round: float | None = None,
                progress: Callable[[_core.Progress], Any] | None = None,
                proof: bool = False) -> Answer:
        """Find the cheapest admissible change that has the wanted outcome.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        target : object, optional
            The label of a class; a list of labels, any of which is accepted; a `Class`, `OneOf`,
            `Output`, `Score` or `Not`, or a list of these; or query text, ``"want granted"``. If
            there are several models, it is about the first unless it names another. Default: any
            class except the present one.
        fixed : iterable of str
            Features that must not change.
        only : iterable of str, optional
            The only features that may change. Features that the schema fixes are refused here.
        increase, decrease : iterable of str
            Features that may only increase, or only decrease.
        ranges : mapping, optional
            Values that the answer may have, by feature: (lowest, highest), None where the schema's
            limit stays; for a categorical feature the list of permitted categories. A range holds
            for the answer even if the row is outside it now, and replaces the schema's limits.
        rules : str, Rule or iterable of these
            Rules in query text (docs/query.md), or objects such as `If`.
        weights : mapping, optional
            By feature, the cost of a change of one scale.
        cost : str, Cost or callable, optional
            "l2" (squared), "l1", "l0", "linf", a text such as ``"l1 + 0.1 l0"``, a `Cost`, or a
            function of feature, old and new value that is 0 for no change and never decreases as
            the new value moves away. Default: the cost in the schema's rules; else "l1 + 0.1 l0"
            where scales are known from data or a schema, and "l2" otherwise.
        max_changes : int, optional
            At most this many features change.
        robust : float or mapping, optional
            The outcome must also hold for every row near the answer: a share of the range of each
            feature that may change, or by feature a distance in its unit, or for a categorical
            feature a list of categories. See "Robust answers" in docs/concepts.md.
        agree : int or "all", optional
            The target is asked of every model of the explainer, and at least this many of them must
            have it. Further `requirements` must all hold.
        live : int, optional
            The answer's region, in which every tree gives what it gives there, must hold at least
            this many rows of the explainer's `data`.
        fewest_first : bool, optional
            Minimise the number of changes first, then the cost. Default: what the cost and the
            schema's rules say; False overrides the schema's rules.
        probability, margin : float, optional
            With a class: see `Class`.
        at_least, at_most : float, optional
            For a regression model: the least and the largest wanted number.
        between : tuple of float, optional
            Both of them.
        change : float or str, optional
            The least change of the predicted number: 20, -20, "+5%".
        output : int
            The index of the number, if the model predicts several.
        beat : Series, mapping, one-row table or 1-D array, optional
            Another row that the answer must rank above: its score or predicted number must be
            higher, in the library's own arithmetic. For models that rank, those that predict a
            number and those of two classes (the second class ranks higher). With `agree`, each
            model compares with its own score of that row.
        requirements : iterable
            Further targets; all must hold at the same point.
        examples : DataFrame, ndarray or Arrow table, optional
            Rows that may have the outcome; the fast engine starts from them. They only affect the
            time, not what is proven.
        ties : int
            The most points of equal cost to return.
        engine : {"fast", "paper"}
            Both give the same answers.
        threads : int
            The number of threads; 0 for all cores.
        time_limit : float, optional
            Seconds, after which the best answer so far and a bound are returned.
        node_limit, memory_limit : int, optional
            Limits on the boxes examined and on memory in megabytes.
        round : float, optional
            Also look for rounder numbers that cost at most this share more; see `Answer.rounded`.
        progress : callable, optional
            Called with the `Progress` of the search; returning False stops it.
        proof : bool
            Also make the certificate; see `Answer.proof`.

        Returns
        -------
        Answer
            After Ctrl-C the best so far; KeyboardInterrupt is raised if nothing was found. Ctrl-C
            while the proof is made keeps the answer; `Answer.proof` then makes it again.
        """
        given = locals()  # the parameters, in their order
        question = dict(compress(given.items(), map(is_not, given.values(), _DEFAULTS)))
        for name in _NO_QUESTION:
            question.pop(name, None)
        tolerance = None if round is None else number(round, "round", 0)
        if round is not None and robust is not None:
            raise Error("round", "robust answers cannot be rounded: rounder numbers may have other "
                        "neighbours", "Leave out round or robust")
        asked, point, query, form = self._asked(x, target, cast("Question", question))
        found = _core.explain(self.core, query, asked.options())
        answer = self._answer(query, point, found, form)
        answer.tolerance = tolerance
        if proof:
            try:
                answer.proof  # noqa: B018
            except KeyboardInterrupt:
                warnings.warn("interrupted: the answer has no proof yet", stacklevel=2)
        return answer

    def explain_batch(self, data: Any, target: Any = None, *, show_progress: bool = True,
                      on_error: str = "keep", **question: Unpack[Question]) -> Batch:
        """Explain many rows, each on one thread.

        Parameters
        ----------
        data : DataFrame, ndarray or Arrow table
            Rows.
        target : object, optional
            As for `explain`.
        show_progress : bool
            Show a progress bar, if tqdm is installed.
        on_error : {"keep", "raise"}
            Whether the error of an invalid row is kept in the batch or raised.
        **question
            As for `explain`. `threads` is the number of rows answered at a time, 0 for all cores;
            the answers do not depend on it.

        Returns
        -------
        Batch
            Answers in the order of the rows; after Ctrl-C, those that were finished.
        """
        return explain_rows(self, data, target, question, show_progress, on_error)

    # For the other modules of the package.

    def _asked(self, x: Any, target: Any,
               question: Question) -> tuple[Asked, np.ndarray, _core.Query, Form]:
        asked = self._question_of(target, question)
        point = self.columns.point(x)
        return asked, point, asked.at(point), self.columns.form(x, point)

    def _question_of(self, target: Any, question: Question) -> Asked:
        # Reading a question takes longer than a small search, and rows are asked one after the
        # other, so the last questions are kept.
        key = same_again(target, question)
        asked = None if key is None else self._questions.get(key)
        if asked is None:
            asked = Asked(self, target, question)
            if key is not None:
                if len(self._questions) >= MOST_QUESTIONS:
                    self._questions.clear()
                self._questions[key] = asked
        return asked

    def _answer(self, query: _core.Query, point: np.ndarray, found: _core.Answer,
                form: Form) -> Answer:
        return Answer(self, query, point, found, form, row_label(form.label))

    def _labels(self, index: int) -> list[Any]:
        known = self._class_values[index]
        ensemble = self.core.ensemble(index)
        return known or list(ensemble.classes) or list(range(ensemble.class_count))

    def outcome_of(self, point: np.ndarray, index: int = 0) -> Any:
        """Return the library's prediction for a point: a class, a number or several."""
        rows = point[np.newaxis]
        if self.core.ensemble(index).class_count:
            return self._labels(index)[int(self.core.classes(rows, index)[0, 0])]
        outputs = self.core.outputs(rows, index)[0]
        return float(outputs[0]) if len(outputs) == 1 else outputs.tolist()

    @property
    def live_rows(self) -> _core.LiveRows:
        """The regions in which the rows of the data lie."""
        if self._live is None:
            if self._data is None:
                raise Error("live", "the explainer has no data", "Give data= to the explainer")
            self._live = self.core.live_rows(self.columns.points(self._data).tolist())
        return self._live

    @property
    def normal(self) -> _core.Requirement | None:
        """What `plausible` requires."""
        if self._normal is None:
            return None
        model, least = self._normal
        return _core.Requirement(_core.OutputIn(_core.Interval(least, float("inf")), 0), model)

    def limits(self, i: int) -> tuple[float, float]:
        """Return the ends of a feature's range; infinite where there is no limit."""
        feature = self.schema.features[i]
        if feature.range is None:
            return (0.0, len(feature.labels) - 1.0) if feature.labels else (-np.inf, np.inf)
        ends = [self.columns.encode(i, end, "schema", raw=True) if end is not None else None
                for end in feature.range]
        return (-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])

    def frame_of(self, points: np.ndarray,
                 strangers: Sequence[Mapping[int, Any]] | None = None) -> Any:
        """Make a pandas frame of points, with the types of the training data where they fit."""
        pandas = library("pandas")

        strangers = strangers or [{}] * len(points)
        frame = {}
        for i, name in enumerate(self.columns.names[:self.columns.given]):
            values = [self.columns.value(i, number, unknown)
                      for number, unknown in zip(points[:, i], strangers, strict=True)]
            column = pandas.Series(values, dtype=object)
            if self._frame_columns is not None:
                frame[name] = _typed(column, points[:, i], self.columns.codecs[i])
            else:
                kept = any(value is None for value in values)  # would become NaN
                frame[name] = column if kept else column.infer_objects()
        made = pandas.DataFrame(frame)
        if self._frame_columns is not None:
            made.columns = self._frame_columns
        return made


# What the parameters of `explain` are where they are left out, in their order, and those of them
# that are not part of the question.
_PARAMETERS = inspect.signature(Explainer.explain).parameters
_DEFAULTS = tuple(parameter.default for parameter in _PARAMETERS.values())
_NO_QUESTION = tuple(name for name in _PARAMETERS if name not in Question.__annotations__)


def _typed(column: Any, numbers: np.ndarray, codec: Codec) -> Any:
    # What the model reads must not change with the type: a schema may allow a half where the data
    # has whole numbers, and give labels to codes that the data has as numbers. A float32 column
    # holds the float32 nearest to what is shown, such as 0.3, and that is what the model reads.
    kind = codec.dtype
    if getattr(kind, "kind", "O") not in "biuf":
        typed = column.astype(kind)
        # A category that the data does not have would be lost.
        return typed if typed.isna().equals(column.isna()) else column
    plain = column.infer_objects()
    if plain.dtype.kind not in "biuf":
        plain = type(column)(numbers)
    try:
        typed = plain.astype(kind)
    except (TypeError, ValueError):  # pandas' types raise for values that they cannot hold
        return plain
    now = typed.astype(float)
    same = np.array_equal(now, plain.astype(float), equal_nan=True) or (
        not codec.labels and np.array_equal(now, numbers, equal_nan=True))
    return typed if same else plain
