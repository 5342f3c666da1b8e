"""scikit-learn's models that are made of other models, as one composition of their trees.

Calibrated, voting, bagging, one-versus-rest and thresholded models add up functions of their
members' scores. What each computes, and in which precision, is told where it is converted.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from boxwood.errors import UnsupportedModelError
from boxwood.models import converted_model, core_ensemble, library_of, unwrapped
from boxwood.models._categories import share_categories
from boxwood.models._ensemble import EVERY_OUTPUT, KINDS, LESS, LESS_EQUAL, Ensemble, Tree
from boxwood.models._sklearn_common import array_of, class_labels, feature_names, source

ARITHMETIC = ("accumulator", "order", "factor", "divisor", "link", "link_form", "steepness",
              "task", "decision")
WITH_PROBABILITIES = ("sigmoid", "softmax", "votes")


@dataclasses.dataclass
class Part:
    """A member: its trees, and what the composition takes from it (docs/formats.md)."""

    model: Ensemble
    response: str
    classes: list[int]
    weight: float = 1.0
    calibrations: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    columns: Sequence[int] | None = None  # of the composition, where they are known by place

    @property
    def inner(self) -> dict[str, Any] | None:
        """The composition that the member is itself, if it is one."""
        return json.loads(self.model.composition) if self.model.link == "composed" else None

    @property
    def single(self) -> bool:
        """Whether its numbers are float32."""
        return (self.inner["sum"] if self.inner else self.model.accumulator) == "float32"


def read_member(model: Any, of: Any, response: str, data: Any = None, *, averaged: bool = False,
                **more: Any) -> Part:
    """Convert one member of the model `of`; `data` names the categories of CatBoost.

    `averaged`: what it gives is only weighted and added up, so that it may be an average itself.
    """
    model = unwrapped(model)
    name = type(of).__name__
    if data is None and library_of(model) == "catboost" and model.get_cat_feature_indices():
        raise UnsupportedModelError(
            f"this {name} is built of CatBoost models with categorical columns, which store only "
            "hashes of their categories", "Give the training data too: boxwood.Explainer(model, X)")
    try:
        if library_of(model) == "sklearn":
            content = converted_model(model, data)
        else:
            content = Ensemble.from_core(core_ensemble(model, type(model).__name__, data=data))
    except UnsupportedModelError as error:
        remedy = error.remedy
        if "pipeline[:-1]" in remedy:  # of one member; the others have steps of their own
            remedy = f"Put these steps before the whole model, make_pipeline(step, {name}(…)): " \
                "its last step alone can then be explained in the space after the step"
        raise error.of_part(name, remedy) from error
    if response != "vote":
        _leave_threshold_out(content)
    nested = content.link == "composed"
    if nested and not (averaged and response != "vote" and _is_average(content)):
        raise UnsupportedModelError(
            f"this {name} is built of {type(model).__name__}, which is itself made of several "
            "models", 'Use its models as members themselves, or averages such as voting="soft"')
    if response == "probability" and content.link not in (*WITH_PROBABILITIES, "composed"):
        raise UnsupportedModelError(
            f"this {name} uses the probabilities of {type(model).__name__} ({content.objective}), "
            "which its trees alone do not determine", "Use another tree model in it")
    if response == "score" and _is_lightgbm_forest(content):
        content.divisor = 1.0  # decision_function of a random forest is the sum of its trees
    classes = more.pop("classes", None)
    if classes is None:
        count = len(content.classes) if nested else 2 if content.task == "binary" else \
            len(content.base)
        classes = [] if content.task == "regression" else list(range(count))
    return Part(content, response, classes, **more)


def _leave_threshold_out(content: Ensemble) -> None:
    """Turn a single model with its own threshold into the model, whose scores are the same."""
    made = json.loads(content.composition) if content.link == "composed" else {}
    if "threshold" not in made or len(made["members"]) != 1 or "groups" in made:
        return
    one = made["members"][0]
    if one["response"] != "probability" or one.get("calibrations") or one["weight"] != 1 or \
            made["divisor"] != 1 or list(one["classes"]) != [0, 1]:
        return
    for key in ARITHMETIC:
        setattr(content, key, one[key])
    content.composition = ""
    if len(content.notes) == 1:
        content.source = content.notes[0]  # it begins with the library


def _is_average(content: Ensemble) -> bool:
    """Whether a composition only adds up what its members give; its threshold does not matter."""
    made = json.loads(content.composition)
    return made.get("has_probabilities", True) and not any(
        made.get(key) for key in ("linear", "normalised", "by_score", "groups"))


def composed(of: Any, parts: list[Part], *, labels: list[str], **settings: Any) -> Ensemble:
    """Put members together; `settings` are entries of the file's "composition"."""
    names = _names(of, parts[0])
    places = [_places(of, part, names) for part in parts]
    share_categories([part.model for part in parts], places)
    libraries = {part.model.library for part in parts}
    features = _features(of, parts, places, names, len(libraries) > 1)
    if hasattr(of, "feature_names_in_") and all(part.columns is None for part in parts):
        # As in a pipeline, columns that the steps of all members drop are no features.
        read = sorted({column for to in places for column in to.tolist()})
        features = [features[column] for column in read]
        places = [np.searchsorted(read, to) for to in places]
    precision = "float32" if all(part.model.input == "float32" for part in parts) else "float64"
    trees: list[Tree] = []
    base: list[float] = []
    members: list[dict[str, Any]] = []
    groups = []
    for part, to in zip(parts, places, strict=True):
        content = part.model
        outputs = len(content.base)
        for tree in content.trees:
            if content.input != precision:
                _widen(tree)
            tree.feature = np.where(tree.feature < 0, -1, to[tree.feature]).astype(np.int32)
            if tree.output == EVERY_OUTPUT:
                tree.output, tree.width = 0, outputs
            tree.output += len(base)
        trees += content.trees
        base += content.base
        inner = part.inner or {"divisor": 1.0, "sum": "float64", "members": [
            {"outputs": outputs, "response": part.response, "weight": 1.0,
             "classes": range(len(part.classes)), "calibrations": part.calibrations}
            | {key: getattr(content, key) for key in ARITHMETIC}]}
        groups.append({"members": len(inner["members"]), "weight": part.weight,
                       "divisor": inner["divisor"], "sum": inner["sum"]})
        for one in inner["members"]:
            members.append(one | {"classes": [part.classes[k] if k >= 0 else -1
                                              for k in one["classes"]]})
    plain = len(members) == len(parts) and all(
        one["weight"] == group["divisor"] == 1 for one, group in zip(members, groups, strict=True))
    if not plain and "linear" not in settings:
        settings["groups"] = groups
    else:
        # Each member by itself; a linear model may add up in any order. Where it has rows, these
        # have the weights already.
        rows = "rows" in settings.get("linear", ())
        weights = [group["weight"] / group["divisor"] for group in groups
                   for _ in range(group["members"])]
        for one, weight in zip(members, weights, strict=True):
            one["weight"] = 1.0 if rows else one["weight"] * weight
    count = f"{len(parts)} models" if len(parts) > 1 else "1 model"
    return Ensemble(
        source=source(), objective=f"{type(of).__name__} of {count}",
        task="multiclass" if labels else "regression", link="composed", features=features,
        base=base, trees=trees, input=precision, classes=labels,
        notes=sorted({f"{part.model.source} {part.model.objective}" for part in parts}),
        library=libraries.pop() if len(libraries) == 1 else "sklearn", unsaid=unsaid(parts),
        encoded=frozenset(int(to[i]) for part, to in zip(parts, places, strict=True)
                          for i in part.model.encoded),
        composition=json.dumps({"sum": "float64", "divisor": 1.0, **settings, "members": members}))


def unsaid(parts: list[Part]) -> str:
    """Return what the trees of some part do not show."""
    return next((part.model.unsaid for part in parts if part.model.unsaid), "")


def _names(of: Any, part: Part) -> list[str]:
    """Name the columns: as the composition does, or its first member, or f0, f1 and so on."""
    own = [one["name"] for one in part.model.features]
    if not hasattr(of, "n_features_in_"):
        return own
    # CatBoost keeps the names of a data frame where scikit-learn's classes around it do not.
    named = part.columns is None and len(own) == of.n_features_in_ and any(
        name not in (str(place), f"f{place}", f"Column_{place}") for place, name in enumerate(own))
    return own if named and not hasattr(of, "feature_names_in_") else feature_names(of)


def _places(of: Any, part: Part, names: list[str]) -> np.ndarray:
    """Find the column of the composition for each feature of a member."""
    if part.columns is not None:
        return np.asarray(part.columns)
    own = [one["name"] for one in part.model.features]
    # Members get the columns in the order of the composition. Their names may be invented ones.
    if len(own) == len(names):
        return np.arange(len(names))
    if set(own) <= set(names):
        return np.array([names.index(name) for name in own])
    raise UnsupportedModelError(f"this {type(of).__name__}: its models read different columns",
                                "Fit all of them on one data frame")


def _features(of: Any, parts: list[Part], places: list[np.ndarray], names: list[str],
              several: bool) -> list[dict[str, Any]]:
    known: list[dict[str, Any] | None] = [None] * len(names)
    for part, to in zip(parts, places, strict=True):
        for feature, column in zip(part.model.features, to.tolist(), strict=True):
            entry = {**feature, "name": names[column]}
            before = known[column]
            # Some libraries note that a column has whole numbers or truth values, others do not;
            # all of them read the numbers. Categories have codes that each library makes.
            if before is not None and "categorical" not in (before["kind"], entry["kind"]):
                entry = before
            if (before is not None and before != entry) or (
                    several and entry["kind"] == "categorical"):
                raise UnsupportedModelError(
                    f'this {type(of).__name__}: its models read column "{names[column]}" in '
                    "different ways", "Encode its categories as numbers before all models")
            known[column] = entry
    return [entry or {"name": name, "kind": "continuous"}
            for entry, name in zip(known, names, strict=True)]


def _widen(tree: Tree) -> None:
    """Rewrite splits of numbers that are rounded to float32 as splits of doubles.

    A double goes left if the float32 nearest to it does. These doubles end half-way to the next
    float32, or just before, where a tie is rounded up.
    """
    numeric = (tree.kind == LESS) | (tree.kind == LESS_EQUAL)
    nearest = tree.threshold.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        last = np.where(tree.kind == LESS, np.nextafter(nearest, np.float32(-np.inf)), nearest)
        after = np.nextafter(last, np.float32(np.inf)).astype(np.float64)
        before = np.nextafter(last, np.float32(-np.inf)).astype(np.float64)
        exact = last.astype(np.float64)
        # Beyond the largest float32 the steps would go on by the same amount.
        after = np.where(np.isinf(after) & np.isfinite(exact), exact + (exact - before), after)
        half = exact + (after - exact) / 2
        rounds_down = half.astype(np.float32) <= last
        found = np.where(rounds_down, half, np.nextafter(half, -np.inf))
    found = np.where(np.isfinite(exact), found, exact)
    tree.threshold = np.where(numeric, found, tree.threshold)
    tree.kind = np.where(numeric, LESS_EQUAL, tree.kind).astype(np.uint8)
    if (tree.kind == KINDS.index("==")).any():
        raise UnsupportedModelError("a member compares float32 numbers for equality",
                                    "Use models of one library")


def voting_classifier(model: Any, data: Any = None) -> Ensemble:
    """Convert a `VotingClassifier`.

    Soft: the average of the probabilities, in float32 if all are and no weights are given. Hard:
    the class with most votes, or with the largest sum of weights.
    """
    soft = model.voting == "soft"
    parts = _voters(model, "probability" if soft else "vote", data)
    labels = class_labels(model)
    if not soft and len(labels) > 2 and any(library_of(_last_step(one)) == "catboost"
                                            for one in model.estimators_):
        # CatBoost returns these classes as a table of one column, which cannot be counted.
        raise UnsupportedModelError(
            "this VotingClassifier counts votes for three or more classes, and scikit-learn fails "
            "to predict with a CatBoost member then", 'Use voting="soft"')
    for part in parts:
        if len(part.classes) != len(labels):
            raise UnsupportedModelError("this VotingClassifier: a member was fitted to other "
                                        "classes", "Fit all members on the same rows")
    return composed(model, parts, labels=labels, has_probabilities=soft,
                    **(_average(model, parts) if soft else {}))


def _last_step(model: Any) -> Any:
    """Return the model at the end of a pipeline; any other model as it is."""
    model = unwrapped(model)
    return _last_step(model.steps[-1][1]) if hasattr(model, "steps") else model


def voting_regressor(model: Any, data: Any = None) -> Ensemble:
    """Convert a `VotingRegressor`: the average of what its members predict."""
    parts = _voters(model, "output", data)
    return composed(model, parts, labels=[], **_average(model, parts))


def _voters(model: Any, response: str, data: Any) -> list[Part]:
    parts = [read_member(one, model, response, data, averaged=True) for one in model.estimators_]
    weights = model._weights_not_none
    if weights is not None and len(weights) != len(parts):
        # set_params(a="drop") of a fitted model drops the weight and keeps the member.
        raise UnsupportedModelError(
            f"this {type(model).__name__} has {len(parts)} fitted members and {len(weights)} "
            "weights", "Call fit again after members or weights were changed")
    for part, weight in zip(parts, weights if weights is not None else [], strict=False):
        if not weight > 0:
            raise UnsupportedModelError(
                f"this {type(model).__name__} has a weight of {weight}",
                'Set that member to "drop", or give it a weight above 0, and call fit again')
        part.weight = float(weight)
    return parts


def _average(model: Any, parts: list[Part]) -> dict[str, Any]:
    weights = model._weights_not_none
    single = all(part.single for part in parts)
    if weights is not None and single and np.result_type(
            np.float32, np.asarray(weights).dtype) == np.float32:
        raise UnsupportedModelError(
            f"this {type(model).__name__} computes its weighted average in float32, because its "
            f"weights are {np.asarray(weights).dtype}",
            "Give the weights as a list of Python numbers, such as weights=[0.3, 0.7]")
    if weights is None:
        return {"divisor": float(len(parts)), "sum": "float32" if single else "float64"}
    return {"divisor": float(np.asarray(weights).sum(dtype=np.float64))}


def bagging(model: Any, data: Any = None) -> Ensemble:
    """Convert a `BaggingClassifier` or `BaggingRegressor` over other models than trees.

    Probabilities, or numbers, are added one model after the other and divided by their number.
    Members see classes as numbers, and some of the columns, in an array.
    """
    classifier = hasattr(model, "classes_")
    parts = []
    rows = array_of(model, data)
    for fitted, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        if classifier and not hasattr(fitted, "predict_proba"):
            raise UnsupportedModelError(f"this {type(model).__name__} counts votes of models "
                                        "without probabilities", "Use another model in it")
        more: dict[str, Any] = {"columns": columns}
        if classifier:
            more["classes"] = [int(place) for place in fitted.classes_]
        parts.append(read_member(fitted, model, "probability" if classifier else "output",
                                 None if rows is None else rows[:, columns], averaged=True, **more))
    single = not classifier and all(part.single for part in parts)
    return composed(model, parts, labels=class_labels(model) if classifier else [],
                    divisor=float(len(parts)), sum="float32" if single else "float64")


def calibrated(model: Any, data: Any = None) -> Ensemble:
    """Convert a `CalibratedClassifierCV`: the average of its calibrated models."""
    labels = class_labels(model)
    values = list(model.classes_)
    parts = []
    for one in model.calibrated_classifiers_:
        scores = hasattr(one.estimator, "decision_function")
        part = read_member(one.estimator, model, "score" if scores else "probability", data)
        # Temperature scaling of classes that are words fits its models to their places.
        own = list(one.estimator.classes_)
        part.classes = [values.index(value) for value in own] if set(own) <= set(values) \
            else [int(place) for place in own]
        if part.classes != list(range(len(values))):
            raise UnsupportedModelError("this CalibratedClassifierCV: a model was fitted to fewer "
                                        "classes than the others", "Use fewer folds, or more rows")
        part.calibrations = [_calibration(calibrator, one.method, part.single and not scores)
                             for calibrator in one.calibrators]
        parts.append(part)
    return composed(model, parts, labels=labels, divisor=float(len(parts)))


def _calibration(calibrator: Any, method: str, single: bool) -> dict[str, Any]:
    if method == "isotonic":
        from_, to = calibrator.X_thresholds_, calibrator.y_thresholds_
        return {"kind": "isotonic", "from": from_.astype(np.float64).tolist(),
                "to": to.astype(np.float64).tolist(), "precision": str(from_.dtype)}
    kept = (np.float64(1) * np.ones(1, dtype=np.float32)).dtype == np.float32
    if single and (method == "temperature" or kept):
        raise UnsupportedModelError(
            f"this CalibratedClassifierCV computes the method {method} in float32, which is not "
            "supported", 'Fit it with method="isotonic"' if kept else
            'Fit it with method="sigmoid" or "isotonic"')
    if method == "sigmoid":
        return {"kind": "sigmoid", "slope": float(calibrator.a_), "shift": float(calibrator.b_)}
    return {"kind": "temperature", "slope": float(calibrator.beta_)}


def one_versus_rest(model: Any, data: Any = None) -> Ensemble:
    """Convert a `OneVsRestClassifier`.

    Of three or more classes the one with the largest score of its own model wins, or without scores
    the one with the largest probability; the probabilities are then divided by their sum. Of two
    classes there is one model: the second class is predicted if its score exceeds 0, or its
    probability one half.
    """
    name = type(model).__name__
    itself = "Fit the model inside by itself: it knows several classes"
    if model.multilabel_:
        raise UnsupportedModelError(f"this {name} holds one model for each of several labels, and "
                                    "this needs one model", "Give the whole to boxwood.Explainer, "
                                    "or save one of its estimators_")
    if len(model.estimators_) == 1:
        return _one_against_other(model, data)
    parts = []
    by_score = hasattr(model.estimators_[0], "decision_function")
    for target, fitted in enumerate(model.estimators_):
        if not hasattr(fitted, "predict_proba") or len(getattr(fitted, "classes_", [])) != 2:
            raise UnsupportedModelError(
                f"this {name} holds {type(fitted).__name__}, which has no probabilities of two "
                "classes", itself)
        part = read_member(fitted, model, "probability", data, averaged=True,
                           classes=[-1, target])
        if by_score and (part.model.task != "binary" or len(part.model.base) != 1
                         or _is_lightgbm_forest(part.model)):
            raise UnsupportedModelError(f"this {name} compares the scores of "
                                        f"{type(fitted).__name__}", itself)
        parts.append(part)
    if by_score and len({part.model.divisor for part in parts}) > 1:
        raise UnsupportedModelError(
            f"this {name} compares scores of {type(model.estimators_[0]).__name__}, which each "
            "model divides by another number", itself)
    return composed(model, parts, labels=class_labels(model), normalised=True, by_score=by_score,
                    last_of_equals=_last_of_equals(model),
                    sum="float32" if all(part.single for part in parts) else "float64")


def _is_lightgbm_forest(content: Ensemble) -> bool:
    # Its decision_function is the sum of its trees, and its probability is of their average.
    return content.source.startswith("LightGBM") and content.divisor != 1


def _last_of_equals(model: Any) -> bool:
    """Whether, of equal scores, the last class wins, as it does in older releases."""
    level = sys.modules["sklearn.multiclass"]._ConstantPredictor()
    rows = np.zeros((1, 1))
    asked = copy.copy(model)
    asked.estimators_ = [level.fit(rows, np.zeros(1))] * len(model.estimators_)
    asked.__dict__.pop("feature_names_in_", None)
    return bool(asked.predict(rows)[0] != model.classes_[0])


def _one_against_other(model: Any, data: Any) -> Ensemble:
    inside = unwrapped(model.estimators_[0])
    of_score = hasattr(inside, "decision_function")
    part = read_member(inside, model, "probability", data)
    if of_score and (part.model.task != "binary" or len(part.model.base) != 1):
        raise UnsupportedModelError(f"this {type(model).__name__} compares the scores of "
                                    f"{type(inside).__name__}", "Fit the model inside by itself")
    limit = 0.0 if of_score else 0.5
    beyond = np.nextafter(np.float32(limit), np.float32(1)) if part.single and not of_score \
        else np.nextafter(limit, 1.0)
    threshold = {"target": 1, "least": float(beyond), "of_score": of_score}
    return composed(model, [part], labels=class_labels(model), threshold=threshold,
                    sum="float32" if part.single else "float64")


def thresholded(model: Any, data: Any = None) -> Ensemble:
    """Convert a `FixedThresholdClassifier` or `TunedThresholdClassifierCV`.

    The positive class is predicted if its probability, or the score, is at least the threshold.
    """
    inside = unwrapped(model.estimator_)
    methods = model._get_response_method()
    used = next((one for one in ([methods] if isinstance(methods, str) else methods)
                 if hasattr(inside, one)), None)
    if used is None:
        raise UnsupportedModelError(f"this {type(model).__name__} uses {methods}, which "
                                    f"{type(inside).__name__} does not have",
                                    'Fit it with response_method="predict_proba"')
    of_score = used == "decision_function"
    scorer = getattr(model, "_curve_scorer", None)  # of a tuned threshold
    label = scorer._get_pos_label() if scorer else model.pos_label
    values = list(model.classes_)
    target = 1 if label is None else values.index(label)
    given = getattr(model, "best_threshold_", None)
    if given is None:
        given = (0.0 if of_score else 0.5) if isinstance(model.threshold, str) else model.threshold
    content = converted_model(inside, data) if library_of(inside) == "sklearn" else None
    if content is None or content.link != "composed":
        part = read_member(inside, model, "probability", data)
        content = composed(model, [part], labels=class_labels(model),
                           sum="float32" if part.single else "float64")
    made = json.loads(content.composition)
    if made.get("linear"):
        raise UnsupportedModelError(
            f"this {type(model).__name__} has its own threshold on a stack, whose probabilities "
            "are known up to rounding only",
            "Explain its estimator_ and ask for a probability: boxwood.Class(label, probability=…)")
    if made["sum"] == "float32" and not isinstance(given, np.float64):
        given = np.float32(given)  # a Python number is compared in the array's precision
    forest = of_score and given != 0 and _is_lightgbm_forest(
        read_member(inside, model, "probability", data).model)
    if not math.isfinite(given) or forest or (of_score and content.task != "binary"
                                              and len(content.base) != 1):
        raise UnsupportedModelError(f"this {type(model).__name__} has a threshold of {given} "
                                    f"on {used}, which is not supported",
                                    'Fit it with response_method="predict_proba"')
    made["threshold"] = {"target": target, "least": float(given), "of_score": of_score}
    content.composition = json.dumps(made)
    content.objective = f"{type(model).__name__} at {float(given)!r} of {content.objective}"
    return content
