"""Files and metadata that are there already become an Iceberg table's; manifests that are many become few."""

from collections.abc import Sequence
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.exceptions import NoSuchNamespaceError, TableAlreadyExistsError
from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _OverwriteFiles
from pyspark.sql.types import StructType

from twinspark.errors import JavaError, NotNative
from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog, key
from twinspark.tables.iceberg.staged import QuickTransaction
from twinspark.types import same_type

ILLEGAL = "java.lang.IllegalArgumentException"
GC = "gc.enabled"  # false: files are others' too, and are not removed with the snapshots that name them


def add_files(
    catalog: IcebergCatalog, identifier: Identifier, files: Sequence[str], found: StructType, check: bool
) -> tuple[int, int]:
    """How many files came in, and into how many partitions. They are read by their columns' names, so these must be the
    table's."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        check_alike(catalog.load_table(identifier).schema, found, files)
        before = partitions_of(base)
        transaction = QuickTransaction(base)
        try:
            transaction.add_files([f"file://{path}" for path in files], check_duplicate_files=check)
        except ValueError as error:
            raise JavaError("java.lang.IllegalStateException", str(error)) from error
        transaction.commit_transaction()
        return len(files), len(partitions_of(catalog.load(identifier)) - before) or min(len(files), 1)


def partitions_of(table: Table) -> set[str]:
    return {str(task.file.partition) for task in table.scan().plan_files()}


def check_alike(wanted: StructType, found: StructType, files: Sequence[str]) -> None:
    types = {field.name: field.dataType for field in found.fields}
    missing = [f.name for f in wanted.fields if f.name not in types or not same_type(types[f.name], f.dataType)]
    if missing:
        raise NotNative(f"files without the column {missing[0]} of the table, or with one of another type")
    first = pq.read_schema(files[0]) if files else None
    if any(not pq.read_schema(path).equals(first) for path in files[1:]):
        raise NotNative("files with different columns")


def register_table(catalog: IcebergCatalog, identifier: Identifier, metadata_file: str) -> Table:
    """A table of the metadata in that file, under a name that is free."""
    if not catalog.catalog._load_file_io(location=metadata_file).new_input(metadata_file).exists():
        message = f"Failed to open input stream for file: {metadata_file}"
        raise JavaError("org.apache.iceberg.exceptions.NotFoundException", message)
    try:
        return catalog.catalog.register_table(key(identifier), metadata_file)
    except TableAlreadyExistsError as error:
        raise JavaError(
            "org.apache.iceberg.exceptions.AlreadyExistsException", f"Table already exists: {identifier}"
        ) from error
    except NoSuchNamespaceError as error:
        raise catalog.no_namespace(identifier.namespace) from error


def rewrite_manifests(catalog: IcebergCatalog, identifier: Identifier) -> tuple[int, int]:
    """Data manifests of one spec become one; how many were joined, and how many there are instead."""
    with catalog.lock(identifier):
        base = catalog.load(identifier)
        snapshot = base.current_snapshot()
        manifests = [] if snapshot is None else snapshot.manifests(base.io)
        joined = joinable(manifests)
        if not joined:
            return 0, 0
        transaction = QuickTransaction(base)
        with JoinManifests(operation=Operation.OVERWRITE, transaction=transaction, io=base.io) as producer:
            producer.joined = joined
        transaction.commit_transaction()
        return len(joined), len({each.partition_spec_id for each in joined})


def joinable(manifests: Sequence[ManifestFile]) -> list[ManifestFile]:
    data = [each for each in manifests if each.content == ManifestContent.DATA]
    specs = [each.partition_spec_id for each in data]
    return [each for each in data if specs.count(each.partition_spec_id) > 1]


class JoinManifests(_OverwriteFiles):  # type: ignore[misc]
    """A snapshot of the same files, named in fewer manifests; what is known of each file stays with it."""

    joined: list[ManifestFile]

    def _existing_manifests(self) -> list[ManifestFile]:
        snapshot = self._transaction.table_metadata.snapshot_by_name(name=self._target_branch)
        paths = {each.manifest_path for each in self.joined}
        others = [each for each in snapshot.manifests(self._io) if each.manifest_path not in paths]
        return [*(self.join(spec_id) for spec_id in sorted({e.partition_spec_id for e in self.joined})), *others]

    def join(self, spec_id: int) -> ManifestFile:
        with self.new_manifest_writer(self.spec(spec_id)) as writer:
            for manifest in self.joined:
                if manifest.partition_spec_id == spec_id:
                    for entry in manifest.fetch_manifest_entry(self._io, discard_deleted=True):
                        writer.add_entry(kept(entry))
        return writer.to_manifest_file()


def kept(entry: Any) -> ManifestEntry:
    return ManifestEntry.from_args(
        status=ManifestEntryStatus.EXISTING,
        snapshot_id=entry.snapshot_id,
        sequence_number=entry.sequence_number,
        file_sequence_number=entry.file_sequence_number,
        data_file=entry.data_file,
    )
