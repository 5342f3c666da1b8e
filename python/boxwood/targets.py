"""Targets: the wanted outcome of a model, such as a class, a number or a raw score.

    boxwood.Class("good", probability=0.8)
    boxwood.Output(at_least=200_000)
    boxwood.Not(boxwood.Class("refused"))

Names of classes and models are looked up when an explainer takes the target.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxwood._arguments import number, whole
from boxwood._tables import is_number
from boxwood.errors import Error

if TYPE_CHECKING:
    import numpy as np

    from boxwood import _core


class Target:
    """The wanted outcome of one model; see `Class`, `OneOf`, `Output`, `Score` and `Not`."""

    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Look up names and make the core's requirement.

        Parameters
        ----------
        models : Models
            The models of the explainer.

        Returns
        -------
        _core.Requirement
            The requirement.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        parts = dataclasses.fields(self)  # type: ignore[arg-type]  # every kind is a dataclass
        shown = [f"{one.name}={getattr(self, one.name)!r}" for one in parts
                 if getattr(self, one.name) != one.default]
        return f"{type(self).__name__}({', '.join(shown)})"


class Models:
    """Finds models and their classes by name.

    Parameters
    ----------
    core : _core.Model
        The models.
    names : list of str
        Their names.
    """

    def __init__(self, core: _core.Model, names: list[str]) -> None:
        self.core = core
        self.names = names

    def index(self, model: int | str) -> int:
        """Find a model.

        Parameters
        ----------
        model : int or str
            Its number from 0, or its name.

        Returns
        -------
        int
            The number.
        """
        if isinstance(model, str):
            if model in self.names:
                return self.names.index(model)
            raise Error("target", f'no model "{model}"', f"There are: {', '.join(self.names)}")
        index = whole(model, "model", 0)
        if index >= len(self.core):
            raise Error("target", f"no model {index}", f"There are {len(self.core)}")
        return index

    def class_index(self, model: int, label: Any) -> int:
        """Find a class.

        Parameters
        ----------
        model : int
            The model's number.
        label : object
            A label; or the class's number, if the labels are unknown or not numbers.

        Returns
        -------
        int
            The class's number.
        """
        ensemble = self.core.ensemble(model)
        if ensemble.class_count == 0:
            raise Error("target", f"the model predicts a number, not the class {label!r}",
                        "Give at_least=, at_most=, between= or change=")
        if getattr(label, "ndim", 0) > 0:
            raise Error("target", f"it is of type {type(label).__name__}, not the label of a class",
                        "Give one label, or a list of accepted labels")
        # numpy's scalars print with their type, and True is the label "True" or the class 1.
        plain = label.item() if hasattr(label, "item") else label
        if isinstance(plain, bool) and str(plain) not in ensemble.classes:
            plain = int(plain)
        if isinstance(plain, float) and plain.is_integer() and str(plain) not in ensemble.classes:
            plain = int(plain)
        if type(plain) is int and str(plain) not in ensemble.classes \
                and str(float(plain)) in ensemble.classes:
            plain = float(plain)
        if str(plain) not in ensemble.classes and any(map(is_number, ensemble.classes)):
            # Where labels are numbers, another number is a slip and not the place of a label.
            raise Error("target", f"no class {label!r}",
                        f"The classes are {', '.join(ensemble.classes[:10])}")
        try:
            return ensemble.class_index(str(plain))
        except Error as error:
            raise Error("target", error.reason, error.remedy) from None


@dataclass(frozen=True, repr=False)
class Class(Target):
    """The library's classifier predicts this class.

    Parameters
    ----------
    label : object
        The class's label; or its number, from 0, if the labels are unknown or not numbers.
    probability : float, optional
        The library's probability of the class is at least this. The class then need not be the
        predicted one.
    margin : float, optional
        The class is predicted, and its raw score exceeds every other by at least this.
    model : int or str
        The model, by number or name, if there are several.
    """

    label: Any
    probability: float | None = None
    margin: float | None = None
    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        from boxwood import _core

        index = models.index(self.model)
        probability, margin = (None if given is None else number(given, name) for name, given in
                               (("probability", self.probability), ("margin", self.margin)))
        outcome = _core.ClassIs(models.class_index(index, self.label), probability, margin)
        return _core.Requirement(outcome, index)


@dataclass(frozen=True, repr=False)
class OneOf(Target):
    """The library's classifier predicts one of these classes.

    Parameters
    ----------
    labels : tuple
        Labels, or numbers where labels are unknown.
    model : int or str
        The model, by number or name, if there are several.
    """

    labels: tuple[Any, ...]
    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        from boxwood import _core

        index = models.index(self.model)
        found = sorted({models.class_index(index, label) for label in self.labels})
        return _core.Requirement(_core.ClassIn(found), index)


@dataclass(frozen=True, repr=False, kw_only=True)
class _InRange(Target):
    at_least: float | None = None
    at_most: float | None = None
    more_than: float | None = None
    less_than: float | None = None

    def _range(self) -> _core.Interval:
        from boxwood import _core

        if self.at_least is not None and self.more_than is not None:
            raise Error("target", "at_least and more_than are both given", "Give one of them")
        if self.at_most is not None and self.less_than is not None:
            raise Error("target", "at_most and less_than are both given", "Give one of them")
        given = {name: number(getattr(self, name), name)
                 for name in ("at_least", "at_most", "more_than", "less_than")
                 if getattr(self, name) is not None}
        lower = given.get("at_least", given.get("more_than"))
        upper = given.get("at_most", given.get("less_than"))
        if lower is None and upper is None:
            raise Error("target", "no end of the range is given", "Give at_least= or at_most=")
        range_ = _core.Interval(-math.inf if lower is None else lower,
                                math.inf if upper is None else upper,
                                self.more_than is None, self.less_than is None)
        if range_.empty or math.isnan(range_.lower) or math.isnan(range_.upper):
            raise Error("target", f"{range_} is empty", "Give the smaller end first")
        return range_


@dataclass(frozen=True, repr=False, kw_only=True)
class Output(_InRange):
    """A number that the library predicts lies in a range.

    Parameters
    ----------
    at_least, at_most : float, optional
        Ends of the range, included.
    more_than, less_than : float, optional
        Ends of the range, excluded.
    output : int
        The index of the number, if the model predicts several.
    model : int or str
        The model, by number or name, if there are several.
    """

    output: int = 0
    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        from boxwood import _core

        return _core.Requirement(_core.OutputIn(self._range(), whole(self.output, "output", 0)),
                                 models.index(self.model))


@dataclass(frozen=True, repr=False, kw_only=True)
class Score(_InRange):
    """A raw score, or its difference from another score, lies in a range.

    Parameters
    ----------
    at_least, at_most : float, optional
        Ends of the range, included.
    more_than, less_than : float, optional
        Ends of the range, excluded.
    output : int
        The index of the score.
    rival : int, optional
        The index of the score that is subtracted.
    model : int or str
        The model, by number or name, if there are several.
    """

    output: int = 0
    rival: int | None = None
    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        from boxwood import _core

        rival = None if self.rival is None else whole(self.rival, "rival", 0)
        return _core.Requirement(_core.ScoreIn(self._range(), whole(self.output, "output", 0),
                                               rival), models.index(self.model))


@dataclass(frozen=True, repr=False)
class Above(Target):
    """A higher rank than another row, for the keyword `beat`.

    Parameters
    ----------
    point : ndarray
        The other row as numbers.
    output : int
        The index of the number, if the model predicts several.
    model : int or str
        The model, by number or name, if there are several.
    """

    point: np.ndarray
    output: int = 0
    model: int | str = 0

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        return models.core.require_above(self.point, whole(self.output, "output", 0),
                                         models.index(self.model))


@dataclass(frozen=True, repr=False)
class Not(Target):
    """The opposite of a target, or of a rule.

    Parameters
    ----------
    inner : Target, Rule, str or object
        In a target: a target, or the label of a class. In `rules`: a condition such as
        ``"duration > 24"``, or a rule.
    """

    inner: Any

    def requirement(self, models: Models) -> _core.Requirement:
        """Make the core's requirement."""
        from boxwood import _core

        inner = self.inner if isinstance(self.inner, Target) else Class(self.inner)
        made = inner.requirement(models)
        return _core.Requirement(made.outcome, made.ensemble, not made.negated)

    def __str__(self) -> str:
        from boxwood.rules import _condition

        return _condition(self)

    def __repr__(self) -> str:
        return f"Not({self.inner!r})"
