"""Trains small models with the installed XGBoost and writes them with what it predicts.

    python make_fixtures.py FOLDER [NAME ...]

writes FOLDER/<XGBoost version>/, or only the models whose file names begin with one of the names.
Needs pandas for names of categories (from 3.1 on). Every model file has a neighbour `<model>.expected`: probe points
and the library's answers, as little-endian numbers:

    "BWX1", uint32 points, features, outputs, prediction width, answers
    float32 points x features
    for each answer: int32 choice of rounds (0 automatic, 1 all, 2 best), int32 first rounds or -1,
        float32 points x outputs (output_margin=True), float32 points x prediction width

Files called refused_* have no neighbour: Boxwood has to refuse them by name.
tests/xgboost_fixtures_test.cpp reads all of it.
"""

import json
import pathlib
import struct
import sys
import warnings

import numpy as np
import xgboost as xgb

warnings.filterwarnings("ignore")
xgb.set_config(verbosity=0)

VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:2])
FEATURES = 4
FLT_MAX = np.finfo(np.float32).max
# Known, unknown, negative, broken and too large ones; zeros of both signs, and just below zero.
CATEGORIES = [0, 1, 2, 3, 5, 6, 41, 0.5, 1.9, -0.0, -1e-45, -0.5, -1, -7, 16777215, 16777216, 3e9,
              1e30]
ONLY = tuple(sys.argv[2:])
SPECIAL = [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, -3e-40, FLT_MAX, -FLT_MAX, 1.0, -1.0]


def make_data(rows=160, missing=0.0, seed=7):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    x[:, 1] = rng.integers(0, 6, size=rows)
    x[:, 2] = rng.integers(0, 2, size=rows)
    score = x[:, 0] + 0.5 * x[:, 1] - x[:, 2] * x[:, 3] + 0.3 * rng.normal(size=rows)
    if missing:
        x[rng.random(x.shape) < missing] = np.nan
    return x, score.astype(np.float32)


def splits_of(model_file):
    """Every (feature, value) at which a split of a model file may change its mind."""
    booster = xgb.Booster(model_file=str(model_file))
    model = json.loads(booster.save_raw("json").decode())["learner"]["gradient_booster"]
    splits = set()
    for tree in model.get("gbtree", model)["model"]["trees"]:
        for node, (left, feature, threshold) in enumerate(zip(
                tree["left_children"], tree["split_indices"], tree["split_conditions"])):
            if left != -1 and tree["split_type"][node] == 0:
                threshold = np.float32(threshold)
                splits.update((feature, value) for value in
                              (np.nextafter(threshold, np.float32(-np.inf)), threshold,
                               np.nextafter(threshold, np.float32(np.inf))))
            elif left != -1:
                splits.update((feature, np.float32(value)) for value in CATEGORIES)
                at = tree["categories_nodes"].index(node)
                begin = tree["categories_segments"][at]
                codes = tree["categories"][begin:begin + tree["categories_sizes"][at]]
                splits.update((feature, np.float32(code)) for code in codes)
    return sorted(splits)


def probes(x, model_file, infinities):
    rng = np.random.default_rng(11)
    rows = [row for row in x[:6]]
    width = x.shape[1]
    some = lambda: x[rng.integers(len(x))].copy()
    for feature, value in splits_of(model_file):
        if np.isinf(value) and not infinities:
            continue
        row = some()
        row[feature] = value
        rows.append(row)
    for value in SPECIAL:
        rows.append(np.full(width, value, dtype=np.float32))
    rows.append(np.full(width, np.nan, dtype=np.float32))
    for feature in range(width):
        row = some()
        row[feature] = np.nan
        rows.append(row)
        if infinities:
            for value in (np.inf, -np.inf):
                row = some()
                row[feature] = value
                rows.append(row)
    return np.array(rows, dtype=np.float32)


def booster_answer(booster, points, rounds, margin):
    """Booster.predict refuses infinite values; inplace_predict takes them.

    Up to 3.2 inplace_predict of dart adds and takes away the intercept at every tree, which rounds
    differently, so dart is never asked about infinities.
    """
    plain = ~np.isinf(points).any(axis=1)
    matrix = xgb.DMatrix(points[plain], feature_names=booster.feature_names,
                         feature_types=booster.feature_types, enable_categorical=True)
    known = booster.predict(matrix, output_margin=margin, iteration_range=rounds)
    answer = np.zeros((len(points),) + known.shape[1:], dtype=np.float32)
    answer[plain] = known
    if not plain.all():
        kind = "margin" if margin else "value"
        inplace = booster.inplace_predict(points, predict_type=kind, iteration_range=rounds,
                                          validate_features=False)
        assert np.array_equal(inplace[plain], known, equal_nan=True), "inplace_predict differs"
        answer[~plain] = inplace[~plain]
    return answer


def write_expected(path, points, answers):
    margins = answers[0][2].reshape(len(points), -1)
    predictions = answers[0][3].reshape(len(points), -1)
    with open(path, "wb") as out:
        out.write(b"BWX1")
        out.write(struct.pack("<5I", len(points), points.shape[1], margins.shape[1],
                              predictions.shape[1], len(answers)))
        out.write(points.astype("<f4").tobytes())
        for choice, first, margin, prediction in answers:
            out.write(struct.pack("<2i", choice, first))
            out.write(margin.astype("<f4").tobytes())
            out.write(prediction.astype("<f4").tobytes())


def wanted(name):
    return not ONLY or name.startswith(ONLY)


def record(folder, name, booster, x, dart=False):
    """Saves a Booster and what it predicts after loading: with all rounds and with the first."""
    if not wanted(name):
        return
    path = folder / name
    booster.save_model(str(path))
    loaded = xgb.Booster(model_file=str(path))
    points = probes(x, path, infinities=not dart)
    answers = []
    total = loaded.num_boosted_rounds()
    for choice, first, rounds in ((0, -1, (0, 0)), (0, 1, (0, 1))):
        if rounds == (0, 1) and total < 2:
            continue
        answers.append((choice, first, booster_answer(loaded, points, rounds, True),
                        booster_answer(loaded, points, rounds, False)))
    best = loaded.attr("best_iteration")
    if best is not None:
        rounds = (0, int(best) + 1)
        answers.append((2, -1, booster_answer(loaded, points, rounds, True),
                        booster_answer(loaded, points, rounds, False)))
    chosen = loaded.attr("boxwood_output")
    if chosen is not None:  # its prediction, and the margins that it is made of
        last = int(chosen)
        answers = [(choice, first, margin[:, :last + 1], prediction[:, last])
                   for choice, first, margin, prediction in answers]
    write_expected(f"{path}.expected", points, answers)


def record_estimator(folder, name, make, x, y):
    """Saves a scikit-learn style model; its own predict after loading is the automatic answer."""
    if not wanted(name):
        return
    model = make()
    kind = "classifier" if isinstance(model, xgb.XGBClassifier) else "regressor"
    if not hasattr(model, "_estimator_type"):  # scikit-learn newer than this XGBoost
        type(model)._estimator_type = kind
    split = len(x) * 2 // 3
    model.fit(x[:split], y[:split], eval_set=[(x[split:], y[split:])], verbose=False)
    path = folder / name
    model.save_model(str(path))
    loaded = type(model)()
    loaded.load_model(str(path))
    booster = xgb.Booster(model_file=str(path))
    points = probes(x, path, infinities=True)
    best = int(booster.attr("best_iteration"))
    assert best + 1 < booster.num_boosted_rounds(), "early stopping did not stop early"
    predicted = loaded.predict_proba(points) if kind == "classifier" else loaded.predict(points)
    if kind == "classifier" and predicted.shape[1] == 2:
        predicted = predicted[:, 1]
    answers = [(0, -1, loaded.predict(points, output_margin=True), predicted)]
    for choice, rounds in ((1, (0, 0)), (2, (0, best + 1))):
        answers.append((choice, -1, booster_answer(booster, points, rounds, True),
                        booster_answer(booster, points, rounds, False)))
    assert np.array_equal(answers[0][2], answers[2][2]), "automatic is not best"
    write_expected(f"{path}.expected", points, answers)


def train(objective, x, label, rounds=2, evals=(), names=None, types=None, stop=None, **parameters):
    matrix = xgb.DMatrix(x, label=label, feature_names=names, feature_types=types)
    settings = {"objective": objective, "max_depth": 2, "eta": 0.4, "seed": 3, "nthread": 1}
    settings.update(parameters)
    evaluated = [(xgb.DMatrix(*pair), "valid") for pair in evals]
    return xgb.train(settings, matrix, num_boost_round=rounds, evals=evaluated,
                     early_stopping_rounds=stop, verbose_eval=False)


DART = {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}


def write_models(folder):
    x, score = make_data()
    holed, holed_score = make_data(missing=0.2, seed=8)
    binary = (score > 1).astype(np.float32)
    holed_binary = (holed_score > 1).astype(np.float32)
    three = np.digitize(score, [0.5, 2.0]).astype(np.float32)
    positive = np.exp(score / 3).astype(np.float32)
    counts = np.floor(positive)
    names = ["income", "number of loans", "has house", "été"]
    types = ["float", "int", "i", "q"]

    record(folder, "binary_logistic_missing.json",
           train("binary:logistic", holed, holed_binary, names=names, types=types), holed)
    record(folder, "binary_logistic_missing.ubj",
           train("binary:logistic", holed, holed_binary, names=names, types=types), holed)
    record(folder, "binary_logistic_dart.ubj",
           train("binary:logistic", holed, holed_binary, rounds=4, **DART), holed, dart=True)
    record(folder, "binary_logistic_dart.json",
           train("binary:logistic", x, binary, rounds=4, normalize_type="forest", **DART), x,
           dart=True)
    record(folder, "binary_logitraw_parallel.ubj",
           train("binary:logitraw", holed, holed_binary, num_parallel_tree=2, subsample=0.6), holed)
    record(folder, "binary_logistic_base_score.json",
           train("binary:logistic", x, binary, base_score=0.137), x)
    record(folder, "multi_softprob_parallel.json",
           train("multi:softprob", x, three, rounds=2, num_class=3, num_parallel_tree=2,
                 subsample=0.7), x)
    record(folder, "multi_softmax_dart.ubj",
           train("multi:softmax", x, three, rounds=3, num_class=3, max_depth=1, **DART), x, dart=True)
    record(folder, "multi_softmax.json",
           train("multi:softmax", holed, np.digitize(holed_score, [0.5, 2.0]), max_depth=1,
                 num_class=3), holed)
    record(folder, "reg_squarederror.json", train("reg:squarederror", x, score, max_depth=3), x)
    record(folder, "reg_squarederror_pruned.json",
           train("reg:squarederror", x, score, max_depth=5, gamma=12, tree_method="exact", rounds=1), x)
    record(folder, "reg_squarederror_two_targets.ubj",
           train("reg:squarederror", x, np.column_stack([score, positive]), max_depth=1), x)
    record(folder, "reg_logistic.ubj",
           train("reg:logistic", x, 1 / (1 + np.exp(-score))), x)
    record(folder, "count_poisson.json", train("count:poisson", x, counts), x)
    record(folder, "reg_gamma.ubj", train("reg:gamma", x, positive), x)
    record(folder, "reg_tweedie_dart.ubj",
           train("reg:tweedie", x, counts, rounds=4, **DART), x, dart=True)
    record(folder, "reg_squaredlogerror.ubj",
           train("reg:squaredlogerror", x, positive, max_depth=1), x)
    record(folder, "reg_absoluteerror.ubj",
           train("reg:absoluteerror", x, score, max_depth=1), x)
    record(folder, "reg_pseudohubererror.ubj",
           train("reg:pseudohubererror", x, score, max_depth=1), x)
    if VERSION >= (2, 0):
        record(folder, "reg_quantileerror.ubj",
               train("reg:quantileerror", x, score, max_depth=1, quantile_alpha=0.3), x)
    record(folder, "zero_rounds.json", train("binary:logistic", x, binary, rounds=0), x)
    record(folder, "zero_rounds_base_score.ubj",
           train("count:poisson", x, counts, rounds=0, base_score=1.7), x)
    record(folder, "single_leaves.json",
           train("reg:squarederror", x, score, gamma=1e9), x)
    if VERSION >= (3, 2):
        record(folder, "single_class.json", train("binary:logistic", x, np.ones(len(x))), x)

    # All there is to learn is whether a value is there, and missing has to go left: from 3.3 on the
    # threshold is minus infinity, which JSON files hold as a bare word.
    hidden = x[:, :1].copy()
    hidden[binary == 0] = np.nan
    left = {"monotone_constraints": "(1)", "tree_method": "hist"}
    for name in ("missing_only.json", "missing_only.ubj"):
        record(folder, name, train("binary:logistic", hidden, binary, **left), hidden)
    extreme = x * np.array([1e-42, 1e37, 1, 1e-38], dtype=np.float32)
    record(folder, "denormal_and_huge.json",
           train("reg:squarederror", extreme, score, max_depth=3, tree_method="exact"), extreme)

    noise = np.random.default_rng(5).integers(0, 2, size=len(x)).astype(np.float32)
    split = len(x) * 2 // 3
    record(folder, "booster_early_stopping.ubj",
           train("binary:logistic", x[:split], noise[:split], rounds=40, eta=1, stop=2,
                 evals=[(x[split:], noise[split:])]), x)
    stop = {"n_estimators": 40, "early_stopping_rounds": 1, "max_depth": 1, "learning_rate": 1.0}
    record_estimator(folder, "sklearn_early_stopping.json",
                     lambda: xgb.XGBClassifier(eval_metric="logloss", **stop), x, noise)
    noisy_three = np.random.default_rng(6).integers(0, 3, size=len(x))
    record_estimator(folder, "sklearn_early_stopping_parallel.ubj",
                     lambda: xgb.XGBClassifier(eval_metric="mlogloss", num_parallel_tree=2,
                                               subsample=0.8, **stop), x, noisy_three)


def write_categorical(folder):
    x, score = make_data(missing=0.1, seed=9)
    rng = np.random.default_rng(10)
    many = x.copy()
    many[:, 2] = rng.integers(0, 41, size=len(x))
    score = (score + np.isin(many[:, 2], [0, 3, 7, 33, 40])).astype(np.float32)
    score[np.isnan(score)] = 0
    binary = (score > np.median(score)).astype(np.float32)
    three = np.digitize(score, np.quantile(score, [0.3, 0.7])).astype(np.float32)
    types = ["q", "c", "c", "float"]

    def fit(objective, label, rounds=2, **parameters):
        matrix = xgb.DMatrix(many, label=label, feature_types=types, enable_categorical=True)
        settings = {"objective": objective, "max_depth": 3, "eta": 0.4, "seed": 3, "nthread": 1,
                    "tree_method": "hist"}
        return xgb.train({**settings, **parameters}, matrix, num_boost_round=rounds)

    for name in ("categorical_sets.json", "categorical_sets.ubj"):
        record(folder, name, fit("binary:logistic", binary, max_cat_to_onehot=1), many)
    record(folder, "categorical_single.ubj",
           fit("reg:squarederror", score, max_cat_to_onehot=100), many)
    record(folder, "categorical_approx.json",
           fit("reg:squarederror", score, max_cat_to_onehot=7, tree_method="approx"), many)
    record(folder, "categorical_dart.ubj",
           fit("binary:logistic", binary, rounds=3, max_cat_to_onehot=1, max_depth=2, **DART),
           many, dart=True)
    record(folder, "categorical_softprob.ubj",
           fit("multi:softprob", three, max_depth=2, max_cat_to_onehot=1, num_class=3), many)
    if VERSION < (3, 1):
        return
    import pandas as pd
    names = np.array(["amber", "blå", "", "four words in it", "e", "f"], dtype=object)
    table = pd.DataFrame({
        "size": x[:, 0],
        "colour": pd.Categorical.from_codes(np.nan_to_num(x[:, 1], nan=-1).astype(int),
                                            pd.Index(names, dtype=object)),
        "flag": pd.Categorical.from_codes(np.nan_to_num(x[:, 2], nan=-1).astype(int),
                                          pd.Index([-3, 70000])),
        "rest": x[:, 3]})
    matrix = xgb.DMatrix(table, label=score, enable_categorical=True)
    booster = xgb.train({"max_depth": 3, "eta": 0.4, "nthread": 1, "max_cat_to_onehot": 1},
                        matrix, num_boost_round=2)
    for name in ("categorical_named.json", "categorical_named.ubj"):
        record(folder, name, booster, x)


def write_more_objectives(folder):
    x, score = make_data(seed=12)
    binary = (score > 1).astype(np.float32)
    positive = np.exp(score / 3).astype(np.float32)
    pair = np.column_stack([score, positive])
    record(folder, "binary_hinge.json", train("binary:hinge", x, binary), x)
    record(folder, "binary_labels.ubj",
           train("binary:logistic", x, np.column_stack([binary, 1 - binary]), max_depth=1), x)
    for name in ("pairwise", "ndcg", "map"):
        matrix = xgb.DMatrix(x, label=binary)
        matrix.set_group([len(x) // 4] * 4)
        settings = {"objective": f"rank:{name}", "max_depth": 2, "nthread": 1, "seed": 3}
        record(folder, f"rank_{name}.ubj", xgb.train(settings, matrix, num_boost_round=2), x)
    record(folder, "survival_cox.json",
           train("survival:cox", x, np.where(binary == 1, positive, -positive)), x)
    matrix = xgb.DMatrix(x)
    matrix.set_float_info("label_lower_bound", positive)
    matrix.set_float_info("label_upper_bound", np.where(binary == 1, positive, np.inf))
    settings = {"objective": "survival:aft", "max_depth": 2, "nthread": 1, "seed": 3}
    record(folder, "survival_aft.ubj", xgb.train(settings, matrix, num_boost_round=3), x)
    record(folder, "random_forest.ubj",
           xgb.XGBRFRegressor(n_estimators=4, max_depth=2, random_state=3, n_jobs=1)
           .fit(x, score).get_booster(), x)
    if VERSION >= (2, 0):
        vectors = {"multi_strategy": "multi_output_tree", "tree_method": "hist"}
        for name in ("vector_leaves.json", "vector_leaves.ubj"):
            record(folder, name, train("reg:squarederror", x, pair, max_depth=3, **vectors), x)
        record(folder, "vector_leaves_softprob.ubj",
               train("multi:softprob", x, np.digitize(score, [0.5, 2.0]), num_class=3, **vectors),
               x)
    if (2, 0) <= VERSION < (3, 4):
        record(folder, "quantiles.json",
               train("reg:quantileerror", x, score, quantile_alpha=np.array([0.2, 0.8])), x)
    if VERSION >= (3, 3):
        record(folder, "expectile.json",
               train("reg:expectileerror", x, score, expectile_alpha=0.3), x)
        for number, strategy in ((0, "one_output_per_tree"), (1, "multi_output_tree"),
                                 (2, "one_output_per_tree"), (2, "multi_output_tree")):
            booster = train("reg:expectileerror", x, score, expectile_alpha=np.array([0.1, 0.5, 0.8]),
                            max_depth=3, multi_strategy=strategy, tree_method="hist")
            booster.set_attr(boxwood_output=str(number))
            record(folder, f"expectiles_{number}_{strategy[:3]}.json", booster, x)


def write_refused(folder):
    x, score = make_data(rows=60)
    binary = (score > 1).astype(np.float32)

    def save(name, booster):
        if not wanted(f"refused_{name}"):
            return
        booster.save_model(str(folder / f"refused_{name}"))

    save("gblinear.json", train("reg:squarederror", x, score, rounds=1, booster="gblinear"))
    save("hinge_labels.json",
         train("binary:hinge", x, np.column_stack([binary, 1 - binary]), rounds=1, max_depth=1))
    save("quantiles.json",
         train("reg:quantileerror", x, score, rounds=1, max_depth=1,
               quantile_alpha=np.array([0.2, 0.8])))
    save("expectiles.json",
         train("reg:expectileerror", x, score, rounds=1, max_depth=1,
               expectile_alpha=np.array([0.2, 0.8])))


def main():
    folder = pathlib.Path(sys.argv[1]) / xgb.__version__
    folder.mkdir(parents=True, exist_ok=True)
    write_models(folder)
    write_categorical(folder)
    write_more_objectives(folder)
    if VERSION >= (3, 4):
        write_refused(folder)
    files = list(folder.iterdir())
    print(f"{folder}: {len(files)} files, {sum(file.stat().st_size for file in files)} bytes")


if __name__ == "__main__":
    main()
