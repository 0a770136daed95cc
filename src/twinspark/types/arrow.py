"""Converts Spark types to the Arrow types that a Spark Connect server sends, as far as pyarrow supports them."""

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    CharType,
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
    VarcharType,
    VariantType,
    YearMonthIntervalType,
)

VARIANT = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"}),
    ]
)
PLAIN: dict[type[DataType], pa.DataType] = {
    NullType: pa.null(),
    BooleanType: pa.bool_(),
    ByteType: pa.int8(),
    ShortType: pa.int16(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    StringType: pa.string(),
    CharType: pa.string(),
    VarcharType: pa.string(),
    BinaryType: pa.binary(),
    DateType: pa.date32(),
    TimestampNTZType: pa.timestamp("us"),
    TimeType: pa.time64("ns"),
    DayTimeIntervalType: pa.duration("us"),
    # Spark Connect sends Arrow's YEAR_MONTH interval; pyarrow can read a schema with it, but no array.
    YearMonthIntervalType: pa.month_day_nano_interval(),
    CalendarIntervalType: pa.month_day_nano_interval(),
    VariantType: VARIANT,
}


def arrow_type(type: DataType, zone: str = "UTC") -> pa.DataType:
    """`zone` is the session time zone, which Spark Connect puts into every timestamp type."""
    if isinstance(type, TimestampType):
        return pa.timestamp("us", zone)
    if isinstance(type, DecimalType):
        return pa.decimal128(type.precision, type.scale)
    if isinstance(type, ArrayType):
        return pa.list_(arrow_field(StructField("element", type.elementType, type.containsNull), zone))
    if isinstance(type, MapType):
        return map_type(type, zone)
    if isinstance(type, StructType):
        return pa.struct([arrow_field(field, zone) for field in type.fields])
    if isinstance(type, UserDefinedType):
        return arrow_type(type.sqlType(), zone)
    return PLAIN[type.__class__]


def map_type(type: MapType, zone: str) -> pa.DataType:
    """pyarrow allows no null type for keys, which `map()` has in Spark. Such a map is empty, so its key type does not
    matter."""
    key = StringType() if isinstance(type.keyType, NullType) else type.keyType
    value = arrow_field(StructField("value", type.valueType, type.valueContainsNull), zone)
    return pa.map_(arrow_field(StructField("key", key, False), zone), value)


def arrow_field(field: StructField, zone: str = "UTC") -> pa.Field:
    """A field of the null type is always nullable in Arrow, but not in Spark."""
    nullable = field.nullable or isinstance(field.dataType, NullType)
    return pa.field(field.name, arrow_type(field.dataType, zone), nullable)


def arrow_schema(schema: StructType, zone: str) -> pa.Schema:
    return pa.schema([arrow_field(field, zone) for field in schema.fields])
