"""Procedures that make Iceberg tables of what is there: add_files, register_table, snapshot, migrate."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from table_helpers import refusal, rows, run


def test_files_are_added(tables: Any, tmp_path: Path) -> None:
    tables.range(5).selectExpr("id", "concat('s', id) AS s").repartition(1).write.parquet(f"{tmp_path}/files")
    run(tables, "CREATE TABLE t (id BIGINT, s STRING)", "INSERT INTO t VALUES (9, 'nine')")
    call = f"CALL system.add_files(table => 'mine.t', source_table => '`parquet`.`{tmp_path}/files`')"
    assert rows(tables, call) == [(1, 1)]
    assert rows(tables, "SELECT count(*), sum(id), max(s) FROM t") == [(6, 19, "s4")]
    with pytest.raises(PySparkException, match="already referenced"):
        run(tables, call)
    run(tables, "ALTER TABLE t RENAME COLUMN id TO key", "DELETE FROM t WHERE key = 0")
    assert rows(tables, "SELECT key FROM t WHERE s < 's3'") == [(1,), (2,), (9,)]
    assert len(list(tmp_path.glob("files/*.parquet"))) == 1  # history needs it


def test_files_of_other_columns_are_not(tables: Any, tmp_path: Path) -> None:
    tables.range(5).write.parquet(f"{tmp_path}/files")
    run(tables, "CREATE TABLE t (id INT)")
    with pytest.raises(PySparkException):
        run(tables, f"CALL system.add_files('t', '`parquet`.`{tmp_path}/files`')")
    assert rows(tables, "SELECT count(*) FROM t") == [(0,)]


def test_a_table_of_another_tables_metadata(tables: Any) -> None:
    run(tables, "CREATE TABLE t AS SELECT id FROM range(3)", "INSERT INTO t VALUES (3)")
    ((place,),) = rows(tables, "SELECT file FROM t.metadata_log_entries ORDER BY timestamp DESC LIMIT 1")
    ((snapshot,),) = rows(tables, "SELECT snapshot_id FROM t.history ORDER BY made_current_at DESC LIMIT 1")
    call = f"CALL system.register_table(table => 'mine.u', metadata_file => '{place}')"
    assert rows(tables, call) == [(snapshot, 4, 2)]
    assert rows(tables, "SELECT sum(id) FROM u") == [(6,)]
    assert refusal(tables, call) == "TABLE_OR_VIEW_ALREADY_EXISTS"
    with pytest.raises(PySparkException, match="nowhere"):
        run(tables, "CALL system.register_table('mine.v', '/nowhere/v1.metadata.json')")
    run(tables, "DROP TABLE u")
    assert rows(tables, "SELECT sum(id) FROM t") == [(6,)]  # whose files they were


def test_a_snapshot_of_a_table_of_files(tables: Any) -> None:
    run(tables, "CREATE TABLE files USING parquet AS SELECT id, 'f' AS s FROM range(4)")
    ((count,),) = rows(tables, "CALL system.snapshot('mine.files', 'mine.t')")
    assert count >= 1
    run(tables, "DELETE FROM t WHERE id = 0", "INSERT INTO files VALUES (9, 'later')")
    assert rows(tables, "SELECT count(*) FROM t") == [(3,)] and rows(tables, "SELECT count(*) FROM files") == [(5,)]
    with pytest.raises(PySparkException, match="GC is disabled"):
        run(tables, "CALL system.expire_snapshots('t', TIMESTAMP '2100-01-01')")
    run(tables, "DROP TABLE t")
    assert rows(tables, "SELECT count(*) FROM files") == [(5,)]


def test_a_table_of_files_becomes_icebergs(tables: Any, tmp_path: Path) -> None:
    tables.range(4).write.parquet(f"{tmp_path}/files")
    run(tables, f"CREATE TABLE t USING parquet LOCATION '{tmp_path}/files'")
    ((count,),) = rows(tables, "CALL system.migrate('mine.t')")
    assert count == len(list(tmp_path.glob("files/*.parquet")))
    run(tables, "UPDATE t SET id = id + 10 WHERE id > 1")
    assert rows(tables, "SELECT * FROM t") == [(0,), (1,), (12,), (13,)]
    assert rows(tables, "SELECT count(*) FROM t_BACKUP_") == [(4,)]


def test_manifests_are_joined(tables: Any) -> None:
    run(tables, "CREATE TABLE t (id INT)", *(f"INSERT INTO t VALUES ({n})" for n in range(4)))
    ((before,),) = rows(tables, "SELECT count(*) FROM t.manifests")
    assert rows(tables, "CALL system.rewrite_manifests('t')") == [(before, 1)] and before == 4
    assert rows(tables, "SELECT count(*) FROM t.manifests") == [(1,)]
    assert rows(tables, "SELECT * FROM t") == [(0,), (1,), (2,), (3,)]
    assert rows(tables, "CALL system.rewrite_manifests('t')") == [(0, 0)]
    run(tables, "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (7)")
    assert rows(tables, "SELECT * FROM t") == [(0,), (2,), (3,), (7,)]
