"""Arguments that the SQL writer never passes and that fuzzing found to be dangerous: an error, not a crash."""

from collections.abc import Iterator

import duckdb
import pytest

from twinspark.duck import run

CALLS = {
    "a unit of no time": "spark_time_trunc(v, 0) FROM (VALUES (5::BIGINT)) t(v)",
    "fewer tasks than ranks": "spark_first_turns([1], [3, 2, 1]::INTEGER[], 2)",
    "JSON that is no text": "spark_infer_json([1, 2, 3], '', '_corrupt')",
    "a count-min sketch of doubles": "spark_count_min_sketch(1.5::DOUBLE, 3, 4, 5)",
    "a separator of two bytes": "spark_csv_fields('\"a\"€b', '€', '')",
    "no separator": "spark_csv_fields('a,b', '', '')",
    "rows of JSON that are no structs": "spark_from_json('[1, 2]', 'i', 'r')",
    "rows of JSON in an array of numbers": "spark_from_json('[1, 2]', '[i', 'r')",
    "two precisions in one group": (
        "spark_approx_count_distinct(v, v + 8) FROM (SELECT i::INTEGER % 2 AS v FROM range(2) r(i))"
    ),
}


# Paths that xpath.py does not let through: read to their end and no further, and left to Spark.
PATHS = ["[", "a[", "a[0]", "a[b", "a[b=", "a[b='", "a[b='c'", "a[1", "a[99999999999999999999]", "a/text(", "//[1]", ""]


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with run.connect() as connection:
        yield connection


@pytest.mark.parametrize("name", [name for name in CALLS if name != "two precisions in one group"])
def test_it_is_an_error(database: duckdb.DuckDBPyConnection, name: str) -> None:
    with pytest.raises(duckdb.Error, match="twinspark: "):
        database.execute(f"SELECT {CALLS[name]}").fetchall()
    assert database.execute("SELECT spark_soundex('robert')").fetchall() == [("R163",)]


def test_an_aggregate_with_two_precisions_answers_or_fails(database: duckdb.DuckDBPyConnection) -> None:
    """Whether two states meet depends on DuckDB's threads."""
    try:
        answered = database.execute(f"SELECT {CALLS['two precisions in one group']}").fetchall()
    except duckdb.Error as error:
        assert "two precisions" in str(error)
    else:
        assert answered == [(2,)]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_none(database: duckdb.DuckDBPyConnection, path: str) -> None:
    asked = "SELECT spark_xpath_string('<a><b>c</b><b>d</b></a>', v) FROM (VALUES ($path)) t(v)"
    try:
        assert database.execute(asked, {"path": path}).fetchall() in ([("",)], [(None,)])
    except duckdb.Error as error:
        assert "|FALL_BACK|code=XPATH" in str(error)
