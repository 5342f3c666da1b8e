"""Robust answers from Python and the command."""

import itertools

import boxwood
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def forest():
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(3)
    frame = pd.DataFrame({"months": random.integers(1, 25, 300), "rate": random.random(300),
                          "kind": random.integers(0, 3, 300)})
    good = frame["months"] / 25 + frame["rate"] + (frame["kind"] == 1) * 0.3 > 1.1
    model = RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0, n_jobs=1)
    return model.fit(frame, good), frame


def test_every_row_within_the_distances_has_the_outcome(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    bad = frame[~model.predict(frame)].head(6)
    for _, row in bad.iterrows():
        answer = explainer.explain(row, True, fixed=["kind"], robust={"months": 2, "rate": 0.05})
        plain = explainer.explain(row, True, fixed=["kind"])
        assert answer.status == "optimal" and answer.cost >= plain.cost
        to = list(answer.point)
        near = [dict(zip(frame.columns, values)) for values in itertools.product(
            to[0] + np.arange(-2, 3), np.linspace(to[1] - 0.05, to[1] + 0.05, 201), [to[2]])]
        assert model.predict(pd.DataFrame(near)).all()
        assert "every row within the given distances" in " ".join(str(answer).split())
        assert 'by at most 2 in "months"' in " ".join(str(answer).split())


def test_a_share_is_one_of_the_ranges(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    share = explainer.explain(row, True, fixed=["kind"], robust=0.05)
    width = {name: float(frame[name].max() - frame[name].min()) for name in ("months", "rate")}
    named = explainer.explain(row, True, fixed=["kind"],
                              robust={name: 0.05 * width[name] for name in width})
    assert share.cost == named.cost and list(share.point) == list(named.point)


def test_what_does_not_go_with_robust_answers_is_refused_by_name(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    for ask, what in ((lambda: explainer.explain(row, True, robust=0.05, proof=True), "a proof"),
                      (lambda: explainer.regions(row, 1, True, robust=0.05), "regions")):
        with pytest.raises(boxwood.Error, match=what):
            ask()
    for given, what in ((5, "from 0 to 1"), (float("inf"), "robust: inf is not a finite number"),
                        ({"rate": float("inf")}, r'robust\["rate"\]: inf is not a finite number')):
        with pytest.raises(boxwood.Error, match=what):
            explainer.explain(row, True, robust=given)
    several = boxwood.Explainer([model, model], frame)
    with pytest.raises(boxwood.Error, match="an outcome of some of the models cannot be robust"):
        several.robust_sweep(row, [0, 1], True, robust=0.05, agree=2)


def holds_around(model, point, values, wanted):
    """Whether all rows have a wanted class that have one of the given values of each column."""
    rows = [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]
    assert all(point[name] in given for name, given in values.items())
    return np.isin(model.predict(pd.DataFrame(rows)), wanted).all()


def test_models_that_are_composed_of_others():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(8)
    frame = pd.DataFrame(random.integers(0, 15, (200, 2)), columns=["a", "b"])
    label = frame["a"] + frame["b"] + random.integers(0, 4, 200) > 16
    forest = RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0)
    members = [("forest", forest), ("tree", DecisionTreeClassifier(max_depth=5, random_state=0))]
    grid = pd.DataFrame(list(itertools.product(range(15), repeat=2)), columns=frame.columns)
    for model in (CalibratedClassifierCV(forest, method="isotonic", cv=2),
                  VotingClassifier(members, voting="soft"), VotingClassifier(members)):
        model.fit(frame, label)
        explainer = boxwood.Explainer(model, frame, scale=None)
        good = model.predict(grid).reshape(15, 15)
        # Rows beyond the range of the data are no neighbours.
        robust = np.array([good[max(a - 1, 0):a + 2, max(b - 2, 0):b + 3].all()
                           for a, b in grid.to_numpy()])
        for _, row in frame[~model.predict(frame)].head(3).iterrows():
            answer = explainer.explain(row, True, robust={"a": 1, "b": 2}, cost="l1")
            assert answer.proven
            assert answer.cost == (grid - row).abs().sum(axis=1)[robust].min()
    stack = boxwood.Explainer(StackingClassifier(members, cv=2).fit(frame, label), frame)
    with pytest.raises(boxwood.Error, match="stacked models do not support robust answers"):
        stack.explain(frame.iloc[0], robust={"a": 1})


def test_several_models_have_the_outcome_around_the_answer():
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    random = np.random.default_rng(11)
    frame = pd.DataFrame(random.integers(0, 15, (200, 2)), columns=["a", "b"])
    models = []
    for model, least in ((RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0), 16),
                         (GradientBoostingClassifier(n_estimators=8, random_state=0), 18)):
        models.append(model.fit(frame, frame["a"] + frame["b"] + random.integers(0, 4, 200) > least))
    grid = pd.DataFrame(list(itertools.product(range(15), repeat=2)), columns=frame.columns)
    good = np.logical_and(*(model.predict(grid) for model in models)).reshape(15, 15)
    # Rows beyond the range of the data are no neighbours.
    around = np.pad(good, 1, constant_values=True)
    robust = np.all([around[i:i + 15, j:j + 15] for i in range(3) for j in range(3)], axis=0)
    assert 0 < robust.sum() < good.sum()
    explainer = boxwood.Explainer(models, frame, scale=None)
    for a, b in ((2, 3), (7, 7), (0, 14), (10, 1)):
        answer = explainer.explain({"a": a, "b": b}, True, robust={"a": 1, "b": 1}, cost="l1",
                                   requirements=[boxwood.Class(True, model="model 2")])
        costs = [abs(i - a) + abs(j - b) for i, j in zip(*np.nonzero(robust), strict=True)]
        assert answer.status == "optimal" and answer.cost == min(costs)


def test_one_of_several_classes():
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(5)
    frame = pd.DataFrame(random.integers(0, 12, (300, 3)), columns=["a", "b", "c"])
    label = np.where(frame["a"] + frame["b"] < 9, "red", np.where(frame["c"] > 5, "blue", "green"))
    model = RandomForestClassifier(n_estimators=9, max_depth=4, random_state=0).fit(frame, label)
    explainer = boxwood.Explainer(model, frame)
    differ = 0
    for _, row in frame[model.predict(frame) == "red"].head(2).iterrows():
        for target, wanted in ((boxwood.OneOf(["blue", "green"]), ["blue", "green"]),
                               (boxwood.Not(boxwood.Class("red")), ["blue", "green"]), ("blue", ["blue"])):
            answer = explainer.explain(row, target, robust={"a": 1, "b": 1, "c": 2}, cost="l1")
            # Every admissible row, cheapest first: the first one whose neighbours all have the
            # outcome is the answer.
            def around(point):
                low, high = frame.min(), frame.max()
                return {name: [v for v in range(int(point[name]) - by, int(point[name]) + by + 1)
                               if low[name] <= v <= high[name]]
                        for name, by in (("a", 1), ("b", 1), ("c", 2))}
            point = dict(zip(frame.columns, answer.point, strict=True))
            assert answer.status == "optimal"
            assert holds_around(model, point, around(point), wanted)
            grid = pd.DataFrame(list(itertools.product(range(12), repeat=3)), columns=frame.columns)
            width = frame.max() - frame.min()
            cost = ((grid - row).abs() / width).sum(axis=1)
            cheaper = grid[cost < answer.cost - 1e-9]
            cheaper = cheaper[np.isin(model.predict(cheaper), wanted)] if len(cheaper) else cheaper
            assert not any(holds_around(model, one, around(one), wanted)
                           for _, one in cheaper.iterrows())
            rows = pd.DataFrame(list(itertools.product(*around(point).values())),
                                columns=frame.columns)
            differ += len(set(model.predict(rows))) > 1
    assert differ > 0  # neighbours may have different classes of the list


def test_categories_of_a_one_hot_group():
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(7)
    raw = pd.DataFrame({"months": random.integers(1, 25, 300),
                        "purpose": random.choice(["car", "tv", "school"], 300)})
    frame = pd.get_dummies(raw, columns=["purpose"], dtype=int)
    good = (raw["months"] > 12) | ((raw["purpose"] == "car") & (raw["months"] > 5))
    model = RandomForestClassifier(n_estimators=9, max_depth=4, random_state=0).fit(frame, good)
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    alone = explainer.explain(row, True, robust={"months": 1})
    both = explainer.explain(row, True, robust={"months": 1, "purpose": ["tv", "school"]})
    assert both.status == "optimal" and both.cost >= alone.cost
    point = pd.Series(list(both.point), index=frame.columns)
    for months, hot in itertools.product((-1, 0, 1), (None, "purpose_tv", "purpose_school")):
        near = point.copy()
        near["months"] += months
        if hot:
            near[[name for name in frame if name.startswith("purpose")]] = 0
            near[hot] = 1
        assert model.predict(near.to_frame().T)[0]
    words = " ".join(str(both).split())
    assert 'in "purpose", which may be school or tv' in words
    with pytest.raises(boxwood.Error, match="no category"):
        explainer.explain(row, True, robust={"purpose": ["boat"]})


def test_the_price_of_robustness(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    within = {"months": 1, "rate": 0.02}
    sweep = explainer.robust_sweep(row, [0, 1, 2, 3], True, fixed=["kind"], robust=within)
    costs = [answer.cost for answer in sweep.answers]
    assert costs == sorted(costs) and costs[0] < costs[-1]
    for multiple, answer in sweep:
        asked = {name: multiple * by for name, by in within.items()} if multiple else None
        alone = explainer.explain(row, True, fixed=["kind"], robust=asked)
        assert alone.cost == answer.cost and alone.status == answer.status == "optimal"
    assert "2 times" in str(sweep) and len(sweep.to_frame()) == 4
    words = " ".join(str(sweep).split())
    assert "Every multiple proven." in words and "At 1 times the outcome also holds" in words
    assert "2 times" in sweep._repr_html_()
    with pytest.raises(boxwood.Error, match="no distance to vary"):
        explainer.robust_sweep(row, [0, 1], True)
    with pytest.raises(boxwood.Error, match="ascending"):
        explainer.robust_sweep(row, [1, 0], True, robust=within)


def test_why_not_menus_and_batches(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    bad = frame[~model.predict(frame)].head(4)
    within = {"months": 2, "rate": 0.05}
    # In this range some rows have the outcome, but none with all of its neighbours.
    for _, row in bad.iterrows():
        narrow = {"rate": (row["rate"], row["rate"] + 0.1), "months": (row["months"], 25)}
        why = explainer.why_not(row, True, fixed=["kind"], ranges=narrow, robust=within)
        answer = explainer.explain(row, True, fixed=["kind"], ranges=narrow, robust=within)
        assert bool(why.blockers) == (answer.status == "infeasible")
        for blocker in why.blockers:
            if blocker.without.found:
                assert blocker.without.status == "optimal"
    menu = explainer.menu(bad.iloc[0], 2, target=True, fixed=["kind"], robust=within)
    for answer in menu:
        to = list(answer.point)
        near = [dict(zip(frame.columns, values, strict=True)) for values in itertools.product(
            to[0] + np.arange(-2, 3), np.linspace(to[1] - 0.05, to[1] + 0.05, 41), [to[2]])]
        assert model.predict(pd.DataFrame(near)).all()
    batch = explainer.explain_batch(bad, True, fixed=["kind"], robust=within, show_progress=False)
    for answer, (_, row) in zip(batch, bad.iterrows(), strict=True):
        assert answer.cost == explainer.explain(row, True, fixed=["kind"], robust=within).cost


def test_texts_say_what_is_promised_and_what_is_not(forest):
    model, frame = forest
    explainer = boxwood.Explainer(model, frame)
    row = frame[~model.predict(frame)].iloc[0]
    for text in (str(explainer.explain(row, True, robust=0.05)),
                 str(explainer.menu(row, target=True, robust=0.05)),
                 str(explainer.sweep(row, [0.5, 0.6], target=True, robust=0.05))):
        words = " ".join(text.split())
        assert "the outcome also holds for every row that differs from the proposed values" in words
        assert "as the model reads" not in words
        assert 'by at most 1.15 in "months"' in words
        assert "the distances are widened by this rounding" in words  # of "rate", which is float32
    whole = explainer.explain(row, True, robust={"months": 1})
    assert "widened" not in str(whole)
    # The smallest number there is.
    least = explainer.explain(row, True, robust={"rate": 5e-324})
    assert 'by at most 5e-324 in "rate"' in " ".join(str(least).split())
    far = explainer.explain(row, True, robust={"rate": 5, "months": 50})
    assert far.status == "infeasible" and "Ask with smaller distances" in str(far)
    assert "no row" not in str(far) and "why_not" not in str(far)
    with pytest.raises(boxwood.Error, match="robust answers cannot be rounded"):
        explainer.explain(row, True, robust=0.05, round=0.1)
