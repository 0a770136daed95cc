"""Reads and writes Thrift's binary protocol: numbers, strings, and the headers of fields, lists, maps and messages."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

STOP, BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST = 0, 2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15
CALL, REPLY, EXCEPTION, ONEWAY = 1, 2, 3, 4
VERSION_1 = 0x80010000
FIXED_SIZE = {BOOL: 1, BYTE: 1, DOUBLE: 8, I16: 2, I32: 4, I64: 8}
FORMAT = {BYTE: ">b", I16: ">h", I32: ">i", I64: ">q", DOUBLE: ">d"}
PACK = {kind: struct.Struct(text) for kind, text in FORMAT.items()}
Bytes = bytes | bytearray | memoryview
DEEPEST = 64
LARGEST = 1 << 30
MOST_ELEMENTS = (
    100_000  # in all lists and maps of one request: an element takes far more memory than bytes in the message
)


class WireError(Exception):
    """The bytes violate the protocol: they are too short, nested too deeply, or have an unknown type."""


class Reader:
    """Reads forward over bytes; at their end it calls `more`, if given, with the least number of bytes to read."""

    def __init__(
        self,
        data: bytes | bytearray | memoryview = b"",
        more: Callable[[int], bytes | bytearray] | None = None,
        elements: int = 1 << 31,
    ) -> None:
        self.data = memoryview(data)
        self.position, self.depth = 0, 0
        self.elements = elements  # how many more the lists and maps may have
        self.more = more

    def descend(self) -> None:
        """Enters a struct; counts the depth, since a message type may contain itself."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise WireError("a message nested too deeply")

    def ensure(self, count: int) -> None:
        """Makes sure that `data` has at least `count` unread bytes; views returned before stay valid."""
        missing = self.position + count - len(self.data)
        if missing <= 0:
            return
        if self.more is None or count > LARGEST:
            raise WireError(f"the message ends {missing} bytes too early")
        rest = self.data[self.position :]
        self.data = memoryview(bytes(rest) + self.more(missing))
        self.position = 0
        if len(self.data) < count:
            raise WireError(f"the connection ended {count - len(self.data)} bytes too early")

    def take(self, count: int) -> memoryview:
        if count < 0:
            raise WireError(f"a negative length: {count}")
        end = self.position + count
        if end > len(self.data):
            self.ensure(count)
            end = self.position + count
        found = self.data[self.position : end]
        self.position = end
        return found

    def number(self, kind: int) -> Any:
        return PACK[kind].unpack(self.take(FIXED_SIZE[kind]))[0]

    def binary(self) -> memoryview:
        return self.take(self.number(I32))

    def text(self) -> str:
        return str(self.binary(), "utf-8", "replace")

    def field(self) -> tuple[int, int]:
        """The type and id of the next field; the type is STOP at the end of a struct."""
        kind = self.number(BYTE)
        return kind, (0 if kind == STOP else self.number(I16))

    def list_head(self) -> tuple[int, int]:
        kind, count = self.number(BYTE), self.number(I32)
        self.spend(count)
        return kind, count

    def map_head(self) -> tuple[int, int, int]:
        key, value, count = self.number(BYTE), self.number(BYTE), self.number(I32)
        self.spend(count)
        return key, value, count

    def spend(self, count: int) -> None:
        if count < 0:
            raise WireError(f"a negative list length: {count}")
        self.elements -= count
        if self.elements < 0:
            raise WireError(f"a list of {count} values is more than a message may have")

    def message_head(self) -> tuple[str, int, int]:
        """Name, message type and sequence id of a strict binary message."""
        version = self.number(I32) & 0xFFFFFFFF
        if version & 0xFFFF0000 != VERSION_1:
            raise WireError(f"not a strict binary Thrift message: it starts with {version:#010x}")
        return self.text(), version & 0xFF, self.number(I32)

    def skip(self, kind: int, depth: int = 0) -> None:
        """Skips the value of an unknown field; strings are not decoded, so that cannot fail."""
        if depth > DEEPEST:
            raise WireError("a message nested too deeply")
        if kind in FIXED_SIZE:
            self.take(FIXED_SIZE[kind])
        elif kind == STRING:
            self.binary()
        else:
            self.skip_container(kind, depth + 1)

    def skip_container(self, kind: int, depth: int) -> None:
        if kind == STRUCT:
            while (inner := self.field()[0]) != STOP:
                self.skip(inner, depth)
        elif kind in (LIST, SET):
            inner, count = self.list_head()
            for _ in range(count):
                self.skip(inner, depth)
        elif kind == MAP:
            key, value, count = self.map_head()
            for _ in range(count):
                self.skip(key, depth)
                self.skip(value, depth)
        else:
            raise WireError(f"an unknown Thrift type: {kind}")

    def chain(self, count: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """`count` length-prefixed values: their bytes with the prefixes still inside, and where each value ends.

        Each length determines where the next one is, so this loop cannot be vectorised; it is the only one over values.
        """
        if 4 * count > (LARGEST if self.more is not None else len(self.data) - self.position):
            raise WireError(f"a list of {count} values in a message that has no room for them")
        start, ends, position = self.position, [0] * count, self.position
        data, size, unpack = self.data, len(self.data), PACK[I32].unpack_from
        for index in range(count):
            if position + 4 > size:
                data, size, start, position = self.refill(start, position, 4)
            following = position + 4 + unpack(data, position)[0]
            if following > size:
                data, size, start, position = self.refill(start, position, following - position)
                following = position + 4 + unpack(data, position)[0]
            if following < position + 4:
                raise WireError("a negative length in a list")
            position = following
            ends[index] = position - start
        self.position = position
        return np.frombuffer(data[start:position], np.uint8), np.array(ends, np.int64)

    def refill(self, start: int, position: int, count: int) -> tuple[memoryview, int, int, int]:
        """Reads more bytes, and keeps all bytes from `start` on contiguous."""
        self.position = start
        self.ensure(position - start + count)
        return self.data, len(self.data), self.position, self.position + position - start


class Writer:
    """Collects the pieces of a message; large buffers are not copied until the pieces are joined or sent."""

    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []
        self.append = self.parts.append

    def number(self, kind: int, value: float) -> None:
        self.append(PACK[kind].pack(value))

    def binary(self, value: bytes | memoryview) -> None:
        self.append(PACK[I32].pack(len(value)))
        self.append(value)

    def text(self, value: str) -> None:
        self.binary(value.encode())

    def field(self, kind: int, identifier: int) -> None:
        self.append(struct.pack(">bh", kind, identifier))

    def stop(self) -> None:
        self.append(b"\0")

    def list_head(self, kind: int, count: int) -> None:
        self.append(struct.pack(">bi", kind, count))

    def map_head(self, key: int, value: int, count: int) -> None:
        self.append(struct.pack(">bbi", key, value, count))

    def message_head(self, name: str, kind: int, sequence: int) -> None:
        self.append(PACK[I32].pack((VERSION_1 | kind) - (1 << 32)))
        self.text(name)
        self.number(I32, sequence)

    def bytes(self) -> bytes:
        return b"".join(self.parts)
