"""Quality measures for counterfactuals of any tool.

Validity, survival, distance, sparsity, plausibility, diversity and stability. Rows are frames,
Arrow tables or arrays. Differences of numbers are divided by the scale of the column; a different
category, and a change to or from missing, counts as 1. A row with only missing values means "none
was found".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from boxwood._arguments import number
from boxwood._measure import (
    Measure,
    Space,
    apart_by,
    empty,
    holes_of,
    listed,
    norm_of,
    read_columns,
)
from boxwood._tables import columns_of, is_row, is_table, missing
from boxwood.errors import Error, library

__all__ = ["Survival", "distances", "diversity", "evaluate", "plausibility", "sparsity",
           "stability", "survival", "validity"]


def validity(model: Any, counterfactuals: Any, target: Any = None, *,
             originals: Any = None) -> np.ndarray:
    """Check which counterfactuals have the wanted outcome according to the model.

    Parameters
    ----------
    model : object or callable
        Something with `predict`, or a function from rows to classes.
    counterfactuals : DataFrame, Arrow table or ndarray
        As the model takes them.
    target : object, optional
        The class wanted, or one for each row. By default any other than that of the originals.
    originals : DataFrame, Arrow table or ndarray, optional
        The rows that are explained, or one; needed without a target.

    Returns
    -------
    ndarray of bool
        False where none was found.
    """
    predict = model.predict if hasattr(model, "predict") else model
    _, columns = read_columns(counterfactuals, None, "counterfactuals")
    valid = np.zeros(len(columns[0]), dtype=bool)
    there = ~empty(columns)
    if not there.any():
        return valid
    table = listed(counterfactuals)
    outcome = np.ravel(np.asarray(predict(_taken(table, there))))
    if target is None:
        if originals is None:
            raise Error("target", "neither a target nor the originals are given",
                        "Give one of them")
        before = np.ravel(np.asarray(predict(listed(originals))))
        valid[there] = outcome != np.broadcast_to(before, len(valid))[there]
    else:
        wanted = np.asarray(target, dtype=object)
        valid[there] = outcome == np.broadcast_to(wanted, len(valid))[there]
    return valid


def _taken(table: Any, chosen: np.ndarray) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[np.flatnonzero(chosen)]
    return table.filter(chosen) if is_table(table) else table[chosen]


def distances(originals: Any, counterfactuals: Any, norm: str = "l1", *, data: Any = None,
              scale: str | None = "range") -> np.ndarray:
    """Measure the distances between counterfactuals and the rows that they explain.

    Parameters
    ----------
    originals : DataFrame, Arrow table or ndarray
        The rows that are explained, or one for all counterfactuals.
    counterfactuals : DataFrame, Arrow table or ndarray
        One row for each.
    norm : {"l0", "l1", "l2", "linf"}
        Number of changes, their sum, the root of the sum of their squares, or the largest.
    data : DataFrame, Arrow table or ndarray, optional
        Where scales come from; the originals by default.
    scale : {"range", "deviation", "mad", None}
        One unit of change: the range, the standard deviation or the median distance from the
        median of the data; None: one unit of the column.

    Returns
    -------
    ndarray
        NaN where none was found.
    """
    measure = Measure.of(originals if data is None else data, scale)
    return norm_of(measure.changes(originals, counterfactuals), norm)


def sparsity(originals: Any, counterfactuals: Any) -> np.ndarray:
    """Measure the share of columns that do not change.

    Parameters
    ----------
    originals : DataFrame, Arrow table or ndarray
        The rows that are explained, or one for all counterfactuals.
    counterfactuals : DataFrame, Arrow table or ndarray
        One row for each.

    Returns
    -------
    ndarray
        From 0 to 1; NaN where none was found.
    """
    steps = Measure.of(originals, None).changes(originals, counterfactuals)
    return 1 - norm_of(steps, "l0") / steps.shape[1]


def diversity(original: Any, counterfactuals: Any, *, data: Any = None,
              scale: str | None = "range", norm: str = "l1") -> dict[str, float]:
    """Measure how much several counterfactuals of one row differ.

    Parameters
    ----------
    original : DataFrame, Series, mapping or ndarray
        The row.
    counterfactuals : DataFrame, Arrow table or ndarray
        Its counterfactuals.
    data : DataFrame, Arrow table or ndarray, optional
        Where scales come from; the counterfactuals by default.
    scale : {"range", "deviation", "mad", None}
        One unit of change, as for `distances`.
    norm : {"l0", "l1", "l2", "linf"}
        As for `distances`.

    Returns
    -------
    dict
        "distance": the mean over all pairs, NaN for fewer than two; "sets": how many different sets
        of columns they change, as a share of their number.
    """
    measure = Measure.of(counterfactuals if data is None else data, scale)
    changes = measure.changes(original, counterfactuals)
    there = np.flatnonzero(~np.isnan(changes).any(axis=1))
    sets = {tuple(row) for row in (changes[there] > 0).tolist()}
    columns = [values[there] for values in measure.columns(counterfactuals, "counterfactuals")]
    first, second = np.triu_indices(len(there), 1)
    pairs = np.array([])
    if len(first):
        pairs = norm_of(np.column_stack([apart_by(values[first], values[second], scale)
                                       for values, scale in zip(columns, measure.scales,
                                                                strict=True)]), norm)
    return {"distance": float(pairs.mean()) if len(pairs) else float("nan"),
            "sets": len(sets) / len(there) if len(there) else float("nan")}


def plausibility(counterfactuals: Any, data: Any, method: str = "lof", *, n_neighbors: int = 20,
                 scale: str | None = "range", random_state: Any = None) -> np.ndarray:
    """Measure how similar counterfactuals are to the data, with outlier detectors of scikit-learn.

    Parameters
    ----------
    counterfactuals : DataFrame, Arrow table or ndarray
        The rows.
    data : DataFrame, Arrow table or ndarray
        Plausible rows, such as the training data of the wanted class.
    method : {"lof", "isolation"}
        The local outlier factor, or an isolation forest.
    n_neighbors : int
        Of the local outlier factor.
    scale : {"range", "deviation", "mad", None}
        One unit of change, as for `distances`.
    random_state : int, RandomState or None
        Of the isolation forest.

    Returns
    -------
    ndarray
        The larger, the more plausible: minus the local outlier factor, about -1 amid the data, or
        the score of the isolation forest, which is above -0.5 there. NaN where none was found.
    """
    measure = Measure.of(data, scale)
    space = Space(measure, data)
    normal = space.points(data, "data")
    points = space.points(counterfactuals, "counterfactuals")
    library("sklearn")
    if method == "lof":
        from sklearn.neighbors import LocalOutlierFactor

        detector = LocalOutlierFactor(n_neighbors=min(n_neighbors, len(normal) - 1), novelty=True)
    elif method == "isolation":
        from sklearn.ensemble import IsolationForest

        detector = IsolationForest(random_state=random_state)
    else:
        raise Error("method", f"unknown method {method!r}", 'Give "lof" or "isolation"')
    scores = np.full(len(points), np.nan)
    there = ~empty(measure.columns(counterfactuals, "counterfactuals"))
    if there.any():
        scores[there] = detector.fit(normal).score_samples(points[there])
    return scores


def stability(explain: Callable[[Any], Any], x: Any, data: Any, *, k: int | None = None,
              radius: float | None = None, samples: int = 20, scale: str | None = "range",
              of: str = "change", random_state: Any = None) -> float:
    """Estimate how fast explanations change around a row, after Alvarez-Melis and Jaakkola.

    It is the largest ratio, over neighbours of the row, of how far apart the explanations are to
    how far apart the rows are (a local Lipschitz estimate); both are Euclidean, in scales.

    Parameters
    ----------
    explain : callable
        From a row like `x` to its counterfactual: a row, an answer of Boxwood's, or None.
    x : Series, mapping or 1-D ndarray
        The row.
    data : DataFrame, Arrow table or ndarray
        Where scales and, with `k`, neighbours come from.
    k : int, optional
        The nearest rows of the data are the neighbours.
    radius : float, optional
        `samples` neighbours are drawn: every number moves by up to this many scales, at random;
        categories and missing values stay.
    samples : int
        See `radius`.
    scale : {"range", "deviation", "mad", None}
        One unit of change, as for `distances`.
    of : {"change", "point"}
        What the explanation is: the change from the row, or the point where it leads to. A category
        that differs counts as one scale in either case.
    random_state : int, Generator or None
        Of the neighbours drawn.

    Returns
    -------
    float
        0 is perfectly stable; NaN where no neighbour has an explanation.
    """
    if (k is None) == (radius is None):
        raise Error("stability", "exactly one of k and radius must be given", "Give one of them")
    if of not in ("change", "point"):
        raise Error("of", f"unknown value {of!r}", 'Give "change" or "point"')
    measure = Measure.of(data, scale)
    if k is not None:
        around = _nearest(measure, x, data, k)
    elif radius is not None:
        around = _drawn(measure, x, float(radius), samples, np.random.default_rng(random_state))
    here = _point(explain(x))
    if here is None:
        return float("nan")
    worst = float("nan")
    for row in around:
        there = _point(explain(row))
        apart = float(norm_of(measure.changes(x, row), "l2")[0])
        if there is None or not apart > 0:
            continue
        moved = _moved(measure, x, here, row, there) if of == "change" else float(
            norm_of(measure.changes(here, there), "l2")[0])
        worst = np.fmax(worst, moved / apart)
    return float(worst)


def _point(found: Any) -> Any:
    return found.point if hasattr(found, "lower_bound") else found


def _moved(measure: Measure, x: Any, here: Any, row: Any, there: Any) -> float:
    """Measure how different two changes are."""
    total = 0.0
    four = [measure.columns(part, "explanation") for part in (x, here, row, there)]
    for a, b, c, d, scale in zip(*four, measure.scales, strict=True):
        if scale is not None and not any(holes_of(part)[0] for part in (a, b, c, d)):
            total += (((b[0] - a[0]) - (d[0] - c[0])) / scale) ** 2
        else:
            # No difference: both change to the same value, or neither changes.
            first, second = apart_by(a, b, None)[0] > 0, apart_by(c, d, None)[0] > 0
            same = first == second and (not first or apart_by(b, d, None)[0] == 0)
            total += 0.0 if same else 1.0
    return float(np.sqrt(total))


def _like(x: Any, values: list[Any]) -> Any:
    if isinstance(x, Mapping):
        return dict(zip(x, values, strict=True))
    if is_row(x):
        return type(x)(values, index=x.index, name=x.name, dtype=object)
    return np.array(values)


def _row_values(x: Any) -> list[Any]:
    if isinstance(x, Mapping):
        return list(x.values())
    return list(x.array) if is_row(x) else list(np.asarray(x))


def _places(measure: Measure, x: Any) -> Sequence[int]:
    # Of the row's values among the measured columns.
    if not is_row(x) or measure.names is None:
        return range(len(measure.scales))
    names = x if isinstance(x, Mapping) else x.index
    return [measure.names.index(str(name)) for name in names]


def _nearest(measure: Measure, x: Any, data: Any, k: int) -> list[Any]:
    apart = norm_of(measure.changes(x, data), "l2")
    order = [i for i in np.argsort(apart, kind="stable") if apart[i] > 0][:k]
    columns = measure.columns(data, "data")
    where = _places(measure, x)
    return [_like(x, [columns[at][i] for at in where]) for i in order]


def _drawn(measure: Measure, x: Any, radius: float, samples: int,
           random: np.random.Generator) -> list[Any]:
    values = _row_values(x)
    scales = [measure.scales[at] for at in _places(measure, x)]
    found = []
    for _ in range(samples):
        moves = random.uniform(-radius, radius, len(values))
        found.append(_like(x, [
            value if scale is None or missing(value) else float(value) + move * scale
            for value, scale, move in zip(values, scales, moves, strict=True)]))
    return found


# Tools side by side.


def evaluate(model: Any, originals: Any, tools: Mapping[str, Any], target: Any = None, *,
             data: Any = None, scale: str | None = "range",
             explainers: Mapping[str, Callable[[Any], Any]] | None = None,
             radius: float = 0.05, samples: int = 10, random_state: int | None = 0) -> Any:
    """Compare the counterfactuals of several tools.

    Parameters
    ----------
    model : object or callable
        Something with `predict`, or a function from rows to classes.
    originals : DataFrame, Arrow table or ndarray
        The rows that are explained.
    tools : mapping
        By name of a tool its counterfactuals: a table with one row for each original, only
        missing values if none was found; or a list with one entry for each original, which is a
        table of several, a row, an answer or menu of Boxwood's, or None.
    target : object, optional
        The class wanted, or one for each original; any other than the present one by default.
    data : DataFrame, Arrow table or ndarray, optional
        Where scales, and what is plausible, come from; the originals by default.
    scale : {"range", "deviation", "mad", None}
        One unit of change, as for `distances`.
    explainers : mapping, optional
        By name of a tool a function from a row to its counterfactual, to measure `stability`.
    radius, samples : float, int
        As for `stability`.
    random_state : int, optional
        Seed of all random choices.

    Returns
    -------
    pandas.DataFrame
        A row for each tool. `found` is the share of originals with a counterfactual, `valid` that
        with a first one that has the outcome. `l0`, `l1`, `l2`, `sparsity`, `lof` and `isolation`
        are means over the first counterfactuals found; `diversity` and `sets` are means over the
        originals with several.
    """
    pandas = library("pandas")

    data = originals if data is None else data
    count = len(columns_of(listed(originals))[0].values)
    rows = []
    for name, given in tools.items():
        several = _several(given, count, name)
        found = np.array([many is not None for many in several])
        facts: dict[str, Any] = {"found": found.mean(), "valid": 0.0}
        if found.any():
            first = _stacked([many[:1] for many in several if many is not None])
            before = _taken(listed(originals), found)
            wanted = target if np.ndim(target) == 0 else np.asarray(target, dtype=object)[found]
            facts["valid"] = validity(model, first, wanted, originals=before).sum() / count
            for norm in ("l0", "l1", "l2"):
                facts[norm] = _mean(distances(before, first, norm, data=data, scale=scale))
            facts["sparsity"] = _mean(sparsity(before, first))
            for method in ("lof", "isolation"):
                facts[method] = _mean(plausibility(first, data, method, scale=scale,
                                                   random_state=random_state))
        apart = [diversity(_row(originals, i), many, data=data, scale=scale)
                 for i, many in enumerate(several) if many is not None and len(many) > 1]
        facts["diversity"] = _mean(np.array([one["distance"] for one in apart]))
        facts["sets"] = _mean(np.array([one["sets"] for one in apart]))
        if explainers and name in explainers:
            facts["stability"] = _mean(np.array([
                stability(explainers[name], _single(originals, i), data, radius=radius,
                          samples=samples, scale=scale, random_state=random_state)
                for i in range(count)]))
        rows.append(facts)
    columns = ["found", "valid", "l0", "l1", "l2", "sparsity", "lof", "isolation", "diversity",
               "sets", *(["stability"] if explainers else [])]
    return pandas.DataFrame(rows, columns=columns, dtype=float,
                            index=pandas.Index(list(tools), name="tool"))


def _mean(values: np.ndarray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else float("nan")


def _row(rows: Any, i: int) -> Any:
    return rows.iloc[i:i + 1] if hasattr(rows, "iloc") else np.asarray(listed(rows))[i:i + 1]


def _single(rows: Any, i: int) -> Any:
    return rows.iloc[i] if hasattr(rows, "iloc") else np.asarray(listed(rows))[i]


def _several(given: Any, count: int, name: str) -> list[Any]:
    """Convert the output of a tool: a table for each original, or None."""
    if not isinstance(given, (list, tuple)):
        table = listed(given)
        if hasattr(table, "to_pandas"):
            table = table.to_pandas()
        if len(table) != count:
            raise Error(name, f"{len(table)} counterfactuals for {count} originals",
                        "Give one for each, in their order")
        none = empty(read_columns(table, None, name)[1])
        return [None if none[i] else _row(table, i) for i in range(count)]
    if len(given) != count:
        raise Error(name, f"{len(given)} entries for {count} originals",
                    "Give one for each, in their order")
    return [_table(one) for one in given]


def _table(one: Any) -> Any:
    if one is None:
        return None
    if hasattr(one, "alternatives"):
        return _joined([each.point_frame() for each in one.alternatives if each.found])
    if hasattr(one, "point_frame"):
        return one.point_frame() if one.found else None
    table = listed(one)
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    return table if len(table) else None


def _joined(frames: list[Any]) -> Any:
    pandas = library("pandas")

    return pandas.concat(frames, ignore_index=True) if frames else None


def _stacked(tables: list[Any]) -> Any:
    if all(isinstance(table, np.ndarray) for table in tables):
        return np.concatenate(tables)
    return _joined(tables)


@dataclass(frozen=True)
class Survival:
    """How many counterfactuals keep the wanted outcome in other models.

    Parameters
    ----------
    valid, total : int
        Pairs of a counterfactual and a model in which it has the outcome, and all pairs. Rows for
        which none was found are not counted.
    low, high : float
        The Clopper-Pearson interval of the share, with each pair as one trial.
    by_model : tuple of float
        The share in each model.
    """

    valid: int
    total: int
    low: float
    high: float
    by_model: tuple[float, ...]

    @property
    def share(self) -> float:
        """The share of pairs with the outcome; NaN if there are none."""
        return self.valid / self.total if self.total else float("nan")

    def __str__(self) -> str:
        if not self.total:
            return "there is no counterfactual to count"
        return (f"{self.valid} of {self.total} have the outcome in models that were not asked "
                f"({100 * self.share:.1f} %, interval {100 * self.low:.1f} to "
                f"{100 * self.high:.1f} %)")


def survival(models: Any, counterfactuals: Any, target: Any, *,
             confidence: float = 0.95) -> Survival:
    """Measure how many counterfactuals have the wanted outcome in models that were not asked.

    The models should be held out: trained again, for example by `boxwood.retrain` with another
    random state, and not among those that the counterfactuals were made with. The result describes
    these models. The interval treats pairs of a counterfactual and a model as independent; because
    the pairs of one model are alike, the true uncertainty is larger with few models.

    Parameters
    ----------
    models : iterable
        Models with `predict`, or functions from rows to classes.
    counterfactuals : DataFrame, Arrow table or ndarray
        As the models take them; a row with only missing values means "none was found".
    target : object
        The class wanted, or one for each row.
    confidence : float
        Of the interval.

    Returns
    -------
    Survival
        Counts, share and interval.
    """
    _, columns = read_columns(counterfactuals, None, "counterfactuals")
    found = int((~empty(columns)).sum())
    valid = [int(validity(model, counterfactuals, target).sum()) for model in models]
    if not valid:
        raise Error("models", "there are no models", "Give at least one")
    low, high = clopper_pearson(sum(valid), found * len(valid), confidence)
    shares = tuple(one / found if found else float("nan") for one in valid)
    return Survival(sum(valid), found * len(valid), low, high, shares)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Calculate the exact confidence interval of a share.

    Parameters
    ----------
    successes, trials : int
        The counts.
    confidence : float
        The least probability, before the trials, that the interval contains the true share.

    Returns
    -------
    tuple of float
        The ends.
    """
    if not 0 < number(confidence, "confidence") < 1:
        raise Error("confidence", f"{confidence!r} is not between 0 and 1", "Write 0.95 for 95 %")
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _share_where(
        lambda p: _at_least(successes, trials, p) < tail)
    high = 1.0 if successes == trials else _share_where(
        lambda p: 1 - _at_least(successes + 1, trials, p) > tail)
    return low, high


def _share_where(below: Callable[[float], bool]) -> float:
    # Bisection for the end of the shares for which `below` holds.
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def _at_least(successes: int, trials: int, share: float) -> float:
    # The probability of at least so many successes.
    if share in (0.0, 1.0):
        return float(share == 1.0 or successes == 0)
    counts = np.arange(successes, trials + 1)
    logs = (_log_factorials(trials)[trials] - _log_factorials(trials)[counts]
            - _log_factorials(trials)[trials - counts]
            + counts * np.log(share) + (trials - counts) * np.log1p(-share))
    return float(min(1.0, np.exp(logs).sum()))


@lru_cache(maxsize=4)
def _log_factorials(most: int) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
