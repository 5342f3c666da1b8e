"""The German-credit experiment, its small version: the answers, their order, the page."""

import pathlib
import sys
import types

import numpy as np
import pytest
import xgboost
from matplotlib import image

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

import german as experiment  # noqa: E402
import showing  # noqa: E402


@pytest.fixture(scope="module")
def case():
    return experiment.small_case()


@pytest.fixture(scope="module")
def asked(case):
    return experiment.all_refused(case, case)


def granted(case, points):
    """XGBoost's own probabilities."""
    data = xgboost.DMatrix(np.asarray(points, np.float32), feature_names=list(case.extents))
    return case.model.predict(data)


def test_the_page_and_its_pictures_are_written(tmp_path):
    page = experiment.main(["--small", "--out", str(tmp_path)])
    text = page.read_text(encoding="utf-8")
    pictures = sorted(tmp_path.glob("german_*.png"))
    assert len(pictures) == 4
    for picture in pictures:
        assert f"]({picture.name})" in text
        pixels = image.imread(picture)
        assert min(pixels.shape[:2]) > 150 and pixels[..., :3].std() > 0.01
    for heading in ("As the paper asks", "Savings and employment fixed", "With real constraints",
                    "The menu of ways out", "Why not", "The price of certainty"):
        assert f"## {heading}\n" in text
    assert "nan" not in text


def test_all_answers_are_proven_and_granted_by_xgboost(case, asked):
    for _, _, _, answers in asked:
        assert len(answers) == len(case.refused)
        assert all(answer.status == "optimal" for answer in answers)
        assert np.all(granted(case, [answer.array for answer in answers]) > 0.5)
        assert experiment.confirmed(case, answers) == len(answers)


def test_a_point_that_xgboost_refuses_is_not_counted_as_confirmed(case):
    row = experiment.as_the_paper(case).columns.points(case.refused)[0]
    assert experiment.confirmed(case, [types.SimpleNamespace(found=True, array=row)]) == 0


def test_more_rules_never_make_it_cheaper(asked):
    costs = [np.array([answer.cost for answer in answers]) for *_, answers in asked]
    assert np.all(costs[1] >= costs[0])  # savings and employment fixed
    assert np.all(costs[3] >= costs[2])  # one way only
    assert np.all(costs[6] >= costs[5] - 1e-12)  # fewest changes first
    counts = [np.array([len(answer.changes) for answer in answers]) for *_, answers in asked]
    assert np.all(counts[6] <= counts[5])
    assert np.any(counts[6] < counts[5])


def test_what_is_held_stays(case, asked):
    held = {*experiment.HELD, *experiment.SAME_CREDIT}
    for answer in asked[1][3]:
        assert not held & {change.feature for change in answer.changes}
    fixed = {feature["name"] for feature in case.schema["features"] if feature.get("fixed")}
    assert {"age", "personal_status"} <= fixed
    for *_, answers in asked[2:]:
        for answer in answers:
            assert not fixed & {change.feature for change in answer.changes}
    for _, _, explainer, answers in (asked[3], asked[5], asked[6]):
        assert not any(showing.worse(explainer, answer, experiment.BETTER) for answer in answers)


def test_real_numbers_are_never_dearer_than_whole_ones(case):
    points = experiment.as_the_paper(case).columns.points(case.refused)
    for by_range in (False, True):
        whole, real = (experiment.as_the_paper(case, by_range, kind).explain_batch(
            points, "granted", show_progress=False) for kind in (True, False))
        assert all(b.cost <= a.cost + 1e-12 for a, b in zip(whole, real, strict=True))
    rows, columns = experiment.readings(case)
    assert len(rows) == 9 and all(len(row) == len(columns) for row in rows)
    assert rows[0][2:4] == ["3.4", "75 %"]  # 27 changes in 8 answers, 6 of them of the account


def test_lifting_what_blocks_opens_a_way(case):
    label, offer, why = experiment.first_blocked(
        experiment.with_constraints(case), case.refused.head(5))
    assert offer in experiment.OFFERS and label in case.refused.index
    assert why.answer.status == "infeasible" and why.blockers and why.smallest
    opened = [blocker.without for blocker in why.blockers if blocker.without.found]
    assert opened
    assert np.all(granted(case, [answer.array for answer in opened]) > 0.5)


def test_more_certainty_costs_more_and_is_there(case):
    real = experiment.with_constraints(case)
    sweep = real.sweep(case.refused.iloc[0], experiment.LEVELS, "granted", probability=0.5)
    there = [(level, answer) for level, answer in sweep if answer.found]
    costs = [answer.cost for _, answer in there]
    assert len(there) > 5 and costs == sorted(costs) and costs[-1] > costs[0]
    for level, answer in there:
        assert granted(case, [answer.array])[0] >= level


def change(title, before, after, **more):
    return types.SimpleNamespace(feature=title, title=title, before=before, after=after,
                                 now=f"{before} now", change_to=f"to {after}",
                                 anything_in=f"in {after}", **more)


def test_before_and_after_stand_in_columns_of_what_changes():
    one = types.SimpleNamespace(found=True, proven=True, changes=[change("a", 1, 2)])
    two = types.SimpleNamespace(found=True, proven=True,
                                changes=[change("b", 3, 1), change("a", 1, 5)])
    none = types.SimpleNamespace(found=False, proven=True, changes=[])
    rows, columns = showing.before_after(
        [(["x"], {"free": one, "held": two}), (["y"], {"free": none})], ["who"])
    assert columns == ["who", "", "a", "b"]
    assert rows == [["x", "now", "1 now", "3 now"], ["", "free", "in 2", ""],
                    ["", "held", "in 5", "in 1"], ["y", "now", "", ""],
                    ["", "free: none exists (proven)", "", ""]]


def test_worse_is_against_the_better_direction():
    schema = {"size": types.SimpleNamespace(labels=None),
              "rank": types.SimpleNamespace(labels=["low", "middle", "high"])}
    explainer = types.SimpleNamespace(schema=schema)
    better = {"size": "less", "rank": "more"}

    def moved(*changes):
        return showing.worse(explainer, types.SimpleNamespace(changes=list(changes)), better)

    assert moved(change("size", 9, 10)) == ["size"]
    assert moved(change("size", 10, 9), change("rank", "low", "high")) == []
    assert moved(change("rank", "middle", "low"), change("size", 2, 3)) == ["rank", "size"]
    better = {}
    assert moved(change("size", 9, 10)) == []
