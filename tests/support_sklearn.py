"""The cases of scikit-learn for support_live_test.py: what boxwood.save_model writes."""

import json
import pathlib
import sys

import numpy as np
from support_case import Case, Sample, kept_sklearn

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))

FAMILY = "scikit-learn"
LIBRARY = FOLDER = "sklearn"
RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
X[:, 2] = RNG.integers(0, 6, size=90)
SCORE = X[:, 0] - X[:, 1] + np.isin(X[:, 2], [1, 4]) * 2
UP = (SCORE > 0).astype(int)
WORDS = np.array(["bad", "fair", "good"])[np.digitize(SCORE, [-0.5, 0.8])]
POSITIVE = np.exp(np.clip(SCORE, -2, 2))
TARGETS = np.column_stack([SCORE, -SCORE])
HOLED = X.copy()
HOLED[RNG.random(X.shape) < 0.2] = np.nan
HOLES = np.vstack([HOLED[:30], np.full((1, 3), np.nan)])
# Categories that training did not see, negative and missing ones.
ODD = np.repeat(X[:1], 4, axis=0)
ODD[:, 2] = [6, 77, -1, np.nan]
SMALL = {"max_depth": 3, "random_state": 1}
FEW = SMALL | {"n_estimators": 4}
HIST = {"max_iter": 4, "max_leaf_nodes": 5, "min_samples_leaf": 5, "random_state": 1,
        "early_stopping": False}


def version():
    import sklearn
    return tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def build(path, **settings):
    """A model by the name of its class: ensemble.RandomForestClassifier and the like."""
    import importlib
    module, name = path.split(".")
    return getattr(importlib.import_module(f"sklearn.{module}"), name)(**settings)


def converted(model, rows, scores):
    import boxwood
    data = boxwood.model_bytes(model)
    names = [entry["name"] for entry in json.loads(data)["features"]]
    return Sample(data, names, rows, np.asarray(scores, dtype=np.float64).reshape(len(rows), -1))


def case(group, path, label, raw, rows=X, x=X, name=None, **settings):
    def make():
        model = build(path, **settings).fit(x, label)
        return converted(model, rows, getattr(model, raw)(rows))
    return Case(FAMILY, group, name or path.split(".")[1], make)


def refused(group, make_model, name, message):
    def make():
        import boxwood
        return Sample(boxwood.model_bytes(make_model()))
    return Case(FAMILY, group, name, make, message)


def of_trees(path, label, raw, name=None):
    def make():
        inner = build("tree.DecisionTreeClassifier" if "Classifier" in path else
                      "tree.DecisionTreeRegressor", max_depth=3)
        more = {"algorithm": "SAMME"} if "AdaBoost" in path and version() < (1, 6) else {}
        if "Bagging" in path:
            more["max_features"] = 0.7
        model = build(path, estimator=inner, n_estimators=4, random_state=1, **more).fit(X, label)
        return converted(model, X, getattr(model, raw)(X))
    group = "boosting" if "AdaBoost" in path else "averages"
    return Case(FAMILY, group, name or path.split(".")[1], make)


def isolation():
    from sklearn_models import isolation_lengths
    model = build("ensemble.IsolationForest", n_estimators=4, random_state=1).fit(X)
    return converted(model, X, isolation_lengths(model, X))


def piped(step):
    forest = build("ensemble.RandomForestRegressor", **FEW)
    return build("pipeline.Pipeline", steps=[("first", step), ("last", forest)]).fit(X, SCORE)


def scaled():
    model = piped(build("preprocessing.StandardScaler"))
    return converted(model, X, model.predict(X))


def searched(path):
    settings = {"param_grid": {}} if path.endswith("GridSearchCV") else \
        {"param_distributions": {"max_depth": [2, 3]}, "n_iter": 2}
    model = build(path, estimator=stump(), cv=2, **settings).fit(X, WORDS)
    return converted(model, X, model.predict_proba(X))


def frozen():
    model = build("frozen.FrozenEstimator", estimator=stump().fit(X, WORDS)).fit(X, WORDS)
    return converted(model, X, model.predict_proba(X))


def raw_of(model, rows):
    """The raw scores of all members."""
    parts = []
    for one in getattr(model, "calibrated_classifiers_", None) or model.estimators_:
        inner = getattr(one, "estimator", one)
        inner = inner if hasattr(inner, "predict") and hasattr(inner, "n_features_in_") else one
        says = inner.decision_function if hasattr(inner, "decision_function") else \
            getattr(inner, "predict_proba", inner.predict)
        parts.append(np.asarray(says(rows), dtype=np.float64).reshape(len(rows), -1))
    return np.hstack(parts)


def members(kind="Classifier"):
    return [("a", build(f"tree.DecisionTree{kind}", **SMALL)),
            ("b", build(f"ensemble.GradientBoosting{kind}", **FEW))]


def wrapped(name, make, label=WORDS):
    def of():
        model = make().fit(X, label)
        return converted(model, X, raw_of(model, X))
    return Case(FAMILY, "wrappers", name, of)


def averaged():
    inside = build("calibration.CalibratedClassifierCV", estimator=members()[1][1], cv=2)
    model = build("ensemble.VotingClassifier", estimators=[("c", inside), members()[0]], voting="soft").fit(X, UP)
    own = [one.estimator.decision_function(X) for one in model.estimators_[0].calibrated_classifiers_]
    return converted(model, X, np.column_stack([*own, model.estimators_[1].predict_proba(X)]))


def thresholded():
    model = build("model_selection.FixedThresholdClassifier", threshold=0.3,
                  estimator=build("ensemble.RandomForestClassifier", **FEW)).fit(X, UP)
    return converted(model, X, model.estimator_.predict_proba(X))


def transformed(transformer=None, **settings):
    if transformer:
        settings["transformer"] = build(f"preprocessing.{transformer}")
    inside = build("ensemble.GradientBoostingRegressor", **FEW)
    if settings.get("inverse_func") is np.square:  # needs a model whose predictions cannot be negative
        inside = build("ensemble.RandomForestRegressor", **FEW)
    model = build("compose.TransformedTargetRegressor", **settings, regressor=inside).fit(X, POSITIVE)
    return converted(model, X, model.regressor_.predict(X))


def several_targets():
    model = build("multioutput.MultiOutputRegressor",
                  estimator=build("ensemble.GradientBoostingRegressor", **FEW)).fit(X, TARGETS)
    return converted(model, X, model.predict(X))


TRANSFORMED = {"log1p, expm1": {"func": np.log1p, "inverse_func": np.expm1},
               "sqrt, square": {"func": np.sqrt, "inverse_func": np.square},
               "log, exp": {"func": np.log, "inverse_func": np.exp},
               "StandardScaler": {"transformer": "StandardScaler"},
               "RobustScaler": {"transformer": "RobustScaler"},
               "MinMaxScaler": {"transformer": "MinMaxScaler"},
               "MaxAbsScaler": {"transformer": "MaxAbsScaler"},
               "QuantileTransformer": {"transformer": "QuantileTransformer"}}


def stump():
    return build("tree.DecisionTreeClassifier", max_depth=1)


def linear():
    return build("linear_model.LinearRegression")


HOLED_NUMBERS = {"x": HOLED, "rows": HOLES}
CATEGORIES = {"categorical_features": [2], "rows": np.vstack([X[:30], HOLES, ODD])}
CLASSIFIERS = [("trees", "tree.DecisionTree", SMALL), ("trees", "tree.ExtraTree", SMALL),
               ("averages", "ensemble.RandomForest", FEW), ("averages", "ensemble.ExtraTrees", FEW)]
REFUSED = [
    ("trees", lambda: stump().fit(X, np.column_stack([UP, 1 - UP])), "classifiers of several targets",
     "this DecisionTreeClassifier predicts several targets at once, which is not supported"),
    ("trees", lambda: stump().fit(X, np.ones(len(X))), "classifiers of one class",
     "this DecisionTreeClassifier was fitted with a single class, so it has no other outcome"),
    ("boosting", lambda: build("ensemble.GradientBoostingRegressor", n_estimators=2,
                               init=build("dummy.DummyRegressor")).fit(X, SCORE), "init estimators",
     "this GradientBoostingRegressor starts from a custom initial model, init=DummyRegressor"),
    ("boosting", lambda: build("ensemble.AdaBoostRegressor", n_estimators=2).fit(X, SCORE),
     "AdaBoostRegressor", "AdaBoostRegressor predicts the weighted median of its trees, which is not a sum"),
    ("boosting", lambda: build("ensemble.AdaBoostClassifier", n_estimators=2,
                               estimator=build("linear_model.LogisticRegression")).fit(X, UP),
     "AdaBoostClassifier over other models",
     "this AdaBoostClassifier is built of LogisticRegression, not of trees"),
    ("wrappers", lambda: build("ensemble.VotingRegressor", estimators=[("a", linear())]).fit(X, SCORE),
     "Voting, Bagging and calibration of models without trees",
     "VotingRegressor: LinearRegression is not one of scikit-learn's tree models"),
    ("wrappers", lambda: build("calibration.CalibratedClassifierCV", cv=2, estimator=build(
        "ensemble.VotingClassifier", voting="soft", estimators=[("b", stump())])).fit(X, UP),
     "calibrations of averages",
     "this CalibratedClassifierCV is built of VotingClassifier, which is itself made of several models"),
    ("wrappers", lambda: build("ensemble.StackingClassifier", cv=2, estimators=[("a", stump())],
                               final_estimator=stump()).fit(X, UP), "stacks with trees on top",
     "this StackingClassifier has a DecisionTreeClassifier on top"),
    ("wrappers", lambda: build("ensemble.StackingClassifier", cv=2, estimators=[("a", stump())],
                               passthrough=True).fit(X, UP), "stacks with passthrough=True",
     "this StackingClassifier gives the raw columns to its last model too"),
    ("others", lambda: piped(build("decomposition.PCA")), "pipelines that mix columns",
     'pipeline, step "first": PCA mixes input columns'),
    ("wrappers", lambda: build("model_selection.GridSearchCV", estimator=stump(), param_grid={}),
     "searches without a best model", "this GridSearchCV has no best_estimator_"),
    ("others", lambda: build("multioutput.MultiOutputClassifier", estimator=stump()),
     "files of a MultiOutputClassifier",
     "MultiOutputClassifier holds one model for each target, and this needs one model"),
    ("wrappers", lambda: build("compose.TransformedTargetRegressor", func=np.arcsinh, inverse_func=np.sinh,
                               regressor=build("tree.DecisionTreeRegressor", **SMALL)).fit(X, SCORE),
     "TransformedTargetRegressor with other functions",
     "this TransformedTargetRegressor transforms its predictions by sinh"),
    ("wrappers", lambda: build("compose.TransformedTargetRegressor", func=np.sqrt, inverse_func=np.square,
                               regressor=build("ensemble.GradientBoostingRegressor", **FEW)).fit(X, POSITIVE),
     "TransformedTargetRegressor (sqrt, square) of sums that may be negative",
     "transforms its predictions by square, and nothing in its model says that they cannot be negative"),
    ("others", lambda: build("ensemble.RandomTreesEmbedding", n_estimators=2).fit(X),
     "RandomTreesEmbedding", "RandomTreesEmbedding transforms data and predicts nothing"),
    ("others", lambda: linear().fit(X, SCORE), "models without trees",
     "LinearRegression is not one of scikit-learn's tree models"),
]
CASES = [
    *(case(group, f"{path}Classifier", WORDS, "predict_proba", **settings)
      for group, path, settings in CLASSIFIERS),
    *(case(group, f"{path}Regressor", SCORE, "predict", **settings)
      for group, path, settings in CLASSIFIERS),
    case("trees", "tree.DecisionTreeClassifier", UP, "predict_proba", name="missing values",
         **HOLED_NUMBERS, **SMALL),
    case("trees", "tree.DecisionTreeRegressor", TARGETS, "predict",
         name="several targets of a regressor", **SMALL),
    case("averages", "ensemble.RandomForestRegressor", TARGETS, "predict",
         name="several targets of a regressor", **FEW),
    of_trees("ensemble.BaggingClassifier", WORDS, "predict_proba"),
    of_trees("ensemble.BaggingRegressor", SCORE, "predict"),
    *(case("boosting", "ensemble.GradientBoostingClassifier", label, "decision_function",
           name=f"GradientBoostingClassifier ({name})", loss=loss, **FEW)
      for label, loss, name in ((UP, "log_loss", "log_loss"), (UP, "exponential", "exponential"),
                                (WORDS, "log_loss", "several classes"))),
    *(case("boosting", "ensemble.GradientBoostingRegressor", SCORE, "predict",
           name=f"GradientBoostingRegressor ({loss})", loss=loss, **FEW)
      for loss in ("squared_error", "absolute_error", "huber", "quantile")),
    case("boosting", "ensemble.GradientBoostingRegressor", SCORE, "predict", name='init="zero"',
         init="zero", **FEW),
    *(case("boosting", "ensemble.HistGradientBoostingClassifier", label, "decision_function",
           name=f"HistGradientBoostingClassifier ({name})", **HOLED_NUMBERS, **HIST)
      for label, name in ((UP, "log_loss"), (WORDS, "several classes"))),
    *(case("boosting", "ensemble.HistGradientBoostingRegressor", POSITIVE, "_raw_predict",
           name=f"HistGradientBoostingRegressor ({loss})", loss=loss,
           quantile=0.3 if loss == "quantile" else None, **HOLED_NUMBERS, **HIST)
      for loss in ("squared_error", "absolute_error", "quantile", "poisson", "gamma")),
    case("boosting", "ensemble.HistGradientBoostingClassifier", UP, "decision_function",
         name="categories of HistGradientBoosting", **CATEGORIES, **HIST),
    of_trees("ensemble.AdaBoostClassifier", UP, "decision_function", "AdaBoostClassifier (SAMME)"),
    of_trees("ensemble.AdaBoostClassifier", WORDS, "decision_function",
             "AdaBoostClassifier (SAMME, several classes)"),
    # Gone since 1.6.
    Case(FAMILY, "boosting", "AdaBoostClassifier (SAMME.R)",
         lambda: kept_sklearn("sklearn/1.3.2/ada_boost_logarithms.json")),
    Case(FAMILY, "others", "IsolationForest", isolation),
    *(Case(FAMILY, "wrappers", name, lambda name=name: searched(f"model_selection.{name}"))
      for name in ("GridSearchCV", "RandomizedSearchCV")),
    Case(FAMILY, "wrappers", "FrozenEstimator", frozen, since=(1, 6)),
    *(wrapped(f"VotingClassifier ({how})", lambda how=how: build(
        "ensemble.VotingClassifier", estimators=members(), voting=how, weights=[2, 1]))
      for how in ("soft", "hard")),
    wrapped("VotingRegressor", lambda: build("ensemble.VotingRegressor",
                                             estimators=members("Regressor")), SCORE),
    *(wrapped(f"CalibratedClassifierCV ({how})", lambda how=how: build(
        "calibration.CalibratedClassifierCV", estimator=members()[1][1], method=how, cv=2), UP)
      for how in ("sigmoid", "isotonic")),
    wrapped("BaggingClassifier of other models", lambda: build(
        "ensemble.BaggingClassifier", estimator=members()[1][1], n_estimators=2, random_state=1)),
    Case(FAMILY, "wrappers", "VotingClassifier of calibrated models", averaged),
    wrapped("OneVsRestClassifier", lambda: build("multiclass.OneVsRestClassifier",
                                                 estimator=members()[0][1])),
    wrapped("OneVsRestClassifier of scores", lambda: build(
        "multiclass.OneVsRestClassifier", estimator=members()[1][1])),
    wrapped("StackingClassifier", lambda: build(
        "ensemble.StackingClassifier", estimators=members()[:1], cv=2), UP),
    wrapped("StackingClassifier of three or more classes", lambda: build(
        "ensemble.StackingClassifier", estimators=members(), cv=2), np.digitize(SCORE, [-0.5, 0.8])),
    wrapped("StackingRegressor", lambda: build(
        "ensemble.StackingRegressor", estimators=members("Regressor"), cv=2), SCORE),
    *(Case(FAMILY, "wrappers", f"TransformedTargetRegressor ({name})", lambda how=how: transformed(**how))
      for name, how in TRANSFORMED.items()),
    Case(FAMILY, "wrappers", "MultiOutputRegressor", several_targets),
    Case(FAMILY, "wrappers", "FixedThresholdClassifier", thresholded, since=(1, 5)),
    Case(FAMILY, "others", "pipelines of imputers, encoders and scalers", scaled),
    *(refused(*entry) for entry in REFUSED),
]
