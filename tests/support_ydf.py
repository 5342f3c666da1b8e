"""The cases of ydf for support_live_test.py: what it saves in folders, and what its default engine says.

Scores of classifiers are logits where ydf gives them (boosting) and probabilities otherwise.
"""

import functools
import pathlib
import shutil
import tempfile

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "ydf"
RECORDED = True
NAMES = ["income", "debt", "town", "member"]
SMALL = {"max_depth": 4, "min_examples": 3, "num_trees": 5, "num_threads": 1}
TOWNS = [f"town {i:02d}" for i in range(12)]
BOOSTED, FOREST, CART = "GradientBoostedTreesLearner", "RandomForestLearner", "CartLearner"


@functools.cache
def frame(count=400):
    import pandas
    rng = np.random.default_rng(0)
    made = pandas.DataFrame({
        "income": rng.normal(size=count), "debt": rng.normal(size=count),
        "town": rng.choice(TOWNS, count), "member": rng.random(count) < 0.5})
    made.loc[rng.random(count) < 0.2, "debt"] = np.nan
    score = (made.income - made.debt.fillna(1) + made.member * 0.7
             + made.town.isin(TOWNS[3:11:3]) * 2)
    made["two"] = np.where(score > 0, "yes", "no")
    made["three"] = np.array(["a", "b", "c"])[np.digitize(score, [-0.5, 1])]
    made["number"], made["count"] = score, rng.poisson(np.exp(np.clip(score, -2, 2)))
    return made


def trained(learner, label, count=400, names=NAMES, **settings):
    import ydf
    table = frame(count)
    task = getattr(ydf.Task, settings.pop("task", "CLASSIFICATION"))
    known = {} if learner == CART else {"num_trees": SMALL["num_trees"]}
    options = {key: value for key, value in SMALL.items() if key != "num_trees"} | known | settings
    ydf.verbose(0)
    model = getattr(ydf, learner)(label=label, task=task, features=list(names), **options)
    model = model.train(table[[*names, label]])
    folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    model.save(str(folder))
    return model, folder


def said(model, rows, names):
    import pandas
    table = pandas.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(names)})
    for name in names:
        if name == "member":
            table[name] = table[name].astype(bool)
        elif name != "town":
            table[name] = table[name].astype(np.float64)
    logits = hasattr(model, "set_output_logits") and str(model.task()).endswith("CLASSIFICATION")
    if logits:
        model.set_output_logits(True)
    return np.asarray(model.predict(table), dtype=np.float64).reshape(len(rows), -1).tolist()


def without_exp(folder):
    """The model with another number for its loss, so that ydf returns the sums before exp."""
    import ydf
    copy = pathlib.Path(tempfile.mkdtemp()) / "model"
    shutil.copytree(folder, copy)
    header = copy / "gradient_boosted_trees_header.pb"
    poisson, squared = b"\x18\x07", b"\x18\x02"  # field 3
    header.write_bytes(header.read_bytes().replace(poisson, squared, 1))
    return ydf.load_model(str(copy))


def live(learner, label, names=NAMES, **settings):
    def made():
        from boxwood.models import ydf as reader
        model, folder = trained(learner, label, names=names, **settings)
        trees = reader.read_folder(folder).trees

        def around(feature):
            own = [tree.threshold[(tree.feature == feature) & (tree.kind == 1)] for tree in trees]
            return [*neighbours(np.concatenate([*own, [0.0]]), single=True), np.inf, -np.inf, None]
        columns = {"income": around(0), "debt": around(1), "town": [*TOWNS, None], "member": [0, 1]}
        rows = rows_around([columns[name] for name in names], 120)
        if settings.get("loss") == "POISSON":
            model = without_exp(folder)
        return folder, list(names), rows, said(model, rows, names)
    return made


def refused(learner, label, **settings):
    return lambda: (trained(learner, label, **settings)[1], NAMES, [], [])


def isolation():
    import ydf
    ydf.verbose(0)
    folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    ydf.IsolationForestLearner(num_trees=2).train(frame()[NAMES[:2]]).save(str(folder))
    return folder, NAMES, [], []


def ours(group, name, *arguments, message=None, **settings):
    make = refused if message else live
    return case(FAMILY, group, name, make(*arguments, **settings), message=message, single=True)


NUMBER = {"task": "REGRESSION"}
PLAIN = ("income", "debt")
CASES = [
    ours("boosting", "two classes", BOOSTED, "two"),
    ours("boosting", "several classes", BOOSTED, "three"),
    ours("boosting", "regression", BOOSTED, "number", **NUMBER),
    ours("boosting", "trees of more than 64 leaves", BOOSTED, "number", **NUMBER, names=PLAIN, count=3000,
         max_depth=9, min_examples=1, num_trees=3, validation_ratio=0.0),
    ours("boosting", "POISSON", BOOSTED, "count", **NUMBER, loss="POISSON"),
    ours("boosting", "discretised columns", BOOSTED, "two", discretize_numerical_columns=True,
         num_discretized_numerical_bins=16),
    ours("boosting", "oblique splits", BOOSTED, "two", split_axis="SPARSE_OBLIQUE",
         message="has conditions on several columns at once"),
    ours("forests", "two classes", FOREST, "two"),
    ours("forests", "several classes", FOREST, "three"),
    ours("forests", "winner_take_all=False", FOREST, "three", winner_take_all=False),
    ours("forests", "regression", FOREST, "number", **NUMBER),
    ours("forests", "CartLearner", CART, "two"),
    case(FAMILY, "others", "IsolationForestLearner", isolation,
         message="this model of ydf is ISOLATION_FOREST, which is not supported"),
]
