"""Fresh random models from the installed XGBoost against the command, bit for bit.

    python tests/xgboost_live_test.py [--seed N] [--models N] [--command PATH]

`boxwood predict` has to say what XGBoost says: raw scores (--raw) and predictions. Probe points are
training rows, every threshold with its two float32 neighbours, every category of a split and such as
no split knows, infinities, missing values, zeros of both signs, denormals and huge values. Then
`boxwood explain` is asked about a few rows, and XGBoost judges the points that it finds.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models are small

import live
import numpy as np
import xgboost as xgb

warnings.filterwarnings("ignore")
xgb.set_config(verbosity=0)

VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:2])
OBJECTIVES = ["binary:logistic", "binary:logitraw", "binary:hinge", "multi:softmax",
              "multi:softprob", "reg:squarederror", "reg:logistic", "count:poisson", "reg:gamma",
              "reg:tweedie", "reg:absoluteerror", "reg:squaredlogerror", "reg:pseudohubererror",
              "rank:pairwise", "rank:ndcg", "rank:map", "survival:cox", "survival:aft",
              "several labels", "several targets"]
if VERSION >= (2, 0):
    OBJECTIVES.append("reg:quantileerror")
SPECIAL = np.array([0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38, 1e30],
                   dtype=np.float32)
CODES = np.array([0.5, -0.5, -1, -0.0, -1e-45, 7.99, 99, 16777215, 16777216, 3e9],
                 dtype=np.float32)


def make_data(rng):
    """Columns of numbers and of categories, and a score that depends on all of them."""
    rows, width = int(rng.integers(60, 400)), int(rng.integers(1, 8))
    x = rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-3, 4, size=width)
    types = ["q"] * width
    score = np.zeros(rows)
    categorical = rng.random() < 0.5
    for feature in range(width):
        if categorical and rng.random() < 0.5:
            types[feature] = "c"
            count = int(rng.choice([2, 3, 8, 40]))
            x[:, feature] = rng.integers(0, count, size=rows)
            score += rng.normal(size=count)[x[:, feature].astype(int)]
            continue
        if rng.random() < 0.4:
            x[:, feature] = rng.integers(0, 8, size=rows)
        score += x[:, feature] / (np.abs(x[:, feature]).mean() + 1e-9) * rng.normal()
    x = x.astype(np.float32)
    if rng.random() < 0.5:
        x[rng.random(x.shape) < rng.choice([0.05, 0.4])] = np.nan
    return x, types, (score + rng.normal(size=rows)).astype(np.float32)


def set_label(rng, matrix, objective, score):
    """Gives the matrix the labels that an objective asks for; returns the parameters it needs."""
    up = (score > np.median(score)).astype(np.float32)
    positive = np.exp(np.clip(score, -3, 3)).astype(np.float32)
    if objective == "several labels":
        matrix.set_label(np.column_stack([up, score > np.quantile(score, 0.8)]))
        return {"objective": str(rng.choice(["binary:logistic", "binary:logitraw"]))}
    if objective == "several targets":
        matrix.set_label(np.column_stack([score, positive, -score]))
        return {"objective": "reg:squarederror"}
    parameters = {"objective": objective}
    if objective.startswith("multi"):
        parameters["num_class"] = int(rng.integers(2, 6))
        edges = np.arange(1, parameters["num_class"]) / parameters["num_class"]
        matrix.set_label(np.digitize(score, np.quantile(score, edges)))
    elif objective == "survival:aft":
        matrix.set_float_info("label_lower_bound", positive)
        matrix.set_float_info("label_upper_bound", np.where(up == 1, np.inf, positive))
    elif objective == "survival:cox":
        matrix.set_label(np.where(up == 1, positive, -positive))
    elif objective.startswith("rank"):
        matrix.set_label(up)
        matrix.set_group([len(score) // 2, len(score) - len(score) // 2])
    elif objective.startswith("binary"):
        matrix.set_label(up)
    elif objective == "reg:logistic":
        matrix.set_label(1 / (1 + np.exp(-score)))
    elif objective in ("count:poisson", "reg:tweedie"):
        matrix.set_label(np.floor(positive))
    elif objective in ("reg:gamma", "reg:squaredlogerror"):
        matrix.set_label(positive)
    else:
        matrix.set_label(score)
    if objective == "reg:quantileerror":
        several = VERSION < (3, 4) and rng.random() < 0.5  # 3.4 sorts them: refused
        parameters["quantile_alpha"] = np.array([0.2, 0.5, 0.9]) if several else 0.3
    return parameters


def train(rng, x, types, score):
    objective = str(rng.choice(OBJECTIVES))
    names = [f"feature {i}" for i in range(x.shape[1])] if rng.random() < 0.5 else None
    matrix = xgb.DMatrix(x, feature_names=names, feature_types=types, enable_categorical=True)
    parameters = set_label(rng, matrix, objective, score)
    methods = ["hist", "approx"] + ["exact"] * ("c" not in types)
    parameters.update(max_depth=int(rng.integers(1, 7)), eta=float(rng.uniform(0.05, 1)),
                      seed=int(rng.integers(1 << 30)), nthread=1,
                      tree_method=str(rng.choice(methods)),
                      max_cat_to_onehot=int(rng.choice([1, 4, 100])),
                      gamma=float(rng.choice([0, 0, 1])), subsample=float(rng.choice([1, 0.7])))
    # Leaves of these are fitted once more after a tree, which forests do not allow.
    refitted = parameters["objective"] in ("reg:absoluteerror", "reg:quantileerror")
    vectors = (rng.random() < 0.5 and "c" not in types and not refitted and
               (objective.startswith(("several", "multi"))))
    if vectors:
        parameters.update(multi_strategy="multi_output_tree", tree_method="hist")
    if rng.random() < 0.3 and not refitted:
        parameters["num_parallel_tree"] = int(rng.integers(2, 5))
    if rng.random() < 0.3 and not vectors:
        parameters.update(booster="dart", rate_drop=0.4, one_drop=1,
                          normalize_type=str(rng.choice(["tree", "forest"])))
    if rng.random() < 0.2 and not vectors and "c" not in types:
        parameters["monotone_constraints"] = str(tuple(rng.integers(-1, 2, x.shape[1]).tolist()))
    if rng.random() < 0.2 and not vectors and x.shape[1] > 2:
        parameters["interaction_constraints"] = str([[0, 1], list(range(1, x.shape[1]))])
    if rng.random() < 0.3 and not objective.startswith("rank"):
        matrix.set_weight(rng.uniform(0.1, 3, len(x)))
    if rng.random() < 0.3 and matrix.get_label().size and "num_class" not in parameters:
        parameters["base_score"] = float(rng.uniform(0.01, 0.99))
    booster = xgb.train(parameters, matrix, num_boost_round=int(rng.integers(1, 16)))
    return booster, parameters


def make_points(rng, booster, x, types, infinities):
    model = json.loads(booster.save_raw("json").decode())["learner"]["gradient_booster"]
    rows = [x[int(rng.integers(len(x)))].copy() for _ in range(20)]

    def put(feature, value):
        row = x[int(rng.integers(len(x)))].copy()
        row[feature] = value
        rows.append(row)

    splits = set()
    for tree in model.get("gbtree", model)["model"]["trees"]:
        for node, left in enumerate(tree["left_children"]):
            if left == -1:
                continue
            feature = tree["split_indices"][node]
            if tree["split_type"][node] == 0:
                threshold = np.float32(tree["split_conditions"][node])
                splits.update((feature, np.nextafter(threshold, np.float32(end)))
                              for end in (-np.inf, threshold, np.inf))
            else:
                at = tree["categories_nodes"].index(node)
                begin = tree["categories_segments"][at]
                codes = tree["categories"][begin:begin + tree["categories_sizes"][at]]
                splits.update((feature, np.float32(code)) for code in codes)
    for feature, value in sorted(splits):
        put(feature, value)
    for feature, kind in enumerate(types):
        for value in [*SPECIAL, *(CODES if kind == "c" else []), np.nan, np.inf, -np.inf]:
            put(feature, value)
    points = np.array(rows, dtype=np.float32)
    return points if infinities else points[~np.isinf(points).any(axis=1)]


def library_says(booster, points, margin):
    """Booster.predict refuses infinite values; inplace_predict takes them."""
    plain = ~np.isinf(points).any(axis=1)
    matrix = xgb.DMatrix(points[plain], feature_names=booster.feature_names,
                         feature_types=booster.feature_types, enable_categorical=True)
    known = booster.predict(matrix, output_margin=margin)
    everything = np.zeros((len(points),) + known.shape[1:], dtype=np.float32)
    everything[plain] = known
    if not plain.all():
        inplace = booster.inplace_predict(points, predict_type="margin" if margin else "value",
                                          validate_features=False)
        everything[~plain] = inplace[~plain]
    return everything.reshape(len(points), -1)


def write_table(path, names, points):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(names) + "\n")
        for row in points.astype(np.float64):
            out.write(",".join("nan" if np.isnan(v) else repr(float(v)) for v in row) + "\n")


def run(command, *arguments):
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                            timeout=300)
    if result.returncode != 0:
        raise RuntimeError(f"boxwood {arguments[0]}: {result.stderr.strip()}")
    return result.stdout


def boxwood_margin(command, model, table):
    header, *lines = run(command, "predict", model, "--data", table, "--raw").splitlines()
    width = len(header.split(","))
    expected = "score" if width == 1 else ",".join(f"score_{k}" for k in range(width))
    assert header == expected, header
    return np.array([[np.float32(cell) for cell in line.split(",")] for line in lines])


def boxwood_prediction(command, model, table):
    """The numbers of `boxwood predict`; of a model that names the class alone, its index."""
    header, *lines = run(command, "predict", model, "--data", table).splitlines()
    titles = re.split(r"\s{3,}", header.strip())
    cells = [re.split(r"\s{3,}", line.strip()) for line in lines]
    if titles == ["row", "class"]:
        return np.array([[np.float32(row[1].removeprefix("class "))] for row in cells])
    first = 1 + (titles[1] == "class")
    return np.array([[np.float32(v) for v in row[first:]] for row in cells])


def differences(expected, actual, what):
    if expected.shape != actual.shape:
        return [f"{actual.shape} {what}s, XGBoost has {expected.shape}"]
    wrong = np.argwhere(expected.view(np.uint32) != actual.view(np.uint32))
    return [f"point {p}, {what} {k}: {actual[p, k]!r}, XGBoost says {expected[p, k]!r}"
            for p, k in wrong[:3]]


def compare(command, model, booster, parameters, points, table):
    problems = differences(library_says(booster, points, True),
                           boxwood_margin(command, model, table), "score")
    expected = library_says(booster, points, False)
    actual = boxwood_prediction(command, model, table)
    if parameters["objective"] == "binary:logistic" and expected.shape[1] == 1:
        actual = actual[:, 1:]  # XGBoost gives the probability of class 1 alone
    return problems + differences(expected, actual, "prediction")


def explain(rng, command, model, booster, parameters, x, table):
    """Asks for another outcome than a row has; XGBoost says whether the point has it."""
    before = library_says(booster, x, False)
    objective = parameters["objective"]
    multi = objective.startswith("multi")
    binary = objective.startswith("binary") and before.shape[1] == 1
    row = int(rng.integers(len(x)))
    output = 0 if multi or binary else int(rng.integers(before.shape[1]))
    asked = []
    if multi:
        wanted = int(rng.integers(parameters["num_class"]))
        asked = ["--class", wanted]
        holds = lambda y: (y[0] if y.size == 1 else y.argmax()) == wanted
    elif binary:
        wanted = not before[row, 0] > 0.5
        holds = lambda y: (y[0] > 0.5) == wanted
    else:
        least = float(np.quantile(before[:, output], 0.7))
        asked = ["--at-least", repr(least), "--output-index", output]
        holds = lambda y: float(y[output]) >= least
    text = run(command, "explain", model, "--data", table, "--row", row, "--format", "json",
               "--verify", "--threads", 2, *asked)
    answer = json.loads(text)
    answer = answer[0] if isinstance(answer, list) else answer
    if answer["point"] is None:
        met = [bool(holds(y)) for y in before]
        # Features without a number stay as they are, so other rows may have what this cannot.
        return 0, [f"row {row}: {answer['status']}, but it is so"] if met[row] else []
    point = np.array([[np.nan if v is None else v for v in answer["point"]]], dtype=np.float32)
    found = library_says(booster, point, False)[0]
    return 1, [] if holds(found) else [f"row {row}, {asked}: {point}: XGBoost says {found}"]


def check(rng, command, folder, name):
    x, types, score = make_data(rng)
    booster, parameters = train(rng, x, types, score)
    model = folder / f"{name}{rng.choice(['.json', '.ubj'])}"
    booster.save_model(str(model))
    loaded = xgb.Booster(model_file=str(model))
    # dart: inplace_predict rounds differently from predict up to 3.2
    points = make_points(rng, loaded, x, types, infinities=parameters.get("booster") != "dart")
    names = loaded.feature_names or [f"f{i}" for i in range(x.shape[1])]
    table = folder / "points.csv"
    write_table(table, names, points)
    explained = 0
    try:
        problems = compare(command, model, loaded, parameters, points, table)
        plain = x[~np.isinf(x).any(axis=1)][:30]
        write_table(table, names, plain)
        explained, wrong = explain(rng, command, model, loaded, parameters, plain, table)
        problems += wrong
    except (RuntimeError, AssertionError) as error:
        problems = [str(error)]
    for problem in problems:
        print(f"{model.name} ({parameters}): {problem}")
    return not problems, len(points), explained


def main():
    flags = live.flags(f"XGBoost {xgb.__version__}", 60)
    passed = failed = points = explained = 0
    with tempfile.TemporaryDirectory() as name:
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            good, count, answered = check(rng, flags.command, pathlib.Path(name), f"model{index}")
            passed, failed = passed + good, failed + (not good)
            points, explained = points + count, explained + answered
    print(f"{points} points compared, {explained} counterfactuals judged")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed or not explained else 0


if __name__ == "__main__":
    sys.exit(main())
