"""The text of a literal in a column's automatic name (Literal.sql through toPrettySQL)."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

from twinspark.functions.notation.settings import clock_of
from twinspark.functions.strings.java_numbers import double_text, float_text
from twinspark.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    sql_name,
)

EPOCH = dt.datetime(1970, 1, 1)
DAYS_OF_400_YEARS = 146_097


def literal_text(value: Any, type: DataType, zone: str) -> str:
    if value is None:
        return "NULL"
    if isinstance(type, DoubleType | FloatType):
        return number_text(value, type)
    if isinstance(type, DecimalType):
        return decimal_text(abs(value) if not value else Decimal(value))
    if isinstance(type, BinaryType):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(type, DateType | TimestampType | TimestampNTZType):
        return datetime_literal(value, type, zone)
    if isinstance(type, TimeType):
        return f"TIME '{time_text(value)}'"
    if isinstance(type, DayTimeIntervalType):
        return day_time_text(value, type)
    if isinstance(type, YearMonthIntervalType):
        return year_month_text(value, type)
    return nested_text(value, type, zone)


def decimal_text(value: Decimal) -> str:
    """The text of java.math.BigDecimal.toString: small numbers with an exponent."""
    exponent = value.as_tuple().exponent
    return f"{value:f}" if isinstance(exponent, int) and exponent > 0 else str(value)


def number_text(value: float, type: DataType) -> str:
    return float_text(value) if isinstance(type, FloatType) else double_text(value)


def nested_text(value: Any, type: DataType, zone: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(type, ArrayType):
        return f"ARRAY({', '.join(inner_text(v, type.elementType, zone) for v in value)})"
    if isinstance(type, MapType):
        pairs = [inner_text(v, t, zone) for k, x in value for v, t in ((k, type.keyType), (x, type.valueType))]
        return f"MAP({', '.join(pairs)})"
    if isinstance(type, StructType):
        parts = [
            f"{quote_string(field.name)}, {inner_text(v, field.dataType, zone)}"
            for v, field in zip(value, type.fields, strict=True)
        ]
        return f"NAMED_STRUCT({', '.join(parts)})"
    return str(value)


def inner_text(value: Any, type: DataType, zone: str) -> str:
    """A literal inside another one is written as SQL (Literal.sql)."""
    if value is None:
        return "NULL" if isinstance(type, NullType) else f"CAST(NULL AS {sql_name(type)})"
    if isinstance(type, StringType):
        return quote_string(value)
    shown = literal_text(value, type, zone)
    if isinstance(type, FloatType) or (isinstance(type, DoubleType) and not math.isfinite(value)):
        return f"CAST('{shown}' AS {sql_name(type)})"
    return shown + SUFFIXES.get(type.__class__, "")


SUFFIXES: dict[type, str] = {ByteType: "Y", ShortType: "S", LongType: "L", DoubleType: "D", DecimalType: "BD"}


def quote_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def datetime_literal(value: int, type: DataType, zone: str) -> str:
    if isinstance(type, DateType):
        return f"DATE '{date_text(value)}'"
    if isinstance(type, TimestampNTZType):
        return f"TIMESTAMP_NTZ '{timestamp_text(value)}'"
    return f"TIMESTAMP '{timestamp_text(local_micros(value, zone))}'"


def date_text(days: int) -> str:
    try:
        return (EPOCH.date() + dt.timedelta(days=days)).isoformat()
    except OverflowError:
        return far_date_text(days)


CYCLE_DAYS, CYCLE_YEARS = 146_097, 400  # the calendar repeats every 400 years


def far_date_text(days: int) -> str:
    """Years outside the range of Python's dates, as java.time writes them: `-0044-03-15`, `+10000-01-01`."""
    cycles = days // CYCLE_DAYS
    near = EPOCH.date() + dt.timedelta(days=days - cycles * CYCLE_DAYS)
    year = near.year + cycles * CYCLE_YEARS
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{near:%m-%d}"


def local_micros(micros: int, zone: str) -> int:
    try:
        moment = (EPOCH + dt.timedelta(microseconds=micros)).replace(tzinfo=dt.UTC).astimezone(clock_of(zone))
    except (OverflowError, ValueError, KeyError):
        return micros
    return micros + round((moment.utcoffset() or dt.timedelta()).total_seconds()) * 1_000_000


def timestamp_text(micros: int) -> str:
    days, rest = divmod(micros, 86_400_000_000)
    seconds, fraction = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{date_text(days)} {clock}" + (f".{fraction:06d}".rstrip("0") if fraction else "")


def time_text(nanos: int) -> str:
    """A time of day whose fraction has no trailing zeros."""
    seconds, fraction = divmod(nanos, 1_000_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return clock + (f".{fraction:09d}".rstrip("0") if fraction else "")


UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)


def day_time_text(micros: int, type: DayTimeIntervalType) -> str:
    """`INTERVAL '1 02:03:04.5' DAY TO SECOND`: the leading field as it is, the others zero-padded (IntervalUtils)."""
    start, end = type.startField, type.endField
    sign, rest = ("-" if micros < 0 else ""), abs(micros)
    parts = []
    for unit in range(start, end + 1):
        amount, rest = divmod(rest, MICROS[unit])
        parts.append(field_text(unit, amount, rest if unit == 3 else 0, unit == start == 0))
    joined = parts[0]
    for unit, part in zip(range(start + 1, end + 1), parts[1:], strict=True):
        joined += (" " if unit == 1 else ":") + part
    name = UNITS[start] if start == end else f"{UNITS[start]} TO {UNITS[end]}"
    return f"INTERVAL '{sign}{joined}' {name}"


def field_text(unit: int, amount: int, micros: int, plain: bool) -> str:
    text = str(amount) if plain else f"{amount:02d}"
    return text + (f".{micros:06d}".rstrip("0") if micros else "")


def year_month_text(months: int, type: YearMonthIntervalType) -> str:
    sign, amount = ("-" if months < 0 else ""), abs(months)
    if type.startField == type.endField == 0:
        return f"INTERVAL '{sign}{amount // 12}' YEAR"
    if type.startField == type.endField == 1:
        return f"INTERVAL '{sign}{amount}' MONTH"
    return f"INTERVAL '{sign}{amount // 12}-{amount % 12}' YEAR TO MONTH"


def is_finite(value: float) -> bool:
    return math.isfinite(value)
