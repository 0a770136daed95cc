"""Converts between Arrow columns and rows of TColumnValues, the result format of clients before HIVE_V6."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import Reader, WireError, Writer
from twinspark.wire.thrift.columns import BIG_ENDIAN, COLUMNS, Column, data_of, length_prefixes, numbers_of, text_bytes

# The members of the TColumnValue union by their ids; it has no binary, which came with the columnar format.
VALUES: dict[int, tuple[str, Column]] = {
    1: ("boolVal", COLUMNS["bool"]),
    2: ("byteVal", COLUMNS["byte"]),
    3: ("i16Val", COLUMNS["i16"]),
    4: ("i32Val", COLUMNS["i32"]),
    5: ("i64Val", COLUMNS["i64"]),
    6: ("doubleVal", COLUMNS["double"]),
    7: ("stringVal", COLUMNS["string"]),
}
IDS = {name: identifier for identifier, (name, _) in VALUES.items()}
STOP = b"\0"
Columns = list[dict[str, pa.Array]]


def write_rows(writer: Writer, columns: Columns) -> None:
    """Writes a list of TRows. Arrow joins the columns' bytes row by row, so its data buffer is the Thrift encoding."""
    pairs = [next(iter(column.items())) for column in columns]
    count = len(pairs[0][1]) if pairs else 0
    writer.list_head(wire.STRUCT, count)
    if count:
        head = struct.pack(">bhbi", wire.LIST, 1, wire.STRUCT, len(pairs))
        values = [value_bytes(array, IDS[name]) for name, array in pairs]
        writer.append(data_of(join_bytes(head, *values, STOP)))


def value_bytes(array: pa.Array, identifier: int) -> pa.Array:
    """Each value as a TColumnValue: a field of the union with a struct, whose field 1 has the value unless it is
    null."""
    column = VALUES[identifier][1]
    head = struct.pack(">bh", wire.STRUCT, identifier)
    whole = join_bytes(head + struct.pack(">bh", column.wire, 1), *bare_bytes(array, column), STOP + STOP)
    if not array.null_count:
        return whole
    return pc.if_else(array.is_valid(), whole, pa.scalar(head + STOP + STOP, pa.binary()))


def bare_bytes(array: pa.Array, column: Column) -> list[pa.Array]:
    if column.wire == wire.STRING:
        values = text_bytes(array)
        return [length_prefixes(values), values]
    size = wire.FIXED_SIZE[column.wire]
    numbers = pa.py_buffer(numbers_of(column, array))
    offsets = pa.py_buffer(np.arange(len(array) + 1, dtype=np.int32) * size)
    return [pa.Array.from_buffers(pa.binary(), len(array), [None, offsets, numbers])]


def join_bytes(*parts: Any) -> pa.Array:
    scalars = [pa.scalar(part, pa.binary()) if isinstance(part, bytes) else part for part in (*parts, b"")]
    return pc.binary_join_element_wise(*scalars)


def read_rows(reader: Reader) -> Columns:
    """Reads a list of TRows as columns. Rows have no length prefix, so their values are read one by one."""
    kind, count = reader.list_head()
    if kind != wire.STRUCT and count:
        raise WireError(f"a list of Thrift type {kind} where rows were expected")
    if not count:
        return []
    identifiers, columns = read_first(reader)
    for _ in range(count - 1):
        for at, (identifier, value) in enumerate(read_row(reader)):
            if at >= len(columns) or identifier != identifiers[at]:
                raise WireError("a row whose values are of other kinds than those of the first")
            columns[at].append(value)
    if any(len(values) != count for values in columns):
        raise WireError("a row with fewer values than the first")
    found = [(VALUES[identifier], values) for identifier, values in zip(identifiers, columns, strict=True)]
    return [{name: pa.array(values, column.arrow)} for (name, column), values in found]


def read_first(reader: Reader) -> tuple[list[int], list[list[Any]]]:
    first = read_row(reader)
    return [identifier for identifier, _ in first], [[value] for _, value in first]


def read_row(reader: Reader) -> list[tuple[int, Any]]:
    """A TRow: its only field is the list of its values."""
    found: list[tuple[int, Any]] = []
    while (field := reader.field())[0] != wire.STOP:
        if field == (wire.LIST, 1):
            _, count = reader.list_head()
            found = [read_value(reader) for _ in range(count)]
        else:
            reader.skip(field[0])
    return found


def read_value(reader: Reader) -> tuple[int, Any]:
    kind, identifier = reader.field()
    if kind != wire.STRUCT or identifier not in VALUES:
        raise WireError(f"a value of a row is field {identifier} of Thrift type {kind}")
    value = read_bare(reader, VALUES[identifier][1])
    if reader.field()[0] != wire.STOP:
        raise WireError("a value of a row is two values")
    return identifier, value


def read_bare(reader: Reader, column: Column) -> Any:
    value = None
    while (field := reader.field())[0] != wire.STOP:
        if field == (column.wire, 1):
            value = READ[column.wire](reader)
        else:
            reader.skip(field[0])
    return value


READ: dict[int, Callable[[Reader], Any]] = {
    wire.BOOL: lambda reader: reader.number(wire.BYTE) != 0,
    wire.STRING: Reader.text,
    **{kind: lambda reader, kind=kind: reader.number(kind) for kind in BIG_ENDIAN},  # type: ignore[misc]
}
