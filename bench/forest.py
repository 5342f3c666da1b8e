"""A scikit-learn random forest as Boxwood's own model file (docs/formats.md).

scikit-learn rounds inputs to float32, compares them by <= with double thresholds, adds the class
probabilities of the trees in double, in their order, divides by the number of trees and answers
the first largest. The file says the same but for the division: two outputs, double sums,
the first largest wins. They can differ only where two sums are neighbouring doubles that the
division rounds to the same number: there scikit-learn sees a tie and answers the first class.
"""

import numpy as np


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
        "threshold": np.where(leaf, 0.0, tree.threshold).tolist(),
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
