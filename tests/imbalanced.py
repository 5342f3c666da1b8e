"""Models of imbalanced-learn: every score is that of the model itself.

    python tests/imbalanced.py [--command PATH]

Run by scripts/matrix.sh, where imbalanced-learn is installed.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import pandas as pd
from imblearn import combine, ensemble, over_sampling, pipeline, under_sampling
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import boxwood
from support_case import Sample
from support_live_test import cell, compare, run

warnings.filterwarnings("ignore")


def forest():
    return RandomForestClassifier(5, max_depth=4, random_state=1)


MODELS = {
    "SMOTE": lambda: pipeline.make_pipeline(StandardScaler(), over_sampling.SMOTE(random_state=1), forest()),
    "SMOTEENN": lambda: pipeline.make_pipeline(combine.SMOTEENN(random_state=1), StandardScaler(), forest()),
    "RandomUnderSampler": lambda: pipeline.make_pipeline(
        under_sampling.RandomUnderSampler(random_state=1),
        HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=5, random_state=1)),
    "BalancedRandomForestClassifier": lambda: ensemble.BalancedRandomForestClassifier(
        5, max_depth=4, random_state=1),
    "RUSBoostClassifier": lambda: ensemble.RUSBoostClassifier(n_estimators=5, random_state=1),
}


def table():
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(300, 3)), columns=["age", "income", "debt"])
    return x, np.where(x["age"] * x["income"] + x["debt"] > 1, "yes", "no")


def problem(make, command, folder):
    x, y = table()
    model = make().fit(x, y)
    (folder / "model").write_bytes(boxwood.model_bytes(model))
    with open(folder / "rows.csv", "w", encoding="utf-8") as out:
        out.write(",".join(x.columns) + "\n")
        out.writelines(",".join(cell(value) for value in row) + "\n" for row in x.to_numpy(dtype=object))
    done = run(command, "predict", folder / "model", "--data", folder / "rows.csv", "--raw")
    scores = model.decision_function(x) if hasattr(model, "decision_function") else model.predict_proba(x)
    sample = Sample(b"", list(x.columns), x.to_numpy(dtype=object), np.asarray(scores).reshape(len(x), -1))
    return compare(sample, done.stdout) if done.returncode == 0 else done.stderr.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="boxwood")
    flags = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, make in MODELS.items():
            found = problem(make, flags.command, pathlib.Path(folder))
            failed += found is not None
            print(f"{title}: {found or 'the same scores'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
