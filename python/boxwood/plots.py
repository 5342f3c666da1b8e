"""Pictures of answers and of the questions around them, with matplotlib.

Every function draws on the axes given or on a new figure, and returns the figure, which
``figure.savefig`` saves. They read well on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood import _core
from boxwood._pictures import (
    AMBER,
    CLASSES,
    GREEN,
    GREY,
    RED,
    beside,
    headline,
    legend,
    new_axes,
    plain,
    see_through,
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
    from boxwood.results import Map, Menu, Step, Sweep, WideRegion

library("matplotlib")  # without it, say so here and once

# Of small and large changes; white reads on both.
SMALL, LARGE = (0.32, 0.56, 0.46), (0.07, 0.35, 0.22)

__all__ = ["Recorder", "bounds", "changes", "decision_map", "images", "menu", "region", "sweep"]


def changes(answer: Answer, *, ax: Axes | None = None) -> Figure:
    """Draw what changes: a dumbbell from before to after for each feature, on its range.

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
    explainer, found = answer.explainer, answer.changes
    figure, ax = new_axes(ax, (6.4, 1.2 + 0.62 * max(len(found), 1)))
    colour = text_colour()
    for y, change in enumerate(found):
        before, after, track = track_of_change(answer, change)
        # Categories have no place in a range: from one side to the other.
        ends = (track.share(before), track.share(after)) if track else (0.0, 1.0)
        ax.plot([0, 1], [y, y], color=colour, alpha=0.25, lw=1, zorder=1)
        ax.plot(ends, [y, y], color=colour, lw=2, zorder=2,
                ls="-" if track else (0, (1, 2)))
        ax.scatter(ends[0], y, s=52, color=GREY, zorder=3, label="now" if y == 0 else None)
        ax.scatter(ends[1], y, s=64, color=GREEN, zorder=4, label="change to" if y == 0 else None)
        middle = sum(ends) / 2
        ax.text(min(max(middle, 0.0), 1.0), y - 0.2, plain(f"{change.now} → {change.change_to}"),
                ha=beside(middle), va="bottom", color=colour, fontsize="small")
    groups = [group.title for group in explainer.columns.groups]
    unordered = any(change.feature in groups
                    or explainer.schema[change.feature].kind == "categorical" for change in found)
    _place_in_ranges(ax, [change.title for change in found],
                     " (dotted: categories, which have none)" if unordered else "")
    headline(ax, _headline(answer))
    if not found:
        ax.text(0.5, 0, "nothing changes" if answer.found else "there is no point", ha="center",
                color=colour)
        ax.set_yticks([])
    return figure


def _place_in_ranges(ax: Any, titles: list[str], note: str = "") -> None:
    # A line for each feature, from the least of its values to the largest.
    ax.set_yticks(range(len(titles)), [wrapped(title, 24) for title in titles])
    ax.set_ylim(max(len(titles), 1) - 0.5, -0.75)
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["least", "", "middle", "", "largest"])
    ax.set_xlabel("place in the range of the feature" + note)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


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
        Its region grown by `Explainer.widen`, instead of its own.
    features : sequence of str, optional
        Which ones; those that change by default.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib.lines import Line2D

    if answer.array is None:
        raise Error("answer", "there is no point", "Draw the region of an answer that has one")
    explainer = answer.explainer
    names = [change.feature for change in answer.changes] if features is None else list(features)
    # Of a one-hot group there is one line, and words in place of an interval.
    places = [explainer.columns.places_of(name, "features")[0] for name in names]
    intervals = answer.region if wide is None else wide.intervals
    words = {change.feature: change.anything_in for change in answer.changes}
    if wide is not None:
        words = wide.words
    figure, ax = new_axes(ax, (6.4, 2.0 + 0.62 * max(len(places), 1)))
    colour = text_colour()
    for y, i in enumerate(places):
        name, group = explainer.columns.names[i], explainer.columns.group_of(i)
        interval, at, now = intervals[name], float(answer.array[i]), float(answer.array_before[i])
        if group is not None:
            said, track = words.get(group.title) or group.label(answer.array), None
        else:
            said = words.get(name) or explainer.core.interval_text(i, interval, now)
            track = track_of(explainer, i, at, now, ends=(interval.lower, interval.upper))
        ax.plot([0, 1], [y, y], color=colour, alpha=0.25, lw=1, zorder=1)
        if track is None:
            ax.text(0, y - 0.2, plain(said), ha="left", va="bottom", color=colour, fontsize="small")
            continue
        low, high = explainer.limits(i)
        ends = track.share(max(interval.lower, low)), track.share(min(interval.upper, high))
        ax.plot(ends, [y, y], color=GREEN, alpha=0.45, lw=9, solid_capstyle="butt", zorder=2)
        for end, limit, share, closed in (
                (interval.lower, low, ends[0], interval.lower_closed),
                (-interval.upper, -high, ends[1], interval.upper_closed)):
            # Beyond the allowed range nothing is asked; inside it the model decides otherwise.
            if end > limit and np.isfinite(end):
                ax.plot(share, y, "o", ms=8, zorder=3, mec=RED, mew=1.6,
                        mfc=RED if closed else "none")
            else:
                ax.plot(share, y, "|", ms=14, mew=2.4, color=colour, zorder=3)
        ax.plot(track.share(at), y, "D", ms=6, color=GREEN, zorder=4)
        ax.text(sum(ends) / 2, y - 0.24, plain(said), ha=beside(sum(ends) / 2), va="bottom",
                color=colour, fontsize="small")
    _place_in_ranges(ax, [explainer.columns.shown(i) for i in places])
    headline(ax, "Anything in here has the outcome")
    entry = {"ls": "none", "color": "none"}
    legend(ax, [
        Line2D([], [], **entry, marker="D", ms=6, mfc=GREEN, mec=GREEN, label="the point"),
        Line2D([], [], **entry, marker="o", ms=7, mfc=RED, mec=RED,
               label="the model, end included"),
        Line2D([], [], **entry, marker="o", ms=7, mfc="none", mec=RED, mew=1.6,
               label="the model, end excluded"),
        Line2D([], [], **entry, marker="|", ms=11, mfc=colour, mec=colour, mew=2.2,
               label="the allowed range"),
    ], below=0.8 / (0.62 * max(len(places), 1) + 0.4))
    return figure


def decision_map(drawn: Map, answer: Answer | None = None, path: Sequence[Step] = (), *,
                 ax: Axes | None = None) -> Figure:
    """Draw a map of two features, exactly, with the row, its counterfactual and the way there.

    Parameters
    ----------
    drawn : Map
        What `Explainer.map` gave.
    answer : Answer, optional
        Its point is shown; hollow where features change that the map holds as they are.
    path : sequence of Step
        What `Explainer.path` gave: the steps of the way, those along these features.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure, ax = new_axes(ax, (6.4, 5.2))
    explainer, places = drawn._explainer, drawn._places
    colour = text_colour()
    left, right, bottom, top = drawn.bounds.T
    corners = np.stack([np.column_stack(pair) for pair in (
        (left, bottom), (right, bottom), (right, top), (left, top))], axis=1)
    entries: list[Any] = []
    if drawn.meets.any() and len(drawn.costs) == len(drawn) and drawn.costs[drawn.meets].max() > 0:
        faces = PolyCollection(corners[drawn.meets], array=drawn.costs[drawn.meets],
                               cmap="viridis", alpha=0.8, edgecolors="none", antialiased=False)
        ax.add_collection(faces)
        _scale_bar(figure, ax, faces, "what other features' changes cost; empty: out of reach")
    elif (drawn.labels >= 0).any():
        names = [str(label) for label in explainer._labels(0)]
        wanted = {int(label) for label in drawn.labels[drawn.meets]}
        shades = {k: GREEN if wanted == {k} else CLASSES[k % len(CLASSES)]
                  for k in range(len(names))}
        for k in sorted(set(drawn.labels.tolist())):
            ax.add_collection(PolyCollection(corners[drawn.labels == k], facecolors=shades[k],
                                             alpha=0.42, edgecolors="none", antialiased=False))
            entries.append(Patch(facecolor=shades[k], alpha=0.42, label=plain(names[k])))
    elif drawn.outputs.size:
        outputs = drawn.outputs.reshape(len(drawn), -1)[:, 0]
        for meets, alpha in ((False, 0.35), (True, 0.95)):
            some = drawn.meets == meets
            faces = PolyCollection(corners[some], array=outputs[some], cmap="viridis", alpha=alpha,
                                   edgecolors="none", antialiased=False)
            faces.set_clim(outputs.min(), outputs.max())
            ax.add_collection(faces)
        unit = explainer.schema.output_unit
        _scale_bar(figure, ax, faces, (explainer.schema.outcome or "output")
                   + (f" ({unit})" if unit else "") + "; pale: not what is wanted")
    else:
        ax.add_collection(PolyCollection(corners[drawn.meets], facecolors=GREEN, alpha=0.42,
                                         edgecolors="none", antialiased=False))
        entries.append(Patch(facecolor=GREEN, alpha=0.42, label="within reach"))
    ax.plot(*drawn.here, "o", ms=9, mfc=GREY, mec="white", mew=1.2, zorder=5)
    entries.append(Line2D([], [], ls="none", marker="o", ms=8, mfc=GREY, mec="white",
                          label="the row"))
    if len(path):
        stops = [drawn.here, *(_at(explainer, step.point, places) for step in path)]
        stops = [stop for k, stop in enumerate(stops) if k == 0 or stop != stops[k - 1]]
        ax.plot(*zip(*stops, strict=True), color=colour, lw=1.6, ls="--", marker=".", zorder=4)
        entries.append(Line2D([], [], color=colour, lw=1.6, ls="--", label="the way there"))
    if answer is not None and answer.array is not None:
        others = sum(not set(explainer.columns.places_of(change.feature, "answer")) & set(places)
                     for change in answer.changes)
        spot = tuple(float(answer.array[i]) for i in places)
        if not len(path):
            ax.annotate("", spot, drawn.here, zorder=4,
                        arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.4,
                                    "shrinkA": 6, "shrinkB": 6})
        face = "none" if others else GREEN
        ax.plot(*spot, "D", ms=8.5, mfc=face, mec=GREEN if others else "white",
                mew=2 if others else 1.2, zorder=6)
        more = f" ({others} other feature{'s' if others > 1 else ''} change too)" if others else ""
        entries.append(Line2D([], [], ls="none", marker="D", ms=8, mfc=face,
                              mec=GREEN, label=f"the counterfactual{more}"))
    for axis, place, ends in ((ax.xaxis, places[0], drawn.view[0]),
                              (ax.yaxis, places[1], drawn.view[1])):
        _label_axis(axis, explainer, place)
        low, high = ends
        (ax.set_xlim if axis is ax.xaxis else ax.set_ylim)(
            low - 0.02 * (high - low), high + 0.02 * (high - low))
    legend(ax, entries, below=0.14)
    return figure


def _scale_bar(figure: Any, ax: Any, faces: Any, label: str) -> None:
    bar = figure.colorbar(faces, ax=ax)
    bar.set_label(label, color=text_colour())
    bar.ax.tick_params(colors=text_colour())
    bar.outline.set_visible(False)


def _at(explainer: Any, point: Any, places: tuple[int, int]) -> tuple[float, float]:
    numbers = explainer.columns.point(point, "path")
    return float(numbers[places[0]]), float(numbers[places[1]])


def _label_axis(axis: Any, explainer: Any, i: int) -> None:
    feature = explainer.schema.features[i]
    title = explainer.columns.titles[i]
    axis.set_label_text(wrapped(f"{title} ({feature.unit})" if feature.unit else title, 44))
    if feature.labels:
        axis.set_ticks(range(len(feature.labels)), [wrapped(label, 14) for label in feature.labels])


def menu(ways: Menu, *, ax: Axes | None = None) -> Figure:
    """Draw the ways out as a matrix of ways and features.

    Parameters
    ----------
    ways : Menu
        What `Explainer.menu` gave.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        A cell says what a way changes a feature to; the darker, the larger the change.
    """
    from matplotlib.patches import Rectangle

    found = [way for way in ways if way.found]
    titles: list[str] = []
    for way in found:
        titles += [change.title for change in way.changes if change.title not in titles]
    figure, ax = new_axes(ax, (2 + 1.35 * max(len(titles), 1), 1.1 + 0.62 * max(len(found), 1)))
    colour = text_colour()
    for y, way in enumerate(found):
        said = {change.title: change for change in way.changes}
        for x, title in enumerate(titles):
            change = said.get(title)
            if change is None:
                ax.text(x, y, "·", ha="center", va="center", color=colour, alpha=0.6)
                continue
            before, after, track = track_of_change(way, change)
            size, arrow = 1.0, ""
            if track is not None:
                size = abs(track.share(after) - track.share(before))
                arrow = "↑ " if after > before else "↓ "
            ax.add_patch(Rectangle((x - 0.47, y - 0.42), 0.94, 0.84, lw=0,
                                   color=np.array(SMALL) * (1 - size) + np.array(LARGE) * size))
            ax.text(x, y, wrapped(arrow + change.change_to, 16), ha="center", va="center",
                    color="white", fontsize="small", linespacing=1.0)
    ax.set_xlim(-0.5, max(len(titles), 1) - 0.5)
    ax.set_ylim(max(len(found), 1) - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(titles)), [wrapped(title, 14) for title in titles])
    ax.set_yticks(range(len(found)), [f"way {k}\ncost {way.cost:.3g}"
                                      for k, way in enumerate(found, 1)])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if not found:
        ax.text(0, 0, "there is no way" if ways.complete else "no way was found", ha="center",
                va="center", color=colour)
    return figure


def sweep(levels: Sweep, *, measure: str = "cost", label: str = "level asked for",
          ax: Axes | None = None) -> Figure:
    """Draw what each level of certainty, or of the output wanted, costs.

    Parameters
    ----------
    levels : Sweep
        What `Explainer.sweep` gave.
    measure : {"cost", "distance"}
        What is drawn.
    label : str
        Of the axis of levels, with its unit: "probability of granted".
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure
        A level that cannot be reached is crossed; where the search ended early, a bar goes down to
        the bound.
    """
    if measure not in ("cost", "distance"):
        raise Error("measure", f"no measure {measure!r}", 'Give "cost" or "distance"')
    figure, ax = new_axes(ax, (5.6, 3.4))
    colour = text_colour()
    there = [(level, answer) for level, answer in levels if answer.found]
    ax.step([level for level, _ in there], [getattr(answer, measure) for _, answer in there],
            where="pre", color=GREEN, lw=1.6, alpha=0.7)
    for done, face in ((True, GREEN), (False, "none")):
        some = [(level, answer) for level, answer in there if answer.proven is done]
        if some:
            ax.plot([level for level, _ in some], [getattr(answer, measure) for _, answer in some],
                    "o", ms=6.5, mfc=face, mec=GREEN, mew=1.5,
                    label="proven optimal" if done else "best found")
    for level, answer in there:
        if not answer.proven:
            low = answer.lower_bound if measure == "cost" else _core.distance(
                answer._query.norm, answer.lower_bound)
            ax.plot([level, level], [low, getattr(answer, measure)], color=AMBER, lw=2, zorder=1)
    most = max((getattr(answer, measure) for _, answer in there), default=1.0)
    lost = [level for level, answer in levels if answer.status == "infeasible"]
    if lost:
        ax.plot(lost, [most * 1.12] * len(lost), "x", color=RED, ms=7, mew=1.8,
                label="impossible (proven)")
    ax.set_ylim(0, most * 1.22)
    ax.set_xlabel(plain(label))
    ax.set_ylabel("cost of the change" if measure == "cost" else "distance (scales)")
    ax.grid(axis="y", color=colour, alpha=0.18)
    legend(ax)
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
        raise Error("recorded", "there is no report", "Give the answer as well")
    figure, ax = new_axes(ax, (5.6, 3.4))
    times, best, low = np.array(sorted(rows), dtype=float).T
    times, best, low = (np.concatenate([[first], values]) for first, values in (
        (0.0, times), (np.inf, best), (0.0, low)))
    shown = np.where(np.isfinite(best), best, np.nan)
    ax.step(times, shown, where="post", color=GREEN, lw=2, label="best found")
    ax.step(times, low, where="post", color=AMBER, lw=2, label="nothing cheaper exists than")
    ax.fill_between(times, low, shown, where=np.isfinite(shown), step="post", color=AMBER,
                    alpha=0.14, lw=0)
    ax.plot(times[-1], shown[-1], "o", color=GREEN, ms=6)
    ax.set_xlim(0, times[-1] * 1.03 or 1.0)
    highest = np.nanmax(np.append(shown, low.max()))
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
        Pixels, or whatever `inverse_transform` makes pixels of.
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
        raise Error("shape", f"{pixels.shape[1]} pixels are no image of {shape}",
                    "Give rows and columns as shape")
    one, two = (row.reshape(shape) for row in pixels)
    if ax is None:
        figure, ax = pyplot.subplots(1, 3, figsize=(7.2, 2.6), layout="constrained")
        see_through(figure)
        pyplot.close(figure)
    axes = list(np.ravel(ax))
    if len(axes) != 3:
        raise Error("ax", f"{len(axes)} axes for three images", "Give three")
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
