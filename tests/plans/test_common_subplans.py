"""An aggregation over tables that a plan contains twice is computed once, unless it may differ each time."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from pyspark.sql.connect.session import SparkSession

    server = ConnectServer(Settings(engine="duckdb"))
    session = SparkSession.builder.remote(server.url).create()
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    write_rows(path)
    session.read.parquet(str(path)).createOrReplaceTempView("rows")
    yield session
    session.stop()
    server.stop()


def write_rows(path: Path) -> None:
    """More bytes than the limit of the row-order emulation."""
    duckdb.connect().execute(
        f"copy (select range k, hash(range) h, range % 5 g from range(200000)) to '{path}' (format parquet)"
    )


def plan_of(frame: Any) -> str:
    return str(frame._explain_string(extended=True))


def test_a_frame_that_is_used_twice(spark: Any) -> None:
    sums = spark.table("rows").groupBy("g").agg({"k": "sum"}).withColumnRenamed("sum(k)", "s")
    most = sums.selectExpr("s as t").agg({"t": "max"}).withColumnRenamed("max(t)", "most")
    joined = sums.join(most, sums.s == most.most)
    assert [tuple(row) for row in joined.collect()] == [(4, 4000060000, 4000060000)]
    assert plan_of(joined).count("shared_0") == 3


def test_random_values_are_not_shared(spark: Any) -> None:
    sums = "(select g, count(*) s from rows where rand() > 0.5 group by g)"
    frame = spark.sql(f"select * from {sums} a join {sums} b on a.g = b.g")
    assert "shared_0" not in plan_of(frame)


def test_other_filters_are_other_subplans(spark: Any) -> None:
    sums = "(select g, sum(k) s from rows where k > {} group by g)"
    frame = spark.sql(f"select * from {sums.format(1)} a join {sums.format(2)} b on a.g = b.g")
    assert "shared_0" not in plan_of(frame)
    assert frame.count() == 5
