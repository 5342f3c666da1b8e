"""The exceptions for bad input: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

import importlib
from typing import Any

from boxwood._text import printable

# The extra of this package that brings a library.
_EXTRAS = {"pyarrow": "arrow", "pyspark": "spark", "ray": "ray", "dask": "dask",
           "jinja2": "letters"}


class Error(ValueError):
    """Bad input.

    Parameters
    ----------
    place : str
        Where it is: a file, an argument, a column. May be empty.
    reason : str
        What is wrong, without a full stop.
    remedy : str, optional
        What to do instead, without a full stop.
    excerpt : str, optional
        The line of text with the fault, and a caret below its position.
    """

    def __init__(self, place: str, reason: str, remedy: str = "", excerpt: str = "") -> None:
        place, reason, remedy = (printable(str(part)) for part in (place, reason, remedy))
        excerpt = printable(excerpt, keep="\n")
        text = f"{place}: {reason}" if place else reason
        if excerpt:
            text = f"{place}\n{excerpt} {reason}"
        if remedy:
            text = f"{text}. {remedy}"
        super().__init__(text)
        self.place = place
        self.reason = reason
        self.remedy = remedy
        self.excerpt = excerpt

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the parts; the text is made from them."""
        return type(self), (self.place, self.reason, self.remedy, self.excerpt)


class UnsupportedModelError(Error):
    """A model that Boxwood does not support.

    Parameters
    ----------
    reason : str
        What is wrong with the model, without a full stop.
    remedy : str
        What to do instead, without a full stop.
    place : str, optional
        Where its file says so.
    """

    def __init__(self, reason: str, remedy: str, place: str = "") -> None:
        super().__init__(place, reason, remedy)

    def of_part(self, name: str, remedy: str) -> UnsupportedModelError:
        """Make the error of a larger model; this one is about its part `name`."""
        parts = (name, self.place, self.reason)
        return UnsupportedModelError(": ".join(part for part in parts if part), remedy)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the parts."""
        return type(self), (self.reason, self.remedy, self.place)


def library(name: str) -> Any:
    """Import an optional library.

    Parameters
    ----------
    name : str
        The module.

    Returns
    -------
    module
        The library. If it is not installed, the error says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        first = name.partition(".")[0]
        if error.name not in (name, first):
            raise
        package = {"sklearn": "scikit-learn"}.get(first, first)
        extra = _EXTRAS.get(package)
        command = f'pip install "boxwood[{extra}]"' if extra else f"pip install {package}"
        raise ModuleNotFoundError(f"this needs {package}: {command}", name=name) from None
