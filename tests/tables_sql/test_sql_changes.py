"""INSERT, DELETE, UPDATE and MERGE on Iceberg tables, with conditions, subqueries and names as queries have them."""

from typing import Any

import pytest
from table_helpers import refusal, rows, run


@pytest.fixture
def t(tables: Any) -> Any:
    run(
        tables,
        "CREATE TABLE t (id INT, s STRING, n STRUCT<x: INT, y: STRING>) PARTITIONED BY (id)",
        "INSERT INTO t SELECT CAST(id AS INT), concat('s', id), named_struct('x', CAST(id AS INT), 'y', 'y') "
        "FROM range(4)",
    )
    return tables


def test_delete(t: Any) -> None:
    run(t, "DELETE FROM t WHERE id = 1 OR s = 's2'")
    assert rows(t, "SELECT id FROM t") == [(0,), (3,)]
    run(t, "DELETE FROM t AS x WHERE EXISTS (SELECT 1 FROM range(1) r WHERE r.id = x.id)")
    assert rows(t, "SELECT id FROM t") == [(3,)]
    run(t, "WITH c AS (SELECT 3 AS id) DELETE FROM t WHERE id IN (SELECT id FROM c)")
    assert rows(t, "SELECT id FROM t") == []
    assert refusal(t, "DELETE FROM t WHERE nosuch = 1") == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert refusal(t, "DELETE FROM t WHERE id") == "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"


def test_nulls_are_not_deleted(t: Any) -> None:
    run(t, "INSERT INTO t VALUES (9, NULL, NULL)", "DELETE FROM t WHERE s <> 's0'")
    assert rows(t, "SELECT id, s FROM t") == [(0, "s0"), (9, None)]


def test_update(t: Any) -> None:
    run(t, "UPDATE t SET s = upper(s), n.x = n.x * 10 WHERE id % 2 = 1")
    assert rows(t, "SELECT id, s, n.x, n.y FROM t") == [
        (0, "s0", 0, "y"),
        (1, "S1", 10, "y"),
        (2, "s2", 2, "y"),
        (3, "S3", 30, "y"),
    ]
    run(t, "UPDATE t AS a SET s = (SELECT max(s) FROM t), n = DEFAULT WHERE a.id = 0")
    assert rows(t, "SELECT s, n FROM t WHERE id = 0") == [("s2", None)]
    assert refusal(t, "UPDATE t SET id = 'x'") == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
    assert refusal(t, "UPDATE t SET nosuch = 1") == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_merge_with_all_clauses(t: Any) -> None:
    run(
        t,
        "MERGE INTO t USING (SELECT * FROM VALUES (1, 'm'), (2, NULL), (7, 'new'), (8, 'not') AS v(id, s)) AS s "
        "ON t.id = s.id "
        "WHEN MATCHED AND s.s IS NULL THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET s = s.s, t.n.y = 'merged' "
        "WHEN NOT MATCHED AND s.s = 'new' THEN INSERT (id, s) VALUES (s.id, concat(s.s, '!')) "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET s = 'lonely' "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    )
    assert rows(t, "SELECT id, s, n.x, n.y FROM t") == [
        (1, "m", 1, "merged"),
        (3, "lonely", 3, "y"),
        (7, "new!", None, None),
    ]


def test_merge_with_stars_is_by_name(t: Any) -> None:
    source = "(SELECT named_struct('x', 5, 'y', 'z') AS n, 'star' AS s, 3L AS id UNION ALL SELECT NULL, 'in', 30)"
    run(
        t, f"MERGE INTO t USING {source} x ON t.id = x.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert rows(t, "SELECT * FROM t WHERE id >= 3") == [(3, "star", (5, "z")), (30, "in", None)]


def test_merge_cardinality(t: Any) -> None:
    source = "(SELECT 1 AS id UNION ALL SELECT 1)"
    merge = f"MERGE INTO t USING {source} x ON t.id = x.id WHEN MATCHED"
    assert refusal(t, f"{merge} THEN UPDATE SET s = 'twice'") == "MERGE_CARDINALITY_VIOLATION"
    run(t, f"{merge} THEN DELETE")
    assert rows(t, "SELECT id FROM t") == [(0,), (2,), (3,)]


def test_overwrites(t: Any) -> None:
    run(t, "INSERT OVERWRITE t PARTITION (id = 1) SELECT 'one', NULL")
    assert rows(t, "SELECT id, s FROM t") == [(0, "s0"), (1, "one"), (2, "s2"), (3, "s3")]
    run(t, "INSERT INTO t REPLACE WHERE id >= 2 SELECT 5, 'five', NULL")
    assert rows(t, "SELECT id, s FROM t") == [(0, "s0"), (1, "one"), (5, "five")]
    t.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    run(t, "INSERT OVERWRITE t VALUES (5, 'dynamic', NULL)")
    assert rows(t, "SELECT id, s FROM t") == [(0, "s0"), (1, "one"), (5, "dynamic")]
    t.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    run(t, "INSERT OVERWRITE t SELECT id, 'all', NULL FROM t WHERE id > 0")
    assert rows(t, "SELECT id, s FROM t") == [(1, "all"), (5, "all")]
    assert refusal(t, "INSERT OVERWRITE t PARTITION (s = 'x') SELECT 1, NULL") == "NON_PARTITION_COLUMN"


def test_insert_from_with(t: Any) -> None:
    run(t, "WITH c AS (SELECT 8 AS id) INSERT INTO t (id) SELECT id FROM c")
    assert rows(t, "SELECT * FROM t WHERE id = 8") == [(8, None, None)]


def test_changes_of_tables_that_are_not_there(tables: Any) -> None:
    for statement in (
        "DELETE FROM nosuch",
        "UPDATE nosuch SET a = 1",
        "MERGE INTO nosuch USING range(1) r ON true WHEN MATCHED THEN DELETE",
    ):
        assert refusal(tables, statement) in ("TABLE_OR_VIEW_NOT_FOUND", "PARSE_SYNTAX_ERROR")
