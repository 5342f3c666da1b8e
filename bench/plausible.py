"""Plausible answers against OCEAN with its isolation forest (Parmentier and Vidal, ICML 2021).

    PYTHONPATH=build/bench/python .venv/bin/python bench/plausible.py --data FOLDER [--ocean PYTHON]

The protocol of that paper: random forests of 100 trees of depth 5, isolation forests of 100 trees,
a tenth of the rows outliers, L1. All features are scaled to 0..1 and continuous, so that both tools
answer the same question: the cheapest row that the forest puts into the other class and that the
isolation forest calls normal. PYTHON is that of an environment with oceanpy (3.12 or newer) and the
scikit-learn of this one; without it only Boxwood answers. Every point is given to the libraries' own
predict. Times are processor time of one thread. Prints a table in Markdown.
"""

import argparse
import json
import pathlib
import pickle
import statistics
import subprocess
import tempfile
import time

import boxwood
import datasets
import numpy as np
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.preprocessing import MinMaxScaler

SETS = ("compas", "credit_default", "adult")
DEPTH, OUTLIERS = 5, 0.1
# OCEAN counts costs in steps of 1e-8, one for each feature, and its points keep off thresholds.
NEAR = 1e-5


def problem(name, folder, rows, trees):
    """Models, rows and the classes asked for."""
    table = datasets.tabular(name, folder)
    values = MinMaxScaler().fit_transform(table.values).astype(np.float32).astype(float)
    order = np.random.default_rng(0).permutation(len(values))
    values, target = values[order], table.target[order].astype(int)
    training = values[:-1000]
    forest = RandomForestClassifier(trees, max_depth=DEPTH, random_state=0).fit(
        training, target[:-1000])
    isolation = IsolationForest(n_estimators=trees, contamination=OUTLIERS,
                                random_state=0).fit(training)
    asked = values[-1000:][:rows]
    return {"forest": forest, "isolation": isolation, "rows": asked,
            "targets": 1 - forest.predict(asked)}


def ask_boxwood(given, seconds):
    """Status, cost bound, point and processor time of every row."""
    explainer = boxwood.Explainer(given["forest"], scale=None, plausible=given["isolation"])
    for row, target in zip(given["rows"], given["targets"], strict=True):
        begin = time.process_time()
        answer = explainer.explain(row, int(target), cost="l1", threads=1, time_limit=seconds)
        yield {"status": answer.status, "lower_bound": answer.lower_bound,
               "point": list(answer.array) if answer.found else None,
               "seconds": time.process_time() - begin}


def ask_ocean(given, seconds, python):
    """The same of OCEAN, in its own environment."""
    script = pathlib.Path(__file__).parent / "peers" / "ocean_plausible.py"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "problem.pickle"
        file.write_bytes(pickle.dumps(given))
        done = subprocess.run([python, script, file, str(seconds)], check=True, text=True,
                              stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def judged(given, answers):
    """Costs of the points, NaN where there is none, and how many the libraries refuse."""
    costs, refused = [], 0
    for row, target, one in zip(given["rows"], given["targets"], answers, strict=True):
        if one["point"] is None:
            costs.append(np.nan)
            continue
        point = np.array(one["point"])
        fine = given["forest"].predict([point])[0] == target and given["isolation"].predict(
            [point])[0] == 1
        refused += not fine
        costs.append(np.abs(point - row).sum())
    return np.array(costs), refused


def count(answers, status):
    return sum(one["status"] == status for one in answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--ocean", help="the Python of an environment with oceanpy")
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--trees", type=int, default=100, help="of each of the two forests")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--time-limit", type=float, default=900.0, help="seconds of processor time for each row")
    options = parser.parse_args()
    print("| set | rows | Boxwood: proven, median s | OCEAN: proven, median s | both proven | same "
          "cost | OCEAN's points refused by a library | processor time, OCEAN / Boxwood |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.sets.split(","):
        given = problem(name, options.data, options.rows, options.trees)
        ours = list(ask_boxwood(given, options.time_limit))
        costs, refused = judged(given, ours)
        assert refused == 0, "a library refuses an answer of Boxwood"
        cells = [name, len(ours), told(ours)]
        if options.ocean:
            theirs = ask_ocean(given, options.time_limit, options.ocean)
            other, refused = judged(given, theirs)
            both = np.array([one["status"] == two["status"] == "optimal"
                             for one, two in zip(ours, theirs, strict=True)])
            ratios = [two["seconds"] / one["seconds"] for one, two in zip(ours, theirs, strict=True)]
            cells += [told(theirs), int(both.sum()),
                      int((np.abs(costs - other)[both] < NEAR).sum()), refused,
                      f"{statistics.median(ratios):.0f}"]
            for i in np.flatnonzero(both & ~(np.abs(costs - other) < NEAR)):
                print(f"<!-- {name}, row {i}: {costs[i]:.9f} and {other[i]:.9f} -->")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def told(answers):
    proven = count(answers, "optimal") + count(answers, "infeasible")
    return f"{proven}, {statistics.median(one['seconds'] for one in answers):.2f}"


if __name__ == "__main__":
    main()
