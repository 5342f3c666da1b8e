"""What the adapters of the peers share: the command line and the lines that bench/run.py reads.

An adapter gives `serve` a function that prepares a model (its time is the set-up) and returns a
function that answers one query. The lines are those of boxwood_ask. A peer takes every feature as
continuous and free, so that only models without kinds are asked.
"""

import argparse
import json
import pathlib
import pickle
import time
import warnings


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("model", type=pathlib.Path, help="folder of the model, with meta.json")
    parser.add_argument("--norm", default="l1", choices=["l1", "squared_l2"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=60.0)
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


def serve(given, facts, prepare):
    """Prepares the model and answers the chosen queries, one line each.

    `prepare(model, queries)` returns a function from a query to a dict with status, lower_bound
    and point. An exception in one query is that query's answer.
    """
    warnings.simplefilter("ignore")
    model = load_model(given.model)
    queries = numbered_queries(given.model, given.rows)
    started = time.perf_counter()
    answer = prepare(model, [query for _, query in queries])
    say(setup_seconds=time.perf_counter() - started, **facts)
    for row, query in queries:
        started = time.perf_counter()
        try:
            found = answer(query)
        except Exception as fault:  # noqa: BLE001 - a peer's failure is a result, whatever it is
            found = {"status": "error", "error": f"{type(fault).__name__}: {fault}", "point": None}
        say(row=row, seconds=time.perf_counter() - started, **found)
