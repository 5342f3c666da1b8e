"""Columns of categories: what each library makes of them is what the answers are about."""

import boxwood
import catboost
import numpy as np
import pandas as pd
import pyarrow
import pytest
import xgboost
from sklearn import compose, ensemble, impute, preprocessing
from sklearn import pipeline as sk

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS = 240


@pytest.fixture
def random():
    return np.random.default_rng(7)


def confirm(explainer, model, frame, rows=25):
    """Check predictions, and answers by their frames, against the library."""
    assert (explainer.predict_proba(frame) == model.predict_proba(frame)).all()
    found = 0
    for i in range(rows):
        forms = [explainer.explain(one) for one in (frame.iloc[i], frame.iloc[[i]],
                                                    frame.iloc[i].to_dict())]
        before = model.predict(frame.iloc[[i]])[0]
        assert all(answer.outcome_before == before for answer in forms)
        assert len({answer.cost for answer in forms}) == 1
        if forms[0].found:
            found += 1
            assert model.predict(forms[0].point_frame())[0] == forms[0].outcome != before
    assert found > rows // 2


READERS = {
    "forest": lambda: ensemble.RandomForestClassifier(8, max_depth=4, random_state=0),
    "histogram": lambda: ensemble.HistGradientBoostingClassifier(max_iter=8,
                                                                 categorical_features=None),
    "histogram of categories": lambda: ensemble.HistGradientBoostingClassifier(max_iter=8),
    "scaled": lambda: sk.make_pipeline(
        preprocessing.StandardScaler(),
        ensemble.RandomForestClassifier(8, max_depth=4, random_state=0)),
    "passed on": lambda: sk.make_pipeline(
        compose.make_column_transformer(("passthrough", ["e", "b"])),
        xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1)),
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1,
                                             enable_categorical=True),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("values", [[1, 2, 5, 7], [0.5, 1.5, 4.5]])
@pytest.mark.parametrize("ordered", [False, True])
def test_categories_that_are_numbers(random, name, values, ordered):
    if name == "xgboost":  # which takes no fractions
        values = [10 * value for value in range(3, 6)]
    frame = pd.DataFrame({"e": pd.Categorical(random.choice(values, ROWS), ordered=ordered),
                          "b": random.integers(0, 6, ROWS)})
    wanted = (frame["e"].astype(float) + frame["b"] > np.mean(values) + 2.5).to_numpy()
    model = READERS[name]().fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=frame)
    if "histogram" in name or name == "xgboost":
        np.testing.assert_allclose(explainer.predict_proba(frame), model.predict_proba(frame),
                                   rtol=1e-6)
    else:
        confirm(explainer, model, frame)
    for i in range(10):
        answer = explainer.explain(frame.iloc[i])
        if answer.found:
            assert model.predict(answer.point_frame())[0] == answer.outcome
            assert answer.point["e"] in values


def test_texts_that_a_model_reads_as_numbers_are_refused(random):
    frame = pd.DataFrame({"e": pd.Categorical(random.choice(["3", "10"], ROWS)),
                          "b": random.normal(size=ROWS)})
    model = ensemble.RandomForestClassifier(5).fit(frame, frame["b"] > 0)
    with pytest.raises(boxwood.Error, match="its categories are texts, but the model reads numbers"):
        boxwood.Explainer(model, data=frame)


def test_models_that_read_categories_differently(random):
    frame = pd.DataFrame({"e": pd.Categorical(random.choice([3, 10], ROWS)),
                          "b": random.normal(size=ROWS)})
    wanted = (frame["b"] > 0).to_numpy()
    models = [READERS[name]().fit(frame, wanted) for name in ("xgboost", "forest")]
    with pytest.raises(boxwood.Error, match="other categories or numbers"):
        boxwood.Explainer(models, data=frame)


def test_truth_values_where_the_encoder_knows_numbers(random):
    frame = pd.DataFrame({"d": random.integers(0, 2, ROWS).astype(bool),
                          "e": random.choice([1, 2, 5], ROWS), "a": random.normal(size=ROWS)})
    wanted = (frame["d"] & (frame["a"] > 0)).to_numpy()
    for unknown in ("ignore", "error"):
        encoder = sk.make_pipeline(impute.SimpleImputer(strategy="most_frequent"),
                                   preprocessing.OneHotEncoder(handle_unknown=unknown))
        model = sk.make_pipeline(
            compose.make_column_transformer((encoder, ["d", "e"]), remainder="passthrough"),
            ensemble.RandomForestClassifier(8, max_depth=4, random_state=0)).fit(frame, wanted)
        confirm(boxwood.Explainer(model, data=frame), model, frame)


def test_whole_numbers_of_catboost_come_back_as_such(random):
    frame = pd.DataFrame({"e": random.choice([3, 10, 20], ROWS),
                          "b": random.normal(size=ROWS).round(1)})
    wanted = ((frame["e"] == 10) ^ (frame["b"] > 0)).astype(int).to_numpy()
    model = catboost.CatBoostClassifier(iterations=5, verbose=False, cat_features=["e"],
                                        allow_writing_files=False).fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=frame)
    for i in range(25):
        answer = explainer.explain(frame.iloc[i])
        assert model.predict(answer.point_frame())[0] == answer.outcome
        assert answer.point_frame().dtypes.tolist() == frame.dtypes.tolist()


def test_a_category_called_other_is_one_like_the_others(random):
    names = ["x", "y", "(other)"]
    frame = pd.DataFrame({"c": random.choice(names, ROWS), "b": random.normal(size=ROWS)})
    wanted = ((frame["c"] == "x") ^ (frame["b"] > 0)).to_numpy()
    model = ensemble.RandomForestClassifier(5, random_state=0)

    def encoded(encoder):
        return sk.make_pipeline(compose.make_column_transformer(
            (encoder, ["c"]), remainder="passthrough"), model).fit(frame, wanted)

    strict = boxwood.Explainer(encoded(preprocessing.OrdinalEncoder(categories=[names])),
                               data=frame)
    with pytest.raises(boxwood.Error, match="no category 'Rome'"):
        strict.explain({"c": "Rome", "b": 0.0})
    lenient = encoded(preprocessing.OneHotEncoder(handle_unknown="ignore"))
    explainer = boxwood.Explainer(lenient, data=frame)
    confirm(explainer, lenient, frame)
    rome = pd.DataFrame({"c": ["Rome"], "b": [0.3]})
    assert explainer.predict(rome).tolist() == lenient.predict(rome).tolist()
    typed = frame.astype({"c": pd.CategoricalDtype(names)})
    boosted = xgboost.XGBClassifier(n_estimators=5, enable_categorical=True, n_jobs=1).fit(
        typed, wanted)
    with pytest.raises(boxwood.Error, match="no category 'Rome'"):
        boxwood.Explainer(boosted, data=typed).explain({"c": "Rome", "b": 0.0})


def test_float32_of_an_arrow_table(random):
    frame = pd.DataFrame(random.normal(size=(900, 3)) * [1, 1000, 1e-3] + [0, 5, 7],
                         columns=list("abc")).astype("float32")
    wanted = ((frame["a"] > 0) ^ (frame["c"] > 7)).to_numpy()
    model = sk.make_pipeline(preprocessing.StandardScaler(),
                             ensemble.RandomForestClassifier(20, random_state=0)).fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=pyarrow.Table.from_pandas(frame))
    assert (explainer.predict_proba(frame) == model.predict_proba(frame)).all()


def test_catboost_with_categories_that_no_split_tests(random):
    frame = pd.DataFrame({"c": random.choice(["a", "b", "c"], ROWS).astype(object),
                          "d": random.choice(["p", "q", "s"], ROWS).astype(object),
                          "a": random.normal(size=ROWS)})
    wanted = ((frame["c"] == "a") ^ (frame["d"] == "p")).astype(int).to_numpy()
    model = catboost.CatBoostClassifier(
        iterations=3, depth=2, verbose=False, cat_features=["c", "d"], one_hot_max_size=10,
        max_ctr_complexity=1, allow_writing_files=False).fit(frame, wanted)
    confirm(boxwood.Explainer(model, data=frame), model, frame)
    # Without the data a name may be any of the hashes that the model has.
    with pytest.raises(boxwood.Error, match="hashes.*Pass the training data to Explainer"):
        boxwood.Explainer(model).predict(frame)


def test_models_that_read_a_column_differently_are_not_asked_together(random):
    frame = pd.DataFrame({"c": random.choice([1, 2, 3], ROWS), "a": random.normal(size=ROWS)})
    wanted = ((frame["c"] == 2) ^ (frame["a"] > 0.2)).to_numpy()

    def forest():
        return ensemble.RandomForestClassifier(5, random_state=0)

    def encoded():
        return sk.make_pipeline(compose.make_column_transformer(
            (preprocessing.OneHotEncoder(), ["c"]), remainder="passthrough"), forest())

    plain, steps = forest().fit(frame, wanted), encoded().fit(frame, wanted)
    for pair in ([plain, steps], [steps, plain]):
        with pytest.raises(boxwood.Error, match="other categories or numbers"):
            boxwood.Explainer(pair, data=frame)
    for pair in ([plain, forest().fit(frame, ~wanted)], [steps, encoded().fit(frame, ~wanted)]):
        explainer = boxwood.Explainer(pair, data=frame)
        for i, model in enumerate(pair):
            assert (explainer.predict(frame, i) == model.predict(frame)).all()


@pytest.mark.parametrize("kind", [object, bool])
def test_an_encoder_that_takes_anything_for_a_truth_value(random, kind):
    frame = pd.DataFrame({"c": random.choice([True, False], ROWS), "a": random.normal(size=ROWS)})
    wanted = (frame["c"] ^ (frame["a"] > 0)).to_numpy()
    frame = frame.astype({"c": kind})
    encoder = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    model = sk.make_pipeline(compose.make_column_transformer((encoder, ["c"]),
                                                             remainder="passthrough"),
                             ensemble.RandomForestClassifier(5, random_state=0)).fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=frame)
    confirm(explainer, model, frame)
    for odd in (None, np.nan, "zz", 7):
        row = pd.DataFrame({"c": pd.Series([odd], dtype=object), "a": [0.3]})
        try:
            said = explainer.predict_proba(row)
        except boxwood.Error as error:
            assert "missing" in str(error) and odd not in ("zz", 7)
        else:
            assert (said == model.predict_proba(row)).all()


def test_whole_numbers_among_categories_that_are_floats(random):
    values = np.where(random.random(ROWS) < 0.1, np.nan, random.choice([-1, 2, 4], ROWS))
    frame = pd.DataFrame({"e": pd.Categorical(values), "b": random.normal(size=ROWS)})
    frame["e"] = frame["e"].cat.rename_categories([-1, 2, 4])
    wanted = ((frame["e"] == 2) ^ (frame["b"] > 0)).to_numpy()
    model = ensemble.HistGradientBoostingClassifier(max_iter=5).fit(frame, wanted)
    explainer = boxwood.Explainer(model, data=frame)
    assert (explainer.predict(frame) == model.predict(frame)).all()


def test_texts_where_numbers_are_read(random):
    frame = pd.DataFrame({"e": pd.Categorical(random.choice([1, 2, 3], ROWS)),
                          "b": random.normal(size=ROWS)})
    model = ensemble.RandomForestClassifier(5).fit(frame, frame["b"] > 0)
    wrong = frame.head(2).assign(e=pd.Categorical(["q", "w"]))
    with pytest.raises(boxwood.Error, match="'q' is not a number"):
        boxwood.Explainer(model).predict(wrong)


def test_labels_keep_the_places_that_model_or_data_give_them():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({
        "size": pd.Categorical(random.choice(["low", "mid", "high"], 200), ["low", "mid", "high"]),
        "n": random.integers(0, 5, 200)})
    wanted = np.where((frame["size"] == "high") | (frame["n"] > 3), "yes", "no")
    texts = frame.assign(size=frame["size"].astype(str))
    encoded = sk.make_pipeline(
        compose.make_column_transformer((preprocessing.OneHotEncoder(), ["size"]), remainder="passthrough"),
        ensemble.RandomForestClassifier(5, random_state=0)).fit(texts, wanted)
    boosted = xgboost.XGBClassifier(n_estimators=5, enable_categorical=True, max_cat_to_onehot=1)
    boosted.fit(frame, wanted == "yes")
    stored = boosted.get_booster().save_raw("ubj")

    def schema(*labels, **more):
        return {"boxwood_schema": 1, "features": [
            {"name": "size", "kind": "ordinal", "labels": labels}], **more}

    for model, data in ((encoded, texts), (boosted, frame), (bytes(stored), frame)):
        with pytest.raises(boxwood.Error, match="order, or give other names"):
            boxwood.Explainer(model, data, schema=schema("mid", "low", "high"))
        renamed = boxwood.Explainer(model, schema=schema("a", "b", "c"))
        assert renamed.schema["size"].labels == ["a", "b", "c"]
    with pytest.raises(boxwood.Error, match='^categories, "size": "mid" is category 2'):
        boxwood.Explainer(encoded, texts, categories={"size": ["mid", "low", "high"]})
    with pytest.raises(boxwood.Error, match='"yes" is the model.s name for class 1, not for 0'):
        boxwood.Explainer(encoded, texts, schema={"boxwood_schema": 1, "classes": ["yes", "no"]})
    known = boxwood.Explainer(encoded, texts, schema=schema("high", "low", "mid",
                                                            classes=["no", "yes"]))
    assert known.predict(texts).tolist() == encoded.predict(texts).tolist()


def test_names_that_are_numbers_are_names():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 9, (200, 2)))
    model = xgboost.XGBClassifier(n_estimators=5).fit(frame, frame[0] > 4)
    explainer = boxwood.Explainer(model, frame)
    row = frame[(frame[0] > 5) & (frame[1] < 3)][[1, 0]].iloc[0]
    for given in (row, row.to_dict(), row.to_frame().T):
        answer = explainer.explain(given)
        assert answer.outcome_before == 1 and dict(answer.before) == dict(row)
        assert answer.point[1] == row[1] and answer.point[0] < row[0]
    named = boxwood.Explainer(
        ensemble.RandomForestClassifier(5, random_state=0).fit(
            frame.rename(columns={0: "a", 1: "b"}), frame[0] > 4))
    counted = pd.Series([7, 1])  # without names: in the model's order
    assert named.explain(counted).outcome_before == named.predict([[7, 1]])[0]


@pytest.mark.parametrize("known", [["Bern", "Oslo"], [1, 2, 3]])
def test_a_category_that_nobody_knows_comes_back_as_it_was_given(known):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"n": random.integers(0, 6, 200), "c": random.choice(known, 200)})
    model = sk.make_pipeline(
        compose.make_column_transformer(
            (preprocessing.OneHotEncoder(handle_unknown="ignore"), ["c"]),
            remainder="passthrough"),
        ensemble.RandomForestClassifier(5, random_state=0)).fit(frame, frame["n"] > 2)
    explainer = boxwood.Explainer(model, frame)
    stranger = 77 if known == [1, 2, 3] else "Rome"
    row = pd.Series({"n": 1, "c": stranger}, name="r")
    for given in (row, row.to_dict(), pd.DataFrame([row])):
        answer = explainer.explain(given, True, fixed=["c"])
        assert answer.before["c"] == answer.point["c"] == stranger
        assert answer.point_frame()["c"].tolist() == [stranger]
        assert model.predict(answer.point_frame()).tolist() == [True]
    batch = explainer.explain_batch(pd.DataFrame([row, frame.iloc[0], row]), True, only=["n"],
                                    show_progress=False)
    assert batch.points()["c"].tolist() == [stranger, frame["c"][0], stranger]
    array = explainer.explain(np.array([1, stranger], dtype=object), True, fixed=["c"])
    assert array.before[1] == array.point[1] == stranger


@pytest.mark.parametrize("compared", [10, 1])  # categories compared one by one, or by statistics
@pytest.mark.parametrize("whole", [False, True])
def test_catboost_names_the_categories_of_the_data_that_no_tree_names(compared, whole):
    random = np.random.default_rng(5)
    towns = [3, 5, 8, 13] if whole else ["Ulm", "Bonn", "Kiel", "Jena"]
    frame = pd.DataFrame({"town": random.choice(towns, ROWS), "job": random.choice(list("abc"), ROWS),
                          "age": random.integers(20, 60, ROWS)})
    model = catboost.CatBoostClassifier(
        iterations=4, depth=2, verbose=False, cat_features=["town", "job"], random_seed=0,
        one_hot_max_size=compared, max_ctr_complexity=1, allow_writing_files=False)
    model.fit(frame, (frame["town"] != towns[0]) & (frame["age"] > 25))
    explainer = boxwood.Explainer(model, frame)
    confirm(explainer, model, frame)
    for row in frame[model.predict(frame) == "False"].to_dict("records")[:10]:
        answer = explainer.explain(row, True, cost="l0")
        every = [{"town": town, "job": job, "age": age}
                 for town in towns for job in "abc" for age in range(20, 60)]
        good = [one for one, said in zip(every, model.predict(pd.DataFrame(every)), strict=True)
                if said == "True"]
        assert answer.cost == min(sum(one[key] != row[key] for key in row) for one in good)
        assert answer.point in good and "(other)" not in str(answer) and "Note" not in str(answer)
        # A range binds where no tree reads the column, too.
        job = {"a": "b", "b": "c", "c": "a"}[row["job"]]
        assert explainer.explain(row, True, ranges={"job": [job]}).point["job"] == job
    unknown = 99 if whole else "Rome"
    assert explainer.explain({"town": unknown, "job": "a", "age": 30}).before["town"] == unknown


def test_ranges_name_known_categories_only(random):
    frame = pd.DataFrame({"c": random.choice(["Bern", "Oslo", "Kyiv"], ROWS),
                          "n": random.integers(0, 6, ROWS)})
    for encoder in (preprocessing.OneHotEncoder(handle_unknown="ignore"),
                    preprocessing.OneHotEncoder(), preprocessing.OrdinalEncoder()):
        model = sk.make_pipeline(
            compose.make_column_transformer((encoder, ["c"]), remainder="passthrough"),
            ensemble.RandomForestClassifier(5, random_state=0)).fit(frame, frame["c"] == "Oslo")
        for data in (frame, None):
            explainer = boxwood.Explainer(model, data)
            for wrong in (["Oslo", "Olso"], (0, 2), [1]):
                with pytest.raises(boxwood.Error, match=r'ranges\["c"\]: no category'):
                    explainer.explain(frame.iloc[0], True, ranges={"c": wrong})
            row = {"c": "Bern", "n": 1}
            assert explainer.explain(row, True, ranges={"c": ["Oslo"]}).point["c"] == "Oslo"


def test_the_table_of_features_lists_a_few_labels(random):
    frame = pd.DataFrame({"c": pd.Categorical(random.integers(0, 30, ROWS).astype(str)),
                          "d": pd.Categorical(random.choice(["a, b", "c"], ROWS))})
    model = xgboost.XGBClassifier(n_estimators=3, enable_categorical=True, n_jobs=1)
    page = boxwood.Explainer(model.fit(frame, frame["c"] == "3"), frame)._repr_html_()
    assert "… (30 in all)" in page and page.count(" · ") == 13
    assert "a, b · c" in page


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_catboost_statistics_of_combinations_against_brute_force(threshold):
    random = np.random.default_rng(11)
    towns, jobs = ["Ulm", "Bonn", "Kiel", "Jena"], list("abcde")
    frame = pd.DataFrame({"town": random.choice(towns, ROWS), "job": random.choice(jobs, ROWS),
                          "sex": random.choice(["m", "f"], ROWS), "age": random.integers(20, 40, ROWS)})
    good = frame["town"].isin(towns[:2]) ^ frame["job"].isin(["a", "c"]) ^ (frame["age"] > 30)
    model = catboost.CatBoostClassifier(iterations=12, verbose=False, random_seed=0,
                                        cat_features=["town", "job", "sex"], allow_writing_files=False)
    model.fit(frame, good)
    if threshold:
        model.set_probability_threshold(threshold)
    explainer = boxwood.Explainer(model, frame)
    confirm(explainer, model, frame)
    # A category that was not seen in training is another one for every statistic.
    stranger = pd.DataFrame({"town": "Rome", "job": jobs, "sex": "x", "age": 33})
    assert list(map(str, explainer.predict(stranger))) == list(map(str, model.predict(stranger)))
    every = pd.DataFrame([(town, job, sex, age) for town in towns for job in jobs for sex in "mf"
                          for age in range(20, 40)], columns=frame.columns)
    said = pd.Series(model.predict(every)).astype(str)
    for row in frame[pd.Series(model.predict(frame)).astype(str) == "False"].to_dict("records")[:8]:
        answer = explainer.explain(row, True, cost="l0")
        reach = every[(said == "True").to_numpy()]
        assert answer.cost == min((reach != pd.Series(row)).sum(axis=1))
        assert str(model.predict(pd.DataFrame([answer.point]))[0]) == "True"
