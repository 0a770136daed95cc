"""Converts between Spark's types and Thrift's TTypeDesc and type ids."""

from collections.abc import Callable

from pyspark.sql import types as t

from twinspark.types import DAY_TIME, YEAR_MONTH
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import TypeId

# As Spark's Thrift server reports types: both timestamp types share one id, and types that Hive lacks are strings.
TYPE_IDS: list[tuple[type[t.DataType], TypeId]] = [
    (t.NullType, TypeId.NULL),
    (t.BooleanType, TypeId.BOOLEAN),
    (t.ByteType, TypeId.TINYINT),
    (t.ShortType, TypeId.SMALLINT),
    (t.IntegerType, TypeId.INT),
    (t.LongType, TypeId.BIGINT),
    (t.FloatType, TypeId.FLOAT),
    (t.DoubleType, TypeId.DOUBLE),
    (t.DecimalType, TypeId.DECIMAL),
    (t.CharType, TypeId.CHAR),
    (t.VarcharType, TypeId.VARCHAR),
    (t.DateType, TypeId.DATE),
    (t.TimestampType, TypeId.TIMESTAMP),
    (t.TimestampNTZType, TypeId.TIMESTAMP),
    (t.BinaryType, TypeId.BINARY),
    (t.DayTimeIntervalType, TypeId.INTERVAL_DAY_TIME),
    (t.YearMonthIntervalType, TypeId.INTERVAL_YEAR_MONTH),
    (t.ArrayType, TypeId.ARRAY),
    (t.MapType, TypeId.MAP),
    (t.StructType, TypeId.STRUCT),
]


def type_id(kind: t.DataType) -> TypeId:
    return next((found for known, found in TYPE_IDS if isinstance(kind, known)), TypeId.STRING)


def type_desc(kind: t.DataType) -> Message:
    entry: Message = {"type": type_id(kind), "typeQualifiers": {"qualifiers": qualifiers(kind)}}
    return {"types": [{"primitiveEntry": entry}]}


def qualifiers(kind: t.DataType) -> Message:
    if isinstance(kind, t.DecimalType):
        return {"precision": {"i32Value": kind.precision}, "scale": {"i32Value": kind.scale}}
    if isinstance(kind, t.CharType | t.VarcharType):
        return {"characterMaximumLength": {"i32Value": kind.length}}
    return {}


def type_of_desc(desc: Message) -> t.DataType | None:
    """The type that a TTypeDesc describes; None for array, map and struct, whose element types it does not contain."""
    entry = next((item.get("primitiveEntry") for item in desc.get("types", [])), None)
    if entry is None:
        return None
    found = (entry.get("typeQualifiers") or {}).get("qualifiers", {})
    numbers = {name: value["i32Value"] for name, value in found.items() if "i32Value" in value}
    return from_type_id(entry.get("type", TypeId.STRING), numbers)


def from_type_id(identifier: int, numbers: dict[str, int]) -> t.DataType | None:
    if identifier == TypeId.DECIMAL:
        return t.DecimalType(numbers.get("precision", 38), numbers.get("scale", 18)) if numbers else None
    if identifier in (TypeId.CHAR, TypeId.VARCHAR):
        length = numbers.get("characterMaximumLength", 0)
        kind = t.CharType if identifier == TypeId.CHAR else t.VarcharType
        return kind(length) if length else t.StringType()
    if identifier == TypeId.INTERVAL_YEAR_MONTH:
        return YEAR_MONTH
    if identifier == TypeId.INTERVAL_DAY_TIME:
        return DAY_TIME
    return PLAIN[identifier]() if identifier in PLAIN else None


PLAIN: dict[int, Callable[[], t.DataType]] = {
    TypeId.NULL: t.NullType,
    TypeId.BOOLEAN: t.BooleanType,
    TypeId.TINYINT: t.ByteType,
    TypeId.SMALLINT: t.ShortType,
    TypeId.INT: t.IntegerType,
    TypeId.BIGINT: t.LongType,
    TypeId.FLOAT: t.FloatType,
    TypeId.DOUBLE: t.DoubleType,
    TypeId.STRING: t.StringType,
    TypeId.DATE: t.DateType,
    TypeId.TIMESTAMP: t.TimestampType,
    TypeId.TIMESTAMPLOCALTZ: t.TimestampType,
    TypeId.BINARY: t.BinaryType,
}
