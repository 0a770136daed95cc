"""Writes a planned table scan as Spark SQL over Parquet paths, so that Spark reads our tables without an Iceberg
jar."""

import os
import re

from twinspark.errors import NotNative, reasons
from twinspark.tables.catalog import EqualityDelete, ScanGroup, TableScan
from twinspark.tables.reshape import (
    Cast,
    Elements,
    Entries,
    Field,
    Fields,
    Instant,
    Microseconds,
    Missing,
    Nanoseconds,
    Reshape,
    Same,
)
from twinspark.tables.scan_sql import FILE_COLUMN, PLACE, ROW_COLUMN, SCHEME
from twinspark.types import quote_identifier, sql_name

PLAIN_PATH = re.compile(r"[\w./=-]+")


def spark_query(scan: TableScan) -> str:
    """UNION ALL of files grouped by the schema they were written with; columns are read by name and not by field id,
    which both engines get wrong in some cases."""
    return " UNION ALL ".join(map(group_query, scan.groups)) or empty_query(scan)


def group_query(group: ScanGroup) -> str:
    columns = ", ".join(column(field) for field in group.fields)
    source = f"parquet.{quote_identifier(path_pattern(group.files))}"
    return f"SELECT {columns} FROM {not_deleted(source, group) if group.deletes or group.equality_deletes else source}"


def not_deleted(source: str, group: ScanGroup) -> str:
    """As in scan_sql; Spark's input_file_name is a URI, which equals the path if no character is escaped."""
    file = f"regexp_replace(_metadata.file_path, '{SCHEME}', '') AS {FILE_COLUMN}"
    held = f"SELECT *, {file}, _metadata.row_index AS {ROW_COLUMN} FROM {source}"
    if group.deletes:
        held = f"SELECT * FROM ({held}) LEFT ANTI JOIN ({deleted_positions(group)}) USING ({PLACE})"
    for each in group.equality_deletes:
        held = f"SELECT * FROM ({held}) AS t LEFT ANTI JOIN ({deleted_values(each)}) AS d ON {same_values(each)}"
    return f"({held})"


def deleted_positions(group: ScanGroup) -> str:
    if not all(PLAIN_PATH.fullmatch(path) for path in group.files):
        raise NotNative(reasons.ICEBERG_TABLE, "deleted rows in files with escaped paths, in a query that falls back")
    path = f"regexp_replace(file_path, '{SCHEME}', '') AS {FILE_COLUMN}"
    return f"SELECT {path}, pos AS {ROW_COLUMN} FROM parquet.{quote_identifier(path_pattern(group.deletes))}"


def deleted_values(deleted: EqualityDelete) -> str:
    columns = ", ".join(f"{quote_identifier(theirs)} AS d{at}" for at, (_, theirs) in enumerate(deleted.columns))
    return f"SELECT {columns} FROM parquet.{quote_identifier(path_pattern(deleted.files))}"


def same_values(deleted: EqualityDelete) -> str:
    return " AND ".join(f"t.{quote_identifier(ours)} <=> d.d{at}" for at, (ours, _) in enumerate(deleted.columns))


def path_pattern(files: tuple[str, ...]) -> str:
    """One Hadoop glob that matches exactly these files, whose names contain no special characters."""
    if len(files) == 1:
        return files[0]
    common = os.path.commonpath(files)
    return f"{common}/{{{','.join(os.path.relpath(file, common) for file in files)}}}"


def column(field: Field) -> str:
    source = "NULL" if field.source is None else quote_identifier(field.source)
    return f"{spark_value(field.reshape, source)} AS {quote_identifier(field.name)}"


def spark_value(reshape: Reshape, value: str, depth: int = 0) -> str:
    """The Spark SQL expression that converts `value`."""
    match reshape:
        case Same() | Instant() | Nanoseconds() | Microseconds():
            return value
        case Cast(type):
            return f"CAST({value} AS {sql_name(type)})"
        case Missing(type, default):
            return f"CAST({default if default is not None else 'NULL'} AS {sql_name(type)})"
        case Elements(element):
            return f"transform({value}, e{depth} -> {spark_value(element, f'e{depth}', depth + 1)})"
        case Entries(key, item):
            keys = spark_value(Elements(key), f"map_keys({value})", depth)
            return f"map_from_arrays({keys}, {spark_value(Elements(item), f'map_values({value})', depth)})"
        case Fields(fields):
            return f"IF({value} IS NULL, NULL, named_struct({', '.join(member(f, value, depth) for f in fields)}))"


def member(field: Field, parent: str, depth: int) -> str:
    source = "NULL" if field.source is None else f"{parent}.{quote_identifier(field.source)}"
    name = field.name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{name}', {spark_value(field.reshape, source, depth)}"


def empty_query(scan: TableScan) -> str:
    columns = [f"CAST(NULL AS {sql_name(f.dataType)}) AS {quote_identifier(f.name)}" for f in scan.schema.fields]
    return f"SELECT {', '.join(columns)} WHERE false"
