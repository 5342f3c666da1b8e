"""Other tools that look for counterfactuals of an XGBoost classifier, each asked in its own way.

Each function takes a `Task` and gives (points, CPU seconds a row): float32 rows, NaN where the tool
found nothing or failed. What is valid is for the caller to check. All of them are optional:
`available` says which are installed.
"""

import contextlib
import dataclasses
import importlib.util
import io
import math
import random
import time
import warnings

import numpy as np


@dataclasses.dataclass
class Task:
    """A classifier of classes 0 and 1, what it was trained on, and the rows to explain."""

    model: object
    train: np.ndarray
    labels: np.ndarray
    rows: np.ndarray
    nodes: int = 2_000_000  # at most, of treecf's search; its own default

    def probabilities(self, rows):
        return self.model.predict_proba(np.asarray(rows, dtype=np.float32))

    def now(self):
        return self.model.predict(self.rows).astype(int)


def each(task, answer):
    """Asks about one row after the other; a failure is an answer, too."""
    points = np.full(task.rows.shape, np.nan, dtype=np.float32)
    seconds = np.zeros(len(points))
    for i, row in enumerate(task.rows):
        begin = time.process_time()
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                found = answer(i, row)
            except Exception:  # noqa: BLE001 - whatever goes wrong in a tool, it found nothing
                found = None
        seconds[i] = time.process_time() - begin
        if found is not None:
            points[i] = np.asarray(found, dtype=np.float32).ravel()
    return points, seconds


class _Classifier:
    """The classifier as DiCE calls it, with frames."""

    def __init__(self, task):
        self.task = task

    def predict_proba(self, frame):
        return self.task.probabilities(np.asarray(frame, dtype=np.float32))

    def predict(self, frame):
        return self.predict_proba(frame).argmax(axis=1)


def dice(task, method="genetic", seed=0):
    """DiCE: one counterfactual, by its genetic or its random method."""
    import dice_ml
    import pandas as pd

    names = [f"c{i}" for i in range(task.train.shape[1])]
    frame = pd.DataFrame(task.train.astype(float), columns=names)
    frame["class"] = task.labels.astype(int)
    data = dice_ml.Data(dataframe=frame, continuous_features=names, outcome_name="class")
    tool = dice_ml.Dice(data, dice_ml.Model(model=_Classifier(task), backend="sklearn"),
                        method=method)
    def answer(i, row):
        random.seed(seed + i)  # DiCE draws from both global generators
        np.random.seed(seed + i)
        more = {"random_seed": seed + i} if method == "random" else {}
        query = pd.DataFrame([row.astype(float)], columns=names)
        found = tool.generate_counterfactuals(query, total_CFs=1, desired_class="opposite", **more)
        table = found.cf_examples_list[0].final_cfs_df
        return None if table is None or not len(table) else table[names].iloc[0].to_numpy(float)
    return each(task, answer)


def nice(task, reward="proximity"):
    """NICE: from the nearest training row of the other class, as few of its values as will do."""
    from nice import NICE

    tool = NICE(task.probabilities, task.train.astype(float), cat_feat=[],
                y_train=task.labels.astype(int), optimization=reward, num_normalization="minmax")
    return each(task, lambda _, row: tool.explain(row.astype(float)[None]))


def treecf(task, seed=1):
    """treecf's exact search, L1, with its warm start.

    It is limited by nodes alone: a limit by the clock would give it less on a busy machine. Its
    warm start is still one of at most 2 seconds by the clock.
    """
    from treecf import Counterfactual, Explainer, Target

    tool = Explainer(task.model.get_booster(), normalizers=np.ones(task.train.shape[1]))
    now = task.now()

    def answer(i, row):
        ends = (-math.inf, 0.0) if now[i] == 1 else (math.nextafter(0.0, math.inf), math.inf)
        found = tool.explain(row.astype(float), Target.raw(range=ends), backend="exact",
                             search="refine", time_budget_s=math.inf, node_budget=task.nodes,
                             warm_start=True, seed=seed)
        return found.x_cf if isinstance(found, Counterfactual) else None
    return each(task, answer)


TOOLS = {
    "DiCE, genetic": ("dice_ml", lambda task: dice(task, "genetic")),
    "DiCE, random": ("dice_ml", lambda task: dice(task, "random")),
    "NICE, proximity": ("nice", lambda task: nice(task, "proximity")),
    "NICE, sparsity": ("nice", lambda task: nice(task, "sparsity")),
    "treecf": ("treecf", treecf),
}
PACKAGES = {"dice_ml": "dice-ml", "nice": "NICEx", "treecf": "treecf"}


def available():
    """(tools that are installed, names of the packages that are not)."""
    there = {module for module in PACKAGES if importlib.util.find_spec(module) is not None}
    tools = {name: ask for name, (module, ask) in TOOLS.items() if module in there}
    return tools, sorted(PACKAGES[module] for module in set(PACKAGES) - there)
