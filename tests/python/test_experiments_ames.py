"""The experiment on house prices, its small version: answers, rules, maps, the page."""

import pathlib
import sys
import types

import numpy as np
import pandas as pd
import pytest
import xgboost
from matplotlib import image

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

import ames
import common


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Houses, and a page that is not written: what each part returns."""
    options = common.parse("", ["--small", "--out", str(tmp_path_factory.mktemp("pages"))])
    return ames.load(options), common.Report(options, "ames", "x")


@pytest.fixture(scope="module")
def houses(made):
    return made[0]


def price(houses, points):
    return houses.model.predict(xgboost.DMatrix(
        np.asarray(points, np.float32), feature_names=list(houses.frame.columns)))


def test_the_page_and_its_pictures_are_written(tmp_path):
    page = ames.main(["--small", "--out", str(tmp_path)])
    text = page.read_text(encoding="utf-8")
    pictures = sorted(tmp_path.glob("ames_*.png"))
    assert [picture.stem for picture in pictures] == ["ames_gain", "ames_map", "ames_menu",
                                                      "ames_reach"]
    for picture in pictures:
        assert f"]({picture.name})" in text
        pixels = image.imread(picture)
        assert min(pixels.shape[:2]) > 150 and pixels[..., :3].std() > 0.01
    for heading in ("The seller", "The buyer", "The buyer with a budget", "Many sellers"):
        assert f"## {heading}\n" in text
    assert "nan" not in text
    # Both ends of what is asked for, and not one of them.
    for _, interval in ames.SELLERS:
        assert f"| {ames.dollars(interval[0])} to {ames.dollars(interval[1])} |" in text
    assert "-1 unfinished" in text


def test_sellers_get_their_price_from_what_an_owner_can_change(made):
    houses, report = made
    blocks, sweeps = ames.seller(report, houses)
    assert len(blocks) == len(ames.SELLERS)
    for (row, answers), (_, interval) in zip(blocks, ames.SELLERS, strict=True):
        free, ruled = answers.values()
        assert free.status == ruled.status == "optimal" and free.cost <= ruled.cost
        for answer in (free, ruled):
            assert interval[0] <= price(houses, [answer.array])[0] <= interval[1]
            assert {change.feature for change in answer.changes} <= set(ames.OWNER)
            assert price(houses, houses.codes([row]))[0] == pytest.approx(answer.outcome_before)
        assert not ames.showing.worse(houses.explainer, ruled, ames.rated(houses))
    for sweep in sweeps.values():
        costs = [answer.cost for answer in sweep.answers]  # infinite where there is none
        assert costs == sorted(costs) and costs[1] > costs[0]


def test_buyers_pay_less_and_take_nothing_better(made):
    houses, report = made
    blocks = ames.buyer(report, houses)
    for (_, answers), (_, interval, _, names) in zip(blocks, ames.BUYERS, strict=True):
        free, ruled = answers.values()
        assert free.status == ruled.status == "optimal" and free.cost <= ruled.cost
        assert free.changes and {change.feature for change in free.changes} <= set(names)
        for answer in (free, ruled):
            assert interval[0] <= price(houses, [answer.array])[0] <= interval[1]
        opposite = {name: "less" if way == "more" else "more"
                    for name, way in ames.rated(houses).items()}
        assert not ames.showing.worse(houses.explainer, ruled, opposite)


def test_a_fireplace_gets_a_quality_and_none_has_not(houses):
    rows = houses.frame[houses.frame["Fireplaces"] == 0].index[:5]
    wanted = ["Fireplaces", "FireplaceQu", "OverallCond"]
    rules = [*ames.consistent(houses, wanted), "Fireplaces = 2"]
    for row in rows:
        point = ames.ask(houses, row, (0, 1e7), wanted, rules).point
        assert point["Fireplaces"] == 2 and point["FireplaceQu"] != "NA"


def test_the_map_is_what_the_model_says(made):
    houses, report = made
    row, drawn, near = ames.budget(report, houses)
    random = np.random.default_rng(3)
    places = [list(houses.frame.columns).index(name) for name in ames.PLANE]
    low, high = ames.BUDGET - ames.WITHIN, ames.BUDGET + ames.WITHIN
    some = random.permutation(len(drawn))[:300]
    left, right, bottom, top = drawn.bounds[some].T
    points = np.repeat(houses.codes([row]), len(some), axis=0)
    points[:, places[0]] = left + (right - left) * random.uniform(0.1, 0.9, len(some))
    points[:, places[1]] = bottom + (top - bottom) * random.uniform(0.1, 0.9, len(some))
    prices = price(houses, points)
    assert np.array_equal((low <= prices) & (prices <= high), drawn.meets[some])
    assert np.allclose(prices, np.ravel(drawn.outputs)[some], rtol=1e-6)
    assert drawn.meets.any() and not drawn.meets.all()
    # What needs no other change is within reach; what is within reach costs no more than that.
    assert near.stop == "finished"
    assert np.all(near.meets[near.costs == 0]) and (near.costs[near.meets] > 0).any()
    assert np.all(near.costs[near.meets] <= ames.REACH ** 2 * (1 + 1e-9))


def test_area_and_correlation_of_rectangles():
    assert ames.overlap([[0, 2, 0, 3]]) == (6.0, pytest.approx(0.0, abs=1e-12))
    # Two unit squares along the diagonal: variance 1/3 each, covariance 1/4.
    assert ames.overlap([[0, 1, 0, 1], [1, 2, 1, 2]]) == (2.0, pytest.approx(0.75))
    assert ames.overlap([[0, 1, 1, 2], [1, 2, 0, 1]])[1] == pytest.approx(-0.75)
    # Cutting a rectangle changes nothing.
    whole, cut = [[0, 4, 0, 1], [4, 6, 1, 2]], [[0, 1, 0, 1], [1, 4, 0, 1], [4, 6, 1, 2]]
    assert ames.overlap(whole) == pytest.approx(ames.overlap(cut))
    assert ames.overlap(np.empty((0, 4)))[0] == 0


def test_categories_stand_in_their_order_or_in_that_of_prices():
    table = pd.DataFrame({"KitchenQual": ["TA", "Ex", "Gd", "TA", "Fa"],
                          "Street": ["a", "b", "a", "c", "d"], ames.PRICE: [10, 50, 12, 30, 99]})
    train = table.iloc[:4]
    frame, by_price = ames.ordered(table.drop(columns=ames.PRICE), train)
    assert by_price == ["Street"]
    assert list(frame["KitchenQual"].cat.categories) == ["Fa", "TA", "Gd", "Ex"]
    # Median of a is 11, of c 30, of b 50; d was not seen and stands at the median of all, 21.
    assert list(frame["Street"].cat.categories) == ["a", "d", "c", "b"]
    assert ames.codes_of(frame).tolist()[0] == [1.0, 0.0]


def test_an_empty_category_is_na_whatever_type_the_column_has():
    table = pd.DataFrame({"FireplaceQu": pd.Categorical(["Gd", None, "TA"]),
                          "LotFrontage": [60.0, np.nan, 80.0], ames.PRICE: [3, 1, 2]})
    frame, by_price = ames.ordered(table.drop(columns=ames.PRICE), table)
    assert by_price == [] and list(frame["FireplaceQu"]) == ["Gd", "NA", "TA"]
    assert list(frame["FireplaceQu"].cat.categories) == ["NA", "TA", "Gd"]
    assert np.isnan(ames.codes_of(frame)[1, 1])


def test_the_price_of_a_house_is_not_used_to_order_it(houses, tmp_path, monkeypatch):
    """Held-out prices that turn the order of all rows round leave that of the model alone."""
    assert set(houses.by_price) == {"Neighborhood", "RoofMatl"}
    table = ames.small_table(0)
    count = len(table)
    held_out = np.isin(np.arange(count), houses.held_out)
    assert held_out.sum() == count // 5
    # Few of the training houses stand in Hill and River, and all those held out do.
    rank = np.where(held_out, 2 * (np.arange(count) % 2), 1)
    few = np.flatnonzero(~held_out)[:60]
    rank[few] = 2 * (np.arange(60) % 2)
    table["Neighborhood"] = np.array(["Hill", "Mill", "River"])[rank]
    table[ames.PRICE] = np.where(held_out, 400_000 - 150_000 * rank, 100_000 + 50_000.0 * rank)
    by_all = table.groupby("Neighborhood")[ames.PRICE].median().sort_values()
    assert list(by_all.index) == ["River", "Mill", "Hill"]
    monkeypatch.setattr(ames, "small_table", lambda seed: table)
    loaded = ames.load(common.parse("", ["--small", "--out", str(tmp_path)]))
    assert np.array_equal(loaded.held_out, houses.held_out)
    assert list(loaded.frame["Neighborhood"].cat.categories) == ["Hill", "Mill", "River"]


def moved(**changes):
    return types.SimpleNamespace(changes=[
        types.SimpleNamespace(feature=name, title=name, before=0, after=by, now="0 now",
                              change_to=f"to {by}", anything_in=f"in {by}")
        for name, by in changes.items()], found=True, proven=True, outcome=1.0, cost=0.5,
        statistics=types.SimpleNamespace(seconds=0.0))


def test_a_basement_that_does_not_add_up_is_said(houses, tmp_path):
    assert ames.basement(moved(BsmtFinSF1=354, BsmtUnfSF=-1)) == (354, -1, 0)
    assert ames.basement(moved(BsmtFinSF1=10, BsmtFinSF2=-4, TotalBsmtSF=6)) == (6, 0, 6)

    def page(**changes):
        report = common.Report(common.parse("", ["--small", "--out", str(tmp_path)]), "ames", "x")
        ames.answers_table(report, houses, [(0, {"with rules": moved(**changes)})])
        return "\n".join(report.parts)

    told = page(BsmtFinSF1=354, BsmtUnfSF=-1)
    assert "house 0, with rules: +354 sq ft finished, -1 unfinished, +0 in all" in told
    assert "add up" not in page(BsmtFinSF1=354, BsmtUnfSF=-354)
    assert "add up" not in page(OpenPorchSF=3)


def test_names_are_those_of_the_paper():
    assert ames.plain_name("Gr Liv Area") == "GrLivArea"
    assert ames.plain_name("Year Remod/Add") == "YearRemodAdd"
    assert set(ames.known_orders()) >= {"KitchenQual", "BsmtFinType1", "GarageFinish"}
