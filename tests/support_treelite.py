"""The cases of Treelite for support_live_test.py: JSON dumps, and what GTIL computes from the model."""

import json
import pathlib
import tempfile

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "treelite"
TITLE = "Treelite"
RECORDED = True
SMALL = {"max_depth": 2, "random_state": 1}


def data():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(150, 3))
    x[:, 2] = rng.integers(0, 6, 150)
    return x, x[:, 0] - x[:, 1] + np.isin(x[:, 2], [1, 4])


def sklearn(name, label, **more):
    def model():
        import sklearn.ensemble
        import treelite
        x, score = data()
        settings = {key: value for key, value in (SMALL | more).items() if value is not None}
        return treelite.sklearn.import_model(getattr(sklearn.ensemble, name)(**settings).fit(
            x, label(score)))
    return model


def xgboost(objective, label, **more):
    def model():
        import treelite
        import xgboost
        x, score = data()
        return treelite.frontend.from_xgboost(xgboost.train(
            {"objective": objective, "max_depth": 2, **more}, xgboost.DMatrix(x, label(score)), 3))
    return model


def lightgbm(objective, label, **more):
    def model():
        import lightgbm
        import treelite
        x, score = data()
        rows = lightgbm.Dataset(x, label(score), categorical_feature=[2])
        return treelite.frontend.from_lightgbm(lightgbm.train(
            {"objective": objective, "num_leaves": 4, "min_data_in_leaf": 5, "verbose": -1,
             "min_data_per_group": 5, "cat_smooth": 1, "max_cat_to_onehot": 1, **more}, rows, 3))
    return model


def dumped(make):
    """A case of the dump; rows at every threshold, of the type that the model reads."""
    def live():
        import treelite
        model = make()
        text = model.dump_as_json()
        dump, columns = json.loads(text), []
        single = dump["threshold_type"] == "float32"
        for i in range(dump["num_feature"]):
            found = [node["threshold"] for tree in dump["trees"] for node in tree["nodes"]
                     if node.get("split_feature_id") == i and "threshold" in node]
            codes = any(node.get("split_feature_id") == i and "category_list" in node
                        for tree in dump["trees"] for node in tree["nodes"])
            columns.append([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 9.0, None] if codes else
                           [*neighbours(found or [0.0], single), None])
        rows = rows_around(columns, 40)
        table = np.array([[np.nan if cell is None else cell for cell in row] for row in rows],
                         dtype=dump["threshold_type"])
        scores = np.asarray(treelite.gtil.predict(model, table, pred_margin=True))
        path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
        path.write_text(text, encoding="utf-8")
        scores = scores.reshape(len(rows), -1)
        return path, [f"f{i}" for i in range(len(columns))], rows, scores.astype(np.float64)
    return live


def up(score):
    return (score > 0).astype(int)


def three(score):
    return np.digitize(score, [-0.5, 1])


CASES = [
    case(FAMILY, "classification", "scikit-learn forest",
         dumped(sklearn("RandomForestClassifier", three, n_estimators=3))),
    case(FAMILY, "classification", "scikit-learn boosting",
         dumped(sklearn("GradientBoostingClassifier", up, n_estimators=3))),
    case(FAMILY, "classification", "XGBoost, two classes, base_score 0.5",
         dumped(xgboost("binary:logistic", up, base_score=0.5)), single=True),
    case(FAMILY, "classification", "XGBoost with another base score", dumped(xgboost("binary:logistic", up)),
         message="a Treelite model of float32 numbers with a double base score is not supported"),
    case(FAMILY, "classification", "XGBoost, several classes",
         dumped(xgboost("multi:softprob", three, num_class=3)), single=True),
    case(FAMILY, "classification", "LightGBM with categories", dumped(lightgbm("binary", up))),
    case(FAMILY, "classification", "LightGBM, several classes",
         dumped(lightgbm("multiclass", three, num_class=3)),
         message="a Treelite model of float64 numbers with a softmax is not supported"),
    case(FAMILY, "classification", "LightGBM, one versus rest",
         dumped(lightgbm("multiclassova", three, num_class=3))),
    case(FAMILY, "regression", "scikit-learn forest",
         dumped(sklearn("RandomForestRegressor", lambda s: s, n_estimators=3))),
    case(FAMILY, "regression", "XGBoost, poisson",
         dumped(xgboost("count:poisson", lambda s: np.exp(s / 3), base_score=1.0)), single=True),
    case(FAMILY, "others", "IsolationForest",
         dumped(sklearn("IsolationForest", lambda s: None, n_estimators=2, max_samples=16, max_depth=None)),
         message="a Treelite model with the task kIsolationForest and the postprocessor "
                 "exponential_standard_ratio is not supported"),
]
