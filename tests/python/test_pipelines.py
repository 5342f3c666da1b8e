"""Pipelines: the model over raw columns says what the pipeline says, and answers hold through it.

BOXWOOD_CASES sets how many pipelines are drawn (`make test-long` draws more).
"""

import itertools
import json

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from boxwood import pipelines
from conftest import case_numbers
from sklearn import (
    calibration,
    compose,
    decomposition,
    ensemble,
    feature_selection,
    impute,
    linear_model,
    preprocessing,
    tree,
)
from sklearn import pipeline as sk

pytestmark = pytest.mark.filterwarnings("ignore")
DRAWN = case_numbers(8)
QUIET = {"verbose": -1, "n_jobs": 1, "min_child_samples": 5}


def people(random, count, missing=True, single=False):
    """Draw raw rows of every kind, and what is to be predicted of them."""
    frame = pd.DataFrame({
        "age": random.integers(18, 80, count),
        "income": random.lognormal(3, 0.7, count),
        "debt": random.normal(0, 1, count),
        "town": pd.Series(random.choice(["Bonn", "Jena", "Ulm", "Hof"], count, p=[.4, .3, .2, .1]),
                          dtype=object),
        "job": random.choice(["cook", "smith"], count),
        "size": random.choice(["small", "middle", "large"], count),
        "rooms": random.choice([1, 2, 5], count),
    })
    score = (frame["income"] / 20 - frame["debt"] + (frame["town"] == "Ulm") * 1.5
             - (frame["age"] - 40).abs() / 30 + (frame["size"] == "large") * 0.8
             + (frame["rooms"] == 2) * 0.7 + random.normal(0, 0.3, count))
    if missing:
        for name in ("income", "debt", "town", "size"):
            frame.loc[random.random(count) < 0.1, name] = np.nan
    if single:
        frame = frame.astype(dict.fromkeys(("age", "income", "debt", "rooms"), np.float32))
    return frame, score


def drawn_steps(random):
    """Draw steps that are followed exactly."""
    def one(*choices):
        return choices[random.integers(len(choices))]

    scaler = one(preprocessing.StandardScaler(), preprocessing.MinMaxScaler((-1, 3)),
                 preprocessing.MinMaxScaler(clip=True), preprocessing.MaxAbsScaler(),
                 preprocessing.RobustScaler(), preprocessing.StandardScaler(with_mean=False),
                 "passthrough")
    filled = one(impute.SimpleImputer(), impute.SimpleImputer(strategy="median"),
                 impute.SimpleImputer(strategy="constant", fill_value=-7.25),
                 impute.SimpleImputer(strategy="most_frequent"),
                 impute.SimpleImputer(add_indicator=True))
    hot = preprocessing.OneHotEncoder(
        drop=one(None, "first", "if_binary"), sparse_output=False,
        handle_unknown=one("ignore", "infrequent_if_exist"),
        max_categories=one(None, 3))
    named = sk.Pipeline([
        ("fill", one(impute.SimpleImputer(strategy="most_frequent"), "passthrough",
                     impute.SimpleImputer(strategy="constant", fill_value="none"))),
        ("hot", hot)])
    sizes = preprocessing.OrdinalEncoder(
        categories=[["small", "middle", "large"]], handle_unknown="use_encoded_value",
        unknown_value=-1, encoded_missing_value=one(-2, np.nan))
    numbers = sk.Pipeline(one([("fill", filled), ("scale", scaler)], [("scale", scaler)],
                              [("fill", filled), ("scale", scaler),
                               ("again", preprocessing.MinMaxScaler())]))
    rooms = one(preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=9),
                preprocessing.TargetEncoder())
    parts = [("numbers", numbers, one(["income", "debt"], [1, 2],
                                      lambda frame: ["income", "debt"])),
             ("names", named, ["town", "job"]), ("sizes", sizes, ["size"]),
             ("rooms", rooms, ["rooms"])]
    order = random.permutation(len(parts))
    made = compose.ColumnTransformer([parts[i] for i in order], sparse_threshold=0,
                                     remainder=one("drop", "passthrough",
                                                   preprocessing.StandardScaler()))
    return made.set_output(transform="pandas") if random.random() < 0.3 else made


def drawn_model(random, steps_give_nan):
    seed = int(random.integers(1000))
    models = [
        ensemble.HistGradientBoostingClassifier(max_iter=8, random_state=seed),
        ensemble.HistGradientBoostingRegressor(max_iter=8, random_state=seed),
        ensemble.RandomForestClassifier(8, max_depth=6, random_state=seed),
        xgboost.XGBClassifier(n_estimators=8, max_depth=4, random_state=seed, n_jobs=1),
        xgboost.XGBRegressor(n_estimators=8, max_depth=4, random_state=seed, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=8, random_state=seed, **QUIET),
        lightgbm.LGBMRegressor(n_estimators=8, random_state=seed, **QUIET),
        catboost.CatBoostClassifier(iterations=8, depth=4, random_seed=seed, verbose=0,
                                    thread_count=1, allow_writing_files=False),
    ]
    if not steps_give_nan:
        models.append(ensemble.GradientBoostingClassifier(n_estimators=8, random_state=seed))
    return models[random.integers(len(models))]


def thresholds_of(content):
    """List by feature the numbers at which the model over raw columns splits."""
    found = {}
    for one in content["trees"]:
        for kind, feature, threshold in zip(one["kind"], one["feature"], one["threshold"],
                                            strict=True):
            if kind in ("<", "<=") and not isinstance(threshold, str):
                found.setdefault(content["features"][feature]["name"], set()).add(threshold)
    return found


def hard_rows(random, frame, content, count, missing=True):
    """Draw rows that lie on, just above and just below thresholds, with unknown categories."""
    rows = frame.iloc[random.integers(len(frame), size=count)].reset_index(drop=True)
    if missing:
        for name in ("town", "size", "job"):
            rows.loc[random.random(count) < 0.1, name] = "never seen"
    for name, numbers in thresholds_of(content).items():
        if name not in ("income", "debt"):
            continue
        ends = np.array(sorted(numbers))
        kind = rows[name].dtype
        drawn = ends[random.integers(len(ends), size=count)].astype(kind)
        side = random.integers(4, size=count)
        drawn = np.where(side == 1, np.nextafter(drawn, kind.type(np.inf)), drawn)
        drawn = np.where(side == 2, np.nextafter(drawn, kind.type(-np.inf)), drawn)
        rows[name] = np.where(side == 3, rows[name], drawn).astype(kind)
    return rows


def same(explainer, model, rows):
    """Compare classes and numbers with the pipeline's, and all raw scores with its last step's."""
    expected = np.asarray(model.predict(rows)).ravel()
    np.testing.assert_array_equal(explainer.predict(rows), expected)
    if hasattr(model, "predict_proba"):
        # The last digit of a softmax is numpy's affair; which leaves were reached is not.
        np.testing.assert_allclose(explainer.predict_proba(rows), model.predict_proba(rows),
                                   rtol=1e-6)
    read = model[:-1].transform(rows)
    if not hasattr(read, "tocsr"):
        scores = boxwood.Explainer(model[-1]).scores(np.asarray(read, dtype=np.float64))
        np.testing.assert_array_equal(explainer.scores(rows), scores)


@pytest.mark.parametrize("seed", DRAWN)
def test_random_pipelines_say_the_same_on_both_sides_of_every_threshold(seed):
    random = np.random.default_rng(seed)
    frame, score = people(random, 300, single=seed % 3 == 0)
    steps = drawn_steps(random)
    nan = np.isnan(np.asarray(steps.fit_transform(frame, score), dtype=float)).any()
    last = drawn_model(random, nan)
    if hasattr(last, "predict_proba"):
        target = np.digitize(score, np.quantile(score, [0.5] if seed % 2 else [0.3, 0.7]))
    else:
        target = score
    model = sk.make_pipeline(steps, last).fit(frame, target)
    content = json.loads(pipelines.pushed_back(model, pipelines.follow_steps(model, frame)).to_bytes())
    explainer = boxwood.Explainer(model, frame)
    same(explainer, model, hard_rows(random, frame, content, 3000))


def test_one_number_less_is_another_leaf():
    # What the test above relies on: its rows tell thresholds apart that differ by one double.
    random = np.random.default_rng(1)
    frame, score = people(random, 300)
    steps = compose.ColumnTransformer([("n", preprocessing.StandardScaler(), ["income"])])
    model = sk.make_pipeline(steps, tree.DecisionTreeRegressor(max_depth=2)).fit(frame, score)
    content = json.loads(pipelines.pushed_back(model, pipelines.follow_steps(model)).to_bytes())
    rows = hard_rows(random, frame, content, 500, missing=False)
    for one in content["trees"]:
        one["threshold"] = [float(np.nextafter(t, np.inf)) for t in one["threshold"]]
    explainer = boxwood.Explainer(json.dumps(content).encode())
    assert (explainer.predict(rows[["income"]]) != model.predict(rows)).any()


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_the_best_of_all_rows(seed):
    random = np.random.default_rng(100 + seed)
    count = 150
    frame = pd.DataFrame({
        "age": random.integers(0, 7, count), "years": random.integers(0, 5, count),
        "town": random.choice(["Bonn", "Jena", "Ulm"], count),
        "rooms": random.choice([1, 2, 5], count)})
    target = ((frame["age"] - frame["years"] > 1) ^ (frame["town"] == "Ulm")
              ^ (frame["rooms"] == 5)).map({True: "good", False: "bad"})
    steps = compose.ColumnTransformer([
        ("scale", preprocessing.StandardScaler(), ["age", "years"]),
        ("hot", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["town"]),
        ("codes", preprocessing.OrdinalEncoder(), ["rooms"])])
    model = sk.make_pipeline(
        steps, ensemble.RandomForestClassifier(7, max_depth=4, random_state=seed)).fit(frame, target)
    grid = pd.DataFrame(list(itertools.product(range(7), range(5), ["Bonn", "Jena", "Ulm"],
                                               [1, 2, 5])), columns=frame.columns)
    classes = model.predict(grid)
    explainer = boxwood.Explainer(model, frame, scale=None)
    for at in range(0, count, 10):
        row = frame.iloc[at]
        wanted = "good" if model.predict(frame.iloc[[at]])[0] == "bad" else "bad"
        costs = ((grid["age"] - row["age"]).abs() + (grid["years"] - row["years"]).abs()
                 + (grid["town"] != row["town"]) + (grid["rooms"] != row["rooms"]))
        answer = explainer.explain(row, wanted, cost="l1")
        assert answer.status == "optimal"
        assert answer.cost == costs[classes == wanted].min()
        assert model.predict(answer.point_frame())[0] == wanted
        assert model.predict(pd.DataFrame([answer.point]))[0] == wanted
        assert answer.verify() == []
        assert answer.point["rooms"] in (1, 2, 5)


def test_what_nobody_knows_is_taken_but_not_advised():
    random = np.random.default_rng(5)
    frame, score = people(random, 300)
    steps = compose.ColumnTransformer(
        [("hot", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["town"])])
    model = sk.make_pipeline(
        steps, ensemble.HistGradientBoostingRegressor(max_iter=20)).set_params(
        columntransformer__sparse_threshold=0).fit(frame[["town"]], score)
    explainer = boxwood.Explainer(model, frame[["town"]])
    unknown = pd.DataFrame({"town": ["Rom"]})
    assert explainer.predict(unknown)[0] == model.predict(unknown)[0]
    assert explainer.schema["town"].allowed == ["Bonn", "Hof", "Jena", "Ulm"]
    every = pd.DataFrame({"town": ["Bonn", "Hof", "Jena", "Ulm", "Rom", np.nan]})
    best = model.predict(every)
    answer = explainer.explain({"town": "Hof"}, at_least=float(best[:4].max()))
    assert answer.point["town"] == every["town"][int(best[:4].argmax())]
    # Rom's and a missing town's outputs are out of reach for somebody in Hof.
    if best[4] not in best[:4]:
        low, high = np.nextafter(best[4], -np.inf), np.nextafter(best[4], np.inf)
        assert explainer.explain({"town": "Hof"}, between=(low, high)).status == "infeasible"


def test_categories_that_are_refused_by_the_pipeline_are_refused():
    frame, score = people(np.random.default_rng(6), 200, missing=False)
    model = sk.make_pipeline(
        compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(), ["town"])]),
        tree.DecisionTreeRegressor()).fit(frame, score)
    explainer = boxwood.Explainer(model, frame)
    assert explainer.columns.names == ["town"]
    with pytest.raises(boxwood.Error, match="no category 'Rom'"):
        explainer.explain({"town": "Rom"}, at_least=1)


def test_none_is_not_taken_for_nan_where_the_pipeline_tells_them_apart():
    frame, score = people(np.random.default_rng(7), 200)
    steps = compose.make_column_transformer((sk.make_pipeline(
        impute.SimpleImputer(strategy="most_frequent"),
        preprocessing.OneHotEncoder(handle_unknown="ignore")), ["town"]))
    model = sk.make_pipeline(steps, tree.DecisionTreeRegressor()).fit(frame, score)
    explainer = boxwood.Explainer(model, frame)
    given = pd.DataFrame({"town": pd.Series([None], dtype=object)})
    for row in ({"town": None}, given, given.iloc[0]):
        with pytest.raises(boxwood.Error, match="marks missing values by NaN, not by None"):
            explainer.explain(row, at_least=1)
    missing = pd.DataFrame({"town": pd.Series([np.nan], dtype=object)})
    assert explainer.predict(missing)[0] == model.predict(missing)[0]


def test_arrays_without_names_and_plain_steps():
    random = np.random.default_rng(8)
    for kind in (np.float64, np.float32):
        points = random.normal(size=(300, 4)).astype(kind)
        points[random.random(points.shape) < 0.1] = np.nan
        target = np.nansum(points, axis=1) > 0
        model = sk.make_pipeline(
            impute.SimpleImputer(add_indicator=True), None, preprocessing.FunctionTransformer(),
            preprocessing.StandardScaler(), feature_selection.VarianceThreshold(0.1),
            xgboost.XGBClassifier(n_estimators=10, max_depth=3)).fit(points, target)
        explainer = boxwood.Explainer(model, points)
        assert explainer.columns.names == ["f0", "f1", "f2", "f3"]
        steps = pipelines.follow_steps(model, points)
        ends = thresholds_of(json.loads(pipelines.pushed_back(model, steps).to_bytes()))
        rows = points.copy()
        for i in range(4):
            rows[:, i] = random.choice(np.array(sorted(ends[f"f{i}"])), 300).astype(kind)
            rows[::3, i] = np.nextafter(rows[::3, i], kind(np.inf))
            rows[1::3, i] = np.nextafter(rows[1::3, i], kind(-np.inf))
        same(explainer, model, np.concatenate([points, rows]))
        answer = explainer.explain(points[0])
        assert model.predict(answer.point[np.newaxis].astype(kind))[0] == answer.outcome
        assert answer.outcome != answer.outcome_before


def test_arrays_hold_categories_not_codes():
    frame, score = people(np.random.default_rng(17), 200, missing=False)
    hot = ("hot", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), [0])
    for columns in (["rooms", "age"], ["town", "age"]):
        points = frame[columns].to_numpy()
        model = sk.make_pipeline(compose.ColumnTransformer([hot], remainder="passthrough"),
                                 tree.DecisionTreeRegressor(max_depth=6)).fit(points, score)
        explainer = boxwood.Explainer(model, points)
        np.testing.assert_array_equal(explainer.predict(points), model.predict(points))
        expected = model.predict(points)
        answer = explainer.explain(points[int(expected.argmin())], at_least=float(expected.max()))
        assert model.predict([answer.point])[0] == answer.outcome == expected.max()


def test_columns_that_are_left_out_need_not_be_there():
    frame, score = people(np.random.default_rng(9), 200, missing=False)
    steps = compose.ColumnTransformer([
        ("scale", preprocessing.RobustScaler(), compose.make_column_selector("income|debt")),
        ("bins", preprocessing.KBinsDiscretizer(5, encode="ordinal"), [0])])
    model = sk.make_pipeline(steps, ensemble.ExtraTreesRegressor(5, max_depth=5)).fit(frame, score)
    explainer = boxwood.Explainer(model, frame)
    assert explainer.columns.names == ["age", "income", "debt"]
    same(explainer, model, frame)


def test_sparse_zeros_are_missing_to_xgboost_alone():
    frame, score = people(np.random.default_rng(10), 300, missing=False)
    hot = compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(), ["town", "job"])],
                                    sparse_threshold=1)
    for last in (xgboost.XGBRegressor(n_estimators=9), lightgbm.LGBMRegressor(**QUIET),
                 ensemble.RandomForestRegressor(5)):
        model = sk.make_pipeline(hot, last).fit(frame, score)
        assert hasattr(model[:-1].transform(frame), "tocsr")
        same(boxwood.Explainer(model, frame), model, frame)
    both = compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(), ["town", "job"]),
                                      ("low", preprocessing.MinMaxScaler(), ["income"])],
                                     sparse_threshold=1)
    model = sk.make_pipeline(both, lightgbm.LGBMRegressor(**QUIET)).fit(frame, score)
    same(boxwood.Explainer(model, frame), model, frame)
    model = sk.make_pipeline(both, xgboost.XGBRegressor(n_estimators=9)).fit(frame, score)
    with pytest.raises(boxwood.UnsupportedModelError, match="treats every zero as missing"):
        boxwood.Explainer(model, frame)


def test_categories_of_the_model_itself_are_kept():
    frame, score = people(np.random.default_rng(12), 300, missing=False)
    columns = compose.ColumnTransformer([
        ("codes", preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value",
                                               unknown_value=np.nan), ["town", "size"]),
        ("same", "passthrough", ["rooms", "income"])])
    model = sk.make_pipeline(columns, ensemble.HistGradientBoostingRegressor(
        max_iter=9, categorical_features=[0, 1, 2])).fit(frame, score)
    rows = frame.copy()
    rows.loc[::5, "town"] = "Rom"
    explainer = boxwood.Explainer(model, frame)
    same(explainer, model, rows)
    kinds = {feature.name: feature.kind for feature in explainer.schema}
    assert kinds == {"town": "categorical", "size": "categorical", "rooms": "categorical",
                     "income": "continuous"}


def test_several_pipelines_in_one_question():
    frame, score = people(np.random.default_rng(13), 300, missing=False)

    def fitted(target, rows):
        steps = compose.ColumnTransformer(
            [("hot", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["town"])],
            remainder="drop")
        return sk.make_pipeline(steps, tree.DecisionTreeClassifier()).fit(frame[rows], target[rows])

    everyone = np.ones(len(frame), dtype=bool)
    models = {"a": fitted(score > 0, everyone), "b": fitted(score < 1, everyone)}
    assert boxwood.Explainer(models, frame).names == ["a", "b"]
    models["b"] = fitted(score < 1, (frame["town"] != "Ulm").to_numpy())
    with pytest.raises(boxwood.Error, match='reads "town" with other categories'):
        boxwood.Explainer(models, frame)


def test_a_pipeline_is_saved_as_a_model_file(tmp_path):
    frame, score = people(np.random.default_rng(14), 200, missing=False)
    steps = compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(), ["town"]),
                                       ("scale", preprocessing.StandardScaler(), ["income"])])
    for last in (tree.DecisionTreeRegressor(max_depth=5), xgboost.XGBRegressor(n_estimators=3)):
        model = sk.make_pipeline(steps, last).set_params(
            columntransformer__sparse_threshold=0).fit(frame, score)
        boxwood.save_model(model, tmp_path / "model.json")
        explainer = boxwood.Explainer(tmp_path / "model.json")
        np.testing.assert_array_equal(explainer.predict(frame), model.predict(frame))


def refused(*steps, columns=("income", "debt"), last=None):
    frame, score = people(np.random.default_rng(15), 200, missing=False)
    model = sk.make_pipeline(*steps, last or tree.DecisionTreeRegressor())
    model.fit(frame[list(columns)], score)
    with pytest.raises(boxwood.UnsupportedModelError) as caught:
        pipelines.pushed_back(model, pipelines.follow_steps(model))
    return str(caught.value)


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_space_after_a_step_that_mixes_columns(wrapped):
    """What the refusal of PCA advises works, and inverse_transform shows the answer as a raw row."""
    random = np.random.default_rng(4)
    pixels = random.normal(size=(200, 5)) @ random.normal(size=(5, 16))
    label = np.where(pixels[:, 0] * pixels[:, 5] > 0, "yes", "no")
    last = ensemble.RandomForestClassifier(5, max_depth=4, random_state=0)
    if wrapped:
        inside = calibration.CalibratedClassifierCV(sk.make_pipeline(decomposition.PCA(3), last), cv=2)
        with pytest.raises(boxwood.UnsupportedModelError, match="PCA mixes.*before the whole model"):
            boxwood.Explainer(inside.fit(pixels, label), pixels)
        last = calibration.CalibratedClassifierCV(last, cv=2)
    pipeline = sk.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(5, random_state=0),
                                last).fit(pixels, label)
    with pytest.raises(boxwood.UnsupportedModelError, match="PCA mixes input columns"):
        boxwood.Explainer(pipeline, pixels)
    explainer = boxwood.Explainer(pipeline[-1], data=pipeline[:-1].transform(pixels))
    answer = explainer.explain(pipeline[:-1].transform(pixels[:1])[0])
    assert answer.status == "optimal" and answer.outcome != answer.outcome_before
    assert pipeline[-1].predict([answer.array])[0] == answer.outcome
    picture = pipeline[:-1].inverse_transform([answer.array])
    # All five dimensions are kept here, so that the picture has the answer's outcome too.
    np.testing.assert_allclose(pipeline[:-1].transform(picture)[0], answer.array, atol=1e-9)


def test_what_cannot_be_exact_is_refused_by_name():
    assert refused(decomposition.PCA()) == (
        'pipeline, step "pca": PCA mixes input columns, so that a split of the model is not a '
        "split of one column. Explain the last step alone, with the columns that the steps before "
        "it make: boxwood.Explainer(pipeline[-1], data=pipeline[:-1].transform(X)); "
        "inverse_transform of the step shows an answer in the raw columns")
    assert 'step "functiontransformer": FunctionTransformer applies sin, which' in refused(
        preprocessing.FunctionTransformer(np.sin))
    assert "not guaranteed to be monotone" in refused(
        preprocessing.QuantileTransformer(n_quantiles=10, output_distribution="normal"))
    assert "rise and fall with it" in refused(preprocessing.SplineTransformer())
    assert "numbers that an earlier step has changed" in refused(
        preprocessing.StandardScaler(), preprocessing.QuantileTransformer(n_quantiles=10))
    assert "treats -1 as missing" in refused(impute.SimpleImputer(missing_values=-1))
    assert "intervals of another KBinsDiscretizer" in refused(
        preprocessing.KBinsDiscretizer(encode="onehot-dense"),
        preprocessing.KBinsDiscretizer(2, encode="onehot-dense", strategy="uniform"))
    nested = compose.make_column_transformer(
        (sk.make_pipeline(preprocessing.StandardScaler(), preprocessing.PolynomialFeatures()),
         ["income"]))
    assert 'step "columntransformer.pipeline.polynomialfeatures"' in refused(nested)

    class Mine(preprocessing.StandardScaler):
        pass

    mapper = type("DataFrameMapper", (preprocessing.StandardScaler,), {"__module__": "sklearn_pandas.mapper"})
    assert "Use a ColumnTransformer" in refused(mapper())

    assert 'step "mine": Mine is not supported' in refused(Mine())
    assert "encodes numbers that an earlier step has changed" in refused(
        preprocessing.StandardScaler(), preprocessing.OrdinalEncoder())
    both = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(handle_unknown="ignore"), ["rooms"]),
        ("passthrough", ["rooms"]))
    assert 'one step reads column "rooms" as a number, and another' in refused(
        both, columns=["rooms"])
    weighed = compose.ColumnTransformer([("a", "passthrough", ["income"])],
                                        transformer_weights={"a": 2.0})
    assert "has transformer_weights" in refused(weighed)
    assert "LinearRegression is not one of scikit-learn's tree models" in refused(
        preprocessing.StandardScaler(), last=linear_model.LinearRegression())


def test_a_category_that_is_also_a_number_where_others_are_refused():
    frame, score = people(np.random.default_rng(16), 200, missing=False)
    both = compose.make_column_transformer((preprocessing.OneHotEncoder(), ["rooms"]),
                                           (preprocessing.StandardScaler(), ["rooms"]))
    model = sk.make_pipeline(both, tree.DecisionTreeRegressor()).fit(frame, score)
    same(boxwood.Explainer(model, frame), model, frame)


def test_answers_of_float32_pipelines_are_float32_numbers():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.normal(50, 20, (300, 2)), columns=["a", "b"]).astype(np.float32)
    target = (frame["a"] - frame["b"] > 0).astype(int)
    model = sk.make_pipeline(preprocessing.StandardScaler(),
                             tree.DecisionTreeClassifier(max_depth=4)).fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    for _, row in frame.head(60).iterrows():
        answer = explainer.explain(row)
        point = answer.point_frame()
        assert list(point.dtypes) == [np.float32, np.float32]
        assert model.predict(point)[0] == answer.outcome


@pytest.mark.parametrize("kinds", [("f4", "f8"), ("f4", "i1"), ("f2", "f2"), ("f4", "i8")])
def test_mixed_precisions_are_refused(kinds):
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"a": random.normal(50, 20, 200).astype(kinds[0]),
                          "b": random.normal(50, 20, 200).astype(kinds[1])})
    model = sk.make_pipeline(preprocessing.StandardScaler(),
                             tree.DecisionTreeClassifier(max_depth=2))
    model.fit(frame, frame["a"].astype(float) > 50)
    with pytest.raises(boxwood.UnsupportedModelError, match="float32|float16"):
        boxwood.Explainer(model, frame)


def test_pipelines_with_a_predict_of_their_own_are_refused():
    class Turned(sk.Pipeline):
        def predict(self, X):
            return 1 - super().predict(X)

    frame = pd.DataFrame({"a": np.arange(20.0)})
    model = Turned([("s", preprocessing.StandardScaler()), ("m", tree.DecisionTreeClassifier())])
    model.fit(frame, (frame["a"] > 9).astype(int))
    with pytest.raises(boxwood.UnsupportedModelError, match="overrides predict"):
        boxwood.Explainer(model, frame)


def test_a_first_step_that_is_none():
    frame, score = people(np.random.default_rng(18), 200, missing=False)
    for nothing in ("passthrough", None):
        columns = compose.ColumnTransformer([("o", preprocessing.OneHotEncoder(), ["town"])],
                                            remainder="drop")
        inner = sk.Pipeline([("nothing", nothing), ("columns", columns)])
        for steps in ([("nothing", nothing), ("columns", columns)], [("inner", inner)]):
            model = sk.Pipeline([*steps, ("m", tree.DecisionTreeRegressor())]).fit(frame, score)
            explainer = boxwood.Explainer(model, frame)
            np.testing.assert_array_equal(explainer.predict(frame), model.predict(frame))
        with pytest.raises(boxwood.Error, match='"town" is missing, and the model rejects such rows'):
            explainer.predict(frame.assign(town=np.nan))


def test_two_encoders_of_a_column_that_know_different_categories():
    frame, score = people(np.random.default_rng(19), 200, missing=False)
    for unknown, labels in (("error", ["1", "2", "5"]), ("ignore", ["0", "1", "2", "5", "9"])):
        columns = compose.ColumnTransformer([
            ("o", preprocessing.OrdinalEncoder(categories=[[0, 1, 2, 5, 9]]), ["rooms"]),
            ("h", preprocessing.OneHotEncoder(categories=[[1, 2, 5]], handle_unknown=unknown),
             ["rooms"])])
        model = sk.make_pipeline(columns, tree.DecisionTreeRegressor()).fit(frame, score)
        explainer = boxwood.Explainer(model, frame)
        assert explainer.schema["rooms"].labels == labels
        rows = pd.DataFrame({"rooms": [int(label) for label in labels]})
        np.testing.assert_array_equal(explainer.predict(rows),
                                      model.predict(frame.head(len(rows)).assign(**rows)))
        with pytest.raises(boxwood.Error, match="no category"):
            explainer.predict(pd.DataFrame({"rooms": [0 if unknown == "error" else 7]}))


def test_other_categories_are_refused_where_the_model_does_so():
    frame, score = people(np.random.default_rng(20), 200, missing=False)
    codes = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    columns = compose.ColumnTransformer([("codes", codes, ["town"])])
    rows = pd.DataFrame({"town": ["Rome"]})
    model = sk.make_pipeline(columns, ensemble.GradientBoostingRegressor(n_estimators=5))
    explainer = boxwood.Explainer(model.fit(frame, score), frame)
    with pytest.raises(boxwood.Error, match="no category 'Rome'"):
        explainer.predict(rows)
    model = sk.make_pipeline(columns, ensemble.HistGradientBoostingRegressor(max_iter=5))
    explainer = boxwood.Explainer(model.fit(frame, score), frame)
    assert explainer.predict(rows)[0] == model.predict(frame.head(1).assign(town="Rome"))[0]
