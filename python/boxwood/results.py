"""The results of analyses: menus, blockers, paths, sweeps, regions and maps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxwood import _core
from boxwood._forms import Form, row_label
from boxwood._html import map_html, wide_html
from boxwood._text import printable
from boxwood.answer import Answer
from boxwood.errors import library


@dataclass(repr=False)
class Menu:
    """Several alternative answers, cheapest first.

    Parameters
    ----------
    alternatives : list of Answer
        Each the cheapest that differs from all before it.
    complete : bool
        Proven: there is no further one.
    stop : str
        The limit that ended the search early; "finished" if none did.
    apart : str
        How the alternatives differ: "features", "regions" or "distance".
    distance : float
        For ``apart="distance"``.
    """

    alternatives: list[Answer]
    complete: bool
    stop: str
    apart: str = "features"
    distance: float = 1.0
    _asked: tuple[Any, _core.Query, int | str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, point: np.ndarray, found: _core.Menu,
           form: Form, apart: str, distance: float) -> Menu:
        """Give the core's menu the form of the row."""
        alternatives = [explainer._answer(query, point, one, form) for one in found.answers]
        for earlier, one in enumerate(alternatives):
            one._earlier_alternatives = earlier
        return cls(alternatives, found.complete, found.stop.name, apart, distance,
                   (explainer, query.at(point), row_label(form.label)))

    def __len__(self) -> int:
        return len(self.alternatives)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.alternatives)

    def __getitem__(self, index: int) -> Answer:
        return self.alternatives[index]

    def to_frame(self) -> Any:
        """Return a frame: a row for each alternative, a column for each feature that changes.

        Returns
        -------
        pandas.DataFrame
            The cost and the new values in words; empty where a feature does not change.
        """
        pandas = library("pandas")

        rows = [{"cost": one.cost, **{change.title: change.change_to for change in one.changes}}
                for one in self.alternatives if one.found]
        frame = pandas.DataFrame(rows).fillna("")
        frame.index = pandas.RangeIndex(1, len(frame) + 1, name="alternative")
        return frame

    def _shown(self) -> tuple[Any, ...]:
        # What the core's functions need to show the menu.
        assert self._asked is not None
        explainer, query, row = self._asked
        return (explainer.core, query, [one._core for one in self.alternatives], self.complete,
                getattr(_core.Stop, self.stop), getattr(_core.Apart, self.apart), self.distance,
                row)

    def ending(self) -> str:
        """Say why there are no more answers.

        Returns
        -------
        str
            A sentence; empty where as many were found as were asked for.
        """
        if self.complete:
            return f"There is no {'further ' if self.alternatives else ''}alternative (proven)."
        return "" if self.stop == "finished" else f"Stopped: {self.stop}."

    def __repr__(self) -> str:
        return _core.menu_table(*self._shown()).rstrip()

    def _repr_html_(self) -> str:
        return _core.menu_html(*self._shown())


@dataclass(frozen=True)
class Blocker:
    """A rule that, with others, blocks an outcome.

    Parameters
    ----------
    rule : str
        The rule in words.
    kind : str
        What it is: "fixed", "range_lower", "clause", …
    feature : str or None
        The feature that it is about.
    without : Answer
        The answer when this one rule is lifted.
    """

    rule: str
    kind: str
    feature: str | None
    without: Answer


@dataclass(repr=False)
class WhyNot:
    """Why there is no answer.

    Parameters
    ----------
    answer : Answer
        To the question itself.
    blockers : list of Blocker
        Rules that together make the outcome impossible; each is needed for that.
    smallest : bool
        No set of fewer rules blocks the outcome.
    impossible : bool
        No input has the outcome, even without any rules.
    stop : str
        Why the search ended.
    """

    answer: Answer
    blockers: list[Blocker]
    smallest: bool
    impossible: bool
    stop: str
    _found: _core.WhyNot | None = field(default=None, repr=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, point: np.ndarray, found: _core.WhyNot,
           form: Form) -> WhyNot:
        """Put the core's result into words."""
        blockers = []
        for one in found.blockers:
            kind = one.rule.kind.name
            feature = None
            if kind not in ("clause", "max_changes"):
                feature = explainer.columns.shown(one.rule.index)
            lifted = _core.lifted(query, [one.rule])
            blockers.append(Blocker(explainer.core.rule_text(query, one.rule), kind, feature,
                                    explainer._answer(lifted, point, one.without, form)))
        return cls(explainer._answer(query, point, found.answer, form), blockers, found.smallest,
                   found.impossible, found.stop.name, found)

    def _shown(self) -> tuple[Any, ...]:
        # What the core's functions need to show it.
        answer = self.answer
        return answer.explainer.core, answer._query, self._found, answer._row

    def __repr__(self) -> str:
        return _core.why_not_table(*self._shown()).rstrip()

    def _repr_html_(self) -> str:
        return _core.why_not_html(*self._shown())


@dataclass(frozen=True)
class Step:
    """One change of an answer.

    Parameters
    ----------
    features : list of str
        What changes in this step, by title; a one-hot group is one feature.
    point : Series, dict or ndarray
        After this change and all before it.
    outcome : object
        What the library says there.
    outputs : list of float
        The outputs of the first model there.
    without : Answer or None
        The answer when these features must stay as they are.
    """

    features: list[str]
    point: Any = field(repr=False)
    outcome: Any
    outputs: list[float]
    without: Answer | None = field(repr=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, point: np.ndarray, step: _core.PathStep,
           form: Form) -> Step:
        """Give the core's step the form of the row."""
        held = query.at(point)
        for i in step.features:
            held.feature(i).fixed = True
        without = step.without
        return cls(list(dict.fromkeys(explainer.columns.shown(i) for i in step.features)),
                   explainer.columns.like(form, step.point), explainer.outcome_of(step.point),
                   list(step.outputs[0]),
                   None if without is None else explainer._answer(held, point, without, form))


@dataclass(repr=False)
class Sweep:
    """The answers for several levels.

    Parameters
    ----------
    points : list of tuple
        Level and answer.
    """

    points: list[tuple[float, Answer]]

    @property
    def levels(self) -> list[float]:
        """The levels."""
        return [level for level, _ in self.points]

    @property
    def answers(self) -> list[Answer]:
        """The answers."""
        return [answer for _, answer in self.points]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[tuple[float, Answer]]:
        return iter(self.points)

    def to_frame(self) -> Any:
        """Return a frame with a row for each level.

        Returns
        -------
        pandas.DataFrame
            Columns level, status, cost, distance, lower_bound, changed.
        """
        pandas = library("pandas")

        return pandas.DataFrame(
            [[level, answer.status, answer.cost, answer.distance, answer.lower_bound,
              ", ".join(change.title for change in answer.changes)]
             for level, answer in self.points],
            columns=["level", "status", "cost", "distance", "lower_bound", "changed"])

    def _shown(self, query: _core.Query | None = None,
               swept: _core.Swept = _core.Swept.levels) -> tuple[Any, ...]:
        # What the core's functions need to show the sweep.
        first = self.points[0][1]
        return (first.explainer.core, query or first._query, self.levels,
                [answer._core for answer in self.answers], first._row, swept)

    def __repr__(self) -> str:
        return _core.sweep_table(*self._shown()).rstrip() if self.points else "No level."

    def _repr_html_(self) -> str:
        return _core.sweep_html(*self._shown()) if self.points else "<div>No level.</div>"


@dataclass(repr=False)
class RobustSweep(Sweep):
    """The price of robustness: the answers for several multiples of the robust distances.

    Parameters
    ----------
    points : list of tuple
        Multiple and answer.
    """

    _query: _core.Query  # of the multiple 1

    def _shown(self, query: _core.Query | None = None,
               swept: _core.Swept = _core.Swept.distances) -> tuple[Any, ...]:
        return super()._shown(query or self._query, swept)


@dataclass(repr=False)
class WideRegion:
    """A box in which every point has the outcome.

    Parameters
    ----------
    intervals : dict
        By feature.
    values : dict
        For categorical features the values that keep the outcome; for one-hot groups, by their
        titles, the labels.
    words : dict
        The same in words, for the features that are limited.
    maximal : bool
        Proven: no single interval can be wider, no value added.
    stop : str
        Why the search ended.
    """

    intervals: dict[str, _core.Interval]
    values: dict[str, list[Any]]
    words: dict[str, str]
    maximal: bool
    stop: str
    _titles: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, explainer: Any, answer: Answer, found: _core.WideRegion) -> WideRegion:
        """Put the core's region into words."""
        columns = explainer.columns
        intervals = dict(zip(columns.called, found.region, strict=True))
        values: dict[str, list[Any]] = {}
        words: dict[str, str] = {}
        titles: dict[str, str] = {}
        for i, (name, codes) in enumerate(zip(columns.called, found.values, strict=True)):
            group = columns.group_of(i)
            if group is None:
                if codes:
                    values[name] = [columns.decode(i, code) for code in codes]
            elif i == group.places[0]:
                # The places of its columns are told at the first one; the place after the last
                # column means that none is 1.
                name = group.title
                values[name] = [group.labels[int(place)] for place in codes]
            else:
                continue
            words[name] = explainer.core.wide_text(answer._query, found, answer.array, i)
            titles[name] = columns.shown(i)
        return cls(intervals, values, words, found.maximal, found.stop.name, titles)

    def _ending(self) -> str:
        return ("No side can be moved further (proven)." if self.maximal
                else f"Not proven to be the widest: {self.stop}.")

    def __repr__(self) -> str:
        return "\n".join([*(f"{printable(name)}: {text}" for name, text in self.words.items()),
                          self._ending()])

    def _repr_html_(self) -> str:
        return wide_html(self.words, self._titles, self._ending())


@dataclass(frozen=True)
class Region:
    """A box in which every model is constant.

    Parameters
    ----------
    cost, distance : float
        Of its nearest point.
    point : Series, dict or ndarray
        That point, like the row.
    intervals : dict
        The box by feature.
    scores : list of list of float
        Raw scores, of each model.
    outcome : object
        What the first model says there.
    """

    cost: float
    distance: float
    point: Any = field(repr=False)
    intervals: dict[str, _core.Interval] = field(repr=False)
    scores: list[list[float]] = field(repr=False)
    outcome: Any = None
    _found: _core.Region | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, explainer: Any, query: _core.Query, region: _core.Region, form: Form) -> Region:
        """Give the core's region the form of the row."""
        nearest = region.nearest
        return cls(region.cost, _core.distance(query.norm, region.cost),
                   explainer.columns.like(form, nearest.point),
                   dict(zip(explainer.columns.called, nearest.region, strict=True)),
                   region.scores, explainer.outcome_of(nearest.point), region)


class Regions(list[Region]):
    """A list of regions that says whether it is complete.

    Attributes
    ----------
    complete : bool
        Whether these are all regions within the distance.
    stop : str
        Why the search ended: "finished", "visitor" where the limit was reached, or another limit.
    """

    def __init__(self, regions: list[Region], stop: str, explainer: Any,
                 query: _core.Query) -> None:
        super().__init__(regions)
        self.stop = stop
        self.complete = stop == "finished"
        self._explainer, self._query = explainer, query

    def _ending(self) -> str:
        if self.complete and len(self) < 2:
            return ("This is the only one within the distance." if self
                    else "There is none within the distance (proven).")
        if self.complete:
            return f"These are all {len(self)} regions within the distance."
        why = "the limit was reached" if self.stop == "visitor" else f"stopped: {self.stop}"
        return f"{len(self)} regions; there may be more ({why})."

    def __repr__(self) -> str:
        regions = [region._found for region in self if region._found is not None]
        return _core.regions_table(self._explainer.core, self._query, regions) + self._ending()

    def _repr_html_(self) -> str:
        regions = [region._found for region in self if region._found is not None]
        page = _core.regions_html(self._explainer.core, self._query, regions)
        return f"<div>{page}<div>{self._ending()}</div></div>"


class Map:
    """The exact decision regions over two features.

    Attributes
    ----------
    features : tuple of str
        Of the horizontal and of the vertical axis.
    bounds : ndarray
        A row for each rectangle: left, right, bottom, top.
    labels : ndarray
        Numbers of the classes, -1 where there is none.
    meets : ndarray of bool
        Whether the target is met; with a radius, within it.
    costs : ndarray
        With a radius: of the other features' changes; infinite beyond it.
    outputs : ndarray
        Of the first model; empty with a radius.
    view : tuple
        (left, right), (bottom, top) of what is drawn.
    here : tuple of float
        The row.
    stop : str
        Why the search ended; unless it is "finished", rectangles may be missing.
    """

    def __init__(self, explainer: Any, places: tuple[int, int], found: _core.Map,
                 query: _core.Query, point: np.ndarray, radius: float | None,
                 row: int | str) -> None:
        self._explainer, self._places = explainer, places  # these six are for pictures
        self._core, self._query, self._radius, self._row = found, query, radius, row
        self.features = tuple(explainer.columns.titles[i] for i in places)
        self.bounds = found.bounds
        self.labels = found.labels
        self.meets = found.meets.astype(bool)
        self.costs = found.costs
        self.outputs = found.outputs
        self.view = ((found.x_view.lower, found.x_view.upper),
                     (found.y_view.lower, found.y_view.upper))
        self.here = tuple(float(point[i]) for i in places)
        self.stop: str = found.stop.name

    def __len__(self) -> int:
        return len(self.bounds)

    def __repr__(self) -> str:
        early = "" if self.stop == "finished" else f", stopped early: {self.stop}"
        x, y = (printable(name) for name in self.features)
        return f"<Map of {x} and {y}: {len(self)} rectangles{early}>"

    def to_svg(self) -> str:
        """Draw the map.

        Returns
        -------
        str
            An SVG file.
        """
        return _core.map_svg(self._explainer.core, self._query, self._core, *self._places,
                             self._radius, self._row)

    def _repr_html_(self) -> str:
        return map_html(self)
