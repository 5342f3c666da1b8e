"""The cases of LightGBM for support_live_test.py."""

import numpy as np
from support_case import Case, Sample

FAMILY = "LightGBM"
LIBRARY = FOLDER = "lightgbm"
RNG = np.random.default_rng(6)
X = RNG.normal(size=(120, 3))
X[:, 2] = RNG.integers(0, 9, size=120)
SCORE = X[:, 0] - X[:, 1] + np.isin(X[:, 2], [1, 4, 8]) * 2
UP = (SCORE > 0).astype(int)
THREE = np.digitize(SCORE, [-0.5, 0.8])
POSITIVE = np.exp(np.clip(SCORE, -2, 2))
HOLED = X.copy()
HOLED[RNG.random(X.shape) < 0.2] = np.nan
ZEROS = np.where(RNG.random(X.shape) < 0.3, 0.0, X)
ROWS = np.vstack([HOLED[:30], ZEROS[:10], X[:10], np.full((1, 3), np.nan), np.zeros((1, 3)),
                  np.full((1, 3), 1e-36)])
# Categories that training did not see, negative and broken ones.
ODD = np.repeat(X[:1], 7, axis=0)
ODD[:, 2] = [9, 41, -1, -0.5, 1.9, 2147483648.0, np.nan]
QUIET = {"verbose": -1, "num_threads": 1, "num_leaves": 6, "min_data_in_leaf": 5, "seed": 1,
         "deterministic": True}


def own_objective(scores, data):
    return scores - data.get_label(), np.ones_like(scores)


def own_several(scores, data):
    """Two trees a round. LightGBM 3 has the scores in one column, 4 in a matrix."""
    target = np.column_stack([data.get_label(), -data.get_label()])
    if scores.ndim == 1:
        target = target.ravel(order="F")
    return scores - target, np.ones_like(scores)


def sample(booster, rows, boosting="gbdt"):
    import lightgbm
    text = booster.model_to_string()
    loaded = lightgbm.Booster(model_str=text)
    scores = loaded.predict(rows, raw_score=True).reshape(len(rows), -1)
    if boosting == "rf":  # LightGBM averages before the link, not in its raw scores
        scores = scores / loaded.current_iteration()
    return Sample(text.encode(), loaded.feature_name(), rows, scores,
                  varies="\nnum_leaves=1\n" not in text)


def train(label, x=HOLED, rows=ROWS, categorical=(), queries=None, own=None, **parameters):
    import lightgbm
    data = lightgbm.Dataset(x, label, categorical_feature=list(categorical), group=queries,
                            free_raw_data=False)
    parameters = QUIET | parameters
    if own is None:
        booster = lightgbm.train(parameters, data, num_boost_round=3)
    elif int(lightgbm.__version__.split(".")[0]) < 4:
        booster = lightgbm.train(parameters, data, num_boost_round=3, fobj=own)
    else:
        booster = lightgbm.train(parameters | {"objective": own}, data, num_boost_round=3)
    return sample(booster, rows, parameters.get("boosting"))


def case(group, name, label, message=None, **settings):
    settings.setdefault("objective", "binary")
    return Case(FAMILY, group, name, lambda: train(label, **settings), message)


def estimator(name, label):
    def make():
        import lightgbm
        model = getattr(lightgbm, name)(n_estimators=3, num_leaves=6, verbose=-1, n_jobs=1)
        model.fit(HOLED, label, **({"group": [40, 40, 40]} if name == "LGBMRanker" else {}))
        return sample(model.booster_, ROWS)
    return Case(FAMILY, "estimators", name, make)


def linear():
    return train(SCORE, X, objective="regression", linear_tree=True)


RANKS = np.digitize(SCORE, [-1.0, 0.0, 1.0])
CATEGORIES = {"x": X, "rows": np.vstack([ROWS[:30], ODD]), "categorical": [2],
              "min_data_per_group": 1, "cat_smooth": 1, "cat_l2": 1}
CASES = [
    Case(FAMILY, "files", "text", lambda: train(UP, objective="binary")),
    case("boosting", "gbdt", UP, boosting="gbdt"),
    case("boosting", "dart", UP, boosting="dart", drop_rate=0.5),
    case("boosting", "goss", UP, boosting="goss"),
    case("boosting", "rf", UP, boosting="rf", bagging_fraction=0.7, bagging_freq=1),
    Case(FAMILY, "boosting", "linear_tree", linear, "linear trees are not supported: their leaves are functions of "
         "the features, and Boxwood needs scores that are constant within a leaf"),
    case("classification", "binary", UP),
    *(case("classification", name, THREE, objective=name, num_class=3)
      for name in ("multiclass", "multiclassova")),
    *(case("regression", name, SCORE, objective=name) for name in (
        "regression", "regression_l1", "huber", "fair", "quantile", "mape")),
    *(case("regression", name, POSITIVE, objective=name) for name in ("poisson", "gamma",
                                                                      "tweedie")),
    *(case("regression", name, 1 / (1 + np.exp(-SCORE)), objective=name)
      for name in ("cross_entropy", "cross_entropy_lambda")),
    case("regression", "reg_sqrt", SCORE, objective="regression", reg_sqrt=True),
    *(case("ranking", name, RANKS, objective=name, queries=[40, 40, 40])
      for name in ("lambdarank", "rank_xendcg")),
    case("own objective", "one output", SCORE, objective="none", own=own_objective),
    case("own objective", "several outputs", SCORE, objective="none", own=own_several, num_class=2),
    case("trees", "splits on numbers", UP, x=X),
    case("trees", "missing values", UP, use_missing=True),
    case("trees", "use_missing=false", UP, use_missing=False),
    case("trees", "zero_as_missing", UP, x=ZEROS, zero_as_missing=True),
    case("trees", "sets of categories", UP, max_cat_to_onehot=1, **CATEGORIES),
    case("trees", "single categories", UP, max_cat_to_onehot=50, **CATEGORIES),
    case("trees", "single leaves", UP, min_data_in_leaf=100),
    *(estimator(name, label) for name, label in (
        ("LGBMClassifier", THREE), ("LGBMRegressor", SCORE), ("LGBMRanker", RANKS))),
]
