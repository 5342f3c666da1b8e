"""Rule D of proofs against brute force: whatever numbers a certificate lists, no false claim is accepted.

The numbers are drawn, so most are useless and some are good; the least cost of every question is found by
trying all combinations of cells, without the checkers' code.
"""

import importlib.util
import itertools
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("boxwood_check", ROOT / "checker" / "boxwood_check.py")
checker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checker)

FEATURES, STEPS = 3, 4


def drawn_tree(draw):
    """A tree of depth 2 whose thresholds are whole numbers; each leaf has a value of its own."""
    tree = {"output": 0, "values": [float(4 * draw.randint(-8, 8) + i) for i in range(4)],
            "kind": ["<", "<", "<", "leaf", "leaf", "leaf", "leaf"],
            "feature": [draw.randrange(FEATURES) for _ in range(3)] + [-1] * 4,
            "threshold": [float(draw.randint(1, STEPS)) for _ in range(3)] + [0.0] * 4,
            "left": [1, 3, 5] + [-1] * 4, "right": [2, 4, 6] + [-1] * 4, "value": [-1] * 3 + [0, 1, 2, 3],
            "missing_left": [False] * 7}
    return tree


def leaves_of(model, point):
    """The value of each tree's leaf; all are whole numbers."""
    for tree in model["trees"]:
        at = 0
        while tree["kind"][at] != "leaf":
            left = point[tree["feature"][at]] < tree["threshold"][at]
            at = tree["left" if left else "right"][at]
        yield tree["values"][tree["value"][at]]


def solutions(model, weights, wanted):
    """(cost, leaves) of every combination of cells with a score of at least `wanted`."""
    found = []
    for point in itertools.product(range(STEPS + 1), repeat=FEATURES):
        leaves = list(leaves_of(model, point))
        if sum(leaves) >= wanted:
            found.append((sum(w * x for w, x in zip(weights, point)), leaves))
    return found


def drawn_numbers(draw, walk, scale):
    """Numbers of a dual bound: each toll is split among the trees that test the variable, more or less."""
    unit, exponent = 30, 20
    numbers = [unit, exponent, max(0, int(walk.limit / 2 ** exponent * scale))]
    tests = [sorted({v for leaf in leaves for v in leaf.cells}) for leaves in walk.whole.live]
    for own in tests:
        numbers.append(len(own))
        for v in own:
            tolls, sharing = walk.tolls[v], sum(v in other for other in tests)
            numbers += [v, len(tolls)]
            for at, toll in enumerate(tolls):
                share = toll / sharing / 2 ** unit
                numbers += [at, int(share * draw.choice([1, 1, 1, 0.9, 1.2])) + draw.choice([0, 0, 0, 5, -5])]
    return numbers


def case(draw):
    """A model, the weights of a question, and how much more than the present score it asks for.

    In every second model a leaf of the first tree costs a fortune, as prices of houses may: prices times such
    numbers need more than 64 bits.
    """
    model = {"boxwood_model": 1, "task": "regression", "link": "identity", "input": "float64",
             "accumulator": "float64", "order": "base_first", "base": [0.0],
             "features": [{"name": f"f{d}", "kind": "continuous"} for d in range(FEATURES)],
             "trees": [drawn_tree(draw) for _ in range(draw.randint(2, 4))]}
    present = list(leaves_of(model, [0] * FEATURES))[0]
    values = model["trees"][0]["values"]
    at = draw.randrange(4)
    if draw.random() < 0.5 and values[at] != present:
        values[at] -= 2.0 ** 28
    weights = [float(draw.choice([1, 2, 5])) for _ in range(FEATURES)]
    return model, weights, draw.randint(12, 60)


class DualRule(unittest.TestCase):
    def test_no_numbers_exclude_a_leaf_that_matters(self):
        draw = random.Random(20261117)
        excluded = accepted = 0
        lines, verdicts = [], []
        for _ in range(250):
            model, weights, gap = case(draw)
            wanted = sum(leaves_of(model, [0] * FEATURES)) + gap
            found = solutions(model, weights, wanted)
            best = min((cost for cost, _ in found), default=5.0)
            question = json.dumps({
                "boxwood_question": 1, "point": [0.0] * FEATURES, "cost": "l1",
                "requirements": [{"output": 0, "range": [wanted, "inf", True, True]}],
                "features": [{"weight": weight} for weight in weights]})
            read = checker.Model(model)
            for _ in range(6):
                claim = draw.choice([best, best + 1, best + 0.001, draw.uniform(0.5, 12), 1e-320])
                walk = checker.Checker(checker.Question(json.loads(question), [read]), (0, claim))
                numbers = drawn_numbers(draw, walk, draw.choice([.5, .8, 1, 1.5]) / gap)
                thinned = walk.thinned(walk.whole, *walk.read_dual(numbers[0], iter(numbers[1:])))
                live = thinned.live if thinned else [[]] * len(model["trees"])  # dead: every leaf is excluded
                for t, (before, after) in enumerate(zip(walk.whole.live, live)):
                    kept = [leaf.numbers[0] for leaf in after]
                    gone = [leaf.numbers[0] for leaf in before if leaf.numbers[0] not in kept]
                    excluded += len(gone)
                    for cost, leaves in found:
                        self.assertFalse(cost < claim and leaves[t] in gone,
                                         f"claim {claim}: {leaves} costs {cost}: {json.dumps([model, numbers])}")
                proof = {"boxwood_proof": 1, "models": [read.hash], "claim": "lower_bound", "cost": claim,
                         "question": checker.hashlib.sha256(question.encode()).hexdigest(),
                         # No requirement has the number of -9: it closes the box only if it is dead.
                         "tree": [-1, *numbers, draw.choice([-2, -9])]}
                try:
                    checker.check([read], question.encode(), proof)
                    self.assertTrue(not found or claim <= best, f"{claim} above {best}: {json.dumps(proof)}")
                    verdicts.append(True)
                except checker.Rejected:
                    verdicts.append(False)
                accepted += verdicts[-1]
                lines.append(json.dumps({"models": [model], "question": question, "proof": json.dumps(proof)}))
        self.assertGreater(excluded, 300)
        self.assertGreater(accepted, 100)
        program = pathlib.Path(os.environ.get("BOXWOOD_COMMAND", "")).parent / "boxwood_check"
        if not program.is_file():
            return  # the fast checker is built beside the command
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "batch.jsonl"
            path.write_text("\n".join(lines) + "\n")
            said = subprocess.run([program, "--batch", path], capture_output=True, text=True, check=True).stdout
        fast = [line.startswith("accepted") for line in said.splitlines()]
        self.assertEqual([line for line, one, other in zip(lines, fast, verdicts, strict=True) if one != other], [])


if __name__ == "__main__":
    unittest.main()
