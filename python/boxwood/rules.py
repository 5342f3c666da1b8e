"""Rules about features as objects. Each writes a statement of query text (docs/query.md).

    boxwood.If("employment changes", "age does not fall")
    boxwood.Not("duration > 24")                              # of boxwood.targets

Every argument that takes a rule also takes its text.
"""

from __future__ import annotations

from boxwood.errors import Error
from boxwood.targets import Not


class Rule:
    """A rule or a condition in words.

    Parameters
    ----------
    text : str
        Such as ``"duration <= 24"`` or ``"credit_amount may only fall"``.
    """

    def __init__(self, text: str) -> None:
        self.text = str(text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Rule({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


RuleLike = str | Rule | Not


def _condition(rule: RuleLike) -> str:
    # A rule inside another one must be a condition; "if a then b" is a statement of its own.
    if isinstance(rule, Not):
        if isinstance(rule.inner, (str, Rule, Not)):
            return f"not ({_condition(rule.inner)})"
        raise Error("rules", f"{rule!r} is a target, not a rule", "Give it as the target")
    if isinstance(rule, If):
        return f"not ({_condition(rule.condition)}) or ({_condition(rule.then)})"
    text = str(rule)
    if text.split()[:1] == ["if"] and " then " in text:
        raise Error("rules", f"{text!r} cannot be part of another rule",
                    "Write it as If(condition, then)")
    return text


def _shown(kind: str, parts: tuple[RuleLike, ...]) -> str:
    return f"{kind}({', '.join(repr(part) for part in parts)})"


class If(Rule):
    """If the first condition holds in the answer, the second must hold too.

    Parameters
    ----------
    condition : str or Rule
        Such as ``"employment changes"``.
    then : str or Rule
        Such as ``"age does not fall"``.
    """

    def __init__(self, condition: RuleLike, then: RuleLike) -> None:
        super().__init__(f"if {_condition(condition)} then {_condition(then)}")
        self.condition = condition
        self.then = then

    def __repr__(self) -> str:
        return _shown("If", (self.condition, self.then))


class _Joined(Rule):
    word = ""

    def __init__(self, *conditions: RuleLike) -> None:
        if not conditions:
            raise Error("rules", f"{type(self).__name__}() has no condition", "Give at least one")
        parts = [f"({_condition(one)})" for one in conditions]
        super().__init__("(" + f" {self.word} ".join(parts) + ")")
        self.conditions = conditions

    def __repr__(self) -> str:
        return _shown(type(self).__name__, self.conditions)


class AllOf(_Joined):
    """All of these conditions hold.

    Parameters
    ----------
    *conditions : str or Rule
        Conditions.
    """

    word = "and"


class AnyOf(_Joined):
    """At least one of these conditions holds.

    Parameters
    ----------
    *conditions : str or Rule
        Conditions.
    """

    word = "or"
