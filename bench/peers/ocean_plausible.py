"""Asks OCEAN (PyPI: oceanpy, CP-SAT) for answers that are normal to an isolation forest.

    python ocean_plausible.py PICKLE SECONDS

Reads what bench/plausible.py wrote and prints a line of JSON for each row: status, point, and the
seconds of processor time, in one thread.
"""

import json
import pickle
import sys
import time

import numpy as np
import pandas
from ocean import ConstraintProgrammingExplainer
from ocean.abc import Mapper
from ocean.feature import Feature
from ocean_peer import MARGIN, STATUS


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


def main():
    file, seconds = sys.argv[1:]
    with open(file, "rb") as stream:
        given = pickle.load(stream)  # written by bench/plausible.py a moment ago
    explainer = ConstraintProgrammingExplainer(
        given["forest"], mapper=mapper_of([given["forest"], given["isolation"]], given["rows"]),
        isolation=given["isolation"], isolation_threshold=-float(given["isolation"].offset_))
    for row, target in zip(given["rows"], given["targets"]):
        begin = time.process_time()
        found = explainer.explain(row, y=int(target), norm=1, max_time=float(seconds),
                                  num_workers=1)
        print(json.dumps({
            "status": STATUS[explainer.get_solving_status()],
            "lower_bound": explainer.solver.BestObjectiveBound() / explainer._obj_scale,
            "point": None if found is None else [float(value) for value in found.x],
            "seconds": time.process_time() - begin}), flush=True)
        explainer.cleanup()


if __name__ == "__main__":
    main()
