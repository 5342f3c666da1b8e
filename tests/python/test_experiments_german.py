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

import german as experiment
import german_cases
import showing


@pytest.fixture(scope="module")
def cases():
    return experiment.small_cases()


@pytest.fixture(scope="module")
def case(cases):
    """The monotone one."""
    return cases[1]


@pytest.fixture(scope="module")
def asked(cases):
    return experiment.all_refused(*cases)


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
                    "The menu of alternatives", "Why not", "The price of certainty"):
        assert f"## {heading}\n" in text
    assert "nan" not in text and "inf" not in text
    second = text.split("## Savings and employment fixed\n")[1].split("\n## ")[0]
    assert "needed, both fixed" in second


def test_all_answers_are_proven_and_granted_by_xgboost(asked):
    for _, case, _, answers in asked:
        assert len(answers) == len(case.refused) > 5
        assert all(answer.proven for answer in answers)
        found = [answer for answer in answers if answer.found]
        assert np.all(granted(case, [answer.array for answer in found]) > 0.5)
        assert experiment.confirmed(case, answers) == len(found)
    for index in (0, 2, 4, 5, 6):  # the narrower questions may have no answer
        assert all(answer.status == "optimal" for answer in asked[index][3])


def test_the_small_models_differ_and_the_made_one_is_of_use(cases):
    plain, one_way = cases
    assert plain.model is not one_way.model and plain.rows == german_cases.SMALL_ROWS
    assert min(plain.refused.index) >= plain.rows > max(plain.seen.index)
    for case in cases:
        points = experiment.as_the_paper(case).columns.points(case.refused)
        assert np.all(granted(case, points) <= 0.5)


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
    free = {change.feature for answer in asked[0][3] for change in answer.changes}
    assert free & set(experiment.HELD) and "credit_amount" not in free
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


def test_readings_are_counted_as_the_paper_s_answers_are(cases):
    plain, _ = cases
    # 27 changes in 8 answers, 6 of them of the account.
    assert experiment.PAPER.cells()[1:] == [8, "3.4", "75 %", "0 %", "0 %"]
    found = experiment.readings(plain)
    assert len({one.name for one in found}) == len(found) == 8
    assert {one.answers for one in found} == {len(plain.refused), len(plain.seen)}
    one = next(one for one in found if one.name == "one code, whole numbers, held out")
    answers = experiment.as_the_paper(plain).explain_batch(
        plain.refused, "granted", cost="l2", fixed=experiment.SAME_CREDIT, show_progress=False)
    assert one.changes == pytest.approx(np.mean([len(answer.changes) for answer in answers]))
    assert max(one.amount for one in found) > 0  # free in that column alone


def reading(by_range, changes, checking, age, amount):
    return experiment.Reading(by_range, "x", 10, changes, checking, age, amount)


def test_words_on_the_readings_are_those_of_the_numbers():
    few = [reading(True, 1.0, 0.1, 0.3, 0.9), reading(False, 2.0, 0.2, 0.0, 0.0)]
    said = experiment.compared(few)
    assert "in the paper in 2 of the 2 readings" in said and "no reading gives" in said
    assert "age changes in 30 % and the amount in 90 %" in said
    many = [reading(True, 3.5, 0.1, 0.3, 0.9), reading(False, 3.5, 0.8, 0.0, 0.1)]
    said = experiment.compared(many)
    assert "in the paper in 1 of the 2 readings" in said and "in the paper in 0." in said
    assert "no reading gives" not in said


def said_of(steps, worse):
    """What is said of a model of four answers, so many of one step, so many for the worse."""
    schema = {name: types.SimpleNamespace(labels=None) for name in ("duration", "credit_amount")}
    explainer = types.SimpleNamespace(schema=schema)
    free = [types.SimpleNamespace(found=True, cost=1.0 if i < steps else 5.0,
                                  changes=[change("duration", 9, 8)]) for i in range(4)]
    both = [types.SimpleNamespace(found=True, cost=0.1, changes=[
        change("credit_amount", 5, 6 if i < worse else 4)]) for i in range(4)]
    case = types.SimpleNamespace(rows=77)
    return experiment.jagged([("", case, explainer, free), None, ("", case, explainer, both)])


def test_a_model_is_called_jagged_only_where_it_is():
    said = said_of(3, 2)
    assert "fitted to 77 rows" in said and "3 of its 4" in said and "(duration 3)" in said
    assert "jagged" in said and "2 of 4" in said and "(credit_amount 2)" in said
    assert "does not know" in said
    said = said_of(1, 0)
    assert "jagged" not in said and "does not know" not in said and "0 of 4" in said


def test_rows_with_the_paper_s_amounts_agree_only_in_all_cells():
    said = german_cases.PAPER_CELLS[797]
    assert german_cases.paper_rows([
        {"credit_amount": "797", **said}, {"credit_amount": "798", **said},
        {"credit_amount": "797.0", **said, "purpose": "radio/tv"}]) == ([797, 797], 1)


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


def test_the_middle_is_a_plain_number():
    assert showing.middle([1, 104.2, 300], 2) == "100"
    assert showing.middle([0.048812, None]) == "0.0488"
    assert showing.middle([]) == "-"
