"""A loaded Iceberg table: schema, partitioning and snapshots, and scans that are planned from its manifests."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Snapshot
from pyspark.sql.types import StructType

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.catalog import Identifier, ScanGroup, TableScan, Version
from twinspark.tables.iceberg.deletes import ByValue, Deletes, deletes_of, equality_deletes
from twinspark.tables.iceberg.manifest_index import ManifestIndex, indexes_of, matching
from twinspark.tables.iceberg.schemas import reading
from twinspark.tables.iceberg.spec import spark_transforms
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.iceberg.types import spark_schema
from twinspark.tables.predicates import Predicate
from twinspark.tables.transforms import Transform
from twinspark.types import quote_identifier

SCHEMA_IN_PATH = re.compile(r"/data/s(\d+)/[0-9a-f-]{36}/[^/]+$")
NO_DELETES = Deletes()
INTERNAL = ("twinspark.type.", "twinspark.default.", "commit.", "write.metadata.", "write.parquet.", "history.")


@dataclass(frozen=True)
class PlannedFile:
    """A data file and the schema it was written with."""

    file: DataFile
    schema_id: int
    sequence: int = 0


@dataclass(frozen=True)
class IcebergTable:
    identifier: Identifier
    table: Table
    branch: str = MAIN_BRANCH

    @property
    def head(self) -> Snapshot | None:
        """The current snapshot of the branch; None before its first write."""
        if self.branch == MAIN_BRANCH:
            return self.table.current_snapshot()
        return self.table.snapshot_by_name(self.branch)

    @property
    def provider(self) -> str:
        return "iceberg"

    @property
    def schema(self) -> StructType:
        return spark_schema(self.table.schema(), self.table.properties)

    @property
    def partitioning(self) -> tuple[Transform, ...]:
        return spark_transforms(self.table.schema(), self.table.spec())

    @property
    def properties(self) -> Mapping[str, str]:
        return {key: value for key, value in self.table.properties.items() if not key.startswith(INTERNAL)}

    @property
    def location(self) -> str:
        return str(self.table.location())

    def scan(self, predicate: Predicate | None = None, version: Version | None = None) -> TableScan:
        snapshot = self.snapshot(version)
        schema = self.schema_at(snapshot, version)
        planned, total = self.plan(predicate, snapshot, schema)
        return self.scan_of(planned, schema, total, self.deletes(snapshot))

    def deletes(self, snapshot: Snapshot | None) -> Deletes:
        """The delete files of other writers; this engine writes none."""
        return deletes_of(snapshot, self.table.io, self.schema_of)

    def plan(
        self, predicate: Predicate | None, snapshot: Snapshot | None, schema: Schema
    ) -> tuple[list[PlannedFile], int]:
        """The files that may contain matching rows, and the number of all files."""
        indexes = indexes_of(snapshot, self.table.io)
        kept: list[PlannedFile] = []
        for index in indexes:
            mask = None if predicate is None else matching(predicate, index, self.table.metadata, schema)
            chosen = range(len(index.files)) if mask is None else mask.nonzero()[0].tolist()
            kept += [self.planned_file(index, at) for at in chosen]
        return kept, sum(len(index.files) for index in indexes)

    def planned_file(self, index: ManifestIndex, at: int) -> PlannedFile:
        file = index.files[at]
        return PlannedFile(file, self.schema_of(file, index.snapshot_ids[at]), index.sequences[at])

    def schema_of(self, file: DataFile, snapshot_id: int) -> int:
        found = SCHEMA_IN_PATH.search(file.file_path)
        if found:
            return int(found[1])
        snapshot = self.table.metadata.snapshot_by_id(snapshot_id)
        if snapshot is None or snapshot.schema_id is None:
            raise NotNative(reasons.ICEBERG_TABLE, "files whose schema is no longer in the metadata")
        return int(snapshot.schema_id)

    def scan_of(
        self, planned: list[PlannedFile], schema: Schema, total: int, deletes: Deletes = NO_DELETES
    ) -> TableScan:
        """Groups files by schema and by the deletes that apply to them."""
        groups: dict[tuple[int, tuple[ByValue, ...]], list[DataFile]] = {}
        for each in planned:
            if each.file.file_format != FileFormat.PARQUET:
                raise NotNative(reasons.ICEBERG_TABLE, f"data files in the format {each.file.file_format}")
            groups.setdefault((each.schema_id, self.concerning(each, deletes)), []).append(each.file)
        ordered = sorted(groups.items(), key=lambda group: group[0][0])
        files = [each.file for each in planned]
        return TableScan(
            spark_schema(schema, self.table.properties),
            tuple(self.group(*key, found, schema, deletes.places) for key, found in ordered),
            sum(file.record_count for file in files),
            sum(file.file_size_in_bytes for file in files),
            total,
        )

    def concerning(self, planned: PlannedFile, deletes: Deletes) -> tuple[ByValue, ...]:
        specs = self.table.metadata.specs()
        return tuple(
            each
            for each in deletes.by_value
            if each.concerns(planned.file, planned.sequence, bool(specs[each.file.spec_id].fields))
        )

    def group(
        self,
        schema_id: int,
        by_value: tuple[ByValue, ...],
        files: list[DataFile],
        schema: Schema,
        places: tuple[str, ...],
    ) -> ScanGroup:
        schemas = self.table.schemas()
        written = schemas[schema_id]
        fields = reading(written, schema, self.table.properties)
        paths = tuple(local(file.file_path) for file in files)
        equal = tuple(equality_deletes(by_value, written, schemas))
        return ScanGroup(paths, fields, spark_schema(written, {}), places, equal)

    def snapshot(self, version: Version | None = None) -> Snapshot | None:
        if version is None:
            return self.head
        if version.timestamp_ms is not None:
            return self.snapshot_at(version.timestamp_ms)
        return self.named_snapshot(str(version.snapshot))

    def snapshot_at(self, timestamp_ms: int) -> Snapshot:
        entries = [entry for entry in self.table.history() if entry.timestamp_ms <= timestamp_ms]
        found = self.table.snapshot_by_id(entries[-1].snapshot_id) if entries else None
        if found is None:
            moment = datetime.fromtimestamp(timestamp_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
            raise self.not_there(f"TIMESTAMP AS OF '{moment}'")
        return found

    def not_there(self, version: str) -> SparkError:
        """The error for a missing snapshot: Spark has no condition for it, and Iceberg's message has none."""
        path = f"[{'.'.join(map(quote_identifier, self.identifier.namespace))}]"
        return SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=f"{self.identifier} {version}", searchPath=path)

    def named_snapshot(self, name: str) -> Snapshot:
        by_reference = self.table.snapshot_by_name(name)
        found = by_reference or (self.table.snapshot_by_id(int(name)) if name.lstrip("-").isdigit() else None)
        if found is None:
            raise self.not_there(f"VERSION AS OF {name}")
        return found

    def schema_at(self, snapshot: Snapshot | None, version: Version | None) -> Schema:
        """Time travel reads with the snapshot's schema; a branch and the current snapshot with the table's schema."""
        named = self.table.metadata.refs.get(str(version.snapshot)) if version is not None else None
        if version is None or snapshot is None or snapshot.schema_id is None:
            return self.table.schema()
        if named is not None and named.snapshot_ref_type == SnapshotRefType.BRANCH:
            return self.table.schema()
        return self.table.schemas()[snapshot.schema_id]

    def files(self) -> Iterator[DataFile]:
        for index in indexes_of(self.head, self.table.io):
            yield from index.files
