"""Runs the benchmarks: trains what is missing, asks every tool the same queries, writes the tables.

    bash scripts/bench.sh [--quick] [--models 'german*,mnist_*'] [--tools fast,paper] ...

All times and limits are processor time of one thread of the tool, so that a run beside other work is
fair to every tool. One model after the other, and on each model one tool after the other. Every
answer is judged with the source library and kept in build/bench/results/NAME/: a run that was stopped
goes on where it ended, and a run with more --minutes or other --tools adds to it. --minutes 1,3 first
gives every tool a minute on every model, and then 3. --again measures Boxwood anew and keeps the
answers of the peers. Tables and plot go to docs/ with --write.
"""

import argparse
import datetime
import fnmatch
import json
import os
import pathlib
import platform
import subprocess
import sys

import check
import datasets
import models
import report
import tools
import xgboost
from store import KEY, Store, spent

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("fast", "paper", "treecf", "treecf_cold", "ocean")
BATCH_MODELS = ("german_250x8", "german_250x8_kinds")
GAP_SECONDS = (2, 20)
# Rows that took longer than this on one thread are asked again on two threads.
SLOW_SECONDS = 1.0

# A slice of every family that the quick run can train, answer and judge in a few minutes.
QUICK = {
    "models": "german_100x4,german_250x8_kinds,compas_100x6,students_forest_kinds,"
              "ames_200x6_kinds,synthetic_50f_500x6",
    "tools": "fast,paper,treecf,ocean",
    "limit": 2.0, "minutes": "0.1", "fast_minutes": 0.2, "queries": 10, "two_thread_rows": 2,
}
FULL = {"models": "*", "tools": ",".join(TOOLS), "limit": 60.0, "minutes": "3",
        "fast_minutes": 10.0, "queries": None, "two_thread_rows": 5}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a slice, with short limits")
    parser.add_argument("--models", help="names, * and ? fit anything, commas between")
    parser.add_argument("--tools", help=f"of {', '.join(TOOLS)} (all; quick: not treecf_cold)")
    parser.add_argument("--others-on", default="*",
                        help="models on which tools other than the fast engine are asked (all)")
    parser.add_argument("--norms", default="squared_l2,l1")
    parser.add_argument("--limit", type=float,
                        help="seconds of processor time a query may take (60; quick: 2)")
    parser.add_argument("--minutes", help="processor time of each tool on a model, except the fast "
                                          "engine; several for several rounds (3; quick: .1)")
    parser.add_argument("--fast-minutes", type=float,
                        help="the fast engine's processor time on a model (10; quick: .2)")
    parser.add_argument("--queries", type=int, help="at most so many a model (all; quick: 10)")
    parser.add_argument("--two-thread-rows", type=int,
                        help="slow queries a model asked again on two threads (5; quick: 2)")
    parser.add_argument("--python312", help="a Python of at least 3.12, for oceanpy")
    parser.add_argument("--ask", type=pathlib.Path,
                        default=ROOT / "build" / "bench" / "bin" / "boxwood_ask")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench",
                        help="folder of environments and results")
    parser.add_argument("--cache", type=pathlib.Path, help="folder of the models (WORK/models)")
    parser.add_argument("--again", action="store_true",
                        help="drop the results of Boxwood's engines among the tools first")
    parser.add_argument("--name", help="of the results (quick or full)")
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables in this file")
    models.add_source_flags(parser)
    given = parser.parse_args()
    for name, value in (QUICK if given.quick else FULL).items():
        if getattr(given, name) is None:
            setattr(given, name, value)
    given.cache = given.cache or given.work / "models"
    given.name = given.name or ("quick" if given.quick else "full")
    given.minutes = [float(part) for part in str(given.minutes).split(",")]
    return given


def chosen_tools(given):
    """Every tool that was asked for and is there; says what is left out."""
    names = given.tools.split(",")
    if not given.ask.is_file() and {"fast", "paper"} & set(names):
        raise SystemExit(f"run.py: {given.ask} is not there; scripts/bench.sh builds it")
    unknown = set(names) - set(TOOLS)
    if unknown:
        raise SystemExit(f"run.py: no tool is called {', '.join(sorted(unknown))}")
    found = []
    for engine in ("fast", "paper"):
        if engine in names:
            tool = tools.engine_tool(given.ask, engine)
            if tool is None:
                print(f"the engine {engine} is left out: this build does not have it", flush=True)
            else:
                found.append(tool)
    return found + tools.peer_tools(given.work, names, given.python312)


def gap_after(answer, seconds):
    """How far the bound was from the best point after so many seconds; 1 before there is any."""
    if answer["seconds"] <= seconds:
        best, bound = answer["cost"], answer["lower_bound"]
    else:
        known = [line for line in answer["trace"] if line[0] <= seconds]
        _, best, bound = known[-1] if known else (0, None, None)
    if answer["status"] in report.PROVEN and answer["seconds"] <= seconds:
        return 0.0
    if best is None or bound is None:
        return 1.0
    return max(0.0, (best - bound) / best) if best > 0 else 0.0


def keep_gaps(answers):
    """What the tables need of the traces, in place of the traces."""
    for answer in answers:
        if "trace" in answer:
            answer["gaps"] = {str(s): gap_after(answer, s) for s in GAP_SECONDS}
            del answer["trace"]


def ask(tool, judge, folder, given, norm, rows, threads, minutes, store, errors):
    """Asks one tool what it has not answered yet of one model; every answer is judged and kept."""
    key = (judge.meta["name"], tool.name, norm, threads)
    entry = store.entry(key)
    known = {answer["row"] for answer in entry["answers"]}
    missing = [row for row in rows if row not in known]
    seconds = 60 * minutes - spent(entry)
    if not missing or seconds <= 0 or entry["failed"]:
        return
    place = dict(zip(KEY, key))
    large = not tool.peer and judge.meta["family"] == "large"
    for kind, found in tools.ask(tool, folder, judge.meta, norm=norm, threads=threads,
                                 limit=given.limit, rows=missing, seconds=seconds, errors=errors,
                                 extra=["--trace"] if large else ()):
        if kind == "answer":
            keep_gaps([found])
            judge.judge([found], norm, given.limit)
        store.add(line=kind, **place, **{kind: found})
    print(f"  {report.one_line(finished(store.entry(key), len(rows)))}", flush=True)


def finished(entry, wanted):
    """An entry of the store with how many queries there are, and why it ended early, if it did."""
    done, used = len(entry["answers"]), spent(entry)
    stopped = entry["failed"] or (None if done >= wanted else f"stopped after {used:.0f} s")
    return {**entry, "wanted": wanted, "used": used, "stopped": stopped}


def slow_rows(entry, most):
    """The queries worth asking again on two threads: proven, and not within a blink."""
    rows = [answer["row"] for answer in entry["answers"]
            if answer["status"] in report.PROVEN and answer["seconds"] > SLOW_SECONDS]
    return rows[:most]


def batch(tool, folder, meta, given):
    """Answers a second of one core over all test rows at once; None where there is no such list."""
    command = [*tool.program, folder / meta["model"], folder / "queries_batch.json", "--batch",
               "--threads", 1, "--repeat", tools.REPEAT]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return None
    facts = json.loads(done.stdout.splitlines()[1])
    facts["answers_per_second"] = facts["answers"] / facts["processor_seconds"]
    print(f"  batch, {tool.name}: {facts['answers_per_second']:.0f} answers a second", flush=True)
    return {"model": meta["name"], "tool": tool.name, **facts}


def asked_on(tool, model, given):
    """The fast engine is asked everywhere, the others where they are wanted."""
    return tool.name == "fast" or any(fnmatch.fnmatch(model, pattern)
                                      for pattern in given.others_on.split(","))


def bench_model(plan, folder, given, minutes, present, store, errors):
    """Everything that is measured on one model."""
    judge = check.Judge(folder)
    rows = list(range(len(judge.queries)))[:given.queries]
    if plan.name not in store.models:
        store.add(line="model", facts={**judge.meta, "queries": len(judge.queries),
                                       "wanted": len(rows),
                                       "single_prediction": check.single_prediction(judge)})
    for norm in given.norms.split(","):
        for tool in present:
            if not tool.takes(judge.meta, norm) or not asked_on(tool, plan.name, given):
                continue
            ask(tool, judge, folder, given, norm, rows, 1,
                given.fast_minutes if tool.name == "fast" else minutes, store, errors)
            if tool.name == "fast" and norm == "squared_l2":
                again = slow_rows(store.entry((plan.name, "fast", norm, 1)), given.two_thread_rows)
                ask(tool, judge, folder, given, norm, again, 2, given.fast_minutes, store, errors)
    for tool in present:
        if plan.name in BATCH_MODELS and tool.name == "fast" and plan.name not in store.batches:
            store.add(line="batch", facts=batch(tool, folder, judge.meta, given))


def versions():
    # The last commit that changed the library.
    commit = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h", "--", "src", "include"],
                            capture_output=True, text=True, check=False)
    return {"boxwood": (ROOT / "VERSION").read_text().strip(),
            "commit": commit.stdout.strip() or None,
            "xgboost": xgboost.__version__, "python": platform.python_version()}


def results_of(store, given, left_out):
    """All that this and earlier runs of the name have measured, for the report."""
    asks = []
    for (model, _, _, threads), entry in store.entries.items():
        wanted = len(entry["answers"]) if threads == 2 else store.models[model]["wanted"]
        asks.append(finished(entry, wanted))
    sessions = store.sessions
    asked = {entry["tool"] for entry in asks}
    return {
        "name": given.name, "machine": f"{platform.machine()} with {os.cpu_count()} cores",
        "dates": sorted({one["date"] for one in sessions}),
        "commits": list(dict.fromkeys(one["versions"]["commit"] for one in sessions
                                      if "fast" in one["tools"])),
        "versions": sessions[-1]["versions"], **sessions[-1]["settings"], "threads": 1,
        "minutes": max(given.minutes), "fast_minutes": given.fast_minutes,
        "tools": {name: tools.TITLES[name] for name in TOOLS if name in asked},
        # In the order of the plans, whatever order they were asked in.
        "models": {plan.name: store.models[plan.name] for plan in models.plans()
                   if plan.name in store.models},
        "asks": asks, "batches": list(store.batches.values()), "left_out": left_out,
    }


def main():
    given = arguments()
    folder = given.work / "results" / given.name
    folder.mkdir(parents=True, exist_ok=True)
    present = chosen_tools(given)
    store = Store(folder / "answers.jsonl", {"limit": given.limit, "queries": given.queries})
    if given.again:
        store.forget({tool.name for tool in present if not tool.peer})
    store.add(line="session", settings={"limit": given.limit, "queries": given.queries},
              date=datetime.date.today().isoformat(), versions=versions(),
              tools=[tool.name for tool in present])
    sources = models.Sources(given.data, given.mnist, given.cache)
    left_out = []
    with open(folder / "errors.txt", "a", encoding="utf-8") as errors:
        for number, minutes in enumerate(given.minutes):
            for plan in models.chosen_plans(given.models.split(",")):
                try:
                    trained = models.train(plan, given.cache, sources)
                except datasets.Missing as fault:
                    if number == 0:
                        print(f"{plan.name}: left out: {fault}", flush=True)
                        left_out.append(plan.name)
                    continue
                print(plan.name, flush=True)
                bench_model(plan, trained, given, minutes, present, store, errors)
                results = results_of(store, given, left_out)
                (folder / "results.json").write_text(json.dumps(results))
    report.write(results, folder / "tables.md", given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
