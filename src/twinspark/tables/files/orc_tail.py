"""Reads from the footer of an ORC file what pyarrow does not return: the writer's zone, and date and time
statistics."""

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa

from twinspark.errors import NotNative, reasons

# Field and type numbers: orc_proto.proto of the ORC specification.
# Type (timestamp, date, timestamp with local zone) -> the field with its statistics.
STATISTICS_OF = {9: 9, 15: 7, 18: 9}
DATES, TIMESTAMPS = 7, 9
TAIL = 16 << 10  # bytes that are read first: most footers are shorter
Message = dict[int, list[Any]]


@dataclass(frozen=True)
class Tail:
    """Minimum and maximum of dates in days and of timestamps in milliseconds (None: no values, or no statistics)."""

    kinds: frozenset[int]
    zones: frozenset[str]
    days: tuple[int, int] | None
    millis: tuple[int, int] | None
    is_silent: bool  # a date or timestamp column with values has no statistics


def tail_of(path: str) -> Tail:
    with open(path, "rb") as file:
        end = read_end(file, TAIL)
        post = message(end[-1 - end[-1] : -1])
        footer_length, codec = post[1][0], post.get(2, [0])[0]
        needed = 1 + end[-1] + footer_length
        if needed > len(end):
            end = read_end(file, needed)
        footer = message(decompress(end[-needed : -1 - end[-1]], codec))
        zones = frozenset(stripe_zone(file, message(stripe), codec) for stripe in footer.get(3, []))
    return read_tail(footer, zones)


def read_end(file: BinaryIO, length: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - length))
    return file.read()


def read_tail(footer: Message, zones: frozenset[str]) -> Tail:
    statistics = [message(each) for each in footer.get(7, [])]
    kinds = [message(each).get(1, [0])[0] for each in footer[4]]
    timed = [
        (STATISTICS_OF[kind], statistic)
        for kind, statistic in zip(kinds, statistics, strict=False)
        if kind in STATISTICS_OF
    ]
    silent = len(statistics) < len(kinds) or any(is_silent(statistic, field) for field, statistic in timed)
    return Tail(frozenset(kinds), zones, overall_span(timed, DATES), overall_span(timed, TIMESTAMPS), silent)


def is_silent(statistic: Message, field: int) -> bool:
    return span(statistic, field) is None and statistic.get(1, [0])[0] > 0


def span(statistic: Message, field: int) -> tuple[int, int] | None:
    """Minimum and maximum; in UTC if the file has those (fields 3 and 4 of timestamp statistics)."""
    inner = message(statistic[field][0]) if field in statistic else {}
    for low, high in ((3, 4), (1, 2)):
        if low in inner and high in inner:
            return decode_zigzag(inner[low][0]), decode_zigzag(inner[high][0])
    return None


def overall_span(timed: list[tuple[int, Message]], field: int) -> tuple[int, int] | None:
    spans = [found for own, statistic in timed if own == field and (found := span(statistic, field))]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None


def stripe_zone(file: BinaryIO, stripe: Message, codec: int) -> str:
    at, index, data, length = (stripe.get(field, [0])[0] for field in (1, 2, 3, 4))
    file.seek(at + index + data)
    return bytes(message(decompress(file.read(length), codec)).get(3, [b""])[0]).decode()


# ---- Compression chunks: a header of three bytes has the length and whether the chunk is uncompressed.


def decompress(data: bytes, codec: int) -> bytes:
    return b"".join(chunks(data, codec)) if codec else data


def chunks(data: bytes, codec: int) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        chunk = data[at + 3 : at + 3 + (header >> 1)]
        yield chunk if header & 1 else decompress_chunk(chunk, codec)
        at += 3 + (header >> 1)


def decompress_chunk(chunk: bytes, codec: int) -> bytes:
    match codec:
        case 1:
            return zlib.decompress(chunk, -15)
        case 2:
            return bytes(pa.decompress(chunk, varint(chunk, 0)[0], "snappy"))
        case 5:
            return bytes(pa.input_stream(pa.py_buffer(chunk), compression="zstd").read())
    raise NotNative(reasons.FILE_COMPRESSED, "ORC with a rare codec")


# ---- A minimal decoder of protocol buffers.


def message(data: bytes) -> Message:
    """Fields by number: varints as integers, the rest as bytes."""
    found: Message = {}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = field_value(data, at, key & 7)
        found.setdefault(key >> 3, []).append(value)
    return found


def field_value(data: bytes, at: int, wire: int) -> tuple[Any, int]:
    if wire == 0:
        return varint(data, at)
    length, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
    return data[at : at + length], at + length


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return value | data[at] << shift, at + 1


def decode_zigzag(value: int) -> int:
    """Decodes a zigzag-encoded integer."""
    return (value >> 1) ^ -(value & 1)
