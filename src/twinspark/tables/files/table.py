"""File tables: `CREATE TABLE … USING parquet|csv|json|orc|text [LOCATION …]`."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql.types import StructField, StructType

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.catalog import Identifier
from twinspark.tables.changes import (
    AddColumn,
    DeleteColumn,
    MoveColumn,
    RemoveProperty,
    RenameColumn,
    SetProperty,
    TableChange,
    UpdateColumn,
    UpdateColumnComment,
    UpdateColumnNullability,
    check_new_column,
    find_field,
)
from twinspark.tables.char_types import pad_rows, plain_field, raw_type
from twinspark.tables.files import partition_locations as placed
from twinspark.tables.files.disk_errors import writing_to
from twinspark.tables.files.formats import scan
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.scan import FileScan, ScanContext
from twinspark.tables.files.write import FileRows, FileWrite, Written, write_files
from twinspark.tables.stream_log import has_stream_log
from twinspark.tables.transforms import Identity, Transform, not_a_transform
from twinspark.types import as_nullable, quote_identifier, sql_name

FORMATS = frozenset({"parquet", "csv", "json", "orc", "text"})


@dataclass(frozen=True)
class FileTable:
    """A schema and a directory of files; dropping a managed table removes the directory."""

    identifier: Identifier
    provider: str
    schema: StructType
    partitioning: tuple[Transform, ...]
    location: str
    options: Mapping[str, str]
    properties: Mapping[str, str]
    managed: bool
    known: tuple[str, ...] | None = None  # the registered partitions; None: all directories
    places: Mapping[str, str] = field(default_factory=dict)  # locations of partitions outside of the table's directory
    created: float | None = None  # seconds since 1970
    said_binary: tuple[str, ...] = ()  # columns declared COLLATE UTF8_BINARY, which DESCRIBE shows

    @property
    def partition_names(self) -> list[str]:
        return [transform.column[0] for transform in self.partitioning]

    def read(self, context: ScanContext) -> FileScan:
        """Scans the files with the table's schema, partition columns last; all columns are nullable."""
        make_directory(local_path(self.location))
        # Spark reads what a stream wrote by the stream's log, whichever partitions are registered.
        is_listed = self.known is None or has_stream_log(local_path(self.location))
        here = None if is_listed else [path for path in self.known or () if path not in self.places]
        if any(f"/{path}".count("/.") for path in here or ()):
            raise NotNative(reasons.FILE_PARTITION_DIRECTORIES, "directories that begin with a dot")
        found = scan(self.provider, [self.location], self.options, self.schema, context, here)
        for path in self.known or ():
            if path in self.places:
                found = placed.with_partition(found, self, path, context)
        fields = [StructField(f.name, as_nullable(f.dataType), True, f.metadata) for f in self.schema.fields]
        sql = pad_rows(found.sql, self.schema)
        if found.metadata is not None and (sql != found.sql or self.places):
            raise NotNative(
                reasons.FILE_METADATA_COLUMN, "a table with CHAR columns, or with partitions at locations of their own"
            )
        sizes = found.file_sizes if sql == found.sql else ()
        return replace(found, schema=StructType(fields), sql=sql, file_sizes=sizes)

    def write(self, rows: FileRows, mode: str, connection: Any, dynamic: bool = False) -> Written | None:
        make_directory(local_path(self.location))
        write = FileWrite(
            rows.select,
            self.provider,
            self.location,
            self.schema,
            mode,
            self.partition_names,
            {key.lower(): value for key, value in self.options.items()},
            dynamic,
            places={path: self.partition_directory(path) for path in self.places},
            parts=rows.parts,
        )
        return write_files(write, connection)

    def drop_data(self) -> None:
        if self.managed:
            for path in ("", *self.places):
                shutil.rmtree(self.partition_directory(path), ignore_errors=True)

    def drop_rows(self) -> None:
        """TRUNCATE: empties the directory."""
        for path in ("", *self.places):
            self.make_partition(path, empty=True)

    def make_partition(self, folder: str, empty: bool) -> None:
        place = self.partition_directory(folder)
        if empty:
            shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place, exist_ok=True)

    @property
    def partition_paths(self) -> list[str]:
        """The partitions that reads and SHOW PARTITIONS use, as `p=1/q=x`."""
        return self.directories() if self.known is None else list(self.known)

    def partition_directory(self, path: str) -> str:
        return local_path(self.places[path]) if path in self.places else os.path.join(local_path(self.location), path)

    def directories(self) -> list[str]:
        """The partition directories that exist in the table's directory."""
        return directories(local_path(self.location), self.partition_names)

    def definition(self) -> dict[str, Any]:
        return {
            "provider": self.provider,
            "schema": self.schema.json(),
            "partitions": self.partition_names,
            "location": self.location,
            "options": dict(self.options),
            "properties": dict(self.properties),
            "managed": self.managed,
            "tracked": self.known is not None,
            "created": self.created,
            "said_binary": list(self.said_binary),
        }

    @classmethod
    def from_definition(
        cls, identifier: Identifier, definition: Mapping[str, Any], known: Sequence[str], places: Mapping[str, str]
    ) -> "FileTable":
        return cls(
            identifier,
            definition["provider"],
            StructType.fromJson(json.loads(definition["schema"])),
            tuple(Identity((name,)) for name in definition["partitions"]),
            definition["location"],
            definition["options"],
            definition["properties"],
            definition["managed"],
            tuple(known) if definition.get("tracked") else None,
            places,
            definition.get("created"),
            tuple(definition.get("said_binary", ())),
        )


def make_directory(path: str) -> None:
    """A table name may be longer than a directory name: then the write fails as a task of Spark does."""
    with writing_to(path):
        os.makedirs(path, exist_ok=True)


def directories(root: str, names: Sequence[str], before: str = "") -> list[str]:
    if not names:
        return [before.rstrip("/")]
    inner = sorted(each.name for each in os.scandir(root) if each.is_dir()) if os.path.isdir(root) else []
    mine = [name for name in inner if name.lower().startswith(f"{names[0].lower()}=")]
    return [path for name in mine for path in directories(os.path.join(root, name), names[1:], f"{before}{name}/")]


def partition_columns(schema: StructType, partitions: Sequence[Transform]) -> list[str]:
    """File tables have identity partitions only, as in Spark."""
    for transform in partitions:
        if not isinstance(transform, Identity) or len(transform.column) != 1:
            raise not_a_transform(str(transform))
    return [find_field(schema, transform.column).name for transform in partitions]


def partitions_last(schema: StructType, names: Sequence[str]) -> StructType:
    """Spark's session catalog moves partition columns to the end."""
    last = [schema[name] for name in names]
    return StructType([field for field in schema.fields if field.name not in names] + last)


def alter(table: FileTable, changes: Sequence[TableChange], full_name: str) -> FileTable:
    """Applies the changes that Spark allows on a file table, in order; others raise Spark's errors."""
    for change in changes:
        if isinstance(change, UpdateColumn):
            check_same_type(table, change, full_name)
        else:
            table = alter_once(table, change, full_name)
    return table


def check_same_type(table: FileTable, change: UpdateColumn, full_name: str) -> None:
    """A file table's column cannot change its type; the statement may repeat the present one."""
    field = find_field(table.schema, change.column)
    if raw_type(field) != change.type:
        name = ".".join(map(quote_identifier, change.column))
        raise SparkError(
            "NOT_SUPPORTED_CHANGE_COLUMN",
            table=full_name,
            originName=name,
            originType=f'"{sql_name(raw_type(field))}"',
            newName=name,
            newType=f'"{sql_name(change.type)}"',
        )


# Spark's names of operations that file tables do not support.
REFUSED: dict[type, str] = {
    RenameColumn: "RENAME COLUMN",
    DeleteColumn: "DROP COLUMN",
    MoveColumn: "ALTER COLUMN ... FIRST | AFTER",
    UpdateColumnNullability: "ALTER COLUMN ... SET NOT NULL",
}


def alter_once(table: FileTable, change: TableChange, full_name: str) -> FileTable:
    match change:
        case SetProperty(name, value):
            return replace(table, properties={**table.properties, name: value})
        case RemoveProperty(name):
            return replace(table, properties={k: v for k, v in table.properties.items() if k != name})
        case AddColumn(parent=(), default=None, nullable=True):
            return replace(table, schema=with_column(table, change))
        case UpdateColumnComment(column, comment) if len(column) == 1:
            return replace(table, schema=with_comment(table.schema, column[0], comment))
    operation = REFUSED.get(change.__class__, "ALTER TABLE")
    raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=full_name, operation=operation)


def with_column(table: FileTable, change: AddColumn) -> StructType:
    """New columns are added before the partition columns; a position is accepted and ignored."""
    check_new_column(table.schema, change.name)
    metadata = {} if change.comment is None else {"comment": change.comment}
    made = plain_field(StructField(change.name, change.type, True, metadata))
    split = len(table.schema.fields) - len(table.partitioning)
    return StructType([*table.schema.fields[:split], made, *table.schema.fields[split:]])


def with_comment(schema: StructType, name: str, comment: str) -> StructType:
    wanted = find_field(schema, (name,)).name
    return StructType([
        StructField(f.name, f.dataType, f.nullable, {**(f.metadata or {}), "comment": comment})
        if f.name == wanted
        else f
        for f in schema.fields
    ])  # fmt: skip
