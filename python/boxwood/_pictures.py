"""What the plots share: axes, colours that read on light and on dark, positions within ranges.

matplotlib is imported when something is drawn. Where the user has set a style, its colours count;
otherwise figures are transparent and written in a grey that reads on white and on black.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from boxwood.answer import Answer, Change
    from boxwood.explainer import Explainer

GREEN, AMBER, GREY, BLUE, RED = "#2e9e6b", "#c98a1b", "#8a8f98", "#4c86c6", "#c65d57"
NEUTRAL = "#787e87"
OURS = "boxwood"  # the label of figures that are made here
# Of classes, in their order; green is kept for what is wanted.
CLASSES = ("#8a8f98", "#4c86c6", "#c98a1b", "#9a6fb8", "#c65d57", "#4aa3a3", "#a8744f", "#7d8f3d")


def text_colour() -> str:
    """Choose the colour of texts and lines.

    Returns
    -------
    str
        A colour of matplotlib's.
    """
    import matplotlib

    return NEUTRAL if plain_style() else matplotlib.rcParams["text.color"]


def plain_style() -> bool:
    """Tell whether the user has chosen no colours of his own.

    Returns
    -------
    bool
        Whether text is black, as it is by default.
    """
    import matplotlib

    return matplotlib.rcParams["text.color"] == "black"


def new_axes(ax: Any, size: tuple[float, float]) -> tuple[Any, Any]:
    """Take the axes given, or make some on a transparent figure.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        Those given.
    size : tuple of float
        Of a new figure, in inches.

    Returns
    -------
    tuple
        Figure and axes.
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
    """Let the page shine through a new figure, unless the user's style says otherwise.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, with its axes.
    """
    if plain_style():
        figure.set_facecolor("none")
        for ax in figure.axes:
            ax.set_facecolor("none")


def headline(ax: Any, text: str) -> None:
    """Write a title above the axes, on the left.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where.
    text : str
        The title.
    """
    ax.set_title(plain(text), loc="left", fontsize="medium", color=text_colour())


def legend(ax: Any, handles: list[Any] | None = None, below: float | None = None) -> None:
    """Add a legend without a frame.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where.
    handles : list, optional
        Its entries; all that have a label by default.
    below : float, optional
        Put it below the axes, this far down as a share of their height.
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
    """

    low: float
    high: float

    def share(self, value: float) -> float:
        """Give the position of a value, cut off at the ends.

        Parameters
        ----------
        value : float
            As the model reads it.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0))


def track_of(explainer: Explainer, i: int, *values: float,
             ends: tuple[float, ...] = ()) -> Track | None:
    """Find the range on which values of a feature are shown.

    Parameters
    ----------
    explainer : Explainer
        Whose feature it is.
    i : int
        The feature.
    *values : float
        What must be on it; infinite and missing ones do not count.
    ends : tuple of float
        What should be on it where the feature has no limits.

    Returns
    -------
    Track or None
        None where there is no order: of categories, or with nothing but missing values.
    """
    finite = [value for value in values if np.isfinite(value)]
    if explainer.schema.features[i].kind == "categorical" or not finite:
        return None
    low, high = explainer.limits(i)
    known = [*finite, *(end for end in ends if np.isfinite(end))]
    spread = max(known) - min(known)
    low = min(low, *finite) if np.isfinite(low) else min(known) - spread * 0.25
    high = max(high, *finite) if np.isfinite(high) else max(known) + spread * 0.25
    return Track(low, high) if high > low else None


def track_of_change(answer: Answer, change: Change) -> tuple[float, float, Track | None]:
    """Find where a change lies on the range of its feature.

    Parameters
    ----------
    answer : Answer
        The answer.
    change : Change
        One of its changes.

    Returns
    -------
    tuple
        The numbers before and after, and the range; None for categories and one-hot groups, and
        where a number is missing.
    """
    places = answer.explainer.columns.places_of(change.feature, "answer")
    if answer.explainer.columns.group_of(places[0]) is not None or answer.array is None:
        return np.nan, np.nan, None
    before, after = float(answer.array_before[places[0]]), float(answer.array[places[0]])
    if not np.isfinite([before, after]).all():
        return before, after, None
    return before, after, track_of(answer.explainer, places[0], before, after)


def beside(share: float) -> str:
    """Say how a text at a position is aligned so that it stays within the axes.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Returns
    -------
    str
        "left", "center" or "right".
    """
    return "left" if share < 0.3 else "right" if share > 0.7 else "center"


def plain(text: str) -> str:
    """Keep matplotlib from reading formulas between dollars.

    Parameters
    ----------
    text : str
        A title, a unit, a label.

    Returns
    -------
    str
        What is shown as that text.
    """
    return text.replace("$", r"\$")


def wrapped(text: str, width: int) -> str:
    """Break a text into lines.

    Parameters
    ----------
    text : str
        The text.
    width : int
        Of a line, in letters.

    Returns
    -------
    str
        The lines.
    """
    import textwrap

    return plain("\n".join(textwrap.wrap(text, width, break_long_words=False)) or text)
