"""Functions of the extension take structs, lists and maps as they come: filtered, joined, constant, just made."""

import duckdb
import pytest

from twinspark.duck.run import connect

VALUE = """CASE WHEN i % 11 = 0 THEN NULL ELSE {
    'a': CASE WHEN i % 5 = 0 THEN NULL ELSE i END, 'b': CASE WHEN i % 7 = 0 THEN NULL ELSE 'text' || i END,
    'n': {'x': i % 3, 'l': [i, i + 1]}, 'l': CASE WHEN i % 4 = 0 THEN NULL ELSE [{'k': i}, NULL, {'k': i * 2}] END,
    'm': MAP {'p': i}} END"""
OTHER = "{'a': -1, 'b': 'z', 'n': {'x': 0, 'l': []}, 'l': [], 'm': MAP {}}"
QUERIES = {
    "filtered": "SELECT i, v FROM s WHERE i % 3 = 1",
    "joined": "SELECT k AS i, v FROM range(5000) r(k) LEFT JOIN s ON s.i = k * 3",
    "constant": "SELECT i, {'a': 1, 'b': NULL::VARCHAR, 'l': [{'k': 1}]} AS v FROM s",
    "beside constants": "SELECT i, {'a': i, 'b': 'constant', 'c': v} AS v FROM s WHERE i % 2 = 0",
    "elements": "SELECT i, unnest(v.l) AS v FROM s WHERE i % 3 = 0",
    "a field": "SELECT i, v.n AS v FROM s WHERE i % 3 = 0",
    "a list": "SELECT i, v.l AS v FROM s WHERE i % 3 = 0",
    "a map": "SELECT i, v.m AS v FROM s WHERE i % 3 = 0",
    "chosen": f"SELECT i, CASE WHEN i % 2 = 0 THEN v ELSE {OTHER} END AS v FROM s",
    "of a window": "SELECT i, lag(v, 2) OVER (ORDER BY i) AS v FROM s",
    "nothing": "SELECT i, NULL::STRUCT(a INTEGER) AS v FROM s",
}


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    made = connect()
    made.execute(f"CREATE TABLE s AS SELECT i, {VALUE} AS v FROM range(9000) t(i)")
    return made


@pytest.mark.parametrize("name", QUERIES)
def test_as_they_come_and_as_they_are_stored(database: duckdb.DuckDBPyConnection, name: str) -> None:
    database.execute(f"CREATE OR REPLACE TEMP TABLE stored AS {QUERIES[name]}")
    written = "SELECT i, spark_to_json(v, true) AS w FROM {0} ORDER BY i, w"
    came = database.execute(written.format(f"({QUERIES[name]})")).fetchall()
    stored = database.execute(written.format("stored")).fetchall()
    assert came == stored
    assert len(came) > 1000
