"""Many rows at once: order, errors, threads, interruption."""

import boxwood
import numpy as np
import pandas as pd
import pyarrow
import pytest


@pytest.fixture(scope="module")
def many(german, applicants):
    """Sixty applicants: the ten of the example with other durations and amounts."""
    random = np.random.default_rng(2)
    frame = pd.concat([applicants] * 6, ignore_index=True)
    frame["duration"] = random.integers(4, 73, len(frame))
    frame["credit_amount"] = random.integers(250, 20000, len(frame))
    return frame


def facts(batch):
    return batch.to_frame().drop(columns="seconds")


def test_rows_come_in_their_order_whatever_the_threads(german, many):
    one = german.explain_batch(many, "granted", threads=1, show_progress=False)
    for threads in (2, 7):
        other = german.explain_batch(many, "granted", threads=threads, show_progress=False)
        pd.testing.assert_frame_equal(facts(one), facts(other))
        assert [answer.ties for answer in one] == [answer.ties for answer in other]
    for i in (0, 17, 59):
        single = german.explain(many.iloc[i], "granted")
        assert single.cost == one[i].cost and single.changes == one[i].changes
        assert repr(single).split("(proven")[0] == repr(one[i]).split("(proven")[0]
    assert len(one) == 60 and repr(one) == "<Batch of 60 rows: 60 optimal>"


def test_what_a_node_limit_leaves_does_not_depend_on_threads(german, many):
    batches = [german.explain_batch(many, "granted", probability=0.9, node_limit=60,
                                    threads=threads, show_progress=False) for threads in (1, 2, 5)]
    assert {"nodes", "finished"} == {answer.stop for answer in batches[0]}
    for other in batches[1:]:
        pd.testing.assert_frame_equal(facts(batches[0]), facts(other))
        assert [answer.lower_bound for answer in batches[0]] == [
            answer.lower_bound for answer in other]


def test_the_tidy_frame(german, many):
    frame = many.set_index(pd.Index([f"a{i}" for i in range(60)]))
    batch = german.explain_batch(frame, show_progress=False)
    tidy = batch.to_frame()
    assert list(tidy.index) == list(frame.index)
    assert list(tidy.columns[:4]) == ["status", "proven", "stop", "already_met"]
    assert (tidy["outcome"] != tidy["outcome_before"]).all() and tidy["proven"].all()
    points = batch.points()
    assert list(points.index) == list(frame.index)
    assert german.predict(points).tolist() == tidy["outcome"].tolist()
    assert batch[3].point.name == "a3"


def test_a_row_that_fails_does_not_sink_the_batch(german, many):
    frame = many.head(5).copy()
    frame["purpose"] = frame["purpose"].astype(object)
    frame.loc[2, "purpose"] = "a yacht"
    frame["duration"] = frame["duration"].astype(float)
    frame.loc[4, "duration"] = np.inf
    batch = german.explain_batch(frame, "granted", show_progress=False)
    assert batch.statuses == ["optimal", "optimal", "error", "optimal", "error"]
    assert list(batch.errors) == [2, 4]
    assert str(batch[2]).startswith('row 2, data, column "purpose": no category \'a yacht\'')
    assert batch.to_frame()["error"].iloc[2] == str(batch[2])
    with pytest.raises(boxwood.Error, match="row 2"):
        german.explain_batch(frame, "granted", show_progress=False, on_error="raise")
    with pytest.raises(boxwood.Error, match="on_error"):
        german.explain_batch(frame, "granted", show_progress=False, on_error="ignore")


def test_questions_that_follow_the_row(german, many):
    rows = many.head(8)
    rules = ["duration may only fall", "credit_amount >= now - 500"]
    batch = german.explain_batch(rows, "granted", rules=rules, show_progress=False)
    for answer, (_, row) in zip(batch, rows.iterrows(), strict=True):
        assert answer.cost == german.explain(row, "granted", rules=rules).cost
        if answer.found:
            assert answer.point["duration"] <= row["duration"]
            assert answer.point["credit_amount"] >= row["credit_amount"] - 500


def test_other_tables(german, many):
    frame = german.explain_batch(many.head(4), "granted", show_progress=False)
    arrow = german.explain_batch(pyarrow.Table.from_pandas(many.head(4)), "granted",
                                 show_progress=False)
    array = german.explain_batch(german.columns.points(many.head(4)), "granted", show_progress=False)
    for one, two, three in zip(frame, arrow, array, strict=True):
        assert one.cost == two.cost == three.cost
        assert dict(one.point) == two.point and np.array_equal(three.point, one.array)
    assert len(german.explain_batch(many.head(0), "granted", show_progress=False)) == 0


def test_costs_of_ones_own_from_many_threads(german, many):
    def price(name, before, after):
        return abs(after - before)

    batch = german.explain_batch(many.head(6), "granted", cost=price, threads=4,
                                 only=["duration", "other_parties"], show_progress=False)
    for answer, (_, row) in zip(batch, many.head(6).iterrows(), strict=True):
        assert answer.cost == german.explain(row, "granted", cost=price,
                                             only=["duration", "other_parties"]).cost

    def broken(name, before, after):
        raise LookupError("no price")

    with pytest.raises(LookupError, match="no price"):
        german.explain_batch(many.head(6), "granted", cost=broken, threads=4, show_progress=False)


def test_the_bar(german, many, capsys):
    german.explain_batch(many, "granted")
    assert "60/60" in capsys.readouterr().err


def test_one_bad_row_of_arrow_tables_and_arrays(people):
    import xgboost

    frame, score = people
    numbers = frame[["age", "income"]]
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(numbers, score > score.median())
    explainer = boxwood.Explainer(model, data=numbers)
    values = numbers.head(9).to_numpy(dtype=object)
    values[4, 1] = "much"
    texts = [str(value) for value in values[:, 1]]
    good = explainer.explain_batch(numbers.head(9), show_progress=False)
    for table in (values, pd.DataFrame(values, columns=["age", "income"])):
        batch = explainer.explain_batch(table, show_progress=False)
        assert batch.statuses == ["optimal"] * 4 + ["error"] + ["optimal"] * 4
        assert [one.cost for one in batch if isinstance(one, boxwood.Answer)] == [
            one.cost for k, one in enumerate(good) if k != 4]
    table = pyarrow.table({"age": numbers["age"].head(9).to_numpy(), "income": texts})
    batch = explainer.explain_batch(table, show_progress=False)
    assert set(batch.statuses) == {"error"} and "is not a number" in str(batch[0])
    for lost in (values[:, :1], values[0], pyarrow.table({"age": [1.0]})):
        with pytest.raises(boxwood.Error):
            explainer.explain_batch(lost, show_progress=False)


def test_errors_of_rows_with_one_label(german, many):
    frame = many.head(3).astype({"purpose": object})
    frame.loc[[0, 2], "purpose"] = "a yacht"
    frame.index = ["twice", "once", "twice"]
    batch = german.explain_batch(frame, "granted", show_progress=False)
    assert list(batch.errors) == [0, 2]
