"""The content that a library writes into a file of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path


def written_bytes(write: Callable[[str], object], name: str) -> bytes:
    """Return what `write` puts into a temporary file.

    `name` is the file's name; some libraries choose the format by its suffix.
    """
    with tempfile.TemporaryDirectory(prefix="boxwood-") as folder:
        file = Path(folder) / name
        write(str(file))
        return file.read_bytes()
