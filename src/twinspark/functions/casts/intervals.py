"""SQL of casts between numbers and intervals, which are numbers of months or microseconds in DuckDB."""

from __future__ import annotations

from typing import TypeAlias

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.numbers import LIMITS, literal_text, number_to_decimal
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error_with, not_native
from twinspark.functions.time.interval_text import day_time_text, year_month_text
from twinspark.types import (
    INTERVAL,
    LONG,
    ByteType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    YearMonthIntervalType,
    is_integral,
    sql_name,
)
from twinspark.types.duckdb import cast_to, duck_text

# microseconds of a day, an hour, a minute, a second
FIELD_MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)
MICROSECONDS = DecimalType(26, 6)
WHOLE = 38
Interval: TypeAlias = YearMonthIntervalType | DayTimeIntervalType


def is_number_and_interval(source: DataType, target: DataType) -> bool:
    """Whether one type is a number and the other a year-month or day-time interval."""
    kinds = (source, target)
    return any(isinstance(kind, INTERVAL) for kind in kinds) and any(
        is_integral(kind) or isinstance(kind, DecimalType) for kind in kinds
    )


def number_and_interval(sql: str, source: DataType, target: DataType, mode: str) -> str:
    if mode == "try":
        raise NotNative(reasons.CAST, "try_cast between a number and an interval")
    if isinstance(source, YearMonthIntervalType | DayTimeIntervalType):
        if isinstance(target, DecimalType):
            return interval_to_decimal(sql, source, target, mode)
        return interval_to_whole(sql, source, target)
    assert isinstance(target, YearMonthIntervalType | DayTimeIntervalType)
    if isinstance(source, DecimalType):
        return decimal_to_interval(sql, source, target)
    return whole_to_interval(sql, source, target)


def unit_of(type: Interval) -> int:
    """The value of one unit of the interval's last field."""
    if isinstance(type, YearMonthIntervalType):
        return 1 if type.endField else 12
    return FIELD_MICROS[type.endField]


def whole_units(sql: str, type: Interval) -> str:
    """The number of units of the last field, truncated towards zero."""
    unit = unit_of(type)
    return sql if unit == 1 else f"(({sql} - {sql} % {unit}) // {unit})"


def interval_to_whole(sql: str, source: Interval, target: DataType) -> str:
    made = whole_units(sql, source)
    held = IntegerType() if isinstance(source, YearMonthIntervalType) else LongType()
    if LIMITS[held.__class__] <= LIMITS[target.__class__]:
        return cast_to(made, target)
    limit = LIMITS[target.__class__]
    failed = overflow(interval_text(sql, source), source, target)
    fits = f"{made} BETWEEN {-limit} AND {limit - 1}"
    return f"(CASE WHEN {fits} THEN {cast_to(made, target)} WHEN {sql} IS NOT NULL THEN {failed} END)"


def interval_text(sql: str, type: Interval) -> str:
    return year_month_text(sql, type) if isinstance(type, YearMonthIntervalType) else day_time_text(sql, type)


def interval_to_decimal(sql: str, source: Interval, target: DecimalType, mode: str) -> str:
    """A value that does not fit raises in every mode, but without ANSI the error has no query context."""
    if isinstance(source, DayTimeIntervalType) and source.endField == 3:
        seconds = cast_to(f"{sql} * CAST(0.000001 AS DECIMAL(7, 6))", MICROSECONDS)
        made = number_to_decimal(seconds, MICROSECONDS, target, mode)
    else:
        made = number_to_decimal(cast_to(whole_units(sql, source), LONG), LONG, target, mode)
    failed = not_native(reasons.CAST, "an interval to a decimal that cannot hold it")
    return made if mode == "ansi" else f"coalesce({made}, CASE WHEN {sql} IS NOT NULL THEN {failed} END)"


def whole_to_interval(sql: str, source: DataType, target: Interval) -> str:
    """Error messages show tinyint and smallint values as ints."""
    shown = IntegerType() if isinstance(source, ByteType | ShortType) else source
    return in_range(f"CAST({sql} AS HUGEINT) * {unit_of(target)}", sql, shown, target)


def decimal_to_interval(sql: str, source: DecimalType, target: Interval) -> str:
    unit = str(unit_of(target))
    wide = DecimalType(WHOLE - len(unit), source.scale)
    if source.precision > wide.precision:
        raise NotNative(reasons.CAST, f"{source.simpleString()} to {target.simpleString()}")
    product = f"{cast_to(sql, wide)} * CAST({unit} AS DECIMAL({len(unit)}, 0))"
    return in_range(f"CAST(round({product}, 0) AS HUGEINT)", sql, source, target)


def in_range(made: str, sql: str, source: DataType, target: Interval) -> str:
    limit = 1 << (31 if isinstance(target, YearMonthIntervalType) else 63)
    failed = overflow(literal_text(sql, source), source, target)
    whole = f"CAST({made} AS {'INTEGER' if limit == 1 << 31 else 'BIGINT'})"
    fits = f"{made} BETWEEN {-limit} AND {limit - 1}"
    return f"(CASE WHEN {fits} THEN {whole} WHEN {sql} IS NOT NULL THEN {failed} END)"


def overflow(value: str, source: DataType, target: DataType) -> str:
    return error_with(
        "CAST_OVERFLOW",
        value=value,
        sourceType=duck_text(f'"{sql_name(source)}"'),
        targetType=duck_text(f'"{sql_name(target)}"'),
        ansiConfig=duck_text(ANSI_CONFIG),
    )
