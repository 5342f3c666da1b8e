"""Boxwood in place of DiCE: the same calls, the same shape of what comes back."""

import boxwood
import numpy as np
import pandas as pd
import pytest
import xgboost
from boxwood import dice
from sklearn import compose, ensemble, pipeline, preprocessing


@pytest.fixture(scope="module")
def loans():
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"age": random.integers(18, 70, 300),
                          "income": np.round(random.lognormal(3, 0.5, 300), 1),
                          "job": random.choice(["cook", "black \"smith\"", "clerk"], 300)})
    good = frame["income"] / 20 + (frame["job"] == "clerk") - (frame["age"] < 25) > 1.3
    steps = compose.ColumnTransformer([("hot", preprocessing.OneHotEncoder(), ["job"])],
                                      remainder="passthrough")
    model = pipeline.make_pipeline(
        steps, ensemble.RandomForestClassifier(12, max_depth=5, random_state=0))
    return model.fit(frame, np.where(good, "good", "bad")), frame


@pytest.fixture(scope="module")
def explainer(loans):
    return dice.Dice(*loans, outcome_name="loan")


def refused(loans):
    model, frame = loans
    return frame[model.predict(frame) == "bad"]


def test_counterfactuals_have_the_opposite_class(loans, explainer):
    model, _ = loans
    rows = refused(loans).head(3)
    found = explainer.generate_counterfactuals(rows, total_CFs=2, desired_class="opposite")
    assert len(found.cf_examples_list) == 3
    for at, examples in enumerate(found.cf_examples_list):
        frame = examples.final_cfs_df
        assert list(frame.columns) == ["age", "income", "job", "loan"] and 1 <= len(frame) <= 2
        assert frame["loan"].tolist() == ["good"] * len(frame)
        assert model.predict(frame.drop(columns="loan")).tolist() == ["good"] * len(frame)
        assert frame["age"].dtype == rows["age"].dtype
        assert examples.test_instance_df["loan"].tolist() == ["bad"]
        assert examples.test_instance_df["income"][0] == rows["income"].iloc[at]
        assert examples.menu[0].proven
        costs = [one.cost for one in examples.menu]
        assert costs == sorted(costs)


def test_what_may_vary_and_how_far(loans, explainer):
    row = refused(loans).head(1)
    one = explainer.generate_counterfactuals(
        row, total_CFs=1, desired_class=1, features_to_vary=["income"]).cf_examples_list[0]
    assert one.final_cfs_df["loan"][0] == "good"
    assert one.final_cfs_df["job"][0] == row["job"].iloc[0]
    assert one.final_cfs_df["age"][0] == row["age"].iloc[0]
    least = one.final_cfs_df["income"][0]
    none = explainer.generate_counterfactuals(
        row, 1, "good", features_to_vary=["income"],
        permitted_range={"income": [0, float(np.nextafter(np.float32(least), np.float32(0)))]}).cf_examples_list[0]
    assert none.final_cfs_df is None and none.menu.complete


def test_permitted_categories(loans, explainer):
    rows = refused(loans)
    row = rows[rows["job"] == "cook"].head(1)
    free = explainer.generate_counterfactuals(row, 6, "good").cf_examples_list[0].final_cfs_df
    held = explainer.generate_counterfactuals(
        row, 6, "good", permitted_range={"job": ["black \"smith\""]}).cf_examples_list[0].final_cfs_df
    assert "clerk" in free["job"].tolist()
    assert set(held["job"]) == {"black \"smith\""}


def test_a_permitted_range_holds_where_the_row_is_outside(loans, explainer):
    row = refused(loans).head(1)
    now = row["age"].iloc[0]
    low, high = now + 3, now + 9
    points = explainer.generate_counterfactuals(
        row, 2, "good", permitted_range={"age": [low, high]}).cf_examples_list[0].final_cfs_df
    assert len(points) and points["age"].between(low, high).all()


def test_numbers_in_a_range(loans):
    _, frame = loans
    target = frame["income"] * 2 + frame["age"]
    numbers = frame[["age", "income"]]
    model = ensemble.RandomForestRegressor(5, max_depth=5, random_state=0).fit(numbers, target)
    found = dice.Dice(model, numbers, outcome_name="price").generate_counterfactuals(
        numbers.head(2), total_CFs=1, desired_range=[150, 170])
    for examples in found.cf_examples_list:
        assert 150 <= examples.final_cfs_df["price"][0] <= 170


def test_shown_as_tables(loans, explainer, capsys):
    rows = refused(loans).head(1)
    found = explainer.generate_counterfactuals(rows, 2)
    found.visualize_as_dataframe(show_only_changes=True)
    out = capsys.readouterr().out
    assert "Query instance" in out and "cheapest first" in out and "-" in out
    found = explainer.generate_counterfactuals(rows, 1, features_to_vary=[])
    found.visualize_as_dataframe()
    assert "No counterfactual: proven" in capsys.readouterr().out


def test_what_makes_no_sense(loans, explainer):
    rows = refused(loans).head(1)
    with pytest.raises(boxwood.Error, match='Give "all" or a list'):
        explainer.generate_counterfactuals(rows, features_to_vary="some")
    with pytest.raises(boxwood.Error, match="needs two values, not 1"):
        explainer.generate_counterfactuals(rows, permitted_range={"age": [20]})
    with pytest.raises(boxwood.Error, match='no feature "agge"'):
        explainer.generate_counterfactuals(rows, permitted_range={"agge": [20, 30]})


def test_lists_of_ordered_and_boolean_columns(people):
    frame, score = people
    frame = frame.assign(size=pd.Categorical(np.where(score > score.mean(), "large", "small"),
                                             ["small", "middle", "large"], ordered=True))
    model = xgboost.XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1,
                                  enable_categorical=True).fit(frame, score > score.median())
    explainer = dice.Dice(model, frame)
    row = frame[~model.predict(frame).astype(bool)].iloc[[0]]
    found = explainer.generate_counterfactuals(
        row, total_CFs=2, permitted_range={"size": ["small", "large"], "member": [True]})
    points = found.cf_examples_list[0].final_cfs_df
    assert set(points["size"]) <= {"small", "large"} and len(points)
