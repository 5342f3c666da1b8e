"""Models that only hold another one: selections, self-training, pipelines with samplers."""

import boxwood
import pandas as pd
import pytest
from sklearn import calibration, feature_selection, pipeline, preprocessing, semi_supervised
from test_composed import COLUMNS, draw, small

pytestmark = pytest.mark.filterwarnings("ignore")


class Oversampler:
    """Stands for a sampler of imbalanced-learn, which is not installed for these tests."""

    def fit_resample(self, rows, labels):
        return rows, labels


def test_models_that_hold_another_one():
    frame, _, labels = draw(5)
    forest = small("forest", 3)
    scaler = preprocessing.StandardScaler()
    holders = [feature_selection.RFE(forest, n_features_to_select=2), feature_selection.RFECV(forest, cv=2),
               pipeline.make_pipeline(scaler, feature_selection.RFE(forest, n_features_to_select=2)),
               semi_supervised.SelfTrainingClassifier(forest),
               calibration.CalibratedClassifierCV(semi_supervised.SelfTrainingClassifier(forest), cv=2)]
    for model in holders:
        model.fit(frame, labels)
        explainer = boxwood.Explainer(model, frame)
        assert (explainer.predict(frame) == model.predict(frame)).all()
        assert (explainer.predict_proba(frame) == model.predict_proba(frame)).all()
        wanted = int(1 - model.predict(frame.iloc[:1])[0])
        answer = explainer.explain(frame.iloc[0], wanted)
        assert model.predict(answer.point_frame()[COLUMNS])[0] == wanted


def test_pipelines_of_imbalanced_learn_predict_without_their_samplers():
    frame, _, labels = draw(5)
    plain = pipeline.make_pipeline(preprocessing.StandardScaler(), small("forest", 3)).fit(frame, labels)
    resampling = type("Pipeline", (pipeline.Pipeline,), {"__module__": "imblearn.pipeline",
                                                         "predict": None})
    model = resampling([plain.steps[0], ("sampler", Oversampler()), plain.steps[1]])
    assert (boxwood.Explainer(model, frame).predict(frame) == plain.predict(frame)).all()
    own = type("Own", (resampling,), {})(plain.steps)
    with pytest.raises(boxwood.UnsupportedModelError, match="overrides predict"):
        boxwood.Explainer(own, frame)


def test_without_a_selection_there_is_no_model():
    with pytest.raises(boxwood.UnsupportedModelError):
        boxwood.Explainer(feature_selection.RFE(small("forest", 3)), pd.DataFrame({"a": [1.0]}))


def test_columns_named_like_invented_ones_are_refused():
    """The model inside is fitted on an array, whose columns are called f0, f1 and so on."""
    frame, _, labels = draw(6)
    frame = frame.set_axis(["f1", "f0", "f2"], axis=1)
    training = semi_supervised.SelfTrainingClassifier(small("forest", 1)).fit(frame, labels)
    with pytest.raises(boxwood.UnsupportedModelError, match="Rename the columns"):
        boxwood.Explainer(training, frame)
    renamed = frame.set_axis(["a", "b", "c"], axis=1)
    training.fit(renamed, labels)
    assert (boxwood.Explainer(training, renamed).predict(renamed) == training.predict(renamed)).all()


def test_frames_whose_columns_are_called_as_invented_ones_are_refused_in_another_order():
    frame, _, labels = draw(7)
    model = small("forest", 1).fit(frame.to_numpy(), labels)
    named = frame.set_axis(["f0", "f1", "f2"], axis=1)
    assert (boxwood.Explainer(model, named).predict(named) == model.predict(frame.to_numpy())).all()
    swapped = frame.set_axis(["f1", "f0", "f2"], axis=1)
    for ask in (lambda: boxwood.Explainer(model, swapped), lambda: boxwood.Explainer(model).predict(swapped)):
        with pytest.raises(boxwood.Error, match="in another order. Rename them"):
            ask()
