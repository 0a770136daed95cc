"""What Spark is told of our tables and functions before it gets a request that names them."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.relay.table_views import Identifiers, TableViews
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    made = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("shown"))))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def spark(server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(server.url).create()
    for text in (
        "CREATE TABLE files (a INT) USING parquet",
        "CREATE TABLE parts (a INT, p INT) USING parquet PARTITIONED BY (p)",
        "INSERT INTO parts VALUES (1, 2)",
        "CREATE FUNCTION inner_one(x INT) RETURNS INT RETURN x + 1",
        "CREATE FUNCTION outer_one(x INT DEFAULT 3) RETURNS INT COMMENT 'calls' RETURN inner_one(x) * 2",
        "CREATE FUNCTION rows_of(n INT) RETURNS TABLE (a INT) RETURN SELECT a FROM files WHERE a < n",
    ):
        session.sql(text).collect()
    yield session
    session.stop()


def told(server: ConnectServer, text: str, known: TableViews | None = None) -> list[str]:
    shown = known or TableViews(server.shared.catalogs, True, own=True)
    no_spark: Any = None  # it would be asked about tables that Spark made, of which there are none
    return list(shown._statements(no_spark, Identifiers([text])))


def made(statements: list[str]) -> list[str]:
    return [each for each in statements if each.startswith(("CREATE OR REPLACE FUNCTION", "CREATE TABLE"))]


def test_functions_come_after_those_they_call(server: ConnectServer, spark: Any) -> None:
    first, second = made(told(server, "SELECT outer_one(1)"))
    assert first == "CREATE OR REPLACE FUNCTION `default`.`inner_one`(`x` int) RETURNS int RETURN x + 1"
    assert second.startswith("CREATE OR REPLACE FUNCTION `default`.`outer_one`(`x` int DEFAULT 3) RETURNS int COMMENT")


def test_functions_are_made_under_their_settings(server: ConnectServer, spark: Any) -> None:
    statements = told(server, "SELECT inner_one(1)")
    assert "USE `default`" in statements and "RESET spark.sql.ansi.enabled" in statements


def test_tables_that_a_body_reads_come_first(server: ConnectServer, spark: Any) -> None:
    table, function = made(told(server, "SELECT * FROM rows_of(1)"))
    assert table.startswith("CREATE TABLE `default`.`files` (`a` INT) USING parquet")
    assert "RETURNS TABLE (`a` INT)" in function


def test_what_is_known_is_not_told_again_until_it_is_dropped(server: ConnectServer, spark: Any) -> None:
    shown = TableViews(server.shared.catalogs, True, own=True)
    spark.sql("CREATE FUNCTION passing(x INT) RETURNS INT RETURN x").collect()
    assert made(told(server, "SELECT passing(1)", shown))
    assert not made(told(server, "SELECT passing(1)", shown))
    spark.sql("DROP FUNCTION passing").collect()
    assert told(server, "SELECT passing(1)", shown) == ["DROP FUNCTION IF EXISTS `default`.`passing`"]


def test_a_table_with_partitions_is_one_only_for_those_who_ask(server: ConnectServer, spark: Any) -> None:
    shown = TableViews(server.shared.catalogs, True, own=True)
    assert any(each.startswith("CREATE OR REPLACE VIEW") for each in told(server, "SELECT * FROM parts", shown))
    asked = told(server, "DESCRIBE parts PARTITION (p = 2)", shown)
    assert any(each.startswith("CREATE TABLE `default`.`parts` (") for each in asked)
    assert "ALTER TABLE `default`.`parts` ADD PARTITION (`p` = '2')" in asked
    again = told(server, "SELECT * FROM parts", shown)
    assert again[0] == "DROP TABLE IF EXISTS `default`.`parts`"


def test_a_spark_of_others_gets_views_of_files(server: ConnectServer, spark: Any) -> None:
    shown = TableViews(server.shared.catalogs, True)
    assert any(each.startswith("CREATE OR REPLACE VIEW") for each in told(server, "SELECT * FROM files", shown))


def test_who_lists_functions_is_told_of_all(server: ConnectServer, spark: Any) -> None:
    functions = ("inner_one", "outer_one", "rows_of")
    listed = made(told(server, "SHOW USER FUNCTIONS LIKE 'o*'"))
    assert all(any(f"FUNCTION `default`.`{name}`" in each for each in listed) for name in functions)
    request = base_pb2.ExecutePlanRequest()
    assert not Identifiers.of(request).lists_functions
    request.plan.root.catalog.list_functions.SetInParent()
    assert Identifiers.of(request).lists_functions


def test_what_analyze_counted_is_counted_there_when_somebody_asks(server: ConnectServer, spark: Any) -> None:
    spark.sql("ANALYZE TABLE files COMPUTE STATISTICS FOR ALL COLUMNS").collect()
    counting = "ANALYZE TABLE `default`.`files` COMPUTE STATISTICS FOR COLUMNS `a`"
    assert counting in told(server, "EXPLAIN COST SELECT * FROM files")
    assert counting not in told(server, "SELECT * FROM files")


def test_a_view_that_evolves_does_so_there(server: ConnectServer, spark: Any) -> None:
    spark.sql("CREATE VIEW evolving WITH SCHEMA EVOLUTION AS SELECT * FROM files").collect()
    (shown,) = [each for each in told(server, "SELECT * FROM evolving") if "VIEW" in each]
    assert shown == "CREATE OR REPLACE VIEW `default`.`evolving` WITH SCHEMA EVOLUTION AS SELECT * FROM files"
