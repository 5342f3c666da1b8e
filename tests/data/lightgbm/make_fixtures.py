"""Trains small models with the installed LightGBM and writes them with what it predicts.

    python make_fixtures.py FOLDER

writes FOLDER/<LightGBM version>/. Every model file has a neighbour `<model>.expected`: probe points
and the library's answers, as little-endian numbers:

    "BWL1", uint32 points, features, outputs, answers
    float64 points x features
    for each answer: int32 first rounds or -1,
        float64 points x outputs (raw_score=True, a random forest's divided by its rounds),
        float64 points x outputs (predict)

Files called refused_* have no neighbour: Boxwood has to refuse them by name.
tests/lightgbm_fixtures_test.cpp reads all of it.
"""

import pathlib
import struct
import sys
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")

VERSION = tuple(int(part) for part in lgb.__version__.split(".")[:2])
EVERYTHING = VERSION in ((3, 3), (4, 7))  # of other versions only what differs most
ZERO = float(np.float32(1e-35))
NUMBERS = [0.0, -0.0, ZERO, -ZERO, np.nextafter(ZERO, 1), np.nextafter(-ZERO, -1), 5e-324, 1e300,
           np.nan, np.inf, -np.inf]
CODES = [-1.0, -0.5, 0.0, 2.7, 7.0, 31.0, 40.0, 45.0, 1000.0, 2147483648.0, np.nan, np.inf]


def make_data(rows=200, missing=0.0, seed=7):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(rows, 4))
    x[:, 1] = rng.randint(0, 6, size=rows)
    x[rng.uniform(size=rows) < 0.4, 2] = 0
    x[:, 3] = rng.choice([0, 1, 2, 5, 31, 32, 40], size=rows)
    score = x[:, 0] + 0.5 * x[:, 1] - x[:, 2] + np.isin(x[:, 3], [1, 32, 40]) * 2.0
    score += 0.3 * rng.normal(size=rows)
    if missing:
        x[rng.uniform(size=x.shape) < missing] = np.nan
    return x, score


def walk(tree):
    nodes = [tree["tree_structure"]]
    while nodes:
        node = nodes.pop()
        if "split_feature" in node:
            yield node
            nodes += [node["left_child"], node["right_child"]]


def probes(x, booster, categorical):
    rng = np.random.RandomState(11)
    rows = [row for row in x[:6]]

    def put(feature, value):
        row = x[rng.randint(len(x))].copy()
        row[feature] = value
        rows.append(row)

    splits = set()
    for tree in booster.dump_model()["tree_info"]:
        for node in walk(tree):
            if node["decision_type"] != "==":
                splits.add((node["split_feature"], float(node["threshold"])))
    for feature, threshold in sorted(splits)[:12]:
        for value in (np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf)):
            put(feature, value)
    for feature in range(x.shape[1]):
        for value in CODES if feature in categorical else NUMBERS:
            put(feature, value)
    return np.array(rows, dtype=np.float64)


def record(folder, name, booster, x, categorical=(), forest=False):
    path = folder / name
    booster.save_model(str(path))
    loaded = lgb.Booster(model_file=str(path))
    points = probes(x, loaded, categorical)
    answers = []
    total = loaded.num_trees() // loaded.num_model_per_iteration()
    for first in (-1, 1):
        if total < 2 and first == 1:
            continue
        rounds = total if first < 0 else first
        raw = loaded.predict(points, raw_score=True, num_iteration=rounds).reshape(len(points), -1)
        outputs = loaded.predict(points, num_iteration=rounds).reshape(len(points), -1)
        answers.append((first, raw / rounds if forest else raw, outputs))
    with open(str(path) + ".expected", "wb") as out:
        out.write(b"BWL1")
        out.write(struct.pack("<4I", len(points), points.shape[1], answers[0][1].shape[1],
                              len(answers)))
        out.write(points.astype("<f8").tobytes())
        for first, raw, outputs in answers:
            out.write(struct.pack("<i", first))
            out.write(raw.astype("<f8").tobytes())
            out.write(outputs.astype("<f8").tobytes())


def train(objective, x, label, rounds=2, categorical=(), names="auto", group=None, fobj=None,
          **parameters):
    settings = {"objective": objective, "num_leaves": 4, "learning_rate": 0.4, "seed": 3,
                "num_threads": 1, "min_data_in_leaf": 5, "min_data_per_group": 5, "cat_smooth": 1,
                "verbose": -1}
    settings.update(parameters)
    data = lgb.Dataset(x, label, categorical_feature=list(categorical) or "auto", group=group,
                       feature_name=names)
    if fobj is not None:
        if VERSION >= (4, 0):
            settings["objective"] = fobj
            return lgb.train(settings, data, num_boost_round=rounds)
        return lgb.train(settings, data, num_boost_round=rounds, fobj=fobj)
    return lgb.train(settings, data, num_boost_round=rounds)


def own_objective(scores, data):
    return scores - data.get_label(), np.ones_like(scores)


FOREST = {"boosting": "rf", "bagging_fraction": 0.6, "bagging_freq": 1, "rounds": 3}


def write_models(folder):
    x, score = make_data()
    holed, holed_score = make_data(missing=0.2, seed=8)
    binary = (score > 1.5).astype(int)
    holed_binary = (holed_score > 1.5).astype(int)
    three = np.digitize(score, [0.5, 2.0])
    positive = np.exp(score / 3)
    names = ["income", "number_of_loans", "\u00e9t\u00e9", "house=own"]

    record(folder, "binary_nan.txt",
           train("binary", holed, holed_binary, names=names, sigmoid=1.23457), holed)
    record(folder, "binary_zero.txt",
           train("binary", holed, holed_binary, zero_as_missing=True, sigmoid=0.7), holed)
    record(folder, "binary_categories.txt",
           train("binary", holed, holed_binary, rounds=3, categorical=[1, 3], max_cat_to_onehot=2),
           holed, categorical=[1, 3])
    record(folder, "multiclass_one_hot.txt",
           train("multiclass", x, three, num_class=3, categorical=[3], max_cat_to_onehot=40), x,
           categorical=[3])
    record(folder, "multiclassova.txt", train("multiclassova", x, three, num_class=3, sigmoid=1.7), x)
    record(folder, "regression_forest.txt", train("regression", x, score, **FOREST), x, forest=True)
    record(folder, "poisson_dart.txt",
           train("poisson", x, np.floor(positive), rounds=3, boosting="dart", drop_rate=0.5), x)

    frame = pd.DataFrame({"size": x[:, 0],
                          "colour": pd.Categorical.from_codes(x[:, 1].astype(int),
                                                              ["a", "b c", "d", "e", "f", "\u00fc"]),
                          "count": x[:, 2],
                          "zone": pd.Categorical(x[:, 3].astype(int))})
    codes = np.column_stack([x[:, 0], frame["colour"].cat.codes, x[:, 2], frame["zone"].cat.codes])
    record(folder, "regression_pandas.txt", train("regression", frame, score), codes,
           categorical=[1, 3])
    if not EVERYTHING:
        return
    record(folder, "binary_none.txt",
           train("binary", holed, holed_binary, use_missing=False, is_unbalance=True), holed)
    record(folder, "binary_forest.txt", train("binary", x, binary, sigmoid=2.5, **FOREST), x,
           forest=True)
    record(folder, "binary_goss.txt", train("binary", x, binary, boosting="goss"), x)
    record(folder, "binary_monotone.txt",
           train("binary", x, binary, monotone_constraints=[1, 0, -1, 0]), x)
    record(folder, "multiclass_forest.txt", train("multiclass", x, three, num_class=3, **FOREST), x,
           forest=True)
    record(folder, "multiclass_dart.txt",
           train("multiclass", x, three, num_class=3, boosting="dart", drop_rate=0.5), x)
    shares = 1 / (1 + np.exp(-score))
    record(folder, "cross_entropy.txt", train("cross_entropy", x, shares), x)
    record(folder, "cross_entropy_lambda.txt", train("cross_entropy_lambda", x, shares), x)
    record(folder, "regression_sqrt.txt", train("regression", x, score, reg_sqrt=True), x)
    for objective in ("regression_l1", "huber", "fair", "quantile", "mape"):
        record(folder, objective + ".txt", train(objective, x, score), x)
    record(folder, "gamma.txt", train("gamma", x, positive), x)
    record(folder, "tweedie.txt", train("tweedie", x, np.floor(positive)), x)
    for objective in ("lambdarank", "rank_xendcg"):
        record(folder, objective + ".txt", train(objective, x, three, group=[20] * 10), x)
    record(folder, "custom.txt", train("none", x, score, fobj=own_objective), x)
    record(folder, "single_leaves.txt",
           train("regression", x, score, min_gain_to_split=1e9), x)
    tiny = x * np.array([1e-35, 1, 1e-36, 1])
    record(folder, "around_zero.txt", train("regression", tiny, score, num_leaves=8), tiny)
    train("regression", x, score, linear_tree=True).save_model(str(folder / "refused_linear.txt"))


def main():
    folder = pathlib.Path(sys.argv[1]) / lgb.__version__
    folder.mkdir(parents=True, exist_ok=True)
    write_models(folder)
    files = list(folder.iterdir())
    print(folder, len(files), "files,", sum(file.stat().st_size for file in files), "bytes")


if __name__ == "__main__":
    main()
