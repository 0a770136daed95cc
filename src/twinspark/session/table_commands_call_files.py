"""CALL of procedures that make tables of what is there, and join manifests: add_files, snapshot, migrate and others."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import JavaError, NotNative
from twinspark.read.sql import parse_multipart_identifier
from twinspark.read.text import parser_config
from twinspark.session.sql_results import Row
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import Parts, Target, name_of, written_to
from twinspark.tables.catalog import Identifier
from twinspark.tables.catalogs import Name
from twinspark.tables.char_types import raw_schema
from twinspark.tables.file_table import FileTable
from twinspark.tables.files import scan
from twinspark.tables.iceberg import adoption
from twinspark.tables.iceberg.local import local
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


def parsed(text: Any, context: Context) -> Parts:
    return tuple(parse_multipart_identifier(str(text), parser_config(context)))


def rewrite_manifests(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    return [adoption.rewrite_manifests(target.catalog.iceberg, target.name.identifier)]


# ---- add_files


def adding(target: Target, arguments: Arguments, context: Context) -> Arguments:
    """The files that `source_table` means: a path, or a table of files."""
    if arguments.get("partition_filter"):
        raise NotNative("SQL: CALL add_files of some partitions")
    files, schema = files_of(parsed(arguments["source_table"], context), context)
    return {**arguments, "files": files, "schema": schema}


def files_of(parts: Parts, context: Context) -> tuple[list[str], StructType]:
    scan_context = tables_of(context).scan_context
    if is_path(parts):
        if parts[0].lower() != "parquet":
            raise NotNative(f"Iceberg's tables of {parts[0]} files")
        found = scan("parquet", [parts[1]], {}, None, scan_context)
    else:
        found = source_table(parts, context).read(scan_context)
    return [local(path) for path in found.input_files], found.schema


def source_table(parts: Parts, context: Context) -> FileTable:
    table = written_to(parts, context).table
    if not isinstance(table, FileTable) or table.provider != "parquet" or table.partitioning:
        raise NotNative("files of such a table in an Iceberg table: only those of plain Parquet tables")
    return table


def add_files(target: Target, arguments: Arguments, connection: Any) -> Sequence[Row]:
    check = bool(arguments.get("check_duplicate_files", True))
    iceberg, name = target.catalog.iceberg, target.name.identifier
    return [adoption.add_files(iceberg, name, arguments["files"], arguments["schema"], check)]


# ---- tables that are not there yet


def register_table(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    catalog = tables_of(context).catalogs.get(name.catalog)
    catalog.check_free(name.identifier)
    made = adoption.register_table(catalog.iceberg, name.identifier, str(arguments["metadata_file"]))
    snapshot = made.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return [(None, None, None)]
    told = snapshot.summary.additional_properties
    return [(int(snapshot.snapshot_id), number(told.get("total-records")), number(told.get("total-data-files")))]


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def snapshot(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    """An Iceberg table of a table's files as they are; that one stays, so files are removed with neither's history."""
    parts = parsed(arguments["source_table"], context)
    source = source_table(parts, context)
    return [(adopt(name, source, files_of(parts, context), arguments, context, {adoption.GC: "false"}),)]


def migrate(name: Name, arguments: Arguments, context: Context) -> Sequence[Row]:
    """The table becomes Iceberg's, under its own name; what it was stays under another, unless that is not wanted."""
    source = source_table(name.qualifier, context)
    catalog = tables_of(context).catalogs.get(name.catalog)
    if arguments.get("drop_backup"):
        raise NotNative("SQL: CALL migrate without a backup")
    found = files_of(name.qualifier, context)
    if source.managed:
        raise NotNative("SQL: CALL migrate of a managed table: its directory goes with its name")
    kept = str(arguments.get("backup_table_name") or f"{name.identifier.name}{BACKUP}")
    catalog.rename_table(name.identifier, Identifier(name.identifier.namespace, kept))
    return [(adopt(name, source, found, arguments, context, {adoption.GC: "false"}),)]


def adopt(
    name: Name,
    source: FileTable,
    found: tuple[list[str], StructType],
    arguments: Arguments,
    context: Context,
    told: dict[str, str],
) -> int:
    catalog = tables_of(context).catalogs.get(name.catalog)
    place = {"location": str(arguments["location"])} if arguments.get("location") else {}
    properties = {**dict(arguments.get("properties") or {}), **told, **place}
    catalog.create_table(name.identifier, raw_schema(source.schema), (), {"provider": "iceberg", **properties})
    files, schema = found
    try:
        return adoption.add_files(catalog.iceberg, name.identifier, files, schema, True)[0] if files else 0
    except (JavaError, NotNative):
        catalog.drop_table(name.identifier, purge=True)
        raise


def new_name(arguments: Arguments, catalog: Sequence[str], context: Context) -> Name:
    """The name of the table that is to be, in the procedure's catalog unless it says another."""
    parts = parsed(arguments["table"], context)
    known = tables_of(context).catalogs.names()
    return name_of(parts if parts[0] in known or len(parts) > 2 else within(catalog, parts, context), context)


def within(catalog: Sequence[str], table: Parts, context: Context) -> Parts:
    """The table in the procedure's catalog, and in the current database if no other is named."""
    return (*catalog, *(table if len(table) > 1 else (context.database, *table)))
