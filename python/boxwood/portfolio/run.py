"""Answers every row of a source into a folder, and goes on where an earlier run was stopped."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import time as clock
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._arguments import whole
from boxwood._question import Asked
from boxwood.errors import Error, library
from boxwood.portfolio.manifest import VERSION, Portfolio, Writer
from boxwood.portfolio.source import Source
from boxwood.records import sha256, stamp, version
from boxwood.worker import KEY, Worker

if TYPE_CHECKING:
    from boxwood.explainer import Explainer

AT_A_TIME = 2048  # rows between two looks at the progress line


def run(explainer: Explainer, source: Any, folder: str | os.PathLike[str], key: str = "id",
        target: Any = None, question: Mapping[str, Any] | None = None, *,
        keep: Iterable[str] = (), resume: bool = True, rows_per_part: int = 10_000,
        why_not: bool = True, questions: bool = False, time: bool = False, threads: int = 0,
        progress: bool = True) -> Portfolio:
    """Answer every row of a source into a folder of Parquet files.

    A run that was stopped, even by ``kill -9``, goes on where it was when it is called again; at
    most the part in work is done again. A row that makes no sense has the status "error" and its
    reason; it does not stop the run.

    Parameters
    ----------
    explainer : Explainer
        Who is asked.
    source : path, list of paths, pyarrow Dataset or Table, DataFrame
        Rows: a Parquet, CSV or Arrow file, a folder of such files, or a table. They are read in
        batches.
    folder : str or path-like
        Where the part files and the manifest go.
    key : str
        The column that identifies a row: whole numbers or texts, each once.
    target : object, optional
        As for `Explainer.explain`; `question` may hold it instead. Classifiers need one: rows
        that want different classes cannot be summed up.
    question : mapping, optional
        Everything else about the question, by the names of `Explainer.explain`.
    keep : iterable of str
        Further columns of the source that go into the records, groups of people say.
    resume : bool
        Go on with what the folder holds. It is refused if model, schema, question or source are
        not the same.
    rows_per_part : int
        Rows of a part file.
    why_not : bool
        For rows without an admissible change, find the rules that block it.
    questions : bool
        Keep the whole question of each row, not only its hash.
    time : bool
        Add a time stamp to each record.
    threads : int
        Rows at a time; 0: all cores.
    progress : bool
        Show a line with rate and remaining time, on a terminal.

    Returns
    -------
    Portfolio
        The folder. After Ctrl-C it is not `finished`, and holds what is done.
    """
    rows_per_part = whole(rows_per_part, "rows_per_part", 1)
    worker = Worker(explainer, key, target=target, question=question, keep=keep, why_not=why_not,
                    questions=questions, time=time, threads=threads)
    if explainer.core.ensemble(0).class_count and question_of(worker.asked)["any_other_class"]:
        labels = [str(label) for label in explainer._labels(0)]
        raise Error("target", "a portfolio needs one wanted outcome",
                    f'Give target="{labels[-1]}"' if len(labels) == 2 else
                    f"Give target=, one of: {', '.join(labels[:10])}")
    rows = Source(source)
    schema = worker.schema(rows.schema)
    _check_writable(schema)
    with Writer(folder) as writer:
        header = _header(worker, rows, schema)
        portfolio = writer.begin(header, resume)
        line = _Line(portfolio, progress)
        try:
            _write(worker, rows, writer, portfolio, rows_per_part, line)
        finally:
            line.end()
    return portfolio


def _write(worker: Worker, rows: Source, writer: Writer, portfolio: Portfolio, rows_per_part: int,
           line: _Line) -> None:
    arrow = library("pyarrow")
    if portfolio.finished:
        return
    kept: list[Any] = []
    interrupted = False
    try:
        size = min(AT_A_TIME, rows_per_part)
        for table in rows.tables(worker.columns(rows.schema), size, portfolio.rows):
            made, interrupted = worker.explain(table)
            kept.append(made)
            line.add(made)
            count = sum(one.num_rows for one in kept)
            if interrupted:
                break
            if count + size > rows_per_part:
                part, kept = kept, []
                writer.add(arrow.concat_tables(part))
    except KeyboardInterrupt:
        interrupted = True
    if sum(one.num_rows for one in kept):
        writer.add(arrow.concat_tables(kept))
    if interrupted:
        line.note(f"Interrupted: {portfolio.rows:,} of {portfolio.total:,} rows are kept. "
                  "Run again to go on.")


def _check_writable(schema: Any) -> None:
    """Refuse keys and kept columns that Parquet cannot hold before anything is answered."""
    arrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    for field in schema:
        try:
            parquet.write_table(arrow.schema([field]).empty_table(), io.BytesIO())
        except arrow.ArrowException:
            raise Error("key" if field.name == KEY else "keep",
                        f'Parquet cannot hold column "{field.name}" of type {field.type}',
                        "Make texts of it in the source") from None


def _header(worker: Worker, rows: Source, schema: Any) -> dict[str, Any]:
    said = question_of(worker.asked)
    identity = rows.identity(worker.columns(rows.schema))
    return {"boxwood_portfolio": VERSION, "boxwood_version": version(), "begun": stamp(),
            "model_hash": worker.explainer.hashes["model"],
            "schema_hash": worker.explainer.hashes["schema"],
            "question_hash": sha256(json.dumps(said, sort_keys=True)), "question": said,
            **in_words(worker.asked), "key": worker.key, "keep": worker.keep,
            "records": {"why_not": worker.why_not, "questions": worker.questions,
                        "time": worker.time},
            "source": identity, "source_hash": sha256(json.dumps(identity)),
            "rows": rows.check_keys(worker.key),
            "outcome": worker.explainer.schema.outcome, "subject": worker.explainer.schema.subject,
            "titles": dict(zip(worker.explainer.columns.names, worker.explainer.columns.titles,
                               strict=True)),
            "arrow_schema": schema.serialize().to_pybytes().hex()}


def question_of(asked: Asked) -> dict[str, Any]:
    """Write down a question before any row is known, for manifests and their hashes.

    Parameters
    ----------
    asked : Asked
        The question.

    Returns
    -------
    dict
        Equal for equal questions about the same model and schema.
    """
    explainer, query = asked.explainer, _bare_query(asked)
    limits = {name: asked.question.get(name)
              for name in ("time_limit", "node_limit", "memory_limit", "ties", "engine")
              if asked.question.get(name) is not None}
    further: dict[str, Any] = {}
    if asked._agree is not None:
        further["agree"] = asked._agree
    if asked._live:
        further["live"] = {"least": asked._live, "rows": _hash_of(explainer, explainer._data)}
    if asked.question.get("examples") is not None:
        further["examples"] = _hash_of(explainer, asked.question["examples"])
    default = not asked._requirements and not any(
        kind == _core.Statements.wants for _, _, kind in asked.texts)
    return {"words": [text for text, _, _ in asked.texts],
            "requirements": json.loads(query.to_json())["requirements"],
            "any_other_class": default,
            "probability": asked._probability, "margin": asked._margin,
            "ranges": {explainer.columns.names[i]: repr(one) for i, one in asked._ranges.items()},
            "limits": limits, **further}


def in_words(asked: Asked) -> dict[str, str]:
    """Say in words what a question wants and how it measures costs, for reports.

    Parameters
    ----------
    asked : Asked
        The question.

    Returns
    -------
    dict
        ``wanted`` and ``cost``.
    """
    query, core = _bare_query(asked), asked.explainer.core
    query.agree = asked._agree
    if asked._live:
        query.set_live(asked._live, asked.explainer.live_rows)
    wanted = [text for text, _, kind in asked.texts if kind == _core.Statements.wants]
    if query.requirements:
        wanted.append(_core.wanted_text(core, query))
    core.add_text(query, [one for one in asked.texts
                          if one[1] in ("cost", "weights", "fewest_first")])
    return {"wanted": "; ".join(wanted), "cost": _core.cost_name(query)}


def _bare_query(asked: Asked) -> _core.Query:
    explainer = asked.explainer
    query = explainer.core.query(np.zeros(len(explainer.columns)))
    normal = explainer.normal
    query.requirements = [*asked._requirements, *([] if normal is None else [normal])]
    return query


def _hash_of(explainer: Explainer, rows: Any) -> str:
    return hashlib.sha256(explainer.columns.points(rows).tobytes()).hexdigest()


class _Line:
    """One line on the terminal: progress, rate and remaining time."""

    def __init__(self, portfolio: Portfolio, shown: bool) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._total = portfolio.total
        self._before = self._done = portfolio.rows
        self._found = sum(portfolio.statuses.get(one, 0) for one in ("optimal", "feasible"))
        self._start = clock.monotonic()
        self._note = ""
        self._write()

    def add(self, table: Any) -> None:
        self._done += table.num_rows
        statuses = table.column("status").to_pylist()
        self._found += sum(one in ("optimal", "feasible") for one in statuses)
        self._write()

    def note(self, text: str) -> None:
        self._note = text

    def text(self) -> str:
        share = 100 * self._done / self._total if self._total else 100
        line = (f"{self._done:,} of {self._total:,} rows ({share:.0f} %), "
                f"{self._found:,} with a change")
        seconds = clock.monotonic() - self._start
        fresh = self._done - self._before
        if fresh and seconds > 0:
            rate = fresh / seconds
            line += f", {rate:,.0f} rows/s, {duration((self._total - self._done) / rate)} left"
        return line

    def _write(self) -> None:
        if self._shown:
            sys.stderr.write(f"\r{self.text()}\x1b[K")
            sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
        if self._note:
            sys.stderr.write(self._note + "\n")


def duration(seconds: float) -> str:
    """Write a duration for people: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
