"""Many rows at once: answers in the order of the rows, for any number of threads."""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._forms import row_label
from boxwood._question import Asked, Question
from boxwood._tables import as_table, is_table, module_of
from boxwood.answer import Answer
from boxwood.errors import Error, library

if TYPE_CHECKING:
    from boxwood.explainer import Explainer
    from boxwood.records import Records

log = logging.getLogger("boxwood")
AT_A_TIME = 2048


class Batch:
    """The answers to many rows.

    Attributes
    ----------
    explainer : Explainer
        The explainer that answered.
    answers : list
        For each row an `Answer`; the exception if the row was invalid; None if Ctrl-C stopped the
        batch before it.
    index : list
        Labels of the rows: the frame's index, or their numbers.
    interrupted : bool
        Whether Ctrl-C stopped it.
    """

    def __init__(self, explainer: Explainer, answers: list[Answer | Exception | None], index: Any,
                 interrupted: bool) -> None:
        self.explainer = explainer
        self.answers = answers
        self.index = list(index)
        self._frame_index = index
        self.interrupted = interrupted

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, place: int) -> Answer | Exception | None:
        """Take the answer to a row, counted from 0."""
        return self.answers[place]

    def __iter__(self) -> Iterator[Answer | Exception | None]:
        return iter(self.answers)

    @property
    def statuses(self) -> list[str]:
        """For each row its status; "error" or "interrupted" where there is no answer."""
        return [one.status if isinstance(one, Answer) else
                "interrupted" if one is None else "error" for one in self.answers]

    @property
    def errors(self) -> dict[Any, Exception]:
        """The exceptions of invalid rows by row label; by number from 0 if labels repeat."""
        labels = self.index if len(set(self.index)) == len(self.index) else range(len(self.index))
        return {label: one for label, one in zip(labels, self.answers, strict=True)
                if isinstance(one, Exception)}

    def records(self, *, questions: bool = False, proofs: bool = False,
                time: str | None = None) -> Records:
        """Return the records of all rows as columns.

        Parameters
        ----------
        questions : bool
            Keep the whole question of each row, not only its hash.
        proofs : bool
            Make a certificate of each answer.
        time : str, optional
            A time stamp for all rows.

        Returns
        -------
        Records
            With `to_arrow`, `to_frame` and `row`.
        """
        from boxwood.records import Records

        return Records(self.explainer, self.answers, questions=questions, proofs=proofs, time=time)

    def to_frame(self) -> Any:
        """Return a tidy frame, one record for each row that was asked about.

        Returns
        -------
        pandas.DataFrame
            The columns of `Answer.record` without the key (docs/formats.md); the index is that of
            the rows. Numbers that do not exist are NaN.
        """
        return self.records().to_frame(self._labels(range(len(self))))

    def to_arrow(self) -> Any:
        """Return the same as an Arrow table, with the labels of the rows as keys.

        Returns
        -------
        pyarrow.Table
            One record for each row; docs/formats.md.
        """
        arrow = library("pyarrow")

        return self.records().to_arrow(arrow.array(self.index))

    def points(self) -> Any:
        """Return the new rows of those that have one, as a frame with the training data's types.

        Returns
        -------
        pandas.DataFrame
            With the rows' labels as index.
        """
        found = [(row, one) for row, one in enumerate(self.answers)
                 if isinstance(one, Answer) and one.found]
        if not found:
            raise Error("batch", "no row has an answer")
        frame = found[0][1].explainer.frame_of(
            np.array([one.array for _, one in found]), [one._form.strangers for _, one in found])
        frame.index = self._labels(row for row, _ in found)
        return frame

    def _labels(self, rows: Iterable[int]) -> Any:
        places = list(rows)
        if hasattr(self._frame_index, "take"):
            return self._frame_index.take(places)
        return library("pandas").Index([self.index[row] for row in places])

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    @property
    def headline(self) -> str:
        """How many rows have which status."""
        counts = Counter(self.statuses)
        shown = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"Batch of {rows}" + (f": {shown}" if shown else "")

    def _repr_html_(self) -> str:
        from boxwood._html import batch_html

        return batch_html(self)


def explain_rows(explainer: Explainer, data: Any, target: Any, question: Question,
                 show_progress: bool, on_error: str) -> Batch:
    """Explain every row of a table; see `Explainer.explain_batch`."""
    if on_error not in ("keep", "raise"):
        raise Error("on_error", f"unknown value {on_error!r}", 'Give "keep" or "raise"')
    asked = Asked(explainer, target, question)
    options = asked.options()
    table = as_table(data)
    points, faults = _points(explainer, table)
    labels = data.index if module_of(data) == "pandas" else range(len(points))
    index = list(labels)
    columns = explainer.columns
    form = columns.form(data)
    answers: list[Answer | Exception | None] = [None] * len(points)
    interrupted = False
    log.info("explaining %d rows", len(points))
    with _bar(len(points), show_progress) as bar:
        for start in range(0, len(points), AT_A_TIME):
            places, queries = [], []
            for row in range(start, min(start + AT_A_TIME, len(points))):
                try:
                    if row in faults:
                        raise faults[row]
                    queries.append(asked.at(points[row]))
                    places.append(row)
                except Error as error:
                    answers[row] = _at_row(error, index[row])
            if on_error == "raise":
                _raise_first(answers[start:start + AT_A_TIME])
            bar.update(min(AT_A_TIME, len(points) - start) - len(places))
            found, interrupted = _core.explain_many(explainer.core, queries, options, bar.update)
            for row, query, one in zip(places, queries, found, strict=True):
                if isinstance(one, _core.Answer):
                    # Rows with the same question share one object.
                    kept = query if asked.follows_row else queries[0]
                    answers[row] = Answer(explainer, kept, points[row], one,
                                          form._replace(
                                              label=index[row],
                                              strangers=columns.strangers(table, points[row], row)),
                                          row_label(index[row]))
                elif isinstance(one, Error):
                    answers[row] = _at_row(one, index[row])
                else:
                    answers[row] = one
            if on_error == "raise":
                _raise_first(answers[start:start + AT_A_TIME])
            if interrupted:
                break
    if interrupted:
        done = sum(one is not None for one in answers)
        warnings.warn(f"interrupted: {done} of {len(points)} rows are done", stacklevel=3)
    return Batch(explainer, answers, labels, interrupted)


def _points(explainer: Explainer, data: Any) -> tuple[np.ndarray, dict[int, Error]]:
    # Converting the whole table is fast. If that fails, bisection finds the invalid rows.
    columns = explainer.columns
    columns.points(_rows(data, 0, 0))  # the names and their number
    points = np.full((len(data), len(columns)), np.nan)
    faults = {}
    parts = [(0, len(data))]
    while parts:
        first, last = parts.pop()
        try:
            points[first:last] = columns.points(_rows(data, first, last))
        except Error as error:
            if last - first == 1:
                faults[first] = error
            else:
                middle = (first + last) // 2
                parts += [(first, middle), (middle, last)]
    return points, faults


def _rows(data: Any, first: int, last: int) -> Any:
    if module_of(data) == "pandas":
        return data.iloc[first:last]
    return data.slice(first, last - first) if is_table(data) else data[first:last]


def _at_row(error: Error, label: Any) -> Error:
    place = f"row {label}" + (f", {error.place}" if error.place else "")
    return Error(place, error.reason, error.remedy, error.excerpt)


def _raise_first(answers: list[Any]) -> None:
    for one in answers:
        if isinstance(one, Exception):
            raise one


class _Quiet:
    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, count: int) -> None:
        pass


def _bar(total: int, shown: bool) -> Any:
    if not shown:
        return _Quiet()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Quiet()
    return tqdm(total=total, unit="row")
