"""Rows with missing values that a library rejects are rejected here as well."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwood._tracing import input_names
from boxwood.errors import Error, library
from boxwood.models import library_of

if TYPE_CHECKING:
    from boxwood._codec import Codec

ANY_ROW = ("xgboost", "lightgbm", "pyspark")  # libraries that take missing values everywhere


class Refusals:
    """Asks fitted models which values may be missing.

    A model gets a row of plain values and then the same row with the values missing. An error of
    the second counts only if the model takes the first.

    Parameters
    ----------
    models : mapping
        Models by name; files and bytes refuse nothing.
    codecs : sequence of Codec
        What they read.
    closed : set of int
        Columns of which a pipeline's steps, tried one by one, take no missing value.
    domains : mapping
        By column the least and the largest number of which functions of a pipeline are finite, and
        the names of these functions.
    divided : set of int
        Columns that formulas of a pipeline may divide by.
    """

    def __init__(self, models: Mapping[str, Any], codecs: Sequence[Codec],
                 closed: frozenset[int], domains: Mapping[int, tuple[float, float, str]],
                 divided: frozenset[int] = frozenset()) -> None:
        self._models = [one for one in models.values()
                        if not isinstance(one, (str, bytes, bytearray, memoryview, os.PathLike))
                        and library_of(one) not in ANY_ROW and hasattr(one, "predict")]
        self._codecs = tuple(codecs)
        self._closed = closed
        self._divided = divided
        self.domains = dict(domains)
        self._known: dict[int, str] = {}  # why a column may not be missing, or nothing

    def __getstate__(self) -> dict[str, Any]:
        """Ask about all columns now: the models stay behind when an explainer is pickled."""
        self._ask(range(len(self._codecs)))
        return {**self.__dict__, "_models": []}

    def check(self, points: np.ndarray, place: str) -> None:
        """Raise an error if a library rejects these rows because values are missing or infinite."""
        for i, (low, high, names) in self.domains.items():
            values = points[:, i]
            outside = values[(values < low) | (values > high)]
            if len(outside):
                raise Error(place, f'"{self._codecs[i].title}" is {outside[0]:g}, of which {names} '
                                   "in the pipeline is not a finite number", "Correct the row")
        if self._models or any(self._known.values()):
            self.refuse(np.flatnonzero(np.isnan(points).any(axis=0)).tolist(), place)

    def refuse(self, lost: Iterable[int], place: str) -> None:
        """Raise an error if a library rejects rows in which these columns are missing."""
        self._ask(lost)
        refused = [i for i in sorted(lost) if self._known.get(i)]
        if refused:
            names = ", ".join(f'"{self._codecs[i].title}"' for i in refused[:5])
            are = "is" if len(refused) == 1 else "are"
            raise Error(place, f"{names} {are} missing, and the model rejects such rows: "
                               f"{self._known[refused[0]]}",
                        "Give a value, or add an imputer to the pipeline and fit it again")

    def _ask(self, columns: Iterable[int]) -> None:
        unknown = frozenset(columns) - self._known.keys()
        if not unknown or not self._models:
            return
        # Steps look at one column at a time, and usually accept all of them.
        together = self._reason(unknown)
        for i in unknown:
            self._known[i] = together and self._reason(frozenset([i]))
            if i in self._closed and not self._known[i]:
                self._known[i] = "Boxwood cannot trace its steps for missing values"

    def _reason(self, missing: frozenset[int]) -> str:
        for model in self._models:
            if self._said(model, frozenset()):
                continue  # it rejects a row without missing values too: nothing is learned
            said = self._said(model, missing)
            if said:
                return said
        return ""

    def _said(self, model: Any, missing: frozenset[int]) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.predict(self._table(model, missing))
            except Exception as error:  # a library may raise anything
                return next(iter(str(error).splitlines()), "") or type(error).__name__
        return ""

    def _table(self, model: Any, missing: frozenset[int]) -> Any:
        plain = [float(i in self._divided) for i in range(len(self._codecs))]
        values = [codec.decode(np.nan if i in missing else plain[i])
                  for i, codec in enumerate(self._codecs)]
        names = input_names(model)
        if names is None:
            names = getattr(model, "feature_names_", None)
        if names is None:
            values = values[:getattr(model, "n_features_in_", len(values))]
            numeric = all(isinstance(value, (int, float)) for value in values)
            return np.array([values], dtype=np.float64 if numeric else object)
        pandas = library("pandas")

        # A text that is missing is still in a column of texts, and of the data's type.
        series = [pandas.Series([codec.decode(number)])
                  for codec, number in zip(self._codecs, plain, strict=True)]
        for i in missing:
            kind = series[i].dtype if isinstance(values[i], float) else object
            number = getattr(kind, "kind", "O") in "biuf"
            series[i] = pandas.Series([values[i]], dtype=float if number else kind)
        for i, codec in enumerate(self._codecs):
            if getattr(codec.dtype, "kind", "") == "O":
                typed = series[i].astype(codec.dtype)
                series[i] = typed if typed.isna().equals(series[i].isna()) else series[i]
        known = {codec.name: one for codec, one in zip(self._codecs, series, strict=True)}
        return pandas.DataFrame({name: known.get(str(name), [0.0]) for name in names})
