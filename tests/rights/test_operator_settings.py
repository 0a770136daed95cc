"""What the operator fixed with the server, a client cannot lift: engine, settings, code, writes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.relay.engine import NoSparkEngine
from twinspark.relay.engines import spark_engine
from twinspark.sessions.settings import Settings

Open = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """A server with these settings, and a client of it."""
    running: list[tuple[Any, ConnectServer]] = []

    def start(**options: Any) -> Any:
        server = ConnectServer(Settings(warehouse=str(tmp_path / "warehouse"), **options))
        running.append((SparkSession.builder.remote(server.url).create(), server))
        return running[-1][0]

    yield start
    for session, server in running:
        session.stop()
        server.stop()


def condition(run: Callable[[], Any]) -> str | None:
    with pytest.raises(PySparkException) as caught:
        run()
    return caught.value.getCondition()


@pytest.mark.parametrize("how", ["conf", "SQL", "option"])
def test_a_server_of_duckdb_never_starts_a_jvm(opened: Open, how: str) -> None:
    spark = opened(engine="duckdb")
    refused = "CANNOT_MODIFY_STATIC_CONFIG"
    if how == "conf":
        assert condition(lambda: spark.conf.set("twinspark.engine", "auto")) == refused
        assert condition(lambda: spark.conf.unset("twinspark.engine")) == refused
    elif how == "SQL":
        assert condition(lambda: spark.sql("SET twinspark.engine = spark")) == refused
    spark.conf.set("twinspark.engine", "duckdb")  # lifts nothing
    called = "SELECT java_method('java.lang.System', 'getenv', 'HOME')"
    assert condition(lambda: spark.sql(called).collect()) == "TWINSPARK_NOT_NATIVE"
    assert not spark.conf.isModifiable("twinspark.engine")


def test_without_java_there_is_no_spark_to_ask() -> None:
    assert isinstance(spark_engine(Settings(engine="duckdb")), NoSparkEngine)
    assert isinstance(spark_engine(Settings(java=False)), NoSparkEngine)
    assert isinstance(spark_engine(Settings(engine="duckdb", spark_remote="sc://elsewhere")), NoSparkEngine)
    with pytest.raises(ValueError, match="--no-java"):
        Settings(java=False, engine="spark")
    with pytest.raises(ValueError, match="--no-java"):
        Settings(java=False, spark_remote="sc://elsewhere")


def test_a_server_without_java_stays_native(opened: Open) -> None:
    spark = opened(java=False)
    assert condition(lambda: spark.conf.set("twinspark.engine", "spark")) == "CANNOT_MODIFY_STATIC_CONFIG"
    assert spark.sql("SELECT 1 AS one").collect()[0].one == 1
    called = "SELECT reflect('java.util.UUID', 'randomUUID')"
    assert condition(lambda: spark.sql(called).collect()) == "TWINSPARK_NOT_ALLOWED"
    assert condition(lambda: spark.sql("CREATE FUNCTION f AS 'a.b.C'")) == "TWINSPARK_NOT_ALLOWED"
    assert condition(lambda: spark.range(1).selectExpr("try_reflect('a.B', 'c')").collect()) == "TWINSPARK_NOT_ALLOWED"


def test_the_engine_of_an_auto_server_is_a_session_s_choice(opened: Open) -> None:
    spark = opened()
    spark.conf.set("twinspark.engine", "duckdb")
    assert spark.conf.isModifiable("twinspark.engine")
    assert (
        condition(lambda: spark.conf.set("twinspark.engine", "fastest")) == "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS"
    )


def test_settings_of_ours_that_the_operator_gave_are_fixed(opened: Open) -> None:
    given = (("twinspark.native.maxScanBytes", "1000"), ("twinspark.tables.provider", "parquet"))
    spark = opened(spark_config=given)
    for key, _ in given:
        assert condition(lambda key=key: spark.conf.set(key, "5")) == "CANNOT_MODIFY_STATIC_CONFIG"
        assert condition(lambda key=key: spark.conf.unset(key)) == "CANNOT_MODIFY_STATIC_CONFIG"


@pytest.mark.parametrize("key", ["twinspark.lastOperation", "twinspark.spark.showTables", "twinspark.python.memory"])
def test_settings_of_ours_that_are_the_server_s_are_no_session_s(opened: Open, key: str) -> None:
    spark = opened()
    assert condition(lambda: spark.conf.set(key, "1")) == "CANNOT_MODIFY_STATIC_CONFIG"
    assert condition(lambda: spark.sql(f"SET {key} = 1")) == "CANNOT_MODIFY_STATIC_CONFIG"


def test_without_python_no_function_runs(opened: Open) -> None:
    from pyspark.sql.functions import udf

    spark = opened(engine="duckdb", python=False)
    plus = udf(lambda x: x + 1, "long")
    refused = "TWINSPARK_NOT_ALLOWED"
    assert condition(lambda: spark.range(1).select(plus("id")).collect()) == refused
    assert condition(lambda: spark.udf.register("plus", lambda x: x + 1, "long")) == refused
    assert condition(lambda: spark.range(1).mapInPandas(lambda rows: rows, "id long").collect()) == refused
    assert condition(lambda: spark.range(1).select(plus("id")).schema) == refused
    assert condition(lambda: spark.sql("SELECT TRANSFORM(id) USING 'cat' AS (x) FROM range(1)").collect()) == refused
    assert spark.range(3).count() == 3


WRITES = [
    "CREATE SCHEMA s",
    "DROP SCHEMA IF EXISTS s",
    "ALTER SCHEMA default SET DBPROPERTIES ('a' = 'b')",
    "CREATE TABLE n (x INT)",
    "CREATE TABLE n AS SELECT 1 AS x",
    "DROP TABLE IF EXISTS t",
    "INSERT INTO t VALUES (2)",
    "INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1",
    "DELETE FROM t",
    "UPDATE t SET x = 2",
    "MERGE INTO t USING (SELECT 1 AS x) s ON t.x = s.x WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE t",
    "ALTER TABLE t RENAME TO u",
    "CREATE VIEW v AS SELECT 1 AS x",
    "DROP VIEW IF EXISTS v",
    "CREATE FUNCTION f() RETURNS INT RETURN 1",
    "COMMENT ON TABLE t IS 'x'",
    "ANALYZE TABLE t COMPUTE STATISTICS",
    "MSCK REPAIR TABLE t",
    "CALL spark_catalog.system.expire_snapshots('t')",
    "EXECUTE IMMEDIATE 'DROP TABLE t'",
    "BEGIN SELECT 1; DROP TABLE t; END",
    "WITH q AS (SELECT 1 AS x) INSERT INTO t SELECT * FROM q",
    "FROM range(1) INSERT INTO t SELECT id",
    "ADD JAR '/tmp/x.jar'",
    "LOAD DATA INPATH '/tmp/x' INTO TABLE t",
]
READS = [
    "SELECT * FROM t",
    "SHOW TABLES",
    "DESCRIBE TABLE t",
    "CREATE TEMPORARY VIEW w AS SELECT * FROM t",
    "DROP VIEW w",
    "CREATE OR REPLACE TEMPORARY VIEW w AS SELECT 2 AS x",
    "CREATE TEMPORARY FUNCTION g() RETURNS INT RETURN 1",
    "SELECT g()",
    "DROP TEMPORARY FUNCTION g",
    "DECLARE VARIABLE d INT DEFAULT 1",
    "SET VAR d = 2",
    "SET spark.sql.shuffle.partitions = 3",
    "USE default",
    "CACHE TABLE c AS SELECT 1 AS x",
    "EXPLAIN SELECT 1",
]


@pytest.fixture
def read_only(opened: Open) -> Any:
    opened(engine="duckdb").sql("CREATE TABLE t AS SELECT 1 AS x")
    return opened(engine="duckdb", read_only=True)


def test_a_server_that_only_reads_refuses_every_write(read_only: Any) -> None:
    said = {text: condition(lambda text=text: read_only.sql(text).collect()) for text in WRITES}
    assert said == dict.fromkeys(WRITES, "TWINSPARK_NOT_ALLOWED")
    assert read_only.sql("SELECT * FROM t").collect()[0].x == 1


def test_a_server_that_only_reads_answers_and_keeps_what_is_a_session_s(read_only: Any) -> None:
    for text in READS:
        read_only.sql(text).collect()
    read_only.range(2).createOrReplaceTempView("frame")
    assert read_only.table("frame").count() == 2


def test_a_server_that_only_reads_refuses_frames_that_write(read_only: Any, tmp_path: Path) -> None:
    rows = read_only.range(1)
    attempts = [
        lambda: rows.write.parquet(str(tmp_path / "out")),
        lambda: rows.write.saveAsTable("n"),
        lambda: rows.writeTo("n").create(),
        lambda: rows.write.insertInto("t"),
        lambda: read_only.catalog.createDatabase("s"),
        lambda: read_only.catalog.createTable("n", str(tmp_path / "out"), "parquet"),
    ]
    assert [condition(attempt) for attempt in attempts if attempt is not None] == ["TWINSPARK_NOT_ALLOWED"] * 6
    assert not (tmp_path / "out").exists()
