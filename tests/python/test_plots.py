"""Pictures: each is drawn, holds what it shows, and can be saved and drawn beside others."""

import io

import boxwood
import matplotlib
import numpy as np
import pandas as pd
import pytest
from boxwood import plots
from conftest import RED
from matplotlib import collections, patches, pyplot
from sklearn import datasets, decomposition, ensemble

matplotlib.use("Agg")


def painted(figure):
    """Save a figure and count the pixels that are not empty."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=50)
    assert file.getvalue()[:4] == b"\x89PNG"
    image = pyplot.imread(io.BytesIO(file.getvalue()))
    return int((image[..., 3] > 0.2).sum())


def texts(ax):
    return " ".join(text.get_text() for text in ax.findobj(matplotlib.text.Text))


@pytest.fixture(scope="module")
def asked(german, applicants):
    row = applicants.iloc[0]
    return row, german.explain(row, "granted", fixed=["other_parties"])


@pytest.fixture(scope="module")
def prices():
    frame, target = datasets.load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = ensemble.RandomForestRegressor(8, max_depth=5, random_state=0).fit(frame, target)
    return boxwood.Explainer(model, frame), frame


def test_changes_have_a_dumbbell_each(asked):
    _, answer = asked
    figure = plots.changes(answer)
    ax = figure.axes[0]
    dots = [part for part in ax.collections if isinstance(part, collections.PathCollection)]
    assert len(dots) == 2 * len(answer.changes) == 8
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        change.title for change in answer.changes]
    assert "30 months → 26 months" in texts(ax) and "proven optimal" in texts(ax)
    # Duration falls from 30 to 26 on a range from 4 to 72 months.
    places = [dot.get_offsets()[0][0] for dot in dots[2:4]]
    np.testing.assert_allclose(places, [26 / 68, 22 / 68])
    assert painted(figure) > 1000


def test_changes_of_an_answer_without_any(german, asked):
    row, _ = asked
    impossible = german.explain(row, "granted", only=["own_telephone"])
    figure = plots.changes(impossible)
    assert "there is no point" in texts(figure.axes[0])
    assert "proven impossible" in texts(figure.axes[0])
    met = plots.changes(german.explain(row, "refused"))
    assert "nothing changes" in texts(met.axes[0])


def test_region_says_what_bounds_each_side(german, asked):
    _, answer = asked
    figure = plots.region(answer)
    ax = figure.axes[0]
    ends = [line for line in ax.lines if line.get_marker() in ("o", "|")]
    assert len(ends) == 2 * len(answer.changes)
    for change, pair in zip(answer.changes, zip(ends[::2], ends[1::2], strict=True), strict=True):
        interval = answer.region[change.feature]
        low, high = german.limits(german.columns.index(change.feature, "test"))
        assert (pair[0].get_marker() == "o") == (interval.lower > low)
        assert (pair[1].get_marker() == "o") == (interval.upper < high)
        if pair[0].get_marker() == "o":
            assert (pair[0].get_markerfacecolor() != "none") == interval.lower_closed
        assert change.anything_in in texts(ax)
    assert painted(figure) > 1000
    wide = german.widen(answer)
    assert wide.words["duration"] in texts(plots.region(answer, wide).axes[0])
    chosen = plots.region(answer, features=["age", "duration"]).axes[0]
    assert [label.get_text() for label in chosen.get_yticklabels()] == ["age", "duration"]
    with pytest.raises(boxwood.Error, match="there is no point"):
        plots.region(german.explain(asked[0], "granted", only=["own_telephone"]))


def test_map_covers_its_view_and_shows_the_way(german, asked):
    row, _ = asked
    pair = ("duration", "credit_amount")
    answer = german.explain(row, "granted", only=list(pair))
    drawn = german.map(row, pair, "granted")
    figure = plots.decision_map(drawn, answer, german.path(row, "granted", only=list(pair)))
    ax = figure.axes[0]
    faces = [part for part in ax.collections if isinstance(part, collections.PolyCollection)]
    assert sum(len(part.get_paths()) for part in faces) == len(drawn)
    area = sum(path.get_extents().width * path.get_extents().height
               for part in faces for path in part.get_paths())
    (left, right), (bottom, top) = drawn.view
    assert area == pytest.approx((right - left) * (top - bottom))
    assert ax.get_xlabel() == "duration (months)" and ax.get_ylabel() == "credit amount (DM)"
    point = next(line for line in ax.lines if line.get_marker() == "D")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (answer.point["duration"],
                                                            answer.point["credit_amount"])
    way = next(line for line in ax.lines if line.get_linestyle() == "--")
    assert way.get_xdata()[0] == row["duration"]
    assert way.get_xdata()[-1] == answer.point["duration"]
    words = texts(figure)
    assert "refused" in words and "granted" in words and "change too" not in words
    assert painted(figure) > 5000


def test_map_says_when_other_features_change(german, asked):
    row, answer = asked
    ax = plots.decision_map(german.map(row, ("duration", "credit_amount"), "granted"),
                            answer).axes[0]
    assert "2 other features change too" in texts(ax.figure)
    point = next(line for line in ax.lines if line.get_marker() == "D")
    assert point.get_markerfacecolor() == "none"


def test_map_within_a_radius_and_of_numbers(german, asked, prices):
    reach = plots.decision_map(german.map(asked[0], ("duration", "credit_amount"), "granted",
                                          radius=1.2))
    assert "cost" in reach.axes[1].get_ylabel() and painted(reach) > 1000
    explainer, frame = prices
    drawn = explainer.map(frame.iloc[2], ("bmi", "s5"), at_least=200)
    figure = plots.decision_map(drawn)
    pale, full = [part for part in figure.axes[0].collections
                  if isinstance(part, collections.PolyCollection)]
    assert len(full.get_paths()) == drawn.meets.sum() and full.get_alpha() > pale.get_alpha()
    assert painted(figure) > 5000


def test_map_of_categories_has_their_names(german, asked):
    ax = plots.decision_map(german.map(asked[0], ("checking_status", "duration"),
                                       "granted")).axes[0]
    assert "200 DM" in texts(ax.xaxis)


def test_menu_is_a_matrix_of_ways_and_features(german, asked):
    ways = german.menu(asked[0], 3, "granted")
    figure = plots.menu(ways)
    ax = figure.axes[0]
    cells = [part for part in ax.patches if isinstance(part, patches.Rectangle)]
    assert len(cells) == sum(len(way.changes) for way in ways)
    columns = [label.get_text().replace("\n", " ") for label in ax.get_xticklabels()]
    assert set(columns) == {change.title for way in ways for change in way.changes}
    assert [label.get_text().split("\n")[0] for label in ax.get_yticklabels()] == [
        "way 1", "way 2", "way 3"]
    assert "↓ 26 months" in texts(ax)
    assert painted(figure) > 1000
    none = plots.menu(german.menu(asked[0], 2, "granted", only=["own_telephone"]))
    assert "there is no way" in texts(none.axes[0])


def test_sweep_rises_and_crosses_what_is_impossible(prices):
    explainer, frame = prices
    levels = explainer.sweep(frame.iloc[2], [170, 200, 230, 2000], at_least=170)
    figure = plots.sweep(levels, label="progression wanted")
    ax = figure.axes[0]
    proven = next(line for line in ax.lines if line.get_marker() == "o")
    found = [answer.cost for answer in levels.answers if answer.found]
    assert list(proven.get_ydata()) == found and found == sorted(found)
    crossed = next(line for line in ax.lines if line.get_marker() == "x")
    assert list(crossed.get_xdata()) == [2000]
    assert ax.get_xlabel() == "progression wanted" and painted(figure) > 500
    by_distance = plots.sweep(levels, measure="distance").axes[0]
    assert by_distance.get_ylabel() == "distance (scales)"
    with pytest.raises(boxwood.Error, match="no measure 'price'"):
        plots.sweep(levels, measure="price")


def test_bounds_close(german, asked):
    recorder = plots.Recorder()
    answer = german.explain(asked[0], "granted", progress=recorder)
    figure = plots.bounds(recorder, answer)
    best, low = figure.axes[0].lines[:2]
    assert best.get_ydata()[-1] == answer.cost == low.get_ydata()[-1]
    assert figure.axes[0].get_xlabel() == "time (s)" and "proven optimal" in texts(figure.axes[0])
    reports = [(0.1, np.inf, 0.5), (0.3, 4.0, 1.0), (0.9, 3.0, 2.0)]
    figure = plots.bounds(reports)
    best, low = figure.axes[0].lines[:2]
    assert low.get_ydata().tolist() == [0, 0.5, 1, 2]
    assert np.isnan(best.get_ydata()[:2]).all() and best.get_ydata()[2:].tolist() == [4, 3]
    assert painted(figure) > 500
    with pytest.raises(boxwood.Error, match="there is no report"):
        plots.bounds([])


def test_a_recorder_passes_reports_on():
    class Report:
        seconds, best_cost, lower_bound = 1.0, 5.0, 2.0

    recorder = plots.Recorder(lambda report: report.best_cost > 9)
    assert recorder(Report()) is False and recorder.reports == [(1.0, 5.0, 2.0)]


def test_images_of_pixels_and_of_components():
    digits = datasets.load_digits()
    before, after = digits.data[0], digits.data[1]
    figure = plots.images(before, after)
    shown = [ax.images[0].get_array() for ax in figure.axes[:3]]
    np.testing.assert_array_equal(shown[0], before.reshape(8, 8))
    np.testing.assert_array_equal(shown[2], (after - before).reshape(8, 8))
    assert painted(figure) > 5000
    components = decomposition.PCA(20, random_state=0).fit(digits.data)
    small = components.transform(digits.data[:2])
    figure = plots.images(small[0], small[1], (8, 8),
                          inverse_transform=components.inverse_transform)
    np.testing.assert_allclose(figure.axes[1].images[0].get_array(),
                               components.inverse_transform(small)[1].reshape(8, 8))
    with pytest.raises(boxwood.Error, match="64 pixels are no image of"):
        plots.images(before, after, (7, 9))
    with pytest.raises(boxwood.Error, match="2 axes for three images"):
        plots.images(before, after, ax=pyplot.subplots(1, 2)[1])


def test_plots_take_axes_and_leave_nothing_open(german, asked):
    row, answer = asked
    pyplot.close("all")
    figure, axes = pyplot.subplots(2, 2)
    for draw, what, ax in zip(
            (plots.changes, plots.region, plots.menu, plots.decision_map),
            (answer, answer, german.menu(row, 2, "granted"),
             german.map(row, ("duration", "credit_amount"), "granted")), axes.flat, strict=True):
        assert draw(what, ax=ax) is figure
        assert ax.has_data() or ax.patches
    assert axes[1, 1].get_legend() is not None
    pyplot.close("all")
    plots.changes(answer)
    assert pyplot.get_fignums() == []


def test_colours_follow_the_style(asked):
    _, answer = asked
    plain = plots.changes(answer)
    assert plain.get_facecolor()[3] == 0
    with matplotlib.style.context("dark_background"):
        dark = plots.changes(answer)
        assert dark.get_facecolor() == (0, 0, 0, 1)
        assert dark.axes[0].xaxis.label.get_color() == "white"


def test_a_missing_value_is_drawn_from_side_to_side():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=200), "b": random.normal(size=200)})
    frame.loc[::3, "a"] = np.nan
    model = ensemble.HistGradientBoostingRegressor(max_iter=5).fit(frame, frame["a"].fillna(3))
    schema = boxwood.Schema.from_data(model, frame)
    schema["a"].missing_allowed = True
    explainer = boxwood.Explainer(model, frame, schema=schema)
    answer = explainer.explain({"a": -1.0, "b": 0.0}, at_least=1.5, ranges={"a": (-2, 1)})
    for draw in (plots.changes, plots.region):
        assert painted(draw(answer)) > 500
    assert np.isnan(answer.point["a"])


def test_a_one_hot_group_is_drawn_as_one_feature(colours):
    explainer = colours[2]
    answer = explainer.explain(RED, 1)
    after = answer.changes[0].after
    for figure in (plots.changes(answer), plots.region(answer),
                   plots.region(answer, explainer.widen(answer, order=["colour"]))):
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["colour"]
        assert painted(figure) > 500
    assert f"red → {after}" in texts(plots.changes(answer).axes[0])
    assert "dotted" in texts(plots.changes(answer).axes[0])
    assert answer.changes[0].anything_in in texts(plots.region(answer).axes[0])
    ways = plots.menu(explainer.menu(RED, 1, 1)).axes[0]
    assert [label.get_text() for label in ways.get_xticklabels()] == ["colour"]


def test_dollars_are_no_formulas(tmp_path):
    import xgboost

    random = np.random.default_rng(3)
    frame = pd.DataFrame({"pay in $ and $^": random.normal(50, 10, 200),
                          "rent $": random.normal(20, 4, 200)})
    sold = np.where(frame["pay in $ and $^"] > frame["rent $"] * 2.5, "$yes_$", "$no^$")
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(frame, sold == "$yes_$")
    schema = boxwood.Schema(classes=["$no^$", "$yes_$"])
    explainer = boxwood.Explainer(model, data=frame, schema=schema)
    row = frame[explainer.predict(frame) == "$no^$"].iloc[0]
    answer = explainer.explain(row, "$yes_$")
    drawn = explainer.map(row, tuple(frame.columns))
    for k, figure in enumerate((plots.changes(answer), plots.region(answer), plots.decision_map(drawn),
                                plots.menu(explainer.menu(row, 2, "$yes_$")))):
        figure.savefig(tmp_path / f"{k}.png")
        texts = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
        assert any(r"\$" in text for text in texts)
        assert not any("$" in text.replace(r"\$", "") for text in texts)
        pyplot.close(figure)


def test_a_sweep_that_is_not_proven_shows_its_bound_in_the_same_measure(german, asked):
    row, _ = asked
    levels = german.sweep(row, [0.6, 0.9], "granted", cost="l1", node_limit=3)
    figure = plots.sweep(levels, measure="distance")
    bars = [line.get_ydata() for line in figure.axes[0].lines if line.get_color() == "#c98a1b"]
    open_ones = [answer for _, answer in levels if answer.found and not answer.proven]
    assert len(bars) == len(open_ones) > 0
    for bar, answer in zip(bars, open_ones, strict=True):
        assert tuple(bar) == (answer.lower_bound, answer.distance)
