"""Records: everything that an answer says as one flat row with names, for files and for audits.

docs/formats.md describes every column. A batch, a portfolio, Spark and Ray all write these columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._codec import label_text
from boxwood._tables import missing
from boxwood.answer import Answer
from boxwood.errors import Error, library

if TYPE_CHECKING:
    from boxwood._codec import Codec
    from boxwood.explainer import Explainer

VERSION = 1
# Name and type of the columns that every record has; those of the row follow.
FIELDS = {
    "status": "text", "proven": "truth", "stop": "text", "already_met": "truth", "cost": "double",
    "distance": "double", "lower_bound": "double", "gap": "double", "changed": "long",
    "changes": "text", "changed_features": "texts", "blockers": "texts",
    "outcome_before": "outcome", "outcome": "outcome", "output_before": "doubles",
    "output_after": "doubles", "claim": "text", "least_changes": "long", "nodes": "long",
    "seconds": "double", "error": "text", "time": "text", "model_hash": "text",
    "schema_hash": "text", "question_hash": "text", "question": "text", "proof": "text",
    "boxwood_version": "text", "boxwood_record": "long",
}


@dataclass
class Column:
    """One column of records.

    Parameters
    ----------
    kind : {"text", "texts", "double", "doubles", "long", "truth"}
        The type of its values.
    values : ndarray or list
        One value for each row.
    empty : ndarray of bool
        Where there is no value.
    """

    kind: str
    values: Any
    empty: np.ndarray

    def at(self, row: int) -> Any:
        """Return one value as Python has it; None where there is none."""
        if self.empty[row]:
            return None
        value = self.values[row]
        return value.item() if isinstance(value, np.generic) else value


def is_labelled(codec: Codec) -> bool:
    """Tell columns whose values are written as text from columns of numbers."""
    return bool(codec.labels) or codec.originals is not None


def outcome_kind(explainer: Explainer) -> str:
    """Say of which type the outcomes of a model are."""
    ensemble = explainer.core.ensemble(0)
    if not ensemble.class_count:
        return "double" if ensemble.output_count == 1 else "doubles"
    labels = explainer._labels(0)
    for kind, types in (("truth", (bool, np.bool_)), ("long", (int, np.integer)),
                        ("double", (float, np.floating))):
        if all(isinstance(label, types) for label in labels):
            return kind
    return "text"


def kinds_of(explainer: Explainer) -> dict[str, str]:
    """Give the type of every column of an explainer's records, in order."""
    kinds = {name: outcome_kind(explainer) if kind == "outcome" else kind
             for name, kind in FIELDS.items()}
    row = {name: "text" if is_labelled(codec) else "double"
           for name, codec in zip(explainer.columns.names, explainer.columns.codecs, strict=True)}
    return {**kinds, **{f"before_{name}": kind for name, kind in row.items()},
            **{f"after_{name}": kind for name, kind in row.items()},
            **{f"region_{name}": "text" for name in row}}


def arrow_schema(explainer: Explainer, key: Any = None) -> Any:
    """Give the Arrow schema of an explainer's records.

    Parameters
    ----------
    explainer : Explainer
        Who answers.
    key : pyarrow.Field, optional
        The column of keys, which comes first.

    Returns
    -------
    pyarrow.Schema
        All columns but the key may be null.
    """
    arrow = library("pyarrow")
    types = arrow_types(arrow)
    fields = [arrow.field(name, types[kind]) for name, kind in kinds_of(explainer).items()]
    return arrow.schema([*([] if key is None else [key]), *fields])


def arrow_types(arrow: Any) -> dict[str, Any]:
    """Give the Arrow type of each type of column."""
    return {"text": arrow.string(), "texts": arrow.list_(arrow.string()),
            "double": arrow.float64(), "doubles": arrow.list_(arrow.float64()),
            "long": arrow.int64(), "truth": arrow.bool_()}


def version() -> str:
    """Return the version of the package."""
    import boxwood

    return boxwood.__version__


def stamp() -> str:
    """Return the present time: UTC, in seconds, ISO 8601."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Records:
    """The columns of the records of many rows, in one place for frames, Arrow and dictionaries.

    Parameters
    ----------
    explainer : Explainer
        Who was asked.
    answers : sequence
        For each row an `Answer`, an exception, or None where it was not finished.
    questions : bool
        Keep the whole question of each row, not only its hash.
    proofs : bool
        Make a certificate of each answer.
    time : str, optional
        A time stamp.
    blockers : mapping, optional
        By row the rules that block the outcome.
    """

    def __init__(self, explainer: Explainer, answers: Sequence[Answer | Exception | None], *,
                 questions: bool = False, proofs: bool = False, time: str | None = None,
                 blockers: Mapping[int, list[str]] | None = None) -> None:
        self.explainer = explainer
        self.count = len(answers)
        self._kinds = kinds_of(explainer)
        self._rows = np.array([row for row, one in enumerate(answers) if isinstance(one, Answer)],
                              dtype=np.int64)
        self._good: list[Answer] = [one for one in answers if isinstance(one, Answer)]
        self.columns: dict[str, Column] = {}
        hashes = explainer.hashes
        for name, value in (("boxwood_record", VERSION), ("boxwood_version", version()),
                            ("time", time), ("model_hash", hashes["model"]),
                            ("schema_hash", hashes["schema"])):
            self._add(name, [value] * self.count, np.full(self.count, value is None))
        self._add("status", [one.status if isinstance(one, Answer) else
                             "interrupted" if one is None else "error" for one in answers])
        self._add("error", [str(one) if isinstance(one, Exception) else None for one in answers])
        self._add("blockers", [(blockers or {}).get(row) for row in range(self.count)])
        self._facts(questions)
        self._spread("proof", [one.proof if proofs or "proof" in one.__dict__ else None
                               for one in self._good])
        self.columns = {name: self.columns[name] for name in self._kinds}

    def _add(self, name: str, values: Any, empty: np.ndarray | None = None) -> None:
        if empty is None:
            empty = np.array([value is None for value in values], dtype=bool)
        self.columns[name] = Column(self._kinds[name], values, empty)

    def _spread(self, name: str, values: Any, present: np.ndarray | None = None) -> None:
        """Add a column that only answered rows have, or of these those that are present."""
        empty = np.ones(self.count, dtype=bool)
        empty[self._rows] = False if present is None else ~present
        if isinstance(values, np.ndarray):
            full: Any = np.zeros(self.count, dtype=values.dtype)
            full[self._rows] = values
        elif len(self._rows) == self.count:
            full = list(values)
        else:
            full = [None] * self.count
            for row, value in zip(self._rows, values, strict=True):
                full[row] = value
        if not isinstance(full, np.ndarray):
            empty |= np.array([value is None for value in full], dtype=bool)
        self._add(name, full, empty)

    def _facts(self, questions: bool) -> None:
        explainer, columns = self.explainer, self.explainer.columns
        points = np.array([one._start for one in self._good]).reshape(len(self._good), len(columns))
        asked = [one._template for one in self._good]
        facts = _core.record_columns(explainer.core, asked, points,
                                     [one._core for one in self._good])
        found = facts["found"].astype(bool)
        for name in ("stop", "claim", "changes", "changed_features", "output_before"):
            self._spread(name, facts[name])
        for row, one in enumerate(self._good):
            if one._earlier_alternatives:
                self.columns["claim"].values[self._rows[row]] = str(one.claim)
        self._spread("output_after", facts["output_after"], found)
        self._spread("proven", np.array([one.proven for one in self._good], dtype=bool))
        self._spread("already_met", facts["already_met"].astype(bool))
        for name in ("changed", "nodes", "least_changes"):
            self._spread(name, facts[name])
        for name in ("cost", "distance", "gap"):
            self._spread(name, facts[name], found)
        self._spread("lower_bound", facts["lower_bound"], np.isfinite(facts["lower_bound"]))
        self._spread("seconds", facts["seconds"])
        texts = _core.question_texts(asked, points)
        self._spread("question_hash", [None if text is None else sha256(text) for text in texts])
        self._spread("question", texts if questions else [None] * len(texts))
        self._spread("outcome_before", _outcomes(explainer, points))
        after = np.where(found[:, np.newaxis], facts["points"], points)
        self._spread("outcome", _outcomes(explainer, after), found)
        for start, numbers, present in (("before_", points, None), ("after_", after, found)):
            for i, codec in enumerate(columns.codecs):
                self._value(f"{start}{codec.name}", i, codec, numbers[:, i], present)
        for codec, texts in zip(columns.codecs, facts["region"], strict=True):
            self._spread(f"region_{codec.name}", texts, found)

    def _value(self, name: str, index: int, codec: Codec, numbers: np.ndarray,
               present: np.ndarray | None) -> None:
        known = ~np.isnan(numbers)
        if present is not None:
            known &= present
        if not is_labelled(codec):
            self._spread(name, numbers, known)
            return
        different, where = np.unique(numbers, return_inverse=True)
        labels = [None if np.isnan(number) else label_text(codec.decode(number))
                  for number in different]
        values = [labels[i] for i in where]
        if codec.others:
            for row, one in enumerate(self._good):
                if index in one._form.strangers and codec.is_other(numbers[row]):
                    values[row] = label_text(one._form.strangers[index])
        self._spread(name, values, known)

    def row(self, row: int) -> dict[str, Any]:
        """Return one record.

        Parameters
        ----------
        row : int
            Which, from 0.

        Returns
        -------
        dict
            Values by name; None where there is none.
        """
        return {name: column.at(row) for name, column in self.columns.items()}

    def to_arrow(self, key: Any = None, name: str = "key") -> Any:
        """Return an Arrow table.

        Parameters
        ----------
        key : pyarrow.Array, optional
            A key for each row.
        name : str
            The name of the column of keys.

        Returns
        -------
        pyarrow.Table
            With the columns of `arrow_schema`.
        """
        arrow = library("pyarrow")
        types = arrow_types(arrow)
        arrays = []
        for column in self.columns.values():
            kind = types[column.kind]
            if isinstance(column.values, np.ndarray):
                arrays.append(arrow.array(column.values, type=kind, mask=column.empty))
            elif column.empty.any():
                arrays.append(arrow.array([None if empty else value for value, empty in
                                           zip(column.values, column.empty, strict=True)], kind))
            else:
                arrays.append(arrow.array(column.values, kind))
        schema = arrow_schema(self.explainer,
                              None if key is None else arrow.field(name, key.type))
        return arrow.Table.from_arrays(arrays if key is None else [key, *arrays], schema=schema)

    def to_frame(self, index: Any = None) -> Any:
        """Return a pandas frame.

        Parameters
        ----------
        index : pandas.Index, optional
            Of the rows.

        Returns
        -------
        pandas.DataFrame
            With the same columns; numbers that do not exist are NaN, other values None.
        """
        pandas = library("pandas")
        frame = {}
        for name, column in self.columns.items():
            if isinstance(column.values, np.ndarray) and column.kind == "double":
                frame[name] = np.where(column.empty, np.nan, column.values)
            elif isinstance(column.values, np.ndarray) and not column.empty.any():
                frame[name] = column.values
            else:
                frame[name] = _objects([column.at(row) for row in range(self.count)])
        made = pandas.DataFrame(frame, index=range(self.count))
        if index is not None:
            made.index = index
        return made


def _objects(values: list[Any]) -> np.ndarray:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _outcomes(explainer: Explainer, points: np.ndarray) -> Any:
    ensemble = explainer.core.ensemble(0)
    if ensemble.class_count:
        labels = explainer._labels(0)
        plain: Callable[[Any], Any] = label_text if outcome_kind(explainer) == "text" else (
            lambda label: label.item() if isinstance(label, np.generic) else label)
        written = [plain(label) for label in labels]
        return [written[place] for place in explainer.core.classes(points, 0)[:, 0]]
    outputs = explainer.core.outputs(points, 0)
    return outputs[:, 0] if outputs.shape[1] == 1 else [row.tolist() for row in outputs]


def sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hexadecimal digits."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def record_of(answer: Answer, key: Any = None, time: bool | str = False, question: bool = True,
              proof: bool = False) -> dict[str, Any]:
    """Make the record of one answer; see `Answer.record`."""
    if isinstance(time, str):
        try:
            datetime.fromisoformat(time.replace("Z", "+00:00"))
        except ValueError:
            raise Error("time", f"{time!r} is not a time", 'Write "2026-11-17T08:30:00Z"') from None
    made = Records(answer.explainer, [answer], questions=question, proofs=proof,
                   time=stamp() if time is True else time or None).row(0)
    if isinstance(key, np.generic):
        key = key.item()
    return {"key": None if missing(key) else key, **made}
