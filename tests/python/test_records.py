"""Records: flat, complete, the same in every form, and checked again without the search."""

import hashlib
import json
import re

import boxwood
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from boxwood import records
from conftest import GERMAN


@pytest.fixture(scope="module")
def answer(german, applicants):
    return german.explain(applicants.iloc[0], "granted", fixed=["age"])


def test_a_record_is_flat_and_says_everything(german, applicants, answer):
    record = answer.record("A-17", time="2026-11-17T08:30:00Z")
    assert list(record) == ["key", *records.kinds_of(german)]
    flat = (str, int, float, bool, type(None))
    for value in record.values():
        assert isinstance(value, flat) or all(isinstance(one, flat) for one in value)
    assert json.dumps(answer.record(np.int64(17))).startswith('{"key": 17,')
    assert record["key"] == "A-17" and record["time"] == "2026-11-17T08:30:00Z"
    assert record["status"] == "optimal" and record["proven"] is True
    assert record["cost"] == answer.cost and record["claim"] == str(answer.claim)
    assert record["outcome_before"] == "refused" and record["outcome"] == "granted"
    assert record["before_duration"] == applicants.iloc[0]["duration"]
    assert record["before_checking_status"] == "0 to 200 DM"
    changed = {change.title for change in answer.changes}
    assert set(record["changed_features"]) == changed and record["changed"] == len(changed)
    # The same facts as the answer's own JSON, which another part of the core writes.
    facts = json.loads(answer.to_json())
    for name in ("cost", "distance", "lower_bound", "gap", "output_before", "output_after"):
        assert record[name] == facts[name]
    points = [record[f"after_{name}"] for name in german.columns.names]
    for codec, value, number in zip(german.columns.codecs, points, facts["point"], strict=True):
        assert value == (codec.labels[int(number)] if codec.labels else number)
    for name, region in facts["region"].items():
        start, lower, upper, end = re.match(r"([\[(])(\S+), (\S+?)([\])])",
                                            record[f"region_{name}"]).groups()
        assert (start == "[", end == "]") == (region["lower_closed"], region["upper_closed"])
        assert float(lower) == (-np.inf if region["lower"] is None else region["lower"])
        assert float(upper) == (np.inf if region["upper"] is None else region["upper"])


def test_the_hashes_are_those_of_the_files(german, answer, tmp_path):
    record = answer.record()
    answer.save_question(tmp_path / "question.json")
    german.schema.save(tmp_path / "schema.json")
    answer.save_proof(tmp_path / "proof.json")
    proof = json.loads((tmp_path / "proof.json").read_text())

    def hash_of(name):
        return hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()

    assert record["question_hash"] == hash_of("question.json") == proof["question"]
    assert record["schema_hash"] == hash_of("schema.json")
    assert [record["model_hash"]] == proof["models"]
    assert (tmp_path / "question.json").read_text() == record["question"]


def test_a_schema_that_was_saved_has_the_same_hash(people):
    import xgboost

    frame, score = people
    model = xgboost.XGBClassifier(n_estimators=10, max_depth=3, enable_categorical=True).fit(
        frame, score > score.median())
    explainer = boxwood.Explainer(model, data=frame)
    again = boxwood.Explainer(model, schema=explainer.schema.to_json())
    assert again.hashes == explainer.hashes
    answer = explainer.explain(frame.iloc[0])
    assert boxwood.check_record(answer.record(proof=True), model, explainer.schema) == []


def test_frame_arrow_and_single_records_are_the_same(german, applicants):
    rows = applicants.astype(object).copy()
    rows.iloc[3, rows.columns.get_loc("duration")] = "two years"
    batch = german.explain_batch(rows, "granted", fixed=["age"], show_progress=False)
    frame, table = batch.to_frame(), batch.to_arrow()
    assert table.schema.equals(records.arrow_schema(german, pa.field("key", pa.int64())))
    assert list(frame.columns) == table.schema.names[1:]
    assert table.column("status").to_pylist()[3] == "error"
    assert "two years" in table.column("error")[3].as_py()
    single = german.explain(applicants.iloc[5], "granted", fixed=["age"]).record(5, question=False)
    assert {**single, "seconds": 0} == {**table.to_pylist()[5], "seconds": 0}
    asked = {"target": "granted", "fixed": ["age"]}
    assert boxwood.check_record(frame.iloc[5], german, question=asked) == []
    assert boxwood.check_record(frame.iloc[3], german, question=asked) == [
        "status: a row without an answer cannot be checked"]
    for row in (0, 3, 5):
        for name, value in frame.iloc[row].items():
            known = table.column(name)[row].as_py()
            assert (known is None and (value is None or np.isnan(value))) or value == known, name


@pytest.mark.parametrize("question", [
    {"target": "granted"}, {"target": "granted", "fewest_first": True},
    {"target": "granted", "only": ["duration"], "ranges": {"duration": (50, 60)}}, {"target": "granted", "node_limit": 1},
    {"target": "refused"}, {"rules": "duration may only fall", "cost": "l2"}])
def test_true_records_pass_and_false_ones_do_not(german, applicants, question):
    random = np.random.default_rng(3)
    asked = dict(question)
    target = asked.pop("target", None)
    for _, row in applicants.head(4).iterrows():
        answer = german.explain(row, target, **asked)
        record = answer.record()
        assert boxwood.check_record(record, GERMAN / "model.ubj", GERMAN / "schema.json") == []
        bare = answer.record(question=False)
        assert boxwood.check_record(bare, german, question=question) == []
        with pytest.raises(boxwood.Error, match="only the hash"):
            boxwood.check_record(bare, german)
        for name in ("cost", "status", "claim", "outcome", "outcome_before", "question_hash",
                     "model_hash", "schema_hash", "changes", "output_before", "proven",
                     "before_duration", "after_duration", "after_credit_amount", "region_duration",
                     "lower_bound"):
            value = record[name]
            if value is None:
                continue
            if isinstance(value, bool):
                false = not value
            elif isinstance(value, float):
                false = value * 1.5 + 1
            elif isinstance(value, list):
                false = [one + 0.1 for one in value]
            elif name == "status":
                false = "feasible" if value != "feasible" else "optimal"
            elif name == "region_duration":
                false = "[-inf, inf]"
            else:
                false = value + "x" if random.random() < 0.5 else "x" + value
            assert boxwood.check_record({**record, name: false}, german) != [], (name, value, false)


def test_what_is_forged_is_found(german, applicants, answer):
    record = answer.record()
    for name, false in (("status", "error"), ("status", "interrupted"), ("status", "__class__"),
                        ("status", ["optimal"]), ("stop", None), ("already_met", None),
                        ("already_met", not record["already_met"]), ("already_met", "no"),
                        ("distance", None), ("distance", 99.0), ("distance", np.inf), ("distance", "2"),
                        ("distance", [1.0]), ("cost", None),
                        ("cost", "a lot"), ("cost", True), ("cost", 10**400), ("lower_bound", {}),
                        ("least_changes", None), ("least_changes", 2**40), ("least_changes", 0.5),
                        ("least_changes", "1"), ("least_changes", 1), ("output_before", 3), ("output_before", None),
                        ("output_before", ["x"]), ("output_after", [None]), ("gap", 0.5),
                        ("error", "it was Tuesday"), ("blockers", ["age is fixed"]),
                        ("before_duration", 10**400), ("region_duration", "[1, 2) {1,, 2}"),
                        ("proof", "[]"), ("proof", 3), ("question", 3)):
        faults = boxwood.check_record({**record, name: false}, german)
        assert faults and all(isinstance(one, str) for one in faults), (name, false)
    question = {"target": "granted", "fixed": ["age"]}
    other = german.explain(applicants.iloc[0], "granted", fixed=["duration"]).record()["question"]
    forged = {**record, "question": other}
    assert boxwood.check_record(record, german, question=question) == []
    assert boxwood.check_record(forged, german, question=question)[0].startswith("question: ")
    none = german.explain(applicants.iloc[0], "granted", only=["duration"],
                          ranges={"duration": (50, 60)}).record()
    assert none["status"] == "infeasible" and boxwood.check_record(none, german) == []
    for name in ("cost", "after_duration", "region_duration", "outcome", "distance", "lower_bound"):
        assert boxwood.check_record({**none, name: record[name]}, german), name


def test_an_alternative_of_a_menu_does_not_pass_as_the_cheapest(german, applicants):
    menu = german.menu(applicants.iloc[0], 3, "granted")
    records_of = [one.record() for one in menu]
    assert len(records_of) == 3
    for place, record in enumerate(records_of, 1):
        assert boxwood.check_record(record, german, alternative=place) == []
    first, third = records_of[0], records_of[2]
    forged = {**third, "question": first["question"], "question_hash": first["question_hash"]}
    assert any(one.startswith("claim: ") for one in boxwood.check_record(forged, german))
    with pytest.raises(boxwood.Error, match="alternative: 0 is not a whole number"):
        boxwood.check_record(first, german, alternative=0)


def test_a_certificate_in_a_record_is_checked(german, applicants):
    answer = german.explain(applicants.iloc[0], "granted", fixed=["age"])
    record = answer.record(proof=True)
    assert boxwood.check_record(record, german) == []
    proof = json.loads(record["proof"])
    for damage in ({"tree": proof["tree"][:-1]}, {"question": "0" * 64},
                   {"claim": "lower_bound"}, {"cost": proof["cost"] * 2}, {"tree": [-1]}):
        false = {**record, "proof": json.dumps({**proof, **damage})}
        assert boxwood.check_record(false, german)[0].startswith("proof: "), damage
    assert boxwood.check_record({**record, "proof": "{"}, german)[0].startswith("proof: ")


def test_questions_without_a_file_form_have_records_without_a_hash(german, applicants):
    german = boxwood.Explainer(GERMAN / "model.ubj", data=applicants, schema=GERMAN / "schema.json")
    for question in ({"live": 1}, {"cost": lambda *_: 1.0}):
        batch = german.explain_batch(applicants.head(2), "granted", show_progress=False, **question)
        assert batch.to_frame()["question_hash"].isna().all()
        record = german.explain(applicants.iloc[0], "granted", **question).record()
        assert record["question_hash"] is None and record["question"] is None
        with pytest.raises(boxwood.Error, match="no hash of its question"):
            boxwood.check_record(record, german)


def test_records_of_unusual_rows(people):
    import xgboost

    frame, score = people
    frame = frame.assign(**{'odd "name", with ✓': np.where(score > 0, 0.25, np.nan)})
    model = xgboost.XGBClassifier(n_estimators=20, max_depth=3, enable_categorical=True).fit(
        frame, score > score.median())
    explainer = boxwood.Explainer(model, data=frame)
    batch = explainer.explain_batch(frame.head(40), show_progress=False)
    made = batch.records(questions=True)
    found = 0
    for row in range(40):
        record = {"key": row, **made.row(row)}
        assert boxwood.check_record(record, explainer) == []
        found += record["before_odd \"name\", with ✓"] is None
    assert found > 0
    table = batch.to_arrow()
    assert json.loads(json.dumps(table.to_pylist()))  # no NaN, no type of Arrow's or numpy's


def test_regressions_and_several_outputs_have_records():
    from sklearn.ensemble import RandomForestRegressor

    random = np.random.default_rng(2)
    data = pd.DataFrame(random.random((200, 3)).round(2), columns=list("abc"))
    one = RandomForestRegressor(5, max_depth=3, random_state=0).fit(data, data.sum(axis=1))
    explainer = boxwood.Explainer(one, data=data)
    record = explainer.explain(data.iloc[0], change=0.3).record()
    assert isinstance(record["outcome"], float) and boxwood.check_record(record, explainer) == []
    record = explainer.explain(data.iloc[0], at_least=100).record(time=True)
    assert record["status"] == "infeasible" and record["cost"] is None
    assert boxwood.check_record(record, explainer) == []


def test_mistakes_are_named(german, answer):
    for wrong in (None, [], "text", 3, pa.table({"status": ["optimal"]}), pd.DataFrame({"a": [1]})):
        with pytest.raises(boxwood.Error, match="record: it is of type"):
            boxwood.check_record(wrong, german)
    with pytest.raises(boxwood.Error, match='explain has no argument "bogus"'):
        boxwood.check_record(answer.record(), german, question={"bogus": 1})
    with pytest.raises(boxwood.Error, match="version 1"):
        boxwood.check_record({}, german)
    record = answer.record()
    del record["after_age"]
    with pytest.raises(boxwood.Error, match='no "after_age"'):
        boxwood.check_record(record, german)
    with pytest.raises(boxwood.Error, match="not a time"):
        answer.record(time="yesterday")
    damaged = {**answer.record(), "region_age": "everything"}
    assert boxwood.check_record(damaged, german) == ["region_age: 'everything' is not a region"]
