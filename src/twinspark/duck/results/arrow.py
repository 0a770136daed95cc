"""Converts DuckDB's Arrow batches to Spark's schema: field names, types and nullability."""

from __future__ import annotations

import ctypes

import pyarrow as pa

from twinspark.errors import NotNative, reasons
from twinspark.types import (
    GEOSPATIAL,
    CalendarIntervalType,
    CharType,
    DataType,
    MapType,
    NullType,
    StructType,
    VarcharType,
    YearMonthIntervalType,
    arrow,
    nested_types,
    stored_type,
)

# Types whose Arrow data differ between DuckDB and Spark.
UNSENT = (YearMonthIntervalType, CalendarIntervalType, CharType, VarcharType, *GEOSPATIAL)


def arrow_schema(schema: StructType, zone: str) -> pa.Schema:
    for field in schema.fields:
        for inner in nested_types(stored_type(field.dataType)):
            check_sendable(inner)
    return arrow.arrow_schema(schema, zone)


def check_sendable(type: DataType) -> None:
    if isinstance(type, MapType) and isinstance(type.keyType, NullType):
        raise NotNative(reasons.TYPE_UNSUPPORTED, "a map whose keys are untyped nulls")
    if isinstance(type, StructType) and any(isinstance(f.dataType, NullType) for f in type.fields):
        # DuckDB exports only one row of it.
        raise NotNative(reasons.TYPE_UNSUPPORTED, "a struct with a field of untyped nulls")
    if isinstance(type, UNSENT):
        raise NotNative(reasons.TYPE_UNSUPPORTED, f"{type.simpleString()} in a result")


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The same data with the required schema: names always, types where DuckDB's differ."""
    if not len(schema):
        return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
    arrays = [
        column if column.type == field.type else conform_column(column, field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def conform_column(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """pyarrow does not cast a null struct to one with non-nullable fields, though Spark sends just that."""
    if pa.types.is_struct(wanted) and not wanted.num_fields:
        return pa.nulls(len(column), wanted)  # DuckDB has no struct without fields: only nulls get here
    if not pa.types.is_nested(wanted):
        return column.cast(wanted)
    holder = ctypes.create_string_buffer(128)  # struct ArrowArray of the C data interface has 80 bytes
    column.cast(all_nullable(wanted))._export_to_c(ctypes.addressof(holder))
    return pa.Array._import_from_c(ctypes.addressof(holder), wanted)


def all_nullable(type: pa.DataType) -> pa.DataType:
    if pa.types.is_list(type):
        return pa.list_(nullable_field(type.value_field))
    if pa.types.is_map(type):
        return pa.map_(nullable_field(type.key_field).with_nullable(False), nullable_field(type.item_field))
    if pa.types.is_struct(type):
        return pa.struct([nullable_field(type.field(index)) for index in range(type.num_fields)])
    return type


def nullable_field(field: pa.Field) -> pa.Field:
    return field.with_type(all_nullable(field.type)).with_nullable(True)
