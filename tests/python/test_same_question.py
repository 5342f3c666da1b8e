"""All ways to ask the same question build the same query, and contradictions are refused by name."""

import math
import os
import random
import subprocess

import boxwood
import pytest
from boxwood._question import Asked
from conftest import GERMAN

# Keyword arguments, the same in objects where there are some, in words, and as flags.
PARTS = [
    ({"fixed": ["housing", "age"]}, {}, "fix housing, age", ["--fix", "housing,age"]),
    ({"only": ["duration", "credit_amount", "savings_status", "other_parties"]}, {},
     'only duration, "credit_amount", savings_status, other_parties',
     ["--only", "duration,credit_amount,savings_status,other_parties"]),
    ({"increase": ["savings_status"]}, {}, "savings_status may only rise", None),
    ({"decrease": ["credit_amount"]}, {}, "credit_amount may only fall", None),
    ({"ranges": {"duration": (6, 24)}}, {}, "duration in [6..24]", None),
    ({"ranges": {"credit_amount": (None, 3000.5)}}, {}, "credit_amount <= 3000.5", None),
    ({"ranges": {"other_parties": ["guarantor", "none"]}}, {}, "other_parties in {guarantor, none}",
     None),
    ({"weights": {"duration": 2.5, "credit_amount": 0.125}}, {},
     "weight duration 2.5; weight credit_amount 0.125",
     ["--weights", "duration=2.5,credit_amount=0.125"]),
    ({"max_changes": 2}, {}, "at most 2 changes", ["--max-changes", "2"]),
    ({"cost": "l1 + 0.1 l0"}, {"cost": boxwood.L1() + 0.1 * boxwood.L0()}, "cost l1 + 0.1 l0",
     ["--norm", "l1 + 0.1 l0"]),
    ({"cost": "linf"}, {"cost": boxwood.Linf()}, "cost linf", ["--norm", "linf"]),
    ({"cost": "l2"}, {"cost": boxwood.L2()}, "cost 1 l2", ["--norm", "l2"]),
    ({"fewest_first": True}, {}, "fewest changes first", None),
    ({"fewest_first": False}, {}, "lowest cost first", None),
    ({"rules": "if duration changes then credit_amount falls"},
     {"rules": boxwood.If("duration changes", "credit_amount falls")},
     "if duration changes then credit_amount falls", None),
    ({"rules": "not (duration > 40)"}, {"rules": boxwood.Not("duration > 40")}, "not (duration > 40)",
     None),
]


def drawn(seed):
    """Some parts, no keyword twice but for ranges."""
    chosen, keys = [], set()
    for part in random.Random(seed).sample(PARTS, 6):
        key = next(iter(part[0]))
        if key == "ranges" or key not in keys:
            chosen.append(part)
            keys.add(key)
    return chosen


def joined(dicts):
    made = {}
    for one in dicts:
        for key, value in one.items():
            made[key] = {**made[key], **value} if key in made and key == "ranges" else value
    return made


@pytest.mark.parametrize("seed", range(25))
def test_all_ways_build_the_same_query(german, applicants, seed):
    chosen = drawn(seed)
    row = seed % len(applicants)
    point = german.columns.point(applicants.iloc[row])

    def built(explainer, **question):
        return Asked(explainer, "granted", question).at(point).to_json()

    words = [text for _, _, text, _ in chosen]
    keywords = built(german, **joined(part[0] for part in chosen))
    assert built(german, **joined({**part[0], **part[1]} for part in chosen)) == keywords
    assert built(german, rules=words) == keywords
    assert built(german, rules="\n".join(reversed(words))) == keywords
    schema = boxwood.Schema.load(GERMAN / "schema.json")
    # In the schema a range narrows, and does not replace, the one that is there.
    schema.rules = words
    assert built(boxwood.Explainer(GERMAN / "model.ubj", schema=schema)) == keywords

    flags = []
    for _, _, text, flag in chosen:
        flags += flag or ["--rule", text]
    done = subprocess.run(
        [os.environ["BOXWOOD_COMMAND"], "explain", GERMAN / "model.ubj", "--data",
         GERMAN / "applicants.csv", "--schema", GERMAN / "schema.json", "--class", "granted",
         "--row", str(row), "--show-query", *flags], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == keywords, done.stderr


def test_fewest_first_counts_with_every_cost(german, applicants):
    row = applicants.iloc[0]
    for cost in ("l1 + 0.1 l0", "l1", boxwood.L1() + 0.1 * boxwood.L0(), None,
                 lambda name, before, after: abs(after - before)):
        answer = german.explain(row, "granted", cost=cost, fewest_first=True)
        assert answer._query.fewest_first
        assert len(answer.changes) == german.explain(row, "granted", cost="l0").cost


@pytest.mark.parametrize("question, said", [
    ({"cost": "l1", "rules": "cost l2"}, r'cost, column 1.*it contradicts "cost l2" \(rules\)'),
    ({"cost": lambda *_: 0.0, "rules": "cost l2"},
     "rules, column 1.*the question has a cost function already"),
    ({"weights": {"duration": 2}, "rules": "weight duration 3"},
     r'weights, column 1.*it contradicts "weight duration 3" \(rules\)'),
    ({"rules": ["weight duration 2", "weight duration 3"]},
     r'rules, column 1.*it contradicts "weight duration 2"'),
    ({"fixed": ["duration"], "only": ["duration"]}, 'fixed: "duration" is also named in only'),
    ({"fixed": ["duration"], "rules": "only duration, savings_status"},
     r'rules, column 1.*"duration" cannot change: "fix .*duration.*" \(fixed\)'),
    ({"ranges": {"duration": (6, 10)}, "rules": "duration >= 20"}, r"rules, column 1.*it contradicts"
     r' ".*duration.* in \[6\.\.10\]" \(ranges\)'),
    ({"fewest_first": False, "cost": "fewest then l1"},
     r'fewest_first, column 1.*it contradicts "cost fewest then l1" \(cost\)'),
    ({"fewest_first": False, "rules": "fewest changes first"},
     r'fewest_first, column 1.*it contradicts "fewest changes first" \(rules\)'),
    ({"fewest_first": "yes"}, "fewest_first: 'yes' is neither True nor False"),
    ({"fixed": ["duration"], "increase": ["duration"]},
     r'increase, column 1.*"duration" cannot change: "fix .*duration.*" \(fixed\)'),
    ({"rules": "fix duration", "decrease": ["duration"]},
     r'decrease, column 1.*"duration" cannot change: "fix duration" \(rules\)'),
    ({"increase": ["duration"], "rules": "duration may only fall"},
     r'rules, column 1.*it contradicts ""duration" may only rise" \(increase\)'),
    ({"only": ["age", "duration"]}, 'only, column 1.*"age" is fixed by the schema'),
    ({"increase": ["age"]}, 'increase, column 1.*"age" is fixed by the schema'),
    ({"rules": "age may only fall"}, 'rules, column 1.*"age" is fixed by the schema'),
    ({"rules": "credit_amount step 100", "ranges": {"credit_amount": (110, 170)}},
     'ranges, column 1.*"credit amount" changes to multiples of 100 only'),
    ({"rules": ["duration >= 3", 3]}, "rules: 3 is not a rule"),
    ({"probability": 1.5}, "probability: probability 1.5 must be a number from 0 to 1"),
    ({"margin": math.inf}, "margin: the margin must be a finite number"),
    ({"requirements": [boxwood.Output(at_least=1, output=7)]},
     "requirements: output 7 does not exist"),
])
def test_contradictions_are_refused_by_name(german, applicants, question, said):
    with pytest.raises(boxwood.Error, match="(?s)" + said):
        german.explain(applicants.iloc[0], "granted", **question)


@pytest.mark.parametrize("flags, said", [
    (["--fix", "duration", "--only", "duration"], '"duration" cannot change: "fix "duration"" (--fix)'),
    (["--fix", "duration", "--rule", "duration may only fall"], '"duration" cannot change: "fix "'),
    (["--only", "age"], '"age" is fixed by the schema'),
    (["--norm", "fewest then l1", "--rule", "lowest cost first"],
     'it contradicts "cost fewest then l1" (--norm)'),
    (["--rule", "credit_amount step 100", "--rule", "credit_amount in [110..170]"],
     '"credit amount" changes to multiples of 100 only'),
    (["--max-changes", "1.5"], '--max-changes: "1.5" is not a whole number ≥ 0'),
    (["--row", "1"], "--row: it is given more than once"),
    (["--target", "granted"], 'no flag "--target". Use --class'),
    (["--range", "duration=6..10"], "To limit a feature, write --rule"),
])
def test_the_command_refuses_the_same(flags, said):
    outcome = [] if "--range" in flags else ["--class", "granted"]
    done = subprocess.run(
        [os.environ["BOXWOOD_COMMAND"], "explain", GERMAN / "model.ubj", "--data",
         GERMAN / "applicants.csv", "--schema", GERMAN / "schema.json", *outcome, "--row", "0", *flags],
        capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_direction_against_the_schemas_is_refused(applicants):
    schema = boxwood.Schema.load(GERMAN / "schema.json")
    schema["duration"].direction = "down"
    explainer = boxwood.Explainer(GERMAN / "model.ubj", schema=schema)
    with pytest.raises(boxwood.Error, match='the schema says that "duration" may only fall'):
        explainer.explain(applicants.iloc[0], "granted", increase=["duration"])
    explainer.explain(applicants.iloc[0], "granted", decrease=["duration"], fixed=["purpose"])


def test_a_scale_is_checked_without_data():
    with pytest.raises(boxwood.Error, match="scale: unknown scale 'foo'"):
        boxwood.Explainer(GERMAN / "model.ubj", scale="foo")


def test_the_cost_of_a_question_replaces_the_schemas(applicants):
    schema = boxwood.Schema.load(GERMAN / "schema.json")
    schema.rules = ["cost fewest then linf", "weight duration 2"]
    explainer = boxwood.Explainer(GERMAN / "model.ubj", schema=schema)
    point = explainer.columns.point(applicants.iloc[0])
    query = Asked(explainer, "granted", {"cost": "l1", "weights": {"duration": 3}}).at(point)
    assert query.norm.name == "l1" and not query.fewest_first
    assert query.feature(explainer.columns.index("duration", "")).weight == 3
    assert Asked(explainer, "granted", {}).at(point).fewest_first
    assert not Asked(explainer, "granted", {"fewest_first": False}).at(point).fewest_first
