"""CALL of procedures that create tables from existing files, or rewrite manifests: add_files, snapshot, migrate etc."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.ddl.targets import Parts, Target, name_of, write_target
from twinspark.commands.results import Row
from twinspark.errors import JavaError, NotNative, reasons
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.sql_text import parser_config
from twinspark.sessions.tables import tables_of
from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.catalogs import Name
from twinspark.tables.char_types import raw_schema
from twinspark.tables.files.formats import scan
from twinspark.tables.files.table import FileTable
from twinspark.tables.iceberg import import_tables
from twinspark.tables.iceberg.sqlite_catalog import local
from twinspark.tables.names import is_path

Arguments = dict[str, Any]
ADDED = StructType(
    [StructField("added_files_count", LongType(), False), StructField("changed_partition_count", LongType(), True)]
)
REGISTERED = StructType(
    [
        StructField("current_snapshot_id", LongType(), True),
        StructField("total_records_count", LongType(), True),
        StructField("total_data_files_count", LongType(), True),
    ]
)
JOINED = StructType(
    [
        StructField("rewritten_manifests_count", IntegerType(), False),
        StructField("added_manifests_count", IntegerType(), False),
    ]
)
IMPORTED = StructType([StructField("imported_files_count", LongType(), False)])
MIGRATED = StructType([StructField("migrated_files_count", LongType(), False)])
BACKUP = "_BACKUP_"


def parse_name(text: Any, context: Context) -> Parts:
    return tuple(parse_multipart_identifier(str(text), parser_config(context)))


def rewrite_manifests(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    return [import_tables.rewrite_manifests(target.catalog.iceberg, target.name.identifier)]


# ---- add_files


def adding(target: Target, arguments: Arguments, context: Context) -> Arguments:
    """The files of `source_table`: a path, or a table of files."""
    if arguments.get("partition_filter"):
        raise NotNative(reasons.PROCEDURE, "add_files of some partitions")
    files, schema = files_of(parse_name(arguments["source_table"], context), context)
    return {**arguments, "files": files, "schema": schema}


def files_of(parts: Parts, context: Context) -> tuple[list[str], StructType]:
    scan_context = tables_of(context).scan_context
    if is_path(parts):
        if parts[0].lower() != "parquet":
            raise NotNative(reasons.PROCEDURE, f"{parts[0]} files in an Iceberg table")
        found = scan("parquet", [parts[1]], {}, None, scan_context)
    else:
        found = source_table(parts, context).read(scan_context)
    return [local(path) for path in found.input_files], found.schema


def source_table(parts: Parts, context: Context) -> FileTable:
    table = write_target(parts, context).table
    if not isinstance(table, FileTable) or table.provider != "parquet" or table.partitioning:
        raise NotNative(reasons.PROCEDURE, "files of a table that is not a plain Parquet table")
    return table


def add_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    check = bool(arguments.get("check_duplicate_files", True))
    iceberg, name = target.catalog.iceberg, target.name.identifier
    return [import_tables.add_files(iceberg, name, arguments["files"], arguments["schema"], check)]


# ---- procedures that create a table


def register_table(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    catalog = tables_of(context).catalogs.get(name.catalog)
    catalog.check_free(name.identifier)
    made = import_tables.register_table(catalog.iceberg, name.identifier, str(arguments["metadata_file"]))
    snapshot = made.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return [(None, None, None)]
    summary = snapshot.summary.additional_properties
    return [(int(snapshot.snapshot_id), number(summary.get("total-records")), number(summary.get("total-data-files")))]


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def snapshot(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    """An Iceberg table over another table's files; the source remains, so neither deletes files of its history."""
    parts = parse_name(arguments["source_table"], context)
    source = source_table(parts, context)
    return [(adopt(name, source, files_of(parts, context), arguments, context, {import_tables.GC: "false"}),)]


def migrate(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    """The table becomes an Iceberg table under its own name; the original is kept under another name as a backup."""
    source = source_table(name.qualifier, context)
    catalog = tables_of(context).catalogs.get(name.catalog)
    if arguments.get("drop_backup"):
        raise NotNative(reasons.PROCEDURE, "migrate without a backup")
    found = files_of(name.qualifier, context)
    if source.managed:
        raise NotNative(reasons.PROCEDURE, "migrate of a managed table, whose directory has the table's name")
    kept = str(arguments.get("backup_table_name") or f"{name.identifier.name}{BACKUP}")
    catalog.rename_table(name.identifier, Identifier(name.identifier.namespace, kept))
    return [(adopt(name, source, found, arguments, context, {import_tables.GC: "false"}),)]


def adopt(
    name: Name,
    source: FileTable,
    found: tuple[list[str], StructType],
    arguments: Arguments,
    context: Context,
    own_properties: dict[str, str],
) -> int:
    catalog = tables_of(context).catalogs.get(name.catalog)
    properties = {**dict(arguments.get("properties") or {}), **own_properties}
    location = str(arguments["location"]) if arguments.get("location") else None
    catalog.create_table(name.identifier, TableSpec(raw_schema(source.schema), (), properties, location=location))
    files, schema = found
    try:
        return import_tables.add_files(catalog.iceberg, name.identifier, files, schema, True)[0] if files else 0
    except (JavaError, NotNative):
        catalog.drop_table(name.identifier, purge=True)
        raise


def new_name(arguments: Arguments, catalog: Sequence[str], context: Context) -> Name:
    """The name of the new table, in the procedure's catalog unless it is qualified."""
    parts = parse_name(arguments["table"], context)
    known = tables_of(context).catalogs.names()
    return name_of(parts if parts[0] in known or len(parts) > 2 else qualify(catalog, parts, context), context)


def qualify(catalog: Sequence[str], table: Parts, context: Context) -> Parts:
    """The table's name in the procedure's catalog, and in the current database unless it is qualified."""
    return (*catalog, *(table if len(table) > 1 else (context.database, *table)))
