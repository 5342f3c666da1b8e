"""Rows with missing values: what the library refuses has no answer, what it takes has one."""

import boxwood
import catboost
import numpy as np
import pandas as pd
import pytest
from sklearn import compose, ensemble, impute, preprocessing
from sklearn import pipeline as sk

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"age": random.integers(18, 80, 300).astype(float),
                          "income": random.lognormal(3, 0.6, 300),
                          "town": random.choice(["Bonn", "Jena", "Ulm"], 300)})
    wanted = frame["income"] / 20 - (frame["age"] - 40).abs() / 30 + (frame["town"] == "Ulm") > 0.8
    return frame, wanted.to_numpy()


def encoded(encoder, model, *, numbers="passthrough"):
    return sk.make_pipeline(compose.make_column_transformer(
        (encoder, ["town"]), (numbers, ["age", "income"])), model)


MODELS = {
    "boosting": lambda: encoded(preprocessing.OneHotEncoder(),
                                ensemble.GradientBoostingClassifier(n_estimators=5)),
    "forest": lambda: encoded(preprocessing.OrdinalEncoder(),
                              ensemble.RandomForestClassifier(n_estimators=5)),
    "bins": lambda: encoded(preprocessing.OneHotEncoder(handle_unknown="ignore"),
                            ensemble.HistGradientBoostingClassifier(max_iter=5),
                            numbers=preprocessing.KBinsDiscretizer(4, encode="ordinal")),
    "lenient": lambda: encoded(preprocessing.OneHotEncoder(handle_unknown="ignore"),
                               ensemble.HistGradientBoostingClassifier(max_iter=5)),
    "imputed": lambda: sk.make_pipeline(
        compose.make_column_transformer(
            (sk.make_pipeline(impute.SimpleImputer(strategy="most_frequent"),
                              preprocessing.OneHotEncoder()), ["town"]),
            (impute.SimpleImputer(), ["age", "income"])),
        ensemble.GradientBoostingClassifier(n_estimators=5)),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_the_library_refuses_is_refused_and_nothing_else(rows, name):
    frame, wanted = rows
    model = MODELS[name]().fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=frame)
    refused = set()
    for column in frame.columns:
        row = frame.iloc[[3]].copy()
        row.loc[:, column] = np.nan
        try:
            said = model.predict(row)
        except ValueError:
            refused.add(column)
            with pytest.raises(boxwood.Error, match=f'"{column}" missing, which the model refuses'):
                explainer.explain(row)
            with pytest.raises(boxwood.Error, match="refuses"):
                explainer.predict(row)
        else:
            assert explainer.predict(row).tolist() == said.tolist()
            answer = explainer.explain(row)
            assert answer.status == "infeasible" or (
                model.predict(answer.point_frame()).tolist() == [not said[0]])
    if name in ("boosting", "bins"):
        assert refused >= {"age", "income"}
    elif name in ("lenient", "imputed"):
        assert not refused


def test_a_refused_row_is_one_error_of_a_batch(rows):
    frame, wanted = rows
    explainer = boxwood.Explainer(MODELS["boosting"]().fit(frame, wanted), data=frame)
    some = frame.head(6).copy()
    some.loc[2, "income"] = np.nan
    some.loc[5, "town"] = np.nan
    batch = explainer.explain_batch(some, show_progress=False)
    assert [status == "error" for status in batch.statuses] == [False, False, True, False, False,
                                                                True]
    assert "refuses" in str(batch[2]) and "imputer" in str(batch[2])


def test_values_that_may_go_missing(rows):
    frame, wanted = rows
    model = MODELS["boosting"]().fit(frame, wanted)
    schema = boxwood.Schema.from_data(model, frame)
    schema["income"].missing_allowed = True
    with pytest.raises(boxwood.Error, match='missing_allowed: "income" missing, which the model'):
        boxwood.Explainer(model, data=frame, schema=schema)
    explainer = boxwood.Explainer(model, data=frame)
    with pytest.raises(boxwood.Error, match="rules: .*refuses"):
        explainer.explain(frame.iloc[0], rules="income may be missing")
    lenient = boxwood.Explainer(MODELS["lenient"]().fit(frame, wanted), data=frame)
    assert lenient.explain(frame.iloc[0], rules="income may be missing").proven


def test_plain_models_of_each_library(rows):
    frame, wanted = rows
    numbers = frame[["age", "income"]]
    boosting = ensemble.GradientBoostingClassifier(n_estimators=5).fit(numbers.to_numpy(), wanted)
    with pytest.raises(boxwood.Error, match="NaN"):
        boxwood.Explainer(boosting).explain(np.array([40.0, np.nan]))
    cats = catboost.CatBoostClassifier(iterations=5, cat_features=["town"], verbose=False,
                                       allow_writing_files=False).fit(frame, wanted)
    explainer = boxwood.Explainer(cats, data=frame)
    assert explainer.explain({"age": np.nan, "income": 20.0, "town": "Ulm"}).proven
    with pytest.raises(boxwood.Error, match='"town" missing'):
        explainer.explain({"age": 30.0, "income": 20.0, "town": np.nan})
