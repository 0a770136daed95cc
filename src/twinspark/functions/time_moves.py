"""+ and - of times of day and intervals."""

from __future__ import annotations

from twinspark.functions.interval_text import day_time_text
from twinspark.functions.spelling import error_with, text
from twinspark.functions.time_casts import DAY, cut, shown_time
from twinspark.functions.time_fields import check_enabled
from twinspark.functions.typing import Call, Typed
from twinspark.types import DAY_TIME, DayTimeIntervalType, TimeType, is_null

BETWEEN_TIMES = DayTimeIntervalType(1, 3)
LONGEST = (1 << 63) // 1000  # microseconds that are a long's nanoseconds
LAST_FIELD = 3  # of intervals: the second, with its fraction


def times_of_day(call: Call) -> Typed | None:
    """Of a time and an interval, or of two times; None: neither (BinaryArithmeticWithDatetimeResolver)."""
    left, right = call.types
    if isinstance(left, TimeType) and isinstance(right, DayTimeIntervalType):
        return moved(call, right)
    if call.name == "+" and isinstance(left, TimeType) and is_null(right):
        return moved(call, DAY_TIME)
    both = all(isinstance(type, TimeType) or is_null(type) for type in call.types)
    return subtracted(call) if call.name == "-" and both else None


def moved(call: Call, interval: DayTimeIntervalType) -> Typed:
    """Within the day; digits of the second as the time has them, or all where the interval may have some."""
    check_enabled(call)
    time = call.arguments[0]
    sign = "-" if call.name == "-" else ""
    precision = max(time.type.precision, 6 if interval.endField == LAST_FIELD else 0)
    sum = f"({{0}} + {sign}CAST({{1}} AS HUGEINT) * 1000)"
    moves = day_time_text(f"({sign}{{1}})", DayTimeIntervalType(interval.endField, interval.endField))
    beyond = error_with(
        "DATETIME_OVERFLOW", operation=f"'add ' || {moves} || ' to the time value ' || {shown_time('{0}')}"
    )
    near = f"{sum} BETWEEN 0 AND {DAY - 1}"
    made = f"CAST({cut(sum, precision)} AS BIGINT)"
    far = f"abs(CAST({{1}} AS HUGEINT)) > {LONGEST} THEN error({text('NOT_NATIVE:a time of day moved by centuries')})"
    writer = f"(CASE WHEN {near} THEN {made} WHEN {sum} IS NULL THEN NULL WHEN {far} ELSE {beyond} END)"
    shown = f"{time.text} {call.name} {call.arguments[1].text}"
    return Typed(TimeType(precision), True, (None, interval), writer, shown)


def subtracted(call: Call) -> Typed:
    check_enabled(call)
    known = next(type for type in call.types if isinstance(type, TimeType))
    casts = [known if is_null(type) else None for type in call.types]
    left, right = (argument.text for argument in call.arguments)
    return Typed(BETWEEN_TIMES, True, casts, "(({0} - {1}) // 1000)", f"{left} - {right}")
