"""Values by the column are those pyarrow gives one by one, folds and nulls included."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twinspark.driver.python_values import python_values

MICROS = st.integers(-62135510400000000, 253402214399999999)  # a day within the years Python has
HOURS = st.integers(1603584000, 1603591200).map(
    lambda second: second * 1_000_000
)  # the night Berlin's clocks went back
ZONES = ["UTC", "Etc/UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "+05:30"]


def told(values: list[Any]) -> list[Any]:
    """Equal moments may differ in fold, which only their offset shows."""
    return [value and (value, getattr(value, "tzinfo", None) and value.utcoffset(), repr(value)) for value in values]


@pytest.mark.parametrize("zone", [None, *ZONES])
def test_timestamps(zone: str | None) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.none() | MICROS | HOURS, max_size=8))
    def check(values: list[int | None]) -> None:
        array = pa.array(values, pa.int64()).cast(pa.timestamp("us", zone))
        assert told(python_values(array)) == told(array.to_pylist())
        assert told(python_values(array.slice(1))) == told(array.slice(1).to_pylist())

    check()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.none() | st.dates(), max_size=8))
def test_dates(values: list[Any]) -> None:
    assert python_values(pa.array(values, pa.date32())) == values


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("us", "Asia/Tokyo")])
def test_years_python_does_not_have_are_refused(kind: pa.DataType) -> None:
    array = pa.array([0, 1 << 60], pa.int64()).cast(kind)
    with pytest.raises((ValueError, OverflowError)):
        python_values(array)


def test_the_rest_is_pyarrows() -> None:
    array = pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int8()))
    assert python_values(array) == [{"k": 1}, None]
