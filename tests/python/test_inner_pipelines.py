"""Pipelines inside calibrated, voting and other composed models: what their steps say of a row counts."""

import boxwood
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
    linear_model,
    model_selection,
    multiclass,
    multioutput,
    pipeline,
    preprocessing,
    tree,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def people(count=240):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({
        "income": random.lognormal(3, 1, count).round(1), "age": random.integers(18, 80, count),
        "town": pd.Series(random.choice(["Bonn", "Jena", "Ulm"], count), dtype=object),
        "rooms": random.choice([1, 2, 5], count)})
    frame.loc[[3, 11], "town"] = ["Hof", "Kiel"]  # each in one half of the rows only
    frame.loc[17, "rooms"] = 9
    frame.loc[::9, "town"] = np.nan
    score = frame["income"] / 20 + frame["age"] / 40 + (frame["town"] == "Ulm") + (frame["rooms"] == 2)
    return frame, score, np.where(score > score.median(), "yes", "no")


def boosted():
    return lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=4, num_leaves=6, verbosity=-1, n_jobs=1)


def piped(model=None, unknown="ignore", fill=True):
    """A pipeline with a function, an imputer and encoders."""
    town = preprocessing.OneHotEncoder(handle_unknown=unknown, sparse_output=False)
    steps = compose.ColumnTransformer([
        ("log", preprocessing.FunctionTransformer(np.log1p), ["income"]),
        ("town", pipeline.make_pipeline(impute.SimpleImputer(strategy="most_frequent"), town)
         if fill else town, ["town"]),
        ("rooms", preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["rooms"]),
    ], remainder="passthrough")
    return pipeline.make_pipeline(steps, model or boosted())


WAYS = {
    "calibrated": lambda: calibration.CalibratedClassifierCV(piped(), cv=2),
    "search": lambda: model_selection.GridSearchCV(calibration.CalibratedClassifierCV(piped(), cv=2), {}, cv=2),
    "votes": lambda: ensemble.VotingClassifier([("a", piped()), ("b", calibration.CalibratedClassifierCV(
        piped(tree.DecisionTreeClassifier(max_depth=3)), cv=2))], voting="soft"),
    "hard votes": lambda: ensemble.VotingClassifier([("a", piped()), ("b", piped())]),
    "threshold": lambda: model_selection.FixedThresholdClassifier(piped(), threshold=0.4, pos_label="yes"),
    "one versus rest": lambda: multiclass.OneVsRestClassifier(piped()),
    "stack": lambda: ensemble.StackingClassifier([("a", piped())], linear_model.LogisticRegression(), cv=2),
}


@pytest.mark.parametrize("way", WAYS)
def test_categories_functions_and_missing_values(way):
    frame, _, label = people()
    model = WAYS[way]().fit(frame, label)
    explainer = boxwood.Explainer(model, frame)
    # Every category that some fold knows, and those that nobody knows.
    rows = pd.concat([frame, frame.head(40).assign(town="Rome"), frame.head(40).assign(rooms=7)])
    assert (explainer.predict(rows) == model.predict(rows)).all()
    assert explainer.schema["town"].allowed == ["Bonn", "Hof", "Jena", "Kiel", "Ulm"]
    assert explainer.schema["rooms"].allowed == ["1", "2", "5", "9"]
    row = frame.iloc[0]
    wanted = "yes" if model.predict(frame.head(1))[0] == "no" else "no"
    answer = explainer.explain(row, wanted)
    assert answer.status == "optimal" and answer.verify() == []
    assert model.predict(answer.point_frame()[list(frame)])[0] == wanted
    # The imputer fills in NaN; None is one more category to it.
    with pytest.raises(boxwood.Error, match="marks missing values by NaN, not by None"):
        explainer.explain(row.to_dict() | {"town": None}, wanted)
    with pytest.raises(boxwood.Error, match='"income" is -1, of which log1p'):
        explainer.explain(row.to_dict() | {"income": -1.0}, wanted)
    assert explainer.explain(row.to_dict() | {"rooms": 2}, wanted).status == "optimal"


def test_a_category_that_some_member_refuses_is_refused():
    frame, _, label = people()
    frame = frame[frame["rooms"] != 9]
    frame["town"] = frame["town"].fillna("Ulm")
    half = pd.Series(np.arange(len(frame)) < 120, frame.index)
    first, second = (piped(unknown=how, fill=False).fit(frame[rows], label[frame.index][rows])
                     for how, rows in (("error", ~half), ("ignore", half)))
    model = ensemble.VotingClassifier([("a", first), ("b", second)], voting="soft")
    model.fit(frame.head(120), label[frame.index][:120])
    model.estimators_ = [first, second]
    explainer = boxwood.Explainer(model, frame[~half])
    assert explainer.schema["town"].labels == ["Bonn", "Jena", "Ulm"]
    with pytest.raises(ValueError, match="unknown categories"):
        model.predict(frame[frame["town"] == "Hof"])
    with pytest.raises(boxwood.Error, match="no category 'Hof'"):
        explainer.predict(frame[frame["town"] == "Hof"])
    assert (explainer.predict(frame[~half]) == model.predict(frame[~half])).all()


def test_regressors():
    frame, score, _ = people()

    def numbers():
        return piped(lightgbm.LGBMRegressor(n_estimators=5, verbosity=-1, n_jobs=1))

    for model, target in (
            (compose.TransformedTargetRegressor(numbers(), func=np.log1p, inverse_func=np.expm1), score),
            (ensemble.VotingRegressor([("a", numbers()), ("b", numbers())]), score),
            (multioutput.MultiOutputRegressor(numbers()), np.column_stack([score, -score]))):
        model.fit(frame, target)
        explainer = boxwood.Explainer(model, frame)
        assert np.allclose(explainer.predict(frame), model.predict(frame), rtol=1e-14)
        with pytest.raises(boxwood.Error, match='"income" is -1, of which log1p'):
            explainer.predict(frame.head(1).assign(income=-1.0))


def test_files_do_not_hold_what_functions_reject(tmp_path):
    frame, _, label = people()
    model = calibration.CalibratedClassifierCV(piped(), cv=2).fit(frame, label)
    with pytest.raises(boxwood.UnsupportedModelError, match="finite for some numbers only.*Explainer.save_model"):
        boxwood.save_model(model, tmp_path / "model.json")
    outer = pipeline.make_pipeline(preprocessing.StandardScaler(), calibration.CalibratedClassifierCV(
        pipeline.make_pipeline(preprocessing.FunctionTransformer(np.exp), boosted()), cv=2))
    numbers = frame[["income", "age"]]
    with pytest.raises(boxwood.UnsupportedModelError, match="exp of column.*in the outer pipeline"):
        boxwood.Explainer(outer.fit(numbers, label), numbers)


@pytest.mark.parametrize("mixed", [False, True])
def test_bags_of_pipelines_compute_in_the_precision_of_their_array(mixed):
    # A bag makes one array of a data frame; float32 columns beside others become doubles.
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.normal(50, 20, (200, 3)), columns=["a", "b", "c"]).astype(np.float32)
    if mixed:
        frame["c"] = random.integers(0, 9, 200)
    label = (frame["a"] > frame["b"]).astype(int)
    inside = pipeline.make_pipeline(preprocessing.StandardScaler(), tree.DecisionTreeClassifier(max_depth=3))
    for model in (ensemble.BaggingClassifier(inside, n_estimators=3, max_features=2, random_state=0),
                  calibration.CalibratedClassifierCV(ensemble.BaggingClassifier(
                      inside, n_estimators=1, random_state=0), cv=2)):
        model.fit(frame, label)
        try:
            explainer = boxwood.Explainer(model, frame)
        except boxwood.UnsupportedModelError as error:
            assert "itself made of several" in str(error)
            continue
        core = explainer.core.ensemble(0)
        rows = frame.iloc[random.integers(200, size=2000)].reset_index(drop=True)
        for i in range(core.tree_count):
            one = core.tree(i)
            for feature, threshold in zip(one["feature"], one["threshold"], strict=True):
                if feature >= 0 and frame.dtypes.iloc[feature] == np.float32:
                    number = np.float32(threshold)
                    beside = [np.nextafter(number, np.float32(-np.inf)), number,
                              np.nextafter(number, np.float32(np.inf))]
                    at = random.integers(2000, size=60)
                    rows.iloc[at, feature] = random.choice(np.array(beside, dtype=np.float32), 60)
        assert (explainer.predict(rows) == model.predict(rows)).all()
        assert (explainer.predict_proba(rows) == model.predict_proba(rows)).all()


def test_bags_of_encoders():
    frame, _, label = people()
    frame = frame.fillna("none")
    steps = compose.ColumnTransformer([("town", preprocessing.OneHotEncoder(handle_unknown="ignore"), [2]),
                                       ("rooms", preprocessing.OrdinalEncoder(
                                           handle_unknown="use_encoded_value", unknown_value=-1), [3])],
                                      remainder="passthrough", sparse_threshold=0)
    model = ensemble.BaggingClassifier(pipeline.make_pipeline(steps, xgboost.XGBClassifier(
        n_estimators=4, max_depth=3, n_jobs=1)), n_estimators=3, random_state=1).fit(frame, label)
    explainer = boxwood.Explainer(model, frame)
    rows = pd.concat([frame, frame.head(40).assign(town="Rome"), frame.head(40).assign(rooms=7)])
    assert (explainer.predict(rows) == model.predict(rows)).all()
    wanted = "yes" if model.predict(frame.head(1))[0] == "no" else "no"
    answer = explainer.explain(frame.iloc[0], wanted)
    assert model.predict(answer.point_frame()[list(frame)])[0] == wanted


def test_points_of_float32_data_with_steps_are_float32_numbers():
    # 0.41 is shown, and the float32 nearest to it is meant: the pipeline would compute with the double.
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.normal(0, 1, (300, 2)).round(2), columns=["a", "b"]).astype(np.float32)
    target = (frame["a"] - frame["b"] > 0).astype(int)
    model = pipeline.make_pipeline(preprocessing.StandardScaler(),
                                   tree.DecisionTreeClassifier(max_depth=5)).fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    for _, row in frame.head(60).iterrows():
        answer = explainer.explain(row)
        point = answer.point_frame()
        assert list(point.dtypes) == [np.float32, np.float32]
        assert (point.to_numpy()[0] == answer.array).all()
        assert model.predict(point)[0] == answer.outcome
