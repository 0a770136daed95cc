"""A Delta table as Spark SQL over plain Parquet paths: a Spark without its jar reads it, as it is at one version."""

import os
import re
from collections.abc import Sequence
from typing import Any

import duckdb
from pyspark.sql.types import StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.tables import parquet
from twinspark.tables.catalog import ScanGroup, TableScan
from twinspark.tables.char_types import has_limit, raw_type
from twinspark.tables.delta import DeltaTable, refuse_features, spark_schema
from twinspark.tables.listing import LeafFile
from twinspark.tables.partitions import DEFAULT_PARTITION, Partitioning, checked_user_type, unescape
from twinspark.tables.reshape import Field, Missing
from twinspark.tables.spark_scan import spark_query

PLAIN_PATH = re.compile(r"[\w./=%+@ -]+")  # nothing that a pattern of paths would take for its own
Values = tuple[str, ...]


def delta_query(table: DeltaTable) -> tuple[int, str]:
    """The version, and its rows; NotNative when only Delta's own reader can tell them."""
    opened = table.open()
    refuse_features(opened)
    schema = spark_schema(opened)
    if any(has_limit(raw_type(field)) for field in schema.fields):
        raise NotNative("a Delta table with CHAR columns on Spark")
    names = list(opened.metadata().partition_columns)
    groups = [
        group
        for values, files in by_partition(table.leaves(opened), len(names)).items()
        for group in groups_of(schema, dict(zip(names, values, strict=True)), files)
    ]
    return int(opened.version()), spark_query(TableScan(schema, tuple(groups), 0, 0, 0))


def by_partition(leaves: Sequence[LeafFile], depth: int) -> dict[Values, list[LeafFile]]:
    found: dict[Values, list[LeafFile]] = {}
    for leaf in leaves:
        if not PLAIN_PATH.fullmatch(leaf.path):
            raise NotNative("a Delta table whose paths Spark would take for patterns")
        folders = leaf.directory.split(os.sep)[-depth:] if depth else []
        found.setdefault(tuple(folder.partition("=")[2] for folder in folders), []).append(leaf)
    return found


def groups_of(schema: StructType, values: dict[str, str], files: Sequence[LeafFile]) -> list[ScanGroup]:
    """Files of one partition, by how they were written."""
    held = StructType([field for field in schema.fields if field.name not in values])
    connection: Any = duckdb.connect()
    try:
        footers = parquet.footers_of(files, connection)
    finally:
        connection.close()
    scans = parquet.scan_groups(footers, held, Partitioning(StructType([]), tuple(files)), case_sensitive=False)
    return [ScanGroup(tuple(paths), with_values(schema, fields, values), held) for fields, paths in scans]


def with_values(schema: StructType, fields: Sequence[Field], values: dict[str, str]) -> tuple[Field, ...]:
    read = {field.name: field for field in fields}
    return tuple(read.get(field.name) or partition_column(field, values[field.name]) for field in schema.fields)


def partition_column(field: StructField, raw: str) -> Field:
    """The directory's value, which stands in no file."""
    if raw == DEFAULT_PARTITION:
        return Field(field.name, None, Missing(field.dataType))
    checked_user_type(field.dataType, [raw])
    value = unescape(raw) if isinstance(field.dataType, StringType) else raw
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    return Field(field.name, None, Missing(field.dataType, f"'{quoted}'"))
