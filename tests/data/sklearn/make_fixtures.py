"""Writes the model files in tests/data/sklearn/<version> and what scikit-learn says of them.

    python tests/data/sklearn/make_fixtures.py tests/data/sklearn

Each model is written by boxwood.save_model. Beside it is a file with points, raw scores, outputs
and classes as scikit-learn gives them; numbers are hexadecimal, so that every bit is there.
sklearn_fixtures_test.cpp reads them all.
"""

import json
import pathlib
import sys
import warnings

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[2] / "python"), str(FOLDER.parents[1])]

import boxwood
import numpy as np
import sklearn
from sklearn import ensemble, tree
from sklearn_models import VERSION, isolation_lengths

warnings.filterwarnings("ignore")


def make_data(missing=0.0, rows=120, seed=7):
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=rows) * 100, rng.integers(0, 6, size=rows),
                         rng.integers(0, 2, size=rows), rng.normal(size=rows) / 1000])
    score = x[:, 0] / 50 + (x[:, 1] % 3) + x[:, 2] * 1000 * x[:, 3] + rng.normal(size=rows) / 2
    x[rng.random(x.shape) < missing] = np.nan
    return x, score


def splits_of(document):
    return sorted({(entry["feature"][node], float(entry["threshold"][node]))
                   for entry in document["trees"]
                   for node, kind in enumerate(entry["kind"]) if kind == "<="})


def probes(x, document, missing, infinities):
    """Rows of the data, every threshold with its neighbours, and what is unusual."""
    rng = np.random.default_rng(11)
    real = np.float64 if document["input"] == "float64" else np.float32
    rows = list(x[:6])

    def put(feature, value):
        row = x[rng.integers(len(x))].copy()
        row[feature] = value
        rows.append(row)
    for feature, threshold in splits_of(document)[:10]:
        for side in (-np.inf, threshold, np.inf):
            put(feature, float(np.nextafter(real(threshold), real(side))))
    values = [0.0, -0.0, 4.0, 77.0, -2.0] + [np.nan] * missing
    numbers = [1e-45, 1e30] + [np.inf, -np.inf] * infinities
    for feature, entry in enumerate(document["features"]):
        for value in values + (numbers if entry["kind"] == "continuous" else []):
            put(feature, value)
    points = np.array(rows)
    if not infinities:
        points = points[~np.isinf(points).any(axis=1)]
    return points if missing else points[~np.isnan(points).any(axis=1)]


def in_hex(numbers):
    numbers = np.asarray(numbers, dtype=np.float64)
    return [[float(value).hex() for value in row] for row in numbers.reshape(len(numbers), -1)]


def record(folder, name, model, x, raw, outputs, missing=False, infinities=False, seen=None):
    """Saves a model and what it says; `raw` and `outputs` ask it about points."""
    boxwood.save_model(model, folder / f"{name}.json")
    document = json.loads((folder / f"{name}.json").read_bytes())
    points = probes(x, document, missing, infinities)
    seen = points if seen is None else seen(points)
    exact = document["link"] in ("identity", "votes")
    expected = {"ulps": 0 if exact else 8, "points": in_hex(points), "scores": in_hex(raw(seen)),
                "outputs": [] if outputs is None else in_hex(outputs(seen)),
                "classes": [str(label) for label in model.predict(seen)]
                if document["classes"] else []}
    text = json.dumps(expected, separators=(",", ":"), ensure_ascii=False)
    (folder / f"{name}.expected").write_text(text + "\n", encoding="utf-8")


def write_classic(folder):
    x, score = make_data()
    holed, holed_score = make_data(missing=0.2, seed=8)
    binary, three = score > 1, np.digitize(score, [0.0, 2.0])
    words = np.array(["poor", "fair", "good"])[np.digitize(holed_score, [0.0, 2.0])]
    weights = 1 + np.arange(len(x)) % 3 / 10
    small = {"max_depth": 3, "random_state": 1}
    few = small | {"n_estimators": 5}

    def save_classifier(name, model, rows, labels, **flags):
        model.fit(rows, labels, sample_weight=weights)
        record(folder, name, model, rows, model.predict_proba, model.predict_proba, **flags)

    def save_regressor(name, model, rows, numbers, **flags):
        model.fit(rows, numbers)
        record(folder, name, model, rows, model.predict, model.predict, **flags)

    save_classifier("tree_classifier_missing", tree.DecisionTreeClassifier(**small), holed, words,
                    missing=True)
    save_regressor("tree_regressor_missing", tree.DecisionTreeRegressor(**small), holed,
                   holed_score, missing=True)
    save_regressor("tree_regressor_pruned",
                   tree.DecisionTreeRegressor(ccp_alpha=0.2, random_state=1), x, score)
    save_regressor("extra_tree_regressor_two_targets", tree.ExtraTreeRegressor(**small), x,
                   np.column_stack([score, -score]))
    save_classifier("random_forest_binary", ensemble.RandomForestClassifier(**few), x, binary)
    save_classifier("random_forest_three", ensemble.RandomForestClassifier(**few), x, three)
    save_classifier("extra_trees_three", ensemble.ExtraTreesClassifier(**few), x, three)
    save_regressor("random_forest_regressor", ensemble.RandomForestRegressor(**few), x, score)
    save_regressor("extra_trees_regressor_two_targets", ensemble.ExtraTreesRegressor(**few), x,
                   np.column_stack([score, score**2]))
    if VERSION >= (1, 4):
        save_classifier("random_forest_missing", ensemble.RandomForestClassifier(**few), holed,
                        words, missing=True)

    bag = {"n_estimators": 4, "max_features": 0.5, "random_state": 2}
    for name, labels in (("bagging_binary", binary), ("bagging_three", three)):
        model = ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=3), **bag)
        model.fit(x, labels)
        record(folder, name, model, x, model.predict_proba, model.predict_proba)
    save_regressor("bagging_regressor_missing",
                   ensemble.BaggingRegressor(tree.DecisionTreeRegressor(max_depth=3), **bag),
                   holed, holed_score, missing=True)
    isolation = ensemble.IsolationForest(n_estimators=6, max_samples=40, max_features=0.8,
                                         random_state=4).fit(x)
    record(folder, "isolation_forest", isolation, x,
           lambda rows: isolation_lengths(isolation, rows), isolation.score_samples)


def write_boosting(folder):
    x, score = make_data()
    binary, three = score > 1, np.digitize(score, [0.0, 2.0])
    few = {"n_estimators": 4, "max_depth": 2, "learning_rate": 0.3, "random_state": 1}
    for name, labels, settings in (("gradient_boosting_log_loss", binary, {}),
                                   ("gradient_boosting_exponential", binary,
                                    {"loss": "exponential"}),
                                   ("gradient_boosting_three", three, {"subsample": 0.6}),
                                   ("gradient_boosting_zero", three, {"init": "zero"})):
        model = ensemble.GradientBoostingClassifier(**few, **settings).fit(x, labels)
        record(folder, name, model, x, model.decision_function, model.predict_proba)
    for loss in ("squared_error", "absolute_error", "huber", "quantile"):
        model = ensemble.GradientBoostingRegressor(loss=loss, **few).fit(x, score)
        record(folder, f"gradient_boosting_{loss}", model, x, model.predict, model.predict)

    stump = tree.DecisionTreeClassifier(max_depth=2, random_state=1)
    old = {"algorithm": "SAMME"} if VERSION < (1, 6) else {}
    model = ensemble.AdaBoostClassifier(stump, n_estimators=6, random_state=1, **old).fit(x, binary)
    record(folder, "ada_boost_binary", model, x, model.decision_function, model.predict_proba)
    model = ensemble.AdaBoostClassifier(stump, n_estimators=6, random_state=1, **old).fit(x, three)
    record(folder, "ada_boost_three", model, x, model.decision_function, None)
    if VERSION < (1, 6):
        model = ensemble.AdaBoostClassifier(stump, n_estimators=4, random_state=1,
                                            algorithm="SAMME.R").fit(x, three)
        record(folder, "ada_boost_logarithms", model, x, model.decision_function, None)


def write_hist(folder):
    x, score = make_data()
    holed, holed_score = make_data(missing=0.2, seed=8)
    few = {"max_iter": 4, "max_leaf_nodes": 5, "min_samples_leaf": 5, "learning_rate": 0.3,
           "random_state": 1, "early_stopping": False}
    flags = {"missing": True, "infinities": True}
    categories = few | {"categorical_features": [False, True, True, False]}
    positive = np.exp(score / 3)
    for name, rows, labels, settings in (
            ("hist_binary_missing", holed, holed_score > 1, few),
            ("hist_binary_categories", holed, holed_score > 1, categories),
            ("hist_three_categories", x, np.digitize(score, [0.0, 2.0]), categories)):
        model = ensemble.HistGradientBoostingClassifier(**settings).fit(rows, labels)
        record(folder, name, model, rows, model.decision_function, model.predict_proba, **flags)
    for loss in ("squared_error", "absolute_error", "quantile", "poisson", "gamma"):
        level = {"quantile": 0.3} if loss == "quantile" else {}
        model = ensemble.HistGradientBoostingRegressor(loss=loss, **level, **categories)
        model.fit(x, positive)
        record(folder, f"hist_{loss}", model, x, model._raw_predict, model.predict, **flags)
    if VERSION >= (1, 4):
        write_words(folder, few)


def write_words(folder, settings):
    """Categories that are words: the file holds their numbers, as 1.4 and newer give them."""
    import pandas as pd

    x, score = make_data(seed=9)
    words = np.array(["flat", "house", "none", "other", "room", "tent"])

    def seen(points):
        table = pd.DataFrame(points, columns=["income", "home", "loan", "rate"])
        known = {float(code): word for code, word in enumerate(words)}
        home = [np.nan if np.isnan(value) else known.get(value, "boat") for value in points[:, 1]]
        table["home"] = pd.Series(home, dtype=object).astype("category")
        return table
    model = ensemble.HistGradientBoostingClassifier(categorical_features="from_dtype", **settings)
    model.fit(seen(x), score > 1)
    record(folder, "hist_words", model, x, model.decision_function, model.predict_proba,
           missing=True, infinities=True, seen=seen)


def main():
    folder = pathlib.Path(sys.argv[1]) / sklearn.__version__
    folder.mkdir(parents=True, exist_ok=True)
    write_classic(folder)
    write_boosting(folder)
    write_hist(folder)
    files = list(folder.iterdir())
    print(f"{folder}: {len(files)} files, {sum(file.stat().st_size for file in files)} bytes")


if __name__ == "__main__":
    main()
