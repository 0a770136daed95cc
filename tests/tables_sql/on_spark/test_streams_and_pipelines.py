"""One catalog for streams and declarative pipelines: what Spark creates is ours at once, and streams use our tables."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from table_helpers import refusal, rows, run

from twinspark.doors.connect.server import ConnectServer

pytestmark = pytest.mark.spark
CLI = Path(pyspark.__file__).parent / "pipelines" / "cli.py"
SPECIFICATION = """
name: shop
storage: file://{storage}
catalog: spark_catalog
database: {database}
libraries:
  - glob:
      include: transformations/**
"""
DATASETS = """
from pyspark import pipelines as dp
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
spark = SparkSession.active()

@dp.materialized_view
def numbers():
    return spark.table("source")

@dp.materialized_view(partition_cols=["p"])
def parts():
    return spark.table("numbers").selectExpr("id", "id % 2 AS p")

@dp.table
def copied():
    return spark.readStream.table("numbers")
"""


@pytest.fixture
def spark(auto_server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(auto_server.url).create()
    run(session, "DROP DATABASE IF EXISTS flows CASCADE", "CREATE DATABASE flows", "USE flows")
    yield session
    run(session, "USE default", "DROP DATABASE IF EXISTS flows CASCADE")
    session.stop()


def engine_of(spark: Any) -> str:
    return str(json.loads(spark.conf.get("twinspark.lastOperation"))["engine"])


def native_rows(spark: Any, query: str) -> list[tuple[Any, ...]]:
    found = rows(spark, query)
    assert engine_of(spark) == "duckdb"
    return found


def on_spark(spark: Any, query: str) -> list[tuple[Any, ...]]:
    spark.conf.set("twinspark.engine", "spark")
    try:
        return rows(spark, query)
    finally:
        spark.conf.unset("twinspark.engine")


def stream(spark: Any, source: Any, table: str, checkpoint: Path, **options: Any) -> None:
    """Options are those of toTable; Spark rejects another format than that of the file table."""
    query = source.writeStream.trigger(availableNow=True).option("checkpointLocation", str(checkpoint))
    query.toTable(table, **options).awaitTermination()


# ---- pipelines


def pipeline(folder: Path, server: ConnectServer, *arguments: str) -> str:
    (folder / "transformations").mkdir(exist_ok=True)
    text = SPECIFICATION.format(storage=folder / "storage", database="flows")
    (folder / "spark-pipeline.yml").write_text(text)
    (folder / "transformations" / "datasets.py").write_text(DATASETS)
    sql = "CREATE MATERIALIZED VIEW total AS SELECT sum(id) AS total FROM numbers;"
    (folder / "transformations" / "total.sql").write_text(sql)
    environment = {**os.environ, "SPARK_REMOTE": server.url}
    command = [sys.executable, str(CLI), "run", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout + done.stderr


def test_tables_of_a_pipeline_are_found_natively(spark: Any, auto_server: ConnectServer, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE source USING parquet AS SELECT id FROM range(5)")
    assert "Run is COMPLETED" in pipeline(tmp_path, auto_server)
    assert native_rows(spark, "SELECT id FROM numbers ORDER BY id") == [(0,), (1,), (2,), (3,), (4,)]
    assert native_rows(spark, "SELECT p, count(*) FROM parts GROUP BY p ORDER BY p") == [(0, 3), (1, 2)]
    assert native_rows(spark, "SELECT total FROM total") == [(10,)]
    assert native_rows(spark, "SELECT count(*) FROM copied") == [(5,)]
    names = [row[1] for row in rows(spark, "SHOW TABLES")]
    assert names == ["copied", "numbers", "parts", "source", "total"]
    assert on_spark(spark, "SELECT count(*) FROM parts") == [(5,)]


def test_a_pipeline_runs_again(spark: Any, auto_server: ConnectServer, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE source USING parquet AS SELECT id FROM range(2)")
    assert "Run is COMPLETED" in pipeline(tmp_path, auto_server)
    run(spark, "INSERT INTO source VALUES (7)")
    assert "Run is COMPLETED" in pipeline(tmp_path, auto_server)
    assert native_rows(spark, "SELECT id FROM numbers ORDER BY id") == [(0,), (1,), (7,)]
    assert native_rows(spark, "SELECT p, count(*) FROM parts GROUP BY p ORDER BY p") == [(0, 1), (1, 2)]
    assert native_rows(spark, "SELECT total FROM total") == [(8,)]


def test_a_pipeline_runs_again_on_another_spark(spark: Any, auto_server: ConnectServer, tmp_path: Path) -> None:
    """The tables outlive the Spark that created them, and the next one fills them again."""
    run(spark, "CREATE TABLE source USING parquet AS SELECT id FROM range(2)")
    assert "Run is COMPLETED" in pipeline(tmp_path, auto_server)
    auto_server.spark._jvm.kill()  # type: ignore[attr-defined]
    assert native_rows(spark, "SELECT total FROM total") == [(1,)]
    run(spark, "INSERT INTO source VALUES (7)")
    assert "Run is COMPLETED" in pipeline(tmp_path, auto_server)
    assert native_rows(spark, "SELECT total FROM total") == [(8,)]
    assert native_rows(spark, "SELECT p, count(*) FROM parts GROUP BY p ORDER BY p") == [(0, 1), (1, 2)]


def test_dropped_and_created_again_keeps_the_new_rows(spark: Any, auto_server: ConnectServer, tmp_path: Path) -> None:
    """Spark's managed tables are released without the files that lie at their locations now."""
    run(spark, "CREATE TABLE source USING parquet AS SELECT id FROM range(2)")
    pipeline(tmp_path, auto_server)
    for table in ("numbers", "parts"):
        run(spark, f"DROP TABLE {table}")
    run(spark, "CREATE TABLE numbers USING parquet AS SELECT 'new' AS word")
    run(spark, "CREATE TABLE parts USING parquet PARTITIONED BY (p) AS SELECT 'new' AS word, 0 AS p")
    assert on_spark(spark, "SELECT word FROM numbers") == [("new",)]
    assert on_spark(spark, "SELECT word, p FROM parts") == [("new", 0)]
    assert native_rows(spark, "SELECT word FROM numbers") == [("new",)]
    assert native_rows(spark, "SELECT word, p FROM parts") == [("new", 0)]
    assert refusal(spark, "SELECT nosuch FROM numbers") == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


# ---- streams


@pytest.mark.parametrize("partitions", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("format", ["parquet", "orc", "json"])
def test_streams_read_and_write_file_tables(spark: Any, tmp_path: Path, format: str, partitions: str) -> None:
    run(
        spark,
        f"CREATE TABLE origin (id BIGINT, p STRING) USING {format} {partitions}",
        "INSERT INTO origin VALUES (1, 'a'), (2, 'b')",
        f"CREATE TABLE target (id BIGINT, p STRING) USING {format} {partitions}",
    )
    columns = ["p"] if partitions else None
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c", partitionBy=columns, format=format)
    assert native_rows(spark, "SELECT * FROM target ORDER BY id") == [(1, "a"), (2, "b")]
    run(spark, "INSERT INTO origin VALUES (3, 'a')")
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c", partitionBy=columns, format=format)
    assert native_rows(spark, "SELECT * FROM target ORDER BY id") == [(1, "a"), (2, "b"), (3, "a")]
    assert on_spark(spark, "SELECT * FROM target ORDER BY id") == [(1, "a"), (2, "b"), (3, "a")]


def test_a_stream_creates_a_table(spark: Any, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE origin USING parquet AS SELECT id, id % 2 AS p FROM range(4)")
    stream(spark, spark.readStream.table("origin"), "made", tmp_path / "c", partitionBy="p")
    assert native_rows(spark, "SELECT p, count(*) FROM made GROUP BY p ORDER BY p") == [(0, 2), (1, 2)]
    assert [row[1] for row in rows(spark, "SHOW TABLES")] == ["made", "origin"]
    run(spark, "DROP TABLE made")
    assert refusal(spark, "SELECT * FROM made") == "TABLE_OR_VIEW_NOT_FOUND"


def test_files_of_an_unfinished_batch_are_not_read(spark: Any, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE origin USING parquet AS SELECT id FROM range(4)")
    place = tmp_path / "out"
    query = spark.readStream.table("origin").writeStream.trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "c")).format("parquet").start(str(place)).awaitTermination()
    spark.range(100, 103).write.parquet(str(tmp_path / "more"))
    for file in (tmp_path / "more").glob("*.parquet"):
        file.rename(place / file.name)
    assert native_rows(spark, f"SELECT count(*) FROM parquet.`{place}`") == [(4,)]
    assert on_spark(spark, f"SELECT count(*) FROM parquet.`{place}`") == [(4,)]


# ---- streams into Iceberg tables


def test_streams_write_iceberg_tables_exactly_once(spark: Any, tmp_path: Path) -> None:
    run(
        spark,
        "CREATE TABLE origin USING parquet AS SELECT id, current_timestamp() AS at FROM range(2)",
        "CREATE TABLE target (at TIMESTAMP, id BIGINT, more STRING) PARTITIONED BY (days(at))",
    )
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c")
    assert native_rows(spark, "SELECT id, more FROM target ORDER BY id") == [(0, None), (1, None)]
    run(spark, "INSERT INTO target VALUES (current_timestamp(), 5, 'x')", "INSERT INTO origin VALUES (2, now())")
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c")
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c")
    assert native_rows(spark, "SELECT id FROM target ORDER BY id") == [(0,), (1,), (2,), (5,)]
    assert on_spark(spark, "SELECT count(*) FROM target") == [(4,)]


def test_a_replaced_table_gets_later_batches_only(spark: Any, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE origin USING parquet AS SELECT id FROM range(2)", "CREATE TABLE target (id BIGINT)")
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c")
    run(spark, "DROP TABLE target", "CREATE TABLE target (id BIGINT)", "INSERT INTO origin VALUES (7)")
    stream(spark, spark.readStream.table("origin"), "target", tmp_path / "c")
    assert native_rows(spark, "SELECT id FROM target") == [(7,)]


def test_what_streams_cannot_use(spark: Any, tmp_path: Path) -> None:
    run(spark, "CREATE TABLE origin AS SELECT 1L AS id", "CREATE TABLE other USING delta AS SELECT 1L AS id")
    run(spark, "CREATE TABLE files USING parquet AS SELECT 1L AS id")
    for source, target in (("origin", "files"), ("other", "files"), ("files", "other")):
        with pytest.raises(PySparkException) as refused:
            stream(spark, spark.readStream.table(source), target, tmp_path / f"{source}{target}")
        assert refused.value.getCondition() == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
