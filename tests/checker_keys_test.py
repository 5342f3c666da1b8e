"""Both checkers refuse unknown keys and files that Boxwood would refuse, and agree about dead boxes."""

import importlib.util
import json
import math
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
    " with added": (with_key(MODEL, "trees", 0), QUESTION),
    "a question with added": (MODEL, with_key(QUESTION)),
    "with added": (MODEL, with_key(QUESTION, "features", 0)),
    "a condition with added": (MODEL, with_key(QUESTION, "clauses", 0, 0)),
    "a requirement with added": (MODEL, with_key(QUESTION, "requirements", 0)),
    "a condition with": (MODEL, LINEAR),
    "output": ({**MODEL, "trees": [{**MODEL["trees"][0], "output": -2}]}, QUESTION),
    # Names in untrusted files cannot forge a line or control the terminal.
    "a question with x\\naccepted: all is well\\x1b": (MODEL, {**QUESTION, "x\naccepted: all is well\x1b[2J" + "y" * 9999: 1}),
}


def fast_program():
    """The fast checker; it is beside the command."""
    return pathlib.Path(os.environ.get("BOXWOOD_COMMAND", "")).parent / "boxwood_check"


def verdicts(model, question, claim, change=lambda proof: proof):
    """Run both checkers on files of these contents; the fast one only if it was built."""
    program = fast_program()
    text = json.dumps(question)
    try:
        hashed = checker.Model(model).hash
    except Exception:  # noqa: BLE001 - the file is refused before the hash matters
        hashed = checker.Model(MODEL).hash
    proof = {"boxwood_proof": 1, "models": [hashed],
             "question": checker.hashlib.sha256(text.encode()).hexdigest(), **claim}
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("model.json", "question.json", "proof.json")]
        for file, content in zip(files, (json.dumps(model), text, change(json.dumps(proof)))):
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
    with_requirement(output=0, probability=0.5), with_requirement(output=0, margin=1.0), with_requirement(output=0, rival=0),
    with_requirement(score=0, rival=0, range=[0.0, "inf", True, True]), {"requirements": [{"range": [0.0, "inf", True, True]}]},
    {"requirements": [{"output": 0}]}, {"requirements": [{"rival": 0, "range": [0.0, "inf", True, True]}]},
    with_feature(step=0.5, kind="integer"), with_feature(step=1.0, allowed=[2.0]),
    {"clauses": [[{"feature": 0, "inside": True, "codes": []}]]}, {"clauses": [[{"feature": 0, "inside": False, "codes": []}]]},
    # Numbers that another reader might cut off, wrap around or leave out.
    with_requirement(output=2 ** 64 - 2 ** 32), {"clauses": [[{"feature": 0, "inside": True, "codes": [2 ** 64 - 2 ** 32]}]]},
    with_requirement(output=0.5), with_requirement(output=False), with_requirement(output=0, model=0.5),
    with_requirement(classes=0), with_requirement(output=0, range=[1.0, "inf", True]),
    with_requirement(output=0, range=[1.0, "inf", True, True, True]), with_requirement(output=0, range=[2.0, 1.0, True, True]),
    with_requirement(output=0, range=[1.0, "inf", 1, 1]), with_feature(range=[1.0, 2.0]), with_feature(range=[3, 2, True, True]),
    with_feature(range=["-inf", "inf", 0, True]), with_feature(fixed=True, range=["-inf", "inf", True]),
    with_clause(feature=0.5), with_clause(range=["-inf", "inf", True]),
    {"clauses": [[{"feature": 0, "inside": True, "codes": [2 ** 32]}]]}, {"clauses": [[{"feature": 0, "inside": True, "codes": [1.5]}]]},
    {"clauses": [[{"feature": 0, "inside": True, "codes": [2, 1]}]]}, {"clauses": {"0": []}}, {"features": {"0": {}}},
    {"max_changes": -1}, {"max_changes": 1.5}, {"max_changes": 2 ** 32}, {"boxwood_question": 1.5}, {"boxwood_question": True},
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
    with_tree(kind=["in", "leaf", "leaf"], value=[0, 0, 1], sets=[[2 ** 32]]),
    with_tree(kind=["in", "leaf", "leaf"], value=[0, 0, 1], sets=[[2.5]]),
    with_tree(kind=["in", "leaf", "leaf"], value=[0, 0, 1], sets=[[1, 0]]),
    with_tree(threshold=[2.0, 0.0, 0.0, 5.0]), with_tree(right=[2, -1, -1, 0]), with_tree(missing_left=[False] * 4),
    with_tree(feature=[0.5, -1, -1]), with_tree(feature=[2 ** 32, -1, -1]), with_tree(right=[2.5, -1, -1]),
    with_tree(left=[1, 2 ** 32, -1]), with_tree(output=2 ** 64 - 1),
    with_tree(output=0.5), with_tree(output=2 ** 32), with_tree(output=False), with_tree(missing_left=[0, 0, 0]),
    with_tree(zero_up=[True, False, False]), with_tree(kind=["==", "leaf", "leaf"], missing_at_zero=[True, False, False]),
    {"trees": [{key: column for key, column in MODEL["trees"][0].items() if key != "missing_left"}]},
    {"boxwood_model": 1.5}, {"features": {"a": 1}}, {"features": "x"}, {"base": {"0": 0.0}},
]
TWO_PRECISIONS = [MODEL, {**MODEL, "input": "float32"}], {**QUESTION, "point": [0.1]}


class HostileFiles(unittest.TestCase):
    def test_both_checkers_refuse_them(self):
        """The point costs 2; that nothing costs less than 9, or that there is no point, is never accepted."""
        files = [([MODEL], {**QUESTION, **change}) for change in HOSTILE_QUESTIONS]
        files += [([{**MODEL, **change}], QUESTION) for change in HOSTILE_MODELS] + [TWO_PRECISIONS]
        lines = []
        for models, question in files:
            text = json.dumps(question)
            for claim in ({"claim": "infeasible"}, {"claim": "lower_bound", "cost": 9.0}):
                hashes = [checker.Model({**MODEL, "input": model.get("input")}).hash if len(models) > 1
                          else checker.Model(MODEL).hash for model in models]
                proof = {"boxwood_proof": 1, "models": hashes, "tree": [-2],
                         "question": checker.hashlib.sha256(text.encode()).hexdigest(), **claim}
                with self.subTest(models=models, question=question), self.assertRaises(Exception) as refused:
                    checker.check([checker.Model(model) for model in models], text.encode(), proof)
                self.assertNotIn("other models", str(refused.exception), [models, question])
                lines.append(json.dumps({"models": models, "question": text, "proof": json.dumps(proof)}))
        program = fast_program()
        if program.is_file():
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "batch.jsonl"
                path.write_text("\n".join(lines) + "\n")
                said = subprocess.run([program, "--batch", path], capture_output=True, text=True, check=True).stdout
            self.assertEqual(len(said.splitlines()), len(lines))
            for one, line in zip(said.splitlines(), lines):
                self.assertTrue(one.startswith("cannot be checked"), f"{one}: {line}")

    def test_odd_files_of_xgboost_are_refused(self):
        good = {"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_conditions": [1.0, 1.0, 1.0],
                "split_indices": [0, 0, 0], "default_left": [0, 0, 0], "tree_param": {}}
        loop, none = {"left_children": [1, 0, -1], "right_children": [2, 2, -1]}, {"right_children": [-2, -1, -1]}
        cases = [({}, {}, 0), (loop, {}, 0), (none, {}, 0), ({}, {}, -1), ({}, {}, 1), ({"split_type": [1, 0, 0]}, {}, 0),
                 ({"split_indices": [1, 0, 0]}, {}, 0), ({"tree_param": {"size_leaf_vector": "2"}}, {}, 0),
                 ({}, {"gradient_booster": {"name": "dart"}}, 0), ({}, {"gradient_booster": {"name": "gbtree", "model": {
                     "trees": [{**good}], "tree_info": [0], "weight_drop": [0.5]}}}, 0),
                 ({}, {"gradient_booster": {"name": "gbtree", "model": {"trees": [], "tree_info": []}}}, 0),
                 ({}, {"objective": {"name": "count:poisson"}}, 0),
                 ({}, {"attributes": {"best_iteration": "3"}}, 0), ({"default_left": [0]}, {}, 0),
                 ({}, {"learner_model_param": {"base_score": "nan", "num_feature": "1"}}, 0),
                 ({}, {"learner_model_param": {"base_score": "[0, 0]", "num_feature": "1"}}, 0),
                 ({}, {"learner_model_param": {"base_score": "0", "num_feature": "10000000000000"}}, 0),
                 ({}, {"learner_model_param": {"base_score": "0", "num_feature": "1", "num_class": "10000000000000"}}, 0)]
        for number, (tree, more, output) in enumerate(cases):
            booster = {"name": "gbtree", "model": {"trees": [{**good, **tree}], "tree_info": [output]}}
            learner = {"objective": {"name": "reg:squarederror"}, "gradient_booster": booster,
                       "learner_model_param": {"base_score": "0", "num_feature": "1"}, **more}
            with self.subTest(number):
                if number == 0:
                    self.assertEqual(len(checker.Model({"learner": learner}).trees[0].nodes), 3)
                    continue
                with self.assertRaises((checker.Unsupported, ValueError, KeyError, IndexError)):
                    checker.Model({"learner": learner})

    def test_models_of_xgboost_files_are_those_that_the_library_reads(self):
        """The hashes agree. The files of many versions and objectives include dropout (dart), pruned trees and none."""
        command = pathlib.Path(os.environ.get("BOXWOOD_COMMAND", ""))
        if not command.is_file():
            return  # it was not built
        read = 0
        for path in sorted((ROOT / "tests" / "data" / "xgboost").glob("*/*.json")):
            data = json.loads(path.read_text())
            data = data if "learner" in data else data.get("model", {})
            try:
                hashed = checker.Model(data).hash
            except (checker.Unsupported, ValueError, KeyError):
                continue  # it is not covered
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "model.json").write_text(json.dumps(data))
                subprocess.run([command.resolve(), "inspect", "model.json", "--save-model", "saved.json"], cwd=folder, check=True,
                               capture_output=True)
                saved = json.loads((pathlib.Path(folder) / "saved.json").read_text())
            self.assertEqual(hashed, checker.Model(saved).hash, path)
            read += 1
        self.assertGreater(read, 40)

    def test_files_that_are_deep_long_or_not_json_end_both_checkers_with_a_reason(self):
        deep, many = "[" * 100_000 + "]" * 100_000, "9" * 100_000
        claim = {"claim": "lower_bound", "cost": "X", "tree": [-2]}
        for text in (deep, many, f"-1e{many}", "NaN", "Infinity", "1e400", "tru", "0x10", "01", "1,", "'1'", "1 //"):
            for done in verdicts(MODEL, QUESTION, claim, lambda proof, text=text: proof.replace('"X"', text)):
                self.assertEqual(done.returncode, 2, f"{text[:20]}: {done}")
                self.assertTrue(done.stdout.startswith("cannot be checked: "), done.stdout)
        for done in verdicts(MODEL, QUESTION, claim, lambda proof: "\ufeff" + proof.replace('"X"', "2.0")):
            self.assertEqual(done.returncode, 2, done)

    def test_a_certificate_has_the_keys_of_its_claim_and_no_others(self):
        whole = {"claim": "lower_bound", "cost": 2.0, "tree": [-2]}
        point, changes = {"point": [2.0]}, {"changes": 1}
        for fewest, claim, code in (
                (False, whole, 0), (False, {**whole, **point}, 1), (False, {**whole, **changes}, 1), (False, {**whole, "x": 1}, None),
                (False, {"claim": "infeasible", "cost": 2.0, "tree": [-2]}, 1), (False, {"claim": "lower_bound", "tree": [-2]}, 1),
                (False, {**whole, **point, "claim": "optimal"}, 0), (False, {**whole, "claim": "optimal"}, 1),
                (True, {**whole, **changes}, 0), (True, whole, 1), (True, {**whole, "changes": -1}, None)):
            for done in verdicts(MODEL, {**QUESTION, "fewest_first": fewest}, claim):
                self.assertIn(done.returncode, {1, 2} if code is None else {code}, f"{claim}: {done}")


class Cells(unittest.TestCase):
    def test_a_missing_value_takes_the_largest_value_of_a_cell_without_a_smallest(self):
        """Of the multiples of 0.5 below 2 the largest is 1.5; of the whole numbers it is 1."""
        low = [{"output": 0, "range": ["-inf", 0.0, True, True]}]
        for rule, value in ({"step": 0.5}, 1.5), ({"kind": "integer"}, 1.0), ({"range": ["-inf", 1.75, False, True]}, 1.75):
            question = {**QUESTION, "point": ["nan"], "requirements": low, "clauses": [],
                        "features": [{"missing_allowed": True, **rule}]}
            for chosen, code in ((value, 0), (value - 1, 1)):
                model = {**MODEL, "trees": [{**MODEL["trees"][0], "missing_left": [False] * 3}]}
                claim = {"claim": "optimal", "cost": 1.0, "point": [chosen], "tree": [-2]}
                self.assertEqual([done.returncode for done in verdicts(model, question, claim)][:2], [code] * 2
                                 if fast_program().is_file() else [code])


    def test_changed_values_are_finite(self):
        """No value of 1e39 exists in float32, and none in a range that only holds -inf; the change to 0 would be free."""
        single, high = {**MODEL, "input": "float32"}, [{"output": 0, "range": [1.0, "inf", True, True]}]
        low = [{"output": 0, "range": ["-inf", 0.0, True, True]}]
        for model, rule, point, wanted, value in (
                (single, {"allowed": [1e39]}, 0.0, high, "inf"), (single, {"allowed": [3.0]}, 0.0, high, 3.0),
                (MODEL, {"missing_allowed": True, "range": ["-inf", "-inf", True, True]}, "nan", low, 0.0),
                (MODEL, {"missing_allowed": True}, "nan", low, 1.9999999999999998)):
            question = {**QUESTION, "point": [point], "requirements": wanted, "clauses": [], "cost": "l0", "features": [rule]}
            exists = value not in ("inf", 0.0)
            claims = {"claim": "optimal", "cost": 1.0, "point": [value], "tree": [-2]}, {"claim": "infeasible", "tree": [-2]}
            for claim, true in zip(claims, (exists, not exists)):
                for done in verdicts(model, question, claim):
                    self.assertEqual(done.returncode, 0 if true else 1, [rule, claim, done.stdout])


    def test_allowed_values_of_a_column_of_a_group_are_not_rounded(self):
        """In float32, 1 + 2^-40 is 1; the column of a group becomes 1 in double."""
        for allowed, code in (1.0, 0), (1 + 2.0 ** -40, 1):
            model = {**MODEL, "input": "float32", "trees": [{**MODEL["trees"][0], "threshold": [1.0, 0.0, 0.0]}]}
            question = {**QUESTION, "clauses": [], "features": [{"allowed": [allowed]}], "groups": [{"columns": [0]}]}
            for done in verdicts(model, question, {"claim": "optimal", "cost": 1.0, "point": [1.0], "tree": [-2]}):
                self.assertEqual(done.returncode, code, done.stdout)


class Rounding(unittest.TestCase):
    def test_the_allowance_counts_numbers_of_leaves_that_overlap(self):
        """The library adds 2^25, 3 and -2^25 in float32 and gets 4; the exact sum is 3. The leaf's numbers begin
        within those of the other leaf."""
        trees = [{**MODEL["trees"][0], "output": -1, "values": [0.0, value, 0.0, 0.0], "value": [-1, 2, 1]}
                 for value in (2.0 ** 25, 3.0, -2.0 ** 25)]
        model = {**MODEL, "accumulator": "float32", "base": [0.0, 0.0], "trees": trees}
        question = {**QUESTION, "requirements": [{"score": 0, "range": [4.0, "inf", True, True]}]}
        for claim, code in (({"claim": "infeasible", "tree": [0, 1, 1, -2, -2]}, 1),
                            ({"claim": "optimal", "cost": 2.0, "point": [2.0], "tree": [-2]}, 0)):
            for done in verdicts(model, question, claim):
                self.assertEqual(done.returncode, code, done.stdout)


class Margins(unittest.TestCase):
    def test_a_margin_of_0_is_reached_where_the_classes_meet_and_not_beside_it(self):
        """The score of the right leaf, from 2 on, is the middle, or the next number above or below."""
        for decision, middle in ("score_above_half", 0.5), ("score_above_zero", 0.0):
            for score, wanted, code in ((middle, 0, 0), (math.nextafter(middle, 9), 0, 1), (math.nextafter(middle, -9), 0, 0),
                                        (math.nextafter(middle, 9), 1, 0), (middle, 1, 1)):
                tree = {**MODEL["trees"][0], "values": [-1.0 if wanted else 1.0, score]}
                model = {**MODEL, "task": "binary", "decision": decision, "trees": [tree]}
                question = {**QUESTION, "requirements": [{"class": wanted, "margin": 0.0}]}
                claim = {"claim": "optimal", "cost": 2.0, "point": [2.0], "tree": [-2]}
                python, *fast = verdicts(model, question, claim)
                self.assertIn("a requirement with margin; the fast checker covers them", python.stdout)
                for done in fast:
                    self.assertEqual(done.returncode, code, [model, question, done.stdout])


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
