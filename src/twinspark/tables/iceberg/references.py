"""Creates, replaces and drops branches and tags of an Iceberg table; fast_forward, cherrypick and publish_changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyiceberg.manifest import DataFile, ManifestContent, ManifestEntryStatus
from pyiceberg.table import Table
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot

from twinspark.errors import JavaError
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.maintenance import ancestors, ids, set_current_snapshot
from twinspark.tables.iceberg.manifest_index import manifests_of
from twinspark.tables.iceberg.staged_write import CommitConflict, QuickTransaction
from twinspark.tables.iceberg.table import IcebergTable

ILLEGAL = "java.lang.IllegalArgumentException"
SOURCE, STAGED, PUBLISHED = "source-snapshot-id", "wap.id", "published-wap-id"


@dataclass(frozen=True)
class Reference:
    """The definition of a branch or tag; times in milliseconds, None: the table's defaults."""

    kind: str
    name: str
    snapshot_id: int | None = None
    max_age: int | None = None
    snapshot_age: int | None = None
    snapshots: int | None = None


def make(
    catalog: IcebergCatalog, identifier: Identifier, wanted: Reference, create: bool, replace: bool, if_absent: bool
) -> None:
    """CREATE, REPLACE, CREATE OR REPLACE."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        there = base.metadata.refs.get(wanted.name)
        if there is not None and not replace:
            if if_absent:
                return
            raise JavaError(ILLEGAL, f"Ref {wanted.name} already exists")
        if there is None and not create:
            raise JavaError(ILLEGAL, f"{wanted.kind.capitalize()} does not exist: {wanted.name}")
        if there is not None and there.snapshot_ref_type != wanted.kind:
            raise JavaError(ILLEGAL, f"Ref {wanted.name} is a {there.snapshot_ref_type}, not a {wanted.kind}")
        point(base, wanted, snapshot_for(base, identifier, wanted))


def snapshot_for(base: Table, identifier: Identifier, wanted: Reference) -> int:
    if wanted.snapshot_id is not None:
        if base.snapshot_by_id(wanted.snapshot_id) is None:
            raise IcebergTable(identifier, base).not_there(f"VERSION AS OF {wanted.snapshot_id}")
        return wanted.snapshot_id
    current = base.current_snapshot()
    if current is None:
        raise JavaError(ILLEGAL, f"Cannot make {wanted.kind} {wanted.name}: the table has no snapshot")
    return int(current.snapshot_id)


def point(base: Table, wanted: Reference, snapshot_id: int) -> None:
    change = base.manage_snapshots()
    if wanted.kind == SnapshotRefType.TAG:
        change.create_tag(snapshot_id, wanted.name, wanted.max_age).commit()
    else:
        change.create_branch(snapshot_id, wanted.name, wanted.max_age, wanted.snapshot_age, wanted.snapshots).commit()


def drop(catalog: IcebergCatalog, identifier: Identifier, kind: str, name: str, if_there: bool) -> None:
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        there = base.metadata.refs.get(name)
        if there is None or there.snapshot_ref_type != kind:
            if if_there:
                return
            raise JavaError(ILLEGAL, f"{kind.capitalize()} does not exist: {name}")
        if name == MAIN_BRANCH:
            raise JavaError(ILLEGAL, "Cannot remove main branch")
        change = base.manage_snapshots()
        (change.remove_tag(name) if kind == SnapshotRefType.TAG else change.remove_branch(name)).commit()


def fast_forward(catalog: IcebergCatalog, identifier: Identifier, branch: str, to: str) -> tuple[int | None, int]:
    """Moves the branch to the other's snapshot, if that is a descendant; returns the snapshots before and after."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        refs = base.metadata.refs
        if to not in refs:
            raise JavaError(ILLEGAL, f"Ref does not exist: {to}")
        target = int(refs[to].snapshot_id)
        before = int(refs[branch].snapshot_id) if branch in refs else None
        if before is not None and before not in ids(list(ancestors(base, target))):
            raise JavaError(ILLEGAL, f"Cannot fast-forward: {branch} is not an ancestor of {to}")
        if branch == MAIN_BRANCH:
            base.manage_snapshots().set_current_snapshot(target).commit()
        else:
            point(base, Reference("branch", branch), target)
        return before, target


def cherry_pick(catalog: IcebergCatalog, identifier: Identifier, snapshot_id: int) -> int:
    """Commits the files that a snapshot added on top of the current one, or that snapshot itself if it is its child."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        picked = base.snapshot_by_id(snapshot_id)
        if picked is None:
            raise IcebergTable(identifier, base).not_there(f"VERSION AS OF {snapshot_id}")
        current = base.current_snapshot()
        if current is not None and picked.parent_snapshot_id != current.snapshot_id:
            check_appended(base, picked)
            return append_again(base, picked)
    set_current_snapshot(catalog, identifier, snapshot_id)
    return snapshot_id


def check_appended(base: Table, picked: Snapshot) -> None:
    if picked.summary is None or picked.summary.operation != Operation.APPEND:
        raise CommitConflict(f"Cannot cherry-pick snapshot {picked.snapshot_id}: not append", "ValidationException")
    line = list(ancestors(base, None))
    published = {each.summary.additional_properties.get(SOURCE) for each in line if each.summary is not None}
    if picked.snapshot_id in ids(line) or str(picked.snapshot_id) in published:
        raise CommitConflict(
            f"Cannot cherry-pick snapshot {picked.snapshot_id}: already an ancestor",
            "CherrypickAncestorCommitException",
        )


def append_again(base: Table, picked: Snapshot) -> int:
    assert picked.summary is not None
    summary = {SOURCE: str(picked.snapshot_id)}
    if staged := picked.summary.additional_properties.get(STAGED):
        summary[PUBLISHED] = staged
    transaction = QuickTransaction(base)
    with transaction.update_snapshot(summary).fast_append() as producer:
        for file in added_files(base, picked):
            producer.append_data_file(file)
    transaction.commit_transaction()
    return int(producer.snapshot_id)


def added_files(base: Table, snapshot: Snapshot) -> list[DataFile]:
    return [
        entry.data_file
        for manifest in manifests_of(snapshot, base.io)
        if manifest.content == ManifestContent.DATA and manifest.added_snapshot_id == snapshot.snapshot_id
        for entry in manifest.fetch_manifest_entry(base.io, discard_deleted=True)
        if entry.status == ManifestEntryStatus.ADDED and entry.snapshot_id == snapshot.snapshot_id
    ]


def staged_as(base: Table, wap_id: str) -> int:
    """The snapshot that was staged with that write-audit-publish id."""
    found: Sequence[Snapshot] = [
        each
        for each in base.metadata.snapshots
        if each.summary is not None and each.summary.additional_properties.get(STAGED) == wap_id
    ]
    if not found:
        raise CommitConflict(f"Cannot apply unknown WAP ID '{wap_id}'", "ValidationException")
    return int(found[-1].snapshot_id)
