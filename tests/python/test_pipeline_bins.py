"""KBinsDiscretizer with a column for each interval: the model over raw columns says what the pipeline says.

BOXWOOD_CASES sets how many pipelines of each kind are drawn.
"""

import boxwood
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from conftest import case_numbers
from sklearn import compose, ensemble, feature_selection, impute, pipeline, preprocessing

pytestmark = pytest.mark.filterwarnings("ignore")


def binned(way, index):
    """A pipeline with a column for each interval of some numbers, and its data."""
    random = np.random.default_rng(index)
    frame = pd.DataFrame({"a": random.normal(size=200), "b": random.integers(0, 9, 200).astype(float),
                          "c": random.lognormal(0, 1, 200)})
    score = np.abs(frame["a"]) - (frame["b"] % 3) + np.log(frame["c"]) * random.choice([-1, 1])
    bins = preprocessing.KBinsDiscretizer(
        int(random.integers(2, 7)), encode=str(random.choice(["onehot", "onehot-dense"])),
        strategy=str(random.choice(["uniform", "quantile"])))
    dense = preprocessing.KBinsDiscretizer(4, encode="onehot-dense")
    if way == "all":
        steps = [bins]
    elif way == "scaled":
        steps = [preprocessing.StandardScaler(), dense, preprocessing.MinMaxScaler((-1, 3))]
    elif way == "logarithm":
        steps = [compose.ColumnTransformer([
            ("l", pipeline.make_pipeline(preprocessing.FunctionTransformer(np.log1p), bins), ["c"]),
            ("bins", dense, ["a"]), ("same", "passthrough", ["a", "b"])])]
    elif way == "selected":
        steps = [dense, feature_selection.SelectKBest(feature_selection.f_regression, k=6)]
    else:
        frame.loc[random.random(200) < 0.2, "a"] = np.nan
        steps = [compose.ColumnTransformer([
            ("bins", pipeline.make_pipeline(impute.SimpleImputer(add_indicator=True), dense), ["a"]),
            ("more", dense, ["c"]), ("b", bins, ["b"])], remainder="passthrough")]
    last = (ensemble.RandomForestRegressor(4, max_depth=4, random_state=index),
            lightgbm.LGBMRegressor(n_estimators=5, num_leaves=6, min_child_samples=5, verbose=-1),
            xgboost.XGBRegressor(n_estimators=5, max_depth=3))[(index + len(way)) % 3]
    return pipeline.make_pipeline(*steps, last).fit(frame, score), frame


@pytest.mark.parametrize("way", ["all", "scaled", "logarithm", "selected", "missing"])
@pytest.mark.parametrize("index", case_numbers(1))
def test_columns_of_intervals(way, index):
    model, frame = binned(way, index)
    try:
        explainer = boxwood.Explainer(model)
    except boxwood.UnsupportedModelError as error:
        assert "XGBoost treats every zero" in str(error)
        return
    # At every threshold and the numbers next to it, all columns in turn.
    core = explainer.core.ensemble(0)
    rows = [frame]
    for i in range(core.tree_count):
        one = core.tree(i)
        for kind, feature, threshold in zip(one["kind"], one["feature"], one["threshold"], strict=True):
            if kind and np.isfinite(threshold):
                at = frame.iloc[[0, 1, 2]].copy()
                at.iloc[:, feature] = [np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)]
                rows.append(at)
    table = pd.concat(rows, ignore_index=True)
    assert np.array_equal(model.predict(table), explainer.predict(table))
    known = frame.dropna()  # a value that is missing stays missing
    said = model.predict(known)
    wanted = float(np.quantile(said, 0.8))
    answer = explainer.explain(known.iloc[int(said.argmin())], boxwood.Output(at_least=wanted))
    assert answer.status == "optimal" and model.predict(answer.point_frame())[0] >= wanted
