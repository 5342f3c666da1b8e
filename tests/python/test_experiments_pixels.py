"""The experiment on pixels: its small version, and its arithmetic on cases made by hand."""

import re
import sys
import types

import boxwood
import numpy as np
import pytest
from conftest import ROOT
from matplotlib import pyplot

sys.path.insert(0, str(ROOT / "experiments"))

import common
import pixels


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(page, readings) of the small version."""
    report, page = pixels.run(["--small", "--out", str(tmp_path_factory.mktemp("pixels"))])
    return page, report.readings


def test_every_answer_is_an_image_that_the_library_reads_right(run):
    for reading in run[1]:
        for name in pixels.QUESTIONS:
            for row, answer in zip(reading.rows, reading.answers[name], strict=True):
                assert answer.proven and answer.verify() == []
                if answer.status == "infeasible":
                    assert name == "L2, sure"
                    continue
                truth = reading.images.truth[row]
                assert reading.model.predict(answer.array[None])[0] == truth
                assert (answer.array == np.round(answer.array)).all()
                assert answer.array.min() >= 0 and answer.array.max() <= reading.images.white
                if name == "L2, sure":
                    sure = reading.model.predict_proba(answer.array[None])[0, truth]
                    assert sure >= pixels.SURE[reading.kind] - 1e-6


def test_each_question_is_answered_best_by_its_own_answer(run):
    sizes = {"L2": lambda change: (change ** 2).sum(), "L1": lambda change: np.abs(change).sum(),
             "fewest pixels": lambda change: (change != 0).sum()}
    for reading in run[1]:
        start = reading.images.test[reading.rows].astype(float)
        for place in range(len(start)):
            changes = {name: reading.answers[name][place].array - start[place] for name in sizes}
            for name, size in sizes.items():
                assert size(changes[name]) == min(size(change) for change in changes.values())
            surer = reading.answers["L2, sure"][place]
            assert surer.cost >= reading.answers["L2"][place].cost  # infinite where impossible


def test_nothing_nearer_than_the_radius_is_read_otherwise(run):
    random = np.random.default_rng(5)
    for reading in run[1]:
        for row, digit, answer, _ in reading.robust["linf"]:
            assert answer.status == "optimal" and answer.distance >= 1
            assert reading.model.predict(answer.array[None])[0] != digit
            inside = int(answer.distance) - 1
            near = reading.images.test[row] + random.integers(
                -inside, inside + 1, (300, reading.images.side ** 2))
            near = np.clip(near, 0, reading.images.white)
            assert (reading.model.predict(near) == digit).all()
        for (_, _, wide, _), (_, _, round_, _) in zip(reading.robust["linf"], reading.robust["l2"],
                                                      strict=True):
            assert round_.distance >= wide.distance  # the largest part is no longer than the whole


def test_the_page_says_what_was_found(run):
    page, readings = run
    words = page.read_text(encoding="utf-8")
    assert "The small version" in words
    count = sum(len(part) for one in readings
                for part in (*one.answers.values(), *one.robust.values()))
    assert f"stopped none of the {count} searches" in words
    for one in readings:
        asked = len(one.rows)
        assert f"| {one.kind} | {asked} | {asked} | 0 | 0 |" in words
    for reading in readings:
        answers = reading.answers["L2"]
        assert (f"| {reading.kind} | L2 | {len(answers)} | {len(answers)} | 0 | {len(answers)} "
                f"| {len(answers)} | – |") in words
    names = re.findall(r"\]\((pixels_\w+\.png)\)", words)
    assert len(names) == 2
    for name in names:
        picture = pyplot.imread(page.parent / name)
        assert picture.shape[0] > 200 and picture[..., :3].std() > 0.05


def test_a_line_of_the_table_is_right_for_answers_made_by_hand():
    images = pixels.Images("made", 2, 10, None, None, np.array([[0, 0, 0, 0], [5, 5, 5, 5]]),
                           np.array([1, 2]))

    def answer(point, status, gap=0.0):
        return types.SimpleNamespace(
            array=None if point is None else np.array(point, float), found=point is not None,
            status=status, proven=status in ("optimal", "infeasible"), gap=gap, cost=25.0,
            lower_bound=18.7)

    model = types.SimpleNamespace(predict=lambda points: np.where(points.sum(axis=1) > 6, 1, 0))
    reading = pixels.Reading(images, "XGBoost", model, None, 0.5, np.array([0, 0, 1]), 3, {"L2": [
        answer([3, 4, 0, 0], "optimal"), answer([0, 0, 0, 5], "feasible", 0.25),
        answer(None, "infeasible")]}, {"L2": [0.001, 2.0, 0.003]})
    # Lengths: 7 and 5; roots of 25 and of 25; two pixels and one. The sum 7 is read as 1.
    assert pixels.fact_row(reading, "L2") == [
        "made", "XGBoost", "L2", 3, 2, 1, 2, 1, "25%", "3 ms", "1.6 s", "2.0 s", "6.0", "5.0",
        "1.5"]


def known(status, cost=np.inf, bound=0.0, distance=None):
    return types.SimpleNamespace(
        status=status, proven=status in ("optimal", "infeasible"), found=np.isfinite(cost),
        cost=cost, distance=cost if distance is None else distance, lower_bound=bound)


def test_a_radius_that_is_not_proven_is_a_bound():
    assert pixels.bound_text(known("optimal", 25.0, 25.0, 5.0), "l2") == "5"
    assert pixels.bound_text(known("feasible", 81.0, 15.2, 9.0), "l2") == "4 to 9"
    assert pixels.bound_text(known("unknown", bound=1.5), "linf") == "2 to ?"
    # The image itself is read as it is: at least one level has to change.
    assert pixels.bound_text(known("feasible", 3.0, 0.0), "linf") == "1 to 3"


def test_bounds_are_whole_numbers_of_grey_levels():
    assert pixels.bound_text(known("feasible", 7.0, 6.3), "linf") == "7"
    assert pixels.bound_text(known("feasible", 7.0, 6.0), "linf") == "6 to 7"
    assert pixels.bound_text(known("feasible", 7.0, 6.0 + 1e-9), "linf") == "6 to 7"
    assert pixels.bound_text(known("feasible", 2.0, 1.0001), "linf") == "2"


def test_number_and_cost_of_the_fewest_pixels_are_proven_apart():
    images = pixels.Images("made", 2, 10, None, None, np.zeros((1, 4)), np.array([1]))
    one, two = np.array([3.0, 0, 0, 0]), np.array([3.0, 4, 0, 0])

    def answer(point, *facts):
        found = known(*facts)
        found.array = point
        return found

    answers = [
        answer(one, "optimal", 3.0, 3.0),  # both
        answer(two, "feasible", 7.0, 6.5),  # both: the bound is 7
        answer(one, "feasible", 3.0, 0.0),  # one pixel: fewer is impossible
        answer(np.array([1.0, 0, 0, 0]), "feasible", 1.0, 0.0),  # both: one level of one pixel
        answer(two, "feasible", 7.0, 2.5),  # the search knew the number
        answer(two, "feasible", 7.0, 0.0),
        answer(None, "unknown"),
    ]
    reading = pixels.Reading(images, "XGBoost", None, None, 0.5, np.zeros(7, int), 7,
                             {"fewest pixels": answers}, {})
    assert pixels.fewest_row(reading) == ["made", "XGBoost", 7, 3, 2, 2]


def test_the_sure_question_asks_for_a_probability():
    asked = pixels.question("L2, sure", "XGBoost", 3)
    assert asked == {"target": [boxwood.Class(3), boxwood.Class(3, probability=0.9)], "cost": "l2"}
    assert pixels.question("fewest pixels", "XGBoost", 3)["fewest_first"]


def test_nodes_limit_the_search():
    options = common.parse("", ["--small", "--nodes", "1"], pixels.extra)
    reading = pixels.read(pixels.digits(options), "random forest", options)
    answers = [answer for part in reading.answers.values() for answer in part]
    assert {answer.stop for answer in answers} <= {"nodes", "finished"}
    assert any(answer.stop == "nodes" and not answer.proven for answer in answers)
