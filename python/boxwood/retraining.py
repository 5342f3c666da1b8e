"""Models of the same kind, trained again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from boxwood._arguments import whole
from boxwood.errors import Error


def retrain(fit: Callable[..., Any], data: Any, k: int = 10,
            random_state: int = 0) -> Iterator[Any]:
    """Train models again on bootstrap samples of the data.

    Parameters
    ----------
    fit : callable
        Takes the tables of `data`, and returns a fitted model.
    data : DataFrame, ndarray, or tuple of these
        One or several tables with a row for each example: ``(X, y)``. They are sampled together,
        with replacement, to their own number of rows.
    k : int
        How many models.
    random_state : int
        The seed of the samples. Use another one for models that are held out.

    Yields
    ------
    object
        What `fit` returns.

    Examples
    --------
    >>> models = list(retrain(lambda X, y: XGBClassifier().fit(X, y), (X, y), 10))  # doctest: +SKIP
    >>> explainer = Explainer(models, data=X)                                       # doctest: +SKIP
    >>> explainer.explain(row, "good", agree=9)                                     # doctest: +SKIP
    """
    tables = data if isinstance(data, tuple) else (data,)
    count = whole(k, "k", 1)
    sizes = {len(table) for table in tables}
    if len(sizes) != 1 or 0 in sizes:
        raise Error("data", "the tables have different numbers of rows, or none",
                    "Give tables with a row for each example")
    rows = sizes.pop()
    random = np.random.default_rng(random_state)
    for _ in range(count):
        chosen = random.integers(0, rows, rows)
        yield fit(*(_taken(table, chosen) for table in tables))


def _taken(table: Any, chosen: np.ndarray) -> Any:
    return table.iloc[chosen] if hasattr(table, "iloc") else np.asarray(table)[chosen]
