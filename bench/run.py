"""Runs the benchmarks: trains what is missing, asks every tool the same queries, writes the tables.

    bash scripts/bench.sh [--quick] [--models 'german*,mnist_*'] [--tools fast,paper] ...

One model after the other, and on each model one tool after the other, so that ratios between tools
come from the same minutes of the same machine. Every answer is judged with the source library.
Raw results go to build/bench/results/, tables and plot to docs/ with --write.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("fast", "paper", "treecf", "treecf_cold", "ocean")
BATCH_MODELS = ("german_250x8", "german_250x8_kinds")
GAP_SECONDS = (2, 20)
# Rows that took longer than this on all threads are asked again on one thread.
SLOW_SECONDS = 0.5

# A slice of every family that the quick run can train, answer and judge in a few minutes.
QUICK = {
    "models": "german_100x4,german_250x8_kinds,compas_100x6,students_forest_kinds,"
              "ames_200x6_kinds,synthetic_50f_500x6",
    "tools": "fast,paper,treecf,ocean",
    "limit": 2.0, "minutes": 0.1, "fast_minutes": 0.2, "queries": 10, "one_thread_rows": 2,
}
FULL = {"models": "*", "tools": ",".join(TOOLS), "limit": 60.0, "minutes": 3.0,
        "fast_minutes": 10.0, "queries": None, "one_thread_rows": 5}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a slice, with short limits")
    parser.add_argument("--models", help="names, * and ? fit anything, commas between")
    parser.add_argument("--tools", help=f"of {', '.join(TOOLS)} (all; quick: not treecf_cold)")
    parser.add_argument("--others-on", default="*",
                        help="models on which tools other than the fast engine are asked (all)")
    parser.add_argument("--norms", default="squared_l2,l1")
    parser.add_argument("--limit", type=float, help="seconds a query may take (60; quick: 2)")
    parser.add_argument("--minutes", type=float,
                        help="time of each tool on a model, except the fast engine (3; quick: .1)")
    parser.add_argument("--fast-minutes", type=float,
                        help="the fast engine's time on a model (10; quick: .2)")
    parser.add_argument("--queries", type=int, help="at most so many a model (all; quick: 10)")
    parser.add_argument("--one-thread-rows", type=int,
                        help="slow queries a model asked again on one thread (5; quick: 2)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--python312", help="a Python of at least 3.12, for oceanpy")
    parser.add_argument("--ask", type=pathlib.Path,
                        default=ROOT / "build" / "bench" / "bin" / "boxwood_ask")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "bench",
                        help="folder of environments and results")
    parser.add_argument("--cache", type=pathlib.Path, help="folder of the models (WORK/models)")
    parser.add_argument("--name", help="of the results (quick or full)")
    parser.add_argument("--write", type=pathlib.Path, help="replace the tables in this file")
    models.add_source_flags(parser)
    given = parser.parse_args()
    for name, value in (QUICK if given.quick else FULL).items():
        if getattr(given, name) is None:
            setattr(given, name, value)
    given.cache = given.cache or given.work / "models"
    given.name = given.name or ("quick" if given.quick else "full")
    return given


def chosen_tools(given):
    """Every tool that was asked for and is there; says what is left out."""
    if not given.ask.is_file():
        raise SystemExit(f"run.py: {given.ask} is not there; scripts/bench.sh builds it")
    names = given.tools.split(",")
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


def ask(tool, judge, folder, given, norm, rows, threads, errors):
    """One tool on one model: the answers, judged."""
    boxwood = not tool.peer
    done = tools.ask(
        tool, folder, judge.meta, norm=norm, threads=threads, limit=given.limit, rows=rows,
        minutes=given.fast_minutes if tool.name == "fast" else given.minutes, errors=errors,
        extra=["--trace"] if boxwood and judge.meta["family"] == "large" else ())
    keep_gaps(done["answers"])
    judge.judge(done["answers"], norm, given.limit)
    entry = {"model": judge.meta["name"], "tool": tool.name, "norm": norm, "threads": threads,
             "wanted": len(rows), **done}
    print(f"  {report.one_line(entry)}", flush=True)
    return entry


def slow_rows(entry, most):
    """The queries worth asking again on one thread: proven, and not within a blink."""
    rows = [answer["row"] for answer in entry["answers"]
            if answer["status"] in report.PROVEN and answer["seconds"] > SLOW_SECONDS]
    return rows[:most]


def batch(tool, folder, meta, given):
    """Answers a second over all test rows at once; None where there is no such list."""
    command = [*tool.program, folder / meta["model"], folder / "queries_batch.json", "--batch",
               "--threads", given.threads, "--time-limit", given.limit]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return None
    facts = json.loads(done.stdout.splitlines()[1])
    print(f"  batch, {tool.name}: {facts['answers_per_second']:.0f} answers a second", flush=True)
    return {"model": meta["name"], "tool": tool.name, **facts}


def asked_on(tool, model, given):
    """The fast engine is asked everywhere, the others where they are wanted."""
    return tool.name == "fast" or any(fnmatch.fnmatch(model, pattern)
                                      for pattern in given.others_on.split(","))


def bench_model(plan, folder, given, present, results, errors):
    """Everything that is measured on one model."""
    judge = check.Judge(folder)
    rows = list(range(len(judge.queries)))[:given.queries]
    results["models"][plan.name] = {**judge.meta, "queries": len(judge.queries),
                                    "single_prediction": check.single_prediction(judge)}
    for norm in given.norms.split(","):
        for tool in present:
            if not tool.takes(judge.meta, norm) or not asked_on(tool, plan.name, given):
                continue
            entry = ask(tool, judge, folder, given, norm, rows, given.threads, errors)
            results["asks"].append(entry)
            again = slow_rows(entry, given.one_thread_rows)
            if tool.name == "fast" and norm == "squared_l2" and again:
                results["asks"].append(
                    ask(tool, judge, folder, given, norm, again, 1, errors))
    for tool in present:
        if plan.name in BATCH_MODELS and tool.name == "fast":
            results["batches"].append(batch(tool, folder, judge.meta, given))


def versions():
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True, check=False)
    return {"boxwood": (ROOT / "VERSION").read_text().strip(),
            "commit": commit.stdout.strip() or None,
            "xgboost": xgboost.__version__, "python": platform.python_version()}


def main():
    given = arguments()
    results = {
        "name": given.name, "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()} with {os.cpu_count()} cores",
        "versions": versions(), "limit": given.limit, "threads": given.threads,
        "minutes": given.minutes, "others_on": given.others_on, "fast_minutes": given.fast_minutes, "queries": given.queries,
        "models": {}, "asks": [], "batches": [], "left_out": [],
    }
    folder = given.work / "results"
    folder.mkdir(parents=True, exist_ok=True)
    present = chosen_tools(given)
    results["tools"] = {tool.name: tool.title for tool in present}
    sources = models.Sources(given.data, given.mnist, given.cache)
    with open(folder / f"{given.name}.errors.txt", "w", encoding="utf-8") as errors:
        for plan in models.chosen_plans(given.models.split(",")):
            try:
                trained = models.train(plan, given.cache, sources)
            except datasets.Missing as fault:
                print(f"{plan.name}: left out: {fault}", flush=True)
                results["left_out"].append(plan.name)
                continue
            print(plan.name, flush=True)
            bench_model(plan, trained, given, present, results, errors)
            (folder / f"{given.name}.json").write_text(json.dumps(results))
    report.write(results, folder / f"{given.name}.md", given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
