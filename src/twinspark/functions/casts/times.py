"""SQL of casts from and to TIME, which is a number of nanoseconds in DuckDB."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error_with
from twinspark.types import ByteType, DataType, DecimalType, ShortType, TimeType, is_integral, sql_name
from twinspark.types.duckdb import cast_to, duck_text

SECOND, MINUTE, HOUR, DAY = 1_000_000_000, 60_000_000_000, 3_600_000_000_000, 86_400_000_000_000
SECONDS = DecimalType(14, 9)
SHORT = {ByteType: 1 << 7, ShortType: 1 << 15}


def cut(sql: str, precision: int) -> str:
    """Truncates the fraction of the second to the precision (truncateTimeToPrecision)."""
    return f"({sql} - {sql} % {10 ** (9 - precision)})"


def time_text(sql: str) -> str:
    return f"spark_time_to_string({sql})"


def time_literal(sql: str) -> str:
    """The value in error messages: TIME '12:00:00'."""
    return f"{duck_text('TIME ')} || chr(39) || {time_text(sql)} || chr(39)"


def text_to_time(sql: str, fails: bool) -> str:
    """Keeps six fractional digits, whatever the precision of the type."""
    return f"spark_string_to_time{'_ansi' if fails else ''}({sql})"


def seconds(sql: str) -> str:
    """The seconds since midnight as a DECIMAL(14,9)."""
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
        value=time_literal(sql),
        sourceType=duck_text(f'"{sql_name(source)}"'),
        targetType=duck_text(f'"{sql_name(target)}"'),
        ansiConfig=duck_text(ANSI_CONFIG),
    )


def from_time(sql: str, source: DataType, target: DataType, mode: str) -> str:
    if isinstance(target, TimeType):
        return cut(sql, target.precision)
    if is_integral(target):
        return time_to_whole(sql, source, target, mode)
    raise NotNative(reasons.CAST, f"{source.simpleString()} to {target.simpleString()}")
