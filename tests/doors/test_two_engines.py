"""One session, two engines: what is set, made or registered on one side is known on the other."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType
from waiting import until

from twinspark.doors.connect.server import ConnectServer

pytestmark = pytest.mark.spark


def on(session: Any, engine: str) -> Any:
    session.conf.set("twinspark.engine", engine)
    return session


def last(session: Any) -> dict[str, Any]:
    return dict(json.loads(session.conf.get("twinspark.lastOperation")))


def test_a_native_plan_stays_native_and_another_goes_to_spark(spark: Any) -> None:
    assert spark.range(3).count() == 3
    assert last(spark)["engine"] == "duckdb"
    absolute = F.java_method(F.lit("java.lang.Math"), F.lit("abs"), -F.col("id"))
    assert [row[0] for row in spark.range(2).select(absolute).collect()] == ["0", "1"]
    told = last(spark)
    assert told["engine"] == "spark" and told["reason"]


def test_views_and_settings_cross_over(spark: Any) -> None:
    on(spark, "duckdb")
    spark.range(7).createOrReplaceTempView("seven")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.conf.set("my.own", "x")
    on(spark, "spark")
    assert spark.table("seven").count() == 7
    assert spark.sql("select current_timezone() as z").collect()[0].z == "Asia/Tokyo"
    assert [row.value for row in spark.sql("set my.own").collect()] == ["x"]


def test_settings_made_by_sql_on_spark_come_back(spark: Any) -> None:
    on(spark, "spark").sql("set spark.sql.session.timeZone = Europe/Paris")
    assert spark.conf.get("spark.sql.session.timeZone") == "Europe/Paris"
    spark.sql("reset spark.sql.session.timeZone")
    assert spark.conf.get("spark.sql.session.timeZone") != "Europe/Paris"
    assert spark.conf.get("twinspark.engine") == "spark"


def test_a_view_made_on_spark_hides_ours(spark: Any) -> None:
    on(spark, "auto")
    spark.range(1).createOrReplaceTempView("v")
    on(spark, "spark").sql("create or replace temp view v as select id from range(5)")
    on(spark, "auto")
    assert spark.table("v").count() == 5
    spark.range(2).createOrReplaceTempView("v")
    assert spark.table("v").count() == 2
    on(spark, "spark")
    assert spark.table("v").count() == 2


def test_a_dropped_view_is_gone_on_both_sides(spark: Any) -> None:
    on(spark, "auto")
    spark.range(1).createOrReplaceTempView("gone")
    spark.catalog.dropTempView("gone")
    for engine in ("auto", "spark"):
        with pytest.raises(AnalysisException) as caught:
            on(spark, engine).table("gone").collect()
        assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"


def test_drop_table_drops_a_view_too(spark: Any) -> None:
    on(spark, "auto").range(1).createOrReplaceTempView("no_table")
    spark.sql("drop table no_table")
    with pytest.raises(AnalysisException) as caught:
        spark.table("no_table").collect()
    assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"


def test_global_views_cross_sessions_and_engines(auto_server: ConnectServer, spark: Any) -> None:
    spark.range(6).createOrReplaceGlobalTempView("shared_six")
    other = SparkSession.builder.remote(auto_server.url).create()
    assert on(other, "spark").table("global_temp.shared_six").count() == 6
    other.stop()


def test_rows_uploaded_once_are_known_to_both(spark: Any) -> None:
    spark.conf.set("spark.sql.session.localRelationCacheThreshold", "1000")
    rows = [(number, "x" * 50) for number in range(20_000)]
    frame = spark.createDataFrame(rows, "n long, s string")
    assert on(spark, "auto").createDataFrame(rows, "n long, s string").count() == 20_000
    assert (
        on(spark, "spark").createDataFrame(rows, "n long, s string").selectExpr("sum(n)").collect()[0][0] == 199990000
    )
    assert frame.count() == 20_000


def test_registered_functions_and_artifacts_reach_spark(spark: Any, tmp_path: Any) -> None:
    module = tmp_path / "helper_of_mine.py"
    module.write_text("def triple(x):\n    return 3 * x\n")
    on(spark, "auto").addArtifact(str(module), pyfile=True)

    def call(x: int) -> int:
        import helper_of_mine  # type: ignore[import-not-found]

        return int(helper_of_mine.triple(x))

    spark.udf.register("triple", call, LongType())
    for engine in ("auto", "spark"):
        assert [row[0] for row in on(spark, engine).sql("select triple(id) from range(3)").collect()] == [0, 3, 6]


def test_a_clone_starts_alike_and_then_goes_its_own_way(spark: Any) -> None:
    on(spark, "auto").range(4).createOrReplaceTempView("four")
    on(spark, "spark").sql("create temp view only_there as select 42 as a")
    twin = spark.cloneSession()
    assert twin.table("only_there").collect()[0].a == 42
    assert twin.table("four").count() == 4
    twin.range(1).createOrReplaceTempView("four")
    assert spark.table("four").count() == 4


def test_interrupt_reaches_spark(spark: Any, tmp_path: Path) -> None:
    failures: list[str] = []
    begun = tmp_path / "begun"
    assert on(spark, "spark").range(3).count() == 3  # a JVM may take a minute to start
    sleepy = F.udf(lambda x: begun.touch() or time.sleep(600), LongType())
    frame = spark.range(10).select(sleepy("id"))

    def run() -> None:
        try:
            frame.collect()
        except PySparkException as error:
            failures.append(error.getCondition() or str(error))

    thread = threading.Thread(target=run)
    thread.start()
    assert until(begun.exists)
    assert len(spark.interruptAll()) == 1
    thread.join(60)
    assert failures == ["OPERATION_CANCELED"]
    assert on(spark, "spark").range(3).count() == 3


def test_killing_spark_hurts_nobody_for_long(auto_server: ConnectServer, spark: Any) -> None:
    on(spark, "auto").range(9).createOrReplaceTempView("nine")
    on(spark, "spark").sql("create or replace temp view ten as select * from nine union all select 9")
    assert spark.table("ten").count() == 10
    assert auto_server.spark.pid
    os.kill(auto_server.spark.pid, signal.SIGKILL)
    assert on(spark, "auto").table("nine").count() == 9
    assert last(spark)["engine"] == "duckdb"
    assert on(spark, "spark").table("ten").count() == 10
