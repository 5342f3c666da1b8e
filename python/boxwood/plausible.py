"""Plausible answers: rows that an isolation forest calls normal."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from boxwood import _core
from boxwood._arguments import number
from boxwood.errors import Error, library
from boxwood.models import converted_model
from boxwood.models._ensemble import Ensemble

CONTAMINATION = 0.1
TREES = 100


def isolation_of(given: Any, points: np.ndarray | None,
                 first: _core.Ensemble) -> tuple[str, _core.Ensemble, float]:
    """Make the isolation forest that answers must be normal to.

    Parameters
    ----------
    given : bool, float or IsolationForest
        True: fit one with a contamination of 0.1; a number: with this contamination; a fitted one.
    points : ndarray, optional
        Rows as the numbers that the models read.
    first : _core.Ensemble
        The first model, whose columns it reads.

    Returns
    -------
    tuple
        Its name with the contamination, itself, and the least score of a normal row.
    """
    forest = given
    if hasattr(given, "fit") and not hasattr(given, "offset_"):
        raise Error("plausible", f"{given!r} is not a fitted isolation forest",
                    "Give a fitted IsolationForest of scikit-learn, or True to fit one")
    if not hasattr(given, "offset_"):
        share = CONTAMINATION if given is True else number(given, "plausible")
        if not 0 < share <= 0.5:
            raise Error("plausible", f"the contamination {given!r} is not above 0 and at most 0.5",
                        "Give the share of the data that counts as unusual, such as 0.1")
        if points is None:
            raise Error("plausible", "there is no data to fit an isolation forest on",
                        "Give data=, or a fitted IsolationForest")
        complete = points[~np.isnan(points).any(axis=1)]
        if not len(complete):
            raise Error("plausible", "every row of the data has a missing value",
                        "Give rows without missing values, or a fitted IsolationForest")
        forest = library("sklearn.ensemble").IsolationForest(
            n_estimators=TREES, contamination=share, random_state=0).fit(complete)
    made = converted_model(forest)
    columns = Ensemble.from_core(first).features
    if len(made.features) != len(columns):
        raise Error("plausible", f"the isolation forest reads {len(made.features)} columns, the "
                    f"model {len(columns)}", "Fit it on the columns of the model")
    name = f"isolation forest (contamination {forest.contamination})"
    return name, dataclasses.replace(made, features=columns).to_core(), float(forest.offset_)
