"""Fresh random models from the installed LightGBM against `boxwood`, bit for bit.

    python tests/lightgbm_live_test.py [--seed N] [--models N] [--command PATH]

Raw scores, outputs and classes are compared at training rows, at every threshold with its two
neighbouring doubles, at categories that are known, unknown, negative and broken, at infinities,
missing values, zeros of both signs, LightGBM's own zeros, denormals and huge values. Then each model
is asked for counterfactuals, and LightGBM judges the points.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import lightgbm as lgb
import live
import numpy as np

warnings.filterwarnings("ignore")

OBJECTIVES = ["binary", "multiclass", "multiclassova", "cross_entropy", "cross_entropy_lambda",
              "regression", "regression_l1", "huber", "fair", "quantile", "mape", "poisson",
              "gamma", "tweedie", "lambdarank", "rank_xendcg", "none"]
ZERO = float(np.float32(1e-35))  # what LightGBM takes for zero
NUMBERS = [0.0, -0.0, 5e-324, -5e-324, ZERO, -ZERO, np.nextafter(ZERO, 1), np.nextafter(-ZERO, -1),
           ZERO / 3, -ZERO / 3, 1e-300, 1.7e308, -1.7e308, 1e300, np.nan, np.inf, -np.inf]
CODES = [-1.0, -0.5, -0.0, 0.3, 2.7, -7.0, 31.0, 32.0, 1000.0, 2147483647.0, 2147483648.0, -1e10,
         1e300, np.nan, np.inf, -np.inf]


def make_data(rng):
    """Columns of numbers, of few whole numbers, of mostly zeros, and of categories."""
    rows, width = int(rng.integers(60, 400)), int(rng.integers(1, 8))
    x = rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-3, 4, size=width)
    categorical = []
    for feature in range(width):
        kind = rng.random()
        if kind < 0.2:
            x[:, feature] = rng.integers(-2, 6, size=rows)
        elif kind < 0.35:
            x[rng.random(rows) < 0.6, feature] = 0
        elif kind < 0.4 and feature > 0:  # with nothing else LightGBM has no column to train on
            x[:, feature] *= 1e-35
        elif kind < 0.65:
            codes = rng.permutation(int(rng.choice([10, 100])))[:int(rng.integers(2, 40))]
            x[:, feature] = rng.choice(codes, size=rows)
            categorical.append(feature)
    shown = x.copy()
    for feature in categorical:
        shown[:, feature] = rng.normal(size=101)[x[:, feature].astype(int)]
    score = (shown / (np.abs(shown).mean(axis=0) + 1e-300)) @ rng.normal(size=width)
    if rng.random() < 0.5:
        x[rng.random(x.shape) < rng.choice([0.05, 0.4])] = np.nan
    return x, score + rng.normal(size=rows), categorical


def make_label(rng, objective, score):
    if objective == "binary":
        return (score > np.median(score)).astype(int), {"sigmoid": float(rng.uniform(0.1, 3))}
    if objective.startswith("multiclass"):
        classes = int(rng.integers(2, 6))
        edges = np.quantile(score, np.arange(1, classes) / classes)
        return np.digitize(score, edges), {"num_class": classes, "sigmoid": float(rng.uniform(0.1, 3))}
    if objective.startswith("cross_entropy"):
        return 1 / (1 + np.exp(-score)), {}
    if objective in ("poisson", "tweedie"):
        return np.floor(np.exp(np.clip(score, -3, 3))), {}
    if objective == "gamma":
        return np.exp(np.clip(score, -3, 3)), {}
    if objective in ("lambdarank", "rank_xendcg"):
        return np.digitize(score, np.quantile(score, [0.3, 0.6, 0.9])), {}
    if objective in ("regression", "regression_l1", "fair", "quantile", "mape"):
        return score, {"reg_sqrt": bool(rng.random() < 0.4)}
    return score, {}


def draw_parameters(rng, objective, width, categorical):
    parameters = {
        "objective": objective, "verbose": -1, "num_threads": 1,
        "seed": int(rng.integers(1 << 30)),
        "num_leaves": int(rng.integers(2, 32)), "max_depth": int(rng.choice([-1, 3])),
        "learning_rate": float(rng.uniform(0.05, 1)),
        "min_data_in_leaf": int(rng.choice([1, 5, 20])), "min_sum_hessian_in_leaf": 1e-3,
        "boosting": str(rng.choice(["gbdt", "gbdt", "dart", "rf", "goss"])),
        "use_missing": bool(rng.random() < 0.8), "zero_as_missing": bool(rng.random() < 0.4),
        "min_data_per_group": int(rng.choice([1, 20])), "cat_smooth": float(rng.choice([0, 10])),
        "max_cat_to_onehot": int(rng.choice([1, 4, 50])), "cat_l2": 1.0,
        "max_bin": int(rng.choice([15, 255])), "boost_from_average": bool(rng.random() < 0.7),
        "feature_pre_filter": False, "extra_trees": bool(rng.random() < 0.2),
        "path_smooth": float(rng.choice([0, 1])), "lambda_l1": float(rng.choice([0, 0, 0.5])),
        "drop_rate": 0.4, "enable_bundle": bool(rng.random() < 0.5),
    }
    if parameters["boosting"] == "rf" or rng.random() < 0.3 and parameters["boosting"] != "goss":
        parameters.update(bagging_fraction=0.7, bagging_freq=1)
    if rng.random() < 0.2 and objective not in ("regression_l1", "quantile", "mape", "fair"):
        parameters["monotone_constraints"] = [
            0 if f in categorical else int(rng.integers(-1, 2)) for f in range(width)]
    if rng.random() < 0.2 and width > 2:
        parameters["interaction_constraints"] = [list(range(width // 2)), list(range(1, width))]
    return parameters


def own_objective(scores, data):
    return scores - data.get_label(), np.ones_like(scores)


def train(rng, x, score, categorical):
    objective = str(rng.choice(OBJECTIVES))
    label, parameters = make_label(rng, objective, score)
    parameters.update(draw_parameters(rng, objective, x.shape[1], categorical))
    own = {}
    if objective == "none":
        # Version 4 takes the function among the parameters, version 3 beside them.
        own = {"fobj": own_objective} if lgb.__version__ < "4" else {}
        parameters.update(objective="none" if own else own_objective)
        parameters["boosting"] = "gbdt" if parameters["boosting"] == "rf" else parameters["boosting"]
    names = [f"é={i}%('" for i in range(x.shape[1])] if rng.random() < 0.5 else "auto"
    settings = {"weight": rng.uniform(0.5, 2, size=len(x)) if rng.random() < 0.3 else None,
                "feature_name": names}
    if objective in ("lambdarank", "rank_xendcg"):
        settings["group"] = [20] * (len(x) // 20) + ([len(x) % 20] if len(x) % 20 else [])
        settings["weight"] = None
    data = lgb.Dataset(x, label, categorical_feature=categorical, free_raw_data=False, **settings)
    stop = {}
    if rng.random() < 0.2 and objective != "none" and parameters["boosting"] != "dart":
        stop = {"valid_sets": [data], "callbacks": [lgb.early_stopping(2, verbose=False)]}
    return lgb.train(parameters, data, num_boost_round=int(rng.integers(1, 16)), **stop,
                     **own), parameters


def walk(tree):
    nodes = [tree["tree_structure"]]
    while nodes:
        node = nodes.pop()
        if "split_feature" in node:
            yield node
            nodes += [node["left_child"], node["right_child"]]


def make_points(rng, booster, x, categorical, most=400):
    rows = [x[int(rng.integers(len(x)))].copy() for _ in range(20)]

    def put(feature, value):
        row = x[int(rng.integers(len(x)))].copy()
        row[feature] = value
        rows.append(row)

    splits = set()
    for tree in booster.dump_model()["tree_info"]:
        for node in walk(tree):
            if node["decision_type"] == "==":
                for code in str(node["threshold"]).split("||"):
                    splits.add((node["split_feature"], float(code)))
            else:
                splits.add((node["split_feature"], float(node["threshold"])))
    splits = sorted(splits)
    rng.shuffle(splits)
    for feature, threshold in splits[:most]:
        feature = int(feature)
        for value in (np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)):
            put(feature, value)
    for feature in range(x.shape[1]):
        for value in CODES if feature in categorical else NUMBERS:
            put(feature, value)
    return np.array(rows)


def cell(value):
    return "nan" if np.isnan(value) else repr(float(value))


class Boxwood:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def run(self, *arguments, codes=(0,)):
        result = subprocess.run([self.command, *map(str, arguments)], capture_output=True, text=True,
                                timeout=120)
        if result.returncode not in codes:
            raise RuntimeError(f"exit code {result.returncode}: {result.stderr.strip()}")
        return result.stdout

    def table(self, names, points):
        file = self.folder / "points.csv"
        with open(file, "w", encoding="utf-8") as out:
            out.write(",".join(names) + "\n")
            out.writelines(",".join(map(cell, row)) + "\n" for row in points)
        return file

    def raw(self, model, data):
        _, *lines = self.run("predict", model, "--data", data, "--raw").splitlines()
        return np.array([[float(number) for number in line.split(",")] for line in lines])

    def outputs(self, model, data):
        """Outputs, and classes where there are any."""
        header, *lines = self.run("predict", model, "--data", data).splitlines()
        cells = [re.split(r" {3,}", line.strip()) for line in lines]
        if re.split(r" {3,}", header.strip())[1] != "class":
            return np.array([[float(v) for v in row[1:]] for row in cells]), None
        return (np.array([[float(v) for v in row[2:]] for row in cells]),
                np.array([int(row[1].removeprefix("class ")) for row in cells]))


def same(expected, actual):
    return (expected.view(np.uint64) == actual.view(np.uint64)) | (np.isnan(expected) & np.isnan(actual))


def differences(what, expected, actual, points):
    if expected.shape != actual.shape:
        return [f"{what}: shape {actual.shape}, LightGBM has {expected.shape}"]
    wrong = np.argwhere(~same(expected, actual))
    return [f"{what} of {points[p].tolist()}, number {k}: {actual[p, k]!r}, "
            f"LightGBM says {expected[p, k]!r}" for p, k in wrong[:3]]


def compare_predictions(boxwood, model, booster, parameters, points):
    data = boxwood.table(booster.feature_name(), points)
    raw = booster.predict(points, raw_score=True).reshape(len(points), -1)
    if parameters["boosting"] == "rf":  # LightGBM averages before the link, not in its raw scores
        raw /= booster.current_iteration()
    problems = differences("score", raw, boxwood.raw(model, data), points)
    outputs = booster.predict(points).reshape(len(points), -1)
    actual, classes = boxwood.outputs(model, data)
    if parameters["objective"] == "binary":
        outputs = np.column_stack([1 - outputs, outputs])
    problems += differences("output", outputs, actual, points)
    if parameters["objective"] in ("binary", "multiclass", "multiclassova"):
        if not np.array_equal(classes, outputs.argmax(axis=1)):
            problems.append("the classes differ")
    elif classes is not None:
        problems.append("a regression model has classes")
    return problems


def draw_target(rng, outputs, wanted, now):
    """Flags for what the row `wanted` has and `now` has not, and a test of outputs; or nothing."""
    width = outputs.shape[1]
    if width > 1:
        goal = int(outputs[wanted].argmax())
        if goal == outputs[now].argmax():
            return None
        return ["--class", goal], lambda output: output.argmax() == goal
    goal = float(outputs[wanted, 0])
    if goal == outputs[now, 0]:
        return None
    if goal > outputs[now, 0]:
        return ["--at-least", repr(goal)], lambda output: output[0] >= goal
    return [f"--at-most={goal!r}"], lambda output: output[0] <= goal


def compare_counterfactuals(rng, boxwood, model, booster, parameters, x, questions=2):
    """The outcome of another row is asked for, so that there always is an answer."""
    whole = x[~np.isnan(x).any(axis=1)]
    if len(whole) < 2:
        return [], 0
    rows = whole[rng.permutation(len(whole))[:10]]
    outputs = booster.predict(rows).reshape(len(rows), -1)
    if parameters["objective"] == "binary":
        outputs = np.column_stack([1 - outputs, outputs])
    data = boxwood.table(booster.feature_name(), rows)
    problems, asked = [], 0
    for now in range(min(questions, len(rows) - 1)):
        target = draw_target(rng, outputs, int(rng.integers(now + 1, len(rows))), now)
        if target is None:
            continue
        flags, holds = target
        answer, = json.loads(boxwood.run("explain", model, "--data", data, "--row", now, *flags,
                                         "--time-limit", 5, "--threads", 1, "--format", "json",
                                         "--verify", codes=(0, 3)))
        if answer["point"] is None:
            if answer["status"] != "unknown":
                problems.append(f"row {rows[now].tolist()} {flags}: {answer['status']}")
            continue
        asked += 1
        point = np.array([[np.nan if v is None else float(v) for v in answer["point"]]])
        output = booster.predict(point).reshape(-1)
        if parameters["objective"] == "binary":
            output = np.array([1 - output[0], output[0]])
        if not answer["verified"] or not holds(output):
            problems.append(f"row {rows[now].tolist()} {flags}: LightGBM says {output.tolist()} of "
                            f"{point[0].tolist()}")
    return problems, asked


def main():
    flags = live.flags(f"LightGBM {lgb.__version__}", 60)
    passed = failed = points_checked = answers_checked = 0
    with tempfile.TemporaryDirectory() as name:
        boxwood = Boxwood(flags.command, pathlib.Path(name))
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            x, score, categorical = make_data(rng)
            trained, parameters = train(rng, x, score, categorical)
            model = boxwood.folder / f"model{index}.txt"
            trained.save_model(str(model))
            booster = lgb.Booster(model_file=str(model))
            points = make_points(rng, booster, x, categorical)
            try:
                problems = compare_predictions(boxwood, model, booster, parameters, points)
                wrong, asked = compare_counterfactuals(rng, boxwood, model, booster, parameters, x)
                problems += wrong
                answers_checked += asked
            except RuntimeError as error:
                problems = [str(error)]
            points_checked += len(points)
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print(f"model {index} ({parameters}): {problem}")
    print(f"{points_checked} points and {answers_checked} counterfactuals compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
