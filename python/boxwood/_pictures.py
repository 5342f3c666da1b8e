"""What the plots share: axes, colours for light and dark pages, lines of features, text layout.

matplotlib is imported when something is drawn. If the user has set a style, its colours are used.
Otherwise figures are transparent, with text in a grey that is readable on white and on black.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from boxwood.answer import Answer, Change
    from boxwood.explainer import Explainer

GREEN, AMBER, GREY, BLUE, RED = "#2e9e6b", "#c98a1b", "#8a8f98", "#4c86c6", "#c65d57"
NEUTRAL = "#787e87"
DARK = "#1f2328"  # of marks and lines on the colours of a map
OURS = "boxwood"  # the label of figures that are made here


def text_colour() -> str:
    """Choose the colour of texts and lines."""
    import matplotlib

    return NEUTRAL if plain_style() else matplotlib.rcParams["text.color"]


def plain_style() -> bool:
    """Tell whether the user has left the colours at their defaults.

    Returns whether text is black, the default of matplotlib.
    """
    import matplotlib

    return matplotlib.rcParams["text.color"] == "black"


def new_axes(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    """Take the axes given, or make some on a transparent figure.

    `size` is the size of a new figure, in inches.
    """
    from matplotlib import pyplot

    if ax is None:
        figure, ax = pyplot.subplots(figsize=size, layout="constrained")
        see_through(figure)
        figure.set_label(OURS)
        pyplot.close(figure)  # a notebook shows what a cell returns, and would show it twice
    colour = text_colour()
    ax.tick_params(colors=colour, which="both")
    ax.xaxis.label.set_color(colour)
    ax.yaxis.label.set_color(colour)
    for side, spine in ax.spines.items():
        spine.set_color(colour)
        spine.set_alpha(0.5)
        spine.set_visible(side in ("left", "bottom"))
    return ax.figure, ax


def see_through(figure: Any) -> None:
    """Make a new figure transparent, unless the user has set a style."""
    if plain_style():
        figure.set_facecolor("none")
        for ax in figure.axes:
            ax.set_facecolor("none")


def headline(ax: Any, text: str) -> None:
    """Write a title above the axes, on the left."""
    ax.set_title(plain(text), loc="left", fontsize="medium", color=text_colour())


def notes(ax: Any, title: str, text: str) -> None:
    """Write a title above the axes and sentences at the foot of a new figure.

    On axes that the user gave the sentences stand below the title: other plots may be underneath.
    """
    if ax.figure.get_label() != OURS:
        # In the middle, where the user's own title replaces it.
        ax.set_title(wrapped(title, 60) + "\n" + wrapped(text, 60), fontsize="medium",
                     color=text_colour())
        return
    headline(ax, title)
    letters = int(ax.figure.get_figwidth() * 14)
    ax.figure.supxlabel(wrapped(text, letters), x=0.01, ha="left", fontsize="small",
                        color=text_colour(), linespacing=1.3)


def size_with_labels(size: tuple[float, float], x: Any, y: Any) -> tuple[float, float]:
    """Enlarge a figure by the room that the tick labels of its axes take.

    Returns inches for the figure.
    """
    down, left = (max((len(text) for _, text in axis.ticks), default=0) for axis in (x, y))
    return size[0] + 0.085 * left, size[1] + (0.06 * down if is_crowded(x) else 0.0)


def is_crowded(axis: Any) -> bool:
    """Tell whether the labels of a horizontal axis would touch each other."""
    labels = [text for _, text in axis.ticks]
    return bool(labels) and len(labels) * (max(map(len, labels)) + 2) > 60


def legend(ax: Any, handles: list[Any] | None = None, below: float | None = None) -> None:
    """Add a legend without a frame.

    `handles`: its entries; all that have a label by default. `below`: put it below the axes, this
    far down as a share of their height.
    """
    options: dict[str, Any] = {"frameon": False, "labelcolor": text_colour(), "fontsize": "small"}
    if handles is not None:
        options |= {"handles": handles, "ncols": len(handles) if len(handles) <= 3 else 2}
    if below is None:
        ax.legend(**options)
    elif ax.figure.get_label() == OURS:
        ax.figure.legend(loc="outside lower center", **options)
    else:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -below), **options)


@dataclass
class Track:
    """The range of one feature, on which positions are shares from 0 to 1.

    Parameters
    ----------
    low, high : float
        Its ends.
    feature : int
        Its number.
    """

    low: float
    high: float
    feature: int

    def share(self, value: float) -> float:
        """Give the position of a value, cut off at the ends.

        The position is a number from 0 to 1.
        """
        return float(np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0))


def track_of(explainer: Explainer, i: int, *values: float,
             ends: tuple[float, ...] = ()) -> Track | None:
    """Find the range on which values of a feature are shown.

    It contains all `values` that are finite, and `ends` if the feature has no limits. Returns None
    for categories and where all values are missing.
    """
    finite = [value for value in values if np.isfinite(value)]
    if explainer.schema.features[i].kind == "categorical" or not finite:
        return None
    low, high = explainer.limits(i)
    known = [*finite, *(end for end in ends if np.isfinite(end))]
    spread = max(known) - min(known)
    low = min(low, *finite) if np.isfinite(low) else min(known) - spread * 0.25
    high = max(high, *finite) if np.isfinite(high) else max(known) + spread * 0.25
    return Track(low, high, i) if high > low else None


def track_of_change(answer: Answer, change: Change) -> tuple[float, float, Track | None]:
    """Find where a change lies on the range of its feature.

    None for categories and one-hot groups, and if a number is missing.
    """
    places = answer.explainer.columns.places_of(change.feature, "answer")
    if answer.explainer.columns.group_of(places[0]) is not None or answer.array is None:
        return np.nan, np.nan, None
    before, after = float(answer.array_before[places[0]]), float(answer.array[places[0]])
    if not np.isfinite([before, after]).all():
        return before, after, None
    return before, after, track_of(answer.explainer, places[0], before, after)


class Rows:
    """Lines of a plot, one for each feature, high enough for their texts.

    Parameters
    ----------
    titles : list of str
        Of the features.
    texts : list of str
        Texts that are written in the lines.
    width : int
        Letters after which such a text is broken.
    least : float
        The least height of a line, in inches.
    """

    WIDTH = 30  # letters of a title

    def __init__(self, titles: list[str], texts: list[str], *, width: int = 36,
                 least: float = 0.7) -> None:
        self.titles = [wrapped(title, self.WIDTH, most=4) for title in titles]
        self.width = width
        lines = max((title.count("\n") + 1 for title in self.titles), default=1)
        inner = max((wrapped(text, width).count("\n") + 1 for text in texts), default=1)
        self.pitch = max(least, 0.18 * lines + 0.12, 0.16 * inner + 0.2)
        self.height = self.pitch * max(len(titles), 1)

    def above(self, inches: float) -> float:
        """Turn a distance in inches into one of lines."""
        return inches / self.pitch

    def line(self, ax: Any, y: int, explainer: Explainer, track: Track) -> None:
        """Draw the range of a number, with its ends."""
        ax.plot([0, 1], [y, y], color=text_colour(), alpha=0.3, lw=1, zorder=1)
        for share, value, side in ((0, track.low, "left"), (1, track.high, "right")):
            words = explainer.core.value_text(track.feature, value)
            ax.text(share, y + self.above(0.08), plain(words), ha=side, va="top",
                    color=text_colour(), alpha=0.85, fontsize="x-small")

    def text(self, ax: Any, x: float, y: int, words: str, side: str) -> None:
        """Write above a line."""
        ax.text(x, y - self.above(0.11), wrapped(words, 2 * self.width), ha=side, va="bottom",
                color=text_colour(), fontsize="small", linespacing=1.0)

    def side_by_side(self, ax: Any, y: int, now: str, then: str) -> None:
        """Draw two texts that have no place in a range, with an arrow from one to the other."""
        for x, words, kind in ((0.0, now, "now"), (0.5, then, "change to")):
            self.mark(ax, x, y, kind)
            ax.text(x + 0.03, y, wrapped(words, self.width), ha="left", va="center",
                    color=text_colour(), fontsize="small", linespacing=1.0)
        ax.annotate("", (0.48, y), (0.43, y), arrowprops={"arrowstyle": "->",
                                                          "color": text_colour()})

    @staticmethod
    def _style(kind: str) -> dict[str, Any]:
        return {
            "now": {"marker": "o", "ms": 7, "mfc": GREY, "mec": GREY, "label": "now"},
            "change to": {"marker": "D", "ms": 7, "mfc": GREEN, "mec": "white", "mew": 0.6,
                          "label": "change to"},
            "included": {"marker": "o", "ms": 7.5, "mfc": RED, "mec": RED, "mew": 1.6,
                         "label": "the model's limit, included"},
            "excluded": {"marker": "o", "ms": 7.5, "mfc": "none", "mec": RED, "mew": 1.6,
                         "label": "the model's limit, excluded"},
            "allowed": {"marker": "|", "ms": 13, "mfc": text_colour(), "mec": text_colour(),
                        "mew": 2.2, "label": "end of the allowed range"},
        }[kind]

    def mark(self, ax: Any, x: float, y: int, kind: str) -> None:
        """Draw a mark."""
        order = {"now": 3, "change to": 5}.get(kind, 4)  # a limit may lie where the value is now
        ax.plot(x, y, ls="none", zorder=order, **self._style(kind) | {"label": kind})

    def finish(self, ax: Any) -> None:
        """Name the lines."""
        ax.set_yticks(range(len(self.titles)), self.titles)
        ax.set_ylim(max(len(self.titles), 1) - 0.5, -0.5)
        ax.set_xlim(-0.03, 1.03)
        ax.set_xticks([])
        ax.tick_params(axis="y", length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)

    def legend(self, ax: Any, kinds: list[str]) -> None:
        """Explain the marks that are drawn."""
        from matplotlib.lines import Line2D

        order = ["now", "change to", "included", "excluded", "allowed"]
        legend(ax, [Line2D([], [], ls="none", **self._style(kind))
                    for kind in order if kind in kinds], below=0.1 / self.height)


def draw_axis(axis: Any, shown: Any, *, turned: bool = False) -> None:
    """Give an axis the limits, ticks and title that the core chose.

    `turned`: slant labels that would touch each other.
    """
    across = axis.axis_name == "x"
    ax = axis.axes
    (ax.set_xscale if across else ax.set_yscale)(shown.scale)
    (ax.set_xlim if across else ax.set_ylim)(shown.low, shown.high)
    labels = [text for _, text in shown.ticks]
    axis.set_ticks([at for at, _ in shown.ticks], [plain(text) for text in labels])
    axis.set_minor_locator(_no_ticks())
    axis.set_label_text(wrapped(shown.title, 56 if across else 44))
    if turned and is_crowded(shown):
        for label in axis.get_ticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor", fontsize="small")


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def beside(share: float) -> str:
    """Say how a text at a position is aligned so that it stays within the axes.

    `share`: from 0 to 1. Returns "left", "center" or "right".
    """
    return "left" if share < 0.3 else "right" if share > 0.7 else "center"


def plain(text: str) -> str:
    """Keep matplotlib from reading formulas between dollars."""
    return text.replace("$", r"\$")


def wrapped(text: str, width: int, most: int | None = None) -> str:
    """Break a text into lines, and keep matplotlib from reading formulas in it."""
    return plain(broken(text, width, most))


def broken(text: str, width: int, most: int | None = None) -> str:
    """Break a text into lines, between words or after the signs that join parts of a name.

    `width`: the most letters of a line. `most`: the most lines; an ellipsis ends the last one where
    there is more.
    """
    lines = [""]
    for part in re.findall(r"[^\s_./-]+[_./-]*\s*|[_./-]+\s*|\s+", text):
        while len((lines[-1] + part).rstrip()) > width and part:
            if lines[-1]:
                lines.append("")
            else:  # one part is longer than a line
                lines[-1], part = part[:width], part[width:]
        lines[-1] += part
    lines = [line.rstrip() for line in lines if line.strip()] or [text]
    if most is not None and len(lines) > most:
        lines = [*lines[:most - 1], lines[most - 1][:width - 1] + "…"]
    return "\n".join(lines)
