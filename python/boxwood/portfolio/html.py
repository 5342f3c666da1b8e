"""The report of a portfolio as one HTML page: inline pictures, no network, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from unicodedata import east_asian_width

from boxwood._text import printable_facts
from boxwood.portfolio.terminal import (
    between,
    headline,
    marked,
    number,
    percent,
    shortened,
    small_note,
)

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d9dee5;--bar:#0f766e;
--pale:#cfe6e3;--paper:#fff;--warn:#9a3412}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa6b5;--line:#333c48;--bar:#2dd4bf;
--pale:#1d4a46;--paper:#12171e;--warn:#fdba74}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:58rem;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
p{margin:.4rem 0}.soft,figcaption,small{color:var(--soft)}.warn{color:var(--warn)}
figure{margin:.6rem 0;overflow-x:auto}li,td.text{overflow-wrap:anywhere}td.text{min-width:5rem}
svg{max-width:100%;min-width:34rem;height:auto;font:13px system-ui,sans-serif}
svg text{fill:var(--ink)}svg .soft{fill:var(--soft)}
.bar{fill:var(--bar)}.pale{fill:var(--pale)}.axis{stroke:var(--line)}
.mark{stroke:var(--ink);stroke-width:1.5}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:right;padding:.3rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
th:first-child,td:first-child,td.text,th.text{text-align:left}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.8rem}
.card{border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.card b{display:block;font-size:1.5rem}code{font-size:.85em;overflow-wrap:anywhere}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--bar:#0f766e;--pale:#cfe6e3;--paper:#fff}
body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}
figure,tr,.card{break-inside:avoid}.wide,figure{overflow-x:visible}svg{min-width:0}}
"""


def page_of(facts: dict[str, Any]) -> str:
    """Write the report as HTML.

    Parameters
    ----------
    facts : dict
        Of the report.

    Returns
    -------
    str
        A whole page.
    """
    facts = printable_facts(facts)
    portfolio = facts["portfolio"]
    title = escape(headline(facts))
    wanted = f"<p>{escape(_asked(portfolio))}</p>" if portfolio["wanted"] else ""
    parts = [f"<h1>{title}</h1>", wanted,
             f'<p class="soft">Begun {escape(portfolio["begun"])}, Boxwood '
             f'{escape(facts["boxwood_version"])}. Shares count rows that do not have the outcome '
             "already and are no errors.</p>"]
    if not portfolio["finished"]:
        parts.append(f'<p class="warn">Not finished: {portfolio["rows"]:,} of {portfolio["of"]:,} '
                     "rows are done.</p>")
    parts += [_cards(facts), _costs(facts),
              _bars("Changes most often needed", facts["features"],
                    "Share of the rows with a change in which the feature changes."),
              _bars("Plans", [{**one, "name": " + ".join(one["name"])} for one in facts["plans"]],
                    "Features that change together, as a share of the rows with a change."),
              _typical(facts["typical"]), _blockers(facts)]
    parts += [_groups(entry) for entry in facts["groups"]]
    parts += [_unproven(facts["unproven"]), _errors(facts["error_rows"]), _method(facts)]
    body = "\n".join(part for part in parts if part)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n")


def _asked(portfolio: dict[str, Any]) -> str:
    rules = "; ".join(portfolio["question"]["words"]) or "none besides the schema's"
    return f"Wanted: {portfolio['wanted']}. Cost: {portfolio['cost']}. Rules: {rules}."


def _cards(facts: dict[str, Any]) -> str:
    whole = facts["all"]
    within = between(whole["median_low"], whole["median_high"])
    cards = [(percent(whole["share"]), f"have a change: {whole['found']:,} of {whole['rows']:,} "
              f"({between(whole['share_low'], whole['share_high'], share=True)})"),
             (number(whole["median_cost"]), "median cost" + (f" ({within})" if within else "")),
             (f"{whole['impossible']:,}", "proven to have none"),
             (f"{facts['unproven']['count']:,}", "not proven within the limits"),
             (f"{facts['already_met']:,}", "have the outcome already"),
             (f"{facts['errors']:,}", "rows with errors")]
    return '<div class="cards">' + "".join(
        f'<div class="card"><b>{escape(value)}</b>{escape(words)}</div>' for value, words in cards
    ) + "</div>"


def _svg(width: int, height: int, label: str, shapes: Sequence[str]) -> str:
    return (f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(label, quote=True)}">{"".join(shapes)}</svg>')


def _costs(facts: dict[str, Any]) -> str:
    bins = facts["costs"]["histogram"]
    if not bins:
        return ""
    most = max(one["count"] for one in bins) or 1
    wide, tall = 720 / len(bins), 150
    shapes = ['<line class="axis" x1="0" y1="160" x2="720" y2="160"/>']
    for i, one in enumerate(bins):
        size = tall * one["count"] / most
        words = f"{number(one['lower'])} to {number(one['upper'])}: {one['count']:,} rows"
        shapes.append(f'<rect class="bar" x="{i * wide + 1:.1f}" y="{160 - size:.1f}" '
                      f'width="{wide - 2:.1f}" height="{size:.1f}"><title>{words}</title></rect>')
    top = bins[-1]["lower"] + (bins[-1]["lower"] - bins[-2]["lower"] if len(bins) > 1 else 0)
    for place, value in ((0, 0.0), (360, top / 2), (720, top)):
        anchor = {0: "start", 720: "end"}.get(place, "middle")
        more = " and more" if place == 720 and len(bins) > 1 else ""
        shapes.append(f'<text class="soft" x="{place}" y="178" text-anchor="{anchor}">'
                      f"{number(value)}{more}</text>")
    quantiles = facts["costs"]["quantiles"]
    table = _table(list(quantiles), [[number(value) for value in quantiles.values()]], ())
    counts = _bars("", [{"name": "1 change" if one["changes"] == 1 else f"{one['changes']} changes",
                         "count": one["rows"], "share": one["rows"] / facts["all"]["found"]}
                        for one in facts["changed"]], "How many features change.")
    return ("<h2>What it costs</h2><figure>" + _svg(720, 184, "Histogram of costs", shapes)
            + "<figcaption>Cost of the cheapest change; the last bar holds everything dearer than "
            "the 99th percentile. Percentiles:</figcaption></figure>" + table + counts)


def _bars(title: str, entries: list[dict[str, Any]], caption: str) -> str:
    if not entries:
        return ""
    most = max(one["share"] for one in entries) or 1
    shapes = []
    for i, one in enumerate(entries):
        y = 26 * i
        name = str(one["name"])
        short = _fitting(name, 320)
        shapes.append(
            f'<g><title>{escape(name)}</title><text x="0" y="{y + 17}">{escape(short)}</text>'
            f'<rect class="bar" x="330" y="{y + 4}" width="{260 * one["share"] / most:.1f}" '
            f'height="17"/><text class="soft" x="{336 + 260 * one["share"] / most:.1f}" '
            f'y="{y + 17}">{one["count"]:,} ({percent(one["share"])})</text></g>')
    head = f"<h2>{escape(title)}</h2>" if title else ""
    return (f"{head}<figure>" + _svg(720, 26 * len(entries), title or caption, shapes)
            + f"<figcaption>{escape(caption)}</figcaption></figure>")


def _fitting(name: str, room: int) -> str:
    """Cut a name off where its letters, of 13 px and without any margin, would be wider."""
    used = 0.0
    for place, letter in enumerate(name):
        wide = letter in "WM@%" or east_asian_width(letter) in "WF"
        used += 13 if wide else 10.5 if letter.isupper() or letter in "mw" else 8
        if used > room:
            return name[:max(0, place - 2)] + "…"
    return name


def _typical(examples: list[dict[str, Any]]) -> str:
    if not examples:
        return ""
    return "<h2>Sparsest and typical plans</h2>" + _table(
        ["", "key", "cost", "changes"],
        [[one["which"], one["key"], number(one["cost"]), one["changes"]] for one in examples],
        (0, 1, 3))


def _blockers(facts: dict[str, Any]) -> str:
    blockers = facts["blockers"]
    if not facts["all"]["impossible"]:
        return ""
    words = []
    if blockers["whatever_is_lifted"]:
        words.append(f"For {blockers['whatever_is_lifted']:,} rows no rule blocks the outcome: it "
                     "does not exist, whatever is lifted.")
    if blockers["not_asked"]:
        words.append(f"For {blockers['not_asked']:,} rows the blocking rules were not asked for.")
    bars = _bars("", blockers["rules"], "Share of the impossible rows in whose smallest known set "
                 "of blocking rules the rule is. Together the rules of a set block the outcome.")
    return ("<h2>Rules that block most often</h2>" + bars
            + "".join(f"<p>{escape(one)}</p>" for one in words))


def _groups(entry: dict[str, Any]) -> str:
    groups = entry["groups"]
    if not groups:
        return ""
    rows = [[marked(one, entry), f"{one['rows']:,}",
             percent(one["share"]), between(one["share_low"], one["share_high"], share=True),
             number(one["median_cost"]), between(one["median_low"], one["median_high"]),
             number(one["mean_changed"])] for one in groups]
    head = ["group", "rows", "with a change", "95 % interval", "median cost", "95 % interval",
            "changes on average"]
    note = f"<p><small>{small_note(entry)}.</small></p>" if small_note(entry) else ""
    compared = []
    for one in entry["compared"]:
        group, against = (shortened(one[name], 48) for name in ("group", "against"))
        words = (f"{group} against {against}: the share with a change differs by "
                 f"{100 * one['share_difference']:+.1f} points (95 % interval "
                 f"{100 * one['share_low']:+.1f} to {100 * one['share_high']:+.1f})")
        if one["cost_ratio"] is not None:
            words += (f"; its median cost is {number(one['cost_ratio'])} times that of "
                      f"{against} (95 % interval "
                      f"{between(one['cost_low'], one['cost_high'])})")
        compared.append(f"<li>{escape(words)}</li>")
    listed = f"<ul>{''.join(compared)}</ul>" if compared else ""
    costs = max(one["median_high"] or one["median_cost"] or 0 for one in groups)
    pictures = _dots(groups, "share", "share_low", "share_high", 1.0, "Share with a change")
    if costs > 0:
        pictures += _dots(groups, "median_cost", "median_low", "median_high", costs, "Median cost")
    return (f"<h2>By {escape(entry['by'])}</h2>{pictures}{_table(head, rows, (0,))}{note}{listed}")


def _dots(groups: list[dict[str, Any]], value: str, low: str, high: str, most: float,
          title: str) -> str:
    shapes = [f'<line class="axis" x1="220" y1="0" x2="220" y2="{26 * len(groups) + 4}"/>']
    write = percent if value == "share" else number
    for i, one in enumerate(groups):
        y = 26 * i + 15
        shapes.append(f'<text x="0" y="{y + 4}">{escape(_fitting(one["group"], 210))}</text>')
        if one[value] is None:
            continue
        words = write(one[value])
        at = 220 + 440 * min(1, one[value] / most)
        if one[low] is not None:
            start, end = (220 + 440 * min(1, one[key] / most) for key in (low, high))
            shapes.append(f'<rect class="pale" x="{start:.1f}" y="{y - 6}" '
                          f'width="{max(1, end - start):.1f}" height="12"/>')
            words += f" ({write(one[low])} to {write(one[high])})"
        shapes.append(f'<circle class="bar" cx="{at:.1f}" cy="{y}" r="5"><title>{words}</title>'
                      "</circle>")
    foot = 26 * len(groups) + 20
    shapes.append(f'<text class="soft" x="220" y="{foot}">{write(0)}</text>'
                  f'<text class="soft" x="660" y="{foot}" text-anchor="end">{write(most)}</text>')
    return (f"<figure>{_svg(720, foot + 6, title, shapes)}<figcaption>{escape(title)}, with its "
            "95 % interval.</figcaption></figure>")


def _unproven(unproven: dict[str, Any]) -> str:
    if not unproven["count"]:
        return ""
    rows = [[one["key"], one["status"], one["stop"], number(one["cost"]),
             number(one["lower_bound"]), percent(one["gap"])] for one in unproven["listed"]]
    return (f"<h2>Unproven rows ({unproven['count']:,})</h2><p>The search stopped at a limit: a "
            "cheaper change may exist, or, where the status is unknown, any change. They are part "
            "of all shares and costs above as they are." + _first(unproven) + "</p>"
            + _table(["key", "status", "stopped by", "cost", "nothing cheaper than", "gap"], rows,
                     (0, 1, 2)))


def _errors(errors: dict[str, Any]) -> str:
    if not errors["count"]:
        return ""
    return (f"<h2>Errors ({errors['count']:,})</h2><p>These rows make no sense to the model."
            + _first(errors) + "</p>"
            + _table(["key", "error"], [[one["key"], one["error"]] for one in errors["listed"]],
                     (0, 1)))


def _first(listed: dict[str, Any]) -> str:
    shown = len(listed["listed"])
    return f" The first {shown:,} are listed." if shown < listed["count"] else ""


def _table(head: list[str], rows: list[list[Any]], texts: Sequence[int]) -> str:
    def cell(tag: str, place: int, value: Any) -> str:
        kind = ' class="text"' if place in texts else ""
        return f"<{tag}{kind}>{escape(str(value))}</{tag}>"

    lines = "".join("<tr>" + "".join(cell("td", i, one) for i, one in enumerate(row)) + "</tr>"
                    for row in rows)
    heads = "".join(cell("th", i, one) for i, one in enumerate(head))
    return f'<div class="wide"><table><tr>{heads}</tr>{lines}</table></div>'


def _method(facts: dict[str, Any]) -> str:
    portfolio = facts["portfolio"]
    return (
        "<h2>How to read this</h2>"
        "<p>A change is a change of the model's inputs, not advice: with these inputs the model's "
        "decision would have been the wanted one. Where a status is optimal, no admissible change "
        "is cheaper; where it is infeasible, no admissible change exists. Both are proven for each "
        "row. Costs are in the units of the question; they are not money. Intervals are at 95 %: "
        "Wilson's for shares, Newcombe's for their differences, the percentile bootstrap (1,000 "
        "draws, fixed seed) for medians and their ratios. They say how much another sample of such "
        "rows would differ. Several comparisons at once find differences by chance more often than "
        "one. A difference between groups does not say why it exists.</p>"
        f"<p><small>Model <code>{escape(portfolio['model_hash'])}</code>, "
        f"schema <code>{escape(portfolio['schema_hash'])}</code>, question "
        f"<code>{escape(portfolio['question_hash'])}</code>.</small></p>")
