"""Fresh ONNX models, random ones and those of the converters, against the installed onnxruntime.

    python tests/onnx_live_test.py [--seed N] [--models N] [--command PATH]

Raw scores, outputs and classes have to agree bit for bit on rows at every threshold and its two
neighbours, at infinities, missing values, zeros of both signs, denormals and category codes; the
points of `boxwood explain` are put to onnxruntime too.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import live
import numpy as np
import onnx
import onnx_models
import onnxruntime

warnings.filterwarnings("ignore")


def make_data(rng, categories=False):
    x = rng.normal(size=(200, 4)).astype(np.float32)
    if categories:
        x[:, 0] = rng.integers(0, 12, size=len(x))
    score = x[:, 0] * (0 if categories else 1) + x[:, 1] * x[:, 2] + rng.normal(size=len(x)) * 0.2
    if categories:
        score += np.isin(x[:, 0], [1, 3, 4, 8]) * 2
    return x, score


def sklearn_model(rng):
    from skl2onnx import to_onnx
    from sklearn import ensemble, tree
    x, score = make_data(rng)
    classes = int(rng.integers(2, 5))
    label = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    size, depth = int(rng.integers(1, 20)), int(rng.integers(1, 6))
    made = [ensemble.RandomForestClassifier(size, max_depth=depth),
            ensemble.ExtraTreesClassifier(size, max_depth=depth),
            ensemble.GradientBoostingClassifier(n_estimators=size, max_depth=depth),
            tree.DecisionTreeClassifier(max_depth=depth),
            ensemble.RandomForestRegressor(size, max_depth=depth),
            ensemble.GradientBoostingRegressor(n_estimators=size, max_depth=depth)]
    model = made[int(rng.integers(len(made)))].set_params(random_state=int(rng.integers(1 << 30)))
    model.fit(x, label if hasattr(model, "classes_") or "Classifier" in type(model).__name__ else score)
    options = {id(model): {"zipmap": False}} if rng.random() < 0.5 and hasattr(model, "classes_") else None
    return type(model).__name__, to_onnx(model, x[:1], options=options)


def converted(convert, model, x, label):
    from onnxmltools.convert.common.data_types import FloatTensorType
    model.fit(x, label)
    return type(model).__name__, convert(model, initial_types=[("X", FloatTensorType([None, 4]))])


def xgboost_model(rng):
    import xgboost
    from onnxmltools import convert_xgboost
    x, score = make_data(rng)
    x[rng.random(x.shape) < 0.1] = np.nan
    settings = {"n_estimators": int(rng.integers(1, 15)), "max_depth": int(rng.integers(1, 5))}
    if rng.random() < 0.3:
        return converted(convert_xgboost, xgboost.XGBRegressor(**settings), x, score)
    edges = [0] if rng.random() < 0.5 else [-0.5, 0.5]
    return converted(convert_xgboost, xgboost.XGBClassifier(**settings), x, np.digitize(score, edges))


def lightgbm_model(rng):
    import lightgbm
    from onnxmltools import convert_lightgbm
    categories = rng.random() < 0.5
    x, score = make_data(rng, categories)
    settings = {"n_estimators": int(rng.integers(1, 10)), "num_leaves": int(rng.integers(2, 8)),
                "min_child_samples": 5, "verbose": -1, "min_data_per_group": 1, "cat_smooth": 1,
                "max_cat_to_onehot": 1}
    kind = lightgbm.LGBMRegressor if rng.random() < 0.3 else lightgbm.LGBMClassifier
    model = kind(**settings)
    edges = [0] if rng.random() < 0.5 else [-0.5, 0.5]
    label = score if kind is lightgbm.LGBMRegressor else np.digitize(score, edges)
    fit = model.fit
    model.fit = lambda a, b: fit(a, b, categorical_feature=[0] if categories else [])
    return converted(convert_lightgbm, model, x, label)


def catboost_model(rng):
    import catboost
    x, score = make_data(rng)
    settings = {"iterations": int(rng.integers(1, 15)), "depth": int(rng.integers(1, 5)), "verbose": 0,
                "allow_writing_files": False}
    classes = int(rng.integers(1, 4))
    label = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    kind = catboost.CatBoostRegressor if classes == 1 else catboost.CatBoostClassifier
    model = kind(**settings).fit(x, score if classes == 1 else label)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.onnx")
        model.save_model(file, format="onnx")
        return type(model).__name__, onnx.load(file)


def make_model(rng, index):
    converters = [sklearn_model, xgboost_model, lightgbm_model, catboost_model]
    if index % 3 == 0:
        return converters[index // 3 % len(converters)](rng)
    if index % 3 == 1:
        return "lists", onnx_models.random_lists(rng)
    return "newest", onnx_models.random_newest(rng)


def write_points(file, points):
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([f"f{i}" for i in range(points.shape[1])])
        for point in points:
            writer.writerow(["" if value != value else repr(value.item()) for value in point])


def run(command, *arguments):
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if result.returncode not in (0, 3):  # 3: a limit was reached
        raise RuntimeError(result.stderr.strip())
    return result.stdout


def numbers(cells):
    return np.array([[float(cell) for cell in row] for row in cells], dtype=np.float64)


def differ(name, expected, actual):
    if expected.shape != actual.shape:
        return [f"{name}: {actual.shape}, onnxruntime has {expected.shape}"]
    # A float32 is printed with as many digits as it needs, which as a double is another number.
    single = expected == expected.astype(np.float32)
    read = np.where(single, actual.astype(np.float32).astype(np.float64), actual)
    bad = ~((expected == read) | (np.isnan(expected) & np.isnan(actual)))
    return [f"{name} of point {p}: {actual[p, k]!r}, onnxruntime says {expected[p, k]!r}"
            for p, k in np.argwhere(bad)[:3]]


def check_predictions(command, model, path, points, folder):
    table = folder / "points.csv"
    write_points(table, points)
    binary = onnx_models.is_binary(model)
    raw = numbers(line.split(",") for line in
                  run(command, "predict", path, "--data", table, "--raw").splitlines()[1:])
    newest = onnx_models.tree_node(model).op_type == "TreeEnsemble"
    _, expected = onnx_models.Session(onnx_models.without_transform(model)).ask(points)
    seen = raw if newest else raw.astype(np.float32).astype(np.float64)
    problems = differ("score", expected[:, 1:] if binary else expected, seen)

    labels, scores = onnx_models.Session(model).ask(points)
    answer = run(command, "predict", path, "--data", table)
    header, *rows = [re.split(r" {2,}", line.strip()) for line in answer.splitlines()]
    first = 2 if "class" in header else 1
    outputs = numbers(row[first:] for row in rows)
    if binary and outputs.shape[1] == 1:
        scores = scores[:, 1:]
    if binary and points.dtype == np.float64:  # 1 - p is rounded at another place
        scores, outputs = scores[:, -1:], outputs[:, -1:]
    problems += differ("output", scores, outputs)
    if labels:
        wrong = [i for i, row in enumerate(rows) if row[1] != labels[i]]
        problems += [f"class of point {i}: {rows[i][1]}, onnxruntime says {labels[i]}" for i in wrong[:3]]
    return problems


def check_answers(rng, command, model, path, points, folder):
    """The point that explain returns has the wanted class, or an output in the wanted range."""
    # Rows at thresholds and special values come first; the last are ordinary ones.
    finite = points[np.isfinite(points).all(axis=1) & (np.abs(points) < 1e6).all(axis=1)]
    start = finite[int(rng.integers(len(finite)))][None]
    write_points(folder / "start.csv", start)
    session = onnx_models.Session(model)
    labels, scores = session.ask(start)
    known = onnx_models.attributes_of(onnx_models.tree_node(model))
    names = [str(c.decode() if isinstance(c, bytes) else c)
             for c in known.get("classlabels_strings") or known.get("classlabels_int64s") or []]
    if labels:
        wanted = str(rng.choice([name for name in names if name != labels[0]]))
        target = ["--class", wanted]
    elif known.get("post_transform") in (2, b"SOFTMAX", "SOFTMAX") and scores.shape[1] > 1:
        # Softmax: classes by number.
        wanted = int(rng.integers(scores.shape[1]))
        target = ["--class", str(wanted)]
    else:
        _, spread = session.ask(finite)
        least = float(np.quantile(spread[:, 0], 0.7))
        target = ["--at-least", repr(least)]
        target += ["--output-index", "0"] if spread.shape[1] > 1 else []
    answer = json.loads(run(command, "explain", path, "--data", folder / "start.csv", *target,
                            "--format", "json", "--time-limit", "5", "--verify"))[0]
    if answer["point"] is None:
        return [] if answer["status"] in ("infeasible", "unknown") else [f"explain: {answer}"]
    if not answer["verified"]:
        return [f"explain: {answer['faults']}"]
    values = [np.nan if value is None else float(value) for value in answer["point"]]
    point = np.array([values]).astype(points.dtype)
    got, output = session.ask(point)
    if labels and got[0] != wanted:
        return [f"explain: {got[0]} instead of {wanted} at {point}"]
    if not labels and "--class" in target and output[0].argmax() != wanted:
        return [f"explain: {output[0].argmax()} instead of {wanted} at {point}"]
    if "--at-least" in target and not output[0, 0] >= least:
        return [f"explain: {output[0, 0]!r} instead of {least!r} at {point}"]
    return []


def main():
    flags = live.flags(f"onnxruntime {onnxruntime.__version__}", 36)
    passed = failed = compared = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for index in range(flags.models):
            rng = np.random.default_rng([flags.seed, index])
            kind, model = make_model(rng, index)
            path = folder / f"model{index}.onnx"
            path.write_bytes(model.SerializeToString())
            points = onnx_models.probes(rng, model)
            try:
                problems = check_predictions(flags.command, model, path, points, folder)
                problems += check_answers(rng, flags.command, model, path, points, folder)
            except (RuntimeError, AssertionError) as error:
                problems = [str(error)]
            compared += len(points)
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print(f"model {index} ({kind}): {problem}")
    print(f"{compared} points compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
