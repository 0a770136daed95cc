"""Converts Arrow columns to Python objects; dates and timestamps with numpy, which is faster than pyarrow."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinspark.wire.thrift.zones import changes_clocks, instants_of, local_times

FIRST, LAST = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")


def python_values(array: pa.Array) -> list[Any]:
    if pa.types.is_date32(array.type):
        return dates_or_datetimes(array, "datetime64[D]")
    if pa.types.is_timestamp(array.type) and array.type.unit == "us":
        return zoned_datetimes(array) if array.type.tz else dates_or_datetimes(array, "datetime64[us]")
    return plain(array)


def plain(array: pa.Array) -> list[Any]:
    """pyarrow's own conversion; it is slower with `maps_as_pydicts`, so only nested types use that."""
    found: list[Any] = (
        array.to_pylist(maps_as_pydicts="strict") if pa.types.is_nested(array.type) else array.to_pylist()
    )
    return found


def dates_or_datetimes(array: pa.Array, kind: str) -> list[Any]:
    """Converts with numpy. Years that Python's datetime lacks would become integers, so pyarrow raises for them."""
    values = array.to_numpy(zero_copy_only=False).astype(kind)
    return list(values.tolist()) if are_python_years(values) else plain(array)


def are_python_years(values: Any) -> bool:
    known = values[~np.isnat(values)]
    return not len(known) or bool(known.min() >= FIRST and known.max() <= LAST)


def zoned_datetimes(array: pa.Array) -> list[Any]:
    """Local times with their zone; `fold` is 1 for the later one of two instants with the same local time."""
    walls = local_times(array)
    if not are_python_years(walls.to_numpy(zero_copy_only=False).astype("datetime64[us]")):
        return plain(array)
    zone = pa.lib.string_to_tzinfo(array.type.tz)
    found: list[Any] = [
        None if wall is None else wall.replace(tzinfo=zone) for wall in dates_or_datetimes(walls, "datetime64[us]")
    ]
    for row in later_duplicates(array, walls):
        found[row] = found[row].replace(fold=1)
    return found


def later_duplicates(array: pa.Array, walls: pa.Array) -> list[int]:
    if not changes_clocks(array.type.tz):
        return []
    earlier, twice = instants_of(walls, array.type.tz)
    later = np.asarray(pc.fill_null(pc.not_equal(earlier, array), False))
    return [int(row) for row in np.flatnonzero(twice & later)]
