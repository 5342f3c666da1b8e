"""The experiment on retrained models, in its small version."""

import sys

import pandas as pd
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "experiments"))

import survival


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return survival.run(["--small", "--out", str(tmp_path_factory.mktemp("survival"))])


def test_every_method_is_measured_on_both_kinds_of_held_out_models(run):
    found = run[0].found
    assert len(found) == len(survival.METHODS) * len(survival.HELD_OUT)
    assert (found["found"] == found["asked"]).all() and (found["proven"] == found["asked"]).all()
    assert (found["pairs"] == 4 * found["found"]).all()
    assert ((found["low"] <= found["share"]) & (found["share"] <= found["high"])).all()
    assert ((found["least"] <= found["share"]) & (found["share"] <= found["most"])).all()


def test_whoever_asks_for_more_never_pays_less(run):
    costs = run[0].found.groupby("method")["cost"].first()
    for family in (["plain", "probability 0.55", "probability 0.6", "probability 0.65"],
                   ["plain", "robust 0.01", "robust 0.05", "robust 0.1"],
                   ["plain", "6 of 10", "8 of 10", "10 of 10"]):
        asked = costs[family].tolist()
        assert asked == sorted(asked) and asked[-1] > asked[0]


def test_the_most_that_is_asked_survives_more_often_than_the_least(run):
    by_sample = run[0].found.query("`held out` == 'sample'").set_index("method")["share"]
    assert by_sample["robust 0.1"] > by_sample["plain"]


def test_methods_that_another_beats_are_left_out():
    lines = pd.DataFrame({"method": ["a", "b", "c", "d"], "cost": [1, 2, 2, 3],
                          "share": [0.5, 0.5, 0.8, 0.8]})
    assert survival.undominated(lines) == ["a", "c"]


def test_the_page_has_what_was_measured(run):
    report, page = run
    text = page.read_text(encoding="utf-8")
    assert "Clopper-Pearson" in text and "no question has seen" in text
    for one in report.found.to_dict("records"):
        assert f"| {one['method']} | {one['found']} of {one['asked']} |" in text
    for kind in survival.HELD_OUT:
        assert (page.parent / f"survival_{kind}.png").stat().st_size > 10_000
