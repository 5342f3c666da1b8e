"""bench/run.py gives tools processor time, keeps what it has measured and goes on where it ended."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
tools = pytest.importorskip("tools")
store = pytest.importorskip("store")

# Answers the rows of --rows: row 1 works without end, row 2 sleeps, row 3 crashes.
FAKE = """
import json, sys, time
def rows():
    text = sys.argv[sys.argv.index("--rows") + 1]
    return [int(part) for part in text.split(",")]
print(json.dumps({"setup_seconds": 0.0}), flush=True)
for row in rows():
    while row == 1:
        pass
    if row == 2:
        time.sleep(1.0)
    if row == 3:
        sys.exit(1)
    print(json.dumps({"row": row, "status": "optimal", "seconds": 9.0, "processor_seconds": 0.2,
                      "point": None}), flush=True)
"""
META = {"name": "some", "family": "german", "kinds": False, "model": "model.ubj"}


@pytest.fixture
def ask(tmp_path, monkeypatch):
    program = tmp_path / "fake.py"
    program.write_text(FAKE)
    monkeypatch.setattr(tools, "GRACE_SECONDS", 0.1)
    tool = tools.Tool("fake", (sys.executable, program), True, ("l1",))

    def run(rows, seconds):
        return list(tools.ask(tool, tmp_path, META, norm="l1", threads=1, limit=0.3, rows=rows,
                              seconds=seconds, errors=None))
    return run


def answers(lines):
    return {line["row"]: (line["status"], line["seconds"]) for kind, line in lines
            if kind == "answer"}


def test_limits_are_of_processor_time(ask):
    # The one that sleeps is past the limit by the clock only.
    assert answers(ask([1, 2, 3, 4], 100)) == {
        1: ("unknown", 0.3), 2: ("optimal", 0.2), 3: ("crashed", 0.3), 4: ("optimal", 0.2)}


def test_a_tool_ends_when_its_time_is_spent(ask):
    assert list(answers(ask([4, 5, 6, 7], 0.5))) == [4, 5, 6]


def test_results_are_kept_and_a_cut_line_is_dropped(tmp_path):
    file = tmp_path / "answers.jsonl"
    key = ("some", "fake", "l1", 1)
    place = dict(zip(store.KEY, key, strict=True))
    first = store.Store(file, {"limit": 60})
    first.add(line="session", settings={"limit": 60})
    first.add(line="answer", **place, answer={"row": 0, "seconds": 1.5})
    with file.open("a") as stream:
        stream.write('{"line": "answer", "mod')
    again = store.Store(file, {"limit": 60})
    again.add(line="answer", **place, answer={"row": 1, "seconds": 2.0})
    entry = store.Store(file, {"limit": 60}).entry(key)
    assert [answer["row"] for answer in entry["answers"]] == [0, 1]
    assert store.spent(entry) == 3.5


def test_results_with_other_limits_are_refused(tmp_path):
    file = tmp_path / "answers.jsonl"
    store.Store(file, {"limit": 60}).add(line="session", settings={"limit": 60})
    with pytest.raises(SystemExit, match="--name"):
        store.Store(file, {"limit": 5})


def entry(tool, times, wanted, stopped=None, model="german_50x3"):
    """What run.py hands to the report: a time of None is a query without a proof."""
    found = [{"row": row, "status": "unknown" if time is None else "optimal", "valid": None,
              "cost": None, "seconds": time or 20.0, "time": time or 20.0}
             for row, time in enumerate(times)]
    return {"model": model, "tool": tool, "norm": "l1", "threads": 1, "setup": None,
            "answers": found, "wanted": wanted, "used": sum(one["seconds"] for one in found),
            "stopped": stopped}


def raw_of(*asks):
    """The results of a run; its German models."""
    return {"name": "full", "machine": "a machine", "dates": ["2026-01-01"], "commits": ["abc"],
            "versions": {"boxwood": "0", "xgboost": "3"}, "limit": 20.0, "queries": None,
            "threads": 1, "left_out": [], "batches": [],
            "tools": {"fast": "Boxwood", "treecf": "treecf"},
            "models": {one["model"]: {"family": "german", "kinds": False, "wanted": one["wanted"],
                                      "single_prediction": {"predict": 1e-4}} for one in asks},
            "asks": list(asks)}


def test_a_page_says_what_each_tool_got():
    report = pytest.importorskip("report")
    raw = raw_of(entry("fast", [0.001] * 4, 4),
                 entry("treecf", [0.2, None, 0.3], 4, "stopped after 20 s"))
    results = report.Results(raw)
    text = report.protocol(results)
    assert "processor time" in text and "one thread" in text
    assert "asked 3 of their 4 queries; in the 1 pairs that it did not finish it got 20 to 20 s" in (
        " ".join(text.split()))
    figure, met = dict(report.targets.measure(results))[
        "… L1, median against treecf: 50 times less on each model"]
    assert figure.startswith("300 times (german_50x3)") and met
    assert "asked 3 of their queries (at least 3 of each) and proved 2" in figure
    assert "| german_50x3 | treecf | L1 | 3 of 4 | 2 | stopped after 20 s |" in report.stops(results)


def test_a_median_at_the_limit_is_a_lower_bound():
    report = pytest.importorskip("report")
    raw = raw_of(entry("fast", [0.001] * 4, 4), entry("treecf", [0.2, None, None, 0.1], 4))
    figures = dict(report.targets.measure(report.Results(raw)))
    figure, _ = figures["… L1, median against treecf: 50 times less on each model"]
    assert figure.startswith("more than 10,100 times (german_50x3)")


def test_every_model_weighs_the_same_in_the_picture(monkeypatch):
    report = pytest.importorskip("report")
    monkeypatch.setattr(report, "DRAWN", 4)
    other = {"model": "german_100x4"}
    raw = raw_of(entry("fast", [0.001] * 4, 4), entry("treecf", [0.2, None, 0.3], 4),
                 entry("fast", [0.002] * 4, 4, **other), entry("treecf", [0.4], 4, **other))
    curves, models, queries = report.solved(report.Results(raw), ("german",))
    assert (models, queries) == (2, 4)
    assert [time for time, _ in curves["treecf"]] == [0.2, 0.3, 0.4]
    assert [weight for _, weight in curves["treecf"]] == pytest.approx([1 / 6, 1 / 6, 1 / 2])
    assert sum(weight for _, weight in curves["fast"]) == pytest.approx(1)
    monkeypatch.setattr(report, "DRAWN", 5)  # treecf was asked 4, and does not limit the others
    curves, _, queries = report.solved(report.Results(raw), ("german",))
    assert set(curves) == {"fast"} and queries == 8
