"""The cases of CatBoost for support_live_test.py."""

import pathlib
import tempfile

import numpy as np
from support_case import Case, Sample, kept_bytes

FAMILY = "CatBoost"
LIBRARY = FOLDER = "catboost"
RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 3)).astype(np.float32).astype(float)
SCORE = X[:, 0] - X[:, 1] + X[:, 2] / 2
UP = (SCORE > 0).astype(int)
WORDS = np.array(["bad", "fair", "good"])[np.digitize(SCORE, [-0.5, 0.8])]
COUNTS = np.floor(np.exp(np.clip(SCORE, -2, 2)))
POSITIVE = np.exp(np.clip(SCORE, -2, 2))
HOLED = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
ROWS = np.vstack([HOLED[:30], X[:10], np.full((1, 3), np.nan), np.full((1, 3), np.inf)])
TOWNS = np.array(["Bonn", "Köln", "7", "x" * 40, "a,b"])[RNG.integers(0, 5, size=90)]
MIXED = [[*row, town] for row, town in zip(X.tolist(), TOWNS)]
TASTE = SCORE + np.isin(TOWNS, ["Köln", "7"]) * 3
QUIET = {"iterations": 4, "depth": 3, "verbose": False, "allow_writing_files": False,
         "thread_count": 1, "random_seed": 1, "max_ctr_complexity": 1}


def saved(model, format="json", pool=None):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "model"
        model.save_model(str(file), format=format, pool=pool)
        return file.read_bytes()


def train(label, loss, x=HOLED, rows=ROWS, format="json", threshold=None, cats=None, **settings):
    import catboost
    groups = {"group_id": np.arange(90) // 9} if settings.pop("ranking", False) else {}
    names = [f"f{i}" for i in range(len(rows[0]))]
    pool = catboost.Pool(x, label, cat_features=cats, feature_names=names, **groups)
    settings = QUIET | {"loss_function": loss} | settings
    if threshold is None:
        model = catboost.CatBoost(settings).fit(pool)
    else:
        model = catboost.CatBoostClassifier(**settings).fit(pool)
        model.set_probability_threshold(threshold)
    asked = catboost.Pool(rows, cat_features=cats, feature_names=names)
    scores = np.asarray(model.predict(asked, prediction_type="RawFormulaVal"), dtype=np.float64)
    if loss == "RMSEWithUncertainty":
        scores = scores[:, :1]  # the mean
    # Boxwood's names for what no split knows and for no text; an empty cell would be a missing value.
    names_of = {"never seen": "(other)", "": "(empty)"}
    shown = [[names_of.get(cell, cell) if isinstance(cell, str) else cell for cell in row]
             for row in rows]
    return Sample(saved(model, format, pool if cats else None), names, shown,
                  scores.reshape(len(rows), -1))


def case(group, name, label, loss="Logloss", message=None, since=(0, 0), **settings):
    return Case(FAMILY, group, name, lambda: train(label, loss, **settings), message, since)


def losses(group, names, label, **settings):
    return [case(group, name.split(":")[0], label, name, **settings) for name in names]


def estimator(name, label, loss):
    def make():
        import catboost
        model = getattr(catboost, name)(loss_function=loss, **QUIET)
        names = ["f0", "f1", "f2"]
        groups = {"group_id": np.arange(90) // 9} if "Ranker" in name else {}
        model.fit(catboost.Pool(HOLED, label, feature_names=names, **groups))
        asked = catboost.Pool(ROWS, feature_names=names)
        scores = catboost.CatBoost.predict(model, asked, prediction_type="RawFormulaVal")
        return Sample(saved(model), names, ROWS, np.asarray(scores).reshape(len(ROWS), -1))
    return Case(FAMILY, "estimators", name, make)


def refused(group, name, message, kept):
    return Case(FAMILY, group, name, lambda: kept_bytes(f"catboost/1.2.10/{kept}"), message)


class OwnLoss:
    def calc_ders_range(self, approxes, targets, weights):
        return [(target - approx, -1.0) for approx, target in zip(approxes, targets)]


TARGETS = np.column_stack([SCORE, -SCORE])
# Also a category that training did not see.
TOWN_ROWS = [*MIXED[:30], [*MIXED[0][:3], "never seen"]]
TOWN = {"x": MIXED, "rows": TOWN_ROWS, "cats": [3]}
TRADES = np.array(["baker", "smith", "", "cook"])[RNG.integers(0, 4, size=90)]
PAIR_TASTE = 5 * (np.isin(TOWNS, ["Köln", "7"]) == np.isin(TRADES, ["", "cook"])) + SCORE / 4
PAIRED = [[*row, trade] for row, trade in zip(MIXED, TRADES)]
PAIR_ROWS = [*PAIRED[:30], [*MIXED[0], "never seen"], [*X[0].tolist(), "never seen", "cook"]]
CTRS = ["Borders", "Buckets", "Counter", "BinarizedTargetMeanValue"]
CASES = [
    case("files", "JSON", UP),
    case("files", "binary format (.cbm)", UP, format="cbm"),
    case("trees", "symmetric", UP, grow_policy="SymmetricTree"),
    case("trees", "Depthwise", UP, grow_policy="Depthwise"),
    case("trees", "Lossguide", UP, grow_policy="Lossguide"),
    case("trees", 'nan_mode="Min"', UP, nan_mode="Min"),
    case("trees", 'nan_mode="Max"', UP, nan_mode="Max"),
    *losses("classification", ["Logloss"], UP),
    *losses("classification", ["CrossEntropy"], 1 / (1 + np.exp(-SCORE))),
    *losses("classification", ["Focal:focal_alpha=0.4;focal_gamma=2"], UP, since=(1, 2)),
    *losses("classification", ["MultiClass", "MultiClassOneVsAll"], WORDS),
    *losses("classification", ["MultiLogloss", "MultiCrossEntropy"],
            np.column_stack([UP, SCORE > 1]).astype(int)),
    case("classification", "a probability threshold", UP, threshold=0.3),
    *losses("regression", ["RMSE", "MAE", "Quantile:alpha=0.3", "LogLinQuantile",
                           "Expectile:alpha=0.4", "Huber:delta=1", "Lq:q=3"], SCORE),
    *losses("regression", ["LogCosh"], SCORE, since=(1, 1)),
    *losses("regression", ["MAPE"], POSITIVE),
    *losses("regression", ["Poisson", "Tweedie:variance_power=1.4"], COUNTS),
    *losses("regression", ["Cox"], np.where(UP == 1, POSITIVE, -POSITIVE), since=(1, 1)),
    *losses("regression", ["SurvivalAft:dist=Normal;scale=1"],
            np.column_stack([POSITIVE, np.where(UP == 1, -1, POSITIVE)])),
    *losses("regression", ["MultiRMSE"], TARGETS),
    *losses("regression", ["MultiQuantile:alpha=0.2,0.7"], SCORE, since=(1, 1)),
    case("regression", "RMSEWithUncertainty (the mean)", SCORE, "RMSEWithUncertainty"),
    Case(FAMILY, "regression", "losses of your own",
         lambda: train(SCORE, OwnLoss(), x=X, eval_metric="RMSE"),
         'the loss function "PythonUserDefinedPerObject" is not supported'),
    *losses("ranking", ["QueryRMSE", "QuerySoftMax", "PairLogit", "PairLogitPairwise", "YetiRank",
                        "YetiRankPairwise", "StochasticRank:metric=NDCG"], UP, ranking=True),
    *losses("ranking", ["LambdaMart"], UP, ranking=True, since=(1, 2)),
    *losses("ranking", ["GroupQuantile"], SCORE, ranking=True, since=(1, 2, 1)),
    case("categories", "single categories", UP, one_hot_max_size=10, **TOWN),
    *(case("categories", f"CTR {name}", TASTE, "RMSE", one_hot_max_size=1, simple_ctr=[name], **TOWN)
      for name in CTRS),
    *(case("categories", f"combined CTR {name}", PAIR_TASTE, "RMSE", one_hot_max_size=1, iterations=12,
           simple_ctr=[name], combinations_ctr=[name], max_ctr_complexity=4, x=PAIRED, rows=PAIR_ROWS,
           cats=[3, 4]) for name in CTRS),
    refused("categories", "combined CTRs of categories without names",
            "are of categories that the file does not name", "refused_combination.json"),
    refused("categories", "two tables that the file does not tell apart",
            "several tables may share this identifier", "refused_two_tables.json"),
    estimator("CatBoostClassifier", WORDS, "MultiClass"),
    estimator("CatBoostRegressor", SCORE, "RMSE"),
    estimator("CatBoostRanker", UP, "YetiRank"),
]
