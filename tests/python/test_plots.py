"""Pictures: each is drawn, holds what it shows, and can be saved and drawn beside others."""

import io
import itertools

import boxwood
import matplotlib
import numpy as np
import pandas as pd
import pytest
from boxwood import plots
from conftest import RED
from matplotlib import collections, patches, pyplot
from matplotlib.backends import backend_agg
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
    return row, german.explain(row, "granted", fixed=["other_parties"], cost="l2")


@pytest.fixture(scope="module")
def prices():
    frame, target = datasets.load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = ensemble.RandomForestRegressor(8, max_depth=5, random_state=0).fit(frame, target)
    return boxwood.Explainer(model, frame), frame


def test_changes_have_a_dumbbell_each(asked):
    _, answer = asked
    figure = plots.changes(answer)
    ax = figure.axes[0]
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    assert len(dots) == 2 * len(answer.changes) == 8
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        change.title for change in answer.changes]
    assert "30 months → 26 months" in texts(ax) and "proven optimal" in texts(ax)
    # Duration falls from 30 to 26 on a range from 4 to 72 months.
    places = [dot.get_xdata()[0] for dot in dots[2:4]]
    np.testing.assert_allclose(places, [26 / 68, 22 / 68])
    # The ends of the line are told in the feature's unit, and the legend explains both marks.
    assert {"4 months", "72 months"} <= {text.get_text() for text in ax.texts}
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["now", "change to"]
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
    ends = [line for line in ax.lines if line.get_label() in ("included", "excluded", "allowed")]
    assert len(ends) == 2 * len(answer.changes)
    for change, pair in zip(answer.changes, zip(ends[::2], ends[1::2], strict=True), strict=True):
        interval = answer.region[change.feature]
        low, high = german.limits(german.columns.index(change.feature, "test"))
        assert (pair[0].get_marker() == "o") == (interval.lower > low)
        assert (pair[1].get_marker() == "o") == (interval.upper < high)
        if pair[0].get_marker() == "o":
            assert (pair[0].get_markerfacecolor() != "none") == interval.lower_closed
        assert change.anything_in in texts(ax)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["now", "change to"]
    now = [line for line in ax.lines if line.get_label() == "now"]
    assert len(now) == len(answer.changes)
    assert painted(figure) > 1000
    wide = german.widen(answer)
    assert wide.words["duration"] in texts(plots.region(answer, wide).axes[0])
    chosen = plots.region(answer, features=["age", "duration"]).axes[0]
    assert [label.get_text() for label in chosen.get_yticklabels()] == ["age", "duration"]
    with pytest.raises(boxwood.Error, match="the answer has no point"):
        plots.region(german.explain(asked[0], "granted", only=["own_telephone"]))


def test_map_covers_its_view_and_shows_the_way(german, asked):
    row, _ = asked
    pair = ("duration", "credit_amount")
    answer = german.explain(row, "granted", only=list(pair))
    drawn = german.map(row, "granted", features=pair)
    figure = plots.decision_map(drawn, answer, german.path(row, "granted", only=list(pair)))
    ax = figure.axes[0]
    faces = [part for part in ax.collections if isinstance(part, collections.PolyCollection)]
    assert sum(len(part.get_paths()) for part in faces) == len(drawn)
    area = sum(path.get_extents().width * path.get_extents().height
               for part in faces for path in part.get_paths())
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert area == pytest.approx((right - left) * (top - bottom))
    # Whole numbers fill their place, from half below to half above.
    assert (left, right) == (drawn.view[0][0] - 0.5, drawn.view[0][1] + 0.5)
    assert ax.get_xlabel() == "duration (months)" and ax.get_ylabel() == "credit amount (DM)"
    one = next(line for line in ax.lines if len(line.get_xdata()) > 1)
    assert (one.get_xdata()[0], one.get_ydata()[0]) == drawn.here
    assert (one.get_xdata()[-1], one.get_ydata()[-1]) == (answer.point["duration"],
                                                          answer.point["credit_amount"])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["refused", "granted", "Applicant now", "change to",
                      "border of an outcome"]
    assert "not drawn" not in texts(figure) and painted(figure) > 5000


def test_map_says_when_other_features_change(german, asked):
    row, answer = asked
    drawn = german.map(row, "granted", features=("duration", "credit_amount"))
    figure = plots.decision_map(drawn, answer)
    assert "also changes features that are not drawn" in texts(figure).replace("\n", " ")
    _, ax = pyplot.subplots()
    plots.decision_map(drawn, answer, ax=ax)
    assert "not drawn" in texts(ax).replace("\n", " ")


def test_map_within_a_radius_and_of_numbers(german, asked, prices):
    reach = plots.decision_map(german.map(asked[0], "granted", radius=1.2,
                                          features=("duration", "credit_amount")))
    legend = reach.axes[0].get_legend()
    assert legend.get_title().get_text() == "cost of the other features"
    assert "out of reach" in texts(legend) and painted(reach) > 1000
    explainer, frame = prices
    drawn = explainer.map(frame.iloc[2], features=("bmi", "s5"), at_least=200)
    figure = plots.decision_map(drawn)
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len([text for text in legend if " to " in text]) <= 10
    assert "border of wanted outcome" in legend and painted(figure) > 5000


def test_map_of_categories_has_their_names(german, asked):
    ax = plots.decision_map(german.map(asked[0], "granted",
                                       features=("checking_status", "duration"))).axes[0]
    assert "200 DM" in texts(ax.xaxis)


def test_menu_is_a_matrix_of_features_and_ways(german, asked):
    menu = german.menu(asked[0], 3, "granted", cost="l2")
    figure = plots.menu(menu)
    ax = figure.axes[0]
    cells = [part for part in ax.patches if isinstance(part, patches.Rectangle)]
    assert len(cells) == sum(len(one.changes) for one in menu)
    lines = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert set(lines) == {change.title for one in menu for change in one.changes}
    assert [label.get_text().split("\n")[0] for label in ax.get_xticklabels()] == [
        "now", "alternative 1", "alternative 2", "alternative 3"]
    present = [text.get_text() for text in ax.texts if text.get_position()[0] == 0]
    assert len(present) == len(lines) and "30 months" in present
    assert "↓ 26 months" in texts(ax)
    assert painted(figure) > 1000
    assert ax.get_xlabel().startswith("↑ rises, ↓ falls; a darker cell")
    none = plots.menu(german.menu(asked[0], 2, "granted", only=["own_telephone"]))
    assert "There is no alternative (proven)." in texts(none.axes[0])
    # The legend explains only what there is: categories do not rise.
    labels = german.menu(asked[0], 1, "granted", probability=0.25, only=["other debtors"])
    assert len(labels) == 1 and plots.menu(labels).axes[0].get_xlabel() == ""


def test_sweep_shows_what_is_known_and_what_is_impossible(prices):
    explainer, frame = prices
    levels = explainer.sweep(frame.iloc[2], [170, 200, 230, 2000], at_least=170)
    figure = plots.sweep(levels, label="progression wanted")
    ax = figure.axes[0]
    found = [answer for answer in levels.answers if answer.found]
    marks = {(x, y) for line in ax.lines if line.get_marker() == "o"
             for x, y in zip(*line.get_data(), strict=True)}
    assert marks == {(level, answer.cost) for level, answer in levels if answer.found}
    # A line of known cost ends where the point's own output is reached.
    known = next(line for line in ax.lines if line.get_linestyle() == "-")
    assert known.get_xdata()[1] == pytest.approx(min(found[0].outcome, 200))
    assert list(known.get_ydata()) == [found[0].cost] * 2
    assert "impossible (proven)" in texts(figure)
    assert ax.get_xlabel() == "progression wanted" and painted(figure) > 500
    assert plots.sweep(levels).axes[0].get_xlabel() == "output, at least"
    by_distance = plots.sweep(levels, measure="distance").axes[0]
    assert by_distance.get_ylabel() == "distance (scales)"
    with pytest.raises(boxwood.Error, match="unknown measure 'price'"):
        plots.sweep(levels, measure="price")


def test_levels_close_to_one_do_not_lie_on_each_other(german, asked):
    levels = [0.5, 0.9, 0.99, 0.999, 0.9999]
    ax = plots.sweep(german.sweep(asked[0], levels, "granted")).axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "0.5", "0.9", "0.99", "0.999", "0.9999"]
    places = ax.transData.transform([(level, 0) for level in levels])[:, 0]
    assert (np.diff(places) > 0.15 * ax.bbox.width).all()


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
    impossible = german.explain(asked[0], "granted", max_changes=1, only=["telephone"])
    ax = plots.bounds([], impossible).axes[0]
    assert "proven impossible" in texts(ax) and np.isnan(ax.lines[1].get_ydata()[-1])
    with pytest.raises(boxwood.Error, match="no progress was recorded"):
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
    with pytest.raises(boxwood.Error, match="64 pixels do not fill an image of"):
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
             german.map(row, "granted", features=("duration", "credit_amount"))),
            axes.flat, strict=True):
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
    schema["a"].range = (-2, 1)
    explainer = boxwood.Explainer(model, frame, schema=schema)
    answer = explainer.explain({"a": -1.0, "b": 0.0}, at_least=1.5)
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
    assert {"red", after} <= {text.get_text() for text in plots.changes(answer).axes[0].texts}
    assert answer.changes[0].anything_in in texts(plots.region(answer).axes[0])
    menu = plots.menu(explainer.menu(RED, 1, 1)).axes[0]
    assert [label.get_text() for label in menu.get_yticklabels()] == ["colour"]


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
    drawn = explainer.map(row, features=tuple(frame.columns))
    for k, figure in enumerate((plots.changes(answer), plots.region(answer), plots.decision_map(drawn),
                                plots.menu(explainer.menu(row, 2, "$yes_$")))):
        figure.savefig(tmp_path / f"{k}.png")
        texts = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
        assert any(r"\$" in text for text in texts)
        assert not any("$" in text.replace(r"\$", "") for text in texts)
        pyplot.close(figure)


def test_the_price_of_robustness_is_drawn_over_multiples(german, asked):
    sweep = german.robust_sweep(asked[0], [0, 1, 2], "granted", robust={"duration": 1})
    assert plots.sweep(sweep).axes[0].get_xlabel() == "multiple of the robust distances"


def test_a_sweep_that_is_not_proven_shows_its_bound_in_the_same_measure(german, asked):
    row, _ = asked
    levels = german.sweep(row, [0.6, 0.9], "granted", cost="l1", node_limit=3)
    figure = plots.sweep(levels, measure="distance")
    bars = [line.get_ydata() for line in figure.axes[0].lines if line.get_color() == "#c98a1b"]
    open_ones = [answer for _, answer in levels if answer.found and not answer.proven]
    assert len(bars) == len(open_ones) > 0
    for bar, answer in zip(bars, open_ones, strict=True):
        assert tuple(bar) == (answer.lower_bound, answer.distance)


LONG = "average_number_of_transactions_per_calendar_month in the year "
LABELS = ["no formal training at all", "apprenticeship or vocational school", "doctorate",
          "university degree, bachelor or equal", "unknown", "still at school"]


def of_numbers(count, long):
    import xgboost

    random = np.random.default_rng(count)
    frame = pd.DataFrame(random.normal(50, 20, (300, count)).round(1),
                         columns=[(LONG if long else "feature ") + str(k) for k in range(count)])
    half = frame.columns[:max(2, count // 2)]
    model = xgboost.XGBClassifier(n_estimators=12, max_depth=3, n_jobs=1).fit(
        frame, frame[half].mean(axis=1) > 53)
    return boxwood.Explainer(model, frame), frame


def of_categories(count, long):
    import xgboost

    random = np.random.default_rng(count)
    frame = pd.DataFrame({(LONG if long else "category ") + str(k): pd.Categorical(
        random.choice(LABELS, 400), categories=LABELS) for k in range(count)})
    half = frame.columns[:max(2, count // 2)]
    high = sum((frame[name].cat.codes > 2).astype(int) for name in half)
    model = xgboost.XGBClassifier(n_estimators=12, max_depth=3, n_jobs=1,
                                  enable_categorical=True).fit(frame, high > len(half) / 2)
    return boxwood.Explainer(model, frame), frame


def boxes_of(figure):
    """Find the texts of a figure that are drawn, with their places in pixels."""
    canvas = backend_agg.FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = []
    for text in figure.findobj(matplotlib.text.Text):
        if not text.get_visible() or not text.get_text().strip():
            continue
        box = text.get_window_extent(renderer)
        if text.get_rotation() % 90 == 0:  # slanted ones have their own check
            found.append((text.get_text(), box))
    return found


def assert_readable(figure):
    """No two texts overlap, and none leaves the figure."""
    found = boxes_of(figure)
    page = figure.bbox
    for words, box in found:
        assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1, f"{words!r} is cut off"
        assert box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1, f"{words!r} is cut off"
    for k, (words, box) in enumerate(found):
        for other, another in found[:k]:
            wide = min(box.x1, another.x1) - max(box.x0, another.x0)
            high = min(box.y1, another.y1) - max(box.y0, another.y0)
            assert min(wide, high) < 1.5, f"{words!r} overlaps {other!r}"
    for ax in figure.axes:
        slanted = [label for label in ax.get_xticklabels() if label.get_rotation() % 90]
        for one, two in itertools.pairwise(slanted):
            angle = np.radians(one.get_rotation())
            apart = (ax.transData.transform((two.get_position()[0], 0))
                     - ax.transData.transform((one.get_position()[0], 0)))[0] * np.sin(angle)
            assert apart > one.get_fontsize() * figure.dpi / 72, "slanted labels overlap"


@pytest.mark.parametrize("make", [of_numbers, of_categories])
@pytest.mark.parametrize("count", [2, 9, 25])
@pytest.mark.parametrize("long", [False, True])
def test_texts_are_readable_however_many_and_long_they_are(make, count, long):
    explainer, frame = make(count, long)
    row = frame[explainer.predict(frame) == 0].iloc[0]
    pair = tuple(frame.columns[:2])
    answer = explainer.explain(row, 1, cost="l1", time_limit=10)
    assert answer.changes
    for figure in (plots.changes(answer), plots.region(answer),
                   plots.region(answer, features=list(frame.columns)),
                   plots.menu(explainer.menu(row, 3, 1, cost="l1", time_limit=10)),
                   plots.sweep(explainer.sweep(row, [0.5, 0.9, 0.999], 1, cost="l1")),
                   plots.decision_map(explainer.map(row, 1, features=pair), answer),
                   plots.decision_map(explainer.map(row, 1, features=pair, radius=2.0), answer)):
        assert_readable(figure)
