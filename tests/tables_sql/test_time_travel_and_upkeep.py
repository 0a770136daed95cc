"""Time travel, tables about tables, and CALL."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException, PySparkException
from table_helpers import refusal, rows, run


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
    for name in (
        "manifests",
        "partitions",
        "refs",
        "entries",
        "metadata_log_entries",
        "data_files",
        "all_files",
        "all_manifests",
    ):
        assert t.table(f"t.{name}").count() >= 1, name
    assert rows(t, "SELECT count(*) FROM t.all_delete_files") == [(0,)]
    assert refusal(t, "SELECT * FROM t.nosuch") == "TABLE_OR_VIEW_NOT_FOUND"


def test_rollback(t: Any) -> None:
    first, _, last = snapshots(t)
    assert rows(t, f"CALL system.rollback_to_snapshot('t', {first})") == [(last, first)]
    assert rows(t, "SELECT a FROM t") == [(1,)]


def test_any_snapshot_may_become_the_present_one(t: Any) -> None:
    first, second, last = snapshots(t)
    assert rows(t, f"CALL system.rollback_to_snapshot('t', {first})") == [(last, first)]
    with pytest.raises(PySparkException, match=r"iceberg\.exceptions\.ValidationException"):
        run(t, f"CALL system.rollback_to_snapshot('t', {second})")
    assert rows(t, f"CALL system.set_current_snapshot(table => 't', snapshot_id => {second})") == [(first, second)]
    assert rows(t, "SELECT a FROM t") == [(1,), (2,)]
    assert rows(t, "CALL system.set_current_snapshot(table => 't', ref => 'main')") == [(second, second)]
    found = t.sql("CALL system.ancestors_of('t')").collect()
    assert [row.snapshot_id for row in found] == [second, first] and found[0].timestamp >= found[1].timestamp
    assert [row[0] for row in t.sql(f"CALL system.ancestors_of('t', {first})").collect()] == [first]


def test_upkeep(t: Any) -> None:
    run(t, *[f"INSERT INTO t VALUES ({n})" for n in range(10, 15)])
    [(rewritten, added, size, failed, removed)] = rows(t, "CALL system.rewrite_data_files('mine.t')")
    assert (rewritten, added, failed, removed) == (6, 1, 0, 0) and size > 0
    # Young snapshots stay unless a moment is given: five days are what Iceberg takes.
    assert rows(t, "CALL spark_catalog.system.expire_snapshots('t')") == [(0, 0, 0, 0, 0, 0)]
    now = "older_than => current_timestamp()"
    [expired] = rows(t, f"CALL spark_catalog.system.expire_snapshots(table => 't', {now}, retain_last => 1)")
    assert expired[0] >= 6 and expired[4] >= 8
    assert len(snapshots(t)) == 1
    assert rows(t, "CALL system.remove_orphan_files('t')") == []
    assert rows(t, "SELECT count(*), sum(a) FROM t") == [(6, 62)]


def test_compaction_takes_enough_files(t: Any) -> None:
    run(t, "INSERT INTO t VALUES (5)", "INSERT INTO t VALUES (6)")
    call = "CALL system.rewrite_data_files(table => 't'"
    assert rows(t, f"{call})")[0][:2] == (0, 0)
    assert rows(t, f"{call}, options => map('min-input-files', '2'))")[0][:2] == (3, 1)
    assert rows(t, f"{call}, options => map('rewrite-all', 'true'))")[0][:2] == (1, 1)
    assert rows(t, "SELECT a FROM t") == [(2,), (5,), (6,)]


def test_one_snapshot_is_expired(t: Any) -> None:
    first, second, last = snapshots(t)
    run(t, f"CALL system.expire_snapshots(table => 't', snapshot_ids => array({first}))")
    assert snapshots(t) == [second, last]
    with pytest.raises(IllegalArgumentException, match="a branch or tag names snapshot"):
        run(t, f"CALL system.expire_snapshots(table => 't', snapshot_ids => array({last}))")
    assert rows(t, f"SELECT a FROM t VERSION AS OF {second}") == [(1,), (2,)]


def test_orphans_are_told_before_they_go(t: Any) -> None:
    place = Path(t.sql("SELECT file_path FROM t.files").collect()[0][0].removeprefix("file://")).parent
    stray = place / "stray.parquet"
    stray.touch()
    os.utime(stray, (0, 0))
    assert rows(t, "CALL system.remove_orphan_files(table => 't', dry_run => true)") == [(str(stray),)]
    assert stray.exists()
    assert rows(t, "CALL system.remove_orphan_files(table => 't')") == [(str(stray),)]
    assert not stray.exists()


@pytest.mark.parametrize("name", ["t.history", "mine.t.history", "spark_catalog.mine.t.history"])
def test_tables_about_tables_by_whole_names(name: str, t: Any) -> None:
    assert t.sql(f"SELECT snapshot_id FROM {name}").count() == 3 == t.table(name).count()


def test_names_of_too_many_parts_are_refused(t: Any) -> None:
    for name in ("mine.nosuch.history", "mine.t.nosuch"):
        assert refusal(t, f"SELECT * FROM {name}") == "REQUIRES_SINGLE_PART_NAMESPACE"
