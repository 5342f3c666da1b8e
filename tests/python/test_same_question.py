"""All ways to ask the same question build the same query, and contradictions are refused by name."""

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
    # The command refuses --fix with --only as flags.
    if not ("--fix" in flags and "--only" in flags):
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
    ({"fixed": ["duration"], "only": ["duration"]}, 'fixed: "duration" is in only as well'),
    ({"fixed": ["duration"], "rules": "only duration, age"},
     r'rules, column 1.*"duration" cannot change: "fix .*duration.*" \(fixed\)'),
    ({"ranges": {"duration": (6, 10)}, "rules": "duration >= 20"}, r"rules, column 1.*it contradicts"
     r' ".*duration.* in \[6\.\.10\]" \(ranges\)'),
])
def test_contradictions_are_refused_by_name(german, applicants, question, said):
    with pytest.raises(boxwood.Error, match="(?s)" + said):
        german.explain(applicants.iloc[0], "granted", **question)


def test_the_cost_of_a_question_replaces_the_schemas(applicants):
    schema = boxwood.Schema.load(GERMAN / "schema.json")
    schema.rules = ["cost fewest then linf", "weight duration 2"]
    explainer = boxwood.Explainer(GERMAN / "model.ubj", schema=schema)
    point = explainer.columns.point(applicants.iloc[0])
    query = Asked(explainer, "granted", {"cost": "l1", "weights": {"duration": 3}}).at(point)
    assert query.norm.name == "l1" and not query.fewest_first
    assert query.feature(explainer.columns.index("duration", "")).weight == 3
    assert Asked(explainer, "granted", {}).at(point).fewest_first
