"""The operators + and - with dates, timestamps and intervals."""

from __future__ import annotations

from dataclasses import replace

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.intervals import interval_arithmetic
from twinspark.functions.time.time_arithmetic import times_of_day
from twinspark.functions.time.timestamp_arithmetic import check_texts, timestamp_arithmetic
from twinspark.types import (
    DATE,
    DATETIME,
    INT,
    INTERVAL,
    TIMESTAMP,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    LongType,
    NullType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    is_integral,
    is_string,
)
from twinspark.types.duckdb import duck_type

TIMELY = (*DATETIME, *INTERVAL, CalendarIntervalType)


def datetime_arithmetic(call: Call) -> Typed | None:
    """+ and - with a date, timestamp or interval operand (BinaryArithmeticWithDatetimeResolver)."""
    left, right = call.types
    moves = isinstance(left, (*INTERVAL, CalendarIntervalType)) and isinstance(right, DATETIME)
    moves = moves or (isinstance(left, NullType) and isinstance(right, TimeType))
    days = isinstance(right, DateType) and not isinstance(left, (*TIMELY, NullType))
    if call.name == "+" and (moves or days):
        swapped = replace(call, arguments=(call.arguments[1], call.arguments[0]))
        return swap_operands(datetime_arithmetic(swapped))
    if isinstance(left, DateType) and is_integral(right):
        return add_days(call)
    if isinstance(left, DateType) and isinstance(right, YearMonthIntervalType):
        return add_months(call)
    if isinstance(left, DateType) and is_days(right):
        return interval_days(call)
    if call.name == "-" and is_day(left) and (isinstance(right, DateType) or (is_string(right) and call.settings.ansi)):
        check_texts(call)
        return days_between(call)
    if isinstance(left, NullType) or isinstance(right, NullType):
        return add_null(call)
    return times_of_day(call) or timestamp_arithmetic(call) or interval_arithmetic(call)


def is_day(type: DataType) -> bool:
    """A string next to a date is cast to a date."""
    return isinstance(type, DateType) or is_string(type)


def days_between(call: Call) -> Typed:
    writer = "CAST({0} - {1} AS BIGINT) * 86400000000"
    texts = any(map(is_string, call.types))
    casts = (DATE, DATE) if texts else None
    return Typed(DayTimeIntervalType(0, 0), call.any_nullable, casts, writer, add_nullable_casts=texts)


def add_null(call: Call) -> Typed | None:
    """Null, with the type that an interval operand would give; a date next to a null becomes a timestamp."""
    (other,) = [each for each in call.arguments if not isinstance(each.type, NullType)] or [call.arguments[0]]
    moment = isinstance(other.type, DateType | TimestampType | TimestampNTZType)
    if call.name == "+" and moment:
        kind: DataType = TIMESTAMP if isinstance(other.type, DateType) else other.type
        return Typed(kind, True, None, typed_null(kind), f"{other.text} + NULL")
    if moment:
        kind = DayTimeIntervalType(0, 0 if isinstance(other.type, DateType) else 3)
        return Typed(kind, True, None, typed_null(kind))
    if isinstance(other.type, INTERVAL):
        return Typed(other.type, True, None, typed_null(other.type))
    return times_of_day(call)


def typed_null(type: DataType) -> str:
    return f"CAST(NULL AS {duck_type(type)})"


def swap_operands(typed: Typed | None) -> Typed | None:
    """The operands are in the other order."""
    if typed is None or not isinstance(typed.writer, str):
        return None
    turned = typed.writer.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    casts = None if typed.casts is None else tuple(reversed(typed.casts))
    return replace(typed, casts=casts, writer=turned, add_nullable_casts=False)


def add_days(call: Call) -> Typed:
    date, days = call.arguments
    name = "date_add" if call.name == "+" else "date_sub"
    if isinstance(days.type, LongType):
        raise NotNative(reasons.DATETIME_ARITHMETIC, "a date and a bigint")
    return Typed(
        date.type, call.any_nullable, (None, INT), f"({{0}} {call.name} {{1}})", f"{name}({date.text}, {days.text})"
    )


def add_months(call: Call) -> Typed:
    date, months = call.arguments
    writer = f"CAST({{0}} {call.name} to_months({{1}}) AS DATE)"
    return Typed(date.type, call.any_nullable, None, writer, f"{date.text} {call.name} {months.text}")


def is_days(type: DataType) -> bool:
    return isinstance(type, DayTimeIntervalType) and type.startField == type.endField == 0


def interval_days(call: Call) -> Typed:
    date, days = call.arguments
    writer = f"({{0}} {call.name} CAST({{1}} // 86400000000 AS INTEGER))"
    moved = f"extractansiintervaldays({days.text})"
    text = f"date_add({date.text}, {moved if call.name == '+' else f'(- {moved})'})"
    return Typed(date.type, call.any_nullable, None, writer, text)
