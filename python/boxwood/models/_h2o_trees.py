"""The binary trees of H2O's MOJO files.

A node is a byte of flags, the column (2 bytes), where missing values go (1 byte), the threshold or
the bit set, then the left subtree with its length before it, then the right subtree. A child that
is a leaf is its number alone. Each subtree has to fill its bytes exactly, so that the time for
reading is proportional to the size of the file.
"""

from __future__ import annotations

import struct

import numpy as np

from boxwood.models._ensemble import LESS, LESS_EQUAL, Tree
from boxwood.models._growing import GrowingTree

NO_COLUMN = 65535
MISSING_VS_REST, MISSING_LEFT, LEFT = 1, 2, 4  # of the byte that says where missing values go


class Damaged(Exception):
    """A file that H2O did not write like this."""


class _Bytes:
    """Reads numbers in order and never beyond the end."""

    def __init__(self, content: bytes, little: bool) -> None:
        self._content = content
        self._order = "<" if little else ">"
        self.size = len(content)

    def number(self, at: int, kind: str) -> float:
        size = struct.calcsize(kind)
        if at < 0 or at + size > self.size:
            raise Damaged("a tree is cut off")
        return struct.unpack_from(self._order + kind, self._content, at)[0]

    def whole(self, at: int, size: int) -> int:
        if at + size > self.size:
            raise Damaged("a tree is cut off")
        own = self._content[at:at + size]
        return int.from_bytes(own, "little" if self._order == "<" else "big")

    def bits(self, at: int, count: int) -> np.ndarray:
        size = (count + 7) // 8
        if at + size > self.size:
            raise Damaged("a tree is cut off")
        own = np.frombuffer(self._content, np.uint8, size, at)
        return np.unpackbits(own, bitorder="little")[:count].astype(bool)


def read_tree(content: bytes, domains: list[list[str] | None], little: bool) -> Tree:
    """Read one tree; its leaves add to the first output.

    `domains` has the labels of each column, None for numbers.
    """
    source = _Bytes(content, little)
    growing = GrowingTree()
    children: dict[int, list[int]] = {}
    # The bytes of a subtree, whether it is a leaf, its parent's place and its side.
    waiting = [(0, source.size, False, -1, 0)]
    while waiting:
        start, end, leaf, parent, side = waiting.pop()
        if leaf or _is_leaf(source, start, parent):
            start += 0 if leaf else 3
            if end - start != 4:
                raise Damaged("a leaf has a wrong size")
            own = growing.leaf([source.number(start, "f")])
        else:
            own, below = _split(source, growing, start, end, domains)
            children[own] = [-1, -1]
            waiting += [(*below[1], own, 1), (*below[0], own, 0)]
        if parent >= 0:
            children[parent][side] = own
    for own, (left, right) in children.items():
        growing.attach(own, left, right)
    return growing.tree(0)


def _is_leaf(source: _Bytes, start: int, parent: int) -> bool:
    """Whether a whole tree is one leaf, which is written as a node without a column."""
    return parent < 0 and source.whole(start + 1, 2) == NO_COLUMN


def _split(source: _Bytes, growing: GrowingTree, at: int, end: int,
           domains: list[list[str] | None]) -> tuple[int, list[tuple[int, int, bool]]]:
    """Add a split; return its place and the bytes of its two subtrees."""
    flags, column, missing = (source.whole(at, 1), source.whole(at + 1, 2),
                              source.whole(at + 3, 1))
    at += 4
    if column >= len(domains):
        raise Damaged(f"a split is on column {column} of {len(domains)}")
    if not 1 <= missing <= 5:
        raise Damaged(f"{missing} does not say where missing values go")
    missing_left = missing in (MISSING_LEFT, LEFT)
    kind = flags & 12
    domain = domains[column]
    if missing == MISSING_VS_REST:
        if kind:
            raise Damaged("a split on missing values has a bit set")
        own = _everything(growing, column, domain)
    elif kind == 0:
        threshold = source.number(at, "f")
        at += 4
        if domain is None:
            own = growing.split(LESS, column, threshold, missing_left)
        else:
            own = growing.split_set(column, [code for code in range(len(domain))
                                             if code < threshold], missing_left)
    else:
        if kind == 4 or domain is None:
            raise Damaged("a bit set is of a column without categories" if kind != 4
                          else "a split is of an unknown kind")
        first, count = (0, 32) if kind == 8 else (source.whole(at, 2), source.whole(at + 2, 4))
        at += 0 if kind == 8 else 6
        bits = source.bits(at, count)
        at += (count + 7) // 8
        own = growing.split_set(column, [
            code for code in range(len(domain))
            if (not bits[code - first] if 0 <= code - first < count else missing_left)],
            missing_left)
    return own, _subtrees(source, flags, at, end)


def _everything(growing: GrowingTree, column: int, domain: list[str] | None) -> int:
    """Add a split that sends missing values right and all others left."""
    if domain is None:
        return growing.split(LESS_EQUAL, column, np.inf, False)
    return growing.split_set(column, list(range(len(domain))), False)


def _subtrees(source: _Bytes, flags: int, at: int, end: int) -> list[tuple[int, int, bool]]:
    size = flags & 51
    if size == 48:
        middle, leaf = at + 4, True
    elif size <= 3:
        length = source.whole(at, size + 1)
        at += size + 1
        middle, leaf = at + length, False
    else:
        raise Damaged("a split has an unknown kind of subtree")
    if not at < middle < end:
        raise Damaged("a subtree reaches beyond its parent")
    return [(at, middle, leaf), (middle, end, bool(flags & 0x40))]
