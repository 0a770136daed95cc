"""Values as Spark's SQL suite prints them (HiveResult.toHiveString), from Arrow scalars and Spark types."""

from __future__ import annotations

import base64
import decimal
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy
from pyspark.sql import types as T

DAY, HOUR, MINUTE = 86_400_000_000, 3_600_000_000, 60_000_000  # in microseconds


class Unrenderable(Exception):
    """A type that the Python client cannot hold."""


@dataclass(frozen=True)
class Style:
    """What printing depends on: the session's zone, asked only when needed, and the form of binary."""

    zone: Callable[[], ZoneInfo]
    binary: str


def java_double(value: float, digits: str) -> str:
    """Java's Double.toString of the shortest digits that make the value."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if str(value).startswith("-") else "0.0"
    number = decimal.Decimal(digits)
    sign, figures, _ = number.as_tuple()
    text = java_figures("".join(map(str, figures)).rstrip("0") or "0", number.adjusted())
    return ("-" if sign else "") + text


def java_figures(figures: str, point: int) -> str:
    """Plain between 1e-3 and 1e7, scientific outside."""
    if not -3 <= point < 7:
        return f"{figures[0]}.{figures[1:] or '0'}E{point}"
    if point < 0:
        return "0." + "0" * (-point - 1) + figures
    return figures[: point + 1].ljust(point + 1, "0") + "." + (figures[point + 1 :] or "0")


def civil(days: int) -> tuple[int, int, int]:
    """Proleptic Gregorian (year, month, day) of a day number, any year."""
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    month = march_month + 3 if march_month < 10 else march_month - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * march_month + 2) // 5 + 1


def date_text(days: int) -> str:
    """Years outside 0..9999 carry a sign."""
    year, month, day = civil(days)
    year_text = f"{year:04d}" if 0 <= year <= 9999 else (f"+{year}" if year > 0 else f"-{-year:04d}")
    return f"{year_text}-{month:02d}-{day:02d}"


def timestamp_text(micros: int, zone: ZoneInfo | None) -> str:
    """Without a zone: as it stands."""
    if zone is not None:
        micros += offset_seconds(micros // 1_000_000, zone) * 1_000_000
    days, rest = divmod(micros, DAY)
    return f"{date_text(days)} {time_text(rest)}"


def offset_seconds(seconds: int, zone: ZoneInfo) -> int:
    """The zone's offset, asked in years that Python knows: whole 400-year cycles are taken away or added."""
    cycle = 146097 * 86400
    if seconds < -62135596800 + 86400:
        seconds = seconds % cycle - 4 * cycle  # long ago: local mean time
    elif seconds >= 253402300799 - 86400:
        seconds = seconds % cycle + cycle
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    offset = moment.astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def time_text(micros: int) -> str:
    """Seconds with as many places as needed."""
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + (f".{fraction:06d}".rstrip("0") if fraction else "")


def towards_zero(value: int, unit: int) -> int:
    """Java's integer division."""
    return abs(value) // unit * (1 if value >= 0 else -1)


def calendar_text(months: int, days: int, micros: int) -> str:
    """A calendar interval in words; parts that are zero are left out."""
    years, hours = towards_zero(months, 12), towards_zero(micros, HOUR)
    minutes = towards_zero(micros - hours * HOUR, MINUTE)
    rest = micros - hours * HOUR - minutes * MINUTE
    parts = [(years, "years"), (months - years * 12, "months"), (days, "days"), (hours, "hours"), (minutes, "minutes")]
    words = [f"{value} {unit}" for value, unit in parts if value]
    if rest:
        words.append(f"{format(decimal.Decimal(rest).scaleb(-6).normalize(), 'f')} seconds")
    return " ".join(words) or "0 seconds"


def day_time_text(micros: int) -> str:
    """Days, then hours to nanoseconds."""
    if micros == -(2**63):
        return "-106751991 04:00:54.775808000"
    seconds, rest = divmod(abs(micros), 1_000_000)
    clock = f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest * 1000:09d}"
    return f"{'-' if micros < 0 else ''}{seconds // 86400} {clock}"


def year_month_text(cast: str) -> str:
    """INTERVAL '1-2' YEAR TO MONTH, as the server casts it to a string, as 1-2."""
    found = re.match(r"INTERVAL '(-?)(\d+)(?:-(\d+))?' (.*)", cast)
    if not found:
        raise Unrenderable(cast)
    sign, first, second, unit = found.groups()
    months = int(first) * 12 + int(second or 0) if unit.startswith("YEAR") else int(first)
    return f"{sign}{months // 12}-{months % 12}"


def binary_text(value: bytes, style: str) -> str:
    """By spark.sql.binaryOutputStyle."""
    if style == "BASIC":
        return "[" + ", ".join(str(byte - 256 if byte > 127 else byte) for byte in value) + "]"
    if style == "BASE64":
        return base64.b64encode(value).decode().rstrip("=")
    if style == "HEX":
        return value.hex().upper()
    if style == "HEX_DISCRETE":
        return "[" + " ".join(f"{byte:02X}" for byte in value) + "]"
    return value.decode("utf-8", "replace")


def day_time_cell(value: Any, kind: T.DayTimeIntervalType) -> str:
    """Cut to the unit that the type ends with."""
    unit = (DAY, HOUR, MINUTE, 1)[kind.endField]
    return day_time_text(towards_zero(value.value, unit) * unit)


def map_cell(value: Any, kind: T.MapType, style: Style) -> str:
    """Entries sorted by their text."""
    entries = zip(value.values.field(0), value.values.field(1), strict=True)
    texts = (cell(k, kind.keyType, style, True) + ":" + cell(v, kind.valueType, style, True) for k, v in entries)
    return "{" + ",".join(sorted(texts)) + "}"


def struct_cell(value: Any, kind: T.StructType, style: Style) -> str:
    """By position: names may repeat."""
    fields = (f'"{field.name}":{cell(value[i], field.dataType, style, True)}' for i, field in enumerate(kind))
    return "{" + ",".join(fields) + "}"


Printer = Callable[[Any, Any, Style], str]
PRINTERS: list[tuple[tuple[type, ...], Printer]] = [
    ((T.BooleanType,), lambda v, t, s: "true" if v.as_py() else "false"),
    ((T.DateType,), lambda v, t, s: date_text(v.value)),
    ((T.TimestampType,), lambda v, t, s: timestamp_text(v.value, s.zone())),
    ((T.TimestampNTZType,), lambda v, t, s: timestamp_text(v.value, None)),
    ((T.TimeType,), lambda v, t, s: time_text(v.value // 1000 if str(v.type).endswith("[ns]") else v.value)),
    ((T.BinaryType,), lambda v, t, s: binary_text(v.as_py(), s.binary)),
    ((T.DecimalType,), lambda v, t, s: format(v.as_py(), "f")),
    ((T.FloatType,), lambda v, t, s: java_double(v.as_py(), str(numpy.float32(v.as_py())))),
    ((T.DoubleType,), lambda v, t, s: java_double(v.as_py(), repr(v.as_py()))),
    ((T.CalendarIntervalType,), lambda v, t, s: calendar_text(v.as_py()[0], v.as_py()[1], v.as_py()[2] // 1000)),
    ((T.DayTimeIntervalType,), lambda v, t, s: day_time_cell(v, t)),
    ((T.ArrayType,), lambda v, t, s: "[" + ",".join(cell(x, t.elementType, s, True) for x in v.values) + "]"),
    ((T.MapType,), map_cell),
    ((T.VariantType,), lambda v, t, s: str(T.VariantVal(v.as_py()["value"], v.as_py()["metadata"]))),
    ((T.StructType,), struct_cell),
    ((T.IntegralType,), lambda v, t, s: str(v.as_py())),
]


def cell(value: Any, kind: T.DataType, style: Style, nested: bool = False) -> str:
    """One value: an Arrow scalar of a Spark type."""
    if not value.is_valid:
        return "null" if nested else "NULL"
    if isinstance(kind, (T.StringType, T.CharType, T.VarcharType)):
        return f'"{value.as_py()}"' if nested else str(value.as_py())
    for kinds, printer in PRINTERS:
        if isinstance(kind, kinds):
            return printer(value, kind, style)
    raise Unrenderable(kind.simpleString())
