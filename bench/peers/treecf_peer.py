"""Asks treecf's exact backend (PyPI: treecf), weighted L1 with all weights and scales 1.

treecf takes closed intervals of the raw score. Class 1 of XGBoost is a score above 0, so that the
interval begins at the smallest double above it; class 1 of a forest is a mean above 0.5. treecf
adds in double where XGBoost adds in float32: at scores next to the boundary its point may miss,
which bench/run.py counts. Its own limit is one of the clock, so it gets none; bench/tools.py ends the
process at the limit of processor time, and a best point without a proof is then lost.
"""

import importlib.metadata
import math

import numpy as np
import peer
from treecf import Counterfactual, Explainer, Target

# Not the search's default of two million nodes: the time is to be the only limit.
NODES = 10**15
STATUS = {"optimal": "optimal", "certified": "infeasible", "search_exhausted": "unknown"}


def target_of(query, boundary):
    if "class" not in query:
        ends = (query["lower"], query["upper"])
        low, high = (math.inf * sign if end is None else end for end, sign in zip(ends, (-1, 1)))
        return Target.raw(range=(low, high))
    if query["class"] == 1:
        return Target.raw(range=(math.nextafter(boundary, math.inf), math.inf))
    return Target.raw(range=(-math.inf, boundary))


def outcome(found):
    """treecf's result in the words of boxwood_ask."""
    point = None
    if isinstance(found, Counterfactual):
        point = [None if math.isnan(value) else float(value) for value in found.x_cf]
    bound = found.solver_stats.get("lower_bound")
    return {
        "status": STATUS.get(found.proof, "feasible"),
        "lower_bound": bound if bound is None or math.isfinite(bound) else None,
        "nodes": found.solver_stats.get("nodes_expanded"),
        "point": point,
    }


def main():
    parser = peer.arguments(__doc__.split("\n")[0])
    parser.add_argument("--cold", action="store_true", help="without its genetic warm start")
    given = parser.parse_args()
    if given.norm != "l1":
        raise SystemExit("treecf_peer: treecf's distance is L1")

    def prepare(model, queries):
        forest = hasattr(model, "estimators_")
        count = model.n_features_in_ if forest else model.num_features()
        explainer = Explainer(model, normalizers=np.ones(count))

        def answer(query):
            return outcome(explainer.explain(
                np.array(peer.as_floats(query["point"])),
                target_of(query, 0.5 if forest else 0.0), backend="exact", search="refine",
                time_budget_s=math.inf, node_budget=NODES, warm_start=not given.cold,
                seed=1))
        return answer

    facts = {"version": importlib.metadata.version("treecf"), "parameters": {
        "backend": "exact", "search": "refine", "warm_start": not given.cold, "gap": 0,
        "node_budget": NODES, "normalizers": 1, "threads": 1}}
    peer.serve(given, facts, prepare)


if __name__ == "__main__":
    main()
