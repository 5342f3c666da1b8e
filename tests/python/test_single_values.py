"""A range of a single value: the answer has it, and is the cheapest or the one of fewest changes."""

import boxwood
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import ensemble

NAMES = ["a", "b", "c", "d"]
MODELS = {
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1),
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=6, num_leaves=6, min_child_samples=3,
                                                verbose=-1, n_jobs=1),
    "forest": lambda: ensemble.RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0)}
COSTS = {"l1": lambda moved, count: moved.sum(1), "l2": lambda moved, count: (moved**2).sum(1),
         "linf": lambda moved, count: moved.max(1),
         "l1 + 0.1 l0": lambda moved, count: moved.sum(1) + 0.1 * count}


@pytest.mark.parametrize("kind", ["int64", "float64", "tenths"])
@pytest.mark.parametrize("library", MODELS)
def test_against_all_rows(library, kind):
    random = np.random.default_rng(sum(map(ord, library + kind)))
    numbers = random.integers(0, 6, (150, 4))
    signal = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] - numbers[:, 3]
    step = 10 if kind == "tenths" else 1
    frame = pd.DataFrame(numbers / step, columns=NAMES).astype("int64" if kind == "int64" else float)
    model = MODELS[library]().fit(frame, signal > np.median(signal))
    explainer = boxwood.Explainer(model, frame)
    values = np.arange(6) / step
    everything = np.stack(np.meshgrid(*[values] * 4, indexing="ij"), -1).reshape(-1, 4)
    predicted = model.predict(pd.DataFrame(everything, columns=NAMES))
    kinds_of_answer = set()
    for question in range(24):
        row = frame.iloc[random.integers(150)]
        pinned, value = random.integers(4), random.choice(values)
        cost, most = str(random.choice(list(COSTS))), [None, 1, 2, 3][random.integers(4)]
        first, target = bool(question % 2), not model.predict(frame.loc[[row.name]])[0]
        answer = explainer.explain(row, target, cost=cost, fewest_first=first, max_changes=most,
                                   ranges={NAMES[pinned]: (value, value)})
        now = row.to_numpy(float)
        count = (everything != now).sum(1)
        meets = (predicted == target) & (everything[:, pinned] == value)
        if most is not None:
            meets &= count <= most
        kinds_of_answer.add(answer.status)
        assert answer.found == meets.any() and answer.proven
        if not answer.found:
            continue
        point = answer.point.to_numpy(float)
        assert np.allclose(point[pinned], value, rtol=1e-6)  # in the precision of the model
        assert model.predict(pd.DataFrame([point], columns=NAMES))[0] == target
        if first:
            assert len(answer.changes) == count[meets].min()
            meets &= count == count[meets].min()
        costs = COSTS[cost](np.abs(everything - now) / np.ptp(values), count)
        assert answer.cost == pytest.approx(costs[meets].min(), abs=1e-6)
    assert kinds_of_answer == {"optimal", "infeasible"}
