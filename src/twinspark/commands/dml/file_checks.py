"""Spark's checks before it writes to a table of files: a different schema, or overwriting a table that is also read."""

import os

from pyspark.sql.connect.proto import commands_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, alike
from twinspark.commands.ddl.targets import Target
from twinspark.compile.query import CompiledQuery
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.table import FileTable

CLASSES = {  # the names of formats in errors
    "csv": "CSVDataSourceV2",
    "json": "JsonDataSourceV2",
    "orc": "OrcDataSourceV2",
    "parquet": "ParquetDataSourceV2",
    "text": "TextDataSourceV2",
}


def check_written_by_v1(target: Target) -> None:
    """`df.writeTo` supports only tables with a v2 writer."""
    if isinstance(target.table, FileTable):
        raise SparkError("_LEGACY_ERROR_TEMP_1012", identifier=target.full_name)


def check_not_read(target: Target, query: CompiledQuery) -> None:
    """A static overwrite empties the table before its rows are read (DDLUtils.verifyNotReadPath)."""
    if not isinstance(target.table, FileTable):
        return
    place = os.path.join(local_path(target.table.location), "")
    if any(local_path(file).startswith(place) for file in query.input_files):
        raise SparkError("UNSUPPORTED_OVERWRITE.TABLE", table=target.full_name)


def check_append(target: Target, frame: Frame, message: commands_pb2.WriteOperation, context: Context) -> None:
    """What saveAsTable appends must match the table (PreprocessTableCreation)."""
    if isinstance(target.table, FileTable):
        name = ".".join(target.name.qualifier)
        check_format(target.table, name, message, context)
        check_columns(target.table, name, frame, context)
        check_partitioning(target.table, name, message, context)


def check_format(table: FileTable, name: str, message: commands_pb2.WriteOperation, context: Context) -> None:
    provider = (message.source or context.conf("spark.sql.sources.default")).lower()
    if provider != table.provider:
        if provider not in CLASSES or table.provider not in CLASSES:
            raise NotNative(reasons.WRITE_TARGET, f"rows appended as {provider} to a table that uses {table.provider}")
        existing, specified = CLASSES[table.provider], CLASSES[provider]
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1159", tableName=name, existingProvider=existing, specifiedProvider=specified
        )
    if "path" in {key.lower() for key in message.options}:
        raise NotNative(reasons.WRITE_TARGET, "saveAsTable that appends to a table with the option path")


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


def check_partitioning(table: FileTable, name: str, message: commands_pb2.WriteOperation, context: Context) -> None:
    same = alike(context.settings.case_sensitive)
    existing, specified = table.partition_names, list(message.partitioning_columns)
    if len(existing) != len(specified) or not all(map(same, existing, specified)):
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1163",
            tableName=name,
            specifiedPartCols=", ".join(specified),
            existingPartCols=", ".join(existing),
        )
