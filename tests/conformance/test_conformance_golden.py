"""The golden runner's printing and judging, on values whose text Spark's files hold."""

from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from golden_files import normalize, ordered
from golden_judge import expected_error, judge_rows
from golden_text import Style, binary_text, calendar_text, cell, day_time_text, java_double, timestamp_text
from pyspark.sql import types as T

STYLE = Style(lambda: ZoneInfo("America/Los_Angeles"), "UTF8")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1e7, "1.0E7"), (123456.0, "123456.0"), (-0.0, "-0.0"), (1e-4, "1.0E-4"), (float("nan"), "NaN")],
)
def test_doubles_print_as_in_java(value: float, text: str) -> None:
    assert java_double(value, repr(value)) == text


def test_nested_values() -> None:
    kind = T.MapType(T.StringType(), T.ArrayType(T.IntegerType()))
    value = pa.scalar([("b", [1, None]), ("a", [])], pa.map_(pa.string(), pa.list_(pa.int32())))
    assert cell(value, kind, STYLE) == '{"a":[],"b":[1,null]}'


def test_intervals_and_instants() -> None:
    assert calendar_text(14, -3, 3_661_500_000) == "1 years 2 months -3 days 1 hours 1 minutes 1.5 seconds"
    assert day_time_text(-90_061_000_001) == "-1 01:01:01.000001000"
    assert timestamp_text(0, ZoneInfo("America/Los_Angeles")) == "1969-12-31 16:00:00"
    assert timestamp_text(-(10**18), None).startswith("-29719-")
    assert binary_text(b"\xff\x01", "BASIC") == "[-1, 1]"


def test_order_by_counts_only_at_the_top() -> None:
    assert ordered("select 1 order by 1")
    assert not ordered("select * from (select 1 order by 1) -- order by")


@pytest.mark.parametrize(
    ("sql", "want", "rows", "verdict"),
    [
        ("select a", "2\n1", ["1", "2"], "match"),
        ("select a order by a", "1\n2", ["2", "1"], "order"),
        ("select a", "1\n2", ["1", "3"], "rows"),
        ("select a", "0.30000000000000004", ["0.3"], "float"),
    ],
)
def test_rows_are_judged(sql: str, want: str, rows: list[str], verdict: str) -> None:
    assert judge_rows(sql, "struct<a:int>", want, "struct<a:int>", rows)[0] == verdict


def test_schema_and_commands_are_judged() -> None:
    assert judge_rows("select a", "struct<a:int>", "1", "struct<a:bigint>", ["1"])[0] == "schema"
    assert judge_rows("create table t", "struct<>", "", "struct<x:int>", ["1"])[0] == "ddl"


def test_expected_errors_are_recognised() -> None:
    error = expected_error("struct<>", 'org.apache.spark.SparkException\n{"errorClass" : "A.B"}')
    assert error is not None and error.condition == "A.B"
    assert expected_error("struct<a:int>", "1") is None
    assert normalize('x\nTraceback (most recent call last):\n  File "a"\ny  \n') == "x\ny"
