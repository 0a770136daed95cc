"""Table maintenance: compaction, snapshot expiry, orphan files, rollback, and the clean-up after a crash."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyiceberg.exceptions import CommitFailedException
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.table.update import RemoveSnapshotsUpdate

from twinspark.errors import JavaError
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog, current_target
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.iceberg.staged_write import CommitConflict, commit_rewrite
from twinspark.tables.iceberg.table import IcebergTable, PlannedFile
from twinspark.tables.iceberg.write_cleanup import (
    all_files,
    clean_up,
    delete_files,
    known_files,
    reachable,
    reachable_metadata,
)
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.store import is_alive

DAY_MS = 24 * 3600 * 1000
SMALL_FILE = 384 << 20  # three quarters of Iceberg's target size of 512 MiB
# Defaults of the arguments of Iceberg's procedures.
ORPHAN_AGE_MS = 3 * DAY_MS
SNAPSHOT_AGE_MS = 5 * DAY_MS


@dataclass(frozen=True)
class Compaction:
    """The numbers of files and bytes of a finished compaction."""

    rewritten_files: int
    added_files: int
    rewritten_bytes: int = 0


@dataclass(frozen=True)
class Choice:
    """Which files a compaction rewrites: small ones if a partition has enough of them, or all, of those that may
    contain rows for which the predicate is true. `order` (SQL) is the sort order of the new files."""

    small: int = SMALL_FILE
    least: int = 2
    everything: bool = False
    predicate: Predicate | None = None
    order: str = ""


def compact(
    catalog: IcebergCatalog, identifier: Identifier, connection: Any, choice: Choice | None = None
) -> Compaction:
    """Rewrites the small files of each partition, and files of an older schema or spec, without changing rows."""
    base = catalog.load(identifier)
    table = IcebergTable(identifier, base)
    choice = choice or Choice()
    deletes = table.deletes(base.current_snapshot())
    planned, _ = table.plan(choice.predicate, base.current_snapshot(), base.schema())
    chosen = worth_rewriting(planned, base, choice)
    if not chosen:
        return Compaction(0, 0)
    with catalog.staged_write(identifier, base, current_target(base), commit_rewrite(base), base.properties) as write:
        scan = table.scan_of(chosen, base.schema(), len(planned), deletes)
        ordered = f" ORDER BY {choice.order}" if choice.order else ""
        write.write(connection, f"SELECT * FROM {duck_scan(scan)}{ordered}")
        write.delete_files([each.file for each in chosen])
        write.commit()
        return Compaction(len(chosen), len(write.files), sum(each.file.file_size_in_bytes for each in chosen))


def worth_rewriting(planned: list[PlannedFile], base: Table, choice: Choice) -> list[PlannedFile]:
    partitions: dict[tuple[Any, ...], list[PlannedFile]] = {}
    for each in planned:
        partitions.setdefault(partition_of(each.file), []).append(each)
    current = (base.schema().schema_id, base.spec().spec_id)
    return [
        each
        for files in partitions.values()
        for each in files
        if choice.everything
        or (each.schema_id, each.file.spec_id) != current
        or (is_small(each, choice) and sum(is_small(other, choice) for other in files) >= max(choice.least, 2))
    ]


def is_small(each: PlannedFile, choice: Choice) -> bool:
    return bool(each.file.file_size_in_bytes < choice.small)


def partition_of(file: DataFile) -> tuple[Any, ...]:
    return (file.spec_id, *(file.partition[at] for at in range(len(file.partition))))


def expire_snapshots(
    catalog: IcebergCatalog,
    identifier: Identifier,
    older_than_ms: int | None = None,
    retain_last: int = 1,
    snapshot_ids: Sequence[int] = (),
) -> list[str]:
    """Expires snapshots that are older, not among the last ones and not referenced, and those with the given ids;
    returns the files that were removed."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        check_not_shared(base, "Cannot expire snapshots: GC is disabled (deleting files may corrupt other tables)")
        gone = expired_snapshots(base, now_ms() if older_than_ms is None else older_than_ms, retain_last)
        gone += [chosen_snapshot(base, identifier, each) for each in snapshot_ids if each not in ids(gone)]
        if not gone:
            return []
        reach = reachable_metadata if only_appended(base.metadata.snapshots) else reachable
        theirs = set(reach(base, gone))
        forget(base, [snapshot.snapshot_id for snapshot in gone])
        base.refresh()
        unused = sorted(theirs - set(reach(base, base.metadata.snapshots)))
    delete_files(unused)
    return unused


def forget(table: Table, snapshot_ids: list[int]) -> None:
    transaction = table.transaction()
    transaction._stage((RemoveSnapshotsUpdate(snapshot_ids=snapshot_ids),))
    try:
        transaction.commit_transaction()
    except ValueError as error:  # PyIceberg's error for a missing snapshot: another writer expired it
        known = {snapshot.snapshot_id for snapshot in table.refresh().metadata.snapshots}
        if known.issuperset(snapshot_ids):
            raise
        raise CommitConflict(str(error)) from error


KEPT_SNAPSHOTS = "history.expire.min-snapshots-to-keep"
DEFAULT_KEPT = 100


def keep_short(catalog: IcebergCatalog, identifier: Identifier, slack: int = 20) -> None:
    """Called after commits: expires snapshots beyond those that the table keeps, every few commits.

    Otherwise each commit would write metadata with all snapshots ever made. The preceding commit is valid in any case:
    if another writer interferes, or the table was dropped, a later commit expires them.
    """
    with suppress(CommitConflict, CommitFailedException):
        if not catalog.table_exists(identifier):
            return
        table = catalog.load(identifier)
        kept = int(table.properties.get(KEPT_SNAPSHOTS, DEFAULT_KEPT))
        if not is_shared(table) and len(table.metadata.snapshots) > kept + slack:
            expire_snapshots(catalog, identifier, retain_last=kept)


def expired_snapshots(table: Table, older_than_ms: int, retain_last: int) -> list[Snapshot]:
    named = {reference.snapshot_id for reference in table.metadata.refs.values()}
    by_age = sorted(table.metadata.snapshots, key=lambda snapshot: snapshot.timestamp_ms)
    kept = {snapshot.snapshot_id for snapshot in by_age[-max(retain_last, 1) :]} | named
    return [s for s in by_age if s.timestamp_ms < older_than_ms and s.snapshot_id not in kept]


def only_appended(snapshots: Sequence[Snapshot]) -> bool:
    """Whether every snapshot has all files of its parent: then expiring old ones removes no data file."""
    line = zip([None, *(snapshot.snapshot_id for snapshot in snapshots)], snapshots, strict=False)
    return all(
        snapshot.summary is not None
        and snapshot.summary.operation == Operation.APPEND
        and (snapshot.parent_snapshot_id == before or before is None)
        for before, snapshot in line
    )


def ids(snapshots: Sequence[Snapshot]) -> set[int]:
    return {int(each.snapshot_id) for each in snapshots}


def chosen_snapshot(table: Table, identifier: Identifier, snapshot_id: int) -> Snapshot:
    """A snapshot of the table that no branch or tag references."""
    found = table.snapshot_by_id(snapshot_id)
    if found is None:
        raise IcebergTable(identifier, table).not_there(f"VERSION AS OF {snapshot_id}")
    if snapshot_id in {reference.snapshot_id for reference in table.metadata.refs.values()}:
        raise JavaError("java.lang.IllegalArgumentException", f"a branch or tag names snapshot {snapshot_id}")
    return found


def remove_orphans(
    catalog: IcebergCatalog, identifier: Identifier, older_than_ms: int | None = None, dry_run: bool = False
) -> list[str]:
    """Removes files in the table's location that no metadata references; recent ones may belong to a running write."""
    base = catalog.load(identifier)
    check_not_shared(base, "Cannot delete orphan files: GC is disabled (deleting files may corrupt other tables)")
    limit = now_ms() - ORPHAN_AGE_MS if older_than_ms is None else older_than_ms
    named = known_files(base)
    busy = tuple(row.directory + "/" for row in catalog.store.staged_writes())
    found = [
        path
        for path in all_files(local(base.location()))
        if path not in named and not path.startswith(busy) and os.stat(path).st_mtime * 1000 < limit
    ]
    if not dry_run:
        delete_files(found)
    return found


def is_shared(table: Table) -> bool:
    """Whether other tables use its files, too, so that this one must not remove them."""
    return bool(table.properties.get("gc.enabled", "true").lower() == "false")


def check_not_shared(table: Table, message: str) -> None:
    if is_shared(table):
        raise CommitConflict(message, "ValidationException")


def now_ms() -> int:
    return int(time.time() * 1000) + 1


def rollback_to_snapshot(catalog: IcebergCatalog, identifier: Identifier, snapshot_id: int) -> None:
    """Makes an ancestor the current snapshot."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        if base.snapshot_by_id(snapshot_id) is None:
            raise IcebergTable(identifier, base).not_there(f"VERSION AS OF {snapshot_id}")
        if snapshot_id not in ids(list(ancestors(base, None))):
            raise CommitConflict(f"snapshot {snapshot_id} is no ancestor of the present one", "ValidationException")
        base.manage_snapshots().rollback_to_snapshot(snapshot_id).commit()


def set_current_snapshot(catalog: IcebergCatalog, identifier: Identifier, snapshot_id: int) -> None:
    """The same for any existing snapshot, whether or not it is an ancestor."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        if base.snapshot_by_id(snapshot_id) is None:
            raise IcebergTable(identifier, base).not_there(f"VERSION AS OF {snapshot_id}")
        base.manage_snapshots().set_current_snapshot(snapshot_id).commit()


def ancestors(table: Table, snapshot_id: int | None) -> Iterator[Snapshot]:
    """A snapshot and its ancestors, as far as the metadata goes."""
    current = table.current_snapshot() if snapshot_id is None else table.snapshot_by_id(snapshot_id)
    while current is not None:
        yield current
        parent = current.parent_snapshot_id
        current = None if parent is None else table.snapshot_by_id(parent)


def rollback_to_timestamp(catalog: IcebergCatalog, identifier: Identifier, timestamp_ms: int) -> None:
    with catalog.lock(identifier):
        catalog.load(identifier).manage_snapshots().rollback_to_timestamp(timestamp_ms).commit()


def sweep(catalog: IcebergCatalog) -> list[str]:
    """Removes the files of uncommitted writes of dead processes. Returns the write ids."""
    dead = [row for row in catalog.store.staged_writes() if not is_alive(row.owner)]
    tables = {local(table.location()): table for table in all_tables(catalog)} if dead else {}
    for row in dead:
        clean_up(row, tables.get(local(row.location)), catalog.home)
        catalog.store.end_write(row.id)
    return [row.id for row in dead]


def all_tables(catalog: IcebergCatalog) -> Iterator[Table]:
    for namespace in catalog.list_namespaces():
        for identifier in catalog.list_tables(namespace):
            yield catalog.load(identifier)
