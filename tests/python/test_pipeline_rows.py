"""Rows of every type through pipelines, as series, mapping, frame and batch: one and the same.

BOXWOOD_CASES sets how many pipelines are drawn (`make test-long` draws more).
"""

import itertools

import boxwood
import numpy as np
import pandas as pd
import pytest
from conftest import case_numbers
from sklearn import compose, ensemble, impute, preprocessing
from sklearn import pipeline as sk

pytestmark = pytest.mark.filterwarnings("ignore")
DRAWN = case_numbers(6)
REFUSED = "marks missing values|rejects|no category"


def forms_of(frame, at):
    return frame.iloc[at], dict(frame.iloc[at]), frame.iloc[[at]]


def drawn_frame(random, count=160):
    """Draw columns of every type, with what stands for missing, and classes."""
    def one(*choices):
        return choices[random.integers(len(choices))]

    def lost(values, share=0.12):
        return np.flatnonzero(random.random(len(values)) < share)

    numbers = pd.Series(random.integers(0, 7, count) / 2)
    whole = pd.Series(random.integers(0, 6, count))
    texts = pd.Series(random.choice(["p", "q q", "ß"], count), dtype=object)
    truth = pd.Series(random.integers(0, 2, count).astype(bool))
    codes = pd.Series(random.choice([1, 2, 5, 7], count))
    score = (numbers + whole * (texts == "p") * 0.6 + 1.5 * truth * (codes > 2)
             - 1.3 * (codes == 5) + random.normal(0, 0.1, count))
    if one(True, False):
        numbers.iloc[lost(numbers)] = np.nan
    whole = whole.astype(one("int64", "Int64", "int32"))
    if whole.dtype == "Int64" and one(True, False):
        whole.iloc[lost(whole)] = pd.NA
    mark = one("", np.nan, None)
    if mark != "":
        at = lost(texts)
        texts = pd.Series([mark if i in at else text for i, text in enumerate(texts)], dtype=object)
    texts = texts.astype(one(object, object, "string", "category", "str"))
    truth = truth.astype(one("bool", "boolean", "bool[pyarrow]"))
    if truth.dtype == "boolean" and one(True, False):
        truth.iloc[lost(truth)] = pd.NA
    codes = codes.astype(one("int64", "Int64", "float64", "category"))
    frame = pd.DataFrame({"a": numbers, "b": whole, "c": texts, "d": truth, "e": codes})
    return frame, (score > score.median()).astype(int).to_numpy()


def drawn_model(random):
    """Draw steps for these columns, and a model."""
    def one(*choices):
        return choices[random.integers(len(choices))]

    def encoder(text):
        fill = one(impute.SimpleImputer(strategy="most_frequent"), "passthrough", "passthrough",
                   impute.SimpleImputer(missing_values=pd.NA, strategy="most_frequent"),
                   impute.SimpleImputer(strategy="constant", fill_value="none") if text else None)
        return sk.make_pipeline(fill, one(
            preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            preprocessing.OneHotEncoder(drop="first", sparse_output=False),
            preprocessing.OrdinalEncoder(),
            preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
            preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1,
                                         encoded_missing_value=-2),
            preprocessing.TargetEncoder(random_state=0)))

    filled = one("passthrough", impute.SimpleImputer(strategy="median"),
                 impute.SimpleImputer(strategy="most_frequent", add_indicator=True),
                 impute.SimpleImputer(missing_values=pd.NA))
    scaled = one("passthrough", preprocessing.StandardScaler(), preprocessing.Binarizer(threshold=2))
    parts = [("numbers", sk.make_pipeline(filled, scaled), ["a", "b"]),
             ("texts", encoder(True), ["c"])]
    parts += one([("both", encoder(False), ["d", "e"])],
                 [("codes", encoder(False), ["e"]), ("same", "passthrough", ["d"])],
                 [("truth", encoder(False), ["d"]), ("same", scaled, ["e"])])
    model = one(ensemble.RandomForestClassifier(5, max_depth=5, random_state=0),
                ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0),
                ensemble.HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5))
    return sk.make_pipeline(*one([], ["passthrough"]), compose.ColumnTransformer(parts), model)


def fitted(random):
    """Draw until scikit-learn takes it."""
    while True:
        frame, target = drawn_frame(random)
        model = drawn_model(random)
        try:
            model.fit(frame, target)
            model.predict(frame)
        except (TypeError, ValueError):
            continue
        return frame, model


@pytest.mark.parametrize("seed", DRAWN)
def test_all_forms_of_a_row_say_what_the_pipeline_says(seed):
    random = np.random.default_rng(seed)
    frame, model = fitted(random)
    own = model.predict(frame)
    explainer = boxwood.Explainer(model, frame)
    np.testing.assert_allclose(explainer.predict_proba(frame), model.predict_proba(frame),
                               rtol=1e-12)
    lost = np.flatnonzero(frame.isna().any(axis=1))[:4]
    chosen = [*lost, *random.integers(len(frame), size=4)]
    batch = explainer.explain_batch(frame.iloc[chosen], show_progress=False, on_error="raise")
    for at, from_batch in zip(chosen, batch.answers, strict=True):
        for row in forms_of(frame, at):
            answer = explainer.explain(row)
            assert answer.outcome_before == own[at]
            assert answer.status == from_batch.status
            assert answer.cost == from_batch.cost
            if answer.found:
                assert model.predict(answer.point_frame())[0] == answer.outcome != own[at]


@pytest.mark.parametrize("seed", DRAWN)
def test_what_is_odd_is_answered_as_by_the_pipeline_or_refused(seed):
    random = np.random.default_rng(1000 + seed)
    frame, model = fitted(random)
    explainer = boxwood.Explainer(model, frame)
    texts = frame["c"].dtype if frame["c"].dtype == "string" else object
    plain = frame[~frame.isna().any(axis=1)].head(3)
    for odd in ("never seen", np.nan, None, pd.NA):
        rows = plain.assign(c=pd.Series([odd] * 3, dtype=texts, index=plain.index))
        try:
            own = model.predict_proba(rows)
        except (TypeError, ValueError):
            own = None
        try:
            made = explainer.predict_proba(rows)
        except boxwood.Error as error:
            made = None
            assert any(words in str(error) for words in REFUSED.split("|"))
        if own is None:
            assert made is None
        if made is None:
            for row in forms_of(rows, 0):
                with pytest.raises(boxwood.Error, match=REFUSED):
                    explainer.explain(row)
            continue
        np.testing.assert_allclose(made, own, rtol=1e-12)
        for row in forms_of(rows, 0):
            answer = explainer.explain(row)
            assert answer.outcome_before == own[0].argmax()
            if answer.found:
                assert model.predict(answer.point_frame())[0] == answer.outcome


@pytest.mark.parametrize("kind", ["bool", "boolean", "bool[pyarrow]", "category"])
@pytest.mark.parametrize("before", ["passthrough", "imputer"])
def test_truth_values_behind_encoders_against_all_rows(kind, before):
    random = np.random.default_rng(11)
    count = 150
    frame = pd.DataFrame({
        "age": random.integers(0, 6, count), "rooms": random.choice([1, 2, 5], count),
        "own": pd.Series(random.integers(0, 2, count).astype(bool)).astype(kind)})
    truth = frame["own"].astype(bool)
    target = ((frame["age"] > 2) ^ truth ^ (frame["rooms"] == 5)).astype(int)
    fill = impute.SimpleImputer(strategy="most_frequent") if before == "imputer" else before
    model = sk.make_pipeline(
        compose.ColumnTransformer([
            ("codes", sk.make_pipeline(fill, preprocessing.OneHotEncoder(sparse_output=False)),
             ["own", "rooms"])], remainder="passthrough"),
        ensemble.RandomForestClassifier(5, max_depth=5, random_state=0)).fit(frame, target)
    grid = pd.DataFrame(list(itertools.product(range(6), [1, 2, 5], [False, True])),
                        columns=frame.columns).astype(frame.dtypes)
    classes = model.predict(grid)
    explainer = boxwood.Explainer(model, frame, scale=None)
    np.testing.assert_array_equal(explainer.predict(grid), classes)
    batch = explainer.explain_batch(grid, cost="l1", show_progress=False, on_error="raise")
    for at, from_batch in enumerate(batch.answers):
        row = grid.iloc[at]
        costs = ((grid["age"] - row["age"]).abs() + (grid["rooms"] != row["rooms"])
                 + (grid["own"].astype(bool) != bool(row["own"])))
        best = costs[classes != classes[at]].min()
        for answer in [from_batch, *(explainer.explain(one, cost="l1")
                                     for one in forms_of(grid, at))]:
            assert answer.outcome_before == classes[at]
            assert answer.cost == best
            assert model.predict(answer.point_frame())[0] == answer.outcome != classes[at]


def test_a_category_that_nobody_knows_stays_one_in_a_frame():
    random = np.random.default_rng(12)
    texts = random.choice(["u", "v"], 200).astype(object)
    texts[::3] = np.nan
    frame = pd.DataFrame({"s": pd.Categorical(texts), "b": random.normal(size=200)})
    target = (frame["s"].isna() & (frame["b"] > -1)) | (frame["b"] > 0.5)
    model = sk.make_pipeline(
        compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(
            handle_unknown="ignore", sparse_output=False), ["s"])], remainder="passthrough"),
        ensemble.RandomForestClassifier(8, max_depth=4, random_state=0)).fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    for number in np.linspace(-2, 2, 9):
        answer = explainer.explain({"s": "Rome", "b": number}, fixed=["s"])
        assert model.predict(answer.point_frame())[0] == answer.outcome
