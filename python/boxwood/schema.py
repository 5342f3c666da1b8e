"""The schema: names, kinds, labels, units, ranges and costs of a model's columns, as an object.

docs/formats.md describes the parts. The core checks them when an explainer takes the schema.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boxwood._files import write_file
from boxwood._text import json_text
from boxwood.errors import Error


def meant(word: str, known: list[str]) -> str:
    """Suggest the known word that is most similar to a given one.

    Parameters
    ----------
    word : str
        The word that was given.
    known : list of str
        The valid words.

    Returns
    -------
    str
        The remedy of an error; empty if there is no similar word.
    """
    import difflib

    found = difflib.get_close_matches(word, known, 1)
    return f'Did you mean "{found[0]}"?' if found else ""


def nearest(word: str, known: list[str]) -> str:
    """Suggest the most similar known word, or list the known words.

    Parameters
    ----------
    word : str
        What was given.
    known : list of str
        What there is.

    Returns
    -------
    str
        The remedy of an error; empty if no word is known.
    """
    several = f"There are {len(known)}: {', '.join(known[:10])}, …" if len(known) > 12 else \
        f"There are: {', '.join(known)}" if known else ""
    return meant(word, known) or several


class Unsaid(float):
    """A default that data may replace. Any number that the user gives overrides both."""


class UnsaidKind(str):
    """The kind of a column about which the model says nothing; data and the user override it."""


class FoundStep(float):
    """A step that was found in data; a list of allowed values overrides it."""


def _is_said(value: Any, default: Any) -> bool:
    if isinstance(value, (Unsaid, UnsaidKind)):
        return False
    return isinstance(default, Unsaid) or (value is not default and value != default)


def _said(thing: Feature | OneHot) -> dict[str, Any]:
    # The first field names it; of the others those that say something.
    first, *others = dataclasses.fields(thing)
    entry: dict[str, Any] = {first.name: getattr(thing, first.name)}
    entry |= {one.name: getattr(thing, one.name) for one in others
              if _is_said(getattr(thing, one.name), one.default)}
    return {key: list(value) if isinstance(value, tuple) else value
            for key, value in entry.items()}


@dataclass(slots=True)
class Feature:
    """One column of a model.

    Parameters
    ----------
    name : str
        The model's column.
    title : str
        The name shown to people.
    kind : {"continuous", "integer", "ordinal", "categorical"}, optional
        What its values mean; default: the kind that the model records.
    labels : list of str, optional
        The labels of codes 0, 1, … of an ordinal or categorical feature.
    unit : str
        The unit of its values, such as "months".
    range : tuple, optional
        The lowest and the highest value that it may change to; `None` for no limit.
    scale : float
        The amount of change that counts as 1; default: measured in the data, or 1.
    weight : float
        The cost of a change of one scale.
    fixed : bool
        It must not change.
    allowed : list, optional
        The only values or labels that it may change to.
    step : float, optional
        It may change only to whole multiples of this.
    missing_allowed : bool
        The value may become missing, or known if it is missing.
    changes : list of list, optional
        Categorical: the size of a change from each code to each other code; None forbids it.
    direction : {"up", "down"}, optional
        The only direction in which it may change.
    least_change, most_change : float, optional
        The smallest and the largest size of a change.
    cost_up, cost_down : float
        Factors of the weight for a rise and for a fall.
    quantiles : list of float, optional
        Values at equal shares of the data. The size of a change is then the share of the data
        between the two values.
    """

    name: str
    title: str = ""
    kind: str | None = None
    labels: list[str] | None = None
    unit: str = ""
    range: tuple[Any, Any] | None = None
    scale: float = Unsaid(1.0)
    weight: float = 1.0
    fixed: bool = False
    allowed: list[Any] | None = None
    step: float | None = None
    missing_allowed: bool = False
    changes: list[list[float | None]] | None = None
    direction: str | None = None
    least_change: float | None = None
    most_change: float | None = None
    cost_up: float = 1.0
    cost_down: float = 1.0
    quantiles: list[float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the entry for the schema file, without default values.

        Returns
        -------
        dict
            An entry of the schema's list of features.
        """
        entry = _said(self)
        if self.allowed is not None and isinstance(self.step, FoundStep):
            del entry["step"]
        return entry

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.to_dict().items())
        return f"Feature({shown})"


@dataclass(slots=True)
class OneHot:
    """One-hot columns that encode one categorical feature: one column is 1, the others are 0.

    Parameters
    ----------
    columns : list of str
        The model's columns.
    title : str
        The name of the feature.
    labels : list of str, optional
        One for each column. A further label names the category for
        which all columns are 0, which is called
        "(none)" otherwise.
    weight : float
        The cost of a change.
    none_allowed : bool
        All columns may become 0.
    """

    columns: list[str]
    title: str = ""
    labels: list[str] | None = None
    weight: float = 1.0
    none_allowed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the entry for the schema file, without default values.

        Returns
        -------
        dict
            An entry of the schema's list `one_hot`.
        """
        return _said(self)


@dataclass(slots=True)
class Schema:
    """The meaning of a model's columns, and constraints and costs of changes.

    Features are found by name or title, ``schema["age"].fixed = True``.

    Parameters
    ----------
    features : list of Feature
        The features that are described; others have defaults.
    one_hot : list of OneHot
        Groups of one-hot columns.
    subject : str
        What a row is: "applicant".
    outcome : str
        What is predicted: "credit".
    classes : list of str
        Labels of the classes, in the order of their numbers.
    output_unit : str
        Unit of a predicted number.
    rules : list of str
        Rules in query text (docs/query.md) that apply to every question.
    scaled : bool or str
        Whether the scales of features are known; they are also known if any feature has a scale.
        The default cost is then "l1 + 0.1 l0". If all scales were measured in data, the measure:
        "range", "deviation", "mad" or "quantiles".
    """

    features: list[Feature] = field(default_factory=list)
    one_hot: list[OneHot] = field(default_factory=list)
    subject: str = ""
    outcome: str = ""
    classes: list[str] = field(default_factory=list)
    output_unit: str = ""
    rules: list[str] = field(default_factory=list)
    scaled: bool | str = False

    def __getitem__(self, name: str) -> Feature:
        """Find a feature by name or title."""
        for feature in self.features:
            if name == feature.name:
                return feature
        for feature in self.features:
            if name == feature.title:
                return feature
        known = [feature.name for feature in self.features]
        raise Error("schema", f'no feature "{name}"', nearest(name, known))

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __len__(self) -> int:
        return len(self.features)

    def __contains__(self, name: object) -> bool:
        """Whether there is a feature of that name or title."""
        return any(name in (feature.name, feature.title) for feature in self.features)

    def __repr__(self) -> str:
        fixed = sum(feature.fixed for feature in self.features)
        return f"<Schema of {len(self.features)} features, {fixed} of them fixed>"

    def _repr_html_(self) -> str:
        from boxwood._html import schema_html

        return schema_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file.

        Returns
        -------
        dict
            As docs/formats.md describes it.
        """
        document: dict[str, Any] = {"boxwood_schema": 1}
        for key in ("subject", "outcome", "classes", "output_unit", "rules", "scaled"):
            if getattr(self, key):
                document[key] = getattr(self, key)
        document["features"] = [feature.to_dict() for feature in self.features]
        if self.one_hot:
            document["one_hot"] = [group.to_dict() for group in self.one_hot]
        return document

    def to_json(self, indent: int | None = 2) -> str:
        """Return the file's text.

        Parameters
        ----------
        indent : int, optional
            Spaces of indentation; None puts everything on one line.

        Returns
        -------
        str
            JSON that the command line reads with ``--schema``.
        """
        return json_text(self.to_dict(), indent=indent, default=_plain) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        write_file(path, self.to_json())

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], place: str = "schema") -> Schema:
        """Make a schema from the content of a file.

        Parameters
        ----------
        document : mapping
            As docs/formats.md describes it; "boxwood_schema" may be left out.
        place : str
            Where it comes from, for errors.

        Returns
        -------
        Schema
            Whether it fits a model is checked when an explainer takes it.
        """
        if document.get("boxwood_schema", 1) != 1:
            raise Error(place, f"version {document['boxwood_schema']} is unsupported",
                        "This package reads version 1")
        rest = {key: value for key, value in document.items() if key != "boxwood_schema"}
        _check_keys(rest, cls, place)
        for key in ("features", "one_hot"):
            if not isinstance(rest.get(key, []), (list, tuple)):
                first = "name" if key == "features" else "columns"
                raise Error(f"{place}: {key}", "it is not a list",
                            f'Write [{{"{first}": …, …}}, …]')
        features = [_made(Feature, entry, f"{place}: features[{i}]")
                    for i, entry in enumerate(rest.pop("features", []))]
        for feature in features:
            if feature.range is not None:
                if not isinstance(feature.range, (list, tuple)) or len(feature.range) != 2:
                    raise Error(f'{place}, feature "{feature.name}"',
                                f"its range {feature.range!r} is not a pair of values",
                                "Write [lowest, highest]; null means no limit")
                feature.range = tuple(feature.range)
        groups = [_made(OneHot, entry, f"{place}: one_hot[{i}]")
                  for i, entry in enumerate(rest.pop("one_hot", []))]
        return cls(features=features, one_hot=groups, **rest)

    @classmethod
    def from_json(cls, text: str, place: str = "schema") -> Schema:
        """Read the text of a file.

        Parameters
        ----------
        text : str
            JSON.
        place : str
            Where it comes from, for errors.

        Returns
        -------
        Schema
            The schema.
        """
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise Error(f"{place}, line {error.lineno}", error.msg) from None
        if not isinstance(document, dict):
            raise Error(place, "it is not an object", "Give a Boxwood schema file")
        if "boxwood_schema" not in document:
            raise Error(place, 'it has no "boxwood_schema": 1', "Give a Boxwood schema file")
        return cls.from_dict(document, place)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """Read a file.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Schema
            The schema.
        """
        if not Path(path).is_file():
            raise no_file(path, "Give a schema file, or its content")
        return cls.from_json(Path(path).read_text(encoding="utf-8"), os.fspath(path))

    @classmethod
    def from_data(cls, model: Any, data: Any, *, scale: str | None = "range") -> Schema:
        """Find kinds, ranges and scales in data, as `Explainer` does.

        Parameters
        ----------
        model : object
            As for `Explainer`.
        data : DataFrame, ndarray or Arrow table
            Rows such as the model was trained on.
        scale : {"range", "deviation", "mad", "quantiles", None}
            The measure of scales, as for `Explainer`.

        Returns
        -------
        Schema
            It can be adjusted, saved and given to an `Explainer`.
        """
        from boxwood.explainer import Explainer

        schema = Explainer(model, data, scale=scale).schema
        if scale is None:
            for feature in schema:
                feature.scale = float(feature.scale)  # said: data does not replace it any more
        return schema


def no_file(path: str | os.PathLike[str], remedy: str) -> Error:
    """Make the error for a path that is no file.

    Parameters
    ----------
    path : str or path-like
        The path.
    remedy : str
        What to give instead.

    Returns
    -------
    Error
        To be raised.
    """
    folder = Path(path).expanduser().is_dir()
    return Error(os.fspath(path), "it is a folder, not a file" if folder else "no such file",
                 remedy)


def _plain(value: Any) -> Any:
    # numpy's numbers and arrays are not JSON.
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written to a schema")


def _check_keys(entry: Mapping[str, Any], kind: type, place: str) -> None:
    known = [one.name for one in dataclasses.fields(kind)]
    for key in entry:
        if key not in known:
            raise Error(place, f'no key "{key}"', nearest(str(key), known))


def _made(kind: type, entry: Any, place: str) -> Any:
    if not isinstance(entry, Mapping):
        raise Error(place, "it is not an object")
    _check_keys(entry, kind, place)
    first = dataclasses.fields(kind)[0].name
    if first not in entry:
        raise Error(place, f'it has no "{first}"')
    return kind(**entry)
