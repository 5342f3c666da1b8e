"""What data looks like: frames, series, mappings, arrays, Arrow tables, and what is wrong with them."""

import importlib
import json
import os
import subprocess
import sys

import boxwood
import lightgbm
import numpy as np
import pandas as pd
import pyarrow
import pytest
import xgboost
from conftest import IS_FRESH, RED, case_numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import ensemble, tree


@pytest.fixture(scope="module")
def model(people):
    frame, score = people
    return lightgbm.LGBMClassifier(n_estimators=10, max_depth=3, verbose=-1, n_jobs=1,
                                   min_child_samples=5).fit(frame, (score > 1.2))


@pytest.fixture(scope="module")
def explainer(model, people):
    return boxwood.Explainer(model, people[0])


def test_a_number_is_no_code_where_labels_are_numbers():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"k": pd.Categorical(random.choice([1, 2, 3], 300)),
                          "v": random.normal(size=300)})
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(frame, frame["k"] == 1)
    explainer = boxwood.Explainer(model, frame)
    assert explainer.explain({"k": 1, "v": 0.0}).before["k"] == 1
    with pytest.raises(boxwood.Error, match="no category 0"):
        explainer.explain({"k": 0, "v": 0.0})


def test_a_number_that_is_no_class_is_none():
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=300)})
    model = ensemble.RandomForestClassifier(3).fit(frame, np.where(frame["a"] > 0, 3, 2))
    explainer = boxwood.Explainer(model, frame)
    assert explainer.explain(frame.iloc[0], 3).outcome == 3
    with pytest.raises(boxwood.Error, match="no class 1. The classes are 2, 3"):
        explainer.explain(frame.iloc[0], 1)


def test_every_form_of_a_row_has_the_same_answer(explainer, people):
    row = people[0].iloc[3]
    answer = explainer.explain(row)
    assert isinstance(answer.point, pd.Series) and answer.point.name == 3
    by_dict = explainer.explain(row.to_dict())
    assert by_dict.point == answer.point.to_dict()
    by_frame = explainer.explain(people[0].iloc[[3]])
    assert by_frame.point.equals(answer.point)
    by_array = explainer.explain(explainer.columns.point(row))
    assert isinstance(by_array.point, np.ndarray), "in arrays categories are the model's codes"
    assert np.array_equal(by_array.point, answer.array)
    by_arrow = explainer.explain(pyarrow.Table.from_pandas(people[0].iloc[[3]]))
    assert by_arrow.point == by_dict.point
    shuffled = explainer.explain(row.iloc[::-1])
    assert shuffled.cost == answer.cost and list(shuffled.point.index) == explainer.columns.names
    extra = explainer.explain({**row.to_dict(), "note": "none"})
    assert extra.cost == answer.cost


def test_kinds_ranges_and_scales_come_from_the_data(explainer, people):
    frame = people[0]
    schema = explainer.schema
    assert [feature.kind for feature in schema] == ["integer", "continuous", "ordinal",
                                                    "categorical", "categorical"]
    assert schema["age"].range == (frame["age"].min(), frame["age"].max())
    assert schema["income"].scale == frame["income"].max() - frame["income"].min()
    assert schema["floors"].labels == ["1", "2", "5"]
    assert schema["member"].labels == ["False", "True"]


def test_arrow_says_the_same_as_pandas(model, explainer, people):
    table = pyarrow.Table.from_pandas(people[0])
    by_arrow = boxwood.Explainer(model, table)
    assert by_arrow.schema.to_dict() == explainer.schema.to_dict()
    assert np.array_equal(by_arrow.scores(table), explainer.scores(people[0]))


@pytest.mark.parametrize("scale, size", [
    ("range", lambda x: x.max() - x.min()), ("deviation", lambda x: x.std(ddof=0)),
    ("mad", lambda x: (x - x.median()).abs().median()), (None, lambda x: 1.0)])
def test_scales(model, people, scale, size):
    schema = boxwood.Explainer(model, people[0], scale=scale).schema
    assert schema["income"].scale == pytest.approx(size(people[0]["income"]))


def test_quantiles(model, people):
    income = people[0]["income"]
    explainer = boxwood.Explainer(model, people[0], scale="quantiles")
    row = people[0].iloc[0]
    answer = explainer.explain(row, only=["income"], cost="l1", rules=["income may only rise"])
    if answer.found and not answer.already_met:
        share = ((income > row["income"]) & (income <= answer.point["income"])).mean()
        assert answer.cost == pytest.approx(share, abs=0.02)
    with pytest.raises(boxwood.Error, match="unknown scale 'size'"):
        boxwood.Explainer(model, people[0], scale="size")


def test_a_scale_that_is_given_goes_before_the_data(model, explainer, people):
    row = next(one for _, one in people[0].iterrows()
               if explainer.explain(one, only=["income"]).found)
    for scale in ("range", "quantiles"):
        measured = boxwood.Explainer(model, people[0], scale=scale)
        for schema in (boxwood.Schema([boxwood.Feature("income", scale=1)]),
                       {"boxwood_schema": 1, "features": [{"name": "income", "scale": 1}]}):
            own = boxwood.Explainer(model, people[0], schema=schema, scale=scale)
            assert own.schema["income"].scale == 1 and own.schema["income"].quantiles is None
            assert own.schema["age"].scale == measured.schema["age"].scale
            answer = own.explain(row, only=["income"], cost="l1")
            assert answer.cost == pytest.approx(abs(answer.point["income"] - row["income"]))
    # What nobody said is no number to go before the data.
    silent = boxwood.Explainer(model, people[0],
                               schema=boxwood.Schema([boxwood.Feature("income", unit="EUR")]))
    assert silent.schema["income"].scale == explainer.schema["income"].scale
    assert boxwood.Feature("income").to_dict() == {"name": "income"}
    assert boxwood.Feature("income", scale=1).to_dict() == {"name": "income", "scale": 1}


def test_a_model_without_names_takes_those_of_the_data(people):
    frame, score = people
    numbers = frame[["age", "income"]]
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1).fit(
        numbers.to_numpy(), score > 1)
    explainer = boxwood.Explainer(model, numbers)
    answer = explainer.explain(numbers.iloc[0], fixed=["age"])
    assert {change.title for change in answer.changes} <= {"income"}
    assert list(answer.point.index) == ["age", "income"]
    plain = boxwood.Explainer(model, numbers.to_numpy())
    assert plain.explain(numbers.to_numpy()[0], fixed=["f0"]).cost == answer.cost
    with pytest.raises(boxwood.Error, match="3 columns, but the model reads 2"):
        plain.explain([1, 2, 3])


def test_columns_that_differ_are_named(model, explainer, people):
    with pytest.raises(boxwood.Error) as caught:
        boxwood.Explainer(model, people[0].rename(columns={"income": "Income"}))
    assert str(caught.value) == ('data: the model reads "income", which is not given (not in the '
                                 'model: "Income"). Did you mean "Income"?')
    with pytest.raises(boxwood.Error, match='x: the model reads "age", "member"'):
        explainer.explain({"income": 3, "town": "Ulm", "floors": 1})
    with pytest.raises(boxwood.Error, match="expected one row, found 3. Give one row, or use explain_batch"):
        explainer.explain(people[0].head(3))
    with pytest.raises(boxwood.Error, match="column \"income\": 'much' is not a number"):
        explainer.explain({**people[0].iloc[0].to_dict(), "income": "much"})
    with pytest.raises(boxwood.Error, match="it contains dates"):
        boxwood.Explainer(model, people[0].assign(age=pd.Timestamp(0)))
    with pytest.raises(boxwood.Error, match="it contains texts that the model does not know"):
        boxwood.Explainer(model, people[0].assign(age="old"))


def test_missing_values_stay_missing(people):
    frame, score = people
    numbers = frame[["age", "income"]].astype(float)
    numbers.iloc[::7, 1] = np.nan
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1).fit(numbers, score > 1)
    explainer = boxwood.Explainer(model, numbers)
    assert np.array_equal(explainer.predict(numbers), model.predict(numbers))
    answer = explainer.explain(numbers.iloc[0])
    assert answer.found and np.isnan(answer.point["income"])
    assert model.predict(answer.point_frame())[0] != model.predict(numbers.iloc[[0]])[0]
    assert explainer.explain({"age": 30, "income": None}).found
    nullable = numbers.convert_dtypes()
    assert np.array_equal(explainer.predict(nullable), explainer.predict(numbers))


def test_schema_goes_before_the_data_and_survives_its_file(model, explainer, people, tmp_path):
    schema = boxwood.Schema.from_data(model, people[0])
    schema["age"].fixed = True
    schema["income"].unit = "EUR"
    schema["income"].title = "monthly income"
    schema["income"].range = (1, 500)
    schema.subject, schema.outcome, schema.classes = "person", "loan", ["refused", "granted"]
    schema.save(tmp_path / "schema.json")
    again = boxwood.Schema.load(tmp_path / "schema.json")
    assert again.to_dict() == schema.to_dict()
    for form in (schema, tmp_path / "schema.json", str(tmp_path / "schema.json"), schema.to_json(),
                 json.loads(schema.to_json())):
        told = boxwood.Explainer(model, people[0], schema=form)
        assert told.schema["income"].range == (1, 500)
        answer = told.explain(people[0].iloc[0])
        assert "age" not in {change.feature for change in answer.changes}
        assert answer.outcome in ("refused", "granted") and answer.text.startswith("Person 0: loan ")
    assert "monthly income" in schema and schema["monthly income"] is schema["income"]
    assert repr(schema) == "<Schema of 5 features, 1 of them fixed>"
    assert repr(schema["age"]).startswith("Feature(name='age', kind='integer', range=[")
    with pytest.raises(boxwood.Error, match='no feature "agee". Did you mean "age"'):
        schema["agee"]
    with pytest.raises(boxwood.Error, match='features.0.: no key "weigth". Did you mean "weight"'):
        boxwood.Schema.from_dict({"boxwood_schema": 1, "features": [{"name": "a", "weigth": 2}]})
    with pytest.raises(boxwood.Error, match="boxwood_schema"):
        boxwood.Schema.from_json("{}")
    with pytest.raises(boxwood.Error, match='the model has no feature "size"'):
        boxwood.Explainer(model, schema={"features": [{"name": "size"}]})
    with pytest.raises(boxwood.Error, match="version 2 is unsupported"):
        boxwood.Schema.from_dict({"boxwood_schema": 2})
    with pytest.raises(boxwood.Error, match="kind"):
        boxwood.Explainer(model, schema={"boxwood_schema": 1,
                                         "features": [{"name": "age", "kind": "big"}]})


def test_a_schema_of_the_bare_model_leaves_kinds_to_the_data(model, explainer, people):
    bare = boxwood.Explainer(model).schema
    assert bare["member"].kind == "continuous" and "kind" not in bare["member"].to_dict()
    bare["income"].fixed = True
    told = boxwood.Explainer(model, people[0], schema=bare)
    assert [feature.kind for feature in told.schema] == [feature.kind for feature in explainer.schema]
    assert told.schema["member"].labels == ["False", "True"] and told.schema["income"].fixed
    again = boxwood.Explainer(model, people[0], schema=explainer.schema)
    assert again.schema.to_dict() == explainer.schema.to_dict()


def test_a_kind_that_is_said_goes_before_the_data(people):
    frame = people[0][["age", "member"]]
    forest = tree.DecisionTreeClassifier(random_state=0, max_depth=4).fit(
        frame, people[1] + 2 * frame["member"] > 2)
    said = {"boxwood_schema": 1, "features": [{"name": "age", "kind": "continuous"},
                                              {"name": "member", "kind": "continuous"}]}
    told = boxwood.Explainer(forest, frame, schema=said)
    assert [feature.kind for feature in told.schema] == ["continuous", "continuous"]
    assert told.schema["member"].labels is None and told.schema["member"].range == (0, 1)
    halves = 0
    for _, row in frame.head(40).iterrows():
        answer = told.explain(row)
        halves += any(value % 1 != 0 for value in answer.array)
        point = answer.point_frame()
        assert np.array_equal(point.to_numpy(dtype=float)[0], answer.array), "no type may round it"
        assert forest.predict(point)[0] == answer.outcome
    assert halves > 0


def test_labels_of_codes_that_the_data_has_as_numbers(people):
    frame = people[0][["age", "income"]].assign(grade=np.arange(len(people[0])) % 3)
    forest = tree.DecisionTreeClassifier(random_state=0, max_depth=4).fit(frame, frame["grade"] > 1)
    said = {"boxwood_schema": 1, "features": [
        {"name": "grade", "kind": "ordinal", "labels": ["low", "middle", "high"]}]}
    told = boxwood.Explainer(forest, frame.astype({"grade": float}), schema=said)
    answer = told.explain(frame.iloc[0].to_dict() | {"grade": "low"}, only=["grade"])
    assert answer.point["grade"] == "high"
    assert forest.predict(answer.point_frame())[0] == answer.outcome


def test_a_library_that_is_missing_is_named_with_the_way_to_get_it(explainer, people, monkeypatch):
    answer = explainer.explain(people[0].iloc[0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="this needs pandas: pip install pandas"):
        answer.to_frame()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "boxwood.plots", raising=False)
    with pytest.raises(ModuleNotFoundError, match="this needs matplotlib: pip install matplotlib"):
        importlib.import_module("boxwood.plots")


def test_a_number_that_is_given_as_text(explainer, people):
    row = people[0].iloc[0].to_dict()
    with pytest.raises(boxwood.Error, match="'30' is not a number. Give a number, not a text"):
        explainer.explain(row | {"age": "30"})
    with pytest.raises(boxwood.Error, match="'old' is not a number. Give labels in the schema"):
        explainer.explain(row | {"age": "old"})


def test_rules_of_the_schema_hold_for_all_questions(model, people):
    schema = boxwood.Schema.from_data(model, people[0])
    schema.rules = ["age does not fall", "cost l1"]
    explainer = boxwood.Explainer(model, people[0], schema=schema)
    plain = boxwood.Explainer(model, people[0])
    rows = people[0].head(30)
    for one, other, (_, row) in zip(explainer.explain_batch(rows, show_progress=False),
                                    plain.explain_batch(rows, show_progress=False,
                                                        rules="age does not fall", cost="l1"),
                                    rows.iterrows(), strict=True):
        assert one.cost == other.cost
        assert not one.found or one.point["age"] >= row["age"]
        squared = explainer.explain(row, cost="l2")
        assert squared.distance == pytest.approx(np.sqrt(squared.cost))
        assert squared.cost == plain.explain(row, rules="age does not fall", cost="l2").cost
    with pytest.raises(boxwood.Error, match="rules"):
        boxwood.Explainer(model, people[0], schema={"boxwood_schema": 1, "rules": ["age is old"]})


def test_every_key_of_a_feature_reaches_the_question(model, people):
    plain = boxwood.Explainer(model, people[0])
    poor = people[0].assign(income=5.0, town="Ulm")
    found = plain.explain_batch(poor, True, only=["income"], show_progress=False)
    place = next(i for i, one in enumerate(found) if one.found and not one.already_met)
    row, free = poor.iloc[place], found[place]
    assert free.point["income"] > row["income"]
    for change, holds in (({"direction": "down"}, lambda to: to < row["income"]),
                          ({"most_change": 1e-3}, lambda to: abs(to - row["income"]) <= 1e-3),
                          ({"least_change": 50}, lambda to: abs(to - row["income"]) >= 50),
                          ({"step": 10}, lambda to: to % 10 == 0),
                          ({"allowed": [100, 140]}, lambda to: to in (100, 140))):
        schema = boxwood.Schema.from_data(model, people[0])
        schema["income"].range = None
        for key, value in change.items():
            setattr(schema["income"], key, value)
        answer = boxwood.Explainer(model, schema=schema).explain(row, True, only=["income"])
        assert not answer.found or holds(answer.point["income"]), change
        assert answer.found or change in ({"direction": "down"}, {"most_change": 1e-3})
    schema = boxwood.Schema.from_data(model, people[0])
    schema["income"].cost_up = 4
    dear = boxwood.Explainer(model, schema=schema).explain(row, True, only=["income"])
    assert dear.cost == pytest.approx(4 * free.cost)


def test_one_hot_groups_and_categories(people):
    frame, score = people
    hot = pd.get_dummies(frame["town"]).astype(float).join(frame[["income"]])
    model = tree.DecisionTreeClassifier(max_depth=4, random_state=0).fit(hot, score > 1)
    schema = boxwood.Schema.from_data(model, hot)
    schema.one_hot = [boxwood.OneHot(["Bonn", "Jena", "Ulm"], title="home")]
    explainer = boxwood.Explainer(model, hot, schema=schema)
    row = hot[model.predict(hot) == 0].iloc[0]
    answer = explainer.explain(row, True)
    assert answer.point[["Bonn", "Jena", "Ulm"]].sum() == 1
    assert model.predict(answer.point_frame())[0]
    stays = explainer.explain(row, True, fixed=["home"])
    assert (stays.point[["Bonn", "Jena", "Ulm"]] == row[["Bonn", "Jena", "Ulm"]]).all()
    dear = explainer.explain(row, True, weights={"home": 100.0})
    assert dear.cost <= stays.cost

    codes = frame.assign(town=frame["town"].cat.codes)[["town", "income"]]
    coded = tree.DecisionTreeClassifier(max_depth=4, random_state=0).fit(codes, score > 1)
    named = boxwood.Explainer(coded, codes, categories={"town": ["Bonn", "Jena", "Ulm"]})
    assert named.explain({"town": "Ulm", "income": 3.0}).point["town"] in ("Bonn", "Jena", "Ulm")


def test_a_one_hot_group_is_one_feature(colours):
    _, _, explainer = colours
    answer = explainer.explain(RED, 1)
    change, = answer.changes
    assert (change.feature, change.title, change.before) == ("colour", "colour", "red")
    assert change.after == change.change_to in ("blue", "grey")
    assert all(len(tie) == 1 and tie[0].title == "colour" for tie in answer.ties)
    # Its name is one that questions take.
    assert explainer.explain(RED, 1, fixed=[change.feature]).cost > answer.cost
    step, = explainer.path(RED, 1)
    assert step.features == ["colour"]
    assert list(explainer.menu(RED, 1, 1).to_frame().columns) == ["cost", "colour"]
    assert list(explainer.sweep(RED, [0.5, 0.6], 1).to_frame()["changed"]) == ["colour", "colour"]
    blocker = explainer.why_not(RED, 1, rules="fix colour; n <= 0.5").blockers[0]
    assert blocker.feature == "colour"
    rows = pd.DataFrame([RED, {**RED, "n": 2.0, "c0": 0.0, "c1": 1.0}])
    batch = explainer.explain_batch(rows, show_progress=False)
    tidy = batch.to_frame()
    assert tidy["changes"].iloc[0].startswith("colour: red → ")
    for count, one in zip(tidy["changed"], batch, strict=True):
        assert count == one._query.change_count(one.array) == 1
    assert answer._repr_html_().count("<tr>") == 2


@pytest.mark.parametrize("rules", ["", "colour != grey", "colour != blue", "n rises or colour = grey",
                                   "n stays or colour = green; n >= -2", "at most 1 changes"])
def test_groups_are_told_as_the_command_tells_them(colours, rules, tmp_path):
    model, schema, explainer = colours
    for name, row in (("red", RED), ("green", {**RED, "c0": 0.0, "c1": 1.0})):
        answer = explainer.explain(row, 1, rules=rules or ())
        table = repr(answer)
        for change in answer.changes:
            line = next(line for line in table.splitlines() if line.startswith(f"  {change.title} "))
            cells = [cell.strip() for cell in line.strip().split("   ") if cell.strip()]
            assert cells == [change.title, change.now, change.change_to, change.anything_in]
        assert {change.title for change in answer.changes} <= {"n", "colour"}, name

    model.save_model(tmp_path / "model.json")
    schema.save(tmp_path / "schema.json")
    pd.DataFrame([RED]).to_csv(tmp_path / "row.csv", index=False)
    done = subprocess.run([os.environ["BOXWOOD_COMMAND"], "explain", tmp_path / "model.json",
                           "--data", tmp_path / "row.csv", "--schema", tmp_path / "schema.json",
                           "--class", "1", "--widen", "--format", "jsonl",
                           *(["--rule", rules] if rules else [])],
                          capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)["wide"]["anything_in"]
    wide = explainer.widen(explainer.explain(RED, 1, rules=rules or ()))
    # The command tells a group at each of its columns.
    assert wide.words == {"n": told["n"], "colour": told["c0"]}
    assert set(wide.values["colour"]) <= {"red", "green", "blue", "grey"}


@settings(max_examples=len(case_numbers(60)), deadline=None, derandomize=not IS_FRESH)
@given(st.integers(18, 79), st.floats(1, 200, width=32), st.booleans(),
       st.sampled_from(["Bonn", "Jena", "Ulm"]), st.sampled_from([1, 2, 5]),
       st.sampled_from(["l2", "l1", "l0", "linf"]))
def test_any_row_has_an_answer_that_the_library_confirms(model, explainer, age, income, member, town,
                                                         floors, cost):
    row = {"age": age, "income": income, "member": member, "town": town, "floors": floors}
    answer = explainer.explain(row, cost=cost)
    assert answer.status == "optimal" and answer.verify() == []
    assert answer.point == {**row, **{change.feature: change.after for change in answer.changes}}
    assert bool(model.predict(answer.point_frame())[0]) == answer.outcome != answer.outcome_before


def test_points_keep_their_types_where_values_are_missing(people):
    frame, score = people
    frame = frame.assign(note=frame["town"].astype(object).astype("category"))
    frame.loc[frame.index[:40], ["income", "town"]] = np.nan
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1,
                                  enable_categorical=True).fit(frame, score > score.median())
    explainer = boxwood.Explainer(model, data=frame)
    batch = explainer.explain_batch(frame.iloc[38:42], show_progress=False)
    points = batch.points()
    assert points.dtypes.tolist() == frame.dtypes.tolist()
    assert model.predict(points).tolist() == [bool(one.outcome) for one in batch]


def test_a_category_that_no_row_has_may_be_unknown(model, explainer, people):
    row = people[0].iloc[[5]].copy()
    row["town"] = row["town"].cat.add_categories(["Atlantis"])
    assert explainer.explain(row).cost == explainer.explain(people[0].iloc[5]).cost
    row["town"] = pd.Categorical(["Atlantis"])
    with pytest.raises(boxwood.Error, match="Atlantis"):
        explainer.explain(row)


def test_names_go_before_titles(model, people):
    schema = boxwood.Schema([boxwood.Feature("age", title="income"), boxwood.Feature("income")])
    assert schema["income"].name == "income"
    by_title = boxwood.Schema.from_data(model, people[0])
    by_title["age"].title = "years"
    assert by_title["years"].name == "age"
    with pytest.raises(boxwood.Error, match='no feature "agee"\\. Did you mean "age"'):
        boxwood.Explainer(model, schema=boxwood.Schema([boxwood.Feature("agee")]))


def test_no_scale_stays_no_scale(model, people):
    schema = boxwood.Schema.from_data(model, people[0], scale=None)
    again = boxwood.Explainer(model, data=people[0], schema=schema)
    assert {feature.scale for feature in again.schema} == {1.0}


def test_what_is_no_row_or_no_schema(model, explainer, people, tmp_path):
    for wrong in (None, 3, "age"):
        with pytest.raises(boxwood.Error, match="(is not|not) a row"):
            explainer.explain(wrong)
    with pytest.raises(boxwood.Error, match="no such file"):
        boxwood.Explainer(model, schema=tmp_path / "nowhere.json")
    with pytest.raises(boxwood.Error, match="is not a pair of values"):
        boxwood.Explainer(model, schema={"features": [{"name": "age", "range": 3}]})
    twice = pd.concat([people[0], people[0][["age"]]], axis=1)
    with pytest.raises(boxwood.Error, match='"age" occurs 2 times'):
        explainer.explain_batch(twice, show_progress=False)
