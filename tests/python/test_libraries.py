"""Models of libraries that are recorded: questions, damaged files, and what the command says of them."""

import base64
import importlib
import io
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import boxwood
import numpy as np
import pandas as pd
import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
FAMILIES = ("interpret", "spark", "pmml", "treelite", "sksurv", "ngboost", "ydf", "h2o")


def read_cases():
    for family in FAMILIES:
        for case in importlib.import_module(f"support_{family}").CASES:
            if case.message is None:
                yield pytest.param(case, id=f"{family}, {case.name}")


@pytest.mark.parametrize("case", list(read_cases()))
def test_answers_are_among_the_outcomes_that_the_library_gives(case):
    from support_recorded import restored

    content = json.loads(case.files()[0][-1].read_text(encoding="utf-8"))
    explainer = boxwood.Explainer(restored(content["model"]))
    rows = pd.DataFrame(content["rows"], columns=content["names"])
    rows = rows[rows.notna().all(axis=1) & ~rows.isin([np.inf, -np.inf]).any(axis=1)]
    labels = explainer.predict(rows)
    if explainer.core.ensemble(0).class_count:
        wanted = next((label for label in labels if label != labels[0]), None)
        answer = None if wanted is None else explainer.explain(rows.iloc[0], wanted)
        if answer is not None:
            assert answer.outcome_before == labels[0] and answer.outcome == wanted
    else:
        numbers = np.asarray(labels, dtype=np.float64)
        other = numbers.max() if numbers[0] < numbers.max() else numbers.min()
        answer = explainer.explain(rows.iloc[0], between=(other, other))
    assert answer is None or (answer.status == "optimal" and answer.verify() == [])


def recorded(family, name):
    content = json.loads((TESTS / "data" / family / name).read_text(encoding="utf-8"))
    return base64.b64decode(content["model"]["files"]["."])


def one_of(family, slug):
    return recorded(family, f"{sorted((TESTS / 'data' / family).iterdir())[-1].name}/{slug}.json")


@pytest.mark.parametrize(("family", "slug"), [
    ("pmml", "sklearn2pmml_gradientboostingclassifier"), ("pmml", "missing_values_defaultchild"),
    ("treelite", "classification_lightgbm_with_categories"), ("h2o", "gbm_two_classes")])
def test_damaged_files_are_refused(family, slug):
    content = one_of(family, slug)
    boxwood.Explainer(content)
    rng = np.random.default_rng(1)
    for _ in range(150):
        cut = int(rng.integers(1, len(content) - 2))
        with pytest.raises((boxwood.Error, boxwood.UnsupportedModelError)):
            boxwood.Explainer(content[:cut])
        damaged = bytearray(content)
        damaged[cut] = int(rng.integers(32, 127))
        try:
            boxwood.Explainer(bytes(damaged))
        except (boxwood.Error, boxwood.UnsupportedModelError):
            pass


def tried(make):
    """Whether a model is read; anything but the errors for users fails the test."""
    try:
        boxwood.Explainer(make)
    except (boxwood.Error, boxwood.UnsupportedModelError):
        return False
    return True


def rewritten(content, name, change):
    """A ZIP archive with one file changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for one in old.namelist():
            new.writestr(one, change(old.read(one)) if one == name else old.read(one))
    return made.getvalue()


@pytest.mark.parametrize("slug", ["gbm_two_classes", "drf_several_classes"])
def test_damaged_trees_of_mojo_files_are_refused(slug):
    content = one_of("h2o", slug)
    rng = np.random.default_rng(2)
    for name in ("trees/t00_000.bin", "model.ini", "domains/d000.txt"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = len(archive.read(name))
        for at in range(0, size, 5 if name.startswith("trees") else 61):
            cut = rewritten(content, name, lambda own, at=at: own[:at])
            assert not tried(cut) or name != "trees/t00_000.bin"
            byte = bytes([int(rng.integers(256))])
            tried(rewritten(content, name, lambda own, at=at, byte=byte: own[:at] + byte + own[at + 1:]))


def test_mojo_files_that_share_subtrees_are_refused():
    # Each node's right subtree lies inside its left one: read naively, 2^40 nodes.
    chain = b"".join(b"\x01\x00\x00\x02" + b"\x00" * 4 + (1).to_bytes(2, "little") for _ in range(40))
    with pytest.raises(boxwood.UnsupportedModelError, match="this MOJO file of H2O is damaged"):
        boxwood.Explainer(rewritten(one_of("h2o", "gbm_two_classes"), "trees/t00_000.bin", lambda _: chain))


def test_mojo_files_that_grow_too_much_are_refused():
    # Deflate reaches 1 to 1,032; the limit is in front of the unpacking.
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.ini", b"0" * 30_000_000)
    with pytest.raises(boxwood.UnsupportedModelError, match="grows too much by unpacking"):
        boxwood.Explainer(made.getvalue())


def folder_of(family, slug):
    content = json.loads(next((TESTS / "data" / family).glob(f"*/{slug}.json")).read_text(encoding="utf-8"))
    return {name: base64.b64decode(text) for name, text in content["model"]["files"].items()}


@pytest.mark.parametrize("slug", ["boosting_two_classes", "forests_winner_take_all_false"])
def test_damaged_folders_of_ydf_are_refused(slug, tmp_path):
    files = folder_of("ydf", slug)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert tried(tmp_path)
    rng = np.random.default_rng(3)
    for name, content in files.items():
        if name == "done":
            continue
        for at in range(0, len(content), max(1, len(content) // 20)):
            (tmp_path / name).write_bytes(content[:at])
            assert not tried(tmp_path) or name == "header.pb" or name.endswith("_header.pb")
            changed = bytearray(content)
            changed[at] = int(rng.integers(256))
            (tmp_path / name).write_bytes(changed)
            tried(tmp_path)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "nodes-00000-of-00001").unlink()
    with pytest.raises(boxwood.UnsupportedModelError, match="0 files of nodes instead of 1"):
        boxwood.Explainer(tmp_path)


def test_entities_of_xml_are_refused():
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa">]><PMML>&a;</PMML>'
    with pytest.raises(boxwood.UnsupportedModelError, match="declares entities"):
        boxwood.Explainer(bomb)


def test_files_that_python_converts_become_files_for_the_command(tmp_path):
    (tmp_path / "model.pmml").write_bytes(one_of("pmml", "as_r_writes_them_average"))
    boxwood.save_model(tmp_path / "model.pmml", tmp_path / "model.json")
    done = subprocess.run([os.environ["BOXWOOD_COMMAND"], "inspect", tmp_path / "model.json"], capture_output=True, text=True,
                          check=True)
    assert "PMML" in done.stdout
    with pytest.raises(boxwood.UnsupportedModelError, match="reads as it is"):
        boxwood.save_model(tmp_path / "model.json", tmp_path / "again.json")


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(boxwood.Error, match="neither Spark ML nor ydf saved it"):
        boxwood.Explainer(tmp_path)


def test_files_of_skops_need_skops(tmp_path, monkeypatch):
    """What the files hold is tried by tests/skops_files.py, where skops is installed."""
    with zipfile.ZipFile(tmp_path / "model.skops", "w") as archive:
        archive.writestr("schema.json", "{}")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    with pytest.raises(ModuleNotFoundError, match="this needs skops: pip install skops"):
        boxwood.Explainer(tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("model.json", "{}")
    with pytest.raises(boxwood.Error, match="a ZIP archive"):
        boxwood.Explainer(tmp_path / "other.zip")
