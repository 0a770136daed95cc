"""Reads Connect's Literal messages into literals."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2, types_pb2

from twinspark.analysis.expressions import build
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Literal
from twinspark.read.proto.types import read_type
from twinspark.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DAY_TIME,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    YEAR_MONTH,
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    StructType,
    TimeType,
    YearMonthIntervalType,
    is_collated,
    nested_types,
)

PLAIN: dict[str, DataType] = {
    "binary": BINARY,
    "boolean": BOOLEAN,
    "byte": BYTE,
    "short": SHORT,
    "integer": INT,
    "long": LONG,
    "float": FLOAT,
    "double": DOUBLE,
    "string": STRING,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
    "year_month_interval": YEAR_MONTH,
    "day_time_interval": DAY_TIME,
}


TO_SPARK = {"calendar_interval": reasons.INTERVAL_CALENDAR}
DAY = 86_400_000_000


def read_literal(message: expressions_pb2.Expression.Literal, settings: Settings) -> Literal:
    value, type = literal_value(message)
    if any(map(is_collated, nested_types(type))):
        raise NotNative(reasons.COLLATION_FUNCTION, "a constant")
    return build.literal(value, type, settings)


def literal_value(message: expressions_pb2.Expression.Literal) -> tuple[Any, DataType]:
    """The Python value of a literal and its type, which determines how nested values are read."""
    type = literal_type(message)
    return value_of(message, type), type


# ---- types


def literal_type(message: expressions_pb2.Expression.Literal) -> DataType:
    """Clients from 4.1 on may send the complete type; otherwise it follows from the kind of literal or a nested
    message."""
    kind = message.WhichOneof("literal_type")
    if kind in TO_SPARK:
        raise NotNative(TO_SPARK[kind], "a constant")
    if message.HasField("data_type"):
        check_compatible(message, kind)
        return known_type(message.data_type)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind not in OLD:
        number = message.DESCRIPTOR.fields_by_name[kind].number if kind else 0
        type_info = f"{enum_name(kind, 'LITERALTYPE_NOT_SET')}({number})"
        raise SparkError("CONNECT_INVALID_PLAN.UNSUPPORTED_LITERAL_TYPE", typeInfo=type_info)
    return OLD[kind](getattr(message, kind))


def check_compatible(message: expressions_pb2.Expression.Literal, kind: str | None) -> None:
    declared = message.data_type.WhichOneof("kind")
    if kind not in ("null", declared) or kind is None:
        raise SparkError(
            "CONNECT_INVALID_PLAN.INCOMPATIBLE_LITERAL_DATA_TYPE",
            dataTypeKindCase=enum_name(declared, "KIND_NOT_SET"),
            literalTypeCase=enum_name(kind, "LITERALTYPE_NOT_SET"),
        )


def enum_name(member: str | None, unset: str) -> str:
    """The name of a oneof member in Java's enum."""
    return member.upper() if member else unset


def known_type(message: types_pb2.DataType) -> DataType:
    if message.WhichOneof("kind") in (None, "unparsed"):
        kind_case = enum_name(message.WhichOneof("kind"), "KIND_NOT_SET")
        raise SparkError("CONNECT_INVALID_PLAN.DATA_TYPE_UNSUPPORTED_PROTO_TO_CATALYST", kindCase=kind_case)
    return read_type(message)


def decimal_type(message: expressions_pb2.Expression.Literal.Decimal) -> DataType:
    least = build.literal(Decimal(message.value)).type
    assert isinstance(least, DecimalType)
    precision = max(least.precision, message.precision) if message.HasField("precision") else least.precision
    scale = max(least.scale, message.scale) if message.HasField("scale") else least.scale
    return DecimalType(max(precision, scale), scale)


def time_type(message: expressions_pb2.Expression.Literal.Time) -> DataType:
    return TimeType(message.precision if message.HasField("precision") else 6)


def array_type(message: expressions_pb2.Expression.Literal.Array) -> DataType:
    if not message.HasField("element_type"):
        raise SparkError("CONNECT_INVALID_PLAN.ARRAY_LITERAL_MISSING_DATA_TYPE")
    return ArrayType(known_type(message.element_type), True)


def map_type(message: expressions_pb2.Expression.Literal.Map) -> DataType:
    if not (message.HasField("key_type") and message.HasField("value_type")):
        raise SparkError("CONNECT_INVALID_PLAN.MAP_LITERAL_MISSING_DATA_TYPE")
    return MapType(known_type(message.key_type), known_type(message.value_type), True)


def struct_type(message: expressions_pb2.Expression.Literal.Struct) -> DataType:
    if not message.HasField("struct_type"):
        raise SparkError("CONNECT_INVALID_PLAN.STRUCT_LITERAL_MISSING_DATA_TYPE")
    return known_type(message.struct_type)


OLD: dict[str, Callable[[Any], DataType]] = {
    "null": known_type,
    "decimal": decimal_type,
    "time": time_type,
    "array": array_type,
    "map": map_type,
    "struct": struct_type,
}


# ---- values


def value_of(message: expressions_pb2.Expression.Literal, type: DataType) -> Any:
    """Nested values have the type that the array, map or struct declares."""
    kind = message.WhichOneof("literal_type")
    if kind == "null":
        return None
    if kind is None or not isinstance(type, CLASSES.get(kind, ())):
        raise NotNative(reasons.LITERAL, f"a {kind} declared as {type.simpleString()}")
    read = VALUES.get(kind)
    return read(getattr(message, kind), type) if read else getattr(message, kind)


def decimal_value(message: expressions_pb2.Expression.Literal.Decimal, type: Any) -> Decimal:
    value = Decimal(message.value).quantize(Decimal(1).scaleb(-type.scale), ROUND_HALF_UP, Context(prec=76))
    if len(value.as_tuple().digits) > type.precision:
        raise NotNative(reasons.LITERAL, "a decimal that its type cannot hold")
    return value


def months_value(months: int, type: Any) -> int:
    return months - int(math.fmod(months, 12)) if type.endField == YearMonthIntervalType.YEAR else months


def microseconds_value(microseconds: int, type: Any) -> int:
    """Truncated towards zero after the last field (SparkIntervalUtils.durationToMicros)."""
    unit = {0: DAY, 1: DAY // 24, 2: DAY // 1440}.get(type.endField, 1)
    return microseconds - (abs(microseconds) % unit) * (-1 if microseconds < 0 else 1)


def time_value(message: expressions_pb2.Expression.Literal.Time, type: Any) -> int:
    if not 0 <= message.nano < DAY * 1000:
        raise NotNative(reasons.LITERAL, "a TIME outside the day")
    return int(message.nano)


def array_value(message: expressions_pb2.Expression.Literal.Array, type: Any) -> list[Any]:
    return [value_of(element, type.elementType) for element in message.elements]


def map_value(message: expressions_pb2.Expression.Literal.Map, type: Any) -> list[tuple[Any, Any]]:
    """Of equal keys, the position of the first and the value of the last are used."""
    if len(message.keys) != len(message.values):
        raise NotNative(reasons.LITERAL, "a map with different numbers of keys and values")
    pairs = [
        (value_of(key, type.keyType), value_of(value, type.valueType))
        for key, value in zip(message.keys, message.values, strict=True)
    ]
    if isinstance(type.keyType, ArrayType | MapType | StructType | FloatType | DoubleType):
        return pairs if len(pairs) < 2 else reject_map_keys()
    return list(dict(pairs).items())


def reject_map_keys() -> Any:
    raise NotNative(reasons.LITERAL, "a map of several keys that are nested or fractional")


def struct_value(message: expressions_pb2.Expression.Literal.Struct, type: Any) -> tuple[Any, ...]:
    if len(message.elements) != len(type.fields):
        raise NotNative(reasons.LITERAL, "a struct with other fields than its type")
    return tuple(value_of(one, field.dataType) for one, field in zip(message.elements, type.fields, strict=True))


CLASSES: dict[str, Any] = {
    **{kind: type.__class__ for kind, type in PLAIN.items()},
    "decimal": DecimalType,
    "time": TimeType,
    "array": ArrayType,
    "map": MapType,
    "struct": StructType,
}
VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "decimal": decimal_value,
    "year_month_interval": months_value,
    "day_time_interval": microseconds_value,
    "time": time_value,
    "array": array_value,
    "map": map_value,
    "struct": struct_value,
}
