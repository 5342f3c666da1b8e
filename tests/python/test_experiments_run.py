"""The command that runs all experiments: what fails is said and does not stop the others."""

import pathlib
import subprocess
import sys

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

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
