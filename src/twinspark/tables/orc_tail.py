"""What the tail of an ORC file says that pyarrow does not tell: its zone, its first and last times."""

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa

from twinspark.errors import NotNative

# Numbers of fields and kinds: orc_proto.proto of the ORC specification.
STATISTICS_OF = {9: 9, 15: 7, 18: 9}  # timestamps, dates, instants: their kind, and the field that tells their span
DATES, TIMESTAMPS = 7, 9
TAIL = 16 << 10  # what is read at first: most tails are shorter
Message = dict[int, list[Any]]


@dataclass(frozen=True)
class Tail:
    """First and last day of its dates and millisecond of its timestamps (None: it has none, or does not say)."""

    kinds: frozenset[int]
    zones: frozenset[str]
    days: tuple[int, int] | None
    millis: tuple[int, int] | None
    is_silent: bool  # a column of dates or timestamps with values, and no word of which


def tail_of(path: str) -> Tail:
    with open(path, "rb") as file:
        end = read_end(file, TAIL)
        post = message(end[-1 - end[-1] : -1])
        footer_length, codec = post[1][0], post.get(2, [0])[0]
        needed = 1 + end[-1] + footer_length
        if needed > len(end):
            end = read_end(file, needed)
        footer = message(unpacked(end[-needed : -1 - end[-1]], codec))
        zones = frozenset(stripe_zone(file, message(stripe), codec) for stripe in footer.get(3, []))
    return told(footer, zones)


def read_end(file: BinaryIO, length: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - length))
    return file.read()


def told(footer: Message, zones: frozenset[str]) -> Tail:
    statistics = [message(each) for each in footer.get(7, [])]
    kinds = [message(each).get(1, [0])[0] for each in footer[4]]
    timed = [
        (STATISTICS_OF[kind], statistic)
        for kind, statistic in zip(kinds, statistics, strict=False)
        if kind in STATISTICS_OF
    ]
    silent = len(statistics) < len(kinds) or any(is_silent(statistic, field) for field, statistic in timed)
    return Tail(frozenset(kinds), zones, whole(timed, DATES), whole(timed, TIMESTAMPS), silent)


def is_silent(statistic: Message, field: int) -> bool:
    return span(statistic, field) is None and statistic.get(1, [0])[0] > 0


def span(statistic: Message, field: int) -> tuple[int, int] | None:
    """In UTC where a file says that too (fields 3 and 4 of timestamps)."""
    inner = message(statistic[field][0]) if field in statistic else {}
    for low, high in ((3, 4), (1, 2)):
        if low in inner and high in inner:
            return signed(inner[low][0]), signed(inner[high][0])
    return None


def whole(timed: list[tuple[int, Message]], field: int) -> tuple[int, int] | None:
    spans = [found for own, statistic in timed if own == field and (found := span(statistic, field))]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None


def stripe_zone(file: BinaryIO, stripe: Message, codec: int) -> str:
    at, index, data, length = (stripe.get(field, [0])[0] for field in (1, 2, 3, 4))
    file.seek(at + index + data)
    return bytes(message(unpacked(file.read(length), codec)).get(3, [b""])[0]).decode()


# ---- Chunks, each with three bytes in front: its length, and whether it was left as it is.


def unpacked(data: bytes, codec: int) -> bytes:
    return b"".join(chunks(data, codec)) if codec else data


def chunks(data: bytes, codec: int) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        chunk = data[at + 3 : at + 3 + (header >> 1)]
        yield chunk if header & 1 else inflated(chunk, codec)
        at += 3 + (header >> 1)


def inflated(chunk: bytes, codec: int) -> bytes:
    match codec:
        case 1:
            return zlib.decompress(chunk, -15)
        case 2:
            return bytes(pa.decompress(chunk, varint(chunk, 0)[0], "snappy"))
        case 5:
            return bytes(pa.input_stream(pa.py_buffer(chunk), compression="zstd").read())
    raise NotNative("ORC files compressed in a rarer way")


# ---- Protocol buffers, as far as they are needed here.


def message(data: bytes) -> Message:
    """Fields by number: whole numbers as they are, the rest as bytes."""
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


def signed(value: int) -> int:
    """Zigzag."""
    return (value >> 1) ^ -(value & 1)
