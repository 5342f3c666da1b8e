"""The examples inside the package: the same files as in the source tree, with and without pandas."""

import importlib.util
import subprocess
import sys

import boxwood
import pandas as pd
import pytest
from conftest import GERMAN


def test_the_package_holds_the_files_of_the_source_tree():
    folder = boxwood.examples.german_credit().model.parent
    for name in ("model.ubj", "schema.json", "applicants.csv"):
        assert (folder / name).read_bytes() == (GERMAN / name).read_bytes()


def test_the_rows_are_a_frame_that_the_explainer_takes(applicants):
    example = boxwood.examples.german_credit()
    pd.testing.assert_frame_equal(example.data, applicants, check_dtype=False)
    explainer = example.explainer()
    assert list(explainer.predict(example.data)).count("refused") == 8
    answer = explainer.explain(example.data.iloc[3], target="granted")
    assert answer.status == "optimal" and answer.outcome == "granted"
    assert repr(example) == "<Example german_credit: model.ubj, 10 rows>"


def test_without_pandas_the_rows_are_dicts(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec",
                        lambda name, *more: None if name == "pandas" else found(name, *more))
    rows = boxwood.examples.german_credit().data
    frame = boxwood.examples.german_credit(as_frame=True).data
    assert rows == frame.to_dict("records")
    assert isinstance(rows[0]["duration"], int)
    explainer = boxwood.examples.german_credit().explainer()
    assert (explainer.explain(rows[3], target="granted").cost
            == explainer.explain(frame.iloc[3], target="granted").cost)


def test_importing_the_package_does_not_load_the_examples():
    code = "import sys, boxwood; assert 'boxwood.examples' not in sys.modules; boxwood.examples"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_files_are_an_error_that_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(boxwood.examples, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(boxwood.Error, match="Install the package, or build"):
        boxwood.examples.german_credit()
