"""The case of quantile-forest for support_live_test.py."""

import numpy as np
from support_recorded import case

FAMILY = LIBRARY = FOLDER = "quantile_forest"
TITLE = "quantile-forest"
RECORDED = True


def live():
    from quantile_forest import RandomForestQuantileRegressor
    x = np.random.default_rng(1).normal(size=(30, 2))
    return RandomForestQuantileRegressor(n_estimators=2, max_depth=2).fit(x, x[:, 0]), [], [], []


CASES = [case(FAMILY, "quantiles", "RandomForestQuantileRegressor", live, (),
              "predicts a quantile of the training rows in its leaves, which is not a sum of trees")]
