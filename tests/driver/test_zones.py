"""Wall clocks of any year: what Python's zoneinfo says value by value, also after 2037, where Arrow stops knowing."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from twinspark.wire.thrift.zones import instants_of, local_times

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZONES = [
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Tokyo",
    "Pacific/Chatham",
]
SECONDS = st.integers(-62135510400, 253402214399) | st.integers(2114380800, 4102444800)


def wall_of(second: int, zone: str) -> datetime:
    return (EPOCH + timedelta(seconds=second)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def column(seconds: list[int | None], zone: str | None) -> pa.Array:
    return pa.array([None if s is None else s * 1_000_000 for s in seconds], pa.int64()).cast(pa.timestamp("us", zone))


@pytest.mark.parametrize("zone", ZONES)
def test_wall_clocks_and_back(zone: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.none() | SECONDS, max_size=6))
    @example([2469625200, 2153352600, 2540498400, None])
    def check(seconds: list[int | None]) -> None:
        array = column(seconds, zone)
        walls = local_times(array)
        assert walls.to_pylist() == [None if s is None else wall_of(s, zone).replace(fold=0) for s in seconds]
        back, twice = instants_of(walls, zone)
        for second, found, is_twice in zip(seconds, back.cast(pa.int64()).to_pylist(), twice, strict=True):
            if second is not None and not is_twice:
                assert found == second * 1_000_000

    check()


def test_an_hour_twice_in_2050() -> None:
    """New York's clocks go back on 2050-11-06 at 06:00Z: 05:30Z and 06:30Z are both half past one."""
    half_past = [datetime(2050, 11, 6, hour, 30, tzinfo=UTC) for hour in (4, 5, 6, 7)]
    array = column([int((moment - EPOCH).total_seconds()) for moment in half_past], "America/New_York")
    back, twice = instants_of(local_times(array), "America/New_York")
    assert twice.tolist() == [False, True, True, False]
    assert back.cast(pa.int64()).to_pylist() == [array.cast(pa.int64())[at].as_py() for at in (0, 1, 1, 3)]


def test_years_beyond_9999_follow_the_calendar() -> None:
    """12050 looks like 2050: July is summer time."""
    moment = (
        int((datetime(2050, 7, 1, 12, tzinfo=UTC) - EPOCH).total_seconds()) * 1_000_000 + 25 * 146_097 * 86_400_000_000
    )
    array = pa.array([moment], pa.int64()).cast(pa.timestamp("us", "America/New_York"))
    assert local_times(array).cast(pa.int64())[0].as_py() - moment == -4 * 3600 * 1_000_000


@pytest.mark.parametrize("zone", ["UTC", "+05:30", "Etc/UTC"])
def test_fixed_offsets(zone: str) -> None:
    array = column([4102444800], zone)
    back, twice = instants_of(local_times(array), zone)
    assert back.equals(array) and not twice.any()
