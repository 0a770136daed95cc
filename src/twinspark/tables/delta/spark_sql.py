"""Writes one version of a Delta table as Spark SQL over Parquet paths, for a Spark without Delta's jar."""

import re
from typing import Any

import duckdb

from twinspark.errors import NotNative, reasons
from twinspark.tables.char_types import has_length_limit, raw_type
from twinspark.tables.delta.files import files_of, scan_of
from twinspark.tables.delta.table import DeltaTable, check_features, spark_schema
from twinspark.tables.spark_scan import spark_query

PLAIN_PATH = re.compile(r"[\w./=%+@ -]+")  # no characters that are special in a Hadoop glob


def delta_query(table: DeltaTable) -> tuple[int, str]:
    """The version, and a query of its rows; NotNative when only Delta's reader can read them."""
    opened = table.open()
    check_features(opened)
    schema, files = spark_schema(opened), files_of(opened)
    if any(has_length_limit(raw_type(field)) for field in schema.fields):
        raise NotNative(reasons.DELTA_TABLE, "CHAR columns in a query that falls back")
    if not all(PLAIN_PATH.fullmatch(file.leaf.path) for file in files):
        raise NotNative(reasons.DELTA_TABLE, "paths that Spark would read as patterns")
    connection: Any = duckdb.connect()
    try:
        scan = scan_of(schema, list(opened.metadata().partition_columns), files, connection, quote_text)
    finally:
        connection.close()
    return int(opened.version()), spark_query(scan)


def quote_text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
