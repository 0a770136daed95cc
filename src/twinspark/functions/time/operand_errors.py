"""The errors of + - * / for invalid operands, one of which is a date, timestamp or interval.

Spark first decides by the types what the operator means (BinaryArithmeticWithDatetimeResolver): to add an interval,
count days or scale an interval. Then the chosen expression reports its invalid arguments. Recorded from Spark for all
pairs of types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import Call, quote_expression, type_text, wrong_operand_type
from twinspark.types import (
    DATE,
    DOUBLE,
    INTERVAL,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    is_null,
    is_numeric,
    is_string,
)

MOMENTS = (TimestampType, TimestampNTZType)
SPANS = (CalendarIntervalType, DayTimeIntervalType)
A_MOMENT = '"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)"'
SOME_DAYS = '("INT" or "SMALLINT" or "TINYINT")'
REQUIRED = {
    "+": '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")',
    "*": '"NUMERIC"',
    "/": '("DOUBLE" or "DECIMAL")',
}


def operand_error(call: Call) -> Exception:
    """The error; raises NotNative for valid operands."""
    if any(isinstance(type, TimeType) for type in call.types):
        return NotNative(
            reasons.DATETIME_ARITHMETIC, f"{call.name} of a TIME value and a value of another type"
        )  # not recorded
    found = RULES[call.name](call)
    return found or NotNative(reasons.DATETIME_ARITHMETIC, call.name)


def unexpected_operand(
    shown: str, ordinal: str, required: str, argument: Any, type: DataType | None = None
) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quote_expression(shown),
        paramIndex=ordinal,
        requiredType=required,
        inputSql=quote_expression(argument.text),
        inputType=type_text(type or argument.type),
    )


def is_moment(type: DataType) -> bool:
    """Whether the type is a date or timestamp, or is implicitly cast to one."""
    return isinstance(type, (*MOMENTS, DateType)) or is_string(type) or is_null(type)


def addition_error(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, SPANS):
        return interval_addition_error(left, right, right.text)
    if isinstance(left.type, SPANS):
        return interval_addition_error(right, left, left.text)
    if isinstance(left.type, DateType):
        return date_add_error("date_add", left, right, call)
    if isinstance(right.type, DateType) and is_string(left.type) and call.settings.ansi:
        return date_add_error("date_add", left, right, call)  # the string is the date
    if isinstance(right.type, DateType):
        return date_add_error("date_add", right, left, call)
    return different(call)


def interval_addition_error(moment: Any, span: Any, shown: str) -> SparkError | None:
    if is_moment(moment.type) or moment.type.__class__ is span.type.__class__:
        return None
    return unexpected_operand(f"{moment.text} + {shown}", "first", A_MOMENT, moment)


def date_add_error(name: str, date: Any, days: Any, call: Call) -> SparkError | None:
    if is_null(days.type) or isinstance(days.type, YearMonthIntervalType):
        return None
    # the type to which Spark tried to cast it
    read = (DATE if call.settings.ansi else DOUBLE) if is_string(days.type) else None
    return unexpected_operand(f"{name}({date.text}, {days.text})", "second", SOME_DAYS, days, read)


def subtraction_error(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, SPANS):
        return interval_addition_error(left, right, f"(- {right.text})")
    if isinstance(left.type, MOMENTS) or isinstance(right.type, MOMENTS):
        return not_moments(call)
    if isinstance(right.type, DateType):
        return None if is_moment(left.type) else unexpected_operand(call.text, "first", '"DATE"', left)
    if isinstance(left.type, DateType):
        is_date = is_string(right.type) and call.settings.ansi
        return None if is_date else date_add_error("date_sub", left, right, call)
    return different(call)


def not_moments(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, YearMonthIntervalType) and isinstance(left.type, MOMENTS):
        return None
    for place, argument in (("first", left), ("second", right)):
        text = is_string(argument.type) and not call.settings.ansi  # a string is cast to a timestamp only under ANSI
        if text or not is_moment(argument.type):
            return unexpected_operand(call.text, place, A_MOMENT, argument)
    return None


def multiplication_error(call: Call) -> SparkError | None:
    """Of two intervals, Spark multiplies the calendar interval, else the year-month interval, else the left one."""
    left, right = call.arguments
    for kind in (CalendarIntervalType, YearMonthIntervalType, DayTimeIntervalType):
        for interval, number in ((left, right), (right, left)):
            if isinstance(interval.type, kind):
                return scaling_error("multiply", interval, number, "*")
    return different(call)


def division_error(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(left.type, (*INTERVAL, CalendarIntervalType)):
        return scaling_error("divide", left, right, "/")
    return different(call)


def scaling_error(name: str, interval: Any, number: Any, operator: str) -> SparkError | None:
    if is_numeric(number.type) or is_string(number.type) or is_null(number.type):
        return None
    if isinstance(interval.type, CalendarIntervalType):
        return unexpected_operand(f"{name}_interval({interval.text}, {number.text})", "second", '"DOUBLE"', number)
    return unexpected_operand(f"({interval.text} {operator} {number.text})", "second", '"NUMERIC"', number)


def different(call: Call) -> SparkError | None:
    left, right = (read_as(a.type, b.type, call) for a, b in (call.arguments, reversed(call.arguments)))
    if left == right and call.name in REQUIRED and not isinstance(left, INTERVAL):
        return wrong_operand_type(call, REQUIRED[call.name], left)
    if call.name in "+-" and ((is_null(left) or is_null(right)) or left.__class__ is right.__class__):
        return None
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        sqlExpr=quote_expression(call.text),
        left=type_text(left),
        right=type_text(right),
    )


def read_as(type: DataType, other: DataType, call: Call) -> DataType:
    """With ANSI, a string next to a date or timestamp is cast to one; otherwise to a number."""
    if not is_string(type) or not isinstance(other, (*MOMENTS, DateType)):
        return type
    return other if call.settings.ansi else DOUBLE


RULES: dict[str, Callable[[Call], SparkError | None]] = {
    "+": addition_error,
    "-": subtraction_error,
    "*": multiplication_error,
    "/": division_error,
}
