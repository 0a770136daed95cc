"""Parses columns of text into typed Arrow arrays, for servers that send values as text."""

import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t

from twinspark.driver.errors import AmbiguousTimestampWarning, DataError
from twinspark.types.arrow import arrow_type
from twinspark.wire.thrift.zones import instants_of

YEAR_MONTH = r"^(?:INTERVAL ')?(?P<sign>[-+]?)(?P<years>\d+)-(?P<months>\d+)(?:'.*)?$"
DAY_TIME = (
    r"^(?:INTERVAL ')?(?P<sign>[-+]?)(?P<days>\d+) "
    r"(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+)(?:\.(?P<fraction>\d{1,9}))?(?:'.*)?$"
)
CALENDAR = (
    r"^(?:(?P<years>-?\d+) years ?)?(?:(?P<months>-?\d+) months ?)?(?:(?P<days>-?\d+) days ?)?"
    r"(?:(?P<hours>-?\d+) hours ?)?(?:(?P<minutes>-?\d+) minutes ?)?"
    r"(?:(?P<sign>-?)(?P<seconds>\d+)(?:\.(?P<fraction>\d{1,9}))? seconds)?$"
)
WIDE_TIMESTAMP = r"^(?P<year>[-+]?\d{4,})(?P<rest>-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?)$"
GREGORIAN_CYCLE = 400  # years after which the calendar repeats, including the day of the week
DAYS_IN_CYCLE = 146_097


def from_text(texts: pa.Array, kind: t.DataType, zone: str = "UTC", column: str = "?") -> pa.Array:
    """The column as an Arrow array of `kind`; raises with the row number for text that is no such value."""
    convert = CONVERT.get(type(kind))
    try:
        if convert is not None:
            return convert(texts, kind, zone, column)
        return pc.cast(texts, arrow_type(kind, zone))
    except (pa.ArrowInvalid, ValueError, ArithmeticError) as error:
        raise DataError(name_the_row(texts, kind, zone, column, str(error)), "22018") from error


def name_the_row(texts: pa.Array, kind: t.DataType, zone: str, column: str, reason: str) -> str:
    """Finds the row that failed by parsing value by value; slow, but only called after a failure."""
    for row, value in enumerate(texts):
        if value.is_valid and not readable(value, texts.type, kind, zone, column):
            return f"column {column!r}, row {row}: {value.as_py()!r} is not a {kind.simpleString()} ({reason})"
    return f"column {column!r} is not a {kind.simpleString()}: {reason}"


def readable(value: Any, carrier: pa.DataType, kind: t.DataType, zone: str, column: str) -> bool:
    one = pa.array([value.as_py()], carrier)
    try:
        CONVERT[type(kind)](one, kind, zone, column) if type(kind) in CONVERT else pc.cast(one, arrow_type(kind, zone))
    except (pa.ArrowInvalid, ValueError, ArithmeticError):
        return False
    return True


def same(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return texts


def boolean(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return pc.cast(pc.utf8_lower(texts), pa.bool_())


def binary(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return pc.cast(texts, pa.binary())


def decimal(texts: pa.Array, kind: t.DecimalType, zone: str, column: str) -> pa.Array:
    target = arrow_type(kind)
    try:
        return pc.cast(texts, target)
    except pa.ArrowInvalid:
        # Arrow rescales before it checks: 1E-40 or fifty fractional digits may still be a value of this type.
        values = [None if text is None else Decimal(text) for text in texts.to_pylist()]
        return pa.array(values, target)


def floating(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return pc.cast(pc.cast(texts, pa.float64()), arrow_type(kind))


def date(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return wide(texts, lambda plain: pc.cast(plain, pa.date32()), DAYS_IN_CYCLE, pa.int32())


def naive_timestamp(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return wide(texts, lambda plain: pc.cast(plain, pa.timestamp("us")), DAYS_IN_CYCLE * 86_400_000_000, pa.int64())


def wide(texts: pa.Array, parse: Callable[[pa.Array], pa.Array], cycle: int, storage: pa.DataType) -> pa.Array:
    """Parses years outside 0000 to 9999 by shifting them by multiples of 400 years, where the calendar is the same."""
    odd = pc.fill_null(pc.match_substring_regex(texts, r"^([-+]|\d{5})"), False)
    if not pc.any(odd).as_py():
        return parse(texts)
    parts = pc.extract_regex(texts, WIDE_TIMESTAMP)
    if parts.null_count > texts.null_count:
        return parse(texts)
    years = pc.cast(pc.replace_substring_regex(pc.struct_field(parts, "year"), r"^\+", ""), pa.int64())
    cycles = pc.floor(pc.divide(pc.cast(years, pa.float64()), GREGORIAN_CYCLE)).cast(pa.int64())
    inside = pc.add(pc.subtract(years, pc.multiply(cycles, GREGORIAN_CYCLE)), 2000)
    near = parse(pc.binary_join_element_wise(pc.cast(inside, pa.string()), pc.struct_field(parts, "rest"), ""))
    shifted = pc.add(near.cast(storage).cast(pa.int64()), pc.multiply(pc.subtract(cycles, 5), cycle))
    return shifted.cast(storage).cast(near.type)


def timestamp(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    """Parses local times of the session time zone without offset; warns about an hour that occurs twice."""
    wall = naive_timestamp(texts, kind, zone, column)
    if zone.upper() in ("UTC", "Z", "ETC/UTC", "GMT"):
        return wall.cast(pa.timestamp("us", zone))
    instants, twice = instants_of(wall, zone)
    if twice.any():
        message = (
            f"column {column!r}: {twice.sum()} timestamps name an hour that happened twice in {zone};"
            " the earlier is taken"
        )
        warnings.warn(message, AmbiguousTimestampWarning, stacklevel=2)
    return instants


def groups(texts: pa.Array, pattern: str) -> dict[str, np.ndarray[Any, Any]]:
    """The named groups of a pattern as int64 (0 where absent); raises for text that does not match."""
    found = pc.extract_regex(texts, pattern)
    if found.null_count > texts.null_count:
        raise ValueError("not an interval")
    names = [found.type.field(index).name for index in range(found.type.num_fields)]
    return {name: group(pc.struct_field(found, name), name) for name in names}


def group(texts: pa.Array, name: str) -> np.ndarray[Any, Any]:
    filled = pc.fill_null(texts, "")
    if name == "sign":
        return np.where(np.asarray(pc.equal(filled, "-")), -1, 1)
    padded = pc.utf8_rpad(filled, 9, "0") if name == "fraction" else filled
    return np.asarray(pc.cast(pc.if_else(pc.equal(padded, ""), "0", padded), pa.int64()))


def year_month(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    found = groups(texts, YEAR_MONTH)
    return month_day_nano(texts, found["sign"] * (found["years"] * 12 + found["months"]))


def day_time(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    found = groups(texts, DAY_TIME)
    seconds = ((found["days"] * 24 + found["hours"]) * 60 + found["minutes"]) * 60 + found["seconds"]
    micros = found["sign"] * (seconds * 1_000_000 + found["fraction"] // 1000)
    return pa.array(micros, mask=np.asarray(pc.is_null(texts))).cast(pa.duration("us"))


def calendar(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    found = groups(texts, CALENDAR)
    nanos = (found["hours"] * 60 + found["minutes"]) * 60_000_000_000
    nanos += found["sign"] * (found["seconds"] * 1_000_000_000 + found["fraction"])
    return month_day_nano(texts, found["years"] * 12 + found["months"], found["days"], nanos)


def month_day_nano(like: pa.Array, months: Any, days: Any = 0, nanos: Any = 0) -> pa.Array:
    """An Arrow array of intervals, each with its three numbers in sixteen bytes; nulls are those of `like`."""
    values = np.zeros(len(like), np.dtype([("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")]))
    values["months"], values["days"], values["nanos"] = months, days, nanos
    valid = np.packbits(np.asarray(pc.is_valid(like)), bitorder="little")
    return pa.Array.from_buffers(
        pa.month_day_nano_interval(), len(like), [pa.py_buffer(valid), pa.py_buffer(values.tobytes())]
    )


def time_of_day(texts: pa.Array, kind: t.DataType, zone: str, column: str) -> pa.Array:
    return pc.cast(pc.cast(texts, pa.time64("ns")), arrow_type(kind))


CONVERT: dict[type[t.DataType], Callable[..., pa.Array]] = {
    t.StringType: same,
    t.CharType: same,
    t.VarcharType: same,
    t.BooleanType: boolean,
    t.BinaryType: binary,
    t.DecimalType: decimal,
    t.FloatType: floating,
    t.DoubleType: floating,
    t.DateType: date,
    t.TimestampType: timestamp,
    t.TimestampNTZType: naive_timestamp,
    t.YearMonthIntervalType: year_month,
    t.DayTimeIntervalType: day_time,
    t.CalendarIntervalType: calendar,
    t.TimeType: time_of_day,
}
