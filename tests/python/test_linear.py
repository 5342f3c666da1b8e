"""Linear rules from Python: text, objects, kept exactly, refused by name."""

import itertools
import json
from fractions import Fraction

import boxwood
import numpy as np
import pytest

f = boxwood.feature


@pytest.fixture(scope="module")
def loans():
    """A model of whole numbers that likes much debt and little income."""
    xgboost = pytest.importorskip("xgboost")
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(7)
    data = pandas.DataFrame({
        "debt": random.integers(0, 60, 400),
        "income": random.integers(20, 120, 400),
        "age": random.integers(18, 80, 400),
    })
    granted = (2 * data.debt - data.income + data.age > 40).astype(int)
    model = xgboost.XGBClassifier(n_estimators=30, max_depth=4, random_state=1)
    model.fit(data, granted)
    return boxwood.Explainer(model, data=data), data, model


def refused(loans, count):
    explainer, data, model = loans
    return data[model.predict(data) == 0].iloc[:count]


def test_objects_write_text():
    assert repr(f("debt") <= 0.4 * f("income")) == "Rule('debt <= 0.4 * income')"
    assert str(f("a") + f("b") + 2 * f("c c") - 3 <= 5) == 'a + b + 2 * "c c" - 3 <= 5'
    assert str(f("debt") / f("income") <= 0.4) == "debt / income <= 0.4"
    assert str((f("a") + f("b")) / 2 >= f("c")) == "(a + b) / 2 >= c"
    assert str(10 - f("a") > -f("b")) == "-a + 10 > -b"
    assert str(boxwood.change("a") + 1.5 * boxwood.change("b") <= 5) == \
        "change(a) + 1.5 * change(b) <= 5"
    assert str(f("premium") + 20 * boxwood.category("type", "house") == 100) == \
        "premium + 20 * (type = house) = 100"
    assert str(f("a") + f("b") != 3) == "a + b != 3"
    assert str(f("weight") + f("a") <= 1) == '"weight" + a <= 1'
    with pytest.raises(boxwood.Error, match="as two rules"):
        _ = f("a") <= f("b") <= f("c")
    with pytest.raises(boxwood.Error, match="finite"):
        _ = str(f("a") * float("nan") <= 1)
    with pytest.raises(TypeError):
        _ = f("a") * f("b")


def test_rules_hold_exactly_and_cost_more(loans):
    explainer = loans[0]
    tight = 0
    for _, row in refused(loans, 12).iterrows():
        free = explainer.explain(row, 1)
        rule = f("debt") <= 0.3 * f("income")
        kept = explainer.explain(row, 1, rules=[rule])
        assert kept.status in ("optimal", "infeasible")
        same = explainer.explain(row, 1, rules="debt <= 0.3 * income")
        assert same.status == kept.status and same.cost == kept.cost
        if kept.status == "infeasible":
            continue
        assert kept.verify() == []
        point = dict(zip(("debt", "income", "age"), kept.array.tolist(), strict=True))
        assert Fraction(point["debt"]) <= Fraction(3, 10) * Fraction(point["income"])
        assert kept.cost >= free.cost
        tight += kept.cost > free.cost
    assert tight > 0


def test_agrees_with_every_pair_of_values(loans):
    explainer, data, model = loans
    row = refused(loans, 1).iloc[0]
    rules = ["fix age", f("debt") + f("income") <= 100, f("income") - 2 * f("debt") >= 1]
    answer = explainer.explain(row, 1, rules=rules, cost="l1")
    debts, incomes = np.meshgrid(np.arange(data.debt.min(), data.debt.max() + 1),
                                 np.arange(data.income.min(), data.income.max() + 1))
    rows = data.iloc[[0] * debts.size].copy()
    rows["debt"], rows["income"], rows["age"] = debts.ravel(), incomes.ravel(), int(row.age)
    good = rows[(model.predict(rows) == 1) & (rows.debt + rows.income <= 100)
                & (rows.income - 2 * rows.debt >= 1)]
    if good.empty:
        assert answer.status == "infeasible"
        return
    spread = data.max() - data.min()
    cost = (abs(good.debt - row.debt) / spread.debt
            + abs(good.income - row.income) / spread.income).min()
    assert answer.status == "optimal"
    assert answer.cost == pytest.approx(cost, rel=1e-12)


def test_a_linear_rule_can_be_among_the_blockers(loans):
    explainer = loans[0]
    row = refused(loans, 1).iloc[0]
    why = explainer.why_not(row, 1, rules=[f("debt") + f("age") <= 0.001 * f("income")])
    assert why.answer.status == "infeasible"
    blocker = next(one for one in why.blockers if one.kind == "clause")
    assert "debt + age" in blocker.rule and blocker.without.found
    assert "debt + age" in repr(why)


def test_numbers_are_numbers_where_columns_have_numbers_as_names():
    xgboost = pytest.importorskip("xgboost")
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame(np.random.default_rng(1).integers(0, 10, (300, 6)))
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3).fit(data, data[0] + data[1] > 9)
    explainer = boxwood.Explainer(model, data=data)
    answer = explainer.explain(pandas.Series([3, 3, 2, 0, 0, 9]), 1, rules=[f("0") + f("1") <= 13])
    assert answer.status == "optimal" and answer.array[0] + answer.array[1] <= 13
    answer = explainer.explain(pandas.Series([3, 3, 2, 0, 0, 9]), 1, rules=[f("0") + f("1") <= 5])
    assert not answer.found or answer.array[0] + answer.array[1] <= 5


def test_continuous_features_are_proven_up_to_a_tolerance():
    xgboost = pytest.importorskip("xgboost")
    random = np.random.default_rng(3)
    data = random.normal(size=(300, 2)).astype(np.float32)
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2).fit(data, data[:, 0] > 0)
    explainer = boxwood.Explainer(model, data=data)
    wanted = bool(data[0, 0] <= 0)
    answer = explainer.explain(data[0], wanted, rules=[f("f0") + 0.3 <= f("f1")])
    assert answer.status == "optimal" and 0 <= answer.gap < 1e-5
    assert 10 * Fraction(float(answer.array[0])) + 3 <= 10 * Fraction(float(answer.array[1]))
    if answer.gap:
        assert "of the optimum" in str(answer.claim)
    largest = explainer.explain(data[0], wanted, rules=[f("f0") + 0.3 <= f("f1")], cost="linf")
    assert largest.status == "optimal" and largest.gap < 1e-5 and largest.cost <= answer.cost
    assert 10 * Fraction(float(largest.array[0])) + 3 <= 10 * Fraction(float(largest.array[1]))
    with pytest.raises(boxwood.Error, match="custom cost"):
        explainer.explain(data[0], wanted, rules=[f("f0") + 0.3 <= f("f1")],
                          cost=lambda feature, old, new: abs(new - old))


def test_suggestions_are_relations_that_hold():
    random = np.random.default_rng(0)
    rows = 500
    low, rest = random.integers(0, 20, rows), random.integers(0, 30, rows)
    first, second = random.integers(0, 50, rows), random.integers(0, 50, rows)
    data = {"low": low, "high": low + random.integers(0, 10, rows), "rest": rest,
            "total": low + rest, "far": random.integers(1000, 2000, rows),
            "one": first, "two": second, "three": 100 - first - second,
            "kind": np.where(low > 10, "big", "small"),
            "colour": np.where(low > 10, "red", random.choice(["red", "blue"], rows))}
    found = boxwood.suggest_rules(data)
    texts = [str(rule) for rule in found]
    for wanted in ("low <= high", "total = low + rest", "three + one + two = 100",
                   "if kind = big then colour = red"):
        assert wanted in texts
    assert not any("far" in text for text in texts), "its range alone says so"
    assert all(rule.share == 1 for rule in found)
    data["high"] = np.where(np.arange(rows) < 3, low - 1, data["high"])
    assert "low <= high" not in [str(rule) for rule in boxwood.suggest_rules(data)]
    nearly = {str(rule): rule for rule in boxwood.suggest_rules(data, share=0.99)}
    assert nearly["low <= high"].share == pytest.approx(1 - 3 / rows)
    with pytest.raises(boxwood.Error, match="share"):
        boxwood.suggest_rules(data, share=0)
    with pytest.raises(boxwood.Error, match="names"):
        boxwood.suggest_rules(np.zeros((3, 3)))


def test_sums_and_formulas_may_have_exceptions():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(2)
    rows = 400
    data = pandas.DataFrame({"a": random.integers(0, 40, rows), "b": random.integers(0, 50, rows),
                             "c": random.normal(9, 1, rows), "d": random.normal(5, 1, rows)})
    data["total"] = data.a + data.b
    data["rest"] = 100 - data.a - data.b
    data["part"] = data.c / data.d
    odd = np.arange(rows) % 50 == 7
    data.loc[odd, ["total", "rest"]] += 3
    data.loc[odd, "part"] += 0.5
    texts = ["total = a + b", "rest + a + b = 100", "column part is c / d"]
    assert not set(texts) & {str(rule) for rule in boxwood.suggest_rules(data)}
    nearly = {str(rule): rule for rule in boxwood.suggest_rules(data, share=0.95)}
    for text in texts:
        assert nearly[text].share == 1 - odd.mean() and nearly[text].rows == rows
    assert not set(texts) & {str(rule) for rule in boxwood.suggest_rules(data, share=0.99)}


def test_suggestions_can_be_asked(loans):
    explainer, data, _ = loans
    more = data.assign(least=data.debt // 2)
    rules = [rule for rule in boxwood.suggest_rules(more) if "least" not in str(rule)]
    row = refused(loans, 1).iloc[0]
    assert explainer.explain(row, 1, rules=rules).status in ("optimal", "infeasible")


def test_a_missing_value_has_no_change():
    xgboost = pytest.importorskip("xgboost")
    random = np.random.default_rng(1)
    data = np.column_stack([random.integers(0, 5, 500).astype(float), random.integers(0, 5, 500)])
    wanted = data[:, 0] > 1
    data[random.random(500) < 0.1, 0] = np.nan
    wanted &= ~np.isnan(data[:, 0])
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2).fit(data, wanted)
    kind = {"kind": "integer", "range": [0, 4], "scale": 1}
    schema = boxwood.Schema.from_dict({"boxwood_schema": 1, "features": [
        {"name": "f0", "title": "a", "missing_allowed": True, **kind},
        {"name": "f1", "title": "b", **kind}]})
    explainer = boxwood.Explainer(model, schema=schema)
    row = np.array([np.nan, 1.0])
    plain = explainer.explain(row, 1, cost="l1")
    for rule, same in (("change(a) + change(b) <= 3", False),
                       ("not (change(a) + change(b) <= 3)", True),
                       ("if change(a) + change(b) > 3 then b = 4", True),
                       ("if a + b >= now + 2 then b = 4", True)):
        answer = explainer.explain(row, 1, rules=[rule], cost="l1")
        assert answer.status == ("optimal" if same else "infeasible"), rule
        assert not same or answer.cost == plain.cost


def test_suggestions_are_exact_and_survive_odd_columns():
    random = np.random.default_rng(0)
    first, second = random.integers(0, 50, 500) / 10, random.integers(0, 50, 500) / 10
    data = {"p": first, "q": second, "t": first + second}
    assert not any("=" in str(rule).replace("<=", "") for rule in boxwood.suggest_rules(data))
    assert boxwood.suggest_rules({"a": []}) == []
    data["p"] = np.where(np.arange(500) == 3, np.inf, first)
    boxwood.suggest_rules(data)


def test_derived_columns_are_suggested():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(5)
    data = pandas.DataFrame({"debt": random.normal(50, 9, 200), "income": random.normal(99, 9, 200),
                             "other": random.normal(0, 1, 200)})
    data["dti"] = data.debt / data.income
    data["left"] = data.income - data.debt
    data["rounded"] = (data.debt * data.income).round(3)
    found = [str(rule) for rule in boxwood.suggest_rules(data) if "column" in str(rule)]
    assert found == ["column dti is debt / income", "column left is income - debt"]
    data = data.astype(np.float32)
    data["total"] = data.debt + data.income
    assert "column total is debt + income in float32" in map(str, boxwood.suggest_rules(data))


def test_a_relation_is_suggested_once():
    random = np.random.default_rng(6)
    whole = {"a": random.integers(1, 50, 400), "b": random.integers(1, 60, 400)}
    whole["area"], whole["total"] = whole["a"] * whole["b"], whole["a"] + whole["b"]
    halves = {"x": random.integers(1, 400, 400) / 4, "y": random.integers(1, 400, 400) / 4}
    halves["both"] = halves["x"] + halves["y"]

    def relations(data):
        return {str(rule) for rule in boxwood.suggest_rules(data)
                if "=" in str(rule).replace("<=", "") or "column" in str(rule)}

    assert relations(whole) == {"total = a + b", "column area is a * b"}
    assert relations(halves) == {"column both is x + y"}


def test_suggestions_read_any_table_and_say_what_is_none():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    random = np.random.default_rng(7)
    frame = pandas.DataFrame({"low": random.integers(0, 40, 300), "more": random.integers(0, 40, 300)})
    frame["high"] = frame.low + frame.more
    frame["kind"] = np.where(frame.low > 20, "big", "small")
    frame["colour"] = pandas.Categorical(np.where(frame.low > 20, "red", "blue"))
    wanted = [str(rule) for rule in boxwood.suggest_rules(frame)]
    assert {"high = low + more", "if kind = big then colour = red"} <= set(wanted)
    table = pyarrow.Table.from_pandas(frame)
    single = frame.astype({"low": np.float32, "more": np.float32, "high": np.float32})
    for same in (table, {name: table[name] for name in table.schema.names}, frame.astype({"low": "Int64"}),
                 {name: frame[name] for name in frame}, {name: list(frame[name]) for name in frame}, single,
                 {name: single[name] for name in single}, pyarrow.Table.from_pandas(single)):
        assert [str(rule) for rule in boxwood.suggest_rules(same)] == wanted
    for fault, given in (("one column or row", frame.low), ("one column or row", table["low"]),
                         ("no names", frame.low.to_numpy()), ("no names", [1, 2]), ("of type int", 3),
                         ("is None", None), ("one value", {"a": 1}), ("different lengths", {"a": [1], "b": [1, 2]}),
                         ('"low"', pandas.concat([frame.low, frame.low], axis=1))):
        with pytest.raises(boxwood.Error, match=fault):
            boxwood.suggest_rules(given)


def test_leaves_that_fill_the_last_word_of_a_set(tmp_path):
    # 48 leaves of the model and 16 of the rule: the last leaf of the rule is the last of 64 bits.
    def stump(feature, threshold, value):
        return {"output": 0, "values": [0.0, value], "kind": ["<=", "leaf", "leaf"],
                "feature": [feature, -1, -1], "threshold": [threshold, 0.0, 0.0],
                "missing_left": [False] * 3, "left": [1, -1, -1], "right": [2, -1, -1],
                "value": [-1, 0, 1]}

    trees = [stump(0, t + 0.5, 1.0) for t in range(6)]
    trees += [stump(1, t / 4 + 0.125, 0.5) for t in range(8)]
    trees += [stump(2, i % 5 + 0.5, 0.25) for i in range(10)]
    (tmp_path / "model.json").write_text(json.dumps({
        "boxwood_model": 1, "source": "by hand", "objective": "sum", "task": "regression",
        "link": "identity", "input": "float64", "accumulator": "float64", "order": "base_first",
        "classes": [], "base": [0.0], "trees": trees,
        "features": [{"name": name, "kind": "continuous"} for name in "abc"]}))
    explainer = boxwood.Explainer(tmp_path / "model.json", scale=None, schema={"features": [
        {"name": "a", "kind": "integer", "range": [0, 6]},
        {"name": "b", "kind": "continuous", "range": [0, 2], "step": 0.25},
        {"name": "c", "kind": "integer", "range": [0, 5]}]})
    grid = np.array(list(itertools.product(range(7), np.arange(9) / 4, range(6))))
    score = explainer.predict(grid)
    for row in ([0, 0, 0], [6, 2, 0], [2, 1, 3]):
        for least in (5.75, 6.0, 6.25, 8.0):
            answer = explainer.explain(np.array(row, float), at_least=least, cost="l1", threads=1,
                                       rules="a + 2 * b <= 6")
            fits = (grid[:, 0] + 2 * grid[:, 1] <= 6) & (score >= least)
            assert answer.proven
            assert answer.cost == np.abs(grid - row).sum(axis=1)[fits].min()
