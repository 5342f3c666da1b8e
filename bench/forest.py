"""A scikit-learn random forest as Boxwood's own model file (docs/formats.md).

scikit-learn rounds inputs to float32, compares them by <= with double thresholds, adds the class
probabilities of the trees in double, in their order, divides by the number of trees and answers
the first largest. The file says the same but for the division: two outputs, double sums,
the first largest wins. They can differ only where two sums are neighbouring doubles that the
division rounds to the same number: there scikit-learn sees a tie and answers the first class.
"""

import numpy as np


def rounded_down(thresholds):
    """The largest float32 at most each threshold: no float32 lies between the two, so that <= says
    the same, and the format wants thresholds in the precision of the inputs."""
    nearest = thresholds.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > thresholds, below, nearest).astype(np.float64)


def tree_of(fitted):
    """One fitted tree. scikit-learn numbers nodes in preorder: children follow their parents."""
    tree = fitted.tree_
    leaf = tree.children_left < 0
    probabilities = tree.value[:, 0, :]
    place = np.cumsum(leaf) - 1
    return {
        "output": -1,
        "values": probabilities[leaf].ravel().tolist(),
        "kind": ["leaf" if end else "<=" for end in leaf],
        "feature": np.where(leaf, -1, tree.feature).tolist(),
        "threshold": np.where(leaf, 0.0, rounded_down(tree.threshold)).tolist(),
        "missing_left": [False if end else bool(left)
                         for end, left in zip(leaf, tree.missing_go_to_left)],
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "value": np.where(leaf, place * probabilities.shape[1], -1).tolist(),
    }


def model_of(forest, names, source):
    """The whole forest, for json.dump."""
    return {
        "boxwood_model": 1, "source": source, "objective": "random forest",
        "task": "multiclass", "link": "winner", "input": "float32", "accumulator": "float64",
        "order": "base_first", "classes": [str(label) for label in forest.classes_],
        "base": [0.0] * len(forest.classes_),
        "features": [{"name": name, "kind": "continuous"} for name in names],
        "trees": [tree_of(fitted) for fitted in forest.estimators_],
    }


def classes_of(model, inputs):
    """What the written model answers, by walking its trees level by level."""
    sums = np.tile(np.array(model["base"]), (len(inputs), 1))
    rows = np.arange(len(inputs))
    for tree in model["trees"]:
        left, right = np.array(tree["left"]), np.array(tree["right"])
        feature, threshold = np.array(tree["feature"]), np.array(tree["threshold"])
        node = np.zeros(len(inputs), dtype=int)
        while np.any(left[node] >= 0):
            goes_left = inputs[rows, feature[node]].astype(np.float64) <= threshold[node]
            node = np.where(left[node] < 0, node, np.where(goes_left, left[node], right[node]))
        values = np.array(tree["values"]).reshape(-1, sums.shape[1])
        sums += values[np.array(tree["value"])[node] // sums.shape[1]]
    return np.argmax(sums, axis=1)


def check_agreement(model, forest, inputs, count=2000):
    """Compares the written model with the forest's own predict at random points, or raises.

    Half of the points mix values of the data column by column, half are the forest's thresholds.
    """
    random = np.random.default_rng(3)
    points = np.stack([random.choice(column, count) for column in inputs.T], axis=1)
    for column in range(inputs.shape[1]):
        splits = np.concatenate([
            fitted.tree_.threshold[fitted.tree_.feature == column]
            for fitted in forest.estimators_])
        if len(splits):
            points[count // 2:, column] = random.choice(splits, count - count // 2)
    points = points.astype(np.float32)
    differ = np.flatnonzero(classes_of(model, points) != forest.predict(points))
    if len(differ):
        raise RuntimeError(f"the written forest differs from scikit-learn at {len(differ)} of "
                           f"{count} points")
