"""Data, models and questions of the CPCF protocol (arXiv 2605.06561), and the judge of answers.

The protocol trains on all rows, draws 50 of them, and asks for another class. A column is one of
four kinds, and the kinds decide what an answer may contain:

F  any number between 0.5 below the least and 0.5 above the largest value of the data
D  a value that the data contains
B  0 or 1
E  a category, as a group of columns of which exactly one is 1; a change costs 1

A column with two values counts as B and a column of words as E, whatever the file says.
Nothing is scaled: the cost adds up changes in the columns' own units.
"""

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from xgboost import XGBClassifier

SETS = ("Adult", "BreastCancerWisconsin", "COMPAS", "CreditCard", "GermanCredit", "Phishing",
        "Seeds", "Spambase", "StudentsPerformance")
SEEDS = (2, 31, 73, 127, 179)
MODELS = ("soft", "hard", "xgb")
# Trees and depth.
CELLS = tuple((100, depth) for depth in (3, 4, 5, 6, 7, 8)) + tuple(
    (trees, 5) for trees in (10, 20, 50, 200, 500))
PLAIN = (100, 5)  # the cell of the other norms and of the isolation forest
QUERIES, OUTLIERS = 50, 0.1
MARGIN = 0.5  # how far a number may leave the range of the data


@dataclasses.dataclass
class Feature:
    """A column of the file and the columns that the model reads instead."""

    name: str
    kind: str
    columns: list[str]
    values: list[float] = dataclasses.field(default_factory=list)  # D: values; F: both ends
    codes: list[str] = dataclasses.field(default_factory=list)


def read(folder: Path, name: str) -> tuple[pd.DataFrame, pd.Series, list[Feature]]:
    """Read a data set: the columns of the model, the class, and what the columns mean."""
    table = pd.read_csv(folder / f"{name}.csv", header=[0, 1])
    kinds = list(table.columns.get_level_values(1))
    names = [" ".join(column.split()) for column in table.columns.get_level_values(0)]
    table.columns = names
    parts, features, target = [], [], None
    for column, kind in zip(names, kinds, strict=True):
        series = table[column]
        if kind == "T":
            target = series.astype(int)
            continue
        if series.isna().any() or series.nunique() < 2:
            continue  # the protocol leaves such columns out
        numeric = pd.api.types.is_numeric_dtype(series)
        if kind == "D":
            values = sorted(set(map(float, series)))
            features.append(Feature(column, "D", [column], values))
            parts.append(series.astype(float).rename(column))
        elif kind == "E" or not (numeric or series.nunique() == 2):
            dummies = pd.get_dummies(series).astype(int)
            codes = [str(code) for code in dummies.columns]
            dummies.columns = [f"{column} {code}" for code in codes]
            features.append(Feature(column, "E", list(dummies.columns), codes=codes))
            parts.append(dummies)
        elif series.nunique() == 2:
            features.append(Feature(column, "B", [column]))
            parts.append((series == sorted(series.unique())[1]).astype(int).rename(column))
        else:
            numbers = series.astype(float).rename(column)
            ends = [numbers.min() - MARGIN, numbers.max() + MARGIN]
            features.append(Feature(column, "F", [column], ends))
            parts.append(numbers)
    return pd.concat(parts, axis=1), target, features


def schema(features: list[Feature], whole: bool = False) -> dict:
    """Write the kinds as a schema of Boxwood.

    `whole`: D may be any whole number. This is what oceanpy 2.0.7 does, and it is needed to
    compare optima.
    """
    columns, groups = [], []
    for one in features:
        if one.kind == "E":
            groups.append({"title": one.name, "columns": one.columns, "labels": one.codes})
            columns += [{"name": name, "kind": "integer", "range": [0, 1]} for name in one.columns]
        elif one.kind == "F":
            columns.append({"name": one.name, "kind": "continuous", "range": one.values})
        elif one.kind == "B":
            columns.append({"name": one.name, "kind": "integer", "range": [0, 1]})
        elif whole:
            columns.append({"name": one.name, "kind": "integer"})
        else:
            columns.append({"name": one.name, "kind": "continuous", "allowed": one.values})
    return {"features": columns, "one_hot": groups}


def one_hot_votes(forest: RandomForestClassifier) -> RandomForestClassifier:
    """Make every leaf vote for one class, in place: the class with the largest share.

    In a tie within a leaf the first class gets the vote. The forest still predicts the class with
    the largest mean, and of equal means the first: hard voting is soft voting of these leaves.
    """
    for tree in forest.estimators_:
        values = tree.tree_.value
        leaves = np.flatnonzero(tree.tree_.children_left == tree.tree_.children_right)
        winners = values[leaves, 0].argmax(axis=1)
        values[leaves] = 0.0
        values[leaves, 0, winners] = 1.0
    return forest


def first_trees(forest: RandomForestClassifier, trees: int) -> RandomForestClassifier:
    """Cut a forest to its first trees: the same trees that a smaller forest has."""
    small = RandomForestClassifier(trees, max_depth=forest.max_depth,
                                   random_state=forest.random_state)
    small.__dict__.update({key: value for key, value in forest.__dict__.items()
                           if key.endswith("_")})
    small.estimators_ = forest.estimators_[:trees]
    return small


def kept(file: Path, make: object) -> object:
    """Read a pickle that an earlier run has written, or make and write it."""
    if file.is_file():
        return pickle.loads(file.read_bytes())
    made = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(made))
    return made


def trained(work: Path, name: str, x: pd.DataFrame, y: pd.Series, model: str, trees: int,
            depth: int, seed: int) -> object:
    """Fit a model of the protocol; forests are kept in the folder `work`."""
    if model == "xgb":
        return XGBClassifier(n_estimators=trees, max_depth=depth, random_state=seed,
                             n_jobs=1).fit(x, y)
    largest = max(t for t, d in CELLS if d == depth)
    forest = kept(work / "models" / f"{name}_{largest}_{depth}_{seed}.pickle",
                  lambda: RandomForestClassifier(largest, max_depth=depth,
                                                 random_state=seed).fit(x, y))
    forest = first_trees(forest, trees)
    return one_hot_votes(forest) if model == "hard" else forest


def questions(x: pd.DataFrame, model: object, seed: int) -> tuple[np.ndarray, list[int]]:
    """Draw the protocol's rows, and the class asked for each: with three classes a random one."""
    rows = x.sample(n=QUERIES, random_state=seed) if len(x) > QUERIES else x
    classes = range(model.n_classes_)
    targets = [int(np.random.RandomState(seed).choice([c for c in classes if c != now]))
               for now in model.predict(rows)]
    return rows.to_numpy(dtype=float), targets


def isolation(x: pd.DataFrame, y: pd.Series, target: int, seed: int) -> IsolationForest:
    """Fit the isolation forest of a class; about a tenth of the class's rows are outliers.

    The protocol bisects the limit of the anomaly score. Here the forest's offset is that limit,
    so that its own predict says what is plausible.
    """
    rows = x[y == target]
    forest = IsolationForest(n_estimators=100, random_state=seed).fit(rows)
    scores = -forest.score_samples(rows)
    low, high, best = 0.0, 1.0, (abs(np.mean(scores > 1.0) - OUTLIERS), 1.0)
    for _ in range(80):
        middle = (low + high) / 2
        share = np.mean(scores > middle)
        best = min(best, (abs(share - OUTLIERS), middle), key=lambda pair: pair[0])
        low, high = (middle, high) if share > OUTLIERS else (low, middle)
    forest.offset_ = -best[1]
    return forest


def cost_of(features: list[Feature], columns: list[str], row: np.ndarray, point: np.ndarray,
            norm: str) -> float:
    """Add up what a change costs; a change of category counts 1. `l2` is the sum of squares."""
    place = {name: i for i, name in enumerate(columns)}
    total = 0.0
    for one in features:
        change = sum(abs(point[place[name]] - row[place[name]]) for name in one.columns)
        change = change / 2 if one.kind == "E" else change
        total += {"l1": change, "l2": change**2, "l0": float(change > 0)}[norm]
    return total


def admissible(features: list[Feature], columns: list[str], row: np.ndarray, point: np.ndarray,
               whole: bool = False) -> bool:
    """Whether a point is one that the protocol permits."""
    place = {name: i for i, name in enumerate(columns)}
    for one in features:
        values = [float(point[place[name]]) for name in one.columns]
        if values == [float(row[place[name]]) for name in one.columns]:
            continue
        fine = {"F": lambda v, o=one: o.values[0] <= v[0] <= o.values[1],
                "D": lambda v, o=one: v[0].is_integer() if whole else v[0] in o.values,
                "B": lambda v: v[0] in (0.0, 1.0),
                "E": lambda v: sorted(v) == [0.0] * (len(v) - 1) + [1.0]}[one.kind]
        if not fine(values):
            return False
    return True


def says(model: object, columns: list[str], point: np.ndarray) -> int:
    """Ask the library itself for the class of a point."""
    return int(model.predict(pd.DataFrame([point], columns=columns))[0])
