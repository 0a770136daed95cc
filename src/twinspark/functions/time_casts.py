"""How DuckDB spells casts from and to times of day, which are nanoseconds there."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.spelling import ANSI_CONFIG, cast_to, error_with, text
from twinspark.types import (
    ByteType,
    DataType,
    DecimalType,
    ShortType,
    TimeType,
    is_integral,
    sql_name,
)

SECOND, MINUTE, HOUR, DAY = 1_000_000_000, 60_000_000_000, 3_600_000_000_000, 86_400_000_000_000
SECONDS = DecimalType(14, 9)
SHORT = {ByteType: 1 << 7, ShortType: 1 << 15}


def cut(sql: str, precision: int) -> str:
    """Digits of the second beyond the precision are cut off (truncateTimeToPrecision)."""
    return f"({sql} - {sql} % {10 ** (9 - precision)})"


def time_text(sql: str) -> str:
    return f"spark_time_to_string({sql})"


def shown_time(sql: str) -> str:
    """As messages show a value: TIME '12:00:00'."""
    return f"{text('TIME ')} || chr(39) || {time_text(sql)} || chr(39)"


def text_to_time(sql: str, fails: bool) -> str:
    """All six digits are kept, whatever the type's precision."""
    return f"spark_string_to_time{'_ansi' if fails else ''}({sql})"


def seconds(sql: str) -> str:
    """As a DECIMAL(14,9)."""
    return f"CAST({sql} * CAST(0.000000001 AS DECIMAL(10, 9)) AS DECIMAL(14, 9))"


def time_to_whole(sql: str, source: DataType, target: DataType, mode: str) -> str:
    whole = cast_to(f"({sql} // {SECOND})", target)
    if target.__class__ not in SHORT:
        return whole
    fits = f"{sql} // {SECOND} < {SHORT[target.__class__]}"
    otherwise = f" WHEN {sql} IS NOT NULL THEN {overflow(sql, source, target)}" if mode == "ansi" else ""
    return f"(CASE WHEN {fits} THEN {whole}{otherwise} END)"


def overflow(sql: str, source: DataType, target: DataType) -> str:
    return error_with(
        "CAST_OVERFLOW",
        value=shown_time(sql),
        sourceType=text(f'"{sql_name(source)}"'),
        targetType=text(f'"{sql_name(target)}"'),
        ansiConfig=text(ANSI_CONFIG),
    )


def from_time(sql: str, source: DataType, target: DataType, mode: str) -> str:
    if isinstance(target, TimeType):
        return cut(sql, target.precision)
    if is_integral(target):
        return time_to_whole(sql, source, target, mode)
    raise NotNative(f"a cast of {source.simpleString()} to {target.simpleString()}")
