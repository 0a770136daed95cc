"""Staged writes of Iceberg tables: journal entry, data files, sync, one commit, removal of the journal entry."""

import os
import shutil
import sqlite3
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError, ValidationException
from pyiceberg.expressions import AlwaysFalse, AlwaysTrue, BooleanExpression
from pyiceberg.manifest import DataFile
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.table import CreateTableTransaction, Table, Transaction
from pyiceberg.table.refs import MAIN_BRANCH
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update import (
    AddPartitionSpecUpdate,
    AddSchemaUpdate,
    AssertDefaultSpecId,
    AssertRefSnapshotId,
    RemovePropertiesUpdate,
    RemoveSnapshotRefUpdate,
    SetCurrentSchemaUpdate,
    SetDefaultSpecUpdate,
    SetPropertiesUpdate,
)
from pyiceberg.table.update.snapshot import _OverwriteFiles
from pyiceberg.table.update.validate import _validate_data_files_exist, _validate_no_new_deletes_for_data_files
from pyspark.sql.types import StructType

from twinspark.errors import JavaError, SparkError
from twinspark.tables.files.disk_errors import FAILED, writing_to
from twinspark.tables.iceberg.commit_tasks import wait_for_commit_tasks
from twinspark.tables.iceberg.datafile import WriteTarget, copy_sql, data_files
from twinspark.tables.iceberg.manifest_index import manifests_of
from twinspark.tables.iceberg.sqlite_catalog import local, sync_files
from twinspark.tables.iceberg.types import spark_schema
from twinspark.tables.iceberg.write_cleanup import WRITE_ID, WriteCleanup
from twinspark.tables.store import Store

Commit = Callable[["StagedWrite"], None]


class CommitConflict(JavaError):
    """Another writer's commit conflicts with this write, whose files were removed.

    Clients get the class of Iceberg's Java exception, without an error condition, as through Spark.
    """

    def __init__(self, message: str, java_class: str = "CommitFailedException") -> None:
        super().__init__(f"org.apache.iceberg.exceptions.{java_class}", message)


class StagedWrite:
    """One write: rows go to files in a directory of its own, `commit` adds them to the table."""

    def __init__(
        self,
        store: Store,
        target: WriteTarget,
        location: str,
        properties: Mapping[str, str],
        lock: AbstractContextManager[Any],
        commit: Commit,
        leftovers: WriteCleanup,
    ) -> None:
        self.id = os.path.basename(target.directory)
        self.target = target
        self.files: list[DataFile] = []
        self.deleted: list[DataFile] = []
        self.batch: tuple[str, int] | None = None  # the stream and the number of the batch that is written
        self._properties = properties
        self._store, self._location, self._lock, self._commit = store, location, lock, commit
        self._leftovers = leftovers
        # Whether the commit has begun: from then on only the catalog knows whether the files belong to the table.
        self._handed_over = False
        with writing_to(local(location)):
            self._row = store.begin_write(self.id, location, target.directory)

    @property
    def schema(self) -> StructType:
        return spark_schema(self.target.schema, self._properties)

    @property
    def snapshot_properties(self) -> dict[str, str]:
        return {WRITE_ID: self.id}

    def write(self, connection: Any, select: str) -> int:
        with writing_to(local(self._location)):
            os.makedirs(self.target.directory, exist_ok=True)
            returned = connection.execute(copy_sql(self.target, select, connection)).fetchall()
        made = data_files(self.target, returned)
        self.files += made
        return sum(file.record_count for file in made)

    def delete_files(self, files: Sequence[DataFile]) -> None:
        self.deleted += files

    def commit(self) -> None:
        try:
            with writing_to(local(self._location)):
                sync_files([file.file_path for file in self.files])
                with self._lock, wait_for_commit_tasks():
                    self._handed_over = True
                    self._commit(self)
        except (CommitFailedException, ValidationException, TableAlreadyExistsError) as error:
            self.abort()
            raise conflict(error) from error
        except SparkError as error:
            if error.condition != FAILED or not self._leftovers.is_committed(self.id):
                self._undo(error)
                raise
        self._end()

    def _undo(self, error: SparkError) -> None:
        """Removes all files of a commit that failed for want of disk space."""
        if error.condition == FAILED:
            self._leftovers.remove(self._row)
            self._end()

    def abort(self) -> None:
        shutil.rmtree(self.target.directory, ignore_errors=True)
        self._end()

    def _end(self) -> None:
        """Removes the journal entry; without disk space for that, it stays, and the next start cleans up."""
        with suppress(sqlite3.OperationalError):
            self._store.end_write(self.id)

    def __enter__(self) -> "StagedWrite":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """A failure before the commit removes the files. During the commit the table may have changed already: then the
        files stay, with their journal entry, and the next start removes those that no table references."""
        if kind is not None and not self._handed_over:
            self.abort()


def conflict(error: Exception) -> CommitConflict:
    """Iceberg's exception class for conflicting rows, or for concurrent changes of the table."""
    validated = isinstance(error, ValidationException)
    return CommitConflict(str(error), "ValidationException" if validated else "CommitFailedException")


def new_target(location: str, schema: Schema, spec: PartitionSpec, schema_id: int) -> WriteTarget:
    """The path contains the schema id, so that a file's schema is known after its snapshot has expired."""
    directory = f"{local(location)}/data/s{schema_id}/{uuid.uuid4()}"
    return WriteTarget(schema, spec, directory)


class QuickTransaction(Transaction):  # type: ignore[misc]
    """A transaction that caches its metadata: PyIceberg copies it about twenty times for each commit."""

    _seen: tuple[Any, Any, Any] = (None, None, None)

    @property
    def table_metadata(self) -> Any:
        base, updates, metadata = self._seen
        if base is not self._table.metadata or updates is not self._updates:
            metadata = super().table_metadata
            self._seen = (self._table.metadata, self._updates, metadata)
        return metadata


def open_transaction(base: Table, write: StagedWrite) -> Transaction:
    """A transaction that fails if the table's partition spec is not that of the files any more."""
    transaction = QuickTransaction(base)
    transaction._stage((), (AssertDefaultSpecId(default_spec_id=write.target.spec.spec_id),))
    return transaction


def name_manifests(producer: Any, write: StagedWrite) -> Any:
    """Puts the write's id into the names of manifests, by which the clean-up finds them."""
    producer.commit_uuid = uuid.UUID(write.id)
    return producer


STREAM = "twinspark.stream."  # prefix of a table's property: the last batch of a stream that it contains


def has_batch(table: Table, stream: str, batch: int) -> bool:
    return int(table.properties.get(f"{STREAM}{stream}", -1)) >= batch


def set_batch(transaction: Transaction, base: Table, stream: str, batch: int) -> None:
    """The property changes in the same commit as the rows; another server may have committed the batch meanwhile."""
    if has_batch(base, stream, batch):
        raise CommitFailedException(f"batch {batch} of the stream {stream} is in the table")
    transaction.set_properties({f"{STREAM}{stream}": str(batch)})


def commit_append(base: Table, branch: str = MAIN_BRANCH) -> Commit:
    def commit(write: StagedWrite) -> None:
        base.refresh()
        transaction = open_transaction(base, write)
        if write.batch is not None:
            set_batch(transaction, base, *write.batch)
        commit_files(transaction, transaction._append_snapshot_producer(write.snapshot_properties, branch), write)

    return commit


def commit_files(transaction: Transaction, producer: Any, write: StagedWrite) -> None:
    """Commits one snapshot with the write's new files and without its deleted ones."""
    with name_manifests(producer, write):
        for file in write.deleted:
            producer.delete_data_file(file)
        for file in write.files:
            producer.append_data_file(file)
    table = transaction.commit_transaction()
    remove_merged_manifests(table, producer)


def remove_merged_manifests(table: Table, producer: Any) -> None:
    """Removes manifests that PyIceberg wrote and then merged into a larger one."""
    snapshot = table.snapshot_by_id(producer.snapshot_id)
    if snapshot is not None:
        used = {manifest.manifest_path for manifest in manifests_of(snapshot, table.io)}
        for path in set(producer._written_manifests) - used:
            with suppress(OSError):  # the commit is done; remove_orphans finds what is left
                table.io.delete(path)


def commit_overwrite(base: Table, conflicts: BooleanExpression, branch: str = MAIN_BRANCH) -> Commit:
    """Removes the write's deleted files and adds its new ones; concurrently added rows that match `conflicts` are a
    conflict."""

    def commit(write: StagedWrite) -> None:
        transaction = open_transaction(base, write)
        producer = transaction.update_snapshot(write.snapshot_properties, branch).overwrite()
        if conflicts != AlwaysFalse():
            producer.delete_by_predicate(conflicts)
        commit_files(transaction, producer, write)

    return commit


class RewriteFiles(_OverwriteFiles):  # type: ignore[misc]
    """An overwrite that changes no row: concurrently added rows do not conflict, removed files do."""

    def _validate_concurrency(self) -> None:
        window = self._commit_window
        if window is not None and not window.is_empty():
            table, gone = self._transaction._table, self._deleted_data_files
            _validate_data_files_exist(table, window.head, gone, window.base)
            _validate_no_new_deletes_for_data_files(table, window.head, None, gone, window.base)


def commit_rewrite(base: Table) -> Commit:
    def commit(write: StagedWrite) -> None:
        transaction = open_transaction(base, write)
        producer = RewriteFiles(
            operation=Operation.OVERWRITE,
            transaction=transaction,
            io=base.io,
            snapshot_properties=write.snapshot_properties,
        )
        commit_files(transaction, producer, write)

    return commit


EVERYTHING: BooleanExpression = AlwaysTrue()


def commit_create(transaction: CreateTableTransaction) -> Commit:
    def commit(write: StagedWrite) -> None:
        append_to(transaction, write)
        transaction.commit_transaction()

    return commit


def append_to(transaction: Transaction, write: StagedWrite) -> None:
    if write.files:
        with name_manifests(transaction.update_snapshot(write.snapshot_properties).fast_append(), write) as producer:
            for file in write.files:
                producer.append_data_file(file)


class Replacement:
    """REPLACE TABLE: new schema, spec and properties; the snapshots are kept."""

    def __init__(
        self, base: Table, schema: Schema, spec_of: Callable[[Schema], PartitionSpec], properties: Mapping[str, str]
    ) -> None:
        self.base = base
        self.last_column_id = base.metadata.last_column_id
        # All columns get new ids, even those with old names, so that old files are not read with the new schema.
        numbered = assign_fresh_schema_ids(schema, self.next_ids(self.last_column_id))
        self.schema_id = max(each.schema_id for each in base.metadata.schemas) + 1
        self.schema = Schema(*numbered.fields, schema_id=self.schema_id)
        self.spec = self.renumber_fields(spec_of(self.schema))
        self.properties = properties

    @staticmethod
    def next_ids(last: int) -> Callable[[], int]:
        counter = iter(range(last + 1, 2**31))
        return lambda: next(counter)

    def renumber_fields(self, spec: PartitionSpec) -> PartitionSpec:
        metadata = self.base.metadata
        first = (metadata.last_partition_id or PARTITION_FIELD_ID_START - 1) + 1
        fields = [
            PartitionField(field.source_id, first + at, field.transform, field.name)
            for at, field in enumerate(spec.fields)
        ]
        spec_id = max(each.spec_id for each in metadata.partition_specs) + 1 if fields else self.unpartitioned_id()
        return PartitionSpec(*fields, spec_id=spec_id)

    def unpartitioned_id(self) -> int:
        found = [spec.spec_id for spec in self.base.metadata.partition_specs if not spec.fields]
        return found[0] if found else max(each.spec_id for each in self.base.metadata.partition_specs) + 1

    def commit(self, write: StagedWrite) -> None:
        self.base.refresh()
        if self.base.metadata.last_column_id != self.last_column_id:
            raise CommitFailedException("the table's schema was changed while it was being replaced")
        head = self.base.metadata.current_snapshot()
        transaction = QuickTransaction(self.base)
        transaction._stage(self.updates())
        append_to(transaction, write)
        transaction._requirements = (
            AssertRefSnapshotId(ref=MAIN_BRANCH, snapshot_id=None if head is None else head.snapshot_id),
        )
        transaction._snapshot_producers.clear()  # a retry would rebase onto rows that are being replaced
        transaction.commit_transaction()

    def updates(self) -> tuple[Any, ...]:
        known = [spec.spec_id for spec in self.base.metadata.partition_specs]
        add_spec = () if self.spec.spec_id in known else (AddPartitionSpecUpdate(spec=self.spec),)
        gone = [key for key in self.base.metadata.properties if key not in self.properties]
        drop_head = (RemoveSnapshotRefUpdate(ref_name=MAIN_BRANCH),) if self.base.metadata.current_snapshot() else ()
        return (
            AddSchemaUpdate(schema_=self.schema),
            SetCurrentSchemaUpdate(schema_id=-1),
            *add_spec,
            SetDefaultSpecUpdate(spec_id=-1 if add_spec else self.spec.spec_id),
            *((RemovePropertiesUpdate(removals=gone),) if gone else ()),
            SetPropertiesUpdate(updates=dict(self.properties)),
            *drop_head,
        )
