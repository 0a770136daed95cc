"""Rows of a small table that are equal in an order stay as its files are read, whatever DuckDB's threads do."""

from typing import Any

import pytest
from pyspark.errors import PySparkException
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


def test_rows_chosen_after_repartition_by_range_of_files(tables: Any) -> None:
    """Spark puts rows of other files into partitions by the range of their keys, of which only it knows the bounds."""
    run(tables, "CREATE TABLE t USING parquet AS SELECT /*+ COALESCE(1) */ * FROM VALUES (5), (1), (4), (2), (9) v(a)")
    spread = tables.table("t").repartitionByRange(2, "a")
    assert sorted(spread.collect()) == [(1,), (2,), (4,), (5,), (9,)]
    for chosen in (spread.limit(2), spread.selectExpr("first(a)")):
        with pytest.raises(PySparkException) as caught:
            chosen.collect()
        assert caught.value.getCondition() == "TWINSPARK_NOT_NATIVE"
