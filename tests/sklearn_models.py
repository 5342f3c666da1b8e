"""Random scikit-learn models of every kind that Boxwood takes, for sklearn_live_test.py.

A model comes with points as Boxwood reads them (categories as codes), with a function that turns
points into what scikit-learn takes, and with functions that ask scikit-learn for raw scores and
outputs.
"""

import dataclasses
from collections.abc import Callable

import numpy as np
import pandas as pd
import sklearn
from sklearn import ensemble, tree
from sklearn.ensemble._iforest import _average_path_length

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
LABELS = [[0, 1, 2, 3], [-7, 3, 12, 40], ["no", "yes", "perhaps", "été"], [1.0, 2.0, 3.0, 4.0],
          [False, True]]


@dataclasses.dataclass
class Drawn:
    """A fitted model and how to ask it."""

    model: object
    points: np.ndarray
    raw: Callable | None
    outputs: Callable
    as_seen: Callable
    text: str
    categorical: list = dataclasses.field(default_factory=list)

    def accepts(self, value):
        """Whether predict takes a value; some models refuse NaN or infinities."""
        row = np.full((1, self.points.shape[1]), value)
        row[:, self.categorical] = 0.0
        try:
            self.outputs(self.as_seen(row))
        except ValueError:
            return False
        return True

    def __post_init__(self):
        self.missing = self.accepts(np.nan)
        self.infinities = self.accepts(np.inf)


def raw_scores(drawn, points):
    """scikit-learn's raw scores, one row a point."""
    return np.asarray(drawn.raw(drawn.as_seen(points)), dtype=np.float64).reshape(len(points), -1)


def make_data(rng, missing):
    rows, width = int(rng.integers(40, 250)), int(rng.integers(2, 7))
    x = rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-3, 4, size=width)
    for feature in range(width):
        if rng.random() < 0.4:
            x[:, feature] = rng.integers(0, 8, size=rows)
    score = (x / (np.abs(x).mean(axis=0) + 1e-9)) @ rng.normal(size=width)
    if missing and rng.random() < 0.6:
        x[rng.random(x.shape) < rng.choice([0.05, 0.4])] = np.nan
        x[0] = 0.0  # one row at least is whole
    return x, score + rng.normal(size=rows)


def make_classes(rng, score, most=4):
    labels = list(LABELS[int(rng.integers(len(LABELS)))])
    count = min(len(labels), int(rng.integers(2, most + 1)))
    edges = np.quantile(score, np.arange(1, count) / count)
    return np.array(labels[:count])[np.digitize(score, edges)]


def weights(rng, rows):
    return rng.choice([None, "some"]) and rng.integers(1, 4, size=rows) * rng.choice([1.0, 0.1])


def tree_settings(rng):
    settings = {"max_depth": int(rng.integers(1, 7)), "random_state": int(rng.integers(1 << 30))}
    if rng.random() < 0.3:
        settings["max_leaf_nodes"] = int(rng.integers(2, 20))
    if rng.random() < 0.3:
        settings["ccp_alpha"] = float(rng.choice([1e-4, 0.01]))
    return settings


def monotonic(rng, width):
    if VERSION < (1, 4) or rng.random() < 0.7:
        return {}
    return {"monotonic_cst": [int(sign) for sign in rng.integers(-1, 2, size=width)]}


def numbers_of(rng, score):
    if rng.random() < 0.3:
        return np.column_stack([score, -2 * score**2, np.sin(score)])
    return score


def fit_plain(rng, model, x, y, raw, outputs, weighted=True):
    """Fits to an array, or to a table with names."""
    named = rng.random() < 0.4
    names = [f"column{i}" for i in range(x.shape[1])]

    def as_seen(points):
        return pd.DataFrame(points, columns=names) if named else points
    extra = {"sample_weight": weights(rng, len(x))} if weighted else {}
    model.fit(as_seen(x), y, **extra)
    return Drawn(model, x, raw and getattr(model, raw), getattr(model, outputs), as_seen,
                 f"{model!r}")


def draw_tree(rng):
    kind = str(rng.choice(["DecisionTree", "ExtraTree"]))
    x, score = make_data(rng, kind == "DecisionTree" or VERSION >= (1, 6))
    settings = tree_settings(rng) | ({} if np.isnan(x).any() else monotonic(rng, x.shape[1]))
    if rng.random() < 0.5:
        if "monotonic_cst" in settings:
            y = make_classes(rng, score, most=2)
        else:
            y = make_classes(rng, score)
        model = getattr(tree, f"{kind}Classifier")(
            criterion=str(rng.choice(["gini", "entropy"])), **settings)
        return fit_plain(rng, model, x, y, "predict_proba", "predict_proba")
    y = score if "monotonic_cst" in settings else numbers_of(rng, score)
    model = getattr(tree, f"{kind}Regressor")(**settings)
    return fit_plain(rng, model, x, y, "predict", "predict")


def draw_forest(rng):
    kind = str(rng.choice(["RandomForest", "ExtraTrees"]))
    first = (1, 4) if kind == "RandomForest" else (1, 6)
    x, score = make_data(rng, VERSION >= first)
    settings = tree_settings(rng) | {"n_estimators": int(rng.integers(1, 20))}
    if rng.random() < 0.5:
        y = make_classes(rng, score)
        settings["class_weight"] = rng.choice([None, "balanced"])
        model = getattr(ensemble, f"{kind}Classifier")(**settings)
        return fit_plain(rng, model, x, y, "predict_proba", "predict_proba")
    model = getattr(ensemble, f"{kind}Regressor")(**settings)
    return fit_plain(rng, model, x, numbers_of(rng, score), "predict", "predict")


def draw_bagging(rng):
    x, score = make_data(rng, missing=True)
    settings = {"n_estimators": int(rng.integers(1, 12)),
                "max_features": float(rng.choice([1.0, 0.6])),
                "max_samples": float(rng.choice([1.0, 0.2])),
                "bootstrap_features": bool(rng.integers(2)),
                "random_state": int(rng.integers(1 << 30))}
    inner = {"max_depth": int(rng.integers(1, 6))}
    if rng.random() < 0.5:
        y = make_classes(rng, score)
        model = ensemble.BaggingClassifier(tree.DecisionTreeClassifier(**inner), **settings)
        return fit_plain(rng, model, x, y, "predict_proba", "predict_proba", weighted=False)
    model = ensemble.BaggingRegressor(tree.DecisionTreeRegressor(**inner), **settings)
    return fit_plain(rng, model, x, score, "predict", "predict", weighted=False)


def draw_gradient_boosting(rng):
    x, score = make_data(rng, missing=False)
    settings = {"n_estimators": int(rng.integers(1, 15)), "max_depth": int(rng.integers(1, 5)),
                "learning_rate": float(rng.uniform(0.05, 1)),
                "subsample": float(rng.choice([1, 0.7])),
                "init": rng.choice([None, "zero"]), "random_state": int(rng.integers(1 << 30))}
    if rng.random() < 0.3:
        settings.update(n_iter_no_change=2, validation_fraction=0.3)
    if rng.random() < 0.5:
        y = make_classes(rng, score)
        loss = "log_loss"
        if len(np.unique(y)) == 2:
            loss = str(rng.choice(["log_loss", "exponential"]))
        model = ensemble.GradientBoostingClassifier(loss=loss, **settings)
        return fit_plain(rng, model, x, y, "decision_function", "predict_proba")
    loss = str(rng.choice(["squared_error", "absolute_error", "huber", "quantile"]))
    model = ensemble.GradientBoostingRegressor(loss=loss, **settings)
    return fit_plain(rng, model, x, score, "predict", "predict")


def draw_ada_boost(rng):
    x, score = make_data(rng, missing=False)
    y = make_classes(rng, score)
    settings = {}
    if VERSION < (1, 6):
        settings["algorithm"] = str(rng.choice(["SAMME", "SAMME.R"]))
    # A stump can be worse than chance where there are many classes: then AdaBoost does not fit.
    model = ensemble.AdaBoostClassifier(
        tree.DecisionTreeClassifier(max_depth=int(rng.integers(2, 5))),
        n_estimators=int(rng.integers(1, 15)), learning_rate=float(rng.choice([1.0, 0.3])),
        random_state=int(rng.integers(1 << 30)), **settings)
    drawn = fit_plain(rng, model, x, y, "decision_function", "predict_proba")
    if settings.get("algorithm") == "SAMME.R" and len(model.classes_) == 2:
        drawn.raw = None  # Boxwood keeps a score for each class, scikit-learn their difference
    return drawn


def isolation_lengths(model, x):
    """What IsolationForest raises two to the power of: scikit-learn itself does not return it."""
    x = np.asarray(x, dtype=np.float32)
    total = np.zeros(len(x))
    for fitted, columns in zip(model.estimators_, model.estimators_features_):
        seen = x[:, columns]
        leaf = fitted.tree_.apply(seen)
        # decision_path would do, but for NaN in 1.6 and 1.7
        steps = fitted.tree_.compute_node_depths()[leaf]
        total += steps + _average_path_length(fitted.tree_.n_node_samples[leaf]) - 1.0
    return total / (len(model.estimators_) * _average_path_length([model._max_samples]))


def draw_isolation_forest(rng):
    x, _ = make_data(rng, missing=False)
    model = ensemble.IsolationForest(
        n_estimators=int(rng.integers(1, 20)), max_samples=int(rng.integers(2, len(x))),
        max_features=float(rng.choice([1.0, 0.6])), random_state=int(rng.integers(1 << 30)))
    drawn = fit_plain(rng, model, x, None, None, "score_samples", weighted=False)
    drawn.raw = lambda rows: isolation_lengths(model, rows)
    return drawn


def make_categories(rng, x):
    """Replaces some columns by categories: points hold codes, `as_seen` what they stand for."""
    words = VERSION >= (1, 4) and rng.random() < 0.6
    columns = [c for c in range(x.shape[1] - 1) if rng.random() < 0.6]
    names = [f"column{i}" for i in range(x.shape[1])]
    labels = {}
    for column in columns:
        count = int(rng.integers(2, 12))
        codes = np.arange(count) if words else np.sort(rng.choice(100, count, replace=False))
        missing = np.isnan(x[:, column])
        x[:, column] = np.where(missing, np.nan, rng.choice(codes, len(x)))
        x[:count, column] = codes[: len(x)]  # all of them occur
        labels[column] = {code: f"word{code:03}" for code in codes.tolist()}
    if not words:
        mask = [column in columns for column in range(x.shape[1])]
        return {"categorical_features": mask if columns else None}, lambda points: points, columns

    def as_seen(points):
        table = pd.DataFrame(np.array(points, dtype=np.float64), columns=names)
        for column in columns:
            known = labels[column]
            cells = [np.nan if np.isnan(value) else known.get(value, "never seen")
                     for value in points[:, column]]
            table[names[column]] = pd.Series(cells, dtype=object).astype("category")
        return table
    by_dtype = VERSION >= (1, 4) and rng.random() < 0.5
    chosen = "from_dtype" if by_dtype else [names[column] for column in columns] or None
    return {"categorical_features": chosen}, as_seen, columns


def draw_hist_gradient_boosting(rng):
    x, score = make_data(rng, missing=True)
    settings, as_seen, categorical = make_categories(rng, x)
    score = score + np.nan_to_num(x[:, 0] % 3) * np.std(score)
    settings |= {"max_iter": int(rng.integers(1, 12)), "min_samples_leaf": int(rng.integers(1, 20)),
                 "max_leaf_nodes": int(rng.integers(2, 20)),
                 "learning_rate": float(rng.uniform(0.05, 1)),
                 "max_bins": int(rng.choice([16, 255])) if not settings["categorical_features"]
                 else 255,
                 "early_stopping": bool(rng.integers(2)),
                 "random_state": int(rng.integers(1 << 30))}
    if rng.random() < 0.3:
        settings["interaction_cst"] = "no_interactions"
    if rng.random() < 0.3 and not settings["categorical_features"]:
        settings["monotonic_cst"] = [int(s) for s in rng.integers(-1, 2, size=x.shape[1])]
    extra = {"sample_weight": weights(rng, len(x))}
    if rng.random() < 0.5:
        y = make_classes(rng, score)
        if len(np.unique(y)) > 2:
            settings.pop("monotonic_cst", None)
        model = ensemble.HistGradientBoostingClassifier(**settings).fit(as_seen(x), y, **extra)
        return Drawn(model, x, model.decision_function, model.predict_proba, as_seen, f"{model!r}",
                     categorical)
    loss = str(rng.choice(["squared_error", "absolute_error", "quantile", "poisson", "gamma"]))
    y = np.exp(np.clip(score / np.std(score), -3, 3)) if loss in ("poisson", "gamma") else score
    settings |= {"loss": loss, "quantile": 0.3 if loss == "quantile" else None}
    model = ensemble.HistGradientBoostingRegressor(**settings).fit(as_seen(x), y, **extra)
    return Drawn(model, x, model._raw_predict, model.predict, as_seen, f"{model!r}", categorical)


KINDS = [draw_tree, draw_forest, draw_bagging, draw_gradient_boosting, draw_ada_boost,
         draw_isolation_forest, draw_hist_gradient_boosting, draw_hist_gradient_boosting]


def draw_model(rng, index):
    """A fitted model; the kinds take turns."""
    return KINDS[index % len(KINDS)](rng)
