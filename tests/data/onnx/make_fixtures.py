"""Small ONNX models of the installed converters, and what onnxruntime says about them.

    python tests/data/onnx/make_fixtures.py models FOLDER [--random]
    python tests/data/onnx/make_fixtures.py answers FOLDER

The first writes models into tests/data/onnx/<version of skl2onnx>, with --random also some of every
operator that no converter writes. The second asks the installed onnxruntime, which may be newer, about
all models of a folder.

Beside each model lies MODEL.expected, a text: a line "float32", "float64" or "int64", the number of
raw scores and of outputs, then a line for each row: its values, the raw scores (before the transform),
the outputs, all as hexadecimal numbers, and the class by name ("-": none).
"""

import argparse
import pathlib
import sys
import warnings

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import onnx_live_test as live  # noqa: E402
import onnx_models  # noqa: E402

warnings.filterwarnings("ignore")


def hist_model(rng):
    from skl2onnx import to_onnx
    from sklearn import ensemble
    x, score = live.make_data(rng)
    classes = int(rng.integers(1, 4))
    label = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    x[rng.random(x.shape) < 0.1] = np.nan
    kind = (ensemble.HistGradientBoostingRegressor if classes == 1 else
            ensemble.HistGradientBoostingClassifier)
    model = kind(max_iter=3, max_leaf_nodes=6).fit(x, score if classes == 1 else label)
    return kind.__name__, to_onnx(model, x[:1])


def record(path):
    rng = np.random.default_rng(3)
    model = onnx.load(path)
    points = onnx_models.probes(rng, model, most=150)
    points = points[sorted(rng.permutation(len(points))[:40])]
    binary = onnx_models.is_binary(model)
    _, raw = onnx_models.Session(onnx_models.without_transform(model)).ask(points)
    labels, outputs = onnx_models.Session(model).ask(points)
    if binary:
        raw, outputs = raw[:, 1:], outputs[:, 1:]
    with open(f"{path}.expected", "w", encoding="utf-8") as out:
        out.write(f"{points.dtype} {raw.shape[1]} {outputs.shape[1]}\n")
        for i, point in enumerate(points):
            numbers = [*point, *raw[i], *outputs[i]]
            words = [float(number).hex() for number in numbers]
            out.write(" ".join(words) + " " + (labels[i] if labels else "-") + "\n")


def write_models(folder, with_random):
    folder.mkdir(parents=True, exist_ok=True)
    makers = [live.sklearn_model, live.xgboost_model, live.lightgbm_model, live.catboost_model,
              hist_model]
    wanted = {}
    for maker in makers:
        for seed in range(5):
            try:
                kind, model = maker(np.random.default_rng([seed, 7]))
            except (ImportError, ValueError, TypeError) as error:
                print(f"left out: {maker.__name__}: {str(error)[:100]}")
                break
            values = onnx_models.attributes_of(onnx_models.tree_node(model))
            key = f"{kind}_{values.get('post_transform', b'NONE').decode()}".lower()
            if len(model.SerializeToString()) < 16000:
                wanted.setdefault(key, model)
    for seed in range(24 if with_random else 0):
        for name in ("lists", "newest"):
            make = getattr(onnx_models, f"random_{name}")
            model = make(np.random.default_rng([seed, len(name)]))
            if len(model.SerializeToString()) < 6000:
                wanted[f"{name}_{seed}"] = model
    for name, model in wanted.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["models", "answers"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--random", action="store_true")
    flags = parser.parse_args()
    if flags.what == "models":
        write_models(flags.folder, flags.random)
    else:
        for path in sorted(flags.folder.glob("*.onnx")):
            record(path)


if __name__ == "__main__":
    main()
