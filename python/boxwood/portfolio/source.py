"""Where the rows come from: Parquet, CSV and Arrow files, datasets and tables, in batches.

The order of rows is always the same, so that a second run knows which rows are done.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from boxwood.errors import Error, library
from boxwood.worker import _plain_column, refuse_twins

FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".arrow": "ipc",
           ".feather": "ipc", ".ipc": "ipc"}
_TAIL = 1 << 16  # bytes at both ends of a file that identify it, with its size


class Source:
    """Rows in batches.

    Parameters
    ----------
    given : path, sequence of paths, pyarrow Dataset or Table, DataFrame
        A file, a folder of files, or a table.
    """

    def __init__(self, given: Any) -> None:
        self.files: list[Path] = []
        self._dataset: Any = None
        self._in_memory = False
        if isinstance(given, (str, os.PathLike)):
            self.files = _files_of(Path(given))
        elif isinstance(given, (list, tuple)) and given and all(
                isinstance(one, (str, os.PathLike)) for one in given):
            self.files = [file for one in given for file in _files_of(Path(one))]
        if self.files:
            formats = {FORMATS[file.suffix.lower()] for file in self.files}
            if len(formats) > 1:
                raise Error("source", f"it mixes files of {' and '.join(sorted(formats))}",
                            "Give files of one format")
            self._format: Any = FORMATS_READ[formats.pop()]()
            self.schema = self._joint_schema()
        else:
            self._dataset = _dataset_from(given)
            self._in_memory = isinstance(self._dataset, library("pyarrow.dataset").InMemoryDataset)
            self.schema = self._dataset.schema

    def _joint_schema(self) -> Any:
        arrow = library("pyarrow")
        schemas = []
        for file in self.files:
            with _named(file):
                schemas.append(self._format.schema(file))
            refuse_twins(str(file), schemas[-1].names)
        names = set(schemas[0].names)
        for file, schema in zip(self.files, schemas, strict=True):
            if set(schema.names) != names:
                raise Error(str(file), f"its columns are not those of {self.files[0].name}",
                            "Give files with the same columns")
        try:
            return arrow.unify_schemas([one.remove_metadata() for one in schemas],
                                       promote_options="permissive")
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise Error("source", _sentence(error),
                        "Give files whose columns have the same types") from None

    def identity(self, columns: Sequence[str]) -> dict[str, Any]:
        """Say what tells this source from others: names, sizes and the ends of its files.

        Parameters
        ----------
        columns : sequence of str
            Columns that are read.

        Returns
        -------
        dict
            For the manifest. A table in memory is known by the values of the columns that are read,
            an Arrow dataset of files by its columns alone.
        """
        files = [[file.name, file.stat().st_size, _ends_of(file)] for file in self.files]
        found = {"files": files[:1000], "file_count": len(files),
                 "hash": hashlib.sha256(repr(files).encode()).hexdigest(),
                 "columns": [f"{field.name}: {field.type}" for field in self.schema]}
        if self._in_memory:
            digest = hashlib.sha256()
            for table in self.tables(columns, 1 << 16):  # whatever the chunks of the source
                for column in table.columns:
                    digest.update(_bytes_of(_plain_column(column)))
            found["values"] = digest.hexdigest()
        return found

    def tables(self, columns: Sequence[str], rows: int, first: int = 0) -> Iterator[Any]:
        """Read tables of equal size.

        Parameters
        ----------
        columns : sequence of str
            Columns to read.
        rows : int
            Rows of a table; the last one has fewer.
        first : int
            Where to begin.

        Yields
        ------
        pyarrow.Table
            Rows in the order of the source.
        """
        arrow = library("pyarrow")
        kept: list[Any] = []
        count = 0
        for batch in self._batches(columns, rows):
            if first >= batch.num_rows:
                first -= batch.num_rows
                continue
            kept.append(batch.slice(first))
            count += batch.num_rows - first
            first = 0
            while count >= rows:
                table = arrow.Table.from_batches(kept)
                yield table.slice(0, rows)
                kept = table.slice(rows).to_batches()
                count -= rows
        if count:
            yield arrow.Table.from_batches(kept)

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        arrow = library("pyarrow")
        if self._dataset is not None:
            with _named("source"):
                yield from self._dataset.scanner(columns=list(columns), batch_size=rows,
                                                 batch_readahead=2).to_batches()
            return
        wanted = arrow.schema([self.schema.field(name) for name in columns])
        for file in self.files:
            with _named(file):
                for batch in self._format.batches(file, list(columns), rows):
                    if batch.schema.equals(wanted):
                        yield batch
                    else:
                        yield from arrow.Table.from_batches([batch]).select(list(columns)).cast(
                            wanted).to_batches()

    def check_keys(self, key: str) -> int:
        """Count the rows, and refuse keys that are missing or repeated.

        Parameters
        ----------
        key : str
            The column.

        Returns
        -------
        int
            How many rows there are.
        """
        count = 0
        hashes: list[np.ndarray] = []
        for batch in self._batches([key], 1 << 16):
            column = _plain_column(batch.column(0))
            if column.null_count:
                row = count + next(i for i, one in enumerate(column.to_pylist()) if one is None)
                raise Error(f'source, column "{key}"', f"row {row} has no key",
                            "Give every row a key of its own")
            hashes.append(np.fromiter((hash(one) for one in column.to_pylist()), np.int64,
                                      len(column)))
            count += len(column)
        if not count:
            return 0
        found = np.sort(np.concatenate(hashes))
        suspects = {int(one) for one in found[1:][found[1:] == found[:-1]]}
        if suspects:
            self._name_twins(key, suspects)
        return count

    def _name_twins(self, key: str, suspects: set[int]) -> None:
        # Different keys may have equal hashes, if rarely: compare the keys themselves.
        seen: dict[Any, int] = {}
        row = 0
        for batch in self._batches([key], 1 << 16):
            for one in _plain_column(batch.column(0)).to_pylist():
                if hash(one) in suspects:
                    if one in seen:
                        raise Error(f'source, column "{key}"',
                                    f"rows {seen[one]} and {row} have the same key {one!r}",
                                    "Give every row a key of its own")
                    seen[one] = row
                row += 1


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*")
                       if file.suffix.lower() in FORMATS and file.is_file()
                       and not file.name.startswith((".", "_")))
        if not found:
            raise Error(str(path), "the folder has no Parquet, CSV or Arrow file",
                        "Name files that end in .parquet, .csv or .arrow")
        return found
    if not path.is_file():
        raise Error(str(path), "there is no such file", "Check the path of the source")
    if path.suffix.lower() not in FORMATS:
        raise Error(str(path), f"unknown ending {path.suffix!r}",
                    "Name a file that ends in .parquet, .csv or .arrow")
    return [path]


class _Parquet:
    def schema(self, file: Path) -> Any:
        return library("pyarrow.parquet").read_schema(file)

    def batches(self, file: Path, columns: list[str], rows: int) -> Iterator[Any]:
        # Without pre_buffer: it would hold all columns of a file until its end.
        with library("pyarrow.parquet").ParquetFile(file, pre_buffer=False) as reader:
            for batch in reader.iter_batches(rows, columns=columns):
                yield batch.select(columns)


class _Arrow:
    def _open(self, file: Path) -> Any:
        arrow = library("pyarrow")
        return arrow.ipc.open_file(arrow.memory_map(str(file)))

    def schema(self, file: Path) -> Any:
        return self._open(file).schema

    def batches(self, file: Path, columns: list[str], rows: int) -> Iterator[Any]:
        reader = self._open(file)
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i).select(columns)


class _Csv:
    """All cells are texts: keys keep leading zeros; an invalid number affects its row only."""

    def _open(self, file: Path, columns: list[str] | None = None) -> Any:
        arrow, csv = library("pyarrow"), library("pyarrow.csv")
        types = None if columns is None else dict.fromkeys(columns, arrow.string())
        return csv.open_csv(
            file, parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=types, include_columns=columns, strings_can_be_null=True,
                null_values=["", "nan", "NaN"]))

    def schema(self, file: Path) -> Any:
        arrow = library("pyarrow")
        with self._open(file) as reader:
            _refuse_separator(file, reader.schema.names)
            return arrow.schema([arrow.field(name, arrow.string()) for name in reader.schema.names])

    def batches(self, file: Path, columns: list[str], rows: int) -> Iterator[Any]:
        with self._open(file, columns) as reader:
            yield from reader


FORMATS_READ = {"parquet": _Parquet, "ipc": _Arrow, "csv": _Csv}


@contextmanager
def _named(place: Any) -> Iterator[None]:
    """Name the file that Arrow cannot read."""
    arrow = library("pyarrow")
    try:
        yield
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowKeyError, OSError,
            UnicodeDecodeError) as error:
        more = "CSV files are UTF-8 text with commas and equally many cells in each line. " \
            if str(place).lower().endswith(".csv") else ""
        raise Error(str(place), _sentence(error),
                    f"{more}Mend the source and run again: what is done is kept") from None


def _refuse_separator(file: Path, names: list[str]) -> None:
    if len(names) == 1 and (found := re.search(r"[;\t|]", names[0])):
        raise Error(str(file), f"its cells are separated by {found[0]!r}, not by commas",
                    "Write it with commas, or read it with pandas.read_csv(…, sep=…, decimal=…) "
                    "and give the frame")


def _sentence(error: Exception) -> str:
    # Arrow's exceptions of frames have several arguments, the last of which names the column. Some
    # sentences of Arrow end with a full stop; Boxwood's errors add their own.
    words = error.args if isinstance(error, library("pyarrow").ArrowException) else ()
    said = ": ".join(str(one) for one in reversed(words)) or str(error)
    return said.splitlines()[0].rstrip(".") if said.strip() else "it cannot be read"


def _dataset_from(given: Any) -> Any:
    arrow, dataset = library("pyarrow"), library("pyarrow.dataset")
    if isinstance(given, dataset.Dataset):
        return given
    if isinstance(given, arrow.RecordBatch):
        given = arrow.Table.from_batches([given])
    elif type(given).__module__.partition(".")[0] == "pandas":
        with _named("source"):
            given = arrow.Table.from_pandas(given, preserve_index=False)
    elif not isinstance(given, arrow.Table):
        if hasattr(given, "__arrow_c_stream__"):
            given = arrow.table(given)
        elif hasattr(given, "to_arrow"):
            given = given.to_arrow()
        else:
            raise Error("source", f"it is of type {type(given).__name__}",
                        "Give a path, an Arrow dataset or table, or a data frame")
    return dataset.dataset(given)


def _bytes_of(column: Any) -> bytes:
    """Give bytes that are equal for equal values, whatever lies in memory where there is none."""
    types = library("pyarrow").types
    kind = column.type
    if types.is_string(kind) or types.is_large_string(kind):  # few different ones, as a rule
        encoded = column.combine_chunks().dictionary_encode()
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return repr(encoded.dictionary.to_pylist()).encode("utf-8", "surrogatepass") + bytes(
            places.tobytes())
    if not (types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)
            or types.is_boolean(kind)):
        return repr(column.to_pylist()).encode("utf-8", "surrogatepass")
    known = column.is_valid().to_numpy()
    values = column.fill_null(False if types.is_boolean(kind) else 0).to_numpy()
    return bytes(np.packbits(known).tobytes() + values.tobytes())


def _ends_of(file: Path) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        digest.update(stream.read(_TAIL))
        stream.seek(max(0, file.stat().st_size - _TAIL))
        digest.update(stream.read(_TAIL))
    return digest.hexdigest()
