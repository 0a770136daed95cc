"""Commands answered here, then plans that need Spark: it has to know what the session became."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.spark
ON_SPARK = "java_method('java.lang.Math', 'abs', 1) = '0'"  # only Spark calls Java


def engine(spark: Any) -> str:
    return str(json.loads(spark.conf.get("twinspark.lastOperation"))["engine"])


def rows(spark: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in spark.sql(text).collect()]


def test_functions_variables_and_views_reach_spark(spark: Any) -> None:
    spark.sql("CREATE TEMP VIEW ones AS SELECT 1 AS a")
    spark.sql("CREATE TEMPORARY FUNCTION next(x INT) RETURNS INT RETURN x + 1")
    spark.sql("DECLARE VARIABLE seven INT DEFAULT 6")
    spark.sql("SET VAR seven = seven + 1")
    assert rows(spark, "SELECT next(a), seven FROM ones") == [(2, 7)]
    assert engine(spark) == "duckdb"
    assert rows(spark, f"SELECT next(a), seven, {ON_SPARK} FROM ones") == [(2, 7, False)]
    assert engine(spark) == "spark"


def test_the_current_database_is_spark_s_too(spark: Any) -> None:
    spark.sql("CREATE DATABASE both_engines")
    spark.sql("USE both_engines")
    assert rows(spark, f"SELECT current_database(), {ON_SPARK}") == [("both_engines", False)]
    spark.sql("USE default")
    spark.sql("DROP DATABASE both_engines")


def test_what_spark_made_is_asked_of_spark(spark: Any) -> None:
    spark.sql("DECLARE VARIABLE pair = named_struct('x', 1)")
    assert rows(spark, "SELECT pair.x") == [(1,)]
    spark.sql("CREATE TEMPORARY FUNCTION pairs(x INT) RETURNS TABLE (y INT) RETURN SELECT x")
    assert rows(spark, "SELECT * FROM pairs(3)") == [(3,)]


def test_checkpoints_go_along(spark: Any) -> None:
    kept = spark.range(5).selectExpr("id * 2 AS twice").localCheckpoint()
    assert kept.where("twice > 2").count() == 3
    assert kept.where("twice > 2").selectExpr(f"{ON_SPARK} AS no").count() == 3
