"""The ways to name the cause of a fault: each takes a case and returns its blame.

Counterfactuals blame signals by their share of the change. Methods that are not installed, or not
there, are left out by `asked`.
"""

import contextlib
import dataclasses
import importlib.util
import io
import logging
import random
import time
import warnings

import boxwood
import fault_simulator as plant
import numpy as np
import pandas as pd

SIGNALS = plant.SIGNALS
SURE = 0.9
NODES, LIMIT = 100_000, 120.0  # of the search a question; seconds, should those take longer
NORMAL, FAULT = 0, 1
DIGITS = 8  # behind the point, for DiCE
RIDGE = 0.2  # of covariances, in squared deviations
SETTINGS, SMALL_SETTINGS = 24, 4  # that FOCUS tries


@dataclasses.dataclass
class Blame:
    """What a method says: a weight a row and signal (0: not blamed), and the points it found."""

    weights: np.ndarray
    points: np.ndarray | None = None  # the counterfactuals; NaN where there is none
    proven: np.ndarray | None = None
    seconds: float = 0.0
    late: int = 0  # searches that the clock stopped

    def part(self, places):
        return Blame(self.weights[places],
                     None if self.points is None else self.points[places],
                     None if self.proven is None else self.proven[places], self.seconds,
                     self.late)


@dataclasses.dataclass
class Case:
    """The detector, the normal rows it knows, and the detected faults to diagnose."""

    model: object
    normal: pd.DataFrame
    training: pd.DataFrame
    labels: np.ndarray
    rows: pd.DataFrame
    kinds: list
    causes: list
    small: bool = False

    @property
    def settings(self):
        return SMALL_SETTINGS if self.small else SETTINGS

    def part(self, places):
        return dataclasses.replace(self, rows=self.rows.iloc[places],
                                   kinds=[self.kinds[i] for i in places],
                                   causes=[self.causes[i] for i in places])


def by_signal(weights):
    """Weights of features, a mean and a spread a signal, summed by signal."""
    return np.asarray(weights).reshape(len(weights), len(SIGNALS), 2).sum(axis=2)


def deviations(case):
    return case.normal.std().to_numpy()


def from_points(case, points, proven=None):
    """Blame by share of change: how far each signal moves, in deviations of normal rows."""
    before = case.rows.to_numpy()
    there = ~np.isnan(points).any(axis=1)
    after = np.where(there[:, None], points, before)
    return Blame(by_signal(np.abs(after - before) / deviations(case)), points, proven)


def exact(case, scale="deviation", forest_trees=0, **question):
    """The nearest normal state; unit of change is the deviation of each feature in normal rows."""
    models = {"detector": case.model}
    if forest_trees:
        from sklearn.ensemble import IsolationForest

        models["forest"] = IsolationForest(
            n_estimators=forest_trees, max_samples=64, contamination=0.05,
            random_state=0).fit(case.normal)
        question["requirements"] = [boxwood.Output(
            at_least=float(models["forest"].offset_), model="forest")]
    explainer = boxwood.Explainer(models, case.normal, scale=scale)
    batch = explainer.explain_batch(case.rows, NORMAL, show_progress=False, on_error="raise",
                                    threads=1, node_limit=NODES, time_limit=LIMIT, **question)
    missing = np.full(len(plant.FEATURES), np.nan)
    points = np.array([answer.array if answer.found else missing for answer in batch])
    blame = from_points(case, points, np.array([answer.proven for answer in batch]))
    blame.late = sum(answer.stop == "time" for answer in batch)
    return blame


def one_signal(case):
    """Each signal alone: the cheaper it is to repair by it, the more it is to blame."""
    explainer = boxwood.Explainer(case.model, case.normal, scale="deviation")
    weights = np.zeros((len(case.rows), len(SIGNALS)))
    proven, late = np.ones(len(case.rows), bool), 0
    for i, signal in enumerate(SIGNALS):
        batch = explainer.explain_batch(
            case.rows, NORMAL, only=[f"{signal} mean", f"{signal} spread"], cost="l1",
            show_progress=False, on_error="raise", threads=1, node_limit=NODES,
            time_limit=LIMIT)
        weights[:, i] = [1 / answer.cost if answer.found else 0.0 for answer in batch]
        proven &= [answer.proven for answer in batch]
        late += sum(answer.stop == "time" for answer in batch)
    return Blame(weights, None, proven, late=late)


def tree_shap(case):
    """Signals by how much they push the score to "fault": XGBoost's own TreeSHAP."""
    import xgboost

    pushed = case.model.get_booster().predict(
        xgboost.DMatrix(case.rows), pred_contribs=True)[:, :-1]
    return Blame(np.maximum(by_signal(pushed), 0.0))


def largest_deviation(case):
    """The signal with the feature that is furthest from normal, in deviations."""
    away = np.abs(case.rows.to_numpy() - case.normal.mean().to_numpy()) / deviations(case)
    return Blame(away.reshape(len(away), len(SIGNALS), 2).max(axis=2))


def residuals(case, explained=0.9):
    """Process monitoring's contributions to the squared residual of a PCA of normal rows."""
    mean, scale = case.normal.mean().to_numpy(), deviations(case)
    normal = (case.normal.to_numpy() - mean) / scale
    _, sizes, axes = np.linalg.svd(normal, full_matrices=False)
    kept = int(np.searchsorted(np.cumsum(sizes ** 2) / (sizes ** 2).sum(), explained)) + 1
    rows = (case.rows.to_numpy() - mean) / scale
    rest = rows - rows @ axes[:kept].T @ axes[:kept]
    return Blame(by_signal(rest ** 2))


def precision(case, ridge=RIDGE):
    """The inverse covariance of normal rows in deviations; the ridge keeps small differences small."""
    rows = (case.normal.to_numpy() - case.normal.mean().to_numpy()) / deviations(case)
    return np.linalg.inv(np.cov(rows.T) + ridge * np.eye(rows.shape[1]))


def correlation_gain(case):
    """By how much each signal alone can bring a row nearer to the normal ones (Mahalanobis).

    In process monitoring this is the reconstruction-based contribution: with inverse covariance P,
    the square of the distance of x falls by g' inv(P_bb) g if the features b move to where the
    others put them, where g = (P x)_b. No other values of b bring it lower.
    """
    inverse = precision(case)
    rows = (case.rows.to_numpy() - case.normal.mean().to_numpy()) / deviations(case)
    pulls = rows @ inverse
    weights = np.zeros((len(rows), len(SIGNALS)))
    for i in range(len(SIGNALS)):
        own = slice(2 * i, 2 * i + 2)
        weights[:, i] = np.einsum("ri,ij,rj->r", pulls[:, own],
                                  np.linalg.inv(inverse[own, own]), pulls[:, own])
    return Blame(weights)


def dice(case, method):
    """DiCE with its own settings: one counterfactual a row within the range of normal rows."""
    import dice_ml

    logging.getLogger("raiutils").setLevel(logging.ERROR)
    table = case.training.assign(fault=case.labels)
    # Else it takes the digits of the commonest value: 0.0, the spread of a sensor that is stuck,
    # and rounds all spreads to one digit.
    digits = dict.fromkeys(plant.FEATURES, DIGITS)
    data = dice_ml.Data(dataframe=table, continuous_features=list(plant.FEATURES),
                        continuous_features_precision=digits, outcome_name="fault")
    asked = dice_ml.Dice(data, dice_ml.Model(model=case.model, backend="sklearn"), method=method)
    allowed = {name: [float(case.normal[name].min()), float(case.normal[name].max())]
               for name in plant.FEATURES}
    points = np.full(case.rows.shape, np.nan)
    # It draws a bar for every row, prints what it does not find, and warns of pandas.
    with (warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()),
          contextlib.redirect_stdout(io.StringIO())):
        warnings.simplefilter("ignore")
        for i in range(len(case.rows)):
            # A value outside the range of normal rows may stay: DiCE refuses a row with one.
            row = case.rows.iloc[[i]]
            wide = {name: [min(low, float(row[name].iloc[0])), max(high, float(row[name].iloc[0]))]
                    for name, (low, high) in allowed.items()}
            # The genetic method takes no seed: it draws from both of these.
            random.seed(i)
            np.random.seed(i)
            try:
                options = {"random_seed": i} if method == "random" else {}
                found = asked.generate_counterfactuals(
                    row, total_CFs=1, desired_class=NORMAL, permitted_range=wide, verbose=False,
                    **options)
                frame = found.cf_examples_list[0].final_cfs_df
                if frame is not None and len(frame):
                    points[i] = frame[list(plant.FEATURES)].iloc[0].astype(float)
            except Exception as error:  # noqa: BLE001 - DiCE raises many kinds for nothing found
                logging.getLogger(__name__).info("DiCE, row %d: %s", i, error)
    return from_points(case, points)


def scaled(trees, mean, unit):
    """FOCUS's soft trees for points (x - mean) / unit: the same scores by moved thresholds."""
    for level in trees.levels:
        feature = level.feature
        level.threshold = ((level.threshold - mean[feature, None]) / unit[feature, None]).astype(
            trees.dtype)
    return trees


def focus(case, trials=SETTINGS, iterations=1000):
    """FOCUS as the MNIST experiment has it, in units of ten deviations, best of several settings.

    Its ranges of settings are made for features between 0 and 1; this unit puts most rows there.
    """
    import focus as method

    mean, unit = case.normal.mean().to_numpy(), 10 * deviations(case)
    trees = scaled(method.SoftTrees(case.model.get_booster()), mean, unit)
    rows = case.rows.to_numpy()
    start = (rows - mean) / unit
    best, _ = method.tune(
        trees, lambda points: case.model.predict(points * unit + mean), start, trials, seed=0,
        iterations=iterations, lower=(case.normal.min().to_numpy() - mean) / unit,
        upper=(case.normal.max().to_numpy() - mean) / unit)
    # What did not move in its unit did not move: the way there and back costs the last digits.
    stays = best.points == start.astype(np.float32)
    return from_points(case, np.where(stays, rows, best.points.astype(float) * unit + mean))


FAST = {
    "exact, fewest changes, then L1": lambda case: exact(case, cost="l1", fewest_first=True),
    "exact, L1 in quantiles": lambda case: exact(case, "quantiles", cost="l1"),
    "exact, L1": lambda case: exact(case, cost="l1"),
    f"exact, L1, normal with {SURE:g}": lambda case: exact(case, cost="l1", probability=SURE),
    "exact, squared L2": lambda case: exact(case, cost="l2"),
    "exact, one signal at a time": one_signal,
    "TreeSHAP": tree_shap,
    "largest deviation": largest_deviation,
    "PCA residual": residuals,
}
SLOW = {
    f"exact, fewest, normal with {SURE:g}": lambda case: exact(
        case, cost="l1", fewest_first=True, probability=SURE),
    "exact, L1, no outlier either": lambda case: exact(case, forest_trees=20, cost="l1"),
    "DiCE, random": lambda case: dice(case, "random"),
    "DiCE, genetic": lambda case: dice(case, "genetic"),
    "FOCUS": lambda case: focus(case, case.settings, 100 if case.small else 1000),
}
NEEDS = {"DiCE, random": "dice_ml", "DiCE, genetic": "dice_ml", "FOCUS": "focus"}


def asked(case, methods, report):
    """The blame of every method that can be had, with the processor's seconds a row."""
    found = {}
    for name, method in methods.items():
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            continue
        begin = time.process_time()
        with report.timed(f"{name} ({len(case.rows)} faults)"):
            found[name] = method(case)
        found[name].seconds = (time.process_time() - begin) / len(case.rows)
    return found
