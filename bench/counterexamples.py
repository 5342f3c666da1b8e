"""Has Veritas look for a counterexample near robust answers: an independent verifier.

    PYTHONPATH=build/release/python:FOLDER_OF_VERITAS .venv/bin/python bench/counterexamples.py --data FOLDER

Needs dtai-veritas (PyPI). Fits models to real data, asks for robust answers, and gives Veritas the
box of all rows within the distances of each answer. Veritas finds the least score of the wanted
class in this box with its own search. A row that it finds below the limit is a counterexample if
the library's own `predict` agrees. Answers without robustness are a control: Veritas must refute
many of them. `--data` is the folder that holds `rce/` and `german_credit.csv`. Prints a table in
Markdown; `--write FILE` puts it into a page. Ends with 1 if there is a counterexample, or a box
that Veritas could not decide.
"""

import argparse
import contextlib
import io
import sys
from pathlib import Path

import boxwood
import numpy as np
import pandas as pd
import robust
import veritas
import xgboost
from pages import write_block

SLACK = 1e-5  # of a score: Veritas adds doubles, XGBoost floats


def cases(folder: Path):
    """Name, model, rows and distances of each question."""
    for name in robust.FILES:
        x, y = robust.read(folder / "rce", name)
        for kind, distance in (("forest", 0.02), ("boosting", 0.02)):
            yield (f"{name}, {kind} of 100, δ = {distance}", robust.fitted(kind, 100, x, y), x,
                   dict.fromkeys(x, distance))
    table = pd.read_csv(folder / "german_credit.csv")
    good = (table.pop("class") == "good").astype(int)
    numbers = table.select_dtypes("number").astype(float)
    model = xgboost.XGBClassifier(n_estimators=250, max_depth=8, learning_rate=0.1, random_state=1,
                                  n_jobs=1).fit(numbers, good)
    yield ("German credit, XGBoost 250×8, one month and 100 DM", model, numbers,
           {"duration": 1.0, "credit_amount": 100.0})


def float_above(value: float) -> float:
    """Return the least float32 that is not below a number."""
    rounded = np.float32(value)
    up = np.nextafter(rounded, np.float32(np.inf))
    return float(rounded) if float(rounded) >= value else float(up)


def over_floats(trees: veritas.AddTree) -> veritas.AddTree:
    """Copy trees with each threshold rounded up to a float32.

    The models read float32, for which "below the threshold" means the same. Veritas searches
    doubles: between two float32 it would find rows that no model reads.
    """
    copy = veritas.AddTree(trees.num_leaf_values(), trees.get_type())
    copy.set_base_score(0, trees.get_base_score(0))
    for tree in trees:
        other = copy.add_tree()
        pairs = [(tree.root(), other.root())]
        while pairs:
            here, there = pairs.pop()
            if tree.is_leaf(here):
                other.set_leaf_value(there, tree.get_leaf_value(here, 0))
                continue
            split = tree.get_split(here)
            other.split(there, split.feat_id, float_above(split.split_value))
            pairs += [(tree.left(here), other.left(there)), (tree.right(here), other.right(there))]
    return copy


def least_score(trees: veritas.AddTree, box: list[tuple[float, float]], seconds: float):
    """Return the least score in a box and its row, and whether Veritas proved it."""
    beyond = [float(np.nextafter(np.float32(high), np.float32(np.inf))) for _, high in box]
    intervals = [veritas.Interval(low, end) for (low, _), end in zip(box, beyond, strict=True)]
    search = veritas.Config(veritas.HeuristicType.MIN_OUTPUT).get_search(trees, intervals)
    reason = search.step_for(seconds, 100_000)
    if not search.num_solutions():
        return None, None, False
    best = search.get_solution(0)
    row = np.array([low for low, _ in box])
    for feature, interval in best.box().items():
        row[feature] = max(box[feature][0], interval.lo)
    return best.output, row, reason == veritas.StopReason.OPTIMAL


def checked(model, x: pd.DataFrame, distances: dict, count: int, seconds: float) -> tuple:
    """Count answers, counterexamples and undecided boxes of one case."""
    with contextlib.redirect_stdout(io.StringIO()):  # it reports how it converted the model
        trees = over_floats(veritas.get_addtree(model))
    flipped = trees.negate_leaf_values()
    features = [{"name": name, "kind": "continuous"} for name in x]
    explainer = boxwood.Explainer(model, schema={"features": features})
    answers = counterexamples = undecided = plain_refuted = 0
    nearest = np.inf
    for i in range(len(x)):
        if answers == count:
            break
        row = x.iloc[i]
        now = int(model.predict(row.to_frame().T)[0])
        answer = explainer.explain(row, 1 - now, robust=distances, cost="l1", threads=1,
                                   time_limit=seconds)
        if not answer.found:
            continue
        answers += 1
        plain = explainer.explain(row, 1 - now, cost="l1", threads=1, time_limit=seconds)
        for one in (answer, plain):
            point = np.asarray(list(one.point), dtype=float)
            # Veritas compares doubles, these models float32: the box of what they read.
            box = [(float(np.float32(value - distances.get(name, 0))),
                    float(np.float32(value + distances.get(name, 0))))
                   for name, value in zip(x, point, strict=True)]
            # Class 1 has a positive score; of class 0 the score is the negative one.
            score, worst, proven = least_score(trees if now == 0 else flipped, box, seconds)
            refuted = False
            if score is not None:
                frame = pd.DataFrame([worst], columns=list(x))
                refuted = int(model.predict(frame)[0]) == now
                if abs(score) > SLACK and refuted != (score < 0):
                    raise SystemExit(f"Veritas and the library disagree about {worst}")
            if one is plain:
                plain_refuted += refuted
                continue
            undecided += not proven
            counterexamples += refuted
            nearest = min(nearest, np.inf if score is None else score)
    return answers, counterexamples, undecided, plain_refuted, nearest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--answers", type=int, default=72, help="of each model")
    parser.add_argument("--seconds", type=float, default=60, help="limit of each search")
    parser.add_argument("--write", type=Path, help="replace the table in this file")
    given = parser.parse_args()
    lines = ["| model | answers | counterexamples | not decided | plain answers refuted | "
             "least score in a box |", "|---|---:|---:|---:|---:|---:|"]
    print("\n".join(lines), flush=True)
    total = np.zeros(4, dtype=int)
    for name, model, x, distances in cases(given.data):
        *counts, nearest = checked(model, x, distances, given.answers, given.seconds)
        total += counts
        lines.append(f"| {name} | {' | '.join(map(str, counts))} | {nearest:.3g} |")
        print(lines[-1], flush=True)
    lines.append(f"| together | {' | '.join(map(str, total))} | |")
    print(lines[-1])
    if given.write:
        write_block(given.write, "veritas", "\n".join(lines))
    return int(total[1] + total[2] > 0)


if __name__ == "__main__":
    sys.exit(main())
