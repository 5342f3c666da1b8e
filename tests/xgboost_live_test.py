"""Fresh random models from the installed XGBoost against `boxwood predict --raw`, bit for bit.

    python tests/xgboost_live_test.py [--seed N] [--models N] [--command PATH]

Probe points are training rows, every threshold with its two float32 neighbours, infinities,
missing values, zeros of both signs, denormals and huge values.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import xgboost as xgb

warnings.filterwarnings("ignore")
xgb.set_config(verbosity=0)

OBJECTIVES = ["binary:logistic", "binary:logitraw", "multi:softmax", "multi:softprob",
              "reg:squarederror", "reg:logistic", "count:poisson", "reg:gamma", "reg:tweedie",
              "reg:absoluteerror", "reg:squaredlogerror", "reg:pseudohubererror"]
SPECIAL = np.array([0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38, 1e30],
                   dtype=np.float32)


def make_data(rng):
    rows, width = int(rng.integers(40, 400)), int(rng.integers(1, 8))
    x = rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-3, 4, size=width)
    for feature in range(width):
        if rng.random() < 0.4:
            x[:, feature] = rng.integers(0, 8, size=rows)
    x = x.astype(np.float32)
    score = (x / (np.abs(x).mean(axis=0) + 1e-9)) @ rng.normal(size=width)
    if rng.random() < 0.5:
        x[rng.random(x.shape) < rng.choice([0.05, 0.4])] = np.nan
    return x, (score + rng.normal(size=rows)).astype(np.float32)


def make_label(rng, objective, score):
    if objective.startswith("binary"):
        return (score > np.median(score)).astype(np.float32), {}
    if objective.startswith("multi"):
        classes = int(rng.integers(2, 6))
        edges = np.quantile(score, np.arange(1, classes) / classes)
        return np.digitize(score, edges).astype(np.float32), {"num_class": classes}
    if objective == "reg:logistic":
        return (1 / (1 + np.exp(-score))).astype(np.float32), {}
    if objective in ("count:poisson", "reg:tweedie"):
        return np.floor(np.exp(np.clip(score, -3, 3))), {}
    if objective in ("reg:gamma", "reg:squaredlogerror"):
        return np.exp(np.clip(score, -3, 3)), {}
    return score, {}


def train(rng, x, score):
    objective = str(rng.choice(OBJECTIVES))
    label, parameters = make_label(rng, objective, score)
    parameters.update(objective=objective, max_depth=int(rng.integers(1, 7)),
                      eta=float(rng.uniform(0.05, 1)), seed=int(rng.integers(1 << 30)), nthread=2,
                      tree_method=str(rng.choice(["hist", "exact", "approx"])),
                      gamma=float(rng.choice([0, 0, 1])), subsample=float(rng.choice([1, 0.7])))
    # Leaves of reg:absoluteerror are fitted once more after a tree, which forests do not allow.
    if rng.random() < 0.3 and objective != "reg:absoluteerror":
        parameters["num_parallel_tree"] = int(rng.integers(2, 5))
    if rng.random() < 0.3:
        parameters.update(booster="dart", rate_drop=0.4, one_drop=1,
                          normalize_type=str(rng.choice(["tree", "forest"])))
    if rng.random() < 0.3 and not objective.startswith("multi"):
        parameters["base_score"] = float(rng.uniform(0.01, 0.99))
    names = [f"feature {i}" for i in range(x.shape[1])] if rng.random() < 0.5 else None
    matrix = xgb.DMatrix(x, label=label, feature_names=names)
    booster = xgb.train(parameters, matrix, num_boost_round=int(rng.integers(1, 16)))
    return booster, parameters


def make_points(rng, booster, x, infinities):
    model = json.loads(booster.save_raw("json").decode())["learner"]["gradient_booster"]
    rows = [x[int(rng.integers(len(x)))].copy() for _ in range(20)]

    def put(feature, value):
        row = x[int(rng.integers(len(x)))].copy()
        row[feature] = value
        rows.append(row)

    splits = set()
    for tree in model.get("gbtree", model)["model"]["trees"]:
        columns = zip(tree["left_children"], tree["split_indices"], tree["split_conditions"])
        splits.update((f, np.float32(t)) for left, f, t in columns if left != -1)
    for feature, threshold in sorted(splits):
        for value in (np.nextafter(threshold, np.float32(-np.inf)), threshold,
                      np.nextafter(threshold, np.float32(np.inf))):
            put(feature, value)
    for feature in range(x.shape[1]):
        for value in [*SPECIAL, np.nan, np.inf, -np.inf]:
            put(feature, value)
    points = np.array(rows, dtype=np.float32)
    return points if infinities else points[~np.isinf(points).any(axis=1)]


def library_margin(booster, points):
    """Booster.predict refuses infinite values; inplace_predict takes them."""
    plain = ~np.isinf(points).any(axis=1)
    margin = booster.predict(xgb.DMatrix(points[plain], feature_names=booster.feature_names),
                             output_margin=True)
    everything = np.zeros((len(points),) + margin.shape[1:], dtype=np.float32)
    everything[plain] = margin
    if not plain.all():
        inplace = booster.inplace_predict(points, predict_type="margin", validate_features=False)
        everything[~plain] = inplace[~plain]
    return everything.reshape(len(points), -1)


def boxwood_margin(command, model, names, points, folder):
    table = folder / "points.csv"
    with open(table, "w", encoding="utf-8") as out:
        out.write(",".join(names) + "\n")
        for row in points.astype(np.float64):
            out.write(",".join("nan" if np.isnan(v) else repr(float(v)) for v in row) + "\n")
    result = subprocess.run([command, "predict", str(model), "--data", str(table), "--raw"],
                            capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    header, *lines = result.stdout.splitlines()
    width = len(header.split(","))
    expected = "score" if width == 1 else ",".join(f"score_{k}" for k in range(width))
    assert header == expected, header
    return np.array([[np.float32(cell) for cell in line.split(",")] for line in lines])


def differences(expected, actual):
    if expected.shape != actual.shape:
        return [f"{actual.shape} scores, XGBoost has {expected.shape}"]
    wrong = np.argwhere(expected.view(np.uint32) != actual.view(np.uint32))
    return [f"point {p}, score {k}: {actual[p, k]!r}, XGBoost says {expected[p, k]!r}"
            for p, k in wrong[:3]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("BOXWOOD_SEED",
                                                   np.random.SeedSequence().entropy % (1 << 31))))
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--command", default=os.environ.get("BOXWOOD_COMMAND", "boxwood"))
    flags = parser.parse_args()
    print(f"XGBoost {xgb.__version__}, replay with --seed {flags.seed}")
    passed = failed = points_checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            x, score = make_data(rng)
            booster, parameters = train(rng, x, score)
            model = folder / f"model{index}{rng.choice(['.json', '.ubj'])}"
            booster.save_model(str(model))
            loaded = xgb.Booster(model_file=str(model))
            # dart: inplace_predict rounds differently from predict up to 3.2
            points = make_points(rng, loaded, x, infinities=parameters.get("booster") != "dart")
            names = loaded.feature_names or [f"f{i}" for i in range(x.shape[1])]
            try:
                problems = differences(library_margin(loaded, points),
                                       boxwood_margin(flags.command, model, names, points, folder))
            except (RuntimeError, AssertionError) as error:
                problems = [str(error)]
            points_checked += len(points)
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print(f"model {index} ({model.suffix}, {parameters}): {problem}")
    print(f"{points_checked} points compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
