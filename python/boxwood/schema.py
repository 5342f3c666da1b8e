"""What the columns of a model mean to people: the JSON of the command line as an object.

A `Schema` is read, adjusted by name and saved; what its parts mean, and what is wrong with them, is
said by the core (docs/formats.md).
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boxwood.errors import Error


def nearest(word: str, known: list[str]) -> str:
    """Say which known word is meant, or nothing.

    Parameters
    ----------
    word : str
        What was given.
    known : list of str
        What there is.

    Returns
    -------
    str
        A remedy, or an empty text.
    """
    found = difflib.get_close_matches(word, known, 1)
    if found:
        return f'Did you mean "{found[0]}"?'
    return f"There are: {', '.join(known)}" if 0 < len(known) <= 12 else ""


class Unsaid(float):
    """A default that data may replace; a number that is given, the same or not, goes before it."""


class UnsaidKind(str):
    """The kind that a model has for want of a better one; data and people go before it."""


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
        What people call it.
    kind : {"continuous", "integer", "ordinal", "categorical"}, optional
        What its values mean; what the model says by default.
    labels : list of str, optional
        Of codes 0, 1, … of an ordinal or categorical feature.
    unit : str
        Such as "months".
    range : tuple, optional
        Lowest and highest value that it may change to; `None` for no limit.
    scale : float
        One unit of change, in the feature's own unit; that of the data, or 1, by default.
    weight : float
        What a unit of change costs.
    fixed : bool
        It stays as it is.
    allowed : list, optional
        It may change to these values or labels and to nothing else.
    step : float, optional
        It may change to whole multiples of this.
    missing_allowed : bool
        The value may go missing, or appear.
    changes : list of list, optional
        Categorical: what going from each code to each other counts as.
    direction : {"up", "down"}, optional
        The only direction in which it may change.
    least_change, most_change : float, optional
        How far it changes, if it does.
    cost_up, cost_down : float
        Further factors of the weight.
    quantiles : list of float, optional
        Values at equal shares of the data; changes then count in shares passed.
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
        """Return what is said of it, as the JSON has it.

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
        """Show what is said of it."""
        shown = ", ".join(f"{key}={value!r}" for key, value in self.to_dict().items())
        return f"Feature({shown})"


@dataclass(slots=True)
class OneHot:
    """Columns of zeros with a single 1 that people know as one feature.

    Parameters
    ----------
    columns : list of str
        The model's columns.
    title : str
        What people call the feature.
    labels : list of str, optional
        Of the columns. One more names the category for which all columns are 0, which is called
        "(none)" otherwise.
    weight : float
        What a change costs.
    none_allowed : bool
        All columns may become 0.
    """

    columns: list[str]
    title: str = ""
    labels: list[str] | None = None
    weight: float = 1.0
    none_allowed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return what is said of it, as the JSON has it.

        Returns
        -------
        dict
            An entry of the schema's list `one_hot`.
        """
        return _said(self)


@dataclass(slots=True)
class Schema:
    """What the columns of a model mean and what may happen to them.

    Features are adjusted by name or title, ``schema["age"].fixed = True``.

    Parameters
    ----------
    features : list of Feature
        Those that something is said about.
    one_hot : list of OneHot
        Groups of columns.
    subject : str
        What a row is: "applicant".
    outcome : str
        What is predicted: "credit".
    classes : list of str
        Labels of the classes, in the order of their numbers.
    output_unit : str
        Unit of a predicted number.
    rules : list of str
        Rules in the words of docs/query.md, for all questions.
    scaled : bool or str
        Whether the scales of features are known, which a scale of any feature says as well; the
        default cost is then "l1 + 0.1 l0". Where all scales come from data, what they are:
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
        """Go through the features."""
        return iter(self.features)

    def __len__(self) -> int:
        """Count the features."""
        return len(self.features)

    def __contains__(self, name: object) -> bool:
        """Whether there is a feature of that name or title."""
        return any(name in (feature.name, feature.title) for feature in self.features)

    def __repr__(self) -> str:
        """Show how much there is."""
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
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False,
                          default=_plain) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file.

        Parameters
        ----------
        path : str or path-like
            Where to.
        """
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], place: str = "schema") -> Schema:
        """Take the content of a file.

        Parameters
        ----------
        document : mapping
            As docs/formats.md describes it; "boxwood_schema" may be left out.
        place : str
            Names it in errors.

        Returns
        -------
        Schema
            It may still say what the model contradicts, which is found when an explainer takes it.
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
            Names it in errors.

        Returns
        -------
        Schema
            What it says.
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
            What it says.
        """
        if not Path(path).is_file():
            raise no_file(path, "Give a schema file, or its content")
        return cls.from_json(Path(path).read_text(encoding="utf-8"), os.fspath(path))

    @classmethod
    def from_data(cls, model: Any, data: Any, *, scale: str | None = "range") -> Schema:
        """Read kinds, ranges and scales off data, as `Explainer` does.

        Parameters
        ----------
        model : object
            As for `Explainer`.
        data : DataFrame, ndarray or Arrow table
            Rows such as the model was trained on.
        scale : {"range", "deviation", "mad", "quantiles", None}
            What one unit of change is.

        Returns
        -------
        Schema
            To adjust, save, and give to an `Explainer`.
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
    # numpy's numbers and arrays are no JSON by themselves.
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
