"""What the door writes as text the driver reads back, for every type, a whole column at a time."""

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as t

from twinspark.doors.thrift.value_text import HIVE, JSON, text_of
from twinspark.driver.errors import DataError
from twinspark.driver.nested_text import from_nested_text
from twinspark.driver.text_values import from_text
from twinspark.types.arrow import arrow_type

MICROS = st.integers(-(1 << 62), 1 << 62)
EVERYDAY_MICROS = st.integers(-62135596800000000, 253402300799999999)
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]


def column(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(values, kind)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.none() | MICROS, max_size=8))
def test_wall_clocks_of_any_year(values: list[int | None]) -> None:
    array = column(values, pa.timestamp("us"))
    assert from_text(text_of(array, t.TimestampNTZType()), t.TimestampNTZType()).equals(array)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.none() | st.integers(-(1 << 31), (1 << 31) - 1), max_size=8))
def test_dates_of_any_year(values: list[int | None]) -> None:
    array = pa.array(values, pa.int32()).cast(pa.date32())
    assert from_text(text_of(array, t.DateType()), t.DateType()).equals(array)


@pytest.mark.filterwarnings("ignore::twinspark.driver.AmbiguousTimestampWarning")
@pytest.mark.parametrize("zone", ZONES)
def test_moments_in_zones(zone: str) -> None:
    @settings(max_examples=80, deadline=None)
    @given(st.lists(st.none() | EVERYDAY_MICROS, max_size=8))
    def check(values: list[int | None]) -> None:
        array = column(values, pa.timestamp("us", zone))
        texts = text_of(array, t.TimestampType())
        again = from_text(texts, t.TimestampType(), zone)
        # An hour that happened twice reads as the earlier one: its text is the same, and that is all text can say.
        assert text_of(again, t.TimestampType()).equals(texts)
        apart = pc.max(pc.abs(pc.subtract(again.cast(pa.int64()), array.cast(pa.int64())))).as_py()
        assert (apart or 0) <= 4 * 3600 * 10**6

    check()


@pytest.mark.parametrize("scale", [0, 1, 8, 37, 38])
def test_decimals(scale: int) -> None:
    @settings(max_examples=80, deadline=None)
    @given(st.lists(st.none() | st.integers(-(10**38) + 1, 10**38 - 1), max_size=6))
    def check(values: list[int | None]) -> None:
        array = pa.array([None if v is None else Decimal(f"{v}E-{scale}") for v in values], pa.decimal128(38, scale))
        texts = text_of(array, t.DecimalType(38, scale))
        assert all("E" not in text for text in texts.to_pylist() if text)
        assert from_text(texts, t.DecimalType(38, scale)).equals(array)
        sliced = text_of(array.slice(1), t.DecimalType(38, scale))
        assert sliced.to_pylist() == texts.to_pylist()[1:]

    check()


@pytest.mark.parametrize(
    ("text", "precision", "scale", "value"),
    [("1E+5", 38, 0, "100000"), ("-1.5E3", 38, 2, "-1500.00"), ("9E+37", 38, 0, "9" + "0" * 37),
     ("0E+10", 5, 2, "0.00"),
     ("12E-38", 38, 38, "0.00000000000000000000000000000000000012"), ("1E-40", 38, 38, None), ("1E+38", 38, 0, None)],
)  # fmt: skip
def test_decimals_of_negative_scale(text: str, precision: int, scale: int, value: str | None) -> None:
    """BigDecimal writes an exponent where its scale is negative; a value that does not fit is an error, not a zero."""
    kind = t.DecimalType(precision, scale)
    if value is None:
        with pytest.raises(DataError, match="row 0"):
            from_text(pa.array([text]), kind)
    else:
        assert from_text(pa.array([text, None]), kind).to_pylist() == [Decimal(value), None]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.none() | st.floats(), max_size=6))
def test_doubles_look_like_javas_and_come_back(values: list[float | None]) -> None:
    array = pa.array(values, pa.float64(), from_pandas=False)
    texts = text_of(array, t.DoubleType())
    again = from_text(texts, t.DoubleType())
    assert repr(again.to_pylist()) == repr(array.to_pylist())
    for text, value in zip(texts.to_pylist(), values, strict=True):
        if text is not None and value is not None and math.isfinite(value):
            assert "." in text
            assert ("E" in text) == (value != 0 and not 1e-3 <= abs(value) < 1e7)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e10, "1.0E10"), (1e7, "1.0E7"), (9999999.0, "9999999.0"), (0.001, "0.001"), (0.0001, "1.0E-4"), (-0.0, "-0.0"),
     (5e-324, "4.9E-324"), (1.7976931348623157e308, "1.7976931348623157E308"), (123456.789, "123456.789"),
     (float("nan"), "NaN"), (float("-inf"), "-Infinity"), (100.0, "100.0")],
)  # fmt: skip
def test_doubles_recorded_from_spark(value: float, text: str) -> None:
    assert text_of(pa.array([value], pa.float64()), t.DoubleType()).to_pylist() == [text]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.integers(-(1 << 63) + 1, (1 << 63) - 1), max_size=6))
def test_day_time_intervals(values: list[int | None]) -> None:
    array = pa.array(values, pa.int64()).cast(pa.duration("us"))
    assert from_text(text_of(array, t.DayTimeIntervalType()), t.DayTimeIntervalType()).equals(array)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.integers(-(1 << 31) + 1, (1 << 31) - 1), max_size=6))
def test_year_month_intervals(values: list[int | None]) -> None:
    texts = text_of(pa.array(values, pa.int32()), t.YearMonthIntervalType())
    found = from_text(texts, t.YearMonthIntervalType()).to_pylist()
    assert found == [None if v is None else (v, 0, 0) for v in values]


MILLION = st.integers(-(10**6), 10**6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.none() | st.tuples(MILLION, MILLION, st.integers(-(10**15), 10**15)), max_size=6))
def test_calendar_intervals(values: list[tuple[int, int, int] | None]) -> None:
    whole = [None if v is None else (v[0], v[1], v[2] * 1000) for v in values]
    array = pa.array(whole, pa.month_day_nano_interval())
    texts = text_of(array, t.CalendarIntervalType())
    assert from_text(texts, t.CalendarIntervalType()).to_pylist() == array.to_pylist()


SAFE_TEXT = st.text("abc ÄÖ漢😀'\\/\n\t.-+", max_size=5)
ANY_TEXT = st.text(max_size=6)
LEAVES: dict[str, tuple[t.DataType, st.SearchStrategy[Any]]] = {
    "int": (t.IntegerType(), st.integers(-(1 << 31), (1 << 31) - 1)),
    "boolean": (t.BooleanType(), st.booleans()),
    "decimal": (t.DecimalType(9, 2), st.integers(-(10**8), 10**8).map(lambda v: Decimal(v).scaleb(-2))),
    "date": (t.DateType(), st.dates()),
    "timestamp_ntz": (t.TimestampNTZType(), st.datetimes()),
    "double": (t.DoubleType(), st.floats(allow_nan=False)),
}


def shapes(kind: t.DataType, values: st.SearchStrategy[Any], text: st.SearchStrategy[str]) -> list[Any]:
    struct = t.StructType([t.StructField("a b", kind), t.StructField("s", t.StringType())])
    structs = st.fixed_dictionaries({"a b": st.none() | values, "s": st.none() | text})
    pairs = st.dictionaries(values, st.none() | text, max_size=3).map(lambda found: list(found.items()))
    return [
        (t.ArrayType(kind), st.lists(st.none() | values, max_size=3)),
        (t.ArrayType(t.StringType()), st.lists(st.none() | text, max_size=3)),
        (t.MapType(kind, t.StringType()), pairs),
        (struct, structs),
        (t.ArrayType(struct), st.lists(st.none() | structs, max_size=2)),
    ]


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("style", [HIVE, JSON])
@pytest.mark.parametrize("shape", range(5))
def test_nested_values(leaf: str, style: str, shape: int) -> None:
    """JSON carries any text; Hive's look-alike does not escape, so quotes next to separators are left out there."""
    whole, strategy = shapes(*LEAVES[leaf], ANY_TEXT if style == JSON else SAFE_TEXT)[shape]

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.none() | strategy, max_size=4))
    def check(rows: list[Any]) -> None:
        array = pa.array(rows, arrow_type(whole))
        again = from_nested_text(text_of(array, whole, style), whole, "UTC", "c", hive=style == HIVE)
        assert sorted_maps(again) == sorted_maps(array)
        assert again.type == array.type

    check()


def sorted_maps(array: pa.Array) -> str:
    rows = array.to_pylist()
    return repr([sorted(row, key=repr) if pa.types.is_map(array.type) and row else row for row in rows])


def test_slices_of_nested_columns() -> None:
    kind = t.MapType(t.StringType(), t.ArrayType(t.IntegerType()))
    array = pa.array([[("a", [1])], None, [], [("c", None), ("b", [2, None])]], arrow_type(kind))
    whole = text_of(array, kind).to_pylist()
    assert whole == ['{"a":[1]}', None, "{}", '{"b":[2,null],"c":null}']
    for start in range(4):
        assert text_of(array.slice(start), kind).to_pylist() == whole[start:]


@pytest.mark.parametrize(
    ("kind", "bad"),
    [(t.DecimalType(5, 2), "12,5"), (t.DateType(), "yesterday"), (t.TimestampType(), "2020-13-01 00:00:00"),
     (t.DayTimeIntervalType(), "1 day"), (t.DecimalType(3, 2), "123.45"), (t.BooleanType(), "maybe")],
)  # fmt: skip
def test_bad_text_is_an_error_that_names_column_and_row(kind: t.DataType, bad: str) -> None:
    good = {t.DecimalType: "1.50", t.DateType: "2020-01-01", t.TimestampType: "2020-01-01 00:00:00",
            t.DayTimeIntervalType: "1 00:00:00", t.BooleanType: "true"}[type(kind)]  # fmt: skip
    with pytest.raises(DataError, match=r"'price', row 2") as error:
        from_text(pa.array([good, None, bad]), kind, "UTC", "price")
    assert error.value.sqlstate == "22018"
    assert datetime.date(2020, 1, 1) == from_text(pa.array(["2020-01-01"]), t.DateType())[0].as_py()


@pytest.mark.parametrize("text", ["[1,2", '{"a":1}', "[1,x]", "12"])
def test_bad_nested_text_is_an_error_that_names_column_and_row(text: str) -> None:
    for hive in (True, False):
        with pytest.raises(DataError, match="'items'"):
            from_nested_text(pa.array(["[1]", text]), t.ArrayType(t.IntegerType()), "UTC", "items", hive)
