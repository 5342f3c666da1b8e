"""Fitted models of the four libraries: predictions and answers are confirmed by the library itself."""

import importlib
import itertools
import json
import pickle
import time
import tracemalloc

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from conftest import ROOT
from sklearn import ensemble, frozen, model_selection, pipeline, preprocessing, tree

QUIET = {"verbose": -1, "n_jobs": 1, "min_child_samples": 5}
CAT = {"iterations": 12, "depth": 3, "verbose": False, "allow_writing_files": False,
       "max_ctr_complexity": 1}


def words(frame):
    """CatBoost takes words, not pandas' categories of numbers."""
    return frame.assign(town=frame["town"].astype(str), floors=frame["floors"].astype(str))


def plain(frame):
    """Most of scikit-learn takes numbers alone."""
    return frame.assign(town=frame["town"].cat.codes, floors=frame["floors"].astype(int),
                        member=frame["member"].astype(int))


CLASSIFIERS = {
    "xgboost": (lambda: xgboost.XGBClassifier(n_estimators=12, max_depth=3, enable_categorical=True,
                                              n_jobs=1), lambda frame: frame),
    "lightgbm": (lambda: lightgbm.LGBMClassifier(n_estimators=12, max_depth=3, **QUIET),
                 lambda frame: frame),
    "catboost": (lambda: catboost.CatBoostClassifier(cat_features=["town", "floors"], **CAT), words),
    "hist": (lambda: ensemble.HistGradientBoostingClassifier(
        max_iter=12, max_depth=3, categorical_features="from_dtype"),
        lambda frame: frame.assign(floors=frame["floors"].astype(int))),
    "forest": (lambda: ensemble.RandomForestClassifier(12, max_depth=4, random_state=1), plain),
    "extra": (lambda: ensemble.ExtraTreesClassifier(12, max_depth=4, random_state=1), plain),
    "boosting": (lambda: ensemble.GradientBoostingClassifier(n_estimators=12, random_state=1),
                 plain),
    "tree": (lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=1), plain),
}


def fitted(name, people, several=False):
    make, prepare = CLASSIFIERS[name]
    frame, score = people
    data = prepare(frame)
    label = pd.cut(score, [-np.inf, 0.8, 1.6, np.inf], labels=False) if several \
        else (score > 1.2).astype(int)
    if name != "xgboost":
        label = label.map({0: "low", 1: "middle", 2: "high"} if several else {0: "no", 1: "yes"})
    return make().fit(data, label), data


def predicted(model, frame):
    return np.asarray(model.predict(frame)).ravel().tolist()


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("several", [False, True])
def test_answers_are_what_the_library_predicts(name, several, people):
    model, data = fitted(name, people, several)
    explainer = boxwood.Explainer(model, data)
    assert explainer.predict(data).tolist() == predicted(model, data)
    ours, theirs = explainer.predict_proba(data), model.predict_proba(data)
    # numpy's exp on vectors, which scikit-learn's softmax uses, may differ in the last bits.
    np.testing.assert_array_max_ulp(ours.astype(theirs.dtype), theirs, 4 if name in ("hist", "boosting") else 0)
    target = predicted(model, data)[0]
    asked = data[np.array(predicted(model, data)) != target].head(6)
    batch = explainer.explain_batch(asked, target, show_progress=False)
    assert batch.statuses == ["optimal"] * len(asked)
    assert predicted(model, batch.points()) == [target] * len(asked)
    for answer, (label, row) in zip(batch, asked.iterrows(), strict=True):
        assert answer.verify() == []
        assert answer.outcome == target and answer.outcome_before != target
        assert answer.point.name == label and list(answer.point.index) == list(data.columns)
        changed = {change.feature for change in answer.changes}
        for column in data.columns:
            same = answer.point[column] == row[column]
            assert same == (column not in changed), (column, answer.point[column], row[column])
        # What is not the answer's cost cannot be reached: the next point nearer is another class.
        assert predicted(model, answer.point_frame()) == [target]


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "catboost", "hist"])
def test_categories_come_back_in_their_own_words(name, people):
    model, data = fitted(name, people)
    explainer = boxwood.Explainer(model, data)
    label = 1 if name == "xgboost" else "yes"
    row = data[(np.array(predicted(model, data)) != label) & (data["town"] == "Bonn")].iloc[0]
    answer = explainer.explain(row, label, only=["town", "floors", "member"])
    if answer.found:
        assert answer.point["town"] in ("Bonn", "Jena", "Ulm", "(other)")
        assert type(answer.point["member"]) is bool
    assert explainer.schema["member"].labels == ["False", "True"]
    assert explainer.schema["age"].kind == "integer"
    assert set(explainer.schema["town"].labels) >= {"Ulm"}


def test_a_category_that_the_model_does_not_know(people):
    model, data = fitted("xgboost", people)
    explainer = boxwood.Explainer(model, data)
    with pytest.raises(boxwood.Error, match='column "town": no category \'Ulmm\'. Did you mean "Ulm"'):
        explainer.explain({**data.iloc[0].to_dict(), "town": "Ulmm"})


@pytest.mark.parametrize("make", [
    lambda: xgboost.XGBRegressor(n_estimators=10, max_depth=3, n_jobs=1),
    lambda: lightgbm.LGBMRegressor(n_estimators=10, max_depth=3, **QUIET),
    lambda: catboost.CatBoostRegressor(**CAT),
    lambda: ensemble.RandomForestRegressor(8, max_depth=4, random_state=2),
    lambda: ensemble.HistGradientBoostingRegressor(max_iter=10, max_depth=3),
])
def test_numbers_wanted(make, people):
    frame, score = people
    data = plain(frame).astype(float)
    model = make().fit(data, score)
    explainer = boxwood.Explainer(model, data)
    theirs = model.predict(data)
    assert np.array_equal(explainer.predict(data).astype(theirs.dtype), theirs)
    row = data.iloc[int(np.argmin(theirs))]
    now = float(theirs.min())
    for ends, holds in (({"at_least": 1.5}, lambda to: to >= 1.5),
                        ({"between": (1.0, 1.2)}, lambda to: 1.0 <= to <= 1.2),
                        ({"change": 0.5}, lambda to: to >= now + 0.5),
                        ({"change": "+10%"} if now > 0 else {"change": "+1"},
                         lambda to: to > now)):
        answer = explainer.explain(row, **ends)
        assert answer.status == "optimal", (ends, answer)
        there = float(model.predict(answer.point_frame())[0])
        assert holds(there) and answer.outcome == there, (ends, there)
    with pytest.raises(boxwood.Error, match="predicts a number, and no wanted number is given"):
        explainer.explain(row)
    with pytest.raises(boxwood.Error, match="predicts a number, not the class 'good'"):
        explainer.explain(row, "good")


def test_several_models_at_once(people):
    frame, score = people
    data = plain(frame).astype(np.float32)  # the forest reads float32, LightGBM float64
    models = {
        "old": ensemble.RandomForestClassifier(6, max_depth=4, random_state=3).fit(data, score > 1.2),
        "new": lightgbm.LGBMClassifier(n_estimators=9, **QUIET).fit(data, score > 1.0),
    }
    explainer = boxwood.Explainer(models, data)
    both = ~models["old"].predict(data) & ~models["new"].predict(data)
    row = data[both].iloc[0]
    alone = explainer.explain(row, True)
    answer = explainer.explain(row, True, requirements=[boxwood.Class(True, model="new")])
    assert answer.status == "optimal" and answer.cost >= alone.cost
    for model in models.values():
        assert model.predict(answer.point_frame())[0]
    spoken = explainer.explain(row, "want True; model new: want True")
    assert spoken.cost == answer.cost
    with pytest.raises(boxwood.Error, match='no model "newer". There are: old, new'):
        explainer.explain(row, boxwood.Class(True, model="newer"))


def test_models_of_other_columns_are_not_asked_together(people):
    frame, score = people
    data = plain(frame)
    one = tree.DecisionTreeClassifier(max_depth=2).fit(data, score > 1)
    two = tree.DecisionTreeClassifier(max_depth=2).fit(data[["age", "income"]], score > 1)
    with pytest.raises(boxwood.Error, match="it has 2 features, model 1 has 5"):
        boxwood.Explainer([one, two], data)


def test_files_and_bytes_and_rounds(people, tmp_path):
    frame, score = people
    data = plain(frame)
    model = xgboost.XGBClassifier(n_estimators=10, max_depth=2, n_jobs=1).fit(data, score > 1)
    boxwood.save_model(model, tmp_path / "model.bin")
    by_file = boxwood.Explainer(tmp_path / "model.bin")
    by_bytes = boxwood.Explainer((tmp_path / "model.bin").read_bytes())
    assert np.array_equal(by_file.scores(data), by_bytes.scores(data))
    short = boxwood.Explainer(tmp_path / "model.bin", rounds=4)
    theirs = model.predict(data, output_margin=True, iteration_range=(0, 4))
    assert np.array_equal(short.scores(data)[:, 0].astype(np.float32), theirs)
    with pytest.raises(boxwood.Error, match="no such file"):
        boxwood.Explainer(tmp_path / "other.bin")
    with pytest.raises(boxwood.Error, match="not all, best|is not known"):
        boxwood.Explainer(tmp_path / "model.bin", rounds="some")
    with pytest.raises(boxwood.UnsupportedModelError, match="not a supported model"):
        boxwood.Explainer(object())


@pytest.mark.parametrize("number", [0.0, -1.0, 0.1])
def test_a_number_for_missing_values(number):
    random = np.random.default_rng(4)
    rows = random.integers(-2, 4, (200, 3)).astype(float)
    rows[random.random(rows.shape) < 0.25] = number
    wanted = (rows[:, 0] * (rows[:, 1] == number) + rows[:, 2] > 0).astype(int)
    model = xgboost.XGBClassifier(n_estimators=6, max_depth=4, missing=number, n_jobs=1)
    model.fit(rows, wanted)
    explainer = boxwood.Explainer(model)
    core = explainer.core.ensemble(0)
    beside = {float(number), float("nan"), 1e-50, -0.0}
    for i in range(core.tree_count):
        for threshold in np.float32(core.tree(i)["threshold"]):
            beside |= {float(threshold), float(np.nextafter(threshold, np.float32(-9)))}
    values = sorted(beside, key=str)
    grid = np.array(list(itertools.product(values, repeat=3)))
    assert (explainer.predict_proba(grid) == model.predict_proba(grid)).all()
    said = model.predict(grid)
    for row in rows[:6]:
        row = np.float64(np.float32(row))
        answer = explainer.explain(row, cost="l2")
        target = 1 - model.predict(row[None])[0]
        assert model.predict(answer.point[None])[0] == target
        reached = grid[said == target]
        reached = reached[~np.isnan(reached).any(axis=1)]
        assert answer.cost <= ((np.float64(np.float32(reached)) - row) ** 2).sum(axis=1).min()


def test_what_a_file_does_not_tell_is_refused():
    random = np.random.default_rng(0)
    rows, wanted = random.integers(0, 5, (200, 3)).astype(float), random.integers(0, 2, 200)

    class Strict(ensemble.RandomForestClassifier):
        def predict(self, rows):
            return (self.predict_proba(rows)[:, 1] > 0.9).astype(int)

    class Mine(ensemble.RandomForestClassifier):
        def describe(self):
            return "a forest"

    with pytest.raises(boxwood.UnsupportedModelError, match="Strict overrides predict"):
        boxwood.Explainer(Strict(3).fit(rows, wanted))
    mine = Mine(3, random_state=0).fit(rows, wanted)
    assert (boxwood.Explainer(mine).predict(rows) == mine.predict(rows)).all()
    with pytest.raises(boxwood.UnsupportedModelError, match="the model file does not record"):
        boxwood.Explainer(lightgbm.LGBMClassifier(n_estimators=3, objective="cross_entropy",
                                                  verbose=-1).fit(rows, wanted))
    texts = pd.DataFrame({"t": ["good day", "bad night"] * 100, "n": rows[:, 0]})
    reader = catboost.CatBoostClassifier(iterations=3, text_features=["t"], verbose=False,
                                         allow_writing_files=False).fit(texts, wanted)
    with pytest.raises(boxwood.UnsupportedModelError, match="reads texts or embeddings"):
        boxwood.Explainer(reader)


@pytest.mark.parametrize("family", ["xgboost", "lightgbm", "catboost", "onnx"])
def test_all_that_the_table_of_models_refuses_has_one_type(family, monkeypatch):
    """Files that the core refuses raise what converters of Python raise."""
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    refused = [case for case in importlib.import_module(f"support_{family}").CASES if case.message]
    assert refused
    for case in refused:
        with pytest.raises(boxwood.UnsupportedModelError) as error:
            boxwood.Explainer(case.make().model)
        assert case.message in str(error.value) and error.value.place and error.value.remedy, case.name
        again = pickle.loads(pickle.dumps(error.value))
        assert (type(again), str(again), again.place) == (type(error.value), str(error.value), error.value.place)


def test_unsupported_models_have_one_type(people):
    """Also where the model's own library writes a file that Boxwood's core refuses, and inside other models."""
    frame, score = people
    frame, labels = plain(frame), (score > 1.2).astype(int)
    linear = xgboost.XGBClassifier(booster="gblinear", n_estimators=2)
    pieces = lightgbm.LGBMClassifier(linear_tree=True, n_estimators=2, **QUIET)
    for model, says in ((linear, 'it is "gblinear"'), (pieces, "linear trees are not supported")):
        for whole, part in ((model, ""), (pipeline.make_pipeline(preprocessing.StandardScaler(), model), "pipeline, step"),
                            (ensemble.VotingClassifier([("one", model)], voting="soft"), "VotingClassifier: "),
                            (ensemble.StackingClassifier([("one", model)], cv=2), "StackingClassifier: ")):
            with pytest.raises(boxwood.UnsupportedModelError, match=says) as error:
                boxwood.Explainer(whole.fit(frame, labels))
            assert str(error.value).startswith(part or "model: ")
            assert "rain with" in error.value.remedy or "Put these steps" in error.value.remedy


def test_damaged_files_and_wrong_arguments_are_not_unsupported_models(tmp_path):
    forest = lightgbm.LGBMClassifier(n_estimators=2, **QUIET).fit(np.arange(40.0).reshape(20, 2), [0, 1] * 10)
    cut = tmp_path / "cut.txt"
    cut.write_bytes(boxwood.model_bytes(forest).partition(b"end of trees")[0])
    for make in (lambda: boxwood.Explainer(cut), lambda: boxwood.Explainer(forest, rounds=99)):
        with pytest.raises(boxwood.Error) as error:
            make()
        assert type(error.value) is boxwood.Error


def test_large_forests_are_handed_over_as_arrays(monkeypatch):
    from boxwood.models import _ensemble, sklearn

    random = np.random.default_rng(0)
    table = random.normal(size=(4000, 6))
    forest = ensemble.RandomForestClassifier(30, random_state=0).fit(table, random.random(4000) < 0.5)
    size = sum(one.tree_.__getstate__()["nodes"].nbytes + one.tree_.value.nbytes
               for one in forest.estimators_)
    start = time.process_time()
    by_file = boxwood._core.read_bytes(boxwood.models.model_bytes(forest))
    file_time = time.process_time() - start

    def refuse(*_, **__):
        raise AssertionError("the trees went through JSON")

    monkeypatch.setattr(_ensemble.json, "dumps", refuse)
    start = time.process_time()
    by_arrays = sklearn.converted(forest).to_core()
    assert time.process_time() - start < file_time / 3  # some fifty times less, mostly
    tracemalloc.start()
    sklearn.converted(forest).to_core()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * size
    assert by_arrays.leaf_count == by_file.leaf_count > 10_000
    assert by_arrays.to_json() == by_file.to_json()


def refusal(model, frame):
    with pytest.raises(boxwood.UnsupportedModelError) as caught:
        boxwood.Explainer(model, frame)
    return caught.value


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_models_with_their_own_threshold(positive):
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(200, 3)), columns=["a", "b", "c"])
    labels = np.where(frame["a"] * frame["b"] > 0.2, "yes", "no")
    forest = ensemble.RandomForestClassifier(5, max_depth=3, random_state=0)
    boosting = ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0)
    fixed = model_selection.FixedThresholdClassifier
    wrappers = [fixed(forest, threshold=0.4, pos_label=positive), fixed(forest, pos_label=positive),
                fixed(boosting, threshold=0.2, pos_label=positive,
                      response_method="decision_function"),
                model_selection.TunedThresholdClassifierCV(forest, cv=2),
                pipeline.make_pipeline(preprocessing.StandardScaler(), fixed(
                    forest, threshold=0.4, pos_label=positive))]
    for wrapper in wrappers:
        wrapper.fit(frame, labels)
        explainer = boxwood.Explainer(wrapper, frame)
        assert (explainer.predict(frame) == wrapper.predict(frame)).all()
        for i, predicted in enumerate(wrapper.predict(frame.iloc[:20])):
            wanted = "no" if predicted == "yes" else "yes"
            answer = explainer.explain(frame.iloc[i], wanted)
            assert not answer.already_met
            assert wrapper.predict(answer.point.to_frame().T)[0] == wanted


def test_searches_and_frozen_models_stand_for_the_model_inside():
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(200, 3)), columns=["a", "b", "c"])
    labels = np.where(frame["a"] * frame["b"] > 0.2, "yes", "no")
    forest = ensemble.RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame, labels)
    steps = pipeline.make_pipeline(preprocessing.StandardScaler(), forest)
    halving = model_selection.RandomizedSearchCV(
        steps, {"randomforestclassifier__max_depth": [2, 3]}, n_iter=2, cv=2)
    grid = model_selection.GridSearchCV(forest, {"max_depth": [2]}, cv=2)
    last = pipeline.make_pipeline(preprocessing.StandardScaler(), grid)
    for model in (grid, halving, last, frozen.FrozenEstimator(forest)):
        model.fit(frame, labels)
        explainer = boxwood.Explainer(model, frame)
        assert (explainer.predict(frame) == model.predict(frame)).all()
        wanted = "no" if model.predict(frame.iloc[:1])[0] == "yes" else "yes"
        answer = explainer.explain(frame.iloc[0], wanted)
        assert model.predict(answer.point.to_frame().T)[0] == wanted
        assert boxwood.model_bytes(model)
    with pytest.raises(boxwood.UnsupportedModelError, match="this GridSearchCV has no best_estim"):
        boxwood.Explainer(model_selection.GridSearchCV(forest, {}), frame)


def test_catboost_binary_files(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(200, 3)), columns=["a", "b", "c"])
    labels = (frame["a"] * frame["b"] > 0.2).astype(int)
    model = catboost.CatBoostClassifier(iterations=5, depth=3, verbose=False,
                                        allow_writing_files=False).fit(frame, labels)
    path = tmp_path / "model.cbm"
    model.save_model(path)
    for given in (path, path.read_bytes()):
        explainer = boxwood.Explainer(given, frame)
        assert (explainer.predict_proba(frame) == model.predict_proba(frame)).all()
        wanted = int(1 - model.predict(frame.iloc[:1])[0])
        answer = explainer.explain(frame.iloc[0], str(wanted))
        assert model.predict(answer.point.to_frame().T)[0] == wanted
        boxwood.save_model(given, tmp_path / "model.json")
        written = boxwood.Explainer(tmp_path / "model.json")
        assert (written.predict_proba(frame) == model.predict_proba(frame)).all()
        plain = boxwood.Explainer(given)  # without CatBoost
        assert (plain.predict_proba(frame) == model.predict_proba(frame)).all()
    frame["town"] = np.random.default_rng(4).choice(["Bonn", "Ulm", "Jena"], 200)
    model = catboost.CatBoostClassifier(iterations=5, depth=3, verbose=False, allow_writing_files=False,
                                        cat_features=["town"]).fit(frame, (frame["town"] == "Ulm") ^ labels)
    model.save_model(path)
    assert {"Bonn", "Ulm"} <= {one.label for one in boxwood.Explainer(path, frame).core.ensemble(0).features[3].categories}
    assert boxwood.Explainer(path).core.ensemble(0).features[3].categories[0].label.startswith("#")


DUMPED = np.random.default_rng(4).normal(size=(150, 3)).astype(np.float32)
DUMPED[:, 2] = np.random.default_rng(5).integers(0, 6, 150)
DUMPED[np.random.default_rng(6).random((150, 3)) < 0.1] = np.nan


def test_files_as_r_writes_them(tmp_path):
    """R saves by the same C functions: LightGBM without Python's last line, XGBoost without its Python class."""
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(200, 3)), columns=["a", "b", "c"])
    labels = (frame["a"] * frame["b"] > 0.2).astype(int)
    boosted = lightgbm.train({"objective": "binary", "verbosity": -1, "num_leaves": 4},
                             lightgbm.Dataset(frame, labels), 5)
    text, _, last = boosted.model_to_string().partition("\npandas_categorical")
    assert last
    (tmp_path / "r.txt").write_text(text + "\n")
    explainer = boxwood.Explainer(tmp_path / "r.txt", frame)
    assert (explainer.predict_proba(frame)[:, 1] == boosted.predict(frame)).all()
    rows = xgboost.DMatrix(frame, labels)
    booster = xgboost.train({"objective": "binary:logistic", "max_depth": 2}, rows, 6)
    booster.set_attr(best_iteration="3", niter="6")  # as early stopping in R sets them
    booster.save_model(tmp_path / "r.ubj")
    for rounds, count in ((None, 6), ("best", 4)):  # predict in R stops after the best round
        explainer = boxwood.Explainer(tmp_path / "r.ubj", frame, rounds=rounds)
        theirs = booster.predict(rows, output_margin=True, iteration_range=(0, count))
        assert (explainer.scores(frame)[:, 0] == theirs).all()


def dumped(**settings):
    score = np.nan_to_num(DUMPED[:, 0]) + np.isin(DUMPED[:, 2], [1, 4])
    label = np.digitize(score, [-0.5, 0.8]) if "num_class" in settings else score > 0
    data = xgboost.DMatrix(DUMPED, label, feature_names=["in come", "a:{1}", "town"],
                           feature_types=["q", "q", "c"], enable_categorical=True)
    return xgboost.train({"max_depth": 3, "nthread": 1, **settings}, data, num_boost_round=4)


@pytest.mark.parametrize(("settings", "more"), [
    ({"objective": "binary:logistic"}, {}), ({"objective": "binary:logistic", "max_cat_to_onehot": 9}, {}),
    ({"objective": "binary:logistic", "num_parallel_tree": 2}, {"parallel_trees": 2}),
    ({"objective": "multi:softprob", "num_class": 3}, {"outputs": 3})])
def test_dumps_with_what_they_lack_are_the_model_again(settings, more, tmp_path):
    booster = dumped(**settings)
    whole = boxwood.Explainer(booster).core.ensemble(0)
    kept = json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
    more = {"base_score": json.loads(kept), "objective": settings["objective"],
            "feature_names": booster.feature_names, **more}
    for form in ("text", "json"):
        booster.dump_model(tmp_path / "dump", dump_format=form, with_stats=form == "text")
        for dump in ((tmp_path / "dump").read_text(), booster.get_dump(dump_format=form)):
            again = boxwood.Explainer(boxwood.xgboost_from_dump(dump, **more)).core.ensemble(0)
            assert again.fields()["base"] == whole.fields()["base"]
            assert again.tree_count == whole.tree_count
            for i in range(whole.tree_count):
                for key, column in whole.tree(i).items():
                    same = again.tree(i)[key]
                    assert (same == column if isinstance(column, list) else np.array_equal(same, column)), (i, key)


def test_dumps_that_are_damaged_or_incomplete_are_refused():
    booster = dumped(objective="binary:logistic")
    text = "".join(f"booster[{i}]:\n{tree}" for i, tree in enumerate(booster.get_dump()))
    with pytest.raises(boxwood.UnsupportedModelError, match="Give feature_names"):
        boxwood.xgboost_from_dump(text, base_score=0.5)
    rng = np.random.default_rng(7)
    for whole in (text, f"[{','.join(booster.get_dump(dump_format='json'))}]"):
        for at in range(0, len(whole), len(whole) // 100):
            for changed in (whole[:at], whole[:at] + chr(rng.integers(32, 127)) + whole[at + 1:]):
                try:
                    made = boxwood.xgboost_from_dump(changed, base_score=0.5, feature_names=booster.feature_names)
                    boxwood.Explainer(made)
                except (boxwood.Error, boxwood.UnsupportedModelError):
                    pass
    for changed, message in (("0:leaf=[1,2]", "leaves with several numbers"), ("0:leaf=1\n0:leaf=2", "occurs twice"),
                             ("0:[f0] yes=1,no=2", 'of the type "i"'),
                             ("0:[f0<1] yes=1,no=1,missing=1\n1:leaf=1", "two parents")):
        with pytest.raises(boxwood.UnsupportedModelError, match=message):
            boxwood.xgboost_from_dump([changed], base_score=0)
