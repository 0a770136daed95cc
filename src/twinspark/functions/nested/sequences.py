"""sequence: numbers, dates or timestamps from start to stop in steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import UTC_ZONES
from twinspark.functions.casts.common_types import common_type
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
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
from twinspark.types.duckdb import cast_to, duck_type

DAY = 86_400_000_000  # microseconds
UNFOLDED = "spark_sequence_unfolded"
FEW_ELEMENTS = 1000
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
        raise NotNative(reasons.SEQUENCE, "the types of start, end and step")
    return Typed(ArrayType(found, False), False, [found, found, *([None] * len(step))], add_nullable_casts=True)


def sequence(call: Any, start: str, stop: str, *step: str) -> str:
    element = call.type.elementType
    if is_integral(element):
        name = "spark_sequence" if has_few_elements(call.arguments) else UNFOLDED
        if isinstance(element, LongType):
            return whole_numbers(start, stop, *step, name=name)
        return cast_to(f"{name}({', '.join(cast_to(bound, INT) for bound in (start, stop, *step))})", call.type)
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
    """Falls back for steps of days in zones with daylight saving time, where days differ in length."""
    if isinstance(call.type.elementType, TimestampType) and call.settings.zone not in UTC_ZONES:
        step = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else None
        if step is None or abs(step) >= DAY:
            raise NotNative(reasons.SEQUENCE, "steps of days in a time zone with daylight saving time")


def has_few_elements(bounds: Sequence[Any]) -> bool:
    """Whether DuckDB may fold it into a constant; long constants would take a hundred bytes for each element."""
    start, stop, *_ = (getattr(getattr(bound, "child", bound), "value", None) for bound in bounds)
    return isinstance(start, int) and isinstance(stop, int) and abs(stop - start) <= FEW_ELEMENTS


def whole_numbers(*bounds: str, name: str = UNFOLDED) -> str:
    """Start, stop and step. Falls back for steps in the wrong direction or too many elements, which are errors in
    Spark."""
    return f"{name}({', '.join(f'CAST({bound} AS BIGINT)' for bound in bounds)})"


def days(start: str, stop: str, step: str | None = None) -> str:
    """Falls back for steps that are not whole days."""
    first, last = (f"datediff('day', DATE '1970-01-01', {side})" for side in (start, stop))
    if step is None:
        counted = whole_numbers(first, last)
    else:
        parts = not_native(reasons.SEQUENCE, "dates in steps that are not whole days")
        by = f"(CASE WHEN {step} % {DAY} <> 0 THEN {parts} ELSE {step} // {DAY} END)"
        counted = whole_numbers(first, last, by)
    return f"list_transform({counted}, lambda n: DATE '1970-01-01' + CAST(n AS INTEGER))"


def months(element: DataType, start: str, stop: str, step: str, zone: str) -> str:
    """Each element is counted from the start, so that the last day of a month is kept where possible."""
    if isinstance(element, TimestampType) and zone not in UTC_ZONES:
        raise NotNative(reasons.SEQUENCE, "steps of months in a time zone with daylight saving time")
    by = f"CAST({step} AS BIGINT)"
    local = f"CAST({start} AS TIMESTAMP)"
    until = f"CAST({stop} AS TIMESTAMP)"
    away = f"{step} = 0 OR ({step} > 0 AND {local} > {until}) OR ({step} < 0 AND {local} < {until})"
    refused = not_native(reasons.SEQUENCE, "a step in the wrong direction")
    counts = f"range(abs(datediff('month', {local}, {until}) // nullif({by}, 0)) + 2)"
    made = f"list_transform({counts}, lambda n: {local} + to_months(CAST(n * {by} AS INTEGER)))"
    kept = f"list_filter({made}, lambda m: CASE WHEN {step} > 0 THEN m <= {until} ELSE m >= {until} END)"
    made_type = duck_type(element)
    known = f"{start} IS NOT NULL AND {stop} IS NOT NULL AND {step} IS NOT NULL"
    same = f"CASE WHEN {local} = {until} THEN [{local}] WHEN {away} THEN {refused} ELSE {kept} END"
    return f"CAST(CASE WHEN {known} THEN {same} END AS {made_type}[])"


fn("sequence(any, any)", sequence, rule=sequence_type)
fn("sequence(any, any, any)", sequence, rule=sequence_type)
