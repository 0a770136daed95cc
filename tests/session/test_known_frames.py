"""A temporary view is read once where nothing that it reads can change, and again where something may have."""

from typing import Any

import pytest

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture(scope="module")
def server() -> Any:
    running = ConnectServer(Settings(engine="duckdb"))
    yield running
    running.stop()


@pytest.fixture
def spark(server: Any) -> Any:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


def values(spark: Any, text: str) -> list[Any]:
    return [row[0] for row in spark.sql(text).collect()]


def test_a_view_is_read_once(server: Any, spark: Any) -> None:
    spark.sql("select id, id % 7 k from range(10)").createOrReplaceTempView("kept")
    spark.sql("create temporary view text_view as select k + 1 n from kept")
    for times in range(1, 5):
        assert values(spark, f"select sum(k) + {times} from kept") == [24 + times]
        assert values(spark, f"select max(n) + {times} from text_view") == [7 + times]
        assert values(spark, f"select count(*) + {times} from kept a join kept b on a.id = b.id") == [10 + times]
        frame = spark.table("kept")
        assert frame.alias("a").join(frame.alias("b"), "id").filter(f"id >= {times}").count() == 10 - times
    (session,) = [each for each in server.sessions.all() if each.session_id == spark.session_id]
    views = session.services.views.snapshot()
    assert views[("kept",)]._known._known.may_last
    assert views[("text_view",)].known._known.may_last


def test_a_view_that_names_another_sees_it_replaced(spark: Any) -> None:
    spark.sql("create or replace temporary view below as select 1 c")
    spark.sql("create temporary view above as select c * 10 d from below")
    assert [values(spark, f"select d + {n} from above") for n in range(3)] == [[10], [11], [12]]
    spark.sql("create or replace temporary view below as select 2 c")
    assert [values(spark, f"select d + {n} from above") for n in range(3)] == [[20], [21], [22]]


def test_settings_of_the_session_hold(spark: Any) -> None:
    spark.sql("create temporary view zone as select current_timezone() z, current_database() b")
    before = [values(spark, f"select concat(z, '{mark}') from zone") for mark in "!.?"][-1]
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    assert values(spark, "select concat(z, '?') from zone") == ["America/New_York?"] != before


@pytest.mark.parametrize("changing", ["current_timestamp()", "rand()", "uuid()"])
def test_a_view_that_changes_is_read_again(spark: Any, changing: str) -> None:
    spark.sql(f"select {changing} v from range(1)").createOrReplaceTempView("changing")
    assert len({values(spark, f"select v v{n} from changing")[0] for n in range(4)}) == 4


def test_files_are_looked_at_again(spark: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "rows")
    spark.range(3).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("files")
    assert [values(spark, f"select count(*) + {n} from files") for n in range(3)] == [[3], [4], [5]]
    spark.range(2).write.mode("append").parquet(path)
    assert values(spark, "select count(*) + 3 from files") == [8]
