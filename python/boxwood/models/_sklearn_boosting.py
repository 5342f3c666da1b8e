"""scikit-learn's gradient boosting of classic trees, and AdaBoost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble, continuous_features
from boxwood.models._sklearn_common import class_labels, feature_names, source, version
from boxwood.models._sklearn_forests import check_trees, class_weights, tree_of, votes


def gradient_boosting(model: Any) -> Ensemble:
    """Convert a `GradientBoostingClassifier` or `GradientBoostingRegressor`.

    The raw score is a sum in double: the constant of `init`, then `learning_rate * value` of the
    trees, stage by stage. NaN is refused by scikit-learn; the walk would send it right.
    """
    if model.init is not None and not (isinstance(model.init, str) and model.init == "zero"):
        raise UnsupportedModelError(
            f"this {type(model).__name__} starts from a custom initial model, "
            f"init={type(model.init).__name__}",
            'Fit it with init=None or init="zero"',
        )
    stages, outputs = model.estimators_.shape
    base = np.zeros(outputs)
    if model.init is None:
        nowhere = np.zeros((1, model.n_features_in_), dtype=np.float32)
        base = model._raw_predict_init(nowhere)[0]
    trees = [
        tree_of(fitted, model.learning_rate * fitted.tree_.value[:, 0, 0], output=output,
                reads_missing=False)
        for stage in range(stages)
        for output, fitted in enumerate(model.estimators_[stage])
    ]
    ensemble = Ensemble(
        source=source(),
        objective=f"{type(model).__name__} {model.loss}",
        task="regression",
        link="identity",
        features=continuous_features(feature_names(model)),
        base=base.tolist(),
        trees=trees,
    )
    if hasattr(model, "classes_"):
        ensemble.classes = class_labels(model)
        # 1.3 compares the probabilities of log_loss, everything else the scores.
        by_score = version() >= (1, 4) or model.loss == "exponential"
        if outputs == 1:
            ensemble.task, ensemble.link = "binary", "sigmoid"
            ensemble.steepness = 2.0 if model.loss == "exponential" else 1.0
            ensemble.decision = "score_from_zero" if by_score else "output_above_half"
        else:
            ensemble.task, ensemble.link = "multiclass", "softmax"
            ensemble.decision = "largest_score" if by_score else "output_above_half"
    return ensemble


def log_votes(fitted: Any, classes: int) -> NDArray[np.float64]:
    """Return what a tree adds under SAMME.R, which is built of logarithms of probabilities."""
    probabilities = votes(fitted)
    logarithms = np.log(np.clip(probabilities, np.finfo(np.float64).eps, None))
    mean = (1.0 / classes) * logarithms.sum(axis=1)[:, np.newaxis]
    return (classes - 1) * (logarithms - mean)


def ada_boost_classifier(model: Any) -> Ensemble:
    """Convert an `AdaBoostClassifier` over trees.

    SAMME adds the weight of a tree to the class that it answers and a share of its negative to the
    others; SAMME.R, which 1.6 took away, adds logarithms of probabilities. The sums are divided by
    the sum of the weights. With two classes SAMME's sums are each other's negative, exactly, and
    the score is twice that of class 1.
    """
    check_trees(model, "DecisionTreeClassifier")
    labels = class_labels(model)
    classes = len(labels)
    by_logarithms = version() < (1, 6) and model.algorithm == "SAMME.R"
    one_score = classes == 2 and not by_logarithms
    trees = []
    for fitted, weight in zip(model.estimators_, model.estimator_weights_, strict=False):
        if by_logarithms:
            trees.append(tree_of(fitted, log_votes(fitted, classes)))
            continue
        answer = class_weights(fitted).argmax(axis=1)
        values = np.where(answer[:, np.newaxis] == np.arange(classes), weight,
                          -1 / (classes - 1) * weight)
        if one_score:
            trees.append(tree_of(fitted, 2 * values[:, 1], output=0))
        else:
            trees.append(tree_of(fitted, values))
    return Ensemble(
        source=source(),
        objective=f"AdaBoostClassifier {'SAMME.R' if by_logarithms else 'SAMME'}",
        task="binary" if one_score else "multiclass",
        link="sigmoid" if one_score else "winner",
        features=continuous_features(feature_names(model)),
        base=[0.0] if one_score else [0.0] * classes,
        trees=trees,
        classes=labels,
        divisor=float(model.estimator_weights_.sum()),
        decision="score_above_zero" if one_score else "output_above_half",
    )
