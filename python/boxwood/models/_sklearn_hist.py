"""scikit-learn's histogram gradient boosting.

Inputs are doubles; a number goes left when `x <= threshold`. A category goes left when it is in a
split's set, right when it is another known one, and where missing values go when it is unknown or
negative. Scores are sums in double: the baseline, then the trees, iteration by iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwood.errors import UnsupportedModelError
from boxwood.models._ensemble import Ensemble, Tree, made_tree
from boxwood.models._sklearn_common import class_labels, feature_names, source, version

LINKS = {
    "log_loss": "sigmoid",
    "squared_error": "identity",
    "absolute_error": "identity",
    "quantile": "identity",
    "poisson": "exponential",
    "gamma": "exponential",
}


class Columns:
    """The columns that the trees see, and what their categories mean.

    From 1.4 on scikit-learn puts categorical columns first and numbers their categories; `column`
    and `codes` lead back. Where the categories are whole numbers those are the codes, otherwise the
    codes are scikit-learn's numbers and the categories their labels.

    Attributes
    ----------
    features : list of dict
        The entries of the features, in the order of the data.
    column : array of int
        The column of the data for each of the trees' features.
    codes : dict
        For each categorical one of the trees' features the code of each number.
    """

    def __init__(self, model: Any) -> None:
        count = model.n_features_in_
        names = feature_names(model)
        self.features = [{"name": name, "kind": "continuous"} for name in names]
        self.column = np.arange(count)
        self.codes: dict[int, NDArray[np.int64]] = {}
        categorical = model.is_categorical_
        if categorical is None or not np.any(categorical):
            return
        preprocessor = getattr(model, "_preprocessor", None)
        if preprocessor is not None:
            self.column = np.concatenate([np.flatnonzero(categorical),
                                          np.flatnonzero(~categorical)])
            encoder = preprocessor.named_transformers_["encoder"]
            for seen, categories in enumerate(encoder.categories_):
                self._learn(seen, *codes_of(categories))
            return
        bitsets, row_of = model._bin_mapper.make_known_categories_bitsets()
        for seen in np.flatnonzero(categorical).tolist():
            known = members(bitsets[row_of[seen]])
            self._learn(seen, np.arange(256), [""] * 256, known)

    def _learn(self, seen: int, codes: NDArray[np.int64], labels: list[str],
               known: list[int] | None = None) -> None:
        self.codes[seen] = codes
        feature = self.features[self.column[seen]]
        feature["kind"] = "categorical"
        feature["categories"] = [
            {"code": int(codes[number]), "label": labels[number]}
            for number in (range(len(codes)) if known is None else known)
        ]


def codes_of(categories: NDArray[Any]) -> tuple[NDArray[np.int64], list[str]]:
    """Return a code and a label for each category, whose own number is its place.

    `categories` are ascending; NaN, which stands for missing values, comes last and gets no code.
    The codes are the categories themselves if these are whole numbers that fit, otherwise 0, 1, ….
    The labels are empty for categories that are their own codes.
    """
    if len(categories) and isinstance(categories[-1], float | np.floating) \
            and np.isnan(categories[-1]):
        categories = categories[:-1]
    is_number = [isinstance(category, int | float | np.integer | np.floating)
                 and not isinstance(category, bool) for category in categories]
    if all(is_number):
        values = np.array(categories, dtype=np.float64)
        if np.all((values >= 0) & (values < 2**31) & (values == np.floor(values))):
            return values.astype(np.int64), [""] * len(categories)
    return np.arange(len(categories)), [str(category) for category in categories]


def members(bitset: NDArray[np.uint32]) -> list[int]:
    """Return the numbers from 0 to 255 that a bitset of eight words holds."""
    words = [int(word) for word in bitset]
    return [number for number in range(256) if words[number // 32] >> (number % 32) & 1]


def tree_of(predictor: Any, output: int, columns: Columns,
            known: dict[int, list[int]]) -> Tree:
    """Return one tree of a model.

    `output`: the output that it adds to. `known`: the codes of the known categories, for
    each categorical feature.
    """
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    sets: list[list[int]] = []
    set_of = np.full(len(nodes), -1)
    for index in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf):
        node = nodes[index]
        seen = int(node["feature_idx"])
        inside = members(predictor.raw_left_cat_bitsets[node["bitset_idx"]])
        if missing_left[index]:
            # Whatever is unknown goes left: the set is that of the categories that go right.
            inside = sorted(set(known[seen]).difference(inside))
            left[index], right[index] = right[index], left[index]
            missing_left[index] = False
        set_of[index] = len(sets)
        sets.append(columns.codes[seen][inside].tolist())
    return made_tree(
        output=output,
        leaf=leaf,
        leaf_values=nodes["value"][leaf],
        feature=columns.column[np.where(leaf, 0, nodes["feature_idx"])],
        threshold=nodes["num_threshold"],
        missing_left=missing_left,
        left=left,
        right=right,
        sets=sets,
        set_of=set_of,
    )


def hist_gradient_boosting(model: Any) -> Ensemble:
    """Convert a `HistGradientBoostingClassifier` or `HistGradientBoostingRegressor`."""
    name = type(model).__name__
    if not isinstance(model.loss, str) or model.loss not in LINKS:
        raise UnsupportedModelError(f"this {name} has a custom loss, which is not supported",
                                    f"Fit it with one of {', '.join(LINKS)}")
    base = np.asarray(model._baseline_prediction)
    if base.dtype != np.float64:
        raise UnsupportedModelError(f"this {name} adds its trees in {base.dtype}, not in double "
                                    "precision", "Fit it to targets in double precision")
    columns = Columns(model)
    bitsets, row_of = model._bin_mapper.make_known_categories_bitsets()
    known = {seen: members(bitsets[row_of[seen]]) for seen in columns.codes}
    ensemble = Ensemble(
        source=source(),
        objective=f"{name} {model.loss}",
        task="regression",
        link=LINKS[model.loss],
        features=columns.features,
        base=base.ravel().tolist(),
        trees=[tree_of(predictor, output, columns, known)
               for iteration in model._predictors for output, predictor in enumerate(iteration)],
        input="float64",
    )
    if hasattr(model, "classes_"):
        ensemble.classes = class_labels(model)
        # Up to 1.4 scikit-learn compares probabilities, then scores.
        by_score = version() >= (1, 5)
        if len(ensemble.base) == 1:
            ensemble.task = "binary"
            ensemble.decision = "score_above_zero" if by_score else "output_above_half"
        else:
            ensemble.task, ensemble.link = "multiclass", "softmax"
            ensemble.decision = "largest_score" if by_score else "output_above_half"
    return ensemble
