"""Proofs from Python: made, saved, and accepted by the checker, which knows nothing of the package."""

import json
import os
import pathlib
import subprocess
import sys

import boxwood
import numpy as np
import pandas as pd
import pytest
import xgboost
from conftest import GERMAN, ROOT
from sklearn.ensemble import GradientBoostingClassifier, IsolationForest


def checked(model, question, proof):
    done = subprocess.run([sys.executable, ROOT / "checker" / "boxwood_check.py", model, question, proof],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_a_proof_is_accepted_and_a_better_claim_is_not(german, applicants, tmp_path):
    answer = german.explain(applicants.iloc[3], "granted", max_changes=2, proof=True)
    model, question, proof = (tmp_path / name for name in ("model.json", "question.json", "proof.json"))
    german.save_model(model)
    answer.save_question(question)
    answer.save_proof(proof)
    code, said = checked(model, question, proof)
    assert code == 0, said
    assert said.startswith(f"accepted: no admissible point with the outcome costs less than {answer.cost!r}")

    better = json.loads(answer.proof)
    better["claim"], better["cost"] = "lower_bound", answer.cost * 1.01
    del better["point"]
    proof.write_text(json.dumps(better))
    code, said = checked(model, question, proof)
    assert code == 1 and said.startswith("rejected:")


def test_the_checker_reads_xgboost_files_and_what_the_command_saves(german, applicants, tmp_path):
    answer = german.explain(applicants.iloc[3], "granted", proof=True)
    source, saved, question, proof = (
        tmp_path / name for name in ("source.json", "model.json", "question.json", "proof.json"))
    booster = xgboost.Booster(model_file=GERMAN / "model.ubj")
    booster.save_model(source)
    subprocess.run([os.environ["BOXWOOD_COMMAND"], "inspect", source, "--save-model", saved], check=True,
                   capture_output=True)
    answer.save_question(question)
    answer.save_proof(proof)
    for model in (source, saved):
        code, said = checked(model, question, proof)
        assert code == 0, said


def test_files_that_say_two_things_are_refused(german, applicants, tmp_path):
    answer = german.explain(applicants.iloc[3], "granted", proof=True)
    model, question, proof = (tmp_path / name for name in ("model.json", "question.json", "proof.json"))
    german.save_model(model)
    answer.save_question(question)
    fast = pathlib.Path(os.environ["BOXWOOD_COMMAND"]).with_name("boxwood_check")
    twice = answer.proof.replace("{", '{"claim": "infeasible",', 1)
    for text in (twice, answer.proof.replace('"cost":', '"cost":1e400,"tree":', 1), '{"cost": NaN}'):
        proof.write_text(text)
        code, said = checked(model, question, proof)
        assert code == 2 and said.startswith("cannot be checked:"), said
        assert subprocess.run([fast, model, question, proof], capture_output=True, check=False).returncode == 2


def test_a_certificate_of_another_model_is_rejected(german, applicants, tmp_path):
    answer = german.explain(applicants.iloc[3], "granted", proof=True)
    source, question, proof = (tmp_path / name for name in ("source.json", "question.json", "proof.json"))
    booster = xgboost.Booster(model_file=GERMAN / "model.ubj")
    booster[:249].save_model(source)
    answer.save_question(question)
    answer.save_proof(proof)
    code, said = checked(source, question, proof)
    assert code == 1 and said.startswith("rejected:")


def test_what_proofs_do_not_cover_is_named(german, applicants):
    answer = german.explain(applicants.iloc[3], "granted", cost=lambda name, old, new: abs(new - old))
    with pytest.raises(boxwood.Error, match="proofs do not cover"):
        answer.proof  # noqa: B018


MODEL = {
    "boxwood_model": 1, "source": "by hand", "objective": "made up", "task": "binary", "link": "sigmoid", "input": "float64",
    "accumulator": "float64", "order": "base_first", "classes": [], "base": [0.0],
    "features": [{"name": name, "kind": "continuous"} for name in "ab"],
    "trees": [{"output": 0, "values": [-1.0, 1.0], "kind": ["<", "leaf", "leaf"], "feature": [d, -1, -1],
               "threshold": [2.0, 0.0, 0.0], "left": [1, -1, -1], "right": [2, -1, -1], "value": [-1, 0, 1],
               "missing_left": [False] * 3} for d in (0, 1)]}
QUESTION = {"boxwood_question": 1, "point": [0.0, 0.0], "requirements": [{"class": 1}], "features": [{}, {}], "cost": "l1"}
SUM = {"sum": [{"feature": 0, "coefficient": 1.0}, {"feature": 1, "coefficient": 1.0}], "range": ["-inf", 9.0, True, True]}
DOUBLE = {"feature": 1, "float32": False, "steps": [{"op": "column", "feature": 0}, {"op": "number", "number": 2.0},
                                                    {"op": "*", "of": [0, 1]}]}
NOT_COVERED = {  # what is asked, and the sentences that name it and say what to do
    "linear rules": ({"clauses": [[SUM]]}, "proofs do not cover linear rules. Ask without a proof"),
    "derived columns": ({"derived": [DOUBLE]}, "proofs do not cover derived columns. Ask without a proof"),
    "robust": ({"features": [{"robust": 0.1}, {}]}, "a proof does not support robust answers. Leave out the robustness"),
    "m of k": ({"requirements": [{"class": 1, "counted": True}, {"class": 0, "counted": True, "model": 1}], "agree": 1},
               "proofs do not cover an outcome of some of the models. Ask all models, each as a requirement of its own, "
               "or ask without a proof"),
}


@pytest.mark.parametrize("what", NOT_COVERED)
def test_the_command_refuses_by_name_what_proofs_do_not_cover(what, tmp_path):
    change, said = NOT_COVERED[what]
    model, question, proof = (tmp_path / name for name in ("model.json", "question.json", "proof.json"))
    model.write_text(json.dumps(MODEL))
    question.write_text(json.dumps(QUESTION | change))
    done = subprocess.run([os.environ["BOXWOOD_COMMAND"], "explain", model, "--also", model, "--question", question,
                           "--proof", proof], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and said in " ".join(done.stderr.split()), done
    assert not proof.exists()
    question.write_text(json.dumps(QUESTION))  # the same question without it has a proof
    saved = tmp_path / "saved.json"
    subprocess.run([os.environ["BOXWOOD_COMMAND"], "explain", model, "--question", question, "--save-question", saved,
                    "--proof", proof], capture_output=True, check=True)
    code, words = checked(model, saved, proof)
    assert code == 0, words


def test_a_plausible_answer_has_a_proof_about_both_models(tmp_path):
    """The second model is an isolation forest, whose link is 2 to the power of the negative score."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"income": random.integers(10, 60, 200), "debt": random.integers(0, 40, 200)})
    wanted = np.where(frame["income"] > frame["debt"] + 10, "granted", "refused")
    model = GradientBoostingClassifier(n_estimators=8, max_depth=2, random_state=0).fit(frame, wanted)
    forest = IsolationForest(n_estimators=5, contamination=0.2, random_state=3).fit(frame.to_numpy())
    explainer = boxwood.Explainer(model, data=frame, plausible=forest)
    answer = explainer.explain(frame[model.predict(frame) == "refused"].iloc[0], "granted", proof=True)
    names = [tmp_path / name for name in ("first.json", "second.json", "question.json", "proof.json")]
    for index in (0, 1):
        explainer.save_model(names[index], index)
    answer.save_question(names[2])
    answer.save_proof(names[3])
    fast = pathlib.Path(os.environ["BOXWOOD_COMMAND"]).with_name("boxwood_check")
    for command in [sys.executable, ROOT / "checker" / "boxwood_check.py"], [fast]:
        done = subprocess.run([*command, *names], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
