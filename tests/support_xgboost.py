"""The cases of XGBoost for support_live_test.py."""

import os
import pathlib
import tempfile

import numpy as np
from support_case import Case, Sample, kept_bytes, kept_xgboost

os.environ.setdefault("OMP_NUM_THREADS", "1")
FAMILY = "XGBoost"
LIBRARY = FOLDER = "xgboost"
RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 3)).astype(np.float32)
X[:, 2] = RNG.integers(0, 6, size=80)
SCORE = X[:, 0] - X[:, 1] + np.isin(X[:, 2], [1, 4]) * 2
UP = (SCORE > 0).astype(np.float32)
POSITIVE = np.exp(np.clip(SCORE, -2, 2))
HOLED = X.copy()
HOLED[RNG.random(X.shape) < 0.2] = np.nan
ROWS = np.vstack([HOLED[:30], X[:10], np.full((1, 3), np.nan, dtype=np.float32)])
# Categories that training did not see, negative and broken ones.
ODD = np.repeat(X[:1], 7, axis=0)
ODD[:, 2] = [6, 41, -1, -0.5, 1.9, 16777216, np.nan]


def version():
    import xgboost
    return tuple(int(part) for part in xgboost.__version__.split(".")[:2])


def saved(booster, ending="ubj"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"model.{ending}"
        booster.save_model(str(file))
        return file.read_bytes()


def train(label, x=HOLED, rows=ROWS, types=None, ending="ubj", prepare=None, rounds=3, **parameters):
    import xgboost
    xgboost.set_config(verbosity=0)
    matrix = xgboost.DMatrix(x, label, feature_types=types, enable_categorical=types is not None)
    if prepare:
        prepare(matrix)
    settings = {"max_depth": 3, "nthread": 1, "tree_method": "hist"} | parameters
    booster = xgboost.train(settings, matrix, num_boost_round=rounds)
    asked = xgboost.DMatrix(rows, feature_types=types, enable_categorical=types is not None)
    scores = booster.predict(asked, output_margin=True).reshape(len(rows), -1)
    names = [f"f{i}" for i in range(rows.shape[1])]
    return Sample(saved(booster, ending), names, rows, scores, True)


def objective(group, name, label, since=(0, 0), kept=None, **settings):
    """Trained here, or where the installed version does not have it read from a kept file."""
    def make():
        if version() < since:
            return kept_xgboost(f"xgboost/{kept}")
        return train(label, objective=name, **settings)
    return Case(FAMILY, group, name, make)


def variant(group, name, label, since=(0, 0), kept=None, objective="binary:logistic", **settings):
    def make():
        if version() < since:
            return kept_xgboost(f"xgboost/{kept}")
        return train(label, objective=objective, **settings)
    return Case(FAMILY, group, name, make)


def refused(group, name, message, kept):
    return Case(FAMILY, group, name, lambda: kept_bytes(f"xgboost/3.4.1/{kept}"), message)


def estimator(name, label):
    def make():
        import xgboost
        model = getattr(xgboost, name)(n_estimators=3, max_depth=3, n_jobs=1)
        model.fit(HOLED, label, **({"qid": np.arange(80) // 10} if name == "XGBRanker" else {}))
        scores = model.predict(ROWS, output_margin=True).reshape(len(ROWS), -1)
        return Sample(saved(model, "json"), ["f0", "f1", "f2"], ROWS, scores, True)
    return Case(FAMILY, "estimators", name, make)


def bounds(matrix):
    matrix.set_float_info("label_lower_bound", POSITIVE)
    matrix.set_float_info("label_upper_bound", np.where(UP == 1, np.inf, POSITIVE))


def groups(matrix):
    matrix.set_group([10] * 8)


def gblinear():
    return train(SCORE, X, X, booster="gblinear", updater="coord_descent", ending="json",
                 objective="reg:squarederror")


def dump():
    import xgboost
    booster = xgboost.train({"max_depth": 2}, xgboost.DMatrix(X, SCORE), num_boost_round=1)
    return Sample("".join(f"booster[{i}]:\n{tree}" for i, tree in
                          enumerate(booster.get_dump())).encode())


def dump_with_base_score():
    """A dump is a model again with what it lacks."""
    import json
    import sys

    import xgboost
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))
    import boxwood
    sample = train(THREE, objective="multi:softprob", num_class=3)
    booster = xgboost.Booster(model_file=bytearray(sample.model))
    kept = json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
    sample.model = boxwood.xgboost_from_dump(booster.get_dump(), base_score=json.loads(kept),
                                             objective="multi:softprob", outputs=3)
    return sample


def quantiles():
    """Not sorted, so rows where the quantiles cross show the order of the outputs."""
    if not (2, 0) <= version() < (3, 4):
        return kept_xgboost("xgboost/3.2.0/quantiles.json")
    sample = train(SCORE, objective="reg:quantileerror", quantile_alpha=np.array([0.4, 0.5, 0.6]), rounds=8,
                   learning_rate=1)
    assert (np.diff(sample.scores, axis=1) < 0).any(), "no row whose quantiles cross"
    return sample


THREE = np.digitize(SCORE, [-0.5, 0.8])
LABELS = np.column_stack([UP, SCORE > 1])
TARGETS = np.column_stack([SCORE, -SCORE, POSITIVE])
FRACTION = 1 / (1 + np.exp(-SCORE))
KINDS = {"types": ["q", "q", "c"], "rows": np.vstack([ROWS[:30], ODD])}
CASES = [
    *(variant("files", name, UP, ending=ending) for name, ending in (("JSON", "json"),
                                                                    ("UBJSON", "ubj"))),
    Case(FAMILY, "files", "text dumps", dump, "a text dump by XGBoost's dump_model, which lacks the "
         "intercept"),
    Case(FAMILY, "files", "text dumps with a given base score", dump_with_base_score),
    variant("boosters", "gbtree", UP, booster="gbtree"),
    variant("boosters", "dart", UP, booster="dart", rate_drop=0.5, one_drop=1, rounds=5),
    variant("boosters", "num_parallel_tree", UP, num_parallel_tree=3, subsample=0.7),
    Case(FAMILY, "boosters", "gblinear", gblinear, 'it is "gblinear"; only tree boosters can be '
         "explained"),
    *(objective("classification", name, UP) for name in ("binary:logistic", "binary:logitraw",
                                                         "binary:hinge")),
    *(objective("classification", name, THREE, num_class=3) for name in ("multi:softprob",
                                                                         "multi:softmax")),
    variant("classification", "several labels", LABELS),
    refused("classification", "binary:hinge with several labels", "binary:hinge with 2 targets "
            "(several labels at once) is not supported", "refused_hinge_labels.json"),
    *(objective("regression", name, SCORE) for name in (
        "reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror")),
    objective("regression", "reg:logistic", FRACTION),
    *(objective("regression", name, POSITIVE) for name in (
        "count:poisson", "reg:gamma", "reg:tweedie", "reg:squaredlogerror")),
    objective("regression", "reg:quantileerror", SCORE, (2, 0), "2.1.4/reg_quantileerror.ubj",
              quantile_alpha=0.3),
    # The installed version may be too old to have it.
    Case(FAMILY, "regression", "reg:expectileerror",
         lambda: kept_xgboost("xgboost/3.4.1/expectile.json")),
    objective("regression", "survival:cox", np.where(UP == 1, POSITIVE, -POSITIVE)),
    objective("regression", "survival:aft", None, prepare=bounds),
    variant("regression", "several targets", TARGETS, objective="reg:squarederror"),
    Case(FAMILY, "regression", "several quantiles (2.0 to 3.3)", quantiles),
    refused("regression", "several quantiles (3.4 on)", "reg:quantileerror with 2 quantiles is not "
            "supported: since 3.4 XGBoost sorts what it predicts for them", "refused_quantiles.json"),
    Case(FAMILY, "regression", "one of several expectiles, by the attribute boxwood_output",
         lambda: kept_xgboost("xgboost/3.4.1/expectiles_2_one.json")),
    refused("regression", "several expectiles without a choice", "reg:expectileerror with 2 expectiles: "
            "XGBoost adds up what it predicts for them, so one has to be chosen", "refused_expectiles.json"),
    *(objective("ranking", name, UP, prepare=groups, min_child_weight=0) for name in ("rank:pairwise", "rank:ndcg",
                                                                  "rank:map")),
    variant("trees", "splits on numbers", UP, x=X),
    variant("trees", "missing values", UP, x=np.where(RNG.random(X.shape) < 0.6, np.nan, X)),
    variant("trees", "sets of categories", UP, max_cat_to_onehot=1, **KINDS),
    variant("trees", "single categories", UP, max_cat_to_onehot=100, **KINDS),
    variant("trees", "vector leaves", TARGETS, (2, 0), "2.1.4/vector_leaves.ubj",
            objective="reg:squarederror", multi_strategy="multi_output_tree"),
    *(estimator(name, label) for name, label in (
        ("XGBClassifier", UP), ("XGBRegressor", SCORE), ("XGBRanker", UP), ("XGBRFClassifier", UP),
        ("XGBRFRegressor", SCORE))),
]
