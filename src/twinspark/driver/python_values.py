"""A column's values as Python objects: pyarrow's own, but dates and timestamps a column at a time, not one by one."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinspark.driver.zones import changes_clocks, instants_of, local_times

FIRST, LAST = np.datetime64("0001-01-01", "us"), np.datetime64("9999-12-31T23:59:59.999999", "us")


def python_values(array: pa.Array) -> list[Any]:
    if pa.types.is_date32(array.type):
        return moments(array, "datetime64[D]")
    if pa.types.is_timestamp(array.type) and array.type.unit == "us":
        return zoned(array) if array.type.tz else moments(array, "datetime64[us]")
    return plain(array)


def plain(array: pa.Array) -> list[Any]:
    """pyarrow takes its long way as soon as it is told about maps."""
    found: list[Any] = (
        array.to_pylist(maps_as_pydicts="strict") if pa.types.is_nested(array.type) else array.to_pylist()
    )
    return found


def moments(array: pa.Array, kind: str) -> list[Any]:
    """numpy makes None of null, and numbers of years that Python does not have: those pyarrow shall refuse."""
    values = array.to_numpy(zero_copy_only=False).astype(kind)
    return list(values.tolist()) if are_python_years(values) else plain(array)


def are_python_years(values: Any) -> bool:
    known = values[~np.isnat(values)]
    return not len(known) or bool(known.min() >= FIRST and known.max() <= LAST)


def zoned(array: pa.Array) -> list[Any]:
    """Wall clocks with their zone; the second of two equal hours is told apart by its fold."""
    walls = local_times(array)
    if not are_python_years(walls.to_numpy(zero_copy_only=False).astype("datetime64[us]")):
        return plain(array)
    zone = pa.lib.string_to_tzinfo(array.type.tz)
    found: list[Any] = [
        None if wall is None else wall.replace(tzinfo=zone) for wall in moments(walls, "datetime64[us]")
    ]
    for row in second_times(array, walls):
        found[row] = found[row].replace(fold=1)
    return found


def second_times(array: pa.Array, walls: pa.Array) -> list[int]:
    if not changes_clocks(array.type.tz):
        return []
    earlier, twice = instants_of(walls, array.type.tz)
    later = np.asarray(pc.fill_null(pc.not_equal(earlier, array), False))
    return [int(row) for row in np.flatnonzero(twice & later)]
