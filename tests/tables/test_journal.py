"""What the journal of writes must never do: remove rows that a table has, or files that were never a write's."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.locks import TableLock
from twinspark.tables.iceberg.maintenance import expire_snapshots, forget, keep_short, sweep
from twinspark.tables.iceberg.staged_write import CommitConflict, StagedWrite
from twinspark.tables.store import Store

T = Identifier.of("db", "t")
SCHEMA = StructType([StructField("id", LongType())])
NOBODY = "4194305:0"  # beyond the largest process number


@pytest.fixture()
def table(catalog: IcebergCatalog) -> IcebergCatalog:
    catalog.create_table(T, TableSpec(SCHEMA))
    return catalog


def append(catalog: IcebergCatalog, duck: Any, value: int) -> None:
    with catalog.stage_append(T) as write:
        write.write(duck, f"SELECT {value} AS id")
        write.commit()


def written_by_the_dead(catalog: IcebergCatalog, write: StagedWrite) -> None:
    with catalog.store.transaction() as connection:
        connection.execute("UPDATE twinspark_staged_writes SET owner = ? WHERE id = ?", (NOBODY, write.id))


def test_rows_stay_though_their_snapshot_is_forgotten(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    """The writer died after its commit, others went on, and history was cut before anybody swept."""
    write = table.stage_append(T)
    write.write(duck, "SELECT 1 AS id")
    write._commit(write)
    written_by_the_dead(table, write)
    append(table, duck, 2)
    expire_snapshots(table, T)
    assert sweep(table) == [write.id]
    assert rows(T) == [(1,), (2,)]


def test_a_failure_after_the_commit_keeps_the_rows(
    table: IcebergCatalog, duck: Any, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "end_write", fail)
        with pytest.raises(OSError, match="no space"):
            append(table, duck, 7)
    assert rows(T) == [(7,)]
    (left,) = table.store.staged_writes()
    with table.store.transaction() as connection:
        connection.execute("UPDATE twinspark_staged_writes SET owner = ?", (NOBODY,))
    assert sweep(table) == [left.id]
    assert rows(T) == [(7,)]


def test_a_creation_that_was_never_committed_leaves_the_place_as_it_was(
    catalog: IcebergCatalog, duck: Any, tmp_path: Path
) -> None:
    place = tmp_path / "elsewhere"
    (place / "data").mkdir(parents=True)
    (place / "data" / "mine.txt").write_text("not a table's")
    write = catalog.stage_create(T, TableSpec(SCHEMA, location=str(place)))
    write.write(duck, "SELECT 1 AS id")
    written_by_the_dead(catalog, write)
    assert sweep(catalog) == [write.id]
    assert [str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()] == ["data/mine.txt"]


def test_history_cut_by_two(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    for at in range(4):
        append(table, duck, at)
    base = table.load(T)
    old = [snapshot.snapshot_id for snapshot in base.metadata.snapshots[:2]]
    expire_snapshots(table, T)
    with pytest.raises(CommitConflict):
        forget(base, old)
    keep_short(table, T, slack=-100)
    keep_short(table, Identifier.of("db", "gone"))
    assert rows(T) == [(0,), (1,), (2,), (3,)]


def test_processes_wait_for_each_other(tmp_path: Path) -> None:
    """Two locks on one file, as two processes have them."""
    mine, theirs = (TableLock(str(tmp_path / "t.lock")) for _ in range(2))
    taken = threading.Event()

    def take() -> None:
        with theirs:
            taken.set()

    with mine, mine:
        other = threading.Thread(target=take)
        other.start()
        assert not taken.wait(0.2)
    other.join()
    assert taken.is_set()
