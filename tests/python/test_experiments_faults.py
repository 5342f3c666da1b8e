"""The experiment on faults: the plant, its small version, and its arithmetic made by hand."""

import random
import re
import sys
import types

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from matplotlib import pyplot

sys.path.insert(0, str(ROOT / "experiments"))

import fault_methods as methods
import fault_simulator as plant
import faults

PLACE = {name: i for i, name in enumerate(plant.FEATURES)}


def mean_of(runs, signal):
    return runs.values[:, PLACE[f"{signal} mean"]]


# The plant.

def test_the_exchanger_conserves_heat_and_order():
    cold, hot = plant.exchanger(np.array([2.0]), np.array([3.0]), np.array([15.0]),
                                np.array([80.0]), np.array([10.0]))
    assert 2.0 * (cold - 15.0) == pytest.approx(3.0 * (80.0 - hot))
    assert 15 < cold[0] < 80 and 15 < hot[0] < 80
    # Without walls in between nothing is exchanged; with endless ones the cold side gets it all.
    none, _ = plant.exchanger(np.array([2.0]), np.array([3.0]), np.array([15.0]),
                              np.array([80.0]), np.array([0.0]))
    every, _ = plant.exchanger(np.array([2.0]), np.array([3.0]), np.array([15.0]),
                               np.array([80.0]), np.array([1e4]))
    assert none[0] == pytest.approx(15) and every[0] == pytest.approx(80, abs=0.1)


@pytest.fixture(scope="module")
def normal():
    return plant.simulate([None] * 60, [()] * 60, seed=3)


def test_normal_runs_hold_their_set_points_and_balances(normal):
    assert np.abs(mean_of(normal, "h1") - 1.0).max() < 0.1
    assert np.abs(mean_of(normal, "T2") - 50.0).max() < 2.5
    # What comes in goes out, but for errors of calibration.
    for inflow, outflow in (("F1", "F2"), ("F2", "F3")):
        assert np.abs(mean_of(normal, inflow) - mean_of(normal, outflow)).max() < 0.08


def test_a_regulated_sensor_that_lies_looks_right_and_moves_the_plant(normal):
    lying = plant.simulate(["bias"] * 60, [("T2",)] * 60, seed=3)
    # The controller brings the shown temperature back; the true one shows after the exchanger.
    shown = np.abs(mean_of(lying, "T2") - mean_of(normal, "T2"))
    moved = np.abs(mean_of(lying, "Tc") - mean_of(normal, "Tc"))
    assert np.median(shown) < 0.5 and np.median(moved) > 2.0


def test_faults_show_where_they_sit(normal):
    def spread(runs, signal):
        return runs.values[:, PLACE[f"{signal} spread"]]

    stuck = plant.simulate(["stuck"] * 20, [("F3",)] * 20, seed=3)
    assert (spread(stuck, "F3") == 0).all() and (spread(normal, "F3") > 0.01).all()
    loud = plant.simulate(["noise"] * 20, [("Thi",)] * 20, seed=3)
    assert (spread(loud, "Thi") > 2 * spread(normal, "Thi").mean()).all()
    leak = plant.simulate(["leak of tank 1"] * 20, [plant.PROCESS_FAULTS["leak of tank 1"]] * 20,
                          seed=3)
    assert (mean_of(leak, "F1") - mean_of(leak, "F2") > 0.05).all()
    fouled = plant.simulate(["fouled exchanger"] * 20, [("Fh",)] * 20, seed=3)
    assert mean_of(fouled, "Fh").mean() > 1.5 * mean_of(normal, "Fh").mean()


def test_the_same_seed_gives_the_same_rows_and_all_faults_in_turn():
    first, second = plant.draw(3, 64, 9), plant.draw(3, 64, 9)
    assert (first.values == second.values).all() and first.faulty.sum() == 64
    assert {(kind, cause[0]) for kind, cause in zip(first.kinds, first.causes, strict=True)
            if kind in plant.SENSOR_FAULTS} == {
        (kind, sensor) for kind in plant.SENSOR_FAULTS for sensor in plant.SENSORS}
    assert set(first.kinds) == {None, *plant.SENSOR_FAULTS, *plant.PROCESS_FAULTS}


# The small version.

@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return faults.run(["--small", "--out", str(tmp_path_factory.mktemp("faults"))])


def test_the_detector_calls_every_counterfactual_normal(run):
    report, _ = run
    case = report.case
    assert len(case.rows) > 20 and (case.model.predict(case.rows) == methods.FAULT).all()
    low, high = case.normal.min().to_numpy(), case.normal.max().to_numpy()
    for name in ("exact, L1", "exact, squared L2", "exact, fewest changes, then L1"):
        blame = report.found[name]
        assert blame.proven.all() and not np.isnan(blame.points).any()
        assert (case.model.predict(blame.points) == methods.NORMAL).all()
        stays = blame.points == case.rows.to_numpy()
        assert (stays | ((blame.points >= low) & (blame.points <= high))).all()
        assert ((blame.weights > 0) == methods.by_signal(~stays).astype(bool)).all()


def test_each_cost_is_least_for_its_own_question(run):
    report, _ = run
    case = report.case
    unit = methods.deviations(case)
    change = {name: (report.found[name].points - case.rows.to_numpy()) / unit
              for name in ("exact, L1", "exact, squared L2", "exact, fewest changes, then L1")}
    l1 = {name: np.abs(moved).sum(axis=1) for name, moved in change.items()}
    l2 = {name: (moved ** 2).sum(axis=1) for name, moved in change.items()}
    count = {name: (moved != 0).sum(axis=1) for name, moved in change.items()}
    for name in change:
        assert (l1["exact, L1"] <= l1[name] + 1e-6).all()
        assert (l2["exact, squared L2"] <= l2[name] + 1e-6).all()
        assert (count["exact, fewest changes, then L1"] <= count[name]).all()


def test_slow_methods_are_asked_about_three_faults(run):
    report, page = run
    assert len(report.part.rows) == 3
    words = page.read_text(encoding="utf-8")
    assert {"FOCUS", *(name for name in methods.SLOW if name.startswith("exact"))} <= set(
        report.slow)
    for name, blame in report.slow.items():
        assert f"| {name} | " in words and blame.weights.shape == (3, len(plant.SIGNALS))
        there = ~np.isnan(blame.points).any(axis=1)
        said = report.case.model.predict(blame.points[there])
        if name.startswith("exact"):
            assert there.all() and blame.proven.all()
            assert (said == methods.NORMAL).all()
    sure = report.slow["exact, fewest, normal with 0.9"].points
    assert (report.case.model.predict_proba(sure)[:, methods.NORMAL] >= methods.SURE - 1e-6).all()
    # To be no outlier either is one requirement more: it cannot be nearer.
    plain = report.found["exact, L1"].weights.sum(axis=1)
    rows = report.case.rows.index.get_indexer(report.part.rows.index)
    guarded = report.slow["exact, L1, no outlier either"].weights.sum(axis=1)
    assert (guarded >= plain[rows] - 1e-6).all()


def test_the_page_says_what_was_found(run):
    report, page = run
    words = page.read_text(encoding="utf-8")
    for name, blame in report.found.items():
        hits = faults.judged(blame, report.case.causes)["first"]
        assert f"| {name} | {hits.mean():.0%} (" in words
    names = re.findall(r"\]\((faults_\w+\.png)\)", words)
    assert {"faults_first.png", "faults_kinds.png", "faults_sample.png"} < set(names)
    for name in names:
        picture = pyplot.imread(page.parent / name)
        drawn = picture[..., 3] if name in ("faults_named.png", "faults_not_named.png") \
            else picture[..., :3]
        assert drawn.std() > 0.05


# Arithmetic.

def blame_of(*rows):
    weights = np.zeros((len(rows), len(plant.SIGNALS)))
    for line, row in zip(weights, rows, strict=True):
        for signal, weight in row.items():
            line[plant.SIGNALS.index(signal)] = weight
    return methods.Blame(weights)


def test_naming_is_judged_by_the_order_of_blame():
    blame = blame_of({"F1": 2, "h1": 1}, {"F1": 1, "h1": 2, "T1": 3, "F2": 0.5}, {})
    facts = faults.judged(blame, [("F1",), ("F2", "u2"), ("F1",)])
    assert facts["first"].tolist() == [True, False, False]
    assert facts["three"].tolist() == [True, False, False]
    assert facts["any"].tolist() == [True, True, False]
    assert facts["named"].tolist() == [2, 4, 0]


def test_mean_and_spread_of_a_signal_count_together():
    row = np.zeros((1, len(plant.FEATURES)))
    row[0, PLACE["h2 mean"]], row[0, PLACE["h2 spread"]] = 1.5, 2.0
    assert methods.by_signal(row)[0, plant.SIGNALS.index("h2")] == 3.5


def test_wilson_intervals():
    # 8 of 10: from Wilson's formula by hand.
    low, high = faults.wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert faults.wilson(0, 20)[0] == 0.0 and faults.wilson(20, 20)[1] == pytest.approx(1.0)


def test_the_sign_test_counts_only_where_they_differ():
    ours = [True, True, True, True, True, False, True, False]
    theirs = [False, False, False, False, False, True, True, False]
    first, second, chance = faults.against(ours, theirs)
    assert (first, second) == (5, 1)
    assert chance == pytest.approx(2 * (6 + 1) / 2 ** 6)
    assert faults.against(ours, ours) == (0, 0, 1.0)


def test_the_comparison_counts_what_is_clearly_better_or_worse():
    case = methods.Case(None, None, None, None, None, ["bias"] * 8, [("F1",)] * 8)
    right, wrong = {"F1": 1}, {"h1": 1}
    found = {"exact, good": blame_of(*[right] * 8), "exact, even": blame_of(right, *[wrong] * 7),
             "TreeSHAP": blame_of(*[wrong] * 8)}
    assert faults.compared(case, found).startswith(
        "Of the 2 exact questions 1 name the cause first more often than TreeSHAP and 0 less")
    found["TreeSHAP"] = blame_of(*[right] * 8)
    assert "questions 0 name the cause first more often than TreeSHAP and 1 less" in \
        faults.compared(case, found)


def test_searches_that_the_clock_stops_are_counted(run, monkeypatch):
    part = run[0].case.part(range(6))
    assert run[0].found["exact, squared L2"].late == 0
    monkeypatch.setattr(methods, "LIMIT", 0.0)
    blame = methods.exact(part, cost="l2")
    assert blame.late == (~blame.proven).sum() > 0


def test_rules_of_thumb_find_the_signal_that_is_odd():
    random = np.random.default_rng(0)
    normal = pd.DataFrame(random.normal(size=(400, len(plant.FEATURES))), columns=plant.FEATURES)
    # Two signals that go together: only the residual sees one leave the other.
    normal["F2 mean"] = normal["F1 mean"] + 0.01 * random.normal(size=400)
    row = normal.iloc[[0]].copy() * 0
    row["F2 mean"], row["Tc mean"] = 1.5, 2.0
    case = methods.Case(None, normal, normal, None, row, ["bias"], [("F2",)])
    assert faults.ranking(methods.largest_deviation(case).weights[0])[0] == "Tc"
    assert set(faults.ranking(methods.residuals(case).weights[0])[:2]) == {"F1", "F2"}


def test_focus_sees_the_detector_in_units_of_deviations(run):
    import focus

    case = run[0].case
    mean, unit = case.normal.mean().to_numpy(), 10 * methods.deviations(case)
    trees = methods.scaled(focus.SoftTrees(case.model.get_booster(), float), mean, unit)
    # Steep splits are the real ones, but for a row that lies on a threshold.
    soft = trees.score((case.rows.to_numpy() - mean) / unit, sigma=1e7)
    hard = case.model.predict(case.rows, output_margin=True)
    assert (np.abs(soft - hard) < 1e-3).mean() > 0.9
    blame = methods.focus(case.part(range(8)), trials=6, iterations=150)
    there = ~np.isnan(blame.points).any(axis=1)
    assert there.any()
    assert (case.model.predict(blame.points[there]) == methods.NORMAL).mean() > 0.5
    assert blame.weights.shape == (8, len(plant.SIGNALS))
    assert (blame.weights[~there] == 0).all() and (blame.weights[there].sum(axis=1) > 0).all()


def fake_dice(asked):
    """A dice_ml that notes what it is asked: a random point, then an error, then nothing."""

    class Dice:
        def __init__(self, data, model, method):
            asked.append((data, model, method))

        def generate_counterfactuals(self, row, **question):
            asked.append((row, question))
            place = sum(len(one) == 2 for one in asked) - 1
            if place % 3 == 1:
                raise ValueError("No counterfactuals found")
            frame = None
            if place % 3 == 0:
                frame = row.copy()
                frame["h1 mean"] += 1 + random.random() + np.random.random()
            return types.SimpleNamespace(
                cf_examples_list=[types.SimpleNamespace(final_cfs_df=frame)])

    return types.SimpleNamespace(Data=lambda **options: options, Model=lambda **options: options,
                                 Dice=Dice)


@pytest.mark.parametrize("method", ["random", "genetic"])
def test_dice_is_asked_within_the_normal_range_and_seeded(run, monkeypatch, method):
    case = run[0].case.part([0, 1, 2])
    found = []
    for mess in (1, 2):
        asked = []
        monkeypatch.setitem(sys.modules, "dice_ml", fake_dice(asked))
        random.seed(mess)
        np.random.seed(mess)
        found.append(methods.dice(case, method))
    first, second = found
    np.testing.assert_array_equal(first.points, second.points)  # whatever was drawn before
    assert np.isnan(first.points).all(axis=1).tolist() == [False, True, True]
    moved = first.points[0] - case.rows.to_numpy()[0]
    assert np.flatnonzero(moved).tolist() == [PLACE["h1 mean"]] and moved.sum() > 1
    assert faults.ranking(first.weights[0]) == ["h1"] and (first.weights[1:] == 0).all()
    (data, _, how), *questions = asked
    assert how == method and set(data["continuous_features_precision"].values()) == {methods.DIGITS}
    for row, question in questions:
        assert question["desired_class"] == methods.NORMAL and question["total_CFs"] == 1
        assert ("random_seed" in question) == (method == "random")
        for name, (low, high) in question["permitted_range"].items():
            assert low == min(case.normal[name].min(), row[name].iloc[0])
            assert high == max(case.normal[name].max(), row[name].iloc[0])


def test_a_random_signal_is_right_as_often_as_signals_are_to_blame():
    assert faults.by_chance([("F1",), ("F1", "u1", "F2")]) == pytest.approx(2 / 15)


def test_holms_correction_by_hand():
    # Sorted 0.01, 0.02, 0.04 times 3, 2, 1; never falling, and at most 1.
    np.testing.assert_allclose(faults.corrected([0.04, 0.01, 0.02]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(faults.corrected([0.9, 0.8]), [1.0, 1.0])


def test_words_on_two_methods_follow_the_figures():
    case = methods.Case(None, None, None, None, None, ["bias"] * 10, [("F1",)] * 10)
    right, wrong = {"F1": 1}, {"h1": 1}
    found = {"good": blame_of(*[right] * 10), "bad": blame_of(*[wrong] * 10),
             "near": blame_of(*[right] * 9, wrong)}
    assert faults.beside(case, found, ["bad"], "good") == "*bad* less often (0% against 100%)"
    assert faults.beside(case, found, ["good"], "bad") == "*good* more often (100% against 0%)"
    assert faults.beside(case, found, ["near"], "good") == \
        "*near* neither clearly more nor less often (90% against 100%)"
    assert faults.first_of(case, found, ["bad", "near"]) == "near"
