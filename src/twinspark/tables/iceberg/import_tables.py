"""The procedures add_files, register_table and rewrite_manifests, and CREATE TABLE at an existing table's location."""

from collections.abc import Sequence
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.exceptions import NoSuchNamespaceError, TableAlreadyExistsError
from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _OverwriteFiles
from pyspark.sql.types import StructType

from twinspark.errors import JavaError, NotNative, reasons
from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog, key
from twinspark.tables.iceberg.sqlite_catalog import LocalCatalog, local
from twinspark.tables.iceberg.staged_write import QuickTransaction
from twinspark.tables.iceberg.types import spark_schema
from twinspark.types import same_type

ILLEGAL = "java.lang.IllegalArgumentException"
GC = "gc.enabled"  # false: other tables use the files, too, so that they are not removed with expired snapshots


def add_files(
    catalog: IcebergCatalog, identifier: Identifier, files: Sequence[str], found: StructType, check: bool
) -> tuple[int, int]:
    """Adds existing files; returns the numbers of files and partitions. The files' columns are matched by name, so
    their names must be those of the table."""
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
        raise NotNative(
            reasons.ICEBERG_TABLE, f"files without the column {missing[0]} of the table, or with another type for it"
        )
    first = pq.read_schema(files[0]) if files else None
    if any(not pq.read_schema(path).equals(first) for path in files[1:]):
        raise NotNative(reasons.ICEBERG_TABLE, "files with different columns")


def register_table(catalog: IcebergCatalog, identifier: Identifier, metadata_file: str) -> Table:
    """Creates a table from a metadata file, under an unused name."""
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


def adopt_table(catalog: IcebergCatalog, identifier: Identifier, spec: TableSpec, metadata: str) -> Table:
    """CREATE TABLE … LOCATION of an existing table, which keeps its columns and rows; the statement may repeat the
    columns. Two names in one catalog for one location are an error: commits to one would be lost for the other."""
    place = local(spec.location or "")
    spellings = (place, f"file:{place}", f"file://{place}")
    if isinstance(catalog.catalog, LocalCatalog) and any(map(catalog.catalog.is_table_location, spellings)):
        message = f"Location {place} is that of another table of this catalog"
        raise JavaError("org.apache.iceberg.exceptions.AlreadyExistsException", message)
    table = register_table(catalog, identifier, f"file://{metadata}")
    try:
        check_columns(spark_schema(table.schema(), table.properties), spec.schema, place)
    except JavaError:
        catalog.catalog.drop_table(key(identifier))
        raise
    return table


def check_columns(existing: StructType, specified: StructType, place: str) -> None:
    said = [(field.name, field.dataType) for field in specified.fields]
    if said and said != [(field.name, field.dataType) for field in existing.fields]:
        message = (
            f"The table at {place} has the schema {existing.simpleString()}, not {specified.simpleString()}: "
            "leave the columns out to keep those that are there"
        )
        raise JavaError(ILLEGAL, message)


def rewrite_manifests(catalog: IcebergCatalog, identifier: Identifier) -> tuple[int, int]:
    """Merges the data manifests of each partition spec; returns the numbers of rewritten and of added manifests."""
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
    """A snapshot with the same files in fewer manifests; the entries are unchanged."""

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
                        writer.add_entry(existing_entry(entry))
        return writer.to_manifest_file()


def existing_entry(entry: Any) -> ManifestEntry:
    return ManifestEntry.from_args(
        status=ManifestEntryStatus.EXISTING,
        snapshot_id=entry.snapshot_id,
        sequence_number=entry.sequence_number,
        file_sequence_number=entry.file_sequence_number,
        data_file=entry.data_file,
    )
