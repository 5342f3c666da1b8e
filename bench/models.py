"""Trains the models of the benchmarks and draws their queries, once, into a cache folder.

    python3 bench/models.py [--out build/bench/models] [--data FOLDER] [--mnist FOLDER] [NAME ...]

Each model gets a folder: model.ubj (XGBoost) or model.json (a forest in Boxwood's own format, with
forest.pickle beside it), queries.json as boxwood_ask takes it, and meta.json, written last: a
folder with one is complete and is not trained again. Seeds are fixed.
"""

import argparse
import dataclasses
import fnmatch
import json
import pathlib
import pickle
import sys
import time

import datasets
import numpy as np
import sklearn
import xgboost
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import boxwood  # noqa: E402 - the package in the tree

GERMAN_SIZES = ((50, 3), (100, 4), (250, 8), (1000, 6))
PAIRS = ((5, 6), (1, 7), (4, 9), (3, 8))
LARGE_SIZES = ((500, 6), (1000, 6), (500, 8))
PRICES = {"+5 %": (1.05, None), "+20 %": (1.2, None), "-10 %": (None, 0.9)}
TABULAR_QUERIES, CONFIDENT_QUERIES, TEN_QUERIES, LARGE_QUERIES, PRICE_ROWS = 50, 50, 60, 20, 30
CONFIDENT = 0.99


@dataclasses.dataclass(frozen=True)
class Sources:
    """Where the data is; None where it has to be fetched."""

    data: pathlib.Path | None
    mnist: pathlib.Path | None
    cache: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Plan:
    """One model to train: `make` writes the model and its queries and returns facts for meta."""

    name: str
    family: str
    make: object


@dataclasses.dataclass
class Prepared:
    """Inputs as a model takes them, and what a query says about each column."""

    inputs: np.ndarray
    target: np.ndarray
    rules: list
    rising: list  # columns that may only rise: each query has its own lower end
    highest: list


def rule(kind="continuous", fixed=False, lower=None, upper=None, scale=1.0):
    return {"kind": kind, "fixed": fixed, "lower": lower, "upper": upper, "weight": 1.0,
            "scale": scale}


def on_unit(table):
    """Every column continuous on 0..1, as the peers take them; all may change."""
    inputs = ((table.values - table.lowest) / table.ranges).astype(np.float32)
    rules = [rule(lower=0.0, upper=1.0) for _ in table.names]
    return Prepared(inputs, table.target, rules, [], [])


def with_kinds(table):
    """Raw codes with their kinds. A scale of the column's range keeps the metric that of 0..1."""
    inputs = table.values.astype(np.float32)
    lowest, highest = np.nanmin(inputs, axis=0), np.nanmax(inputs, axis=0)
    rules = [
        rule(kind, action == "FIXED", float(low), float(high), float(extent))
        for kind, action, low, high, extent in zip(
            table.kinds, table.actions, lowest, highest, table.ranges)
    ]
    rising = [place for place, action in enumerate(table.actions) if action == "INC"]
    return Prepared(inputs, table.target, rules, rising, highest.tolist())


def split(count):
    """(training rows, test rows): a fifth is kept for the queries, in a fixed order."""
    order = np.random.default_rng(7).permutation(count)
    return order[count // 5:], order[:count // 5]


def number(value):
    return None if np.isnan(value) else float(value)


def query(prepared, row, group, **wanted):
    """One query at a row. float32 inputs are stored as the same doubles."""
    entry = {"point": [number(value) for value in prepared.inputs[row]], "group": group, **wanted}
    if prepared.rising:
        entry["ranges"] = {str(place): [number(prepared.inputs[row, place]),
                                        prepared.highest[place]] for place in prepared.rising}
    return entry


def in_turn(*groups):
    """One of each group after the other, so that every beginning of the list is a fair sample."""
    longest = max(len(group) for group in groups)
    return [group[i] for i in range(longest) for group in groups if i < len(group)]


def write_queries(folder, rules, queries, name="queries.json"):
    (folder / name).write_text(json.dumps({"features": rules, "queries": queries}))


def boost(inputs, target, rounds, depth, rate=0.1, **more):
    """An XGBoost model; the number of threads is fixed because sums depend on it."""
    parameters = {"objective": "binary:logistic", "max_depth": depth, "eta": rate, "seed": 1,
                  "nthread": 2, "tree_method": "hist", **more}
    return xgboost.train(parameters, xgboost.DMatrix(inputs, label=target), rounds)


def save_booster(folder, booster, **facts):
    booster.save_model(folder / "model.ubj")
    return {"library": "xgboost", "model": "model.ubj", **facts}


def predicted(booster, inputs):
    return booster.predict(xgboost.DMatrix(inputs))


def to_the_other_class(prepared, rows, classes, group="other class"):
    return [query(prepared, row, group, **{"class": 1 - int(now)})
            for row, now in zip(rows, classes)]


def make_tabular(name, rounds, depth, prepare, batch=False):
    def make(folder, sources):
        prepared = prepare(datasets.tabular(name, sources.data))
        train, test = split(len(prepared.inputs))
        booster = boost(prepared.inputs[train], prepared.target[train], rounds, depth)
        classes = predicted(booster, prepared.inputs[test]) > 0.5
        queries = to_the_other_class(prepared, test, classes)
        write_queries(folder, prepared.rules, queries[:TABULAR_QUERIES])
        if batch:
            write_queries(folder, prepared.rules, queries, "queries_batch.json")
        right = float(np.mean(classes == prepared.target[test]))
        return save_booster(folder, booster, task="binary", right=right)
    return make


def make_forest(name, prepare):
    def make(folder, sources):
        prepared = prepare(datasets.tabular(name, sources.data))
        train, test = split(len(prepared.inputs))
        fitted = RandomForestClassifier(100, max_depth=8, random_state=1, n_jobs=1)
        fitted.fit(prepared.inputs[train], prepared.target[train].astype(int))
        classes = fitted.predict(prepared.inputs[test])
        write_queries(folder, prepared.rules,
                      to_the_other_class(prepared, test, classes)[:TABULAR_QUERIES])
        boxwood.save_model(fitted, folder / "model.json")
        (folder / "forest.pickle").write_bytes(pickle.dumps(fitted))
        return {"library": "sklearn", "model": "model.json", "task": "binary",
                "right": float(np.mean(classes == prepared.target[test]))}
    return make


def digits(sources, chosen):
    """Training and test digits of some classes, on the first 50 principal components."""
    folder = sources.mnist or datasets.fetch_mnist(sources.cache)
    images, labels, test_images, test_labels = datasets.mnist(folder)
    train, test = np.isin(labels, chosen), np.isin(test_labels, chosen)
    pca = PCA(50, svd_solver="full").fit(images[train])
    return (pca.transform(images[train]).astype(np.float32), labels[train],
            pca.transform(test_images[test]).astype(np.float32), test_labels[test])


def plain(inputs):
    """Components of images as they are: continuous, without ends."""
    count = inputs.shape[1]
    return Prepared(inputs, None, [rule() for _ in range(count)], [], [])


def make_pair(first, second):
    def make(folder, sources):
        inputs, labels, test_inputs, test_labels = digits(sources, (first, second))
        booster = boost(inputs, labels == second, 200, 7)
        probability = predicted(booster, test_inputs)
        classes, truth = probability > 0.5, test_labels == second
        wrong = np.flatnonzero(classes != truth)
        sure = np.flatnonzero((classes == truth) & (np.abs(probability - 0.5) > CONFIDENT - 0.5))
        sure = np.random.default_rng(11).permutation(sure)[:CONFIDENT_QUERIES]
        prepared = plain(test_inputs)
        queries = in_turn(to_the_other_class(prepared, wrong, classes[wrong], "misclassified"),
                          to_the_other_class(prepared, sure, classes[sure], "confident"))
        write_queries(folder, prepared.rules, queries)
        return save_booster(folder, booster, task="binary", right=float(np.mean(classes == truth)))
    return make


def make_ten(folder, sources):
    inputs, labels, test_inputs, test_labels = digits(sources, range(10))
    booster = boost(inputs, labels, 60, 6, 0.3, objective="multi:softprob", num_class=10)
    classes = predicted(booster, test_inputs).argmax(axis=1)
    wrong = np.flatnonzero(classes != test_labels)
    wrong = np.random.default_rng(11).permutation(wrong)[:TEN_QUERIES]
    prepared = plain(test_inputs)
    write_queries(folder, prepared.rules, [
        query(prepared, row, "misclassified", **{"class": int(test_labels[row])})
        for row in wrong])
    return save_booster(folder, booster, task="multiclass",
                        right=float(np.mean(classes == test_labels)))


def make_ames(prepare):
    def make(folder, sources):
        prepared = prepare(datasets.tabular("ames", sources.data))
        train, test = split(len(prepared.inputs))
        booster = boost(prepared.inputs[train], prepared.target[train], 200, 6,
                        objective="reg:squarederror")
        rows = test[:PRICE_ROWS]
        prices = predicted(booster, prepared.inputs[rows])
        queries = [
            query(prepared, row, change, lower=times(low, price), upper=times(high, price))
            for row, price in zip(rows, prices) for change, (low, high) in PRICES.items()]
        write_queries(folder, prepared.rules, queries)
        return save_booster(folder, booster, task="regression")
    return make


def times(factor, price):
    return None if factor is None else factor * float(price)


def make_large(features, rounds, depth):
    def make(folder, sources):
        values, target = make_classification(
            n_samples=20_000, n_features=features, n_informative=round(features / 3),
            n_clusters_per_class=4, random_state=1)
        names = [f"f{i}" for i in range(features)]
        prepared = on_unit(datasets.Table(names, [], [], values, target.astype(float)))
        train, test = split(len(values))
        booster = boost(prepared.inputs[train], prepared.target[train], rounds, depth)
        rows = test[:LARGE_QUERIES]
        classes = predicted(booster, prepared.inputs[rows]) > 0.5
        write_queries(folder, prepared.rules, to_the_other_class(prepared, rows, classes))
        right = predicted(booster, prepared.inputs[test]) > 0.5
        return save_booster(folder, booster, task="binary",
                            right=float(np.mean(right == prepared.target[test])))
    return make


def plans():
    """Every model, in the order in which they are trained and asked."""
    found = []
    for suffix, prepare in (("", on_unit), ("_kinds", with_kinds)):
        found += [
            Plan(f"german_{rounds}x{depth}{suffix}", "german",
                 make_tabular("german", rounds, depth, prepare, (rounds, depth) == (250, 8)))
            for rounds, depth in GERMAN_SIZES]
        found += [Plan(f"{name}_100x6{suffix}", "tabular", make_tabular(name, 100, 6, prepare))
                  for name in datasets.OCEAN_SETS]
    found += [Plan(f"mnist_{first}v{second}", "mnist", make_pair(first, second))
              for first, second in PAIRS]
    found += [Plan(f"synthetic_{features}f_{rounds}x{depth}", "large",
                   make_large(features, rounds, depth))
              for features in (50, 100) for rounds, depth in LARGE_SIZES]
    found.append(Plan("mnist_ten", "ten", make_ten))
    for suffix, prepare in (("", on_unit), ("_kinds", with_kinds)):
        found.append(Plan(f"ames_200x6{suffix}", "ames", make_ames(prepare)))
    for suffix, prepare in (("", on_unit), ("_kinds", with_kinds)):
        found += [Plan(f"{name}_forest{suffix}", "forest", make_forest(name, prepare))
                  for name in datasets.OCEAN_SETS]
    return found


def chosen_plans(patterns):
    """Plans whose name fits one of the patterns (* and ?); all where there is none."""
    found = [plan for plan in plans()
             if not patterns or any(fnmatch.fnmatch(plan.name, p) for p in patterns)]
    if not found:
        raise SystemExit(f"models.py: no model fits {' '.join(patterns)}")
    return found


def train(plan, out, sources):
    """The model's folder, trained now unless it is complete."""
    folder = out / plan.name
    if (folder / "meta.json").is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    facts = plan.make(folder, sources)
    seconds = time.perf_counter() - started
    meta = {"name": plan.name, "family": plan.family, "kinds": plan.name.endswith("_kinds"),
            **facts, "train_seconds": seconds,
            "versions": {"xgboost": xgboost.__version__, "scikit-learn": sklearn.__version__}}
    (folder / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")
    print(f"{plan.name}: trained in {seconds:.1f} s", flush=True)
    return folder


def add_source_flags(parser):
    parser.add_argument("--data", type=pathlib.Path, help="folder of the CSV files")
    parser.add_argument("--mnist", type=pathlib.Path, help="folder of MNIST's four IDX files")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="models, * and ? fit anything; all by default")
    parser.add_argument("--out", type=pathlib.Path,
                        default=HERE.parent / "build" / "bench" / "models")
    add_source_flags(parser)
    arguments = parser.parse_args()
    sources = Sources(arguments.data, arguments.mnist, arguments.out)
    missing = False
    for plan in chosen_plans(arguments.names):
        try:
            train(plan, arguments.out, sources)
        except datasets.Missing as fault:
            print(f"{plan.name}: left out: {fault}", file=sys.stderr)
            missing = True
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
