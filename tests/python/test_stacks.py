"""Stacks with a linear model on top: answers hold in every order of its sum, and optima are those of brute force.

BOXWOOD_CASES sets the number of random models.
"""

import boxwood
import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import case_numbers
from sklearn import calibration, ensemble, linear_model, multiclass, pipeline, preprocessing, tree
from test_composed import COLUMNS, KINDS, brute_force, check_optimum, draw, small, start

pytestmark = pytest.mark.filterwarnings("ignore")
LAST = {"logistic": linear_model.LogisticRegression(),
        "scaled": pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression(C=9)),
        "ridge": linear_model.RidgeCV(), "lasso": linear_model.Lasso(0.05)}


def limit(numbers):
    """A number in the widest gap between others, far from what rounding can reach."""
    levels = np.unique(numbers.astype(float))
    if levels[-1] - levels[0] < 1e-5:  # equal but for rounding: two equal members of opposite weights
        return float(levels[0]) - 0.001
    at = int(np.diff(levels).argmax())
    return float(levels[at:at + 2].mean())


@pytest.mark.parametrize("index", case_numbers(6))
def test_stacks(index):
    """Every outcome of a point that is not within rounding of a limit is the library's."""
    random = np.random.default_rng(index)
    frame, score, labels = draw(40 + index)
    last = list(LAST)[index % 4]
    number = last in ("ridge", "lasso")
    kinds = ["xgboost", "xgboost"] if index % 5 == 4 else random.choice(KINDS, 2).tolist()
    members = [(f"{kind} {i}", small(kind, index + i, number)) for i, kind in enumerate(kinds)]
    for _, one in members:
        if hasattr(one, "n_estimators"):
            one.set_params(n_estimators=2)
    path = ensemble.StackingRegressor if number else ensemble.StackingClassifier
    model = path(members, LAST[last], cv=2).fit(frame, score if number else np.array(["no", "yes"])[labels])
    top = model.final_estimator_.steps[-1][1] if last == "scaled" else model.final_estimator_
    if index % 3 == 1 and last != "lasso":
        top.coef_ = top.coef_ * np.where(np.arange(2) == 0, -1, 1).astype(top.coef_.dtype)  # one falls
    explainer = boxwood.Explainer(model)
    point = start(explainer, index)
    grid, cost, said = brute_force(model, explainer, point, 300_000)
    single = index % 5 == 4
    if number:
        assert np.allclose(explainer.predict(grid), said, rtol=1e-5 if single else 1e-13, atol=1e-6 if single else 1e-14)
        wanted = limit(said)
        for target, met in ((boxwood.Output(at_least=wanted), said >= wanted),
                            (boxwood.Output(at_most=wanted), said <= wanted)):
            check_optimum(explainer, model, point, target, met, cost)
        return
    assert (explainer.predict(grid) == said).all()
    theirs = model.predict_proba(grid)[:, 1]
    assert np.abs(explainer.predict_proba(grid)[:, 1] - theirs).max() < (1e-6 if single else 1e-14)
    for target in ("no", "yes"):
        assert check_optimum(explainer, model, point, target, said == target, cost) in (None, target)
    middle = limit(theirs)
    for target, met in ((boxwood.Class("yes", probability=middle), theirs >= middle),
                        (boxwood.Class("no", probability=1 - middle), theirs <= middle)):
        check_optimum(explainer, model, point, target, met, cost)


def members_of_three(index, random):
    """Members of a stack of three classes, and how the stack asks them."""
    def few(kind, i):
        one = small(kind, index + i)
        return one.set_params(n_estimators=2) if hasattr(one, "n_estimators") else one

    if index % 6 == 4:  # all in float32
        return [("x", few("xgboost", 0)), ("y", few("xgboost", 1))], "auto"
    if index % 6 == 5:
        return [("g", few("boosting", 0)), ("h", few("hist", 1))], "decision_function"
    kinds = random.choice(KINDS, 2).tolist()
    members = [(f"{kind} {i}", few(kind, i)) for i, kind in enumerate(kinds)]
    if index % 6 == 2:
        method = ["isotonic", "sigmoid"][index % 2]
        members[0] = ("calibrated", calibration.CalibratedClassifierCV(few("tree", 0), method=method, cv=2))
    if index % 6 == 3:
        members[0] = ("vote", ensemble.VotingClassifier([("a", few("tree", 0)), ("b", few("boosting", 2))], voting="soft",
                                                        weights=[1, 3]))
    return members, "auto"


@pytest.mark.parametrize("index", case_numbers(6))
def test_stacks_of_three_classes(index):
    random = np.random.default_rng(index)
    frame, _, labels = draw(60 + index, classes=3)
    members, method = members_of_three(index, random)
    model = ensemble.StackingClassifier(members, LAST[["logistic", "scaled"][index % 2]], cv=2, stack_method=method)
    model.fit(frame, np.array(["low", "middle", "high"])[labels])
    explainer = boxwood.Explainer(model)
    point = start(explainer, index)
    grid, cost, said = brute_force(model, explainer, point, 500_000)
    assert (explainer.predict(grid) == said).all()
    theirs = model.predict_proba(grid)
    single = index % 6 == 4
    assert np.abs(explainer.predict_proba(grid) - theirs).max() < (1e-6 if single else 1e-14)
    row = pd.Series(point, index=COLUMNS)
    for k, target in enumerate(model.classes_):
        assert check_optimum(explainer, model, point, target, said == target, cost) in (None, target)
        middle = limit(theirs[:, k])
        for wanted, met in ((boxwood.Class(target, probability=middle), theirs[:, k] >= middle),
                            (boxwood.Output(at_most=middle, output=k), theirs[:, k] <= middle)):
            check_optimum(explainer, model, point, wanted, met, cost)
        others = [str(one) for one in model.classes_ if one != target]
        check_optimum(explainer, model, point, boxwood.OneOf(tuple(others)), said != target, cost)
    with pytest.raises(boxwood.Error, match="no margins"):
        explainer.explain(row, boxwood.Class("low", margin=1.0))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("parts", [{"with_mean": False}, {"with_std": False}, {"with_mean": False, "with_std": False}])
def test_scalers_that_leave_out_a_part(classes, parts):
    frame, score, labels = draw(70, classes=classes)
    last = pipeline.make_pipeline(preprocessing.StandardScaler(**parts), linear_model.LogisticRegression())
    members = [(kind, small(kind, 1)) for kind in ("tree", "boosting")]
    model = ensemble.StackingClassifier(members, last, cv=2).fit(frame, labels)
    explainer = boxwood.Explainer(model)
    assert (explainer.predict(frame) == model.predict(frame)).all()
    assert np.abs(explainer.predict_proba(frame) - model.predict_proba(frame)).max() < 1e-14
    last = pipeline.make_pipeline(preprocessing.StandardScaler(**parts), linear_model.Ridge())
    model = ensemble.StackingRegressor([("tree", small("tree", 1, True))], last, cv=2).fit(frame, score)
    assert np.allclose(boxwood.Explainer(model).predict(frame), model.predict(frame), rtol=1e-13, atol=1e-14)


def test_three_sums_that_differ_by_rounding_have_no_class():
    # Class 0 and class 1 have the same numbers in another order: one is ahead in some orders of the sum.
    frame, _, labels = draw(3, classes=3)
    trees = [("a", tree.DecisionTreeClassifier(max_depth=1)), ("b", tree.DecisionTreeClassifier(max_depth=1))]
    model = ensemble.StackingClassifier(trees, cv=2).fit(frame, labels)
    row = frame.iloc[0]
    for shift, certain in ((0.0, False), (1e-17, False), (1e-3, True)):
        model.final_estimator_.coef_ = np.array([[0.1, 0.2, 0.3] * 2, [0.1, 0.2, 0.3] * 2, [-9.0] * 6])
        model.final_estimator_.intercept_ = np.array([shift, 0.0, 0.0])
        explainer = boxwood.Explainer(model)
        for engine in ("fast", "paper"):
            assert explainer.explain(row, 0, engine=engine).status == ("optimal" if certain else "infeasible")
            assert explainer.explain(row, 1, engine=engine).status == "infeasible"
            assert explainer.explain(row, boxwood.OneOf((0, 1)), engine=engine).status == (
                "optimal" if certain else "infeasible")


@pytest.mark.parametrize(("shift", "status"), [(-0.29, "infeasible"), (-0.28, "optimal"), (-0.30, "infeasible")])
def test_answers_of_stacks_hold_in_every_order_of_the_sum(shift, status):
    # 0.03 + 0.26 - 0.29 is above 0 in one order of the sum, and not in another.
    frame, _, _ = draw(3)
    labels = (frame["a"] > 0).to_numpy().astype(int)
    trees = [("a", tree.DecisionTreeClassifier(max_depth=1)), ("b", tree.DecisionTreeClassifier(max_depth=1))]
    model = ensemble.StackingClassifier(trees, cv=2).fit(frame, labels)
    model.final_estimator_.coef_ = np.array([[0.03, 0.26]])
    model.final_estimator_.intercept_ = np.array([shift])
    explainer = boxwood.Explainer(model)
    assert (0.03 + 0.26) - 0.29 > 0 >= (0.03 - 0.29) + 0.26
    row = pd.Series([-1.0, 0.0, 0.0], index=COLUMNS)
    answer = explainer.explain(row, 1)
    assert answer.status == status == explainer.explain(row, 1, engine="paper").status
    assert explainer.explain(pd.Series([1.0, 0.0, 0.0], index=COLUMNS), 0).status == "optimal"


def test_a_sum_of_nothing_but_zeros_has_its_class():
    # Trees that are sure of class 0 give 0, in every order: class 0 without an intercept.
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 4, (60, 3)).astype(float), columns=COLUMNS)
    labels = (frame["a"] + frame["b"] > 3).astype(int)
    members = [("a", tree.DecisionTreeClassifier(random_state=1)), ("b", tree.DecisionTreeClassifier(random_state=2))]
    model = ensemble.StackingClassifier(members, linear_model.LogisticRegression(fit_intercept=False), cv=3)
    model.fit(frame, labels)
    said = model.predict(frame)
    assert (model.decision_function(frame)[said == 0] == 0).all()
    explainer = boxwood.Explainer(model, frame, scale=None)
    row = frame[said == 1].iloc[0]
    for engine in ("fast", "paper"):
        for target in (0, boxwood.Class(0, probability=0.5)):
            answer = explainer.explain(row, target, cost="l1", engine=engine)
            rows = pd.DataFrame(np.indices((4, 4, 4)).reshape(3, -1).T.astype(float), columns=COLUMNS)
            near = rows[model.predict(rows) == 0].sub(row).abs().sum(axis=1)
            assert (answer.status, answer.cost, answer.verify()) == ("optimal", near.min(), [])


def test_claims_of_stacks_say_what_does_not_count():
    frame, _, labels = draw(3)
    model = ensemble.StackingClassifier([("a", small("tree", 1))], cv=2).fit(frame, labels)
    explainer = boxwood.Explainer(model)
    clause = "rows whose outcome depends on the rounding of the stack's sum do not count"
    at = frame.iloc[int(np.flatnonzero(model.predict(frame) == 0)[0])]
    answer = explainer.explain(at, 1)
    assert answer.claim.certain and str(answer.claim).endswith(f"; {clause}") and clause in " ".join(str(answer).split())
    none = explainer.explain(at, boxwood.Class(1, probability=0.9999))
    assert none.status == "infeasible" and str(none.claim) == f"proven: no allowed change works; {clause}"
    assert f"Rows {clause[5:]}." in " ".join(str(none).split())
    beside = boxwood.Explainer({"tree": model.estimators_[0], "stack": model})
    assert beside.explain(at, [boxwood.Class(1, model="tree"), boxwood.Class(1, model="stack")]).claim.certain
    assert not beside.explain(at, boxwood.Class(1, model="tree")).claim.certain
    record = explainer.explain_batch(frame.iloc[:3], 1, show_progress=False).to_frame()
    assert record["claim"][1:].str.endswith(clause).any()


def test_probabilities_in_float32_are_those_of_the_library():
    # Its logistic function rounds to float32; a probability within that of the level does not count.
    frame, _, labels = draw(7)
    last = linear_model.LogisticRegression(C=1e-4)  # small terms, whose sum hardly rounds
    model = ensemble.StackingClassifier([("a", small("xgboost", 1)), ("b", small("xgboost", 2))], last, cv=2)
    model.fit(frame, labels)
    explainer = boxwood.Explainer(model, frame, scale=None)
    row = frame.iloc[int(explainer.predict_proba(frame)[:, 1].argmin())]
    reached = 0
    for level in np.unique(explainer.predict_proba(frame)[:, 1]):
        for least in (level - 1e-8, level - 1e-6):
            answer = explainer.explain(row, boxwood.Class(1, probability=least))
            if answer.status == "optimal" and not answer.already_met:
                assert float(model.predict_proba(answer.point_frame())[0, 1]) >= least
                reached += 1
    assert reached > 4


def test_stacks_that_are_refused(monkeypatch):
    frame, _, labels = draw(2, classes=3)
    members = [("f", small("forest", 1)), ("t", small("tree", 1))]

    def refused(model, target):
        with pytest.raises(boxwood.UnsupportedModelError) as error:
            boxwood.Explainer(model.fit(frame, target))
        return str(error.value)

    two = labels > 0
    assert "a OneVsRestClassifier on top" in refused(ensemble.StackingClassifier(
        members, multiclass.OneVsRestClassifier(linear_model.LogisticRegression()), cv=2), labels)
    by_class = ensemble.StackingClassifier(members, cv=2).fit(frame, labels)
    for solver, release in (("liblinear", "1.9.1"), ("newton-cholesky", "1.5.2")):  # one model for each class
        by_class.final_estimator_.solver = solver
        with monkeypatch.context() as old, pytest.raises(boxwood.UnsupportedModelError, match="one model for each class"):
            old.setattr(sklearn, "__version__", release)
            boxwood.Explainer(by_class)
    assert (boxwood.Explainer(by_class).predict(frame) == by_class.predict(frame)).all()  # as of 1.6 it is one
    assert "passthrough=False" in refused(ensemble.StackingClassifier(members, cv=2, passthrough=True), two)
    assert "a RandomForestClassifier on top" in refused(
        ensemble.StackingClassifier(members, small("forest", 2), cv=2), two)
    assert 'stack_method="predict_proba"' in refused(
        ensemble.StackingClassifier(members, cv=2, stack_method="predict"), two)
    assert "a RandomForestRegressor on top" in refused(
        ensemble.StackingRegressor([("f", ensemble.RandomForestRegressor(2, max_depth=2))],
                                   ensemble.RandomForestRegressor(2, max_depth=2), cv=2), labels)


def test_what_refusals_of_stacks_advise():
    frame, _, numbers = draw(2, classes=3)
    labels = np.array(["low", "middle", "high"])[numbers]
    members = [("f", small("forest", 1)), ("t", small("tree", 1))]
    stack = ensemble.StackingClassifier(members, cv=2).fit(frame, labels)
    one = boxwood.Explainer(stack.estimators_[0], classes=list(stack.classes_))
    expected = stack.classes_[stack.estimators_[0].predict(frame)]
    assert list(one.predict(frame)) == list(expected)
    voting = ensemble.VotingClassifier(members, voting="soft").fit(frame, labels)
    assert list(boxwood.Explainer(voting).predict(frame)) == list(voting.predict(frame))
    linear = ensemble.StackingClassifier(members, linear_model.LogisticRegression(), cv=2).fit(frame, numbers > 0)
    assert list(boxwood.Explainer(linear).predict(frame)) == list(linear.predict(frame))
