"""Branches and tags, and the procedures that move snapshots between them, as Iceberg documents them for Spark."""

from typing import Any

import pytest
from pyspark.errors import PySparkException
from table_helpers import refusal, rows, run


@pytest.fixture
def t(tables: Any) -> Any:
    run(tables, "CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (3)")
    return tables


def snapshots(spark: Any) -> list[int]:
    return [row[0] for row in spark.sql("SELECT snapshot_id FROM t.snapshots ORDER BY committed_at").collect()]


def references(spark: Any) -> list[tuple[Any, ...]]:
    return rows(spark, "SELECT name, type, snapshot_id FROM t.refs")


def refused(spark: Any, statement: str) -> str:
    with pytest.raises(PySparkException) as raised:
        spark.sql(statement).collect()
    return str(raised.value)


def test_tags_are_read_by_name(t: Any) -> None:
    first, second, third = snapshots(t)
    run(
        t, f"ALTER TABLE t CREATE TAG first AS OF VERSION {first} RETAIN 7 DAYS", "ALTER TABLE mine.t CREATE TAG `last`"
    )
    assert references(t) == [("first", "TAG", first), ("last", "TAG", third), ("main", "BRANCH", third)]
    assert rows(t, "SELECT max_reference_age_in_ms FROM t.refs WHERE name = 'first'") == [(7 * 86_400_000,)]
    run(t, "INSERT INTO t VALUES (4)")
    assert rows(t, "SELECT * FROM t VERSION AS OF 'first'") == [(1,)]
    assert rows(t, "SELECT * FROM t.tag_first") == [(1,)] == rows(t, "SELECT * FROM mine.t.tag_first")
    assert rows(t, "SELECT * FROM t.tag_last") == [(1,), (2,), (3,)]
    assert t.read.option("tag", "last").table("t").count() == 3
    run(t, f"ALTER TABLE t REPLACE TAG first AS OF VERSION {second}", "ALTER TABLE t DROP TAG last")
    assert rows(t, "SELECT * FROM t.tag_first") == [(1,), (2,)]
    assert [name for name, *_ in references(t)] == ["first", "main"]
    assert refusal(t, "SELECT * FROM mine.t.tag_last") == "REQUIRES_SINGLE_PART_NAMESPACE"


def test_names_that_are_taken_or_missing(t: Any) -> None:
    run(t, "ALTER TABLE t CREATE BRANCH b", "ALTER TABLE t CREATE BRANCH IF NOT EXISTS b")
    run(t, "ALTER TABLE t CREATE OR REPLACE BRANCH b", "ALTER TABLE t DROP TAG IF EXISTS nosuch")
    assert "already exists" in refused(t, "ALTER TABLE t CREATE BRANCH b")
    assert "does not exist" in refused(t, "ALTER TABLE t DROP BRANCH nosuch")
    assert "does not exist" in refused(t, "ALTER TABLE t REPLACE BRANCH nosuch")
    assert "is a branch" in refused(t, "ALTER TABLE t CREATE OR REPLACE TAG b")
    assert "main" in refused(t, "ALTER TABLE t DROP BRANCH main")
    assert refusal(t, "ALTER TABLE t CREATE TAG x AS OF VERSION 1") == "TABLE_OR_VIEW_NOT_FOUND"
    assert refusal(t, "ALTER TABLE nosuch CREATE TAG x") == "TABLE_OR_VIEW_NOT_FOUND"
    run(t, "CREATE TABLE f (a INT) USING parquet")
    assert refusal(t, "ALTER TABLE f CREATE TAG x") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"


def test_branches_keep_their_snapshots(t: Any) -> None:
    first = snapshots(t)[0]
    run(t, f"ALTER TABLE t CREATE BRANCH old AS OF VERSION {first} RETAIN 2 DAYS WITH SNAPSHOT RETENTION 3 SNAPSHOTS")
    run(t, "CALL system.expire_snapshots(table => 't', older_than => TIMESTAMP'2999-01-01 00:00:00')")
    assert rows(t, "SELECT * FROM t VERSION AS OF 'old'") == [(1,)]
    assert t.read.option("branch", "old").table("t").count() == 1
    assert rows(t, "SELECT * FROM t") == [(1,), (2,), (3,)]


def test_fast_forward(t: Any) -> None:
    first, _, third = snapshots(t)
    run(t, "ALTER TABLE t CREATE BRANCH ahead", f"CALL system.rollback_to_snapshot('mine.t', {first})")
    assert rows(t, "SELECT * FROM t") == [(1,)]
    assert rows(t, "CALL system.fast_forward('mine.t', 'main', 'ahead')") == [("main", first, third)]
    assert rows(t, "SELECT * FROM t") == [(1,), (2,), (3,)]
    run(t, "INSERT INTO t VALUES (4)")
    assert "fast-forward" in refused(t, "CALL system.fast_forward(table => 't', branch => 'main', to => 'ahead')")


def test_cherry_pick(t: Any) -> None:
    first, second, third = snapshots(t)
    run(t, f"CALL system.set_current_snapshot('t', {first})")
    [(source, made)] = rows(t, f"CALL system.cherrypick_snapshot('t', {third})")
    assert (source, made != third) == (third, True)
    assert rows(t, "SELECT * FROM t") == [(1,), (3,)]
    assert rows(t, f"SELECT summary['source-snapshot-id'] FROM t.snapshots WHERE snapshot_id = {made}") == [
        (str(third),)
    ]
    assert "ancestor" in refused(t, f"CALL system.cherrypick_snapshot('t', {third})")
    run(t, f"CALL system.set_current_snapshot('t', {first})")
    assert rows(t, f"CALL system.cherrypick_snapshot('t', {second})") == [(second, second)]
    assert rows(t, "SELECT * FROM t") == [(1,), (2,)]
    run(t, "DELETE FROM t WHERE a = 1")
    deleted = snapshots(t)[-1]
    run(t, f"CALL system.set_current_snapshot('t', {first})")
    assert "append" in refused(t, f"CALL system.cherrypick_snapshot('t', {deleted})")
    assert "WAP" in refused(t, "CALL system.publish_changes('t', 'nosuch')")


def test_files_are_rewritten_in_an_order(tables: Any) -> None:
    run(tables, "CREATE TABLE t AS SELECT (id * 7) % 100 AS a, id AS b FROM range(100)")
    run(tables, "INSERT INTO t VALUES (NULL, 1), (200, 2)")
    call = "CALL system.rewrite_data_files(table => 't', strategy => 'sort', sort_order => 'a DESC NULLS LAST', "
    [(rewritten, added, *_)] = rows(tables, call + "options => map('rewrite-all', 'true'))")
    assert (rewritten, added) == (2, 1)
    read = [row.a for row in tables.table("t").collect()]
    assert read == [200, *range(99, -1, -1), None]
    assert "binpack" in refused(tables, "CALL system.rewrite_data_files(table => 't', strategy => 'whirl')")


def test_only_files_that_may_match_are_rewritten(tables: Any) -> None:
    run(tables, "CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)")
    run(tables, *(f"INSERT INTO t VALUES ({n}, {p})" for p in (1, 2) for n in range(3)))
    call = "CALL system.rewrite_data_files(table => 't', where => 'p = 2', options => map('min-input-files', '2'))"
    assert rows(tables, call)[0][:2] == (3, 1)
    assert rows(tables, "SELECT count(*) FROM t.files") == [(4,)]
    assert rows(tables, "SELECT sum(a), count(*) FROM t") == [(6, 6)]
    assert rows(tables, "CALL system.rewrite_position_delete_files('t')") == [(0, 0, 0, 0)]


def test_writes_to_a_branch(t: Any) -> None:
    run(t, "ALTER TABLE t CREATE BRANCH audit", "INSERT INTO t.branch_audit VALUES (4)", "INSERT INTO t VALUES (5)")
    assert rows(t, "SELECT * FROM t") == [(1,), (2,), (3,), (5,)]
    assert rows(t, "SELECT * FROM t.branch_audit") == [(1,), (2,), (3,), (4,)]
    run(t, "UPDATE mine.t.branch_audit SET a = 40 WHERE a = 4", "DELETE FROM t.branch_audit WHERE a = 1")
    t.createDataFrame([(50,), (2,)], "a INT").createOrReplaceTempView("news")
    run(
        t,
        "MERGE INTO t.branch_audit b USING news n ON b.a = n.a WHEN MATCHED THEN UPDATE SET a = 20 "
        "WHEN NOT MATCHED THEN INSERT *",
    )
    assert rows(t, "SELECT * FROM t VERSION AS OF 'audit'") == [(20,), (3,), (40,), (50,)]
    t.createDataFrame([(6,)], "a INT").writeTo("t.branch_audit").append()
    assert rows(t, "SELECT count(*) FROM t.branch_audit") == [(5,)]
    run(t, "INSERT OVERWRITE t.branch_audit VALUES (7)")
    assert rows(t, "SELECT * FROM t.branch_audit") == [(7,)]
    assert rows(t, "SELECT * FROM t") == [(1,), (2,), (3,), (5,)]
    run(t, "ALTER TABLE t ADD COLUMN b INT")
    assert rows(t, "SELECT * FROM t.branch_audit") == [(7, None)]  # a branch is read by the present schema
    assert refusal(t, "INSERT INTO t.branch_nosuch VALUES (1)") == "TABLE_OR_VIEW_NOT_FOUND"
    assert refusal(t, "DROP TABLE t.branch_audit") == "TABLE_OR_VIEW_NOT_FOUND"  # rows have branches, a table has not
    assert refusal(t, "ALTER TABLE t.branch_audit ADD COLUMN c INT") == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_branch_becomes_the_table(t: Any) -> None:
    run(t, "ALTER TABLE t CREATE BRANCH audit", "DELETE FROM t.branch_audit WHERE a < 3")
    run(t, "CALL system.fast_forward('t', 'main', 'audit')")
    assert rows(t, "SELECT * FROM t") == [(3,)]


def test_write_audit_publish(t: Any) -> None:
    """All that a session does, on tables that are told so, is on its branch, which begins with its first write."""
    run(t, "ALTER TABLE t SET TBLPROPERTIES ('write.wap.enabled' = 'true')", "CREATE TABLE plain AS SELECT 1 AS x")
    t.conf.set("spark.wap.branch", "trial")
    assert rows(t, "SELECT count(*) FROM t") == [(3,)]
    run(t, "DELETE FROM t WHERE a = 2", "INSERT INTO t VALUES (9)", "INSERT INTO plain VALUES (2)")
    assert rows(t, "SELECT * FROM t") == [(1,), (3,), (9,)]
    t.conf.unset("spark.wap.branch")
    assert rows(t, "SELECT * FROM t") == [(1,), (2,), (3,)]
    assert rows(t, "SELECT count(*) FROM plain") == [(2,)]
    run(t, "CALL system.fast_forward('t', 'main', 'trial')")
    assert rows(t, "SELECT * FROM t") == [(1,), (3,), (9,)]
