"""What the adapters of the peers share: the command line and the lines that bench/run.py reads.

An adapter gives `serve` a function that prepares a model (its time is the set-up) and returns a
function that answers one query. The lines are those of boxwood_ask. A peer takes every feature as
continuous and free, so that only models without kinds are asked. Times and limits are processor
time of this process and its children: other work on the machine takes nothing from a peer.
"""

import argparse
import json
import pathlib
import pickle
import resource
import threading
import time
import warnings

NO_CLOCK = 10**6  # seconds, for a peer whose own limit is one of the clock


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("model", type=pathlib.Path, help="folder of the model, with meta.json")
    parser.add_argument("--norm", default="l1", choices=["l1", "squared_l2"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processor-limit", type=float, default=60.0)
    parser.add_argument("--rows", default="", help="0,3,7-9: only these, counted from 0")
    return parser


def load_model(folder):
    """The library's own model object."""
    meta = json.loads((folder / "meta.json").read_text())
    if meta["library"] == "sklearn":
        return pickle.loads((folder / "forest.pickle").read_bytes())
    import xgboost

    return xgboost.Booster(model_file=folder / meta["model"])


def numbered_queries(folder, rows):
    """(row, query) pairs, all of them or those of "0,3,7-9"."""
    queries = list(enumerate(json.loads((folder / "queries.json").read_text())["queries"]))
    if not rows:
        return queries
    chosen = []
    for part in rows.split(","):
        first, _, last = part.partition("-")
        chosen += queries[int(first):int(last or first) + 1]
    return chosen


def as_floats(point):
    """A query's point, with NaN where the value is missing."""
    return [float("nan") if value is None else value for value in point]


def say(**line):
    print(json.dumps(line), flush=True)


def processor_seconds():
    """Of all threads of this process and of the children that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak():
    """The largest memory of this process since the last reset, in MB."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def reset_peak():
    """Forgets the largest memory so far; returns what the process has now."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    return peak()


class Alarm:
    """Calls `stop` when the body of `with` has used so many seconds of processor time.

    It is called again and again until the body ends: a solver that has not begun forgets it.
    """

    def __init__(self, seconds, stop):
        self.seconds, self.stop, self.over = seconds, stop, threading.Event()

    def __enter__(self):
        ends = processor_seconds() + self.seconds

        def watch():
            while not self.over.wait(min(1.0, max(0.05, (ends - processor_seconds()) / 2))):
                if processor_seconds() >= ends:
                    self.stop()

        self.thread = threading.Thread(target=watch, daemon=True)
        self.thread.start()

    def __exit__(self, *fault):
        self.over.set()
        self.thread.join()


def serve(given, facts, prepare):
    """Prepares the model and answers the chosen queries, one line each.

    `prepare(model, queries)` returns a function from a query to a dict with status, lower_bound
    and point. An exception in one query is that query's answer.
    """
    warnings.simplefilter("ignore")
    model = load_model(given.model)
    queries = numbered_queries(given.model, given.rows)
    started = processor_seconds()
    answer = prepare(model, [query for _, query in queries])
    say(setup_seconds=processor_seconds() - started, **facts)
    for row, query in queries:
        started = processor_seconds()
        try:
            found = answer(query)
        except Exception as fault:  # noqa: BLE001 - a peer's failure is a result, whatever it is
            found = {"status": "error", "error": f"{type(fault).__name__}: {fault}", "point": None}
        say(row=row, seconds=processor_seconds() - started, **found)
