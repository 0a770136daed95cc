"""A Spark type as Arrow carries it: the types a Spark Connect server sends, where pyarrow can hold them."""

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import types as t

VARIANT = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
    ]
)
ARROW: dict[type[t.DataType], pa.DataType] = {
    t.NullType: pa.null(),
    t.BooleanType: pa.bool_(),
    t.ByteType: pa.int8(),
    t.ShortType: pa.int16(),
    t.IntegerType: pa.int32(),
    t.LongType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.StringType: pa.string(),
    t.CharType: pa.string(),
    t.VarcharType: pa.string(),
    t.BinaryType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimestampNTZType: pa.timestamp("us"),
    t.TimeType: pa.time64("ns"),
    t.DayTimeIntervalType: pa.duration("us"),
    # Connect sends Arrow's interval of months, of which pyarrow can read the schema but not one array.
    t.YearMonthIntervalType: pa.month_day_nano_interval(),
    t.CalendarIntervalType: pa.month_day_nano_interval(),
    t.VariantType: VARIANT,
}


def arrow_type(kind: t.DataType, zone: str = "UTC") -> pa.DataType:
    """`zone` is the session's: Spark Connect writes it on every timestamp."""
    if type(kind) in NESTED:
        return NESTED[type(kind)](kind, zone)
    return ARROW[type(kind)]


def timestamp_type(kind: t.TimestampType, zone: str) -> pa.DataType:
    return pa.timestamp("us", zone)


def decimal_type(kind: t.DecimalType, zone: str) -> pa.DataType:
    return pa.decimal128(kind.precision, kind.scale)


def list_type(kind: t.ArrayType, zone: str) -> pa.DataType:
    return pa.list_(named("element", kind.elementType, kind.containsNull, zone))


def map_type(kind: t.MapType, zone: str) -> pa.DataType:
    # pyarrow allows no null type for a key, though `map()` has one in Spark; such a map is empty, so any type will do.
    empty = isinstance(kind.keyType, t.NullType)
    key = named("key", t.StringType() if empty else kind.keyType, False, zone)
    return pa.map_(key, named("value", kind.valueType, kind.valueContainsNull, zone))


def struct_type(kind: t.StructType, zone: str) -> pa.DataType:
    return pa.struct([named(field.name, field.dataType, field.nullable, zone) for field in kind.fields])


def named(name: str, kind: t.DataType, nullable: bool, zone: str) -> pa.Field:
    """Arrow has no field of nulls that is not nullable, though Spark does."""
    return pa.field(name, arrow_type(kind, zone), nullable or isinstance(kind, t.NullType))


NESTED: dict[type[t.DataType], Callable[..., pa.DataType]] = {
    t.TimestampType: timestamp_type,
    t.DecimalType: decimal_type,
    t.ArrayType: list_type,
    t.MapType: map_type,
    t.StructType: struct_type,
}
