"""What a question means and what its answer says, on small models of the libraries."""

import boxwood
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import ensemble, tree


def test_an_open_end_of_a_range_keeps_the_limit_of_the_data():
    months = np.arange(4.0, 64.0)
    model = tree.DecisionTreeClassifier().fit(months[:, None], months < 20)
    explainer = boxwood.Explainer(model, pd.DataFrame({"months": months}))
    row = {"months": 40}
    assert explainer.explain(row, True, ranges={"months": (None, 10)}).point["months"] == 10
    assert explainer.explain(row, True, ranges={"months": (1, 3)}).point["months"] == 3
    for given, said in (((None, 3), "its highest value 3.* is below 4"),
                        ((100, None), "its lowest value 100.* is above 63")):
        with pytest.raises(boxwood.Error, match=said):
            explainer.explain(row, True, ranges={"months": given})


def test_a_missing_value_that_has_to_stay_missing_is_a_blocker():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": random.integers(1, 99, 300).astype(float),
                          "flag": random.random(300) < 0.5})
    frame.loc[::7, "amount"] = np.nan
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=2).fit(
        frame, frame["amount"].fillna(30) > 40)
    explainer = boxwood.Explainer(model, data=frame)
    row = frame.iloc[0]
    why = explainer.why_not(row, 1)
    blocker, = why.blockers
    assert blocker.rule == "amount stays missing" and blocker.kind == "missing"
    assert not why.impossible and blocker.without.proven
    filled = explainer.explain(row, 1, rules="amount may be missing")
    assert filled.cost == blocker.without.cost
    impossible = str(explainer.explain(row, 1))
    assert "The value of amount is missing and stays missing." in impossible
    assert '"amount may be missing"' in impossible


def test_the_levels_of_a_sweep_are_the_wanted_numbers():
    x = np.linspace(0, 1, 200)[:, None]
    model = ensemble.RandomForestRegressor(5, random_state=0).fit(x, 10 * x[:, 0])
    explainer = boxwood.Explainer(model, x)
    plain = explainer.sweep(x[10], [2.0, 5.0])
    said = explainer.sweep(x[10], [2.0, 5.0], at_least=0)
    assert [answer.cost for _, answer in plain] == [answer.cost for _, answer in said]


def test_a_forest_of_two_classes_names_the_other_class():
    x = np.linspace(0, 1, 100)[:, None]
    model = ensemble.RandomForestClassifier(8, random_state=0).fit(x, x[:, 0] > 0.5)
    explainer = boxwood.Explainer(model, x)
    assert 'needed more than that of "False"' in str(explainer.explain(x[3], True))
    assert 'needed at least that of "True"' in str(explainer.explain(x[97], False))
