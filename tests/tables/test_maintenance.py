"""Upkeep of tables, and writers at the same time."""

import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier, TableSpec, Version
from twinspark.tables.changes import AddColumn, SetProperty
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import delete
from twinspark.tables.iceberg.maintenance import (
    compact,
    expire_snapshots,
    keep_short,
    remove_orphans,
    rollback_to_snapshot,
    rollback_to_timestamp,
    sweep,
)
from twinspark.tables.iceberg.metadata import TABLES, metadata_table

T = Identifier.of("db", "t")
SCHEMA = StructType([StructField("id", LongType())])
ALL_TIME = 2**60


@pytest.fixture()
def table(catalog: IcebergCatalog, duck: Any) -> IcebergCatalog:
    catalog.create_table(T, TableSpec(SCHEMA))
    for at in range(5):
        append(catalog, duck, at)
    return catalog


def append(catalog: IcebergCatalog, duck: Any, at: int) -> None:
    with catalog.stage_append(T) as write:
        write.write(duck, f"SELECT {at} AS id")
        write.commit()


def files_on_disk(catalog: IcebergCatalog) -> int:
    place = Path(catalog.load(T).location().removeprefix("file://"))
    return len(list(place.rglob("*.parquet")))


def test_compaction(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    before = rows(T)
    done = compact(table, T, duck)
    assert (done.rewritten_files, done.added_files) == (5, 1)
    assert rows(T) == before and len(table.load_table(T).scan().files) == 1
    assert compact(table, T, duck).rewritten_files == 0
    table.alter_table(T, [AddColumn((), "n", IntegerType())])
    assert compact(table, T, duck).rewritten_files == 1  # now in the current schema, read without reshaping
    assert len(table.load_table(T).scan().groups) == 1


def test_compaction_lets_appends_in(table: IcebergCatalog, duck: Any, rows: Any, monkeypatch: Any) -> None:
    from twinspark.tables.iceberg.staged_write import StagedWrite

    original, once = StagedWrite.commit, [True]

    def commit(write: StagedWrite) -> None:
        if once.pop() if once else False:
            append(table, duck, 77)
        original(write)

    monkeypatch.setattr(StagedWrite, "commit", commit)
    compact(table, T, duck)
    assert rows(T) == [(0,), (1,), (2,), (3,), (4,), (77,)]


def test_expiry_removes_files_nobody_needs(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    compact(table, T, duck)
    old = str(table.load(T).snapshots()[0].snapshot_id)
    table.load(T).manage_snapshots().create_tag(int(old), "kept").commit()
    assert files_on_disk(table) == 6
    gone = expire_snapshots(table, T, ALL_TIME)
    assert len([path for path in gone if path.endswith(".parquet")]) == 4
    assert rows(T) == [(0,), (1,), (2,), (3,), (4,)]
    assert rows(T, version=Version("kept")) == [(0,)]
    assert len(table.load(T).snapshots()) == 2 and files_on_disk(table) == 2
    assert remove_orphans(table, T, ALL_TIME) == []


def test_history_stays_short(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    table.alter_table(T, [SetProperty("history.expire.min-snapshots-to-keep", "3")])
    keep_short(table, T, slack=10)
    assert len(table.load(T).snapshots()) == 5
    keep_short(table, T, slack=1)
    assert len(table.load(T).snapshots()) == 3
    assert len(rows(T)) == 5


def test_orphans(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    place = Path(table.load(T).location().removeprefix("file://"))
    stray = place / "data" / "stray.parquet"
    stray.write_bytes(b"x")
    running = table.stage_append(T)
    running.write(duck, "SELECT 9 AS id")
    assert remove_orphans(table, T) == []  # young files may belong to a write
    assert remove_orphans(table, T, ALL_TIME) == [str(stray)]
    running.commit()
    assert len(rows(T)) == 6


def test_sweep_leaves_the_living_alone(table: IcebergCatalog, duck: Any) -> None:
    running = table.stage_append(T)
    running.write(duck, "SELECT 9 AS id")
    assert sweep(table) == []
    running.commit()


def test_rollback(table: IcebergCatalog, duck: Any, rows: Any) -> None:
    second = table.load(T).snapshots()[1]
    delete(table, T, duck, "true")
    assert rows(T) == []
    rollback_to_snapshot(table, T, second.snapshot_id)
    assert rows(T) == [(0,), (1,)]
    append(table, duck, 8)
    assert rows(T) == [(0,), (1,), (8,)]
    time.sleep(0.01)
    now = int(datetime.now(UTC).timestamp() * 1000)
    time.sleep(0.01)
    append(table, duck, 9)
    rollback_to_timestamp(table, T, now)
    assert rows(T) == [(0,), (1,), (8,)]
    with pytest.raises(SparkError):
        rollback_to_snapshot(table, T, 5)


def test_metadata_tables(table: IcebergCatalog) -> None:
    loaded = table.load(T)
    counts = {name: metadata_table(loaded, name).num_rows for name in TABLES}  # type: ignore[union-attr]
    assert (counts["history"], counts["snapshots"], counts["files"], counts["refs"]) == (5, 5, 5, 1)
    assert metadata_table(loaded, "none") is None


def test_threads_append_without_loss(catalog: IcebergCatalog) -> None:
    catalog.create_table(T, TableSpec(SCHEMA))
    failures: list[BaseException] = []

    def work(number: int) -> None:
        own = duckdb.connect(config={"threads": "1"})
        try:
            for at in range(5):
                append(catalog, own, number * 1000 + at)
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert catalog.load_table(T).scan().rows == 40


def test_processes_append_without_loss(catalog: IcebergCatalog, rows: Any) -> None:
    catalog.create_table(T, TableSpec(SCHEMA))
    directory = str(Path(catalog.store.database).parent)
    script = str(Path(__file__).parent / "appending_process.py")
    running = [subprocess.Popen([sys.executable, script, directory, str(n), "5"]) for n in range(4)]
    assert [process.wait(240) for process in running] == [0, 0, 0, 0]
    assert rows(T) == sorted([(n * 1000 + at,) for n in range(4) for at in range(5)], key=repr)
    assert sweep(catalog) == [] and remove_orphans(catalog, T, ALL_TIME) == []
