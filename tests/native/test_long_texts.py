"""Texts of a result are handed to DuckDB together: none may be cut, lost or mixed up, however long they are."""

import duckdb
import pytest

from twinspark.duck.run import connect

LENGTHS = {
    "short and long in turns": "i % 30",
    "just inside a string and just behind it": "12 + i % 2",
    "more than is kept waiting": "1000 * (i % 7)",
    "one that is longer than all that may wait": "if(i = 1000, 3000000, i % 20)",
}


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return connect()


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
def test_texts_arrive_whole(connection: duckdb.DuckDBPyConnection, length: str) -> None:
    counted = connection.execute(
        "SELECT count(*), count(spark_upper(s)), count(*) FILTER (spark_upper(s) IS DISTINCT FROM upper(s)),"
        " count(*) FILTER (spark_reverse(s) IS DISTINCT FROM reverse(s))"
        f" FROM (SELECT if(i % 11 = 0, NULL, rpad('a' || i, ({length})::INT, 'xyz')) AS s"
        " FROM range(5000) AS r(i))"
    ).fetchone()
    assert counted == (5000, 5000 - 455, 0, 0)
