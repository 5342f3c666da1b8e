"""The most for a budget: the result of `Explainer.best`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxwood import _core
from boxwood._forms import Form, row_label
from boxwood.answer import Answer
from boxwood.errors import Error, library
from boxwood.results import Sweep


@dataclass(repr=False)
class Best:
    """The highest probability, or the highest or lowest output, within a budget.

    Parameters
    ----------
    value : float
        What the answer reaches, as the library computes it. NaN if there is no answer.
    before : float
        What the row has now.
    bound : float
        Proven: no allowed change within the budget reaches more (for the lowest: less). Equal to
        `value` if the status is "optimal".
    budget : float
        The most that the change may cost.
    answer : Answer
        The cheapest change that reaches `value`.
    status : str
        "optimal": no allowed change within the budget reaches more than `value`. "feasible": a
        limit ended the search, see `bound`. "infeasible": no allowed change within the budget
        satisfies the further requirements. "unknown": a limit ended the search before one was
        found.
    stop : str
        The limit that ended the search early; "finished" if none did.
    steps : list of tuple
        With ``curve=True``: value and answer of every step, from the cheapest to the budget. What
        costs less than a step reaches no more than the step before it.
    complete : bool
        Whether `steps` has every step up to the budget.
    """

    value: float
    before: float
    bound: float
    budget: float
    answer: Answer
    status: str
    stop: str
    steps: list[tuple[float, Answer]]
    complete: bool
    _found: _core.BestCurve | None = field(default=None, repr=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, point: np.ndarray, found: _core.BestCurve,
           budget: float, form: Form) -> Best:
        """Give the core's result the form of the row."""
        best = found.best

        def answer(value: float, one: _core.Answer) -> Answer:
            at = _core.best_query(explainer.core, query, value)
            return Answer(explainer, at, point, one, form, row_label(form.label))

        has_answer = best.answer.count > 0
        value = best.value if has_answer else best.before
        return cls(best.value if has_answer else np.nan, best.before, best.bound, budget,
                   answer(value, best.answer), best.status.name, best.stop.name,
                   [(step.value, answer(step.value, step.answer)) for step in found.steps],
                   found.complete, found)

    @property
    def gain(self) -> float:
        """How much higher (or lower) the output gets."""
        return self.value - self.before

    def to_frame(self) -> Any:
        """Return a frame with a row for each step of the curve.

        Returns
        -------
        pandas.DataFrame
            Columns cost, value, changed.
        """
        pandas = library("pandas")

        return pandas.DataFrame(
            [[answer.cost, value, ", ".join(change.title for change in answer.changes)]
             for value, answer in self.steps], columns=["cost", "value", "changed"])

    def plot(self, **style: Any) -> Any:
        """Draw the curve of cost against output.

        Parameters
        ----------
        **style
            As for `boxwood.plots.sweep`.

        Returns
        -------
        Figure
            The figure.
        """
        from boxwood import plots

        if not self.steps:
            raise Error("plot", "there are no steps to draw", "Ask with curve=True")
        assert self._found is not None
        answer = self.answer
        levels = _core.best_levels(answer.explainer.core, answer._query, self._found)
        shown = [(level, Answer(answer.explainer, answer._template, answer._start, one,
                                answer._form, answer._row)) for level, one in levels]
        return plots.sweep(Sweep(shown), **style)

    def _shown(self) -> tuple[Any, ...]:
        # What the core's functions need to show it.
        answer = self.answer
        return answer.explainer.core, answer._query, self._found, self.budget, answer._row

    def __repr__(self) -> str:
        return _core.best_table(*self._shown()).rstrip()

    def _repr_html_(self) -> str:
        return _core.best_html(*self._shown())
