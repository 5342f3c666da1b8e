"""Sums of features for linear rules. A comparison of sums is a rule, and writes query text.

``explainer.explain(row, rules=[feature("debt") <= 0.4 * feature("income")])``
"""

from __future__ import annotations

import math
import numbers
import re
from typing import Any

from boxwood.errors import Error
from boxwood.rules import Rule


def feature(name: str) -> Sum:
    """Return a feature's value as a sum of one term, to write linear rules with.

    Parameters
    ----------
    name : str
        The name or the title of a feature.

    Returns
    -------
    Sum
        It can be added, subtracted, multiplied and divided by numbers, and compared.
    """
    return Sum(((_quoted(name), 1),))


def change(name: str) -> Sum:
    """Return how far a feature moves from its present value, in either direction.

    Parameters
    ----------
    name : str
        The name or the title of a feature.

    Returns
    -------
    Sum
        A sum of one term.
    """
    return Sum(((f"change({_quoted(name)})", 1),))


def category(name: str, label: object) -> Sum:
    """Return a term that is 1 if a categorical feature has this label, otherwise 0.

    Parameters
    ----------
    name : str
        The name or the title of a categorical feature or a one-hot group.
    label : object
        One of its labels.

    Returns
    -------
    Sum
        A sum of one term.
    """
    return Sum(((f"({_quoted(name)} = {_quoted(label)})", 1),))


# Words of the language that a feature's name could be taken for.
_WORDS = frozenset("""
    and at by change changes cost does fewest first fix if in integer is least lowest may missing
    model most not now of only or scale step stays then want weight
""".split())


def _quoted(name: object) -> str:
    text = str(name)
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) and text not in _WORDS:
        return text
    return '"' + text.replace('"', '""') + '"'


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise Error("rules", f"{value!r} is not a finite number", "Give a finite coefficient")
    whole = int(value)
    return str(whole) if whole == value else repr(float(value))


class Sum:
    """A sum of features with coefficients. Make one with `feature`, `change` or `category`.

    Parameters
    ----------
    terms : tuple of (str, float)
        What is added, as query text, and its coefficient.
    constant : float
        A number that is added.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, terms: tuple[tuple[str, float], ...] = (), constant: float = 0) -> None:
        self.terms = terms
        self.constant = constant

    def __str__(self) -> str:
        text = ""
        for name, factor in self.terms:
            sign = "-" if factor < 0 else "+"
            size = abs(factor)
            if text:
                text += f" {sign} "
            elif sign == "-":
                text = "-"
            text += name if size == 1 else f"{_number(size)} * {name}"
        if self.constant or not text:
            sign = "-" if self.constant < 0 else "+"
            text = (f"{text} {sign} {_number(abs(self.constant))}" if text
                    else _number(self.constant))
        return text

    def __repr__(self) -> str:
        return str(self)

    def __add__(self, other: Any) -> Sum:
        if isinstance(other, numbers.Real):
            return Sum(self.terms, self.constant + float(other))
        if isinstance(other, Sum):
            return Sum(self.terms + other.terms, self.constant + other.constant)
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Sum:
        if not isinstance(factor, numbers.Real):
            return NotImplemented
        times = float(factor)
        return Sum(tuple((name, have * times) for name, have in self.terms), self.constant * times)

    __rmul__ = __mul__

    def __neg__(self) -> Sum:
        return self * -1

    def __sub__(self, other: Any) -> Sum:
        return self + other * -1 if isinstance(other, (Sum, numbers.Real)) else NotImplemented

    def __rsub__(self, other: Any) -> Sum:
        return -self + other

    def __truediv__(self, divisor: Any) -> Any:
        """Divide by a number, or by a sum whose sign is known from the features' ranges."""
        if isinstance(divisor, Sum):
            return Quotient(self, divisor)
        if not isinstance(divisor, numbers.Real) or divisor == 0:
            raise Error("rules", f"a sum cannot be divided by {divisor!r}", "Divide by a number")
        return Quotient(self, divisor)

    def _compared(self, sign: str, other: Any) -> Rule:
        if not isinstance(other, (Sum, Quotient, numbers.Real)):
            return NotImplemented
        right = other if isinstance(other, (Sum, Quotient)) else _number(float(other))
        return Comparison(f"{self} {sign} {right}")

    def __le__(self, other: Any) -> Rule:
        return self._compared("<=", other)

    def __ge__(self, other: Any) -> Rule:
        return self._compared(">=", other)

    def __lt__(self, other: Any) -> Rule:
        return self._compared("<", other)

    def __gt__(self, other: Any) -> Rule:
        return self._compared(">", other)

    def __eq__(self, other: object) -> Rule:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: object) -> Rule:  # type: ignore[override]
        """Make the rule that they differ."""
        return self._compared("!=", other)


class Quotient(Sum):
    """A sum divided by a number or by another sum.

    Parameters
    ----------
    top : Sum
        What is divided.
    bottom : Sum or float
        What it is divided by.
    """

    def __init__(self, top: Sum, bottom: Any) -> None:
        shown = _number(float(bottom)) if isinstance(bottom, numbers.Real) else _operand(bottom)
        super().__init__(((f"{_operand(top)} / {shown}", 1),))


def _operand(given: Sum) -> str:
    single = len(given.terms) == 1 and given.terms[0][1] == 1 and not given.constant
    return str(given) if single and not isinstance(given, Quotient) else f"({given})"


class Comparison(Rule):
    """A rule that compares sums.

    Parameters
    ----------
    text : str
        The rule as query text.
    """

    def __bool__(self) -> bool:
        """Refuse to be a truth value: `a <= b <= c` would keep the second comparison only."""
        raise Error("rules", f"{self.text!r} is a rule, neither true nor false",
                    "Write a <= b <= c as two rules")
