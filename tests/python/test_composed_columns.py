"""Models made of several: columns that no member reads, truth values behind functions, and LightGBM's random forests."""

import functools

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn import calibration, compose, ensemble, frozen, model_selection, multiclass, pipeline, preprocessing, tree

pytestmark = pytest.mark.filterwarnings("ignore")


def people(rows=150):
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"name": [f"person {i}" for i in range(rows)], "age": random.integers(18, 60, rows),
                          "member": random.random(rows) < 0.4, "income": random.normal(20, 5, rows).round(1)})
    return frame, (frame["income"] + 6 * frame["member"] + frame["age"] / 10 > 26).to_numpy().astype(int)


def piped(columns, model=None):
    steps = compose.make_column_transformer(*columns)
    return pipeline.make_pipeline(steps, model or tree.DecisionTreeClassifier(max_depth=3, random_state=0))


def check(model, frame, labels, read):
    """Predictions are the model's, answers have the columns that are read, and the model confirms them."""
    explainer = boxwood.Explainer(model, frame)
    assert [one.name for one in explainer.schema] == read
    said = model.predict(frame)
    assert (explainer.predict(frame) == said).all()
    if hasattr(model, "predict_proba"):
        assert np.abs(explainer.predict_proba(frame) - model.predict_proba(frame)).max() < 1e-14
    at = int(np.flatnonzero(said == 0)[0])
    answer = explainer.explain(frame.iloc[at], 1)
    assert answer.status == "optimal" and model.predict(answer.point_frame())[0] == 1
    return answer


@pytest.mark.parametrize("way", ["calibrated", "votes", "nested"])
def test_columns_that_all_members_drop_are_no_features(way):
    frame, labels = people()
    one = piped([("passthrough", ["income", "age"]), ("drop", ["name"])])
    other = piped([(preprocessing.StandardScaler(), ["income"])])
    calibrated = calibration.CalibratedClassifierCV(one, cv=2)
    model = {"calibrated": calibrated,
             "votes": ensemble.VotingClassifier([("a", one), ("b", other)], voting="hard"),
             "nested": ensemble.VotingClassifier([("a", calibrated), ("b", other)], voting="soft")}[way]
    check(model.fit(frame, labels), frame, labels, ["age", "income"])


@pytest.mark.parametrize("kind", ["GradientBoosting", "HistGradientBoosting", "RandomForest", "AdaBoost"])
def test_pipelines_of_every_model_may_be_members(kind):
    frame, labels = people()
    frame = frame[["age", "income"]]
    inside = getattr(ensemble, f"{kind}Classifier")(random_state=0)
    inside.set_params(**{"max_iter" if kind[0] == "H" else "n_estimators": 3})
    one = pipeline.make_pipeline(preprocessing.StandardScaler(), inside)
    for model in (calibration.CalibratedClassifierCV(one, cv=2), ensemble.VotingClassifier([("a", one)])):
        check(model.fit(frame, labels), frame, labels, ["age", "income"])


def test_thresholds_inside_do_not_matter_to_what_reads_probabilities():
    frame, labels = people()
    frame = frame[["age", "income"]]
    with_threshold = catboost.CatBoostClassifier(iterations=4, verbose=False, allow_writing_files=False)
    with_threshold.fit(frame, labels).set_probability_threshold(0.3)
    check(calibration.CalibratedClassifierCV(frozen.FrozenEstimator(with_threshold), cv=2).fit(frame, labels), frame,
          labels, ["age", "income"])
    for inside in (tree.DecisionTreeClassifier(max_depth=3), ensemble.GradientBoostingClassifier(n_estimators=3)):
        fixed = model_selection.FixedThresholdClassifier(inside, threshold=0.3)
        for whole in (calibration.CalibratedClassifierCV(fixed, cv=2), ensemble.StackingClassifier([("a", fixed)], cv=2)):
            check(whole.fit(frame, labels), frame, labels, ["age", "income"])
    votes = ensemble.VotingClassifier([("a", fixed)]).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="itself made of several models"):
        boxwood.Explainer(votes, frame)


@pytest.mark.parametrize("function", [
    preprocessing.FunctionTransformer(pd.DataFrame.rename, kw_args={"columns": {"income": "pay"}}),
    preprocessing.FunctionTransformer(functools.partial(pd.DataFrame.set_axis, labels=["age", "pay"], axis=1)),
    preprocessing.FunctionTransformer(pd.DataFrame.add_prefix, kw_args={"prefix": "my "})])
def test_columns_may_be_renamed_by_pandas(function):
    frame, labels = people()
    frame = frame[["age", "income"]]
    name = function.transform(frame).columns[1]
    later = compose.make_column_transformer((preprocessing.StandardScaler(), [name]), remainder="passthrough")
    model = pipeline.make_pipeline(function, later, tree.DecisionTreeClassifier(max_depth=3, random_state=0))
    check(model.fit(frame, labels), frame, labels, ["age", "income"])


def test_functions_that_do_more_than_rename_are_refused():
    frame, labels = people()
    frame = frame[["age", "income"]]

    def capital(table):
        return table.rename(columns=str.upper)

    def refused(function, **arguments):
        step = preprocessing.FunctionTransformer(function, kw_args=arguments)
        model = pipeline.make_pipeline(step, tree.DecisionTreeClassifier(max_depth=3)).fit(frame, labels)
        with pytest.raises(boxwood.UnsupportedModelError) as error:
            boxwood.Explainer(model, frame)
        return str(error.value)

    assert "applies clip" in refused(pd.DataFrame.clip, lower=20)
    assert "applies set_axis" in refused(pd.DataFrame.set_axis, labels=range(len(frame)), axis=0)
    assert "applies capital" in refused(capital)
    assert "kw_args={\"columns\": …}" in refused(boxwood.monotone(capital))


def test_truth_values_behind_a_function_keep_their_labels():
    frame, labels = people()
    model = piped([(preprocessing.PowerTransformer(), ["member"]), ("passthrough", ["income"])])
    for whole in (model, model_selection.FixedThresholdClassifier(model, threshold=0.4)):
        answer = check(whole.fit(frame, labels), frame, labels, ["member", "income"])
        assert answer.point_frame()["member"].dtype == bool


@pytest.mark.parametrize("step", [False, True])
def test_random_forests_of_lightgbm_have_scores_that_are_sums(step):
    # Their decision_function is the sum of the trees, while probabilities come from the average.
    frame, labels = people()
    frame = frame[["age", "income"]]
    forest = lightgbm.LGBMClassifier(boosting_type="rf", subsample=0.7, subsample_freq=1, n_estimators=5, verbosity=-1,
                                     min_child_samples=5, n_jobs=1)
    inside = pipeline.make_pipeline(preprocessing.StandardScaler(), forest) if step else forest
    for method in ("sigmoid", "isotonic"):
        model = calibration.CalibratedClassifierCV(inside, cv=2, method=method).fit(frame, labels)
        check(model, frame, labels, ["age", "income"])
    fixed = model_selection.FixedThresholdClassifier(inside, threshold=0.3).fit(frame, labels)
    check(fixed, frame, labels, ["age", "income"])
    if not hasattr(forest, "decision_function"):
        return  # before LightGBM 4.7
    by_score = fixed.set_params(response_method="decision_function", threshold=0.8).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="predict_proba"):
        boxwood.Explainer(by_score, frame)
    three = np.digitize(frame["income"], [17, 23])
    with pytest.raises(boxwood.UnsupportedModelError, match="compares the scores of"):
        boxwood.Explainer(multiclass.OneVsRestClassifier(inside).fit(frame, three), frame)
