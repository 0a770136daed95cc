"""Rows of a small table that are equal in an order stay as its files are read, whatever DuckDB's threads do."""

from typing import Any

from table_helpers import run

FIRST = "SELECT i FROM t WHERE i > 0 ORDER BY k LIMIT 150"


def test_equal_rows_stay_as_they_were_read(tables: Any) -> None:
    tables.conf.set("spark.sql.leafNodeDefaultParallelism", "4")
    values = ", ".join(f"({i}, {i % 3})" for i in range(1, 401))
    run(tables, "CREATE TABLE t (i INT, k INT) USING json", f"INSERT INTO t VALUES {values}")
    read = [row.i for row in tables.table("t").collect()]
    assert sorted(read) == list(range(1, 401)) and read != sorted(read)  # the last task's file is the largest
    expected = sorted(read, key=lambda i: i % 3)
    first = [row.i for row in tables.sql(FIRST).collect()]
    assert [i % 3 for i in first] == [i % 3 for i in expected[:150]]  # which of equal rows is up to Spark's selection
    for _ in range(5):
        assert [row.i for row in tables.sql("SELECT * FROM t ORDER BY k").collect()] == expected
        assert [row.i for row in tables.sql(FIRST).collect()] == first
