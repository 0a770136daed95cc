"""Partition fields, orders and identifiers that a table takes on later, in Iceberg's own grammar."""

from typing import Any

import pytest
from pyspark.errors import PySparkException
from table_helpers import refusal, rows, run


def partitions(spark: Any) -> list[tuple[Any, ...]]:
    """Of each file how many rows it has, and by which of the table's specs."""
    return rows(spark, "SELECT spec_id, record_count FROM t.files")


def test_partition_fields_come_and_go(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING)",
        "INSERT INTO t VALUES (1, TIMESTAMP'2024-01-01', 'a')",
    )
    run(
        tables,
        "ALTER TABLE t ADD PARTITION FIELD days(ts)",
        "ALTER TABLE mine.t ADD PARTITION FIELD bucket(4, id) AS shard",
    )
    run(tables, "INSERT INTO t SELECT id, TIMESTAMP'2024-01-01' + make_dt_interval(id % 2), 'b' FROM range(4)")
    assert sum(count for _, count in partitions(tables)) == 5 and len({spec for spec, _ in partitions(tables)}) == 2
    described = {row[0]: row[1] for row in rows(tables, "DESCRIBE t")}
    assert described["Part 0"] == "days(ts)" and described["Part 1"] == "bucket(4, id)"
    run(
        tables,
        "ALTER TABLE t DROP PARTITION FIELD shard",
        "ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH months(ts)",
    )
    run(tables, "INSERT INTO t VALUES (9, TIMESTAMP'2024-02-01', 'c')")
    assert rows(tables, "SELECT id, s FROM t WHERE ts >= TIMESTAMP'2024-01-02'") == [(1, "b"), (3, "b"), (9, "c")]
    run(tables, "ALTER TABLE t ADD PARTITION FIELD s", "ALTER TABLE t DROP PARTITION FIELD months(ts)")
    assert "PARTITIONED BY (s)" in rows(tables, "SHOW CREATE TABLE t")[0][0]
    run(tables, "DELETE FROM t WHERE id = 1", "UPDATE t SET s = 'd' WHERE id = 9")
    assert rows(tables, "SELECT id, s FROM t") == [(0, "b"), (2, "b"), (3, "b"), (9, "d")]


def test_fields_that_cannot_be(tables: Any) -> None:
    run(tables, "CREATE TABLE t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (days(ts))")
    for statement in (
        "ADD PARTITION FIELD days(ts)",
        "DROP PARTITION FIELD nosuch",
        "DROP PARTITION FIELD bucket(3, id)",
    ):
        with pytest.raises(PySparkException):
            run(tables, f"ALTER TABLE t {statement}")
    assert refusal(tables, "ALTER TABLE t ADD PARTITION FIELD years(nosuch)") == "COLUMN_NOT_DEFINED_IN_TABLE"
    assert refusal(tables, "ALTER TABLE nosuch ADD PARTITION FIELD id") == "TABLE_OR_VIEW_NOT_FOUND"


def test_rows_are_written_in_order(tables: Any) -> None:
    run(tables, "CREATE TABLE t (id BIGINT, s STRING)", "ALTER TABLE t WRITE ORDERED BY s DESC, id NULLS LAST")
    run(tables, "INSERT INTO t SELECT (id * 7) % 10, elt(CAST(id % 2 AS INT) + 1, 'a', 'b') FROM range(10)")
    found = [tuple(row) for row in tables.sql("SELECT s, id FROM t").collect()]
    assert found == sorted(found, key=lambda row: (-ord(row[0]), row[1]))
    assert ("write.distribution-mode", "range") in rows(tables, "SHOW TBLPROPERTIES t")
    assert rows(
        tables,
        "CALL system.rewrite_data_files(table => 't', strategy => 'sort', options => map('rewrite-all', 'true'))",
    )
    run(tables, "ALTER TABLE t WRITE UNORDERED")
    with pytest.raises(PySparkException, match="unsorted"):
        run(tables, "CALL system.rewrite_data_files(table => 't', strategy => 'sort')")
    run(tables, "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id")
    assert ("write.distribution-mode", "hash") in rows(tables, "SHOW TBLPROPERTIES t")
    assert refusal(tables, "ALTER TABLE t WRITE ORDERED BY nosuch") is not None


def test_identifier_fields(tables: Any) -> None:
    run(
        tables,
        "CREATE TABLE t (id BIGINT NOT NULL, s STRING NOT NULL, n INT)",
        "ALTER TABLE t SET IDENTIFIER FIELDS id, s",
    )
    run(tables, "ALTER TABLE t DROP IDENTIFIER FIELDS s", "INSERT INTO t VALUES (1, 'a', 2)")
    with pytest.raises(PySparkException):
        run(tables, "ALTER TABLE t SET IDENTIFIER FIELDS n")  # it may be null
    with pytest.raises(PySparkException, match="not found"):
        run(tables, "ALTER TABLE t DROP IDENTIFIER FIELDS s")
    assert rows(tables, "SELECT * FROM t") == [(1, "a", 2)]
