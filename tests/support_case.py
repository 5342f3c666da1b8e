"""What a case of support_live_test.py is: a claim of docs/models.md and the model that proves it.

A case is read or refused. One that is read makes a small model with the real library and brings what
the library says of some rows; one that is refused brings the message. Nothing here and no list of cases
imports a library before a model is made, so that the table can be written without any.
"""

import dataclasses
import json
import pathlib
import struct
from collections.abc import Callable

import numpy as np

DATA = pathlib.Path(__file__).resolve().parent / "data"


@dataclasses.dataclass
class Sample:
    """The bytes of a model file, rows, and the library's raw scores of them (none: refused)."""

    model: bytes
    names: list = dataclasses.field(default_factory=list)
    rows: np.ndarray | list | None = None  # numbers, or words of categories
    scores: np.ndarray | None = None
    single: bool = False  # the library's scores are float32
    varies: bool = True  # a model that tells rows apart


@dataclasses.dataclass(frozen=True)
class Case:
    """`message` is None for what is read, else what the error has to contain."""

    family: str
    group: str
    name: str
    make: Callable[[], Sample]
    message: str | None = None
    since: tuple = (0, 0)  # the first version of the library that can make it


def kept_bytes(path):
    return Sample((DATA / path).read_bytes())


def kept_xgboost(path):
    """A fixture of another version, for what the installed one does not have. The layout of its
    neighbour is told in data/xgboost/make_fixtures.py."""
    data = (DATA / f"{path}.expected").read_bytes()
    points, features, outputs, _, _ = struct.unpack_from("<5I", data, 4)
    rows = np.frombuffer(data, "<f4", points * features, 24).reshape(points, features)
    at = 24 + rows.nbytes + 8
    scores = np.frombuffer(data, "<f4", points * outputs, at).reshape(points, outputs)
    return Sample((DATA / path).read_bytes(), [f"f{i}" for i in range(features)], rows, scores, True)


def kept_sklearn(path):
    known = json.loads((DATA / path).with_suffix(".expected").read_text(encoding="utf-8"))

    def numbers(table):
        return np.array([[float.fromhex(cell) for cell in row] for row in table])
    model = (DATA / path).read_bytes()
    names = [entry["name"] for entry in json.loads(model)["features"]]
    return Sample(model, names, numbers(known["points"]), numbers(known["scores"]))
