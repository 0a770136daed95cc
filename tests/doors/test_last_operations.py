"""What a session reports of its operations, by the configuration keys that clients read."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import twinspark

LAST, HISTORY = "twinspark.lastOperation", "twinspark.lastOperations"
STACKTRACE = "spark.sql.connect.serverStacktrace.enabled"


@pytest.fixture
def spark() -> Iterator[Any]:
    session = twinspark.session(engine="duckdb", new=True)
    yield session
    session.stop()


def test_with_and_without_a_default(spark: Any) -> None:
    assert spark.conf.get(LAST) == "" and spark.conf.get(LAST, "-") == "-" and spark.conf.get(HISTORY) == "[]"
    spark.range(3).collect()
    assert json.loads(spark.conf.get(LAST, "-"))["engine"] == "duckdb"
    assert spark.conf.get(LAST, "-") == spark.conf.get(LAST)


def test_a_failed_analysis_is_the_last_operation(spark: Any) -> None:
    spark.range(3).collect()
    with pytest.raises(AnalysisException):
        spark.sql("select nosuch").collect()
    assert json.loads(spark.conf.get(LAST))["outcome"] == "FAILED"
    outcomes = [each["outcome"] for each in json.loads(spark.conf.get(HISTORY))]
    assert outcomes == ["SUCCEEDED", "FAILED"]


def test_the_history_is_bounded(spark: Any) -> None:
    for _ in range(105):
        spark.range(1).collect()
    assert len(json.loads(spark.conf.get(HISTORY))) == 100


def test_set_lists_the_engine(spark: Any) -> None:
    assert ("twinspark.engine", "duckdb") in [tuple(row) for row in spark.sql("SET").collect()]


def test_an_error_of_the_native_engine_has_no_heading_of_a_jvm(spark: Any) -> None:
    assert spark.conf.get(STACKTRACE) == "true"
    with pytest.raises(AnalysisException) as failed:
        spark.sql("select nosuch").collect()
    assert "JVM stacktrace" not in str(failed.value)
    spark.conf.set(STACKTRACE, "true")
    with pytest.raises(AnalysisException) as failed:
        spark.sql("select nosuch").collect()
    assert "JVM stacktrace" in str(failed.value)
