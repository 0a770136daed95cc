"""The types that arithmetic and comparison cast their operands to, and the errors for invalid operands."""

from __future__ import annotations

import re
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import string_promotion, tightest_common_type
from twinspark.functions.notation.typing import Call, quote_expression, type_text, wrong_operand_type
from twinspark.types import (
    DOUBLE,
    INTERVAL,
    CalendarIntervalType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    decimal_for,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)

INTERVALS = (*INTERVAL, CalendarIntervalType)
INPUTS = {
    "pmod": '"NUMERIC"',
    "*": '"NUMERIC"',
    "%": '"NUMERIC"',
    "/": '("DOUBLE" or "DECIMAL")',
    "div": '("BIGINT" or "DECIMAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")',
}
ARITHMETIC_INPUT = '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'


def literal_decimal(argument: Any) -> DecimalType:
    """A whole-number literal next to a decimal becomes a decimal of just its digits (DataTypeUtils.fromLiteral)."""
    value = getattr(argument, "value", None)
    if isinstance(value, int) and not isinstance(value, bool):
        return DecimalType(max(len(str(abs(value))), 1), 0)
    return decimal_for(argument.type)


def operand_types(call: Call) -> tuple[DataType, DataType]:
    """The types that both operands are cast to before the operator's own rule (PromoteStrings, DecimalPrecision)."""
    left, right = call.types
    if is_string(left) != is_string(right):
        left, right = promoted_strings(call, left, right)
    if isinstance(left, DecimalType) != isinstance(right, DecimalType):
        left, right = types_next_to_decimal(call, left, right)
    return left, right


WHOLE_TEXT = re.compile(r"[+-]?[0-9]{1,18}")
FRACTION_TEXT = re.compile(r"[+-]?([0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?")


def is_number_text(value: str, other: DataType) -> bool:
    """Whether a string is certainly a number of the type (bigint or double) that it is cast to next to `other`."""
    return (WHOLE_TEXT if is_integral(other) else FRACTION_TEXT).fullmatch(value) is not None


def check_number_text(call: Call) -> None:
    """A constant string that is no number raises, but not next to a null, where Spark does not evaluate it."""
    for constant, other in (call.arguments, tuple(reversed(call.arguments))):
        value = getattr(constant, "value", None)
        if not isinstance(value, str) or not is_numeric(other.type) or not other.nullable:
            continue
        if not is_number_text(value, other.type):
            raise NotNative(reasons.ERROR_TIMING, "a string that may not be a number, with a nullable operand")


def promoted_strings(call: Call, left: DataType, right: DataType) -> tuple[DataType, DataType]:
    if call.settings.ansi:
        check_number_text(call)
        found = string_promotion(left, right, True)
        return (found, found) if found is not None else (left, right)
    return (DOUBLE if is_string(left) else left, DOUBLE if is_string(right) else right)


def types_next_to_decimal(call: Call, left: DataType, right: DataType) -> tuple[DataType, DataType]:
    def operand_type(argument: Any, type: DataType) -> DataType:
        if isinstance(type, DecimalType):
            return DOUBLE if isinstance(left, FLOATING) or isinstance(right, FLOATING) else type
        return literal_decimal(argument) if is_integral(type) and type == argument.type else decimal_of(type)

    return operand_type(call.arguments[0], left), operand_type(call.arguments[1], right)


FLOATING = FloatType | DoubleType


def decimal_of(type: DataType) -> DataType:
    return decimal_for(type) if is_integral(type) else type


def invalid_operands(call: Call, left: DataType, right: DataType, required: str) -> SparkError:
    """The error for invalid operands; those that Spark does not cast to a common type are reported as different
    types."""
    return wrong_operand_type(call, required, left) if left == right else uncast_operands(call)


def uncast_operands(call: Call) -> SparkError:
    """Without ANSI, a string becomes a number before the operator's rule, unless the other operand is an interval."""
    types = (call.types, call.types[::-1])
    left, right = (
        DOUBLE if is_string(own) and not call.settings.ansi and not isinstance(other, INTERVALS) else own
        for own, other in types
    )
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        sqlExpr=quote_expression(call.text),
        left=type_text(left),
        right=type_text(right),
    )


def numeric_operands(call: Call, nothing: DataType = DOUBLE) -> tuple[DataType, DataType]:
    """`nothing` is the type of two untyped nulls."""
    left, right = operand_types(call)
    if is_null(left) and is_null(right):
        return nothing, nothing
    if not call.settings.ansi and is_string(left) and is_string(right):
        return DOUBLE, DOUBLE
    if not (isinstance(left, DecimalType) and isinstance(right, DecimalType)):
        found = tightest_common_type(left, right, call.settings.ansi)
        if found is None or (left != right and not is_numeric(found)):
            raise uncast_operands(call)
        left = right = found
    if not is_numeric(left):
        raise wrong_operand_type(call, INPUTS.get(call.name, ARITHMETIC_INPUT), left)
    return left, right
