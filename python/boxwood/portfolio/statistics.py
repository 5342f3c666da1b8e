"""The numbers of a portfolio's report: shares, costs, plans and the differences between groups.

Intervals are at 95 %: Wilson's for shares, the percentile bootstrap with a fixed seed for medians,
and Newcombe's for differences of two shares.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Z = 1.959963984540054  # of 95 %
DRAWS = 1000
# The smallest and the largest of n values enclose the median with a probability of 1 - 2^(1 - n),
# and a bootstrap never leaves them: fewer than 6 values have no interval at 95 %.
FEWEST = 6
FOUND = ("optimal", "feasible")


def wilson(count: int, total: int) -> tuple[float, float]:
    """Give Wilson's interval of a share.

    Parameters
    ----------
    count, total : int
        How many of how many.

    Returns
    -------
    tuple of float
        Both ends; 0 and 1 where there is nothing.
    """
    if total == 0:
        return 0.0, 1.0
    share = count / total
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    half = Z / (1 + Z * Z / total) * math.sqrt(
        share * (1 - share) / total + Z * Z / (4 * total * total))
    return (0.0 if count == 0 else middle - half), (1.0 if count == total else middle + half)


def newcombe(a: tuple[int, int], b: tuple[int, int]) -> tuple[float, float]:
    """Give Newcombe's interval of the difference of two shares, the first minus the second.

    Parameters
    ----------
    a, b : tuple of int
        How many of how many.

    Returns
    -------
    tuple of float
        Both ends.
    """
    if not a[1] or not b[1]:
        return -1.0, 1.0
    first, second = a[0] / a[1], b[0] / b[1]
    (low1, high1), (low2, high2) = wilson(*a), wilson(*b)
    difference = first - second
    return (difference - math.hypot(first - low1, high2 - second),
            difference + math.hypot(high1 - first, second - low2))


def medians(values: np.ndarray, seed: int = 1) -> np.ndarray:
    """Draw the medians of bootstrap samples.

    The samples themselves are not drawn: the k-th smallest of n uniform numbers has the
    distribution Beta(k, n + 1 - k), and says which of the sorted values is the k-th smallest of a
    sample. The time does not depend on n.

    Parameters
    ----------
    values : ndarray
        At least one number.
    seed : int
        The same seed gives the same draws.

    Returns
    -------
    ndarray
        A median for each of 1,000 samples.
    """
    random = np.random.default_rng(seed)
    ordered, count = np.sort(values), len(values)
    lower = (count + 1) // 2  # of an odd number the middle one, of an even number the first of two
    place = random.beta(lower, count + 1 - lower, DRAWS)
    drawn = ordered[_places(place, count)]
    if count % 2:
        return drawn
    # The next one is the smallest of the numbers that are left, all of them above.
    rest = count - lower
    place += (1 - place) * -np.expm1(np.log1p(-random.random(DRAWS)) / rest)
    return (drawn + ordered[_places(place, count)]) / 2


def _places(uniform: np.ndarray, count: int) -> np.ndarray:
    return np.minimum((uniform * count).astype(np.int64), count - 1)


def ends(draws: np.ndarray) -> tuple[float, float]:
    """Give the 95 % percentile interval of draws."""
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(low), float(high)


@dataclass
class Group:
    """What is said of some rows: how many can, and what it costs them.

    Parameters
    ----------
    name : str
        Who they are.
    rows : int
        Rows with the unwanted outcome: neither errors nor rows that have the outcome already.
    found : int
        Of these, how many have a change that leads to the outcome.
    impossible : int
        Of these, how many are proven to have none.
    costs : ndarray
        Of the changes found.
    """

    name: str
    rows: int
    found: int
    impossible: int
    costs: np.ndarray = field(repr=False)
    changed: np.ndarray = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers that the report shows."""
        low, high = wilson(self.found, self.rows)
        told: dict[str, Any] = {
            "group": self.name, "rows": self.rows, "found": self.found,
            "impossible": self.impossible, "share": self.found / self.rows if self.rows else None,
            "share_low": low, "share_high": high, "median_cost": None, "median_low": None,
            "median_high": None, "mean_changed": None}
        if len(self.costs):
            told["median_cost"] = float(np.median(self.costs))
            if len(self.costs) >= FEWEST:
                told["median_low"], told["median_high"] = ends(medians(self.costs))
            told["mean_changed"] = float(self.changed.mean())
        return told


def compare(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Compare every group with the largest one.

    Parameters
    ----------
    groups : sequence of Group
        Of one column.

    Returns
    -------
    list of dict
        Differences of shares and ratios of median costs, with intervals.
    """
    if len(groups) < 2:
        return []
    base = max(groups, key=lambda one: one.rows)
    draws = {one.name: medians(one.costs, seed) for seed, one in enumerate(groups, 2)
             if len(one.costs) >= FEWEST}
    told = []
    for one in groups:
        if one is base or not one.rows:
            continue
        low, high = newcombe((one.found, one.rows), (base.found, base.rows))
        entry: dict[str, Any] = {
            "group": one.name, "against": base.name,
            "share_difference": one.found / one.rows - base.found / max(base.rows, 1),
            "share_low": low, "share_high": high, "cost_ratio": None, "cost_low": None,
            "cost_high": None}
        if one.name in draws and base.name in draws and np.median(base.costs) > 0 \
                and (draws[base.name] > 0).all():
            entry["cost_ratio"] = float(np.median(one.costs) / np.median(base.costs))
            entry["cost_low"], entry["cost_high"] = ends(draws[one.name] / draws[base.name])
        told.append(entry)
    return told


def histogram(costs: np.ndarray, bins: int = 24) -> list[dict[str, float]]:
    """Count costs in equal steps up to the 99th percentile; the last step holds the rest.

    Parameters
    ----------
    costs : ndarray
        Finite costs.
    bins : int
        How many steps.

    Returns
    -------
    list of dict
        Lower end, upper end and count.
    """
    if not len(costs):
        return []
    top = float(np.percentile(costs, 99)) or float(costs.max())
    if top <= 0:
        return [{"lower": 0.0, "upper": 0.0, "count": len(costs)}]
    edges = np.linspace(0, top, bins + 1)
    counts, _ = np.histogram(np.minimum(costs, top), edges)
    uppers = [*edges[1:-1].tolist(), max(top, float(costs.max()))]
    return [{"lower": float(low), "upper": float(high), "count": int(count)}
            for low, high, count in zip(edges[:-1], uppers, counts, strict=True)]


def top(counts: Counter[Any], total: int, most: int = 12) -> list[dict[str, Any]]:
    """List what is most frequent, with its share of the rows."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))
    return [{"name": list(name) if isinstance(name, tuple) else name, "count": count,
             "share": count / total if total else 0.0} for name, count in ordered[:most]]
