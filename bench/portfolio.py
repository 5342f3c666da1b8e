#!/usr/bin/env python3
"""Answers a portfolio with the plain batch, with portfolio.run, on Spark and on Ray.

    PYTHONPATH=build/release/python python bench/portfolio.py --data FOLDER [--set adult] [--rows 100000]
        [--first 20000] [--engines portfolio,spark,ray] [--report report.html] [--write docs/performance.md]

FOLDER holds adult.csv and compas.csv (bench/README.md). A row of compas is answered several times faster than
one of adult, so that what an engine takes for a row weighs more. Rows are drawn with replacement where more are asked for
than adult has. All engines answer the same question on the same number of cores, the plain batch and the
engine in turn; the answers are compared row by row. What counts is the ratio to the plain batch in one run: of rows a second, and, on
a machine that is busy with other work, of processor time, which counts all processes of an engine.
With --first N every engine answers the first N rows before all of them: the difference is what each
further row takes, without what an engine spends once for a run.
"""

import argparse
import os
import pathlib
import shutil
import tempfile
import threading
import time

import boxwood
import numpy as np
import pandas as pd
from boxwood import portfolio
from pages import write_block

GROUPS = "age_group"  # a column of the source that is no feature
FIXED = ["Sex", "Age", "NativeCountry", "MaritalStatus", "Relationship", "CapitalGain", "CapitalLoss"]
QUESTION = {"target": 1, "fixed": FIXED, "rules": ["EducationNumber may only rise"], "node_limit": 20_000}
SAME = ["key", "status", "cost", "changes", "question_hash"]


def adult(folder, count):
    """Train on half of adult; draw `count` of the people whom the model refuses."""
    import xgboost

    data = pd.read_csv(pathlib.Path(folder) / "adult.csv", skiprows=[1, 2])
    # The file does not say what its codes mean. UCI's description: 0 is the larger group, men.
    data["Sex"] = np.where(data["Sex"] == 0, "male", "female")
    data["Sex"] = data["Sex"].astype("category")
    for name in ("NativeCountry", "WorkClass", "MaritalStatus", "Occupation", "Relationship"):
        data[name] = ("code " + data[name].astype(str)).astype("category")
    features, label = data.drop(columns="Class"), data["Class"]
    half = np.random.default_rng(1).permutation(len(data))[:len(data) // 2]
    model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, enable_categorical=True, n_jobs=2)
    model.fit(features.iloc[half], label.iloc[half])
    explainer = boxwood.Explainer(model, data=features.iloc[half])
    refused = features[explainer.predict(features) == 0]
    places = (np.arange(count) if count <= len(refused)
              else np.random.default_rng(2).integers(0, len(refused), count))
    rows = refused.iloc[places].reset_index(drop=True)
    rows[GROUPS] = pd.cut(rows["Age"], [0, 30, 45, 60, 200],
                          labels=["to 30", "31 to 45", "46 to 60", "over 60"]).astype(str)
    rows.insert(0, "id", np.arange(count))
    return explainer, rows, QUESTION


def compas(folder, count):
    """Train on half of COMPAS; draw `count` of the people for whom the model expects another offence."""
    import xgboost

    data = pd.read_csv(pathlib.Path(folder) / "compas.csv", skiprows=[1, 2])
    features, label = data.drop(columns="Class"), data["Class"]
    random = np.random.default_rng(1)
    half = random.permutation(len(data))[:len(data) // 2]
    model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, n_jobs=2)
    model.fit(features.iloc[half], label.iloc[half])
    explainer = boxwood.Explainer(model, data=features.iloc[half])
    expected = features[explainer.predict(features) == 1]
    rows = expected.iloc[random.integers(0, len(expected), count)].reset_index(drop=True)
    rows[GROUPS] = np.where(rows["AgeGroup"] == 1, "young", "older")
    rows.insert(0, "id", np.arange(count))
    return explainer, rows, {"target": 0, "fixed": ["Sex", "Race"], "node_limit": 20_000}


def by_batch(explainer, rows, question, cores, folder):
    batch = explainer.explain_batch(rows.drop(columns=["id", GROUPS]), threads=cores,
                                    show_progress=False, **question)
    return lambda: batch.to_arrow()


def by_portfolio(explainer, rows, question, cores, folder):
    made = portfolio.run(explainer, rows, folder / "portfolio", "id", question=question,
                         threads=cores, why_not=False, keep=[GROUPS])
    return made.table


def by_spark(explainer, rows, question, cores, folder):
    from boxwood import spark

    frame = SPARK.read.parquet(str(folder / "rows.parquet")).repartition(4 * cores)
    answers = spark.explain(frame, explainer, key="id", why_not=False, **question)
    answers.write.mode("overwrite").parquet(str(folder / "spark"))
    return lambda: read(folder / "spark")


def by_ray(explainer, rows, question, cores, folder):
    import ray
    from boxwood import ray as on_ray

    source = ray.data.read_parquet(str(folder / "rows.parquet"), override_num_blocks=8 * cores)
    answers = on_ray.explain(source, explainer, key="id", workers=cores, why_not=False, **question)
    answers.write_parquet(str(folder / "ray"))
    return lambda: read(folder / "ray")


def overhead(explainer, rows, question):
    """The share of the plain batch in the processor time of the worker, one thread each."""
    import pyarrow as pa
    from boxwood.worker import Worker

    table = pa.Table.from_pandas(rows.head(2000), preserve_index=False)
    features = table.drop_columns(["id", GROUPS])
    worker = Worker(explainer, "id", question=question, why_not=False)

    def seconds(work):
        begin = time.process_time()
        work()
        return time.process_time() - begin

    plain = seconds(lambda: explainer.explain_batch(features, threads=1, show_progress=False,
                                                    **question))
    return plain / seconds(lambda: worker(table))


def read(folder):
    import pyarrow.dataset as dataset

    return dataset.dataset(folder, format="parquet", exclude_invalid_files=True).to_table().sort_by(
        "key")


class Meter(threading.Thread):
    """Processor time of this process and of all that it started, ended ones included."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = {}  # of a process and its start: ticks. Engines do not wait for all their workers.
        self.start()

    def run(self):
        while True:
            self.look()
            time.sleep(0.2)

    def look(self):
        children, used = {}, {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:  # it has just ended
                    continue
                children.setdefault(int(fields[1]), []).append(int(entry.name))
                used[int(entry.name)] = fields[19], sum(int(ticks) for ticks in fields[11:13])
        family = [os.getpid()]
        for one in family:
            family += children.get(one, [])
            if one in used:
                begun, ticks = used[one]
                self.seen[one, begun] = ticks

    def seconds(self):
        self.look()
        return sum(list(self.seen.values())) / os.sysconf("SC_CLK_TCK")


def start(engine, cores):
    """Start an engine before the clock: a cluster is there already."""
    global SPARK
    if engine == "spark":
        import pyspark
        from pyspark.sql import SparkSession

        os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
        os.environ.setdefault("PYSPARK_PYTHON", os.sys.executable)
        # One executor for each core, each a process of its own.
        SPARK = (SparkSession.builder.master(f"local-cluster[{cores},1,2048]")
                 .config("spark.ui.enabled", "false")
                 .config("spark.executorEnv.PYTHONPATH", str(pathlib.Path(boxwood.__file__).parents[1].resolve()))
                 .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
                 .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000").getOrCreate())
        SPARK.sparkContext.setLogLevel("ERROR")
        SPARK.range(10).mapInArrow(lambda batches: batches, "id long").count()
    if engine == "ray":
        import ray

        # One slot more than workers: reading takes one, and next to no time.
        ray.init(num_cpus=cores + 1, include_dashboard=False, configure_logging=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
    return {"portfolio": by_portfolio, "spark": by_spark, "ray": by_ray}[engine]


def stop(engine):
    if engine == "spark":
        SPARK.stop()
    if engine == "ray":
        import ray

        ray.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--set", choices=["adult", "compas"], default="adult")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="answer so many rows before")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--engines", default="portfolio,spark,ray")
    parser.add_argument("--write", type=pathlib.Path, help="write the figures into this page")
    parser.add_argument("--note", help="about the state of the machine, for the page")
    parser.add_argument("--report", help="write a report of the portfolio to this file")
    given = parser.parse_args()
    meter = Meter()
    explainer, rows, question = {"adult": adult, "compas": compas}[given.set](given.data, given.rows)
    folder = pathlib.Path(tempfile.mkdtemp())
    parts = {count: folder / str(count) for count in (given.first, given.rows) if count}
    for count, part in parts.items():
        part.mkdir()
        rows.head(count).to_parquet(part / "rows.parquet", index=False)
    explainer.explain_batch(rows.drop(columns=["id", GROUPS]).head(200), show_progress=False, **question)
    share = overhead(explainer, rows, question)
    print(f"worker: {100 * share:.0f} % of its processor time is the plain batch's", flush=True)
    expected, lines = None, []
    for engine in given.engines.split(","):
        runs = {"batch": by_batch, engine: start(engine, given.cores)}
        spent = {(name, 0): (0.0, 0.0) for name in runs}  # seconds, and those of all cores
        for count, part in parts.items():
            for name, run in runs.items():
                begin, used_before = time.perf_counter(), meter.seconds()
                result = run(explainer, rows.head(count), question, given.cores, part)
                spent[name, count] = time.perf_counter() - begin, meter.seconds() - used_before
                if name == "batch" and count == given.rows and expected is None:
                    expected = result().select(SAME).to_pylist()
        each = {name: [(whole - before) / (given.rows - given.first) for whole, before
                       in zip(spent[name, given.rows], spent[name, given.first], strict=True)]
                for name in runs}
        (seconds, used), (base, base_used) = each[engine], each["batch"]
        same = result().select(SAME).to_pylist() == expected
        print(f"{engine:<10} {1 / seconds:8,.0f} rows/s, batch {1 / base:,.0f}: {100 * base / seconds:5.0f} %"
              f"   {1e3 * used:.2f} ms of a core a row, batch {1e3 * base_used:.2f}: {100 * base_used / used:.0f} %"
              f"   once {spent[engine, given.rows][1] - used * given.rows:.0f} s of a core"
              f"   {'same answers' if same else 'OTHER ANSWERS'}", flush=True)
        lines.append(f"| {engine} | {1 / seconds:,.0f} | {1 / base:,.0f} | {100 * base / seconds:.0f} % |"
                     f" {1e3 * used:.2f} | {1e3 * base_used:.2f} | {100 * base_used / used:.0f} % |")
        assert same
        stop(engine)
    if given.write:
        made = result()
        proven = sum(one in ("optimal", "infeasible") for one in made.column("status").to_pylist())
        which = f"The rows after the first {given.first:,} of " if given.first else ""
        text = (f"{which}{given.rows:,} rows of {given.set} on {given.cores} cores, {proven:,} of them proven, the same "
                f"answers everywhere; {given.note or 'nothing else was running'}.\n\n"
                f"Of the worker's processor time {100 * share:.0f} % is the search of the plain batch; the rest makes "
                "the records.\n\n| engine | rows a second | plain batch | share | ms of a core a row | plain batch | plain batch / this |\n"
                "|---|---|---|---|---|---|---|\n" + "\n".join(lines))
        write_block(given.write, "portfolio", text)
    if given.report:
        portfolio.report(folder / str(given.rows) / "portfolio", by=["Sex", GROUPS]).save(given.report)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
