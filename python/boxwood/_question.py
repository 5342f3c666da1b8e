"""Turns keyword arguments into the core's query.

Every keyword about constraints and costs becomes a statement of query text (docs/query.md), so that
a keyword, an object and a text that say the same build the same query, and the core finds
contradictions between them. A question is built once; only what depends on the present row (ranges,
rules, `change`, the default target) is built again for each row.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from boxwood import _core
from boxwood._arguments import LARGEST, by_feature, ends, interval, is_list, number, truth, whole
from boxwood.costs import NORMS, Cost, CostLike
from boxwood.errors import Error
from boxwood.rules import Rule, RuleLike
from boxwood.schema import nearest
from boxwood.targets import Above, Class, Not, OneOf, Output, Target

if TYPE_CHECKING:
    from boxwood.explainer import Explainer


class Question(TypedDict, total=False):
    """The keyword arguments of a question; see `Explainer.explain`."""

    fixed: Iterable[str]
    only: Iterable[str] | None
    increase: Iterable[str]
    decrease: Iterable[str]
    ranges: Mapping[str, Any] | None
    rules: RuleLike | Iterable[RuleLike]
    weights: Mapping[str, float] | None
    cost: CostLike | None
    max_changes: int | None
    robust: float | Mapping[str, Any] | None
    agree: int | str | None
    live: int | None
    fewest_first: bool | None
    probability: float | None
    margin: float | None
    at_least: float | None
    at_most: float | None
    between: tuple[float, float] | None
    change: float | str | None
    output: int
    beat: Any
    requirements: Iterable[Any]
    examples: Any
    ties: int
    engine: str
    threads: int
    time_limit: float | None
    node_limit: int | None
    memory_limit: int | None
    progress: Callable[[_core.Progress], Any] | None


SEARCH = ("engine", "threads", "time_limit", "node_limit", "memory_limit", "progress")
OUTCOME = ("probability", "margin", "at_least", "at_most", "between", "change", "output", "beat",
           "requirements")


def quoted(name: Any) -> str:
    """Write a name or a label for query text.

    Returns the name in double quotes; quotes within it are doubled.
    """
    return '"' + str(name).replace('"', '""') + '"'


def digits(value: float) -> str:
    """Write a number for query text.

    Returns the shortest text that reads back as the same number.
    """
    return repr(float(value)).removesuffix(".0")


def _several(given: Any) -> list[Any]:
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def check_names(question: Mapping[str, Any]) -> None:
    """Refuse a question in a mapping that names what `explain` does not take."""
    for name in question:
        if name not in Question.__annotations__:
            raise Error("question", f'explain has no argument "{name}"',
                        nearest(str(name), list(Question.__annotations__)))


def said(question: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return those of some keywords of a question that have a value other than the default."""
    found = []
    for key in keys:
        value = question.get(key)
        if key == "beat" and value is not None:
            found.append(key)
            continue
        empty = isinstance(value, (tuple, list, dict, str)) and not value
        if value is not None and not empty and (key != "output" or value != 0):
            found.append(key)
    return found


class Asked:
    """A question, ready to be asked from any point.

    Parameters
    ----------
    explainer : Explainer
        The explainer.
    target : object
        As for `Explainer.explain`.
    question : Question
        Everything else.
    """

    def __init__(self, explainer: Explainer, target: Any, question: Question) -> None:
        unknown = set(question) - set(Question.__annotations__)
        if unknown:
            raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
        self.explainer = explainer
        self.question = question
        # Arguments may be iterators, and a batch uses them many times: read them once.
        self.texts: list[tuple[str, str, _core.Statements]] = []
        self.targets: list[Any] = []
        self.follows_row = False
        self._labelled = False
        self._probability, self._margin = (
            None if question.get(key) is None else number(question[key], key)
            for key in ("probability", "margin"))
        self._agree = self._number_of_models(question.get("agree"))
        self._live = whole(question["live"], "live", 1) if question.get("live") else 0
        self._read_target(target)
        self._requirements = self._checked(
            [made for place, one in enumerate(self.targets) for made in self._made_of(place, one)])
        self._read_constraints()
        self._read_cost()
        self._template: _core.Query | None = None
        self._options: _core.Options | None = None

    def _number_of_models(self, agree: int | str | None) -> int | None:
        if agree is None:
            return None
        count = len(self.explainer.core.deciding_models)
        if agree == "all":
            return count
        least = whole(agree, "agree", 1)
        if least > count:
            raise Error("agree", f"{least} models cannot agree: there are {count}",
                        "Give several models to the explainer, as a list or a mapping")
        return least

    def _made_of(self, place: int, target: Target) -> list[_core.Requirement]:
        """Make the requirement of a target; with `agree`, one of every model for the first."""
        made = target.requirement(self.explainer.models)
        if self._agree is None or place:
            return [made]
        if made.ensemble:
            raise Error("agree", "the target names a model", "Leave out the model, or agree")
        core = self.explainer.core
        return [_core.Requirement(self._same(target, model), model, made.negated, True)
                for model in core.deciding_models]

    def _same(self, target: Target, model: int) -> Any:
        # Each model has its own numbers for the same labels.
        inner = target.inner if isinstance(target, Not) else target
        if not isinstance(inner, Target):
            inner = Class(inner)
        return dataclasses.replace(inner, model=model).requirement(  # type: ignore[type-var]
            self.explainer.models).outcome

    def _add(self, text: str, place: str) -> None:
        self.texts.append((text, place, _core.Statements.rules))

    def _read_constraints(self) -> None:
        question, columns = self.question, self.explainer.columns
        listed = {key: self._places(key) for key in ("fixed", "only", "increase", "decrease")}
        for one, other in (("fixed", "only"), ("increase", "decrease")):
            for i in sorted(listed[one] & listed[other]):
                raise Error(one, f'"{columns.shown(i)}" is also named in {other}',
                            "Name it in one of them")
        if question.get("only") is not None and not listed["only"]:
            listed["fixed"] = set(range(len(columns)))  # an empty list: nothing may change
        for key, word in (("fixed", "fix"), ("only", "only")):
            if listed[key]:
                names = ", ".join(quoted(columns.names[i]) for i in sorted(listed[key]))
                self._add(f"{word} {names}", key)
        for key, verb in (("increase", "rise"), ("decrease", "fall")):
            for name in _several(question.get(key)):
                if any(name == group.title for group in columns.groups):
                    raise Error(key, f'"{name}" is categorical, so it cannot rise or fall',
                                "List the permitted categories in ranges=")
            for i in sorted(listed[key]):
                self._add(f"{quoted(columns.names[i])} may only {verb}", key)
        self._ranges: dict[int, _core.Interval] = {}
        for name, given in by_feature(question.get("ranges"), "ranges").items():
            self._read_range(name, given)
        if question.get("max_changes") is not None:
            most = whole(question["max_changes"], "max_changes", 0)
            self._add(f"at most {min(most, 10**9)} changes", "max_changes")
        self._read_robust(question.get("robust"))
        rules = _several(question.get("rules"))
        for rule in rules:
            if isinstance(rule, str) and not rule.strip():
                raise Error("rules", "the rule is empty", "Leave it out if there is no rule")
            if not isinstance(rule, (str, Rule, Not)):
                raise Error("rules", f"{rule!r} is not a rule",
                            'Write words such as "duration <= 24", or use If, AllOf, AnyOf or Not')
            self._add(str(rule), "rules")
        # Ranges and rules may compare with the row.
        self.follows_row = self.follows_row or bool(
            question.get("ranges") or rules or self.explainer.schema.rules)

    def _read_robust(self, given: Any) -> None:
        if given is None:
            return
        if not isinstance(given, Mapping):
            self._add(f"robust {digits(number(given, 'robust', 0, finite=True))}", "robust")
            return
        columns = self.explainer.columns
        for name, within in given.items():
            place = f'robust["{name}"]'
            groups = {group.title: group for group in columns.groups}
            if name in groups and name not in columns.places:
                self._read_categories(place, name, within, groups[name].labels, "robust")
                continue
            i = columns.index(name, "robust")
            if self.explainer.schema.features[i].kind != "categorical":
                size = digits(number(within, place, 0, finite=True))
                self._add(f"robust {quoted(columns.names[i])} {size}", "robust")
                continue
            if not is_list(within):
                raise Error(place, f"{within!r} is not a list of categories",
                            "Name the categories for which the outcome must hold too")
            values = [self._value(i, columns.codecs[i].named(one, place), place) for one in within]
            self._add(f"robust {quoted(columns.names[i])} in {{{', '.join(values)}}}", "robust")

    def _read_cost(self) -> None:
        question, columns = self.question, self.explainer.columns
        titles = [group.title for group in columns.groups]
        for name, given in by_feature(question.get("weights"), "weights").items():
            weight = number(given, f'weights["{name}"]')
            if not 1e-30 <= weight <= 1e30:
                raise Error(f'weights["{name}"]', f"{given!r} is not a number from 1e-30 to 1e30",
                            "To forbid a change, use fixed=")
            known = name if name in titles else columns.names[columns.index(name, "weights")]
            self._add(f"weight {quoted(known)} {digits(weight)}", "weights")
        cost = question.get("cost")
        if isinstance(cost, Cost):
            self._add(f"cost {cost.text()}", "cost")
        elif isinstance(cost, str):
            self._add(f"cost {cost.lower() if cost.lower() in NORMS else cost}", "cost")
        elif cost is not None and not callable(cost):
            raise Error("cost", f"{cost!r} is not a cost",
                        'Give "l2", "l1", "l0", "linf", a Cost or a function')
        fewest = question.get("fewest_first")
        if fewest is not None:
            first = "fewest changes" if truth(fewest, "fewest_first") else "lowest cost"
            self._add(f"{first} first", "fewest_first")

    def _places(self, key: str) -> set[int]:
        given: Any = self.question.get(key)
        return {i for name in _several(given) for i in self.explainer.columns.places_of(name, key)}

    def said(self, keys: Iterable[str]) -> list[str]:
        """Return those of some keywords that were given with a value other than the default."""
        return said(self.question, keys)  # type: ignore[arg-type]

    def _read_target(self, target: Any) -> None:
        question = self.question
        wanted: dict[str, Any] = {key: question.get(key)
                                  for key in ("at_least", "at_most", "between", "change")}
        given = [key for key, value in wanted.items() if value is not None]
        for both in ("between", "change"):
            others = [key for key in given if key != both]
            if both in given and others:
                raise Error(both, f"it cannot be combined with {others[0]}", "Give one of them")
        if given and target is not None:
            raise Error("target", f"it cannot be combined with {given[0]}", "Give one of them")
        beat = question.get("beat")
        if beat is not None and (given or target is not None):
            raise Error("beat", f"it cannot be combined with {(given or ['target'])[0]}",
                        "Give one of them")
        if not given and beat is None and self.said(["output"]):
            raise Error("output", "it needs at_least, at_most, between, change or beat",
                        "Give one of them, or write Output(…, output=…) as the target")
        if wanted["change"] is not None:
            self._read_change(wanted["change"])
        elif given:
            low, high = wanted["at_least"], wanted["at_most"]
            if wanted["between"] is not None:
                low, high = interval(wanted["between"], "between")
            self.targets.append(Output(at_least=low, at_most=high,
                                       output=question.get("output", 0)))
        elif target is not None:
            self._read_outcome(target)
        elif beat is not None:
            point = self.explainer.columns.point(beat, "beat")
            self.targets.append(Above(point, question.get("output", 0)))
        for one in _several(question.get("requirements")):
            self._read_outcome(one)
        asks = bool(self.targets or self.texts)
        if asks and not self._labelled:
            for key in self.said(["probability", "margin"]):
                raise Error(key, "it needs a target that is the label of a class",
                            f"Write Class(label, {key}=…) as the target, "
                            "or write the whole target in words")
        # Texts may compare with the row's output: "want output >= +5%".
        self.follows_row = not asks or bool(self.texts)

    def _checked(self, requirements: list[_core.Requirement]) -> list[_core.Requirement]:
        """Check the wanted outcome; errors name the argument that it comes from."""
        core = self.explainer.core
        query = core.query(np.zeros(len(self.explainer.columns)))
        query.requirements = requirements
        query.agree = self._agree if any(one.counted for one in requirements) else None
        try:
            core.validate(query)
        except Error as error:
            if not error.place.startswith("wanted outcome"):
                return requirements  # about the row of zeros, which is not the user's
            given = self.said(("probability", "margin", "at_least", "at_most", "between", "output"))
            named = [key for key in given if key in error.reason] or [
                key for key in given if key in ("at_least", "at_most", "between")]
            further = error.place not in ("wanted outcome", "wanted outcome 1")
            place = named[0] if named else "requirements" if further else "target"
            raise Error(place, error.reason, error.remedy) from None
        return requirements

    def _read_outcome(self, target: Any) -> None:
        words = ("want ", "model ", "every model", "at least ")
        label = isinstance(target, str) and target in self.explainer._labels(0)
        if isinstance(target, str) and target.lstrip().startswith(words) and not label:
            if self._agree is not None and not self.texts and target.lstrip()[:5] == "want ":
                target = f"at least {self._agree} models: {target.lstrip()}"
            self.texts.append((target, "target", _core.Statements.wants))
        elif isinstance(target, (list, tuple, set, frozenset)):
            if not target:
                raise Error("target", "the list is empty",
                            "Give the accepted labels, or leave it out for any other class")
            kinds = {isinstance(one, Target) for one in target}
            if len(kinds) == 2:
                raise Error("target", "the list mixes targets and labels",
                            "Give only labels, or write Class(label) for each label")
            if kinds == {True}:
                self.targets.extend(target)
            else:
                self.targets.append(OneOf(tuple(target)))
        elif isinstance(target, Target):
            self.targets.append(target)
        else:
            self._labelled = True
            self.targets.append(Class(target, self._probability, self._margin))

    def _read_change(self, change: float | str) -> None:
        output = whole(self.question.get("output", 0), "output", 0)
        which = f" {output}" if self.explainer.core.ensemble(0).output_count > 1 else ""
        if isinstance(change, str):
            text = change.strip()
            if text[:1] not in ("+", "-"):
                raise Error("change", f"{change!r} has no sign", 'Write "+5%" or "-200"')
            if not text.endswith("%"):
                text = f"now {text[0]} {text[1:].strip()}"
            sign = ">=" if change.strip().startswith("+") else "<="
        else:
            step = number(change, "change")
            sign = ">=" if step > 0 else "<="
            text = f"now {'+' if step > 0 else '-'} {abs(step)!r}"
        several = f"at least {self._agree} models: " if self._agree is not None else ""
        self.texts.append((f"{several}want output{which} {sign} {text}", "change",
                           _core.Statements.wants))

    def at(self, point: np.ndarray) -> _core.Query:
        """Make the query at a point."""
        if not self.follows_row:
            if self._template is None:
                self._template = self._made(point)
            return self._template.at(point)
        return self._made(point)

    def _made(self, point: np.ndarray) -> _core.Query:
        query = self.bare(point)
        if not query.requirements:
            query.requirements = self._defaults(point)
            query.agree = self._agree
        if self._live:
            query.set_live(self._live, self.explainer.live_rows)
        normal = self.explainer.normal
        if normal is not None:
            query.requirements = [*query.requirements, normal]
        return query

    def bare(self, point: np.ndarray) -> _core.Query:
        """Make the query at a point without the default target; it may have no requirement."""
        core = self.explainer.core
        numeric = self.said(("at_least", "at_most", "between", "change"))
        if numeric and core.ensemble(0).class_count:
            raise Error(numeric[0], "the model predicts a class, not a number",
                        "Give target= and probability=, or Output(…) for one of its outputs")
        query = core.query(point)
        for i, given in self._ranges.items():
            # An end in the question replaces the end of the schema or the data: widen the range
            # here if necessary; the text below narrows it. An end that is not given stays.
            rule = query.feature(i)
            known = rule.range
            if given.upper < known.lower or given.lower > known.upper:
                self._refuse_beyond(i, given, known)
            rule.range = _core.Interval(
                min(known.lower, given.lower) if math.isfinite(given.lower) else known.lower,
                max(known.upper, given.upper) if math.isfinite(given.upper) else known.upper)
        refusals = self.explainer.columns.refusals
        for i, (low, high, _) in (refusals.domains if refusals is not None else {}).items():
            # Rules that why-not cannot lift.
            rule = query.feature(i)
            rule.domain = _core.Interval(low, high)
            rule.range = _core.Interval(max(low, rule.range.lower), min(high, rule.range.upper))
        cost = self.question.get("cost")
        if callable(cost):
            names = self.explainer.columns.called
            query.norm = _core.Norm.custom
            query.term = lambda i, before, after: _priced(cost, names[i], before, after)
        query.requirements = self._requirements
        query.agree = self._agree if self._requirements else None
        if self.texts or self.explainer.schema.rules:
            core.add_text(query, self.texts)
            self._refuse_missing(query)
        return query

    def _refuse_beyond(self, i: int, given: _core.Interval, known: _core.Interval) -> None:
        """Refuse a range with one end that lies beyond the limit of the end that is left open."""
        columns = self.explainer.columns
        below = given.upper < known.lower
        if math.isfinite(given.lower if below else given.upper):
            return  # both ends are given
        end, limit = (given.upper, known.lower) if below else (given.lower, known.upper)
        word, side = ("highest", "lowest") if below else ("lowest", "highest")
        raise Error(f'ranges["{columns.shown(i)}"]',
                    f"its {word} value {columns.decode(i, end)} is {'below' if below else 'above'} "
                    f"{columns.decode(i, limit)}, the {side} value that the schema or the data "
                    "permits", "Give both ends")

    def _refuse_missing(self, query: _core.Query) -> None:
        texts = [text for text, _, _ in self.texts] + self.explainer.schema.rules
        refusals = self.explainer.columns.refusals
        if refusals is not None and any("missing" in text for text in texts):
            for i in range(len(query)):
                if query.feature(i).missing_allowed:
                    refusals.refuse([i], "rules")

    def _read_range(self, name: Any, given: Any) -> None:
        columns = self.explainer.columns
        place = f'ranges["{name}"]'
        groups = {group.title: group for group in columns.groups}
        if name in groups and name not in columns.places:
            self._read_categories(place, name, given, groups[name].labels)
            return
        i = columns.index(name, "ranges")
        called = columns.names[i]
        kind = self.explainer.schema.features[i].kind
        if isinstance(given, (set, frozenset)) or kind == "categorical":
            if not is_list(given):
                raise Error(place, f"{given!r} is not a list of categories",
                            "Write the permitted ones, such as ['car', 'radio/tv']")
            values = [self._value(i, columns.codecs[i].named(one, place), place) for one in given]
            self._read_categories(place, called, values)
            return
        if isinstance(given, _core.Interval):
            made = given
        else:
            low, high = ends(given, place, "keeps the limit of the schema or the data")
            made = _core.Interval(-math.inf if low is None else columns.encode(i, low, "ranges"),
                                  math.inf if high is None else columns.encode(i, high, "ranges"))
        if math.isnan(made.lower) or math.isnan(made.upper):
            raise Error(place, "an end is missing (NaN)",
                        "Write None to keep the limit of the schema or the data")
        if made.empty:
            raise Error(place, "the lowest value is greater than the highest",
                        "Give the smaller end first")
        if math.isfinite(made.lower) or math.isfinite(made.upper):
            self._ranges[i] = made
        if math.isfinite(made.lower) and math.isfinite(made.upper):
            low, high = (self._value(i, end, place) for end in (made.lower, made.upper))
            self._add(f"{quoted(called)} in {'[' if made.lower_closed else '('}{low}..{high}"
                      f"{']' if made.upper_closed else ')'}", "ranges")
            return
        for end, sign in ((made.lower, ">=" if made.lower_closed else ">"),
                          (made.upper, "<=" if made.upper_closed else "<")):
            if math.isfinite(end):
                self._add(f"{quoted(called)} {sign} {self._value(i, end, place)}", "ranges")

    def _read_categories(self, place: str, called: str, given: Any,
                         labels: list[str] | None = None, kind: str = "ranges") -> None:
        if not is_list(given):
            raise Error(place, f"{given!r} is not a list of categories",
                        "Write them as a list, such as ['car', 'radio/tv']")
        for one in given:
            if labels is not None and str(one) not in labels:
                raise Error(place, f"no category {one!r}", nearest(str(one), labels))
        values = [one if labels is None else quoted(one) for one in given]
        if not values:
            raise Error(place, "the list is empty", "Name at least one category")
        word = "robust " if kind == "robust" else ""
        self._add(f"{word}{quoted(called)} in {{{', '.join(values)}}}", kind)

    def _value(self, i: int, code: float, place: str) -> str:
        # A label where there is one: query text reads a number that is a label as the label.
        if math.isnan(code):
            raise Error(place, "it contains a missing value (NaN)", "Name the permitted categories")
        labels = self.explainer.schema.features[i].labels
        if labels and code.is_integer() and 0 <= code < len(labels):
            return quoted(labels[int(code)])
        return digits(code)

    def _defaults(self, point: np.ndarray) -> list[_core.Requirement]:
        made = self._default(point)
        if self._agree is None:
            return [made]
        core = self.explainer.core
        if core.ensemble(0).class_count != 2:
            raise Error("target", "agree needs a wanted class, and the model has more than two",
                        "Give target=")
        return [_core.Requirement(made.outcome, model, made.negated, True)
                for model in core.deciding_models]

    def _default(self, point: np.ndarray) -> _core.Requirement:
        if self.explainer.core.ensemble(0).class_count == 0:
            raise Error("target", "the model predicts a number, and no wanted number is given",
                        "Give at_least=, at_most=, between= or change=")
        made = _core.other_outcome(self.explainer.core, point)
        if self._probability is None and self._margin is None:
            return made
        if self.explainer.core.ensemble(0).class_count > 2:
            raise Error("target",
                        "the model has more than two classes, and no wanted class is given",
                        "Give target=")
        now = int(self.explainer.core.classes(point[np.newaxis])[0, 0])
        return self._checked(
            [_core.Requirement(_core.ClassIs(1 - now, self._probability, self._margin))])[0]

    def options(self) -> _core.Options:
        """Return the options of the search, which nobody changes."""
        if self._options is None:
            self._options = self._made_options()
        return self._options

    def _made_options(self) -> _core.Options:
        question = self.question
        options = _core.Options()
        engine = question.get("engine", "fast")
        if engine not in ("fast", "paper"):
            raise Error("engine", f"unknown engine {engine!r}", 'Give "fast" or "paper"')
        options.engine = getattr(_core.Engine, engine)
        options.threads = whole(question.get("threads", 0), "threads", 0, 2**31 - 1)
        options.ties = whole(question.get("ties", 16), "ties", 1)
        if question.get("time_limit") is not None:
            options.seconds = number(question["time_limit"], "time_limit", 0)
        if question.get("node_limit") is not None:
            options.nodes = whole(question["node_limit"], "node_limit", 0)
        if question.get("memory_limit") is not None:
            options.bytes = whole(question["memory_limit"], "memory_limit", 1, LARGEST >> 20) << 20
        progress = question.get("progress")
        if progress is not None and not callable(progress):
            raise Error("progress", f"{progress!r} is not a function",
                        "Give a function that takes a Progress")
        options.progress = progress
        if question.get("examples") is not None:
            points = self.explainer.columns.points(question["examples"], "examples")
            options.examples = points.tolist()
        return options


def _priced(cost: Callable[[str, float, float], float], name: str, before: float,
            after: float) -> float:
    price = number(cost(name, before, after), f'cost of "{name}"', bools=True)
    if not price >= 0:
        raise Error("cost", f'the function gives {price} for "{name}" from {before} to {after}',
                    "Give 0 for no change and more the farther a value moves, never less than 0")
    return price


def levels_of(levels: Sequence[float]) -> list[float]:
    """Check the levels of a sweep."""
    if not is_list(levels):
        raise Error("levels", f"{levels!r} is not a list of numbers",
                    "Give numbers in a list: [0.5, 0.7, 0.9]")
    found = [number(level, "levels") for level in levels]
    if not found:
        raise Error("levels", "the list is empty", "Give numbers in a list: [0.5, 0.7, 0.9]")
    return found
