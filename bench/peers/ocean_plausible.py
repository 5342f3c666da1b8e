"""Asks OCEAN (PyPI: oceanpy, CP-SAT) for answers that are normal to an isolation forest.

    python ocean_plausible.py PICKLE SECONDS

Reads what bench/plausible.py wrote and prints a line of JSON for each row: status, point, and the
seconds of processor time, in one thread. SECONDS is a limit of processor time for each row, so that
other work on the machine does not shorten the search.
"""

import json
import pickle
import sys
import threading
import time

import numpy as np
import pandas
from ocean import ConstraintProgrammingExplainer
from ocean.abc import Mapper
from ocean.feature import Feature
from ocean_peer import MARGIN, STATUS

LONGEST = 24 * 3600  # by the clock


def mapper_of(models, points):
    """All features continuous, between ends that no point and no threshold reaches."""
    features = {}
    for place in range(points.shape[1]):
        thresholds = [tree.tree_.threshold[tree.tree_.feature == place]
                      for model in models for tree in model.estimators_]
        values = np.concatenate([points[:, place], *thresholds])
        features[f"f{place}"] = Feature(Feature.Type.CONTINUOUS, levels=(
            float(values.min()) - MARGIN, float(values.max()) + MARGIN))
    return Mapper(features, columns=pandas.Index(list(features)))


class Limit:
    """Stops a search when the process has used so much processor time."""

    def __init__(self, solver, seconds):
        self.solver, self.done = solver, threading.Event()
        self.end = time.process_time() + seconds
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.done.wait(0.1):
            if time.process_time() > self.end:
                self.solver.stop_search()

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def main():
    file, seconds = sys.argv[1:]
    with open(file, "rb") as stream:
        given = pickle.load(stream)  # written by bench/plausible.py a moment ago
    explainer = ConstraintProgrammingExplainer(
        given["forest"], mapper=mapper_of([given["forest"], given["isolation"]], given["rows"]),
        isolation=given["isolation"], isolation_threshold=-float(given["isolation"].offset_))
    for row, target in zip(given["rows"], given["targets"]):
        begin = time.process_time()
        with Limit(explainer.solver, float(seconds)):
            found = explainer.explain(row, y=int(target), norm=1, max_time=LONGEST, num_workers=1)
        print(json.dumps({
            "status": STATUS[explainer.get_solving_status()],
            "lower_bound": explainer.solver.BestObjectiveBound() / explainer._obj_scale,
            "point": None if found is None else [float(value) for value in found.x],
            "seconds": time.process_time() - begin}), flush=True)
        explainer.cleanup()


if __name__ == "__main__":
    main()
