"""One point for several models: granted by this year's model and by last year's, and normal to an
isolation forest. Trained by the real libraries, asked through the command, judged by the libraries.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import boxwood
import live
import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.ensemble import IsolationForest, RandomForestClassifier

NAMES = [f"f{i}" for i in range(5)]


def make_data(rng):
    x = rng.normal(size=(400, len(NAMES))).round(2).astype(np.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] - 0.5 * x[:, 3]
    return pd.DataFrame(x, columns=NAMES), (score + rng.normal(scale=0.3, size=len(x)) > 0).astype(int)


def train(rng, folder):
    """This year's and last year's classifier and the forest that tells the odd from the normal."""
    x, y = make_data(rng)
    this_year = xgb.XGBClassifier(n_estimators=15, max_depth=3, n_jobs=1,
                                  random_state=int(rng.integers(1 << 30))).fit(x, y)
    old_x, old_y = make_data(rng)
    if rng.integers(2):
        last_year = xgb.XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1).fit(old_x, old_y)
    else:
        last_year = RandomForestClassifier(n_estimators=8, max_depth=4, n_jobs=1,
                                           random_state=1).fit(old_x, old_y)
    normal = IsolationForest(n_estimators=15, max_samples=64, random_state=1).fit(x)
    files = []
    for name, model in (("now", this_year), ("before", last_year), ("normal", normal)):
        files.append(folder / f"{name}.json")
        boxwood.save_model(model, files[-1])
    return (this_year, last_year, normal), files, x.to_numpy()


def judge(models, point):
    this_year, last_year, normal = models
    row = pd.DataFrame([point], columns=NAMES, dtype=np.float32)
    return [int(this_year.predict(row)[0]), int(last_year.predict(row)[0]),
            int(normal.predict(row)[0] == 1)]


def check(rng, command, folder):
    models, files, x = train(rng, folder)
    rows = x[rng.choice(len(x), 6, replace=False)]
    table = folder / "rows.csv"
    table.write_text(",".join(NAMES) + "\n"
                     + "".join(",".join(repr(float(v)) for v in row) + "\n" for row in rows))
    least = float(models[2].offset_)
    run = subprocess.run(
        [command, "explain", str(files[0]), "--data", str(table), "--also", str(files[1]),
         "--also", str(files[2]), "--want", "1", "--want", "model 2: want 1",
         "--want", f"model 3: want output >= {least!r}", "--format", "jsonl", "--verify"],
        capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return [run.stderr.strip() or f"exit code {run.returncode}"], 0
    problems, found = [], 0
    for row, line in zip(rows, run.stdout.splitlines()):
        answer = json.loads(line)
        if not answer["verified"] or answer["status"] not in ("optimal", "infeasible"):
            problems.append(f"{row.tolist()}: {answer['status']}, verified {answer['verified']}")
        if answer["point"] is None:
            continue
        found += 1
        if judge(models, answer["point"]) != [1, 1, 1]:
            problems.append(f"{row.tolist()}: {judge(models, answer['point'])} at {answer['point']}")
        # What only the first model is asked for can only cost less.
        alone = all(judge(models, row))
        if alone and answer["cost"] != 0:
            problems.append(f"{row.tolist()}: nothing had to change, but cost {answer['cost']}")
    return problems, found


def main():
    flags = live.flags(f"XGBoost {xgb.__version__} and scikit-learn", 12)
    passed = failed = found = 0
    for index in range(flags.models):
        with tempfile.TemporaryDirectory() as name:
            problems, count = check(np.random.default_rng([flags.seed, index]), flags.command,
                                    pathlib.Path(name))
        found += count
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"model {index}: {problem}")
    print(f"{found} points judged by the libraries; {passed} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
