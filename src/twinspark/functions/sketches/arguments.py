"""Checks the arguments of sketch functions: exact types without casts (ExpectsInputTypes), and constants."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import (
    Call,
    any_of,
    is_null_constant,
    quote_expression,
    unexpected_input_type,
    unexpected_null,
)
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
    """The casts of a call: only an untyped null is cast, other types are errors."""
    return [cast_of(call, index, wanted) for index, wanted in enumerate(parameters[: len(call.arguments)])]


def cast_of(call: Call, index: int, wanted: tuple[DataType, ...]) -> DataType | None:
    type = call.types[index]
    if is_null(type):
        return wanted[0]
    if is_collated(type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
    if not any(fits(type, one) for one in wanted):
        raise unexpected_input_type(call, index, any_of(wanted))
    return None


def fits(type: DataType, wanted: DataType) -> bool:
    return same_type(type, wanted) or (is_string(type) and is_string(wanted))


def cast_or_fall_back(call: Call, index: int, wanted: tuple[DataType, ...]) -> DataType | None:
    """As `cast_of`, for functions that cast other types implicitly: those fall back."""
    type = call.types[index]
    if not is_null(type) and not any(fits(type, one) for one in wanted):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {type.simpleString()}")
    return cast_of(call, index, wanted)


def constant(call: Any, index: int, default: Any) -> Any:
    """The value of an argument that must be a constant, or the default if it is missing."""
    if index >= len(call.arguments):
        return default
    value = getattr(call.arguments[index], "value", None)
    if value is None:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, call.name)
    return value


def check_between(call: Call, index: int, default: int, least: int, most: int) -> None:
    """Checks a size; a size out of bounds falls back, since Spark reports it while the query runs."""
    value = constant(call, index, default)
    if not is_between(value, least, most):
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{call.name} with the size {value}")


def is_between(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def check_not_null(call: Call, index: int, name: str) -> None:
    argument = call.arguments[index] if index < len(call.arguments) else None
    if argument is not None and is_null_constant(argument):
        raise unexpected_null(call, name)


def failed_check(call: Call, error: SparkError) -> SparkError:
    """The analysis error for a value whose check raised an error of its own (TypeCheckFailure)."""
    text = quote_expression(call.text)
    return SparkError("DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT", sqlExpr=text, msg=str(error), hint="")
