"""Explainers, answers and batches travel: pickle, copy, and worker processes."""

import copy
import multiprocessing
import pickle
import re

import boxwood
import numpy as np
import pandas as pd
import pytest
import xgboost
from boxwood.models._ensemble import Ensemble, restored
from sklearn import compose, ensemble, pipeline, preprocessing

TIME = re.compile(r"(under )?[\d.]+ m?s\b")


@pytest.fixture(scope="module")
def travellers(people):
    """Explainers of several kinds, each with rows."""
    frame, score = people
    typed = frame.drop(columns="floors")
    boosted = xgboost.XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1,
                                    enable_categorical=True).fit(typed, score > 1)
    texts = typed.assign(town=typed["town"].astype(str))
    encoded = pipeline.make_pipeline(
        compose.make_column_transformer(
            (preprocessing.OneHotEncoder(handle_unknown="ignore"), ["town"]),
            remainder="passthrough"),
        ensemble.RandomForestClassifier(8, max_depth=4, random_state=0)).fit(texts, score > 1)
    histogram = ensemble.HistGradientBoostingClassifier(max_iter=8).fit(typed, score > 1)
    return [(boxwood.Explainer(boosted, typed), typed), (boxwood.Explainer(encoded, texts), texts),
            (boxwood.Explainer(histogram, typed), typed),
            (boxwood.Explainer({"a": boosted, "b": boosted}, typed, schema={"features": [
                {"name": "age", "fixed": True}]}), typed)]


def same(one, other):
    assert one.to_json().partition('"nodes"')[0] == other.to_json().partition('"nodes"')[0]
    assert one.changes == other.changes
    for text in ("text", "__repr__"):
        first, second = (getattr(answer, text) for answer in (one, other))
        shown = [TIME.sub("", each() if callable(each) else each) for each in (first, second)]
        assert shown[0] == shown[1]
    pd.testing.assert_frame_equal(one.point_frame(), other.point_frame())


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy, copy.copy])
def test_copies_answer_alike(travellers, copied):
    for explainer, rows in travellers:
        other = copied(explainer)
        assert other.schema == explainer.schema and repr(other) == repr(explainer)
        assert (other.scores(rows) == explainer.scores(rows)).all()
        assert other.predict(rows).tolist() == explainer.predict(rows).tolist()
        for i in range(5):
            answer = explainer.explain(rows.iloc[i], weights={"income": 2.0}, max_changes=2,
                                       rules="if income changes then income does not fall")
            if not answer.found:
                continue
            same(answer, other.explain(rows.iloc[i], weights={"income": 2.0}, max_changes=2,
                                       rules="if income changes then income does not fall"))
            same(answer, copied(answer))
            assert copied(answer).verify() == []


@pytest.mark.parametrize("question", [
    {"rules": "column share is debt / income"}, {"fewest_first": True},
    {"robust": {"debt": 1}}])
def test_answers_keep_every_part_of_their_question(question, tmp_path):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"debt": random.integers(0, 9, 200), "income": random.integers(1, 9, 200)})
    frame["share"] = frame["debt"] / frame["income"]
    model = xgboost.XGBRegressor(n_estimators=5, max_depth=3, n_jobs=1).fit(
        frame, frame["share"] - 0.1 * frame["income"])
    explainer = boxwood.Explainer(model, frame)
    for row in frame.head(5).itertuples(index=False):
        answer = explainer.explain(row._asdict(), at_most=0.2, **question)
        answer.save_question(tmp_path / "question.json")
        for other in (pickled(answer), copy.deepcopy(answer)):
            other.save_question(tmp_path / "other.json")
            assert (tmp_path / "other.json").read_text() == (tmp_path / "question.json").read_text()
            same(answer, other)


def test_refusals_travel(travellers):
    explainer, rows = travellers[1]
    row = rows.iloc[0].copy()
    row["town"] = "Rome"  # a category that no model knows
    there = pickle.loads(pickle.dumps(explainer))
    assert there.explain(row, only=["income"]).before["town"] == "Rome"
    forest = ensemble.GradientBoostingClassifier(n_estimators=3).fit(rows[["age", "income"]],
                                                                     rows["age"] > 40)
    strict = boxwood.Explainer(forest, rows[["age", "income"]])
    for one in (strict, pickle.loads(pickle.dumps(strict)), pickle.loads(pickle.dumps(
            pickle.loads(pickle.dumps(strict))))):
        with pytest.raises(boxwood.Error, match="is missing, and the model rejects such rows"):
            one.explain({"age": np.nan, "income": 3.0})


def test_batches_travel(travellers):
    explainer, rows = travellers[0]
    batch = explainer.explain_batch(rows.head(12), show_progress=False)
    other = pickle.loads(pickle.dumps(batch))
    pd.testing.assert_frame_equal(batch.to_frame(), other.to_frame())
    pd.testing.assert_frame_equal(batch.points(), other.points())


def test_worker_processes_take_and_return_them(travellers):
    explainer, rows = travellers[0]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(explainer.explain, [rows.iloc[i] for i in range(3)])
    for i, answer in enumerate(found):
        same(answer, explainer.explain(rows.iloc[i]))


def test_a_damaged_pickle_is_refused(travellers):
    explainer, _ = travellers[0]
    for field, value, message in (("left", 10_000, "child 10000"), ("kind", 9, "no known kind")):
        arrays = Ensemble.from_core(explainer.core.ensemble(0))
        getattr(arrays.trees[0], field)[0] = value
        with pytest.raises(boxwood.Error, match=message):
            restored(arrays)
    arrays = Ensemble.from_core(explainer.core.ensemble(0))
    arrays.trees[0].left = arrays.trees[0].left[:-1]
    with pytest.raises(boxwood.Error, match='"left" has'):
        restored(arrays)
