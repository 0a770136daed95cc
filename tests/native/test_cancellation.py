"""A native function stops inside a row once its operation is cancelled; its thread and the next query are untouched."""

import threading
import time
from collections.abc import Iterator

import duckdb
import pytest

from twinspark.duck import native, run

XML = "'<r>' || repeat(repeat('<a>', 400) || repeat('</a>', 400), i) || '</r>'"  # as deep as is read, and wide
DEVIATION = "spark_window_var_pop(x, spark_operation())"
FRAME = "(ORDER BY x ROWS BETWEEN 2000000 PRECEDING AND CURRENT ROW)"
ROWS = "(SELECT CAST(range AS DOUBLE) x FROM range(3000000))"
# Each takes many seconds, all of it inside one row, or one chunk of rows.
LONG = {
    "regex": "SELECT spark_regexp_count(repeat('a', 400000), p) FROM (SELECT 'a{0,90000}@' AS p)",
    "levenshtein": "SELECT spark_levenshtein(repeat('ab', i), repeat('ba', i)) FROM (SELECT 100000 AS i)",
    "like": "SELECT spark_like(repeat('a', 2000000), p, '') FROM (SELECT '%' || repeat('a', 200000) || 'b%' AS p)",
    "xpath": f"SELECT spark_xpath_number({XML}, 'count(//a//a//a)') FROM (SELECT 3000 AS i)",
    "a window's frames": f"SELECT max(s) FROM (SELECT {DEVIATION} OVER {FRAME} s FROM {ROWS})",
}


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with run.connect() as connection:
        yield connection


@pytest.mark.parametrize("name", LONG)
def test_a_long_row_stops(database: duckdb.DuckDBPyConnection, name: str) -> None:
    cancellation = native.Cancellation()
    asked: list[float] = []
    threading.Timer(0.3, lambda: (asked.append(time.process_time()), cancellation.cancel())).start()
    with cancellation.covers_this_thread(), pytest.raises(duckdb.Error, match="OPERATION_CANCELED"):
        database.execute(LONG[name]).fetchall()
    assert time.process_time() - asked[0] < 2  # seconds of CPU
    assert database.execute("SELECT spark_levenshtein('abc', 'abd')").fetchall() == [(1,)]


def test_a_cancellation_ends_its_own_queries_only(database: duckdb.DuckDBPyConnection) -> None:
    cancelled, other = native.Cancellation(), native.Cancellation()
    cancelled.cancel()
    with other.covers_this_thread():
        with cancelled.covers_this_thread(), pytest.raises(duckdb.Error, match="OPERATION_CANCELED"):
            database.execute("SELECT spark_soundex(v) FROM (VALUES ('a')) t(v)").fetchall()
        assert database.execute("SELECT spark_soundex(v) FROM (VALUES ('a')) t(v)").fetchall() == [("A000",)]


def test_operations_have_numbers_of_their_own(database: duckdb.DuckDBPyConnection) -> None:
    """By which an aggregate finds its operation's flag."""
    numbers = []
    for cancellation in [native.Cancellation() for _ in range(50)]:
        with cancellation.covers_this_thread():
            numbers += database.execute("SELECT spark_operation()").fetchone() or ()
    assert len(set(numbers)) == 50 and min(numbers) > 0
    assert database.execute("SELECT spark_operation()").fetchall() == [(0,)]


def test_more_operations_than_flags(database: duckdb.DuckDBPyConnection) -> None:
    """Those beyond have none, and end between chunks of rows; flags that are given back serve again."""
    several = [native.Cancellation() for _ in range(5000)]
    with several[-1].covers_this_thread():
        several[-1].cancel()
        assert database.execute("SELECT spark_operation(), spark_soundex('robert')").fetchall() == [(0, "R163")]
    for cancellation in several:
        cancellation.release()
        cancellation.cancel()  # nobody's flag
    with native.Cancellation().covers_this_thread():
        assert database.execute("SELECT spark_operation() > 0").fetchall() == [(True,)]


def test_a_statement_may_outlive_its_operation(database: duckdb.DuckDBPyConnection) -> None:
    """Bound functions own a share of the flag: nothing is read that was freed."""
    cancellation = native.Cancellation()
    with cancellation.covers_this_thread():
        database.execute("PREPARE kept AS SELECT spark_soundex($1)")
    del cancellation
    assert database.execute("EXECUTE kept('robert')").fetchall() == [("R163",)]
    database.execute("DEALLOCATE kept")
