"""HTML of what has no result object in the core: explainers, schemas, batches and maps."""

from __future__ import annotations

import base64
from collections import Counter
from typing import TYPE_CHECKING

from boxwood import _core

if TYPE_CHECKING:
    from boxwood.answer import Answer
    from boxwood.batch import Batch
    from boxwood.explainer import Explainer
    from boxwood.results import Map
    from boxwood.schema import Schema

ROWS = 20


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
    return answer.claim.badge


def _feature_lines(schema: Schema) -> list[list[str]]:
    lines = [["feature", "kind", "values", "may change"]]
    for feature in schema.features:
        values = ", ".join(map(str, feature.labels or []))
        if not values and feature.range is not None:
            low, high = feature.range
            values = f"{'' if low is None else low} to {'' if high is None else high}"
        unit = f" {feature.unit}" if feature.unit and values else ""
        lines.append([feature.title or feature.name, str(feature.kind or ""), values + unit,
                      "fixed" if feature.fixed else "yes"])
    return lines


def schema_html(schema: Schema) -> str:
    """Write the features of a schema as a table.

    Parameters
    ----------
    schema : Schema
        The schema.

    Returns
    -------
    str
        One element.
    """
    return _core.html_table([repr(schema).strip("<>")], _feature_lines(schema), [])


def explainer_html(explainer: Explainer) -> str:
    """Write what an explainer explains, with the features of its schema.

    Parameters
    ----------
    explainer : Explainer
        The explainer.

    Returns
    -------
    str
        One element.
    """
    told = [line.strip() for line in repr(explainer).strip("<>").splitlines()]
    return _core.html_table(told, _feature_lines(explainer.schema), [])


def batch_html(batch: Batch) -> str:
    """Write the first rows of a batch and how many have which status.

    Parameters
    ----------
    batch : Batch
        The batch.

    Returns
    -------
    str
        One element.
    """
    lines = [["row", "status", "cost", "what changes"]]
    frame = list(zip(batch.index, batch, strict=True))
    for label, answer in frame[:ROWS]:
        if answer is None or isinstance(answer, Exception):
            lines.append([str(label), "not answered" if answer is None else "error", "",
                          "" if answer is None else str(answer)])
            continue
        lines.append([str(label), answer.status, f"{answer.cost:.4g}" if answer.found else "",
                      " · ".join(f"{change.title}: {change.change_to}"
                                 for change in answer.changes)])
    counts = Counter(batch.statuses)
    title = f"Batch of {len(batch)} rows: " + ", ".join(
        f"{count} {status}" for status, count in counts.most_common())
    more = len(frame) - ROWS
    return _core.html_table([title], lines, [f"{more} more rows: see to_frame()."] if more > 0
                            else [])


def map_html(drawn: Map) -> str:
    """Write a map as a picture that follows the reader's preference for light or dark.

    Parameters
    ----------
    drawn : Map
        The map.

    Returns
    -------
    str
        One element.
    """
    picture = base64.b64encode(drawn.to_svg().encode()).decode()
    return f'<img alt="map of decision regions" src="data:image/svg+xml;base64,{picture}"/>'
