"""Pictures of answers and of the questions around them, with matplotlib.

Every function draws on the given axes or on a new figure, and returns the figure, which
``figure.savefig`` saves. The figures are readable on light and on dark pages.

This module only draws. The core decides what a map and a sweep show (include/boxwood/picture.hpp)
and writes the texts of values and intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._pictures import (
    AMBER,
    BLUE,
    DARK,
    GREEN,
    GREY,
    Rows,
    beside,
    draw_axis,
    headline,
    legend,
    new_axes,
    notes,
    plain,
    see_through,
    size_with_labels,
    text_colour,
    track_of,
    track_of_change,
    wrapped,
)
from boxwood.errors import Error, library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boxwood.answer import Answer
    from boxwood.reasons import Reasons
    from boxwood.results import Map, Menu, Step, Sweep, WideRegion

library("matplotlib")  # raises an error that names the missing package

# Colours of small and of large changes; white text is readable on both.
SMALL, LARGE = (0.32, 0.56, 0.46), (0.07, 0.35, 0.22)

__all__ = ["Recorder", "bounds", "changes", "decision_map", "images", "menu", "reasons", "region",
           "sweep"]


def changes(answer: Answer, *, ax: Axes | None = None) -> Figure:
    """Draw what changes: a line for each feature, with its value now and the value to change it to.

    The line of a number spans the feature's range, with the least and the largest value at its
    ends. Categories have no order and stand side by side.

    Parameters
    ----------
    answer : Answer
        The answer.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    found = answer.changes
    rows = Rows([change.title for change in found],
                [max(change.now, change.change_to, key=len) for change in found])
    figure, ax = new_axes(ax, (6.8, rows.height + 1.1))
    colour = text_colour()
    for y, change in enumerate(found):
        before, after, track = track_of_change(answer, change)
        if track is None:
            rows.side_by_side(ax, y, change.now, change.change_to)
            continue
        rows.line(ax, y, answer.explainer, track)
        ends = track.share(before), track.share(after)
        ax.plot(ends, [y, y], color=colour, lw=2, zorder=2)
        rows.mark(ax, ends[0], y, "now")
        rows.mark(ax, ends[1], y, "change to")
        middle = sum(ends) / 2
        rows.text(ax, middle, y, f"{change.now} → {change.change_to}", beside(middle))
    rows.finish(ax)
    headline(ax, _headline(answer))
    if found:
        rows.legend(ax, ["now", "change to"])
    else:
        ax.text(0.5, 0, "nothing changes" if answer.found else "there is no point", ha="center",
                color=colour)
    return figure


def _headline(answer: Answer) -> str:
    from boxwood._html import badge

    words, _ = badge(answer)
    if not answer.found or answer.already_met:
        return words
    before, after = (f"{value:.4g}" if isinstance(value, float) else str(value)
                     for value in (answer.outcome_before, answer.outcome))
    return f"{before} → {after}, cost {answer.cost:.4g} ({words})"


def region(answer: Answer, wide: WideRegion | None = None, *,
           features: Sequence[str] | None = None, ax: Axes | None = None) -> Figure:
    """Draw the intervals in which values may lie, with what bounds each side.

    Parameters
    ----------
    answer : Answer
        The answer.
    wide : WideRegion, optional
        The answer's region grown by `Explainer.widen`; without it, the answer's own region.
    features : sequence of str, optional
        The features to draw; by default those that change.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    if answer.array is None:
        raise Error("answer", "the answer has no point", "Give an answer that has one")
    explainer = answer.explainer
    names = [change.feature for change in answer.changes] if features is None else list(features)
    # A one-hot group has one line, and words in place of an interval.
    places = [explainer.columns.places_of(name, "features")[0] for name in names]
    intervals = answer.region if wide is None else wide.intervals
    words = {change.feature: change.anything_in for change in answer.changes}
    if wide is not None:
        words = wide.words
    said, present = [], []
    for i in places:
        name, group = explainer.columns.called[i], explainer.columns.group_of(i)
        now = float(answer.array_before[i])
        if group is not None:
            said.append(words.get(group.title) or group.label(answer.array))
            present.append(group.label(answer.array_before))
        else:
            said.append(words.get(name)
                        or explainer.core.interval_text(i, intervals[name], now))
            present.append(explainer.core.value_text(i, now))
    rows = Rows([explainer.columns.shown(i) for i in places], said)
    figure, ax = new_axes(ax, (6.8, rows.height + 1.5))
    kinds: list[str] = []
    for y, i in enumerate(places):
        name, group = explainer.columns.called[i], explainer.columns.group_of(i)
        interval, at, now = intervals[name], float(answer.array[i]), float(answer.array_before[i])
        track = None if group is not None else track_of(
            explainer, i, at, now, ends=(interval.lower, interval.upper))
        if track is None:
            rows.side_by_side(ax, y, present[y], said[y])
            kinds += ["now", "change to"]
            continue
        rows.line(ax, y, explainer, track)
        low, high = explainer.limits(i)
        ends = track.share(max(interval.lower, low)), track.share(min(interval.upper, high))
        ax.plot(ends, [y, y], color=GREEN, alpha=0.45, lw=9, solid_capstyle="butt", zorder=2)
        for end, limit, share, closed in (
                (interval.lower, low, ends[0], interval.lower_closed),
                (-interval.upper, -high, ends[1], interval.upper_closed)):
            # The mark says whether the model or the allowed range ends the interval here.
            kind = "allowed"
            if end > limit and np.isfinite(end):
                kind = "included" if closed else "excluded"
            rows.mark(ax, share, y, kind)
            kinds.append(kind)
        if np.isfinite(now):
            rows.mark(ax, track.share(now), y, "now")
            kinds.append("now")
        rows.mark(ax, track.share(at), y, "change to")
        kinds.append("change to")
        rows.text(ax, sum(ends) / 2, y, said[y], beside(sum(ends) / 2))
    rows.finish(ax)
    headline(ax, "Anything in here has the outcome")
    rows.legend(ax, kinds)
    return figure


def decision_map(drawn: Map, answer: Answer | None = None, path: Sequence[Step] = (), *,
                 ax: Axes | None = None) -> Figure:
    """Draw a map of two features, exactly, with the row, its counterfactual and the path there.

    The axes, the colours and all texts are those of the SVG pictures of the command line.

    Parameters
    ----------
    drawn : Map
        The result of `Explainer.map`.
    answer : Answer, optional
        An answer whose point is marked. A note says which features it changes besides the two.
    path : sequence of Step
        The result of `Explainer.path`: the path goes through its steps.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    explainer = drawn._explainer
    shown = _core.map_picture(
        explainer.core, drawn._query, drawn._core, *drawn._places, drawn._radius,
        None if answer is None else answer._core,
        [explainer.columns.point(step.point, "path") for step in path])
    figure, ax = new_axes(ax, size_with_labels((6.8, 5.2), shown.x, shown.y))
    colour = text_colour()
    left, right, bottom, top, shade = shown.tiles.T
    corners = np.stack([np.column_stack(pair) for pair in (
        (left, bottom), (right, bottom), (right, top), (left, top))], axis=1)
    shades = np.array([entry.colour for entry in shown.colours])
    ax.add_collection(PolyCollection(corners, facecolors=shades[shade.astype(int)],
                                     edgecolors="none", antialiased=False, zorder=1))
    ax.add_collection(LineCollection(shown.borders, colors=DARK, linewidths=0.8, zorder=2))
    entries: list[Any] = [Patch(facecolor=entry.colour, label=plain(entry.words))
                          for entry in shown.colours if entry.kind != "none"]
    if shown.is_scale:  # the largest on top, as on an axis
        entries.reverse()
    entries += [Patch(facecolor=entry.colour, label=entry.words)
                for entry in shown.colours if entry.kind == "none"]
    if len(shown.path) > 1:
        *stops, last = shown.path
        ax.plot(*zip(*stops, last, strict=True), color=DARK, lw=1.6, zorder=3)
        ax.annotate("", last, stops[-1], zorder=3, arrowprops={
            "arrowstyle": "-|>", "color": DARK, "lw": 0, "mutation_scale": 14,
            "shrinkA": 0, "shrinkB": 4})
    styles: dict[str, dict[str, Any]] = {
        "now": {"marker": "o", "ms": 8, "mfc": "white", "mec": DARK, "mew": 1.6},
        "then": {"marker": "o", "ms": 8, "mfc": DARK, "mec": "white", "mew": 1.2}}
    if shown.now is not None:
        big = {"ms": 13} if shown.now == shown.then else {}  # so that both are seen
        ax.plot(*shown.now, zorder=4, **styles["now"] | big)
    if shown.then is not None:
        ax.plot(*shown.then, zorder=5, **styles["then"])
    for entry in shown.marks:
        entries.append(Line2D([], [], label=wrapped(entry.words, 26), **(
            {"color": colour, "lw": 0.8} if entry.kind == "edge" else
            {"ls": "none", **styles[entry.kind]})))
    draw_axis(ax.xaxis, shown.x, turned=True)
    draw_axis(ax.yaxis, shown.y)
    handle = ax.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0),
                       frameon=False, labelcolor=colour, fontsize="small", borderaxespad=0,
                       title=wrapped(shown.colours_title, 26), alignment="left")
    handle.get_title().set(color=colour, fontsize="small")
    notes(ax, shown.title, " ".join(shown.notes))
    return figure


def menu(menu: Menu, *, ax: Axes | None = None) -> Figure:
    """Draw a menu as a matrix: a line for each feature, a column for each alternative.

    Parameters
    ----------
    menu : Menu
        The result of `Explainer.menu`.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The first column has the present value, the others what each alternative changes it to.
        A darker cell is a larger change; an empty one, no change.
    """
    from matplotlib.patches import Rectangle

    found = [one for one in menu if one.found]
    titles: dict[str, str] = {}  # of features, with their present value
    for one in found:
        for change in one.changes:
            titles.setdefault(change.title, change.now)
    cells = [change.change_to for one in found for change in one.changes]
    rows = Rows(list(titles), [*titles.values(), *cells], width=18, least=0.42)
    figure, ax = new_axes(ax, (2.6 + 1.45 * (1 + len(found)), 0.9 + rows.height))
    colour = text_colour()
    sizes: list[float] = []
    arrows = False
    for y, (title, now) in enumerate(titles.items()):
        ax.text(0, y, wrapped(now, 18), ha="center", va="center", color=colour, fontsize="small")
        for x, one in enumerate(found, 1):
            if title not in (change.title for change in one.changes):
                continue
            change = next(change for change in one.changes if change.title == title)
            before, after, track = track_of_change(one, change)
            size, arrow = 1.0, ""
            if track is not None:
                size = abs(track.share(after) - track.share(before))
                arrow = "↑ " if after > before else "↓ "
            sizes.append(size)
            arrows = arrows or bool(arrow)
            ax.add_patch(Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, lw=0,
                                   color=np.array(SMALL) * (1 - size) + np.array(LARGE) * size))
            ax.text(x, y, wrapped(arrow + change.change_to, 18), ha="center", va="center",
                    color="white", fontsize="small", linespacing=1.0)
    rows.finish(ax)
    ax.set_xlim(-0.5, len(found) + 0.5)
    ax.set_ylim(max(len(titles), 1) - 0.5, -0.5)
    ax.set_xticks(range(len(found) + 1), ["now", *(f"alternative {k}\ncost {one.cost:.3g}"
                                                   for k, one in enumerate(found, 1))])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    legend = ["↑ rises, ↓ falls"] if arrows else []
    if len(set(sizes)) > 1:
        legend.append("a darker cell is a larger change")
    if len(sizes) < len(titles) * len(found):
        legend.append("an empty cell is no change")
    ax.set_xlabel(wrapped("; ".join(legend), 18 * (1 + len(found))), fontsize="small")
    for spine in ax.spines.values():
        spine.set_visible(False)
    if not found:
        ax.set_xticks([])
        ax.set_xlabel("")
        ax.text(0, 0, menu.ending(), ha="center", va="center", color=colour)
    return figure


def sweep(levels: Sweep, *, measure: str = "cost", label: str | None = None,
          ax: Axes | None = None) -> Figure:
    """Draw what each level of certainty, of the output wanted, or of robustness costs.

    The ticks, the texts and what is known between two levels are those of the SVG pictures of the
    command line.

    Parameters
    ----------
    levels : Sweep
        The result of `Explainer.sweep` or `Explainer.robust_sweep`.
    measure : {"cost", "distance"}
        What is drawn.
    label : str, optional
        Title of the axis of levels, with its unit; by default what the question asks for.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if measure not in ("cost", "distance"):
        raise Error("measure", f"unknown measure {measure!r}", 'Give "cost" or "distance"')
    if not len(levels):
        raise Error("levels", "the sweep has no levels", "Give a sweep with at least one")
    first = levels.answers[0]
    model, query, numbers, answers, _, swept = levels._shown()
    shown = _core.sweep_picture(model, query, numbers, answers, swept)

    def sized(cost: float) -> float:
        return cost if measure == "cost" else _core.distance(first._query.norm, cost)

    figure, ax = new_axes(ax, (6.4, 4.0))
    faint = {"alpha": 0.22, "lw": 0}
    for start, end, low, high in shown.between:
        ax.fill_between([start, end], sized(low), sized(high), color=BLUE, **faint)
    for start, end, cost, _ in shown.known:
        ax.plot([start, end], [sized(cost)] * 2, color=BLUE, lw=2.2, solid_capstyle="round")
    for mark in shown.marks:
        if not mark.is_proven:
            ax.plot([mark.level] * 2, [sized(mark.lower_bound), sized(mark.cost)], color=AMBER,
                    lw=2, zorder=1)
    styles: dict[str, dict[str, Any]] = {
        "dot": {"marker": "o", "ms": 7, "mfc": BLUE, "mec": BLUE},
        "ring": {"marker": "o", "ms": 5, "mfc": "white", "mec": BLUE, "mew": 1.4}}
    for kind, repeated in (("dot", False), ("ring", True)):
        some = [mark for mark in shown.marks if mark.is_repeated is repeated]
        ax.plot([mark.level for mark in some], [sized(mark.cost) for mark in some], ls="none",
                zorder=4, **styles[kind])
    if shown.impossible is not None:
        ax.axvspan(shown.impossible.lower, shown.impossible.upper, color=GREY, **faint)
    draw_axis(ax.xaxis, shown.x)
    if label is not None:
        ax.set_xlabel(wrapped(label, 60))
    draw_axis(ax.yaxis, shown.y)
    if measure == "distance":
        top = sized(shown.y.high)
        ax.set_ylim(0, top)
        ticks = _core.round_ticks(0, top, 6)
        ax.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
        ax.set_ylabel("distance (scales)")
    ax.grid(axis="y", color=text_colour(), alpha=0.18)
    handles: list[Any] = []
    for entry in shown.legend:
        if entry.kind in styles:
            handles.append(Line2D([], [], ls="none", label=entry.words, **styles[entry.kind]))
        elif entry.kind in ("curve", "bar"):
            handles.append(Line2D([], [], lw=2.2, label=entry.words,
                                  color=BLUE if entry.kind == "curve" else AMBER))
        else:
            handles.append(Patch(label=entry.words, color=BLUE if entry.kind == "gap" else GREY,
                                 **faint))
    headline(ax, f"{shown.title}\n{shown.subtitle}")
    legend(ax, handles, below=0.2)
    return figure


def reasons(found: Reasons, *, most: int = 12, ax: Axes | None = None) -> Figure:
    """Draw what each feature alone can gain, with what it costs alone and without it.

    Parameters
    ----------
    found : Reasons
        The result of `Explainer.reasons`.
    most : int
        At most this many features.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    if not len(found):
        raise Error("found", "there are no reasons", "Ask about a row without the outcome")
    shown = list(found)[:most]
    figure, ax = new_axes(ax, (7.2, 1.2 + 0.36 * len(shown)))
    gains = [0.0 if one.best is None or not np.isfinite(one.gain) else one.gain for one in shown]
    places = range(len(shown))
    ax.barh(places, gains, color=[GREEN if np.isfinite(one.sufficiency) else GREY
                                  for one in shown], height=0.6)
    head, lines, _ = found._words()
    for place, line in enumerate(lines[1:len(shown) + 1]):
        ax.annotate(f" alone: {line[2]}; without it: {line[3]}", (gains[place], place),
                    va="center", fontsize=8, color=text_colour())
    ax.set_yticks(list(places), [wrapped(one.feature, 28) for one in shown])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.9 * max([*gains, 1e-12]))
    ax.set_xlabel("what this feature alone gains (green: enough for the outcome)")
    headline(ax, wrapped(head, 80))
    return figure


class Recorder:
    """Keeps what a search reports, for `bounds`: give it to `explain` as `progress`.

    Parameters
    ----------
    then : callable, optional
        Called with each report as well; returning False stops the search.
    """

    def __init__(self, then: Callable[[Any], Any] | None = None) -> None:
        self.reports: list[tuple[float, float, float]] = []
        self.then = then

    def __call__(self, progress: Any) -> Any:
        """Take one report."""
        self.reports.append((progress.seconds, progress.best_cost, progress.lower_bound))
        return None if self.then is None else self.then(progress)


def bounds(recorded: Recorder | Iterable[tuple[float, float, float]],
           answer: Answer | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw how the best found and the bound of what may exist close over time.

    Parameters
    ----------
    recorded : Recorder or iterable of tuple
        Seconds, best cost, lower bound.
    answer : Answer, optional
        The end of the search.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    rows = list(recorded.reports if isinstance(recorded, Recorder) else recorded)
    if answer is not None:
        last = rows[-1][0] if rows else 0.0
        rows.append((max(answer.statistics.seconds, last), answer.cost, answer.lower_bound))
    if not rows:
        raise Error("recorded", "no progress was recorded", "Give the answer as well")
    figure, ax = new_axes(ax, (5.6, 3.4))
    times, best, low = np.array(sorted(rows), dtype=float).T
    times, best, low = (np.concatenate([[first], values]) for first, values in (
        (0.0, times), (np.inf, best), (0.0, low)))
    # Without a best point there is no line; a bound is infinite once nothing is possible.
    shown, low = (np.where(np.isfinite(values), values, np.nan) for values in (best, low))
    ax.step(times, shown, where="post", color=GREEN, lw=2, label="best found")
    ax.step(times, low, where="post", color=AMBER, lw=2, label="nothing cheaper exists than")
    ax.fill_between(times, low, shown, where=np.isfinite(shown), step="post", color=AMBER,
                    alpha=0.14, lw=0)
    ax.plot(times[-1], shown[-1], "o", color=GREEN, ms=6)
    ax.set_xlim(0, times[-1] * 1.03 or 1.0)
    highest = np.nanmax([shown, low])
    ax.set_ylim(0, highest * 1.12 or 1.0)
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("cost of the change")
    if answer is not None:
        from boxwood._html import badge

        headline(ax, badge(answer)[0])
    legend(ax)
    return figure


def images(before: Any, after: Any, shape: tuple[int, ...] | None = None, *,
           inverse_transform: Callable[[np.ndarray], Any] | None = None,
           titles: Sequence[str] = ("now", "change to", "difference"),
           ax: Sequence[Axes] | None = None) -> Figure:
    """Draw an image, its counterfactual and the difference.

    Parameters
    ----------
    before, after : array
        Pixels, or features that `inverse_transform` converts to pixels.
    shape : tuple of int, optional
        Rows and columns; a square by default.
    inverse_transform : callable, optional
        From rows of features to rows of pixels, such as that of a fitted PCA.
    titles : sequence of str
        Of the three images.
    ax : sequence of three Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib import pyplot

    parts = [np.ravel(np.asarray(part, dtype=float)) for part in (before, after)]
    if len(parts[0]) != len(parts[1]):
        raise Error("after", f"it has {len(parts[1])} numbers, before has {len(parts[0])}",
                    "Give two points of one model")
    pixels = np.array(parts)
    if inverse_transform is not None:
        pixels = np.asarray(inverse_transform(pixels), dtype=float)
    if shape is None:
        side = round(pixels.shape[1] ** 0.5)
        shape = (side, side)
    if int(np.prod(shape)) != pixels.shape[1]:
        raise Error("shape", f"{pixels.shape[1]} pixels do not fill an image of shape {shape}",
                    "Give rows and columns as shape")
    one, two = (row.reshape(shape) for row in pixels)
    if ax is None:
        figure, ax = pyplot.subplots(1, 3, figsize=(7.2, 2.6), layout="constrained")
        see_through(figure)
        pyplot.close(figure)
    axes = list(np.ravel(ax))
    if len(axes) != 3:
        raise Error("ax", f"{len(axes)} axes for three images", "Give three axes")
    colour = text_colour()
    low, high = float(min(one.min(), two.min())), float(max(one.max(), two.max()))
    size = float(np.abs(two - one).max()) or 1.0
    for at, image, options in (
            (axes[0], one, {"cmap": "gray", "vmin": low, "vmax": high}),
            (axes[1], two, {"cmap": "gray", "vmin": low, "vmax": high}),
            (axes[2], two - one, {"cmap": "RdBu_r", "vmin": -size, "vmax": size})):
        shown = at.imshow(image, interpolation="nearest", **options)
        at.set_xticks([])
        at.set_yticks([])
        for spine in at.spines.values():
            spine.set_color(colour)
            spine.set_alpha(0.4)
    for at, title in zip(axes, titles, strict=True):
        at.set_title(plain(title), color=colour, fontsize="medium")
    bar = axes[0].figure.colorbar(shown, ax=axes[2], shrink=0.8)
    bar.set_label("brighter (red), darker (blue)", color=colour, fontsize="small")
    bar.ax.tick_params(colors=colour, labelsize="small")
    bar.outline.set_visible(False)
    return axes[0].figure
