"""Checks boxwood_ask, the program of the benchmarks, on the embedded example."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "examples" / "german_credit"
FEATURES = 20
# Every code 0 but a small, short credit: sound numbers for the model, whoever they describe.
POINT = [0, 24, 2, 3, 3000, 0, 2, 3, 0, 0, 2, 1, 35, 0, 1, 1, 2, 1, 0, 1]


def questions(count=3, **more):
    rule = {"kind": "integer", "fixed": False, "lower": 0, "upper": 20000, "weight": 1, "scale": 1}
    queries = []
    for row in range(count):
        point = [*POINT[:4], 3000 + 500 * row, *POINT[5:]]
        queries += [{"point": point, "class": wanted, **more} for wanted in (0, 1)]
    return {"features": [rule] * FEATURES, "queries": queries}


class Ask(unittest.TestCase):
    def ask(self, document, *flags, fails=False):
        program = os.environ.get("BOXWOOD_ASK")
        self.assertTrue(program, "BOXWOOD_ASK names the program")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "questions.json"
            file.write_text(json.dumps(document))
            done = subprocess.run([program, EXAMPLE / "model.ubj", file, "--threads", "1", *flags],
                                  capture_output=True, text=True, check=False)
        if fails:
            self.assertNotEqual(done.returncode, 0)
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_one_line_for_the_model_and_one_for_each_query(self):
        model, *answers = self.ask(questions())
        self.assertEqual((model["trees"], model["features"]), (250, FEATURES))
        self.assertEqual([answer["row"] for answer in answers], list(range(6)))
        for outcome in zip(answers[::2], answers[1::2]):
            # One of the two classes is the one that the point has already.
            self.assertEqual(sum(answer["already_met"] for answer in outcome), 1)
            for answer in outcome:
                self.assertEqual(answer["status"], "optimal")
                self.assertEqual(len(answer["point"]), FEATURES)
                self.assertEqual(answer["cost"] == 0, answer["already_met"])

    def test_both_engines_give_the_same_costs(self):
        for norm in ("squared_l2", "l1"):
            costs = [[answer["cost"] for answer in
                      self.ask(questions(), "--engine", engine, "--norm", norm)[1:]]
                     for engine in ("fast", "paper")]
            self.assertEqual(*costs)

    def test_rows_choose_queries(self):
        rows = [answer["row"] for answer in self.ask(questions(), "--rows", "0,3-4,99")[1:]]
        self.assertEqual(rows, [0, 3, 4])

    def test_the_ranges_of_a_query_bind(self):
        held = {str(i): [POINT[i], POINT[i]] for i in range(FEATURES) if i != 4}
        for answer in self.ask(questions(1, ranges=held))[1:]:
            if answer["point"] is not None:
                changed = [i for i in range(FEATURES) if answer["point"][i] != POINT[i]]
                self.assertLessEqual(set(changed), {4})

    def test_a_bad_query_does_not_stop_the_others(self):
        document = questions(1)
        document["queries"][0]["class"] = 7
        first, second = self.ask(document)[1:]
        self.assertEqual((first["status"], second["status"]), ("error", "optimal"))

    def test_a_batch_answers_everything(self):
        facts = self.ask(questions(), "--batch")[1]
        self.assertEqual((facts["answers"], facts["statuses"]), (6, {"optimal": 6}))

    def test_processor_time_is_limited_and_repeats_give_the_least(self):
        for seconds, proven in (("1000", True), ("0", False)):
            answers = self.ask(questions(), "--processor-limit", seconds, "--repeat", "3")[1:]
            wanted = [answer for answer in answers if not answer["already_met"]]
            self.assertTrue(wanted)
            for answer in wanted:
                self.assertEqual(answer["status"] == "optimal", proven)
                self.assertGreater(answer["processor_seconds"], 0)

    def test_an_unknown_engine_is_named(self):
        self.assertIn("no engine", self.ask(questions(), "--engine", "steam", fails=True))


if __name__ == "__main__":
    unittest.main()
