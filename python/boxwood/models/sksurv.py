"""scikit-survival's trees and forests: the risk score that `predict` returns.

Trees read float32, like scikit-learn's. The risk score of a leaf is the sum of its cumulative
hazard over the times of events; a forest adds up those of its trees in double, one after the other
from zero, and divides by their number. That is what it computes of one row in one thread.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble, continuous_features
from boxwood.models._sklearn_forests import tree_of

FORESTS = ("RandomSurvivalForest", "ExtraSurvivalTrees")
TREES = ("SurvivalTree", "ExtraSurvivalTree")


def converted(model: Any) -> Ensemble:
    """Convert a survival tree or forest to a regression model whose output is the risk score."""
    name = type(model).__name__
    bases = {base.__name__ for base in type(model).__mro__}
    if not bases & {*FORESTS, *TREES}:
        raise UnsupportedModelError(f"{name} of scikit-survival is not supported",
                                    f"Use one of {', '.join(FORESTS + TREES[:1])}")
    several = bool(bases & set(FORESTS))
    if not hasattr(model, "estimators_" if several else "tree_"):
        raise UnsupportedModelError(f"this {name} is not fitted", "Call fit first")
    parts = list(model.estimators_) if several else [model]
    names = getattr(model, "feature_names_in_", None)
    module = sys.modules.get("sksurv")
    return Ensemble(
        source=f"scikit-survival {getattr(module, '__version__', '')}".strip(), objective=name,
        task="regression", link="identity", library="other", base=[0.0],
        divisor=float(len(parts)) if several else 1.0,
        trees=[tree_of(part, _risks(part), output=0) for part in parts],
        features=continuous_features([str(one) for one in names] if names is not None else
                                     [f"f{i}" for i in range(model.n_features_in_)]))


def _risks(part: Any) -> NDArray[np.float64]:
    """Return the risk score of every node."""
    hazards = part.tree_.value[..., 0]
    if part.low_memory:
        return hazards.reshape(len(hazards))
    # numpy adds up one row in another order than the rows of a table; an answer is one row.
    return np.array([hazards[node:node + 1][:, part.is_event_time_].sum(1)[0]
                     for node in range(len(hazards))])
