"""A planned table scan as a DuckDB table expression."""

from twinspark.tables.catalog import ScanGroup, TableScan
from twinspark.tables.ducktext import duck_type, identifier, literal, literals
from twinspark.tables.reshape import duck_select

FILE_COLUMN = "twinspark_file"
ROW_COLUMN = "twinspark_row"
PLACE = f"{FILE_COLUMN}, {ROW_COLUMN}"
SCHEME = "^file:(//)?"


def duck_scan(scan: TableScan, with_place: bool = False) -> str:
    """Groups of files, each read plainly and reshaped, one under the other; columns and types are the schema's.

    `with_place` adds the file and the row's number in it.
    """
    selects = [duck_group(group, with_place) for group in scan.groups]
    return f"({' UNION ALL '.join(selects) or empty(scan, with_place)})"


def duck_group(group: ScanGroup, with_place: bool) -> str:
    source = f"read_parquet({literals(group.files)}, hive_partitioning=false)"
    if group.deletes:
        return duck_select(group.fields, not_deleted(source, group), f", {PLACE}" if with_place else "")
    extra = f", filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN}" if with_place else ""
    return duck_select(group.fields, source, extra)


def not_deleted(source: str, group: ScanGroup) -> str:
    """The rows but for those that a position delete names: its file's path, as it was written, and its place there."""
    held = f"SELECT *, filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN} FROM {source}"
    path = f"regexp_replace(file_path, {literal(SCHEME)}, '')"
    gone = f"SELECT {path} AS {FILE_COLUMN}, pos AS {ROW_COLUMN} FROM read_parquet({literals(group.deletes)})"
    return f"(SELECT * FROM ({held}) ANTI JOIN ({gone}) USING ({PLACE}))"


def empty(scan: TableScan, with_place: bool) -> str:
    columns = [f"CAST(NULL AS {duck_type(f.dataType)}) AS {identifier(f.name)}" for f in scan.schema.fields]
    extra = [f"CAST(NULL AS VARCHAR) AS {FILE_COLUMN}", f"CAST(NULL AS BIGINT) AS {ROW_COLUMN}"] if with_place else []
    return f"SELECT {', '.join(columns + extra)} WHERE false"
