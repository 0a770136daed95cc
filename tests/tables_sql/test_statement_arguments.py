"""Commands with parameters and with DataFrames among their arguments."""

from typing import Any

from table_helpers import rows, run


def test_parameters_and_frames(tables: Any) -> None:
    run(tables, "CREATE TABLE t (a INT, b STRING)")
    frame = tables.createDataFrame([(3, "frame")], "a int, b string")
    tables.sql("INSERT INTO t VALUES (:x, :y)", args={"x": 1, "y": "it's"}).collect()
    tables.sql("INSERT INTO t SELECT ?, ?", args=[2, "position"]).collect()
    tables.sql("INSERT INTO t SELECT * FROM {d}", d=frame).collect()
    tables.sql("DELETE FROM t WHERE a = :k", args={"k": 2}).collect()
    tables.sql("UPDATE t SET b = :v WHERE a = 1", args={"v": "changed"}).collect()
    merge = "MERGE INTO t USING {d} s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = concat(s.b, :z)"
    tables.sql(merge, args={"z": "!"}, d=frame).collect()
    assert rows(tables, "SELECT * FROM t") == [(1, "changed"), (3, "frame!")]
    tables.sql("CREATE TABLE u AS SELECT * FROM {d} WHERE a > :m", args={"m": 0}, d=frame).collect()
    assert rows(tables, "SELECT * FROM u") == [(3, "frame")]


def test_temporary_views_as_sources(tables: Any) -> None:
    tables.range(3).createOrReplaceTempView("v")
    run(
        tables, "CREATE TABLE t AS SELECT * FROM v", "INSERT INTO t SELECT id + 10 FROM v", "DELETE FROM t WHERE id = 1"
    )
    assert rows(tables, "SELECT id FROM t") == [(0,), (10,), (11,), (12,), (2,)]
    run(tables, "CREATE TEMP VIEW w AS SELECT id FROM t", "DROP TABLE w")
    assert rows(tables, "SELECT count(*) FROM t") == [(5,)]
