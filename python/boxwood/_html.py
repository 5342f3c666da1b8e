"""Answers in a notebook: a badge, a table with a dumbbell for each change, and the sentence.

Colours are the page's own with some transparency, so that light and dark pages both read well.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boxwood.answer import Answer

GREEN, AMBER, GREY = "#2e9e6b", "#c98a1b", "#8a8f98"
CELL = "padding:2px 12px 2px 0;text-align:left;border:none"


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


def _shares(answer: Answer, name: str) -> tuple[float, float, float, float] | None:
    # None where there is nothing to scale by: categories, missing values.
    explainer = answer._explainer
    i = explainer.columns.index(name, "answer")
    feature = explainer.schema.features[i]
    after = answer.array
    if after is None or feature.kind == "categorical" or np.isnan([answer._start[i],
                                                                   after[i]]).any():
        return None
    region = answer.region[name]
    low, high = explainer.limits(i)
    low = min(low, answer._start[i], after[i])
    high = max(high, answer._start[i], after[i])
    if not high > low:
        return None
    return tuple((value - low) / (high - low)
                 for value in (answer._start[i], after[i], max(region.lower, low),
                               min(region.upper, high)))


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
    sentences = answer._explainer.core.sentences(answer._query, answer._core, answer._row)
    parts = [
        '<div style="font-family:sans-serif;font-size:14px;line-height:1.5">',
        f'<span style="background:{colour};color:#fff;border-radius:9px;padding:1px 9px;'
        f'font-size:12px">{escape(words)}</span> <span>{escape(sentences[0])}</span>',
    ]
    if answer.changes:
        head = "".join(f'<th style="{CELL};font-weight:600">{title}</th>'
                       for title in ("feature", "now", "change to", "", "anything in"))
        parts.append(f'<table style="border-collapse:collapse;margin:6px 0"><tr>{head}</tr>')
        for change in answer.changes:
            shares = _shares(answer, change.feature)
            cells = [escape(change.title), escape(change.now), f"<b>{escape(change.change_to)}</b>",
                     dumbbell(shares) if shares else "", escape(change.anything_in)]
            row = "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells)
            parts.append(f"<tr>{row}</tr>")
        parts.append("</table>")
    rest = sentences[2:] if answer.changes else sentences[1:]
    parts.append(f'<div style="opacity:.75">{escape(" ".join(rest))}</div></div>')
    return "".join(parts)
