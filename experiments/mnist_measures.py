"""Measures of the MNIST experiment: distances, changes, validity, stability, and which units the
paper may have measured in."""

import dataclasses

import numpy as np
from boxwood import evaluate

NEIGHBOURS = 5
VISIBLE = 0.01  # of a component's range in the training data


@dataclasses.dataclass
class Result:
    """What a tool found for some of the wrong digits of a pair."""

    tool: str
    rows: np.ndarray
    now: np.ndarray
    points: np.ndarray  # NaN where nothing was found
    seconds: float  # a digit, in the mean

    def at(self, places):
        return Result(self.tool, self.rows[places], self.now[places], self.points[places],
                      self.seconds)


def valid(pair, result):
    """Which points the real model takes for the true digit."""
    return evaluate.validity(pair.predict, result.points, 1 - result.now)


def lengths(result, norm="l2"):
    """Distances in the components' own unit."""
    return evaluate.distances(result.rows, result.points, norm, scale=None)


def mean(values):
    values = np.asarray(values, dtype=float)
    return float(values.mean()) if len(values) else np.nan


def median(values):
    return float(np.median(values)) if len(values) else np.nan


def ratios(pair, result, exact):
    """How many times as far valid points are as the nearest ones, `exact`, of the same rows."""
    good = valid(pair, result)
    return lengths(result)[good] / lengths(exact)[good]


def summary(pair, result):
    """Means over the valid points of a tool."""
    good = valid(pair, result)
    some = result.at(good)
    ranges = pair.train.max(axis=0) - pair.train.min(axis=0)
    moved = np.abs(some.points.astype(float) - some.rows)
    return {"digits": len(good), "valid": int(good.sum()),
            "l1": mean(lengths(some, "l1")) if len(moved) else np.nan,
            "l2": mean(lengths(some, "l2")) if len(moved) else np.nan,
            "changed": mean((moved > 0).sum(axis=1)),
            "visible": mean((moved > VISIBLE * ranges).sum(axis=1)),
            "seconds": result.seconds}


def key(row):
    return np.asarray(row, dtype=np.float32).tobytes()


def stability(rows, around, answer, **neighbours):
    """The local Lipschitz estimate at each row, of `answer` from many rows to their points.

    The rows that it needs are found first and answered in one go: tools that take many rows at
    once are fast then.
    """
    how = {"scale": None, "of": "point", **neighbours}
    needed = []

    def note(row):
        needed.append(np.asarray(row, dtype=np.float32))
        return row

    for row in rows:
        evaluate.stability(note, row, around, **how)
    needed = np.array(needed)
    points = {key(row): point for row, point in zip(needed, answer(needed), strict=True)}

    def found(row):
        point = points[key(row)]
        return None if np.isnan(point).any() else point

    return np.array([evaluate.stability(found, row, around, **how) for row in rows])


def stability_among(pair, result):
    """Equation 2 of Alvarez-Melis and Jaakkola among the wrong digits that are decided alike."""
    good = result.at(valid(pair, result))
    values = []
    for wrong in (0, 1):
        some = good.at(good.now == wrong)
        if len(some.rows) > 1:
            points = {key(row): point for row, point in zip(some.rows, some.points, strict=True)}
            values.append(stability(
                some.rows, some.rows, lambda rows, points=points: [points[key(r)] for r in rows],
                k=NEIGHBOURS))
    return mean(np.concatenate(values)) if values else np.nan


def stability_around(pair, rows, now, answer, moves=None):
    """The same among test digits decided alike or, with `moves`, around each digit.

    `answer(rows, now)` gives points. `moves` is a share of each component's range.
    """
    values = []
    decided = pair.predict(pair.test)
    for wrong in (0, 1):
        places = np.flatnonzero(now == wrong)
        if not len(places):
            continue
        alike = pair.test[decided == wrong]
        how = {"k": NEIGHBOURS} if moves is None else {
            "radius": moves, "samples": NEIGHBOURS, "scale": "range", "random_state": 0}

        def explain(needed, wrong=wrong):
            # A move may have crossed the boundary: then there is nothing to explain.
            points = answer(needed, np.full(len(needed), wrong))
            points[pair.predict(needed) != wrong] = np.nan
            return points

        values.append(stability(rows[places], alike, explain, **how))
    values = np.concatenate(values)
    return mean(values[~np.isnan(values)])


def misfit(ours, paper):
    """How far figures are from those of the paper: root mean square of the logarithm of ratios."""
    return float(np.sqrt(np.mean(np.log(np.asarray(ours) / np.asarray(paper)) ** 2)))
