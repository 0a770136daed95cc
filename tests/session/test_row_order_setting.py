"""`twinspark.rowOrder`: with `engine` rows come as DuckDB gives them; whatever Spark promises still holds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.operations.explain import Explanation, explain_text
from twinspark.sessions.settings import Settings

KEY = "twinspark.rowOrder"
GROUPS = "select id % 7 k, sum(id / 3) s from range(1000) group by 1"
TIES = "select id from range(100) order by id % 3"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    warehouse = str(tmp_path_factory.mktemp("order"))
    server = ConnectServer(Settings(engine="duckdb", spark_master="local[4]", warehouse=warehouse))
    yield server
    server.stop()


@pytest.fixture
def spark(server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


def explained(server: ConnectServer, spark: Any, text: str) -> Explanation:
    session = next(each for each in server.sessions.all() if each.session_id == spark.session_id)
    return explain_text(session, text)


def passes(server: ConnectServer, spark: Any, text: str) -> list[str]:
    return [step.name for step in explained(server, spark, text).compiled[0].steps]


def rows(spark: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in spark.sql(text).collect()]


def test_spark_is_the_default(server: ConnectServer, spark: Any) -> None:
    assert spark.conf.get(KEY) == "spark"
    assert "follow_spark_order" in passes(server, spark, GROUPS)


@pytest.mark.parametrize("text", [GROUPS, TIES, "select distinct id % 5 x from range(99)", "select 1 union select 2"])
def test_engine_leaves_the_emulation_out(server: ConnectServer, spark: Any, text: str) -> None:
    before = rows(spark, text)
    spark.conf.set(KEY, "engine")
    assert "follow_spark_order" not in passes(server, spark, text)
    assert [round(sum(map(float, row)), 6) for row in sorted(rows(spark, text))] == [
        round(sum(map(float, row)), 6) for row in sorted(before)
    ]


def test_plans_are_cached_for_each_value(spark: Any) -> None:
    """The same text again, after the setting has changed and changed back."""
    first = rows(spark, GROUPS)
    spark.sql(f"SET {KEY} = engine")
    assert sorted(row[0] for row in rows(spark, GROUPS)) == list(range(7))
    spark.sql(f"RESET {KEY}")
    assert rows(spark, GROUPS) == first


def test_orders_that_a_query_gives_hold(spark: Any) -> None:
    spark.conf.set(KEY, "engine")
    assert [row[0] % 3 for row in rows(spark, TIES)] == sorted(i % 3 for i in range(100))
    lists = "select collect_list(id) from (select id from range(50) order by id desc)"
    assert rows(spark, lists) == [(list(range(49, -1, -1)),)]
    numbers = "select id, row_number() over (order by id desc) n from range(9) order by id"
    assert rows(spark, numbers) == [(i, 9 - i) for i in range(9)]


@pytest.mark.parametrize(
    "text",
    [
        "select id, rand(7) from range(20)",
        "select id, spark_partition_id() p, monotonically_increasing_id() m from range(20)",
    ],
)
def test_seeded_and_partition_functions_stay_sparks(spark: Any, text: str) -> None:
    before = sorted(rows(spark, text))
    spark.conf.set(KEY, "engine")
    assert sorted(rows(spark, text)) == before


def test_samples_stay_sparks(spark: Any) -> None:
    before = sorted(spark.range(100).sample(fraction=0.3, seed=3).collect())
    spark.conf.set(KEY, "engine")
    assert sorted(spark.range(100).sample(fraction=0.3, seed=3).collect()) == before


def test_bytes_of_sketches_fall_back(spark: Any) -> None:
    spark.conf.set(KEY, "engine")
    with pytest.raises(PySparkException):
        rows(spark, "select kll_sketch_agg_bigint(id) from range(1000)")
    assert json.loads(spark.conf.get("twinspark.lastOperation"))["code"] == "PARTITIONS"


def test_writes_are_one_file(spark: Any, tmp_path: Path) -> None:
    spark.range(8).write.parquet(str(tmp_path / "tasks"))
    spark.conf.set(KEY, "engine")
    spark.range(8).write.parquet(str(tmp_path / "one"))
    assert len(list((tmp_path / "tasks").glob("*.parquet"))) == 4
    assert len(list((tmp_path / "one").glob("*.parquet"))) == 1
    assert sorted(row[0] for row in spark.read.parquet(str(tmp_path / "one")).collect()) == list(range(8))


@pytest.mark.parametrize("value", ["Spark", "duckdb", ""])
def test_other_values_are_rejected(spark: Any, value: str) -> None:
    with pytest.raises(PySparkException) as raised:
        spark.conf.set(KEY, value)
    assert raised.value.getCondition() == "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS"
    assert raised.value.getMessageParameters()["confOptions"] == "spark, engine"


def test_an_operator_fixes_it(tmp_path: Path) -> None:
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path), spark_config=((KEY, "engine"),)))
    spark = SparkSession.builder.remote(server.url).create()
    assert spark.conf.get(KEY) == "engine"
    with pytest.raises(PySparkException, match="CANNOT_MODIFY_STATIC_CONFIG"):
        spark.conf.set(KEY, "spark")
    spark.stop()
    server.stop()
    with pytest.raises(ValueError, match="rowOrder is one of spark, engine, not 'x'"):
        Settings(spark_config=((KEY, "x"),))
