"""Converts between Thrift's TColumn and Arrow arrays without a Python loop over rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import Reader, WireError, Writer


@dataclass(frozen=True)
class Column:
    """One member of the TColumn union: the Thrift type of its elements and the corresponding Arrow type."""

    wire: int
    arrow: pa.DataType


COLUMNS = {
    "bool": Column(wire.BOOL, pa.bool_()),
    "byte": Column(wire.BYTE, pa.int8()),
    "i16": Column(wire.I16, pa.int16()),
    "i32": Column(wire.I32, pa.int32()),
    "i64": Column(wire.I64, pa.int64()),
    "double": Column(wire.DOUBLE, pa.float64()),
    "string": Column(wire.STRING, pa.string()),
    "binary": Column(wire.STRING, pa.binary()),
}
BIG_ENDIAN = {wire.BYTE: ">i1", wire.I16: ">i2", wire.I32: ">i4", wire.I64: ">i8", wire.DOUBLE: ">f8"}


def read_column(reader: Reader, column: Column) -> pa.Array:
    """Reads a T*Column struct: field 1 has the values, field 2 the bitmap of nulls."""
    values, nulls = pa.array([], column.arrow), b""
    while (field := reader.field())[0] != wire.STOP:
        if field == (wire.LIST, 1):
            values = read_values(reader, column)
        elif field == (wire.STRING, 2):
            nulls = bytes(reader.binary())
        else:
            reader.skip(field[0])
    return with_nulls(values, nulls)


def read_values(reader: Reader, column: Column) -> pa.Array:
    kind, count = reader.list_head()
    if kind != column.wire and count:
        raise WireError(f"a column of {column.arrow} holds values of Thrift type {kind}")
    if column.wire == wire.STRING:
        return read_strings(reader, count, column.arrow)
    raw = reader.take(count * wire.FIXED_SIZE[column.wire])
    if column.wire == wire.BOOL:
        return pa.array(np.frombuffer(raw, np.uint8) != 0, pa.bool_())
    numbers = np.frombuffer(raw, BIG_ENDIAN[column.wire])
    return pa.array(numbers.astype(numbers.dtype.newbyteorder("=")), column.arrow)


def read_strings(reader: Reader, count: int, arrow: pa.DataType) -> pa.Array:
    """Removes the length prefixes, and makes an Arrow array of the buffer and its offsets."""
    raw, ends = reader.chain(count)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if count else ends
    is_data = np.ones(len(raw), bool)
    for byte in range(4):
        is_data[starts + byte] = False
    offsets = np.zeros(count + 1, np.int32)
    offsets[1:] = ends - 4 * np.arange(1, count + 1)
    return pa.Array.from_buffers(arrow, count, [None, pa.py_buffer(offsets), pa.py_buffer(raw[is_data])])


def with_nulls(values: pa.Array, nulls: bytes) -> pa.Array:
    """Bit i of `nulls`, least significant first, says that value i is null; Spark trims the empty bytes at the end."""
    if not any(nulls):
        return values
    bits = np.unpackbits(np.frombuffer(nulls, np.uint8), bitorder="little")[: len(values)]
    mask = np.zeros(len(values), bool)
    mask[: len(bits)] = bits != 0
    return pc.if_else(pa.array(~mask), values, pa.scalar(None, values.type))


def write_column(writer: Writer, column: Column, array: pa.Array) -> None:
    writer.field(wire.LIST, 1)
    writer.list_head(column.wire, len(array))
    writer.append(values_bytes(column, array))
    writer.field(wire.STRING, 2)
    writer.binary(nulls_bytes(array))
    writer.stop()


def values_bytes(column: Column, array: pa.Array) -> memoryview:
    return prefixed_bytes(array) if column.wire == wire.STRING else numbers_of(column, array)


def numbers_of(column: Column, array: pa.Array) -> memoryview:
    """Spark writes true for a null boolean and zero for a null number."""
    filled = array.fill_null(True if column.wire == wire.BOOL else 0) if array.null_count else array
    numbers = np.asarray(filled.cast(pa.int8()) if column.wire == wire.BOOL else filled)
    return memoryview(numbers.astype(BIG_ENDIAN.get(column.wire, ">i1")).view(np.uint8).data)


def text_bytes(array: pa.Array) -> pa.Array:
    empty = "" if pa.types.is_string(array.type) else b""
    return (array.fill_null(empty) if array.null_count else array).cast(pa.binary())


def prefixed_bytes(array: pa.Array) -> memoryview:
    """Arrow joins a four-byte length to each value; the data buffer of the result is the Thrift encoding."""
    values = text_bytes(array)
    joined = pc.binary_join_element_wise(length_prefixes(values), values, pa.scalar(b"", pa.binary()))
    return data_of(joined)


def data_of(array: pa.Array) -> memoryview:
    """The bytes of all values of a binary array, one after the other."""
    if array.buffers()[2] is None:
        return memoryview(b"")
    offsets = np.frombuffer(array.buffers()[1], np.int32)
    return memoryview(array.buffers()[2])[offsets[array.offset] : offsets[array.offset + len(array)]]


def length_prefixes(values: pa.Array) -> pa.Array:
    lengths = np.asarray(pc.binary_length(values)).astype(">i4")
    offsets = np.arange(len(values) + 1, dtype=np.int32) * 4
    return pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(lengths)])


def nulls_bytes(array: pa.Array) -> bytes:
    if not array.null_count:
        return b""
    missing: Any = np.asarray(pc.is_null(array))
    return np.packbits(missing, bitorder="little").tobytes().rstrip(b"\0")
