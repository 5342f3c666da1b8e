"""Both checkers refuse unknown keys and files that Boxwood would refuse, and agree about dead boxes."""

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
    proof = {"boxwood_proof": 1, "models": [checker.Model(MODEL).hash],
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


def with_feature(**rule):
    return {"features": [rule]}


def with_requirement(**wanted):
    return {"requirements": [{"range": [1.0, "inf", True, True], **wanted}]}


def with_clause(**literal):
    return {"clauses": [[{"feature": 0, "inside": True, "range": ["-inf", "inf", True, True], **literal}]]}


NAN_END = ["nan", "inf", True, True]
HOSTILE_QUESTIONS = [  # a checker that reads one of these might leave out cells, leaves or trees
    with_requirement(output=0, model=-1), with_requirement(output=-1), with_requirement(output=1),
    with_requirement(score=-1), with_requirement(score=0, rival=-1), with_requirement(output=0, score=0),
    with_requirement(output=0, range=NAN_END), with_requirement(output=2 ** 32), {"requirements": [{"class": 0}]},
    {"requirements": []},
    with_feature(weight=-1), with_feature(weight="nan"), with_feature(up="nan"), with_feature(down=-1),
    with_feature(scale=0), with_feature(scale=-1), with_feature(step="nan"), with_feature(step=-1),
    with_feature(least_change="nan"), with_feature(most_change="nan"), with_feature(range=NAN_END),
    with_feature(range=["-inf", "nan", True, True]), with_feature(range=["-inf", "inf", "no", "no"]),
    with_feature(fixed="no"), with_feature(fixed=1), with_feature(kind="other"), with_feature(direction="other"),
    with_feature(quantiles=[0.0]), with_feature(quantiles=[3.0, 0.0, 2.0]), with_feature(quantiles=[0.0, "nan", 2.0]),
    with_feature(kind="categorical", changes=[["nan"] * 3] * 3), with_feature(kind="categorical", changes=[[-1] * 3] * 3),
    {"cost": "mixture", "mixture": {"l2": "nan", "l1": 0.0, "l0": 0.0}},
    {"cost": "mixture", "mixture": {"l2": -1.0, "l1": 0.0, "l0": 0.0}},
    with_clause(inside="true"), with_clause(range=NAN_END), with_clause(feature=-1),
    {"groups": [{"columns": [0, 0]}]}, {"groups": [{"columns": [0]}, {"columns": [0]}]}, {"groups": [{"columns": []}]},
    {"groups": [{"columns": [-1]}]}, {"groups": [{"columns": [0], "weight": "nan"}]},
    {"point": [False]}, {"point": ["NaN"]}, {"point": ["-inf"]}, {"point": [0.0, 1.0]}, {"max_changes": "many"},
]


def with_tree(**fields):
    return {"trees": [{**MODEL["trees"][0], **fields}]}


HOSTILE_MODELS = [  # bounds of scores hold for positive factors, and for numbers only
    {"factor": -1.0}, {"factor": 0.0}, {"factor": "nan"}, {"factor": "inf"}, {"divisor": -1.0}, {"divisor": 0.0},
    {"steepness": -1.0}, {"accumulator": "float32", "factor": 1e-60}, {"input": "float16"}, {"accumulator": "other"},
    {"order": "other"}, {"link": "other"}, {"link_form": "other"}, {"task": "other"}, {"decision": "other"},
    {"base": []}, {"base": ["nan"]}, {"task": "binary", "link": "sigmoid", "base": [0.0, 0.0]},
    with_tree(values=[0.0, "nan"]), with_tree(output=1), with_tree(left=[0, -1, -1]), with_tree(right=[3, -1, -1]),
    with_tree(feature=[1, -1, -1]), with_tree(value=[-1, 0, 2]), with_tree(values=[False, True]),
    with_tree(kind=["in", "leaf", "leaf"], sets=[[5], [0, 1]]),
]


class HostileFiles(unittest.TestCase):
    def test_both_checkers_refuse_them(self):
        """The point costs 2; that nothing costs less than 9, or that there is no point, is never accepted."""
        files = [(MODEL, {**QUESTION, **change}) for change in HOSTILE_QUESTIONS]
        files += [({**MODEL, **change}, QUESTION) for change in HOSTILE_MODELS]
        lines = []
        for model, question in files:
            text = json.dumps(question)
            for claim in ({"claim": "infeasible"}, {"claim": "lower_bound", "cost": 9.0}):
                proof = {"boxwood_proof": 1, "models": [checker.Model(MODEL).hash], "tree": [-2],
                         "question": checker.hashlib.sha256(text.encode()).hexdigest(), **claim}
                with self.subTest(model=model, question=question), self.assertRaises(Exception) as refused:
                    checker.check([checker.Model(model)], text.encode(), proof)
                self.assertNotIn("other models", str(refused.exception), [model, question])
                lines.append(json.dumps({"models": [model], "question": text, "proof": json.dumps(proof)}))
        program = pathlib.Path(os.environ.get("BOXWOOD_COMMAND", "")).parent / "boxwood_check"
        if program.is_file():
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "batch.jsonl"
                path.write_text("\n".join(lines) + "\n")
                said = subprocess.run([program, "--batch", path], capture_output=True, text=True, check=True).stdout
            self.assertEqual(len(said.splitlines()), len(lines))
            for one, line in zip(said.splitlines(), lines):
                self.assertTrue(one.startswith("cannot be checked"), f"{one}: {line}")

    def test_a_tree_of_xgboost_that_does_not_end_is_refused(self):
        tree = {"left_children": [1, 0, -1], "right_children": [2, 2, -1], "split_conditions": [1.0, 1.0, 1.0],
                "split_indices": [0, 0, 0], "default_left": [0, 0, 0], "tree_param": {}}
        learner = {"objective": {"name": "reg:squarederror"}, "learner_model_param": {"base_score": "0", "num_feature": "1"},
                   "gradient_booster": {"name": "gbtree", "model": {"trees": [tree], "tree_info": [0]}}}
        with self.assertRaises(checker.Unsupported):
            checker.Model({"learner": learner})


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
