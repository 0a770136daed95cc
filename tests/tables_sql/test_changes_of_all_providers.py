"""DELETE, UPDATE, MERGE and INSERT … REPLACE WHERE do the same to Iceberg's tables and to Delta's."""

from typing import Any

import pytest
from table_helpers import refusal, rows, run

FILL = "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 2)", "INSERT INTO t VALUES (4, 'd', 2), (5, 'e', NULL)"
ALL = [(1, "a", 1), (2, "b", 1), (3, None, 2), (4, "d", 2), (5, "e", None)]


@pytest.fixture(params=["iceberg", "delta"])
def table(request: pytest.FixtureRequest, tables: Any) -> Any:
    run(tables, f"CREATE TABLE t (id INT, s STRING, k INT) USING {request.param} PARTITIONED BY (k)", *FILL)
    return tables


def test_delete(table: Any) -> None:
    run(table, "DELETE FROM t WHERE s = 'a' OR k = 2")
    assert rows(table, "SELECT * FROM t") == [ALL[1], ALL[4]]
    run(table, "DELETE FROM t WHERE id = 99")
    assert rows(table, "SELECT * FROM t") == [ALL[1], ALL[4]]
    run(table, "DELETE FROM t")
    assert rows(table, "SELECT * FROM t") == []
    run(table, "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (9, 'new', 9)")
    assert rows(table, "SELECT * FROM t") == [(9, "new", 9)]


def test_update(table: Any) -> None:
    run(table, "UPDATE t SET s = upper(s), k = k + 10 WHERE id IN (SELECT id + 1 FROM t WHERE id < 3)")
    changed = [(1, "a", 1), (2, "B", 11), (3, None, 12), (4, "d", 2), (5, "e", None)]
    assert rows(table, "SELECT * FROM t") == changed
    assert rows(table, "SELECT id FROM t WHERE k = 11") == [(2,)]


def test_merge(table: Any) -> None:
    run(
        table,
        "MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (2, 'gone'), (7, 'in'), (8, 'out') v(id, s)) s "
        "ON t.id = s.id "
        "WHEN MATCHED AND s.s = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET s = s.s "
        "WHEN NOT MATCHED AND s.id < 8 THEN INSERT (id, s) VALUES (s.id, s.s) "
        "WHEN NOT MATCHED BY SOURCE AND t.k = 2 THEN UPDATE SET k = 20",
    )
    merged = [(1, "x", 1), (3, None, 20), (4, "d", 20), (5, "e", None), (7, "in", None)]
    assert rows(table, "SELECT * FROM t") == merged
    twice = (
        "MERGE INTO t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = 'two'"
    )
    assert refusal(table, twice) == "MERGE_CARDINALITY_VIOLATION"
    assert rows(table, "SELECT * FROM t") == merged


def test_replace_where(table: Any) -> None:
    run(table, "INSERT INTO t REPLACE WHERE k = 1 VALUES (10, 'z', 1)")
    assert rows(table, "SELECT * FROM t") == [(10, "z", 1), *ALL[2:]]
    run(table, "INSERT OVERWRITE t PARTITION (k = 2) VALUES (11, 'y')")
    assert rows(table, "SELECT * FROM t") == [(10, "z", 1), (11, "y", 2), ALL[4]]


def test_versions_stay(table: Any) -> None:
    run(table, "DELETE FROM t WHERE k = 2")
    assert rows(table, f"SELECT count(*) FROM t VERSION AS OF {first_version(table)}") == [(3,)]


def first_version(session: Any) -> int:
    """Of the first rows: Iceberg names snapshots, Delta counts versions from the empty table."""
    if refusal(session, "SELECT * FROM t.snapshots") is not None:
        return 1
    [(first,)] = rows(session, "SELECT min_by(snapshot_id, committed_at) FROM t.snapshots")
    return int(first)


def test_a_delta_table_is_replaced_in_one_commit(tables: Any) -> None:
    run(tables, "CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS id, 'a' AS s")
    run(tables, "CREATE OR REPLACE TABLE t USING delta AS SELECT 2.5D AS x, id AS y FROM t")
    assert rows(tables, "SELECT * FROM t") == [(2.5, 1)]
    assert rows(tables, "SELECT * FROM t VERSION AS OF 1") == [(1, "a")]
    fails = "CREATE OR REPLACE TABLE t USING delta AS SELECT CAST(raise_error('no') AS INT) AS z"
    assert refusal(tables, fails) == "USER_RAISED_EXCEPTION"
    assert rows(tables, "SELECT * FROM t") == [(2.5, 1)]
    run(tables, "REPLACE TABLE t USING delta AS SELECT 7 AS z")
    assert rows(tables, "SELECT * FROM t") == [(7,)]
    other = "CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (z) AS SELECT 7 AS z"
    assert refusal(tables, other) == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
