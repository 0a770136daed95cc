"""Checks the arguments of sketch functions: exact types without casts, and constants."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.typing import Call
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
    """The casts of a call: only an untyped null is cast. Other types fall back, since Spark reports them as errors."""
    return [cast_of(call, type, wanted) for type, wanted in zip(call.types, parameters, strict=False)]


def cast_of(call: Call, type: DataType, wanted: tuple[DataType, ...]) -> DataType | None:
    if is_null(type):
        return wanted[0]
    if is_collated(type) or not any(fits(type, one) for one in wanted):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
    return None


def fits(type: DataType, wanted: DataType) -> bool:
    return same_type(type, wanted) or (is_string(type) and is_string(wanted))


def constant(call: Any, index: int, default: Any) -> Any:
    """The value of an argument that must be a constant, or the default if it is missing."""
    if index >= len(call.arguments):
        return default
    value = getattr(call.arguments[index], "value", None)
    if value is None:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, call.name)
    return value


def check_between(call: Call, index: int, default: int, least: int, most: int) -> None:
    """Checks a size; a size out of bounds falls back, since Spark reports it as an error."""
    value = constant(call, index, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} with the size {value}")
