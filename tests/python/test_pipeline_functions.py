"""FunctionTransformer in pipelines: known functions, declared ones, and what is refused."""

import boxwood
import numpy as np
import pytest
from boxwood import pipelines

compose = pytest.importorskip("sklearn.compose")
ensemble = pytest.importorskip("sklearn.ensemble")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")
impute = pytest.importorskip("sklearn.impute")
pandas = pytest.importorskip("pandas")


def people(kind=np.float64):
    random = np.random.default_rng(3)
    return pandas.DataFrame({"income": np.exp(random.normal(3, 1, 300)),
                             "wealth": random.normal(0, 2, 300)}).astype(kind)


def fitted(function, kind=np.float64, column="income", **options):
    data = people(kind)
    good = (np.log(data.income) + data.wealth > 3).to_numpy()
    steps = compose.ColumnTransformer(
        [("f", preprocessing.FunctionTransformer(function, **options), [column])],
        remainder="passthrough")
    model = pipeline.make_pipeline(steps, ensemble.RandomForestClassifier(
        5, max_depth=4, random_state=1)).fit(data, good)
    return model, data


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("function", [np.log1p, np.log, np.sqrt, np.exp, np.square,
                                      np.floor, np.log10])
def test_answers_are_what_the_pipeline_predicts(function, kind):
    column = "wealth" if function is np.exp else "income"
    model, data = fitted(function, kind, column)
    explainer = boxwood.Explainer(model, data)
    assert (explainer.predict(data) == model.predict(data)).all()
    # At the thresholds themselves, which answers are next to, and beside them.
    tried = 0
    for _, row in data[~model.predict(data)].iloc[:12].iterrows():
        answer = explainer.explain(row, True, cost="l2", only=[column])
        if answer.status != "optimal":
            continue
        tried += 1
        assert model.predict(answer.point_frame().astype(kind))[0]
        value = kind(answer.point_frame()[column].iloc[0])
        back = answer.point_frame().astype(kind)
        back[column] = np.nextafter(value, kind(row[column]))
        if back[column].iloc[0] != row[column] and not answer.already_met:
            assert not model.predict(back)[0]  # nothing nearer has the outcome
    assert tried


def test_answers_stay_where_the_function_is_finite():
    model, data = fitted(np.log)
    explainer = boxwood.Explainer(model, data)
    row = data[model.predict(data)].iloc[0]
    answer = explainer.explain(row, False, only=["income"])
    if answer.status == "optimal":
        assert answer.point_frame().income.iloc[0] > 0
    with pytest.raises(boxwood.Error, match="of which log in the pipeline is not a finite number"):
        explainer.explain({"income": -1.0, "wealth": 0.0}, True)
    why = explainer.why_not(row, False, rules=["fix wealth", "income >= 20"])
    for blocker in why.blockers:
        if blocker.without.status == "optimal":
            assert blocker.without.point_frame().income.iloc[0] > 0
    with pytest.raises(boxwood.UnsupportedModelError, match="Explainer.save_model"):
        boxwood.model_bytes(model)


def half(values):
    return values / 2 + 1


def turned(values):
    return -values


def test_declared_functions_are_checked_and_noted():
    model, data = fitted(half)
    with pytest.raises(boxwood.UnsupportedModelError, match=r"boxwood.monotone\(half\)"):
        boxwood.Explainer(model, data)
    assert boxwood.monotone(half) is half
    explainer = boxwood.Explainer(model, data)
    assert any("declaration that half is monotone" in note for note in explainer.notes)
    assert (explainer.predict(data) == model.predict(data)).all()
    row = data[~model.predict(data)].iloc[0]
    answer = explainer.explain(row, True)
    assert model.predict(answer.point_frame())[0]
    assert "half is monotone, as was declared" in repr(answer)
    boxwood.monotone(turned)
    with pytest.raises(boxwood.UnsupportedModelError, match="turned was declared monotone, but"):
        boxwood.Explainer(fitted(turned)[0], data)
    with pytest.raises(boxwood.Error, match="cannot be marked"):
        boxwood.monotone(max)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(boxwood.UnsupportedModelError, match="applies sin, which is not known"):
        boxwood.Explainer(fitted(np.sin)[0], people())
    data = people()
    late = pipeline.make_pipeline(
        preprocessing.StandardScaler(), preprocessing.FunctionTransformer(np.log1p),
        ensemble.RandomForestClassifier(3, max_depth=2)).fit(
            data.clip(lower=5), data.income > 20)
    with pytest.raises(boxwood.UnsupportedModelError, match="before the other steps"):
        boxwood.Explainer(late, data)


CURVES = {
    "quantiles": lambda: preprocessing.QuantileTransformer(n_quantiles=40),
    "yeo-johnson": lambda: preprocessing.PowerTransformer(),
    "yeo-johnson in frames": lambda: preprocessing.PowerTransformer().set_output(transform="pandas"),
    "box-cox": lambda: preprocessing.PowerTransformer(method="box-cox", standardize=False),
}


def around(thresholds, kind):
    """Thresholds as numbers of a column's type, and the numbers next to them."""
    own = np.unique(np.asarray(thresholds, dtype=kind))
    own = own[np.isfinite(own)]
    return np.concatenate([own, np.nextafter(own, kind(np.inf)), np.nextafter(own, kind(-np.inf))])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", CURVES)
def test_curves_are_exact_at_every_threshold(name, kind):
    data = people(kind)
    if name == "box-cox":
        data["wealth"] = np.exp(data.wealth).astype(kind)
    good = (np.log(data.income) + data.wealth > 3).to_numpy()
    model = pipeline.make_pipeline(CURVES[name](), ensemble.RandomForestClassifier(
        3, max_depth=3, random_state=1)).fit(data, good)
    explainer = boxwood.Explainer(model, data)
    made = pipelines.pushed_back(model, pipelines.follow_steps(model, data))
    rng = np.random.default_rng(1)
    rows = data.sample(400, replace=True, random_state=1).reset_index(drop=True)
    for i, column in enumerate(data):
        found = around(np.concatenate([tree.threshold[tree.feature == i] for tree in made.trees]), kind)
        found = found[found > 0] if name == "box-cox" else found
        assert len(found) > 6
        rows[column] = np.where(rng.random(400) < 0.8, rng.choice(found, 400), rows[column]).astype(kind)
    np.testing.assert_array_equal(explainer.predict_proba(rows), model.predict_proba(rows))
    row = data[~model.predict(data)].iloc[0]
    answer = explainer.explain(row, True)
    assert answer.status == "optimal" and model.predict(answer.point_frame().astype(kind))[0]


def test_knots_that_are_out_of_order_are_found():
    """A function that falls at a knot by less than a bisection would notice."""
    data = people()
    model = pipeline.make_pipeline(preprocessing.QuantileTransformer(n_quantiles=5),
                                   ensemble.RandomForestClassifier(3, max_depth=3, random_state=1)).fit(
        data, data.income > 20)
    steps = pipelines.follow_steps(model, data)
    plain = steps.transform

    def bent(table, far):
        made = plain(table, far)
        knot = steps.sources[0].function.knots[2]
        return np.where(np.arange(2) == 0, np.where(table.to_numpy() == knot, 2.0, made), made)

    steps.transform = bent
    with pytest.raises(boxwood.UnsupportedModelError, match="falls in its last digits"):
        pipelines.pushed_back(model, steps)


def test_a_knn_imputer_changes_nothing_in_complete_rows():
    data = people()
    data.loc[::7, "income"] = np.nan
    good = data.wealth + data.income.fillna(20) / 20 > 1
    model = pipeline.make_pipeline(impute.KNNImputer(), ensemble.RandomForestClassifier(
        4, max_depth=4, random_state=1)).fit(data, good)
    explainer = boxwood.Explainer(model, data)
    whole = data.dropna()
    np.testing.assert_array_equal(explainer.predict_proba(whole), model.predict_proba(whole))
    row = whole[~model.predict(whole)].iloc[0]
    answer = explainer.explain(row, True)
    assert model.predict(answer.point_frame())[0]
    with pytest.raises(boxwood.Error, match='"income" is missing, and the model rejects such rows'):
        explainer.explain(data.iloc[0], True)
