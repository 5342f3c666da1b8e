"""The MNIST experiment: its small version, FOCUS as we wrote it, and its arithmetic."""

import pathlib
import sys

import matplotlib.image
import numpy as np
import pytest
import xgboost

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

import boxwood
import common
import focus
import mnist
import mnist_measures as measures
import mnist_pairs as pairs
import rivals


@pytest.fixture(scope="module")
def pair():
    options = common.parse("", ["--small"])
    images, size, [(first, second)] = pairs.read_images(options)
    return pairs.make_pair(images, first, second, size, options.seed)


@pytest.fixture(scope="module")
def step():
    """A model of one split: class 1 is everything of 0.6 or more in the first of two columns."""
    values = np.array([[0.1, 0], [0.2, 1], [0.6, 0], [0.9, 1]] * 10, dtype=np.float32)
    model = xgboost.XGBClassifier(n_estimators=1, max_depth=1, tree_method="exact", n_jobs=1,
                                  reg_lambda=0, base_score=0.5)
    model.fit(values, (values[:, 0] > 0.5).astype(int))
    return model


def test_the_gradient_is_that_of_finite_differences(pair):
    trees = focus.SoftTrees(pair.model.get_booster(), np.float64)
    points = pair.test[:6].astype(float)
    for sigma in (1.0, 10.0):
        scores, slopes = trees.gradient(points, sigma)
        assert np.allclose(scores, trees.score(points, sigma), rtol=1e-12)
        for i, move in enumerate(1e-6 * np.eye(points.shape[1])):
            measured = (trees.score(points + move, sigma) - trees.score(points - move, sigma)) / 2e-6
            assert np.allclose(slopes[:, i], measured, atol=1e-6)
        assert np.abs(slopes).max() > 0.01


def test_steep_splits_are_those_of_the_model(pair):
    booster = pair.model.get_booster()
    trees = focus.SoftTrees(booster, np.float64)
    points = np.random.default_rng(3).normal(size=(200, pair.test.shape[1])).astype(np.float32)
    exact = booster.inplace_predict(points, predict_type="margin")
    assert np.allclose(trees.score(points, 1e9), exact, atol=1e-4)
    assert not np.allclose(trees.score(points, 5.0), exact, atol=1e-2)


def test_focus_goes_to_the_split_and_not_far_beyond(step):
    threshold = boxwood.Explainer(step).explain(np.array([0.1, 0.0], np.float32)).array[0]
    rows = np.array([[0.1, 0.3], [0.9, 0.3]], dtype=np.float32)
    found = focus.search(focus.SoftTrees(step.get_booster()), step.predict, rows,
                         focus.Settings(sigma=5, tau=2, beta=0.01, rate=0.005), 400)
    assert (step.predict(found) == [1, 0]).all()
    assert (found[:, 1] == rows[:, 1]).all()
    assert threshold <= found[0, 0] < threshold + 0.01
    assert threshold - 0.01 < found[1, 0] < threshold


def test_focus_that_may_not_reach_the_split_finds_nothing(step):
    rows = np.array([[0.1, 0.3]], dtype=np.float32)
    found = focus.search(focus.SoftTrees(step.get_booster()), step.predict, rows,
                         focus.Settings(5, 2, 0.01, 0.005), 400, upper=np.array([0.2, 1]))
    assert np.isnan(found).all()


def test_tuning_prefers_more_valid_points_to_nearer_ones(pair):
    trees = focus.SoftTrees(pair.model.get_booster())
    best, trials = focus.tune(trees, pair.predict, pair.rows, 4, 0, iterations=100)
    assert best.found == max(trial.found for trial in trials) > 0
    assert best.distance == min(t.distance for t in trials if t.found == best.found)
    lucky = focus.nearest_of_all(pair.rows, trials)
    there = ~np.isnan(best.points[:, 0])
    far, least = (np.linalg.norm(points[there].astype(float) - pair.rows[there], axis=1)
                  for points in (best.points, lucky))
    assert (least <= far).all()


def test_answers_are_confirmed_and_certainty_costs(pair):
    explainer = pairs.explainer(pair)
    before = np.zeros(len(pair.rows))
    for level in mnist.LEVELS:
        points, answers = pairs.ask(explainer, pair.rows, pair.now, level)
        assert all(answer.proven and not answer.verify() for answer in answers)
        assert (pair.model.predict(points) == 1 - pair.now).all()
        left = np.abs(1 - pair.now - pair.model.predict_proba(points)[:, 1])
        assert (left <= level).all()
        far = np.linalg.norm(points.astype(float) - pair.rows, axis=1)
        assert (far >= before).all()
        before = far
    assert (before > 0).all()


def test_nothing_is_nearer_than_the_exact_answers(pair):
    least = mnist.boxwood(pair, "l2", "Boxwood")
    trees = focus.SoftTrees(pair.model.get_booster())
    best, _ = focus.tune(trees, pair.predict, pair.rows, 3, 1, iterations=150)
    found = measures.Result("FOCUS", pair.rows, pair.now, best.points, 0.0)
    ratios = measures.known(measures.facts(pair, found, least)["ratio"])
    assert len(ratios) > 0
    assert (ratios >= 1 - 1e-6).all()
    # A hundredth of the way back to the row nothing is valid any more.
    back = least.points + (least.rows - least.points) * np.float32(0.01)
    assert not measures.valid(pair, measures.Result("", least.rows, least.now, back, 0.0)).any()


def test_facts_are_of_valid_points_only(pair):
    least = mnist.boxwood(pair, "l2", "Boxwood")
    points = least.points.copy()
    points[0], points[1] = pair.rows[0], np.nan
    facts = measures.facts(
        pair, measures.Result("", pair.rows, pair.now, points, 0.5), least)
    assert facts["valid"].tolist() == [0, 0] + [1] * (len(points) - 2)
    assert all(np.isnan(facts[key][:2]).all()
               for key in ("l1", "l2", "ratio", "changed", "visible", "stability"))
    assert np.allclose(facts["ratio"][2:], 1)
    moved = np.abs(points[2].astype(float) - pair.rows[2])
    assert facts["l1"][2] == pytest.approx(moved.sum())
    assert facts["l2"][2] == pytest.approx(np.sqrt((moved**2).sum()))
    assert facts["changed"][2] == np.count_nonzero(moved)
    assert measures.mean(facts["seconds"]) == 0.5


def test_units_change_what_is_nearest(pair):
    units = np.where(np.arange(pair.train.shape[1]) == 0, 1e3, 1.0)
    plain, cheap = (mnist.boxwood(pair, "l2", "", one).points.astype(float) - pair.rows
                    for one in (None, units))
    assert np.linalg.norm(cheap / units, axis=1).mean() < np.linalg.norm(plain, axis=1).mean()


def test_stability_of_known_functions():
    rows = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
    double = measures.stability(rows, rows, lambda points: 2 * points, k=4)
    assert np.allclose(double, 2, rtol=1e-5)
    assert np.allclose(measures.stability(rows, rows, np.ones_like, k=4), 0)
    nothing = measures.stability(rows, rows, lambda points: np.full_like(points, np.nan), k=4)
    assert np.isnan(nothing).all()


def test_misfit_is_a_factor():
    assert measures.misfit([1, 4], [2, 2]) == pytest.approx(np.log(2))
    assert measures.misfit([0.3, 0.2], [0.3, 0.2]) == 0


def test_a_tool_that_fails_has_found_nothing(pair):
    def answer(i, row):
        if i == 1:
            raise RuntimeError("no")
        return None if i == 2 else row + 1

    points, seconds = rivals.each(rivals.Task(pair.model, pair.train, pair.labels, pair.rows[:3]),
                                  answer)
    assert np.allclose(points[0], pair.rows[0] + 1)
    assert np.isnan(points[1:]).all()
    assert len(seconds) == 3


def test_the_small_version_writes_its_page(tmp_path):
    page = mnist.main(["--small", "--out", str(tmp_path)])
    text = page.read_text(encoding="utf-8")
    assert "valid and nearer than Boxwood's, in L2 or in L1: 0." in text
    assert "| 3 v 8 | Boxwood | 6 | 100% |" in text
    assert "nan" not in text
    _, missing = rivals.available()
    assert all(name in text for name in missing)
    for name in ("3v8", "certainty", "tools"):
        picture = matplotlib.image.imread(tmp_path / f"mnist_{name}.png")
        assert f"(mnist_{name}.png)" in text
        assert min(picture.shape[:2]) > 100
        assert picture[..., :3].std() > 0.05
