"""How DuckDB spells Spark's casts, type pair by type pair, in the three modes; what is not exact goes to Spark."""

from __future__ import annotations

import itertools

from twinspark.errors import NotNative
from twinspark.functions.castable import can_ansi_cast
from twinspark.functions.common_types import can_up_cast
from twinspark.functions.interval_casts import meets_interval, number_and_interval
from twinspark.functions.interval_text import calendar_text, day_time_text, year_month_text
from twinspark.functions.native_spelling import sql_string_to_decimal
from twinspark.functions.number_casts import (
    FLOATING,
    number_to_decimal,
    number_to_number,
)
from twinspark.functions.settings import Settings
from twinspark.functions.spelling import (
    cast_to,
    duck_type,
    quoted_name,
    text,
)
from twinspark.functions.time_casts import SECONDS, from_time, seconds, text_to_time, time_text
from twinspark.functions.variant_casts import FromVariant, to_variant
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
    same_letters,
    same_type,
)

PRETTY = "pretty"  # the mode of show: NULL in capitals, bytes as hex
UTC_ZONES = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00"})
_keys = itertools.count(1)


def cast_sql(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
    """`sql`, of type source, as target; mode is ansi, legacy or try."""
    if same_letters(source, target):
        return sql
    if is_null(source):
        return f"CAST({sql if 'error(' in sql else 'NULL'} AS {duck_type(target)})"  # raise_error is of no type
    if isinstance(source, VariantType):
        return FromVariant(mode != "try", settings, cast_sql, can_ansi_cast).write(sql, target)
    if isinstance(target, VariantType):
        return to_variant(sql, source)
    if is_string(source) and is_string(target):  # of different collations
        return sql
    if is_string(target):
        return to_string(sql, source, mode, settings)
    if is_string(source):
        return from_string(sql, target, mode, settings)
    if isinstance(source, ArrayType | MapType | StructType):
        return nested(sql, source, target, mode, settings)
    if is_numeric(source) and is_numeric(target):
        return number_to_number(sql, source, target, mode)
    return other(sql, source, target, mode, settings)


# ---- to strings


def to_string(sql: str, source: DataType, mode: str, settings: Settings) -> str:
    if isinstance(source, VariantType):  # shown, or inside of what is cast: VariantVal.toString
        return f"spark_variant_json({sql}, 'UTC')"
    if isinstance(source, DoubleType):
        return f"spark_double_to_string({sql})"
    if isinstance(source, FloatType):
        return f"spark_float_to_string({sql})"
    if isinstance(source, DecimalType) and mode == "legacy" and source.scale > 6:
        raise NotNative("text of a small decimal without ANSI: Java writes exponents")
    if isinstance(source, DecimalType) and source.precision == source.scale:
        return f"CAST({with_whole_digit(sql, source)} AS VARCHAR)"
    if isinstance(source, BooleanType | DecimalType) or is_integral(source):
        return f"CAST({sql} AS VARCHAR)"
    if isinstance(source, BinaryType):
        return bytes_shown(sql) if mode == PRETTY else f"decode({sql})"
    if isinstance(source, DateType):
        return dated(sql, f"CAST({sql} AS VARCHAR)", settings.time_parser == "LEGACY")
    if isinstance(source, TimestampType):
        local = between_datetimes(sql, source, TimestampNTZType(), settings)
        return dated(local, f"CAST({local} AS VARCHAR)")
    if isinstance(source, TimestampNTZType):
        return dated(sql, f"CAST({sql} AS VARCHAR)")
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
    """DuckDB writes `.5` where a type has no digit before the point."""
    if source.precision == 38:
        raise NotNative("text of decimal(38,38)")
    return cast_to(sql, DecimalType(source.precision + 1, source.scale))


def dated(sql: str, shown: str, by_old_calendar: bool = False) -> str:
    """Years of four digits are written alike; others raise, and the plan goes to Spark. The old calendar lacks days."""
    far = not_native("text of a year outside 1 to 9999")
    lacking = f" AND {sql} NOT BETWEEN DATE '1582-10-05' AND DATE '1582-10-14'" if by_old_calendar else ""
    return f"(CASE WHEN year({sql}) BETWEEN 1 AND 9999{lacking} THEN {shown} WHEN {sql} IS NOT NULL THEN {far} END)"


def not_native(reason: str) -> str:
    """Found only while running: duck.errors turns it into NotNative and the plan runs again on Spark."""
    return f"error({text('NOT_NATIVE:' + reason)})"


def nested_to_string(sql: str, source: DataType, mode: str, settings: Settings) -> str:
    if isinstance(source, ArrayType):
        return f"spark_list_text({element_texts(sql, source, mode, settings)}, '{null_word(mode)}')"
    if isinstance(source, StructType):
        parts = [element_text(f"({sql}).{quoted_name(f.name)}", f.dataType, mode, settings) for f in source.fields]
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
    raise NotNative(f"text of {source.simpleString()}")


def element_texts(sql: str, source: ArrayType, mode: str, settings: Settings) -> str:
    """The list of the elements' texts; a list is cast faster than its elements one by one."""
    key, of = f"cast_{next(_keys)}_", source.elementType
    if is_string(of):
        return sql
    if is_null(of) or isinstance(of, BooleanType) or is_integral(of):
        return f"CAST({sql} AS VARCHAR[])"
    return f"list_transform({sql}, lambda {key}: {to_string(key, of, mode, settings)})"


def null_word(mode: str) -> str:
    return "NULL" if mode == PRETTY else "null"


def element_text(sql: str, type: DataType, mode: str, settings: Settings) -> str:
    if is_null(type):
        return f"'{null_word(mode)}'"
    shown = sql if is_string(type) else to_string(sql, type, mode, settings)
    return f"coalesce({shown}, '{null_word(mode)}')"


def bytes_shown(sql: str) -> str:
    """`[1A FF]` (spark.sql.binaryOutputStyle as show has it)."""
    return f"('[' || rtrim(regexp_replace(hex({sql}), '(..)', '\\1 ', 'g')) || ']')"


def pretty(sql: str, source: DataType, settings: Settings) -> str:
    """A cell as show prints it (ToPrettyString)."""
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
        return f"spark_string_to_timestamp{suffix}({sql}, {text(settings.zone)})"
    raise NotNative(f"a cast of a string to {target.simpleString()}")


# ---- dates, timestamps, booleans


def other(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
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
    if meets_interval(source, target):
        return number_and_interval(sql, source, target, mode)
    if isinstance(target, BinaryType) and is_integral(source):
        return f"unhex(right(lpad(hex(CAST({sql} AS BIGINT)), 16, '0'), {2 * WIDTHS[source.__class__]}))"
    raise NotNative(f"a cast of {source.simpleString()} to {target.simpleString()}")


WIDTHS: dict[type[DataType], int] = {ByteType: 1, ShortType: 2, IntegerType: 4, LongType: 8}
FIELD_MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1)  # of a day, an hour, a minute; seconds have a fraction


def cut_interval(sql: str, unit: int, shorter: bool) -> str:
    """Fields that the target lacks are cut off towards zero."""
    return f"({sql} - {sql} % {unit})" if shorter else sql


def seconds_to_timestamp(sql: str, source: DataType) -> str:
    """Beyond the microseconds of a bigint Spark takes the farthest instant."""
    made = f"make_timestamptz(CAST({sql} AS BIGINT) * 1000000)"
    if not isinstance(source, LongType):
        return made
    far = not_native("seconds beyond the range of timestamps")
    near = f"{sql} BETWEEN -9000000000000 AND 9000000000000"
    return f"(CASE WHEN {near} THEN {made} WHEN {sql} IS NOT NULL THEN {far} END)"


def between_datetimes(sql: str, source: DataType, target: DataType, settings: Settings) -> str:
    """An hour that the clock shows twice: Spark takes the earlier instant, DuckDB the later."""
    if settings.zone in UTC_ZONES:
        return in_utc(sql, source, target)
    zone = text(settings.zone)
    if isinstance(target, TimestampType):
        name = "spark_date_to_instant" if isinstance(source, DateType) else "spark_local_to_instant"
        return f"{name}({sql}, {zone})"
    if isinstance(source, TimestampType):
        return cast_to(f"spark_instant_to_local({sql}, {zone})", target)
    return cast_to(sql, target)


def in_utc(sql: str, source: DataType, target: DataType) -> str:
    """The same microseconds: ten times as fast as DuckDB's casts, which ask its library of calendars for each row."""
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
        raise NotNative("a cast of a timestamp to a decimal, or without ANSI to a small number")
    seconds = f"(({micros} - (({micros} % 1000000) + 1000000) % 1000000) // 1000000)"
    return number_to_number(seconds, LongType(), target, mode)


# ---- nested


def nested(sql: str, source: DataType, target: DataType, mode: str, settings: Settings) -> str:
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
    raise NotNative(f"a cast of {source.simpleString()} to {target.simpleString()}")


def map_to_map(sql: str, source: MapType, target: MapType, mode: str, settings: Settings) -> str:
    """Keys that may meet when they are cast are Spark's, which keeps both. A map of void has none."""
    if is_null(source.keyType) or (is_null(source.valueType) and same_type(source.keyType, target.keyType)):
        return cast_to(sql, target)
    if not keeps_apart(source.keyType, target.keyType):
        raise NotNative("a cast of a map's keys")
    key = f"cast_{next(_keys)}_"
    inner = cast_sql(key, source.valueType, target.valueType, mode, settings)
    values = f"list_transform(map_values({sql}), lambda {key}: {inner})"
    keys = f"map_keys({sql})"
    if not same_letters(source.keyType, target.keyType):
        keys = f"list_transform({keys}, lambda {key}: {cast_sql(key, source.keyType, target.keyType, mode, settings)})"
    return f"(CASE WHEN {sql} IS NOT NULL THEN MAP({keys}, {values}) END)"


def keeps_apart(source: DataType, target: DataType) -> bool:
    """Whether values that differ differ after the cast as well."""
    if same_type(source, target) or (isinstance(source, FloatType) and isinstance(target, DoubleType)):
        return True
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return keeps_apart(source.elementType, target.elementType)
    if isinstance(source, StructType) and isinstance(target, StructType):
        return len(source.fields) == len(target.fields) and all(
            keeps_apart(a.dataType, b.dataType) for a, b in zip(source.fields, target.fields, strict=True)
        )
    if is_integral(source) or isinstance(source, DecimalType):
        exact = is_integral(target) or isinstance(target, DecimalType)
        return is_string(target) or (exact and can_up_cast(source, target))
    return isinstance(source, DateType) and is_string(target)


def struct_to_struct(sql: str, source: StructType, target: StructType, mode: str, settings: Settings) -> str:
    duck_type(target)
    parts = [
        f"{quoted_name(b.name)} := "
        + cast_sql(f"({sql}).{quoted_name(a.name)}", a.dataType, b.dataType, mode, settings)
        for a, b in zip(source.fields, target.fields, strict=True)
    ]
    return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
