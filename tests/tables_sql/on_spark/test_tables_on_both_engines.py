"""Tables of our catalog where a query needs Spark: read there by name, and written with rows that Spark computed."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from table_helpers import refusal, rows, run

pytestmark = pytest.mark.spark
ON_SPARK = "CAST(java_method('java.lang.Integer', 'parseInt', '1') AS INT)"  # a function that only Spark has


@pytest.fixture
def both(spark: Any) -> Iterator[Any]:
    run(spark, "CREATE DATABASE both", "USE both")
    yield spark
    spark.conf.set("twinspark.engine", "auto")
    run(spark, "USE default", "DROP DATABASE both CASCADE")


def last_engine(spark: Any) -> str:
    return str(spark.conf.get("twinspark.lastOperation"))


def test_an_evolved_table_is_the_same_on_both(both: Any) -> None:
    run(
        both,
        "CREATE TABLE t AS SELECT 1 AS a, 2 AS b, array(named_struct('x', 1)) AS s",
        "ALTER TABLE t RENAME COLUMN a TO c",
        "ALTER TABLE t RENAME COLUMN b TO a",
        "ALTER TABLE t ADD COLUMN b STRING DEFAULT 'old'",
        "ALTER TABLE t RENAME COLUMN s.element.x TO y",
        "ALTER TABLE t ALTER COLUMN c TYPE BIGINT",
        "INSERT INTO t VALUES (10, 20, NULL, 'new')",
    )
    expected = [(1, 2, [(1,)], "old"), (10, 20, None, "new")]
    assert rows(both, "SELECT * FROM t") == expected
    assert rows(both, f"SELECT * FROM t WHERE {ON_SPARK} = 1") == expected
    assert '"engine": "spark"' in last_engine(both)
    assert rows(both, f"SELECT a FROM both.t WHERE {ON_SPARK} = 1 AND b = 'old'") == [(2,)]
    run(both, "DROP TABLE t", "CREATE TABLE t AS SELECT 'again' AS z")
    assert rows(both, f"SELECT z, {ON_SPARK} FROM t") == [("again", 1)]


def test_rows_computed_by_spark(both: Any) -> None:
    run(
        both,
        f"CREATE TABLE t AS SELECT id, {ON_SPARK} AS one, CAST(id AS DECIMAL(20, 2)) AS d FROM range(3)",
        f"INSERT INTO t SELECT id + 10, {ON_SPARK} + 1, 0.5 FROM t",
        f"MERGE INTO t USING (SELECT 0 AS id, {ON_SPARK} AS one) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET one = 7",
        f"UPDATE t SET one = {ON_SPARK} + 8 WHERE id = 1",
        f"DELETE FROM t WHERE id = {ON_SPARK} + 1",
    )
    assert rows(both, "SELECT id, one FROM t") == [(0, 7), (1, 9), (10, 2), (11, 2), (12, 2)]
    assert refusal(both, f"INSERT INTO t SELECT 'x', {ON_SPARK}, 1") == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"


def test_a_session_on_spark_writes_the_same_tables(both: Any) -> None:
    both.conf.set("twinspark.engine", "spark")
    run(both, "CREATE TABLE t (id BIGINT, s STRING)", "INSERT INTO t VALUES (1, 'spark')")
    both.range(2, 4).selectExpr("id", "'frame' AS s").write.mode("append").saveAsTable("t")
    assert rows(both, "SELECT * FROM t") == [(1, "spark"), (2, "frame"), (3, "frame")]
    both.conf.set("twinspark.engine", "duckdb")
    assert rows(both, "SELECT * FROM t") == [(1, "spark"), (2, "frame"), (3, "frame")]


def test_files_and_views_on_spark(both: Any) -> None:
    run(
        both,
        "CREATE TABLE p USING parquet PARTITIONED BY (k) AS SELECT id, id % 2 AS k FROM range(4)",
        "CREATE VIEW v AS SELECT k, count(*) AS n FROM p GROUP BY k",
        "CREATE TEMP VIEW w AS SELECT max(k) AS m FROM p",
    )
    assert rows(both, f"SELECT * FROM p WHERE {ON_SPARK} = k") == [(1, 1), (3, 1)]
    assert rows(both, f"SELECT *, {ON_SPARK} FROM v") == [(0, 2, 1), (1, 2, 1)]
    assert rows(both, f"SELECT *, {ON_SPARK} FROM w") == [(1, 1)]
    run(both, "INSERT INTO p VALUES (9, 7)")
    assert rows(both, f"SELECT id FROM p WHERE k = {ON_SPARK} + 6") == [(9,)]


def test_what_is_dropped_is_gone_on_spark_too(both: Any) -> None:
    run(both, "CREATE TABLE p USING parquet AS SELECT 1 AS a")
    assert rows(both, f"SELECT a, {ON_SPARK} FROM p") == [(1, 1)]
    run(both, "DROP TABLE p")
    assert refusal(both, f"SELECT a, {ON_SPARK} FROM p") == "TABLE_OR_VIEW_NOT_FOUND"
    run(both, "CREATE TABLE p AS SELECT 2 AS a")
    assert rows(both, f"SELECT a, {ON_SPARK} FROM p") == [(2, 1)]
    run(both, "DROP TABLE p", "CREATE TABLE p USING parquet AS SELECT 3 AS a")
    assert rows(both, f"SELECT a, {ON_SPARK} FROM p") == [(3, 1)]
    run(both, "INSERT INTO p VALUES (4)")
    assert rows(both, f"SELECT a, {ON_SPARK} FROM p") == [(3, 1), (4, 1)]


def same_on_both(spark: Any, table: str) -> int:
    natively = rows(spark, f"SELECT * FROM {table}")
    assert rows(spark, f"SELECT * FROM {table} WHERE {ON_SPARK} = 1") == natively
    assert '"engine": "spark"' in last_engine(spark)
    return len(natively)


def test_delta_tables_without_its_jar(both: Any) -> None:
    run(both, "CREATE TABLE t (a INT, p STRING) USING delta PARTITIONED BY (p)")
    run(both, "INSERT INTO t VALUES (1, 'x'), (2, 'it''s'), (3, 'k=/v'), (4, NULL)")
    assert same_on_both(both, "t") == 4
    run(
        both,
        "ALTER TABLE t ADD COLUMN c DOUBLE",
        "INSERT INTO t VALUES (5, 'x', 1.5)",
        "UPDATE t SET a = 9 WHERE a = 1",
    )
    assert same_on_both(both, "t") == 5
    run(both, f"MERGE INTO t USING (SELECT {ON_SPARK} + 1 AS k) s ON t.a = s.k WHEN MATCHED THEN DELETE")
    assert same_on_both(both, "t") == 4


def test_orc_tables(both: Any) -> None:
    run(both, "CREATE TABLE t (a INT, s TIMESTAMP, p STRING) USING orc PARTITIONED BY (p)")
    run(both, "INSERT INTO t VALUES (1, TIMESTAMP'2020-01-01 01:02:03.456', 'x'), (2, NULL, 'y')")
    run(both, f"INSERT INTO t SELECT {ON_SPARK} + 5, TIMESTAMP'2021-01-01 00:00:00', 'z'")
    assert same_on_both(both, "t") == 3


def test_partitions_in_places_of_their_own(both: Any, tmp_path: Any) -> None:
    run(both, "CREATE TABLE t (a INT, p INT) USING parquet PARTITIONED BY (p)")
    run(both, f"ALTER TABLE t ADD PARTITION (p = 1) LOCATION '{tmp_path}/one'", "INSERT INTO t VALUES (1, 1), (2, 2)")
    assert same_on_both(both, "t") == 2
    run(both, f"ALTER TABLE t PARTITION (p = 2) SET LOCATION '{tmp_path}/two'")
    assert same_on_both(both, "t") == 1
    run(both, "INSERT INTO t VALUES (3, 2)")
    assert same_on_both(both, "t") == 2


def test_a_table_whose_files_are_gone_is_nobody_elses_business(both: Any, tmp_path: Path) -> None:
    """Words of a request that are names of tables show these to Spark; one that cannot be shown is left out."""
    run(
        both,
        f"CREATE TABLE events (id INT) USING delta LOCATION '{tmp_path}/d'",
        "CREATE TABLE visits AS SELECT 1 AS id",
    )
    assert rows(both, f"SELECT id, {ON_SPARK} FROM visits") == [(1, 1)]
    shutil.rmtree(tmp_path / "d")
    assert rows(both, f"SELECT 'events', {ON_SPARK}, id FROM visits") == [("events", 1, 1)]
    assert refusal(both, "SELECT * FROM events") == "DELTA_TABLE_NOT_FOUND"


def test_partitions_of_a_delta_table_are_the_same_on_both(both: Any) -> None:
    run(
        both,
        "CREATE TABLE t (id INT, ts TIMESTAMP, b BINARY, d DECIMAL(9, 1), s STRING) USING delta"
        " PARTITIONED BY (ts, b, d, s)",
        "INSERT INTO t VALUES (1, TIMESTAMP'2024-01-02 03:04:05.678', X'00FF', 1.5, 'it''s \\\\ a')",
        "INSERT INTO t VALUES (2, NULL, NULL, NULL, '')",
    )
    natively = rows(both, "SELECT * FROM t")
    assert [row[0] for row in natively] == [1, 2] and natively[0][4] == "it's \\ a"
    assert rows(both, f"SELECT * FROM t WHERE {ON_SPARK} = 1") == natively
    both.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
    moment = "ts = TIMESTAMP'2024-01-01 19:04:05.678'"
    assert rows(both, f"SELECT id FROM t WHERE {moment}") == [(1,)]
    assert rows(both, f"SELECT id FROM t WHERE {moment} AND {ON_SPARK} = 1") == [(1,)]
