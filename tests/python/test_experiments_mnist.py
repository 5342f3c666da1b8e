"""The MNIST experiment: its small version, FOCUS as we wrote it, and its arithmetic."""

import pathlib
import random
import sys
import types

import matplotlib.image
import numpy as np
import pytest
import xgboost

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

import boxwood
import common
import focus
import mnist
import mnist_kept
import mnist_measures as measures
import mnist_pairs as pairs
import mnist_words as words
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
    few, short = (mnist.boxwood(pair, "l1", "Boxwood", fewest_first=first) for first in (True, False))
    count, length = ([np.linalg.norm(one.points - one.rows, order, axis=1) for one in
                      (least, short, few)] for order in (0, 1))
    assert (count[2] <= np.minimum(count[0], count[1])).all() and (count[2] < count[0]).any()
    assert (length[1] <= np.minimum(length[0], length[2]) * (1 + 1e-6)).all()
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


@pytest.fixture
def task(pair):
    return rivals.Task(pair.model, pair.train, pair.labels, pair.rows[:3], nodes=1234)


def test_dice_is_asked_for_the_other_class_and_is_seeded(task, monkeypatch):
    """A module with DiCE's interface that answers with what it was asked and drew."""
    drawn = []

    class Dice:
        def __init__(self, data, model, method):
            self.data, self.model, self.method = data, model, method
            assert list(data["dataframe"]["class"]) == list(task.labels)
            assert data["outcome_name"] not in data["continuous_features"]
            assert (model["model"].predict(data["dataframe"].drop(columns="class"))
                    == task.model.predict(task.train)).all()

        def generate_counterfactuals(self, query, total_CFs, desired_class, **more):
            assert (total_CFs, desired_class) == (1, "opposite")
            assert ("random_seed" in more) == (self.method == "random")
            drawn.append((random.random(), np.random.random()))
            table = query + 1 if len(drawn) % 3 else None
            return types.SimpleNamespace(cf_examples_list=[types.SimpleNamespace(final_cfs_df=table)])

    monkeypatch.setitem(sys.modules, "dice_ml", types.SimpleNamespace(Data=dict, Model=dict, Dice=Dice))
    for method in ("genetic", "random"):
        points, seconds = rivals.dice(task, method)
        assert np.allclose(points[:2], task.rows[:2] + 1)
        assert np.isnan(points[2]).all()
        assert (seconds >= 0).all()
    # Both generators start anew at each row: the same draws again, and others for other rows.
    assert drawn[:3] == drawn[3:]
    assert len({one for one, _ in drawn}) == len({one for _, one in drawn}) == 3


def test_nice_is_given_the_model_and_the_reward(task, monkeypatch):
    class NICE:
        def __init__(self, predict_fn, X_train, cat_feat, y_train, optimization, num_normalization):
            assert np.allclose(predict_fn(X_train), task.model.predict_proba(task.train))
            assert (cat_feat, num_normalization) == ([], "minmax")
            assert (y_train == task.labels).all()
            self.move = {"proximity": 1, "sparsity": 2}[optimization]

        def explain(self, row):
            assert row.shape == (1, task.rows.shape[1])
            return row + self.move

    monkeypatch.setitem(sys.modules, "nice", types.SimpleNamespace(NICE=NICE))
    assert np.allclose(rivals.nice(task, "proximity")[0], task.rows + 1)
    assert np.allclose(rivals.nice(task, "sparsity")[0], task.rows + 2)


def test_treecf_is_asked_for_the_other_side_of_zero(task, monkeypatch):
    asked = []

    class Counterfactual:
        def __init__(self, point):
            self.x_cf = point

    class Explainer:
        def __init__(self, booster, normalizers):
            assert booster is task.model.get_booster()
            assert (normalizers == 1).all()

        def explain(self, row, target, **how):
            asked.append((target, how))
            return Counterfactual(row - 1) if len(asked) != 2 else "Infeasible"

    monkeypatch.setitem(sys.modules, "treecf", types.SimpleNamespace(
        Counterfactual=Counterfactual, Explainer=Explainer,
        Target=types.SimpleNamespace(raw=lambda range: range)))
    points, _ = rivals.treecf(task)
    assert np.allclose(points[[0, 2]], task.rows[[0, 2]] - 1)
    assert np.isnan(points[1]).all()
    for now, ((low, high), how) in zip(task.model.predict(task.rows), asked, strict=True):
        # The margin 0 is class 0: XGBoost answers 1 only above a half.
        assert (low <= 0 <= high) == (now == 1)
        assert (low == -np.inf, high == np.inf) == (now == 1, now == 0)
        assert how["node_budget"] == 1234
        assert how["time_budget_s"] == np.inf


def test_an_answer_that_is_not_confirmed_stops_the_run(pair):
    points, answers = pairs.ask(pairs.explainer(pair), pair.rows, pair.now)
    mnist.confirm(pair, pair.now, points, answers, "these")
    with pytest.raises(SystemExit, match="not confirm 1 points"):
        mnist.confirm(pair, pair.now, np.vstack([pair.rows[:1], points[1:]]), answers, "these")
    with pytest.raises(SystemExit, match=f"not confirm {len(points)} points"):
        mnist.confirm(pair, pair.now, points, answers, "these", 1e-6)
    with pytest.raises(SystemExit, match="not confirm 1 points"):
        lost = points.copy()
        lost[0] = np.nan
        mnist.confirm(pair, 1 - pair.test_labels[pair.wrong], lost, answers, "these")
    with pytest.raises(SystemExit, match="1 answers of these are not proven"):
        open_end = types.SimpleNamespace(proven=False)
        mnist.confirm(pair, pair.now, points, [open_end, *answers[1:]], "these")


def test_each_digit_is_moved_in_its_own_way(pair):
    moves = []

    def answer(rows, now):
        moves.append(rows)
        return rows + 1

    def drawn(seed):
        moves.clear()
        twice = np.repeat(pair.rows[:1], 2, axis=0)
        found = measures.stability_around(pair, twice, np.repeat(pair.now[:1], 2), answer, 0.01, seed)
        assert np.allclose(measures.known(found), 1, rtol=1e-3)
        assert len(measures.known(found)) > 0
        own, other = np.split(moves[0], 2)
        assert (own[0] == other[0]).all()
        assert (own[1:] != other[1:]).any()
        return moves[0]

    assert (drawn(0) == drawn(0)).all()
    assert (drawn(0) != drawn(1)).any()


def test_an_answer_is_kept_for_the_same_question_only(tmp_path):
    asked = []

    def compute():
        asked.append(1)
        return np.full(2, len(asked)), 0.25

    kept = mnist_kept.Kept(tmp_path / "kept")
    rows = np.arange(3.0)
    assert kept(focus, [rows, 1], compute)[0].tolist() == [1, 1]
    points, seconds = kept(focus, [rows, 1], compute)
    assert (points.tolist(), seconds) == ([1, 1], 0.25)
    assert (kept.old, kept.new) == (1, 1)
    for module, question in ((focus, [rows, 2]), (focus, [rows + 1, 1]), (rivals, [rows, 1])):
        kept(module, question, compute)
    assert len(asked) == 4
    mnist_kept.Kept()(focus, [rows, 1], compute)
    assert len(asked) == 5


def test_pairs_of_digits_have_draws_of_their_own(pair):
    options = common.parse("", ["--small", "--trials", "2", "--iterations", "5"],
                           mnist.more_arguments)
    one = mnist.Focus(pair, options, mnist_kept.Kept())
    twin = types.SimpleNamespace(**{name: getattr(pair, name) for name in (
        "model", "train", "predict", "rows", "now", "first")}, second=9)
    other = mnist.Focus(twin, options, mnist_kept.Kept())
    assert len({trial.settings for trial in one.trials + other.trials}) == 4
    assert one.spent == pytest.approx(sum(trial.seconds for trial in one.trials))
    assert one.spent > 0


def test_words_follow_the_figures():
    rising, falling = np.array([[1.0, 2], [2, 3]]), np.array([[1.0, 2], [2, 0]])
    assert "on all 2 pairs, as in the paper; it never falls for 4 of 4" in words.certainty(
        {"a": rising, "b": rising})
    mixed = words.certainty({"a": rising, "b": falling})
    assert "on 1 of 2 pairs (a); it never falls for 3 of 4" in mixed
    assert "hardly" in words.faint({"a": [np.array([0.02, 0.04])]}, (0.2,), 0.2)
    assert "hardly" not in words.faint({"a": [np.array([0.2, 0.4])]}, (0.2,), 0.2)
    low, high = {"a": np.array([1.0, 1.1])}, {"a": np.array([1.2, np.nan])}
    less = words.stability(high, low)
    assert "FOCUS is more stable than Boxwood on a" in less
    assert "FOCUS is more stable for 1 of 1, Boxwood for 0" in less
    assert "opposite" in less
    more = words.stability(low, high)
    assert "Boxwood is more stable than FOCUS on a" in more
    assert "opposite" not in more
    facts = [{"a": dict.fromkeys(("l1", "l2", "changed", "visible"), value)} for value in (1, 2)]
    assert words.against(*facts).count("smaller on a") == 4
    assert words.against(*reversed(facts)).count("smaller on 0 of 1") == 4
    assert "near 1" in words.far_apart(8, 0.1, [1, 1.01], [0.9])
    assert "below 1" not in words.far_apart(8, 0.1, [0.9, 0.8], [0.9])
    assert "near 1" not in words.far_apart(1, 0.5, [1, 1.01])


def test_words_on_focus_and_rivals_count():
    said = words.focus_differs([1.4, 2.0], [1.9, 1.8], [40, 10], [2, 3], [15, 11])
    assert "goes 1.40 to 2.00 times as far" in said
    assert "nearer on 1 of 2 pairs" in said
    assert "more on 1 of 2" in said
    assert "between the two counts on 1 of 2 pairs" in said
    facts = {"valid": [1, 1, 0], "ratio": [2, 4, np.nan], "best": [True, False, False]}
    nothing = {"valid": [0], "ratio": [np.nan], "best": [False]}
    said = words.rivals({"ours": facts, "x": facts, "y": nothing}, ("ours",))
    assert said == ("x: 2 of 3 valid, 3.0 times the smallest L2 in the median, 1 at the L1 optimum. "
                    "y has no valid point.")


def test_who_changes_fewer_components_is_said():
    def facts(changed, ratio=2.0):
        return {"changed": changed, "valid": [1.0, 1.0], "ratio": [ratio, ratio]}

    tools = {"B": facts([4, 6]), "B, L1": facts([2, 4]), "B, fewest": facts([1, 1], 3.0),
             "x": facts([2, 3]), "y": facts([9, 9]),
             "z": {"changed": [np.nan] * 2, "valid": [0.0, 0.0], "ratio": [np.nan] * 2}}
    said = words.sparsest(tools, "B", "B, L1", "B, fewest")
    assert said.startswith("B changes 5.00 components in the mean and 3.00 by L1")
    assert "Fewer than by L1 are changed by x (2.50). The fewest" in said
    assert "1.00 in the mean: one component is enough for every digit. They are 3.0 times" in said
    tools["B, fewest"], tools["x"] = facts([1, 2]), facts([5, 5])
    said = words.sparsest(tools, "B", "B, L1", "B, fewest")
    assert "1.50 in the mean. They" in said and "Fewer" not in said


def test_only_tools_that_are_asked_are_described():
    whole = words.how_asked(rivals.TOOLS, 2_000_000, 2_000_000)
    assert "its genetic and random method" in whole
    assert "(proximity and sparsity)" in whole
    assert "2,000,000 nodes a digit (its own default)" in whole
    fewer = words.how_asked(["treecf"], 300_000, 2_000_000)
    assert "300,000 nodes a digit (its own default is 2,000,000)" in fewer
    assert "DiCE" not in fewer and "NICE" not in fewer
    assert words.how_asked([], 1, 2) == ""


def test_the_best_reading_is_the_one_of_least_misfit():
    rows = [("own", 0.1, "deviation", "", 0.37), ("own", 0.3, "deviation", "", 0.40),
            ("all", 0.3, "pixels", "", 0.44), ("own", 0.1, "pixels", "", 0.61),
            ("own", 0.1, "range", "", 1.64)]
    said = words.best_reading(rows, ("own", 0.3, "deviation"))
    assert "units of deviation, with rate 0.1: misfit 0.37" in said
    assert "rate 0.3, misfit 0.40" in said
    assert "pixels the best misfit is 0.44, nearly as good, and with own components" in said
    assert "rate 0.1 0.61" in said
    assert "range the best misfit is 1.64, out of the question" in said
    assert "other tables" not in words.best_reading(rows, rows[0][:3])
    assert "tiny" in words.changes_more([[3, 4], [1, 5]], [2, 2])
    assert "tiny" not in words.changes_more([[1, 2], [1, 5]], [2, 2])


def test_the_small_version_writes_its_page(tmp_path):
    page = mnist.main(["--small", "--out", str(tmp_path)])
    text = page.read_text(encoding="utf-8")
    assert "valid and nearer than Boxwood's, in L2 or in L1: 0;" in text
    assert "fewer components than Boxwood's fewest: 0." in text
    assert "| Boxwood, fewest | 6 | 100% |" in text
    assert "| 3 v 8 | Boxwood | 6 | 100% |" in text
    assert "nan" not in text
    assert "earlier" not in text
    assert ("A dash" in text) == ("| – |" in text.split("moved by 1 %")[1].split("\n\n")[0])
    assert "stable for" in text
    _, missing = rivals.available()
    assert all(name in text for name in missing)
    for package, tool in (("dice-ml", "DiCE is asked"), ("NICEx", "NICE is asked"),
                          ("treecf", "treecf is asked")):
        assert (tool in text) == (package not in missing)
    for name in ("3v8", "certainty", "tools"):
        picture = matplotlib.image.imread(tmp_path / f"mnist_{name}.png")
        assert f"(mnist_{name}.png)" in text
        assert min(picture.shape[:2]) > 100
        assert picture[..., :3].std() > 0.05
