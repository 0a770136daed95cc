"""timestampadd, timestampdiff, and the operators + and - with timestamps and intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import UTC_ZONES, between_datetimes, in_utc
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import (
    INTERVAL,
    LONG,
    TIMESTAMP,
    DataType,
    DateType,
    DayTimeIntervalType,
    StringType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
    is_integral,
    is_string,
)
from twinspark.types.duckdb import duck_text

NTZ = TimestampNTZType()
MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
DAY = 86400000000
LEAST, MOST = -377705116800000000, 568971820799999999  # the years -9999 to 19999
MICROS = {
    "WEEK": 7 * DAY,
    "DAY": DAY,
    "DAYOFYEAR": DAY,
    "HOUR": 3600000000,
    "MINUTE": 60000000,
    "SECOND": 1000000,
    "MILLISECOND": 1000,
    "MICROSECOND": 1,
}


def check_range(value: str, by: str, most: int, sum: str) -> str:
    """The sum if both operands are far from DuckDB's limits; otherwise falls back."""
    near = f"epoch_us({value}) BETWEEN {LEAST} AND {MOST} AND {by} BETWEEN -{most} AND {most}"
    far = not_native(reasons.DATETIME_RANGE, "a timestamp moved by a large interval")
    return f"(CASE WHEN {value} IS NULL OR {by} IS NULL THEN NULL WHEN {near} THEN {sum} ELSE {far} END)"


def add_months_sql(kind: DataType, value: str, by: str, factor: int, zone: str) -> str:
    months = f"CAST({by} * ({factor}) AS INTEGER)"
    if has_clocks(kind, zone):
        return check_range(
            value, by, 100000, f"spark_add_interval({value}, {months}, 0, CAST(0 AS BIGINT), {duck_text(zone)})"
        )
    if kind == NTZ:
        return check_range(value, by, 100000, f"{value} + to_months({months})")
    sum = f"{in_utc(value, TIMESTAMP, NTZ)} + to_months({months})"
    return check_range(value, by, 100000, in_utc(sum, NTZ, TIMESTAMP))


def add_micros_sql(kind: DataType, value: str, by: str, factor: int, zone: str) -> str:
    """Whole days follow the local clock of the zone, the rest is elapsed time (DateTimeUtils.timestampAddDayTime)."""
    micros = f"CAST({by} * ({factor}) AS BIGINT)"
    made = "make_timestamp" if kind == NTZ else "make_timestamptz"
    sum = f"{made}(epoch_us({value}) + {micros})"
    if has_clocks(kind, zone):
        days, rest = f"CAST({micros} // {DAY} AS INTEGER)", f"{micros} % {DAY}"
        sum = f"spark_add_interval({value}, 0, {days}, {rest}, {duck_text(zone)})"
    return check_range(value, by, 10**18 // abs(factor), sum)


def has_clocks(kind: DataType, zone: str) -> bool:
    return not isinstance(kind, TimestampNTZType) and zone not in UTC_ZONES


# ---- timestampadd


def add_units(call: Call) -> Typed:
    unit = str(getattr(call.arguments[0], "value", "")).upper()
    _, quantity, source = call.types
    if unit not in MONTHS and unit not in MICROS:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"timestampadd of {unit}")
    if not is_integral(quantity) or not isinstance(source, DateType | TimestampType | TimestampNTZType):
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE, f"timestampadd of {quantity.simpleString()} to {source.simpleString()}"
        )
    kind = NTZ if isinstance(source, TimestampNTZType) else TIMESTAMP
    nullable = call.arguments[1].nullable or call.arguments[2].nullable
    return Typed(kind, nullable, (None, LONG, kind), timestampadd_writer(unit, kind))


def timestampadd_writer(unit: str, kind: DataType) -> Callable[..., str]:
    def write(call: Any, name: str, quantity: str, value: str) -> str:
        if unit in MONTHS:
            return add_months_sql(kind, value, quantity, MONTHS[unit], call.settings.zone)
        # hours are elapsed time, days follow the local clock
        clock = call.settings.zone if MICROS[unit] >= DAY else "UTC"
        return add_micros_sql(kind, value, quantity, MICROS[unit], clock)

    return write


fn("timestampadd(any, any, any)", "", rule=add_units)


# ---- timestampdiff


def units_between(call: Call) -> Typed:
    unit = str(getattr(call.arguments[0], "value", "")).upper()
    if unit not in MONTHS and unit not in MICROS:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"timestampdiff of {unit}")
    if not all(isinstance(type, DateType | TimestampType | TimestampNTZType) for type in call.types[1:]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "timestampdiff")
    nullable = call.arguments[1].nullable or call.arguments[2].nullable
    return Typed(LONG, nullable, (None, TIMESTAMP, TIMESTAMP), difference_in(unit))


def difference_in(unit: str) -> Callable[..., str]:
    def write(call: Any, name: str, start: str, end: str) -> str:
        a = between_datetimes(start, TIMESTAMP, NTZ, call.settings)
        b = between_datetimes(end, TIMESTAMP, NTZ, call.settings)
        if unit in MONTHS:
            return f"CAST({whole_months(a, b)} // {MONTHS[unit]} AS BIGINT)"
        return f"((epoch_us({b}) - epoch_us({a})) // {MICROS[unit]})"

    return write


def whole_months(a: str, b: str) -> str:
    """Java first subtracts a day if the time of day is earlier, then counts months of 32 days."""
    from_day, to_day = f"CAST({a} AS DATE)", f"CAST({b} AS DATE)"
    from_time, to_time = f"CAST({a} AS TIME)", f"CAST({b} AS TIME)"
    day = (
        f"(CASE WHEN {to_day} > {from_day} AND {to_time} < {from_time} THEN {to_day} - 1 "
        f"WHEN {to_day} < {from_day} AND {to_time} > {from_time} THEN {to_day} + 1 ELSE {to_day} END)"
    )
    return f"(({month_day_number(day)} - {month_day_number(from_day)}) // 32)"


def month_day_number(day: str) -> str:
    return f"((year({day}) * 12 + month({day})) * 32 + day({day}))"


fn("timestampdiff(any, any, any)", "", rule=units_between)


# ---- + and - of timestamps


def timestamp_arithmetic(call: Call) -> Typed | None:
    """A timestamp and an interval, or two timestamps; None for other operands."""
    left, right = call.types
    if isinstance(left, TimestampType | TimestampNTZType) and isinstance(right, INTERVAL):
        return add_interval(call)
    if call.name == "-" and is_pair(left, right) and (call.settings.ansi or not any(map(is_string, call.types))):
        check_texts(call)
        return subtract_timestamps(call)
    return None


def check_texts(call: Call) -> None:
    """Next to a null, Spark may not evaluate a string, and so not notice that it is no date or number."""
    if call.settings.ansi and any(is_string(a.type) and b.nullable for a, b in (call.arguments, call.arguments[::-1])):
        raise NotNative(reasons.ERROR_TIMING, "a string that is cast to a date or number, with a nullable operand")


def add_interval(call: Call) -> Typed:
    value, interval = call.arguments
    zone = call.settings.zone
    sign = 1 if call.name == "+" else -1
    months = isinstance(interval.type, YearMonthIntervalType)
    move = add_months_sql if months else add_micros_sql
    sql = move(value.type, "{0}", "{1}", sign, zone)
    shown = f"{value.text} {call.name} {interval.text}"
    return Typed(value.type, call.any_nullable, None, sql, shown, knows_limits=True)


def is_pair(left: DataType, right: DataType) -> bool:
    """Whether both are cast to one of their types; timestamps with and without a zone together fall back to Spark."""
    kinds = {type(left), type(right)}
    if kinds & {TimestampNTZType} and kinds <= {TimestampNTZType, DateType, StringType}:
        return True
    return TimestampType in kinds and kinds <= {TimestampType, DateType, StringType}


def subtract_timestamps(call: Call) -> Typed:
    """Subtracts local times, not elapsed time."""
    kind = NTZ if any(isinstance(type, TimestampNTZType) for type in call.types) else TIMESTAMP
    a, b = (between_datetimes(sql, kind, NTZ, call.settings) if kind != NTZ else sql for sql in ("{0}", "{1}"))
    writer = f"(epoch_us({a}) - epoch_us({b}))"
    texts = any(map(is_string, call.types))
    # Spark declares a cast of a date to TIMESTAMP_NTZ nullable (Cast.forceNullable).
    nullable = call.any_nullable or (kind == NTZ and any(isinstance(type, DateType) for type in call.types))
    return Typed(DayTimeIntervalType(0, 3), nullable, (kind, kind), writer, add_nullable_casts=texts)
