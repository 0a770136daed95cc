"""What Spark refuses of a table of files before it writes a row: rows of another shape, its own rows overwritten."""

import os
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, alike
from twinspark.errors import NotNative, SparkError
from twinspark.session.native import Query
from twinspark.session.tables_targets import Target
from twinspark.tables.file_table import FileTable
from twinspark.tables.listing import local_path

CLASSES = {  # by which errors name the formats
    "csv": "CSVDataSourceV2",
    "json": "JsonDataSourceV2",
    "orc": "OrcDataSourceV2",
    "parquet": "ParquetDataSourceV2",
    "text": "TextDataSourceV2",
}


def check_written_by_v1(target: Target) -> None:
    """`df.writeTo` knows only tables that know how to write themselves."""
    if isinstance(target.table, FileTable):
        raise SparkError("_LEGACY_ERROR_TEMP_1012", identifier=target.full_name)


def check_not_read(target: Target, query: Query) -> None:
    """A static overwrite empties the table before its rows are read (DDLUtils.verifyNotReadPath)."""
    if not isinstance(target.table, FileTable):
        return
    place = os.path.join(local_path(target.table.location), "")
    if any(local_path(file).startswith(place) for file in query.input_files):
        raise SparkError("UNSUPPORTED_OVERWRITE.TABLE", table=target.full_name)


def check_append(target: Target, frame: Frame, message: Any, context: Context) -> None:
    """What saveAsTable appends looks as the table does (PreprocessTableCreation)."""
    if isinstance(target.table, FileTable):
        name = ".".join(target.name.qualifier)
        check_format(target.table, name, message, context)
        check_columns(target.table, name, frame, context)
        check_partitioning(target.table, name, message, context)


def check_format(table: FileTable, name: str, message: Any, context: Context) -> None:
    provider = (message.source or context.conf("spark.sql.sources.default")).lower()
    if provider != table.provider:
        if provider not in CLASSES or table.provider not in CLASSES:
            raise NotNative(f"rows appended as {provider} to a table of {table.provider}")
        existing, specified = CLASSES[table.provider], CLASSES[provider]
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1159", tableName=name, existingProvider=existing, specifiedProvider=specified
        )
    if "path" in {key.lower() for key in message.options}:
        raise NotNative("saveAsTable that appends at a path")


def check_columns(table: FileTable, name: str, frame: Frame, context: Context) -> None:
    given = frame.plain().schema
    if len(given.fields) != len(table.schema.fields):
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1161",
            tableName=name,
            existingTableSchema=table.schema.simpleString(),
            querySchema=given.simpleString(),
        )
    same = alike(context.settings.case_sensitive)
    for field in table.schema.fields:
        if not any(same(field.name, each) for each in given.names):
            raise SparkError("_LEGACY_ERROR_TEMP_1162", col=field.name, inputColumns=", ".join(given.names))


def check_partitioning(table: FileTable, name: str, message: Any, context: Context) -> None:
    same = alike(context.settings.case_sensitive)
    existing, specified = table.partition_names, list(message.partitioning_columns)
    if len(existing) != len(specified) or not all(map(same, existing, specified)):
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1163",
            tableName=name,
            specifiedPartCols=", ".join(specified),
            existingPartCols=", ".join(existing),
        )
