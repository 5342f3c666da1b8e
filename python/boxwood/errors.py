"""What Boxwood raises for bad input: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

import importlib
from typing import Any


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
        The line of text that is meant, with a caret below the place.
    """

    def __init__(self, place: str, reason: str, remedy: str = "", excerpt: str = "") -> None:
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
        """Pickle the parts, of which the text is made again."""
        return type(self), (self.place, self.reason, self.remedy, self.excerpt)


class UnsupportedModelError(Error):
    """A model that cannot be turned into a file that Boxwood reads.

    Parameters
    ----------
    reason : str
        What is wrong with the model, without a full stop.
    remedy : str
        What to do instead, without a full stop.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__("", reason, remedy)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the parts."""
        return type(self), (self.reason, self.remedy)


def library(name: str) -> Any:
    """Import a library that only some parts need.

    Parameters
    ----------
    name : str
        The module.

    Returns
    -------
    module
        The library; where it is missing, the error says how to get it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        package = {"sklearn": "scikit-learn"}.get(name, name)
        raise ModuleNotFoundError(f"this needs {package}: pip install {package}",
                                  name=name) from None
