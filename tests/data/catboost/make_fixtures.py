"""Trains small models with the installed CatBoost and writes them with what it predicts.

    python make_fixtures.py FOLDER

writes FOLDER/<CatBoost version>/. Every model file `<name>.json` has a neighbour
`<name>.expected`, JSON as well:

    rows     probe points: numbers in full digits, "nan", "inf", "-inf"; categories as strings
    raw      raw scores of each point, as hexadecimal doubles
    outputs  probabilities or predictions of each point, likewise
    classes  the class of each point; classifiers only
    rounds   {"2": raw scores of the first two rounds}

Some models have a neighbour `<name>.cbm`, the same model in CatBoost's binary format.
Notes about the machine that built CatBoost or ran it are cut out of the models. Files called
refused_* have no neighbour: Boxwood has to refuse them by name. tests/catboost_fixtures_test.cpp
reads all of it.
"""

import json
import math
import pathlib
import re
import sys

import catboost as cb
import numpy as np

VERSION = tuple(int(part) for part in cb.__version__.split(".")[:2])
SPECIAL = [0.0, -0.0, 1e-45, -1e-45, 3.4028234663852886e38, -3.4028234663852886e38, 1e300, math.inf,
           -math.inf, math.nan]
CITIES = ["Bonn", "Köln", "Ulm", 'say "no"', "", "x" * 20, "y" * 40, "z" * 70]
NAMES = ["income", "été", "city", "zip"]
QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "random_seed": 5,
         "iterations": 4, "depth": 2, "learning_rate": 0.7, "max_ctr_complexity": 1}


def make_data(rows=200):
    rng = np.random.default_rng(3)
    income = rng.normal(size=rows).astype(np.float32).astype(float)
    counts = rng.integers(0, 6, size=rows).astype(float)
    city = [CITIES[i] for i in rng.integers(0, len(CITIES), size=rows)]
    code = [int(i) for i in rng.integers(-3, 9, size=rows)]
    score = income + 0.4 * counts + np.array([len(c) % 3 for c in city]) - np.array(code) % 4
    return [list(row) for row in zip(income, counts, city, code)], score


def with_holes(rows):
    rng = np.random.default_rng(4)
    return [[math.nan if k < 2 and rng.random() < 0.2 else v for k, v in enumerate(row)]
            for row in rows]


def numbers_only(rows):
    return [row[:2] for row in rows]


def probes(document, rows, cats):
    rng = np.random.default_rng(6)
    points = [list(rows[int(i)]) for i in rng.integers(0, len(rows), size=8)]

    def put(feature, value):
        row = list(rows[int(rng.integers(len(rows)))])
        row[feature] = value
        points.append(row)

    for feature in document["features_info"].get("float_features", []):
        for border in np.array(feature["borders"], dtype=np.float32):
            for value in (np.nextafter(border, np.float32(-np.inf)), border,
                          np.nextafter(border, np.float32(np.inf))):
                put(feature["flat_feature_index"], float(value))
        for value in SPECIAL:
            put(feature["flat_feature_index"], value)
    for feature in cats:
        for value in [*CITIES, *range(-3, 10), "never seen"]:
            put(feature, value)
    return points


def trimmed(text):
    """The model without notes about machines and times, and without indentation."""
    text = re.sub(r'(\\n)+Other info:.*?"', '"', text)
    text = re.sub(r'\n[^\n]*"(output_options|training|model_guid|train_finish_time)":".*?(?<!\\)",',
                  "", text)
    text = re.sub(r"\n +", "\n", text)
    json.loads(text)
    return text


# Of these the binary format is kept too. In it categories have no names.
BINARY = ["one_hot", "ctr_borders", "multiclass", "rmse_depthwise", "rmse_scaled"]
if VERSION >= (1, 2):
    BINARY += ["logloss_nan_max", "ctr_rmse_binarizedtargetmeanvalue", "multiclass_depthwise",
               "combinations_counter", "threshold"]


def save_binary(file, model):
    notes = model.get_metadata()
    for key in ("output_options", "training", "model_guid", "train_finish_time"):
        if key in notes.keys():
            notes[key] = "{}"  # CatBoost reads some of them as JSON
    notes["catboost_version_info"] = re.split(r"\s*Other info:", notes["catboost_version_info"])[0]
    model.save_model(str(file))


def hexed(table):
    return [[float(v).hex() for v in np.ravel(row)] for row in np.asarray(table)]


def plain(value):
    if isinstance(value, float):
        return repr(float(value))
    return str(value)


def record(folder, name, model, rows, cats=(), pool=None, rounds=()):
    file = folder / f"{name}.json"
    model.save_model(str(file), format="json", pool=pool)
    file.write_text(trimmed(file.read_text(encoding="utf-8")), encoding="utf-8")
    document = json.loads(file.read_text(encoding="utf-8"))
    points = probes(document, rows, cats)
    data = cb.Pool(points, cat_features=list(cats))
    loss = document["model_info"]["params"]["loss_function"]["type"]
    raw = model.predict(data, prediction_type="RawFormulaVal")
    if loss == "RMSEWithUncertainty":
        raw = raw[:, :1]  # Boxwood reads the mean
    expected = {"rows": [[plain(v) for v in point] for point in points], "raw": hexed(raw)}
    if loss in ("Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll"):
        expected["outputs"] = hexed(model.predict(data, prediction_type="Probability"))
        labels = np.ravel(model.predict(data, prediction_type="Class"))
        expected["classes"] = [str(label) for label in labels]
    else:
        power = loss in ("Poisson", "Tweedie")
        expected["outputs"] = hexed(model.predict(data, prediction_type="Exponent")
                                    if power else raw)
    expected["rounds"] = {str(n): hexed(model.predict(data, prediction_type="RawFormulaVal",
                                                      ntree_end=n)) for n in rounds}
    text = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
    (folder / f"{name}.expected").write_text(text + "\n", encoding="utf-8")
    if name in BINARY:
        save_binary(folder / f"{name}.cbm", model)


def classifier(**more):
    return cb.CatBoostClassifier(**{**QUIET, **more})


def regressor(**more):
    return cb.CatBoostRegressor(**{**QUIET, **more})


def write_models(folder):
    rows, score = make_data()
    holed, plain_rows = with_holes(rows), numbers_only(rows)
    yes = ["yes" if s > 1 else "no" for s in score]
    three = np.digitize(score, [0.0, 1.5])
    counts = np.floor(np.exp(np.clip(score, -2, 2)))
    cats = [2, 3]

    def pool_of(data, target, **more):
        width = len(data[0])
        return cb.Pool(data, label=target, feature_names=NAMES[:width],
                       cat_features=cats if width == 4 else [], **more)

    numeric, mixed = pool_of(plain_rows, yes), pool_of(rows, yes)
    record(folder, "logloss", classifier().fit(numeric), plain_rows, rounds=(1, 3))
    for mode in ("Min", "Max"):
        model = classifier(nan_mode=mode).fit(pool_of(numbers_only(holed), yes))
        record(folder, f"logloss_nan_{mode.lower()}", model, numbers_only(holed))
    record(folder, "logloss_unnamed", classifier(depth=3).fit(plain_rows, [s > 1 for s in score]),
           plain_rows)
    record(folder, "cross_entropy",
           classifier(loss_function="CrossEntropy").fit(
               pool_of(plain_rows, 1 / (1 + np.exp(-score)))), plain_rows)
    record(folder, "one_hot", classifier(one_hot_max_size=20).fit(mixed), rows, cats, mixed)
    record(folder, "one_hot_no_strings", classifier(one_hot_max_size=20).fit(mixed), rows, cats)
    for ctr in ("Borders:TargetBorderCount=1", "Buckets:Prior=0.3", "Counter",
                "BinarizedTargetMeanValue"):
        name = "ctr_" + ctr.split(":", maxsplit=1)[0].lower()
        model = classifier(simple_ctr=ctr, one_hot_max_size=1).fit(mixed)
        record(folder, name, model, rows, cats, mixed)
    several = pool_of(rows, score)
    for ctr in ("Borders:TargetBorderCount=4", "BinarizedTargetMeanValue:TargetBorderCount=4"):
        name = "ctr_rmse_" + ctr.split(":", maxsplit=1)[0].lower()
        record(folder, name, regressor(simple_ctr=ctr, one_hot_max_size=1).fit(several), rows, cats,
               several)
    record(folder, "ctr_default_nans", classifier(depth=3).fit(pool_of(holed, yes)), holed, cats,
           pool_of(holed, yes))
    record(folder, "multiclass", classifier(loss_function="MultiClass").fit(
        pool_of(rows, [f"class{k}" for k in three])), rows, cats)
    record(folder, "one_vs_all", classifier(loss_function="MultiClassOneVsAll", iterations=8,
                                            learning_rate=5).fit(pool_of(plain_rows, three)),
           plain_rows)
    for policy in ("Depthwise", "Lossguide"):
        model = regressor(grow_policy=policy, depth=3).fit(several)
        record(folder, f"rmse_{policy.lower()}", model, rows, cats, several, rounds=(2,))
    record(folder, "multiclass_depthwise",
           classifier(loss_function="MultiClass", grow_policy="Depthwise").fit(
               pool_of(plain_rows, three)), plain_rows)
    record(folder, "poisson", regressor(loss_function="Poisson").fit(pool_of(plain_rows, counts)),
           plain_rows)
    record(folder, "quantile", regressor(loss_function="Quantile:alpha=0.3").fit(
        pool_of(plain_rows, score)), plain_rows)
    record(folder, "multi_rmse", regressor(loss_function="MultiRMSE").fit(
        pool_of(plain_rows, np.column_stack([score, -score ** 2]))), plain_rows)
    scaled = regressor().fit(pool_of(plain_rows, score))
    scaled.set_scale_and_bias(-0.7, 12.375)
    record(folder, "rmse_scaled", scaled, plain_rows)
    default = {"max_ctr_complexity": 4, "depth": 4, "iterations": 8}
    record(folder, "combinations", classifier(one_hot_max_size=1, **default).fit(pool_of(holed, yes)),
           holed, cats, pool_of(holed, yes))
    record(folder, "combinations_counter", classifier(
        simple_ctr="Counter", combinations_ctr="Counter", **default).fit(mixed), rows, cats, mixed)
    record(folder, "combinations_depthwise", regressor(grow_policy="Depthwise", **default).fit(
        several), rows, cats, several)
    threshold = classifier().fit(numeric)
    threshold.set_probability_threshold(0.3)
    record(folder, "threshold", threshold, plain_rows)
    record(folder, "uncertainty", regressor(loss_function="RMSEWithUncertainty").fit(
        pool_of(plain_rows, score)), plain_rows)
    extreme = [[row[0] * 1e-42, row[1] * 1e37] for row in plain_rows]
    record(folder, "denormal_and_huge", regressor(depth=3).fit(pool_of(extreme, score)), extreme)


def write_refused(folder):
    rows, score = make_data()
    yes = [int(s > 1) for s in score]

    def save(name, model):
        file = folder / f"refused_{name}.json"
        model.save_model(str(file), format="json")
        file.write_text(trimmed(file.read_text(encoding="utf-8")), encoding="utf-8")

    # The categories of a feature that only combinations name are not in the file.
    save("combination", classifier(max_ctr_complexity=2, one_hot_max_size=1, depth=3,
                                   simple_ctr="Counter", combinations_ctr="Borders",
                                   iterations=3).fit(rows, yes, cat_features=[2, 3]))
    save("two_tables", regressor(simple_ctr=["Borders:TargetBorderCount=1",
                                             "Borders:TargetBorderCount=3"], one_hot_max_size=1,
                                 iterations=12).fit(rows, score, cat_features=[2, 3]))


def main():
    folder = pathlib.Path(sys.argv[1]) / cb.__version__
    folder.mkdir(parents=True, exist_ok=True)
    write_models(folder)
    if VERSION >= (1, 2):
        write_refused(folder)
    files = list(folder.iterdir())
    print(f"{folder}: {len(files)} files, {sum(file.stat().st_size for file in files)} bytes")


if __name__ == "__main__":
    main()
