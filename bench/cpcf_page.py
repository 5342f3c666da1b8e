"""The tables and the picture of docs/cpcf.md, from the answers that bench/cpcf.py has collected."""

import csv
import gzip
import math
import os
import platform
import statistics
from collections import Counter
from pathlib import Path

from pages import write_block

PROVEN = ("optimal", "infeasible")
TITLES = {"soft": "forest, soft voting", "hard": "forest, hard voting", "xgb": "XGBoost"}
PARTS = {"l1": "L1", "l0": "L0", "l2": "squared L2", "isolation": "L1, isolation forest"}
LONGER = "boxwood_longer"  # Boxwood's second answer to a question that it did not prove
PEERS = {"cpsat": "OCEAN, CP-SAT", "maxsat": "OCEAN, MaxSAT"}
# OCEAN counts costs in steps of 1e-8 and keeps its points off the thresholds.
NEAR = 1e-5
DRAWN = 4  # the fewest questions of a peer that make a curve
FIELDS = ("set", "model", "trees", "depth", "seed", "part", "query", "tool", "status", "cost",
          "bound", "seconds", "setup", "valid", "limit", "engine")


def proven(one):
    """Whether the tool claims a proof and library and protocol accept its point."""
    return one["status"] in PROVEN and one["valid"]


def question(one):
    return tuple(one[key] for key in FIELDS[:7])


def seconds(one):
    """Time to the proof. Where there is none: Boxwood's limit, but what a peer has really spent.

    MaxSAT's limit is one of the clock. On a busy machine it may spend less processor time within it,
    and its time to a proof is only known to be longer than what it spent.
    """
    if proven(one):
        return one["seconds"]
    spent = one["seconds"] or one["limit"]
    return max(spent, one["limit"]) if one["tool"].startswith("boxwood") else spent


def median(answers):
    return statistics.median(map(seconds, answers))


def show(time):
    return f"{1e3 * time:.2g} ms" if time < 0.1 else f"{time:.2g} s"


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def table(heads, lines):
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def line_of(case, answers):
    """A cell in a line for the terminal."""
    own = [one for one in answers if one["tool"] == "boxwood"
           and all(one[key] == value for key, value in case.items())]
    return (f"{case['set']}, {case['model']}, {case['trees']} x {case['depth']}, {case['part']}: "
            f"{sum(map(proven, own))} of {len(own)} proven, median {show(median(own))}, "
            f"longest {show(max(map(seconds, own)))}")


def pairs(answers, tool):
    """(ours, theirs) for every question that both were asked, about the same whole numbers."""
    ours = {question(one): one for one in answers if one["tool"] == "boxwood_whole"}
    return [(ours[question(one)], one) for one in answers
            if one["tool"] == tool and question(one) in ours]


def refuted(one, two):
    """Whether the first tool has a cheaper valid point than the second."""
    return one["valid"] and one["cost"] is not None and (
        two["cost"] is None or two["cost"] > one["cost"] + NEAR * (1 + one["cost"]))


def speed_up(found):
    """Geometric mean of their time over ours, and the factor of one standard deviation."""
    logs = [math.log(seconds(two) / seconds(one)) for one, two in found]
    spread = statistics.stdev(logs) if len(logs) > 1 else 0.0
    return f"{number(math.exp(statistics.mean(logs)))} (×÷ {math.exp(spread):.1f})"


def peer_cells(found):
    """Asked, proven, both medians, their ratio and the speed-up."""
    if not found:
        return ["–"] * 5
    ours, theirs = zip(*found, strict=True)
    return [f"{sum(map(proven, theirs))} of {len(theirs)}", show(median(theirs)),
            show(median(ours)), number(median(theirs) / median(ours)), speed_up(found)]


def compared(answers, heads, groups):
    """A table with a line for each group of answers: ours on everything, CP-SAT on the sample."""
    heads = [*heads, "asked", "proven", "median", "90 %", "longest", "CP-SAT: proven",
             "its median", "ours on these", "ratio of medians", "speed-up"]
    lines = []
    for names, chosen in groups:
        own = [one for one in answers if one["tool"] == "boxwood" and chosen(one)]
        if not own:
            continue
        times = sorted(map(seconds, own))
        found = pairs([one for one in answers if chosen(one)], "cpsat")
        lines.append([*names, len(own), f"{100 * sum(map(proven, own)) / len(own):.4g} %",
                      show(median(own)), show(times[math.ceil(0.9 * len(times)) - 1]),
                      show(times[-1]), *peer_cells(found)])
    return table(heads, lines)


def by_cell(answers):
    cells = sorted({(one["model"], one["trees"], one["depth"]) for one in answers
                    if one["part"] == "l1"}, key=lambda c: (list(TITLES).index(c[0]), c[1:]))
    return compared(answers, ["model", "trees", "depth"], [
        ((TITLES[cell[0]], *cell[1:]), lambda one, cell=cell: one["part"] == "l1" and cell == (
            one["model"], one["trees"], one["depth"])) for cell in cells])


def by_set(answers):
    return compared(answers, ["data"], [
        ((name,), lambda one, name=name: one["part"] == "l1" and one["set"] == name)
        for name in sorted({one["set"] for one in answers})])


def by_part(answers):
    return compared(answers, ["question", "model"], [
        ((PARTS[part], TITLES[model]),
         lambda one, part=part, model=model: (one["part"], one["model"]) == (part, model)
         and (one["trees"], one["depth"]) == (100, 5))
        for part in PARTS for model in ("soft", "hard")])


def agreement(answers):
    """How the optima of both compare where both are proven."""
    lines = []
    for tool, title in PEERS.items():
        found = pairs(answers, tool)
        if not found:
            continue
        both = [(one, two) for one, two in found if proven(one) and proven(two)
                and one["cost"] is not None and two["cost"] is not None]
        gaps = [(two["cost"] - one["cost"]) / (1 + one["cost"]) for one, two in both]
        claims = [two for _, two in found if two["status"] in PROVEN]
        lines.append([title, len(found), len(claims),
                      sum(two["cost"] is not None and not two["valid"] for _, two in found),
                      len(both), sum(abs(gap) <= NEAR for gap in gaps),
                      sum(gap > NEAR for gap in gaps), sum(gap < -NEAR for gap in gaps),
                      sum(two["status"] == "error" for _, two in found)])
    return table(["peer", "asked", "claims a proof", "points refused by the library or outside "
                  "the domain", "both proven", "same cost", "Boxwood's point is cheaper",
                  "the peer's point is cheaper", "errors"], lines)


def engines(answers):
    """How many answers each commit of the library gave."""
    counts = Counter(one.get("engine") or "earlier ones" for one in answers).most_common()
    return ", ".join(f"{name} ({count:,} answers)" for name, count in counts)


def told(answers):
    """What was run."""
    own = [one for one in answers if one["tool"] == "boxwood"]
    bad = sum(not one["valid"] for one in own)
    parts = [f"- **Boxwood**: {len(own):,} questions to {len({question(o)[:6] for o in own}):,} "
             f"cells (a cell is a data set, a model with its size, a seed and a cost), of "
             f"{len({one['set'] for one in own})} data sets; "
             f"{sum(map(proven, own)):,} proven, {len(own) - sum(map(proven, own))} not proven "
             f"within the limit, {bad} answers refused by the library."]
    parts.append(f"    - commits of the library: {engines(own)}")
    for seed in sorted({one["seed"] for one in own}):
        some = [one for one in own if one["seed"] == seed]
        counts = sorted({sum(question(o)[:6] == cell for o in some)
                         for cell in {question(o)[:6] for o in some}})
        each = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else counts[0]
        parts.append(f"    - seed {seed}: {len(some):,} questions, {each} in a cell of 50")
    whole = [one for one in answers if one["tool"] == "boxwood_whole"]
    if whole:
        parts.append(f"    - besides, with any whole number, {len(whole)} of the peers' questions; "
                     f"commits of the library: {engines(whole)}")
    for tool, title in PEERS.items():
        some = [one for one in answers if one["tool"] == tool]
        if some:
            kinds = {tuple(o[key] for key in ("model", "trees", "depth", "part")) for o in some}
            parts.append(f"- **{title}**: {len(some)} questions in "
                         f"{len({question(o)[:6] for o in some})} cells of seed "
                         f"{some[0]['seed']}, of {len(kinds)} kinds of model, size and cost.")
    limit = max(one["limit"] for one in answers if one["tool"] != LONGER)
    parts.append(f"- Limit of a question: {limit:g} s of processor time (MaxSAT: of the clock). One "
                 f"thread. {platform.machine()} with {os.cpu_count()} cores that also did other work.")
    return "\n".join(parts)


def unproven(answers):
    """What is known of the questions that Boxwood did not prove, also from a longer search."""
    def known(one):
        return [f"{one['seconds']:,.0f} s", one["status"],
                "–" if one["cost"] is None else f"{one['cost']:.6g}", f"{one['bound']:.6g}"]

    longer = {question(one): one for one in answers if one["tool"] == LONGER}
    lines = [[one["set"], TITLES[one["model"]], f"{one['trees']} × {one['depth']}", one["seed"],
              PARTS[one["part"]], one["query"], *known(one),
              *(known(longer[question(one)]) if question(one) in longer else ["–"] * 4)]
             for one in answers if one["tool"] == "boxwood" and not proven(one)]
    ends = ["time", "status", "cost", "bound"]
    heads = ["data", "model", "trees × depth", "seed", "question", "row", *ends,
             *(f"longer search: {end}" for end in ends)]
    return table(heads, lines) if lines else "None."


def draw(answers, file):
    """Share of the questions that each tool proved within a time."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "boxwood", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.6), sharey=True, sharex=True)
    for axis, (model, title) in zip(axes, TITLES.items(), strict=True):
        chosen = [one for one in answers if one["model"] == model and one["part"] == "l1"]
        curves = [("Boxwood, all questions", "-", [o for o in chosen if o["tool"] == "boxwood"])]
        for tool, name in PEERS.items():
            found = pairs(chosen, tool)
            if len(found) < DRAWN:
                continue
            # A claim that a cheaper point of Boxwood refutes is no proof.
            curves += [("Boxwood, the same questions as CP-SAT", "--", [one for one, _ in found]),
                       (name, "-", [{**two, "valid": two["valid"] and not refuted(one, two)}
                                    for one, two in found])][tool != "cpsat":]
        for name, style, some in curves:
            times = sorted(seconds(one) for one in some if proven(one))
            shares = [100 * (i + 1) / len(some) for i in range(len(times))]
            if some:
                limit = some[0]["limit"]
                axis.step([*times[:1], *times, limit], [0, *shares, shares[-1]] if times else [0],
                          style, where="post", label=f"{name} ({len(some):,})")
        axis.set(xscale="log", title=f"{title}, L1", xlabel="seconds of processor time", ylim=(0, 102),
                 xlim=(1e-4, 100))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7, loc="lower right")
    axes[0].set_ylabel("% of questions proven")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def keep(answers, file):
    """Write the raw answers as compact data."""
    with gzip.GzipFile(file, "wb", mtime=0) as packed:
        lines = [",".join(FIELDS)]
        for one in answers:
            cells = [f"{value:.6g}" if key in ("seconds", "setup") and value is not None
                     else "" if value is None else str(value)
                     for key in FIELDS for value in [one.get(key)]]
            lines.append(",".join(cells))
        packed.write(("\n".join(lines) + "\n").encode())


def read(file):
    """Read what `keep` wrote."""
    kinds = {**dict.fromkeys(("trees", "depth", "seed", "query"), int), "valid": "True".__eq__,
             **dict.fromkeys(("cost", "bound", "seconds", "setup", "limit"), float)}
    with gzip.open(file, "rt") as stream:
        return [{key: None if value == "" else kinds.get(key, str)(value)
                 for key, value in one.items()} for one in csv.DictReader(stream)]


def write(answers, page):
    """Put tables, picture and raw data in their places."""
    keep(answers, Path(__file__).with_name("cpcf_answers.csv.gz"))
    draw(answers, page.parent / "img" / "cpcf_solved.svg")
    for mark, make in (("cpcf-run", told), ("cpcf-cells", by_cell), ("cpcf-sets", by_set),
                       ("cpcf-parts", by_part), ("cpcf-agree", agreement),
                       ("cpcf-open", unproven)):
        write_block(page, mark, make(answers))
