#!/usr/bin/env python3
"""Time and memory of a default scikit-learn forest on adult: as an explainer, and its questions.

    PYTHONPATH=build/release/python python bench/forest.py --data FOLDER [--write docs/performance.md]

Trains `RandomForestClassifier(random_state=0)` on all rows once and keeps it in `build/bench/models`.
Each run is a process of its own that loads the forest, makes an Explainer of it and asks the first
rows for the other class. Memory is what the process has more than before the explainer was made, as
a multiple of the arrays of scikit-learn's trees; the peak is the most that it had on the way.
"""

import argparse
import ctypes
import json
import pathlib
import pickle
import platform
import resource
import statistics
import subprocess
import sys
import time

from pages import write_block

HERE = pathlib.Path(__file__).resolve().parent
FOREST = HERE.parent / "build" / "bench" / "models" / "adult_default_forest.pickle"
MOST_SECONDS, MOST_MEMORY = 1.0, 3.0


def train(folder):
    from datasets import ocean_table
    from sklearn.ensemble import RandomForestClassifier

    table = ocean_table(folder, "adult")
    forest = RandomForestClassifier(random_state=0).fit(table.values, table.target)
    FOREST.parent.mkdir(parents=True, exist_ok=True)
    FOREST.write_bytes(pickle.dumps((forest, table.values[:200])))


def memory():
    """Bytes that the process has now."""
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize()


def array_bytes(forest):
    states = [tree.tree_.__getstate__() for tree in forest.estimators_]
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states)


def measure(questions):
    """One run; prints its figures as JSON."""
    import boxwood

    forest, rows = pickle.loads(FOREST.read_bytes())
    forest.n_jobs = 1
    forest.predict(rows[:1])  # so that its own first use is not counted
    boxwood.Explainer  # noqa: B018 - the package imports its parts when they are used
    ctypes.CDLL(None).malloc_trim(0)  # freed memory would be used again and not be seen
    before = memory()
    start = time.perf_counter()
    explainer = boxwood.Explainer(forest)
    made = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    made_memory = memory()
    times = []
    proven = 0
    for row in rows[:questions]:
        start = time.perf_counter()
        answer = explainer.explain(row)
        times.append(time.perf_counter() - start)
        proven += answer.status == "optimal"
        other = forest.predict(answer.point[None])[0] != forest.predict(row[None])[0]
        assert other, "the forest itself does not agree with an answer"
        if len(times) == 1:
            asked_memory = memory()
            asked_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    later_memory = memory()
    arrays = array_bytes(forest)
    leaves = sum(tree.tree_.n_leaves for tree in forest.estimators_)
    print(json.dumps({
        "leaves": int(leaves), "arrays": arrays, "made": made, "first": times[0],
        "median": statistics.median(times[1:]), "proven": proven, "questions": questions,
        "made_memory": (made_memory - before) / arrays, "peak": (peak - before) / arrays,
        "asked_memory": (asked_memory - before) / arrays,
        "asked_peak": (asked_peak - before) / arrays,
        "later_memory": (later_memory - before) / arrays}))


def report(runs):
    import sklearn

    one = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    verdict = "met" if one["made"] < MOST_SECONDS and one["peak"] < MOST_MEMORY else "not met"
    return "\n".join([
        f"`bench/forest.py`: `RandomForestClassifier()` of scikit-learn {sklearn.__version__} on adult, "
        f"{one['leaves']:,.0f} leaves, {one['arrays'] / 1e6:,.0f} MB of arrays; {platform.machine()}, "
        f"one process for each of {len(runs)} runs, medians.", "",
        "| what | measured | target |", "|---|---|---|",
        f"| time to make an `Explainer` | {one['made']:.2f} s | under {MOST_SECONDS:g} s |",
        f"| memory of the explainer, as a multiple of the arrays | {one['made_memory']:.1f} times, "
        f"{one['peak']:.1f} on the way | under {MOST_MEMORY:g} times |",
        f"| time of the first question, which builds the tables | {one['first']:.2f} s | – |",
        f"| memory after the first question | {one['asked_memory']:.1f} times, "
        f"{one['asked_peak']:.1f} on the way | – |",
        f"| time of a later question, median | {1e3 * one['median']:.0f} ms | – |",
        f"| memory after {one['questions']:.0f} questions | {one['later_memory']:.1f} times | – |",
        f"| questions proven | {one['proven']:.0f} of {one['questions']:.0f} | all |",
        "", f"Both targets together are {verdict}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="folder with adult.csv")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.questions)
        return
    if not FOREST.is_file():
        if given.data is None:
            parser.error("the forest is not trained yet: give --data")
        train(given.data)
    runs = []
    for _ in range(given.runs):
        command = [sys.executable, __file__, "--one", "--questions", str(given.questions)]
        runs.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
        print(runs[-1], file=sys.stderr)
    text = report(runs)
    print(text)
    if given.write:
        write_block(given.write, "forest", text)


if __name__ == "__main__":
    main()
