"""Asks OCEAN's constraint-programming explainer (PyPI: oceanpy), which solves with CP-SAT.

It counts costs in whole steps of 1e-8 and scores in whole steps of 1e-10; an optimum is one of
that rounded problem.
"""

import importlib.metadata

import numpy as np
import pandas
import peer
from ocean import ConstraintProgrammingExplainer
from ocean.abc import Mapper
from ocean.feature import Feature

NORMS = {"l1": 1, "squared_l2": 2}
STATUS = {"OPTIMAL": "optimal", "FEASIBLE": "feasible", "INFEASIBLE": "infeasible",
          "UNKNOWN": "unknown"}
MARGIN = 1.0  # the outermost levels lie beyond everything that occurs


def thresholds_of(model, names):
    """For each feature the thresholds that the model compares it with."""
    if hasattr(model, "estimators_"):
        return [np.concatenate([tree.tree_.threshold[tree.tree_.feature == place]
                                for tree in model.estimators_]) for place in range(len(names))]
    splits = model.trees_to_dataframe()
    return [splits.loc[splits["Feature"] == name, "Split"].to_numpy() for name in names]


def mapper_of(model, names, points):
    """All features continuous, between ends that no point and no threshold reaches."""
    features = {}
    for place, (name, thresholds) in enumerate(zip(names, thresholds_of(model, names))):
        values = np.concatenate([thresholds, points[:, place]])
        ends = (float(values.min()) - MARGIN, float(values.max()) + MARGIN)
        features[name] = Feature(Feature.Type.CONTINUOUS, levels=ends)
    return Mapper(features, columns=pandas.Index(names))


def main():
    given = peer.arguments(__doc__.split("\n")[0]).parse_args()

    def prepare(model, queries):
        points = np.array([peer.as_floats(query["point"]) for query in queries])
        names = [f"f{place}" for place in range(points.shape[1])]
        explainer = ConstraintProgrammingExplainer(model, mapper=mapper_of(model, names, points))

        def answer(query):
            if "class" not in query:
                raise ValueError("a classifier is needed")
            with peer.Alarm(given.processor_limit, lambda: explainer.solver.stop_search()):
                found = explainer.explain(
                    np.array(peer.as_floats(query["point"])), y=query["class"],
                    norm=NORMS[given.norm], max_time=peer.NO_CLOCK, num_workers=given.threads)
            return {
                "status": STATUS[explainer.get_solving_status()],
                "lower_bound": explainer.solver.BestObjectiveBound() / explainer._obj_scale,
                "point": None if found is None else [float(value) for value in found.x],
            }
        return answer

    facts = {"version": importlib.metadata.version("oceanpy"), "parameters": {
        "explainer": "ConstraintProgrammingExplainer",
        "ortools": importlib.metadata.version("ortools"), "num_workers": given.threads}}
    peer.serve(given, facts, prepare)


if __name__ == "__main__":
    main()
