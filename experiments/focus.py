"""FOCUS (Lucic et al., AAAI 2022) for binary XGBoost models, written from its paper.

Every split becomes a sigmoid of steepness sigma, so that the raw score is smooth; the loss is the
probability of the present class (a sigmoid of tau times the score) as long as the real model still
answers it, plus beta times the Euclidean distance; Adam minimises it. The real model decides what
is valid, and of all iterations the nearest valid point is kept.

It is numpy alone: the gradient of such trees is short, `tests/python/test_experiments_mnist.py`
holds it against finite differences, and nobody has to install PyTorch for it.
"""

import dataclasses
import json

import numpy as np

DECAY, SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's usual constants


@dataclasses.dataclass(frozen=True)
class Settings:
    """The four hyper-parameters that its authors tune."""

    sigma: float  # steepness of a split
    tau: float  # temperature: what the score is multiplied by
    beta: float  # weight of the distance
    rate: float  # of Adam


@dataclasses.dataclass
class Level:
    """Splits of one depth: where they stand, and where their children do."""

    nodes: np.ndarray
    left: np.ndarray
    right: np.ndarray


class SoftTrees:
    """A binary XGBoost model whose splits are sigmoids. Arrays have a row for each node."""

    def __init__(self, booster, dtype=np.float32):
        learner = json.loads(bytes(booster.save_raw("json")))["learner"]
        trees = learner["gradient_booster"]["model"]["trees"]
        starts = np.cumsum([0, *(len(tree["left_children"]) for tree in trees)])
        left, right, feature, threshold = (
            np.concatenate([tree[name] for tree in trees])
            for name in ("left_children", "right_children", "split_indices", "split_conditions"))
        begin = np.repeat(starts[:-1], np.diff(starts))
        inner = left >= 0
        left, right = np.where(inner, left + begin, -1), np.where(inner, right + begin, -1)
        # Rows in the order of depth: what a level gathers lies together.
        depth = np.zeros(len(left), dtype=int)
        for node in np.flatnonzero(inner):  # a child comes after its parent
            depth[left[node]] = depth[right[node]] = depth[node] + 1
        order = np.argsort(depth, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        inner, depth = inner[order], depth[order]
        self.splits = np.flatnonzero(inner)
        # XGBoost keeps the value of a leaf where a split has its threshold.
        self.feature, self.threshold = feature[order][inner], threshold[order][inner].astype(dtype)
        self.values = np.where(inner, 0, threshold[order]).astype(dtype)
        self.left, self.right = place[left[order][inner]], place[right[order][inner]]
        self.roots = np.flatnonzero(depth == 0)
        self.levels = []
        for level in range(depth.max()):
            chosen = np.flatnonzero(depth[self.splits] == level)
            self.levels.append((slice(chosen[0], chosen[-1] + 1), Level(
                self.splits[chosen], self.left[chosen], self.right[chosen])))
        self.of_feature = np.zeros((int(learner["learner_model_param"]["num_feature"]),
                                    len(self.splits)), dtype=dtype)
        self.of_feature[self.feature, np.arange(len(self.splits))] = 1
        self.dtype = dtype
        zeros = np.zeros((1, len(self.of_feature)), dtype=np.float32)
        self.base = float(booster.inplace_predict(zeros, predict_type="margin")[0]) - float(
            self._sums((zeros.T[self.feature] >= self.threshold[:, None]).astype(dtype))[
                self.roots].sum())

    def _sums(self, rightwards):
        """What is expected below every node, from the shares that its split sends to the right."""
        expected = np.repeat(self.values[:, None], rightwards.shape[1], axis=1)
        for span, level in reversed(self.levels):
            low, high = expected[level.left], expected[level.right]
            expected[level.nodes] = low + rightwards[span] * (high - low)
        return expected

    def _shares(self, points, sigma):
        steps = points.T.astype(self.dtype)[self.feature] - self.threshold[:, None]
        with np.errstate(over="ignore"):  # exp(large) is inf, and the share 0
            return 1 / (1 + np.exp(-sigma * steps))

    def score(self, points, sigma):
        """The smooth raw score of each point."""
        return self._sums(self._shares(points, sigma))[self.roots].sum(axis=0) + self.base

    def gradient(self, points, sigma):
        """(smooth raw scores, their gradients): a row for each point."""
        shares = self._shares(points, sigma)
        expected = self._sums(shares)
        reach = np.ones_like(expected)
        for span, level in self.levels:
            above, right = reach[level.nodes], shares[span]
            reach[level.right] = above * right
            reach[level.left] = above * (1 - right)
        slopes = reach[self.splits] * (expected[self.right] - expected[self.left])
        slopes *= sigma * shares * (1 - shares)
        return expected[self.roots].sum(axis=0) + self.base, (self.of_feature @ slopes).T


def search(trees, predict, points, settings, iterations=1000, lower=None, upper=None):
    """The nearest valid point of each row that Adam came by, as float32; NaN where there is none.

    `predict` is the real model's: rows to classes 0 and 1.
    """
    start = np.asarray(points, dtype=np.float32)
    now = np.asarray(predict(start))
    sign = np.where(now == 1, 1.0, -1.0)  # the sign of the score that is to go
    # A row beyond the range stays admissible: nothing has to move before anything is asked.
    lower = -np.inf if lower is None else np.minimum(lower, start)
    upper = np.inf if upper is None else np.maximum(upper, start)
    at = start.astype(float)
    mean, squares = np.zeros_like(at), np.zeros_like(at)
    stays = np.ones(len(at), dtype=bool)
    best, nearest = np.full_like(start, np.nan), np.full(len(at), np.inf)
    for step in range(1, iterations + 1):
        away = at - start
        slope = settings.beta * away / np.sqrt((away**2).sum(axis=1, keepdims=True) + 1e-10)
        if stays.any():
            score, gradient = trees.gradient(at[stays], settings.sigma)
            with np.errstate(over="ignore"):
                share = 1 / (1 + np.exp(-settings.tau * sign[stays] * score.astype(float)))
            pull = settings.tau * sign[stays] * share * (1 - share)
            slope[stays] += pull[:, None] * gradient
        mean = DECAY * mean + (1 - DECAY) * slope
        squares = SQUARES * squares + (1 - SQUARES) * slope**2
        at -= settings.rate * (mean / (1 - DECAY**step)) / (
            np.sqrt(squares / (1 - SQUARES**step)) + TINY)
        np.clip(at, lower, upper, out=at)
        candidate = at.astype(np.float32)
        stays = np.asarray(predict(candidate)) == now
        distance = np.linalg.norm(candidate.astype(float) - start, axis=1)
        better = ~stays & (distance < nearest)
        best[better], nearest[better] = candidate[better], distance[better]
    return best


def draw(random, sigma=(1, 100), tau=(1, 20), beta=(0.001, 0.1), rate=(0.001, 0.1)):
    """Settings at random, each evenly on a logarithmic scale."""
    return Settings(*(float(np.exp(random.uniform(*np.log(ends))))
                      for ends in (sigma, tau, beta, rate)))


@dataclasses.dataclass
class Trial:
    settings: Settings
    points: np.ndarray
    found: int
    distance: float  # mean over those found


def tune(trees, predict, points, trials, seed, **options):
    """Tries settings on these very points, as its authors do; (the best trial, all trials).

    The best finds most counterfactuals, and of those settings the one with the least mean distance.
    """
    random = np.random.default_rng(seed)
    done = []
    for _ in range(trials):
        settings = draw(random)
        found = search(trees, predict, points, settings, **options)
        distance = np.linalg.norm(found.astype(float) - points, axis=1)
        there = np.isfinite(distance)
        done.append(Trial(settings, found, int(there.sum()),
                          float(distance[there].mean()) if there.any() else np.inf))
    return min(done, key=lambda trial: (-trial.found, trial.distance)), done


def nearest_of_all(points, trials):
    """For each row the nearest point of any trial: more than any one setting reaches."""
    stacked = np.stack([trial.points for trial in trials])
    distance = np.linalg.norm(stacked.astype(float) - points, axis=2)
    choice = np.where(np.isnan(distance), np.inf, distance).argmin(axis=0)
    return stacked[choice, np.arange(len(points))]
