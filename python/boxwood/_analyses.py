"""The analyses of `Explainer`: everything besides `explain` and batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from boxwood import _core
from boxwood._arguments import by_feature, interval, number, whole
from boxwood._columns import Columns
from boxwood._forms import Form, row_label
from boxwood._question import OUTCOME, SEARCH, Asked, Question, levels_of, said
from boxwood.anomalies import Anomaly, threshold_of
from boxwood.answer import Answer, Robustness
from boxwood.best import Best
from boxwood.errors import Error
from boxwood.reasons import Reasons
from boxwood.results import (
    Map,
    Menu,
    Region,
    Regions,
    RobustSweep,
    Step,
    Sweep,
    WhyNot,
    WideRegion,
)
from boxwood.targets import Output, Target

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from boxwood.explainer import Explainer


class Analyses:
    """Menus, why-not, paths, sweeps, robustness, wide regions, maps and lists of regions."""

    core: _core.Model
    columns: Columns

    @property
    def _whole(self) -> Explainer:
        return cast("Explainer", self)

    if TYPE_CHECKING:

        def _asked(self, x: Any, target: Any, question: Question
                   ) -> tuple[Asked, np.ndarray, _core.Query, Form]: ...

        def _answer(self, query: _core.Query, point: np.ndarray, found: _core.Answer,
                    form: Form) -> Answer: ...

        def limits(self, i: int) -> tuple[float, float]: ...

    def menu(self, x: Any, k: int = 3, target: Any = None, *, apart: str = "features",
             distance: float = 1.0, **question: Unpack[Question]) -> Menu:
        """Find several alternative answers, each the cheapest that differs from all before it.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        k : int
            How many alternatives.
        target : object, optional
            As for `explain`.
        apart : {"features", "regions", "distance"}
            How they differ. "features": none changes all the features that an
            earlier one changes. "regions": they lie in different regions of the model.
            "distance": any two differ in some feature by at least `distance` times its scale.
        distance : float
            Used with ``apart="distance"``.
        **question
            As for `explain`.

        Returns
        -------
        Menu
            The alternatives, cheapest first.
        """
        if isinstance(k, (str, Target)):
            raise Error("k", f"{k!r} is not a number of alternatives",
                        "Give the target after it, menu(x, 3, target), or by name, target=")
        asked, point, query, form = self._asked(x, target, question)
        if apart not in ("features", "regions", "distance"):
            raise Error("apart", f"unknown value {apart!r}",
                        'Give "features", "regions" or "distance"')
        found = _core.find_menu(self.core, query, whole(k, "k", 1), getattr(_core.Apart, apart),
                                number(distance, "distance"), asked.options())
        return Menu.of(self, query, point, found, form, apart, distance)

    def why_not(self, x: Any, target: Any = None, **question: Unpack[Question]) -> WhyNot:
        """Find the rules that block an outcome, and the answer without each of them.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        target : object, optional
            As for `explain`.
        **question
            As for `explain`.

        Returns
        -------
        WhyNot
            A smallest set of blocking rules; if there is an answer, only that answer.
        """
        asked, point, query, form = self._asked(x, target, question)
        found = _core.find_why_not(self.core, query, _core.rules_of(query),
                                   asked.options())
        return WhyNot.of(self, query, point, found, form)

    def path(self, x: Any, target: Any = None, *, resolve: bool = True,
             **question: Unpack[Question]) -> list[Step]:
        """Order the changes of the cheapest answer by their effect, largest first.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        target : object, optional
            As for `explain`.
        resolve : bool
            Also find the cheapest answer without each change.
        **question
            As for `explain`.

        Returns
        -------
        list of Step
            Empty if there is no answer or nothing to change.
        """
        asked, point, query, form = self._asked(x, target, question)
        answer = _core.explain(self.core, query, asked.options())
        if answer.count == 0 or answer.already_met:
            return []
        steps = _core.find_path(self.core, query, answer.solution(0).point, resolve,
                                asked.options())
        return [Step.of(self, query, point, step, form) for step in steps]

    def sweep(self, x: Any, levels: Sequence[float], target: Any = None,
              **question: Unpack[Question]) -> Sweep:
        """Find the answers for several levels of a probability or an output.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        levels : sequence of float
            Ascending probabilities of the target's class. For a predicted number, ascending
            lower limits, or with `at_most` descending upper limits; each level replaces the limit.
        target : object, optional
            As for `explain`.
        **question
            As for `explain`.

        Returns
        -------
        Sweep
            An answer for each level.
        """
        wanted = levels_of(levels)
        regression = self.core.ensemble(0).class_count == 0
        if question.get("beat") is not None:
            raise Error("beat", "a sweep asks for several levels of its own",
                        "Leave it out, or call explain")
        if regression and target is None and not any(question.get(key) for key in OUTCOME):
            question["at_least"] = wanted[0]
        asked, point, query, form = self._asked(x, target, question)
        found = _core.find_sweep(self.core, query, wanted, asked.options())
        return Sweep([(one.level, self._answer(_core.at_level(query, one.level), point, one.answer,
                                               form)) for one in found])

    def robust_sweep(self, x: Any, multiples: Sequence[float], target: Any = None,
                     **question: Unpack[Question]) -> RobustSweep:
        """Find the price of robustness: answers for several multiples of the distances.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        multiples : sequence of float
            Ascending numbers that multiply the distances of `robust`; 0 is the answer without
            robustness.
        target : object, optional
            As for `explain`.
        **question
            As for `explain`; `robust` gives the distances of the multiple 1.

        Returns
        -------
        RobustSweep
            An answer for each multiple. The cost never falls.
        """
        wanted = [number(one, "multiples", 0) for one in multiples]
        if not wanted:
            raise Error("multiples", "the list is empty", "Give at least one number")
        asked, point, query, form = self._asked(x, target, question)
        found = _core.find_robust_sweep(self.core, query, wanted, asked.options())
        return RobustSweep([
            (one.level, self._answer(_core.with_distances(query, one.level), point, one.answer,
                                     form)) for one in found], query)

    def best(self, x: Any, budget: float, target: Any = None, *, lowest: bool = False,
             curve: bool = False, **question: Unpack[Question]) -> Best:
        """Find the highest probability or output that changes within a budget can reach.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        budget : float
            The most that the change may cost, by `cost`; infinite for no limit.
        target : object, optional
            The label of the class whose probability is to be as high as possible; default for two
            classes: the one that is not predicted now. Or an `Output` or `Score`, whose end says
            what is improved: the highest for `at_least`, the lowest for `at_most`; the number
            itself is ignored. Default for a model that predicts a number: its highest output.
        lowest : bool
            For a predicted number: find the lowest output.
        curve : bool
            Also find every step of the output from cost 0 up to the budget.
        **question
            As for `explain`; nothing that gives a level of the outcome.

        Returns
        -------
        Best
            What is reached, the cheapest change that reaches it, and a proven bound.
        """
        for key in ("probability", "margin", "at_least", "at_most", "between", "change"):
            if question.get(key) is not None:
                raise Error(key, "best finds the highest or lowest value itself",
                            "Leave it out; give lowest=True for the lowest output")
        most = number(budget, "budget", 0)
        if self.core.ensemble(0).class_count == 0 and target is None:
            question["at_most" if lowest else "at_least"] = 0.0
        elif lowest:
            raise Error("lowest", "it is for a model that predicts a number, without a target",
                        "Name the other class, or give Output(at_most=0) as the target")
        asked, point, query, form = self._asked(x, target, question)
        found = _core.find_best(self.core, query, most, curve, asked.options())
        return Best.of(self, query, point, found, most, form)

    def reasons(self, x: Any, target: Any = None, **question: Unpack[Question]) -> Reasons:
        """Find what each feature contributes to the outcome: necessity, sufficiency and gain.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        target : object, optional
            As for `explain`.
        **question
            As for `explain`. `time_limit` applies to all searches together.

        Returns
        -------
        Reasons
            A `Reason` for each feature that may change, the largest gain first.
        """
        asked, point, query, form = self._asked(x, target, question)
        found = _core.find_reasons(self.core, query, asked.options())
        return Reasons.of(self, query, point, found, form)

    def anomaly(self, x: Any, **question: Unpack[Question]) -> Anomaly:
        """Explain what an isolation forest says about a row.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        **question
            As for `explain`, without anything about the outcome.

        Returns
        -------
        Anomaly
            For an anomalous row the cheapest change that makes it normal, and which features make
            it anomalous. For a normal row how far it is from an alarm.
        """
        threshold = threshold_of(self.core.ensemble(0))
        for key in said(question, OUTCOME):
            raise Error(key, "anomaly looks for the other side of the forest's threshold",
                        "Leave it out, or use explain")
        point = self.columns.point(x)
        score = float(self.core.outputs(point[np.newaxis], 0)[0, 0])
        anomalous = score < threshold
        target = Output(at_least=threshold) if anomalous else Output(less_than=threshold)
        reasons = self.reasons(x, target, **question)
        return Anomaly(anomalous, score, threshold, reasons.answer, reasons)

    def robustness(self, x: Any, *, tolerance: float = 0.0,
                   **question: Unpack[Question]) -> Robustness:
        """Find the nearest point with any other outcome; every nearer point has the same one.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        tolerance : float
            For a regression model: differences of the output up to this count as no change.
        **question
            As for `explain`, without anything about the outcome.

        Returns
        -------
        Robustness
            Its `radius` is the distance within which the decision holds; as an `Answer` it is the
            nearest point with another outcome.
        """
        tolerance = number(tolerance, "tolerance", 0)
        for key in said(question, (*OUTCOME, "agree")):
            raise Error(key, "robustness always looks for any other outcome",
                        "Leave it out, or use explain")
        if said(question, ("live",)):
            raise Error("live", "the distance to another outcome does not support answers in a "
                        "region with rows", "Leave it out, or use explain")
        asked = Asked(self._whole, None, question)
        point = self.columns.point(x)
        form = self.columns.form(x, point)
        query = asked.bare(point)
        query.requirements = [_core.other_outcome(self.core, point, tolerance)]
        found = _core.find_robustness(self.core, query, tolerance, asked.options())
        return Robustness(self._whole, query, point, found, form, row_label(form.label))

    def widen(self, answer: Answer, *, order: Sequence[str] = (),
              **search: Unpack[Question]) -> WideRegion:
        """Widen the region of an answer as long as every point in it has the outcome.

        Parameters
        ----------
        answer : Answer
            Of this explainer.
        order : sequence of str
            Features to widen first.
        **search
            Limits, threads, engine and progress, as for `explain`; nothing else.

        Returns
        -------
        WideRegion
            The box, with an interval or a set of values for each feature.
        """
        if not isinstance(answer, Answer):
            raise Error("answer", f"{answer!r} is not an Answer", "Give one that explain returned")
        if answer.array is None:
            raise Error("answer", "the answer has no point", "Give an answer that has one")
        asked = Asked(self._whole, None, search)
        for key in asked.said(key for key in search if key not in SEARCH):
            raise Error(key, "a wide region uses the question of its answer",
                        f"Give {key} to explain")
        places = [i for name in order for i in self.columns.places_of(name, "order")]
        found = _core.find_wide_region(self.core, answer._query, answer.array, places,
                                       asked.options())
        return WideRegion.of(self, answer, found)

    def map(self, x: Any, target: Any = None, *, features: tuple[str, str],
            view: Mapping[str, tuple[float, float]] | None = None, radius: float | None = None,
            most_cells: int = 1_000_000, **question: Unpack[Question]) -> Map:
        """Compute the exact decision regions over two features; all others keep their values.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        target : object, optional
            As for `explain`.
        features : tuple of str
            The feature of the horizontal axis and the one of the vertical axis.
        view : mapping, optional
            Ranges to show, (least, largest) by feature; default: the range of data or schema.
        radius : float, optional
            Let the other features change by at most this distance to reach the target.
        most_cells : int
            Raise an error if the map has more cells.
        **question
            As for `explain`.

        Returns
        -------
        Map
            Rectangles that cover the view.
        """
        asked, point, query, form = self._asked(x, target, question)
        if isinstance(features, str) or len(features) != 2:
            raise Error("features", f"{features!r} is not two features", "Give two names")
        across, up = (self.columns.index(name, "features") for name in features)
        given = self._views(view, (across, up))
        views = []
        for i in (across, up):
            low, high = given.get(i) or self.limits(i)
            if i not in given and np.isfinite([low, high, point[i]]).all():
                low, high = min(low, point[i]), max(high, point[i])
            views.append(_core.Interval(low, high) if low < high else _core.Interval())
        if radius is not None:
            radius = number(radius, "radius", 0)
        found = _core.find_map(self.core, query, across, up, views[0], views[1], radius,
                               whole(most_cells, "most_cells", 1), asked.options())
        return Map(self, (across, up), found, query, point, radius, row_label(form.label))

    def _views(self, view: Any, drawn: tuple[int, int]) -> dict[int, tuple[float, float]]:
        found = {}
        for name, ends in by_feature(view, "view").items():
            i = self.columns.index(name, "view")
            if i not in drawn:
                raise Error("view", f'"{name}" is not a feature of the map',
                            "Name one of its two features")
            low, high = found[i] = interval(ends, f'view["{name}"]')
            if low == high:
                raise Error(f'view["{name}"]', "the range is empty", "Give the smaller end first")
        return found

    def regions(self, x: Any, within: float, target: Any = None, *, limit: int | None = 100,
                any_outcome: bool = False, visit: Callable[[Region], Any] | None = None,
                **question: Unpack[Question]) -> Regions:
        """List the boxes with the wanted outcome that reach within a distance of the row.

        Parameters
        ----------
        x : Series, mapping, one-row table or 1-D array
            The row.
        within : float
            The distance, in the norm of `cost`.
        target : object, optional
            As for `explain`.
        limit : int, optional
            At most this many; None for all.
        any_outcome : bool
            List the boxes of every outcome.
        visit : callable, optional
            Called with each region when it is found; returning False stops. Nothing is kept.
        **question
            As for `explain`.

        Returns
        -------
        Regions
            A list of `Region`, in no particular order; empty with `visit`. Its `complete` says
            whether these are all.
        """
        within = number(within, "within", 0)
        asked = Asked(self._whole, target, question)
        if any_outcome and (target is not None or asked.said(OUTCOME)):
            raise Error("any_outcome", "it cannot be combined with "
                        + (asked.said(OUTCOME) or ["target"])[0], "Give one of them")
        if limit is not None:
            limit = whole(limit, "limit", 1)
        point = self.columns.point(x)
        form = self.columns.form(x, point)
        query = asked.bare(point) if any_outcome else asked.at(point)
        found: list[Region] = []
        count = 0

        def take(region: _core.Region) -> bool:
            nonlocal count
            count += 1
            seen = Region.of(self, query, region, form)
            more = True
            if visit is None:
                found.append(seen)
            else:
                more = visit(seen) is not False
            return more and (limit is None or count < limit)

        stop = _core.visit_regions(self.core, query, within, take, asked.options())
        return Regions(found, stop.name, self, query)
