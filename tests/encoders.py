"""Pipelines with encoders of category_encoders: every score is that of the pipeline itself.

    python tests/encoders.py [--command PATH]

Run by scripts/matrix.sh, where category_encoders is installed.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings

import category_encoders
import numpy as np
import pandas as pd
from sklearn import compose, ensemble, pipeline

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import boxwood
from support_case import Sample
from support_live_test import cell, compare, run

warnings.filterwarnings("ignore")

ENCODERS = {
    "OrdinalEncoder": lambda: category_encoders.OrdinalEncoder(),
    "OrdinalEncoder without unknown": lambda: category_encoders.OrdinalEncoder(handle_unknown="error"),
    "TargetEncoder": lambda: category_encoders.TargetEncoder(),
    "TargetEncoder of missing": lambda: category_encoders.TargetEncoder(handle_missing="return_nan"),
}


def table():
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"age": rng.normal(size=200),
                      "town": np.array(["Bonn", "Ulm", "Kiel"])[rng.integers(0, 3, 200)],
                      "home": np.array(["own", "rent"])[rng.integers(0, 2, 200)]})
    x.loc[::13, "town"] = None
    return x, x["age"] + (x["town"] == "Ulm") - (x["home"] == "own")


def problem(encoder, columns, command, folder):
    x, y = table()
    first = compose.ColumnTransformer([("e", encoder, ["town", "home"])], remainder="passthrough") \
        if columns else encoder
    model = pipeline.make_pipeline(first, ensemble.RandomForestRegressor(
        5, max_depth=4, random_state=1)).fit(x, y)
    (folder / "model").write_bytes(boxwood.model_bytes(model))
    rows = x.copy()
    if encoder.handle_unknown != "error":
        rows.loc[::7, "town"] = "(other)"
    with open(folder / "rows.csv", "w", encoding="utf-8") as out:
        out.write(",".join(rows.columns) + "\n")
        out.writelines(",".join("" if pd.isna(value) else cell(value) for value in row) + "\n"
                       for row in rows.to_numpy(dtype=object))
    done = run(command, "predict", folder / "model", "--data", folder / "rows.csv", "--raw")
    sample = Sample(b"", list(rows.columns), rows.to_numpy(dtype=object),
                    model.predict(rows).reshape(-1, 1))
    return compare(sample, done.stdout) if done.returncode == 0 else done.stderr.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="boxwood")
    flags = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for title, make in ENCODERS.items():
            for columns in (False, True):
                found = problem(make(), columns, flags.command, pathlib.Path(name))
                failed += found is not None
                print(f"{title}{' of some columns' if columns else ''}: {found or 'the same scores'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
