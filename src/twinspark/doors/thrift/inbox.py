"""The received bytes of a client, parsed by generators that yield while bytes are missing."""

import struct
from collections.abc import Generator
from typing import TypeVar

from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import WireError

Result = TypeVar("Result")
Reading = Generator[None, None, Result]
LONGEST_LINE = 1 << 16


class Inbox(bytearray):
    """Received bytes that are not parsed yet."""

    def exactly(self, count: int, most: int) -> Reading[bytes]:
        if not 0 <= count <= most:
            raise WireError(f"a message of {count} bytes")
        while len(self) < count:
            yield
        found = bytes(memoryview(self)[:count])
        del self[:count]
        return found

    def line(self) -> Reading[bytes]:
        searched = 0
        while (end := self.find(b"\n", searched)) < 0:
            searched = len(self)
            if searched > LONGEST_LINE:
                raise WireError("a header line is too long")
            yield
        return (yield from self.exactly(end + 1, LONGEST_LINE + 1))

    def message(self, most: int) -> Reading[bytes]:
        """One of Thrift's strict binary messages, which have no length prefix."""
        end = yield from Walk(self, most).message()
        return (yield from self.exactly(end, most))


class Walk:
    """Skips over a message without decoding it; takes time proportional to its size, however it arrives."""

    def __init__(self, inbox: Inbox, most: int) -> None:
        self._inbox, self._most = inbox, most
        self._at = self._depth = 0

    def message(self) -> Reading[int]:
        version = yield from self._number(wire.I32)
        if version & 0xFFFF0000 != wire.VERSION_1:
            raise WireError(f"not a strict binary Thrift message: it starts with {version & 0xFFFFFFFF:#010x}")
        yield from self._value(wire.STRING)
        yield from self._skip(4)
        yield from self._value(wire.STRUCT)
        return self._at

    def _skip(self, count: int) -> Reading[None]:
        self._at += count
        if count < 0 or self._at > self._most:
            raise WireError("the message is too large")
        while len(self._inbox) < self._at:
            yield

    def _number(self, kind: int) -> Reading[int]:
        start, packed = self._at, wire.PACK[kind]
        yield from self._skip(packed.size)
        return int(packed.unpack_from(self._inbox, start)[0])

    def _value(self, kind: int) -> Reading[None]:
        if kind in wire.FIXED_SIZE:
            yield from self._skip(wire.FIXED_SIZE[kind])
        elif kind == wire.STRING:
            yield from self._skip((yield from self._number(wire.I32)))
        else:
            yield from self._container(kind)

    def _container(self, kind: int) -> Reading[None]:
        self._depth += 1
        if self._depth > wire.DEEPEST:
            raise WireError("a message nested too deeply")
        if kind == wire.STRUCT:
            yield from self._struct()
        elif kind in (wire.LIST, wire.SET):
            yield from self._elements((yield from self._number(wire.BYTE)))
        elif kind == wire.MAP:
            key = yield from self._number(wire.BYTE)
            yield from self._elements(key, (yield from self._number(wire.BYTE)))
        else:
            raise WireError(f"an unknown Thrift type: {kind}")
        self._depth -= 1

    def _struct(self) -> Reading[None]:
        while kind := (yield from self._number(wire.BYTE)):
            yield from self._skip(2)
            yield from self._value(kind)

    def _elements(self, *kinds: int) -> Reading[None]:
        count = yield from self._number(wire.I32)
        if not 0 <= count <= wire.MOST_ELEMENTS:
            raise WireError(f"a list of {count} values")
        for _ in range(count):
            for kind in kinds:
                yield from self._value(kind)


def unpack(layout: str, inbox: Inbox) -> Reading[tuple[int, ...]]:
    size = struct.calcsize(layout)
    return struct.unpack(layout, (yield from inbox.exactly(size, size)))
