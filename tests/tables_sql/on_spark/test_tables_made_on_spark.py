"""Tables that only Spark can keep (`USING xml`, buckets): beside ours in lists, never hidden, never left behind."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from table_helpers import refusal, rows, run

from twinspark.doors.connect.server import ConnectServer

pytestmark = pytest.mark.spark
IS_ONE = "java_method('java.lang.Integer', 'parseInt', '1') = '1'"  # what only Spark can say
ON_SPARK = "CREATE TABLE {} (a INT) USING xml OPTIONS (rowTag 'r')"


@pytest.fixture
def spark(auto_server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(auto_server.url).create()
    run(session, "CREATE DATABASE both", "USE both", "CREATE TABLE ours AS SELECT 1 AS a", ON_SPARK.format("theirs"))
    yield session
    run(session, "USE default", "DROP DATABASE IF EXISTS both CASCADE")
    session.stop()


def test_listed_together(spark: Any) -> None:
    assert rows(spark, "SHOW TABLES") == [("both", "ours", False), ("both", "theirs", False)]
    assert rows(spark, "SHOW TABLES LIKE 'th*'") == [("both", "theirs", False)]
    assert rows(spark, "SHOW VIEWS") == []
    listed = {each.name: each.tableType for each in spark.catalog.listTables()}
    assert listed == {"ours": "MANAGED", "theirs": "MANAGED"}
    told = {row[1]: row[3] for row in rows(spark, "SHOW TABLE EXTENDED LIKE '*'")}
    assert "Provider: xml" in told["theirs"] and "Table: theirs" in told["theirs"] and "Table: ours" in told["ours"]


def test_stand_ins_are_not_listed(spark: Any) -> None:
    """Tables of ours that Spark was shown, and what it needs beside them, are ours."""
    run(spark, "CREATE TABLE lengths (c CHAR(3))", "INSERT INTO lengths VALUES ('a')")
    rows(spark, "SELECT * FROM lengths, theirs, ours")
    assert [row[1] for row in rows(spark, "SHOW TABLES")] == ["lengths", "ours", "theirs"]


def test_one_name_is_one_table(spark: Any) -> None:
    assert refusal(spark, "CREATE TABLE theirs AS SELECT 2 AS b") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    assert refusal(spark, "CREATE VIEW theirs AS SELECT 2 AS b") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    assert refusal(spark, "ALTER TABLE ours RENAME TO theirs") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    run(spark, "CREATE TABLE IF NOT EXISTS theirs AS SELECT 2 AS b")
    assert spark.table("theirs").columns == ["a"]


def test_a_schema_holds_both(spark: Any) -> None:
    run(spark, "DROP TABLE ours", "USE default")
    assert refusal(spark, "DROP DATABASE both") == "SCHEMA_NOT_EMPTY"
    run(spark, "DROP DATABASE both CASCADE")
    assert ("both",) not in rows(spark, "SHOW DATABASES")
    assert refusal(spark, "SELECT * FROM both.theirs") == "TABLE_OR_VIEW_NOT_FOUND"
    run(spark, "CREATE DATABASE both", "CREATE TABLE both.ours AS SELECT 2 AS a")
    assert rows(spark, f"SELECT a FROM both.ours WHERE {IS_ONE}") == [(2,)]
    run(spark, "DROP TABLE both.ours")
    assert rows(spark, "SHOW TABLES IN both") == []
    assert refusal(spark, "SELECT * FROM both.theirs") == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_temporary_view_that_only_spark_knows(spark: Any) -> None:
    made = f"CREATE TEMP VIEW passing AS SELECT 1 AS a WHERE {IS_ONE}"
    run(spark, f'EXECUTE IMMEDIATE "{made}"')
    assert rows(spark, "SELECT a FROM passing") == [(1,)]
    run(spark, "DROP VIEW passing")
    assert refusal(spark, "SELECT a FROM passing") == "TABLE_OR_VIEW_NOT_FOUND"


def test_new_tables_are_ours_still(spark: Any) -> None:
    spark.range(3).write.mode("overwrite").saveAsTable("fresh")
    assert rows(spark, "SELECT count(*) FROM fresh") == [(3,)]
    assert ("Provider", "iceberg") in {row[:2] for row in rows(spark, "DESCRIBE EXTENDED fresh")}
    assert refusal(spark, "SELECT * FROM nosuch") == "TABLE_OR_VIEW_NOT_FOUND"
    run(spark, "DROP TABLE IF EXISTS nosuch")


def test_a_table_whose_options_only_sparks_writer_knows(spark: Any) -> None:
    """It is created on Spark, so that it can be written to; one with files already is read natively."""
    options = "OPTIONS (quoteAll 'true', dateFormat 'yyyy') PARTITIONED BY (p)"
    run(
        spark,
        f"CREATE TABLE quoted (a DATE, p INT) USING csv {options}",
        "INSERT INTO quoted VALUES (DATE'2020-01-01', 2)",
    )
    assert rows(spark, "SELECT year(a), p FROM quoted") == [(2020, 2)]
    spark.sql("SELECT 1 AS a").write.format("csv").option("quoteAll", True).saveAsTable("quoted_frame")
    assert rows(spark, "SELECT a FROM quoted_frame") == [(1,)]
    run(spark, "DROP TABLE quoted", "DROP TABLE quoted_frame")
