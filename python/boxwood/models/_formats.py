"""Model files and folders that Python converts; the core reads all others."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxwood.errors import Error

if TYPE_CHECKING:
    from boxwood.models._ensemble import Ensemble

CATBOOST_BINARY = b"CBM1"  # the first bytes of a .cbm file
HEAD = 4096  # bytes that tell a format


def is_source(model: Any) -> bool:
    """Whether a model is given as a path or as the content of a file."""
    return isinstance(model, (str, os.PathLike, bytes, bytearray, memoryview))


def converted_file(source: Any) -> Ensemble | None:
    """Convert a file, its content, or a folder; None if the core is to read it.

    Raises
    ------
    Error
        If the path is a folder that is no model.
    UnsupportedModelError
        If the format is known and the model in it is not supported.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source).expanduser()
        if path.is_dir():
            from boxwood.models import _ydf_files, pyspark, ydf

            if pyspark.is_folder(path):
                return pyspark.read_folder(path)
            if _ydf_files.is_folder(path):
                return ydf.read_folder(path)
            raise Error(os.fspath(source), "it is a folder, and neither Spark ML nor ydf saved it",
                        "Give a model file, or a folder that Spark ML or ydf saved")
        if not path.is_file():
            return None
        with path.open("rb") as file:
            reader = _reader(file.read(HEAD))
        return None if reader is None else reader(path.read_bytes())
    content = bytes(source)
    reader = _reader(content[:HEAD])
    return None if reader is None else reader(content)


def binary_content(source: Any) -> bytes | None:
    """Return the content of a file in CatBoost's binary format; None for any other."""
    if not isinstance(source, (str, os.PathLike)):
        return bytes(source) if bytes(source[:len(CATBOOST_BINARY)]) == CATBOOST_BINARY else None
    path = Path(source).expanduser()
    if not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(len(CATBOOST_BINARY))
        return start + file.read() if start == CATBOOST_BINARY else None


def _archive(content: bytes) -> Ensemble | None:
    """Convert H2O's MOJO files and those of skops; the core refuses other archives."""
    from boxwood.models import h2o, skops

    made = h2o.read(content)
    return skops.read(content) if made is None else made


def _reader(head: bytes) -> Any:
    if head.startswith(b"PK\x03\x04"):
        return _archive
    # Importing a module takes longer than reading a small model: only those that the head allows.
    may_be = {"pmml": b"<PMML" in head,
              "treelite": b'"threshold_type"' in head or head[:1] in (b"\x03", b"\x04")}
    for name in (name for name, possible in may_be.items() if possible):
        module = importlib.import_module(f"boxwood.models.{name}")
        if module.recognised(head):
            return module.read
    return None
