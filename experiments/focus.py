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
import time

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
    """All nodes of one depth. The children of its k-th split are nodes 2k and 2k + 1 below."""

    values: np.ndarray  # of leaves; 0 for splits
    splits: np.ndarray  # places of the splits among the nodes
    feature: np.ndarray  # of each split
    threshold: np.ndarray
    of_feature: np.ndarray  # 1 where a split reads the feature: features x splits


class SoftTrees:
    """A binary XGBoost model whose splits are sigmoids. Inside, a row is a node, a column a point."""

    def __init__(self, booster, dtype=np.float32):
        learner = json.loads(bytes(booster.save_raw("json")))["learner"]
        trees = learner["gradient_booster"]["model"]["trees"]
        features = int(learner["learner_model_param"]["num_feature"])
        self.dtype = dtype
        self.levels = []
        nodes = [(tree, 0) for tree in trees]
        while nodes:
            splits = [at for at, (tree, node) in enumerate(nodes)
                      if tree["left_children"][node] >= 0]
            # XGBoost keeps the value of a leaf where a split has its threshold.
            numbers = np.array([tree["split_conditions"][node] for tree, node in nodes], dtype)
            feature = np.array([nodes[at][0]["split_indices"][nodes[at][1]] for at in splits], int)
            values = numbers.copy()
            values[splits] = 0
            self.levels.append(Level(
                values[:, None], np.array(splits, int), feature, numbers[splits][:, None],
                (np.arange(features)[:, None] == feature).astype(dtype)))
            nodes = [(nodes[at][0], nodes[at][0][side][nodes[at][1]]) for at in splits
                     for side in ("left_children", "right_children")]
        zeros = np.zeros((1, features), dtype=np.float32)
        self.base = 0.0  # what remains when the leaves are subtracted, just below
        hard = [(zeros.T[level.feature] >= level.threshold).astype(dtype) for level in self.levels]
        self.base = float(booster.inplace_predict(zeros, predict_type="margin")[0]) - float(
            self._expect(hard)[0][0])

    def _shares(self, points, sigma):
        """What each split sends to the right."""
        columns = np.asarray(points, dtype=self.dtype).T
        with np.errstate(over="ignore"):  # exp(large) is inf, and the share 0
            return [1 / (1 + np.exp(sigma * (level.threshold - columns[level.feature])))
                    for level in self.levels]

    def _expect(self, shares):
        """(scores, for each level by how much the right side of its splits is expected higher)."""
        below = np.zeros((0, shares[0].shape[1]), dtype=self.dtype)
        leads = []
        for level, share in zip(reversed(self.levels), reversed(shares), strict=True):
            left, lead = below[0::2], below[1::2] - below[0::2]
            here = np.repeat(level.values, share.shape[1], axis=1)
            here[level.splits] = left + share * lead
            leads.append(lead)
            below = here
        return below.sum(axis=0) + self.base, leads[::-1]

    def score(self, points, sigma):
        """The smooth raw score of each point."""
        return self._expect(self._shares(points, sigma))[0]

    def gradient(self, points, sigma):
        """(smooth raw scores, their gradients): a row for each point."""
        shares = self._shares(points, sigma)
        scores, leads = self._expect(shares)
        slopes = np.zeros((len(self.levels[0].of_feature), len(points)), dtype=self.dtype)
        reach = np.ones((len(self.levels[0].values), len(points)), dtype=self.dtype)
        for level, share, lead in zip(self.levels, shares, leads, strict=True):
            above = reach[level.splits]
            right = above * share
            slopes += level.of_feature @ (sigma * right * (1 - share) * lead)
            reach = np.empty((2 * len(above), len(points)), dtype=self.dtype)
            reach[0::2], reach[1::2] = above - right, right
        return scores, slopes.T


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
    seconds: float = 0.0  # of the processor


def tune(trees, predict, points, trials, seed, keep=None, **options):
    """Tries settings on these very points, as its authors do; (the best trial, all trials).

    The best finds most counterfactuals, and of those settings the one with the least mean distance.
    `seed` is a number or several. `keep(settings, ask)`, if given, is `ask()` or an earlier answer
    to it: points and seconds.
    """
    random = np.random.default_rng(seed)
    done = []
    for _ in range(trials):
        settings = draw(random)

        def ask(settings=settings):
            begin = time.process_time()
            found = search(trees, predict, points, settings, **options)
            return found, time.process_time() - begin

        found, spent = keep(settings, ask) if keep else ask()
        distance = np.linalg.norm(found.astype(float) - points, axis=1)
        there = np.isfinite(distance)
        done.append(Trial(settings, found, int(there.sum()),
                          float(distance[there].mean()) if there.any() else np.inf,
                          float(spent)))
    return min(done, key=lambda trial: (-trial.found, trial.distance)), done


def nearest_of_all(points, trials):
    """For each row the nearest point of any trial: more than any one setting reaches."""
    stacked = np.stack([trial.points for trial in trials])
    distance = np.linalg.norm(stacked.astype(float) - points, axis=2)
    choice = np.where(np.isnan(distance), np.inf, distance).argmin(axis=0)
    return stacked[choice, np.arange(len(points))]
