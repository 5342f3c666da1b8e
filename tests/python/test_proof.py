"""Proofs from Python: made, saved, and accepted by the checker, which knows nothing of the package."""

import json
import os
import pathlib
import subprocess
import sys

import boxwood
import pytest
import xgboost
from conftest import GERMAN, ROOT


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
