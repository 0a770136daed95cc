"""How DuckDB spells Spark's casts from numbers to numbers, in the three modes."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.native_spelling import sql_double_to_decimal
from twinspark.functions.spelling import ANSI_CONFIG, cast_to, duck_type, error_with, text
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
}  # duck/native/whole.c and narrow.c: one pass


def checked_whole(sql: str, source: DataType, target: DataType, mode: str) -> str:
    """Towards zero; what does not fit raises, is null, or wraps as in Java."""
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
    """Compared as doubles, so 2^63 itself still is a long, the greatest (castFractionToIntegralTypeCode)."""
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
        sourceType=text(f'"{sql_name(source)}"'),
        targetType=text(f'"{sql_name(target)}"'),
        ansiConfig=text(ANSI_CONFIG),
    )


def literal_text(sql: str, source: DataType) -> str:
    """A number as Spark writes it in messages: 1L, 1.0D, 1.5BD."""
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
        raise NotNative("a fraction cast to a whole number without ANSI")
    limit = LIMITS[target.__class__]
    wide = f"CAST({sql} AS HUGEINT)"
    return cast_to(f"(({wide} + {limit}) % {2 * limit} + {2 * limit}) % {2 * limit} - {limit}", target)


def number_to_floating(sql: str, source: DataType, target: DataType) -> str:
    if isinstance(source, DecimalType) and (source.precision > 15 or isinstance(target, FloatType)):
        return cast_to(f"CAST({sql} AS VARCHAR)", target)  # read digit by digit, rounded once
    if isinstance(source, DoubleType) and isinstance(target, FloatType):
        return f"spark_double_to_float({sql})"  # what is too large becomes infinite
    return cast_to(sql, target)


def number_to_decimal(sql: str, source: DataType, target: DecimalType, mode: str) -> str:
    if isinstance(source, FLOATING):
        wide = sql if isinstance(source, DoubleType) else f"CAST({sql} AS DOUBLE)"
        return sql_double_to_decimal(wide, (target.precision, target.scale), mode == "ansi")
    if mode == "ansi":
        return cast_to(sql, target)
    return f"TRY_CAST({sql} AS {duck_type(target)})"
