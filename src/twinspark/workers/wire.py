"""Encoding of Spark's worker protocol: big-endian numbers, length-prefixed strings, and its special lengths."""

import json
import struct
from collections.abc import Mapping
from typing import IO, Any

LONGEST = 256 << 20  # bytes of a string or a pickled value; rows are Arrow streams
# SpecialLengths of the protocol.
END_OF_DATA, EXCEPTION_THROWN, TIMING_DATA, END_OF_STREAM, NULL, START_ARROW_STREAM = -1, -2, -3, -4, -5, -6
FALL_BACK = -100  # not in Spark's protocol: a value that only Spark can convert, followed by the detail of the reason


def integer(value: int) -> bytes:
    return struct.pack("!i", value)


def long(value: int) -> bytes:
    return struct.pack("!q", value)


def boolean(value: bool) -> bytes:
    return struct.pack("!?", value)


def frame(data: bytes) -> bytes:
    return integer(len(data)) + data


def text(value: str) -> bytes:
    return frame(value.encode())


def mapping(values: Mapping[str, str]) -> bytes:
    return integer(len(values)) + b"".join(text(key) + text(value) for key, value in values.items())


def read_exactly(source: IO[bytes], length: int) -> bytes:
    if not 0 <= length <= LONGEST:
        raise EOFError(f"the worker announced {length} bytes")
    data = source.read(length)
    if len(data) < length:
        raise EOFError("the worker has gone")
    return data


def read_integer(source: IO[bytes]) -> int:
    found: int = struct.unpack("!i", read_exactly(source, 4))[0]
    return found


def read_framed(source: IO[bytes]) -> bytes:
    return read_exactly(source, read_integer(source))


def read_text(source: IO[bytes]) -> str:
    return read_framed(source).decode()


def read_json(source: IO[bytes], length: int) -> Any:
    return json.loads(read_exactly(source, length))
