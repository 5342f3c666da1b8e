"""Models made of several: predictions are scikit-learn's own, and optima those of brute force.

Brute force asks scikit-learn about every combination of the values next to the thresholds, so it
shares nothing with the search. BOXWOOD_CASES sets the number of random models.
"""

import itertools
import json
import warnings

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from conftest import case_numbers
from sklearn import (
    calibration,
    compose,
    ensemble,
    model_selection,
    multiclass,
    multioutput,
    pipeline,
    preprocessing,
    tree,
)

COLUMNS = ["a", "b", "c"]


def draw(seed, classes=2, rows=120):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(rows, 3)).round(2), columns=COLUMNS)
    score = frame["a"] * frame["b"] + frame["c"] + 0.3 * random.normal(size=rows)
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return frame, score, np.digitize(score, edges)


def small(kind, seed, regression=False):
    """A model of few trees."""
    few = {"n_estimators": 3, "max_depth": 2, "random_state": seed}
    boosted = {"n_estimators": 3, "max_depth": 2, "random_state": seed, "verbosity": 0}
    name = "Regressor" if regression else "Classifier"
    if kind == "xgboost":
        return getattr(xgboost, f"XGB{name}")(**boosted)
    if kind == "lightgbm":
        return getattr(lightgbm, f"LGBM{name}")(n_estimators=3, num_leaves=4, min_child_samples=5,
                                                random_state=seed, verbosity=-1)
    if kind == "catboost":
        return getattr(catboost, f"CatBoost{name}")(iterations=3, depth=2, random_seed=seed,
                                                    verbose=False, allow_writing_files=False)
    if kind == "hist":
        return getattr(ensemble, f"HistGradientBoosting{name}")(
            max_iter=3, max_leaf_nodes=4, min_samples_leaf=5, random_state=seed)
    if kind == "tree":
        return getattr(tree, f"DecisionTree{name}")(max_depth=3, random_state=seed)
    path = {"boosting": "GradientBoosting", "forest": "RandomForest", "extra": "ExtraTrees"}[kind]
    return getattr(ensemble, f"{path}{name}")(**few)


KINDS = ["xgboost", "lightgbm", "catboost", "hist", "tree", "boosting", "forest", "extra"]


def make(index):
    """A random composition, fitted, with its data."""
    random = np.random.default_rng(index)
    classes = 3 if index % 5 == 4 else 2
    frame, score, labels = draw(index, classes)
    kinds = random.choice(KINDS, 3).tolist()
    way = index % 9
    if way == 5 and classes == 3:  # scikit-learn itself fails: CatBoost predicts a table
        kinds = [kind if kind != "catboost" else "forest" for kind in kinds]
    if way == 0:
        model = calibration.CalibratedClassifierCV(small(kinds[0], index), method="sigmoid", cv=3)
    elif way == 1:
        model = calibration.CalibratedClassifierCV(small(kinds[0], index), method="isotonic", cv=2)
    elif way == 2:
        model = calibration.CalibratedClassifierCV(
            small(kinds[0], index), method=str(random.choice(["sigmoid", "isotonic"])), cv=2,
            ensemble=False)
    elif way in (3, 4, 5):
        weights = None if way == 3 else random.choice([0.5, 1, 2, 3], 3).tolist()
        voting = "hard" if way == 5 else "soft"
        model = ensemble.VotingClassifier(
            [(f"{kind} {i}", small(kind, index + i)) for i, kind in enumerate(kinds)],
            voting=voting, weights=weights if index % 2 else None)
    elif way == 6:
        weights = random.choice([0.5, 1, 2], 3).tolist() if index % 2 else None
        model = ensemble.VotingRegressor(
            [(f"{kind} {i}", small(kind, index + i, True)) for i, kind in enumerate(kinds)],
            weights=weights)
        return model.fit(frame, score), frame, None
    elif way == 7:
        model = ensemble.BaggingClassifier(small(kinds[0], index), n_estimators=3,
                                           max_features=2, random_state=index)
    else:
        while classes == 3:
            classes, (frame, score, labels) = 2, draw(index)
        inner = small(kinds[0], index)
        if index % 2:
            inner = calibration.CalibratedClassifierCV(inner, cv=2)
        model = model_selection.FixedThresholdClassifier(
            inner, threshold=float(random.choice([0.3, 0.4, 0.62])), pos_label=int(random.integers(2)), response_method="predict_proba")
    if index % 7 == 3 and way in (0, 1, 2):
        model.set_params(estimator=pipeline.make_pipeline(preprocessing.StandardScaler(),
                                                          model.estimator))
    return model.fit(frame, labels), frame, sorted(set(labels))


def values_beside(explainer, point, model=0):
    """For each column its value and the numbers next to every threshold, as the model reads them."""
    core = explainer.core.ensemble(model)
    single = core.single
    values = [{float(value)} for value in point]
    for i in range(core.tree_count):
        one = core.tree(i)
        for kind, feature, threshold in zip(one["kind"], one["feature"], one["threshold"],
                                            strict=True):
            if kind == 0 or not np.isfinite(threshold):
                continue
            number = np.float32(threshold) if single else np.float64(threshold)
            values[feature] |= {float(np.nextafter(number, number.dtype.type(side)))
                                for side in (-np.inf, np.inf)} | {float(number)}
    return [sorted(one) for one in values]


def asked(model, frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.predict(frame)


@pytest.mark.parametrize("index", case_numbers(36, 4000))
def test_optima_are_those_of_brute_force(index):
    model, _, labels = make(index)
    try:
        explainer = boxwood.Explainer(model)
    except boxwood.UnsupportedModelError as error:
        assert "which its trees alone do not determine" in str(error)
        return
    random = np.random.default_rng(index + 1000)
    point = random.normal(size=3).round(2)
    if explainer.core.ensemble(0).single:
        point = point.astype(np.float32).astype(np.float64)
    lists = values_beside(explainer, point)
    count = int(np.prod([len(one) for one in lists]))
    if count > 60_000:
        lists = [one[::max(1, len(one) // 30)] + [float(value)]
                 for one, value in zip(lists, point, strict=True)]
    grid = pd.DataFrame(itertools.product(*lists), columns=COLUMNS)
    cost = ((grid.to_numpy() - point) ** 2).sum(axis=1)
    said = asked(model, grid)
    same = explainer.predict(grid)
    if labels is None:
        assert np.allclose(said, same, rtol=1e-14, atol=1e-14)
        wanted = float(np.quantile(said, random.choice([0.2, 0.5, 0.8])))
        target, met = boxwood.Output(at_least=wanted), same >= wanted
    else:
        assert (said == same).all(), int((said != same).sum())
        if hasattr(model, "predict_proba"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert np.abs(model.predict_proba(grid) - explainer.predict_proba(grid)).max() < 1e-15
        now = asked(model, pd.DataFrame([point], columns=COLUMNS))[0]
        target = int(random.choice([label for label in labels if label != now]))
        met = said == target
        if index % 3 == 2 and hasattr(model, "predict_proba"):
            least = float(random.choice([0.4, 0.55, 0.7]))
            place = list(model.classes_).index(target)
            target = boxwood.Class(target, probability=least)
            met = explainer.predict_proba(grid)[:, place] >= least
    row = pd.Series(point, index=COLUMNS)
    answer = explainer.explain(row, target, cost="l2")
    other = explainer.explain(row, target, cost="l2", engine="paper")
    best = cost[met].min() if met.any() else np.inf
    if count <= 60_000:
        assert answer.status == ("optimal" if met.any() else "infeasible")
        if met.any():
            assert answer.cost == pytest.approx(best, rel=1e-12)
    elif met.any():
        assert answer.cost <= best * (1 + 1e-12)
    assert (answer.status, answer.cost) == (other.status, other.cost)
    if answer.status == "optimal":
        assert answer.verify() == []
        found = answer.point.to_frame().T.astype(float)
        if labels is not None and not isinstance(target, boxwood.Class):
            assert asked(model, found)[0] == target


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("kind", ["forest", "xgboost"])
def test_classifiers_of_several_targets_are_asked_by_target(kind, piped):
    frame, score, labels = draw(5)
    targets = np.column_stack([labels, np.where(score > 0.5, 5, 4) if kind == "forest" else 1 - labels])
    model = multioutput.MultiOutputClassifier(small(kind, 1))
    if piped:
        model = pipeline.make_pipeline(preprocessing.StandardScaler(), model)
    model.fit(frame, targets)
    with pytest.raises(boxwood.UnsupportedModelError, match="the whole to boxwood.Explainer"):
        boxwood.model_bytes(model)
    explainer = boxwood.Explainer(model)
    assert explainer.names == ["output 0", "output 1"]
    for i in range(2):
        assert (explainer.predict(frame, model=i) == model.predict(frame)[:, i]).all()
        assert np.array_equal(explainer.predict_proba(frame, model=i), model.predict_proba(frame)[i])
    said = model.predict(frame)
    wanted = [int(label) for label in said[np.flatnonzero((said != said[0]).all(axis=1))[0]]]
    row = frame.iloc[0].astype(np.float32).astype(float)
    answer = explainer.explain(row, [boxwood.Class(label, model=f"output {i}")
                                     for i, label in enumerate(wanted)], cost="l2")
    assert model.predict(answer.point_frame())[0].tolist() == wanted
    # Every threshold of both models from above and from below.
    lists = [sorted({*a, *b}) for a, b in zip(*(values_beside(explainer, row.to_numpy(), i) for i in range(2)),
                                              strict=True)]
    assert np.prod([len(one) for one in lists]) < 300_000
    grid = pd.DataFrame(itertools.product(*lists), columns=COLUMNS)
    met = (model.predict(grid) == wanted).all(axis=1)
    cost = ((grid.to_numpy() - row.to_numpy()) ** 2).sum(axis=1)
    assert answer.cost == pytest.approx(cost[met].min(), rel=1e-12)


@pytest.mark.parametrize("kind", ["forest", "boosting", "xgboost"])
def test_one_versus_rest_of_several_labels(kind):
    frame, score, labels = draw(6)
    targets = np.column_stack([labels, score > 0.7, frame["a"] > 0]).astype(int)
    model = multiclass.OneVsRestClassifier(small(kind, 1)).fit(frame, targets)
    explainer = boxwood.Explainer(model, frame)
    said = model.predict(frame)
    for i in range(3):
        assert (explainer.predict(frame, model=i) == said[:, i]).all()
        assert np.abs(explainer.predict_proba(frame, model=i)[:, 1] - model.predict_proba(frame)[:, i]).max() < 1e-15
    answer = explainer.explain(frame.iloc[0], boxwood.Class(1 - int(said[0, 2]), model="output 2"))
    assert model.predict(answer.point_frame())[0, 2] == 1 - said[0, 2] and answer.verify() == []


def brute_force(model, explainer, point, most=60_000):
    """The numbers at and beside all thresholds, what a change to them costs, what the model predicts."""
    lists = values_beside(explainer, point)
    count = int(np.prod([len(one) for one in lists]))
    assert count <= most
    grid = pd.DataFrame(itertools.product(*lists), columns=COLUMNS)
    return grid, ((grid.to_numpy() - point) ** 2).sum(axis=1), asked(model, grid)


def check_optimum(explainer, model, point, target, met, cost):
    """Both engines find the cheapest of the points that have the outcome, and the model confirms it."""
    row = pd.Series(point, index=COLUMNS)
    answer = explainer.explain(row, target, cost="l2")
    other = explainer.explain(row, target, cost="l2", engine="paper")
    assert (answer.status, answer.cost) == (other.status, other.cost)
    assert answer.status == ("optimal" if met.any() else "infeasible")
    if met.any():
        assert answer.cost == pytest.approx(cost[met].min(), rel=1e-12)
        assert answer.verify() == []
        return asked(model, answer.point.to_frame().T.astype(float))[0]
    return None


def start(explainer, index):
    point = np.random.default_rng(index).normal(size=3).round(2)
    return point.astype(np.float32).astype(float) if explainer.core.ensemble(0).single else point


@pytest.mark.parametrize("kind", KINDS)
def test_one_versus_rest(kind):
    frame, _, labels = draw(7, classes=3)
    inside = small(kind, 1)
    if kind != "tree":
        inside.set_params(**{{"hist": "max_iter", "catboost": "iterations"}.get(kind, "n_estimators"): 2})
    model = multiclass.OneVsRestClassifier(inside).fit(frame, labels)
    explainer = boxwood.Explainer(model)
    point = start(explainer, 3)
    grid, cost, said = brute_force(model, explainer, point, 200_000)
    assert (explainer.predict(grid) == said).all()
    ours, theirs = explainer.predict_proba(grid), model.predict_proba(grid)
    assert np.abs(ours - theirs).max() <= (np.finfo(np.float32).eps if kind == "xgboost" else 1e-15)
    for target in range(3):
        found = check_optimum(explainer, model, point, target, said == target, cost)
        assert found in (None, target)
    least = float(np.quantile(ours[:, 0], 0.9))
    check_optimum(explainer, model, point, boxwood.Class(0, probability=least), ours[:, 0] >= least, cost)


@pytest.mark.parametrize("index", range(3))
def test_calibrations_of_three_classes_that_fall(index):
    frame, _, labels = draw(30 + index, classes=3)
    model = calibration.CalibratedClassifierCV(small(["tree", "boosting", "lightgbm"][index], index), cv=2)
    model.fit(frame, labels)
    for i, one in enumerate(model.calibrated_classifiers_):
        for k, calibrator in enumerate(one.calibrators):
            if (i + k + index) % 2:
                calibrator.a_ = abs(calibrator.a_)  # falls
    explainer = boxwood.Explainer(model)
    point = start(explainer, index)
    grid, cost, said = brute_force(model, explainer, point, 300_000)
    assert (explainer.predict(grid) == said).all()
    ours = explainer.predict_proba(grid)
    assert np.abs(ours - model.predict_proba(grid)).max() < 1e-15
    for target in range(3):
        check_optimum(explainer, model, point, target, said == target, cost)
        least = float(np.quantile(ours[:, target], 0.95))
        check_optimum(explainer, model, point, boxwood.Class(target, probability=least),
                      ours[:, target] >= least, cost)


@pytest.mark.parametrize("kind", KINDS)
def test_one_versus_rest_of_two_classes(kind):
    frame, _, labels = draw(8)
    model = multiclass.OneVsRestClassifier(small(kind, 1)).fit(frame, np.array(["no", "yes"])[labels])
    explainer = boxwood.Explainer(model, frame)
    assert (explainer.predict(frame) == model.predict(frame)).all()
    assert np.abs(explainer.predict_proba(frame) - model.predict_proba(frame)).max() < 1e-15
    for i in range(5):
        answer = explainer.explain(frame.iloc[i])
        assert answer.verify() == [] and model.predict(answer.point_frame())[0] == answer.outcome


TRANSFORMED = {
    "log1p": {"func": np.log1p, "inverse_func": np.expm1},
    "log": {"func": np.log, "inverse_func": np.exp},
    "none": {},
    "standard": {"transformer": preprocessing.StandardScaler()},
    "robust": {"transformer": preprocessing.RobustScaler()},
    "quantiles": {"transformer": preprocessing.QuantileTransformer(n_quantiles=20)},
    "least and largest": {"transformer": preprocessing.MinMaxScaler((-2, 5))},
    "largest": {"transformer": preprocessing.MaxAbsScaler()},
    "root": {"func": np.sqrt, "inverse_func": np.square},
    "square": {"func": np.square, "inverse_func": np.sqrt},
    "log and scale": {"transformer": pipeline.make_pipeline(
        preprocessing.FunctionTransformer(np.log1p, np.expm1), preprocessing.StandardScaler())},
}


MIXED = ("robust", "quantiles", "least and largest", "largest")  # float32 predictions are computed in doubles, in part


@pytest.mark.parametrize("way", TRANSFORMED)
@pytest.mark.parametrize("kind", ["xgboost", "hist", "forest"])
def test_transformed_targets(way, kind):
    frame, score, _ = draw(21)
    target = np.exp(score / 2)
    model = compose.TransformedTargetRegressor(small(kind, 3, True), **TRANSFORMED[way])
    model.fit(frame, target)
    if kind == "xgboost" and way in MIXED:
        with pytest.raises(boxwood.UnsupportedModelError, match="float32 predictions in another"):
            boxwood.Explainer(model, frame)
        return
    if kind != "forest" and way in ("root", "square"):
        with pytest.raises(boxwood.UnsupportedModelError, match="cannot be negative.*forest"):
            boxwood.Explainer(model, frame)
        model.set_params(regressor=small(kind, 3, True).set_params(
            **{"objective": "count:poisson"} if kind == "xgboost" else {"loss": "poisson"})).fit(frame, target)
    explainer = boxwood.Explainer(model)
    single = kind == "xgboost"
    if way in ("log1p", "log", "log and scale") or (kind != "forest" and way in ("root", "square")):
        np.testing.assert_array_max_ulp(explainer.predict(frame).astype("f4" if single else "f8"),
                                        model.predict(frame), 16)
    else:
        assert (explainer.predict(frame) == model.predict(frame)).all()
    point = frame.iloc[0].to_numpy().astype(np.float32).astype(float)
    grid = pd.DataFrame(itertools.product(*values_beside(explainer, point)), columns=COLUMNS)
    said = asked(model, grid)
    # Half-way between two predictions, so that the last digit of exp does not matter.
    levels = np.unique(said)
    middle = len(levels) * 2 // 3
    wanted = float(levels[middle - 1:middle + 1].astype(float).mean())
    cost = ((grid.to_numpy() - point) ** 2).sum(axis=1)
    answer = explainer.explain(pd.Series(point, index=COLUMNS), boxwood.Output(at_least=wanted), cost="l2")
    assert answer.cost == pytest.approx(cost[said >= wanted].min(), rel=1e-12, abs=1e-300)
    assert answer.verify() == [] and asked(model, answer.point_frame().astype(float))[0] >= wanted
    other = explainer.explain(pd.Series(point, index=COLUMNS), boxwood.Output(at_most=wanted),
                              cost="l2", engine="paper")
    assert other.cost == pytest.approx(cost[said <= wanted].min(), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("there", "back"), [(np.sqrt, np.square), (np.square, np.sqrt)])
def test_roots_and_squares_of_counts_with_zeros(there, back):
    frame, _, _ = draw(25)
    counts = np.where(frame["a"] < 0, 0, np.floor(3 * frame["a"].abs()))  # a split on a finds the zeros
    forest = ensemble.RandomForestRegressor(2, max_depth=4, max_features=None, random_state=1)
    model = compose.TransformedTargetRegressor(forest, func=there, inverse_func=back).fit(frame, counts)
    explainer = boxwood.Explainer(model)
    point = frame.iloc[int(model.predict(frame).argmax())].to_numpy().astype(np.float32).astype(float)
    grid, cost, said = brute_force(model, explainer, point)
    assert (explainer.predict(grid) == said).all() and (said == 0).any()
    for target, met in ((boxwood.Output(at_most=0.0), said <= 0), (boxwood.Output(at_least=float(said.max())), said == said.max()),
                        (boxwood.Output(at_least=0.5, at_most=2.5), (said >= 0.5) & (said <= 2.5))):
        check_optimum(explainer, model, point, target, met, cost)


def test_targets_transformed_by_other_functions_are_refused():
    frame, score, _ = draw(22)
    model = compose.TransformedTargetRegressor(small("hist", 1, True), func=np.arcsinh,
                                               inverse_func=np.sinh).fit(frame, score)
    with pytest.raises(boxwood.UnsupportedModelError, match="by sinh.*np.expm1"):
        boxwood.Explainer(model, frame)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transformer", [
    preprocessing.PowerTransformer(), preprocessing.QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    preprocessing.FunctionTransformer(np.sqrt, np.square)])
def test_targets_of_refused_transformers_are_asked_for_through_the_model_inside(transformer):
    frame, score, _ = draw(24)
    model = compose.TransformedTargetRegressor(small("hist", 1, True), transformer=transformer).fit(frame, np.exp(score))
    with pytest.raises(boxwood.UnsupportedModelError, match="regressor_ and transform the range that you ask for"):
        boxwood.Explainer(model, frame)
    levels = np.unique(model.predict(frame))
    wanted = float(levels[-3:-1].mean())
    goal = float(model.transformer_.transform([[wanted]])[0, 0])
    answer = boxwood.Explainer(model.regressor_, frame).explain(frame.iloc[0], boxwood.Output(at_least=goal))
    assert model.predict(frame.iloc[:1])[0] < wanted <= model.predict(answer.point_frame())[0]
    if isinstance(transformer, preprocessing.PowerTransformer):  # the reason for the refusal
        skewed = preprocessing.PowerTransformer().fit(np.exp(score.to_numpy()[:, None]))
        assert np.isnan(skewed.inverse_transform([[9.0]])).any()


@pytest.mark.parametrize("kind", KINDS)
def test_regressors_of_several_targets(kind):
    frame, score, _ = draw(23)
    model = multioutput.MultiOutputRegressor(small(kind, 1, True)).fit(
        frame, np.column_stack([score, -2 * frame["a"]]))
    explainer = boxwood.Explainer(model, frame)
    assert (explainer.predict(frame) == model.predict(frame)).all()
    wanted = float(np.quantile(model.predict(frame)[:, 1], 0.7))
    answer = explainer.explain(frame.iloc[0], boxwood.Output(at_least=wanted, output=1))
    assert answer.verify() == [] and model.predict(answer.point_frame())[0, 1] >= wanted
    # Every sentence is about the output that was asked for, and says which one that is.
    now = explainer.predict(frame.iloc[:1])[0]
    text = str(answer)
    assert f"output 1 is {now[1]:.4g}"[:-1] in text and "brings output 1 to" in text
    assert "Output 1 there" in text and f"{now[0]:.4g}" not in text.splitlines()[0]
    for shown in (explainer.sweep(frame.iloc[0], [wanted], target=boxwood.Output(at_least=wanted, output=1)),
                  explainer.best(frame.iloc[0], 1.0, output=1)):
        first = str(shown).splitlines()[0]
        assert first.count("output 1") == 1 and f"{now[1]:.3g}"[:-1] in first, first
    assert "output 1 at least" in str(explainer.sweep(frame.iloc[0], [wanted],
                                                      target=boxwood.Output(at_least=wanted, output=1)))
    assert "output 1 is" in str(explainer.explain(frame.iloc[0], boxwood.Score(at_least=wanted, output=1)))
    with pytest.raises(boxwood.Error, match="predicts 2 numbers, and robustness is about one"):
        explainer.robustness(frame.iloc[0])
    with pytest.raises(boxwood.Error, match="always looks for any other outcome"):
        explainer.robustness(frame.iloc[0], output=1)
    with pytest.raises(TypeError, match="positional"):
        boxwood.Output(1, at_least=wanted)


def test_raw_scores_are_said_to_be_those_of_members():
    frame, _, labels = draw(24)
    model = ensemble.VotingClassifier([("h", small("hist", 1)), ("b", small("boosting", 2))],
                                      voting="soft").fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    assert "raw score of member 2 of 2" in str(explainer.explain(
        frame.iloc[0], boxwood.Score(at_least=0.0, output=1)))


@pytest.mark.parametrize("kind", ["forest", "boosting"])
@pytest.mark.parametrize("classes", [2, 3])
def test_temperature(kind, classes):
    frame, _, labels = draw(9, classes)
    model = calibration.CalibratedClassifierCV(small(kind, 1), method="temperature", cv=2)
    model.fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    assert np.abs(explainer.predict_proba(frame) - model.predict_proba(frame)).max() < 1e-15
    now = model.predict(frame.iloc[:1])[0]
    wanted = next(int(label) for label in model.classes_ if label != now)
    answer = explainer.explain(frame.iloc[0], wanted)
    assert answer.status == "optimal" and answer.verify() == []
    assert answer.cost == explainer.explain(frame.iloc[0], wanted, engine="paper").cost
    assert model.predict(answer.point.to_frame().T)[0] == wanted


def test_compositions_travel_as_files_and_pickles(tmp_path):
    import pickle

    frame, _, labels = draw(11)
    model = ensemble.VotingClassifier([("x", small("xgboost", 1)), ("f", small("forest", 2))],
                                      voting="soft", weights=[1, 2]).fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    content = boxwood.model_bytes(model)
    assert json.loads(content)["composition"]["divisor"] == 3
    expected = explainer.explain(frame.iloc[0], 1).cost
    for other in (boxwood.Explainer(content, frame), pickle.loads(pickle.dumps(explainer))):
        assert (other.predict_proba(frame) == explainer.predict_proba(frame)).all()
        assert other.explain(frame.iloc[0], 1).cost == expected
        assert other.hashes == explainer.hashes


def test_what_compositions_do_not_have():
    frame, _, labels = draw(13)
    model = ensemble.VotingClassifier([("f", small("forest", 1)), ("b", small("boosting", 2))],
                                      voting="hard").fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    wanted = 1 - int(model.predict(frame.iloc[:1])[0])
    with pytest.raises(boxwood.Error, match="proofs do not cover models that are made of several"):
        explainer.explain(frame.iloc[0], wanted, proof=True)
    with pytest.raises(boxwood.Error, match="made of several, so it has no margins"):
        explainer.explain(frame.iloc[0], boxwood.Class(wanted, margin=0.5))
    with pytest.raises(boxwood.Error, match="no probabilities"):
        explainer.explain(frame.iloc[0], boxwood.Class(wanted, probability=0.5))


def test_other_questions_work():
    frame, _, labels = draw(15)
    model = calibration.CalibratedClassifierCV(small("lightgbm", 1), cv=2).fit(frame, labels)
    explainer = boxwood.Explainer(model, frame)
    row = frame.iloc[0]
    wanted = 1 - int(model.predict(frame.iloc[:1])[0])
    assert explainer.menu(row, target=wanted).alternatives
    assert len(explainer.explain_batch(frame.iloc[:5], wanted, show_progress=False)) == 5
    assert str(explainer.explain(row, wanted))
    changed = explainer.explain(row, wanted).point
    assert explainer.predict(changed.to_frame().T)[0] == wanted


@pytest.mark.parametrize("kind", ["int64", "bool"])
def test_libraries_vote_on_whole_numbers(kind):
    # XGBoost notes the type of a column, scikit-learn does not.
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.integers(0, 5 if kind == "int64" else 2, (150, 3)),
                         columns=COLUMNS).astype(kind)
    target = (frame["a"].astype(int) + frame["b"] > frame["c"]).astype(int)
    model = ensemble.VotingClassifier([("x", small("xgboost", 1)), ("f", small("forest", 1))],
                                      voting="soft").fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    assert (explainer.predict(frame) == model.predict(frame)).all()
    answer = explainer.explain(frame.iloc[0])
    assert model.predict(answer.point_frame().astype(kind))[0] == answer.outcome


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7]])
def test_temperature_with_labels_of_every_type(labels):
    frame, _, classes = draw(5)
    target = np.array(labels)[classes]
    model = calibration.CalibratedClassifierCV(small("forest", 1), method="temperature", cv=2)
    model.fit(frame, target)
    explainer = boxwood.Explainer(model, frame)
    np.testing.assert_allclose(explainer.predict_proba(frame), model.predict_proba(frame),
                               rtol=1e-12)
    assert (explainer.predict(frame) == model.predict(frame)).all()


def test_calibrations_of_coupled_classes_agree_with_brute_force():
    """One calibration for each class over a softmax: no contribution is monotone in other scores."""
    rows = np.array(list(itertools.product(range(7), repeat=3)), float)
    names = ["f0", "f1", "f2"]
    schema = {"features": [{"name": name, "kind": "integer", "range": [0, 6], "scale": 1}
                           for name in names]}
    found = 0
    for seed in range(16):
        random = np.random.default_rng(seed)
        data = rows[random.integers(0, len(rows), 90)]
        noise = 3 * np.cos(2 * data[:, 1]) + 1.5 * random.normal(size=90)
        height = data @ random.normal(size=3) + noise
        classes = np.digitize(height, np.quantile(height, [1 / 3, 2 / 3])) * 2 % 3
        members = xgboost.XGBClassifier(n_estimators=3, max_depth=3, n_jobs=1, random_state=seed)
        model = calibration.CalibratedClassifierCV(members, method="isotonic", cv=2).fit(data, classes)
        shares = model.predict_proba(rows)
        explainer = boxwood.Explainer(model, schema=schema)
        for _ in range(12):
            point, output = rows[random.integers(len(rows))], int(random.integers(3))
            limit = float(np.round(np.quantile(shares[:, output], random.uniform(0.02, 0.98)), 5))
            works = shares[:, output] <= limit
            costs = np.abs(rows - point).sum(axis=1)[works]
            for engine in ("fast", "paper"):
                answer = explainer.explain(point, boxwood.Output(at_most=limit, output=output),
                                           cost="l1", engine=engine)
                assert answer.cost == (costs.min() if len(costs) else np.inf)
            found += len(costs) > 0
    assert found > 100
