"""SQL of casts between numeric types, in the modes ansi, legacy and try."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.decimal_sql import sql_double_to_decimal
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error_with
from twinspark.types import (
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    decimal_for,
    is_integral,
    sql_name,
)
from twinspark.types.duckdb import cast_to, duck_text, duck_type

FLOATING = FloatType | DoubleType
LIMITS = {ByteType: 1 << 7, ShortType: 1 << 15, IntegerType: 1 << 31, LongType: 1 << 63}
SUFFIXES = {ByteType: "T", ShortType: "S", IntegerType: "", LongType: "L"}


def number_to_number(sql: str, source: DataType, target: DataType, mode: str) -> str:
    if isinstance(target, DecimalType):
        return number_to_decimal(sql, source, target, mode)
    if isinstance(target, FLOATING):
        return number_to_floating(sql, source, target)
    if is_integral(source) and LIMITS[source.__class__] <= LIMITS[target.__class__]:
        return cast_to(sql, target)
    if isinstance(source, DecimalType) and source.precision - source.scale < decimal_for(target).precision:
        return cast_to(f"trunc({sql})", target) if source.scale else cast_to(sql, target)
    return checked_whole(sql, source, target, mode)


CHECKED = {
    (LongType, IntegerType): "spark_bigint_to_int",
    (DoubleType, IntegerType): "spark_double_to_int",
    (DoubleType, LongType): "spark_double_to_bigint",
    (DecimalType, IntegerType): "spark_decimal_to_int",
    (DecimalType, LongType): "spark_decimal_to_bigint",
    (ShortType, ByteType): "spark_to_tinyint",
    (IntegerType, ByteType): "spark_to_tinyint",
    (LongType, ByteType): "spark_to_tinyint",
    (IntegerType, ShortType): "spark_to_smallint",
    (LongType, ShortType): "spark_to_smallint",
}  # one pass over the rows: duck/native/numbers/integer_casts.c and narrowing_casts.c


def checked_whole(sql: str, source: DataType, target: DataType, mode: str) -> str:
    """Truncates towards zero; a value that does not fit raises, becomes null, or wraps around as in Java."""
    limit = LIMITS[target.__class__]
    if mode == "legacy":
        return wrapped_whole(sql, source, target)
    if mode == "ansi" and (name := CHECKED.get((source.__class__, target.__class__))):
        return f"{name}({sql})"
    if isinstance(source, FLOATING):
        return checked_floating(sql, source, target, mode)
    upper = f"{sql} < {limit}" if source.__class__ in LIMITS else f"trunc({sql}) < {limit}"
    lower = f"trunc({sql}) >= {-limit}" if isinstance(source, DecimalType) else f"{sql} >= {-limit}"
    whole = sql if is_integral(source) else f"trunc({sql})"
    otherwise = f" WHEN {sql} IS NOT NULL THEN {overflow(sql, source, target)}" if mode == "ansi" else ""
    return f"(CASE WHEN {lower} AND {upper} THEN {cast_to(whole, target)}{otherwise} END)"


def checked_floating(sql: str, source: DataType, target: DataType, mode: str) -> str:
    """The limits are compared as doubles, so 2^63 becomes the greatest long (castFractionToIntegralTypeCode)."""
    limit, wide = LIMITS[target.__class__], sql if isinstance(source, DoubleType) else f"CAST({sql} AS DOUBLE)"
    otherwise = f" WHEN {sql} IS NOT NULL THEN {overflow(sql, source, target)}" if mode == "ansi" else ""
    if limit == 1 << 63:
        lower, otherwise = f"{wide} >= {-limit}", f" WHEN {wide} = {limit} THEN {limit - 1}{otherwise}"
    else:
        lower = f"{wide} > {-limit - 1}"
    whole = cast_to(f"trunc({sql})", target)
    return f"(CASE WHEN {lower} AND {wide} < {limit} THEN {whole}{otherwise} END)"


def overflow(sql: str, source: DataType, target: DataType) -> str:
    return error_with(
        "CAST_OVERFLOW",
        value=literal_text(sql, source),
        sourceType=duck_text(f'"{sql_name(source)}"'),
        targetType=duck_text(f'"{sql_name(target)}"'),
        ansiConfig=duck_text(ANSI_CONFIG),
    )


def literal_text(sql: str, source: DataType) -> str:
    """SQL of a number's text in error messages: 1L, 1.0D, 1.5BD."""
    if isinstance(source, DecimalType):
        return f"CAST({sql} AS VARCHAR) || 'BD'"
    shown = f"CAST({sql} AS VARCHAR)"
    if isinstance(source, FloatType):
        return f"spark_float_to_string({sql})"
    if isinstance(source, DoubleType):
        return f"spark_double_to_string({sql}) || CASE WHEN isfinite({sql}) THEN 'D' ELSE '' END"
    suffix = SUFFIXES[source.__class__]
    return f"{shown} || '{suffix}'" if suffix else shown


def wrapped_whole(sql: str, source: DataType, target: DataType) -> str:
    if not is_integral(source):
        raise NotNative(reasons.CAST, "a fractional number to a whole number with spark.sql.ansi.enabled = false")
    limit = LIMITS[target.__class__]
    wide = f"CAST({sql} AS HUGEINT)"
    return cast_to(f"(({wide} + {limit}) % {2 * limit} + {2 * limit}) % {2 * limit} - {limit}", target)


def number_to_floating(sql: str, source: DataType, target: DataType) -> str:
    if isinstance(source, DecimalType) and (source.precision > 15 or isinstance(target, FloatType)):
        return cast_to(f"CAST({sql} AS VARCHAR)", target)  # parsed from its digits, so it is rounded only once
    if isinstance(source, DoubleType) and isinstance(target, FloatType):
        return f"spark_double_to_float({sql})"  # values that are too large become infinite
    return cast_to(sql, target)


def number_to_decimal(sql: str, source: DataType, target: DecimalType, mode: str) -> str:
    if isinstance(source, FLOATING):
        wide = sql if isinstance(source, DoubleType) else f"CAST({sql} AS DOUBLE)"
        return sql_double_to_decimal(wide, (target.precision, target.scale), mode == "ansi")
    if mode == "ansi":
        return cast_to(sql, target)
    return f"TRY_CAST({sql} AS {duck_type(target)})"
