"""Arrow as Spark sends it: field names, types and nullability of the plan's schema."""

from __future__ import annotations

import ctypes

import pyarrow as pa

from twinspark.errors import NotNative
from twinspark.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    UserDefinedType,
    VariantType,
)

PLAIN: dict[type, pa.DataType] = {
    ByteType: pa.int8(),
    ShortType: pa.int16(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    StringType: pa.utf8(),
    BinaryType: pa.binary(),
    BooleanType: pa.bool_(),
    DateType: pa.date32(),
    TimestampNTZType: pa.timestamp("us"),
    DayTimeIntervalType: pa.duration("us"),
    TimeType: pa.time64("ns"),
    NullType: pa.null(),
    VariantType: pa.struct(
        [
            pa.field("value", pa.binary(), nullable=False),
            pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
        ]
    ),
}


def arrow_type(type: DataType, zone: str) -> pa.DataType:
    if type.__class__ in PLAIN:
        return PLAIN[type.__class__]
    if isinstance(type, TimestampType):
        return pa.timestamp("us", tz=zone)
    if isinstance(type, DecimalType):
        return pa.decimal128(type.precision, type.scale)
    if isinstance(type, ArrayType):
        return pa.list_(arrow_field(StructField("element", type.elementType, type.containsNull), zone))
    if isinstance(type, MapType):
        if isinstance(type.keyType, NullType):
            raise NotNative("void as the type of a map's keys")
        key = pa.field("key", arrow_type(type.keyType, zone), nullable=False)
        return pa.map_(key, arrow_field(StructField("value", type.valueType, type.valueContainsNull), zone))
    if isinstance(type, StructType):
        if any(isinstance(f.dataType, NullType) for f in type.fields):
            raise NotNative("a struct with a field of type void")  # DuckDB's Arrow of it is one row long
        return pa.struct([arrow_field(f, zone) for f in type.fields])
    if isinstance(type, UserDefinedType):
        return arrow_type(type.sqlType(), zone)
    raise NotNative(f"type {type.simpleString()} in a result")


def arrow_schema(schema: StructType, zone: str) -> pa.Schema:
    return pa.schema([arrow_field(f, zone) for f in schema.fields])


def arrow_field(field: StructField, zone: str) -> pa.Field:
    nullable = field.nullable or isinstance(field.dataType, NullType)
    return pa.field(field.name, arrow_type(field.dataType, zone), nullable)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The same data under the wanted schema: names always, types where DuckDB's Arrow is spelled otherwise."""
    if not len(schema):
        return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
    arrays = [
        column if column.type == field.type else conformed(column, field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def conformed(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """pyarrow refuses to cast a null struct to one whose fields are never null, though Spark sends just that."""
    if pa.types.is_struct(wanted) and not wanted.num_fields:
        return pa.nulls(len(column), wanted)  # DuckDB has no such struct: only nulls of it come this far
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
