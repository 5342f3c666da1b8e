#!/usr/bin/env python3
"""Times a batch of German-credit questions in Python and writes the figure into docs/python.md.

    PYTHONPATH=build/release/python python bench/python_batch.py [--rows 20000] [--write docs/python.md]

The rows are drawn from the ten applicants of the example with other durations, amounts and ages; each
is asked for the cheapest change that is granted or, where it is granted already, refused.
"""

import argparse
import csv
import os
import pathlib
import time

import boxwood
import numpy as np
from pages import write_block

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "german_credit"


def rows_of(explainer, count):
    with open(EXAMPLE / "applicants.csv", newline="", encoding="utf-8") as file:
        people = [{name: int(cell) if cell.isdigit() else cell for name, cell in row.items()}
                  for row in csv.DictReader(file)]
    points = np.array([explainer.columns.point(row) for row in people])
    random = np.random.default_rng(1)
    drawn = points[random.integers(0, len(points), count)]
    for name, low, high in (("duration", 4, 73), ("credit_amount", 250, 20000), ("age", 18, 80)):
        drawn[:, explainer.columns.index(name, "rows")] = random.integers(low, high, count)
    return drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    explainer = boxwood.Explainer(EXAMPLE / "model.ubj", schema=EXAMPLE / "schema.json")
    rows = rows_of(explainer, given.rows)
    start = time.perf_counter()
    batch = explainer.explain_batch(rows, cost="l2", threads=given.threads, show_progress=False)
    seconds = time.perf_counter() - start
    proven = sum(status in ("optimal", "infeasible") for status in batch.statuses)
    cores = given.threads or os.cpu_count()
    text = (f"{given.rows:,} German-credit questions took {seconds:.0f} s on {cores} cores "
            f"({1e3 * seconds * cores / given.rows:.1f} ms of a core each), {proven:,} of them proven.")
    print(text)
    if given.write:
        write_block(given.write, "batch", text)


if __name__ == "__main__":
    main()
