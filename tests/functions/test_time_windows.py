"""Groups by windows of time: overlapping ones, and rows without an instant, as Spark 4.2.1 answers."""

from datetime import UTC, datetime

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text

ROWS = "VALUES (timestamp'2020-01-01 00:03:00', 1), (timestamp'2020-01-01 00:07:30', 2), (null, 5) AS t(ts, v)"
RECORDED = [
    ("'10 minutes'", [("2020-01-01 00:00", "2020-01-01 00:10", 3)]),
    (
        "'10 minutes', '5 minutes'",
        [
            ("2019-12-31 23:55", "2020-01-01 00:05", 1),
            ("2020-01-01 00:00", "2020-01-01 00:10", 3),
            ("2020-01-01 00:05", "2020-01-01 00:15", 2),
        ],
    ),
    (
        "'10 minutes', '3 minutes', '1 minute'",
        [
            ("2019-12-31 23:55", "2020-01-01 00:05", 1),
            ("2019-12-31 23:58", "2020-01-01 00:08", 3),
            ("2020-01-01 00:01", "2020-01-01 00:11", 3),
            ("2020-01-01 00:04", "2020-01-01 00:14", 2),
            ("2020-01-01 00:07", "2020-01-01 00:17", 2),
        ],
    ),
]


def rows_of(query: str) -> list[tuple[object, ...]]:
    context = Context()
    plan = read_query_text(query, context).plain()
    table = stream_rows(plan, context, connect().cursor()).read_all()
    return [tuple(row.values()) for row in table.to_pylist()]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(("lengths", "expected"), RECORDED)
def test_groups_by_windows(lengths: str, expected: list[tuple[str, str, int]]) -> None:
    window = f"window(ts, {lengths})"
    asked = f"SELECT {window}.start, {window}.end, sum(v) FROM {ROWS} GROUP BY {window} ORDER BY 1"
    assert rows_of(asked) == [(moment(start), moment(end), total) for start, end, total in expected]


def test_a_window_says_what_it_is() -> None:
    window = "window(ts, '10 minutes', '5 minutes')"
    plan = read_query_text(f"SELECT {window}, count(*) FROM {ROWS} GROUP BY {window}", Context()).plain()
    assert plan.schema["window"].nullable and plan.schema["window"].metadata == {"spark.timeWindow": True}


def test_overlapping_windows_outside_of_groups_go_to_spark() -> None:
    with pytest.raises(NotNative):
        rows_of(f"SELECT window(ts, '10 minutes', '5 minutes') FROM {ROWS}")
