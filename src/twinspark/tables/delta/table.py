"""Delta tables: rows read by DuckDB, commits by delta-rs, names in the embedded catalog."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import duckdb
from pyspark.sql.types import DataType, StructField, StructType

from twinspark.errors import JavaError, NotNative, SparkError, reasons
from twinspark.errors.marker import unmark
from twinspark.tables.catalog import Identifier, TableSpec, Version
from twinspark.tables.changes import AddColumn, RemoveProperty, SetProperty, TableChange, check_new_column
from twinspark.tables.char_types import plain_field
from twinspark.tables.delta.constraints import APPEND_ONLY, Check, check_removable, checked_rows
from twinspark.tables.delta.files import DeltaFile, are_in_directories, files_of, scan_of
from twinspark.tables.files import parquet
from twinspark.tables.files.disk_errors import names_refusal, write_error
from twinspark.tables.files.listing import file_uri, local_path
from twinspark.tables.files.partition_columns import Partitioning, hive_arguments
from twinspark.tables.files.scan import FileScan, ScanContext, empty_select
from twinspark.tables.files.table import partition_columns
from twinspark.tables.iceberg.staged_write import CommitConflict
from twinspark.tables.reshape import duck_select
from twinspark.tables.scan_sql import FILE_COLUMN, ROW_COLUMN, duck_scan
from twinspark.tables.transforms import Identity, Transform
from twinspark.types.duckdb import duck_text, duck_texts

# Reader features with which the Parquet files are not simply the rows; such tables fall back to Spark.
PLAIN_FEATURES = {"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
PLACE = f", filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN}"


@dataclass(frozen=True)
class DeltaTable:
    """A Delta table at a location; dropping a managed one removes the directory."""

    identifier: Identifier
    location: str
    managed: bool
    properties: Mapping[str, str]
    # Its CHECK constraints, compiled with the session's settings when rows are written.
    checks: Callable[[], Sequence[Check]] = field(default=lambda: (), compare=False)

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
        library, errors = deltalake(), import_module("deltalake.exceptions")
        try:
            table = library.DeltaTable(
                local_path(self.location), version=None if version is None else version_number(version)
            )
        except errors.TableNotFoundError as missing:
            raise SparkError("DELTA_TABLE_NOT_FOUND", tableName=str(self.identifier)) from missing
        except errors.DeltaError as damaged:
            raise JavaError("java.lang.IllegalStateException", str(damaged)) from damaged
        if version is not None and version.timestamp_ms is not None:
            table.load_as_version(moment(version.timestamp_ms))
        return table

    def read(self, context: ScanContext, version: Version | None = None) -> FileScan:
        table = self.open(version)
        check_features(table)
        files = files_of(table)
        schema = spark_schema(table)
        sql = select_sql(schema, list(table.metadata().partition_columns), files, context.connection)
        leaves = [each.leaf for each in files]
        return FileScan(schema, f"({sql})", [f"file://{f.path}" for f in leaves], sum(f.size for f in leaves))

    def configuration(self, table: Any | None = None) -> dict[str, str]:
        """The properties in the catalog and in Delta's log; those of the log take precedence."""
        opened = self.open() if table is None else table
        return {**self.properties, **opened.metadata().configuration}

    def check_removable(self, table: Any | None = None) -> None:
        check_removable(self.configuration(table), str(self.identifier))

    def write(self, select: str, mode: str, connection: Any) -> None:
        """Appends or overwrites in one Delta commit; rows are streamed from DuckDB."""
        table = self.open()
        if mode == "overwrite":
            self.check_removable(table)
        rows = checked_rows(spark_schema(table), self.checks(), select, table.metadata().partition_columns)
        reader = connection.sql(rows).to_arrow_reader(100_000)
        commit_rows(local_path(self.location), reader, mode, local_path(self.location))

    def replace_all(self, schema: StructType, select: str, connection: Any) -> None:
        """Replaces schema and rows in one commit."""
        self.check_removable()
        reader = connection.sql(
            checked_rows(schema, (), select, self.open().metadata().partition_columns)
        ).to_arrow_reader(100_000)
        place = local_path(self.location)
        commit_rows(place, reader, "overwrite", place, schema_mode="overwrite")

    def alter(self, changes: Sequence[TableChange]) -> "DeltaTable":
        """Applies the changes that delta-rs supports: new columns, and properties that are stored in the catalog."""
        made = self
        for change in changes:
            made = made.alter_once(change)
        return made

    def alter_once(self, change: TableChange) -> "DeltaTable":
        match change:
            case SetProperty(name, value):
                self.log_property(name, value)
                return replace(self, properties={**self.properties, name: value})
            case RemoveProperty(name):
                self.log_property(name, "false")
                return replace(self, properties={k: v for k, v in self.properties.items() if k != name})
            case AddColumn(parent=(), nullable=True, default=None, position=None):
                check_new_column(self.schema, change.name)
                field = deltalake().Field.from_json(json.dumps(field_json(change.name, change.type)))
                self.open().alter.add_columns(field)
                return self
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=str(self.identifier), operation="ALTER TABLE")

    def log_property(self, name: str, value: str) -> None:
        """Sets a property in Delta's log, where all programs that write to the table read it."""
        if name.lower() == APPEND_ONLY.lower():
            self.open().alter.set_table_properties({APPEND_ONLY: value})

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
    def from_definition(cls, identifier: Identifier, definition: Mapping[str, Any]) -> "DeltaTable":
        return cls(identifier, definition["location"], definition["managed"], definition["properties"])

    @classmethod
    def create(cls, identifier: Identifier, spec: TableSpec, new_location: Callable[[Identifier], str]) -> "DeltaTable":
        """Creates a table, or registers the one that exists at the location."""
        names = partition_columns(spec.schema, spec.partitioning)
        location = spec.location or new_location(identifier)
        library, path = deltalake(), local_path(location)
        table = cls(identifier, location, spec.location is None, dict(spec.properties))
        if library.DeltaTable.is_deltatable(path):
            check_same_schema(spark_schema(table.open()), spec.schema, path)
            return table
        made = library.Schema.from_json(spec.schema.json())
        append_only = {name.lower(): value for name, value in spec.properties.items()}.get(APPEND_ONLY.lower(), "false")
        library.DeltaTable.create(
            path, schema=made, partition_by=names, mode="error", configuration={APPEND_ONLY: append_only}
        )
        return table


def check_same_schema(existing: StructType, specified: StructType, path: str) -> None:
    """An existing table keeps its columns; the statement may repeat them."""
    there, said = ([(f.name, plain_field(f).dataType) for f in each.fields] for each in (existing, specified))
    if not said or said == there:
        return
    raise SparkError(
        "DELTA_CREATE_TABLE_SCHEME_MISMATCH",
        path=file_uri(path),
        specifiedSchema=specified.simpleString(),
        existingSchema=existing.simpleString(),
        schemaDifferences="\n".join(f"{name} {type.simpleString()}" for name, type in set(said) ^ set(there)),
    )


def commit_rows(table: Any, reader: Any, mode: str, place: str, **options: str) -> None:
    """One commit of delta-rs; its errors become those of Iceberg's library, of a full disk or of the query."""
    errors = import_module("deltalake.exceptions")
    try:
        deltalake().write_deltalake(table, reader, mode=mode, **options)
    except errors.CommitFailedError as failure:
        raise CommitConflict(str(failure)) from failure
    except errors.DeltaError as failure:
        if unmark(str(failure)) is not None:
            raise duckdb.InvalidInputException(str(failure)) from failure  # an error of the query, passed through Arrow
        if names_refusal(str(failure)):
            raise write_error(place) from failure
        raise
    finally:
        reader.close()


def deltalake() -> Any:
    """The module deltalake, if it is installed (the extra `delta`)."""
    if find_spec("deltalake") is None:
        raise NotNative(reasons.DELTA_TABLE, "deltalake is not installed here: pip install 'twinspark[delta]'")
    return import_module("deltalake")


def version_number(version: Version) -> int | None:
    if version.snapshot is None:
        return None
    if not version.snapshot.isdigit():
        raise SparkError("INVALID_TIME_TRAVEL_SPEC")
    return int(version.snapshot)


def moment(timestamp_ms: int) -> Any:
    return datetime.fromtimestamp(timestamp_ms / 1000, UTC)


def spark_schema(table: Any) -> StructType:
    """The table's schema, which Delta stores as Spark's JSON."""
    found: StructType = StructType.fromJson(json.loads(table.schema().to_json()))
    return found


def field_json(name: str, type: DataType) -> dict[str, Any]:
    return dict(plain_field(StructField(name, type, True)).jsonValue())


def check_features(table: Any) -> None:
    protocol = table.protocol()
    features = set(protocol.reader_features or []) - PLAIN_FEATURES
    if features or protocol.min_reader_version == 2:
        raise NotNative(reasons.DELTA_TABLE, f"{', '.join(sorted(features)) or 'column mapping'}")


def select_sql(
    schema: StructType,
    partitions: Sequence[str],
    files: Sequence[DeltaFile],
    connection: Any,
    with_position: bool = False,
) -> str:
    """SQL over the Parquet files. DuckDB reads partition values from directory names, by which it prunes, where they
    equal those of the log; else they are literals."""
    if not files:
        return empty_select(schema)
    partition_fields = [schema[name] for name in partitions]
    if not are_in_directories(partition_fields, files):
        return duck_scan(scan_of(schema, partitions, files, connection, duck_text), with_position)
    leaves = [each.leaf for each in files]
    parts = Partitioning(StructType(partition_fields), tuple(leaves), tuple(partitions))
    groups = parquet.scan_groups(parquet.footers_of(leaves, connection), schema, parts, case_sensitive=False)
    return " UNION ALL ".join(
        duck_select(
            fields, f"read_parquet({duck_texts(paths)}, {hive_arguments(parts)})", PLACE if with_position else ""
        )
        for fields, paths in groups
    )
