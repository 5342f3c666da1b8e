"""Measures of counterfactuals, with figures worked out by hand."""

import boxwood
import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from boxwood import evaluate as measures
from sklearn import ensemble

# Ranges 10 and 4; median distances from the median 2 and 1.
DATA = np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 2.0], [6.0, 3.0], [10.0, 4.0]])


def low(rows):
    return (np.asarray(rows)[:, 0] < 5).astype(int)


def test_validity_is_what_the_model_says():
    found = np.array([[4.0, 0.0], [6.0, 0.0], [np.nan, np.nan]])
    assert measures.validity(low, found, 1).tolist() == [True, False, False]
    assert measures.validity(low, found, [1, 0, 1]).tolist() == [True, True, False]
    start = np.array([[6.0, 0.0]])
    assert measures.validity(low, found, originals=start).tolist() == [True, False, False]
    with pytest.raises(boxwood.Error, match="neither a target nor the originals"):
        measures.validity(low, found)


def test_distances_in_scales_of_the_data():
    start, end = np.array([[1.0, 1.0]]), np.array([[4.0, 1.0], [6.0, 3.0], [np.nan, np.nan]])

    def far(norm, scale):
        return measures.distances(start, end, norm, data=DATA, scale=scale)

    np.testing.assert_allclose(far("l1", "range"), [0.3, 1.0, np.nan])
    np.testing.assert_allclose(far("l2", "range"), [0.3, np.sqrt(0.5), np.nan])
    np.testing.assert_allclose(far("linf", "range"), [0.3, 0.5, np.nan])
    np.testing.assert_allclose(far("l0", "range"), [1, 2, np.nan])
    np.testing.assert_allclose(far("l1", "mad"), [1.5, 4.5, np.nan])
    np.testing.assert_allclose(far("l1", None), [3, 7, np.nan])
    deviation = np.sqrt((4.4**2 + 2.4**2 + 0.4**2 + 1.6**2 + 5.6**2) / 5)
    np.testing.assert_allclose(far("l1", "deviation")[0], 3 / deviation)
    np.testing.assert_allclose(measures.sparsity(start, end), [0.5, 0, np.nan])


def test_categories_and_missing_values_count_as_one():
    data = pd.DataFrame({"a": [0.0, 10.0], "b": pd.Categorical(["x", "y"]), "c": ["u", "v"],
                         "d": [True, False]})
    start = data.iloc[[0]]
    end = pd.DataFrame({"c": ["u", "v"], "b": ["y", "x"], "a": [np.nan, 5.0], "d": [True, False]})
    np.testing.assert_allclose(measures.distances(start, end, "l1", data=data), [2, 2.5])
    np.testing.assert_allclose(measures.distances(start, end, "l2", data=data),
                               [np.sqrt(2), 1.5])
    np.testing.assert_allclose(measures.sparsity(start, end), [0.5, 0.25])


def test_arrow_tables():
    frame = pd.DataFrame({"a": [0.0, 10.0], "b": ["x", "y"]})
    table = arrow.Table.from_pandas(frame)
    np.testing.assert_allclose(measures.distances(table, table.take([1, 1]), "l1"), [2, 0])
    assert measures.validity(lambda rows: [1] * rows.num_rows, table, 1).tolist() == [True, True]


def test_tables_must_agree():
    frame = pd.DataFrame({"a": [0.0], "b": [1.0]})
    with pytest.raises(boxwood.Error, match='there is no column "b"'):
        measures.distances(frame, frame[["a"]])
    with pytest.raises(boxwood.Error, match="1 columns instead of 2"):
        measures.distances(DATA, DATA[:, :1])
    with pytest.raises(boxwood.Error, match="2 rows for 5 originals"):
        measures.distances(DATA, DATA[:2])
    with pytest.raises(boxwood.Error, match="unknown scale 'span'"):
        measures.distances(DATA, DATA, scale="span")
    with pytest.raises(boxwood.Error, match="unknown norm 'l3'"):
        measures.distances(DATA, DATA, "l3")


def test_diversity_of_pairs_and_of_sets():
    start = np.array([0.0, 0.0])
    ways = np.array([[5.0, 0.0], [10.0, 0.0], [0.0, 4.0], [np.nan, np.nan]])
    found = measures.diversity(start, ways, data=DATA)
    # Pairs: 0.5; 0.5 + 1; 1 + 1. Two sets of columns for three ways.
    assert found["distance"] == pytest.approx((0.5 + 1.5 + 2) / 3)
    assert found["sets"] == pytest.approx(2 / 3)
    assert np.isnan(measures.diversity(start, ways[:1], data=DATA)["distance"])


def test_plausibility_prefers_what_is_amid_the_data():
    random = np.random.default_rng(0)
    data = random.normal(size=(300, 2))
    points = np.array([[0.0, 0.0], [9.0, -9.0], [np.nan, np.nan]])
    for method in ("lof", "isolation"):
        amid, off, none = measures.plausibility(points, data, method, random_state=0)
        assert amid > off and np.isnan(none)
        again = measures.plausibility(points, data, method, random_state=0)
        np.testing.assert_array_equal([amid, off, none], again)
    amid = measures.plausibility(points[:1], data, "lof")[0]
    assert amid == pytest.approx(-1, abs=0.2)
    frame = pd.DataFrame({"a": random.normal(size=100), "b": ["x"] * 99 + ["y"]})
    frame.loc[3, "a"] = np.nan
    usual, rare = measures.plausibility(
        pd.DataFrame({"a": [0.0, 0.0], "b": ["x", "y"]}), frame, "isolation", random_state=0)
    assert usual > rare


def test_stability_is_the_steepest_ratio():
    data = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    x = data[0]

    def explain(row):  # the change is (row[0]^2, 0)
        return np.array([row[0] + row[0] ** 2, row[1]])

    def measured(k, of):
        return measures.stability(explain, x, data, k=k, scale=None, of=of)

    assert measured(1, "change") == pytest.approx(1)  # |1 - 0| / 1
    assert measured(2, "change") == pytest.approx(1)  # and 0 / 2
    assert measured(3, "change") == pytest.approx(9 / np.sqrt(18))
    assert measured(1, "point") == pytest.approx(2)

    drawn = measures.stability(explain, np.array([1.0, 0.0]), data, radius=0.01, samples=200,
                               scale=None, random_state=4)
    # The derivative of the square at 1 is 2, along the first column only.
    assert 1.9 < drawn < 2.02
    again = measures.stability(explain, np.array([1.0, 0.0]), data, radius=0.01, samples=200,
                               scale=None, random_state=4)
    assert drawn == again
    assert np.isnan(measures.stability(lambda row: None, x, data, k=2))
    with pytest.raises(boxwood.Error, match="exactly one of k and radius"):
        measures.stability(explain, x, data)


def test_stability_of_rows_with_categories():
    data = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": ["x", "x", "y"]})

    def flip(row):
        return {**row, "b": "y" if row["b"] == "x" else "x"}

    row = {"a": 0.0, "b": "x"}
    assert measures.stability(flip, row, data, k=1, scale=None) == 0
    # The third row lies (2, 1) away, and its change is another one.
    assert measures.stability(flip, row, data, k=2, scale=None) == pytest.approx(1 / np.sqrt(5))
    assert measures.stability(flip, data.iloc[0], data, radius=0.1, random_state=0) == 0


def test_tools_side_by_side():
    start = np.array([[6.0, 0.0], [8.0, 4.0], [6.0, 2.0]])
    near = np.array([[4.0, 0.0], [4.0, 4.0], [np.nan, np.nan]])
    several = [np.array([[4.0, 0.0], [4.0, 4.0]]), np.array([8.0, 0.0]), None]
    found = measures.evaluate(low, start, {"near": near, "several": several}, 1, data=DATA)
    assert list(found.index) == ["near", "several"] and found.index.name == "tool"
    assert found.loc["near", "found"] == pytest.approx(2 / 3)
    assert found.loc["near", "valid"] == pytest.approx(2 / 3)
    assert found.loc["several", "valid"] == pytest.approx(1 / 3)
    assert found.loc["near", "l1"] == pytest.approx((0.2 + 0.4) / 2)
    assert found.loc["several", "l1"] == pytest.approx((0.2 + 1) / 2)
    assert found.loc["near", "l0"] == 1 and found.loc["near", "sparsity"] == 0.5
    assert found.loc["several", "diversity"] == pytest.approx(1)
    assert found.loc["several", "sets"] == 1
    assert np.isnan(found.loc["near", "diversity"])
    nothing = measures.evaluate(low, start, {"none": [None] * 3}, 1, data=DATA)
    assert nothing.loc["none", "found"] == 0 and np.isnan(nothing.loc["none", "l1"])
    with pytest.raises(boxwood.Error, match="2 entries for 3 originals"):
        measures.evaluate(low, start, {"short": [None, None]}, 1)


def test_answers_and_menus_of_boxwood():
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.normal(size=200), "b": random.integers(0, 9, 200)})
    target = np.where(frame["a"] + frame["b"] / 3 > 1.5, "good", "bad")
    model = ensemble.RandomForestClassifier(8, max_depth=4, random_state=0).fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    rows = frame[model.predict(frame) == "bad"].head(6)
    answers = [explainer.explain(row, "good", cost="l1") for _, row in rows.iterrows()]
    menus = [explainer.menu(row, 2, "good", cost="l1") for _, row in rows.iterrows()]
    good = frame[model.predict(frame) == "good"]
    found = measures.evaluate(
        model, rows, {"nearest": answers, "menu": menus, "any good one": good.head(6)}, "good",
        data=frame, explainers={"nearest": lambda row: explainer.explain(row, "good", cost="l1")},
        samples=3)
    assert found["valid"].tolist() == [1, 1, 1]
    costs = np.array([answer.cost for answer in answers])
    assert found.loc["nearest", "l1"] == pytest.approx(costs.mean())
    assert found.loc["menu", "l1"] == pytest.approx(costs.mean())
    assert found.loc["any good one", "l1"] > costs.mean()
    assert found.loc["menu", "sets"] == 1
    assert found.loc["nearest", "stability"] >= 0
    assert np.isnan(found.loc["menu", "stability"])
