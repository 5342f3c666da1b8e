"""Asks OCEAN (PyPI: oceanpy) the questions of the CPCF protocol, with CP-SAT or MaxSAT.

    python ocean_cpcf.py PICKLE

Reads what bench/cpcf.py or bench/scaling.py wrote and prints a line of JSON for each row: status,
point, seconds of processor time in one thread, the seconds that the set-up took, and by how many MB
the process has grown since the model was loaded. CP-SAT's limit is one of processor time, MaxSAT's
one of the clock.
"""

import json
import pickle
import sys
import time
import warnings

import numpy as np
import pandas
import peer
from ocean import ConstraintProgrammingExplainer, MaxSATExplainer
from ocean.abc import Mapper
from ocean.feature import Feature


def mapper_of(features):
    """The columns with their kinds, as oceanpy itself describes a table."""
    mapping, columns = {}, []
    for one in features:
        name, kind = one["name"], one["kind"]
        if kind == "F":
            mapping[name] = Feature(Feature.Type.CONTINUOUS, levels=tuple(one["values"]))
        elif kind == "D":
            mapping[name] = Feature(Feature.Type.DISCRETE, levels=tuple(one["values"]),
                                    thresholds=[])
        elif kind == "B":
            mapping[name] = Feature(Feature.Type.BINARY)
        else:
            mapping[name] = Feature(Feature.Type.ONE_HOT_ENCODED, codes=tuple(one["codes"]))
        columns += [(name, code) for code in one["codes"]] if kind == "E" else [(name, "")]
    if any(code for _, code in columns):
        return Mapper(mapping, columns=pandas.MultiIndex.from_tuples(columns))
    return Mapper(mapping, columns=pandas.Index([name for name, _ in columns]))


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], "rb") as stream:
        given = pickle.load(stream)  # written by the benchmark a moment ago
    explainers = {}
    cpsat = given["tool"] == "cpsat"
    before = peer.reset_peak()
    for row, target in zip(given["rows"], given["targets"]):
        forest = given["forests"].get(target)
        name = target if forest is not None else None
        if name not in explainers:
            begin = time.process_time()
            mapper = mapper_of(given["features"])
            if cpsat:
                extra = {} if forest is None else {
                    "isolation": forest, "isolation_threshold": -float(forest.offset_)}
                explainers[name] = ConstraintProgrammingExplainer(given["model"], mapper=mapper,
                                                                  **extra)
            else:
                explainers[name] = MaxSATExplainer(given["model"], mapper=mapper,
                                                   hard_voting=given["hard"])
            setup = time.process_time() - begin
        explainer = explainers[name]
        begin, point = time.process_time(), None
        try:
            def ask(limit, workers, at=row, explainer=explainer, y=int(target)):
                return explainer.explain(np.asarray(at), y=y, norm=given["norm"], max_time=limit,
                                         num_workers=workers, random_seed=given["seed"],
                                         clean_up=False)
            if cpsat:
                def stop(explainer=explainer):
                    explainer.solver.stop_search()
                with peer.Alarm(given["seconds"], stop):
                    found = ask(peer.NO_CLOCK, 1)
            else:  # takes whole seconds only
                found = ask(max(1, round(given["seconds"])), None)
            status = explainer.get_solving_status().lower()
            if found is not None:
                point = [float(value) for value in found.to_numpy()]
            extra = {}
            if cpsat:
                extra["bound"] = explainer.solver.BestObjectiveBound() / explainer._obj_scale
        except Exception as fault:  # noqa: BLE001 - a failure of the peer is a result
            status, extra = "error", {"error": f"{type(fault).__name__}: {fault}"[:200]}
        spent = time.process_time() - begin
        print(json.dumps({"status": status, "point": point, "seconds": spent, "setup": setup,
                          "memory": peer.peak() - before, **extra}), flush=True)
        try:
            explainer.cleanup()
        except Exception:  # noqa: BLE001
            explainers.clear()


if __name__ == "__main__":
    main()
