"""Letters about a decision: its principal reasons, and what would have changed it.

docs/letters.md defines the reasons and says what is and what is not established by law. Boxwood
fills in a template; the sender is responsible for the letter.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._arguments import whole
from boxwood._letter_templates import TEMPLATES
from boxwood._tables import missing
from boxwood._text import HIDDEN
from boxwood.errors import Error, library

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from boxwood._question import Question
    from boxwood.explainer import Explainer

_FREE = {"fixed": False, "direction": None, "least_change": None, "most_change": None}


@dataclass(frozen=True)
class Reason:
    """One principal reason: a feature whose value alone counts against the wanted outcome.

    Parameters
    ----------
    feature : str
        The model's column, or the title of a one-hot group.
    title : str
        What people call it.
    value : str
        Its present value, in words.
    gain : float
        By how much the probability of the wanted class rises at most, over all values of this
        feature, all others as they are. Exact.
    better : str
        The value with which it rises most, in words.
    decides : bool
        Whether some value of this feature alone leads to the wanted outcome. Exact.
    """

    feature: str
    title: str
    value: str
    gain: float
    better: str
    decides: bool


def principal_reasons(explainer: Explainer, row: Any, target: Any, *, most: int = 4
                      ) -> list[Reason]:
    """Find the features that count most against the wanted class, by changing one at a time.

    For each feature, or one-hot group, all values are tried that the schema's ranges allow: one for
    each piece that the model tells apart, which makes it exact. Rules about who may change what
    (fixed features, directions, sizes of changes) do not count here, because a reason need not be
    changeable.

    Parameters
    ----------
    explainer : Explainer
        Of a classifier.
    row : Series, mapping, one-row table or 1-D array
        The row.
    target : object
        The label of the wanted class.
    most : int
        At most this many reasons.

    Returns
    -------
    list of Reason
        Those with the greatest gain first; features without a gain are no reasons.
    """
    ensemble = explainer.core.ensemble(0)
    labels = [str(label) for label in explainer._labels(0)]
    if not ensemble.class_count:
        raise Error("target", "the model predicts a number", "Principal reasons need a classifier")
    if str(target) not in labels:
        raise Error("target", f"no class {target!r}", f"There are: {', '.join(labels[:10])}")
    wanted = labels.index(str(target))
    free = _unrestricted(explainer)
    columns, point = free.columns, free.columns.point(row, "row")
    now = float(free.core.probabilities(point[np.newaxis])[0, wanted])
    query = free.core.query(point)
    query.requirements = [_core.Requirement(_core.ClassIs(wanted))]
    options = _core.Options()
    options.threads = 1
    reasons = []
    for places in _variables(free):
        alone = _core.holding(query, places, True)
        best = _core.find_best(free.core, alone, np.inf, False, options).best
        if best.answer.count == 0 or best.value <= now:
            continue
        title = columns.shown(places[0])
        better = np.array(best.answer.solution(0).point)
        decides = _core.explain(free.core, alone, options).count > 0
        group = columns.group_of(places[0])
        name = columns.names[places[0]] if group is None else title
        reasons.append(Reason(name, title, _words(free, point, places), best.value - now,
                              _words(free, better, places), decides))
    reasons.sort(key=lambda one: (-one.gain, one.title))
    return reasons[:whole(most, "most", 1)]


def letter(explainer: Explainer, row: Any, target: Any, *, html: bool = False,
           template: str | None = None, details: Mapping[str, Any] | None = None, reasons: int = 4,
           alternatives: int = 2, **question: Unpack[Question]) -> str:
    """Write a letter: principal reasons, and separately what would have changed the decision.

    Parameters
    ----------
    explainer : Explainer
        Of a classifier.
    row : Series, mapping, one-row table or 1-D array
        The row.
    target : object
        The label of the wanted class.
    html : bool
        An HTML page in place of plain text. All values are escaped, unless a template of your own
        says ``|safe``.
    template : str, optional
        A Jinja2 template; the example letter by default. docs/letters.md lists what it can use.
    details : mapping, optional
        What the template needs besides: names, addresses, a reference, a date.
    reasons, alternatives : int
        At most this many.
    **question
        As for `Explainer.explain`: which changes count as possible.

    Returns
    -------
    str
        The letter.
    """
    told = facts(explainer, row, target, reasons=reasons, alternatives=alternatives, **question)
    if template is None and told["outcome"] == told["wanted"]:
        raise Error("row", f'the model gives "{told["wanted"]}" already, not as surely as asked',
                    "Give a template= of your own: the example letter names the model's class")
    return render(told, html=html, template=template, details=details)


def facts(explainer: Explainer, row: Any, target: Any, *, reasons: int = 4, alternatives: int = 2,
          **question: Unpack[Question]) -> dict[str, Any]:
    """Collect what a letter says.

    Parameters
    ----------
    explainer, row, target
        As for `letter`.
    reasons, alternatives : int
        At most this many.
    **question
        As for `Explainer.explain`.

    Returns
    -------
    dict
        What templates can use, docs/letters.md.
    """
    reasons, alternatives = (whole(value, name, 1) for name, value in
                             (("reasons", reasons), ("alternatives", alternatives)))
    answer = explainer.explain(row, target, **question)  # type: ignore[misc]
    if answer.already_met:
        raise Error("row", "it has the wanted outcome already", "There is no refusal to explain")
    menu: Any = explainer.menu(row, alternatives, target, **question) if answer.found else []
    return {
        "outcome": str(answer.outcome_before), "wanted": str(target),
        "reasons": [asdict(one) for one in
                    principal_reasons(explainer, row, target, most=reasons)],
        "alternatives": [{
            "changes": [{"title": change.title, "now": change.now, "change_to": change.change_to,
                         "anything_in": change.anything_in} for change in one.changes],
            "claim": str(one.claim), "proven": one.proven} for one in menu],
        "status": answer.status, "claim": str(answer.claim),
        "none_exists": answer.status == "infeasible",
        "record": answer.record(question=False)}


def render(told: Mapping[str, Any], *, html: bool = False, template: str | None = None,
           details: Mapping[str, Any] | None = None) -> str:
    """Fill a template in.

    Parameters
    ----------
    told : mapping
        What `facts` returned.
    html : bool
        Escape all values for HTML, unless the template says ``|safe``.
    template : str, optional
        A Jinja2 template; the example letter by default.
    details : mapping, optional
        What else the template needs.

    Returns
    -------
    str
        The letter. A name that the template needs and nobody gave is an error.
    """
    jinja, sandbox = library("jinja2"), library("jinja2.sandbox")
    if not isinstance(details or {}, Mapping):
        raise Error("details", f"it is of type {type(details).__name__}",
                    'Give names and values: {"sender": "Example Bank"}')
    # What is missing is as if it were not given: no letter goes to "None".
    given = {name: value for name, value in (details or {}).items() if not missing(value)}
    if not isinstance(template, (str, type(None))):
        raise Error("template", f"it is of type {type(template).__name__}",
                    "Give the text of the template")
    for name in given:
        if name in told:
            raise Error("details", f'"{name}" is a name of the letter\'s own', "Rename it")

    def plain(value: Any) -> Any:
        # A line break in a name must not begin a paragraph of its own.
        return HIDDEN.sub(" ", value) if type(value) is str else value

    environment = sandbox.SandboxedEnvironment(
        autoescape=html, undefined=jinja.StrictUndefined, finalize=plain, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True)
    text = TEMPLATES["html" if html else "text"] if template is None else template
    try:
        return str(environment.from_string(text).render(**told, **given))
    except jinja.TemplateSyntaxError as error:
        raise Error(f"template, line {error.lineno}", _sentence(error), "Mend it") from None
    except jinja.UndefinedError as error:
        said = _sentence(error)
        raise Error("template", said, "Give it in details=" if said.endswith("is undefined")
                    else "Mend it: docs/letters.md lists what there is") from None
    except sandbox.SecurityError as error:
        raise Error("template", _sentence(error), "Templates see the facts of the letter only"
                    ) from None
    except Exception as error:  # expressions of the template may raise anything
        raise Error("template", f"it fails: {_sentence(error)}", "Mend it") from error


def _sentence(error: Exception) -> str:
    # Errors of Jinja2 end with a full stop, those of Boxwood get one.
    return (str(error.args[0] if error.args else "") or type(error).__name__).rstrip(".")


def _unrestricted(explainer: Explainer) -> Explainer:
    # The same model, in which every feature may take any value of its range.
    free = copy.copy(explainer)
    free.__dict__.pop("hashes", None)
    schema = copy.deepcopy(explainer.schema)
    schema.rules = []
    for feature in schema:
        for name, value in _FREE.items():
            setattr(feature, name, value)
    free.schema = schema
    free._compile([explainer.core.ensemble(i) for i in range(len(explainer.core))])
    return free


def _variables(explainer: Explainer) -> list[list[int]]:
    seen: dict[int, list[int]] = {}
    for i in range(len(explainer.columns)):
        group = explainer.columns.group_of(i)
        places = [i] if group is None else list(group.places)
        seen.setdefault(places[0], places)
    return list(seen.values())


def _words(explainer: Explainer, point: np.ndarray, places: list[int]) -> str:
    group = explainer.columns.group_of(places[0])
    if group is None:
        return str(explainer.core.value_text(places[0], point[places[0]]))
    hot = [label for label, i in zip(group.labels, group.places, strict=False) if point[i] == 1]
    return hot[0] if hot else str(group.labels[-1])
