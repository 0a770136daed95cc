"""A write that fails on its way leaves the table as it was, whatever provides it and whatever it failed of."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from table_helpers import refusal, rows, run

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

PROVIDERS = ("iceberg", "parquet", "delta")
# The last of many rows fails: those before it are written by then.
FAILING = "SELECT CAST(if(id = 299999, 'none', id) AS INT) AS a, repeat('x', 50) AS s FROM range(300000)"
STATEMENTS = {
    "INSERT OVERWRITE t": "CAST_INVALID_INPUT",
    "INSERT INTO t": "CAST_INVALID_INPUT",
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_failing_query_changes_nothing(tables: Any, provider: str, statement: str) -> None:
    run(tables, f"CREATE TABLE t (a INT, s STRING) USING {provider}", "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    assert refusal(tables, f"{statement} {FAILING}") == STATEMENTS[statement]
    assert rows(tables, "SELECT * FROM t") == [(1, "x"), (2, "y")]
    run(tables, "INSERT INTO t VALUES (3, 'z')")
    assert rows(tables, "SELECT count(*) FROM t") == [(3,)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_failing_query_creates_nothing(tables: Any, provider: str) -> None:
    assert refusal(tables, f"CREATE TABLE t USING {provider} AS {FAILING}") == "CAST_INVALID_INPUT"
    assert not tables.catalog.tableExists("t")
    run(tables, f"CREATE TABLE t USING {provider} AS SELECT 1 AS a")
    assert rows(tables, "SELECT * FROM t") == [(1,)]


def test_a_failing_query_replaces_nothing(tables: Any) -> None:
    run(tables, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    assert refusal(tables, f"CREATE OR REPLACE TABLE t AS {FAILING}") == "CAST_INVALID_INPUT"
    assert rows(tables, "SELECT * FROM t") == [(1,)]


def test_a_full_disk_is_told_in_sparks_words(small_disk: Path) -> None:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(small_disk)))
    spark = SparkSession.builder.remote(server.url).create()
    big = "SELECT CAST(id AS INT) AS a, sha2(CAST(id AS STRING), 512) AS s FROM range(200000)"
    for provider in PROVIDERS:
        run(spark, f"CREATE TABLE t (a INT, s STRING) USING {provider}", "INSERT INTO t VALUES (1, 'x')")
        assert refusal(spark, f"INSERT OVERWRITE t {big}") == "TASK_WRITE_FAILED"
        assert rows(spark, "SELECT * FROM t") == [(1, "x")]
        run(spark, "INSERT INTO t VALUES (2, 'y')", "DROP TABLE t PURGE")
    spark.stop()
    server.stop()
