#!/usr/bin/env python3
"""The questions that are still hard, each with its target; writes the table of docs/performance.md.

    python3 bench/hard.py build/bench/bin/boxwood_ask --data FOLDER [--mnist FOLDER]
        [--cases NAME,…] [--write docs/performance.md]

Models are trained once into build/bench/models. Every case is asked on one thread. A question counts
as proven if its proof took at most the target's seconds of processor time, after which it is stopped.
Raw figures are kept in build/bench/hard.json, so that `--cases` measures some cases again and the
table keeps the others.
"""

import argparse
import dataclasses
import fnmatch
import json
import pathlib
import pickle
import platform
import statistics
import subprocess

import datasets
import models
import numpy as np
from pages import write_block
from targets import show

BENCH = models.HERE.parent / "build" / "bench"


@dataclasses.dataclass(frozen=True)
class Case:
    """Questions about one model. `target`: seconds each; `median`: of all, None if none is set."""

    name: str
    model: str
    what: str
    target: float
    norm: str = "squared_l2"
    kind: str = "plain"
    rows: int = 20
    median: float | None = None


def cases():
    found = [
        Case("forest", "spambase_forest", "forest, 100 trees of depth 8, spambase", 60, rows=50),
        Case("forest-kinds", "spambase_forest_kinds", "the same with kinds", 60, rows=50),
        Case("forest-default", "spambase_default_forest",
             "forest of default depth, 100 trees, spambase", 60)]
    found += [Case(f"linf-{one}v{two}", f"mnist_{one}v{two}",
                   f"largest change, 50 continuous features, digits {one} and {two}", 10,
                   norm="linf") for one, two in models.PAIRS]
    found += [Case(f"wide-{one}v{two}", f"mnist_{one}v{two}",
                   f"wide region, 50 features, digits {one} and {two}", 1, kind="wide region")
              for one, two in models.PAIRS]
    found += [
        Case("map-german", "german_250x8_kinds",
             "map with 1.5 times the distance as radius, German credit", 10, kind="map", rows=10),
        Case("map-1v7", "mnist_1v7", "the same, digits 1 and 7", 10, kind="map", rows=10),
        Case("alarms-changes", "alarms_500",
             "five classes, 500 trees, 20 sensors: at most 3 changes", 2,
             kind="at most 3 changes", rows=100),
        Case("alarms", "alarms_500", "the same, any change", 60, rows=100, median=0.1),
        Case("pixels", "pixels_3v8", "784 pixels, 200 trees of depth 7", 10, rows=25),
        Case("pixels-fewest", "pixels_3v8", "the same, fewest pixels", 60, norm="l1",
             kind="fewest first", rows=25),
        Case("ten-fewest", "pixels_ten_forest", "784 pixels, ten classes, forest of 50 trees of "
             "depth 8: fewest pixels", 60, norm="l1", kind="fewest first", rows=25),
        Case("trees", "synthetic_5000x6", "5,000 trees of depth 6, 20 features", 60),
        Case("leaves", "adult_extra_trees", "ExtraTrees of default depth, a million leaves, adult",
             60),
        Case("features", "features_1000", "1,000 features, 200 trees of depth 6", 60)]
    return found


def make_default_forest(folder, sources):
    from sklearn.ensemble import RandomForestClassifier

    return fit_forest(RandomForestClassifier(random_state=1, n_jobs=1),
                      models.on_unit(datasets.tabular("spambase", sources.data)), folder)


def make_extra_trees(folder, sources):
    from sklearn.ensemble import ExtraTreesClassifier

    return fit_forest(ExtraTreesClassifier(120, random_state=1, n_jobs=1),
                      models.with_kinds(datasets.tabular("adult", sources.data)), folder)


def fit_forest(forest, prepared, folder):
    train, test = models.split(len(prepared.inputs))
    forest.fit(prepared.inputs[train], prepared.target[train].astype(int))
    rows = test[:models.TABULAR_QUERIES]
    models.write_queries(folder, prepared.rules, models.to_the_other_class(
        prepared, rows, forest.predict(prepared.inputs[rows])))
    models.boxwood.save_model(forest, folder / "model.json")
    return {"library": "sklearn", "model": "model.json", "task": "binary",
            "leaves": sum(int(tree.tree_.n_leaves) for tree in forest.estimators_)}


def made_up(samples, features, classes, rounds, depth, queries):
    """XGBoost on made-up data; each row is asked for the next class."""
    def make(folder, sources):
        values, target = models.make_classification(
            n_samples=samples, n_features=features, n_informative=max(4, round(features / 3)),
            n_classes=classes, n_clusters_per_class=2, random_state=1)
        names = [f"f{i}" for i in range(features)]
        prepared = models.on_unit(datasets.Table(names, [], [], values, target.astype(float)))
        train, test = models.split(samples)
        more = {"objective": "multi:softprob", "num_class": classes} if classes > 2 else {}
        booster = models.boost(prepared.inputs[train], prepared.target[train], rounds, depth, **more)
        rows = test[:queries]
        said = models.predicted(booster, prepared.inputs[rows])
        said = said.argmax(axis=1) if classes > 2 else said > 0.5
        models.write_queries(folder, prepared.rules, [
            models.query(prepared, row, "next class", **{"class": (int(now) + 1) % classes})
            for row, now in zip(rows, said)])
        return models.save_booster(folder, booster, task="multiclass" if classes > 2 else "binary")
    return make


def images(sources):
    folder = sources.mnist or datasets.fetch_mnist(sources.cache)
    train, labels, test, truth = datasets.mnist(folder)
    return np.round(255 * train), labels, np.round(255 * test), truth


def of_pixels(inputs):
    """Images of grey levels: whole numbers from 0 to 255."""
    rule = models.rule("integer", lower=0.0, upper=255.0)
    return models.Prepared(inputs.astype(np.float32), None, [rule] * inputs.shape[1], [], [])


def misread(folder, prepared, said, truth, classes):
    """Asks for the true class of misread images, in an order of its own."""
    wrong = np.random.default_rng(11).permutation(np.flatnonzero(said != truth))[:25]
    models.write_queries(folder, prepared.rules, [
        models.query(prepared, row, "misread", **{"class": classes.index(int(truth[row]))})
        for row in wrong])


def make_pixel_pair(folder, sources):
    train, labels, test, truth = images(sources)
    train, labels, test, truth = (part[np.isin(of, (3, 8))] for part, of in (
        (train, labels), (labels, labels), (test, truth), (truth, truth)))
    booster = models.boost(train.astype(np.float32), labels == 8, 200, 7)
    prepared = of_pixels(test)
    said = np.where(models.predicted(booster, prepared.inputs) > 0.5, 8, 3)
    misread(folder, prepared, said, truth, [3, 8])
    return models.save_booster(folder, booster, task="binary")


def make_pixel_forest(folder, sources):
    train, labels, test, truth = images(sources)
    chosen = np.random.default_rng(0).permutation(len(train))[:10_000]
    forest = models.RandomForestClassifier(50, max_depth=8, random_state=0, n_jobs=1)
    forest.fit(train[chosen], labels[chosen])
    prepared = of_pixels(test)
    misread(folder, prepared, forest.predict(test), truth, list(range(10)))
    models.boxwood.save_model(forest, folder / "model.json")
    (folder / "forest.pickle").write_bytes(pickle.dumps(forest))
    return {"library": "sklearn", "model": "model.json", "task": "multiclass"}


def plans():
    own = [models.Plan("spambase_default_forest", "forest", make_default_forest),
           models.Plan("alarms_500", "alarms", made_up(20_000, 20, 5, 100, 6, 100)),
           models.Plan("pixels_3v8", "pixels", make_pixel_pair),
           models.Plan("pixels_ten_forest", "pixels", make_pixel_forest),
           models.Plan("synthetic_5000x6", "large", made_up(5_000, 20, 2, 5000, 6, 20)),
           models.Plan("adult_extra_trees", "forest", make_extra_trees),
           models.Plan("features_1000", "large", made_up(5_000, 1000, 2, 200, 6, 20))]
    return {plan.name: plan for plan in [*models.plans(), *own]}


def ask(program, case, folder):
    """The lines that boxwood_ask prints, the first about the model."""
    meta = json.loads((folder / "meta.json").read_text())
    done = subprocess.run(
        [program, folder / meta["model"], folder / "queries.json", "--threads", "1",
         "--norm", case.norm, "--kind", case.kind, "--rows", f"0-{case.rows - 1}",
         "--processor-limit", str(case.target)], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def figures(case, lines):
    """What the table shows of a case."""
    about, *answers = lines
    faults = [line["error"] for line in answers if line["status"] == "error"]
    if faults:
        raise SystemExit(f"{case.name}: {faults[0]}")
    proven = [line["processor_seconds"] <= case.target and line["status"] in ("optimal", "infeasible")
              for line in answers]
    open_ = [line for line, good in zip(answers, proven, strict=True) if not good]
    gaps = [1 - line["lower_bound"] / line["cost"] for line in open_
            if line["cost"] and line["status"] == "feasible" and line["lower_bound"] is not None]
    times = [line["processor_seconds"] for line in answers]
    return {"trees": about["trees"], "leaves": about["leaves"], "asked": len(answers),
            "proven": sum(proven), "median": statistics.median(times), "worst": max(times),
            "nodes": sum(line["nodes"] for line in answers), "gap": max(gaps, default=None)}


def row_of(case, found):
    target = f"{case.target:g} s each"
    met = found["proven"] == found["asked"]
    if case.median is not None:
        target += f", median under {show(case.median)}"
        met = met and found["median"] < case.median
    gap = "–" if found["gap"] is None else f"{100 * found['gap']:.0f} %"
    return (f"| {case.name} | {case.what} | {found['leaves']:,} | {target} | {found['proven']} of "
            f"{found['asked']} | {show(found['median'])} | {show(found['worst'])} | {gap} | "
            f"{'met' if met else 'not met'} |")


def table(raw):
    lines = [
        f"Machine: {platform.machine()}, one thread, processor time; a question that took longer than its target counts as open. "
        "The gap is the largest of the open questions.", "",
        "| case | what | leaves | target | proven | median | worst | gap | verdict |",
        "|---|---|---:|---|---:|---:|---:|---:|---|"]
    return "\n".join(lines + [row_of(case, raw[case.name]) for case in cases() if case.name in raw])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path, help="boxwood_ask")
    parser.add_argument("--cases", default="*", help="names with commas between, * and ? fit anything")
    parser.add_argument("--out", type=pathlib.Path, default=BENCH / "models")
    parser.add_argument("--raw", type=pathlib.Path, default=BENCH / "hard.json")
    parser.add_argument("--train", action="store_true", help="only train the models")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this page")
    models.add_source_flags(parser)
    given = parser.parse_args()
    chosen = [case for case in cases()
              if any(fnmatch.fnmatch(case.name, one) for one in given.cases.split(","))]
    sources = models.Sources(given.data, given.mnist, given.out)
    raw = json.loads(given.raw.read_text()) if given.raw.is_file() else {}
    for case in chosen:
        folder = models.train(plans()[case.model], given.out, sources)
        if given.train:
            continue
        raw[case.name] = figures(case, ask(given.program, case, folder))
        given.raw.write_text(json.dumps(raw, indent=1) + "\n")
        print(row_of(case, raw[case.name]), flush=True)
    if given.write:
        write_block(given.write, "hard", table(raw))


if __name__ == "__main__":
    main()
