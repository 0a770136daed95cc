"""Iceberg tables where one lies already, of format versions that cannot be written, and tables whose files are gone."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from table_helpers import refusal, rows, run


def message(spark: Any, statement: str) -> str:
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement).collect()
    return str(caught.value)


def test_a_table_that_was_dropped_is_there_again(tables: Any, tmp_path: Path) -> None:
    place = f"USING iceberg LOCATION '{tmp_path}/t'"
    run(
        tables,
        f"CREATE TABLE t (id INT NOT NULL, c CHAR(3)) {place} PARTITIONED BY (id)",
        "INSERT INTO t VALUES (1, 'a')",
    )
    run(tables, "ALTER TABLE t RENAME COLUMN c TO d", "INSERT INTO t VALUES (2, 'b')", "DROP TABLE t")
    run(tables, f"CREATE TABLE again {place}")
    assert rows(tables, "SELECT * FROM again") == [(1, "a  "), (2, "b  ")]
    assert [row[0] for row in tables.sql("SELECT count(*) FROM again.history").collect()] == [2]
    run(tables, "INSERT INTO again VALUES (3, 'c')")
    assert rows(tables, "SELECT count(*) FROM again") == [(3,)]
    run(tables, "DROP TABLE again")


def test_columns_that_are_named_have_to_be_the_tables(tables: Any, tmp_path: Path) -> None:
    place = f"USING iceberg LOCATION '{tmp_path}/t'"
    run(tables, f"CREATE TABLE t (id INT, s STRING) {place}", "INSERT INTO t VALUES (1, 'a')", "DROP TABLE t")
    assert "has the schema struct<id:int,s:string>" in message(tables, f"CREATE TABLE t (id DATE) {place}")
    assert refusal(tables, "SELECT * FROM t") == "TABLE_OR_VIEW_NOT_FOUND"
    run(tables, f"CREATE TABLE t (id INT, s STRING) {place}")
    assert rows(tables, "SELECT * FROM t") == [(1, "a")]
    run(tables, "DROP TABLE t")


def test_one_place_has_one_name(tables: Any, tmp_path: Path) -> None:
    place = f"USING iceberg LOCATION '{tmp_path}/t'"
    run(tables, f"CREATE TABLE t (id INT) {place}", "INSERT INTO t VALUES (1)")
    assert "is that of another table of this catalog" in message(tables, f"CREATE TABLE second {place}")
    assert "already exists at location" in message(tables, f"CREATE TABLE second {place} AS SELECT 2 AS id")
    assert rows(tables, "SHOW TABLES LIKE 'second'") == []
    assert rows(tables, "SELECT * FROM t") == [(1,)]


@pytest.mark.parametrize(
    "version, told",
    [("3", "UNSUPPORTED_FEATURE.TABLE_OPERATION"), ("9", "Unsupported format version: v9"), ("x", 'input string: "x"')],
)
def test_format_versions_that_are_not_written(tables: Any, version: str, told: str) -> None:
    properties = f"TBLPROPERTIES ('format-version' = '{version}')"
    assert told in message(tables, f"CREATE TABLE t (id INT) USING iceberg {properties}")
    assert told in message(tables, f"CREATE TABLE t USING iceberg {properties} AS SELECT 1 AS id")
    run(tables, "CREATE TABLE t (id INT) USING iceberg")
    assert told in message(tables, f"REPLACE TABLE t (id INT) USING iceberg {properties}")
    assert told in message(tables, f"ALTER TABLE t SET {properties}")
    run(tables, "INSERT INTO t VALUES (1)")


def test_a_format_version_is_raised_and_not_lowered(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '1')",
        "INSERT INTO t VALUES (1)",
    )
    run(tables, "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2')", "INSERT INTO t VALUES (2)")
    assert "downgrade" in message(tables, "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '1')")
    assert rows(tables, "SELECT * FROM t") == [(1,), (2,)]


def test_a_table_whose_files_are_gone(tables: Any, tmp_path: Path) -> None:
    run(tables, f"CREATE TABLE gone (id INT) USING delta LOCATION '{tmp_path}/gone'")
    shutil.rmtree(tmp_path / "gone")
    assert refusal(tables, "SELECT * FROM gone") == "DELTA_TABLE_NOT_FOUND"
    assert refusal(tables, "INSERT INTO gone VALUES (1)") == "DELTA_TABLE_NOT_FOUND"
    assert rows(tables, "SHOW TABLES LIKE 'gone'") == [("mine", "gone", False)]
    run(tables, "DROP TABLE gone")
