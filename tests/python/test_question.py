"""Every keyword of a question, on the German-credit example, against the model itself."""

import json
import os
import subprocess

import boxwood
import numpy as np
import pytest
from conftest import GERMAN


def moved(answer):
    return {change.feature for change in answer.changes}


@pytest.fixture(scope="module")
def row(applicants):
    return applicants.iloc[0]


@pytest.fixture(scope="module")
def best(german, row):
    return german.explain(row, "granted")


def test_answers_are_those_of_the_command(german, applicants):
    command = os.environ["BOXWOOD_COMMAND"]
    done = subprocess.run([command, "explain", GERMAN / "model.ubj", "--data",
                           GERMAN / "applicants.csv", "--schema", GERMAN / "schema.json", "--class",
                           "granted", "--format", "jsonl"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(applicants)
    for told, (_, row) in zip(lines, applicants.iterrows(), strict=True):
        ours = json.loads(german.explain(row, "granted").to_json())
        for key in ("seconds", "nodes", "text", "peak_bytes", "threads"):
            told.pop(key), ours.pop(key)
        assert ours == told


def test_fixed_and_only(german, row, best):
    assert moved(best) == {"checking_status", "other_parties"}
    fixed = german.explain(row, "granted", fixed=["checking_status"])
    assert "checking_status" not in moved(fixed) and fixed.cost > best.cost
    assert moved(german.explain(row, "granted", fixed="other debtors")).isdisjoint({"other_parties"})
    free = ["duration", "credit_amount", "savings_status", "installment_commitment"]
    assert moved(german.explain(row, "granted", only=free)) <= set(free)


def test_what_is_fixed_is_not_asked_to_change(german, applicants, row):
    both = {"fixed": ["duration"], "only": ["duration", "credit_amount"]}
    for ask in (german.explain, german.why_not, german.path, german.robustness,
                lambda x, **question: german.menu(x, 2, **question),
                lambda x, **question: german.explain_batch(applicants, show_progress=False,
                                                           **question)):
        with pytest.raises(boxwood.Error, match='fixed: "duration" is also named in only'):
            ask(row, **both)
    # Where nothing is in both, `only` says it already.
    free = german.explain(row, "granted", only=["duration", "credit_amount"])
    same = german.explain(row, "granted", only=["duration", "credit_amount"], fixed=["purpose"])
    assert np.array_equal(free.array, same.array, equal_nan=True) and free.cost == same.cost


def test_iterators_count_for_every_row(german, applicants):
    listed = german.explain_batch(applicants, "granted", fixed=["other_parties"],
                                  rules="duration may only fall", show_progress=False)
    drawn = german.explain_batch(applicants, "granted", fixed=iter(["other_parties"]),
                                 rules="duration may only fall", show_progress=False)
    assert [one.cost for one in listed] == [one.cost for one in drawn]


def test_ranges_hold_in_the_answer_and_replace_those_of_the_schema(german, row):
    answer = german.explain(row, "granted", ranges={"duration": (29, None), "credit_amount": (1, 9)})
    assert answer.point["duration"] >= 29 and answer.point["credit_amount"] <= 9
    assert row["duration"] > 10 and row["credit_amount"] > 9
    answer = german.explain(row, "granted", ranges={"duration": (6, 10)})
    assert 6 <= answer.point["duration"] <= 10
    # The schema ends at 72 months.
    longer = german.explain(row, "granted", ranges={"duration": (80, 90)})
    assert 80 <= longer.point["duration"] <= 90
    assert german.explain(row, "granted", rules="duration in [80..90]").status == "infeasible"
    # A value outside may be kept where the rule says so.
    kept = german.explain(row, "granted", rules="duration stays or duration in [6..10]")
    assert kept.point["duration"] == row["duration"]
    labels = german.explain(row, "granted", ranges={"checking_status": (None, "0 to 200 DM")})
    assert labels.point["checking_status"] != "200 DM or more"
    with pytest.raises(boxwood.Error, match="the lowest value is greater than the highest"):
        german.explain(row, "granted", ranges={"duration": (30, 20)})
    for ends in ((np.nan, 6), (6, np.nan), boxwood.Interval(np.nan, 6)):
        with pytest.raises(boxwood.Error, match=r'ranges\["duration"\]: an end is missing'):
            german.explain(row, "granted", ranges={"duration": ends})
    with pytest.raises(boxwood.Error, match="is not a pair of values"):
        german.explain(row, "granted", ranges={"duration": 30})


def test_ranges_of_categories_are_lists(german, row):
    asked = {"other_parties": ["guarantor", "co-applicant"]}
    answer = german.explain(row, "granted", ranges=asked)
    assert row["other_parties"] not in asked["other_parties"]
    assert answer.point["other_parties"] in asked["other_parties"]
    with pytest.raises(boxwood.Error, match=r'ranges\["other_parties"\]: .* not a list of categories'):
        german.explain(row, "granted", ranges={"other_parties": "guarantor"})
    with pytest.raises(boxwood.Error, match=r'ranges\["other_parties"\]: the list is empty'):
        german.explain(row, "granted", ranges={"other_parties": []})


def test_increase_and_decrease(german, applicants):
    for _, one in applicants.iterrows():
        answer = german.explain(one, "granted", increase=["duration"], decrease=["credit_amount"])
        if answer.found:
            assert answer.point["duration"] >= one["duration"]
            assert answer.point["credit_amount"] <= one["credit_amount"]
    with pytest.raises(boxwood.Error, match='increase: "duration" is also named in decrease'):
        german.explain(one, "granted", increase=["duration"], decrease=["duration"])


def test_weights(german, row, best):
    dear = german.explain(row, "granted", weights={"other debtors": 50})
    assert "other_parties" not in moved(dear) and dear.cost > best.cost
    half = german.explain(row, "granted", weights={"checking_status": 0.5, "other_parties": 0.5})
    assert half.cost == pytest.approx(best.cost / 2)


def test_rules_in_words_and_objects(german, row, best):
    without = german.explain(row, "granted", rules="other_parties stays")
    assert "other_parties" not in moved(without)
    rule = boxwood.If("checking_status changes", "duration <= 24")
    assert repr(rule) == "If('checking_status changes', 'duration <= 24')"
    for answer in (german.explain(row, "granted", rules=[rule]),
                   german.explain(row, "granted", rules=[str(rule)])):
        assert answer.point["checking_status"] == row["checking_status"] or (
            answer.point["duration"] <= 24)
        assert answer.cost > best.cost
    either = boxwood.AnyOf("duration <= 20", boxwood.AllOf("credit_amount <= 3000", "duration <= 28"))
    answer = german.explain(row, "granted", rules=either)
    assert answer.point["duration"] <= 20 or (answer.point["credit_amount"] <= 3000
                                              and answer.point["duration"] <= 28)
    never = german.explain(row, "granted", rules=boxwood.Not("other_parties = guarantor"))
    assert never.point["other_parties"] != "guarantor"
    with pytest.raises(boxwood.Error) as caught:
        german.explain(row, "granted", rules="duration <= twelve")
    assert caught.value.place == "rules, column 13"
    assert str(caught.value).splitlines()[1] == "    duration <= twelve"


def test_rules_within_rules(german, row):
    free = german.explain(row, "granted")
    inner = boxwood.If("checking_status changes", "duration <= 24")
    either = boxwood.AnyOf(inner, "credit_amount <= 3000")
    assert repr(either) == f"AnyOf({inner!r}, 'credit_amount <= 3000')"

    def holds(point):
        return point["checking_status"] == row["checking_status"] or point["duration"] <= 24

    assert not holds(free.point) and free.point["credit_amount"] > 3000
    answer = german.explain(row, "granted", rules=either)
    assert holds(answer.point) or answer.point["credit_amount"] <= 3000
    written = "not (checking_status changes) or duration <= 24 or credit_amount <= 3000"
    assert answer.cost == german.explain(row, "granted", rules=written).cost > free.cost
    plain = german.explain(row, "granted", rules=inner)
    assert german.explain(row, "granted", rules=boxwood.AllOf(inner)).cost == plain.cost
    broken = german.explain(row, "granted", rules=boxwood.Not(inner))
    assert not holds(broken.point)
    outer = german.explain(row, "granted", rules=boxwood.If(inner, "other_parties stays"))
    assert not holds(outer.point) or outer.point["other_parties"] == row["other_parties"]
    with pytest.raises(boxwood.Error, match=r"rules: 'if a then b' cannot be part of.*If\(condition"):
        boxwood.AnyOf("if a then b", "c = 1")
    for kind in (boxwood.AllOf, boxwood.AnyOf):
        with pytest.raises(boxwood.Error, match=rf"{kind.__name__}\(\) has no condition"):
            kind()


def test_costs(german, row):
    l1 = german.explain(row, "granted", cost="l1")
    assert l1.cost == l1.distance
    l2 = german.explain(row, "granted", cost=boxwood.L2())
    assert l2.distance == pytest.approx(np.sqrt(l2.cost))
    fewest = german.explain(row, "granted", cost="l0")
    assert fewest.cost == len(fewest.changes)
    largest = german.explain(row, "granted", cost="linf")
    assert largest.cost <= l2.distance
    mixture = boxwood.L1() + 0.1 * boxwood.L0()
    assert repr(mixture) == "L1() + 0.1 * L0()"
    mixed = german.explain(row, "granted", cost=mixture)
    assert mixed.cost == german.explain(row, "granted", cost="l1 + 0.1 l0").cost
    assert mixed.cost >= l1.cost + 0.1 * fewest.cost - 1e-9
    first = german.explain(row, "granted", fewest_first=True)
    assert len(first.changes) == fewest.cost
    with pytest.raises(boxwood.Error, match="cannot be part of a sum"):
        boxwood.Linf() + boxwood.L1()
    with pytest.raises(boxwood.Error, match="is not a cost"):
        german.explain(row, "granted", cost=3)


def test_a_cost_of_ones_own(german, row):
    scales = {feature.name: feature.scale for feature in german.schema}
    kinds = {feature.name: feature.kind for feature in german.schema}
    asked = set()

    def squares(name, before, after):
        asked.add(name)
        if kinds[name] == "categorical":
            return float(before != after)
        return ((after - before) / scales[name]) ** 2

    answer = german.explain(row, "granted", cost=squares)
    assert asked and answer.cost == pytest.approx(german.explain(row, "granted", cost="l2").cost)

    def broken(name, before, after):
        raise LookupError(f"no price of {name}")

    with pytest.raises(LookupError, match="no price of"):
        german.explain(row, "granted", cost=broken)


def test_max_changes(german, row):
    one = german.explain(row, "granted", max_changes=1)
    assert one.status == "infeasible" or len(one.changes) == 1
    two = german.explain(row, "granted", max_changes=2)
    assert len(two.changes) <= 2


def test_targets(german, row, best):
    assert german.explain(row).cost == best.cost
    for target in (boxwood.Class("granted"), ["granted"], boxwood.OneOf(("granted",)), 1,
                   boxwood.Not("refused"), "want granted", boxwood.Score(more_than=0),
                   boxwood.Output(more_than=0.5)):
        assert german.explain(row, target).cost == best.cost, target
    surer = german.explain(row, "granted", probability=0.7)
    assert german.predict_proba(surer.point_frame())[0, 1] >= 0.7
    assert surer.cost == german.explain(row, boxwood.Class("granted", probability=0.7)).cost
    assert surer.cost == german.explain(row, probability=0.7).cost
    clear = german.explain(row, "granted", margin=0.5)
    assert german.scores(clear.point_frame())[0, 0] >= 0.5
    assert german.explain(row, "refused").already_met
    with pytest.raises(boxwood.Error, match='target: .*"grnted".*Did you mean "granted"'):
        german.explain(row, "grnted")
    with pytest.raises(boxwood.Error, match="cannot be combined with at_least"):
        german.explain(row, "granted", at_least=3)
    with pytest.raises(boxwood.Error, match="between: it cannot be combined"):
        german.explain(row, at_least=3, between=(1, 2))
    with pytest.raises(boxwood.Error, match="is empty"):
        german.explain(row, boxwood.Output(at_least=2, at_most=1))
    with pytest.raises(TypeError, match="unexpected keyword argument 'fix'"):
        german.menu(row, fix=["age"])


@pytest.mark.parametrize("target, question, said", [
    ("want granted", {"probability": 0.7}, "probability: it needs a target that is the label of a class"),
    ("want granted", {"margin": 2.0}, "margin: it needs a target that is the label of a class"),
    (("granted",), {"probability": 0.7}, "probability: it needs a target that is the label of a class"),
    ({"granted"}, {"margin": 2.0}, "margin: it needs a target that is the label of a class"),
    (None, {"requirements": [boxwood.Class("granted")], "probability": 0.7}, "probability: it needs"),
    (boxwood.Output(at_least=0.6), {"margin": 1.0}, "margin: it needs a target that is the label of a class"),
    (None, {"at_least": 0.6}, "at_least: the model predicts a class, not a number"),
    (None, {"change": "+5%", "at_least": 0.95}, "change: it cannot be combined with at_least"),
    (None, {"change": 0.1, "between": (0.5, 0.9)}, "between: it cannot be combined with change"),
    ("granted", {"output": 1}, "output: it needs at_least, at_most, between, change or beat"),
])
def test_no_part_of_an_outcome_is_dropped(german, row, target, question, said):
    for ask in (german.explain, german.why_not):
        with pytest.raises(boxwood.Error, match=said.replace("+", r"\+")):
            ask(row, target, **question)


@pytest.mark.parametrize("target, text", [
    (boxwood.Class("good", probability=0.8), "Class(label='good', probability=0.8)"),
    (boxwood.OneOf((1, 2)), "OneOf(labels=(1, 2))"),
    (boxwood.Output(at_least=5), "Output(at_least=5)"),
    (boxwood.Score(less_than=0, rival=2), "Score(less_than=0, rival=2)"),
    (boxwood.Not(boxwood.Class("bad")), "Not(Class(label='bad'))"),
    (boxwood.Rule("fix age"), "Rule('fix age')"),
    (boxwood.AnyOf("a = 1", "b = 2"), "AnyOf('a = 1', 'b = 2')"),
    (2 * boxwood.L2() + boxwood.L0(), "2 * L2() + L0()"),
])
def test_objects_show_what_they_are(target, text):
    assert repr(target) == text


def test_limits_and_engines(german, row, best):
    assert german.explain(row, "granted", engine="paper").cost == best.cost
    assert german.explain(row, "granted", threads=1).cost == best.cost
    stopped = german.explain(row, "granted", node_limit=0)
    assert stopped.stop == "nodes" and not stopped.proven
    late = german.explain(row, "granted", time_limit=0)
    assert late.stop == "time" and late.lower_bound <= best.cost
    assert len(german.explain(row, "granted", ties=1).ties) == 0
    for wrong in ({"engine": "slow"}, {"threads": -1}, {"ties": 0}, {"time_limit": -1},
                  {"memory_limit": 0}, {"threads": 1.5}):
        with pytest.raises(boxwood.Error, match=next(iter(wrong))):
            german.explain(row, "granted", **wrong)


def test_examples_are_a_hint(german, applicants, row, best):
    from boxwood._question import Asked

    # Those that have the outcome, those that have not, and one that changes what is fixed.
    odd = applicants.assign(age=99)
    for examples in (applicants, applicants[german.predict(applicants) == "granted"], odd,
                     german.columns.points(applicants), applicants.head(0)):
        for engine in ("fast", "paper"):
            answer = german.explain(row, "granted", examples=examples, engine=engine)
            assert answer.status == "optimal" and answer.cost == best.cost
            assert np.array_equal(answer.array, best.array)
            assert len(answer.ties) == len(best.ties)
    options = Asked(german, "granted", {"examples": applicants}).options()
    assert np.array_equal(options.examples, german.columns.points(applicants))
    batch = german.explain_batch(applicants, "granted", examples=applicants, show_progress=False)
    assert [one.cost for one in batch] == [german.explain(one, "granted").cost
                                           for _, one in applicants.iterrows()]
    with pytest.raises(boxwood.Error, match="examples: the model reads"):
        german.explain(row, "granted", examples=applicants.drop(columns="age"))


def test_rounder_numbers(german, applicants):
    for _, row in applicants.iterrows():
        answer = german.explain(row, "granted", only=["credit_amount", "duration"], round=0.2)
        if not answer.found or answer.already_met:
            continue
        rounder = answer.rounded
        assert german.predict(rounder.point_frame())[0] == "granted"
        assert isinstance(rounder, boxwood.Answer) and rounder.verify() == []
        assert answer.cost <= rounder.cost <= 1.2 * answer.cost
        assert rounder.lower_bound <= answer.cost and rounder.status in ("optimal", "feasible")
        # The table shows the rounder numbers, and they lie in the intervals beside them.
        for change in rounder.changes:
            assert change.change_to in repr(rounder)
            assert rounder.point[change.feature] in rounder.region[change.feature]
        assert german.explain(row, "granted").rounded is None




def test_menu(german, row, best):
    menu = german.menu(row, 3, "granted")
    assert len(menu) == 3 and menu[0].cost == best.cost
    costs = [one.cost for one in menu]
    assert costs == sorted(costs)
    for i, one in enumerate(menu):
        assert one.proven and one.verify() == []
        assert all(moved(earlier) - moved(one) for earlier in menu.alternatives[:i])
    assert list(menu.to_frame()["cost"]) == costs
    assert f"\nAlternative 1 · cost {best.cost:.4g} · probability there" in repr(menu)
    assert "that differs enough from the alternative before" in str(menu[1].claim)
    apart = german.menu(row, 2, "granted", apart="distance", distance=1)
    assert apart[1].cost >= apart[0].cost
    with pytest.raises(boxwood.Error, match="apart"):
        german.menu(row, 2, "granted", apart="colour")
    for count in (0, -1, 1.5, np.inf):
        with pytest.raises(boxwood.Error, match="k: .* is not a whole number ≥ 1"):
            german.menu(row, count)
    with pytest.raises(boxwood.Error, match=r"k: 'granted' .* menu\(x, 3, target\)"):
        german.menu(row, "granted")


def test_why_not(german, row):
    why = german.why_not(row, "granted", only=["own_telephone"])
    assert not why.answer.found and why.blockers and why.smallest
    opened = [blocker for blocker in why.blockers if blocker.without.found]
    assert {blocker.feature for blocker in opened} == {"purpose", "age"}
    for blocker in opened:
        assert blocker.kind == "fixed" and blocker.rule == f"{blocker.feature} fixed"
        assert blocker.without.verify() == [] and blocker.without.outcome == "granted"
    assert "-> possible at cost 1.1 (purpose: used car)" in repr(why)
    possible = german.why_not(row, "granted")
    assert possible.answer.found and not possible.blockers
    assert german.why_not(row, boxwood.Score(at_least=1e6)).impossible
    between = german.why_not(row, "granted", only=["duration", "credit_amount"],
                             rules=["duration stays or credit_amount rises",
                                    "duration >= now or age rises"])
    clauses = [blocker.rule for blocker in between.blockers if blocker.kind == "clause"]
    assert clauses and all("duration" in rule and " or " in rule for rule in clauses)


def test_path(german, row, best):
    steps = german.path(row, "granted")
    assert {name for step in steps for name in step.features} == {"checking account", "other debtors"}
    assert [step.outcome for step in steps] == ["refused", "granted"]
    assert dict(steps[-1].point) == dict(best.point)
    for step in steps:
        assert step.without.cost >= best.cost and step.without.verify() == []
    assert all(step.without is None for step in german.path(row, "granted", resolve=False))
    assert german.path(row, "refused") == []


def test_sweep(german, row, best):
    sweep = german.sweep(row, [0.5, 0.7, 0.9], "granted", probability=0.5)
    assert sweep.levels == [0.5, 0.7, 0.9]
    for level, answer in sweep:
        if answer.found:
            assert german.predict_proba(answer.point_frame())[0, 1] >= level
            assert answer.cost == german.explain(row, "granted", probability=level).cost
    assert list(sweep.to_frame().columns[:3]) == ["level", "status", "cost"]
    with pytest.raises(boxwood.Error, match="levels"):
        german.sweep(row, [], "granted")


def test_robustness(german, row, best):
    assert german.robustness(row).distance == best.distance
    largest = german.robustness(row, cost="linf")
    assert largest.distance <= best.distance
    for key, value in (("probability", 0.5), ("margin", 1.0), ("at_least", 0.5), ("at_most", 0.5),
                       ("between", (0.1, 0.5)), ("change", "+5%"), ("requirements", ["granted"]),
                       ("agree", 1)):
        with pytest.raises(boxwood.Error, match=f"^{key}: robustness always looks for any other outcome"):
            german.robustness(row, **{key: value})
    with pytest.raises(boxwood.Error, match="^live: the distance to another outcome does not support"):
        german.robustness(row, live=1)
    assert german.robustness(row, probability=None, output=0).distance == best.distance


def test_widen(german, row, best):
    wide = german.widen(best)
    assert wide.maximal
    random = np.random.default_rng(5)
    points = np.tile(best.array, (200, 1))
    for i, name in enumerate(german.columns.names):
        interval = wide.intervals[name]
        if name in wide.values:
            codes = [german.columns.encode(i, value, "test") for value in wide.values[name]]
            points[:, i] = random.choice(codes, 200)
        else:
            low, high = max(interval.lower, german.limits(i)[0]), min(interval.upper,
                                                                     german.limits(i)[1])
            inside = np.arange(np.ceil(low), np.floor(high) + 1)
            inside = [value for value in inside if value in interval]
            points[:, i] = random.choice(inside or [best.array[i]], 200)
    assert set(german.predict(points)) == {"granted"}
    assert "No side can be moved further (proven)." in repr(wide)
    first = german.widen(best, order=["duration"])
    assert first.intervals["duration"].upper >= wide.intervals["duration"].upper
    for key, value in (("fixed", ["duration"]), ("only", ["duration"]), ("probability", 0.9),
                       ("rules", "fix age"), ("cost", "l1"), ("ties", 3)):
        with pytest.raises(boxwood.Error, match=f"^{key}: a wide region uses the question of its answer"):
            german.widen(best, **{key: value})
    assert german.widen(best, fixed=[], threads=1, time_limit=60).words == wide.words


def test_wide_regions_in_the_words_of_the_command(people, tmp_path):
    import lightgbm

    frame, score = people
    model = lightgbm.LGBMClassifier(n_estimators=10, max_depth=3, verbose=-1, n_jobs=1,
                                    min_child_samples=5).fit(frame[["income", "town"]], score > 1.2)
    explainer = boxwood.Explainer(model, frame[["income", "town"]])
    model.booster_.save_model(tmp_path / "model.txt")
    explainer.schema.save(tmp_path / "schema.json")
    rows = frame[["income", "town"]].head(40)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done = subprocess.run([os.environ["BOXWOOD_COMMAND"], "explain", tmp_path / "model.txt", "--data",
                           tmp_path / "rows.csv", "--schema", tmp_path / "schema.json", "--widen",
                           "--format", "jsonl"], capture_output=True, text=True, check=True)
    told = [json.loads(line)["wide"]["anything_in"] for line in done.stdout.splitlines()]
    ours = [explainer.widen(explainer.explain(row)).words for _, row in rows.iterrows()]
    assert ours == told
    assert {"one of: Bonn, Jena", "anything"} <= {words["town"] for words in ours}


def test_map(german, row, best):
    drawn = german.map(row, "granted", features=("duration", "credit_amount"))
    assert drawn.features == ("duration", "credit amount")
    (left, right), (bottom, top) = drawn.view
    area = ((np.minimum(drawn.bounds[:, 1], right) - np.maximum(drawn.bounds[:, 0], left))
            * (np.minimum(drawn.bounds[:, 3], top) - np.maximum(drawn.bounds[:, 2], bottom)))
    assert area.sum() == pytest.approx((right - left) * (top - bottom))
    middle = (drawn.bounds[:, [0, 2]] + drawn.bounds[:, [1, 3]]) / 2
    points = np.tile(german.columns.point(row), (len(drawn), 1))
    points[:, [german.columns.index(name, "") for name in ("duration", "credit_amount")]] = middle
    assert np.array_equal(german.core.classes(points)[:, 0], drawn.labels)
    assert np.array_equal(drawn.meets, drawn.labels == 1)
    reach = german.map(row, "granted", features=("duration", "credit_amount"), radius=best.distance,
                       view={"duration": (26, 34), "credit_amount": (5000, 5500)})
    here = reach.bounds
    inside = ((here[:, 0] <= row["duration"]) & (row["duration"] < here[:, 1])
              & (here[:, 2] <= row["credit_amount"]) & (row["credit_amount"] < here[:, 3]))
    assert reach.meets[inside].all() and (reach.costs[reach.meets] <= best.cost).all()
    closer = german.map(row, "granted", features=("duration", "credit_amount"), radius=0.99 * best.distance,
                        view={"duration": (30, 30.5), "credit_amount": (5234, 5235)})
    assert not closer.meets.any()


def test_a_map_says_that_it_stopped_early(german, row, best):
    whole = german.map(row, "granted", features=("duration", "credit_amount"))
    assert whole.stop == "finished" and repr(whole).endswith(f"{len(whole)} rectangles>")
    part = german.map(row, "granted", features=("duration", "credit_amount"), radius=best.distance,
                      time_limit=0)
    assert part.stop == "time"
    assert str(part).endswith(f"{len(part)} rectangles, stopped early: time>")


def test_regions(german, row, best):
    found = german.regions(row, best.distance * 1.2, "granted", limit=None)
    assert min(region.cost for region in found) == best.cost
    assert all(region.outcome == "granted" for region in found)
    assert len(german.regions(row, best.distance * 1.2, "granted", limit=2)) == 2
    seen = []
    assert german.regions(row, best.distance * 1.2, "granted",
                          visit=lambda region: seen.append(region) or len(seen) < 3) == []
    assert len(seen) == 3
    near = german.regions(row, 0.5, any_outcome=True, limit=None)
    assert "refused" in {region.outcome for region in near}
    for wrong, said in (({"target": "granted"}, "target"), ({"probability": 0.6}, "probability")):
        with pytest.raises(boxwood.Error, match=f"any_outcome: it cannot be combined with {said}"):
            german.regions(row, 0.5, any_outcome=True, **wrong)
    with pytest.raises(boxwood.Error, match="limit: 0 is not a whole number ≥ 1"):
        german.regions(row, 0.5, "granted", limit=0)

    def broken(region):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        german.regions(row, best.distance, "granted", visit=broken)


def test_costs_that_make_no_sense(german, applicants):
    for wrong in (float("nan"), -1.0):
        with pytest.raises(boxwood.Error, match="the function gives"):
            german.explain(applicants.iloc[0], "granted", cost=lambda *_, wrong=wrong: wrong)
        with pytest.raises(boxwood.Error, match="the function gives"):
            german.explain_batch(applicants.head(2), "granted", show_progress=False,
                                 cost=lambda *_, wrong=wrong: wrong)
    with pytest.raises(boxwood.Error, match="it falls as feature"):
        german.explain(applicants.iloc[0], "granted",
                       cost=lambda name, before, after: 1 / (1 + abs(after - before)))


def test_a_cost_may_say_whether_a_value_changes(german, applicants):
    for row in (applicants.iloc[0], applicants.iloc[3]):
        counted = german.explain(row, "granted", cost=lambda name, before, after: before != after)
        assert counted.proven and counted.cost == german.explain(row, "granted", cost="l0").cost


def test_arguments_of_the_wrong_type(german, applicants):
    for name, wrong in (("time_limit", "3"), ("probability", "high"), ("progress", 3)):
        with pytest.raises(boxwood.Error, match=f"^{name}: "):
            german.explain(applicants.iloc[0], "granted", **{name: wrong})


def test_a_class_whose_label_begins_like_words(people):
    import xgboost

    frame, score = people
    numbers = frame[["age", "income"]]
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(numbers, score > score.median())
    schema = boxwood.Schema(classes=["want less", "want more"])
    explainer = boxwood.Explainer(model, data=numbers, schema=schema)
    row = numbers[explainer.predict(numbers) == "want less"].iloc[0]
    assert explainer.explain(row, "want more").outcome == "want more"


def test_a_menu_has_a_notebook_view(german, applicants):
    menu = german.menu(applicants.iloc[0], 2, "granted")
    page = menu._repr_html_()
    assert page.count("<table") == 2 and menu[0].changes[0].title in page


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0]])
def test_all_libraries_have_the_same_class_labels(labels):
    import catboost
    import lightgbm
    import xgboost
    from sklearn.ensemble import RandomForestClassifier

    data = np.random.default_rng(0).normal(size=(120, 2))
    wanted = np.array(labels)[(data[:, 0] > 0).astype(int)]
    found = []
    for model in (xgboost.XGBClassifier(n_estimators=2, n_jobs=1),
                  lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=1),
                  catboost.CatBoostClassifier(iterations=2, verbose=0, thread_count=1,
                                              allow_writing_files=False),
                  RandomForestClassifier(n_estimators=2)):
        explainer = boxwood.Explainer(model.fit(data, wanted), data)
        told = json.loads(explainer.explain(data[0]).to_json())
        found.append((explainer.schema.classes, {told["class_before"], told["class_after"]}))
    # XGBoost reads truth values and whole floats as the classes 0 and 1.
    assert found[0] == (["0", "1"], {"0", "1"})
    names = [str(label) for label in labels]
    assert found[1:] == [(names, set(names))] * 3


def test_classes_name_the_classes():
    explainer = boxwood.Explainer(GERMAN / "model.ubj", classes=["bad", "good"])
    assert explainer.explain(np.zeros(len(explainer.columns)), "good").outcome == "good"
    assert explainer.schema.classes == ["bad", "good"]
    with pytest.raises(boxwood.Error, match="classes: the schema gives other labels for the classes"):
        boxwood.Explainer(GERMAN / "model.ubj", schema=GERMAN / "schema.json",
                          classes=["bad", "good"])
