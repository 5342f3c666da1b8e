"""The report of a portfolio as plain text."""

from __future__ import annotations

from typing import Any

from boxwood._text import printable_facts


def number(value: float | None) -> str:
    """Write a cost for people."""
    return "-" if value is None else f"{value:.3g}"


def percent(share: float | None) -> str:
    """Write a share for people."""
    return "-" if share is None else f"{100 * share:.1f} %"


def shortened(name: Any, width: int) -> str:
    """Cut a long name off."""
    text = str(name)
    return text if len(text) <= width else f"{text[:width - 1]}…"


def between(low: float | None, high: float | None, share: bool = False) -> str:
    """Write an interval for people."""
    write = percent if share else number
    return "" if low is None or high is None else f"{write(low)} to {write(high)}"


def text_of(facts: dict[str, Any]) -> str:
    """Write the report for a terminal.

    Parameters
    ----------
    facts : dict
        Of the report.

    Returns
    -------
    str
        Lines without colours.
    """
    facts = printable_facts(facts)
    whole, portfolio = facts["all"], facts["portfolio"]
    lines = [headline(facts), ""]
    if portfolio["wanted"]:
        lines.append(f"Wanted: {portfolio['wanted']}. Cost: {portfolio['cost']}.")
    if not portfolio["finished"]:
        lines.append(f"Not finished: {portfolio['rows']:,} of {portfolio['of']:,} rows are done.")
    lines += [
        f"With a change that leads to the outcome: {whole['found']:,} of {whole['rows']:,} "
        f"({percent(whole['share'])}, 95 % interval "
        f"{between(whole['share_low'], whole['share_high'], share=True)})",
        f"Proven impossible: {whole['impossible']:,} · already have the outcome: "
        f"{facts['already_met']:,} · unproven: {facts['unproven']['count']:,} · errors: "
        f"{facts['errors']:,}"]
    if whole["median_cost"] is not None:
        within = between(whole["median_low"], whole["median_high"])
        lines.append(f"Median cost {number(whole['median_cost'])}"
                     + (f" (95 % interval {within})" if within else "")
                     + f", {whole['mean_changed']:.1f} changes on average")
    lines += _bars("Changes most often needed", facts["features"])
    plans = [{**one, "name": " + ".join(one["name"])} for one in facts["plans"][:6]]
    lines += _bars("Plans", plans)
    lines += _bars("Rules that block most often", facts["blockers"]["rules"])
    for entry in facts["groups"]:
        lines += _groups(entry)
    for title, listed in (("Unproven rows", facts["unproven"]), ("Errors", facts["error_rows"])):
        if listed["count"]:
            lines += ["", f"{title} ({listed['count']:,}; the JSON report lists up to 200)"]
            lines += ["  " + "  ".join(str(value) for value in one.values())
                      for one in listed["listed"][:5]]
    return "\n".join(lines)


def headline(facts: dict[str, Any]) -> str:
    """Say what the report is about."""
    portfolio = facts["portfolio"]
    subject = portfolio["subject"] or "row"
    outcome = f": {portfolio['outcome']}" if portfolio["outcome"] else ""
    count = f"{portfolio['rows']:,} {subject}{'s' if portfolio['rows'] != 1 else ''}"
    return f"Portfolio of {count}{outcome}"


def marked(group: dict[str, Any], entry: dict[str, Any]) -> str:
    """Give the name of a group, with a mark where little is known of it."""
    return shortened(group["group"], 48) + (" *" if _is_small(group, entry) else "")


def small_note(entry: dict[str, Any]) -> str:
    """Say what the mark means, where it is used."""
    return f"* fewer than {entry['small']} rows with a change" if any(
        _is_small(one, entry) for one in entry["groups"]) else ""


def _is_small(group: dict[str, Any], entry: dict[str, Any]) -> bool:
    return bool(group["found"] < entry["small"])


def _bars(title: str, entries: list[dict[str, Any]]) -> list[str]:
    if not entries:
        return []
    width = min(48, max(len(str(one["name"])) for one in entries))
    most = max(one["share"] for one in entries) or 1
    lines = ["", title]
    for one in entries:
        name = shortened(one["name"], width)
        bar = "█" * max(1, round(24 * one["share"] / most))
        lines.append(f"  {name:<{width}}  {one['count']:>8,}  {percent(one['share']):>7}  {bar}")
    return lines


def _groups(entry: dict[str, Any]) -> list[str]:
    head = ["group", "rows", "with a change", "95 % interval", "median cost", "95 % interval"]
    table = [[marked(one, entry), f"{one['rows']:,}",
              percent(one["share"]), between(one["share_low"], one["share_high"], share=True),
              number(one["median_cost"]), between(one["median_low"], one["median_high"])]
             for one in entry["groups"]]
    widths = [max(len(line[i]) for line in [head, *table]) for i in range(len(head))]
    lines = ["", f"By {entry['by']}"]
    for line in [head, *table]:
        lines.append("  " + "  ".join(f"{cell:<{width}}" if i == 0 else f"{cell:>{width}}"
                                      for i, (cell, width) in
                                      enumerate(zip(line, widths, strict=True))))
    if note := small_note(entry):
        lines.append(f"  {note}")
    for one in entry["compared"]:
        words = (f"  {shortened(one['group'], 48)} against {shortened(one['against'], 48)}: share "
                 f"{100 * one['share_difference']:+.1f} points (95 % interval "
                 f"{100 * one['share_low']:+.1f} to {100 * one['share_high']:+.1f})")
        if one["cost_ratio"] is not None:
            words += (f", median cost {number(one['cost_ratio'])} times (95 % interval "
                      f"{between(one['cost_low'], one['cost_high'])})")
        lines.append(words)
    return lines
