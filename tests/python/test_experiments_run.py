"""The command that runs all experiments: what fails is said and does not stop the others."""

import pathlib
import re
import subprocess
import sys
import time
import types

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

import ames
import common
import german_cases
import labels
import run


def test_one_that_fails_does_not_stop_the_others(tmp_path):
    scripts = []
    for name, text in (("one", "import sys, pathlib; pathlib.Path(sys.argv[2]).touch()"),
                       ("two", "raise SystemExit(3)"),
                       ("three", "import sys, pathlib; assert pathlib.Path(sys.argv[2]).exists()")):
        scripts.append(tmp_path / f"{name}.py")
        scripts[-1].write_text(text, encoding="utf-8")
    done = run.run(scripts, ["--out", str(tmp_path / "made")])
    assert [status for _, _, status in done] == [0, 3, 0]
    lines = run.report(done)
    assert [line.split()[0] for line in lines[:3]] == ["one", "two", "three"]
    assert lines[1].endswith("failed") and lines[2].endswith("done")
    assert "2 of 3" in lines[3] and lines[3].endswith("failed: two")


def test_a_name_that_is_none_is_refused():
    told = subprocess.run([sys.executable, str(EXPERIMENTS / "run.py"), "germany"],
                          capture_output=True, text=True, check=False)
    assert told.returncode == 2 and "no experiment germany" in told.stderr


def test_every_experiment_has_its_script():
    for name in run.EXPERIMENTS:
        assert (EXPERIMENTS / f"{name}.py").is_file(), name


@pytest.mark.parametrize("name", run.EXPERIMENTS)
def test_the_committed_page_names_the_version_that_wrote_it(name):
    page = common.ROOT / "docs" / "experiments" / f"{name}.md"
    this_run = page.read_text(encoding="utf-8").split("\n## This run\n")[1]
    assert re.search(rf"`python experiments/{name}\.py`, Boxwood \d+\.\d+\.\d+", this_run)


def page_of(tmp_path, *arguments):
    options = common.parse("", [*arguments, "--out", str(tmp_path)], lambda parser: (
        parser.add_argument("--some-rows", type=int, default=7),
        parser.add_argument("--rivals", action="store_true")))
    return common.Report(options, "made", "x").write().read_text(encoding="utf-8")


def test_a_page_says_with_which_arguments_it_was_made(tmp_path):
    text = page_of(tmp_path, "--seed", "5", "--rivals", "--data", str(tmp_path))
    assert "; rivals yes, seed 5, some rows 7; " in text
    assert str(tmp_path) not in text  # nor where the data was
    small = page_of(tmp_path, "--seed", "6", "--small")
    assert "; seed 6; " in small and "some rows" not in small


def test_a_small_page_does_not_take_the_place_of_a_committed_one():
    assert common.parse("", []).out == common.ROOT / "docs" / "experiments"
    assert common.parse("", ["--small"]).out == common.ROOT / "build" / "experiments" / "small"


# Where there is no data folder: OpenML, which the tests play.

@pytest.fixture
def openml(monkeypatch):
    """A function that sets the table OpenML has; it returns the list of what is asked for."""

    def has(table):
        asked = []

        def fetch(name, version, as_frame):
            asked.append((name, version, as_frame))
            return types.SimpleNamespace(frame=table)

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        return asked

    return has


def as_openml(table):
    """A table in the types in which OpenML gives it: categories, and numbers that may be floats."""
    return table.apply(lambda column: column.astype("category")
                       if not pd.api.types.is_numeric_dtype(column) else column.astype(float))


def german_table(count=300):
    """Applicants at random under the data's own labels, good where they ask for little."""
    random = np.random.default_rng(1)
    table = pd.DataFrame({
        name: random.choice(list(column["labels"]), count) if "labels" in column
        else random.integers(1, 60, count)
        for name, column in german_cases.EXAMPLE_MODULE.COLUMNS.items()})
    table["class"] = np.where(table["credit_amount"] < 30, "good", "bad")
    return table


def test_openml_gives_the_table_that_the_file_gives(tmp_path, openml):
    table = pd.DataFrame({"age": [30, 41, 22], "account": ["<0", "no checking", None],
                          "share": [0.5, np.nan, 2.0], "class": ["good", "bad", "good"]})
    table.to_csv(tmp_path / "made.csv", index=False)
    asked = openml(as_openml(table))
    file, other = (common.read_table(common.parse("", ["--data", str(folder)]), "made.csv", "made", 3)
                   for folder in (tmp_path, tmp_path / "nowhere"))
    assert asked == [("made", 3, True)]  # and not for the file that is there
    assert file["age"].tolist() == other["age"].tolist() and other["age"].dtype.kind == "i"
    for name in table:
        assert file[name].isna().tolist() == other[name].isna().tolist()
        assert file[name].dropna().astype(str).tolist() == other[name].dropna().astype(str).tolist()


def test_german_credit_is_the_same_from_openml(tmp_path, openml):
    table = german_table()
    table.to_csv(tmp_path / "german_credit.csv", index=False)
    asked = openml(as_openml(table))
    file, other = (german_cases.full_cases(common.parse("", ["--data", str(folder)]))
                   for folder in (tmp_path, tmp_path / "nowhere"))
    assert asked == [("credit-g", 1, True)]
    for one, two in zip(file, other, strict=True):
        assert one.model.save_raw() == two.model.save_raw()
        assert one.refused.equals(two.refused) and len(one.refused) > 0


def test_ames_is_the_same_from_openml(tmp_path, openml):
    table = ames.small_table(0)
    table.to_csv(tmp_path / "ames_housing.csv", index=False)
    # There a house without a fireplace has no quality of it, and each house has a number.
    there = table.assign(FireplaceQu=table["FireplaceQu"].replace("NA", None),
                         Id=np.arange(len(table)))
    asked = openml(as_openml(there))
    file, other = (ames.load(common.parse("", ["--data", str(folder)]))
                   for folder in (tmp_path, tmp_path / "nowhere"))
    assert asked == [("house_prices", 1, True)]
    assert file.frame.equals(other.frame) and "NA" in set(other.frame["FireplaceQu"])
    assert file.model.save_raw() == other.model.save_raw()


def test_labels_leave_out_the_sets_that_are_nowhere(tmp_path, openml):
    openml(as_openml(german_table()))
    report, page = labels.run(["--data", str(tmp_path), "--rows", "60", "--seeds", "1",
                               "--out", str(tmp_path / "pages")])
    assert set(report.found["set"]) == {"german"}
    others = [name for name in labels.SETS if name != "german"]
    assert f"has no file of them: {', '.join(others)}." in page.read_text(encoding="utf-8")


def test_without_a_network_the_remedy_is_said(tmp_path, monkeypatch):
    """The real call of scikit-learn, to a port that nobody listens at."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # it tries again
    options = common.parse("", ["--data", str(tmp_path)])
    with pytest.warns(UserWarning), pytest.raises(SystemExit, match=(
            r"german_credit\.csv: no such file, and OpenML does not give credit-g .*--data")):
        common.read_table(options, "german_credit.csv", "credit-g")


def test_mnist_that_cannot_be_had_is_said(tmp_path, monkeypatch):
    options = common.parse("", ["--mnist", str(tmp_path)])
    with pytest.raises(SystemExit, match="no such file; --mnist names the folder"):
        common.mnist(options)
    monkeypatch.setattr(common, "ROOT", tmp_path)
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error: no network' >&2\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    for path, reason in ((str(tmp_path / "none"), "or install npm"), (
            f"{tmp_path}:/bin:/usr/bin", r"npm does not give .*no network\); name the folder")):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(SystemExit, match=reason):
            common.mnist(common.parse("", []))
