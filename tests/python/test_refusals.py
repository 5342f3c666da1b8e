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
            with pytest.raises(boxwood.Error, match=f'"{column}" is missing, and the model rejects such rows'):
                explainer.explain(row)
            with pytest.raises(boxwood.Error, match="rejects"):
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
    assert "rejects" in str(batch[2]) and "imputer" in str(batch[2])


def test_values_that_may_go_missing(rows):
    frame, wanted = rows
    model = MODELS["boosting"]().fit(frame, wanted)
    schema = boxwood.Schema.from_data(model, frame)
    schema["income"].missing_allowed = True
    with pytest.raises(boxwood.Error, match='missing_allowed: "income" is missing, and the model'):
        boxwood.Explainer(model, data=frame, schema=schema)
    explainer = boxwood.Explainer(model, data=frame)
    with pytest.raises(boxwood.Error, match="rules: .*rejects"):
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
    with pytest.raises(boxwood.Error, match='"town" is missing'):
        explainer.explain({"age": 30.0, "income": 20.0, "town": np.nan})


def with_marks(mark, kind=object):
    """Draw rows with texts, some of them missing, and what is to be predicted."""
    random = np.random.default_rng(8)
    texts = random.choice(["u", "v", "w"], 200).astype(object)
    numbers = random.normal(size=200).round(1)
    wanted = ((texts == "u") | (numbers > 0.5)).astype(int)
    texts[::6] = mark
    return pd.DataFrame({"s": pd.Series(texts, dtype=kind), "b": numbers}), wanted


def hot(*before):
    return sk.make_pipeline(*before, preprocessing.OneHotEncoder(sparse_output=False))


STEPS = {
    "frequent": lambda: hot(impute.SimpleImputer(strategy="most_frequent")),
    "constant": lambda: hot(impute.SimpleImputer(strategy="constant", fill_value="x")),
    "none": lambda: hot(impute.SimpleImputer(missing_values=None, strategy="most_frequent")),
    "any": lambda: hot(impute.SimpleImputer(missing_values=pd.NA, strategy="most_frequent")),
    "hot": hot,
    "codes": lambda: preprocessing.OrdinalEncoder(encoded_missing_value=-1),
    "lenient": lambda: preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value",
                                                    unknown_value=-1),
}


# What scikit-learn can be fitted on: only that imputer takes NA.
FITTED = [(name, mark) for name in STEPS for mark in ("NaN", "None")
          if (name, mark) != ("none", "NaN")] + [("any", "NA"), ("any", "NA in texts")]


@pytest.mark.parametrize(("name", "mark"), FITTED)
def test_none_and_nan_are_what_they_are_to_the_pipeline(name, mark):
    # Every mark of a missing value is answered as the pipeline answers it, or not at all.
    frame, wanted = with_marks({"NaN": np.nan, "None": None}.get(mark, pd.NA),
                               "string" if mark == "NA in texts" else object)
    model = sk.make_pipeline(
        compose.ColumnTransformer([("s", STEPS[name](), ["s"])], remainder="passthrough"),
        ensemble.RandomForestClassifier(5, max_depth=4, random_state=1)).fit(frame, wanted)
    explainer = boxwood.Explainer(model, frame)
    np.testing.assert_array_equal(explainer.predict_proba(frame), model.predict_proba(frame))
    taken = []
    for other in (np.nan, None, pd.NA):
        texts = pd.Series(["u", other, other, other], dtype=object)
        rows = pd.DataFrame({"s": texts, "b": [-1.0, -0.3, 0.3, 1.0]})
        try:
            own = model.predict_proba(rows)
        except (TypeError, ValueError):
            own = None
        try:
            made = explainer.predict_proba(rows)
        except boxwood.Error as error:
            assert "marks missing values" in str(error) or "rejects" in str(error)
            for row in (rows.iloc[1], dict(rows.iloc[1]), rows.iloc[[1]]):
                with pytest.raises(boxwood.Error, match="marks missing values|rejects"):
                    explainer.explain(row)
            continue
        taken.append(other)
        np.testing.assert_array_equal(made, own)
        for i in range(1, 4):
            for row in (rows.iloc[i], dict(rows.iloc[i]), rows.iloc[[i]]):
                answer = explainer.explain(row)
                assert answer.outcome_before == own[i].argmax()
                assert model.predict(answer.point_frame()).tolist() == [answer.outcome]
                point = answer.point if isinstance(answer.point, dict) else dict(answer.point)
                point = pd.DataFrame({key: pd.Series([value], dtype=frame.dtypes[key])
                                      for key, value in point.items()})
                assert model.predict(point).tolist() == [answer.outcome]
    assert repr(frame["s"][0]) in [repr(one) for one in taken]


def test_none_in_numbers():
    frame, wanted = with_marks("u")
    frame["b"] = frame["b"].astype(object)
    frame.loc[::5, "b"] = None
    none = sk.make_pipeline(
        compose.ColumnTransformer([("b", impute.SimpleImputer(
            missing_values=None, strategy="most_frequent"), ["b"])]),
        ensemble.HistGradientBoostingClassifier(max_iter=5)).fit(frame, wanted)
    with pytest.raises(boxwood.UnsupportedModelError, match='None as missing in .*"b"'):
        boxwood.Explainer(none, frame)
    nan = sk.make_pipeline(
        compose.ColumnTransformer([("b", impute.SimpleImputer(strategy="most_frequent"), ["b"])]),
        ensemble.HistGradientBoostingClassifier(max_iter=5)).fit(frame.fillna(np.nan), wanted)
    explainer = boxwood.Explainer(nan, frame)
    with pytest.raises(boxwood.Error, match="marks missing values by NaN, not by None"):
        explainer.predict(frame)
    numbers = frame.astype({"b": float})
    np.testing.assert_array_equal(explainer.predict(numbers), nan.predict(numbers))


@pytest.mark.parametrize("strategy", ["median", "most_frequent"])
def test_na_is_imputed_in_numbers(strategy):
    random = np.random.default_rng(9)
    frame = pd.DataFrame({"a": pd.Series(random.integers(0, 5, 200), dtype="Int64"),
                          "b": random.normal(size=200)})
    wanted = ((frame["a"] > 2) ^ (frame["b"] > 0)).astype(int)
    frame.loc[::5, "a"] = pd.NA
    model = sk.make_pipeline(
        compose.ColumnTransformer([("a", impute.SimpleImputer(
            missing_values=pd.NA, strategy=strategy), ["a"])], remainder="passthrough"),
        ensemble.RandomForestClassifier(5, max_depth=4, random_state=1)).fit(frame, wanted)
    explainer = boxwood.Explainer(model, frame)
    np.testing.assert_array_equal(explainer.predict_proba(frame), model.predict_proba(frame))
    for i in (0, 5, 10):
        for row in (frame.iloc[i], dict(frame.iloc[i]), frame.iloc[[i]]):
            answer = explainer.explain(row)
            assert answer.outcome_before == model.predict(frame.iloc[[i]])[0]
            assert model.predict(answer.point_frame()).tolist() == [answer.outcome]
