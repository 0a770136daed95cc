"""Cuts Arrow's stream format into the frames of Flight: their bytes are copied once and never decoded."""

import struct
from collections.abc import Iterable, Iterator

import pyarrow as pa

from twinspark.wire.connect.proto_fields import bytes_field, varint

CONTINUATION = 0xFFFFFFFF
HEAD = struct.Struct("<Ii")
HEADER_FIELD, BODY_FIELD = 2, 1000  # of FlightData
SCHEMA, DICTIONARY, RECORDS = 1, 2, 3  # MessageHeader of Arrow's Message.fbs


class FrameError(Exception):
    """Bytes that are no Arrow message."""


def flight_data(header: memoryview, body: memoryview) -> bytes:
    """A FlightData message."""
    end = b"" if not body else varint(BODY_FIELD << 3 | 2) + varint(len(body))
    return b"".join((bytes_field(HEADER_FIELD, bytes(header)), end, body))


def schema_frame(schema: pa.Schema) -> bytes:
    header, body = next(arrow_messages(memoryview(schema.serialize())))
    return flight_data(header, body)


def arrow_messages(stream: memoryview) -> Iterator[tuple[memoryview, memoryview]]:
    """Header and body of every message in a stream, up to its end mark: Arrow's encapsulated message format."""
    position = 0
    while position + HEAD.size <= len(stream):
        mark, size = HEAD.unpack_from(stream, position)
        if mark != CONTINUATION or size == 0:
            return
        start = position + HEAD.size
        header = stream[start : start + size]
        length = body_length(header)
        yield header, stream[start + size : start + size + length]
        position = start + size + length


def table_field(header: memoryview, index: int) -> int:
    """The position of a field in the flatbuffer's root table; 0 if the field is absent."""
    (root,) = struct.unpack_from("<I", header, 0)
    (back,) = struct.unpack_from("<i", header, root)
    (size,) = struct.unpack_from("<H", header, root - back)
    at = 4 + 2 * index
    return root + struct.unpack_from("<H", header, root - back + at)[0] if at < size else 0


def body_length(header: memoryview) -> int:
    """`bodyLength`, the fourth field of Message; the union before it takes two."""
    at = table_field(header, 3)
    return int(struct.unpack_from("<q", header, at)[0]) if at else 0


def message_kind(header: memoryview) -> int:
    """SCHEMA, RECORDS or another kind, of a header that a client may have made up."""
    try:
        at = table_field(header, 1)
        return header[at] if at else 0
    except (struct.error, IndexError) as error:
        raise FrameError("the header of an Arrow message is malformed") from error


def stream_of(messages: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The stream format again, of the headers and bodies of received FlightData."""
    parts: list[bytes] = []
    for header, body in messages:
        padded = header + bytes(-len(header) % 8)
        parts += [HEAD.pack(CONTINUATION, len(padded)), padded, body]
    return b"".join(parts) + HEAD.pack(CONTINUATION, 0)
