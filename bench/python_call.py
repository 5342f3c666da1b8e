#!/usr/bin/env python3
"""Times single calls of `Explainer.explain`, and how much of a call is not its search.

    PYTHONPATH=build/release/python python bench/python_call.py MODELS/NAME ... [--treecf] [--write docs/performance.md]

MODELS/NAME is a folder that bench/models.py has made. Its first 50 rows are asked for the other class
in L1 as numpy arrays. Each row is asked several times; the least time of a row counts, and the medians
of all rows are printed. `--treecf` asks treecf (bench/peers/treecf_requirements.txt, in the same
environment) the same questions as often, row by row in turn with Boxwood.
"""

import argparse
import functools
import json
import pathlib
import statistics
import sys
import time

import boxwood
import numpy as np
from pages import write_block

ROWS = 50


def timed(ask):
    """(seconds, answer) of one call."""
    start = time.perf_counter()
    answer = ask()
    return time.perf_counter() - start, answer


def treecf_asks(folder):
    """A function from a query to a function that asks treecf."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
    import peer
    from treecf import Explainer
    from treecf_peer import NODES, target_of

    model = peer.load_model(folder)
    explainer = Explainer(model, normalizers=np.ones(model.num_features()))
    return lambda query: lambda: explainer.explain(
        np.array(peer.as_floats(query["point"])), target_of(query, 0.0), backend="exact",
        search="refine", time_budget_s=60.0, node_budget=NODES, warm_start=True, seed=1)


def measure(folder, runs, with_treecf):
    """Medians in microseconds: the call, its search, the rest, and treecf's call."""
    explainer = boxwood.Explainer(folder / "model.ubj")
    peer = treecf_asks(folder) if with_treecf else None
    found = []
    for query in json.loads((folder / "queries.json").read_text())["queries"][:ROWS]:
        point = np.array([np.nan if value is None else value for value in query["point"]])
        ask = functools.partial(explainer.explain, point, query["class"], cost="l1")
        asked = [timed(ask) for _ in range(runs)]
        of_peer = [timed(peer(query))[0] for _ in range(runs)] if peer else [np.nan]
        found.append((min(seconds for seconds, _ in asked),
                      min(answer.statistics.seconds for _, answer in asked),
                      min(seconds - answer.statistics.seconds for seconds, answer in asked),
                      min(of_peer)))
    return [1e6 * statistics.median(column) for column in zip(*found, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--treecf", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    lines = ["| model | call | its search | the rest | treecf's call | treecf / Boxwood |",
             "|---|---|---|---|---|---|"]
    for folder in given.folders:
        call, search, rest, peer = measure(folder, given.runs, given.treecf)
        of_peer = f"{peer / 1000:.1f} ms | {peer / call:.0f}" if given.treecf else "– | –"
        lines.append(f"| {folder.name} | {call:.0f} µs | {search:.0f} µs | {rest:.0f} µs | {of_peer} |")
        print(lines[-1], flush=True)
    if given.write:
        write_block(given.write, "call", "\n".join(lines))


if __name__ == "__main__":
    main()
