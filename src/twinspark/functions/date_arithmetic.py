"""+ and - where a date, a timestamp or an interval takes part."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.intervals import interval_arithmetic
from twinspark.functions.time_arithmetic import timestamp_arithmetic
from twinspark.functions.time_moves import times_of_day
from twinspark.functions.typing import (
    Call,
    Typed,
)
from twinspark.types import (
    DATETIME,
    INT,
    INTERVAL,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    LongType,
    NullType,
    TimeType,
    YearMonthIntervalType,
    is_integral,
)

TIMELY = (*DATETIME, *INTERVAL, CalendarIntervalType)


def timely(call: Call) -> Typed | None:
    """+ and - where a date, a timestamp or an interval takes part (BinaryArithmeticWithDatetimeResolver)."""
    left, right = call.types
    moves = isinstance(left, (*INTERVAL, CalendarIntervalType)) and isinstance(right, DATETIME)
    moves = moves or (isinstance(left, NullType) and isinstance(right, TimeType))
    days = isinstance(right, DateType) and not isinstance(left, (*TIMELY, NullType))
    if call.name == "+" and (moves or days):
        swapped = Call("+", (call.arguments[1], call.arguments[0]), call.settings, call.text)
        return replace_order(timely(swapped))
    if isinstance(left, DateType) and is_integral(right):
        return days_moved(call)
    if isinstance(left, DateType) and isinstance(right, YearMonthIntervalType):
        return months_moved(call)
    if isinstance(left, DateType) and is_days(right):
        return interval_days(call)
    if call.name == "-" and isinstance(left, DateType) and isinstance(right, DateType):
        writer = "CAST({0} - {1} AS BIGINT) * 86400000000"
        return Typed(DayTimeIntervalType(0, 0), call.any_nullable, writer=writer)
    return times_of_day(call) or timestamp_arithmetic(call) or interval_arithmetic(call)


def replace_order(typed: Typed | None) -> Typed | None:
    """The operands stood the other way round."""
    if typed is None or not isinstance(typed.writer, str):
        return None
    turned = typed.writer.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    casts = None if typed.casts is None else tuple(reversed(typed.casts))
    return Typed(typed.type, typed.nullable, casts, turned, typed.text)


def days_moved(call: Call) -> Typed:
    date, days = call.arguments
    name = "date_add" if call.name == "+" else "date_sub"
    if isinstance(days.type, LongType):
        raise NotNative("a date and a bigint")
    return Typed(
        date.type, call.any_nullable, (None, INT), f"({{0}} {call.name} {{1}})", f"{name}({date.text}, {days.text})"
    )


def months_moved(call: Call) -> Typed:
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
