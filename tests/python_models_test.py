"""What boxwood.save_model takes from Python, and what it says of what it does not take."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "python"
sys.path.insert(0, str(SOURCE))

import boxwood
import catboost
import lightgbm
import numpy as np
import xgboost
from sklearn import calibration, dummy, ensemble, linear_model, model_selection, pipeline, tree

warnings.filterwarnings("ignore")

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 3))
Y = X[:, 0] + RNG.normal(size=90)
BINARY = (Y > 0).astype(int)
WORDS = np.array(["bad", "fair", "good"])[np.digitize(Y, [-0.5, 0.5])]
QUIET = {"verbose": -1, "n_jobs": 1, "min_child_samples": 5}


def table_of(points, names):
    lines = [",".join(repr(float(value)) for value in row) for row in points]
    return "\n".join([",".join(names), *lines]) + "\n"


class Registry(unittest.TestCase):
    def refused(self, model):
        with self.assertRaises(boxwood.UnsupportedModelError) as caught:
            boxwood.model_bytes(model)
        return str(caught.exception)

    def test_nothing_is_imported_before_it_is_needed(self):
        program = ("import sys, boxwood\n"
                   "known = {'xgboost', 'lightgbm', 'catboost', 'sklearn'}\n"
                   "print(sorted(known & set(sys.modules)))")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              check=True, env=os.environ | {"PYTHONPATH": str(SOURCE)})
        self.assertEqual(done.stdout.strip(), "[]")

    def test_a_derived_class_belongs_to_its_library(self):
        class Mine(ensemble.RandomForestRegressor):
            pass
        model = Mine(n_estimators=2, max_depth=2).fit(X, Y)
        self.assertEqual(json.loads(boxwood.model_bytes(model))["objective"], "Mine")

    def test_what_is_no_model_is_named(self):
        self.assertEqual(
            self.refused({"a": 1}),
            "builtins.dict is not a supported model. Pass a fitted model of xgboost, "
            "lightgbm, catboost, sklearn, interpret, pyspark, treelite, sksurv, ngboost, quantile_forest, "
            "ydf, h2o")
        matrix = xgboost.DMatrix(X)
        self.assertIn("DMatrix is not an XGBoost model", self.refused(matrix))
        self.assertIn("Dataset is not a LightGBM model", self.refused(lightgbm.Dataset(X)))
        self.assertIn("Pool is not a CatBoost model", self.refused(catboost.Pool(X)))

    def test_what_is_not_fitted_says_so(self):
        for model in (xgboost.XGBClassifier(), lightgbm.LGBMRegressor(),
                      catboost.CatBoostClassifier(), tree.DecisionTreeClassifier(),
                      ensemble.RandomForestRegressor(), ensemble.GradientBoostingClassifier(),
                      ensemble.HistGradientBoostingRegressor(), ensemble.IsolationForest()):
            self.assertEqual(self.refused(model),
                             f"this {type(model).__name__} is not fitted. Call fit first")

    def test_scikit_learn_models_that_are_no_sum_of_trees(self):
        stump = tree.DecisionTreeClassifier(max_depth=1)
        cases = [
            (ensemble.AdaBoostRegressor(n_estimators=2).fit(X, Y),
             "AdaBoostRegressor predicts the weighted median of its trees, which is not a sum. "
             "Use a forest, GradientBoosting or HistGradientBoosting"),
            (ensemble.VotingClassifier([("a", linear_model.LogisticRegression())]).fit(X, BINARY),
             "VotingClassifier: LogisticRegression is not one of scikit-learn's tree models. Use "
             "a forest, GradientBoosting or HistGradientBoosting"),
            (ensemble.StackingClassifier([("a", stump)], final_estimator=stump).fit(X, BINARY),
             "this StackingClassifier has a DecisionTreeClassifier on top, whose decisions are not "
             "a sum of functions of its members. Fit it with a linear model on top, such as "
             "LogisticRegression or RidgeCV, or explain one of its estimators_ on its own"),
            (pipeline.make_pipeline(stump),
             'pipeline, step "decisiontreeclassifier": its input columns are unknown. Call fit '
             "first; if it is fitted, put the model or a ColumnTransformer first"),
            (model_selection.GridSearchCV(stump, {}),
             "this GridSearchCV has no best_estimator_. Call fit, with refit=True"),
            (calibration.CalibratedClassifierCV(stump),
             "this CalibratedClassifierCV is not fitted. Call fit first"),
            (model_selection.TunedThresholdClassifierCV(stump),
             "this TunedThresholdClassifierCV is not fitted. Call fit first"),
            (linear_model.LinearRegression().fit(X, Y),
             "LinearRegression is not one of scikit-learn's tree models. Use a forest, "
             "GradientBoosting or HistGradientBoosting"),
            (ensemble.GradientBoostingRegressor(init=dummy.DummyRegressor()).fit(X, Y),
             "this GradientBoostingRegressor starts from a custom initial model, "
             "init=DummyRegressor. "
             'Fit it with init=None or init="zero"'),
            (ensemble.BaggingRegressor(linear_model.LinearRegression(), n_estimators=2).fit(X, Y),
             "BaggingRegressor: LinearRegression is not one of scikit-learn's tree models. Use a "
             "forest, GradientBoosting or HistGradientBoosting"),
            (ensemble.AdaBoostClassifier(linear_model.LogisticRegression()).fit(X, BINARY),
             "this AdaBoostClassifier is built of LogisticRegression, not of trees. Use it with a "
             "DecisionTreeClassifier, or explain a model of another kind"),
            (tree.DecisionTreeClassifier().fit(X, np.column_stack([BINARY, 1 - BINARY])),
             "this DecisionTreeClassifier predicts several targets at once, which is not "
             "supported. Fit one classifier for each target"),
            (ensemble.RandomForestClassifier(n_estimators=2).fit(X, np.ones(90)),
             "this RandomForestClassifier was fitted with a single class, so it has no "
             "other outcome. Fit it to data with at least two classes"),
        ]
        for model, message in cases:
            self.assertEqual(self.refused(model), message)

    def test_pool_is_for_catboost(self):
        with self.assertRaisesRegex(ValueError, "pool is only for CatBoost models"):
            boxwood.model_bytes(tree.DecisionTreeRegressor().fit(X, Y), pool=catboost.Pool(X))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "model"

    def command(self, *arguments):
        done = subprocess.run([os.environ.get("BOXWOOD_COMMAND", "boxwood"), *map(str, arguments)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def scores(self, model, names):
        boxwood.save_model(model, self.file)
        table = self.file.with_suffix(".csv")
        table.write_text(table_of(X, names))
        text = self.command("predict", self.file, "--data", table, "--raw")
        return np.array([[float(cell) for cell in line.split(",")]
                         for line in text.splitlines()[1:]]).squeeze()

    def test_a_refused_model_leaves_the_file_alone(self):
        self.file.write_text("before")
        with self.assertRaises(boxwood.UnsupportedModelError):
            boxwood.save_model(linear_model.LinearRegression(), self.file)
        self.assertEqual(self.file.read_text(), "before")
        self.assertEqual(len(list(self.file.parent.iterdir())), 1)

    def test_a_saved_file_is_all_there_is(self):
        boxwood.save_model(tree.DecisionTreeRegressor(max_depth=2).fit(X, Y), str(self.file))
        self.assertEqual([entry.name for entry in self.file.parent.iterdir()], ["model"])
        self.assertTrue(self.file.stat().st_mode & 0o400)
        self.assertIn("scikit-learn", self.command("inspect", self.file))

    def test_xgboost_estimators_keep_their_best_iteration(self):
        noise = RNG.integers(0, 2, size=90)
        model = xgboost.XGBClassifier(n_estimators=30, early_stopping_rounds=1, learning_rate=1,
                                      max_depth=2, n_jobs=1)
        model.fit(X[:60], noise[:60], eval_set=[(X[60:], noise[60:])], verbose=False)
        self.assertLess(model.best_iteration + 1, model.get_booster().num_boosted_rounds())
        ours = self.scores(model, ["f0", "f1", "f2"]).astype(np.float32)
        self.assertEqual(ours.tolist(), model.predict(X, output_margin=True).tolist())

        booster = model.get_booster()
        every = booster.predict(xgboost.DMatrix(X), output_margin=True)
        ours = self.scores(booster, ["f0", "f1", "f2"]).astype(np.float32)
        self.assertEqual(ours.tolist(), every.tolist())
        self.assertNotEqual(every.tolist(), model.predict(X, output_margin=True).tolist())

    def test_xgboost_forests_and_regressors(self):
        for kind, label in ((xgboost.XGBRFRegressor, Y), (xgboost.XGBRegressor, Y),
                            (xgboost.XGBRFClassifier, BINARY)):
            model = kind(n_estimators=3, max_depth=3, n_jobs=1).fit(X, label)
            ours = self.scores(model, ["f0", "f1", "f2"]).astype(np.float32)
            self.assertEqual(ours.tolist(), model.predict(X, output_margin=True).tolist())

    def test_lightgbm_reads_its_text_with_our_line(self):
        model = lightgbm.LGBMClassifier(n_estimators=3, **QUIET).fit(X, WORDS)
        text = boxwood.model_bytes(model).decode()
        self.assertIn('\nboxwood_classes:["bad", "fair", "good"]\npandas_categorical:', text)
        again = lightgbm.Booster(model_str=text)
        self.assertEqual(again.predict(X).tolist(), model.predict_proba(X).tolist())
        names = [f"Column_{i}" for i in range(3)]
        self.assertEqual(self.scores(model, names).tolist(),
                         model.predict(X, raw_score=True).tolist())
        self.assertIn("classes: bad, fair, good\n", self.command("inspect", self.file))

    def test_lightgbm_stops_at_its_best_iteration(self):
        noise = RNG.integers(0, 2, size=90)
        model = lightgbm.LGBMClassifier(n_estimators=40, learning_rate=1.0, **QUIET)
        model.fit(X[:60], noise[:60], eval_set=[(X[60:], noise[60:])],
                  callbacks=[lightgbm.early_stopping(2, verbose=False)])
        again = lightgbm.Booster(model_str=boxwood.model_bytes(model).decode())
        self.assertEqual(again.num_trees(), model.best_iteration_)
        self.assertEqual(again.predict(X).tolist(), model.predict_proba(X)[:, 1].tolist())
        self.assertEqual(boxwood.model_bytes(model.booster_).decode().count("\nTree="),
                         model.best_iteration_)

    def test_catboost_writes_json(self):
        settings = {"iterations": 3, "verbose": False, "allow_writing_files": False}
        rows = [[f"word{i % 3}", float(i % 7)] for i in range(60)]
        labels = [i % 2 for i in range(60)]
        pool = catboost.Pool(rows, labels, cat_features=[0])
        model = catboost.CatBoostClassifier(**settings).fit(pool)
        plain = json.loads(boxwood.model_bytes(model))
        self.assertEqual(len(plain["oblivious_trees"]), 3)
        named = json.loads(boxwood.model_bytes(model, pool=pool))
        words = {entry["value"] for entry in named["features_info"]["cat_features_hash"]}
        self.assertEqual(words, {"word0", "word1", "word2"})
        numeric = catboost.CatBoostClassifier(**settings).fit(X, WORDS)
        ours = self.scores(numeric, ["f0", "f1", "f2"])
        self.assertEqual(ours.tolist(),
                         numeric.predict(X, prediction_type="RawFormulaVal").tolist())
        self.assertIn("classes: bad, fair, good\n", self.command("inspect", self.file))


if __name__ == "__main__":
    unittest.main()
