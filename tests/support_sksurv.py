"""The cases of scikit-survival for support_live_test.py."""

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "sksurv"
TITLE = "scikit-survival"
RECORDED = True
KEPT = ("estimators_", "tree_", "children_left", "children_right", "feature", "threshold", "value",
        "missing_go_to_left", "is_event_time_", "low_memory", "n_features_in_")
SMALL = {"max_depth": 3, "random_state": 1}


def data():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(100, 3)).astype(np.float32)
    times = np.exp(x[:, 0] - x[:, 1] / 2 + rng.normal(size=100) / 4).round(1)
    return x, rng.random(100) < 0.7, times


def trees_of(model):
    return [part.tree_ for part in getattr(model, "estimators_", [model])]


def trained(module, name, **more):
    def live():
        import importlib

        from sksurv.util import Surv
        x, happened, times = data()
        holed = x.copy()
        holed[::7, 2] = np.nan
        model = getattr(importlib.import_module(f"sksurv.{module}"), name)(**SMALL | more).fit(
            holed if module == "tree" else x, Surv.from_arrays(happened, times))
        if not hasattr(model, "predict"):
            return model, [], [], []
        own = [[number for tree in trees_of(model) for number, feature in zip(
            tree.threshold, tree.feature, strict=True) if feature == i] or [0.0] for i in range(3)]
        columns = [neighbours(several, single=True) for several in own]
        if module == "tree":
            columns[2] = [*columns[2], None]
        rows = rows_around(columns, 40)
        # One row at a time: numpy adds up the hazards of several rows in another order.
        scores = [model.predict(np.array([[np.nan if value is None else value for value in row]]))
                  for row in rows]
        return model, ["f0", "f1", "f2"], rows, np.concatenate(scores)
    return live


def refused(module, name):
    def live():
        import importlib

        from sksurv.util import Surv
        x, happened, times = data()
        model = getattr(importlib.import_module(f"sksurv.{module}"), name)(n_estimators=2)
        return model.fit(x, Surv.from_arrays(happened, times)), [], [], []
    return live


CASES = [
    case(FAMILY, "risk scores", "SurvivalTree", trained("tree", "SurvivalTree"), KEPT),
    case(FAMILY, "risk scores", "RandomSurvivalForest",
         trained("ensemble", "RandomSurvivalForest", n_estimators=3, n_jobs=1), KEPT),
    case(FAMILY, "risk scores", "ExtraSurvivalTrees",
         trained("ensemble", "ExtraSurvivalTrees", n_estimators=3, n_jobs=1), KEPT),
    case(FAMILY, "risk scores", "low_memory",
         trained("ensemble", "RandomSurvivalForest", n_estimators=3, n_jobs=1, low_memory=True), KEPT),
    case(FAMILY, "others", "boosting", refused("ensemble", "GradientBoostingSurvivalAnalysis"), (),
         "GradientBoostingSurvivalAnalysis of scikit-survival is not supported"),
]
