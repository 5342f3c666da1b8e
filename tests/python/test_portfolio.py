"""Portfolios: every row once, in files that survive a killed run, whatever the rows are like."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import boxwood
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from boxwood import portfolio
from conftest import GERMAN

QUESTION = {"fixed": ["age"], "node_limit": 2000}
SAME = ("key", "status", "cost", "changes", "claim", "question_hash", "outcome", "blockers")


@pytest.fixture(scope="module")
def many(german, applicants):
    """Some applicants with other durations, amounts and ages, and a key."""
    random = np.random.default_rng(5)
    rows = applicants.iloc[random.integers(0, len(applicants), 400)].reset_index(drop=True)
    rows["duration"] = random.integers(4, 73, 400)
    rows["credit_amount"] = random.integers(250, 20000, 400)
    rows.insert(0, "id", [f"A-{i:04d}" for i in range(400)])
    return rows


@pytest.fixture(scope="module")
def whole(german, many, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "answers"
    return portfolio.run(german, many, folder, target="granted", question=QUESTION,
                         rows_per_part=90, progress=False)


def same(one, other):
    return one.select(SAME).to_pylist() == other.select(SAME).to_pylist()


def test_the_records_are_those_of_the_batch(german, many, whole):
    assert whole.finished and whole.rows == 400 and whole.check() == []
    table = whole.table()
    batch = german.explain_batch(many.drop(columns="id"), "granted", show_progress=False,
                                 **QUESTION)
    expected = batch.records().to_arrow(pa.array(many["id"]))
    assert same(table.drop_columns("blockers").append_column(
        "blockers", expected.column("blockers")), expected)
    assert [part["rows"] for part in whole.parts] == [90, 90, 90, 90, 40]
    for row in (0, 200, 399):
        assert boxwood.check_record(table.to_pylist()[row], german,
                                    question={"target": "granted", **QUESTION}) == []


@pytest.mark.parametrize("form", ["parquet", "csv", "folder", "dictionary", "arrow", "dataset"])
def test_every_kind_of_source_gives_the_same(german, many, whole, tmp_path, form):
    table = pa.Table.from_pandas(many, preserve_index=False)
    source = tmp_path / f"rows.{form}"
    if form == "parquet":
        pq.write_table(table.select(table.schema.names[::-1]), source)  # another order of columns
    elif form == "csv":
        pa.csv.write_csv(table, source)
    elif form == "arrow":
        with pa.ipc.new_file(source, table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    elif form == "folder":  # many tiny files
        source.mkdir()
        for i in range(0, 400, 4):
            pq.write_table(table.slice(i, 4), source / f"{i:04d}.parquet")
    elif form == "dictionary":
        source = table.set_column(0, "id", table.column("id").dictionary_encode())
        place = table.schema.get_field_index("purpose")
        source = source.set_column(place, "purpose", table.column("purpose").dictionary_encode())
        place = table.schema.get_field_index("credit_amount")
        source = source.set_column(place, "credit_amount",
                                   table.column("credit_amount").cast(pa.decimal128(24, 2)))
    else:
        source = pa.dataset.dataset(table)
    made = portfolio.run(german, source, tmp_path / "out", target="granted", question=QUESTION,
                         progress=False)
    assert same(made.table(), whole.table())


KILLED = """
import sys, boxwood
from boxwood import portfolio
explainer = boxwood.Explainer(sys.argv[1], schema=sys.argv[2])
portfolio.run(explainer, sys.argv[3], sys.argv[4], target="granted",
              question={"fixed": ["age"], "node_limit": 2000}, rows_per_part=40, progress=False)
"""


@pytest.mark.parametrize("parts", [1, 4])
def test_a_killed_run_goes_on_without_losing_or_repeating_a_key(german, many, whole, tmp_path,
                                                                parts):
    source, folder = tmp_path / "rows.parquet", tmp_path / "out"
    pq.write_table(pa.Table.from_pandas(many, preserve_index=False), source)
    child = subprocess.Popen([sys.executable, "-c", KILLED, GERMAN / "model.ubj",
                              GERMAN / "schema.json", source, folder])
    manifest = folder / "_manifest.jsonl"
    end = time.monotonic() + 120
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 1 + parts:
        assert time.monotonic() < end and child.poll() is None, "it was done before it was killed"
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    child.wait()
    done = portfolio.load(folder)
    assert parts <= len(done.parts) < 10 and not done.finished
    with open(manifest, "ab") as stream:  # as if it had been killed within a line
        stream.write(b'{"part": 99, "fil')
    (folder / ".part-000099.parquet.unfinished").write_bytes(b"PAR1")
    made = portfolio.run(german, source, folder, target="granted", question=QUESTION,
                         progress=False)
    assert made.finished and same(made.table(), whole.table())
    assert len(set(made.table().column("key").to_pylist())) == 400
    assert not list(folder.glob("*unfinished"))
    again = portfolio.run(german, source, folder, target="granted", question=QUESTION,
                          progress=False)
    assert again.parts == made.parts  # nothing to do


def test_ctrl_c_keeps_what_is_done(many, whole, german, tmp_path):
    source, folder = tmp_path / "rows.parquet", tmp_path / "out"
    pq.write_table(pa.concat_tables([pa.Table.from_pandas(
        many.assign(id=many["id"] + f"-{i}"), preserve_index=False) for i in range(50)]), source)
    child = subprocess.Popen([sys.executable, "-c", KILLED.replace("rows_per_part=40", "rows_per_part=200"),
                              GERMAN / "model.ubj", GERMAN / "schema.json", source, folder],
                             stderr=subprocess.PIPE, text=True)
    manifest = folder / "_manifest.jsonl"
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 3:
        assert child.poll() is None
        time.sleep(0.001)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    done = portfolio.load(folder)
    assert f"Interrupted: {done.rows:,} of 20,000 rows are kept" in said
    assert 400 <= done.rows < 20_000 and done.check() == []
    assert done.table().column("key").to_pylist() == pq.read_table(source).column("id").to_pylist()[
        :done.rows]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_to_the_command_keep_what_is_done(many, german, tmp_path, name):
    """The signal comes while rows are searched: a first part is written, the next one is not."""
    source, folder = tmp_path / "rows.parquet", tmp_path / "out"
    table = pa.concat_tables([pa.Table.from_pandas(
        many.assign(id=many["id"] + f"-{i}"), preserve_index=False) for i in range(50)])
    pq.write_table(table, source)
    words = [sys.executable, "-m", "boxwood", "portfolio", "run", GERMAN / "model.ubj", source,
             folder, "--schema", GERMAN / "schema.json", "--want", "granted", "--rows-per-part"]
    child = subprocess.Popen([*words, "200"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    manifest = folder / "_manifest.jsonl"
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 2:
        assert child.poll() is None
        time.sleep(0.001)
    child.send_signal(getattr(signal, name))
    said, complaint = child.communicate(timeout=60)
    done = portfolio.load(folder)
    assert child.returncode == 130 and "Traceback" not in complaint
    assert f"Interrupted: {done.rows:,} of 20,000 rows are kept" in complaint and "rows to go" in said
    assert 200 <= done.rows < 20_000 and done.check() == []
    assert not list(folder.glob("*unfinished"))
    assert done.table().column("key").to_pylist() == table.column("id").to_pylist()[:done.rows]


def test_what_changed_is_refused(german, many, whole, tmp_path):
    folder = tmp_path / "out"
    portfolio.run(german, many.head(20), folder, target="granted", question=QUESTION,
                  progress=False)
    schema = boxwood.Schema.load(GERMAN / "schema.json")
    schema["duration"].fixed = True
    other = boxwood.Explainer(GERMAN / "model.ubj", schema=schema)
    fewer = boxwood.Explainer(GERMAN / "model.ubj", schema=GERMAN / "schema.json", rounds=200)
    cases = [("schema", other, many.head(20), {"target": "granted", "question": QUESTION}),
             ("model", fewer, many.head(20), {"target": "granted", "question": QUESTION}),
             ("question", german, many.head(20), {"target": "granted"}),
             ("question", german, many.head(20), {"target": "refused", "question": QUESTION}),
             ("question", german, many.head(20), {
                 "target": "granted", "question": {**QUESTION, "rules": "duration <= 60"}}),
             ("number of rows", german, many.head(21), {"target": "granted", "question": QUESTION}),
             ("source", german, many.head(20).assign(more=1),
              {"target": "granted", "question": QUESTION}),
             ("columns to keep", german, many.head(20),
              {"target": "granted", "question": QUESTION, "keep": ["sex"]})]
    for name, value in (("duration", 73), ("purpose", "repairs"), ("credit_amount", None)):
        changed = many.head(20).copy()
        assert changed.loc[7, name] != value
        changed.loc[7, name] = value
        cases.append(("source", german, changed, {"target": "granted", "question": QUESTION}))
    for word, explainer, rows, asked in cases:
        if word == "columns to keep":
            rows = rows.assign(sex="f")
            word = "columns to keep|source"
        with pytest.raises(boxwood.Error, match=f"begun with (an)?other ({word})"):
            portfolio.run(explainer, rows, folder, progress=False, **asked)
    with pytest.raises(boxwood.Error, match="holds a portfolio already"):
        portfolio.run(german, many.head(20), folder, target="granted", question=QUESTION,
                      resume=False, progress=False)
    file = portfolio.load(folder).files[0]
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(boxwood.Error, match="not the file that was written"):
        portfolio.run(german, many.head(20), folder, target="granted", question=QUESTION,
                      progress=False)


def test_agreement_live_regions_and_plausibility_are_part_of_the_question(tmp_path):
    from sklearn.ensemble import IsolationForest
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(3)
    frame = pd.DataFrame({"income": random.integers(0, 99, 200), "debt": random.integers(0, 99, 200)})
    models = [DecisionTreeClassifier(max_depth=3).fit(frame, frame["income"] > limit)
              for limit in (50, 60)]
    normal = [IsolationForest(n_estimators=5, contamination=share, random_state=0).fit(frame)
              for share in (0.05, 0.2)]
    several, one, plausible, unusual = (
        boxwood.Explainer(model, data=frame, plausible=forest) for model, forest in (
            (models, None), (models[0], None), (models[0], normal[0]), (models[0], normal[1])))
    rows = frame.head(3).assign(id=range(3))
    for number, (explainer, question, other, further) in enumerate((
            (several, {"agree": 1}, several, {"agree": 2}),
            (one, {"live": 1}, one, {"live": 2}),
            (one, {"examples": frame.head(2)}, one, {"examples": frame.tail(2)}),
            (plausible, {}, unusual, {}))):
        folder = tmp_path / str(number)
        made = portfolio.run(explainer, rows, folder, target=True, question=question, progress=False)
        assert made.finished and "error" not in made.statuses
        portfolio.run(explainer, rows, folder, target=True, question=question, progress=False)
        with pytest.raises(boxwood.Error, match="begun with another question"):
            portfolio.run(other, rows, folder, target=True, question=further, progress=False)
    assert plausible.hashes == unusual.hashes  # only the question tells them apart


def test_mistakes_in_the_question_are_refused_and_not_every_row(german, many, tmp_path):
    from sklearn.tree import DecisionTreeRegressor

    def refused(words, explainer=german, **asked):
        with pytest.raises(boxwood.Error, match=words):
            portfolio.run(explainer, many.head(3), tmp_path / "out", progress=False, **asked)

    refused('no feature "duratoin"', target="granted", question={"rules": "duratoin <= 3"})
    refused("cost, column 6", target="granted", question={"cost": "l3"})
    refused('no class "grnted"', target="want grnted")
    numbers = many[["duration", "credit_amount"]]
    regression = boxwood.Explainer(DecisionTreeRegressor(max_depth=2).fit(
        numbers, many["duration"]), data=numbers)
    refused("no wanted number is given", explainer=regression)
    made = portfolio.run(regression, many.head(3), tmp_path / "out", progress=False,
                         question={"change": "+5%"})  # what depends on the row is asked
    assert made.finished and "error" not in made.statuses


def test_decimals_are_read_as_python_reads_them(tmp_path):
    from decimal import Decimal

    from boxwood.worker import Worker
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(2)
    given = [Decimal(int(n)).scaleb(-12) for n in random.integers(0, 10**15, 300)]
    data = pd.DataFrame({"amount": [float(one) for one in given]})
    model = DecisionTreeClassifier(max_depth=2).fit(data, data["amount"] > 500)
    worker = Worker(boxwood.Explainer(model, data=data), "id", target=True)
    made = worker(pa.table({"id": range(300), "amount": given}))
    assert made.column("before_amount").to_pylist() == data["amount"].tolist()


def test_rows_that_make_no_sense_are_errors_and_nothing_more(german, many, tmp_path):
    source = tmp_path / "rows.csv"
    rows = many.head(30).astype(object).copy()
    rows.loc[3, "duration"] = "two years"
    rows.loc[7, "purpose"] = "no such purpose ✓"
    rows.loc[9, "credit_amount"] = "1e400"
    rows.loc[11, "duration"] = "   "
    rows.loc[12, "duration"] = None
    rows.loc[13, "id"] = "0013"
    rows.loc[14, "id"] = 'Ünicode, "quoted"\nkey'
    rows.to_csv(source, index=False)
    made = portfolio.run(german, source, tmp_path / "out", target="granted", progress=False)
    table = made.table().to_pylist()
    assert [row["key"] for row in table] == rows["id"].tolist()
    wrong = {i: row["error"] for i, row in enumerate(table) if row["status"] == "error"}
    assert set(wrong) == {3, 7, 9}
    assert "'two years' is not a number" in wrong[3] and "no category" in wrong[7]
    assert "too large" in wrong[9]
    assert not any("row" in one for one in wrong.values())  # the key says which
    assert pd.read_parquet(tmp_path / "out")["key"].tolist() == rows["id"].tolist()
    assert table[11]["before_duration"] is None and table[12]["before_duration"] is None
    assert made.statuses["error"] == 3


def test_sources_that_cannot_be_answered_are_refused_at_once(german, many, tmp_path):
    table = pa.Table.from_pandas(many.head(9), preserve_index=False)

    def refused(source, words, **more):
        with pytest.raises(boxwood.Error, match=words):
            portfolio.run(german, source, tmp_path / "out", progress=False,
                          **{"target": "granted", **more})

    ids = table.schema.get_field_index("id")
    refused(table.set_column(ids, "id", pa.array(["a"] * 4 + ["b", "c", "d", "a", "e"])),
            "rows 0 and 1 have the same key 'a'")
    refused(table.set_column(ids, "id", pa.array(["a", None, *"bcdefgh"])), "row 1 has no key")
    refused(table.set_column(ids, "id", pa.array(np.arange(9.0))), "values of type double")
    refused(table.drop_columns("duration"), 'the model reads "duration"')
    refused(table, 'no column "number"', key="number")
    refused(table, 'no column "sex"', keep=["sex"])
    refused(table.append_column("status", pa.array(range(9))), "a column .status. of their own",
            keep=["status"])
    place = table.schema.get_field_index("duration")
    refused(table.set_column(place, "duration", pa.array([pd.Timestamp("2026-01-01")] * 9)),
            "cannot read values of type timestamp")
    refused(tmp_path / "nothing.parquet", "no such file")
    refused(table, "cost function", question={"cost": lambda *_: 1})
    refused(table, "target: a portfolio needs one wanted outcome. Give target=\"granted\"",
            target=None)
    refused(table, 'question: explain has no argument "fixd".*fixed', question={"fixd": ["age"]})
    refused(table, "one wanted outcome", target=None, question={"probability": 0.6})
    refused(table, "question: it is of type str", question="fixed")
    mixed = many.head(9).astype({"duration": object})
    mixed.loc[0, "duration"] = True
    refused(mixed, 'source: .*column duration.*[^.]\\. Mend the source')
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 and nothing")
    refused(tmp_path / "damaged.parquet", "source")
    (tmp_path / "ragged.csv").write_text("id,duration\n1,2,3\n")
    refused(tmp_path / "ragged.csv", "Expected 2 columns")
    for separator in ";\t":
        (tmp_path / "other.csv").write_text(separator.join(("id", "duration\n1", "2\n")))
        refused(tmp_path / "other.csv", "not by commas. Write it with commas, or read it with pandas")
    (tmp_path / "wide.csv").write_text("id,duration\n1,2\n", encoding="utf-16")
    refused(tmp_path / "wide.csv", "CSV files are UTF-8 text with commas")
    pq.write_table(table.append_column("duration", table["duration"]), tmp_path / "twice.parquet")
    refused(tmp_path / "twice.parquet", 'column "duration" is there 2 times. Give it once')
    spans = pa.array([pa.MonthDayNano([1, 2, 3])] * 9)
    refused(table.append_column("span", spans), 'keep: Parquet cannot hold column "span"',
            keep=["span"])
    refused(table.set_column(ids, "id", spans), 'key: Parquet cannot hold column "key"')
    assert not list((tmp_path / "out").glob("part-*"))


def test_a_table_is_known_by_its_values_and_not_by_its_chunks():
    from boxwood.portfolio.source import Source

    def values(table):
        return Source(table).identity(table.schema.names)["values"]

    table = pa.table({"text": ["a", None, "b", "a"], "number": [1, None, 3, 4],
                      "list": [[1], None, [2, 3], []]})
    texts, numbers = table["text"], pa.array([1, 0, 3, 4])
    for same_one in (pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1)]),
                     pa.concat_tables([table, table]).slice(4),
                     table.set_column(0, "text", texts.dictionary_encode())):
        assert values(same_one) == values(table)
    for other in (table.set_column(0, "text", texts.fill_null("")), table.slice(0, 3),
                  table.set_column(1, "number", numbers), table.select(["text", "number"])):
        assert values(other) != values(table)


def test_an_empty_source_has_an_empty_portfolio_and_a_report(german, many, tmp_path):
    made = portfolio.run(german, many.head(0), tmp_path / "out", target="granted", progress=False)
    assert made.finished and made.table().num_rows == 0
    shown = portfolio.report(tmp_path / "out", by="age")
    assert "0 of 0" in str(shown) and "<svg" not in shown.to_html()


def test_a_damaged_manifest_is_named(german, many, tmp_path):
    folder = tmp_path / "out"
    portfolio.run(german, many.head(4), folder, target="granted", rows_per_part=2, progress=False)
    path = folder / "_manifest.jsonl"
    whole = path.read_bytes()
    head, first, second = whole.splitlines(keepends=True)
    damaged = {
        "line 1: it is not JSON": b"\xff\xfe\n",
        "no manifest of version 1": b"[1]\n" + whole,
        "line 1: it does not say what was asked": b'{"boxwood_portfolio": 1}\n',
        "line 2: it does not describe part 0": head + b"{}\n",
        "line 3: it does not describe part 1": head + first + first,
        "line 2: .* part 0": head + first.replace(b"part-0", b"../out/part-0") + second,
        "line 2: .* describe part 0": head + first.replace(b'"rows": 2', b'"rows": -2') + second,
        "its parts have 4 rows, the source 3": whole.replace(b'"rows": 4', b'"rows": 3')}
    for words, content in damaged.items():
        path.write_bytes(content)
        for use in (portfolio.load, portfolio.report,
                    lambda _: portfolio.run(german, many.head(4), folder, target="granted", progress=False)):
            with pytest.raises(boxwood.Error, match=words):
                use(folder)
    path.write_bytes(whole)
    assert portfolio.load(folder).finished


def test_a_terminal_shows_how_far_how_fast_and_how_long_still(german, many, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    portfolio.run(german, many.head(6), tmp_path / "out", target="granted", rows_per_part=2)
    shown = capsys.readouterr().err.split("\r")
    assert "2 of 6 rows (33 %), " in shown[2]
    assert re.search(r"with a change, [\d,]+ rows/s, \d+ s left", shown[2])
    assert "6 of 6 rows (100 %), " in shown[-1] and shown[-1].endswith("\n")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    portfolio.run(german, many.head(6), tmp_path / "quiet", target="granted")
    assert capsys.readouterr().err == ""


def test_two_runs_do_not_write_to_one_folder(german, many, tmp_path):
    from boxwood.portfolio.manifest import Writer

    with Writer(tmp_path / "out"), pytest.raises(boxwood.Error, match="another run"):
        portfolio.run(german, many.head(3), tmp_path / "out", target="granted", progress=False)


def test_a_full_disk_keeps_what_is_done(german, many, tmp_path, monkeypatch):
    from boxwood.portfolio import manifest

    real, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) == 7:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(manifest.os, "fsync", full)
    with pytest.raises(boxwood.Error, match="No space left on device"):
        portfolio.run(german, many.head(40), tmp_path / "out", target="granted", rows_per_part=10,
                      progress=False)
    monkeypatch.undo()
    kept = portfolio.load(tmp_path / "out")
    assert 0 < kept.rows < 40 and kept.check() == []
    made = portfolio.run(german, many.head(40), tmp_path / "out", target="granted", progress=False)
    assert made.finished and made.table().column("key").to_pylist() == many["id"].head(40).tolist()


def test_the_command(many, whole, tmp_path):
    rows = many.head(60).copy()
    rows["group"] = ["north", "south"] * 30
    rows.to_csv(tmp_path / "rows.csv", index=False)

    def ask(*arguments):
        return subprocess.run([sys.executable, "-m", "boxwood", "portfolio", *map(str, arguments)],
                              capture_output=True, text=True, check=False)

    done = ask("run", GERMAN / "model.ubj", tmp_path / "rows.csv", tmp_path / "out", "--schema",
               GERMAN / "schema.json", "--want", "granted", "--fix", "age", "--node-limit", 2000,
               "--keep", "group")
    assert done.returncode == 0 and "60 of 60 rows, finished" in done.stdout, done.stderr
    assert same(portfolio.load(tmp_path / "out").table(), whole.table().slice(0, 60))
    done = ask("report", tmp_path / "out", "--by", "group")
    assert done.returncode == 0 and "By group" in done.stdout and "south" in done.stdout
    done = ask("report", tmp_path / "out", "--output", tmp_path / "r.html", "--output",
               tmp_path / "r.json")
    assert done.returncode == 0 and done.stdout == ""
    assert json.loads((tmp_path / "r.json").read_text())["portfolio"]["rows"] == 60
    assert ask("check", tmp_path / "out").returncode == 0
    done = ask("report", tmp_path / "out", "--by", "sex")
    assert done.returncode == 2 and done.stderr.startswith("boxwood: by: the records have no column")
    done = ask("run", GERMAN / "model.ubj", tmp_path / "rows.csv", tmp_path / "out", "--schema",
               GERMAN / "schema.json", "--want", "refused")
    assert done.returncode == 2 and "another question" in done.stderr
    done = ask("run", GERMAN / "model.ubj", tmp_path / "rows.csv", tmp_path / "new", "--schema",
               GERMAN / "schema.json")
    assert done.returncode == 2 and "needs one wanted outcome" in done.stderr


def test_the_command_takes_a_zero_and_names_a_folder_that_cannot_be_written(many, tmp_path, monkeypatch,
                                                                            capsys):
    from boxwood.__main__ import main

    monkeypatch.setattr(signal, "signal", lambda *_: None)  # those of the tests stay
    source = tmp_path / "rows.parquet"
    many.head(20).to_parquet(source, index=False)

    def run(folder, *more):
        return main(["portfolio", "run", str(GERMAN / "model.ubj"), str(source), str(folder), "--schema",
                     str(GERMAN / "schema.json"), "--want", "granted", "--no-why-not", *more])

    assert run(tmp_path / "out", "--max-changes", "0") == 0  # which is not the same as no limit
    assert not any(portfolio.load(tmp_path / "out").table()["changed"].to_pylist())
    assert run(source / "out") == 2
    assert "out: it cannot be written to: Not a directory. Name a folder" in capsys.readouterr().err


def test_the_examples_of_the_page_run_as_printed(german, many, tmp_path, monkeypatch):
    import re

    page = (GERMAN.parents[1] / "docs" / "portfolio.md").read_text(encoding="utf-8")
    python, terminal = re.findall(r"^```\n(.*?)^```", page, re.S | re.M)[:2]
    many.head(8).assign(sex=["f", "m"] * 4, age_group=["young", "old"] * 4).to_parquet(
        tmp_path / "refused.parquet", index=False)
    for name in ("model.ubj", "schema.json"):
        (tmp_path / name).symlink_to((GERMAN / name).resolve())
    monkeypatch.chdir(tmp_path)
    lines = terminal.splitlines()
    assert len(lines) == 3
    for line in lines:
        program, *arguments = line.split()
        assert program == "python"
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, line + done.stderr
    assert "By age_group" in (tmp_path / "report.html").read_text(encoding="utf-8")
    (tmp_path / "report.html").unlink()
    (tmp_path / "answers").rename(tmp_path / "first")
    exec(python, {"explainer": german})
    assert "By sex" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_memory_does_not_grow_with_the_source(tmp_path):
    program = """
import resource, sys
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq, boxwood
from sklearn.tree import DecisionTreeClassifier
from boxwood import portfolio
random = np.random.default_rng(0)
count = int(sys.argv[1])
names = [f"x{i}" for i in range(3)]
data = pd.DataFrame(random.random((count, 3)).round(3), columns=names)
model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data.head(500),
                                                                data.head(500).sum(axis=1) > 1.5)
explainer = boxwood.Explainer(model, data=data.head(500))
writer = None
for start in range(0, count, 2000):
    table = pa.Table.from_pandas(data.iloc[start:start + 2000].assign(
        id=range(start, min(count, start + 2000)), blob="y" * 2000), preserve_index=False)
    writer = writer or pq.ParquetWriter(sys.argv[2], table.schema, compression="none",
                                        use_dictionary=False)
    writer.write_table(table)
writer.close()
made = portfolio.run(explainer, sys.argv[2], sys.argv[3], target=True, keep=["blob"],
                     rows_per_part=1000, progress=False)
assert made.rows == count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
    peaks = []
    for count in (4000, 24000):  # 8 MB and 48 MB
        done = subprocess.run([sys.executable, "-c", program, str(count), tmp_path / f"{count}.parquet",
                               tmp_path / f"out{count}"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 30, peaks


