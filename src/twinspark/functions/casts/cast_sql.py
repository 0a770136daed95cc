"""Writes the SQL of Spark's casts for each pair of types, in the modes ansi, legacy and try; inexact casts fall
back."""

from __future__ import annotations

import itertools

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.castable import can_ansi_cast
from twinspark.functions.casts.common_types import can_up_cast
from twinspark.functions.casts.intervals import is_number_and_interval, number_and_interval
from twinspark.functions.casts.numbers import FLOATING, number_to_decimal, number_to_number
from twinspark.functions.casts.times import SECONDS, from_time, seconds, text_to_time, time_text
from twinspark.functions.casts.variants import FromVariant, to_variant
from twinspark.functions.notation.decimal_sql import sql_string_to_decimal
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.settings import Settings
from twinspark.functions.time.interval_text import calendar_text, day_time_text, year_month_text
from twinspark.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    same_spelling,
    same_type,
)
from twinspark.types.duckdb import cast_to, duck_name, duck_text, duck_type

PRETTY = "pretty"  # the mode of DataFrame.show: NULL in upper case, binary values as hexadecimal digits
UTC_ZONES = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00"})
_keys = itertools.count(1)


def cast_sql(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
    """Casts `sql` of type `source` to `target`; mode is ansi, legacy or try."""
    if same_spelling(source, target):
        return sql
    if is_null(source):
        return f"CAST({sql if 'error(' in sql else 'NULL'} AS {duck_type(target)})"  # raise_error has the null type
    if isinstance(source, VariantType):
        return FromVariant(mode != "try", settings, cast_sql, can_ansi_cast).write(sql, target)
    if isinstance(target, VariantType):
        return to_variant(sql, source)
    if is_string(source) and is_string(target):  # with different collations
        return sql
    if is_string(target):
        return to_string(sql, source, mode, settings)
    if is_string(source):
        return from_string(sql, target, mode, settings)
    if isinstance(source, ArrayType | MapType | StructType):
        return cast_nested(sql, source, target, mode, settings)
    if is_numeric(source) and is_numeric(target):
        return number_to_number(sql, source, target, mode)
    return cast_other(sql, source, target, mode, settings)


# ---- to strings


def to_string(sql: str, source: DataType, mode: str, settings: Settings) -> str:
    if isinstance(source, VariantType):  # VariantVal.toString, in show or inside a nested value
        return f"spark_variant_json({sql}, 'UTC')"
    if isinstance(source, DoubleType):
        return f"spark_double_to_string({sql})"
    if isinstance(source, FloatType):
        return f"spark_float_to_string({sql})"
    if isinstance(source, DecimalType) and mode == "legacy" and source.scale > 6:
        raise NotNative(reasons.CAST, "a decimal with a large scale to string with spark.sql.ansi.enabled = false")
    if isinstance(source, DecimalType) and source.precision == source.scale:
        return f"CAST({with_whole_digit(sql, source)} AS VARCHAR)"
    if isinstance(source, BooleanType | DecimalType) or is_integral(source):
        return f"CAST({sql} AS VARCHAR)"
    if isinstance(source, BinaryType):
        return pretty_binary(sql) if mode == PRETTY else f"decode({sql})"
    if isinstance(source, DateType):
        return check_year(sql, f"CAST({sql} AS VARCHAR)", settings.time_parser == "LEGACY")
    if isinstance(source, TimestampType):
        local = between_datetimes(sql, source, TimestampNTZType(), settings)
        return check_year(local, f"CAST({local} AS VARCHAR)")
    if isinstance(source, TimestampNTZType):
        return check_year(sql, f"CAST({sql} AS VARCHAR)")
    if isinstance(source, DayTimeIntervalType):
        return day_time_text(sql, source)
    if isinstance(source, YearMonthIntervalType):
        return year_month_text(sql, source)
    if isinstance(source, CalendarIntervalType):
        return calendar_text(sql)
    if isinstance(source, TimeType):
        return time_text(sql)
    return nested_to_string(sql, source, mode, settings)


def with_whole_digit(sql: str, source: DecimalType) -> str:
    """DuckDB writes `.5` for types without integral digits; Spark writes `0.5`."""
    if source.precision == 38:
        raise NotNative(reasons.CAST, "decimal(38,38) to string")
    return cast_to(sql, DecimalType(source.precision + 1, source.scale))


def check_year(sql: str, shown: str, by_old_calendar: bool = False) -> str:
    """Falls back for years that do not have four digits, and with the old calendar for days that it does not have."""
    far = not_native(reasons.DATETIME_RANGE, "a year outside 1 to 9999, written as text")
    lacking = f" AND {sql} NOT BETWEEN DATE '1582-10-05' AND DATE '1582-10-14'" if by_old_calendar else ""
    return f"(CASE WHEN year({sql}) BETWEEN 1 AND 9999{lacking} THEN {shown} WHEN {sql} IS NOT NULL THEN {far} END)"


def nested_to_string(sql: str, source: DataType, mode: str, settings: Settings) -> str:
    if isinstance(source, ArrayType):
        return f"spark_list_text({element_texts(sql, source, mode, settings)}, '{null_text(mode)}')"
    if isinstance(source, StructType):
        parts = [element_text(f"({sql}).{duck_name(f.name)}", f.dataType, mode, settings) for f in source.fields]
        joined = " || ', ' || ".join(parts)
        return f"(CASE WHEN {sql} IS NOT NULL THEN '{{' || {joined} || '}}' END)"
    if isinstance(source, MapType):
        key = f"cast_{next(_keys)}_"
        entry = " || ' -> ' || ".join(
            (
                element_text(f"{key}.key", source.keyType, mode, settings),
                element_text(f"{key}.value", source.valueType, mode, settings),
            )
        )
        items = f"list_transform(map_entries({sql}), lambda {key}: {entry})"
        return f"('{{' || array_to_string({items}, ', ') || '}}')"
    raise NotNative(reasons.CAST, f"{source.simpleString()} to string")


def element_texts(sql: str, source: ArrayType, mode: str, settings: Settings) -> str:
    """The list of the elements' texts; DuckDB casts a whole list faster than its elements one by one."""
    key, of = f"cast_{next(_keys)}_", source.elementType
    if is_string(of):
        return sql
    if is_null(of) or isinstance(of, BooleanType) or is_integral(of):
        return f"CAST({sql} AS VARCHAR[])"
    return f"list_transform({sql}, lambda {key}: {to_string(key, of, mode, settings)})"


def null_text(mode: str) -> str:
    return "NULL" if mode == PRETTY else "null"


def element_text(sql: str, type: DataType, mode: str, settings: Settings) -> str:
    if is_null(type):
        return f"'{null_text(mode)}'"
    shown = sql if is_string(type) else to_string(sql, type, mode, settings)
    return f"coalesce({shown}, '{null_text(mode)}')"


def pretty_binary(sql: str) -> str:
    """`[1A FF]`, the format of spark.sql.binaryOutputStyle in show."""
    return f"('[' || rtrim(regexp_replace(hex({sql}), '(..)', '\\1 ', 'g')) || ']')"


def pretty(sql: str, source: DataType, settings: Settings) -> str:
    """A value as DataFrame.show prints it (ToPrettyString)."""
    return element_text(sql, source, PRETTY, settings)


# ---- from strings

STRING_TARGETS = {
    ByteType: "tinyint",
    ShortType: "smallint",
    IntegerType: "int",
    LongType: "bigint",
    FloatType: "float",
    DoubleType: "double",
    BooleanType: "boolean",
}


def from_string(sql: str, target: DataType, mode: str, settings: Settings) -> str:
    if isinstance(target, BinaryType):
        return f"encode({sql})"
    if isinstance(target, DecimalType):
        return sql_string_to_decimal(sql, (target.precision, target.scale), mode == "ansi")
    if target.__class__ in STRING_TARGETS:
        suffix = "_legacy" if mode == "legacy" and is_integral(target) else "_ansi" if mode == "ansi" else ""
        return f"spark_string_to_{STRING_TARGETS[target.__class__]}{suffix}({sql})"
    suffix = "_ansi" if mode == "ansi" else ""
    if isinstance(target, TimeType):
        return text_to_time(sql, mode == "ansi")
    if isinstance(target, DateType):
        return f"spark_string_to_date{suffix}({sql})"
    if isinstance(target, TimestampNTZType):
        return f"spark_string_to_timestamp_ntz{suffix}({sql})"
    if isinstance(target, TimestampType):
        return f"spark_string_to_timestamp{suffix}({sql}, {duck_text(settings.zone)})"
    raise NotNative(reasons.CAST, f"a string to {target.simpleString()}")


# ---- dates, timestamps, booleans


def cast_other(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
    if isinstance(source, BooleanType) and is_numeric(target):
        return number_to_number(f"CAST({sql} AS INTEGER)", IntegerType(), target, mode)
    if isinstance(target, BooleanType) and is_numeric(source):
        return f"({sql} <> 0)"
    if isinstance(source, DateType | TimestampType | TimestampNTZType) and isinstance(
        target, DateType | TimestampType | TimestampNTZType
    ):
        return between_datetimes(sql, source, target, settings)
    if isinstance(source, TimeType) and isinstance(target, DecimalType):
        return number_to_decimal(seconds(sql), SECONDS, target, mode)
    if isinstance(source, TimeType):
        return from_time(sql, source, target, mode)
    if isinstance(source, TimestampType) and is_numeric(target):
        return timestamp_to_number(sql, target, mode)
    if is_integral(source) and isinstance(target, TimestampType):
        return seconds_to_timestamp(sql, source)
    if isinstance(source, DayTimeIntervalType) and isinstance(target, DayTimeIntervalType):
        return cut_interval(sql, FIELD_MICROS[target.endField], target.endField < source.endField)
    if isinstance(source, YearMonthIntervalType) and isinstance(target, YearMonthIntervalType):
        return cut_interval(sql, 1 if target.endField else 12, target.endField < source.endField)
    if is_number_and_interval(source, target):
        return number_and_interval(sql, source, target, mode)
    if isinstance(target, BinaryType) and is_integral(source):
        return f"unhex(right(lpad(hex(CAST({sql} AS BIGINT)), 16, '0'), {2 * WIDTHS[source.__class__]}))"
    raise NotNative(reasons.CAST, f"{source.simpleString()} to {target.simpleString()}")


WIDTHS: dict[type[DataType], int] = {ByteType: 1, ShortType: 2, IntegerType: 4, LongType: 8}
# microseconds of a day, an hour, a minute; seconds have fractions
FIELD_MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1)


def cut_interval(sql: str, unit: int, shorter: bool) -> str:
    """Truncates fields that the target type lacks towards zero."""
    return f"({sql} - {sql} % {unit})" if shorter else sql


def seconds_to_timestamp(sql: str, source: DataType) -> str:
    """Spark returns the greatest or least timestamp for numbers of seconds that are out of range, so these fall
    back."""
    made = f"make_timestamptz(CAST({sql} AS BIGINT) * 1000000)"
    if not isinstance(source, LongType):
        return made
    far = not_native(reasons.DATETIME_RANGE, "a cast of a number of seconds to a timestamp")
    near = f"{sql} BETWEEN -9000000000000 AND 9000000000000"
    return f"(CASE WHEN {near} THEN {made} WHEN {sql} IS NOT NULL THEN {far} END)"


def between_datetimes(sql: str, source: DataType, target: DataType, settings: Settings) -> str:
    """For a local time that occurs twice, Spark takes the earlier instant and DuckDB the later."""
    if settings.zone in UTC_ZONES:
        return in_utc(sql, source, target)
    zone = duck_text(settings.zone)
    if isinstance(target, TimestampType):
        name = "spark_date_to_instant" if isinstance(source, DateType) else "spark_local_to_instant"
        return f"{name}({sql}, {zone})"
    if isinstance(source, TimestampType):
        return cast_to(f"spark_instant_to_local({sql}, {zone})", target)
    return cast_to(sql, target)


def in_utc(sql: str, source: DataType, target: DataType) -> str:
    """The microseconds are the same in UTC, so no calendar is needed: ten times as fast as DuckDB's casts."""
    if isinstance(target, TimestampType):
        return f"make_timestamptz(epoch_us({sql}))"
    if isinstance(source, TimestampType):
        return cast_to(f"make_timestamp(epoch_us({sql}))", target)
    return cast_to(sql, target)


def timestamp_to_number(sql: str, target: DataType, mode: str) -> str:
    micros = f"epoch_us({sql})"
    if isinstance(target, FLOATING):
        return cast_to(f"({micros} / CAST(1000000 AS DOUBLE))", target)
    if isinstance(target, DecimalType) or (mode != "ansi" and not isinstance(target, LongType)):
        raise NotNative(
            reasons.CAST, "a timestamp to a decimal, or with spark.sql.ansi.enabled = false to a small number"
        )
    seconds = f"(({micros} - (({micros} % 1000000) + 1000000) % 1000000) // 1000000)"
    return number_to_number(seconds, LongType(), target, mode)


# ---- nested


def cast_nested(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
    key = f"cast_{next(_keys)}_"
    if isinstance(source, ArrayType) and is_null(source.elementType):
        return cast_to(sql, target)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        inner = cast_sql(key, source.elementType, target.elementType, mode, settings)
        return cast_to(f"list_transform({sql}, lambda {key}: {inner})", target)
    if isinstance(source, MapType) and isinstance(target, MapType):
        return map_to_map(sql, source, target, mode, settings)
    if isinstance(source, StructType) and isinstance(target, StructType):
        return struct_to_struct(sql, source, target, mode, settings)
    raise NotNative(reasons.CAST, f"{source.simpleString()} to {target.simpleString()}")


def map_to_map(sql: str, source: MapType, target: MapType, mode: str, settings: Settings) -> str:
    """Falls back where different keys may become equal by the cast, since Spark keeps both. A map of void is empty."""
    if is_null(source.keyType) or (is_null(source.valueType) and same_type(source.keyType, target.keyType)):
        return cast_to(sql, target)
    if not is_injective(source.keyType, target.keyType):
        raise NotNative(reasons.CAST, "a map to a map with other key types")
    key = f"cast_{next(_keys)}_"
    inner = cast_sql(key, source.valueType, target.valueType, mode, settings)
    values = f"list_transform(map_values({sql}), lambda {key}: {inner})"
    keys = f"map_keys({sql})"
    if not same_spelling(source.keyType, target.keyType):
        keys = f"list_transform({keys}, lambda {key}: {cast_sql(key, source.keyType, target.keyType, mode, settings)})"
    return f"(CASE WHEN {sql} IS NOT NULL THEN MAP({keys}, {values}) END)"


def is_injective(source: DataType, target: DataType) -> bool:
    """Whether different values are still different after the cast."""
    if same_type(source, target) or (isinstance(source, FloatType) and isinstance(target, DoubleType)):
        return True
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return is_injective(source.elementType, target.elementType)
    if isinstance(source, StructType) and isinstance(target, StructType):
        return len(source.fields) == len(target.fields) and all(
            is_injective(a.dataType, b.dataType) for a, b in zip(source.fields, target.fields, strict=True)
        )
    if is_integral(source) or isinstance(source, DecimalType):
        exact = is_integral(target) or isinstance(target, DecimalType)
        return is_string(target) or (exact and can_up_cast(source, target))
    return isinstance(source, DateType) and is_string(target)


def struct_to_struct(sql: str, source: StructType, target: StructType, mode: str, settings: Settings) -> str:
    duck_type(target)
    parts = [
        f"{duck_name(b.name)} := " + cast_sql(f"({sql}).{duck_name(a.name)}", a.dataType, b.dataType, mode, settings)
        for a, b in zip(source.fields, target.fields, strict=True)
    ]
    return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
