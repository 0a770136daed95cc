"""Settings under which Spark answers otherwise than we know to: what they touch is not answered here."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException

import twinspark

# Spark 4.2.1 answers each of these otherwise than without the setting.
OTHERWISE = [
    ("spark.sql.legacy.exponentLiteralAsDecimal.enabled", "true", "select 1e3"),
    ("spark.sql.legacy.disableMapKeyNormalization", "true", "select map(-0.0D, 1, 0.0D, 2)"),
    ("spark.sql.legacy.fromDayTimeString.enabled", "true", "select interval '1 2:3' day to second"),
    ("spark.sql.preserveCharVarcharTypeInfo", "true", "select cast('abc' as varchar(2))"),
    ("spark.sql.scripting.enabled", "false", "begin select 1; end"),
    ("spark.sql.legacy.keepCommandOutputSchema", "true", "show tables like 'nosuch'"),
    ("spark.sql.legacy.keepCommandOutputSchema", "true", "show databases like 'nosuch'"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    session = twinspark.session(engine="duckdb")
    yield session
    session.stop()


@pytest.mark.parametrize(("key", "value", "text"), OTHERWISE)
def test_what_they_touch_is_left_to_spark(spark: Any, key: str, value: str, text: str) -> None:
    spark.conf.set(key, value)
    try:
        with pytest.raises(PySparkException, match="TWINSPARK_NOT_NATIVE"):
            spark.sql(text).collect()
    finally:
        spark.conf.unset(key)
    if "1 2:3" not in text and "map(" not in text:  # errors without the setting
        spark.sql(text).collect()
