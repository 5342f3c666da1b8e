"""Messages in protobuf's wire format, without their descriptions. The core has its own reader."""

from __future__ import annotations

import struct

VARINT, DOUBLE, BYTES, FLOAT = 0, 1, 2, 5
SIZES = {DOUBLE: ("<d", 8), FLOAT: ("<f", 4)}


class Damaged(Exception):
    """Bytes that are no such message."""


class Message:
    """The fields of a message by number; what a field means is up to the caller."""

    def __init__(self, content: bytes) -> None:
        self._fields: dict[int, list[tuple[int, int | float | bytes]]] = {}
        at = 0
        while at < len(content):
            tag, at = _varint(content, at)
            kind = tag & 7
            value: int | float | bytes
            if kind == VARINT:
                value, at = _varint(content, at)
            elif kind in SIZES:
                form, size = SIZES[kind]
                if at + size > len(content):
                    raise Damaged("a number is cut off")
                value, at = struct.unpack_from(form, content, at)[0], at + size
            elif kind == BYTES:
                size, at = _varint(content, at)
                if at + size > len(content):
                    raise Damaged("a field is cut off")
                value, at = content[at:at + size], at + size
            else:
                raise Damaged(f"a field has the unknown kind {kind}")
            self._fields.setdefault(tag >> 3, []).append((kind, value))

    def __contains__(self, number: int) -> bool:
        return number in self._fields

    def _last(self, number: int, kinds: tuple[int, ...]) -> int | float | bytes | None:
        found = self._fields.get(number)
        if not found:
            return None
        if found[-1][0] not in kinds:
            raise Damaged(f"field {number} has another kind")
        return found[-1][1]

    def whole(self, number: int, default: int = 0) -> int:
        """Return a signed whole number."""
        value = self._last(number, (VARINT,))
        if value is None:
            return default
        return int(value) - (1 << 64) if int(value) >= 1 << 63 else int(value)

    def number(self, number: int, default: float = 0.0) -> float:
        """Return a float or a double."""
        value = self._last(number, (DOUBLE, FLOAT))
        return default if value is None else float(value)

    def text(self, number: int, default: str = "") -> str:
        """Return a text."""
        value = self._last(number, (BYTES,))
        try:
            return default if value is None else bytes(value).decode("utf-8")  # type: ignore[arg-type]
        except UnicodeDecodeError as error:
            raise Damaged(f"field {number} is no text") from error

    def raw(self, number: int) -> bytes:
        """Return bytes, none by default."""
        return bytes(self._last(number, (BYTES,)) or b"")  # type: ignore[arg-type]

    def message(self, number: int) -> Message:
        """Return a message, which is empty by default."""
        return Message(self.raw(number))

    def messages(self, number: int) -> list[Message]:
        """Return all messages of a repeated field."""
        if any(kind != BYTES for kind, _ in self._fields.get(number, [])):
            raise Damaged(f"field {number} has another kind")
        return [Message(bytes(value)) for _, value in self._fields.get(number, [])]  # type: ignore[arg-type]

    def wholes(self, number: int) -> list[int]:
        """Return the whole numbers of a repeated field, packed or not."""
        found: list[int] = []
        for kind, value in self._fields.get(number, []):
            if kind == VARINT:
                found.append(int(value))
            elif isinstance(value, bytes):
                at = 0
                while at < len(value):
                    one, at = _varint(value, at)
                    found.append(one)
            else:
                raise Damaged(f"field {number} has another kind")
        return found

    def numbers(self, number: int, kind: int) -> list[float]:
        """Return the floats or doubles of a repeated field, packed or not."""
        form, size = SIZES[kind]
        found: list[float] = []
        for given, value in self._fields.get(number, []):
            if given == kind:
                found.append(float(value))
            elif isinstance(value, bytes) and len(value) % size == 0:
                found.extend(one for one, in struct.iter_unpack(form, value))
            else:
                raise Damaged(f"field {number} has another kind")
        return found


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i in range(10):
        if at + i >= len(content):
            raise Damaged("a whole number is cut off")
        value |= (content[at + i] & 127) << 7 * i
        if content[at + i] < 128:
            return value & ((1 << 64) - 1), at + i + 1
    raise Damaged("a whole number is too long")
