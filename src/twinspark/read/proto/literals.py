"""Connect's Literal messages as constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from twinspark.analysis import build
from twinspark.errors import NotNative, SparkError
from twinspark.functions.settings import Settings
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


TO_SPARK = {
    "calendar_interval": "constants of months, days and microseconds at once",
}
DAY = 86_400_000_000


def read_literal(message: Any, settings: Settings) -> Literal:
    value, type = literal_value(message)
    if any(map(is_collated, nested_types(type))):
        raise NotNative("a constant of another collation")
    return build.literal(value, type, settings)


def literal_value(message: Any) -> tuple[Any, DataType]:
    """The Python value of a constant and its type, which says how the parts inside are to be read."""
    type = literal_type(message)
    return value_of(message, type), type


# ---- types


def literal_type(message: Any) -> DataType:
    """Clients of 4.1 and later may say the whole type; of others the kind says it, or a part of the message."""
    kind = message.WhichOneof("literal_type")
    if kind in TO_SPARK:
        raise NotNative(TO_SPARK[kind])
    if message.HasField("data_type"):
        check_compatible(message, kind)
        return known_type(message.data_type)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind not in OLD:
        number = message.DESCRIPTOR.fields_by_name[kind].number if kind else 0
        told = f"{enum_name(kind, 'LITERALTYPE_NOT_SET')}({number})"
        raise SparkError("CONNECT_INVALID_PLAN.UNSUPPORTED_LITERAL_TYPE", typeInfo=told)
    return OLD[kind](getattr(message, kind))


def check_compatible(message: Any, kind: str | None) -> None:
    declared = message.data_type.WhichOneof("kind")
    if kind not in ("null", declared) or kind is None:
        raise SparkError(
            "CONNECT_INVALID_PLAN.INCOMPATIBLE_LITERAL_DATA_TYPE",
            dataTypeKindCase=enum_name(declared, "KIND_NOT_SET"),
            literalTypeCase=enum_name(kind, "LITERALTYPE_NOT_SET"),
        )


def enum_name(member: str | None, unset: str) -> str:
    """As Java names the member of a oneof."""
    return member.upper() if member else unset


def known_type(message: Any) -> DataType:
    if message.WhichOneof("kind") in (None, "unparsed"):
        told = enum_name(message.WhichOneof("kind"), "KIND_NOT_SET")
        raise SparkError("CONNECT_INVALID_PLAN.DATA_TYPE_UNSUPPORTED_PROTO_TO_CATALYST", kindCase=told)
    return read_type(message)


def decimal_type(message: Any) -> DataType:
    least = build.literal(Decimal(message.value)).type
    assert isinstance(least, DecimalType)
    precision = max(least.precision, message.precision) if message.HasField("precision") else least.precision
    scale = max(least.scale, message.scale) if message.HasField("scale") else least.scale
    return DecimalType(max(precision, scale), scale)


def time_type(message: Any) -> DataType:
    return TimeType(message.precision if message.HasField("precision") else 6)


def array_type(message: Any) -> DataType:
    if not message.HasField("element_type"):
        raise SparkError("CONNECT_INVALID_PLAN.ARRAY_LITERAL_MISSING_DATA_TYPE")
    return ArrayType(known_type(message.element_type), True)


def map_type(message: Any) -> DataType:
    if not (message.HasField("key_type") and message.HasField("value_type")):
        raise SparkError("CONNECT_INVALID_PLAN.MAP_LITERAL_MISSING_DATA_TYPE")
    return MapType(known_type(message.key_type), known_type(message.value_type), True)


def struct_type(message: Any) -> DataType:
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


def value_of(message: Any, type: DataType) -> Any:
    """What stands inside an array, a map or a struct is of the type that these declare."""
    kind = message.WhichOneof("literal_type")
    if kind == "null":
        return None
    if kind is None or not isinstance(type, CLASSES.get(kind, ())):
        raise NotNative(f"a constant of kind {kind} where {type.simpleString()} is declared")
    read = VALUES.get(kind)
    return read(getattr(message, kind), type) if read else getattr(message, kind)


def decimal_value(message: Any, type: Any) -> Decimal:
    value = Decimal(message.value).quantize(Decimal(1).scaleb(-type.scale), ROUND_HALF_UP, Context(prec=76))
    if len(value.as_tuple().digits) > type.precision:
        raise NotNative("a decimal beyond its type")
    return value


def months_value(months: int, type: Any) -> int:
    return months - int(math.fmod(months, 12)) if type.endField == YearMonthIntervalType.YEAR else months


def microseconds_value(microseconds: int, type: Any) -> int:
    """Cut towards zero after the last field (SparkIntervalUtils.durationToMicros)."""
    unit = {0: DAY, 1: DAY // 24, 2: DAY // 1440}.get(type.endField, 1)
    return microseconds - (abs(microseconds) % unit) * (-1 if microseconds < 0 else 1)


def time_value(message: Any, type: Any) -> int:
    if not 0 <= message.nano < DAY * 1000:
        raise NotNative("a constant beyond the day")
    return int(message.nano)


def array_value(message: Any, type: Any) -> list[Any]:
    return [value_of(element, type.elementType) for element in message.elements]


def map_value(message: Any, type: Any) -> list[tuple[Any, Any]]:
    """Of equal keys the first place and the last value."""
    pairs = [
        (value_of(key, type.keyType), value_of(value, type.valueType))
        for key, value in zip(message.keys, message.values, strict=True)
    ]
    if isinstance(type.keyType, ArrayType | MapType | StructType | FloatType | DoubleType):
        return pairs if len(pairs) < 2 else not_told_apart()
    return list(dict(pairs).items())


def not_told_apart() -> Any:
    raise NotNative("a map constant of several keys that are nested or have a fraction")


def struct_value(message: Any, type: Any) -> tuple[Any, ...]:
    if len(message.elements) != len(type.fields):
        raise NotNative("a struct constant with other than its fields")
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
