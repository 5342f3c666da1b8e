"""ngboost's natural gradient boosting: the mean of a regressor, the classes of a classifier.

Its trees are scikit-learn's regression trees, which read float32. Each parameter of the
distribution is a double sum: the initial value first, then for each round the tree's number times
the learning rate, times the round's scaling, subtracted.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble, continuous_features
from boxwood.models._sklearn_forests import tree_of

# Distributions whose mean is a function of their first parameter alone, and that function.
MEANS = {"Normal": "identity", "NormalFixedVar": "identity", "Laplace": "identity",
         "Exponential": "exponential", "Poisson": "exponential"}
NOTE = "outputs may differ from ngboost's in the last digits: numpy has its own exp"


def converted(model: Any) -> Ensemble:
    """Convert an `NGBRegressor`, `NGBClassifier` or `NGBSurvival` over decision trees.

    The output of a regressor is the mean, as `predict` returns it. Models whose mean depends on
    several parameters at once are refused.
    """
    name = type(model).__name__
    if not getattr(model, "base_models", None):
        raise UnsupportedModelError(f"this {name} is not fitted", "Call fit first")
    # ngboost wraps some distributions in a class of its own.
    bases = [base.__name__ for base in model.Dist.__mro__ if base.__name__[:8] != "DistWith"]
    kind = next((base for base in bases if base in MEANS), bases[0])
    classes = 0
    if kind == "Categorical":
        classes = int(model.Dist.n_params) + 1
    elif kind not in MEANS:
        raise UnsupportedModelError(
            f"this {name} predicts the mean of {kind}, which is not a sum of trees",
            f"Fit it with one of these distributions: {', '.join(MEANS)}")
    shown = range(classes - 1) if classes else range(1)
    first = 1 if classes > 2 else 0  # the output of the first parameter: class 0 has the score 0
    trees = []
    for models, scaling, columns in zip(model.base_models, model.scalings, model.col_idxs,
                                        strict=True):
        for parameter in shown:
            tree = models[parameter]
            if type(tree).__name__ not in ("DecisionTreeRegressor", "ExtraTreeRegressor"):
                raise UnsupportedModelError(
                    f"this {name} is built of {type(tree).__name__}, not of trees",
                    "Use it with Base=DecisionTreeRegressor()")
            values = -((model.learning_rate * tree.tree_.value[:, 0, 0]) * scaling)
            trees.append(tree_of(tree, values, output=parameter + first,
                                 columns=np.asarray(columns)))
    start = [float(value) for value in np.ravel(model.init_params)[list(shown)]]
    module = sys.modules.get("ngboost")
    version = getattr(module, "__version__", "")
    common: dict[str, Any] = {
        "source": f"ngboost {version}".strip(), "objective": f"{name}, {kind}", "trees": trees,
        "library": "other", "features": continuous_features(
            [f"f{i}" for i in range(int(model.n_features))])}
    if not classes:
        link = MEANS[kind]
        return Ensemble(task="regression", link=link, base=start,
                        notes=[] if link == "identity" else [NOTE], **common)
    labels = [str(k) for k in range(classes)]
    if classes == 2:
        return Ensemble(task="binary", link="sigmoid", decision="score_above_zero", base=start,
                        classes=labels, notes=[NOTE], **common)
    return Ensemble(task="multiclass", link="softmax", base=[0.0, *start], classes=labels,
                    notes=[NOTE], **common)
