"""Tables that take on the columns and wider types of the rows that are written to them."""

from typing import Any

import pytest
from pyspark.sql.functions import expr
from table_helpers import refusal, rows, run


@pytest.fixture
def t(tables: Any) -> Any:
    run(
        tables,
        "CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg",
        "INSERT INTO t VALUES (1, named_struct('a', 1))",
    )
    return tables


def types(spark: Any) -> list[str]:
    return [f"{name} {type}" for name, type in spark.table("t").dtypes]


def test_by_place(t: Any) -> None:
    run(t, "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 3000000000, named_struct('x', 2, 'b', 'new'), 1.5D AS extra")
    assert types(t) == ["id bigint", "s struct<a:int,b:string>", "extra double"]
    assert rows(t, "SELECT id, s.a, s.b, extra FROM t") == [(1, 1, None, None), (3000000000, 2, "new", 1.5)]
    run(t, "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 2, NULL, NULL")  # nothing to change
    assert len(types(t)) == 3


def test_by_name(t: Any) -> None:
    run(t, "INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT DATE'2024-01-01' AS day, 7 AS ID")
    assert types(t) == ["id int", "s struct<a:int>", "day date"]
    assert rows(t, "SELECT id, s, CAST(day AS STRING) FROM t WHERE id = 7") == [(7, None, "2024-01-01")]
    run(t, "INSERT WITH SCHEMA EVOLUTION OVERWRITE t BY NAME SELECT 1 AS only")
    assert rows(t, "SELECT id, only FROM t") == [(None, 1)]


def test_refused(t: Any) -> None:
    assert (
        refusal(t, "INSERT INTO t SELECT 1, NULL, 3 AS extra") == "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    )
    run(t, "CREATE TABLE files (id INT) USING parquet")
    evolving = "INSERT WITH SCHEMA EVOLUTION INTO files SELECT 1 AS id"
    assert refusal(t, evolving) == "UNSUPPORTED_INSERT_WITH_SCHEMA_EVOLUTION"
    for clause in ("USING (id)", "ON true"):
        found = refusal(t, f"INSERT INTO files REPLACE {clause} SELECT 1 AS id")
        assert found == "UNSUPPORTED_FEATURE.TABLE_OPERATION"


def test_merge(t: Any) -> None:
    run(
        t,
        "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT id, concat('m', id) AS mail FROM range(1, 3)) n "
        "ON t.id = n.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    )
    assert types(t) == ["id bigint", "s struct<a:int>", "mail string"]
    assert rows(t, "SELECT id, s.a, mail FROM t") == [(1, 1, "m1"), (2, None, "m2")]  # what the source lacks stays


def test_merge_of_a_frame(t: Any) -> None:
    source = t.createDataFrame([(1, "x"), (5, "y")], "id INT, tag STRING")
    merge = source.alias("n").mergeInto("t", expr("mine.t.id = n.id")).withSchemaEvolution()
    merge.whenMatched().updateAll().whenNotMatched().insertAll().merge()
    assert rows(t, "SELECT id, s.a, tag FROM t") == [(1, 1, "x"), (5, None, "y")]


def test_frames(t: Any) -> None:
    frame = t.createDataFrame([(9, 2.5)], "id INT, extra DOUBLE")
    run(t, "ALTER TABLE t SET TBLPROPERTIES ('write.spark.accept-any-schema' = 'true')")
    frame.writeTo("t").option("mergeSchema", "true").append()
    assert rows(t, "SELECT id, extra FROM t") == [(1, None), (9, 2.5)]
