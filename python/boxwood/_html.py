"""HTML that the core does not write: explainers, schemas, batches, wide regions and maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from boxwood import _core

if TYPE_CHECKING:
    from boxwood.answer import Answer
    from boxwood.batch import Batch
    from boxwood.explainer import Explainer
    from boxwood.results import Map
    from boxwood.schema import Schema

ROWS = 20
LABELS = 12


def badge(answer: Answer) -> tuple[str, str]:
    """Return what is proven in a word or two, and a colour for it."""
    return answer.claim.badge


def plain_number(value: float) -> str:
    """Write a number for people.

    Whole numbers are written in full, others with at most six significant digits and without an
    exponent.
    """
    if not np.isfinite(value):
        return str(value)
    short = float(value) if float(value).is_integer() else float(f"{value:.6g}")
    return np.format_float_positional(short, trim="-") if abs(short) < 1e15 else f"{short:g}"


def _feature_lines(schema: Schema) -> list[list[str]]:
    lines = [["feature", "kind", "values", "may change"]]
    for feature in schema.features:
        labels = [str(label) for label in feature.labels or []]
        if len(labels) > LABELS:
            labels = [*labels[:LABELS], f"… ({len(labels)} in all)"]
        values = " · ".join(labels)  # labels may have commas
        if not values and feature.range is not None:
            low, high = ("" if end is None else plain_number(end) for end in feature.range)
            values = f"{low} to {high}"
        unit = f" {feature.unit}" if feature.unit and values else ""
        lines.append([feature.title or feature.name, str(feature.kind or ""), values + unit,
                      "no" if feature.fixed else "yes"])
    return lines


def schema_html(schema: Schema) -> str:
    """Write the features of a schema as a table."""
    return _core.html_table([repr(schema).strip("<>")], _feature_lines(schema), [])


def explainer_html(explainer: Explainer) -> str:
    """Write what an explainer explains, with the features of its schema."""
    told = [line.strip() for line in repr(explainer).strip("<>").splitlines()]
    return _core.html_table(told, _feature_lines(explainer.schema), [])


def batch_html(batch: Batch) -> str:
    """Write the first rows of a batch and how many have which status."""
    lines = [["row", "status", "cost", "what changes"]]
    frame = list(zip(batch.index, batch, strict=True))
    for label, answer in frame[:ROWS]:
        if answer is None or isinstance(answer, Exception):
            lines.append([str(label), "not answered" if answer is None else "error", "",
                          "" if answer is None else str(answer)])
            continue
        lines.append([str(label), answer.status, f"{answer.cost:.4g}" if answer.found else "",
                      "nothing" if answer.already_met else
                      " · ".join(f"{change.title}: {change.change_to}"
                                 for change in answer.changes)])
    more = len(frame) - ROWS
    notes = [f"{more} more rows: see to_frame()."] if more > 0 else []
    return _core.html_table([batch.headline], lines, notes)


def wide_html(words: Mapping[str, str], titles: Mapping[str, str], ending: str) -> str:
    """Write what every feature of a wide region may be."""
    lines = [["feature", "anything in"],
             *([titles.get(name, name), text] for name, text in words.items())]
    return _core.html_table(["Every combination of these values has the outcome:"], lines, [ending])


def map_html(drawn: Map) -> str:
    """Write a map as a picture that follows the reader's preference for light or dark."""
    import base64

    picture = base64.b64encode(drawn.to_svg().encode()).decode()
    return f'<img alt="map of decision regions" src="data:image/svg+xml;base64,{picture}"/>'
