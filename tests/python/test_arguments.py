"""Arguments that make no sense: each is refused by name."""

import re

import boxwood
import numpy as np
import pandas as pd
import pytest
from conftest import GERMAN

HUGE = 10**400  # more than a double holds
LONG = 10**30  # more than 64 bits hold


@pytest.fixture(scope="module")
def houses(people):
    from sklearn.ensemble import RandomForestRegressor

    frame, score = people
    numbers = frame[["age", "income"]]
    model = RandomForestRegressor(4, max_depth=3, random_state=0, n_jobs=1).fit(numbers, score)
    return boxwood.Explainer(model, numbers)


@pytest.fixture(scope="module")
def row(applicants):
    return applicants.iloc[0]


@pytest.mark.parametrize("name, wrong", [
    ("at_least", "a"), ("at_least", [1]), ("at_least", HUGE), ("at_least", True),
    ("at_most", "a"), ("at_most", np.array([1.0, 2.0])), ("at_most", 1j),
    ("between", "ab"), ("between", 5), ("between", (1,)), ("between", ("a", "b")),
    ("between", (2, 1)), ("between", (np.nan, 1)), ("between", {1: 2}), ("between", np.array(1.0)),
    ("change", True), ("change", [1]), ("change", HUGE),
])
def test_numbers_wanted(houses, name, wrong):
    with pytest.raises(boxwood.Error, match=f"^{name}: "):
        houses.explain([40, 20.0], **{name: wrong})


@pytest.mark.parametrize("name, wrong", [
    ("probability", True), ("probability", "high"), ("probability", HUGE), ("margin", np.True_),
    ("time_limit", True), ("time_limit", -1), ("time_limit", np.nan), ("time_limit", HUGE),
    ("node_limit", 1e30), ("node_limit", LONG), ("node_limit", True),
    ("memory_limit", LONG), ("memory_limit", 2**44), ("threads", LONG), ("threads", 2**31),
    ("ties", np.True_), ("max_changes", LONG), ("max_changes", True),
    ("round", "a"), ("round", -1), ("round", np.nan), ("round", True),
    ("weights", {"age": "x"}), ("weights", {"age": "2"}), ("weights", {"age": True}),
    ("weights", [1, 2]), ("ranges", [(1, 2)]), ("ranges", {"age": 5}), ("ranges", {"age": "ab"}),
    ("examples", "a"), ("rules", ""), ("rules", ["age fixed", " "]),
])
def test_keywords(german, row, name, wrong):
    for target in ("granted", None):
        with pytest.raises(boxwood.Error, match=f"^{name}[:[]"):
            german.explain(row, target, **{name: wrong})


@pytest.mark.parametrize("target, said", [
    ([], "the list is empty"),
    (set(), "the list is empty"),
    ([boxwood.Class("granted"), "refused"], "the list mixes targets and labels"),
    (np.array([0, 1]), "it is of type ndarray, not the label of a class"),
    (pd.Series([0, 1]), "it is of type Series, not the label of a class"),
    (boxwood.Class(np.array([0, 1])), "it is of type ndarray"),
])
def test_targets(german, applicants, row, target, said):
    with pytest.raises(boxwood.Error, match=f"^target: {said}"):
        german.explain(row, target)
    with pytest.raises(boxwood.Error, match=f"^target: {said}"):
        german.explain_batch(applicants.head(2), target, show_progress=False)


@pytest.mark.parametrize("name, ask", [
    ("probability", lambda one, row: one.explain(row, boxwood.Class("granted", probability=True))),
    ("output", lambda one, row: one.explain(row, boxwood.Output(at_least=0, output="a"))),
    ("rival", lambda one, row: one.explain(row, boxwood.Score(at_least=0, rival=0.5))),
    ("model", lambda one, row: one.explain(row, boxwood.Class("granted", model=None))),
    ("more_than", lambda one, row: one.explain(row, boxwood.Score(more_than="a"))),
    ("k", lambda one, row: one.menu(row, LONG)),
    ("k", lambda one, row: one.menu(row, "granted")),
    ("distance", lambda one, row: one.menu(row, 2, apart="distance", distance="a")),
    ("levels", lambda one, row: one.sweep(row, 0.5, "granted")),
    ("levels", lambda one, row: one.sweep(row, ["a"], "granted")),
    ("levels", lambda one, row: one.sweep(row, "a", "granted")),
    ("levels", lambda one, row: one.sweep(row, [True], "granted")),
    ("within", lambda one, row: one.regions(row, "a")),
    ("within", lambda one, row: one.regions(row, -1)),
    ("tolerance", lambda one, row: one.robustness(row, tolerance="1")),
    ("tolerance", lambda one, row: one.explain(row).round("a")),
    ("answer", lambda one, row: one.widen(None)),
    ("model", lambda one, row: one.predict(row.to_frame().T, model=0.5)),
])
def test_other_questions(german, row, name, ask):
    with pytest.raises(boxwood.Error, match=f"^{name}: "):
        ask(german, row)


@pytest.mark.parametrize("view", [
    {"duration": 5}, {"duration": (5, 1)}, {"duration": (5, 5)}, {"duration": (np.nan, 5)},
    {"duration": ("a", "b")}, {"nothing": (1, 2)}, {"age": (20, 30)}, [(1, 2), (3, 4)],
])
def test_views(german, row, view):
    with pytest.raises(boxwood.Error, match=r"^view[:[]"):
        german.map(row, "granted", features=("duration", "credit_amount"), view=view)


def test_maps(german, row):
    features = ("duration", "credit_amount")
    for name, wrong in (("radius", "a"), ("radius", -1), ("most_cells", LONG)):
        with pytest.raises(boxwood.Error, match=f"^{name}: "):
            german.map(row, "granted", features=features, **{name: wrong})
    # A title is a name, and None no limit.
    part = german.map(row, "granted", features=features, view={"credit amount": (1000, None)})
    assert part.view[1][0] == 1000


def test_values_that_are_no_doubles(houses):
    place = 'x, column "age": the number is too large'
    for x in ({"age": HUGE, "income": 1.0}, [HUGE, 1.0]):
        with pytest.raises(boxwood.Error, match=place):
            houses.explain(x, at_least=1)
    with pytest.raises(boxwood.Error, match='ranges, column "age": the number is too large'):
        houses.explain([40, 20.0], at_least=1, ranges={"age": (HUGE, None)})
    with pytest.raises(boxwood.Error, match="is not a number"):
        houses.explain(np.array([40, 20], dtype=complex), at_least=1)
    table = pd.DataFrame({"age": pd.Series([HUGE, 40], dtype=object), "income": 1.0})
    with pytest.raises(boxwood.Error, match='data, column "age": the number is too large'):
        houses.predict(table)
    batch = houses.explain_batch(table, at_least=1, show_progress=False)
    assert list(batch.errors) == [0]


def test_what_is_no_table(german, applicants):
    import scipy.sparse

    for data, said in ((None, "it is None, not a table. Give a data frame"),
                       ({"age": [1]}, "it is of type dict, not a table. Convert it with pandas.DataFrame"),
                       (scipy.sparse.csr_matrix(np.eye(3)),
                        "it is of type csr_matrix, not a table. Convert it with toarray()"),
                       ([[1, 2], [3]], "its rows have different lengths")):
        for ask in (german.predict, lambda data: german.explain_batch(data, show_progress=False)):
            with pytest.raises(boxwood.Error, match="^data: " + re.escape(said)):
                ask(data)


@pytest.mark.parametrize("schema, said", [
    ([1], "schema: unsupported type list. Give a Schema, a mapping"),
    (7, "schema: unsupported type int"),
    ({"features": {"age": {"fixed": True}}}, 'schema: features: it is not a list. Write [{"name": …'),
    ({"one_hot": "a"}, "schema: one_hot: it is not a list"),
    ("/", "/: it is a folder, not a file. Give a schema file"),
])
def test_schemas(schema, said):
    with pytest.raises(boxwood.Error, match="^" + re.escape(said)):
        boxwood.Explainer(GERMAN / "model.ubj", schema=schema)


def test_a_folder_is_no_model():
    with pytest.raises(boxwood.Error, match="^/: it is a folder, and neither Spark ML nor ydf saved it. Give a model"):
        boxwood.Explainer("/")


def test_an_impossible_answer_says_what_could_be_responsible(german, row, applicants):
    free = boxwood.Explainer(GERMAN / "model.ubj")
    nowhere = free.explain(german.columns.point(row), 1, probability=1.0)
    assert nowhere.status == "infeasible" and "why_not" not in str(nowhere)
    assert "No rule and no range is responsible" in " ".join(str(nowhere).split())
    blocked = german.explain(row, "granted", only=["own_telephone"])
    assert "which rules or ranges block it, if any: call why_not()" in str(blocked)
    granted = german.why_not(applicants.iloc[1], "granted", rules="duration >= 200")
    assert "possible without any change" in str(granted) and "()" not in str(granted)


def test_a_regressor_has_no_probabilities(houses):
    with pytest.raises(boxwood.Error, match="^predict_proba: .*Call predict$"):
        houses.predict_proba([[40, 20.0]])
