"""Every kind of question with every kind of rule between features, against brute force.

The rows of a small table can all be listed. Each question either agrees with the list or is refused
by name.
"""

import itertools
import json
import os
import subprocess

import boxwood
import numpy as np
import pandas as pd
import pytest

COLUMNS = ("a", "b", "c", "colour")
COLOURS = ("red", "green", "blue")
RANGES = {"a": range(7), "b": range(1, 8), "c": range(5)}

# The text, whether a row satisfies it (by the row and the present row), and its kind.
RULES = {
    "order": ("a <= b", lambda row, now: row[0] <= row[1]),
    "sum": ("a + b + c <= 9", lambda row, now: sum(row[:3]) <= 9),
    "ratio": ("a / b <= 0.5", lambda row, now: 2 * row[0] <= row[1]),
    "indicator": ("a + 3*(colour = red) <= 5",
                  lambda row, now: row[0] + 3 * (row[3] == "red") <= 5),
    "clause": ("if colour = red then a + b <= 6",
               lambda row, now: row[3] != "red" or row[0] + row[1] <= 6),
    "budget": ("change(a) + change(b) <= 3",
               lambda row, now: abs(row[0] - now[0]) + abs(row[1] - now[1]) <= 3),
    "derived": ("column share is a / b", lambda row, now: True),
}


class World:
    """All rows, what the models say of them, and what a change costs."""

    def __init__(self, pandas, xgboost, derived):
        self.rows = list(itertools.product(*RANGES.values(), COLOURS))
        self.derived = derived
        self.data = self.frame(self.rows, pandas)
        a, b, c = (self.data[name].to_numpy(dtype=float) for name in ("a", "b", "c"))
        red = (self.data.colour == "red").to_numpy()
        score = a / b * 3 + c - 2 * red
        self.models = [
            xgboost.XGBClassifier(n_estimators=12, max_depth=4, random_state=i,
                                  enable_categorical=True).fit(self.data, score > 3 + i)
            for i in range(2)]
        self.explainer = boxwood.Explainer(self.models[0], self.data, scale=None)
        self.chance = [one.predict_proba(self.data)[:, 1] for one in self.models]
        self.classes = [one.predict(self.data) for one in self.models]

    def frame(self, rows, pandas):
        table = pandas.DataFrame(rows, columns=list(COLUMNS))
        table["colour"] = pandas.Categorical(table.colour, categories=COLOURS)
        if self.derived:
            table["share"] = table.a / table.b
        return table

    def cost(self, row, now):
        return sum(abs(x - y) for x, y in zip(row[:3], now[:3], strict=True)) + (row[3] != now[3])

    def cheapest(self, now, wanted, rule):
        """Return the least cost, and all rows of that cost."""
        costs = [self.cost(row, now) if good and rule(row, now) else np.inf
                 for row, good in zip(self.rows, wanted, strict=True)]
        return min(costs), [row for row, cost in zip(self.rows, costs, strict=True)
                            if cost == min(costs)]


@pytest.fixture(scope="module")
def worlds():
    pandas = pytest.importorskip("pandas")
    xgboost = pytest.importorskip("xgboost")
    return {derived: World(pandas, xgboost, derived) for derived in (False, True)}


@pytest.fixture(params=RULES)
def asked(request, worlds):
    """A world, two present rows by number, the text of the rule and the rule."""
    text, rule = RULES[request.param]
    world = worlds[request.param == "derived"]
    refused = np.flatnonzero(world.classes[0] == 0)
    return world, [int(i) for i in refused[[5, len(refused) // 2]]], text, rule


def point(answer):
    """Return the answer's row as the list has it, after a look at its derived column."""
    row = answer.point_frame().iloc[0]
    if "share" in row:
        assert row["share"] == row["a"] / row["b"]
    return int(row["a"]), int(row["b"]), int(row["c"]), row["colour"]


def check(world, answer, now, wanted, rule):
    least, rows = world.cheapest(now, wanted, rule)
    if least == np.inf:
        assert answer.status == "infeasible"
        return
    assert answer.status == "optimal"
    assert answer.cost == pytest.approx(least)
    assert point(answer) in rows
    assert answer.verify() == []


def test_explain_batch_and_menu(asked):
    world, numbers, text, rule = asked
    wanted = world.classes[0] == 1
    explainer = world.explainer
    batch = explainer.explain_batch(world.data.iloc[numbers], 1, rules=[text], cost="l1",
                                    show_progress=False)
    for number, from_batch in zip(numbers, batch, strict=True):
        now = world.rows[number]
        answer = explainer.explain(world.data.iloc[number], 1, rules=[text], cost="l1")
        check(world, answer, now, wanted, rule)
        assert from_batch.status == answer.status
        menu = explainer.menu(world.data.iloc[number], 3, 1, rules=[text], cost="l1")
        taken = []

        def differs(row, at, now=now, taken=taken):
            changed = {i for i in range(4) if row[i] != now[i]}
            return rule(row, at) and not any(earlier <= changed for earlier in taken)

        for one in menu:
            check(world, one, now, wanted, differs)
            found = point(one)
            taken.append({i for i in range(4) if found[i] != now[i]})


def test_sweep_and_robustness(asked):
    world, numbers, text, rule = asked
    number = numbers[0]
    now = world.rows[number]
    levels = [0.3, 0.5, 0.8]
    sweep = world.explainer.sweep(world.data.iloc[number], levels, 1, rules=[text], cost="l1")
    for level, answer in zip(levels, sweep.answers, strict=True):
        check(world, answer, now, world.chance[0].astype(np.float64) >= level, rule)
    robust = world.explainer.robustness(world.data.iloc[number], rules=[text], cost="l1")
    check(world, robust, now, world.classes[0] == 1, rule)


def test_best_for_a_budget(asked):
    world, numbers, text, rule = asked
    now = world.rows[numbers[0]]
    for budget in (1, 3):
        found = world.explainer.best(world.data.iloc[numbers[0]], budget, 1, rules=[text], cost="l1")
        reached = [chance for row, chance in zip(world.rows, world.chance[0], strict=True)
                   if rule(row, now) and world.cost(row, now) <= budget]
        assert found.status == ("optimal" if reached else "infeasible")
        if reached:
            assert found.value == max(reached)


def test_reasons(asked):
    world, numbers, text, rule = asked
    now = world.rows[numbers[0]]
    wanted = world.classes[0] == 1

    def least(allowed):
        return min((world.cost(row, now) for row, good in zip(world.rows, wanted, strict=True)
                    if good and rule(row, now) and allowed({i for i in range(4) if row[i] != now[i]})),
                   default=np.inf)

    reasons = world.explainer.reasons(world.data.iloc[numbers[0]], 1, rules=[text], cost="l1")
    assert {one.feature for one in reasons} == set(COLUMNS)
    for one in reasons:
        at = COLUMNS.index(one.feature)
        assert one.sufficiency == pytest.approx(least(lambda changed, at=at: changed <= {at}))
        without = least(lambda changed, at=at: at not in changed)
        if np.isfinite(least(lambda changed: True)):
            assert one.necessity == pytest.approx(without - least(lambda changed: True))


def test_robust_answers(asked):
    world, numbers, text, rule = asked
    now, row = world.rows[numbers[0]], world.data.iloc[numbers[0]]
    ask = {"rules": [text], "cost": "l1", "robust": {"c": 1}}
    if world.derived:
        with pytest.raises(boxwood.Error, match="derived"):
            world.explainer.explain(row, 1, **ask)
        return
    # Neighbours may leave the range of the data, and rules do not restrict them.
    label = dict(zip(world.rows, world.classes[0], strict=True))
    beyond = world.frame([(*one[:2], c, one[3]) for one in world.rows for c in (-1, 5)], pd)
    label |= {(*one[:2], c, one[3]): said for (one, c), said in
              zip(itertools.product(world.rows, (-1, 5)), world.models[0].predict(beyond),
                  strict=True)}
    wanted = np.array([all(label[(*one[:2], one[2] + step, one[3])] == 1 for step in (-1, 0, 1))
                       for one in world.rows])
    check(world, world.explainer.explain(row, 1, **ask), now, wanted, rule)


def test_why_not(asked):
    world, numbers, text, rule = asked
    number = numbers[1]
    now = world.rows[number]
    fixed = [text, "fix c, colour", "a <= 1"]

    def all_rules(row, at):
        return rule(row, at) and row[2:] == at[2:] and row[0] <= 1

    wanted = world.classes[0] == 1
    why = world.explainer.why_not(world.data.iloc[number], 1, rules=fixed, cost="l1")
    check(world, why.answer, now, wanted, all_rules)
    if why.answer.status != "infeasible":
        return
    assert why.smallest
    for blocker in why.blockers:
        if blocker.without.status == "optimal":
            assert world.models[0].predict(blocker.without.point_frame())[0] == 1
            point(blocker.without)


def test_several_models(asked, worlds):
    world, numbers, text, rule = asked
    explainer = boxwood.Explainer({"one": world.models[0], "two": world.models[1]}, world.data,
                                  scale=None)
    answer = explainer.explain(world.data.iloc[numbers[0]], 1, rules=[text], cost="l1",
                               requirements=[boxwood.Class(0, model="two")])
    check(world, answer, world.rows[numbers[0]],
          (world.classes[0] == 1) & (world.classes[1] == 0), rule)


def test_widen_and_map(asked):
    world, numbers, text, rule = asked
    explainer, number = world.explainer, numbers[0]
    answer = explainer.explain(world.data.iloc[number], 1, rules=[text], cost="l1")
    if answer.status == "optimal":
        wide = explainer.widen(answer)
        inside = np.ones(len(world.rows), dtype=bool)
        for name in ("a", "b", "c", *(["share"] if world.derived else [])):
            interval = wide.intervals[name]
            values = world.data[name].to_numpy(dtype=np.float32).astype(float)
            inside &= values >= interval.lower if interval.lower_closed else values > interval.lower
            inside &= values <= interval.upper if interval.upper_closed else values < interval.upper
        inside &= [row[3] == point(answer)[3] for row in world.rows]
        assert inside.any()
        assert (world.classes[0][inside] == 1).all()
    ask = {"rules": [text], "features": ("a", "c"), "cost": "l1"}
    drawn = explainer.map(world.data.iloc[number], 1, **ask)  # of the outcome alone
    now = world.rows[number]
    for row, label in zip(world.rows, world.classes[0], strict=True):
        if row[1] == now[1] and row[3] == now[3]:
            inside = cell_of(drawn, row[0], row[2])
            assert not inside.any() or (drawn.labels[inside] == label).all()
    if world.derived:
        with pytest.raises(boxwood.Error, match="is a derived column, which cannot be an axis"):
            explainer.map(world.data.iloc[number], 1, rules=[text], features=("share", "c"))


def cell_of(drawn, x, y):
    left, right, bottom, top = drawn.bounds.T
    return (left <= x) & (x < right) & (bottom <= y) & (y < top)


def test_a_map_with_a_radius_has_a_cell_for_every_value_of_a_rule(asked):
    world, numbers, text, rule = asked
    number = numbers[0]
    now = world.rows[number]
    for axes in [("a", "b"), ("c", "a")]:
        drawn = world.explainer.map(
            world.data.iloc[number], 1, rules=[text], features=axes, cost="l1", radius=2.0,
            view={name: (RANGES[name][0] - 0.5, RANGES[name][-1] + 0.5) for name in axes})
        x, y = (COLUMNS.index(name) for name in axes)
        for at in itertools.product(*(RANGES[name] for name in axes)):
            placed = list(now)
            placed[x], placed[y] = at
            costs = [world.cost(row, placed)
                     for row, good in zip(world.rows, world.classes[0] == 1, strict=True)
                     if (row[x], row[y]) == at and good and rule(row, now)]
            inside = cell_of(drawn, *at)
            assert inside.sum() == 1
            within = min((cost for cost in costs if cost <= 2), default=np.inf)
            assert drawn.costs[inside] == pytest.approx(within), (axes, at)
            assert (drawn.meets[inside] == np.isfinite(within)).all()


def test_a_map_needs_values_for_the_axes_of_a_rule(worlds):
    world = worlds[False]
    explainer = boxwood.Explainer(world.models[0], world.data, scale=None,
                                  schema={"features": [{"name": "a", "kind": "continuous"}]})
    with pytest.raises(boxwood.Error, match='"a" is continuous and in a linear rule.*a step'):
        explainer.map(world.data.iloc[0], 1, rules=["a <= b"], features=("a", "c"), radius=1.0)


def test_a_map_with_a_radius_honours_rules_about_other_features(worlds):
    world, (text, rule) = worlds[False], RULES["indicator"]
    number = int(np.flatnonzero(world.classes[0] == 0)[5])
    now = world.rows[number]
    drawn = world.explainer.map(world.data.iloc[number], 1, rules=[text], features=("b", "c"),
                                cost="l1", radius=2.0)
    left, right, bottom, top = drawn.bounds.T
    seen = 0
    for b, c in itertools.product(RANGES["b"], RANGES["c"]):
        least = min((world.cost((row[0], now[1], now[2], row[3]), now)
                     for row, good in zip(world.rows, world.classes[0] == 1, strict=True)
                     if row[1:3] == (b, c) and good and rule(row, now)), default=np.inf)
        inside = (left <= b) & (b < right) & (bottom <= c) & (c < top)
        seen += int(inside.any())  # the view has the models' cuts in it, not all values
        assert drawn.costs[inside] == pytest.approx(least if least <= 2 else np.inf)
        assert (drawn.meets[inside] == (least <= 2)).all()
    assert seen > 5


def test_regions_are_those_with_an_allowed_row(asked):
    world, numbers, text, rule = asked
    now = world.rows[numbers[0]]
    regions = world.explainer.regions(world.data.iloc[numbers[0]], 3.0, 1, rules=[text], cost="l1")
    assert regions.complete
    for region in regions:
        row = region.point
        found = (int(row["a"]), int(row["b"]), int(row["c"]), row["colour"])
        assert rule(found, now)
        assert world.classes[0][world.rows.index(found)] == 1
        assert region.cost == pytest.approx(world.cost(found, now)) and region.distance <= 3
    for row, label in zip(world.rows, world.classes[0], strict=True):
        if label == 1 and rule(row, now) and world.cost(row, now) <= 3:
            assert any(region.cost <= world.cost(row, now) + 1e-9
                       and all(region.intervals[name].lower <= value <= region.intervals[name].upper
                               for name, value in zip("abc", row[:3], strict=True))
                       for region in regions)


def test_proofs_are_refused_by_name(asked):
    world, numbers, text, rule = asked
    row = world.data.iloc[numbers[0]]
    what = "derived columns" if world.derived else "linear rules"
    answer = world.explainer.explain(row, 1, rules=[text], cost="l1")
    with pytest.raises(boxwood.Error, match=f"proofs do not cover {what}"):
        _ = answer.proof


def test_errors_of_formulas_name_the_remedy(worlds):
    world = worlds[True]
    row = world.data.iloc[0]
    for text, words in [("column share is log(a)", "formulas do not have this function.*Use"),
                        ("column share is a / 0", "the divisor is 0.*Divide by"),
                        ("column share is share / b", "uses the column itself.*Name the columns")]:
        with pytest.raises(boxwood.Error, match=f"(?s){words}"):
            world.explainer.explain(row, 1, rules=[text])
    broken = row.copy()
    broken["b"] = 0
    with pytest.raises(boxwood.Error, match="a divisor of its formula is 0.*leave out the formula"):
        world.explainer.explain(broken, 1, rules=["column share is a / b"])


def test_a_row_that_does_not_fit_its_formula_is_refused(worlds):
    world = worlds[True]
    row = world.data.iloc[0].copy()
    row["share"] = 0.123
    with pytest.raises(boxwood.Error, match="the row has 0.123, but the formula gives"):
        world.explainer.explain(row, 1, rules=["column share is a / b"])
    with pytest.raises(boxwood.Error, match="Write the formula in its place"):
        world.explainer.explain(world.data.iloc[0], 1,
                                rules=["column share is a / b", "share + c <= 3"])


def test_the_command_reads_formulas_from_schemas(worlds, tmp_path):
    world = worlds[True]
    number = int(np.flatnonzero(world.classes[0] == 0)[5])
    schema = boxwood.Schema.from_json(world.explainer.schema.to_json())
    schema.rules = ["column share is a / b", "cost l1"]
    (tmp_path / "schema.json").write_text(schema.to_json(), encoding="utf-8")
    world.explainer.save_model(tmp_path / "model.json")
    world.data.to_csv(tmp_path / "rows.csv", index=False)
    run = subprocess.run(
        [os.environ["BOXWOOD_COMMAND"], "explain", tmp_path / "model.json", "--data",
         tmp_path / "rows.csv", "--row", str(number), "--schema", tmp_path / "schema.json",
         "--want", "1", "--verify", "--format", "json"], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    found = found[0] if isinstance(found, list) else found
    wanted = world.classes[0] == 1
    assert found["cost"] == world.cheapest(world.rows[number], wanted, lambda row, now: True)[0]
    assert found["verified"]


def test_a_derived_value_is_given_to_the_last_digit():
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(1)
    frame = pd.DataFrame({"a": random.integers(0, 6, 200), "d": random.integers(0, 6, 200)})
    frame["s"] = (frame["a"] + frame["d"]) * 0.1  # 0.30000000000000004, which float32 reads as 0.3
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame, frame["s"] > 0.25)
    explainer = boxwood.Explainer(model, frame)
    row = frame[frame["s"] < 0.15].iloc[0]
    answer = explainer.explain(row, True, rules="column s is (a + d) * 0.1")
    assert answer.point["s"] == (answer.point["a"] + answer.point["d"]) * 0.1
    assert explainer.explain(answer.point, True, rules="column s is (a + d) * 0.1").already_met
