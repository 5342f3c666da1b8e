"""Fresh random models from the installed CatBoost against `boxwood predict`, and its answers
against CatBoost.

    python tests/catboost_live_test.py [--seed N] [--models N] [--command PATH]

Raw scores, probabilities and predictions have to be the same doubles. Probe points are training rows, every border with its two
float32 neighbours and the doubles beside it, infinities, missing values, zeros of both signs,
denormals, huge values, and categories that the model has never seen.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import catboost as cb
import live
import numpy as np

np.seterr(over="ignore")

SPECIAL = [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38, 1e300, 1e30,
           math.inf, -math.inf]
BINARY = ["Logloss", "CrossEntropy", "Focal:focal_alpha=0.4;focal_gamma=2"]
MULTI = ["MultiClass", "MultiClassOneVsAll"]
NUMBERS = ["RMSE", "MAE", "Quantile:alpha=0.3", "LogLinQuantile", "MAPE", "Lq:q=3", "Huber:delta=1",
           "Expectile:alpha=0.4", "LogCosh", "Poisson", "Tweedie:variance_power=1.4", "MultiRMSE",
           "MultiQuantile:alpha=0.2,0.7", "QueryRMSE", "YetiRank"]
WORDS = ["Bonn", "Köln", "a,b", 'say "no"', "", "x" * 17, "y" * 40, "z" * 130, "nan", "7", "-7"]
UNSEEN = "never seen"


def make_columns(rng):
    rows = int(rng.integers(60, 260))
    numeric = []
    for _ in range(int(rng.integers(1, 5))):
        column = rng.normal(size=rows) * 10.0 ** rng.integers(-3, 4)
        if rng.random() < 0.4:
            column = rng.integers(0, 8, size=rows).astype(float)
        if rng.random() < 0.1:
            column = column * 1e-42
        if rng.random() < 0.4:
            column[rng.random(rows) < rng.choice([0.05, 0.4])] = np.nan
        numeric.append(list(column.astype(np.float32).astype(float)))
    categorical = []
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1]))):
        count = int(rng.choice([2, 3, 8, 40]))
        labels = WORDS[:count] if rng.random() < 0.6 else list(range(-2, count - 2))
        categorical.append([labels[i] for i in rng.integers(0, len(labels), size=rows)])
    columns = numeric + categorical
    order = rng.permutation(len(columns))
    return [columns[i] for i in order], [k for k, i in enumerate(order) if i >= len(numeric)]


def score_of(rng, columns, cats):
    score = rng.normal(size=len(columns[0])) * 0.3
    for k, column in enumerate(columns):
        if k in cats:
            effect = {value: rng.normal() for value in sorted(set(map(str, column)))}
            score += [effect[str(value)] for value in column]
        else:
            filled = np.nan_to_num(np.array(column))
            score += rng.normal() * filled / (np.abs(filled).mean() + 1e-300)
    return score


def make_target(rng, loss, score):
    if loss in ("Logloss", BINARY[2]):
        labels = [[0, 1], ["no", "yes"], [-2.5, 1.5], [False, True]][rng.integers(4)]
        return [labels[int(s > np.median(score))] for s in score]
    if loss == "CrossEntropy":
        return 1 / (1 + np.exp(-score))
    if loss in MULTI:
        count = int(rng.integers(3, 6))
        names = [f"class{k}" for k in range(count)] if rng.random() < 0.5 else list(range(count))
        cut = np.digitize(score, np.quantile(score, np.arange(1, count) / count))
        return [names[k] for k in cut]
    if loss == "MultiRMSE":  # of three targets
        return np.column_stack([score, np.abs(score), rng.normal(size=len(score))])
    if loss.startswith(("Poisson", "Tweedie")):
        return np.floor(np.exp(np.clip(score, -3, 3)))
    if loss == "YetiRank":
        return np.clip(np.round(score), 0, 4)
    return score


def make_parameters(rng, loss, columns, cats):
    parameters = {"loss_function": loss, "iterations": int(rng.integers(1, 14)), "verbose": False,
                  "allow_writing_files": False, "thread_count": 2,
                  "max_ctr_complexity": int(rng.choice([1, 2, 4])),
                  "random_seed": int(rng.integers(1 << 30)), "max_bin": int(rng.choice([4, 32, 254])),
                  "grow_policy": str(rng.choice(["SymmetricTree", "Depthwise", "Lossguide"],
                                                p=[0.6, 0.2, 0.2])),
                  "depth": int(rng.integers(1, 7)), "learning_rate": float(rng.uniform(0.05, 1)),
                  "nan_mode": str(rng.choice(["Min", "Max"])),
                  "one_hot_max_size": int(rng.choice([1, 2, 10, 255]))}

    def sometimes(share, **more):
        if rng.random() < share:
            parameters.update(more)

    if cats and rng.random() < 0.5:
        parameters["simple_ctr"] = [str(rng.choice([
            "Borders:CtrBorderCount=9:Prior=0.3", "Borders:TargetBorderCount=3",
            "Buckets:TargetBorderCount=2:Prior=0.1", "BinarizedTargetMeanValue:TargetBorderCount=4",
            "Counter:CtrBorderCount=31:Prior=0.7"]))]
    if cats and loss == "MultiRMSE":  # a file cannot hold tables of several targets
        parameters["simple_ctr"] = ["Counter:CtrBorderCount=31:Prior=0.7"]
        parameters["combinations_ctr"] = ["Counter:CtrBorderCount=31:Prior=0.7"]
    symmetric = parameters["grow_policy"] == "SymmetricTree"
    if symmetric and not cats and loss in ("RMSE", "Logloss"):
        sometimes(0.4, monotone_constraints=[int(v) for v in rng.integers(-1, 2, len(columns))])
    if symmetric:
        sometimes(0.2, boosting_type="Ordered")
        sometimes(0.1, langevin=True, diffusion_temperature=1000)
    if parameters["grow_policy"] == "Lossguide":
        parameters["max_leaves"] = int(rng.integers(2, 20))
    sometimes(0.3, rsm=0.6)
    sometimes(0.3, leaf_estimation_iterations=3)
    sometimes(0.2, bootstrap_type="MVS", subsample=0.7)
    sometimes(0.2, has_time=True)
    sometimes(0.2, counter_calc_method="Full")
    if loss == "Logloss" or loss in MULTI:
        sometimes(0.3, auto_class_weights="Balanced")
    if loss == "RMSE":
        sometimes(0.3, boost_from_average=False)
    return parameters


def make_pool(columns, cats, names, target=None, **more):
    return cb.Pool([list(row) for row in zip(*columns)], label=target, cat_features=cats,
                   feature_names=names, **more)


def train(rng):
    """CatBoost refuses some mixtures of settings; then another one is drawn."""
    for _ in range(20):
        columns, cats = make_columns(rng)
        score = score_of(rng, columns, cats)
        loss = str(rng.choice([str(rng.choice(BINARY)), str(rng.choice(MULTI)),
                               str(rng.choice(NUMBERS))]))
        target = make_target(rng, loss, score)
        parameters = make_parameters(rng, loss, columns, cats)
        names = [f"column {k}" for k in range(len(columns))] if rng.random() < 0.5 else None
        more = {}
        if loss in ("QueryRMSE", "YetiRank"):
            more["group_id"] = np.arange(len(score)) // 7
        elif rng.random() < 0.3:
            more["weight"] = rng.uniform(0.1, 3, size=len(score))
        kind = cb.CatBoostClassifier if loss in BINARY + MULTI else cb.CatBoostRegressor
        kind = cb.CatBoostRanker if "group_id" in more else kind
        try:
            pool = make_pool(columns, cats, names, target, **more)
            model = kind(**parameters)
            if not more and loss in BINARY + ["RMSE"] and rng.random() < 0.3:
                noise = make_pool(columns, cats, names, list(rng.permutation(target)))
                model.fit(pool, eval_set=noise, early_stopping_rounds=3)
            else:
                model.fit(pool)
        except cb.CatBoostError as problem:
            print(f"  not trained: {str(problem).splitlines()[0][:120]}")
            continue
        if loss in ("RMSE", "Logloss") and rng.random() < 0.2:
            model.set_scale_and_bias(float(rng.choice([-0.7, 0.3, 3])), float(rng.normal()))
        return model, parameters, pool, columns, cats, names
    raise RuntimeError("CatBoost refused twenty mixtures of settings")


def known_categories(document, full, columns):
    """For each categorical feature the texts that it knows and Boxwood's labels of them, in the
    order of their codes, worked out from the file: hashes of single categories, and keys of tables
    of one feature, which are multiples of hashes. Tables of combinations have every training row.
    `full` is the same model saved together with the strings."""
    info = document["features_info"]
    strings = {e["hash"]: e["value"] for e in full["features_info"].get("cat_features_hash") or []}
    shown = {e["hash"]: e["value"] for e in info.get("cat_features_hash") or []}
    known = {f["feature_index"]: {v % 2**32 for v in f["values"]}
             for f in info.get("categorical_features", []) if f.get("values")}
    undo = pow(0x4906BA494954CB65, -2, 2**64)
    hashes_of = {text: number for number, text in strings.items()}
    places = {f["feature_index"]: f["flat_feature_index"] for f in info.get("categorical_features", [])}
    for ctr in info.get("ctrs", []):
        if len(ctr["elements"]) > 1:
            for element in ctr["elements"]:
                index = element.get("cat_feature_index")
                if element["combination_element"] == "cat_feature_value":
                    texts = map(str, columns[places[index]])
                    known.setdefault(index, set()).update(hashes_of[text] for text in texts)
                elif index is not None:
                    known.setdefault(index, set()).add(element["value"] % 2**32)
            continue
        table = document["ctr_data"][ctr["identifier"]]
        keys = [int(k) for k in table["hash_map"][::table["hash_stride"]]]
        hashes = {key * undo % 2**64 % 2**32 for key in keys if key != 2**64 - 1}
        known.setdefault(ctr["elements"][0]["cat_feature_index"], set()).update(hashes)
    if len(info.get("categorical_features", [])) == 1 and known:
        next(iter(known.values())).update(shown)
    labels = {}
    for feature in info.get("categorical_features", []):
        named = [(shown.get(h, f"#{h}") or "(empty)", strings[h])
                 for h in known.get(feature["feature_index"], ())]
        named.sort(key=lambda entry: entry[0].encode())
        labels[feature["flat_feature_index"]] = {text: label for label, text in named}
    return labels


def make_points(rng, document, columns, cats, known):
    rows = [list(row) for row in zip(*columns)]
    points = [rows[int(rng.integers(len(rows)))] for _ in range(20)]

    def put(feature, value):
        row = list(rows[int(rng.integers(len(rows)))])
        row[feature] = value
        points.append(row)

    for feature in document["features_info"].get("float_features", []):
        borders = np.array(feature["borders"], dtype=np.float32)
        for border in rng.permutation(borders)[:60]:
            wide = float(border)
            for value in (np.nextafter(border, np.float32(-np.inf)), border,
                          np.nextafter(border, np.float32(np.inf)), np.nextafter(wide, -np.inf),
                          np.nextafter(wide, np.inf)):
                put(feature["flat_feature_index"], float(value))
        for value in [*SPECIAL, math.nan]:
            put(feature["flat_feature_index"], value)
    for feature in cats:
        for value in [*known.get(feature, {}), UNSEEN, *WORDS]:
            put(feature, value)
    return points


def write_points(table, names, points, cats, known):
    def cell(feature, value):
        if feature not in cats:
            return "nan" if math.isnan(value) else repr(float(value))
        labels = known.get(feature, {})
        if not labels:
            return "0"
        return '"' + labels.get(str(value), "(other)").replace('"', '""') + '"'

    with open(table, "w", encoding="utf-8") as out:
        out.write(",".join(names) + "\n")
        for point in points:
            out.write(",".join(cell(k, value) for k, value in enumerate(point)) + "\n")


def run(command, *words):
    result = subprocess.run([command, *map(str, words)], capture_output=True, text=True, timeout=300)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, words))}: {result.stderr.strip()}")
    return result.stdout


def predict(model, pool, prediction_type):
    """CatBoostRanker's own predict knows no types."""
    return cb.CatBoost.predict(model, pool, prediction_type=prediction_type)


def raw_differences(model, pool, command, file, table):
    expected = np.asarray(predict(model, pool, "RawFormulaVal"), dtype=np.float64)
    expected = expected.reshape(pool.num_row(), -1)
    _, *lines = run(command, "predict", file, "--data", table, "--raw").splitlines()
    actual = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    if expected.shape != actual.shape:
        return [f"{actual.shape} scores, CatBoost has {expected.shape}"]
    wrong = np.argwhere(expected.view(np.uint64) != actual.view(np.uint64))
    return [f"point {p}, score {k}: {actual[p, k]!r}, CatBoost says {expected[p, k]!r}"
            for p, k in wrong[:3]]


def output_differences(model, pool, command, file, table, loss):
    header, *lines = run(command, "predict", file, "--data", table).splitlines()
    cells = [line.split() for line in lines]
    problems = []
    if loss in BINARY + MULTI:
        classes = np.ravel(predict(model, pool, "Class"))
        for p, label in enumerate(classes):
            said = cells[p][1]
            if said != str(label):
                problems.append(f"point {p}: class {said}, CatBoost says {label}")
        expected, first = predict(model, pool, "Probability"), 2
    else:
        power = loss.startswith(("Poisson", "Tweedie"))
        expected = predict(model, pool, "Exponent" if power else "RawFormulaVal")
        first = 1
    expected = np.asarray(expected).reshape(len(cells), -1)
    actual = np.array([[float(cell) for cell in row[first:]] for row in cells])
    if actual.shape != expected.shape:
        return problems + [f"{actual.shape} outputs, CatBoost has {expected.shape}"]
    return (problems + [f"point {p}, output {k}: {actual[p, k]!r}, CatBoost says {expected[p, k]!r}"
                        for p, k in np.argwhere(actual != expected)])[:3]


def explain_differences(rng, model, command, file, table, points, cats, names, known, loss):
    """The answer's point, given to CatBoost, has what was asked for."""
    row = int(rng.integers(20))
    pool = make_pool(list(zip(*[points[row]])), cats, names)
    question = []
    if loss in MULTI + BINARY:
        now = np.ravel(predict(model, pool, "Class"))[0]
        labels = [str(label) for label in model.classes_]
        wanted = next(label for label in labels if label != str(now))
        question = ["--class", wanted if loss in MULTI else f"{1 - labels.index(str(now))}"]
        if loss not in MULTI:
            question = []
    else:
        output = np.ravel(model.predict(pool))
        index = int(rng.integers(len(output)))
        least = float(output[index]) + abs(float(output[index])) * 0.05
        question = ["--at-least", repr(least)]
        if len(output) > 1:
            question += ["--output-index", str(index)]
    answer = json.loads(run(command, "explain", file, "--data", table, "--row", row, "--format",
                            "json", "--verify", "--time-limit", "5", *question))[0]
    if not answer["verified"]:
        return [f"row {row}: the answer does not stand: {answer['faults']}"]
    if answer["point"] is None:
        return []
    point = []
    for k, value in enumerate(answer["point"]):
        value = math.nan if value is None else float(value)
        if k in cats:
            texts = list(known.get(k, {}))
            value = texts[int(value)] if int(value) < len(texts) else UNSEEN
        point.append(value)
    pool = make_pool(list(zip(*[point])), cats, names)
    if loss in MULTI + BINARY:
        then = np.ravel(predict(model, pool, "Class"))[0]
        reached = str(then) == wanted
        return [] if reached else [f"row {row}: {wanted} was asked for, CatBoost says {then}"]
    then = float(np.ravel(model.predict(pool))[index])
    return [] if then >= least else [f"row {row}: at least {least} was asked for, CatBoost says {then}"]


def check_model(rng, index, folder, command):
    model, parameters, pool, columns, cats, names = train(rng)
    loss = parameters["loss_function"]
    full, file = folder / f"full{index}.json", folder / f"model{index}.json"
    model.save_model(str(full), format="json", pool=pool)
    combined = any(len(ctr["elements"]) > 1
                   for ctr in json.loads(full.read_text(encoding="utf-8"))["features_info"].get("ctrs", []))
    if combined or rng.random() < 0.7:  # combinations need the strings
        file = full
    else:
        model.save_model(str(file), format="json")
    document = json.loads(file.read_text(encoding="utf-8"))
    if file != full and index % 2:  # the binary format has no strings either
        file = folder / f"model{index}.cbm"
        model.save_model(str(file))
    known = known_categories(document, json.loads(full.read_text(encoding="utf-8")), columns)
    points = make_points(rng, document, columns, cats, known)
    table = folder / "points.csv"
    write_points(table, names or [f"f{k}" for k in range(len(columns))], points, cats, known)
    probes = make_pool(list(zip(*points)), cats, names)
    problems = raw_differences(model, probes, command, file, table)
    single = make_pool(list(zip(*points[:1])), cats, names)
    if np.any(predict(model, single, "RawFormulaVal") !=
              predict(model, probes, "RawFormulaVal")[:1]):
        problems.append("CatBoost itself says different things of one row and of many")
    problems += output_differences(model, probes, command, file, table, loss)
    problems += explain_differences(rng, model, command, file, table, points, cats, names, known,
                                    loss)
    return problems, parameters, len(points)


def main():
    flags = live.flags(f"CatBoost {cb.__version__}", 40)
    passed = failed = points_checked = 0
    with tempfile.TemporaryDirectory() as name:
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            parameters, count = {}, 0
            try:
                problems, parameters, count = check_model(rng, index, pathlib.Path(name),
                                                          flags.command)
            except RuntimeError as error:
                problems = [str(error)]
            points_checked += count
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print(f"model {index} ({parameters}): {problem}")
    print(f"{points_checked} points compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
