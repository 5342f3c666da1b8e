"""Tries an installed package, with numpy alone: the German-credit example in a few questions.

    python tests/python/installed.py [examples/german_credit]

The model comes from the package itself; with a folder, its files must be the same as those.
Run by scripts/wheel_test.sh and by cibuildwheel in a fresh environment.
"""

import pathlib
import subprocess
import sys

import boxwood

# Python exits while threads search; wheels.yml runs this with every version of Python.
EXIT = """
import threading
import boxwood
example = boxwood.examples.german_credit()
explainer, row = example.explainer(), example.data[0]
told = threading.Event()
def work():
    while True:
        explainer.explain(row, "granted", progress=lambda _: None)
        told.set()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
told.wait(60)
"""


def main() -> None:
    """Ask, and compare with what is known of the first applicant."""
    assert "site-packages" in boxwood.__file__, f"{boxwood.__file__} is not installed"
    example = boxwood.examples.german_credit()
    if len(sys.argv) > 1:
        for name in ("model.ubj", "schema.json", "applicants.csv"):
            given = (pathlib.Path(sys.argv[1]) / name).read_bytes()
            assert (example.model.parent / name).read_bytes() == given, f"{name} differs"
    explainer, rows = example.explainer(), example.data
    assert isinstance(rows, list) and len(rows) == len(example.labels) == 10, rows
    answer = explainer.explain(rows[0], "granted")
    assert answer.status == "optimal" and answer.outcome == "granted", answer
    assert answer.verify() == []
    assert answer.point["checking_status"] == "200 DM or more", answer.point
    assert abs(answer.cost - 2.2) < 1e-9, answer.cost
    assert len(explainer.menu(rows[0], 2, "granted")) == 2
    try:
        explainer.explain(rows[0], "grnted")
    except boxwood.Error as error:
        assert "granted" in str(error)
    else:
        raise AssertionError("a class that does not exist was taken")
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, timeout=120)
        assert (run.returncode, run.stderr) == (0, b""), run
    for other in ("pandas", "xgboost", "sklearn", "tqdm", "matplotlib"):
        assert other not in sys.modules, f"{other} was imported"
    print(f"boxwood {boxwood.__version__} on Python {sys.version.split()[0]}: fine")


if __name__ == "__main__":
    main()
