"""bench/cpcf_problem.py encodes data, models and answers of the CPCF protocol as it says."""

import itertools
import pathlib
import sys

import boxwood
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
protocol = pytest.importorskip("cpcf_problem", reason="needs pandas, scikit-learn and XGBoost")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A data set with a column of every kind; "size" never is 2."""
    folder = tmp_path_factory.mktemp("cpcf")
    random = np.random.default_rng(3)
    lines = ["size,weight,member,town,nothing,Class", "D,F,B,E,F,T"]
    for _ in range(160):
        size, weight = random.choice([0, 1, 3, 4]), round(random.random() * 3, 2)
        member, town = random.choice(["no", "yes"]), random.choice(["Bonn", "Jena", "Ulm"])
        score = size + weight + (member == "yes") + 2 * (town == "Ulm") + random.normal(0, 0.5)
        lines.append(f"{size},{weight},{member},{town},7,{int(score > 4) + int(score > 6)}")
    (folder / "Tiny.csv").write_text("\n".join(lines) + "\n")
    return protocol.read(folder, "Tiny")


def test_columns_get_their_kinds(tiny):
    x, y, features = tiny
    assert [(one.name, one.kind) for one in features] == [
        ("size", "D"), ("weight", "F"), ("member", "B"), ("town", "E")]
    assert list(x.columns) == ["size", "weight", "member", "town Bonn", "town Jena", "town Ulm"]
    assert features[0].values == [0, 1, 3, 4]
    assert features[1].values == [x["weight"].min() - 0.5, x["weight"].max() + 0.5]
    assert set(y) == {0, 1, 2}


def test_first_trees_of_a_forest_are_the_smaller_forest(tiny, tmp_path):
    from sklearn.ensemble import RandomForestClassifier

    x, y, _ = tiny
    large = RandomForestClassifier(12, max_depth=3, random_state=2).fit(x, y)
    small = RandomForestClassifier(5, max_depth=3, random_state=2).fit(x, y)
    assert (protocol.first_trees(large, 5).predict_proba(x) == small.predict_proba(x)).all()


def test_a_hard_vote_is_the_first_of_the_largest_shares(tiny):
    from sklearn.ensemble import RandomForestClassifier

    x, y, _ = tiny
    forest = RandomForestClassifier(4, max_depth=2, random_state=2).fit(x, y)
    votes = [tree.predict(x.to_numpy()) for tree in forest.estimators_]
    counts = np.array([[sum(vote[i] == c for vote in votes) for c in range(3)]
                       for i in range(len(x))])
    # Four trees and three classes: some rows have equally many votes for two classes.
    assert any(np.sum(one == one.max()) > 1 for one in counts)
    hard = protocol.one_hot_votes(forest)
    assert (hard.predict(x) == counts.argmax(axis=1)).all()


@pytest.mark.parametrize("model", ["soft", "hard", "xgb"])
@pytest.mark.parametrize("norm", ["l1", "l2", "l0"])
def test_answers_are_the_best_of_all_points(tiny, tmp_path, model, norm):
    x, y, features = tiny
    fitted = protocol.trained(tmp_path, "Tiny", x, y, model, 10, 3, 2) if model == "xgb" else \
        protocol.first_trees(protocol.kept(tmp_path / "forest", lambda: forest_of(x, y)), 4)
    if model == "hard":
        protocol.one_hot_votes(fitted)
    rows, targets = protocol.questions(x, fitted, 2)
    explainer = boxwood.Explainer(fitted, scale=None, schema=protocol.schema(features))
    columns = list(x.columns)
    for row, target in list(zip(rows, targets, strict=True))[:6]:
        points = all_points(features, fitted, row)
        fine = points[fitted.predict(points) == target]
        costs = [protocol.cost_of(features, columns, row, point, norm) for point in fine]
        answer = explainer.explain(row, target, cost=norm, threads=1)
        assert answer.proven
        assert answer.found == bool(costs)
        if costs:
            point = np.array(answer.array, dtype=float)
            assert protocol.says(fitted, columns, point) == target
            assert protocol.admissible(features, columns, row, point)
            assert protocol.cost_of(features, columns, row, point, norm) == pytest.approx(
                answer.cost, rel=1e-9)
            assert answer.cost == pytest.approx(min(costs), rel=1e-9)


def test_what_the_protocol_does_not_permit_is_refused(tiny):
    x, _, features = tiny
    columns, row = list(x.columns), np.array([1, 1.5, 0, 1, 0, 0], dtype=float)
    for change in ({0: 2.0}, {1: 9.0}, {2: 0.5}, {4: 1.0}, {3: 0.0}):
        point = row.copy()
        for place, value in change.items():
            point[place] = value
        assert not protocol.admissible(features, columns, row, point)
    whole = np.array([2, 1.5, 0, 1, 0, 0], dtype=float)
    assert protocol.admissible(features, columns, row, whole, whole=True)


def forest_of(x, y):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(4, max_depth=3, random_state=2).fit(x, y)


def all_points(features, model, row):
    """Every combination of permitted values; of "weight" the ends of all its cells."""
    if hasattr(model, "estimators_"):
        cuts = np.concatenate([tree.tree_.threshold[tree.tree_.feature == 1]
                               for tree in model.estimators_])
        # scikit-learn compares float32 with double thresholds: x <= threshold.
        below = cuts.astype(np.float32)
        below = np.where(below > cuts, np.nextafter(below, np.float32(-np.inf)), below)
    else:
        splits = model.get_booster().trees_to_dataframe()
        cuts = splits.loc[splits["Feature"] == "weight", "Split"].to_numpy()
        below = np.nextafter(cuts.astype(np.float32), np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    low, high = features[1].values
    weights = {row[1], *(float(w) for w in (*below, *above) if low <= w <= high)}
    towns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    return np.array([[size, weight, member, *town] for size, weight, member, town in
                     itertools.product(features[0].values, weights, (0, 1), towns)], dtype=float)
