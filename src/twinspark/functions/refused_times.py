"""What + - * / say of operands that do not go together, where a date, a timestamp or an interval is among them.

Spark first chooses by the types what the operator means (BinaryArithmeticWithDatetimeResolver): moving a moment,
counting days, scaling an interval. Then that function is the one which refuses its arguments. Recorded of all pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import Call, quoted, type_text, wrong_operand_type
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


def refused(call: Call) -> Exception:
    """The error; NotNative for operands that do go together."""
    if any(isinstance(type, TimeType) for type in call.types):
        return NotNative(f"{call.name} of a time of day and something else")  # not recorded
    found = RULES[call.name](call)
    return found or NotNative(f"{call.name} of these dates or intervals")


def unexpected(shown: str, place: str, required: str, argument: Any, type: DataType | None = None) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlExpr=quoted(shown),
        paramIndex=place,
        requiredType=required,
        inputSql=quoted(argument.text),
        inputType=type_text(type or argument.type),
    )


def is_moment(type: DataType) -> bool:
    """Or becomes one by itself."""
    return isinstance(type, (*MOMENTS, DateType)) or is_string(type) or is_null(type)


def added(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, SPANS):
        return moved(left, right, right.text)
    if isinstance(left.type, SPANS):
        return moved(right, left, left.text)
    if isinstance(left.type, DateType):
        return days_moved("date_add", left, right, call)
    if isinstance(right.type, DateType) and is_string(left.type) and call.settings.ansi:
        return days_moved("date_add", left, right, call)  # the text is the date then
    if isinstance(right.type, DateType):
        return days_moved("date_add", right, left, call)
    return different(call)


def moved(moment: Any, span: Any, shown: str) -> SparkError | None:
    if is_moment(moment.type) or moment.type.__class__ is span.type.__class__:
        return None
    return unexpected(f"{moment.text} + {shown}", "first", A_MOMENT, moment)


def days_moved(name: str, date: Any, days: Any, call: Call) -> SparkError | None:
    if is_null(days.type) or isinstance(days.type, YearMonthIntervalType):
        return None
    read = (DATE if call.settings.ansi else DOUBLE) if is_string(days.type) else None  # as what Spark tried it
    return unexpected(f"{name}({date.text}, {days.text})", "second", SOME_DAYS, days, read)


def subtracted(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, SPANS):
        return moved(left, right, f"(- {right.text})")
    if isinstance(left.type, MOMENTS) or isinstance(right.type, MOMENTS):
        return not_moments(call)
    if isinstance(right.type, DateType):
        return None if is_moment(left.type) else unexpected(call.text, "first", '"DATE"', left)
    if isinstance(left.type, DateType):
        is_date = is_string(right.type) and call.settings.ansi
        return None if is_date else days_moved("date_sub", left, right, call)
    return different(call)


def not_moments(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(right.type, YearMonthIntervalType) and isinstance(left.type, MOMENTS):
        return None
    for place, argument in (("first", left), ("second", right)):
        text = is_string(argument.type) and not call.settings.ansi  # becomes a moment only with ANSI
        if text or not is_moment(argument.type):
            return unexpected(call.text, place, A_MOMENT, argument)
    return None


def multiplied(call: Call) -> SparkError | None:
    """Of two intervals the one of the calendar is multiplied, else the one of months, else the left one."""
    left, right = call.arguments
    for kind in (CalendarIntervalType, YearMonthIntervalType, DayTimeIntervalType):
        for interval, number in ((left, right), (right, left)):
            if isinstance(interval.type, kind):
                return scaled("multiply", interval, number, "*")
    return different(call)


def divided(call: Call) -> SparkError | None:
    left, right = call.arguments
    if isinstance(left.type, (*INTERVAL, CalendarIntervalType)):
        return scaled("divide", left, right, "/")
    return different(call)


def scaled(name: str, interval: Any, number: Any, operator: str) -> SparkError | None:
    if is_numeric(number.type) or is_string(number.type) or is_null(number.type):
        return None
    if isinstance(interval.type, CalendarIntervalType):
        return unexpected(f"{name}_interval({interval.text}, {number.text})", "second", '"DOUBLE"', number)
    return unexpected(f"({interval.text} {operator} {number.text})", "second", '"NUMERIC"', number)


def different(call: Call) -> SparkError | None:
    left, right = (read_as(a.type, b.type, call) for a, b in (call.arguments, reversed(call.arguments)))
    if left == right and call.name in REQUIRED and not isinstance(left, INTERVAL):
        return wrong_operand_type(call, REQUIRED[call.name], left)
    if call.name in "+-" and ((is_null(left) or is_null(right)) or left.__class__ is right.__class__):
        return None
    return SparkError(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        sqlExpr=quoted(call.text),
        left=type_text(left),
        right=type_text(right),
    )


def read_as(type: DataType, other: DataType, call: Call) -> DataType:
    """A string beside a moment is one, with ANSI; else it is a number."""
    if not is_string(type) or not isinstance(other, (*MOMENTS, DateType)):
        return type
    return other if call.settings.ansi else DOUBLE


RULES: dict[str, Callable[[Call], SparkError | None]] = {
    "+": added,
    "-": subtracted,
    "*": multiplied,
    "/": divided,
}
