"""Votes and wrappers of CatBoost: what scikit-learn computes differently is refused, and the remedy works."""

import boxwood
import catboost
import numpy as np
import pytest
from sklearn import calibration, compose, ensemble, linear_model, model_selection, multiclass, pipeline, preprocessing
from test_composed import draw, small


def test_weights_of_votes_that_are_refused_and_what_to_do():
    frame, _, labels = draw(3)
    model = ensemble.VotingClassifier(
        [("a", ensemble.RandomForestClassifier(3, max_depth=2, random_state=0)),
         ("b", ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2))],
        voting="soft", weights=[0, 1]).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="weight of 0.*call fit again"):
        boxwood.Explainer(model)
    # Without a new fit both members remain, beside one weight: scikit-learn itself fails.
    model.set_params(a="drop")
    with pytest.raises(boxwood.UnsupportedModelError, match="2 fitted members and 1 weights"):
        boxwood.Explainer(model)
    model.fit(frame, labels)
    rows = np.asarray(frame)
    assert list(boxwood.Explainer(model).predict(rows)) == list(model.predict(frame))


def test_one_versus_rest_of_scores_with_different_divisors_is_refused():
    frame, _, labels = draw(3, classes=3)
    model = multiclass.OneVsRestClassifier(
        ensemble.AdaBoostClassifier(n_estimators=4)).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError,
                       match="compares scores of AdaBoostClassifier.*Fit the model inside"):
        boxwood.Explainer(model)


def test_hard_votes_of_catboost_for_three_classes_are_refused_and_soft_ones_are_read():
    frame, _, labels = draw(31, 3)

    def fitted(voting):
        member = catboost.CatBoostClassifier(iterations=3, depth=2, verbose=False,
                                             allow_writing_files=False)
        return ensemble.VotingClassifier([("c", member), ("t", small("forest", 1))],
                                         voting=voting).fit(frame, labels)

    hard = fitted("hard")
    with pytest.raises(ValueError):  # the message says that scikit-learn fails
        hard.predict(frame)
    with pytest.raises(boxwood.UnsupportedModelError, match='CatBoost member.*voting="soft"'):
        boxwood.Explainer(hard, frame)
    soft = fitted("soft")
    assert list(boxwood.Explainer(soft, frame).predict(frame)) == list(soft.predict(frame))


def test_pipelines_of_catboost_in_hard_votes_are_refused_too():
    frame, _, labels = draw(32, 3)
    inside = pipeline.make_pipeline(preprocessing.StandardScaler(), small("catboost", 1))
    model = ensemble.VotingClassifier([("c", inside), ("t", small("forest", 1))]).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="CatBoost member"):
        boxwood.Explainer(model, frame)


def test_columns_of_catboost_in_wrappers_keep_their_order():
    """Columns whose names look like invented ones: scikit-learn's classes do not keep them."""
    frame, score, labels = draw(33)
    frame = frame.set_axis(["f1", "f2", "f0"], axis=1)
    regressor = compose.TransformedTargetRegressor(small("catboost", 1, True),
                                                   transformer=preprocessing.StandardScaler())
    for model, goal in (
            (calibration.CalibratedClassifierCV(small("catboost", 1), cv=2), labels),
            (multiclass.OneVsRestClassifier(small("catboost", 1)), draw(33, 3)[2]),
            (regressor, score)):
        model.fit(frame, goal)
        expected = model.predict(frame).ravel()
        for rows in (frame, frame.to_numpy()):
            assert (boxwood.Explainer(model).predict(rows) == expected).all()
            assert (boxwood.Explainer(boxwood.models.model_bytes(model)).predict(rows).astype(
                expected.dtype) == expected).all()


@pytest.mark.parametrize("kind", [np.float32, np.int16])
def test_weights_that_make_float32_averages_are_refused_and_python_numbers_are_read(kind):
    frame, score, labels = draw(34)
    members = [("a", small("xgboost", 1)), ("b", small("xgboost", 2))]
    model = ensemble.VotingClassifier(members, voting="soft", weights=np.array([1, 3], kind))
    model.fit(frame, labels)
    assert model.predict_proba(frame).dtype == np.float32
    with pytest.raises(boxwood.UnsupportedModelError, match="in float32.*list of Python numbers"):
        boxwood.Explainer(model, frame)
    model.set_params(weights=[1.0, 3.0])
    same = boxwood.Explainer(model, frame).predict_proba(frame)
    assert np.abs(same - model.predict_proba(frame)).max() < 1e-15
    regressor = ensemble.VotingRegressor([("a", small("xgboost", 1, True)),
                                          ("b", small("xgboost", 2, True))],
                                         weights=np.array([1, 3], kind)).fit(frame, score)
    with pytest.raises(boxwood.UnsupportedModelError, match="in float32"):
        boxwood.Explainer(regressor, frame)


def test_thresholds_of_float32_compositions_are_compared_in_float32():
    frame, _, labels = draw(35)
    members = [("a", small("xgboost", 1)), ("b", small("xgboost", 2))]
    votes = ensemble.VotingClassifier(members, voting="soft")
    for inside in (votes, multiclass.OneVsRestClassifier(small("xgboost", 1)),
                   model_selection.FixedThresholdClassifier(small("xgboost", 1))):
        inside.fit(frame, labels)
        attained = inside.predict_proba(frame)[0, 1]
        assert attained.dtype == np.float32
        printed = float(str(attained))  # rounds to the probability, and is another double
        for threshold in (printed, float(attained), np.float64(printed)):
            model = model_selection.FixedThresholdClassifier(inside, threshold=threshold).fit(frame, labels)
            assert (boxwood.Explainer(model, frame).predict(frame) == model.predict(frame)).all()


def test_a_threshold_on_a_stack_is_refused_and_a_probability_can_be_asked_for():
    frame, _, labels = draw(11)
    stack = ensemble.StackingClassifier([("a", small("forest", 1))], linear_model.LogisticRegression(), cv=2)
    model = model_selection.FixedThresholdClassifier(stack, threshold=0.4).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="own threshold on a stack.*ask for a probability"):
        boxwood.Explainer(model, frame)
    inside = boxwood.Explainer(model.estimator_, frame)
    row = frame.iloc[int(np.flatnonzero(model.predict(frame) == 0)[0])]
    answer = inside.explain(row, boxwood.Class(1, probability=0.401))
    assert model.predict(answer.point_frame())[0] == 1


def test_a_threshold_on_what_the_model_does_not_have_is_refused():
    frame, _, labels = draw(36)
    model = model_selection.FixedThresholdClassifier(
        small("forest", 1), response_method="decision_function").fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="does not have.*predict_proba"):
        boxwood.Explainer(model, frame)
