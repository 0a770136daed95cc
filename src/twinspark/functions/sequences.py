"""sequence: numbers, days and instants from one to another, in steps."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import UTC_ZONES, not_native
from twinspark.functions.common_types import common_type
from twinspark.functions.registry import fn
from twinspark.functions.spelling import cast_to, duck_type
from twinspark.functions.typing import Call, Typed
from twinspark.types import (
    INT,
    ArrayType,
    DataType,
    DateType,
    DayTimeIntervalType,
    LongType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
    is_integral,
    is_null,
)

DAY = 86_400_000_000  # microseconds
INTERVALS = DayTimeIntervalType | YearMonthIntervalType
INSTANTS = DateType | TimestampType | TimestampNTZType


def sequence_type(call: Call) -> Typed:
    found = common_type(call.types[:2], call.settings.ansi)
    step = call.types[2:]
    if found is not None and is_integral(found) and all(is_integral(t) or is_null(t) for t in step):
        found = common_type(call.types, call.settings.ansi)
        assert found is not None
        return Typed(ArrayType(found, False), False, [found] * len(call.types), add_nullable_casts=True)
    if not isinstance(found, INSTANTS) or not all(
        isinstance(t, DayTimeIntervalType | YearMonthIntervalType) for t in step
    ):
        raise NotNative("a sequence of these types")
    return Typed(ArrayType(found, False), False, [found, found, *([None] * len(step))], add_nullable_casts=True)


def sequence(call: Any, start: str, stop: str, *step: str) -> str:
    element = call.type.elementType
    if is_integral(element):
        if isinstance(element, LongType):
            return whole_numbers(start, stop, *step)
        return cast_to(f"spark_sequence({', '.join(cast_to(bound, INT) for bound in (start, stop, *step))})", call.type)
    if step and isinstance(call.arguments[2].type, YearMonthIntervalType):
        return months(element, start, stop, step[0], call.settings.zone)
    if isinstance(element, DateType):
        return days(start, stop, *step)
    check_steps(call)
    made = "make_timestamptz" if isinstance(element, TimestampType) else "make_timestamp"
    by = step or (f"CASE WHEN {start} <= {stop} THEN {DAY} ELSE {-DAY} END",)
    micros = whole_numbers(f"epoch_us({start})", f"epoch_us({stop})", *by)
    return f"list_transform({micros}, lambda u: {made}(u))"


def check_steps(call: Any) -> None:
    """Days are counted by the clock, and a day with a change of the clock has other hours."""
    if isinstance(call.type.elementType, TimestampType) and call.settings.zone not in UTC_ZONES:
        step = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else None
        if step is None or abs(step) >= DAY:
            raise NotNative("a sequence of days in a zone whose clocks change")


def whole_numbers(*bounds: str) -> str:
    """Start, stop and step. A step that leads away, or is too short for an array, is for Spark to refuse."""
    return f"spark_sequence({', '.join(f'CAST({bound} AS BIGINT)' for bound in bounds)})"


def days(start: str, stop: str, step: str | None = None) -> str:
    """A step of whole days only."""
    first, last = (f"datediff('day', DATE '1970-01-01', {side})" for side in (start, stop))
    if step is None:
        counted = whole_numbers(first, last)
    else:
        parts = not_native("days in steps that are no whole days")
        by = f"(CASE WHEN {step} % {DAY} <> 0 THEN {parts} ELSE {step} // {DAY} END)"
        counted = whole_numbers(first, last, by)
    return f"list_transform({counted}, lambda n: DATE '1970-01-01' + CAST(n AS INTEGER))"


def months(element: DataType, start: str, stop: str, step: str, zone: str) -> str:
    """Each counted from the start, so that a month's last day comes again."""
    if isinstance(element, TimestampType) and zone not in UTC_ZONES:
        raise NotNative("a sequence of months in a zone whose clocks change")
    by = f"CAST({step} AS BIGINT)"
    local = f"CAST({start} AS TIMESTAMP)"
    until = f"CAST({stop} AS TIMESTAMP)"
    away = f"{step} = 0 OR ({step} > 0 AND {local} > {until}) OR ({step} < 0 AND {local} < {until})"
    refused = not_native("a sequence whose step leads away")
    counts = f"range(abs(datediff('month', {local}, {until}) // nullif({by}, 0)) + 2)"
    made = f"list_transform({counts}, lambda n: {local} + to_months(CAST(n * {by} AS INTEGER)))"
    kept = f"list_filter({made}, lambda m: CASE WHEN {step} > 0 THEN m <= {until} ELSE m >= {until} END)"
    made_type = duck_type(element)
    known = f"{start} IS NOT NULL AND {stop} IS NOT NULL AND {step} IS NOT NULL"
    same = f"CASE WHEN {local} = {until} THEN [{local}] WHEN {away} THEN {refused} ELSE {kept} END"
    return f"CAST(CASE WHEN {known} THEN {same} END AS {made_type}[])"


fn("sequence(any, any)", sequence, rule=sequence_type)
fn("sequence(any, any, any)", sequence, rule=sequence_type)
