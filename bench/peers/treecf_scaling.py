"""Asks treecf's exact backend (PyPI: treecf) the questions of bench/scaling.py.

    python treecf_scaling.py PICKLE

Prints a line of JSON for each row: status, seconds of processor time, and by how many MB the process
has grown since the model was loaded. bench/tools.py ends it at the limit.
"""

import json
import math
import pickle
import sys

import numpy as np
import peer
from treecf import Explainer
from treecf_peer import NODES, outcome, target_of


def main():
    with open(sys.argv[1], "rb") as stream:
        given = pickle.load(stream)  # written by bench/scaling.py a moment ago
    model = given["model"].get_booster()
    model.feature_names = None
    before = peer.reset_peak()
    explainer = Explainer(model, normalizers=np.ones(len(given["columns"])))
    for row, target in zip(given["rows"], given["targets"]):
        begin = peer.processor_seconds()
        found = outcome(explainer.explain(
            np.asarray(row), target_of({"class": target}, 0.0), backend="exact", search="refine",
            time_budget_s=math.inf, node_budget=NODES, warm_start=True, seed=1))
        print(json.dumps({"status": found["status"], "seconds": peer.processor_seconds() - begin,
                          "memory": peer.peak() - before}), flush=True)


if __name__ == "__main__":
    main()
