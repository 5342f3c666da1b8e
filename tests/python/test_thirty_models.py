"""Thirty models as people deploy them: wrappers times libraries, each explained for some rows, and
each answer confirmed by the model's own predict."""

import warnings

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import (
    calibration,
    compose,
    ensemble,
    impute,
    model_selection,
    multiclass,
    multioutput,
    pipeline,
    preprocessing,
)

ROWS = 240
ASKED = 3
warnings.filterwarnings("ignore")


def applicants():
    random = np.random.default_rng(12)
    frame = pd.DataFrame({
        "income": random.lognormal(10, 0.5, ROWS).round(), "debt": random.lognormal(8, 1, ROWS).round(),
        "age": random.integers(18, 80, ROWS), "years": random.integers(0, 30, ROWS),
        "job": random.choice(["clerk", "nurse", "cook", "none"], ROWS),
        "home": random.choice(["rent", "own", "family"], ROWS)})
    score = (np.log(frame["income"]) - 0.4 * np.log(frame["debt"]) + 0.02 * frame["years"]
             + (frame["job"] != "none") * (frame["home"] == "own") + 0.3 * random.normal(size=ROWS))
    return frame, score.to_numpy()


FRAME, SCORE = applicants()
NUMBERS = FRAME[["income", "debt", "age", "years"]]
GRANTED = np.where(np.median(SCORE) < SCORE, "granted", "refused")
GRADE = np.array(["low", "middle", "high"])[np.digitize(SCORE, np.quantile(SCORE, [0.3, 0.7]))]
AMOUNT = np.exp(SCORE - 4)
CODED = FRAME.astype({"job": "category", "home": "category"})


def xgb(regression=False, **more):
    kind = xgboost.XGBRegressor if regression else xgboost.XGBClassifier
    return kind(n_estimators=12, max_depth=3, random_state=0, n_jobs=1, **more)


def lgb(regression=False, **more):
    kind = lightgbm.LGBMRegressor if regression else lightgbm.LGBMClassifier
    return kind(n_estimators=12, num_leaves=7, verbosity=-1, random_state=0, n_jobs=1, **more)


def cat(regression=False, **more):
    kind = catboost.CatBoostRegressor if regression else catboost.CatBoostClassifier
    return kind(iterations=12, depth=4, verbose=False, allow_writing_files=False, random_seed=0, thread_count=1,
                **more)


def hist(regression=False, **more):
    kind = ensemble.HistGradientBoostingRegressor if regression else ensemble.HistGradientBoostingClassifier
    return kind(max_iter=12, max_leaf_nodes=7, random_state=0, **more)


def forest(regression=False, **more):
    kind = ensemble.RandomForestRegressor if regression else ensemble.RandomForestClassifier
    return kind(8, max_depth=4, random_state=0, **more)


def prepared(model):
    """A usual pipeline: numbers imputed and scaled, words as one-hot columns."""
    return pipeline.make_pipeline(compose.make_column_transformer(
        (pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler()),
         list(NUMBERS)), (preprocessing.OneHotEncoder(), ["job", "home"])), model)


def numbers(model):
    """XGBoost learns classes as numbers."""
    return model, NUMBERS, (GRANTED == "granted").astype(int)


MODELS = {
    "XGBoost with categories": lambda: (xgb(enable_categorical=True), CODED, (GRANTED == "granted") * 1),
    "XGBoost in a pipeline": lambda: (prepared(xgb()), FRAME, (GRANTED == "granted") * 1),
    "XGBoost, calibrated": lambda: numbers(calibration.CalibratedClassifierCV(xgb(), cv=3)),
    "XGBoost, calibrated, isotonic": lambda: numbers(
        calibration.CalibratedClassifierCV(xgb(), cv=2, method="isotonic")),
    "XGBoost, searched": lambda: numbers(
        model_selection.GridSearchCV(xgb(), {"max_depth": [2, 3]}, cv=2)),
    "XGBoost, log of the amount": lambda: (compose.TransformedTargetRegressor(
        xgb(True), func=np.log1p, inverse_func=np.expm1), NUMBERS, AMOUNT),
    "XGBoost, several targets": lambda: (multioutput.MultiOutputRegressor(xgb(True)), NUMBERS,
                                         np.column_stack([AMOUNT, SCORE])),
    "LightGBM with categories": lambda: (lgb(), CODED, GRANTED),
    "LightGBM of three classes": lambda: (lgb(), CODED, GRADE),
    "LightGBM in a pipeline": lambda: (prepared(lgb()), FRAME, GRANTED),
    "LightGBM, calibrated": lambda: (calibration.CalibratedClassifierCV(lgb(), cv=2), NUMBERS, GRANTED),
    "LightGBM, own threshold": lambda: (model_selection.FixedThresholdClassifier(
        lgb(), threshold=0.3, pos_label="granted"), NUMBERS, GRANTED),
    "LightGBM, randomised search": lambda: (model_selection.RandomizedSearchCV(
        lgb(), {"num_leaves": [5, 7]}, n_iter=2, cv=2, random_state=0), NUMBERS, GRANTED),
    "LightGBM, quantile": lambda: (lgb(True, objective="quantile", alpha=0.2), NUMBERS, AMOUNT),
    "LightGBM, one versus rest": lambda: (multiclass.OneVsRestClassifier(lgb()), NUMBERS, GRANTED),
    "CatBoost with categories": lambda: (cat(cat_features=["job", "home"]), FRAME, GRANTED),
    "CatBoost of three classes": lambda: (cat(cat_features=["job", "home"]), FRAME, GRADE),
    "CatBoost of numbers, calibrated": lambda: (
        calibration.CalibratedClassifierCV(cat(), cv=2), NUMBERS, GRANTED),
    "CatBoost, amount": lambda: (cat(True, cat_features=["job", "home"]), FRAME, AMOUNT),
    "CatBoost, standardised amount": lambda: (compose.TransformedTargetRegressor(
        cat(True), transformer=preprocessing.StandardScaler()), NUMBERS, AMOUNT),
    "histogram boosting with categories": lambda: (
        hist(categorical_features="from_dtype"), CODED, GRANTED),
    "histogram boosting, tuned threshold": lambda: (model_selection.TunedThresholdClassifierCV(
        hist(), cv=2), NUMBERS, (GRANTED == "granted") * 1),
    "histogram boosting, log of the amount": lambda: (compose.TransformedTargetRegressor(
        hist(True), func=np.log, inverse_func=np.exp), NUMBERS, AMOUNT),
    "forest in a pipeline": lambda: (prepared(forest()), FRAME, GRANTED),
    "forest, calibrated": lambda: (
        calibration.CalibratedClassifierCV(forest(), cv=2, method="isotonic"), NUMBERS, GRANTED),
    "forest, one versus rest": lambda: (multiclass.OneVsRestClassifier(forest()), NUMBERS, GRADE),
    "forest, amount": lambda: (prepared(forest(True)), FRAME, AMOUNT),
    "bagging of boosting": lambda: (ensemble.BaggingClassifier(hist(), n_estimators=3, random_state=0),
                                    NUMBERS, GRANTED),
    "four libraries vote": lambda: numbers(ensemble.VotingClassifier(
        [("x", xgb()), ("l", lgb()), ("c", cat()), ("f", forest())], voting="soft")),
    "three libraries average": lambda: (ensemble.VotingRegressor(
        [("x", xgb(True)), ("l", lgb(True)), ("f", forest(True))]), NUMBERS, AMOUNT),
}


def test_there_are_thirty():
    assert len(MODELS) == 30


@pytest.mark.parametrize("name", MODELS)
def test_answers_are_confirmed_by_the_library(name):
    model, frame, target = MODELS[name]()
    model.fit(frame, target)
    said = np.asarray(model.predict(frame))
    explainer = boxwood.Explainer(model, frame)
    regression = np.issubdtype(np.asarray(target).dtype, np.floating)
    output = said.ndim - 1 if regression else 0
    numeric = said[:, output] if said.ndim == 2 and regression else np.ravel(said)
    own = np.asarray(explainer.predict(frame))
    if regression:
        assert np.allclose(own, said, rtol=1e-6 if said.dtype == np.float32 else 1e-13)
        levels = np.unique(numeric.astype(float))
        wanted = float(levels[[len(levels) // 2, len(levels) // 2 + 1]].mean())
        rows = np.flatnonzero(numeric < wanted)
    else:
        assert (np.ravel(own).astype(str) == numeric.astype(str)).all()
        wanted = numeric[np.argmax(numeric != numeric[0])]
        rows = np.flatnonzero(numeric != wanted)
    for i in rows[:ASKED].tolist():
        goal = boxwood.Output(at_least=wanted, output=output) if regression else wanted
        answer = explainer.explain(frame.iloc[i], goal)
        assert answer.status == "optimal" and answer.verify() == []
        point = answer.point_frame()[list(frame.columns)]
        point = point.astype({key: kind for key, kind in frame.dtypes.items() if str(kind) == "category"})
        then = np.asarray(model.predict(point))
        if regression:
            assert np.ravel(then)[output] >= wanted
        else:
            assert str(np.ravel(then)[0]) == str(wanted)
