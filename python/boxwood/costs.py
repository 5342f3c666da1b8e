"""What a change costs: norms, and mixtures such as ``L1() + 0.1 * L0()``."""

from __future__ import annotations

from collections.abc import Callable

from boxwood.errors import Error

NORMS = ("l2", "l1", "l0", "linf")


class Cost:
    """A sum of norms, each with a factor.

    Parameters
    ----------
    parts : dict
        Factors by norm: "l2" (squared), "l1", "l0"; or "linf" alone.
    """

    def __init__(self, parts: dict[str, float]) -> None:
        self.parts = {norm: float(factor) for norm, factor in parts.items() if factor}
        if not self.parts or min(self.parts.values()) < 0:
            raise Error("cost", "a cost needs a norm with a positive factor",
                        "Use a norm such as L1()")
        if "linf" in self.parts and len(self.parts) > 1:
            raise Error("cost", "the largest change, Linf, cannot be part of a sum",
                        "Use Linf() alone, or mix L2, L1 and L0")

    def __add__(self, other: Cost) -> Cost:
        if not isinstance(other, Cost):
            return NotImplemented
        parts = dict(self.parts)
        for norm, factor in other.parts.items():
            parts[norm] = parts.get(norm, 0.0) + factor
        return Cost(parts)

    def __mul__(self, factor: float) -> Cost:
        return Cost({norm: factor * own for norm, own in self.parts.items()})

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cost) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(frozenset(self.parts.items()))

    def __repr__(self) -> str:
        names = {"l2": "L2()", "l1": "L1()", "l0": "L0()", "linf": "Linf()"}
        return " + ".join(names[norm] if factor == 1 else f"{factor:g} * {names[norm]}"
                          for norm, factor in self.parts.items())

    def text(self) -> str:
        """Write the cost as query text does.

        Returns
        -------
        str
            Such as ``"l1 + 0.1 l0"``.
        """
        if self.parts.get("linf", 1.0) != 1.0:
            raise Error("cost", "a multiple of Linf() ranks answers exactly as Linf() does",
                        "Use Linf(), or weights")
        return " + ".join(norm if factor == 1 else f"{factor!r} {norm}"
                          for norm, factor in self.parts.items())


def L2() -> Cost:
    """Return the weighted sum of squared changes; the distance is its square root.

    Returns
    -------
    Cost
        It can be added to other costs and multiplied by a number.
    """
    return Cost({"l2": 1.0})


def L1() -> Cost:
    """Return the weighted sum of absolute changes.

    Returns
    -------
    Cost
        It can be added to other costs and multiplied by a number.
    """
    return Cost({"l1": 1.0})


def L0() -> Cost:
    """Return the weighted number of changes.

    Returns
    -------
    Cost
        It can be added to other costs and multiplied by a number.
    """
    return Cost({"l0": 1.0})


def Linf() -> Cost:
    """Return the largest weighted change.

    Returns
    -------
    Cost
        It cannot be part of a sum.
    """
    return Cost({"linf": 1.0})


CostLike = str | Cost | Callable[[str, float, float], float]
