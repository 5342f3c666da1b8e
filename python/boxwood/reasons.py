"""Reasons: what each feature contributes to an answer. docs/concepts.md has the definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxwood import _core
from boxwood._forms import Form
from boxwood.answer import Answer
from boxwood.best import Best
from boxwood.errors import library


@dataclass(frozen=True)
class Reason:
    """One feature, or one-hot group, and what it contributes.

    Parameters
    ----------
    feature : str
        Its name; for a one-hot group, the title.
    changes : bool
        Whether the cheapest answer changes it.
    without : Answer
        The answer if this feature must stay as it is.
    alone : Answer
        The answer if only this feature may change.
    best : Best or None
        The best output that this feature alone can bring, at any cost. None if the target has no
        level, such as one of several classes.
    necessity : float
        How much more the answer costs without this feature: 0 if it is not needed, infinite if
        there is no answer without it, NaN if a limit left it open.
    sufficiency : float
        What the outcome costs if only this feature changes: infinite if that is impossible, NaN if
        a limit left it open.
    gain : float
        How much this feature alone can improve the output: 0 if nothing, NaN if unknown.
    """

    feature: str
    changes: bool
    without: Answer
    alone: Answer
    best: Best | None
    necessity: float
    sufficiency: float
    gain: float

    @property
    def proven(self) -> bool:
        """Whether every number is proven."""
        return (self.without.proven and self.alone.proven
                and (self.best is None or self.best.status in ("optimal", "infeasible")))


@dataclass(repr=False)
class Reasons:
    """What each feature contributes to an answer.

    Parameters
    ----------
    answer : Answer
        To the question itself.
    reasons : list of Reason
        Every feature that may change: largest gain first, then lowest sufficiency, then highest
        necessity.
    stop : str
        The limit that ended the searches early; "finished" if none did.
    """

    answer: Answer
    reasons: list[Reason]
    stop: str
    _found: _core.Reasons = field(repr=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, point: np.ndarray, found: _core.Reasons,
           form: Form) -> Reasons:
        """Give the core's result the form of the row."""
        reasons = []
        for one in found.reasons:
            held, alone = (_core.holding(query.at(point), one.features, others)
                           for others in (False, True))
            best = None
            if one.most is not None:
                best = Best.of(explainer, alone, point, _core.BestCurve(one.most), math.inf, form)
            reasons.append(Reason(explainer.columns.shown(one.features[0]), one.changes,
                                  explainer._answer(held, point, one.without, form),
                                  explainer._answer(alone, point, one.alone, form),
                                  best, found.necessity(one), one.sufficiency, one.gain))
        return cls(explainer._answer(query, point, found.answer, form), reasons, found.stop.name,
                   found)

    def __len__(self) -> int:
        return len(self.reasons)

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __getitem__(self, index: int) -> Reason:
        return self.reasons[index]

    def to_frame(self) -> Any:
        """Return a frame with a row for each feature.

        Returns
        -------
        pandas.DataFrame
            Columns feature, gain, sufficiency, necessity, changes, proven.
        """
        pandas = library("pandas")

        return pandas.DataFrame(
            [[one.feature, one.gain, one.sufficiency, one.necessity, one.changes, one.proven]
             for one in self.reasons],
            columns=["feature", "gain", "sufficiency", "necessity", "changes", "proven"])

    def _words(self) -> tuple[str, list[list[str]], str]:
        # A sentence about the answer, a table with its header, and what is proven.
        return _core.reasons_in_words(self.answer.explainer.core, self.answer._query, self._found)

    def _shown(self) -> tuple[Any, ...]:
        # What the core's functions need to show it.
        answer = self.answer
        return answer.explainer.core, answer._query, self._found, answer._row

    def __repr__(self) -> str:
        return _core.reasons_table(*self._shown()).rstrip()

    def _repr_html_(self) -> str:
        return _core.reasons_html(*self._shown())

    def plot(self, *, most: int = 12, ax: Any = None) -> Any:
        """Draw gain, sufficiency and necessity of the first features.

        Parameters
        ----------
        most : int
            At most this many features.
        ax : sequence of Axes, optional
            Three axes to draw on.

        Returns
        -------
        Figure
            The figure.
        """
        from boxwood import plots

        return plots.reasons(self, most=most, ax=ax)
