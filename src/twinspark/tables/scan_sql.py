"""A planned table scan as a DuckDB table expression."""

from twinspark.tables.catalog import EqualityDelete, ScanGroup, TableScan
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
    if group.deletes or group.equality_deletes:
        return duck_select(group.fields, not_deleted(source, group), f", {PLACE}" if with_place else "")
    extra = f", filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN}" if with_place else ""
    return duck_select(group.fields, source, extra)


def not_deleted(source: str, group: ScanGroup) -> str:
    """The rows but for those that are named by their place, or by their values."""
    held = f"SELECT *, filename AS {FILE_COLUMN}, file_row_number AS {ROW_COLUMN} FROM {source}"
    if group.deletes:
        held = f"SELECT * FROM ({held}) ANTI JOIN ({named_places(group)}) USING ({PLACE})"
    for each in group.equality_deletes:
        held = f"SELECT * FROM ({held}) AS t ANTI JOIN ({named_values(each)}) AS d ON {same_values(each)}"
    return f"({held})"


def named_places(group: ScanGroup) -> str:
    """Of each row its file's path, as it was written, and its number in it."""
    path = f"regexp_replace(file_path, {literal(SCHEME)}, '')"
    return f"SELECT {path} AS {FILE_COLUMN}, pos AS {ROW_COLUMN} FROM read_parquet({literals(group.deletes)})"


def named_values(deleted: EqualityDelete) -> str:
    columns = ", ".join(f"{identifier(theirs)} AS d{at}" for at, (_, theirs) in enumerate(deleted.columns))
    return f"SELECT {columns} FROM read_parquet({literals(deleted.files)}, hive_partitioning=false)"


def same_values(deleted: EqualityDelete) -> str:
    """A null in a delete file names the rows in which there is none."""
    tests = [f"t.{identifier(ours)} IS NOT DISTINCT FROM d.d{at}" for at, (ours, _) in enumerate(deleted.columns)]
    return " AND ".join(tests)


def empty(scan: TableScan, with_place: bool) -> str:
    columns = [f"CAST(NULL AS {duck_type(f.dataType)}) AS {identifier(f.name)}" for f in scan.schema.fields]
    extra = [f"CAST(NULL AS VARCHAR) AS {FILE_COLUMN}", f"CAST(NULL AS BIGINT) AS {ROW_COLUMN}"] if with_place else []
    return f"SELECT {', '.join(columns + extra)} WHERE false"
