"""The command that runs all experiments: what fails is said and does not stop the others."""

import pathlib
import re
import subprocess
import sys

import pytest

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

import common  # noqa: E402
import run  # noqa: E402


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
