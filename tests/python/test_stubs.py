"""The checked-in stubs are those of the extension, and the package's types hold together.

    PYTHONPATH=build/dev/python python -m nanobind.stubgen -q --exclude-values -m boxwood._core \\
        -o python/boxwood/_core.pyi
"""

import os
import subprocess
import sys

import boxwood
from conftest import ROOT


def test_stubs_are_current(tmp_path):
    made = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "--exclude-values", "-m",
                    "boxwood._core", "-o", made], check=True)
    kept = ROOT / "python" / "boxwood" / "_core.pyi"
    assert made.read_text() == kept.read_text(), "renew it as this file says"


def test_types_hold_together():
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml",
                           "--cache-dir", os.devnull, ROOT / "python" / "boxwood"],
                          capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": str(ROOT / "python")}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_promised_is_there():
    for name in boxwood.__all__:
        assert getattr(boxwood, name) is not None
    assert set(boxwood.__all__) <= set(dir(boxwood))
    assert boxwood.__version__ == (ROOT / "VERSION").read_text().strip()


def test_importing_is_light():
    program = ("import sys, boxwood; boxwood.Explainer\n"
               "heavy = {'pandas', 'pyarrow', 'matplotlib', 'tqdm', 'sklearn', 'xgboost', 'lightgbm',"
               " 'catboost'}\nprint(sorted(heavy & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_docstrings_name_every_parameter():
    import inspect

    for name, method in inspect.getmembers(boxwood.Explainer, inspect.isfunction):
        if name.startswith("_") or name in ("outcome_of", "weigh", "limits", "frame_of"):
            continue
        for parameter in list(inspect.signature(method).parameters)[1:]:
            assert f"{parameter}" in method.__doc__, f"{name} does not tell of {parameter}"
