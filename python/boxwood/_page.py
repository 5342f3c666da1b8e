"""The page for browsers with a model, its schema and some rows inside."""

from __future__ import annotations

import csv
import io
import os
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from boxwood import _core
from boxwood._files import write_file
from boxwood.errors import Error

if TYPE_CHECKING:
    from boxwood.explainer import Explainer


def built_page() -> str:
    """Give the text of the page that `make page` built, which packages contain."""
    inside = resources.files("boxwood") / "page.html"
    if not inside.is_file():
        raise Error("page", "this package was built without the page",
                    "Run `make page` in the source tree and install the package again")
    return inside.read_text(encoding="utf-8")


def rows_as_csv(explainer: Explainer, points: np.ndarray) -> str:
    """Write points with the labels of their categories, as the command reads them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    features = list(explainer.schema)
    writer.writerow([feature.name for feature in features])
    for point in points:
        cells = []
        for feature, value in zip(features, point, strict=True):
            labels = feature.labels or []
            if np.isnan(value):
                cells.append("")
            elif float(value).is_integer() and 0 <= value < len(labels):
                cells.append(labels[int(value)])
            else:
                cells.append(repr(float(value)))
        writer.writerow(cells)
    return text.getvalue()


def write_page(explainer: Explainer, points: np.ndarray, path: str | os.PathLike[str], title: str,
               question: str = "") -> None:
    """Write the page; `question` is a question file that it asks first."""
    if len(explainer.names) > 1:
        raise Error("page", "the page asks about one model, and this explainer has "
                    f"{len(explainer.names)}", "Make an Explainer of one of them")
    if len(points) == 0:
        raise Error("rows", "there is none", "Give the rows that the page shows")
    model = explainer.core.ensemble(0)
    page = _core.fill_page(built_page(), title or f"{model.source}", model.to_json(),
                           rows_as_csv(explainer, points), explainer.schema.to_json(), 0, question)
    write_file(path, page)
