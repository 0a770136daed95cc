"""Connect's Literal messages as constants."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from twinspark.analysis import build
from twinspark.errors import NotNative
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
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    YEAR_MONTH,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    TimeType,
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
SPECIALIZED: dict[str, DataType] = {
    "bools": BOOLEAN,
    "ints": INT,
    "longs": LONG,
    "floats": FLOAT,
    "doubles": DOUBLE,
    "strings": STRING,
}


def read_literal(message: Any, settings: Settings) -> Literal:
    value, type = literal_value(message)
    return build.literal(value, type, settings)


def literal_value(message: Any) -> tuple[Any, DataType]:
    """The Python value of a constant and its type."""
    kind = message.WhichOneof("literal_type")
    if kind in PLAIN:
        return getattr(message, kind), PLAIN[kind]
    if kind == "null":
        return None, read_type(message.null) if message.null.WhichOneof("kind") else NULL
    if kind == "decimal":
        return decimal_value(message.decimal)
    if kind == "time":
        return time_value(message.time)
    if kind == "array":
        return array_value(message)
    if kind == "map":
        return map_value(message)
    if kind == "struct":
        return struct_value(message)
    if kind == "specialized_array":
        return specialized_value(message.specialized_array)
    raise NotNative(TO_SPARK.get(kind or "", f"a {kind} constant"))


def time_value(message: Any) -> tuple[int, DataType]:
    if not 0 <= message.nano < 86_400_000_000_000:
        raise NotNative("a constant beyond the day")
    return message.nano, TimeType(message.precision if message.HasField("precision") else 6)


def specialized_value(message: Any) -> tuple[list[Any], DataType]:
    """An array of plain values, none of them null."""
    kind = message.WhichOneof("value_type")
    return list(getattr(message, kind).values), ArrayType(SPECIALIZED[kind], False)


def decimal_value(message: Any) -> tuple[Decimal, DataType]:
    value = Decimal(message.value)
    least = build_decimal_type(value)
    precision = max(least.precision, message.precision) if message.HasField("precision") else least.precision
    scale = max(least.scale, message.scale) if message.HasField("scale") else least.scale
    return value, DecimalType(max(precision, scale), scale)


def build_decimal_type(value: Decimal) -> DecimalType:
    from_value = build.literal(value).type
    assert isinstance(from_value, DecimalType)
    return from_value


def declared_type(message: Any, old: Any) -> DataType | None:
    """Clients of 4.1 and later say the whole type; older ones say the parts."""
    if message.HasField("data_type") and message.data_type.WhichOneof("kind"):
        return read_type(message.data_type)
    return read_type(old) if old is not None and old.WhichOneof("kind") else None


def array_value(message: Any) -> tuple[list[Any], DataType]:
    values = [literal_value(element) for element in message.array.elements]
    declared = declared_type(message, None)
    if isinstance(declared, ArrayType):
        return [value for value, _ in values], declared
    element = declared_type(message, message.array.element_type) or (values[0][1] if values else NULL)
    nulls = any(value is None for value, _ in values)
    return [value for value, _ in values], ArrayType(element, nulls or not values)


def map_value(message: Any) -> tuple[list[tuple[Any, Any]], DataType]:
    keys = [literal_value(key) for key in message.map.keys]
    values = [literal_value(value) for value in message.map.values]
    pairs = [(key, value) for (key, _), (value, _) in zip(keys, values, strict=True)]
    declared = declared_type(message, None)
    if isinstance(declared, MapType):
        return pairs, declared
    key_type = declared_type(message, message.map.key_type) or (keys[0][1] if keys else NULL)
    value_type = declared_type(message, message.map.value_type) or (values[0][1] if values else NULL)
    return pairs, MapType(key_type, value_type, any(value is None for _, value in pairs))


def struct_value(message: Any) -> tuple[tuple[Any, ...], DataType]:
    values = tuple(literal_value(element)[0] for element in message.struct.elements)
    type = declared_type(message, message.struct.struct_type)
    if not isinstance(type, StructType):
        raise NotNative("a struct constant without a type")
    return values, type
