"""An unchanged PySpark client on the embedded engine: the protocol end to end, without a JVM."""

import json
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas
import pytest
from pyspark.errors import AnalysisException, ArithmeticException, PySparkException, UnsupportedOperationException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType
from waiting import until

from twinspark.doors.connect.server import ConnectServer
from twinspark.operations import native_operation
from twinspark.sessions.settings import Settings

# Minutes of work for DuckDB, and no memory to speak of.
LONG_QUERY = "select count(*) from range(100000000000) where id % 7 = id % 11 and id % 13 = id % 17"


def test_rows_schema_and_types(duck: Any) -> None:
    frame = duck.createDataFrame([(1, "a"), (2, None)], "x bigint, y string")
    assert [tuple(row) for row in frame.collect()] == [(1, "a"), (2, None)]
    assert frame.schema == StructType([StructField("x", LongType()), StructField("y", StringType())])


def test_unsigned_numbers_of_pandas_are_refused_as_by_spark(duck: Any) -> None:
    frame = duck.createDataFrame(pandas.DataFrame({"u": pandas.Series([1, 2], dtype="uint8")}))
    with pytest.raises(UnsupportedOperationException, match=r"UNSUPPORTED_ARROWTYPE.*Int\(8, false\)"):
        frame.collect()


def test_an_empty_result_has_its_schema(duck: Any) -> None:
    table = duck.range(10).filter("id > 100").toArrow()
    assert (table.num_rows, table.schema.names) == (0, ["id"])


def test_sql_runs_once_and_sees_views(duck: Any) -> None:
    duck.range(10).createOrReplaceTempView("ten")
    assert duck.sql("select sum(id) as s from ten where id > :least", args={"least": 4}).collect()[0].s == 35


def test_a_view_keeps_the_meaning_it_had(duck: Any) -> None:
    duck.range(3).createOrReplaceTempView("a")
    duck.sql("select * from a").createOrReplaceTempView("b")
    duck.range(5).createOrReplaceTempView("a")
    assert (duck.table("a").count(), duck.table("b").count()) == (5, 3)


def test_a_view_made_by_sql_reads_names_anew(duck: Any) -> None:
    """Spark keeps a SQL view's text: unlike a DataFrame's view it follows what its tables become."""
    duck.range(3).createOrReplaceTempView("a")
    assert duck.sql("create or replace temp view b as select id from a").collect() == []
    duck.range(5).createOrReplaceTempView("a")
    assert duck.table("b").count() == 5
    duck.sql("drop view b")
    with pytest.raises(PySparkException):
        duck.table("b").count()


def test_settings_by_sql(duck: Any) -> None:
    assert [tuple(row) for row in duck.sql("set spark.sql.session.timeZone = Asia/Tokyo").collect()] == [
        ("spark.sql.session.timeZone", "Asia/Tokyo")
    ]
    assert duck.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert duck.sql("set nope.nope").collect()[0].value == "<undefined>"
    duck.sql("reset spark.sql.session.timeZone")
    assert duck.conf.get("spark.sql.session.timeZone") != "Asia/Tokyo"
    with pytest.raises(AnalysisException, match="CANNOT_MODIFY_STATIC_CONFIG"):
        duck.sql("set spark.sql.warehouse.dir = /x")


def test_sessions_do_not_see_each_others_views_but_global_ones(duck_server: ConnectServer, duck: Any) -> None:
    other = SparkSession.builder.remote(duck_server.url).create()
    duck.range(1).createOrReplaceTempView("mine")
    duck.range(4).createOrReplaceGlobalTempView("everyones")
    with pytest.raises(PySparkException):
        other.table("mine").collect()
    assert other.table("global_temp.everyones").count() == 4
    other.stop()


def test_creating_a_view_twice_is_refused(duck: Any) -> None:
    duck.range(1).createTempView("once")
    with pytest.raises(AnalysisException) as caught:
        duck.range(1).createTempView("once")
    assert caught.value.getCondition() == "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"


def test_errors_are_sparks_own(duck: Any) -> None:
    with pytest.raises(AnalysisException) as caught:
        duck.range(1).select("nope").collect()
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert caught.value.getMessageParameters()["objectName"] == "`nope`"
    with pytest.raises(ArithmeticException) as failed:
        duck.sql("select 1 / id from range(1)").collect()
    assert (failed.value.getCondition(), failed.value.getSqlState()) == ("DIVIDE_BY_ZERO", "22012")


def test_what_is_not_native_is_named(duck: Any) -> None:
    with pytest.raises(UnsupportedOperationException, match=r"twinspark\.engine=duckdb"):
        duck.readStream.format("rate").load().writeStream.format("console").start()


def test_a_stream_where_spark_rejects_it_is_not_native(duck: Any) -> None:
    stream, batch = duck.readStream.format("rate").load(), duck.range(1)
    assert stream.select("value").schema.simpleString() == "struct<value:bigint>"
    nearest = batch.nearestByJoin(
        stream, F.abs(batch.id - stream.value), numResults=1, mode="exact", direction="distance"
    )
    for rejected in (nearest, batch.where(F.col("id").isin(stream.select("value")))):
        with pytest.raises(UnsupportedOperationException, match="STREAMING"):
            _ = rejected.schema


def test_a_constant_null_in_a_query_is_folded_by_spark_alone(duck: Any) -> None:
    """A null of a column gives false, a constant null gives NULL (RewritePredicateSubquery, NullPropagation)."""
    nulls = "(select cast(id as int) id, if(id > 0, id, null) as a, cast(null as int) as b from range(2))"
    assert duck.sql(f"select a in (select id from range(3)) from {nulls}").collect() == [(False,), (True,)]
    with pytest.raises(UnsupportedOperationException, match="always NULL"):
        duck.sql(f"select b in (select id from range(3)) from {nulls}").collect()


def test_nearest_by_joins_need_cross_joins(duck: Any) -> None:
    batch, other = duck.range(1), duck.range(2)
    duck.conf.set("spark.sql.crossJoin.enabled", "false")
    joined = batch.nearestByJoin(other, batch.id - other.id, numResults=1, mode="exact", direction="distance")
    with pytest.raises(UnsupportedOperationException, match="crossJoin"):
        _ = joined.schema


def test_the_engine_and_the_reason_are_told(duck: Any) -> None:
    duck.range(2).collect()
    told = json.loads(duck.conf.get("twinspark.lastOperation"))
    assert (told["engine"], told["outcome"]) == ("duckdb", "SUCCEEDED")


def test_counters_are_served(duck_server: ConnectServer, duck: Any) -> None:
    duck.range(2).collect()
    page = urllib.request.urlopen(f"http://127.0.0.1:{duck_server.metrics.server_port}/metrics").read().decode()
    assert 'twinspark_operations_total{engine="duckdb",reason="NATIVE"}' in page


def test_files_written_are_read_back(duck: Any, tmp_path: Any) -> None:
    rows = duck.range(0, 100, 1, 2).selectExpr("id", "id % 3 as g")
    rows.write.partitionBy("g").parquet(str(tmp_path / "t"))
    back = duck.read.parquet(str(tmp_path / "t"))
    assert back.count() == 100
    assert sorted(back.columns) == ["g", "id"]
    assert len(back.inputFiles()) == 6  # of two tasks, in three directories


def test_interrupt_stops_a_running_query_at_once(duck: Any) -> None:
    outcome: list[Any] = []

    def run() -> None:
        try:
            duck.sql(LONG_QUERY).collect()
        except PySparkException as error:
            outcome.append(error.getCondition())

    thread = threading.Thread(target=run)
    thread.start()
    assert len(until(duck.interruptAll)) == 1
    thread.join(60)
    assert outcome == ["OPERATION_CANCELED"]


def test_interrupt_by_tag_leaves_others_alone(duck: Any) -> None:
    failures: list[str] = []

    def run() -> None:
        duck.addTag("slow")
        try:
            duck.sql(LONG_QUERY).collect()
        except PySparkException as error:
            failures.append(error.getCondition() or "")

    thread = threading.Thread(target=run)
    thread.start()
    assert len(until(lambda: duck.interruptTag("slow") if not duck.interruptTag("other") else ["both"] * 2)) == 1
    thread.join(60)
    assert failures == ["OPERATION_CANCELED"]


def test_progress_is_reported(duck: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_operation, "PROGRESS_SECONDS", 0.1)
    seen: list[Any] = []
    duck.registerProgressHandler(lambda stages, inflight_tasks, operation_id, done: seen.append((stages, done)))
    with ThreadPoolExecutor(1) as client:
        answer = client.submit(duck.sql(LONG_QUERY).collect)
        assert until(lambda: any(stages and stages[0].num_tasks == 100 for stages, _ in list(seen)))
        duck.interruptAll()
        assert isinstance(answer.exception(), PySparkException)


def test_a_thousand_levels(duck: Any) -> None:
    frame = duck.range(1)
    for _ in range(1000):
        frame = frame.filter("id >= 0")
    assert frame.count() == 1


def test_a_token_is_asked_for() -> None:
    server = ConnectServer(Settings(engine="duckdb", token="secret-key"))
    try:
        session = SparkSession.builder.remote(server.url).create()
        session.client.set_retry_policies([])  # or it keeps knocking for ten minutes after the server is gone
        with pytest.raises(PySparkException, match="Invalid authentication token"):
            session.range(1).collect()
    finally:
        server.stop()


def test_a_constant_that_fails_is_an_error_without_a_row(duck: Any) -> None:
    """Spark folds constants while it plans; where a row meets it the error is ours, where none does it is Spark's."""
    none = duck.range(5).filter("id > 10")
    with pytest.raises(UnsupportedOperationException, match="a constant expression fails"):
        none.selectExpr("1/0").collect()
    with pytest.raises(ArithmeticException, match="DIVIDE_BY_ZERO"):
        duck.range(5).selectExpr("1/0").collect()
    assert none.selectExpr("1/2", "cast('2020-01-01' as date)", "if(id > 0, 1/0, 2)").collect() == []


def test_a_schema_as_ddl(duck: Any) -> None:
    """As recorded from Spark: names are quoted where they have to be, types inside of others have colons."""
    from pyspark.sql.types import ArrayType, DecimalType, IntegerType, StructType, TimeType

    inner = StructType().add("x y", IntegerType(), False).add("z", TimeType())
    schema = StructType().add("a-b", ArrayType(inner)).add("c", DecimalType(5, 2), False)
    told = duck._client._analyze(method="json_to_ddl", json_string=schema.json()).ddl_string
    assert told == "`a-b` ARRAY<STRUCT<`x y`: INT NOT NULL, z: TIME(6)>>,c DECIMAL(5,2) NOT NULL"
