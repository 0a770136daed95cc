"""Intervals of years and months in results: Arrow's month interval, which pyarrow carries but cannot make or open."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import pyarrow as pa

from twinspark.types import ArrayType, DataType, IntegerType, MapType, StructField, StructType, YearMonthIntervalType


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
    """Nothing of it was allocated; the interface wants to see its `release` gone."""
    ctypes.memset(ctypes.addressof(schema.contents) + CSchema.release.offset, 0, ctypes.sizeof(ctypes.c_void_p))


RELEASE = Release(release)


@cache
def month_interval() -> pa.DataType:
    """The one type that pyarrow has no maker of."""
    told = CSchema(b"tiM", b"", None, 2, 0, None, None, RELEASE, None)
    return pa.DataType._import_from_c(ctypes.addressof(told))


def has_months(type: DataType) -> bool:
    match type:
        case StructType():
            return any(has_months(field.dataType) for field in type.fields)
        case ArrayType():
            return has_months(type.elementType)
        case MapType():
            return has_months(type.keyType) or has_months(type.valueType)
    return isinstance(type, YearMonthIntervalType)


def as_numbers(type: DataType) -> Any:
    """The type in which DuckDB gives them: a number of months."""
    match type:
        case StructType():
            made = [StructField(f.name, as_numbers(f.dataType), f.nullable, f.metadata) for f in type.fields]
            return StructType(made)
        case ArrayType():
            return ArrayType(as_numbers(type.elementType), type.containsNull)
        case MapType():
            return MapType(as_numbers(type.keyType), as_numbers(type.valueType), type.valueContainsNull)
    return IntegerType() if isinstance(type, YearMonthIntervalType) else type


def month_schema(numbers: pa.Schema, schema: StructType) -> pa.Schema:
    """Arrow's schema of the numbers, with their meaning."""
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
    """The same bytes under another schema."""
    holder = ctypes.create_string_buffer(128)  # struct ArrowArray of the C data interface has 80 bytes
    batch._export_to_c(ctypes.addressof(holder))
    return pa.RecordBatch._import_from_c(ctypes.addressof(holder), schema)


def readable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """With the numbers of months, which pyarrow can open."""
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
