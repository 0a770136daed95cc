"""Names that are no plain words, times all that is done with names: as a recorded Spark 4.2.1 answers, or said here."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from names.operations import NAMES, OPERATIONS, outcomes, quoted
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings
from twinspark.tables.session_catalog import SessionCatalog

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
LONG = ("column", "partition column", "partition value", "saveAsTable")  # they write files for every name
# What is otherwise here, and why. The names that follow each reason are all of them: an exception too many fails.
DIFFERENCES: dict[str, dict[str, list[str]]] = {
    "only Spark reads it: a hidden directory, a column without a name, an escaped name of a partition's column": {
        "create table": ["__HIVE_DEFAULT_PARTITION__", "_x"],
        "column": [""],
        "partition column": [
            *("..", ".", "../evil", "a/b", "a\\b", "a%2fb", "a\nb", "a:b", "a*b", "a'b", 'a"b', "", "{a}", "#"),
            *("/etc/x", "file:/tmp/x", "%", "x=y", "a?b", "a\tb", "a\x01b", "\x7f"),
        ],
        "partition value": ["a\0b"],
    },
    "Spark reads an empty table where no directory can be": {"create table": ["n" * 300]},
    "Spark registers it and does not find it": {"temp function": [""]},
    "the schema is looked for before the name is parsed": {"read in schema": ["..", ".", "../evil", "a`b"]},
    "Spark makes the directory of a table before it checks the name": {
        "saveAsTable": ["..", "a\\b", "a\0b", "n" * 300, "a:b", ""]
    },
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names") / "warehouse"


@pytest.fixture(scope="module")
def spark(warehouse: Path) -> Iterator[Any]:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(warehouse)))
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()
    server.stop()


def different(operation: str) -> set[str]:
    return {name for each in DIFFERENCES.values() for name in each.get(operation, [])}


@pytest.mark.parametrize(
    "operation", [pytest.param(each, marks=[pytest.mark.attack] if each in LONG else []) for each in OPERATIONS]
)
def test_names_are_spark_s(operation: str, spark: Any, warehouse: Path) -> None:
    answers = {name: outcomes(spark, str(warehouse), operation, name) for name in NAMES}
    assert {name for name in NAMES if answers[name] != RECORDED[operation][name]} == different(operation)
    assert not [each for name in NAMES for each in answers[name] if each == "!INTERNAL_ERROR"]
    assert os.listdir(warehouse.parent) == ["warehouse"], "nothing is written outside the warehouse"


def test_every_name_is_recorded_for_every_operation() -> None:
    assert {operation: set(names) for operation, names in RECORDED.items()} == {each: set(NAMES) for each in OPERATIONS}
    assert len(NAMES) * len(OPERATIONS) == 832


def test_a_warehouse_that_has_such_schemas_opens_and_they_can_be_dropped(tmp_path: Path) -> None:
    """Servers before accepted them; what lies outside the warehouse is not theirs to remove."""
    inside, outside = tmp_path / "warehouse", tmp_path / "evil.db"
    outside.mkdir()
    (outside / "theirs").write_text("kept")
    SessionCatalog.local("spark_catalog", str(inside / "twinspark" / "spark_catalog"), str(inside))
    with_schemas(inside, {"..": f"file:{inside}/...db", "../evil": f"file:{inside}/../evil.db", "a.b": ""})
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(inside)))
    spark = SparkSession.builder.remote(server.url).create()
    try:
        assert {row[0] for row in spark.sql("SHOW SCHEMAS").collect()} == {"default", "`..`", "`../evil`", "`a.b`"}
        assert spark.sql("SHOW FUNCTIONS IN default").count() > 0
        for name in ("..", "../evil", "a.b"):
            spark.sql(f"DROP SCHEMA {quoted(name)} CASCADE")
        assert [row[0] for row in spark.sql("SHOW SCHEMAS").collect()] == ["default"]
        assert (outside / "theirs").read_text() == "kept"
    finally:
        spark.stop()
        server.stop()


def with_schemas(warehouse: Path, locations: dict[str, str]) -> None:
    """As an earlier server wrote them."""
    (database,) = warehouse.glob("*/spark_catalog/catalog.db")
    with sqlite3.connect(database) as connection:
        for name, location in locations.items():
            told = {"exists": "true", **({"location": location} if location else {})}
            connection.executemany(
                "INSERT INTO iceberg_namespace_properties VALUES ('spark_catalog', ?, ?, ?)",
                [(name, key, value) for key, value in told.items()],
            )


@pytest.mark.parametrize("name", ["..", "../evil", "a/b", "a\0b", "n" * 300, "é", ".hidden", " "])
def test_tables_of_further_catalogs_stay_in_their_warehouse(name: str, spark: Any, tmp_path: Path) -> None:
    """Iceberg's catalogs take any name; as a directory it is escaped."""
    spark.conf.set("spark.sql.catalog.further", "iceberg")
    spark.conf.set("spark.sql.catalog.further.warehouse", str(tmp_path / "further"))
    try:
        spark.sql("CREATE SCHEMA IF NOT EXISTS further.plain")
        spark.sql(f"CREATE TABLE further.plain.{quoted(name)} AS SELECT 1 AS x")
        assert [row.x for row in spark.sql(f"SELECT * FROM further.plain.{quoted(name)}").collect()] == [1]
    except PySparkException as error:
        assert error.getCondition() not in (None, "INTERNAL_ERROR")
    assert os.listdir(tmp_path) == ["further"]
