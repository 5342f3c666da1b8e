"""The pages of a run: the plot, a summary and the targets, and beside them a page with all tables.

    python3 bench/report.py build/bench/results/full/results.json --write docs/performance.md

writes docs/performance.md, docs/benchmark_tables.md and docs/img/solved.svg.
"""

import argparse
import json
import pathlib
import statistics
from itertools import accumulate

import targets
from pages import write_block
from results import PROVEN, Results, median, proven, quantile, times
from targets import show
from tools import REPEAT

HEADS = ["model", "tool", "asked", "proven", "median", "90 %", "worst", "cost / best", "invalid",
         "confirmed", "refuted", "set-up"]
FULL_LIMIT = 60  # seconds; what the targets speak of
PANELS = {"Tabular XGBoost": ("german", "tabular"), "Forests": ("forest",),
          "Digits, 500 to 1,000 trees": ("mnist", "large", "ten")}
# A panel has the queries that all its tools were asked. So no tool is in it that was asked fewer than
# these, and not the one that got the least time.
DRAWN = 20
NOT_DRAWN = ("treecf_cold",)
NORM_TITLES = {"squared_l2": "squared L2", "l1": "L1"}
# The summary: how the name of a target begins, and a sentence for its figure.
SUMMARY = [
    ("German and tabular", "Credit, income and other tabular models of 50 to 1,000 trees: {}."),
    ("German 250×8", "250 trees of depth 8 on German credit, time for a proven answer: {}."),
    ("… L1, median against treecf:", "How many times longer treecf takes for the same proof: {}."),
    ("… the same against treecf without", "The same for treecf without its warm start, which is faster on easy queries: {}."),
    ("… L1, median against CP-SAT", "How many times longer OCEAN with CP-SAT takes: {}."),
    ("MNIST pairs, squared L2", "Telling two digits apart, 200 trees, 50 principal components of 784 pixels: {}."),
    ("Forests: all but", "Random forests of 100 trees of depth 8: {}."),
    ("Ten-class MNIST", "All ten digits, 600 trees, 50 principal components: {}."),
    ("Large, 500×6", "500 to 1,000 trees over 50 and 100 features: {}."),
    ("No proof is refuted", "Proofs compared with the answers of other tools: {}."),
    ("Tabular: a median query",
     "Time of a median answer, in predictions of one row by XGBoost: {}."),
    ("Batch", "Proven answers a second of one core, German credit, 250 trees of depth 8: {}."),
]


def table(heads, lines):
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(out + ["| " + " | ".join(line) + " |" for line in lines])


def setup_seconds(entry):
    setup = entry["setup"]
    if setup is None:
        return None
    return setup.get("setup_seconds", setup.get("read_seconds", 0) + setup.get(
        "prepare_seconds", 0))


def one_line(entry):
    """A tool on a model in a line for the terminal."""
    answers = entry["answers"]
    if not answers:
        return f"{entry['tool']}, {entry['norm']}: no answer; {entry['stopped']}"
    return (f"{entry['tool']}, {entry['norm']}, threads {entry['threads']}: "
            f"{sum(map(proven, answers))} of {len(answers)} proven, median "
            f"{show(median(answers))}, worst {show(max(times(answers)))}, "
            f"{sum(answer['valid'] is False for answer in answers)} invalid"
            + (f"; {entry['stopped']}" if entry["stopped"] else ""))


def row_of(results, entry, title):
    """A tool on a model as cells."""
    answers = entry["answers"]
    setup = setup_seconds(entry)
    if not answers:
        return [entry["model"], title, f"0 of {entry['wanted']}", *["–"] * 8,
                "–" if setup is None else show(setup)]
    relative = results.relative_cost(entry)
    confirmed, refuted = results.cross_check(entry)
    return [
        entry["model"], title, f"{len(answers)} of {entry['wanted']}",
        f"{100 * sum(map(proven, answers)) / len(answers):.0f} %",
        show(median(answers)), show(quantile(times(answers), 0.9)), show(max(times(answers))),
        "–" if relative is None else f"{relative:.4g}",
        str(sum(answer["valid"] is False for answer in answers)), str(confirmed), str(refuted),
        "–" if setup is None else show(setup),
    ]


def comparison(results, models, norm):
    """Every tool on these models in one metric; empty where nothing was asked."""
    lines = []
    for model in models:
        for tool, title in results.raw["tools"].items():
            entry = results.entry(model, tool, norm)
            if entry:
                lines.append(row_of(results, entry, title))
    return table(HEADS, lines) if lines else ""


def targets_table(results):
    words = {True: "met", False: "not met"}
    lines = []
    for name, verdict in targets.measure(results):
        figure, met = verdict or ("not measured in this run", None)
        lines.append([name, figure, words.get(met, "–") if "(no target)" not in name else "–"])
    return table(["target", "measured", "verdict"], lines)


def peers_sentence(results):
    """Versions and parameters of the peers, as they reported them."""
    parts = []
    for tool, title in results.raw["tools"].items():
        setups = [entry["setup"] for entry in results.raw["asks"]
                  if entry["tool"] == tool and entry["setup"] and "version" in entry["setup"]]
        if setups:
            chosen = ", ".join(f"{k} {v}" for k, v in setups[0]["parameters"].items())
            parts.append(f"{title} {setups[0]['version']} ({chosen})")
    return "; ".join(parts)


def protocol(results):
    raw = results.raw
    queries = "all" if raw["queries"] is None else f"the first {raw['queries']}"
    dates, commits = " and ".join(raw["dates"]), ", ".join(raw["commits"])
    text = [(
        f"Run “{raw['name']}” of {dates}: {raw['machine']} that also did other work. **All times and "
        f"limits are processor time** of a tool's process, with **one thread** for every tool; at most "
        f"{raw['limit']:g} s a query, {queries} queries of each model. Boxwood "
        f"{raw['versions']['boxwood']} ({commits}), the least time of {REPEAT} runs of each query that "
        f"takes under 0.1 s; XGBoost {raw['versions']['xgboost']}.")]
    if raw["queries"] is not None:
        text.append("**This is a slice**: its figures and verdicts hold for these queries alone.")
    if raw["limit"] < FULL_LIMIT:
        text.append(f"`make bench` allows a query {FULL_LIMIT} s; this run allowed less.")
    peers = peers_sentence(results)
    if peers:
        text.append(f"Peers: {peers}.")
    text += [budget(results, tool) for tool in raw["tools"]]
    if raw["left_out"]:
        text.append(f"Left out, because their data was not given: {', '.join(raw['left_out'])}.")
    return "\n".join(filter(None, text))


def budget(results, tool):
    """How many models and queries a tool was asked, and how long it got where it did not finish."""
    entries = [entry for entry in results.raw["asks"] if entry["tool"] == tool
               and entry["threads"] == 1]
    open_ones = [entry["used"] for entry in entries if entry["stopped"]]
    asked, wanted = (sum(counts) for counts in zip(*(
        (len(entry["answers"]), entry["wanted"]) for entry in entries)))
    text = (f"\n- {results.raw['tools'][tool]}: {len(entries)} pairs of model and metric, asked "
            f"{asked} of their {wanted} queries")
    if not open_ones:
        return text + "."
    return (f"{text}; in the {len(open_ones)} pairs that it did not finish it got "
            f"{min(open_ones):.0f} to {max(open_ones):.0f} s, with a median of "
            f"{statistics.median(open_ones):.0f} s.")


def stops(results):
    """Which tools did not get to the end of a model's queries."""
    lines = [[entry["model"], results.raw["tools"][entry["tool"]], NORM_TITLES[entry["norm"]],
              f"{len(entry['answers'])} of {entry['wanted']}",
              str(sum(map(proven, entry["answers"]))), entry["stopped"]]
             for entry in results.raw["asks"] if entry["stopped"]]
    return table(["model", "tool", "metric", "asked", "proven", "why"], lines) if lines else ""


def sections(results):
    """(title, text) of every part that has something to show."""
    everything = {
        "True kinds, squared L2": comparison(
            results, results.models(kinds=True), "squared_l2"),
        "True kinds, L1": comparison(results, results.models(kinds=True), "l1"),
        "All features continuous, L1, with the peers": comparison(
            results, results.models(kinds=False), "l1"),
        "All features continuous, squared L2": comparison(
            results, results.models(kinds=False), "squared_l2"),
        "Stopped early": stops(results),
    }
    return [(title, text) for title, text in everything.items() if text]


def summary(results):
    """Ten lines for readers in a hurry; targets that the run did not measure are left out."""
    figures = [(name, verdict[0]) for name, verdict in targets.measure(results) if verdict]
    return "\n".join(f"- {sentence.format(figure)}" for start, sentence in SUMMARY
                     for name, figure in figures if name.startswith(start))


def tables(results):
    return "\n\n".join(f"## {title}\n{text}" for title, text in sections(results))


def draw(results, file):
    """Share of the queries that each tool proved within a time; rows asked of every tool."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "boxwood", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.6), sharey=True, sharex=True)
    for axis, (title, families) in zip(axes, PANELS.items()):
        curves, models, total = solved(results, families)
        for tool, proofs in curves.items():
            shares = [100 * share for share in accumulate(weight for _, weight in proofs)]
            limit = results.raw["limit"]
            first, last = (proofs[0][0], shares[-1]) if proofs else (limit, 0)
            axis.step([first, *(time for time, _ in proofs), limit], [0, *shares, last],
                      where="post", label=results.raw["tools"][tool])
        axis.set(xscale="log", title=f"{title}, L1:\n{models} models, {total} queries",
                 ylim=(0, 102), xlabel="seconds of processor time, one thread")
        axis.grid(alpha=0.3)
        if axis.lines:
            axis.legend(fontsize=7, loc="lower right")
    axes[0].set_ylabel("% of queries proven,\nevery model weighs the same")
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def solved(results, families, norm="l1"):
    """What each tool proved of the rows asked of all: ({tool: sorted (time, weight)}, models, rows).

    Every model weighs the same, so that those on which a slow tool got far do not decide.
    """
    models = results.models(*families, kinds=False)
    asked = [tool for tool in results.raw["tools"] if tool not in NOT_DRAWN
             and sum(len(results.answers(model, tool, norm)) for model in models) >= DRAWN]
    common = {model: rows for model in models
              if (rows := results.common_rows(model, asked, norm))}
    curves = {tool: [] for tool in asked}
    for model, rows in common.items():
        for tool in asked:
            by_row = results.by_row(model, tool, norm)
            curves[tool] += [(by_row[row]["time"], 1 / len(rows) / len(common))
                             for row in rows if proven(by_row[row])]
    return ({tool: sorted(found) for tool, found in curves.items()}, len(common),
            sum(map(len, common.values())))


def write(raw, file, into=None):
    """Writes the tables of a run to a file, and the pages between their marks, with the plot."""
    results = Results(raw)
    file.write_text("\n\n".join([protocol(results), targets_table(results), tables(results)]) + "\n",
                    encoding="utf-8")
    print(f"\n{targets_table(results)}\n\nTables: {file}")
    if into is None:
        return
    draw(results, into.parent / "img" / "solved.svg")
    write_block(into, "bench-summary", summary(results))
    write_block(into, "bench", f"{protocol(results)}\n\n{targets_table(results)}")
    write_block(into.parent / "benchmark_tables.md", "bench", tables(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables in this file")
    given = parser.parse_args()
    write(json.loads(given.results.read_text()), given.results.with_suffix(".md"), given.write)


if __name__ == "__main__":
    main()

__all__ = ["PROVEN", "one_line", "write"]
