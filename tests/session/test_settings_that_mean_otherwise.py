"""Settings under which Spark answers otherwise than we know to: what they touch is not answered here."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import ParseException, PySparkException

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


MOMENTS = (
    "select cast(timestamp'2020-07-01 00:00:00Z' as string), hour(timestamp'2020-01-01 00:00:00Z'), current_timezone()"
)
# What Spark 4.2.1 answers in these time zones.
IN_ZONES = {
    "PST": ("2020-06-30 17:00:00", 16, "PST"),
    "CST": ("2020-06-30 19:00:00", 18, "CST"),
    "AST": ("2020-06-30 16:00:00", 15, "AST"),
    "ECT": ("2020-07-01 02:00:00", 1, "ECT"),
    "IST": ("2020-07-01 05:30:00", 5, "IST"),
    "EST": ("2020-06-30 19:00:00", 19, "EST"),
    "VST": ("2020-07-01 07:00:00", 7, "VST"),
}


@pytest.mark.parametrize("zone", IN_ZONES)
def test_the_short_names_of_time_zones_are_java_s(spark: Any, zone: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        assert tuple(spark.sql(MOMENTS).collect()[0]) == IN_ZONES[zone]
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_parameters_of_a_lambda_function_may_differ_in_letter_case_alone(spark: Any) -> None:
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert spark.sql("select transform(array(7), (x, X) -> x), transform(array(7), (x, X) -> X)").collect() == [
            ([7], [0])
        ]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("zone", ["SystemV/PST8", "SystemV/PST8PDT"])
def test_zones_that_only_java_has_are_valid(spark: Any, zone: str) -> None:
    """Their rules are in Java's data only, so that what needs them falls back."""
    spark.conf.set("spark.sql.session.timeZone", zone)
    with pytest.raises(PySparkException) as caught:
        spark.sql("select cast(timestamp'2020-07-01 00:00:00Z' as string)").collect()
    assert caught.value.getCondition() == "TWINSPARK_NOT_NATIVE"
    spark.conf.unset("spark.sql.session.timeZone")
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"select cast('2020-07-01 00:00:00 {zone}' as timestamp)").collect()
    assert caught.value.getCondition() == "TWINSPARK_NOT_NATIVE"


@pytest.mark.parametrize("statement", ["REFRESH FUNCTION abc def", "REFRESH a b", "REFRESH"])
def test_unquoted_paths_have_no_blanks(spark: Any, statement: str) -> None:
    with pytest.raises(ParseException) as caught:
        spark.sql(statement)
    assert caught.value.getCondition() == "_LEGACY_ERROR_TEMP_0064"
