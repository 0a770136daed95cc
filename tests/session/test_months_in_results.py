"""Intervals of years and months in results: what a client of Spark's receives for them."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.duck.results.month_intervals import readable
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("months"))))
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()
    server.stop()


def received(spark: Any, query: str) -> pa.Table:
    table, _ = spark.sql(query)._to_table()
    return table


def test_they_are_arrows_month_intervals(spark: Any) -> None:
    table = received(spark, "SELECT INTERVAL '1-2' YEAR TO MONTH AS a, 1 AS b")
    assert [str(field.type) for field in table.schema] == ["month_interval", "int32"]
    assert [field.nullable for field in table.schema] == [False, False]


def test_their_bytes_are_months(spark: Any) -> None:
    table = received(spark, "SELECT make_ym_interval(id, 1) AS a FROM range(3) UNION ALL SELECT NULL")
    rows = [row["a"] for batch in table.to_batches() for row in readable(batch).to_pylist()]
    assert sorted(rows, key=str) == [1, 13, 25, None]


def test_inside_other_values(spark: Any) -> None:
    arrays, structs = "array(INTERVAL '1' MONTH, NULL) AS a", "struct(INTERVAL '3' YEAR AS x) AS s"
    (batch,) = received(spark, f"SELECT {arrays}, {structs}, map(1, INTERVAL '2' MONTH) AS m").to_batches()
    assert readable(batch).to_pylist() == [{"a": [1, None], "s": {"x": 36}, "m": [(1, 2)]}]


def test_without_rows(spark: Any) -> None:
    table = received(spark, "SELECT INTERVAL '1' YEAR AS a WHERE false")
    assert table.num_rows == 0
    assert str(table.schema.field("a").type) == "month_interval"


def test_shown(spark: Any) -> None:
    shown = spark.sql("SELECT INTERVAL '1-2' YEAR TO MONTH AS a")._show_string(truncate=False)
    assert "INTERVAL '1-2' YEAR TO MONTH" in shown
