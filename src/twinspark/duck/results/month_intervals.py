"""Year-month intervals in results: Arrow's month interval type, which pyarrow can transport but not create or read."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import pyarrow as pa

from twinspark.types import (
    INT,
    ArrayType,
    DataType,
    MapType,
    StructType,
    YearMonthIntervalType,
    has_inner,
    rewrite_leaves,
)


class CSchema(ctypes.Structure):
    """struct ArrowSchema of Arrow's C data interface."""


Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(CSchema))
CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", Release),
    ("private_data", ctypes.c_void_p),
]


def release(schema: Any) -> None:
    """Clears `release`, as the interface requires; nothing was allocated."""
    ctypes.memset(ctypes.addressof(schema.contents) + CSchema.release.offset, 0, ctypes.sizeof(ctypes.c_void_p))


RELEASE = Release(release)


@cache
def month_interval() -> pa.DataType:
    """Arrow's month interval type, for which pyarrow has no constructor."""
    schema = CSchema(b"tiM", b"", None, 2, 0, None, None, RELEASE, None)
    return pa.DataType._import_from_c(ctypes.addressof(schema))


def has_months(type: DataType) -> bool:
    return has_inner(type, YearMonthIntervalType)


def as_numbers(type: DataType) -> DataType:
    """The type with numbers of months, as DuckDB returns them."""
    return rewrite_leaves(type, lambda leaf: INT if isinstance(leaf, YearMonthIntervalType) else leaf)


def month_schema(numbers: pa.Schema, schema: StructType) -> pa.Schema:
    """The schema with month intervals instead of numbers."""
    return pa.schema([month_field(a, f.dataType) for a, f in zip(numbers, schema.fields, strict=True)])


def month_field(field: pa.Field, type: DataType) -> pa.Field:
    return field.with_type(month_type(field.type, type))


def month_type(arrow: pa.DataType, type: DataType) -> pa.DataType:
    match type:
        case YearMonthIntervalType():
            return month_interval()
        case StructType():
            return pa.struct([month_field(arrow.field(i), f.dataType) for i, f in enumerate(type.fields)])
        case ArrayType():
            return pa.list_(month_field(arrow.value_field, type.elementType))
        case MapType():
            return pa.map_(month_field(arrow.key_field, type.keyType), month_field(arrow.item_field, type.valueType))
    return arrow


def under(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same buffers with another schema."""
    holder = ctypes.create_string_buffer(128)  # struct ArrowArray of the C data interface has 80 bytes
    batch._export_to_c(ctypes.addressof(holder))
    return pa.RecordBatch._import_from_c(ctypes.addressof(holder), schema)


def readable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with numbers of months, which pyarrow can read."""
    schema = number_schema(batch.schema)
    return batch if schema == batch.schema else under(schema, batch)


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    return under(schema, pa.RecordBatch.from_pylist([], schema=number_schema(schema)))


def number_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([number_field(field) for field in schema])


def number_field(field: pa.Field) -> pa.Field:
    return field.with_type(number_type(field.type))


def number_type(kind: pa.DataType) -> pa.DataType:
    if str(kind) == "month_interval":
        return pa.int32()
    if pa.types.is_list(kind):
        return pa.list_(number_field(kind.value_field))
    if pa.types.is_map(kind):
        return pa.map_(number_field(kind.key_field), number_field(kind.item_field))
    if pa.types.is_struct(kind):
        return pa.struct([number_field(kind.field(index)) for index in range(kind.num_fields)])
    return kind
