"""The worker: Arrow rows in, records out. Portfolios, Spark, Ray and Dask all run this one.

It is pickled whole, explainer included, and keeps no state between calls.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._question import Asked, Question, check_names
from boxwood.answer import Answer
from boxwood.errors import Error, library
from boxwood.records import Records, arrow_schema, is_labelled, kinds_of, stamp
from boxwood.schema import nearest

if TYPE_CHECKING:
    from boxwood.explainer import Explainer

KEY = "key"  # its name in records


class Worker:
    """Explains the rows of Arrow tables.

    Parameters
    ----------
    explainer : Explainer
        Who is asked.
    key : str
        The column that identifies a row. Every row gives one record, also where a cluster runs rows
        again because a machine was lost; keys are not checked for repetitions.
    target : object, optional
        As for `Explainer.explain`.
    question : mapping, optional
        Everything else about the question, by the names of `Explainer.explain`. With `node_limit`
        in place of `time_limit` a second run gives the same answers, whatever the load of the
        machines.
    keep : iterable of str
        Further columns of the source that go into the records as they are.
    why_not : bool
        For rows without an admissible change, find the rules that block it.
    questions : bool
        Keep the whole question of each row, not only its hash.
    time : bool
        Add a time stamp.
    threads : int
        Rows at a time; 0: all cores.
    """

    def __init__(self, explainer: Explainer, key: str, *, target: Any = None,
                 question: Mapping[str, Any] | None = None, keep: Iterable[str] = (),
                 why_not: bool = True, questions: bool = False, time: bool = False,
                 threads: int = 1) -> None:
        if question is not None and not isinstance(question, Mapping):
            raise Error("question", f"it is of type {type(question).__name__}",
                        'Give the arguments of explain by name: {"fixed": ["age"]}')
        asked: dict[str, Any] = dict(question or {})
        if "target" in asked:
            if target is not None:
                raise Error("question", "it has a target, and target= is given too",
                            "Give one of them")
            target = asked.pop("target")
        for name in ("progress", "threads"):
            if name in asked:
                raise Error("question", f"{name} is not part of the question",
                            "Leave it out here")
        check_names(asked)
        if callable(asked.get("cost")):
            raise Error("question", "a cost function has no hash and no file form",
                        "Use a norm, a mixture or a Cost")
        self.explainer, self.key, self.target = explainer, key, target
        # What is given may be an iterator, and every part asks again.
        self.question: dict[str, Any] = {
            name: list(value) if isinstance(value, Iterator) else value
            for name, value in asked.items()}
        self.keep = [keep] if isinstance(keep, str) else list(keep)
        self.why_not, self.questions, self.time, self.threads = why_not, questions, time, threads
        self.asked = self._asked()
        self.asked.options()
        self._check_question()

    def _check_question(self) -> None:
        """Refuse what no row can be asked, a misspelt rule say.

        Otherwise every row would end as an error. Two rows that the schema allows are asked: what
        differs between them is about the row.
        """
        faults = [self._fault(np.array([self._end(i, end) for i in
                                        range(len(self.explainer.columns))])) for end in (0, 1)]
        first, second = faults
        if first is not None and str(first) == str(second) and re.split(
                r"\W", first.place)[0] in {"target", *Question.__annotations__}:
            raise first

    def _end(self, i: int, end: int) -> float:
        limit = self.explainer.limits(i)[end]
        return limit if np.isfinite(limit) else float(end)

    def _fault(self, point: np.ndarray) -> Error | None:
        try:
            self.asked.at(point)
        except Error as error:
            return error
        return None

    def _asked(self) -> Asked:
        question: Question = {**self.question, "threads": self.threads}  # type: ignore[typeddict-item]
        return Asked(self.explainer, self.target, question)

    def __getstate__(self) -> dict[str, Any]:
        """Give everything but the compiled question."""
        return {key: value for key, value in self.__dict__.items() if key != "asked"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.asked = self._asked()

    def schema(self, source: Any) -> Any:
        """Give the schema of the records, and refuse a source that does not fit.

        Parameters
        ----------
        source : pyarrow.Schema
            Of the rows.

        Returns
        -------
        pyarrow.Schema
            The key, the columns of `records.arrow_schema`, and the columns to keep.
        """
        arrow = library("pyarrow")
        fields = [arrow.field(KEY, key_type(source, self.key))]
        taken = set(kinds_of(self.explainer)) | {KEY}
        for name in self.keep:
            field = _field(source, name, "keep")
            if name in taken:
                raise Error("keep", f'records have a column "{name}" of their own',
                            "Rename it in the source")
            taken.add(name)
            fields.append(arrow.field(name, _plain_type(field.type)))
        self._check_types(source)
        own = arrow_schema(self.explainer, fields[0])
        return arrow.schema([*own, *fields[1:]])

    def _check_types(self, source: Any) -> None:
        types = library("pyarrow").types
        columns = self.explainer.columns
        names = self.features(source)
        for at in columns.order(names, "source"):
            kind = source.field(names[at]).type
            good = (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
                    or types.is_decimal(kind) or types.is_dictionary(kind) or types.is_null(kind)
                    or types.is_string(kind) or types.is_large_string(kind)
                    or str(kind) == "string_view")
            if not good:
                raise Error(f'source, column "{names[at]}"',
                            f"the model cannot read values of type {kind}",
                            "Make numbers or texts of them, as in training")

    def features(self, source: Any) -> list[str]:
        """List the columns of a source that the model may read.

        Parameters
        ----------
        source : pyarrow.Schema
            Of the rows.

        Returns
        -------
        list of str
            The model's own columns where all are there by name; otherwise all but the key and the
            columns to keep, for models that know no names.
        """
        columns = self.explainer.columns
        names = list(source.names)
        refuse_twins("source", names)
        own = [name if name in names else title
               for name, title in zip(columns.names, columns.titles, strict=True)]
        if set(own) <= set(names):
            return own
        return [name for name in names if name != self.key and name not in self.keep]

    def columns(self, source: Any) -> list[str]:
        """List all columns of a source that are needed."""
        return list(dict.fromkeys([self.key, *self.features(source), *self.keep]))

    def explain(self, table: Any) -> tuple[Any, bool]:
        """Explain the rows of a table.

        Parameters
        ----------
        table : pyarrow.Table
            Rows.

        Returns
        -------
        tuple
            The table of records, and whether Ctrl-C came: then those before the first row that is
            not done.
        """
        arrow = library("pyarrow")
        rows, faults = self._rows(table)
        if table.num_rows:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # says how many rows were done before Ctrl-C
                batch = self.explainer.explain_batch(
                    rows, self.target, show_progress=False,
                    **{**self.question, "threads": self.threads})
            answers, interrupted = list(batch.answers), batch.interrupted
        else:
            answers, interrupted = [], False
        for row, one in enumerate(answers):
            if isinstance(one, Error):
                # The number of a row within a part says nothing: the key does.
                place = one.place.removeprefix(f"row {row}").removeprefix(", ")
                answers[row] = Error(place, one.reason, one.remedy, one.excerpt)
        for row, error in faults.items():
            if answers[row] is not None:
                answers[row] = error
        if interrupted:
            answers = answers[:next(row for row, one in enumerate(answers) if one is None)] \
                if None in answers else answers
        blockers: dict[int, list[str]] = {}
        if self.why_not:
            for row, one in enumerate(answers):
                if isinstance(one, Answer) and one.status == "infeasible":
                    try:
                        blockers[row] = self._blockers(one)
                    except KeyboardInterrupt:
                        answers, interrupted = answers[:row], True
                        break
                    except Error as error:
                        if error.place != "why-not":  # the place of questions it does not support
                            raise
        records = Records(self.explainer, answers, questions=self.questions,
                          time=stamp() if self.time else None, blockers=blockers)
        table = table.slice(0, len(answers))
        key = _plain_column(table.column(self.key))
        made = records.to_arrow(key, KEY)
        for name in self.keep:
            column = _plain_column(table.column(name))
            made = made.append_column(arrow.field(name, column.type), column)
        return made, interrupted

    def _blockers(self, answer: Answer) -> list[str]:
        core, query = self.explainer.core, answer._query
        found = _core.find_why_not(core, query, _core.rules_of(query), self.asked.options())
        return [core.rule_text(query, one.rule) for one in found.blockers]

    def __call__(self, batch: Any) -> Any:
        """Explain a record batch; see `explain`. Ctrl-C raises KeyboardInterrupt.

        Parameters
        ----------
        batch : pyarrow.RecordBatch or pyarrow.Table
            Rows.

        Returns
        -------
        The same type
            One record for each row.
        """
        arrow = library("pyarrow")
        is_batch = isinstance(batch, arrow.RecordBatch)
        table = arrow.Table.from_batches([batch]) if is_batch else batch
        made, interrupted = self.explain(table)
        if interrupted:
            raise KeyboardInterrupt
        if not is_batch:
            return made
        parts = made.combine_chunks().to_batches()
        return parts[0] if parts else arrow.RecordBatch.from_pylist([], schema=made.schema)

    def _rows(self, table: Any) -> tuple[Any, dict[int, Error]]:
        # The model's columns in types that explain_batch reads, and the rows with cells that are
        # not numbers: text, as CSV files have it, where the model reads numbers.
        arrow = library("pyarrow")
        codecs, names = self.explainer.columns.codecs, self.features(table.schema)
        order = self.explainer.columns.order(names, "source")
        faults: dict[int, Error] = {}
        columns = []
        for codec, at in zip(codecs, order, strict=True):
            column = table.column(names[at])
            kind = column.type
            if arrow.types.is_decimal(kind):
                # By way of text: Arrow's own cast is off by a rounding error now and then.
                column = column.cast(arrow.string()).cast(arrow.float64())
            elif str(kind) in ("large_string", "string_view"):
                column = column.cast(arrow.string())
            if not is_labelled(codec) and arrow.types.is_string(column.type):
                column = _numbers(column, codec, faults)
            columns.append(column)
        return arrow.Table.from_arrays(columns, names=[names[at] for at in order]), faults


def _numbers(column: Any, codec: Any, faults: dict[int, Error]) -> Any:
    arrow = library("pyarrow")
    try:
        made = column.cast(arrow.float64())
        if not np.isinf(made.to_numpy()).any():
            return made
        raise OverflowError
    except (arrow.ArrowInvalid, OverflowError):
        numbers = np.full(len(column), np.nan)
        for row, text in enumerate(column.to_pylist()):
            try:
                numbers[row] = np.nan if text is None or not text.strip() else float(text)
                if np.isinf(numbers[row]) and "inf" not in text.lower():
                    raise OverflowError
            except (ValueError, OverflowError) as error:
                said = "too large" if isinstance(error, OverflowError) else "not a number"
                numbers[row] = np.nan
                faults[row] = Error(f'column "{codec.title}"', f"{text!r} is {said}",
                                    "Write a number, or leave the cell empty where it is missing")
        return arrow.chunked_array([arrow.array(numbers, mask=np.isnan(numbers))])


def _field(schema: Any, name: str, place: str) -> Any:
    if name not in schema.names:
        raise Error(place, f'the source has no column "{name}"', nearest(str(name), schema.names))
    return schema.field(name)


def refuse_twins(place: str, names: list[str]) -> None:
    """Refuse a source with several columns of one name."""
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Error(place, f'column "{twice}" is there {names.count(twice)} times', "Give it once")


def _plain_type(kind: Any) -> Any:
    types = library("pyarrow").types
    return kind.value_type if types.is_dictionary(kind) else kind


def _plain_column(column: Any) -> Any:
    kind = _plain_type(column.type)
    return column if kind == column.type else column.cast(kind)


def key_type(schema: Any, key: str) -> Any:
    """Give the type of the keys, and refuse types that identify nothing.

    Parameters
    ----------
    schema : pyarrow.Schema
        Of the source.
    key : str
        The column.

    Returns
    -------
    pyarrow.DataType
        Of the records' keys.
    """
    types = library("pyarrow").types
    kind = _plain_type(_field(schema, key, "key").type)
    if types.is_floating(kind) or types.is_nested(kind) or types.is_null(kind) \
            or types.is_boolean(kind):
        raise Error("key", f'column "{key}" has values of type {kind}',
                    "Give a column of whole numbers or texts")
    return kind
