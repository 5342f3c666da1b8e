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


def farther(pair, result, exact, norm):
    """The mean distance of valid points over that of the exact ones of the same digits."""
    good = valid(pair, result)
    return mean(lengths(result, norm)[good]) / mean(lengths(exact, norm)[good])


def facts(pair, result, exact):
    """What the tables show, by name, a number for each digit; NaN where its point is not valid."""
    good = valid(pair, result)
    ranges = np.ptp(pair.train.astype(float), axis=0)
    moved = np.where(good[:, None], np.abs(result.points.astype(float) - result.rows), np.nan)
    least = lengths(exact)
    return {"valid": good.astype(float), "l1": moved.sum(axis=1),
            "l2": np.sqrt((moved**2).sum(axis=1)),
            "ratio": np.sqrt((moved**2).sum(axis=1)) / least,
            "changed": np.where(good, (moved > 0).sum(axis=1), np.nan),
            "visible": np.where(good, (moved > VISIBLE * ranges).sum(axis=1), np.nan),
            "stability": stability_among(pair, result),
            "seconds": np.full(len(good), result.seconds)}


def known(values):
    values = np.asarray(values, dtype=float)
    return values[~np.isnan(values)]


def mean(values):
    return float(known(values).mean()) if len(known(values)) else np.nan


def median(values):
    return float(np.median(known(values))) if len(known(values)) else np.nan


def key(row):
    return np.asarray(row, dtype=np.float32).tobytes()


def stability(rows, around, answer, seeds=None, **neighbours):
    """The local Lipschitz estimate at each row, of `answer` from many rows to their points.

    `seeds`, one a row, are for neighbours that are drawn.

    The rows that it needs are found first and answered in one go: tools that take many rows at
    once are fast then.
    """
    how = [{"scale": None, "of": "point", **neighbours,
            **({} if seeds is None else {"random_state": int(seeds[i])})} for i in range(len(rows))]
    needed = []

    def note(row):
        needed.append(np.asarray(row, dtype=np.float32))
        return row

    for row, one in zip(rows, how, strict=True):
        evaluate.stability(note, row, around, **one)
    needed = np.array(needed)
    points = {key(row): point for row, point in zip(needed, answer(needed), strict=True)}

    def found(row):
        point = points[key(row)]
        return None if np.isnan(point).any() else point

    return np.array([evaluate.stability(found, row, around, **one)
                     for row, one in zip(rows, how, strict=True)])


def stability_among(pair, result):
    """Equation 2 of Alvarez-Melis and Jaakkola among the wrong digits that are decided alike."""
    values = np.full(len(result.rows), np.nan)
    good = valid(pair, result)
    for wrong in (0, 1):
        places = np.flatnonzero(good & (result.now == wrong))
        if len(places) > 1:
            some = result.at(places)
            points = {key(row): point for row, point in zip(some.rows, some.points, strict=True)}
            values[places] = stability(
                some.rows, some.rows, lambda rows, points=points: [points[key(r)] for r in rows],
                k=NEIGHBOURS)
    return values


def stability_around(pair, rows, now, answer, moves=None, seed=0):
    """The same among test digits decided alike or, with `moves`, around each digit.

    `answer(rows, now)` gives points. `moves` is a share of each component's range; each digit is
    moved in its own way.
    """
    values = np.full(len(rows), np.nan)
    decided = pair.predict(pair.test)
    seeds = np.random.default_rng(seed).integers(2**31, size=len(rows))
    for wrong in (0, 1):
        places = np.flatnonzero(now == wrong)
        if not len(places):
            continue
        alike = pair.test[decided == wrong]
        how = {"k": NEIGHBOURS} if moves is None else {
            "radius": moves, "samples": NEIGHBOURS, "scale": "range", "seeds": seeds[places]}

        def explain(needed, wrong=wrong):
            # A move may have crossed the boundary: then there is nothing to explain.
            points = answer(needed, np.full(len(needed), wrong))
            points[pair.predict(needed) != wrong] = np.nan
            return points

        values[places] = stability(rows[places], alike, explain, **how)
    return values


def misfit(ours, paper):
    """How far figures are from those of the paper: root mean square of the logarithm of ratios."""
    return float(np.sqrt(np.mean(np.log(np.asarray(ours) / np.asarray(paper)) ** 2)))
