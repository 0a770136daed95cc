"""Our tables where the Spark is somebody else's: views in its catalog, when the server is asked to make them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from table_helpers import refusal, rows, run

from twinspark.doors.connect.server import ConnectServer
from twinspark.relay import uploaded_tables
from twinspark.relay.engine import LaunchedSpark
from twinspark.relay.table_views import SHOW_TABLES
from twinspark.sessions.settings import Settings

pytestmark = pytest.mark.spark
ON_SPARK = "java_method('java.lang.Integer', 'parseInt', '1') = '1'"  # a function that only Spark has


@pytest.fixture(scope="module")
def remote(request: pytest.FixtureRequest) -> str:
    """The Spark at TWINSPARK_TEST_SPARK, or what stands behind the shared server."""
    if "TWINSPARK_TEST_SPARK" in os.environ:
        return os.environ["TWINSPARK_TEST_SPARK"]
    server: ConnectServer = request.getfixturevalue("auto_server")
    session = SparkSession.builder.remote(server.url).create()
    run(session, f"SELECT {ON_SPARK}")
    session.stop()
    assert isinstance(server.spark, LaunchedSpark) and server.spark._jvm is not None
    return f"sc://127.0.0.1:{server.spark._jvm.port}"


def served(remote: str, warehouse: Path, *config: tuple[str, str]) -> Iterator[Any]:
    server = ConnectServer(Settings(spark_remote=remote, warehouse=str(warehouse), spark_config=config))
    session = SparkSession.builder.remote(server.url).create()
    run(session, "CREATE DATABASE beside", "USE beside")
    yield session
    run(session, "USE default", "DROP DATABASE beside CASCADE", f"SELECT {ON_SPARK}")
    session.stop()
    server.stop()


@pytest.fixture
def shown(remote: str, tmp_path: Path) -> Iterator[Any]:
    tmp_path.chmod(0o777)
    yield from served(remote, tmp_path, (SHOW_TABLES, "true"))


@pytest.fixture
def apart(remote: str, tmp_path: Path) -> Iterator[Any]:
    yield from served(remote, tmp_path)


def test_read_there(shown: Any) -> None:
    run(
        shown,
        "CREATE TABLE ice (id INT, c CHAR(5), v VARCHAR(3))",
        "INSERT INTO ice VALUES (1, 'ab', 'x'), (2, 'abc', 'y')",
        "CREATE TABLE files (c CHAR(5)) USING parquet",
        "INSERT INTO files VALUES ('ab')",
        "CREATE VIEW seen AS SELECT c FROM ice",
    )
    assert rows(shown, f"SELECT id, c FROM ice WHERE c = 'ab' AND {ON_SPARK}") == [(1, "ab   ")]
    assert rows(shown, f"SELECT c FROM seen WHERE c = 'abc' AND {ON_SPARK}") == [("abc  ",)]
    assert rows(shown, f"SELECT length(c) FROM files WHERE c = 'ab' AND {ON_SPARK}") == [(5,)]
    run(shown, "INSERT INTO ice VALUES (3, 'ab', 'z')", "ALTER TABLE ice RENAME COLUMN id TO n")
    assert rows(shown, f"SELECT n, v FROM ice WHERE c = 'ab' AND {ON_SPARK}") == [(1, "x"), (3, "z")]


def test_what_that_spark_has(apart: Any, remote: str) -> None:
    """Its schemas and tables are listed beside ours, read, written and entered."""
    other = SparkSession.builder.remote(remote).create()
    run(other, "CREATE DATABASE theirs", "CREATE TABLE theirs.orders USING parquet AS SELECT 1 AS id")
    run(other, "CREATE FUNCTION theirs.twice(x INT) RETURNS INT RETURN 2 * x")
    try:
        run(apart, "CREATE TABLE mine AS SELECT 1 AS id")
        assert {("beside",), ("theirs",)} <= set(rows(apart, "SHOW DATABASES"))
        assert {"beside", "theirs"} <= {each.name for each in apart.catalog.listDatabases()}
        assert [each.name for each in apart.catalog.listTables("theirs")] == ["orders"]
        assert refusal(apart, "CREATE DATABASE theirs") == "SCHEMA_ALREADY_EXISTS"
        assert refusal(apart, "CREATE TABLE theirs.orders AS SELECT 2 AS id") == "TABLE_OR_VIEW_ALREADY_EXISTS"
        run(apart, "USE theirs", "CREATE TABLE made USING parquet AS SELECT 2 AS id", "INSERT INTO made VALUES (3)")
        assert rows(apart, "SHOW TABLES") == [("theirs", "made", False), ("theirs", "orders", False)]
        assert rows(other, "SELECT id FROM theirs.made ORDER BY id") == [(2,), (3,)]
        assert rows(apart, "SELECT twice(21)") == [(42,)]
        assert rows(apart, "SHOW USER FUNCTIONS") == [("spark_catalog.theirs.twice",)]
        run(apart, "USE beside")
        assert rows(apart, "SHOW TABLES") == [("beside", "mine", False)]
        assert refusal(apart, "CREATE FUNCTION theirs.twice(x INT) RETURNS INT RETURN x") == "ROUTINE_ALREADY_EXISTS"
        run(apart, "CREATE FUNCTION once(x INT) RETURNS INT RETURN x")
        assert rows(apart, "SELECT once(1)") == [(1,)]
        assert rows(apart, "SHOW USER FUNCTIONS") == [("spark_catalog.beside.once",)]
        assert rows(apart, "SELECT id FROM theirs.orders") == [(1,)]
        assert rows(apart, "SELECT o.id FROM theirs.orders o JOIN mine USING (id)") == [(1,)]
        assert refusal(apart, "SELECT * FROM theirs.missing") == "TABLE_OR_VIEW_NOT_FOUND"
        assert refusal(apart, "SHOW TABLES IN nobodys") == "SCHEMA_NOT_FOUND"
    finally:
        run(other, "DROP DATABASE theirs CASCADE")
        other.stop()


def test_rows_go_along_where_files_are_not_seen(apart: Any) -> None:
    run(apart, "CREATE TABLE mine (id INT NOT NULL, c CHAR(3))", "INSERT INTO mine VALUES (1, 'a')")
    run(apart, "CREATE VIEW seen AS SELECT id + 1 AS more FROM mine")
    assert rows(apart, f"SELECT id, c FROM beside.mine WHERE {ON_SPARK}") == [(1, "a  ")]
    assert rows(apart, f"SELECT more FROM seen WHERE {ON_SPARK}") == [(2,)]
    assert [tuple(row) for row in apart.table("mine").filter(ON_SPARK).collect()] == [(1, "a  ")]
    run(apart, f"CREATE TEMP VIEW there AS SELECT id FROM mine WHERE {ON_SPARK}", "INSERT INTO mine VALUES (2, 'b')")
    assert rows(apart, "SELECT id FROM there ORDER BY id") == [(1,), (2,)]
    run(apart, "DROP VIEW there", "DROP VIEW seen", "DROP TABLE mine")
    assert refusal(apart, f"SELECT * FROM mine WHERE {ON_SPARK}") == "TABLE_OR_VIEW_NOT_FOUND"


def test_what_is_too_large_to_go_along(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(apart, "CREATE TABLE large AS SELECT id FROM range(1000)")
    monkeypatch.setattr(uploaded_tables, "LARGEST", 1000)
    assert refusal(apart, f"SELECT id FROM large WHERE {ON_SPARK}") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert rows(apart, "SELECT count(*) FROM large") == [(1000,)]
