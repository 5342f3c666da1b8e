"""The folder that ydf (Yggdrasil Decision Forests, also TF-DF) saves a model in.

Messages of protobuf, and the nodes of all trees in sequences of blobs: a node, then its negative
child's subtree, then its positive child's.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

from boxwood.models._protobuf import Damaged, Message

NUMERICAL, CATEGORICAL, BOOLEAN, DISCRETIZED = 1, 4, 7, 9
HEADERS = {"GRADIENT_BOOSTED_TREES": "gradient_boosted_trees_header.pb",
           "RANDOM_FOREST": "random_forest_header.pb"}
MOST_BYTES = 1 << 32


@dataclass
class Column:
    """A column of the data."""

    name: str
    kind: int
    labels: list[str]  # of categories; the first stands for unknown ones
    boundaries: list[float]
    integerized: bool = False


@dataclass
class Saved:
    """What a folder holds; `nodes` in the order of the file."""

    kind: str
    about: Message
    header: Message
    columns: list[Column]
    nodes: list[Message]


def is_folder(path: Path) -> bool:
    """Whether ydf saved this folder."""
    return _prefix(path) is not None


def _prefix(path: Path) -> str | None:
    found = sorted(path.glob("*data_spec.pb"))
    if len(found) != 1:
        return None
    prefix = found[0].name.removesuffix("data_spec.pb")
    return prefix if (path / f"{prefix}header.pb").is_file() else None


def read_folder(path: Path) -> Saved:
    """Read the messages of a folder."""
    prefix = _prefix(path) or ""
    about = Message(_content(path / f"{prefix}header.pb"))
    kind = about.text(1)
    header = Message(_content(path / f"{prefix}{HEADERS[kind]}") if kind in HEADERS else b"")
    columns = [_column(one) for one in
               Message(_content(path / f"{prefix}data_spec.pb")).messages(1)]
    nodes: list[Message] = []
    if kind in HEADERS:
        shards = header.whole(1, 1)
        files = sorted(path.glob(f"{prefix}nodes-*-of-*"))
        if len(files) != shards:
            raise Damaged(f"it has {len(files)} files of nodes instead of {shards}")
        form = header.text(7, "TFE_RECORDIO")
        for file in files:
            nodes += [Message(blob) for blob in _blobs(_content(file), form)]
    return Saved(kind, about, header, columns, nodes)


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise Damaged(f"{path.name} is missing")
    if path.stat().st_size > MOST_BYTES:
        raise Damaged(f"{path.name} is larger than 4 GiB")
    return path.read_bytes()


def _blobs(content: bytes, form: str) -> list[bytes]:
    if not form.startswith("BLOB_SEQUENCE"):
        raise Damaged(f'its nodes have the format "{form}", which is not supported; save it again '
                      "with ydf")
    if content[:2] != b"BS" or len(content) < 8:
        raise Damaged("a file of nodes does not begin as it should")
    packed = content[4] if int.from_bytes(content[2:4], "little") >= 1 else 0
    body = content[8:]
    if packed == 1:
        reader = zlib.decompressobj(wbits=47)
        try:
            body = reader.decompress(body, 1000 * len(content))
        except zlib.error as error:
            raise Damaged(f"a file of nodes cannot be unpacked: {error}") from error
        if reader.unconsumed_tail:
            raise Damaged("a file of nodes grows too much by unpacking")
    elif packed:
        raise Damaged("a file of nodes is packed in an unknown way")
    found, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at:at + 4], "little")
        if at + 4 + size > len(body):
            raise Damaged("a file of nodes is cut off")
        found.append(body[at + 4:at + 4 + size])
        at += 4 + size
    return found


def _column(message: Message) -> Column:
    categorical = message.message(6)
    labels: dict[int, str] = {}
    for item in categorical.messages(7):
        labels[item.message(2).whole(1)] = item.text(1)
    if sorted(labels) != list(range(len(labels))):
        raise Damaged(f"the categories of {message.text(2)} have gaps")
    return Column(message.text(2), message.whole(1), [labels[i] for i in range(len(labels))],
                  message.message(8).numbers(1, 5), bool(categorical.whole(5)))


