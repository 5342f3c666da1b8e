"""scikit-learn's trees, and the models that average them.

A tree rounds its input to float32, goes left when `x <= threshold` (a double) and sends NaN where
`missing_go_to_left` says. Averages are sums in double, tree by tree from zero, divided at the end.
That is what scikit-learn computes in one thread; with several it may add the trees in another
order, which can change the last bit.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import (
    EVERY_OUTPUT,
    Ensemble,
    Tree,
    continuous_features,
    made_tree,
    rounded_down,
)
from boxwood.models._sklearn_common import class_labels, feature_names, source, version
from boxwood.models._sklearn_composed import bagging


def tree_of(
    fitted: Any,
    leaf_values: NDArray[np.float64],
    *,
    output: int = EVERY_OUTPUT,
    columns: NDArray[np.integer] | None = None,
    reads_missing: bool = True,
) -> Tree:
    """Return one fitted tree with given values.

    `leaf_values`: what each node would add; only those of leaves count. `output`: the output that
    the tree adds to. `columns`: the column of the data for each of the tree's features; the same by
    default. `reads_missing`: whether NaN goes where the tree says, rather than to the right.
    """
    tree = fitted.tree_
    leaf = tree.children_left < 0
    feature = np.where(leaf, 0, tree.feature)
    if columns is not None:
        feature = np.asarray(columns)[feature]
    # scikit-learn 1.3 has no attribute for it, but keeps it with the nodes.
    missing_left = tree.missing_go_to_left if hasattr(tree, "missing_go_to_left") else \
        tree.__getstate__()["nodes"]["missing_go_to_left"]
    return made_tree(
        output=output,
        leaf=leaf,
        leaf_values=np.ascontiguousarray(leaf_values[leaf], dtype=np.float64),
        feature=feature,
        threshold=rounded_down(tree.threshold),
        missing_left=missing_left.astype(bool) & reads_missing,
        left=tree.children_left,
        right=tree.children_right,
    )


def class_weights(fitted: Any) -> NDArray[np.float64]:
    """Return what a tree knows of the classes in each node; its largest is the tree's answer."""
    return fitted.tree_.value[:, 0, : fitted.n_classes_]


def votes(fitted: Any) -> NDArray[np.float64]:
    """Return the class probabilities in each node of a tree."""
    weights = class_weights(fitted)
    if version() >= (1, 4):
        return weights
    # 1.3 keeps weighted counts and divides when it is asked.
    total = weights.sum(axis=1)[:, np.newaxis]
    total[total == 0.0] = 1.0
    return weights / total


def targets(fitted: Any) -> NDArray[np.float64]:
    """Return the predicted numbers in each node of a tree, one column for each target."""
    return fitted.tree_.value[:, :, 0]


def average_of_votes(model: Any, trees: list[Tree]) -> Ensemble:
    """Return a classifier that answers the first largest of averaged probabilities.

    Two classes are two outputs as well: their sums round by themselves, so that one of them does
    not tell the other.
    """
    labels = class_labels(model)
    return Ensemble(
        source=source(),
        objective=type(model).__name__,
        task="multiclass",
        link="votes",
        features=continuous_features(feature_names(model)),
        base=[0.0] * len(labels),
        trees=trees,
        classes=labels,
        divisor=float(len(trees)),
    )


def average_of_numbers(model: Any, outputs: int, trees: list[Tree]) -> Ensemble:
    """Return a regressor that averages its trees."""
    return Ensemble(
        source=source(),
        objective=type(model).__name__,
        task="regression",
        link="identity",
        features=continuous_features(feature_names(model)),
        base=[0.0] * outputs,
        trees=trees,
        divisor=float(len(trees)),
    )


def tree_classifier(model: Any) -> Ensemble:
    """Convert a `DecisionTreeClassifier` or `ExtraTreeClassifier`."""
    class_labels(model)
    probabilities = votes(model)
    ensemble = average_of_votes(model, [tree_of(model, probabilities)])
    weights = class_weights(model)
    if not np.array_equal(weights.argmax(axis=1), probabilities.argmax(axis=1)):
        # 1.3 answers the largest count, even where probabilities round to the same number.
        ensemble.trees = [tree_of(model, weights)]
        ensemble.link = "winner"
    return ensemble


def tree_regressor(model: Any) -> Ensemble:
    """Convert a `DecisionTreeRegressor` or `ExtraTreeRegressor`."""
    return average_of_numbers(model, model.n_outputs_, [tree_of(model, targets(model))])


def forest_classifier(model: Any) -> Ensemble:
    """Convert a `RandomForestClassifier` or `ExtraTreesClassifier`."""
    class_labels(model)
    return average_of_votes(model, [tree_of(fitted, votes(fitted)) for fitted in model.estimators_])


def forest_regressor(model: Any) -> Ensemble:
    """Convert a `RandomForestRegressor` or `ExtraTreesRegressor`."""
    trees = [tree_of(fitted, targets(fitted)) for fitted in model.estimators_]
    return average_of_numbers(model, model.n_outputs_, trees)


def are_trees(model: Any, kind: str) -> bool:
    """Whether a meta-estimator is built of single trees of this kind."""
    return all(any(base.__name__ == kind for base in type(fitted).__mro__)
               for fitted in model.estimators_)


def check_trees(model: Any, kind: str) -> None:
    """Refuse a meta-estimator over anything but single trees.

    `kind`: "DecisionTreeClassifier" or "DecisionTreeRegressor".
    """
    for fitted in model.estimators_:
        if all(base.__name__ != kind for base in type(fitted).__mro__):
            raise UnsupportedModelError(
                f"this {type(model).__name__} is built of {type(fitted).__name__}, not of trees",
                f"Use it with a {kind}, or explain a model of another kind",
            )


def bagging_classifier(model: Any, data: Any = None) -> Ensemble:
    """Convert a `BaggingClassifier`; over trees it is an average of them."""
    if not are_trees(model, "DecisionTreeClassifier"):
        return bagging(model, data)
    labels = class_labels(model)
    trees = []
    for fitted, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        # The trees see classes as numbers; one that was given no example of a class lacks it.
        probabilities = np.zeros((fitted.tree_.node_count, len(labels)))
        probabilities[:, fitted.classes_] = votes(fitted)
        trees.append(tree_of(fitted, probabilities, columns=columns))
    return average_of_votes(model, trees)


def bagging_regressor(model: Any, data: Any = None) -> Ensemble:
    """Convert a `BaggingRegressor`; over trees it is an average of them."""
    if not are_trees(model, "DecisionTreeRegressor"):
        return bagging(model, data)
    trees = [
        tree_of(fitted, targets(fitted), columns=columns)
        for fitted, columns in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    return average_of_numbers(model, model.estimators_[0].n_outputs_, trees)


def isolation_forest(model: Any) -> Ensemble:
    """Convert an `IsolationForest`; its output is what `score_samples` returns."""
    average_path_length = sys.modules["sklearn.ensemble._iforest"]._average_path_length
    divisor = len(model.estimators_) * float(average_path_length([model._max_samples])[0])
    same_columns = model._max_features == model.n_features_in_
    trees = []
    for index, fitted in enumerate(model.estimators_):
        lengths = (
            model._decision_path_lengths[index] + model._average_path_length_per_tree[index] - 1.0
        )
        columns = None if same_columns else model.estimators_features_[index]
        trees.append(tree_of(fitted, lengths, output=0, columns=columns))
    # Of a single training row every length is 0, and scikit-learn takes 1 for their average.
    alone = divisor == 0
    return Ensemble(
        source=source(),
        objective=f"IsolationForest with offset_ {float(model.offset_)!r}",
        task="regression",
        link="isolation",
        features=continuous_features(feature_names(model)),
        base=[1.0] if alone else [0.0],
        trees=[] if alone else trees,
        divisor=1.0 if alone else divisor,
    )
