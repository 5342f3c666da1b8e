"""The most for a budget, reasons, anomalies and ranks, against all rows of a small grid."""

import itertools
import json
import math
import os
import subprocess

import boxwood
import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, IsolationForest
from sklearn.tree import DecisionTreeRegressor

NAMES = ["f0", "f1", "f2"]
WIDTH = 7


def data():
    random = np.random.default_rng(5)
    return random.integers(0, WIDTH, (300, 3)).astype(float)


def schema():
    return {"features": [{"name": name, "kind": "integer", "range": [0, WIDTH - 1]}
                         for name in NAMES]}


@pytest.fixture(scope="module")
def rows():
    return np.array(list(itertools.product(range(WIDTH), repeat=3)), float)


@pytest.fixture(scope="module")
def classifier():
    x = data()
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 12).astype(int)
    return GradientBoostingClassifier(n_estimators=12, max_depth=3, random_state=0).fit(x, y)


def explained(model):
    return boxwood.Explainer(model, schema=schema(), scale=None)


def costs(rows, x):
    return np.abs(rows - x).sum(axis=1)


X = np.array([1.0, 2.0, 1.0])


def test_best_of_all_rows_within_the_budget(classifier, rows):
    explainer = explained(classifier)
    chances = explainer.predict_proba(rows)[:, 1]
    for budget in (0, 1, 3, 6, math.inf):
        best = explainer.best(X, budget, 1, cost="l1", curve=True)
        within = costs(rows, X) <= budget
        assert best.status == "optimal" and best.value == best.bound == chances[within].max()
        assert best.answer.cost == costs(rows, X)[within & (chances == best.value)].min()
        assert classifier.predict_proba(best.answer.array[np.newaxis])[0, 1] == pytest.approx(
            best.value)
        assert best.complete and best.steps[-1][0] == best.value
        for value, answer in best.steps:
            cheaper = costs(rows, X) <= answer.cost
            assert value == chances[cheaper].max()
        assert "proven" in repr(best) and "proven" in best._repr_html_()
    assert best.to_frame()["value"].is_monotonic_increasing
    assert best.plot() is not None


def test_best_respects_rules_and_further_requirements(classifier, rows):
    explainer = explained(classifier)
    chances = explainer.predict_proba(rows)[:, 1]
    best = explainer.best(X, 5, 1, cost="l1", fixed=["f0"], rules="if f1 changes then f2 stays")
    allowed = (rows[:, 0] == 1) & ((rows[:, 1] == 2) | (rows[:, 2] == 1)) & (costs(rows, X) <= 5)
    assert best.value == chances[allowed].max()
    none = explainer.best(X, 2, 1, cost="l1", rules="f2 >= 6")
    assert none.status == "infeasible" and math.isnan(none.value)
    assert "No allowed change for a cost of at most 2" in repr(none)


def test_lowest_and_highest_output(rows):
    x = data()
    model = GradientBoostingRegressor(n_estimators=15, max_depth=3, random_state=0).fit(
        x, x[:, 0] * x[:, 1] - x[:, 2])
    explainer = explained(model)
    outputs = explainer.predict(rows)
    within = costs(rows, X) <= 4
    assert explainer.best(X, 4, cost="l1").value == outputs[within].max()
    lowest = explainer.best(X, 4, cost="l1", lowest=True)
    assert lowest.value == outputs[within].min() and lowest.gain < 0
    assert "lowest" in repr(lowest)
    with pytest.raises(boxwood.Error, match="highest or lowest value itself"):
        explainer.best(X, 4, at_least=3)
    with pytest.raises(boxwood.Error, match="budget"):
        explainer.best(X, -1)


def test_a_limit_leaves_a_bound(classifier):
    explainer = explained(classifier)
    best = explainer.best(X, 6, 1, cost="l1", time_limit=0)
    whole = explainer.best(X, 6, 1, cost="l1")
    assert best.status in ("feasible", "unknown") and best.stop == "time"
    assert best.bound >= whole.value


def test_beat_another_row(rows):
    x = data()
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(x, x @ [1, 2, 3])
    explainer = explained(model)
    other = np.array([3.0, 3.0, 2.0])
    answer = explainer.explain(X, beat=other, cost="l1")
    scores = explainer.scores(rows)[:, 0]
    better = scores > explainer.scores(other[np.newaxis])[0, 0]
    assert answer.cost == costs(rows, X)[better].min()
    with pytest.raises(boxwood.Error, match="beat"):
        explainer.explain(X, beat=other, at_least=3)


def test_reasons_of_every_feature(classifier, rows):
    explainer = explained(classifier)
    chances, classes = explainer.predict_proba(rows)[:, 1], explainer.predict(rows)
    found = explainer.reasons(X, 1, cost="l1")
    least = costs(rows, X)[classes == 1].min()
    assert found.answer.cost == least
    assert {one.feature for one in found} == set(NAMES)
    for one in found:
        i = NAMES.index(one.feature)
        stays = rows[:, i] == X[i]
        alone = np.all(np.delete(rows, i, axis=1) == np.delete(X, i), axis=1)
        without = costs(rows, X)[stays & (classes == 1)]
        single = costs(rows, X)[alone & (classes == 1)]
        assert one.necessity == (without.min() - least if len(without) else math.inf)
        assert one.sufficiency == (single.min() if len(single) else math.inf)
        now = explainer.predict_proba(X[np.newaxis])[0, 1]
        assert one.gain == chances[alone].max() - now
        assert one.proven
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    assert "Every number is proven." in repr(found) and "proven" in found._repr_html_()
    assert list(found.to_frame()["feature"]) == [one.feature for one in found]
    assert found.plot() is not None


def test_a_feature_that_rules_only_make_worse_gains_nothing():
    values = np.arange(10.0)
    for sign, wanted in ((-1, {"at_least": -1}), (1, {"at_most": 1})):
        model = DecisionTreeRegressor().fit(values.reshape(-1, 1), sign * values)
        explainer = boxwood.Explainer(model, schema={
            "features": [{"name": "f0", "kind": "integer", "range": [0, 9]}]})
        assert explainer.reasons([2], rules="f0 >= 5", **wanted).reasons[0].gain == 0
        assert explainer.reasons([5], rules="f0 <= 2", **wanted).reasons[0].gain == 5


def test_reasons_without_an_answer(classifier):
    explainer = explained(classifier)
    found = explainer.reasons(X, 1, rules=["f1 <= 2", "f2 <= 1", "f0 <= 1"])
    assert found.answer.status == "infeasible"
    assert all(math.isinf(one.necessity) and math.isinf(one.sufficiency) for one in found)
    assert len(explainer.reasons([6.0, 6.0, 6.0], 1)) == 0


def test_anomalies(rows):
    x = np.random.default_rng(1).normal(3, 1, (400, 3)).round().clip(0, WIDTH - 1)
    forest = IsolationForest(n_estimators=20, contamination=0.1, random_state=0).fit(x)
    explainer = explained(forest)
    said = forest.predict(rows)
    for row in ([0.0, 6.0, 0.0], [3.0, 3.0, 3.0]):
        found = explainer.anomaly(row, cost="l1")
        assert found.anomalous == (forest.predict([row])[0] == -1)
        other = said == (1 if found.anomalous else -1)
        assert found.answer.cost == costs(rows, np.array(row))[other].min()
        assert ("makes it normal" in repr(found)) == found.anomalous
        assert "proven" in found._repr_html_()
        for shown in (repr(found), found._repr_html_()):
            assert shown.count("(needed") == 1 and shown.count("alone it gains") == 1
    with pytest.raises(boxwood.Error, match="at_least"):
        explainer.anomaly(row, at_least=0)


def test_anomaly_needs_an_isolation_forest(classifier):
    forest = boxwood.Explainer(IsolationForest(n_estimators=3, random_state=0).fit(data()))
    with pytest.raises(boxwood.Error, match="at_least: anomaly looks for the other side"):
        forest.anomaly(X, at_least=1)
    with pytest.raises(boxwood.Error, match="not an isolation forest"):
        explained(classifier).anomaly(X)


def test_the_command(classifier, rows, tmp_path):
    explainer = explained(classifier)
    explainer.save_model(tmp_path / "model.json")
    explainer.schema.save(tmp_path / "schema.json")
    (tmp_path / "rows.csv").write_text("f0,f1,f2\n1,2,1\n")
    command = [os.environ["BOXWOOD_COMMAND"], "best", tmp_path / "model.json", "--data",
               tmp_path / "rows.csv", "--schema", tmp_path / "schema.json", "--row", "0", "--norm",
               "l1", "--class", "1"]
    chances = explainer.predict_proba(rows)[:, 1]

    def run(*more):
        return subprocess.run([*command, *more], capture_output=True, text=True, check=False)

    done = run("--budget", "3", "--curve", "--format", "json", "--verify")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["status"] == "optimal"
    assert told["value"] == told["bound"] == chances[costs(rows, X) <= 3].max()
    assert told["steps"][-1]["value"] == told["value"] and told["complete"]
    assert "proven" in run("--budget", "3").stdout
    assert run("--budget", "3", "--format", "svg").stdout.startswith("<svg")
    assert run("--budget", "-1").returncode == 2
    assert run("--budget", "3", "--lowest").returncode == 2
    assert run("--budget", "3", "--time-limit", "0").returncode == 3


def test_linear_rules_hold_within_the_budget(classifier, rows):
    explainer = explained(classifier)
    chances = explainer.predict_proba(rows)[:, 1]
    best = explainer.best(X, 6, 1, cost="l1", rules="f0 + f1 + f2 <= 7")
    allowed = (rows.sum(axis=1) <= 7) & (costs(rows, X) <= 6)
    assert best.status == "optimal" and best.value == chances[allowed].max()
    assert best.value < chances[costs(rows, X) <= 6].max()  # the rule matters


def test_anomalies_in_the_command(rows, tmp_path):
    x = np.random.default_rng(1).normal(3, 1, (400, 3)).round().clip(0, WIDTH - 1)
    forest = IsolationForest(n_estimators=20, contamination=0.1, random_state=0).fit(x)
    explainer = explained(forest)
    explainer.save_model(tmp_path / "model.json")
    explainer.schema.save(tmp_path / "schema.json")
    (tmp_path / "rows.csv").write_text("f0,f1,f2\n0,6,0\n3,3,3\n")
    said = forest.predict(rows)
    for name in ("explain", "reasons"):
        for row, point in enumerate(([0.0, 6.0, 0.0], [3.0, 3.0, 3.0])):
            done = subprocess.run(
                [os.environ["BOXWOOD_COMMAND"], name, "model.json", "--data", "rows.csv",
                 "--schema", "schema.json", "--norm", "l1", "--row", str(row), "--format", "json"],
                cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            told = json.loads(done.stdout)
            answer = told[0] if name == "explain" else told["answer"]
            other = said != forest.predict([point])[0]
            assert answer["status"] == "optimal"
            assert answer["cost"] == costs(rows, np.array(point))[other].min()
