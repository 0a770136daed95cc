"""Converts columns of timestamps between local time and instants in a time zone.

Arrow knows the offset changes of a zone only up to 2037, where the tables of the zone file end. Later offsets come from
Python's zoneinfo, computed once for each year and applied to the whole column.
"""

import functools
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SECOND, DAY = 1_000_000, 86_400_000_000
CYCLE = 146_097 * DAY  # 400 years, after which the calendar repeats, day of week and all
FAR = int(datetime(2037, 1, 1, tzinfo=UTC).timestamp()) * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PROBE = 7 * 86_400  # seconds; less than the time between two changes that cancel each other


def local_times(array: pa.Array) -> pa.Array:
    """The local time of each instant in the column's zone."""
    walls, zone = pc.local_timestamp(array), array.type.tz
    instants = numbers(array)
    far = instants >= FAR
    if not far.any() or not changes_clocks(zone):
        return walls
    values = numbers(walls).copy()
    values[far] = instants[far] + offsets(zone, instants[far])
    return like(array, values, pa.timestamp("us"))


def instants_of(walls: pa.Array, zone: str) -> tuple[pa.Array, Any]:
    """The instant of each local time, the earlier one if there are two, and a numpy mask of where there are two."""
    earlier = pc.assume_timezone(walls, zone, ambiguous="earliest", nonexistent="latest")
    later = pc.assume_timezone(walls, zone, ambiguous="latest", nonexistent="latest")
    values, twice = numbers(earlier).copy(), numbers(earlier) != numbers(later)
    wanted = numbers(walls)
    far = wanted >= FAR
    if far.any() and changes_clocks(zone):
        values[far], twice[far] = far_instants(wanted[far], zone)
    return like(walls, values, pa.timestamp("us", zone)), twice


def far_instants(walls: Any, zone: str) -> tuple[Any, Any]:
    """Tries the offsets of the day before and the day after. A local time in a gap moves forward by the gap's
    length."""
    before, after = offsets(zone, walls - DAY), offsets(zone, walls + DAY)
    first, second = walls - before, walls - after
    is_first, is_second = offsets(zone, first) == before, offsets(zone, second) == after
    return np.where(is_first | ~is_second, first, second), is_first & is_second & (first != second)


def numbers(array: pa.Array) -> Any:
    return np.asarray(pc.fill_null(array.cast(pa.int64()), 0))


def like(array: pa.Array, values: Any, kind: pa.DataType) -> pa.Array:
    return pa.array(values, mask=np.asarray(pc.is_null(array))).cast(kind)


def changes_clocks(zone: str) -> bool:
    """Whether the offset of the zone changes; an offset such as +05:30 has no zone file and never does."""
    try:
        return ZoneInfo(zone).utcoffset(None) is None
    except (ZoneInfoNotFoundError, ValueError):
        return False


def offsets(zone: str, instants: Any) -> Any:
    """The UTC offset in microseconds at each of these instants after 2036."""
    near = instants - np.maximum((instants - FAR) // CYCLE, 0) * CYCLE
    years = np.unique(near.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970)
    changes = list(itertools.chain.from_iterable(changes_in(zone, int(year)) for year in years))
    starts, values = np.array(changes, np.int64).T
    return values[np.searchsorted(starts, near, "right") - 1]


@functools.cache
def changes_in(zone: str, year: int) -> list[tuple[int, int]]:
    """Pairs of the instant at which an offset begins and that offset, for one year of UTC."""
    first, last = (int(datetime(at, 1, 1, tzinfo=UTC).timestamp()) for at in (year, year + 1))
    found = [(first, offset_at(zone, first)), *later_changes(zone, first, last)]
    return [(second * SECOND, offset * SECOND) for second, offset in found]


def later_changes(zone: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    for start, end in itertools.pairwise([*range(first, last, PROBE), last]):
        if offset_at(zone, start) != offset_at(zone, end):
            yield change_between(zone, start, end)


def change_between(zone: str, start: int, end: int) -> tuple[int, int]:
    """The first second of the new offset."""
    before = offset_at(zone, start)
    while end - start > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if offset_at(zone, middle) == before else (start, middle)
    return end, offset_at(zone, end)


def offset_at(zone: str, second: int) -> int:
    found = (EPOCH + timedelta(seconds=second)).astimezone(ZoneInfo(zone)).utcoffset()
    assert found is not None
    return int(found.total_seconds())
