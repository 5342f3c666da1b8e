"""Damaged and hostile text: a boxwood.Error or a harmless text, never another exception."""

import json
import subprocess
import sys

import boxwood
import numpy as np
import pandas as pd
import pytest
from boxwood import letters, portfolio
from sklearn.ensemble import RandomForestClassifier

ATTACK = "\x1b[2J\u202e\nforged\u2066\u200f\x9b<script>"
HIDDEN = set("\x1b\u202e\u2066\u200f\x9b")


@pytest.fixture(scope="module")
def forest():
    data = np.random.default_rng(0).normal(size=(60, 2))
    return RandomForestClassifier(5, random_state=0).fit(data, data[:, 0] > 0), data


def test_names_that_are_not_utf8_are_refused(forest):
    content = boxwood.model_bytes(forest[0])
    assert b'"name":"f0"' in content or b"f0" in content
    with pytest.raises(boxwood.Error):
        boxwood.Explainer(content.replace(b"f0", b"\xff0"))


def test_hostile_names_are_harmless(forest):
    model, data = forest
    schema = boxwood.Schema([boxwood.Feature(f"f{i}", title=f"title {i} {ATTACK}", unit=ATTACK)
                             for i in range(2)], subject=ATTACK, outcome=ATTACK,
                            classes=[f"no {ATTACK}", f"yes {ATTACK}"])
    explainer = boxwood.Explainer(boxwood.model_bytes(model), schema=schema)
    answer = explainer.explain(data[np.argmin(data[:, 0])])
    for text in (str(answer), answer._repr_html_(), str(explainer.menu(data[0], 2))):
        assert "title" in text
        assert not HIDDEN & set(text)
        assert "\nforged" not in text


def test_errors_are_short_and_printable():
    error = boxwood.Error("file " + ATTACK, "x" * 10**6 + ATTACK, "\ud800")
    assert len(str(error)) < 1500
    assert not (HIDDEN | set("\n\ud800")) & set(str(error))
    assert str(error).startswith("file \\x1b[2J\\u202e\\nforged\\u2066\\u200f\\x9b<script>: xxx")


def expect_harmless(what, text, html=False):
    assert not HIDDEN & set(text), what
    assert "\nforged" not in text, what
    assert not html or "<script>" not in text, what


@pytest.fixture(scope="module")
def named():
    """Names, classes and cells that are attacks themselves, and one very long name."""
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)),
                        columns=["=cmd|a" + ATTACK, "@b" + ATTACK, "x" * 5000])
    labels = np.where(data.iloc[:, 0] + data.iloc[:, 1] > 0, "=yes" + ATTACK, "-no" + ATTACK)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(data, labels)
    explainer = boxwood.Explainer(model, data=data, schema=boxwood.Schema(
        [boxwood.Feature(data.columns[0], title="title" + ATTACK, unit=ATTACK)], subject=ATTACK,
        outcome=ATTACK))
    return explainer, data, data[labels == "-no" + ATTACK].iloc[0], "=yes" + ATTACK


def test_every_result_is_harmless(named):
    explainer, data, row, target = named
    names = list(data.columns)
    answer = explainer.explain(row, target)
    results = {"explainer": explainer, "schema": explainer.schema, "answer": answer,
               "menu": explainer.menu(row, 3, target),
               "why not": explainer.why_not(row, target, max_changes=0),
               "robustness": explainer.robustness(row), "sweep": explainer.sweep(row, [0.5, 0.6]),
               "map": explainer.map(row, features=(names[0], names[1])),
               "regions": explainer.regions(row, 0.5, target, limit=5),
               "widened": explainer.widen(answer), "path": explainer.path(row, target),
               "batch": explainer.explain_batch(data.iloc[:4], target, show_progress=False)}
    for what, result in results.items():
        expect_harmless(what, str(result))
        if hasattr(result, "_repr_html_"):
            expect_harmless(what, result._repr_html_(), html=True)
        if hasattr(result, "to_svg"):
            expect_harmless(what, result.to_svg(), html=True)
    assert explainer.schema.to_json() == boxwood.Schema.from_json(explainer.schema.to_json()).to_json()
    expect_harmless("schema file", explainer.schema.to_json())
    expect_harmless("record", json.dumps(answer.record()))
    expect_harmless("changes", str(answer.record()["changes"]))


def test_letters_are_harmless(named):
    explainer, _, row, target = named
    details = dict.fromkeys(("sender", "recipient", "date", "reference"), ATTACK)
    for html in (False, True):
        expect_harmless("letter", letters.letter(explainer, row, target, html=html, details=details),
                        html)


def test_a_portfolio_and_its_report_are_harmless(named, tmp_path):
    explainer, data, _, target = named
    rows = data.assign(id=[f"{i}{ATTACK}" for i in range(len(data))],
                       town=["Bonn" + ATTACK, "=Ulm"] * 30)
    folder = tmp_path / "out"
    made = portfolio.run(explainer, rows, folder, target=target, keep=["town"],
                         progress=False)
    report = portfolio.report(folder, by="town")
    expect_harmless("portfolio", str(made))
    expect_harmless("text", str(report))
    expect_harmless("page", report.to_html(), html=True)
    expect_harmless("notebook", report._repr_html_(), html=True)
    expect_harmless("JSON", report.to_json())
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.facts))
    for file in folder.glob("*.json*"):
        expect_harmless(file.name, file.read_text())
    for arguments in (["report", str(folder)], ["report", str(folder), "--by", ATTACK],
                      ["check", "no" + ATTACK], ["check", str(folder), "--" + ATTACK], [ATTACK],
                      ["run", "no" + ATTACK, "no.csv", str(tmp_path / ATTACK)]):
        said = subprocess.run([sys.executable, "-m", "boxwood", "portfolio", *arguments],
                              capture_output=True, text=True, check=False)
        expect_harmless(str(arguments), said.stdout + said.stderr)
        assert "Traceback" not in said.stderr
        assert said.returncode == (0 if arguments == ["report", str(folder)] else 2)
