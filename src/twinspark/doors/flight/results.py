"""Rows of Spark Connect as frames of Flight: batches pass as they are, unless their layout is not what was promised."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from twinspark.duck.results.month_intervals import readable
from twinspark.wire.flight.frames import RECORDS, arrow_messages, flight_data, message_kind

MONTHS = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])


class FrameWriter:
    """Writes the batches of one result, all under the schema that FlightInfo has announced."""

    def __init__(self, promised: pa.Schema) -> None:
        self.promised = promised
        self.is_same: bool | None = None  # whether batches have the layout of that schema; known after the first

    def frames(self, stream: bytes) -> Iterator[bytes]:
        if self.is_same is None:
            self.is_same = has_layout(pa.ipc.open_stream(stream).schema, self.promised)
        parts = stream if self.is_same else converted_stream(stream, self.promised)
        for header, body in arrow_messages(memoryview(parts)):
            if message_kind(header) == RECORDS:
                yield flight_data(header, body)


def has_layout(sent: pa.Schema, promised: pa.Schema) -> bool:
    """Whether the buffers are the same; names, nullability and time zones are only in the schema."""
    pairs = zip(sent.types, promised.types, strict=True) if len(sent) == len(promised) else ()
    return len(sent) == len(promised) and all(has_same_buffers(*pair) for pair in pairs)


def has_same_buffers(sent: pa.DataType, promised: pa.DataType) -> bool:
    if pa.types.is_timestamp(sent) and pa.types.is_timestamp(promised):
        return bool(sent.unit == promised.unit) and (sent.tz is None) == (promised.tz is None)
    if sent.num_fields != promised.num_fields or sent.id != promised.id:
        return False
    if not sent.num_fields:
        return bool(sent == promised)
    return all(has_same_buffers(*pair) for pair in zip(children(sent), children(promised), strict=True))


def children(kind: pa.DataType) -> list[pa.DataType]:
    return [kind.field(index).type for index in range(kind.num_fields)]


def converted_stream(stream: bytes, promised: pa.Schema) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, promised) as writer:
        for batch in pa.ipc.open_stream(stream):
            writer.write_batch(convert_batch(readable(batch), promised))
    return memoryview(sink.getvalue())


def convert_batch(batch: pa.RecordBatch, promised: pa.Schema) -> pa.RecordBatch:
    columns = [convert(column, kind) for column, kind in zip(batch.columns, promised.types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=promised)


def convert(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers of months become Arrow's intervals of months, days and nanoseconds, which pyarrow can read."""
    if pa.types.is_int32(array.type) and kind == pa.month_day_nano_interval():
        return intervals(array)
    if pa.types.is_nested(kind):
        return convert_nested(array, kind)
    return array if array.type == kind else array.cast(kind)


def intervals(array: pa.Array) -> pa.Array:
    values = np.zeros(len(array), MONTHS)
    values["months"] = np.asarray(array.fill_null(0))
    valid = pa.array(np.asarray(array.is_valid())).buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(pa.month_day_nano_interval(), len(array), [valid, pa.py_buffer(values)])


def convert_nested(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The same offsets and nulls over converted children."""
    if array.offset:
        array = without_offset(array)
    inner = [convert(child, each) for child, each in zip(inner_arrays(array), children(kind), strict=True)]
    own = array.buffers()[: 1 if pa.types.is_struct(kind) else 2]
    return pa.Array.from_buffers(kind, len(array), own, children=inner)


def without_offset(array: pa.Array) -> pa.Array:
    return array.take(pa.array(np.arange(len(array))))


def inner_arrays(array: Any) -> list[pa.Array]:
    if pa.types.is_struct(array.type):
        return [array.field(index) for index in range(array.type.num_fields)]
    if pa.types.is_map(array.type):
        return [pa.StructArray.from_arrays([array.keys, array.items], fields=list(map_fields(array.type)))]
    return [array.values]


def map_fields(kind: pa.MapType) -> tuple[pa.Field, pa.Field]:
    return kind.key_field, kind.item_field
