"""One answer: what to change, what is proven, and the same in words, frames, JSON and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._arguments import number
from boxwood._files import write_file
from boxwood.errors import Error, library

if TYPE_CHECKING:
    from boxwood._forms import Form
    from boxwood.explainer import Explainer


@dataclass(frozen=True)
class Change:
    """One feature that changes.

    Parameters
    ----------
    feature : str
        The name of the column, as in the data; the title of a one-hot group, which is one feature.
    title : str
        The name shown to people.
    before, after : object
        The values, as people write them.
    now, change_to : str
        The same values in words, with units.
    anything_in : str
        All values that may replace `after` while the other features are as in the answer.
    """

    feature: str
    title: str
    before: Any
    after: Any
    now: str
    change_to: str
    anything_in: str

    def __str__(self) -> str:
        return f"{self.title}: {self.now} → {self.change_to} (anything in: {self.anything_in})"


class Answer:
    """What a search found and what it proved.

    Answers are made by an `Explainer`.

    Attributes
    ----------
    explainer : Explainer
        The explainer that answered.
    status : str
        "optimal": proven, nothing cheaper exists; with linear rules over continuous features,
        nothing cheaper by more than `gap`. "feasible": stopped early, nothing cheaper than
        `lower_bound` exists. "infeasible": proven, no admissible change has the outcome.
        "unknown": stopped before any was found.
    stop : str
        Why the search ended: "finished", "time", "nodes", "memory", "interrupt" or "precision"
        (linear rules that the model's numbers are too coarse for).
    cost, distance, lower_bound, gap : float
        Of the change; infinite where there is none. The distance is the root of a squared cost.
    already_met : bool
        The row already has the outcome.
    tolerance : float or None
        The argument `round` of `explain`.
    """

    def __init__(self, explainer: Explainer, template: _core.Query, point: np.ndarray,
                 core: _core.Answer, form: Form, row: int | str = "") -> None:
        self.explainer = explainer
        self._template = template
        self._start = point
        self._core = core
        self._form = form
        self._row = row
        self.status: str = core.status.name
        self.stop: str = core.stop.name
        self.cost: float = core.cost
        self.distance: float = core.distance
        self.lower_bound: float = core.lower_bound
        self.gap: float = core.gap if core.count else float("inf")
        self.already_met: bool = core.already_met
        self.tolerance: float | None = None
        self._earlier_alternatives = 0  # of the same menu

    @property
    def _query(self) -> _core.Query:
        # Made when it is needed: the answers of a batch share one question.
        return self._template.at(self._start)

    @property
    def _shown(self) -> tuple[_core.Model, _core.Query, _core.Answer, int | str, int]:
        # What the core's functions need to show the answer.
        return self.explainer.core, self._query, self._core, self._row, self._earlier_alternatives

    @property
    def proven(self) -> bool:
        """Whether the answer is proven: optimal, or that there is none."""
        return self.status in ("optimal", "infeasible")

    @property
    def found(self) -> bool:
        """Whether there is a point."""
        return self._core.count > 0

    @property
    def agreeing(self) -> int | None:
        """How many models have the wanted outcome at the new point; None without `agree`."""
        query = self._query
        if query.agree is None or self.array is None:
            return None
        return self.explainer.core.agreeing(query, self.array)

    @property
    def rows_around(self) -> int | None:
        """How many rows of the data are in the answer's region; None without `live`."""
        query = self._query
        if not query.live or self.array is None:
            return None
        return self.explainer.core.rows_around(query, self.array)

    def __bool__(self) -> bool:
        return self.found

    @cached_property
    def array(self) -> np.ndarray | None:
        """The new point as the numbers that the model reads."""
        return self._core.solution(0).point if self.found else None

    @property
    def array_before(self) -> np.ndarray:
        """The row that was asked about as the numbers that the model reads."""
        return self._start.copy()

    @cached_property
    def before(self) -> Any:
        """The row that was asked about, a Series, dict or array as it was given."""
        return self.explainer.columns.like(self._form, self._start)

    @cached_property
    def point(self) -> Any:
        """The new point, a Series, dict or array like the row; None where there is none."""
        if self.array is None:
            return None
        return self.explainer.columns.like(self._form, self.array)

    @property
    def claim(self) -> _core.Claim:
        """What is proven about this answer: `str(answer.claim)` is a sentence.

        Every allowed change with the outcome has at least `least_changes` changes, and costs at
        least `lower_bound`, the latter only among those with at most `among_changes` changes where
        that is not None. `cost_name` names the cost that was minimised.
        """
        return _core.claim_of(self.explainer.core, self._query, self._core,
                              self._earlier_alternatives)

    def round(self, tolerance: float) -> Answer:
        """Find rounder numbers in the region that meet every requirement and rule.

        Parameters
        ----------
        tolerance : float
            They cost at most this share more.

        Returns
        -------
        Answer
            With the rounder numbers; its `lower_bound` is the cost of this answer. This answer
            itself where there is nothing rounder, or no point.
        """
        core = _core.rounded_answer(self.explainer.core, self._query, self._core,
                                    number(tolerance, "tolerance", 0))
        rounder = Answer(self.explainer, self._template, self._start, core, self._form, self._row)
        rounder._earlier_alternatives = self._earlier_alternatives
        return rounder

    @property
    def rounded(self) -> Answer | None:
        """The rounder answer, where `explain` was called with `round`; None otherwise."""
        return None if self.tolerance is None else self.round(self.tolerance)

    def point_frame(self) -> Any:
        """Return the new point as a one-row frame with the types of the training data.

        Returns
        -------
        pandas.DataFrame
            What the library's own `predict` takes.
        """
        if self.array is None:
            raise Error("answer", f"it has no point: its status is {self.status}")
        return self.explainer.frame_of(self.array[np.newaxis], [self._form.strangers])

    def _changes_of(self, solution: _core.Solution) -> list[Change]:
        columns = self.explainer.columns
        changes = []
        for told in self.explainer.core.changes_in_words(self._query, solution):
            i = told.feature
            name, before, after = told.title, told.now, told.then
            if columns.group_of(i) is None:
                name = columns.called[i]
                before = columns.value(i, self._start[i], self._form.strangers)
                after = columns.decode(i, solution.point[i])
            changes.append(Change(name, told.title, before, after, told.now, told.then,
                                  told.anything))
        return changes

    @cached_property
    def changes(self) -> list[Change]:
        """The features that change; empty where there is no point."""
        return self._changes_of(self._core.solution(0)) if self.found else []

    @property
    def region(self) -> dict[str, _core.Interval]:
        """The box around the point in which the models' scores are constant, by feature."""
        if not self.found:
            return {}
        return dict(zip(self.explainer.columns.called, self._core.solution(0).region, strict=True))

    @property
    def ties(self) -> list[list[Change]]:
        """Other changes of the same cost."""
        return [self._changes_of(self._core.solution(i)) for i in range(1, self._core.count)]

    @property
    def more_ties(self) -> bool:
        """Whether there are more ties than were asked for."""
        return self._core.more_ties

    @property
    def outcome(self) -> Any:
        """What the library says at the new point: its class, or its number."""
        return None if self.array is None else self.explainer.outcome_of(self.array)

    @property
    def outcome_before(self) -> Any:
        """What the library says of the row."""
        return self.explainer.outcome_of(self._start)

    @property
    def statistics(self) -> _core.Statistics:
        """What the search did: nodes, seconds, threads, peak_bytes."""
        return self._core.statistics

    @property
    def text(self) -> str:
        """The answer in sentences."""
        return " ".join([*_core.sentences(*self._shown), *self._declared])

    @property
    def _declared(self) -> list[str]:
        """Name the declarations of the user that the proof relies on."""
        return [f"The proof relies on this: {name} is monotone, as was declared."
                for name in self.explainer.declared]

    def to_frame(self) -> Any:
        """Return the changes as a frame, one row for each feature that changes.

        Returns
        -------
        pandas.DataFrame
            Columns feature, before, after, now, change_to, anything_in.
        """
        pandas = library("pandas")

        names = ["feature", "before", "after", "now", "change_to", "anything_in"]
        return pandas.DataFrame([[getattr(change, name) for name in names]
                                 for change in self.changes], columns=names)

    def to_json(self) -> str:
        """Return all facts as JSON.

        Returns
        -------
        str
            One object, docs/formats.md.
        """
        return _core.answer_json(*self._shown)

    def record(self, key: Any = None, *, time: bool | str = False, question: bool = True,
               proof: bool = False) -> dict[str, Any]:
        """Return everything as one flat, versioned dictionary, for files and for audits.

        `boxwood.check_record` checks it again.

        Parameters
        ----------
        key : object, optional
            What identifies the row, an application's number say.
        time : bool or str
            Add a time stamp: the present time in UTC, or this one.
        question : bool
            Keep the whole question, the text of a question file; its hash is there in any case.
        proof : bool
            Make a certificate and keep it. One that was made before is kept in any case.

        Returns
        -------
        dict
            Texts, numbers, truth values, lists of these, and None; docs/formats.md has the names.
        """
        from boxwood.records import record_of

        return record_of(self, key, time, question, proof)

    def save_question(self, path: str | Path) -> None:
        """Write the question to a file, which the command and the checkers of proofs read.

        Parameters
        ----------
        path : str or Path
            The file, docs/formats.md.
        """
        write_file(path, self._query.question_text())

    def save_html(self, path: str | Path, title: str = "") -> None:
        """Write a web page that shows this answer and answers other questions about the row.

        The file contains the model, the schema and the row: send it only to people who may see
        them. It works from disk and makes no network request (docs/page.md).

        Parameters
        ----------
        path : str or Path
            The HTML file.
        title : str
            Its title; by default the library of the model.
        """
        from boxwood._page import write_page

        write_page(self.explainer, self._start[None, :], path, title,
                   self._query.question_text())

    @cached_property
    def proof(self) -> str:
        """The certificate of what the answer claims, as JSON (docs/proof.md).

        It is made when it is first asked for, and takes about as long as the search. Error if
        proofs do not cover something in the question or the model.
        """
        return _core.prove(self.explainer.core, self._query, self._core)

    def save_proof(self, path: str | Path) -> None:
        """Write the certificate to a file.

        Check it with ``python3 boxwood_check.py MODEL QUESTION PROOF``; the model is what
        `Explainer.save_model` writes, the question what `save_question` writes.

        Parameters
        ----------
        path : str or Path
            The file, docs/proof.md.
        """
        write_file(path, self.proof)

    def verify(self, samples: int = 256, random_state: int = 1) -> list[str]:
        """Check the answer again, by code that shares nothing with the search.

        Parameters
        ----------
        samples : int
            Random points of the region that are tried.
        random_state : int
            Seed of these.

        Returns
        -------
        list of str
            What is wrong; empty when outcome, rules, cost and region hold. The proof that nothing
            is cheaper is not repeated.
        """
        return self.explainer.core.verify(self._query, self._core, samples, random_state)[0]

    def __repr__(self) -> str:
        return "\n".join([_core.answer_table(*self._shown).rstrip(), *self._declared])

    def _repr_html_(self) -> str:
        from html import escape

        return _core.answer_html(*self._shown) + "".join(
            f"<p>{escape(sentence)}</p>" for sentence in self._declared)


class Robustness(Answer):
    """How far away any other outcome is. As an answer it is the nearest one.

    Attributes
    ----------
    radius : float
        Proven: no allowed change of a smaller distance has another outcome.
    """

    @property
    def radius(self) -> float:
        """Proven: no allowed change of a smaller distance has another outcome."""
        return _core.robustness_radius(self.explainer.core, self._query, self._core)

    @property
    def text(self) -> str:
        """The statement and the nearest other outcome."""
        return " ".join(repr(self).split())

    def __repr__(self) -> str:
        return _core.robustness_text(self.explainer.core, self._query, self._core,
                                     self._row).rstrip()

    def _repr_html_(self) -> str:
        return _core.robustness_html(self.explainer.core, self._query, self._core, self._row)
