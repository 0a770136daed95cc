"""+ and - where a date, a timestamp or an interval takes part."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.intervals import interval_arithmetic
from twinspark.functions.spelling import duck_type
from twinspark.functions.time_arithmetic import check_texts, timestamp_arithmetic
from twinspark.functions.time_moves import times_of_day
from twinspark.functions.typing import (
    Call,
    Typed,
)
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
    if call.name == "-" and is_day(left) and (isinstance(right, DateType) or (is_string(right) and call.settings.ansi)):
        check_texts(call)
        return days_between(call)
    if isinstance(left, NullType) or isinstance(right, NullType):
        return beside_null(call)
    return times_of_day(call) or timestamp_arithmetic(call) or interval_arithmetic(call)


def is_day(type: DataType) -> bool:
    """A text beside a date is read as one."""
    return isinstance(type, DateType) or is_string(type)


def days_between(call: Call) -> Typed:
    writer = "CAST({0} - {1} AS BIGINT) * 86400000000"
    texts = any(map(is_string, call.types))
    casts = (DATE, DATE) if texts else None
    return Typed(DayTimeIntervalType(0, 0), call.any_nullable, casts, writer, add_nullable_casts=texts)


def beside_null(call: Call) -> Typed | None:
    """Null, of the type that a span would have given; a date beside one becomes a timestamp."""
    (other,) = [each for each in call.arguments if not isinstance(each.type, NullType)] or [call.arguments[0]]
    moment = isinstance(other.type, DateType | TimestampType | TimestampNTZType)
    if call.name == "+" and moment:
        kind: DataType = TIMESTAMP if isinstance(other.type, DateType) else other.type
        return Typed(kind, True, None, nothing(kind), f"{other.text} + NULL")
    if moment:
        kind = DayTimeIntervalType(0, 0 if isinstance(other.type, DateType) else 3)
        return Typed(kind, True, None, nothing(kind))
    if isinstance(other.type, INTERVAL):
        return Typed(other.type, True, None, nothing(other.type))
    return times_of_day(call)


def nothing(type: DataType) -> str:
    return f"CAST(NULL AS {duck_type(type)})"


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
