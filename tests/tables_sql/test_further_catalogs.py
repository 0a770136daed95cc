"""Catalogs beside the session's: `spark.sql.catalog.NAME` told as PyIceberg takes it, here a database of its own."""

from pathlib import Path
from typing import Any

import pytest
from helpers_tables import refusal, rows, run
from pyiceberg.catalog import load_catalog


@pytest.fixture
def lake(tables: Any, tmp_path: Path) -> Any:
    """A catalog that other programs open too: its database and its files lie where they say."""
    for key, value in told(tmp_path).items():
        tables.conf.set(f"spark.sql.catalog.lake{key}", value)
    run(tables, "CREATE NAMESPACE lake.db")
    return tables


def told(tmp_path: Path) -> dict[str, str]:
    return {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "sql",
        ".uri": f"sqlite:///{tmp_path}/lake.db",
        ".warehouse": f"file://{tmp_path}/lake",
    }


def test_tables_of_another_catalog(lake: Any) -> None:
    run(lake, "CREATE TABLE lake.db.t (id BIGINT, s STRING) PARTITIONED BY (bucket(4, id))")
    run(lake, "INSERT INTO lake.db.t SELECT id, concat('s', id) FROM range(10)", "DELETE FROM lake.db.t WHERE id > 7")
    run(lake, "UPDATE lake.db.t SET s = 'u' WHERE id = 0", "ALTER TABLE lake.db.t ADD COLUMN n INT")
    assert rows(lake, "SELECT * FROM lake.db.t WHERE id < 2") == [(0, "u", None), (1, "s1", None)]
    assert rows(lake, "SELECT count(*) FROM lake.db.t.history") == [(3,)]
    run(lake, "CREATE TABLE mine.t AS SELECT id FROM lake.db.t", "CREATE OR REPLACE TABLE lake.db.t AS SELECT 1 AS one")
    assert rows(lake, "SELECT count(*) FROM mine.t JOIN lake.db.t ON id = one") == [(1,)]
    assert refusal(lake, "SELECT * FROM lake.db.nosuch") == "TABLE_OR_VIEW_NOT_FOUND"
    assert rows(lake, "SHOW TABLES IN lake.db") == [("db", "t", False)]
    run(lake, "DROP TABLE lake.db.t")
    assert rows(lake, "SHOW TABLES IN lake.db") == []


def test_another_program_sees_the_same(lake: Any, tmp_path: Path) -> None:
    run(lake, "CREATE TABLE lake.db.t AS SELECT id FROM range(5)")
    options = {key.removeprefix("."): value for key, value in told(tmp_path).items() if key}
    other = load_catalog("lake", **options).load_table("db.t")
    assert sorted(other.scan().to_arrow().column("id").to_pylist()) == [0, 1, 2, 3, 4]
    other.append(other.scan().to_arrow())
    assert rows(lake, "SELECT count(*), sum(id) FROM lake.db.t") == [(10, 20)]
