"""Runs the checkers on the cases that proof_test writes, and on mutations of them.

A mutated certificate must be rejected, unless what it claims is true: then it may still be a proof.
What the Python checker leaves to the fast one, that one has to judge alone.
The true answer of every case is known. Where a model or a question is damaged and the hashes are made
to fit, no checker may accept what the other one rejects; either may refuse the files.
"""

import copy
import importlib.util
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("boxwood_check", HERE.parent / "checker" / "boxwood_check.py")
checker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checker)

REFUSALS = (checker.Rejected, checker.Unsupported, KeyError, IndexError, TypeError, ValueError, ArithmeticError,
            AttributeError, RecursionError)


def verdict(case, proof):
    """Give None if a proof is accepted, or why it is not."""
    try:
        models = [checker.Model(model) for model in case["models"]]
        checker.check(models, case["question"].encode(), proof)
        return None
    except REFUSALS as reason:
        return f"{type(reason).__name__}: {reason}"


def refused_by_name(why):
    """Whether the Python checker leaves a question to the fast one."""
    return why is not None and why.endswith("the fast checker covers them")


def is_true(case, proof):
    """Whether a claim is true, whatever the tree is worth."""
    claim = proof.get("claim")
    if claim == "infeasible":
        return not case["feasible"]
    if claim not in ("optimal", "lower_bound"):
        return False
    cost = float(proof["cost"])
    if not case["feasible"]:
        return claim == "lower_bound"
    best, mine = (case["changes"], case["cost"]), (proof.get("changes"), cost)
    if mine[0] is None:
        best, mine = best[1:], mine[1:]
    return mine <= best if claim == "lower_bound" else mine == best


def mutated(case, draw):
    """Change something about a certificate; also say whether only the hashes were changed."""
    proof = copy.deepcopy(case["proof"])
    tree = proof["tree"]
    kind = draw.randrange(14)
    if kind == 0 and len(tree) > 1:
        del tree[draw.randrange(len(tree)):]
    elif kind == 1:
        tree[draw.randrange(len(tree))] = draw.randrange(-6, 8)
    elif kind == 2:
        del tree[draw.randrange(len(tree))]
    elif kind == 3:
        tree.insert(draw.randrange(len(tree) + 1), draw.randrange(-6, 8))
    elif kind == 4:
        proof["question"] = proof["question"][::-1]
        return proof, True
    elif kind == 5:
        proof["models"][-1] = proof["models"][-1][::-1]
        return proof, True
    elif kind == 6 and "cost" in proof:
        proof["claim"] = "lower_bound"
        proof.pop("point", None)
        proof["cost"] = math.nextafter(float(proof["cost"]), math.inf)
    elif kind in (9, 10):  # a number that is nearly right, or far too large
        at = draw.randrange(len(tree))
        tree[at] += draw.choice([-1, 1, 2, -tree[at] * 2, tree[at], 2 ** 31, -2 ** 31, 2 ** 64, 10 ** 30])
    elif kind == 11:  # nothing is cheaper than the row itself, but it seldom has the outcome
        question = json.loads(case["question"])
        proof.update(claim="optimal", point=question["point"], cost=0.0, tree=[-1])
        proof.update({"changes": 0} if question.get("fewest_first") else {})
    elif kind == 12:  # a part of the tree once more, somewhere
        at, other = draw.randrange(len(tree)), draw.randrange(len(tree))
        tree[at:at] = tree[other:other + draw.randint(1, 30)]
    elif kind == 13:  # numbers at the ends of what rule D takes
        for _ in range(draw.randint(1, 4)):
            tree[draw.randrange(len(tree))] = draw.choice([44, 45, -60, 800, 2 ** 31 - 1, 1 - 2 ** 31, 2 ** 63 - 1, -2 ** 63])
    elif kind == 7 and "point" in proof:
        at = draw.randrange(len(proof["point"]))
        proof["point"][at] = draw.choice([0.0, 1.0, "nan", draw.random(), 3.0])
    else:
        proof.pop("point", None)
        proof.pop("changes", None)
        proof["claim"] = "infeasible"
    return proof, False


def mutations(case, draw, count):
    """List so many mutations of a certificate, without those that change nothing."""
    return [made for made in (mutated(case, draw) for _ in range(count)) if made[0] != case["proof"]]


STRANGE = [True, None, "inf", "-inf", "nan", -1, 0, 1, 2, 3, 0.5, 1.5, -0.0, 1e308, 1e-320, 0.1, 2 ** 31, 2 ** 32, 2 ** 53 + 1,
           2 ** 64 - 1, 10 ** 40, 1e39, "leaf", "<", "identity", [], {}]


def places(data):
    """List (container, key) of every value of a JSON document."""
    found, waiting = [], [data]
    while waiting:
        one = waiting.pop()
        inside = list(one.items()) if isinstance(one, dict) else list(enumerate(one)) if isinstance(one, list) else []
        found += [(one, key) for key, _ in inside]
        waiting += [value for _, value in inside]
    return found


def damaged(case, draw):
    """Change a value of a model or the question, and let the certificate be about the result. None: it has no hash."""
    changed = {**case, "models": copy.deepcopy(case["models"])}
    question = json.loads(case["question"])
    data, key = draw.choice(places(changed["models"] if draw.random() < 0.5 else question))
    other = draw.choice(STRANGE)
    numeric = type(data[key]) in (int, float) and draw.random() < 0.4
    data[key] = data[key] + draw.choice([-1, 1, 0.5]) if numeric else copy.deepcopy(other)
    changed["question"] = json.dumps(question)
    try:
        hashes = [checker.Model(copy.deepcopy(model)).hash for model in changed["models"]]
    except REFUSALS:
        return None
    return changed, {**case["proof"], "models": hashes,
                     "question": checker.hashlib.sha256(changed["question"].encode()).hexdigest()}


def has_dual(proof):
    """Whether a certificate seems to use rule D: -1 is also a possible share."""
    return -1 in proof["tree"]


def fast_verdicts(program, cases):
    """Run the fast checker on cases and proofs in one process; a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "batch.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for case, proof in cases:
                json.dump({"models": case["models"], "question": case["question"],
                           "proof": json.dumps(proof)}, file)
                file.write("\n")
        done = subprocess.run([program, "--batch", path], capture_output=True, text=True, check=False)
        return done.stdout.splitlines()


def main(path, count, seed, program):
    """Check all cases; 1 if something is wrong."""
    draw = random.Random(int(seed))
    faults = tried = kept = rejected = dual = left = 0
    for_fast, expected, strange = [], [], []
    with open(path, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        why = verdict(case, case["proof"])
        if why and why.endswith("a step that is too fine for its values"):  # both checkers refuse it
            left += 1
            continue
        if refused_by_name(why):
            left += 1
            if case["expected"] == "accepted" or not is_true(case, case["proof"]):
                for_fast.append((case, case["proof"]))
                expected.append(case["expected"] == "accepted")
            if case["expected"] == "accepted":
                for proof, hashes in mutations(case, draw, int(count)):
                    tried += 1
                    for_fast.append((case, proof))
                    expected.append(None if is_true(case, proof) and not hashes else False)
            continue
        if (why is None) != (case["expected"] == "accepted") and not \
                (case["expected"] == "rejected" and is_true(case, case["proof"])):
            print(f"seed {case['seed']}: expected {case['expected']}, got {why or 'accepted'}")
            faults += 1
        rejected += case["expected"] == "rejected"
        dual += case["expected"] == "accepted" and has_dual(case["proof"])
        for_fast.append((case, case["proof"]))
        expected.append(why is None)
        if case["expected"] != "accepted":
            continue
        if made := damaged(case, draw):
            strange.append((*made, verdict(*made)))
        for proof, hashes in mutations(case, draw, int(count)):
            tried += 1
            why = verdict(case, proof)
            for_fast.append((case, proof))
            expected.append(why is None)
            if why is None:
                kept += 1
                if hashes or not is_true(case, proof):
                    print(f"seed {case['seed']}: a false claim was accepted: {json.dumps(proof)}")
                    faults += 1
    print(f"{len(cases)} certificates ({rejected} of false claims, {dual} with dual bounds, {left} left to the fast "
          f"checker), {tried} mutations, of which {kept} are still proofs; {faults} faults")
    lines = fast_verdicts(program, for_fast)
    if len(lines) != len(expected):
        print(f"the fast checker gave {len(lines)} of {len(expected)} verdicts")
        return 1
    for (case, proof), one, line in zip(for_fast, expected, lines):
        # The fast checker adds in 64 bits and says so where that is not enough.
        if one is None:  # a true claim, which only the fast checker covers
            continue
        if one != line.startswith("accepted") and not (one and line.endswith("for this checker")):
            print(f"seed {case['seed']}: checkers disagree: Python "
                  f"{'accepts' if one else 'rejects'} or leaves it, the fast one says {line}: {json.dumps(proof)}")
            faults += 1
    for (case, proof, why), line in zip(strange, fast_verdicts(program, [one[:2] for one in strange]), strict=True):
        if (why is None and line.startswith("rejected")) or (line.startswith("accepted") and (why or "").startswith("Rejected")):
            print(f"seed {case['seed']}: of damaged files, Python says {why or 'accepted'}, the fast one {line}: "
                  f"{json.dumps([case['models'], case['question'], proof])}")
            faults += 1
    agreed = sum(why is None for _, _, why in strange)
    print(f"{len(strange)} damaged models and questions, of which the claim is proven for {agreed}; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
