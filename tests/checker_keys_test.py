"""Both checkers refuse keys that they do not know, whose meaning may matter, and agree about dead boxes."""

import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("boxwood_check", ROOT / "checker" / "boxwood_check.py")
checker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checker)

MODEL = {"boxwood_model": 1, "task": "regression", "link": "identity", "input": "float64", "accumulator": "float64",
         "order": "base_first", "base": [0.0], "features": [{"name": "a", "kind": "continuous"}],
         "trees": [{"output": 0, "values": [0.0, 1.0], "kind": ["<", "leaf", "leaf"], "feature": [0, -1, -1],
                    "threshold": [2.0, 0.0, 0.0], "left": [1, -1, -1], "right": [2, -1, -1], "value": [-1, 0, 1],
                    "missing_left": [False] * 3}]}
QUESTION = {"boxwood_question": 1, "point": [0.0], "requirements": [{"output": 0, "range": [1.0, "inf", True, True]}],
            "features": [{}], "groups": [], "cost": "l1",
            "clauses": [[{"feature": 0, "inside": True, "range": ["-inf", 9.0, True, True]}]]}


def with_key(data, *path):
    """Give a copy with an unknown key in one of its objects."""
    copy = json.loads(json.dumps(data))
    at = copy
    for step in path:
        at = at[step]
    at["added"] = 1
    return copy


LINEAR = {**QUESTION, "clauses": [[{"sum": [{"feature": 0, "coefficient": 1.0}], "range": ["-inf", 9.0, True, True]}]]}
CASES = {  # what is refused, with the words that name it
    "a model with added": (with_key(MODEL), QUESTION),
    "a tree with added": (with_key(MODEL, "trees", 0), QUESTION),
    "a question with added": (MODEL, with_key(QUESTION)),
    "a feature with added": (MODEL, with_key(QUESTION, "features", 0)),
    "a condition with added": (MODEL, with_key(QUESTION, "clauses", 0, 0)),
    "a requirement with added": (MODEL, with_key(QUESTION, "requirements", 0)),
    "a condition with": (MODEL, LINEAR),
    "of an unknown output": ({**MODEL, "trees": [{**MODEL["trees"][0], "output": -2}]}, QUESTION),
    # Names in untrusted files cannot forge a line or control the terminal.
    "a question with x\\naccepted: all is well\\x1b": (MODEL, {**QUESTION, "x\naccepted: all is well\x1b[2J" + "y" * 9999: 1}),
}


def verdicts(model, question, claim):
    """Run both checkers on files of these contents; the fast one only if it was built."""
    program = pathlib.Path(os.environ.get("BOXWOOD_COMMAND", "")).parent / "boxwood_check"
    text = json.dumps(question)
    proof = {"boxwood_proof": 1, "models": [checker.Model(MODEL).digest()],
             "question": checker.hashlib.sha256(text.encode()).hexdigest(), **claim}
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("model.json", "question.json", "proof.json")]
        for file, content in zip(files, (json.dumps(model), text, json.dumps(proof))):
            file.write_text(content)
        commands = [["python3", ROOT / "checker" / "boxwood_check.py"], [program]]
        for command in commands if program.is_file() else commands[:1]:
            yield subprocess.run([*command, *files], capture_output=True, text=True, check=False)


class UnknownKeys(unittest.TestCase):
    def test_both_checkers_refuse_them_by_name(self):
        plain = {**QUESTION, "groups": []}
        claim = {"claim": "optimal", "cost": 2.0, "point": [2.0], "tree": [-2]}
        for words, (model, question) in {"accepted": (MODEL, plain), **CASES}.items():
            with self.subTest(words):
                for done in verdicts(model, question, claim):
                    self.assertEqual(done.returncode, 0 if words == "accepted" else 2, done.stdout + done.stderr)
                    self.assertIn(words, done.stdout)
                    self.assertEqual(done.stdout.count("\n"), 1)
                    self.assertLess(len(done.stdout), 1000)


class DeadBoxes(unittest.TestCase):
    """The outcome needs a value of at least 2; the clause allows values up to a limit."""

    def codes(self, limit, claim, **more):
        clause = [{"feature": 0, "inside": True, "range": ["-inf", limit, True, True]}]
        question = {**QUESTION, "clauses": [clause], **more}
        return [done.returncode for done in verdicts(MODEL, question, claim)]

    def test_a_clause_without_a_live_condition_closes_a_box(self):
        claim = {"claim": "infeasible", "tree": [0, 1, 1, -2, -2]}  # values up to 1, and the rest
        self.assertEqual(set(self.codes(1.0, claim)), {0})
        self.assertEqual(set(self.codes(3.0, claim)), {1})

    def test_a_clause_that_only_costly_values_satisfy_closes_a_box(self):
        clause = [[{"feature": 0, "inside": True, "range": [3.0, "inf", True, True]}]]
        for cost, code in ((3.0, 0), (3.5, 1)):
            claim = {"claim": "lower_bound", "cost": cost, "tree": [-2]}
            self.assertEqual(set(self.codes(0, claim, clauses=clause)), {code})

    def test_a_box_without_cells_is_closed_by_any_number(self):
        claim = {"claim": "infeasible", "tree": [0, 0, -9, 0, 1, 1, -2, -2]}  # the first child has no cell
        self.assertEqual(set(self.codes(1.0, claim)), {0})
        claim["tree"][-1] = -9  # the clause closes this box, whatever the number is
        self.assertEqual(set(self.codes(1.0, claim)), {0})
        claim["tree"][-2] = -9  # this one is closed by requirement 0 only
        self.assertEqual(set(self.codes(1.0, claim)), {1})


if __name__ == "__main__":
    unittest.main()
