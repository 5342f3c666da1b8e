"""Answers in a notebook: a badge, a table with a dumbbell for each change, and the sentence.

Colours are the page's own with some transparency, so that light and dark pages both read well.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import numpy as np

from boxwood._pictures import AMBER, GREEN, GREY, track_of

if TYPE_CHECKING:
    from boxwood.answer import Answer
    from boxwood.results import Menu

CELL = "padding:3px 16px 3px 0;text-align:left;vertical-align:middle;border:none"

FRAME = '<div style="font-family:sans-serif;font-size:14px;line-height:1.5">'
TABLE = '<table style="border-collapse:collapse;margin:6px 0;font-size:inherit;color:inherit">'


def badge(answer: Answer) -> tuple[str, str]:
    """Say in a word or two what is proven.

    Parameters
    ----------
    answer : Answer
        The answer.

    Returns
    -------
    tuple of str
        The words and their colour.
    """
    if answer.already_met:
        return "nothing to change", GREEN
    if answer.status == "optimal":
        return "proven optimal", GREEN
    if answer.status == "infeasible":
        return "proven impossible", GREY
    if answer.status == "feasible":
        return f"gap {100 * answer.gap:.1f} %", AMBER
    return "nothing found yet", AMBER


def dumbbell(position: tuple[float, float, float, float]) -> str:
    """Draw before and after on the feature's range, with the interval that will do.

    Parameters
    ----------
    position : tuple of float
        Before, after, and the ends of the interval, as shares of the range.

    Returns
    -------
    str
        An inline picture.
    """
    before, after, low, high = (6 + 108 * min(max(share, 0.0), 1.0) for share in position)
    return (
        '<svg width="120" height="16" role="img" aria-label="before and after">'
        '<line x1="6" x2="114" y1="8" y2="8" stroke="currentColor" stroke-opacity=".2"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="8" y2="8" stroke="{GREEN}" '
        'stroke-opacity=".35" stroke-width="8"/>'
        f'<line x1="{before:.1f}" x2="{after:.1f}" y1="8" y2="8" stroke="currentColor"/>'
        f'<circle cx="{before:.1f}" cy="8" r="3.5" fill="{GREY}"/>'
        f'<circle cx="{after:.1f}" cy="8" r="4" fill="{GREEN}"/></svg>'
    )


def escape(text: str) -> str:
    """Make a text part of a page, with thousands that are not torn apart.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        HTML.
    """
    return re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "&nbsp;", html.escape(text))


def _shares(answer: Answer, name: str) -> tuple[float, float, float, float] | None:
    # None where there is nothing to scale by: categories, missing values.
    columns = answer.explainer.columns
    if answer.array is None or any(name == group.title for group in columns.groups):
        return None
    i = columns.index(name, "answer")
    before, after = float(answer.array_before[i]), float(answer.array[i])
    region = answer.region[name]
    track = track_of(answer.explainer, i, before, after, ends=(region.lower, region.upper))
    if track is None or not np.isfinite([before, after]).all():
        return None
    low, high = region.lower, region.upper
    if answer.explainer.schema.features[i].kind != "continuous":
        # Up to the last whole number inside, not to the first beyond.
        low = np.ceil(low) + (not region.lower_closed and low == np.ceil(low))
        high = np.floor(high) - (not region.upper_closed and high == np.floor(high))
    return track.share(before), track.share(after), track.share(low), track.share(high)


def menu_html(ways: Menu) -> str:
    """Write the ways out as HTML, one row each.

    Parameters
    ----------
    ways : Menu
        The ways.

    Returns
    -------
    str
        One element.
    """
    rows = []
    for k, way in enumerate(ways, 1):
        proven = "" if way.proven else " (not proven)"
        told = "<br>".join(f"{escape(change.title)}: {escape(change.now)} → "
                           f"<b>{escape(change.change_to)}</b>" for change in way.changes)
        rows.append("".join(f'<td style="{CELL}">{cell}</td>'
                            for cell in (str(k), told, f"cost {way.cost:.4g}{proven}")))
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    return (f'{FRAME}{TABLE}{table}</table><div style="opacity:.75">{escape(ways.ending())}</div>'
            "</div>")


def answer_html(answer: Answer) -> str:
    """Write an answer as HTML.

    Parameters
    ----------
    answer : Answer
        The answer.

    Returns
    -------
    str
        One element.
    """
    words, colour = badge(answer)
    sentences = answer.explainer.core.sentences(answer._query, answer._core, answer._row)
    parts = [
        FRAME,
        f'<span style="background:{colour};color:#fff;border-radius:9px;padding:1px 9px;'
        f'font-size:12px">{escape(words)}</span> <span>{escape(sentences[0])}</span>',
    ]
    if answer.changes:
        head = "".join(f'<th style="{CELL};font-weight:600">{title}</th>'
                       for title in ("feature", "now", "change to", "", "anything in"))
        parts.append(f"{TABLE}<tr>{head}</tr>")
        for change in answer.changes:
            shares = _shares(answer, change.feature)
            cells = [escape(change.title), escape(change.now), f"<b>{escape(change.change_to)}</b>",
                     dumbbell(shares) if shares else "", escape(change.anything_in)]
            row = "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells)
            parts.append(f"<tr>{row}</tr>")
        parts.append("</table>")
        # The third sentence is the table again.
        parts.append(f"<div>{escape(sentences[1])}</div>")
    rest = sentences[3:] if answer.changes else sentences[1:]
    parts.append(f'<div style="opacity:.75">{escape(" ".join(rest))}</div></div>')
    return "".join(parts)
