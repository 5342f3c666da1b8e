"""Anomalies: the result of `Explainer.anomaly` for isolation forests."""

from __future__ import annotations

from dataclasses import dataclass

from boxwood import _core
from boxwood.answer import Answer
from boxwood.errors import Error
from boxwood.reasons import Reasons

_OFFSET = "IsolationForest with offset_ "


def threshold_of(ensemble: _core.Ensemble) -> float:
    """Return the score below which an isolation forest calls a row anomalous (its `offset_`)."""
    if not ensemble.objective.startswith(_OFFSET):
        raise Error("anomaly", f"the model ({ensemble.objective}) is not an isolation forest",
                    "Give a fitted sklearn.ensemble.IsolationForest")
    return float(ensemble.objective.removeprefix(_OFFSET))


@dataclass(repr=False)
class Anomaly:
    """Whether an isolation forest calls a row anomalous, why, and how far the other side is.

    Parameters
    ----------
    anomalous : bool
        What the library's `predict` says: -1 for anomalous.
    score : float
        The library's `score_samples`: the lower, the more anomalous.
    threshold : float
        The forest's `offset_`: rows with a lower score are anomalous.
    answer : Answer
        For an anomalous row the cheapest change that makes it normal; for a normal row the
        cheapest change that raises an alarm, so that every cheaper one does not.
    reasons : Reasons
        What each feature contributes to that: for an anomalous row, why it is one.
    """

    anomalous: bool
    score: float
    threshold: float
    answer: Answer
    reasons: Reasons

    def _head(self) -> str:
        state = "anomalous" if self.anomalous else "normal"
        return (f"{state}: score {self.score:.4g}; rows below {self.threshold:.4g} are anomalous. "
                + ("What makes it normal:" if self.anomalous else "What would raise an alarm:"))

    def __repr__(self) -> str:
        # The first paragraph of the reasons repeats the answer.
        table = repr(self.reasons).partition("\n\n")[2]
        return f"{self._head()}\n\n{self.answer!r}\n\n{table}".rstrip()

    def _repr_html_(self) -> str:
        head = _core.html_table([self._head()], [], [])
        _, lines, end = self.reasons._words()
        table = _core.html_table([], lines, [end] if end else []) if lines else ""
        return f"<div>{head}{self.answer._repr_html_()}{table}</div>"
