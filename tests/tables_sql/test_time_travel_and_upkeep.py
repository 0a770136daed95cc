"""Time travel, tables about tables, and CALL."""

import time
from typing import Any

import pytest
from helpers_tables import refusal, rows, run


@pytest.fixture
def t(tables: Any) -> Any:
    run(tables, "CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)", "DELETE FROM t WHERE a = 1")
    return tables


def snapshots(spark: Any) -> list[int]:
    return [row[0] for row in spark.sql("SELECT snapshot_id FROM t.snapshots ORDER BY committed_at").collect()]


def test_versions(t: Any) -> None:
    first, second, _ = snapshots(t)
    assert rows(t, f"SELECT a FROM t VERSION AS OF {first}") == [(1,)]
    assert rows(t, f"SELECT x.a FROM t FOR SYSTEM_VERSION AS OF {second} AS x") == [(1,), (2,)]
    assert [tuple(row) for row in t.read.option("versionAsOf", first).table("t").collect()] == [(1,)]
    assert refusal(t, "SELECT * FROM t VERSION AS OF 1") == "TABLE_OR_VIEW_NOT_FOUND"


def test_moments(t: Any) -> None:
    [(moment,)] = t.sql("SELECT CAST(max(committed_at) AS STRING) FROM t.snapshots").collect()
    time.sleep(0.01)
    run(t, "INSERT INTO t VALUES (3)")
    assert rows(t, f"SELECT a FROM t TIMESTAMP AS OF '{moment}'") == [(2,)]
    assert rows(t, "SELECT a FROM t TIMESTAMP AS OF current_timestamp()") == [(2,), (3,)]
    assert [tuple(row) for row in t.read.option("timestampAsOf", moment).table("t").collect()] == [(2,)]
    assert refusal(t, "SELECT * FROM t TIMESTAMP AS OF '2001-01-01'") == "TABLE_OR_VIEW_NOT_FOUND"


def test_tables_about_tables(t: Any) -> None:
    assert rows(t, "SELECT operation FROM t.snapshots") == [("append",), ("append",), ("overwrite",)]
    assert rows(t, "SELECT count(*), sum(record_count) FROM t.files") == [(1, 1)]
    assert t.table("t.history").schema["made_current_at"].dataType.simpleString() == "timestamp"
    for name in ("manifests", "partitions", "refs", "entries", "metadata_log_entries", "data_files"):
        assert t.table(f"t.{name}").count() >= 1, name
    assert refusal(t, "SELECT * FROM t.nosuch") == "TABLE_OR_VIEW_NOT_FOUND"


def test_rollback(t: Any) -> None:
    first, _, last = snapshots(t)
    assert rows(t, f"CALL system.rollback_to_snapshot('t', {first})") == [(last, first)]
    assert rows(t, "SELECT a FROM t") == [(1,)]


def test_upkeep(t: Any) -> None:
    run(t, *[f"INSERT INTO t VALUES ({n})" for n in range(10, 15)])
    assert rows(t, "CALL system.rewrite_data_files('mine.t')") == [(6, 1, 0)]
    [expired] = rows(t, "CALL spark_catalog.system.expire_snapshots(table => 't', retain_last => 1)")
    assert expired[0] >= 6 and expired[4] >= 8
    assert len(snapshots(t)) == 1
    assert rows(t, "CALL system.remove_orphan_files('t')") == []
    assert rows(t, "SELECT count(*), sum(a) FROM t") == [(6, 62)]
