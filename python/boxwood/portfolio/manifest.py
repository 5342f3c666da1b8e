"""The folder of a portfolio: part files, and the manifest that says which of them are whole.

``_manifest.jsonl`` has a line with what was asked, then a line for each part file, in order. A part
is written under another name, flushed to the disk and renamed before its line is added; what has no
line does not count. docs/formats.md describes the lines.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from boxwood._text import json_text
from boxwood.errors import Error, library

NAME = "_manifest.jsonl"  # readers of Parquet folders skip what begins so
VERSION = 1
# Ctrl-C and what the system sends to end a process; Windows has no SIGHUP.
STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")
                 if hasattr(signal, name))
# What must not change between two runs, with its name for errors.
FIXED = {"model_hash": "another model", "schema_hash": "another schema",
         "question_hash": "another question", "key": "another key",
         "keep": "other columns to keep", "rows": "another number of rows",
         "source_hash": "another source",
         "records": "other settings of why_not, questions or time"}

# The keys of the first line that readers need.
_HEADER = {**dict.fromkeys(("model_hash", "schema_hash", "question_hash", "source_hash", "key",
                            "begun", "arrow_schema"), str), "keep": list, "records": dict,
           "question": dict, "rows": int, "titles": dict}
_DAMAGED = "The manifest is damaged: begin again in another folder"


class Portfolio:
    """The answers to all rows of a source, in a folder.

    Attributes
    ----------
    folder : Path
        Where the files are.
    header : dict
        What was asked: the first line of the manifest.
    parts : list of dict
        For each part file its name, rows, bytes and hash.
    """

    def __init__(self, folder: Path, header: dict[str, Any], parts: list[dict[str, Any]]) -> None:
        self.folder, self.header, self.parts = folder, header, parts

    @property
    def rows(self) -> int:
        """How many rows have a record."""
        return sum(part["rows"] for part in self.parts)

    @property
    def total(self) -> int:
        """How many rows the source has."""
        return int(self.header["rows"])

    @property
    def finished(self) -> bool:
        """Whether every row has a record."""
        return self.rows == self.total

    @property
    def statuses(self) -> dict[str, int]:
        """How many rows have which status."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            counts.update(part["statuses"])
        return dict(counts.most_common())

    @property
    def files(self) -> list[Path]:
        """The part files, in the order of the rows."""
        return [self.folder / part["file"] for part in self.parts]

    def table(self, columns: list[str] | None = None) -> Any:
        """Read the records.

        Parameters
        ----------
        columns : list of str, optional
            Some columns only.

        Returns
        -------
        pyarrow.Table
            One record for each row, in the order of the source.
        """
        return self.dataset().to_table(columns=columns)

    def dataset(self) -> Any:
        """Open the records as an Arrow dataset, for scanning by columns and batches.

        Returns
        -------
        pyarrow.dataset.Dataset
            Of the part files.
        """
        arrow, dataset = library("pyarrow"), library("pyarrow.dataset")
        if self.parts:
            return dataset.dataset([str(file) for file in self.files], format="parquet")
        schema = arrow.ipc.read_schema(arrow.py_buffer(bytes.fromhex(self.header["arrow_schema"])))
        return dataset.dataset(schema.empty_table())

    def check(self) -> list[str]:
        """Compare the part files with the manifest.

        Returns
        -------
        list of str
            What is wrong; empty when every part has its size and its hash.
        """
        faults = []
        for part, file in zip(self.parts, self.files, strict=True):
            if not file.is_file():
                faults.append(f"{part['file']} is missing")
            elif file.stat().st_size != part["bytes"] or hash_of(file) != part["sha256"]:
                faults.append(f"{part['file']} is not the file that was written")
        return faults

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {status}" for status, count in self.statuses.items())
        state = "finished" if self.finished else f"{self.total - self.rows:,} rows to go"
        return (f"<Portfolio {str(self.folder)!r}: {self.rows:,} of {self.total:,} rows, {state}"
                + (f"; {counts}>" if counts else ">"))


def load(folder: str | os.PathLike[str]) -> Portfolio:
    """Open the folder of a portfolio, finished or not.

    Parameters
    ----------
    folder : str or path-like
        What `run` wrote to.

    Returns
    -------
    Portfolio
        Its manifest.
    """
    path = Path(folder) / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise Error(str(folder), "there is no portfolio", "Name the folder that run wrote to"
                    ) from None
    # A run was killed while it wrote the text after the last line break.
    entries: list[dict[str, Any]] = []
    rows = 0
    for number, line in enumerate(lines[:-1], 1):
        place = f"{path}, line {number}"
        try:
            entry = json.loads(line)
        except ValueError:
            raise Error(place, "it is not JSON", _DAMAGED) from None
        if number == 1:
            if not isinstance(entry, dict) or entry.get("boxwood_portfolio") != VERSION:
                break
            if not all(isinstance(entry.get(name), kind) for name, kind in _HEADER.items()):
                raise Error(place, "it does not say what was asked", _DAMAGED)
        elif not _follows(entry, len(entries) - 1, rows):
            raise Error(place, f"it does not describe part {len(entries) - 1}", _DAMAGED)
        else:
            rows += entry["rows"]
        entries.append(entry)
    if not entries:
        raise Error(str(path), f"it is no manifest of version {VERSION}",
                    "Begin again in another folder")
    if rows > entries[0]["rows"]:
        raise Error(str(path), f"its parts have {rows} rows, the source {entries[0]['rows']}",
                    _DAMAGED)
    return Portfolio(Path(folder), entries[0], entries[1:])


def _follows(entry: Any, number: int, first: int) -> bool:
    """Whether a line describes the next part: its names cannot lead out of the folder."""
    if not isinstance(entry, dict):
        return False
    counts = entry.get("statuses")
    return (entry.get("part") == number and entry.get("file") == _name_of(number)
            and entry.get("first_row") == first and type(entry.get("rows")) is int
            and entry["rows"] > 0 and type(entry.get("bytes")) is int
            and isinstance(entry.get("sha256"), str) and isinstance(counts, dict)
            and all(type(count) is int for count in counts.values())
            and sum(counts.values()) == entry["rows"])


def _name_of(number: int) -> str:
    return f"part-{number:06d}.parquet"


class Writer:
    """Adds parts to a folder, one run at a time.

    Parameters
    ----------
    folder : str or path-like
        Made where it does not exist.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise Error(str(folder), "it is a file", "Name a folder")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
        except OSError as error:
            raise Error(str(folder), f"it cannot be written to: {error.strerror or error}",
                        "Name a folder that you may write to") from None
        self.portfolio: Portfolio | None = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def begin(self, header: dict[str, Any], resume: bool) -> Portfolio:
        """Begin, or go on where an earlier run ended.

        Parameters
        ----------
        header : dict
            What is asked.
        resume : bool
            Whether to go on.

        Returns
        -------
        Portfolio
            With the parts that are done.
        """
        path = self.folder / NAME
        whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
        if not whole:
            if any(self.folder.glob("part-*.parquet")):
                raise Error(str(self.folder), "it has part files but no manifest",
                            "Name another folder")
            path.unlink(missing_ok=True)
            self.portfolio = Portfolio(self.folder, header, [])
            try:
                self._add(header)
            except OSError as error:
                raise self._unwritten("the manifest", error, 0) from None
            return self.portfolio
        if not resume:
            raise Error(str(self.folder), "it holds a portfolio already",
                        "Give resume=True to go on with it, or name another folder")
        found = load(self.folder)
        for name, called in FIXED.items():
            if found.header[name] != header[name]:
                raise Error(str(self.folder), f"it was begun with {called}",
                            "Begin again in another folder")
        faults = found.check()
        if faults:
            raise Error(str(self.folder), faults[0],
                        "The portfolio is damaged: begin again in another folder")
        if path.stat().st_size > len(whole) + 1:  # a line that was not finished
            with open(path, "r+b") as stream:
                stream.truncate(len(whole) + 1)
        for file in self.folder.glob(".part-*"):
            file.unlink()
        self.portfolio = found
        return found

    def add(self, table: Any) -> None:
        """Write a part file, whole or not at all.

        Parameters
        ----------
        table : pyarrow.Table
            The records of the next rows.
        """
        assert self.portfolio is not None
        with _Uninterrupted():
            self._add_part(self.portfolio, table)

    def _add_part(self, portfolio: Portfolio, table: Any) -> None:
        parquet = library("pyarrow.parquet")
        number = len(portfolio.parts)
        name = _name_of(number)
        unfinished = self.folder / f".{name}.unfinished"
        try:
            parquet.write_table(table, unfinished, compression="zstd")
            with open(unfinished, "rb+") as stream:
                os.fsync(stream.fileno())
            part = {"part": number, "file": name, "first_row": portfolio.rows,
                    "rows": table.num_rows, "bytes": unfinished.stat().st_size,
                    "sha256": hash_of(unfinished),
                    "statuses": dict(Counter(table.column("status").to_pylist()))}
            os.replace(unfinished, self.folder / name)
            _flush_folder(self.folder)
            self._add(part)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise self._unwritten("a part", error, portfolio.rows) from None
        portfolio.parts.append(part)

    def _unwritten(self, what: str, error: OSError, rows: int) -> Error:
        return Error(str(self.folder), f"{what} cannot be written: {error.strerror or error}",
                     f"Make room and run again: {rows:,} rows are kept")

    def _add(self, entry: dict[str, Any]) -> None:
        path = self.folder / NAME
        size = path.stat().st_size if path.exists() else 0
        try:
            with open(path, "ab") as stream:
                stream.write(json_text(entry).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            with open(path, "r+b") as stream:
                stream.truncate(size)
            raise
        _flush_folder(self.folder)


class _Uninterrupted:
    """Delay the signals that Python handles until a part and its line are written."""

    def __enter__(self) -> None:
        self._came: list[int] = []
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._note)

    def _note(self, number: int, _: object) -> None:
        self._came.append(number)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if kind is None:
            for number in self._came[:1]:
                signal.raise_signal(number)


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _locked(folder: Path) -> Any:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    stream = open(folder / ".lock", "w")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise Error(str(folder), "another run is writing to it", "Wait for it to end") from None
    return stream
