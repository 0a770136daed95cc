"""Writes a planned table scan as a DuckDB table expression."""

from twinspark.tables.catalog import EqualityDelete, ScanGroup, TableScan
from twinspark.tables.column_types import column_type
from twinspark.tables.reshape import duck_select
from twinspark.types.duckdb import duck_name, duck_text, duck_texts

FILE_COLUMN = "twinspark_file"
ROW_COLUMN = "twinspark_row"
PLACE = f"{FILE_COLUMN}, {ROW_COLUMN}"
SCHEME = "^file:(//)?"


def duck_scan(scan: TableScan, with_position: bool = False) -> str:
    """UNION ALL of the file groups, each converted to the table's schema.

    `with_position` adds columns with the file's path and the row's number in it.
    """
    selects = [duck_group(group, with_position) for group in scan.groups]
    return f"({' UNION ALL '.join(selects) or empty(scan, with_position)})"


def duck_group(group: ScanGroup, with_position: bool) -> str:
    source = f"read_parquet({duck_texts(group.files)}, hive_partitioning=false)"
    if group.deletes or group.equality_deletes:
        return duck_select(group.fields, not_deleted(source, group), f", {PLACE}" if with_position else "")
    extra = f", filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN}" if with_position else ""
    return duck_select(group.fields, source, extra)


def not_deleted(source: str, group: ScanGroup) -> str:
    """The rows without those of position deletes and equality deletes."""
    held = f"SELECT *, filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN} FROM {source}"
    if group.deletes:
        held = f"SELECT * FROM ({held}) ANTI JOIN ({deleted_positions(group)}) USING ({PLACE})"
    for each in group.equality_deletes:
        held = f"SELECT * FROM ({held}) AS t ANTI JOIN ({deleted_values(each)}) AS d ON {same_values(each)}"
    return f"({held})"


def deleted_positions(group: ScanGroup) -> str:
    """The file path and row number of each deleted row."""
    path = f"regexp_replace(file_path, {duck_text(SCHEME)}, '')"
    return f"SELECT {path} AS {FILE_COLUMN}, pos AS {ROW_COLUMN} FROM read_parquet({duck_texts(group.deletes)})"


def deleted_values(deleted: EqualityDelete) -> str:
    columns = ", ".join(f"{duck_name(theirs)} AS d{at}" for at, (_, theirs) in enumerate(deleted.columns))
    return f"SELECT {columns} FROM read_parquet({duck_texts(deleted.files)}, hive_partitioning=false)"


def same_values(deleted: EqualityDelete) -> str:
    """A null in an equality delete file matches rows with null."""
    tests = [f"t.{duck_name(ours)} IS NOT DISTINCT FROM d.d{at}" for at, (ours, _) in enumerate(deleted.columns)]
    return " AND ".join(tests)


def empty(scan: TableScan, with_position: bool) -> str:
    columns = [f"CAST(NULL AS {column_type(f.dataType)}) AS {duck_name(f.name)}" for f in scan.schema.fields]
    extra = (
        [f"CAST(NULL AS VARCHAR) AS {FILE_COLUMN}", f"CAST(NULL AS BIGINT) AS {ROW_COLUMN}"] if with_position else []
    )
    return f"SELECT {', '.join(columns + extra)} WHERE false"
