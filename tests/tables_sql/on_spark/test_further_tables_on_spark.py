"""Tables of further catalogs, and tables as they were, in queries that only Spark can answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from table_helpers import refusal, rows, run

pytestmark = pytest.mark.spark
ON_SPARK = "CAST(java_method('java.lang.Integer', 'parseInt', '1') AS INT)"  # a function that only Spark has


@pytest.fixture
def both(spark: Any, tmp_path: Path) -> Iterator[Any]:
    """A session with a catalog `lake`, and a table of the same name in each."""
    for key, value in {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "jdbc",
        ".uri": f"jdbc:sqlite:{tmp_path}/lake.db",
        ".warehouse": f"{tmp_path}/lake",
    }.items():
        spark.conf.set(f"spark.sql.catalog.lake{key}", value)
    run(spark, "CREATE NAMESPACE lake.db", "CREATE DATABASE db", "USE db")
    run(spark, "CREATE TABLE lake.db.t AS SELECT 1 AS id, 'lake' AS s", "CREATE TABLE t AS SELECT 1 AS id, 'home' AS s")
    yield spark
    run(spark, "USE spark_catalog.default", "DROP DATABASE db CASCADE")


def by_spark(spark: Any) -> bool:
    return '"engine": "spark"' in str(spark.conf.get("twinspark.lastOperation"))


def test_by_its_whole_name(both: Any) -> None:
    assert rows(both, f"SELECT s, {ON_SPARK} FROM lake.db.t") == [("lake", 1)]
    assert by_spark(both)
    assert rows(both, f"SELECT s, {ON_SPARK} FROM t") == [("home", 1)]
    assert rows(both, f"SELECT lake.db.t.s, x.s FROM lake.db.t, db.t x WHERE {ON_SPARK} = 1") == [("lake", "home")]
    assert rows(both, f"WITH t AS (SELECT s FROM lake.db.t) SELECT * FROM t WHERE {ON_SPARK} = 1") == [("lake",)]
    frame = both.table("lake.db.t")
    assert frame.where(frame["id"] == F.expr(ON_SPARK)).select(frame["s"]).collect() == [("lake",)]
    assert by_spark(both)
    assert refusal(both, f"SELECT {ON_SPARK} FROM lake.db.nosuch") is not None


def test_where_the_session_is(both: Any) -> None:
    run(both, "USE lake.db", "CREATE TABLE only_here AS SELECT 5 AS five")
    assert rows(both, f"SELECT s, {ON_SPARK} FROM t") == [("lake", 1)]
    assert rows(both, f"SELECT five + {ON_SPARK} FROM only_here") == [(6,)]
    run(both, "CREATE TABLE spark_catalog.db.only_home AS SELECT 1 AS one")
    assert refusal(both, f"SELECT {ON_SPARK} FROM only_home") == "TABLE_OR_VIEW_NOT_FOUND"
    assert rows(both, f"SELECT one + {ON_SPARK} FROM spark_catalog.db.only_home") == [(2,)]


def test_writes_with_rows_of_sparks(both: Any) -> None:
    run(both, f"INSERT INTO lake.db.t SELECT id + {ON_SPARK}, 'more' FROM lake.db.t")
    run(both, f"UPDATE lake.db.t SET s = 'new' WHERE id = {ON_SPARK} + 1")
    assert rows(both, "SELECT * FROM lake.db.t") == [(1, "lake"), (2, "new")]
    run(both, f"CREATE OR REPLACE TABLE lake.db.t AS SELECT s, {ON_SPARK} AS n FROM lake.db.t WHERE id = 2")
    assert rows(both, "SELECT * FROM lake.db.t") == [("new", 1)]


@pytest.mark.parametrize("name", ["t", "lake.db.t"])
def test_as_it_was(both: Any, name: str) -> None:
    ((first,),) = rows(both, f"SELECT snapshot_id FROM {name}.snapshots")
    run(both, f"ALTER TABLE {name} CREATE TAG old", f"ALTER TABLE {name} RENAME COLUMN s TO z")
    run(both, f"INSERT INTO {name} VALUES (2, 'later')")
    assert counted(both, name) == counted(both, f"{name} FOR TIMESTAMP AS OF current_timestamp()") == 2
    assert counted(both, f"{name} VERSION AS OF {first}") == counted(both, f"{name} VERSION AS OF 'old'") == 1
    joined = f"{name} VERSION AS OF 'old' AS o JOIN {name} n ON o.id + 1 = n.id"
    assert rows(both, f"SELECT o.s, n.z FROM {joined} WHERE {ON_SPARK} = 1") == [(first_value(name), "later")]
    read = both.read.option("versionAsOf", str(first)).table(name)
    assert [row.s for row in read.where(F.expr(ON_SPARK) == 1).collect()] == [first_value(name)]
    assert refusal(both, f"SELECT {ON_SPARK} FROM {name} VERSION AS OF 12345") == "TABLE_OR_VIEW_NOT_FOUND"


def first_value(name: str) -> str:
    return "lake" if name.startswith("lake") else "home"


def counted(spark: Any, table: str) -> int:
    ((found,),) = rows(spark, f"SELECT count(*) FROM {table} WHERE {ON_SPARK} = 1")
    assert by_spark(spark)
    return int(found)
