"""Finds single fields of an encoded ExecutePlanResponse without decoding its Arrow data."""

from twinspark.wire.connect.response_frames import ARROW_BATCH, METRICS, SCHEMA

__all__ = ["ARROW_BATCH", "METRICS", "SCHEMA", "fields_of", "rows_in_response"]

VARINT, FIXED64, LENGTH_DELIMITED, FIXED32 = 0, 1, 2, 5
FIXED = {FIXED64: 8, FIXED32: 4}
ROW_COUNT, CHUNK_INDEX = 1, 4  # of ArrowBatch


def rows_in_response(fields: "Fields") -> int:
    """The rows of its batch; of a batch in chunks, those of the first chunk only, since each names all of them."""
    found = fields.get(ARROW_BATCH)
    if not isinstance(found, memoryview):
        return 0
    batch = fields_of(found)
    return 0 if number_in(batch, CHUNK_INDEX) else number_in(batch, ROW_COUNT)


def number_in(fields: "Fields", number: int) -> int:
    found = fields.get(number, 0)
    return found if isinstance(found, int) else 0


Fields = dict[int, int | memoryview]


def fields_of(data: bytes | memoryview) -> Fields:
    """The last value of each field: a number, or the bytes of a text or message. Truncated data yields the fields
    before its end."""
    view, at = memoryview(data), 0
    found: Fields = {}
    while at < len(view):
        tag, at = read_varint(view, at)
        kind = tag & 7
        if kind == VARINT:
            found[tag >> 3], at = read_varint(view, at)
            continue
        size, at = (FIXED[kind], at) if kind in FIXED else read_varint(view, at)
        found[tag >> 3] = view[at : at + size]
        at += size
    return found


def read_varint(view: memoryview, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(view):
        value |= (view[at] & 0x7F) << shift
        at += 1
        if view[at - 1] < 0x80:
            break
        shift += 7
    return value, at
