"""The report of a portfolio: shares, costs, changes, blocking rules, differences of groups."""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from boxwood._files import write_file
from boxwood._text import json_text
from boxwood.errors import Error, library
from boxwood.portfolio.manifest import Portfolio, load
from boxwood.portfolio.statistics import FOUND, Group, compare, histogram, top
from boxwood.records import version
from boxwood.schema import nearest

VERSION = 1
CUT = 10  # numbers with more different values than this are cut at their quartiles
MOST_GROUPS = 100
LISTED = 200  # unproven rows and errors that are listed one by one
SMALL = 30  # groups with fewer rows are marked


@dataclass(repr=False)
class Report:
    """What a portfolio shows.

    Parameters
    ----------
    facts : dict
        All numbers of the report; docs/formats.md.
    """

    facts: dict[str, Any]

    def to_json(self) -> str:
        """Return all numbers as JSON."""
        return json_text(self.facts, indent=2) + "\n"

    def to_html(self) -> str:
        """Return one HTML page with pictures that needs no network."""
        from boxwood.portfolio.html import page_of

        return page_of(self.facts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report, by the ending of the file: .html, .json or .txt.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        makers = {".html": self.to_html, ".json": self.to_json, ".txt": lambda: f"{self}\n"}
        make = makers.get(Path(path).suffix.lower())
        if make is None:
            raise Error(str(path), "unknown ending",
                        "Name a file that ends in .html, .json or .txt")
        write_file(path, make())

    def __repr__(self) -> str:
        from boxwood.portfolio.terminal import text_of

        return text_of(self.facts)

    def _repr_html_(self) -> str:
        # A notebook shows the page in a frame of its own: its styles are its own too.
        from html import escape

        return (f'<iframe srcdoc="{escape(self.to_html(), quote=True)}" '
                'style="width:100%;height:40em;border:0"></iframe>')


def report(folder: str | os.PathLike[str] | Portfolio, by: Iterable[str] | str = ()) -> Report:
    """Sum up a portfolio.

    Parameters
    ----------
    folder : str, path-like or Portfolio
        What `run` wrote to, finished or not.
    by : str or iterable of str
        Columns whose groups are compared: columns that were kept, or columns of the model. Numbers
        with more than ten different values are cut at their quartiles.

    Returns
    -------
    Report
        Print it, or save it as HTML, JSON or text.
    """
    portfolio = folder if isinstance(folder, Portfolio) else load(folder)
    names = [by] if isinstance(by, str) else list(by)
    faults = portfolio.check()
    if faults:
        raise Error(str(portfolio.folder), "; ".join(faults[:3]),
                    "The portfolio is damaged: run it again in another folder")
    dataset = portfolio.dataset()
    places = {name: _column_of(name, portfolio, dataset.schema.names) for name in names}
    needed = ["key", "status", "already_met", "cost", "changed", "changed_features", "changes",
              "blockers", "gap", "lower_bound", "stop", "error", "seconds"]
    table = dataset.to_table(columns=list(dict.fromkeys([*needed, *places.values()])))
    rows = _Rows(table)
    facts: dict[str, Any] = {"boxwood_report": VERSION, "boxwood_version": version(),
                             "portfolio": _head(portfolio), **rows.summary()}
    facts["groups"] = [{"by": name, **rows.groups(name, table.column(place))}
                       for name, place in places.items()]
    return Report(facts)


def _column_of(name: str, portfolio: Portfolio, known: list[str]) -> str:
    if not isinstance(name, str):
        raise Error("by", f"{name!r} is not the name of a column", "Give names")
    if name in portfolio.header["keep"]:
        return name
    titles = {title: column for column, title in portfolio.header["titles"].items()}
    for column in (name, titles.get(name, name)):
        if f"before_{column}" in known:
            return f"before_{column}"
    choices = [*portfolio.header["keep"], *portfolio.header["titles"]]
    raise Error("by", f'the records have no column "{name}"',
                nearest(name, choices) or "Name it in keep= when the portfolio is made")


def _head(portfolio: Portfolio) -> dict[str, Any]:
    header = portfolio.header
    return {"rows": portfolio.rows, "of": portfolio.total, "finished": portfolio.finished,
            "subject": header["subject"], "outcome": header["outcome"], "begun": header["begun"],
            "wanted": header.get("wanted", ""), "cost": header.get("cost", ""),
            **{name: header[name] for name in ("model_hash", "schema_hash", "question_hash",
                                               "source_hash", "question")}}


class _Rows:
    """The records, as arrays."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.status = np.array(table.column("status").to_pylist(), dtype=object)
        met = table.column("already_met").to_pylist()
        # Rows that have the outcome already need no change and are not part of any share.
        self.met = np.array([bool(one) for one in met], dtype=bool)
        self.asked = ~self.met & (self.status != "error")
        self.found = self.asked & np.isin(self.status, FOUND)
        self.impossible = self.asked & (self.status == "infeasible")
        self.cost = np.array(table.column("cost").to_pylist(), dtype=float)
        self.changed = np.array([one or 0 for one in table.column("changed").to_pylist()],
                                dtype=int)

    def _list(self, name: str, where: np.ndarray) -> list[Any]:
        return [value for value, kept in zip(self.table.column(name).to_pylist(), where,
                                             strict=True) if kept]

    def summary(self) -> dict[str, Any]:
        asked, found = int(self.asked.sum()), int(self.found.sum())
        costs = self.cost[self.found]
        whole = Group("all", asked, found, int(self.impossible.sum()), costs,
                      self.changed[self.found]).to_dict()
        features: Counter[str] = Counter()
        plans: Counter[tuple[str, ...]] = Counter()
        for names in self._list("changed_features", self.found):
            features.update(set(names))
            plans[tuple(sorted(names))] += 1
        blockers: Counter[str] = Counter()
        nothing = unasked = 0
        for rules in self._list("blockers", self.impossible):
            unasked += rules is None
            nothing += rules == []
            blockers.update(set(rules or ()))
        return {
            "already_met": int(self.met.sum()), "errors": int((self.status == "error").sum()),
            "all": whole, "statuses": dict(Counter(self.status.tolist()).most_common()),
            "costs": {"histogram": histogram(costs), "quantiles": _quantiles(costs)},
            "changed": [{"changes": int(count), "rows": int(rows)} for count, rows in
                        zip(*np.unique(self.changed[self.found], return_counts=True),
                            strict=True)],
            "features": top(features, found), "plans": top(plans, found, 10),
            "typical": self._examples(),
            "blockers": {"rules": top(blockers, int(self.impossible.sum())),
                         "whatever_is_lifted": nothing, "not_asked": unasked},
            "unproven": self._unproven(), "error_rows": self._errors()}

    def _examples(self) -> list[dict[str, Any]]:
        # The sparsest of the cheapest, the one of median cost, and the dearest.
        places = np.flatnonzero(self.found)
        if not len(places):
            return []
        order = places[np.argsort(self.cost[places], kind="stable")]
        fewest = self.changed[places].min()
        sparsest = next(row for row in order if self.changed[row] == fewest)
        chosen = (("fewest changes", sparsest), ("cheapest", order[0]),
                  ("median cost", order[(len(order) - 1) // 2]), ("dearest", order[-1]))
        return [{"which": which, "key": str(self.table.column("key")[int(row)].as_py()),
                 "cost": float(self.cost[row]), "changed": int(self.changed[row]),
                 "changes": self.table.column("changes")[int(row)].as_py()}
                for which, row in chosen]

    def _unproven(self) -> dict[str, Any]:
        rows = np.flatnonzero(self.asked & np.isin(self.status, ("feasible", "unknown")))
        names = ("key", "status", "stop", "cost", "lower_bound", "gap")
        listed = [{name: _plain(self.table.column(name)[int(row)].as_py()) for name in names}
                  for row in rows[:LISTED]]
        return {"count": len(rows), "listed": listed}

    def _errors(self) -> dict[str, Any]:
        rows = np.flatnonzero(self.status == "error")
        listed = [{"key": str(self.table.column("key")[int(row)].as_py()),
                   "error": self.table.column("error")[int(row)].as_py()} for row in rows[:LISTED]]
        return {"count": len(rows), "listed": listed}

    def groups(self, by: str, column: Any) -> dict[str, Any]:
        try:
            names, labels = _labels(column)
        except Error as error:
            raise Error(f'by, column "{by}"', error.reason, error.remedy) from None
        groups = []
        for name in names:
            of = labels == name
            found = self.found & of
            groups.append(Group(name, int((self.asked & of).sum()), int(found.sum()),
                                int((self.impossible & of).sum()), self.cost[found],
                                self.changed[found]))
        groups = [one for one in groups if one.rows]
        return {"small": SMALL, "groups": [one.to_dict() for one in groups],
                "compared": compare(groups)}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def _quantiles(costs: np.ndarray) -> dict[str, float]:
    if not len(costs):
        return {}
    shares = (0, 10, 25, 50, 75, 90, 99, 100)
    return {f"{share} %": float(value) for share, value in
            zip(shares, np.percentile(costs, shares), strict=True)}


def _labels(column: Any) -> tuple[list[str], np.ndarray]:
    """Name the group of each row; numbers and dates with many values are cut at their quartiles."""
    types = library("pyarrow").types
    kind = column.type
    if types.is_nested(kind) or (types.is_dictionary(kind) and types.is_nested(kind.value_type)):
        raise Error("by", f"its values are of type {kind}", "Give a column of texts or numbers")
    values = [None if value != value else value for value in column.to_pylist()]  # NaN is missing
    known = [value for value in values if value is not None]
    different = set(known)
    numeric = all(isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
                  for value in different)
    if len(different) > CUT and (numeric or types.is_temporal(kind)):
        cuts = _quartiles(known, numeric)
        texts = _numbers(cuts) if numeric else [str(cut) for cut in cuts]
        names = [f"at most {texts[0]}",
                 *(f"over {low} to {high}" for low, high in pairwise(texts)), f"over {texts[-1]}"]
        labels = [None if value is None else names[bisect_left(cuts, value)] for value in values]
    elif len(different) > MOST_GROUPS:
        raise Error("by", f"{len(different):,} different values are too many groups",
                    f"Sort them into at most {MOST_GROUPS} in the source, and keep that column")
    else:
        order = sorted(different, key=lambda one: (not numeric, one if numeric else str(one)))
        names = _numbers(order) if numeric else [str(value) for value in order]
        names = [name if name.strip() else f'"{name}"' for name in names]
        texts_of = dict(zip(order, names, strict=True))
        labels = [None if value is None else texts_of[value] for value in values]
    if None in labels:
        lost = "missing" if "missing" not in names else "missing (no value)"
        names = [*names, lost]
        labels = [lost if label is None else label for label in labels]
    return names, np.array(labels, dtype=object)


def _quartiles(known: list[Any], numeric: bool) -> list[Any]:
    if not numeric:
        ordered = sorted(known)
        return sorted({ordered[len(ordered) * share // 4] for share in (1, 2, 3)})
    finite = np.array([float(value) for value in known if math.isfinite(value)] or [0.0])
    return [float(cut) for cut in np.unique(np.percentile(finite, [25, 50, 75]))]


def _numbers(values: Sequence[Any]) -> list[str]:
    """Write different numbers briefly, but so that their texts differ too."""
    largest = max((abs(float(one)) for one in values if math.isfinite(one)), default=0.0)
    for digits in range(max(6, len(f"{min(largest, 1e16):.0f}")), 18):
        texts = [f"{float(one):.{digits}g}" for one in values]
        if len(set(texts)) == len(texts):
            return texts
    return [str(one) for one in values]
