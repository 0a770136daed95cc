"""Delta tables through delta-rs: read by DuckDB, written and merged by delta-rs, named by our catalog."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import duckdb
from pyspark.sql.types import DataType, StructField, StructType

from twinspark.errors import NotNative, SparkError
from twinspark.functions.spelling import error
from twinspark.tables import parquet
from twinspark.tables.catalog import Identifier, Version
from twinspark.tables.changes import AddColumn, RemoveProperty, SetProperty, TableChange, check_new_column
from twinspark.tables.char_types import plain_field
from twinspark.tables.disk import refused, tells_refusal
from twinspark.tables.ducktext import duck_type, identifier, literals
from twinspark.tables.filescan import FileScan, ScanContext, empty_select
from twinspark.tables.iceberg.staged import CommitConflict
from twinspark.tables.listing import LeafFile, leaf_of, local_path
from twinspark.tables.partitions import Partitioning, hive_arguments
from twinspark.tables.reshape import duck_select
from twinspark.tables.transforms import Identity, Transform

# Reader features whose files are not simply the rows; such tables are Spark's (with its Delta jar) or nobody's.
PLAIN_FEATURES = {"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}


@dataclass(frozen=True)
class DeltaTable:
    """A Delta table at a place; managed ones own the directory."""

    identifier: Identifier
    location: str
    managed: bool
    properties: Mapping[str, str]

    @property
    def provider(self) -> str:
        return "delta"

    @property
    def schema(self) -> StructType:
        return spark_schema(self.open())

    @property
    def partitioning(self) -> tuple[Transform, ...]:
        return tuple(Identity((name,)) for name in self.open().metadata().partition_columns)

    def open(self, version: Version | None = None) -> Any:
        library = deltalake()
        table = library.DeltaTable(local_path(self.location), version=None if version is None else named(version))
        if version is not None and version.timestamp_ms is not None:
            table.load_as_version(moment(version.timestamp_ms))
        return table

    def read(self, context: ScanContext, version: Version | None = None) -> FileScan:
        table = self.open(version)
        refuse_features(table)
        files = self.leaves(table)
        schema = spark_schema(table)
        sql = select_sql(schema, list(table.metadata().partition_columns), files, context.connection)
        return FileScan(schema, f"({sql})", [f"file://{f.path}" for f in files], sum(f.size for f in files))

    @staticmethod
    def leaves(table: Any) -> list[LeafFile]:
        return [leaf_of(path, os.stat(path)) for path in map(local_path, table.file_uris())]

    def write(self, select: str, mode: str, connection: Any) -> None:
        """Appends or overwrites in one Delta commit; rows stream from DuckDB."""
        columns = ", ".join(map(cast_column, self.schema.fields))
        reader = connection.sql(f"SELECT {columns} FROM ({select})").to_arrow_reader(100_000)
        commit_rows(local_path(self.location), reader, mode, local_path(self.location))

    def replace_all(self, schema: StructType, select: str, connection: Any) -> None:
        """Other columns and other rows, in one commit."""
        columns = ", ".join(map(cast_column, schema.fields))
        reader = connection.sql(f"SELECT {columns} FROM ({select})").to_arrow_reader(100_000)
        place = local_path(self.location)
        commit_rows(place, reader, "overwrite", place, schema_mode="overwrite")

    def altered(self, changes: Sequence[TableChange]) -> "DeltaTable":
        """What delta-rs can do: new columns, and the properties our catalog keeps."""
        made = self
        for change in changes:
            made = made.altered_once(change)
        return made

    def altered_once(self, change: TableChange) -> "DeltaTable":
        match change:
            case SetProperty(name, value):
                return replace(self, properties={**self.properties, name: value})
            case RemoveProperty(name):
                return replace(self, properties={k: v for k, v in self.properties.items() if k != name})
            case AddColumn(parent=(), nullable=True, default=None, position=None):
                check_new_column(self.schema, change.name)
                field = deltalake().Field.from_json(json.dumps(field_json(change.name, change.type)))
                self.open().alter.add_columns(field)
                return self
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=str(self.identifier), operation="ALTER TABLE")

    def drop_data(self) -> None:
        if self.managed:
            shutil.rmtree(local_path(self.location), ignore_errors=True)

    def definition(self) -> dict[str, Any]:
        return {
            "provider": "delta",
            "location": self.location,
            "managed": self.managed,
            "properties": dict(self.properties),
        }

    @classmethod
    def defined(cls, identifier: Identifier, told: Mapping[str, Any]) -> "DeltaTable":
        return cls(identifier, told["location"], told["managed"], told["properties"])

    @classmethod
    def create(
        cls,
        identifier: Identifier,
        location: str,
        schema: StructType,
        partitions: Sequence[str],
        properties: Mapping[str, str],
        managed: bool,
    ) -> "DeltaTable":
        """A new table, or the name for one that is already there."""
        library, path = deltalake(), local_path(location)
        if not library.DeltaTable.is_deltatable(path):
            made = library.Schema.from_json(schema.json())
            library.DeltaTable.create(path, schema=made, partition_by=list(partitions), mode="error")
        return cls(identifier, location, managed, dict(properties))


def commit_rows(table: Any, reader: Any, mode: str, place: str, **options: str) -> None:
    """One commit of delta-rs; what fails in it is told as Iceberg's library, the disk or the query would tell it."""
    errors = import_module("deltalake.exceptions")
    try:
        deltalake().write_deltalake(table, reader, mode=mode, **options)
    except errors.CommitFailedError as failure:
        raise CommitConflict(str(failure)) from failure
    except errors.DeltaError as failure:
        if tells_refusal(str(failure)):
            raise refused(place) from failure
        if any(mark in str(failure) for mark in QUERY_FAILED):
            raise duckdb.InvalidInputException(str(failure)) from failure  # from DuckDB, through Arrow
        raise
    finally:
        reader.close()


QUERY_FAILED = ("SPARK:", "NOT_NATIVE:")


def deltalake() -> Any:
    """delta-rs, where it is installed (the extra `delta`)."""
    if find_spec("deltalake") is None:
        raise NotNative("Delta tables: the package deltalake is not installed")
    return import_module("deltalake")


def cast_column(field: StructField) -> str:
    name = identifier(field.name)
    value = f"CAST({name} AS {duck_type(field.dataType)})"
    if not field.nullable:
        missing = error("NOT_NULL_ASSERT_VIOLATION", walkedTypePath=f"\n{field.name}\n")
        value = f"CASE WHEN {name} IS NULL THEN {missing} ELSE {value} END"
    return f"{value} AS {name}"


def named(version: Version) -> int | None:
    if version.snapshot is None:
        return None
    if not version.snapshot.isdigit():
        raise SparkError("INVALID_TIME_TRAVEL_SPEC")
    return int(version.snapshot)


def moment(timestamp_ms: int) -> Any:
    return datetime.fromtimestamp(timestamp_ms / 1000, UTC)


def spark_schema(table: Any) -> StructType:
    """Delta's schema is Spark's, in Spark's own JSON."""
    found: StructType = StructType.fromJson(json.loads(table.schema().to_json()))
    return found


def field_json(name: str, type: DataType) -> dict[str, Any]:
    return dict(plain_field(StructField(name, type, True)).jsonValue())


def refuse_features(table: Any) -> None:
    protocol = table.protocol()
    features = set(protocol.reader_features or []) - PLAIN_FEATURES
    if features or protocol.min_reader_version == 2:
        raise NotNative(f"Delta tables with {', '.join(sorted(features)) or 'column mapping'}")


def select_sql(
    schema: StructType, partitions: Sequence[str], files: Sequence[LeafFile], connection: Any, extra: str = ""
) -> str:
    """Read as Parquet files are; partition values stand in the directories, as delta-rs and Spark lay them out."""
    if not files:
        return empty_select(schema)
    if any(f"/{name}=" not in leaf.path for name in partitions for leaf in files):
        raise NotNative("a Delta table whose directories do not name its partitions")
    parts = Partitioning(StructType([schema[name] for name in partitions]), tuple(files), tuple(partitions))
    groups = parquet.scan_groups(parquet.footers_of(files, connection), schema, parts, case_sensitive=False)
    return " UNION ALL ".join(
        duck_select(fields, f"read_parquet({literals(paths)}, {hive_arguments(parts)})", extra)
        for fields, paths in groups
    )
