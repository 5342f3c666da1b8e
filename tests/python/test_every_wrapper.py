"""Every wrapper times every library: one answer each, confirmed by the model's own predict."""

import boxwood
import numpy as np
import pandas as pd
import pytest
from sklearn import (
    calibration,
    compose,
    ensemble,
    frozen,
    linear_model,
    model_selection,
    multiclass,
    multioutput,
    preprocessing,
)
from test_thirty_models import AMOUNT, CODED, FRAME, GRANTED, NUMBERS, SCORE, cat, forest, hist, lgb, prepared, xgb

pytestmark = pytest.mark.filterwarnings("ignore")
LIBRARIES = {"xgboost": xgb, "lightgbm": lgb, "catboost": cat, "hist": hist, "forest": forest,
             "pipeline": lambda regression=False: prepared(lgb(regression))}
LABELS = (GRANTED == "granted").astype(int)  # XGBoost learns classes as numbers
SEARCH = {"param_distributions": {}, "n_iter": 1, "cv": 2}
CLASSIFIERS = {
    "grid search": lambda one: model_selection.GridSearchCV(one(), {}, cv=2),
    "random search": lambda one: model_selection.RandomizedSearchCV(one(), **SEARCH),
    "fixed threshold": lambda one: model_selection.FixedThresholdClassifier(one(), threshold=0.42, pos_label=1),
    "tuned threshold": lambda one: model_selection.TunedThresholdClassifierCV(one(), cv=2),
    "one versus rest": lambda one: multiclass.OneVsRestClassifier(one()),
    "bag": lambda one: ensemble.BaggingClassifier(one(), n_estimators=2, random_state=0),
    "sigmoid": lambda one: calibration.CalibratedClassifierCV(one(), cv=2),
    "sigmoid of the whole": lambda one: calibration.CalibratedClassifierCV(one(), cv=2, ensemble=False),
    "isotonic": lambda one: calibration.CalibratedClassifierCV(one(), cv=2, method="isotonic"),
    "temperature": lambda one: calibration.CalibratedClassifierCV(one(), cv=2, method="temperature"),
    "soft vote": lambda one: ensemble.VotingClassifier([("a", one()), ("b", one())], voting="soft", weights=[2, 1.5]),
    "hard vote": lambda one: ensemble.VotingClassifier([("a", one()), ("b", forest() if one is not LIBRARIES["pipeline"]
                                                                       else prepared(forest()))], weights=[1, 2]),
    "stack": lambda one: ensemble.StackingClassifier([("a", one()), ("b", one())],
                                                     linear_model.LogisticRegression(), cv=2),
}
REGRESSORS = {
    "search": lambda one: model_selection.RandomizedSearchCV(one(True), **SEARCH),
    "log of the target": lambda one: compose.TransformedTargetRegressor(one(True), func=np.log1p, inverse_func=np.expm1),
    "scaled target": lambda one: compose.TransformedTargetRegressor(one(True), transformer=preprocessing.StandardScaler()),
    "vote": lambda one: ensemble.VotingRegressor([("a", one(True)), ("b", one(True))]),
    "bag": lambda one: ensemble.BaggingRegressor(one(True), n_estimators=2, random_state=0),
    "stack": lambda one: ensemble.StackingRegressor([("a", one(True)), ("b", one(True))], linear_model.RidgeCV(), cv=2),
    "several targets": lambda one: multioutput.MultiOutputRegressor(one(True)),
}
REFUSED = {("temperature", "xgboost"): "the method temperature in float32"}


def pairs(wrappers):
    # A bag makes an array of its frame, in which these steps would not find their columns.
    return [(wrapper, library) for wrapper in wrappers for library in LIBRARIES
            if (wrapper, library) != ("bag", "pipeline")]


@pytest.mark.parametrize(("wrapper", "library"), pairs(CLASSIFIERS))
def test_classifiers(wrapper, library):
    frame = FRAME if library == "pipeline" else NUMBERS
    model = CLASSIFIERS[wrapper](LIBRARIES[library]).fit(frame, LABELS)
    if (wrapper, library) in REFUSED:
        with pytest.raises(boxwood.UnsupportedModelError, match=REFUSED[wrapper, library]):
            boxwood.Explainer(model, frame)
        return
    said = np.ravel(model.predict(frame))
    explainer = boxwood.Explainer(model, frame)
    assert (np.ravel(explainer.predict(frame)) == said).all()
    at = int(np.flatnonzero(said == 0)[0])
    answer = explainer.explain(frame.iloc[at], 1)
    assert answer.status == "optimal" and answer.verify() == []
    assert np.ravel(model.predict(answer.point_frame()[list(frame)]))[0] == 1


@pytest.mark.parametrize(("wrapper", "library"), pairs(REGRESSORS))
def test_regressors(wrapper, library):
    frame = FRAME if library == "pipeline" else NUMBERS
    target = np.column_stack([AMOUNT, SCORE]) if wrapper == "several targets" else AMOUNT
    model = REGRESSORS[wrapper](LIBRARIES[library]).fit(frame, target)
    said = np.asarray(model.predict(frame)).reshape(len(frame), -1)[:, 0].astype(float)
    explainer = boxwood.Explainer(model, frame)
    levels = np.unique(said)
    wanted = float(levels[[len(levels) // 2, len(levels) // 2 + 1]].mean())
    answer = explainer.explain(frame.iloc[int(said.argmin())], boxwood.Output(at_least=wanted))
    assert answer.status == "optimal" and answer.verify() == []
    assert np.ravel(model.predict(answer.point_frame()[list(frame)]))[0] >= wanted


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "hist"])
def test_frozen_models_with_categories(library):
    if library == "hist":
        inside = hist(categorical_features="from_dtype")
    else:
        inside = xgb(enable_categorical=True) if library == "xgboost" else lgb()
    model = calibration.CalibratedClassifierCV(frozen.FrozenEstimator(inside.fit(CODED, LABELS)), cv=2).fit(CODED, LABELS)
    explainer = boxwood.Explainer(model, CODED)
    said = model.predict(CODED)
    assert (explainer.predict(CODED) == said).all()
    answer = explainer.explain(CODED.iloc[int(np.flatnonzero(said == 0)[0])], 1)
    point = answer.point_frame()[list(CODED)]
    point = point.astype({name: kind for name, kind in CODED.dtypes.items() if isinstance(kind, pd.CategoricalDtype)})
    assert answer.status == "optimal" and model.predict(point)[0] == 1
