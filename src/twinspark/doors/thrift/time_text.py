"""Formats dates, timestamps and intervals like Spark's Thrift server, a whole column at a time."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinspark.wire.thrift.zones import local_times

DAYS_IN_CYCLE, CYCLE_YEARS = 146_097, 400  # the Gregorian calendar repeats after this
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, counted from 1970
MICROS_IN_DAY = 86_400_000_000


def date_text(array: pa.Array) -> pa.Array:
    return far_text(array.cast(pa.int32()), 1, pa.int32(), pa.date32())


def timestamp_text(array: pa.Array) -> pa.Array:
    """Local time of the column's zone, without offset; trailing zeros of the fraction are removed."""
    wall = local_times(array) if array.type.tz else array
    texts = far_text(wall.cast(pa.int64()), MICROS_IN_DAY, pa.int64(), pa.timestamp("us"))
    return pc.replace_substring_regex(texts, r"\.?0*$", "")


def time_text(array: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.cast(array, pa.string()), r"\.?0*$", "")


def far_text(numbers: pa.Array, unit: int, storage: pa.DataType, kind: pa.DataType) -> pa.Array:
    """Years outside 1 to 9999 are formatted as a year with the same calendar, and the year is corrected afterwards."""
    first, last = FIRST_DAY * unit, (LAST_DAY + 1) * unit
    inside = pc.and_(pc.greater_equal(numbers, first), pc.less(numbers, last))
    if pc.all(inside).as_py() is not False:
        return pc.cast(numbers.cast(kind), pa.string())
    values = numbers_of(numbers, storage)
    cycles = values // (DAYS_IN_CYCLE * unit)
    near = pa.array(values - cycles * DAYS_IN_CYCLE * unit).cast(storage).cast(kind)
    texts = pc.cast(near, pa.string())
    years = pc.add(pc.cast(pc.utf8_slice_codeunits(texts, 0, 4), pa.int64()), pa.array(cycles * CYCLE_YEARS))
    whole = pc.binary_join_element_wise(year_text(years), pc.utf8_slice_codeunits(texts, 4, None), "")
    return pc.if_else(pc.is_valid(numbers), whole, pa.scalar(None, pa.string()))


def year_text(years: pa.Array) -> pa.Array:
    digits = pc.utf8_lpad(pc.cast(pc.abs(years), pa.string()), 4, "0")
    sign = pc.if_else(pc.less(years, 0), "-", pc.if_else(pc.greater(years, 9999), "+", ""))
    return pc.binary_join_element_wise(sign, digits, "")


def texts_of(numbers: Any, width: int = 0) -> pa.Array:
    texts = pc.cast(pa.array(numbers), pa.string())
    return pc.utf8_lpad(texts, width, "0") if width else texts


def with_sign(like: pa.Array, negative: Any, *parts: Any) -> pa.Array:
    """The parts joined, with a minus sign for negative values, null where `like` is null."""
    whole = pc.binary_join_element_wise(pc.if_else(pa.array(negative), "-", ""), *parts, "")
    return pc.if_else(pc.is_valid(like), whole, pa.scalar(None, pa.string()))


def numbers_of(array: pa.Array, kind: pa.DataType) -> Any:
    return np.asarray(pc.fill_null(array.cast(kind), 0)).astype(np.int64)


def year_month_text(array: pa.Array) -> pa.Array:
    """Months, as the backend returns them: `1-2`, `-0-3`."""
    months = numbers_of(array, pa.int32())
    size = np.abs(months)
    return with_sign(array, months < 0, texts_of(size // 12), "-", texts_of(size % 12))


def day_time_text(array: pa.Array) -> pa.Array:
    """`1 02:03:04.500000000`: always nine digits."""
    micros = numbers_of(array, pa.int64())
    size = np.abs(micros)
    seconds = size // 1_000_000
    clock = [texts_of(seconds // 3600 % 24, 2), ":", texts_of(seconds // 60 % 60, 2), ":", texts_of(seconds % 60, 2)]
    fraction = texts_of(size % 1_000_000 * 1000, 9)
    return with_sign(array, micros < 0, texts_of(seconds // 86_400), " ", *clock, ".", fraction)


def calendar_text(array: pa.Array) -> pa.Array:
    """CalendarInterval.toString: the units that are not zero, with their names."""
    values = np.frombuffer(array.buffers()[1], np.dtype([("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")]))
    values = values[array.offset : array.offset + len(array)]
    months, days, micros = (values[name].astype(np.int64) for name in ("months", "days", "nanos"))
    micros = trunc_divide(micros, 1000)
    units = [
        (trunc_divide(months, 12), "years"),
        (np.fmod(months, 12), "months"),
        (days, "days"),
        (trunc_divide(micros, 3_600_000_000), "hours"),
        (np.fmod(trunc_divide(micros, 60_000_000), 60), "minutes"),
    ]
    parts = [count_text(number, unit) for number, unit in units] + [seconds_text(np.fmod(micros, 60_000_000))]
    whole = pc.utf8_rtrim_whitespace(pc.binary_join_element_wise(*parts, ""))
    shown = pc.if_else(pc.equal(whole, ""), "0 seconds", whole)
    return pc.if_else(pc.is_valid(array), shown, pa.scalar(None, pa.string()))


def trunc_divide(numbers: Any, by: int) -> Any:
    return np.sign(numbers) * (np.abs(numbers) // by)


def count_text(numbers: Any, unit: str) -> pa.Array:
    """The number with its unit and a space, or nothing if it is zero."""
    texts = pc.binary_join_element_wise(texts_of(numbers), f" {unit} ", "")
    return pc.if_else(pa.array(numbers != 0), texts, "")


def seconds_text(micros: Any) -> pa.Array:
    size = np.abs(micros)
    number = pc.binary_join_element_wise(texts_of(size // 1_000_000), texts_of(size % 1_000_000, 6), ".")
    trimmed = pc.replace_substring_regex(number, r"\.?0*$", "")
    texts = pc.binary_join_element_wise(pc.if_else(pa.array(micros < 0), "-", ""), trimmed, " seconds", "")
    return pc.if_else(pa.array(micros != 0), texts, "")
