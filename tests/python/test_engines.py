"""The engines of clusters, really run: local processes, one of which is killed in the middle.

BOXWOOD_CASES sets the number of rows (`make test-long` runs more).
"""

import os
import pathlib
import pickle
import signal
import sys
import threading
import time

import boxwood
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from boxwood.worker import Worker
from conftest import GERMAN

ROWS = min(20_000, int(os.environ.get("BOXWOOD_CASES", "1200")))
QUESTION = {"fixed": ["age"], "node_limit": 2000}
SAME = ["key", "status", "cost", "changes", "claim", "question_hash", "after_duration", "town"]


@pytest.fixture(scope="module")
def explainer():
    return boxwood.Explainer(GERMAN / "model.ubj", schema=GERMAN / "schema.json")


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(6)
    people = pd.read_csv(GERMAN / "applicants.csv").drop(columns="class")
    made = people.iloc[random.integers(0, len(people), ROWS)].reset_index(drop=True)
    made["duration"] = random.integers(4, 73, ROWS)
    made["credit_amount"] = random.integers(250, 20000, ROWS)
    made["id"] = [f"Ä-{i:06d}" for i in range(ROWS)]
    made["town"] = random.choice(["Bonn", "Ulm"], ROWS)
    return made


@pytest.fixture(scope="module")
def expected(explainer, rows):
    """The plain batch."""
    batch = explainer.explain_batch(rows.drop(columns=["id", "town"]), "granted",
                                    show_progress=False, **QUESTION)
    table = batch.records().to_arrow(pa.array(rows["id"]))
    return table.append_column("town", pa.array(rows["town"])).select(SAME).to_pylist()


@pytest.fixture(scope="module")
def source(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("engines") / "rows.parquet"
    rows.to_parquet(path, index=False)
    return path


def test_the_worker_is_pickled_with_everything(explainer, source, expected):
    table = pq.read_table(source)
    worker = pickle.loads(pickle.dumps(Worker(explainer, "id", target="granted", question=QUESTION,
                                              keep=["town"])))
    parts = [worker(batch) for batch in table.to_batches(max_chunksize=301)]
    assert all(isinstance(part, pa.RecordBatch) for part in parts)
    made = pa.Table.from_batches(parts)
    assert made.schema.equals(worker.schema(table.schema))
    assert made.select(SAME).to_pylist() == expected
    empty = worker(pa.RecordBatch.from_pylist([], schema=table.schema))
    assert empty.num_rows == 0 and empty.schema.equals(made.schema)


def test_the_worker_takes_the_targets_of_the_plain_batch(explainer, rows):
    some = rows.head(3)
    features = some.drop(columns=["id", "town"])
    for target in (None, "granted", boxwood.Class("granted", probability=0.7)):
        worker = Worker(explainer, "id", target=target, why_not=False)
        made = worker(pa.Table.from_pandas(some, preserve_index=False))
        plain = explainer.explain_batch(features, target, show_progress=False)
        assert made.column("cost").to_pylist() == [one.cost for one in plain.answers]


def processes(word):
    """Process numbers of this process's descendants whose command line has a word."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(state[1])
                if word in (folder / "cmdline").read_bytes().decode(errors="replace"):
                    found.append(int(folder.name))
            except OSError:
                pass

    def ours(process):
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [process for process in found if ours(process)]


class Killer(threading.Thread):
    """Kills one process when a part of the work is done, and notes how much that was."""

    def __init__(self, word, done):
        super().__init__()
        self.word, self.done, self.at = word, done, None
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            done = self.done()
            victims = sorted(processes(self.word)) if done else []
            if victims:
                os.kill(victims[0], signal.SIGKILL)
                self.at = done
                return
            time.sleep(0.01)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    import pyspark
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    changed = {"SPARK_HOME": os.path.dirname(pyspark.__file__), "PYSPARK_PYTHON": sys.executable,
               "SPARK_WORKER_DIR": str(folder / "work"), "SPARK_LOCAL_IP": "127.0.0.1",
               # Java that runs for seconds: compiling what it does seldom costs more than it saves.
               "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
               "SPARK_LOCAL_DIRS": str(folder / "local")}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    session = (SparkSession.builder.master("local-cluster[2,1,1024]")
               .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
               .config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
               .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
               .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


def test_spark_gives_one_record_a_key_though_an_executor_is_killed(spark, explainer, source,
                                                                   expected, tmp_path):
    from boxwood import spark as on_spark

    frame = spark.read.parquet(str(source)).repartition(12)
    answers = on_spark.explain(frame, explainer, "granted", key="id", keep=["town"], **QUESTION)
    assert answers.columns[0] == "key" and answers.columns[-1] == "town"
    out = tmp_path / "out"
    tracker = spark.sparkContext.statusTracker()

    def done():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return max((one.numCompletedTasks for one in stages if one and one.numTasks == 12),
                   default=0)

    with Killer("CoarseGrainedExecutorBackend", done) as killer:
        answers.write.parquet(str(out))
    assert killer.at is not None and 1 <= killer.at < 12  # in the middle
    made = pq.read_table(out).sort_by("key").select(SAME).to_pylist()
    assert made == expected


def test_ray_gives_one_record_a_key_though_a_worker_is_killed(explainer, source, expected):
    import ray
    from boxwood import ray as on_ray

    ray.init(num_cpus=3, include_dashboard=False, configure_logging=False, log_to_driver=False,
             runtime_env={"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}})
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        dataset = ray.data.read_parquet(str(source))  # one file, one block
        answers = on_ray.explain(dataset, explainer, "granted", key="id", workers=2, keep=["town"],
                                 batch_size=100, **QUESTION)
        parts, killed = [], None
        for table in answers.iter_batches(batch_size=None, batch_format="pyarrow"):
            if not parts:  # the others are being made
                killed = sorted(processes("MapWorker"))[0]
                os.kill(killed, signal.SIGKILL)
            parts.append(table)
        assert killed is not None and len(parts) >= 6
    finally:
        ray.shutdown()
    made = pa.concat_tables(parts).sort_by("key").select(SAME).to_pylist()
    assert made == expected


def test_dask_gives_the_same(explainer, source, expected):
    import dask.dataframe
    from boxwood import dask as on_dask

    frame = dask.dataframe.from_pandas(pd.read_parquet(source), npartitions=4)
    answers = on_dask.explain(frame, explainer, "granted", key="id", keep=["town"], **QUESTION)
    made = answers.compute(scheduler="threads")
    assert list(answers.columns) == list(made.columns)
    table = pa.Table.from_pandas(made, preserve_index=False).select(SAME)
    assert table.to_pylist() == expected


def test_what_does_not_fit_is_refused_before_anything_runs(explainer, rows):
    from boxwood import worker

    schema = pa.Schema.from_pandas(rows)
    made = Worker(explainer, "id", target="granted")
    with pytest.raises(boxwood.Error, match='no column "number"'):
        Worker(explainer, "number", target="granted").schema(schema)
    with pytest.raises(boxwood.Error, match='the model reads "duration"'):
        made.schema(schema.remove(schema.get_field_index("duration")))
    with pytest.raises(boxwood.Error, match="threads is not part"):
        Worker(explainer, "id", question={"threads": 2})
    with pytest.raises(boxwood.Error, match='explain has no argument "tarjet"'):
        Worker(explainer, "id", question={"tarjet": 2})
    assert worker.KEY == "key"
