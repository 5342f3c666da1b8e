"""Files of skops: the model in them is the one that was saved, and nothing else is loaded.

    python tests/skops_files.py [--command PATH]

Run by scripts/matrix.sh, where skops is installed.
"""

import argparse
import io
import json
import pathlib
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd
import skops.io
from sklearn import (
    calibration,
    compose,
    ensemble,
    impute,
    model_selection,
    multiclass,
    pipeline,
    preprocessing,
    tree,
)

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import boxwood
from boxwood.models.skops import read

warnings.filterwarnings("ignore")
RNG = np.random.default_rng(3)
X = pd.DataFrame(RNG.normal(size=(90, 3)), columns=["a", "b", "c"])
Y = (X["a"] - X["b"] > 0).astype(int)
WORDS = np.array(["bad", "fair", "good"])[np.digitize(X["a"], [-0.4, 0.5])]
TOWNS = X.assign(town=np.where(X["c"] > 0, "Ulm", "Bonn"))
TOWNS.loc[::7, "b"] = np.nan
FOREST = ensemble.RandomForestClassifier(4, max_depth=3, random_state=1)
BOOSTED = ensemble.GradientBoostingClassifier(n_estimators=4, random_state=1)
STEPS = compose.ColumnTransformer([
    ("towns", preprocessing.OneHotEncoder(), ["town"]),
    ("numbers", pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.StandardScaler()), ["a", "b"])])
READ = {
    "tree": (tree.DecisionTreeClassifier(max_depth=3), X, WORDS),
    "forest": (FOREST, X, WORDS),
    "regressor": (ensemble.ExtraTreesRegressor(4, max_depth=3), X, X["a"]),
    "gradient boosting": (BOOSTED, X, WORDS),
    "histogram gradient boosting": (ensemble.HistGradientBoostingClassifier(max_iter=4), X, Y),
    "AdaBoost": (ensemble.AdaBoostClassifier(n_estimators=3), X, WORDS),
    "isolation forest": (ensemble.IsolationForest(n_estimators=4), X, None),
    "calibrated": (calibration.CalibratedClassifierCV(FOREST, cv=2), X, Y),
    "isotonic": (calibration.CalibratedClassifierCV(FOREST, cv=2, method="isotonic"), X, Y),
    "voting": (ensemble.VotingClassifier([("f", FOREST), ("b", BOOSTED)], voting="soft"), X, Y),
    "one versus rest": (multiclass.OneVsRestClassifier(FOREST), X, WORDS),
    "pipeline": (pipeline.make_pipeline(STEPS, FOREST), TOWNS, WORDS),
}


class Own(preprocessing.FunctionTransformer):
    """A type that nobody trusts."""


REFUSED = {
    "a class of one's own": (pipeline.make_pipeline(Own(), FOREST), "Own, which Boxwood does not trust"),
    "a function of one's own": (pipeline.make_pipeline(
        preprocessing.FunctionTransformer(json.dumps), FOREST), "json.dumps, which Boxwood does not trust"),
    "a search": (model_selection.GridSearchCV(FOREST, {"max_depth": [2]}, cv=2),
                 "which Boxwood does not trust"),
}


def refusal(content):
    try:
        read(content)
    except boxwood.Error as error:
        return str(error)
    return "it was read"


def damaged(content):
    """The same file; the root of a tree has a child far outside of it."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name.endswith(".npy"):
                array = np.load(io.BytesIO(part), allow_pickle=False)
                if array.dtype.names and "left_child" in array.dtype.names:
                    array["left_child"][0] = 100_000_000
                    out = io.BytesIO()
                    np.save(out, array)
                    part = out.getvalue()
            new.writestr(name, part)
    return made.getvalue()


def main():
    argparse.ArgumentParser().parse_known_args()
    failed = 0

    def tell(title, good, said):
        nonlocal failed
        failed += not good
        print(f"{title}: {said}" + ("" if good else " (WRONG)"))

    for title, (model, x, y) in READ.items():
        model.fit(x, y)
        content = skops.io.dumps(model)
        tell(title, read(content).to_bytes() == boxwood.model_bytes(model), "the same model file")
    for title, (model, reason) in REFUSED.items():
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        last.fit(X, Y)
        said = refusal(skops.io.dumps(model))
        tell(title, reason in said, said)
    small = tree.DecisionTreeClassifier(max_depth=3)
    for title, model, x in (("tree", small, X), ("pipeline", pipeline.make_pipeline(STEPS, small), TOWNS)):
        said = refusal(damaged(skops.io.dumps(model.fit(x, Y))))
        tell(f"a {title} with a child outside", "child" in said or "cannot load" in said, said)
    tell("a file that is cut off", read(skops.io.dumps(FOREST)[:-200]) is None, "no file of skops")
    said = refusal(skops.io.dumps(FOREST).replace(b"__loader__", b"__looder__"))
    tell("a damaged file", "cannot load the file" in said , said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
