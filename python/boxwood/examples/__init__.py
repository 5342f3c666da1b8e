"""Small examples that come with the package: a model, rows and a schema, ready to be asked.

    example = boxwood.examples.german_credit()
    print(example.explainer().explain(example.data.iloc[3], target="granted"))

The files are those of examples/german_credit in the source tree; the build copies them here.
"""

from __future__ import annotations

import csv
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxwood.errors import Error
from boxwood.schema import Schema

if TYPE_CHECKING:
    from boxwood.explainer import Explainer

__all__ = ["Example", "german_credit"]


@dataclass(frozen=True)
class Example:
    """A model with rows and a schema.

    Attributes
    ----------
    name : str
        Name of the example.
    model : Path
        The model file.
    schema : Schema
        What the columns mean and what may change.
    data : DataFrame or list of dict
        The rows, without the column of the true class: a frame where pandas is installed.
    labels : list of str
        The true class of each row.
    """

    name: str
    model: Path
    schema: Schema
    data: Any
    labels: list[str]

    def explainer(self) -> Explainer:
        """Return an explainer of the model with the schema."""
        from boxwood.explainer import Explainer

        return Explainer(self.model, schema=self.schema)

    def __repr__(self) -> str:
        return f"<Example {self.name}: {self.model.name}, {len(self.data)} rows>"


def german_credit(*, as_frame: bool | None = None) -> Example:
    """Return ten applicants for credit and the model that decides about them.

    The model (XGBoost, 250 trees of depth 8, trained on 800 rows of the Statlog German credit data
    with monotone constraints) answers "refused" or "granted". The ten applicants were not used in
    training; eight of them are refused.

    Parameters
    ----------
    as_frame : bool, optional
        Whether `data` is a DataFrame; by default it is one if pandas is installed.

    Returns
    -------
    Example
        The model file, the schema and the rows.

    Raises
    ------
    Error
        The files are not there, because the package was not built.
    """
    folder = Path(__file__).parent / "german_credit"
    if not (folder / "model.ubj").exists():
        raise Error(str(folder), "the files of the example are missing",
                    "Install the package, or build the CMake target boxwood_python")
    schema = Schema.load(folder / "schema.json")
    numbers = {feature.name for feature in schema.features if feature.kind == "integer"}
    with open(folder / "applicants.csv", newline="", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = [
            {name: int(value) if name in numbers else value for name, value in row.items()}
            for row in csv.DictReader(file)]
    labels = [row.pop("class") for row in rows]
    if as_frame is None:
        as_frame = importlib.util.find_spec("pandas") is not None
    data: Any = rows
    if as_frame:
        import pandas

        data = pandas.DataFrame(rows)
    return Example("german_credit", folder / "model.ubj", schema, data, labels)
