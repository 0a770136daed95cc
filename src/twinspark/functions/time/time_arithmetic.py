"""The operators + and - with TIME values and intervals."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.times import DAY, cut, time_literal
from twinspark.functions.notation.error_sql import error_with, not_native
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.interval_text import day_time_text
from twinspark.functions.time.time_fields import check_enabled
from twinspark.types import DAY_TIME, DayTimeIntervalType, TimeType, is_null

BETWEEN_TIMES = DayTimeIntervalType(1, 3)
LONGEST = (1 << 63) // 1000  # microseconds whose nanoseconds fit a long
LAST_FIELD = 3  # the index of SECOND among the fields of an interval


def times_of_day(call: Call) -> Typed | None:
    """A TIME and an interval, or two TIMEs; None for other operands (BinaryArithmeticWithDatetimeResolver)."""
    left, right = call.types
    if isinstance(left, TimeType) and isinstance(right, DayTimeIntervalType):
        return add_to_time(call, right)
    if call.name == "+" and isinstance(left, TimeType) and is_null(right):
        return add_to_time(call, DAY_TIME)
    both = all(isinstance(type, TimeType) or is_null(type) for type in call.types)
    return subtract_times(call) if call.name == "-" and both else None


def add_to_time(call: Call, interval: DayTimeIntervalType) -> Typed:
    """The result must be within the day; its precision is that of the time, or 6 if the interval has seconds."""
    check_enabled(call)
    if call.tries:
        raise NotNative(reasons.DATETIME_ARITHMETIC, "try_add of a TIME")
    time = call.arguments[0]
    sign = "-" if call.name == "-" else ""
    precision = max(time.type.precision, 6 if interval.endField == LAST_FIELD else 0)
    sum = f"({{0}} + {sign}CAST({{1}} AS HUGEINT) * 1000)"
    moves = day_time_text(f"({sign}{{1}})", DayTimeIntervalType(interval.endField, interval.endField))
    beyond = error_with(
        "DATETIME_OVERFLOW", operation=f"'add ' || {moves} || ' to the time value ' || {time_literal('{0}')}"
    )
    near = f"{sum} BETWEEN 0 AND {DAY - 1}"
    made = f"CAST({cut(sum, precision)} AS BIGINT)"
    too_far = not_native(reasons.DATETIME_RANGE, "a TIME moved by centuries")
    far = f"abs(CAST({{1}} AS HUGEINT)) > {LONGEST} THEN {too_far}"
    writer = f"(CASE WHEN {near} THEN {made} WHEN {sum} IS NULL THEN NULL WHEN {far} ELSE {beyond} END)"
    shown = f"{time.text} {call.name} {call.arguments[1].text}"
    return Typed(TimeType(precision), True, (None, interval), writer, shown)


def subtract_times(call: Call) -> Typed:
    check_enabled(call)
    known = next(type for type in call.types if isinstance(type, TimeType))
    casts = [known if is_null(type) else None for type in call.types]
    left, right = (argument.text for argument in call.arguments)
    return Typed(BETWEEN_TIMES, True, casts, "(({0} - {1}) // 1000)", f"{left} - {right}")
