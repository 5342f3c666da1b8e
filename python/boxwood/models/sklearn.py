"""scikit-learn's tree models, 1.3 or newer, as Boxwood's own model file.

Chooses the converter by the class of the model and refuses, with a reason, what is not a sum of
trees. What each class computes, and in which order, is told where it is converted.
"""

from __future__ import annotations

from typing import Any

from boxwood.errors import UnsupportedModelError
from boxwood.models import (
    _sklearn_boosting,
    _sklearn_composed,
    _sklearn_forests,
    _sklearn_hist,
    _sklearn_stacked,
    _sklearn_targets,
)
from boxwood.models._ensemble import Ensemble
from boxwood.models._sklearn_common import version
from boxwood.pipelines import follow_steps, is_pipeline, pushed_back

# By the name of a class in scikit-learn: the nearest base class that is listed decides, which
# includes ExtraTreeClassifier and the like.
CONVERTERS = {
    "DecisionTreeClassifier": _sklearn_forests.tree_classifier,
    "DecisionTreeRegressor": _sklearn_forests.tree_regressor,
    "ForestClassifier": _sklearn_forests.forest_classifier,
    "ForestRegressor": _sklearn_forests.forest_regressor,
    "IsolationForest": _sklearn_forests.isolation_forest,
    "AdaBoostClassifier": _sklearn_boosting.ada_boost_classifier,
    "GradientBoostingClassifier": _sklearn_boosting.gradient_boosting,
    "GradientBoostingRegressor": _sklearn_boosting.gradient_boosting,
    "BaseHistGradientBoosting": _sklearn_hist.hist_gradient_boosting,
}
# Those that are made of other models, which may need the data: the names of CatBoost's categories,
# and the precision of numbers in pipelines.
COMPOSED = {
    "BaggingClassifier": _sklearn_forests.bagging_classifier,
    "BaggingRegressor": _sklearn_forests.bagging_regressor,
    "VotingClassifier": _sklearn_composed.voting_classifier,
    "VotingRegressor": _sklearn_composed.voting_regressor,
    "CalibratedClassifierCV": _sklearn_composed.calibrated,
    "OneVsRestClassifier": _sklearn_composed.one_versus_rest,
    "FixedThresholdClassifier": _sklearn_composed.thresholded,
    "TunedThresholdClassifierCV": _sklearn_composed.thresholded,
    "StackingClassifier": _sklearn_stacked.stacked,
    "StackingRegressor": _sklearn_stacked.stacked,
    "TransformedTargetRegressor": _sklearn_targets.transformed_target,
    "MultiOutputRegressor": _sklearn_targets.multi_output_regressor,
}

# One of these shows that a model is fitted.
FITTED = ("tree_", "estimators_", "_predictors", "calibrated_classifiers_", "estimator_",
          "regressor_")

ANOTHER = "Use a forest, GradientBoosting or HistGradientBoosting"
EACH_TARGET = "Give the whole to boxwood.Explainer, or save one of its estimators_"
REFUSED = {
    "AdaBoostRegressor": ("predicts the weighted median of its trees, which is not a sum", ANOTHER),
    "RandomTreesEmbedding": ("transforms data and predicts nothing", ANOTHER),
    "MultiOutputClassifier": ("holds one model for each target, and this needs one model",
                              EACH_TARGET),
    "OneVsOneClassifier": ("holds one model for each pair of classes", ANOTHER),
}


def converted(model: Any, data: Any = None) -> Ensemble:
    """Convert a scikit-learn model.

    Parameters
    ----------
    model : sklearn.base.BaseEstimator
        A fitted decision tree, random forest, extra trees, bagging, gradient boosting, histogram
        gradient boosting, `AdaBoostClassifier` or `IsolationForest`; a calibrated, voting,
        one-versus-rest, stacked or thresholded model of models that Boxwood reads, a regressor of
        several targets or of a transformed one; or a pipeline that ends in one of these.
    data : DataFrame, ndarray or Arrow table, optional
        The training data, for the names of CatBoost's categories and the precision of numbers.

    Returns
    -------
    Ensemble
        Its trees as arrays.

    Raises
    ------
    UnsupportedModelError
        If the model is not fitted or is not a sum of trees.
    """
    name = type(model).__name__
    if version() < (1, 3):
        raise UnsupportedModelError("scikit-learn before 1.3 is not supported",
                                    "Fit the model with scikit-learn 1.3 or newer")
    if is_pipeline(model):
        steps = follow_steps(model, data)
        made = pushed_back(model, steps, data=data)
        for column in steps.columns:
            if column.formula is not None:
                made.unsaid = f'its steps calculate "{column.name}" from other columns'
            if column.domain != type(column)("").domain:
                made.unsaid = f'{column.functions[0].name} of column "{column.name}" is finite ' \
                    "for some numbers only"
        return made
    for base in type(model).__mro__:
        if base.__name__ in REFUSED:
            reason, remedy = REFUSED[base.__name__]
            raise UnsupportedModelError(f"{name} {reason}", remedy)
        if base.__name__ in CONVERTERS or base.__name__ in COMPOSED:
            if not any(hasattr(model, part) for part in FITTED):
                raise UnsupportedModelError(f"this {name} is not fitted", "Call fit first")
            return COMPOSED[base.__name__](model, data) if base.__name__ in COMPOSED \
                else CONVERTERS[base.__name__](model)
    raise UnsupportedModelError(f"{name} is not one of scikit-learn's tree models", ANOTHER)

