"""An unchanged PySpark client whose plans run on the Spark behind the door."""

from typing import Any

import pytest
from pyspark.errors import AnalysisException, ArithmeticException
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def on_spark(spark: Any) -> None:
    spark.conf.set("twinspark.engine", "spark")


def test_rows_come_back(spark: Any) -> None:
    assert [row.id for row in spark.range(5).collect()] == [0, 1, 2, 3, 4]


def test_temp_view_and_sql(spark: Any) -> None:
    spark.range(3).createOrReplaceTempView("three")
    assert spark.sql("select sum(id) as s from three").collect()[0].s == 3


def test_python_function(spark: Any) -> None:
    plus_one = F.udf(lambda x: x + 1, LongType())
    assert [row[0] for row in spark.range(2).select(plus_one("id")).collect()] == [1, 2]


def test_analysis_error_is_sparks_own(spark: Any) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql("select nope from range(1)").collect()
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert caught.value.getSqlState() == "42703"


def test_runtime_error_is_sparks_own(spark: Any) -> None:
    with pytest.raises(ArithmeticException) as caught:
        spark.range(1).selectExpr("1 / id").collect()
    assert caught.value.getCondition() == "DIVIDE_BY_ZERO"
    assert caught.value.getQueryContext()[0].fragment() == "1 / id"


def test_large_result_streams(spark: Any) -> None:
    assert spark.range(300_000).select("id", F.lit("x" * 40)).toArrow().num_rows == 300_000
