"""What an explainer finds in the training data: one-hot groups, resolutions, further categories."""

import boxwood
import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import ensemble, tree

PURPOSES = ["car", "radio", "repairs", "school trip"]


def forest(frame, wanted, count=12):
    return ensemble.RandomForestClassifier(count, max_depth=5, random_state=0, n_jobs=1).fit(
        frame, wanted)


@pytest.fixture(scope="module")
def credits():
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"months": random.integers(4, 60, 500),
                          "purpose": random.choice(PURPOSES, 500),
                          "has_phone": random.random(500) < 0.5,
                          "has_garden": random.random(500) < 0.5})
    wanted = (frame["months"] < 20) ^ frame["purpose"].isin(["car", "radio"]) | frame["has_phone"]
    return frame, wanted.to_numpy()


@pytest.mark.parametrize("dtype", [bool, int, float])
@pytest.mark.parametrize("drop_first", [False, True])
def test_dummies_are_one_feature(credits, dtype, drop_first):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"], dtype=dtype, drop_first=drop_first)
    model = forest(data, wanted)
    explainer = boxwood.Explainer(model, data)
    group, = explainer.schema.one_hot
    assert group.title == "purpose" and group.none_allowed == drop_first
    assert group.labels == PURPOSES[drop_first:]
    assert '"purpose" is one feature' in repr(explainer)
    assert sum("purpose" in note for note in explainer.notes) == 1
    columns = [name for name in data if name.startswith("purpose_")]
    used = 0
    for i in range(60):
        answer = explainer.explain(data.iloc[i], only=["purpose"])
        if not answer.found:
            continue
        hot = int(np.sum([bool(answer.point[name]) for name in columns]))
        assert hot == 1 or (drop_first and hot == 0)
        assert model.predict(answer.point_frame())[0] == answer.outcome
        for change in answer.changes:
            if change.feature == "purpose":
                used += 1
                assert {change.before, change.after} <= {*PURPOSES[drop_first:], "(none)"}
    assert used


def test_the_category_without_a_column_has_a_name(credits):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"], drop_first=True)
    model = forest(data, wanted)
    explainer = boxwood.Explainer(model, data)
    assert '"(none)" is the category without a column' in repr(explainer)
    named = boxwood.Explainer(model, data, groups=[
        boxwood.OneHot([name for name in data if name.startswith("purpose_")], "purpose",
                       [*PURPOSES[1:], PURPOSES[0]], none_allowed=True)])
    reached = set()
    for i in range(80):
        row = data.iloc[i]
        answers = [one.explain(row, ranges={"purpose": [label, "radio"]}) for one, label in
                   ((explainer, "(none)"), (named, "car"))]
        answers.append(named.explain(row, rules='purpose = car or purpose = "radio"'))
        assert len({answer.cost for answer in answers}) == 1
        reached |= {change.after for answer in answers for change in answer.changes
                    if change.feature == "purpose"}
        for answer in answers:
            assert answer.verify() == []
            hot = [name for name in data if name.startswith("purpose_") and answer.point[name]]
            assert hot in ([], ["purpose_radio"])
    assert reached >= {"(none)", "car"}
    with pytest.raises(boxwood.Error, match=r"no category 'plane'. There are: radio, .*\(none\)"):
        explainer.explain(data.iloc[0], ranges={"purpose": ["plane"]})


def test_a_row_that_sets_two_columns_of_a_group_is_named(credits):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"])
    explainer = boxwood.Explainer(forest(data, wanted), data)
    row = {**data.iloc[0].to_dict(), "purpose_car": True, "purpose_radio": True}
    with pytest.raises(boxwood.Error, match='"purpose_radio" is 1.*groups=False'):
        explainer.explain(row)
    with pytest.raises(boxwood.Error, match='features: "purpose" is a group.*purpose_car'):
        explainer.map(data.iloc[0], features=("months", "purpose"))


def test_directions_hold_for_the_columns_of_a_group(credits):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"])
    explainer = boxwood.Explainer(forest(data, wanted), data)
    changed = 0
    for i in range(40):
        answer = explainer.explain(data.iloc[i], only=["purpose"])
        if not answer.found:
            continue
        changed += 1
        name = next(name for name in data if name.startswith("purpose_") and answer.point[name])
        other = explainer.explain(data.iloc[i], only=["purpose"], decrease=[name])
        assert other.verify() == []
        assert not other.found or not other.point[name]
        now = next(name for name in data if name.startswith("purpose_") and data.iloc[i][name])
        assert not explainer.explain(data.iloc[i], only=["purpose"], increase=[now]).found
    assert changed
    with pytest.raises(boxwood.Error, match="increase.*categorical"):
        explainer.explain(data.iloc[0], increase=["purpose"])


def test_groups_can_be_given_and_turned_off(credits):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"])
    model = forest(data, wanted)
    columns = [name for name in data if name.startswith("purpose_")]
    off = boxwood.Explainer(model, data, groups=False)
    assert off.schema.one_hot == [] and "purpose" not in repr(off)
    named = boxwood.Explainer(model, groups={"what for": columns})
    assert named.schema.one_hot[0].title == "what for"
    assert named.schema.one_hot[0].labels == PURPOSES
    listed = boxwood.Explainer(model, data, groups=[columns[:2], boxwood.OneHot(columns[2:], "b")])
    assert [group.columns for group in listed.schema.one_hot] == [columns[:2], columns[2:]]
    own = boxwood.Explainer(model, data, schema={"one_hot": [{"title": "mine",
                                                              "columns": columns}]})
    assert [group.title for group in own.schema.one_hot] == ["mine"]
    again = boxwood.Explainer(model, schema=boxwood.Explainer(model, data).schema)
    assert [group.title for group in again.schema.one_hot] == ["purpose"]
    with pytest.raises(boxwood.Error, match="is a single column"):
        boxwood.Explainer(model, data, groups=["purpose_car"])
    with pytest.raises(boxwood.Error, match="no feature"):
        boxwood.Explainer(model, data, groups={"a": ["purpose_cart", "purpose_radio"]})


def test_names_of_scikit_learn_and_two_variables_of_one_beginning():
    random = np.random.default_rng(2)
    kinds, areas = random.choice(["flat", "house"], 300), random.choice(["n", "s", "w"], 300)
    data = pd.DataFrame({**{f"encode__home_kind_{one}": kinds == one for one in ("flat", "house")},
                         **{f"encode__home_area_{one}": areas == one for one in ("n", "s", "w")},
                         "encode__home": random.normal(size=300)})
    explainer = boxwood.Explainer(forest(data, (kinds == "flat") ^ (areas == "n")), data)
    assert [(group.title, group.labels) for group in explainer.schema.one_hot] == [
        ("home_kind", ["flat", "house"]), ("home_area", ["n", "s", "w"])]


def test_flags_that_are_rarely_set_are_no_group():
    random = np.random.default_rng(4)
    data = pd.DataFrame({"has_boat": random.random(200) < 0.03, "has_plane": np.arange(200) < 2,
                         "x": random.normal(size=200)})
    data.loc[data["has_plane"], "has_boat"] = False
    assert not (data["has_boat"] & data["has_plane"]).any()
    explainer = boxwood.Explainer(forest(data, data["x"] > 0), data)
    assert explainer.schema.one_hot == []


LIBRARIES = {
    "forest": lambda: ensemble.RandomForestClassifier(12, max_depth=5, random_state=0, n_jobs=1),
    "histogram": lambda: ensemble.HistGradientBoostingClassifier(max_iter=12),  # reads doubles
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=12, verbose=-1, n_jobs=1),
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=12, max_depth=3, n_jobs=1),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_answers_keep_to_the_resolution_of_the_data(library):
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"age": random.integers(18, 80, 600).astype(float),
                          "rate": random.integers(0, 400, 600) / 10,
                          "price": np.round(random.uniform(1, 90, 600), 2),
                          "size": random.normal(size=600)})
    frame.loc[::17, "age"] = np.nan
    wanted = ((frame["age"].fillna(40) > 45.2) ^ (frame["price"] > 33.333)) | (frame["rate"] > 29)
    model = LIBRARIES[library]().fit(frame, wanted)
    explainer = boxwood.Explainer(model, frame)
    schema = explainer.schema
    assert schema["age"].kind == "integer" and schema["size"].step is None
    assert (schema["rate"].step, schema["price"].step) == (0.1, 0.01)
    assert "rate (0.1), price (0.01)" in repr(explainer)
    changed = set()
    for i in range(80):
        answer = explainer.explain(frame.iloc[i])
        assert model.predict(answer.point_frame())[0] == answer.outcome and not answer.verify()
        for change in answer.changes:
            changed.add(change.feature)
            if change.feature == "age":
                assert float(change.after).is_integer()
            elif change.feature in ("rate", "price"):
                digits = 1 if change.feature == "rate" else 2
                # Exactly the number that a file of such data would hold, not one beside it.
                assert change.after == round(change.after, digits)
                assert len(str(change.after).partition(".")[2]) <= digits
    assert changed >= {"age", "rate", "price"}


def test_a_resolution_can_be_overridden():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"a": random.integers(0, 50, 300).astype(float),
                          "b": random.integers(0, 500, 300) / 10})
    model = forest(frame, frame["a"] + frame["b"] > 50)
    schema = boxwood.Explainer(model, frame, schema={"features": [
        {"name": "a", "kind": "continuous"}, {"name": "b", "step": 0.5}]}).schema
    assert schema["a"].kind == "continuous" and schema["a"].step is None
    assert schema["b"].step == 0.5
    schema = boxwood.Explainer(model, frame, schema={"features": [
        {"name": "a", "step": 0.5}, {"name": "b", "allowed": [1.5, 20.25]}]}).schema
    assert (schema["a"].kind, schema["a"].step) == ("continuous", 0.5)
    assert schema["b"].step is None


def test_listed_values_may_lie_beyond_the_data():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 10, "b": [0.5, 0.75] * 20})
    model = forest(frame, frame["a"] > 2.5)

    def asked(**entry):
        schema = {"features": [{"name": "a", **entry}, {"name": "b", "fixed": True}]}
        return boxwood.Explainer(model, frame, schema=schema).explain(frame.iloc[0], True, cost="l0")

    assert asked(allowed=[1, 2, 9]).point["a"] == 9
    assert asked(kind="continuous", allowed=[0.5, 9.25]).point["a"] == 9.25
    assert asked(allowed=[1, 2, 9], range=[0, 8]).status == "infeasible"  # the schema's own range holds
    assert asked(allowed=[1, 2]).status == "infeasible"


def test_a_few_values_show_no_resolution():
    ends = pd.DataFrame({"a": [0.0, 1.0], "b": [0.5, 2.5]})
    random = np.random.default_rng(6)
    frame = pd.DataFrame(random.random((200, 2)), columns=["a", "b"])
    schema = boxwood.Explainer(forest(frame, frame["a"] > 0.5), ends).schema
    assert [(one.kind, one.step) for one in schema] == [("continuous", None)] * 2


def test_float32_columns_have_a_resolution_too():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"a": (random.integers(0, 500, 300) / 100).astype(np.float32),
                          "b": random.normal(size=300).astype(np.float32)})
    model = forest(frame, (frame["a"] > 2.345) ^ (frame["b"] > 0))
    explainer = boxwood.Explainer(model, frame)
    assert explainer.schema["a"].step == 0.01 and explainer.schema["b"].step is None
    answer = explainer.explain(frame.iloc[0], only=["a"])
    assert answer.point["a"] == round(float(answer.point["a"]), 2)


def test_rounding_errors_and_large_values_have_a_resolution():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"noise": random.permutation(np.arange(300) % 200 * 0.1),
                          "large": random.integers(0, 10**8, 300) / 100,
                          "months": random.integers(1, 60, 300).astype(float),
                          "free": random.normal(size=300) * 1e7})
    wanted = (frame["noise"] > 7.04) ^ (frame["large"] > 4e5) | (frame["months"] > 40)
    doubles = ensemble.HistGradientBoostingClassifier(max_iter=12).fit(frame, wanted)
    explainer = boxwood.Explainer(doubles, frame)
    schema = explainer.schema
    assert [schema[name].step for name in frame] == [0.1, 0.01, None, None]
    assert schema["noise"].range == (0.0, 19.9)
    assert "only whole numbers: months" in repr(explainer)
    # float32 cannot tell hundredths apart here.
    assert boxwood.Explainer(forest(frame, wanted), frame).schema["large"].step is None
    noisy = frame[frame["noise"] != frame["noise"].round(1)].iloc[0]
    answer = explainer.explain(noisy, not doubles.predict(noisy.to_frame().T)[0], only=["noise"])
    assert answer.before["noise"] == noisy["noise"]
    for change in answer.changes:
        assert len(change.now) <= 4 and len(change.change_to) <= 4 and "000000" not in str(answer)


def test_a_range_between_two_multiples_is_refused():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"b": random.integers(0, 50, 300) / 10, "c": random.normal(size=300)})
    explainer = boxwood.Explainer(forest(frame, frame["b"] > 2.5), frame)
    with pytest.raises(boxwood.Error, match='(?s)ranges.*"b" changes to multiples of 0.1 only'):
        explainer.explain(frame.iloc[0], ranges={"b": (0.11, 0.17)})
    assert explainer.explain({"b": 0.15, "c": 0.0}, False, ranges={"b": (0.11, 0.17)}).found
    # In float32, 0.3 is not a multiple of 0.1 as doubles are.
    assert explainer.explain(frame.iloc[0], ranges={"b": (0.3, 0.3)}, target=False).found
    listed = explainer.explain({"b": 2.9, "c": 0.0}, False, rules="b in {0.3, 2.9}")
    assert listed.point["b"] == 0.3


def test_the_end_of_the_allowed_range_is_left_out_for_every_kind():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"whole": random.integers(0, 50, 300),
                          "grid": random.integers(0, 500, 300) / 10,
                          "any": random.random(300) / 3,
                          "fine": random.integers(0, 100, 300) / 1e6})
    for model in (tree.DecisionTreeClassifier(max_depth=1),  # reads float32
                  ensemble.HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=2)):
        for name in frame:
            half = frame[name].median()
            explainer = boxwood.Explainer(model.fit(frame, frame[name] > half), frame)
            row = frame.iloc[int(frame[name].argmin())]
            change, = explainer.explain(row, True).changes
            assert change.title == name
            assert change.anything_in.startswith(("at least", "more than")), change
            assert " and " not in change.anything_in and "e-0" not in str(change), change
            if name == "fine":
                assert change.anything_in.endswith("in steps of 0.000001")
        # Long numbers are rounded in the table of features.
        cells = explainer._repr_html_().replace("</td>", "\n").splitlines()
        assert all(len(cell.rpartition(">")[2]) < 30 for cell in cells)


def test_a_category_that_the_model_has_not_seen_is_noted():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.normal(size=300),
                          "street": random.choice(["Elm", "Oak", "Ash"], 300)})
    model = catboost.CatBoostClassifier(iterations=8, depth=2, verbose=False,
                                        cat_features=["street"], allow_writing_files=False)
    model.fit(frame, (frame["x"] > 0) ^ (frame["street"] == "Elm"))
    explainer = boxwood.Explainer(model, frame)
    note = 'the model does not know the present category of "street"'
    assert note in str(explainer.explain({"x": 0.5, "street": "Eml"}))
    assert note not in str(explainer.explain({"x": 0.5, "street": "Elm"}))


def test_a_range_cannot_hold_for_a_missing_value():
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"b": random.integers(0, 50, 300) / 10, "c": random.normal(size=300)})
    frame.loc[::9, "b"] = np.nan
    explainer = boxwood.Explainer(LIBRARIES["histogram"]().fit(frame, frame["c"] > 0.5), frame)
    row = frame.iloc[0]
    question = {"target": True, "ranges": {"b": (1, 2)}}
    for shown in (explainer.explain(row, **question), explainer.why_not(row, **question)):
        assert "a missing value stays missing" in " ".join(str(shown).split())
        assert 'the rule: "b" may be missing' in " ".join(shown._repr_html_().split()).replace(
            "&quot;", '"')
    filled = explainer.explain(row, **question, rules="b may be missing")
    assert 1 <= filled.point["b"] <= 2 and "stays missing" not in str(filled)


def test_catboost_with_a_text_column_that_no_tree_uses():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.normal(size=300), "1": random.normal(size=300),
                          "street": random.choice(["Elm", "Oak", "Ash"], 300)})
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=False,
                                        cat_features=["street"], allow_writing_files=False)
    model.fit(frame, frame["x"] > 0)
    for data in (frame, None, frame.astype({"street": "category"})):
        explainer = boxwood.Explainer(model, data)
        assert explainer.columns.names == ["x", "1", "street"]
        answer = explainer.explain(frame.iloc[0])
        assert answer.point["street"] == frame["street"][0]
        assert str(model.predict(pd.DataFrame([answer.point]))[0]) == str(answer.outcome)
        assert [change.feature for change in answer.changes] == ["x"]


def test_names_of_the_data_where_catboost_was_fitted_without():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.normal(size=300), "width": random.normal(size=300)})
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=False,
                                        allow_writing_files=False)
    model.fit(frame.to_numpy(), frame["width"] > 0)
    explainer = boxwood.Explainer(model, frame)
    assert explainer.columns.names == ["x", "width"]
    assert explainer.explain(frame.iloc[0]).changes[0].feature == "width"
    assert explainer.explain(frame.to_numpy()[0]).changes[0].feature == "width"


def test_categories_of_the_data_that_no_split_names():
    random = np.random.default_rng(3)
    codes = random.choice([0, 1, 2, 3, 7], 600)
    x = random.normal(size=600)
    table = np.column_stack([codes, x])
    wanted = np.isin(codes, [0, 1]) ^ (x > 2)
    model = xgboost.train(
        {"max_depth": 1, "max_cat_to_onehot": 1, "objective": "binary:logistic"},
        xgboost.DMatrix(table, wanted, feature_types=["c", "float"]), 1)
    named = {one.code for one in boxwood.Explainer(model).core.ensemble(0).features[0].categories}
    unnamed = {0, 1, 2, 3, 7} - named
    assert unnamed, "every category is in a split: the test shows nothing"
    explainer = boxwood.Explainer(model, table)
    assert explainer.schema["f0"].allowed == [0, 1, 2, 3, 7]
    row = table[~wanted][0]
    for code in sorted(unnamed):
        at = np.array([[code, row[1]]])
        outcome = explainer.predict(at)[0]
        start = next(one for one in table if explainer.predict(one[np.newaxis])[0] != outcome)
        answer = explainer.explain(start, int(outcome), rules=f"f0 = {code} or f1 changes",
                                   fixed=["f1"])
        assert answer.found and answer.array[0] == code


def test_lightgbm_replaces_spaces_in_names_and_boxwood_finds_the_columns():
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"mean radius": random.normal(size=300), "a_b": random.normal(size=300),
                          "x": random.choice([1, 2], 300)})
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(frame, frame["mean radius"] > 0)
    assert model.booster_.feature_name() == ["mean_radius", "a_b", "x"]
    for data in (frame, frame[["x", "a_b", "mean radius"]], None):
        explainer = boxwood.Explainer(model, data)
        assert (explainer.predict_proba(frame) == model.predict_proba(frame)).all()
        for row in (frame.iloc[0], frame.iloc[0].to_dict(), frame.iloc[[0]]):
            answer = explainer.explain(row, only=["mean radius" if data is not None
                                                  else "mean_radius"])
            assert list(pd.Series(answer.point).index) == list(frame)
        if data is not None:
            assert [change.feature for change in answer.changes] == ["mean radius"]
            assert "mean radius" in str(answer) and "mean radius" in answer.region
            assert model.predict(answer.point_frame()[list(frame)]) == answer.outcome
    both = pd.DataFrame({"a b": [1.0, 2], "a_b": [3.0, 4], "mean radius": 0.0, "x": 1})
    assert boxwood.Explainer(model, frame).columns.points(both)[:, 1].tolist() == [3, 4]
    with pytest.raises(boxwood.Error, match='reads "mean_radius", which is not given'):
        boxwood.Explainer(model, frame.drop(columns="mean radius"))


def test_changes_and_regions_have_the_names_of_the_data():
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.normal(size=(200, 3)), columns=["age", "debt", "flow"])
    model = LIBRARIES["histogram"]().fit(frame.to_numpy(), frame["debt"] > 0)
    answer = boxwood.Explainer(model, frame).explain(frame.iloc[0])
    assert [change.feature for change in answer.changes] == ["debt"]
    assert list(answer.region) == list(frame)


def test_a_group_is_called_by_its_column_where_categories_begin_alike():
    random = np.random.default_rng(3)
    status = pd.Series(random.choice(["female", "male single", "male widowed", "male div"], 300))
    frame = pd.get_dummies(pd.DataFrame({"status": status, "x": random.normal(size=300)}),
                           drop_first=True)
    explainer = boxwood.Explainer(forest(frame, frame["status_male single"]), frame)
    group, = explainer.schema.one_hot
    assert group.title == "status" and sorted(group.labels) == [
        "male div", "male single", "male widowed"]


def float32_frame(rows=300):
    random = np.random.default_rng(4)
    return pd.DataFrame({"grid": (random.integers(1, 100, rows) / 10).astype(np.float32),
                         "free": random.normal(size=rows).astype(np.float32),
                         "whole": random.integers(0, 9, rows)})


@pytest.mark.parametrize("library", ["histogram", "lightgbm"])
def test_float32_columns_of_a_float64_library_print_and_read_as_float32(library):
    frame = float32_frame()
    wanted = (frame["grid"] + frame["free"] + frame["whole"] / 4 > 6).astype(int)
    model = LIBRARIES[library]().fit(frame, wanted)
    explainer = boxwood.Explainer(model, frame)
    assert "numbers are float32, as in the data" in explainer.notes
    assert list(explainer.predict(frame)) == list(model.predict(frame))
    changed = set()
    for _, row in frame.head(12).iterrows():
        for name in frame:
            answer = explainer.explain(row, only=[name])
            if not answer.found:
                continue
            assert answer.verify() == []
            assert model.predict(answer.point_frame())[0] == answer.outcome
            change, = answer.changes
            changed.add(name)
            # The printed number, typed into the column, has the outcome, and is a short one.
            typed = answer.point_frame()
            typed[name] = np.asarray([change.change_to], dtype=frame[name].dtype)
            assert model.predict(typed)[0] == answer.outcome
            assert len(change.change_to) <= (3 if name == "grid" else 12), change
            # No other value of the column that costs less has it.
            if name == "grid":
                tenths = (np.arange(1, 100) / 10).astype(np.float32)
                rows = pd.concat([typed] * len(tenths), ignore_index=True)
                rows["grid"] = tenths
                good = tenths[model.predict(rows) == answer.outcome].astype(float)
                least = np.abs(good - float(row["grid"])).min()
                assert abs(float(answer.array[0]) - float(row["grid"])) == least
    assert changed >= {"grid", "free"}
    # A number that is typed in means the same as in the column.
    typed, = explainer.explain({"grid": 0.4, "free": 0.1, "whole": 3}).changes
    stored = pd.DataFrame({"grid": [0.4], "free": [0.1], "whole": [3]}).astype(frame.dtypes)
    kept, = explainer.explain(stored).changes
    assert (typed.now, typed.change_to) == (kept.now, kept.change_to)


def test_float32_is_not_assumed_where_a_column_needs_more():
    frame = float32_frame()
    model = LIBRARIES["histogram"]().fit(frame, frame["grid"] > 2)
    explainer = boxwood.Explainer(model, frame)
    with pytest.raises(boxwood.Error, match='column "whole".*16777217.* is not a float32 number'):
        explainer.explain({"grid": 1, "free": 0, "whole": 2**24 + 1})
    with pytest.raises(boxwood.Error, match='column "whole".*16777217.* is not a float32 number'):
        explainer.predict(frame.assign(whole=2**24 + 1))
    for other in (frame.assign(whole=frame["whole"] + 2**24), frame.astype({"free": float})):
        notes = "".join(boxwood.Explainer(model, other).notes)
        assert "float32 values that the model reads as float64" in notes and "): grid; for" in notes
    doubles = frame.astype(float).round(1)
    again = LIBRARIES["histogram"]().fit(doubles, frame["grid"] > 2)
    assert "float32" not in "".join(boxwood.Explainer(again, doubles).notes)
    forest32 = boxwood.Explainer(forest(frame, frame["grid"] > 2), frame)
    assert "float32" not in "".join(forest32.notes)  # it reads float32 whatever the data is


def test_only_a_group_that_is_fixed_as_a_whole_is_said_to_be_fixed(credits):
    frame, wanted = credits
    data = pd.get_dummies(frame, columns=["purpose"])
    explainer = boxwood.Explainer(forest(data, wanted), data)
    row = next(data.iloc[i] for i in range(100)
               if data["purpose_car"].iloc[i] and not explainer.predict(data.iloc[[i]])[0])
    fixed = ["months", "has_phone", "has_garden", "purpose_school trip"]
    answer = explainer.explain(row, fixed=fixed)
    assert answer.found and "Held fixed: months, has_phone, has_garden, purpose_school trip" in (
        " ".join(str(answer).split()))
    assert "Held fixed: months, purpose." in " ".join(
        str(explainer.explain(row, fixed=["months", "purpose"])).split())


def test_models_of_two_libraries_share_a_column_whose_name_has_a_space(credits):
    frame, _ = credits
    data = frame.drop(columns="purpose").rename(columns={"months": "months left"}).astype(float)
    wanted = frame["months"] < 30
    light = lightgbm.LGBMClassifier(n_estimators=15, verbose=-1).fit(data, wanted)
    extreme = xgboost.XGBClassifier(n_estimators=5).fit(data, wanted)
    for models in ({"a": light, "b": extreme}, {"a": extreme, "b": light}):
        answer = boxwood.Explainer(models, data).explain(data.iloc[0])
        assert answer.found
        assert models["a"].predict(answer.point_frame())[0] != models["a"].predict(data[:1])[0]
