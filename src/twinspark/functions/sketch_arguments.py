"""What the functions of sketches take: exactly these types, without a cast, and some constants."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.typing import Call
from twinspark.types import (
    BINARY,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    ArrayType,
    DataType,
    is_collated,
    is_null,
    is_string,
    same_type,
)

KEYS: tuple[DataType, ...] = (ArrayType(INT), ArrayType(LONG), BINARY, DOUBLE, FLOAT, INT, LONG, STRING)
SKETCH: tuple[DataType, ...] = (BINARY,)
Casts = list[DataType | None]


def expects(call: Call, *parameters: tuple[DataType, ...]) -> Casts:
    """The casts of a call: only a null without a type is cast. Spark itself says what is wrong with another type."""
    return [cast_of(call, type, wanted) for type, wanted in zip(call.types, parameters, strict=False)]


def cast_of(call: Call, type: DataType, wanted: tuple[DataType, ...]) -> DataType | None:
    if is_null(type):
        return wanted[0]
    if is_collated(type) or not any(fits(type, one) for one in wanted):
        raise NotNative(f"{call.name} of {type.simpleString()}")
    return None


def fits(type: DataType, wanted: DataType) -> bool:
    return same_type(type, wanted) or (is_string(type) and is_string(wanted))


def constant(call: Any, index: int, default: Any) -> Any:
    """The value of an argument that must be a constant, or the default of one left out."""
    if index >= len(call.arguments):
        return default
    value = getattr(call.arguments[index], "value", None)
    if value is None:
        raise NotNative(f"{call.name} with a constant that is none, or is null")
    return value


def check_between(call: Call, index: int, default: int, least: int, most: int) -> None:
    """A size; of one out of bounds Spark says so."""
    value = constant(call, index, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise NotNative(f"{call.name} with a size of {value}")
