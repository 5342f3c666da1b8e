"""Ratios and sums that a FunctionTransformer calculates: the answer's rows are what it takes."""

import boxwood
import numpy as np
import pytest

compose = pytest.importorskip("sklearn.compose")
ensemble = pytest.importorskip("sklearn.ensemble")
impute = pytest.importorskip("sklearn.impute")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")
pandas = pytest.importorskip("pandas")

Function = preprocessing.FunctionTransformer


def loans(kind=np.float64):
    random = np.random.default_rng(5)
    return pandas.DataFrame({"debt": random.integers(0, 60, 300), "age": random.integers(18, 80, 300),
                             "income": random.integers(10, 99, 300)}).astype(kind)


def ratio(table):
    return table[:, [0]] / table[:, [1]]


def with_ratio(frame):
    made = frame.copy()
    made["dti"] = made["debt"] / made["income"]
    return made


def logarithm_of_ratio(frame):
    return np.log1p(frame[["debt"]].to_numpy() / frame[["income"]].to_numpy())


def steps(name):
    return {
        "ratio": lambda: compose.ColumnTransformer(
            [("r", pipeline.make_pipeline(impute.SimpleImputer(strategy="median"), Function(ratio),
                                          preprocessing.StandardScaler()), ["debt", "income"])],
            remainder="passthrough"),
        "added": lambda: Function(with_ratio),
        "logarithm": lambda: compose.ColumnTransformer(
            [("l", Function(logarithm_of_ratio), ["debt", "income"]), ("a", "passthrough", ["age"])]),
    }[name]()


def fitted(name, kind=np.float64):
    data = loans(kind)
    good = data.debt / data.income + data.age / 100 < 0.9
    model = pipeline.make_pipeline(steps(name), ensemble.RandomForestClassifier(
        6, max_depth=4, random_state=1)).fit(data, good)
    return model, data


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["ratio", "added", "logarithm"])
def test_the_cheapest_row_of_all(name, kind):
    model, data = fitted(name, kind)
    schema = {"features": [{"name": "debt", "kind": "integer"},
                           {"name": "income", "kind": "integer"}]}
    explainer = boxwood.Explainer(model, data, schema=schema)
    assert (explainer.predict(data) == model.predict(data)).all()
    assert any('"debt / income" is calculated by the pipeline' in note for note in explainer.notes)
    debts, incomes = (part.ravel() for part in np.meshgrid(
        np.arange(data.debt.min(), data.debt.max() + 1),
        np.arange(data.income.min(), data.income.max() + 1)))
    changed = 0
    for _, row in data[~model.predict(data)].iloc[:6].iterrows():
        answer = explainer.explain(row, True, fixed=["age"], cost="l1")
        every = pandas.DataFrame({"debt": debts, "age": row.age, "income": incomes}).astype(kind)
        costs = (abs(debts - row.debt) / (data.debt.max() - data.debt.min())
                 + abs(incomes - row.income) / (data.income.max() - data.income.min()))
        good = model.predict(every)
        if not good.any():
            assert answer.status == "infeasible"
            continue
        assert answer.status == "optimal" and answer.verify() == []
        assert answer.cost == pytest.approx(costs[good].min())
        assert list(answer.point_frame().columns) == list(data.columns)
        assert model.predict(answer.point_frame().astype(kind))[0]
        assert list(answer.point.index) == list(data.columns)
        assert [one.feature for one in answer.changes if one.feature not in data.columns] in (
            [], ["debt / income"])
        changed += 1
    assert changed > 2


def test_rows_arrays_and_batches():
    model, data = fitted("added")
    explainer = boxwood.Explainer(model, data)
    row = data[~model.predict(data)].iloc[0]
    ask = {"fixed": ["age"], "cost": "l1"}
    cost = explainer.explain(row, True, **ask).cost
    assert explainer.explain(dict(row), True, **ask).cost == cost
    assert explainer.explain(row.to_numpy(), True, **ask).cost == cost
    batch = explainer.explain_batch(data[~model.predict(data)].iloc[:2], True, show_progress=False,
                                    **ask)
    assert batch[0].cost == cost
    with pytest.raises(boxwood.Error, match="a divisor of its formula is 0"):
        explainer.explain(row.where(row.index != "income", 0.0), True)
    with pytest.raises(boxwood.UnsupportedModelError, match="which a model file does not say"):
        boxwood.model_bytes(model)


def test_a_missing_value_before_an_imputer_is_refused():
    model, data = fitted("ratio")
    row = data.iloc[0].where(data.columns != "debt")
    with pytest.raises(boxwood.Error, match='"debt", .* are missing.*cannot trace'):
        boxwood.Explainer(model, data).explain(row, True)


def positive_part(frame):
    return frame[["debt"]].to_numpy() * (frame[["income"]].to_numpy() > 50)


def relative(frame):
    return (frame[["debt"]].to_numpy() - frame[["income"]].to_numpy()) / frame[["income"]].to_numpy()


@pytest.mark.parametrize(("function", "words"), [
    (positive_part, "positive_part, which is not known to be monotone, and is no arithmetic of "
                    "columns: it decides by the values"),
    (relative, "no column comes through unchanged.*as a rule")])
def test_other_functions_are_refused_by_name(function, words):
    data = loans()
    model = pipeline.make_pipeline(Function(function), ensemble.RandomForestClassifier(
        2, max_depth=2)).fit(data, data.age > 40)
    with pytest.raises(boxwood.UnsupportedModelError, match=f"(?s){words}"):
        boxwood.Explainer(model, data)


class Fickle:
    """Says one thing to whoever traces it and does another."""

    __name__ = "fickle"

    def __call__(self, table):
        return table[:, [0]] / table[:, [1]] if isinstance(table, np.ndarray) else \
            table[:, [0]] * table[:, [1]]


def test_what_a_function_gives_is_compared_with_its_formula():
    data = loans().to_numpy()
    model = pipeline.make_pipeline(Function(Fickle()), ensemble.RandomForestClassifier(
        2, max_depth=2)).fit(data, data[:, 1] > 40)
    with pytest.raises(boxwood.UnsupportedModelError, match="does not always calculate"):
        boxwood.Explainer(model, data)
