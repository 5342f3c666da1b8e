"""Robust answers on the protocol of Maragno et al. (arXiv 2301.11113).

    PYTHONPATH=build/bench/python .venv/bin/python bench/robust.py --data FOLDER [--sizes 50,100]

Three data sets, scaled to 0..1; random forests of depth 3 and gradient boosting of depth 2 with a
learning rate of 1, 5 to 100 trees; the first 20 rows; every row within 0.01 or 0.05 in every
feature of the answer must have the other class; cost L1. The folder holds the CSV files of
github.com/donato-maragno/robust-CE, whose result files (L-infinity ball, 1,000 s a row) give the
published figures: rows solved, and the mean seconds of those. Times here are processor time of one
thread. Prints a table in Markdown; `--write FILE` puts it into a page.
"""

import argparse
import statistics
import time
from pathlib import Path

import boxwood
import pandas as pd
from pages import write_block
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.preprocessing import MinMaxScaler

FILES = {"banknote": "data_banknote_authentication.csv", "diabetes": "diabetes.csv",
         "ionosphere": "ionosphere.csv"}
SIZES = (5, 10, 20, 50, 100)
# Of 20 rows, those left open after 1,000 s, and the mean seconds of the others; by data set, model
# and distance, for each size.
PUBLISHED = {
    ("banknote", "forest", 0.01): ((0, 3.5), (0, 6.74), (0, 21.21), (0, 115.79), (2, 214.38)),
    ("banknote", "boosting", 0.01): ((0, 2.7), (0, 3.2), (0, 5.94), (0, 18.38), (2, 87.11)),
    ("banknote", "forest", 0.05): ((0, 2.85), (0, 13.51), (1, 13.86), (1, 101.21), (0, 156.28)),
    ("banknote", "boosting", 0.05): ((0, 1.57), (0, 4.84), (2, 12.72), (3, 73.23), (4, 274.22)),
    ("diabetes", "forest", 0.01): ((0, 5.89), (0, 7.2), (0, 33.55), (3, 110.24), (5, 274.09)),
    ("diabetes", "boosting", 0.01): ((0, 2.76), (0, 2.72), (0, 4.25), (0, 24.6), (1, 164.32)),
    ("diabetes", "forest", 0.05): ((0, 4.29), (0, 14.71), (2, 89.0), (9, 303.27), (13, 453.67)),
    ("diabetes", "boosting", 0.05): ((0, 1.5), (0, 8.87), (1, 41.81), (13, 223.87), (20, None)),
    ("ionosphere", "forest", 0.01): ((0, 3.79), (0, 8.76), (0, 22.33), (0, 137.26), (9, 285.62)),
    ("ionosphere", "boosting", 0.01): ((0, 2.37), (0, 4.35), (0, 9.01), (0, 81.33), (2, 137.98)),
    ("ionosphere", "forest", 0.05): ((0, 2.27), (0, 7.41), (0, 47.44), (7, 307.72), (16, 156.45)),
    ("ionosphere", "boosting", 0.05): ((0, 1.97), (0, 11.76), (0, 19.2), (7, 139.18), (17, 537.13)),
}


def read(folder: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read a data set, scaled as the protocol scales it; the class is the last column."""
    table = pd.read_csv(folder / FILES[name], header=0 if name == "diabetes" else None)
    last = table.pop(table.columns[-1])
    if name == "ionosphere":
        last = (last == "g").astype(int)
    scaled = MinMaxScaler().fit_transform(table)
    return pd.DataFrame(scaled, columns=[f"x{i}" for i in range(scaled.shape[1])]), last


def fitted(kind: str, size: int, x: pd.DataFrame, y: pd.Series) -> object:
    """Fit one model of the protocol."""
    if kind == "forest":
        model = RandomForestClassifier(max_depth=3, random_state=0, n_estimators=size)
    else:
        model = GradientBoostingClassifier(n_estimators=size, learning_rate=1.0, max_depth=2,
                                           random_state=0)
    return model.fit(x, y)


def asked(model: object, x: pd.DataFrame, distance: float, rows: int,
          seconds: float) -> list[tuple[boxwood.Answer, float]]:
    """Ask for robust answers of the first rows; each with the processor time that it took."""
    features = [{"name": name, "kind": "continuous"} for name in x]
    explainer = boxwood.Explainer(model, schema={"features": features})
    robust = {name: distance for name in x}
    found = []
    for i in range(rows):
        start = time.process_time()
        answer = explainer.explain(x.iloc[i], robust=robust, cost="l1", threads=1,
                                   time_limit=seconds)
        found.append((answer, time.process_time() - start))
    return found


def line_of(case: tuple[str, str, int, float], found: list[tuple[boxwood.Answer, float]],
            seconds: float) -> str:
    """One line of the table. What took more than the limit of processor time is open."""
    name, kind, size, distance = case
    times = [spent for _, spent in found]
    proven = sum(answer.proven and spent <= seconds for answer, spent in found)
    solved = sum(answer.found for answer, _ in found)
    published, mean = PUBLISHED[name, kind, distance][SIZES.index(size)]
    return (f"| {name} | {kind} | {size} | {distance} | {proven} of {len(found)} | {solved} | "
            f"{statistics.median(times):.3f} | {statistics.mean(times):.3f} | {max(times):.2f} | "
            f"{20 - published} of 20 | {'–' if mean is None else mean} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the CSV files")
    parser.add_argument("--sets", default=",".join(FILES))
    parser.add_argument("--models", default="forest,boosting")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--distances", default="0.01,0.05")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60,
                        help="limit of a row's processor time")
    parser.add_argument("--clock", type=float, default=1,
                        help="how many seconds of the clock a second of processor time may take")
    parser.add_argument("--write", type=Path, help="replace the table in this file")
    given = parser.parse_args()
    lines = ["| data | model | trees | δ | proven | with an answer | median s | mean s | worst s | "
             "published: solved | mean s |", "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    print("\n".join(lines), flush=True)
    for name in given.sets.split(","):
        x, y = read(given.data, name)
        for kind in given.models.split(","):
            for size in map(int, given.sizes.split(",")):
                model = fitted(kind, size, x, y)
                for distance in map(float, given.distances.split(",")):
                    found = asked(model, x, distance, given.rows, given.seconds * given.clock)
                    lines.append(line_of((name, kind, size, distance), found, given.seconds))
                    print(lines[-1], flush=True)
    if given.write:
        write_block(given.write, "robust", "\n".join(lines))


if __name__ == "__main__":
    main()
