"""Tries an installed package, with numpy alone: the German-credit example in a few questions.

    python tests/python/installed.py examples/german_credit

Run by scripts/wheel_test.sh and by cibuildwheel in a fresh environment.
"""

import csv
import pathlib
import sys

import boxwood


def main() -> None:
    """Ask, and compare with what is known of the first applicant."""
    folder = pathlib.Path(sys.argv[1])
    assert "site-packages" in boxwood.__file__, f"{boxwood.__file__} is not installed"
    explainer = boxwood.Explainer(folder / "model.ubj", schema=folder / "schema.json")
    with open(folder / "applicants.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name in explainer.columns.names:
            if row[name].isdigit():
                row[name] = int(row[name])
    answer = explainer.explain(rows[0], "granted")
    assert answer.status == "optimal" and answer.outcome == "granted", answer
    assert answer.verify() == []
    assert answer.point["checking_status"] == "200 DM or more", answer.point
    assert abs(answer.cost - 2) < 1e-9, answer.cost
    assert len(explainer.menu(rows[0], 2, "granted")) == 2
    try:
        explainer.explain(rows[0], "grnted")
    except boxwood.Error as error:
        assert "granted" in str(error)
    else:
        raise AssertionError("a class that does not exist was taken")
    for other in ("pandas", "xgboost", "sklearn", "tqdm", "matplotlib"):
        assert other not in sys.modules, f"{other} was imported"
    print(f"boxwood {boxwood.__version__} on Python {sys.version.split()[0]}: fine")


if __name__ == "__main__":
    main()
