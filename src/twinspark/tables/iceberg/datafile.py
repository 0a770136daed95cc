"""Writes Iceberg data files with DuckDB's COPY, and builds DataFile entries from the statistics it returns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from pyiceberg import types
from pyiceberg.conversions import to_bytes
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.utils.truncate import truncate_upper_bound_text_string

from twinspark.errors import SparkError
from twinspark.tables.iceberg.spec import partition_sql, partition_value
from twinspark.tables.iceberg.types import nested_fields
from twinspark.types.duckdb import duck_name, duck_text

BOUND_LENGTH = 16
FILE_SIZE = "512MB"
PARTITION = "twinspark_partition_{}"
EPOCH_DAY = date(1970, 1, 1).toordinal()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class WriteTarget:
    """The directory, schema and partition spec of a write."""

    schema: Schema
    spec: PartitionSpec
    directory: str
    order: str = ""


def copy_sql(target: WriteTarget, select: str, connection: Any) -> str:
    """The COPY statement that writes `select` partitioned and with field ids, and returns statistics."""
    columns = [
        f"CAST({duck_name(f.name)} AS {duck_storage(f.field_type)}) AS {duck_name(f.name)}"
        for f in target.schema.fields
    ]
    parts = [
        f"{partition_sql(target.schema, field, connection)} AS {PARTITION.format(at)}"
        for at, field in enumerate(target.spec.fields)
    ]
    by = ", ".join(PARTITION.format(at) for at in range(len(parts)))
    ordered = f" ORDER BY {target.order}" if target.order else ""
    layout = f", PARTITION_BY ({by})" if by else f", FILE_SIZE_BYTES '{FILE_SIZE}'"
    return (
        f"COPY (SELECT {', '.join(['*', *parts])} FROM (SELECT {', '.join(columns)} FROM ({select})){ordered}) "
        f"TO {duck_text(target.directory)} "
        f"(FORMAT parquet, COMPRESSION zstd, RETURN_STATS, FILENAME_PATTERN '{{uuid}}', HIVE_FILE_PATTERN false, "
        f"OVERWRITE_OR_IGNORE, FIELD_IDS {field_ids(target.schema.as_struct())}{layout})"
    )


def stored_column(field: types.NestedField) -> str:
    return f"CAST({duck_name(field.name)} AS {duck_storage(field.field_type)}) AS {duck_name(field.name)}"


def field_ids(type: types.IcebergType) -> str:
    members = ", ".join(f"{duck_name(f.name)}: {field_id(f)}" for f in nested_fields(type))
    return f"{{{members}}}"


def field_id(field: types.NestedField) -> str:
    below = nested_fields(field.field_type)
    if not below:
        return str(field.field_id)
    members = ", ".join(f"{duck_name(f.name)}: {field_id(f)}" for f in below)
    return f"{{__duckdb_field_id: {field.field_id}, {members}}}"


STORED: Mapping[type, str] = {
    types.BooleanType: "BOOLEAN",
    types.IntegerType: "INTEGER",
    types.LongType: "BIGINT",
    types.FloatType: "FLOAT",
    types.DoubleType: "DOUBLE",
    types.StringType: "VARCHAR",
    types.BinaryType: "BLOB",
    types.FixedType: "BLOB",
    types.UUIDType: "UUID",
    types.DateType: "DATE",
    types.TimestampType: "TIMESTAMP",
    types.TimestamptzType: "TIMESTAMPTZ",
}


def duck_storage(type: types.IcebergType) -> str:
    """DuckDB's type of a stored column."""
    if isinstance(type, types.DecimalType):
        return f"DECIMAL({type.precision},{type.scale})"
    if isinstance(type, types.ListType):
        return f"{duck_storage(type.element_type)}[]"
    if isinstance(type, types.MapType):
        return f"MAP({duck_storage(type.key_type)}, {duck_storage(type.value_type)})"
    if isinstance(type, types.StructType):
        return f"STRUCT({', '.join(f'{duck_name(f.name)} {duck_storage(f.field_type)}' for f in type.fields)})"
    return STORED[type.__class__]


def data_files(target: WriteTarget, returned: Sequence[Sequence[Any]]) -> list[DataFile]:
    """A DataFile for each file with rows; a null in a required column, which the statistics show, is an error."""
    paths = field_paths(target.schema)
    files = [data_file(target, row, paths) for row in returned if row[1]]
    for file in files:
        check_required(target.schema, file)
    return files


def field_paths(schema: Schema) -> dict[str, types.NestedField]:
    """The fields by their paths in the statistics that COPY returns."""
    return dict(paths_below("", schema.as_struct()))


def paths_below(prefix: str, type: types.IcebergType) -> Iterator[tuple[str, types.NestedField]]:
    for field in nested_fields(type):
        path = f"{prefix}{duck_name(field.name)}"
        yield path, field
        yield from paths_below(f"{path}.", field.field_type)


def data_file(target: WriteTarget, row: Sequence[Any], paths: Mapping[str, types.NestedField]) -> DataFile:
    path, rows, size, _, statistics, keys = row[:6]
    columns = {paths[name]: found for name, found in statistics.items() if name in paths}
    leaves = {field: found for field, found in columns.items() if not nested_fields(field.field_type)}
    made = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=partition_record(target, keys or {}),
        record_count=rows,
        file_size_in_bytes=size,
        column_sizes=counts(leaves, "column_size_bytes"),
        value_counts=counts(leaves, "num_values"),
        null_value_counts=counts(leaves, "null_count"),
        nan_value_counts=counts(leaves, "nan_count"),
        lower_bounds=bounds(leaves, "min"),
        upper_bounds=bounds(leaves, "max"),
        split_offsets=None,
        equality_ids=None,
        key_metadata=None,
        sort_order_id=None,
    )
    made.spec_id = target.spec.spec_id
    return made


def partition_record(target: WriteTarget, keys: Mapping[str, str]) -> Record:
    result_types = [field.field_type for field in target.spec.partition_type(target.schema).fields]
    return Record(*(partition_value(keys[PARTITION.format(at)], type) for at, type in enumerate(result_types)))


Statistics = Mapping[str, str]


def counts(columns: Mapping[types.NestedField, Statistics], key: str) -> dict[int, int]:
    return {field.field_id: int(found[key]) for field, found in columns.items() if key in found}


def bounds(columns: Mapping[types.NestedField, Statistics], side: str) -> dict[int, bytes]:
    found = {
        field.field_id: bound(field.field_type, found[side], side)
        for field, found in columns.items()
        if found.get(f"{side}_is_exact") == "true"
    }
    return {id: value for id, value in found.items() if value is not None}


def bound(type: types.IcebergType, text: str, side: str) -> bytes | None:
    """Strings longer than sixteen characters are truncated, rounded up for an upper bound."""
    if isinstance(type, types.StringType):
        cut = text[:BOUND_LENGTH] if side == "min" else truncate_upper_bound_text_string(text, BOUND_LENGTH)
        return None if cut is None else cut.encode()
    value = bound_value(type, text)
    return None if value is None else bytes(to_bytes(type, value))


def bound_value(type: types.IcebergType, text: str) -> Any:
    if isinstance(type, types.IntegerType | types.LongType):
        return int(text)
    if isinstance(type, types.BooleanType):
        return text in ("1", "true")
    if isinstance(type, types.FloatType | types.DoubleType):
        return float(text)
    if isinstance(type, types.DecimalType):
        return Decimal(text)
    if isinstance(type, types.DateType):
        return date_bound(text)
    if isinstance(type, types.TimestampType | types.TimestamptzType):
        return timestamp_bound(text)
    return None  # binary, uuid: no bounds


def date_bound(text: str) -> int | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return None  # before year 1 or after 9999
    return date.fromisoformat(text).toordinal() - EPOCH_DAY


def timestamp_bound(text: str) -> int | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d(:\d\d)?(:\d\d)?)?", text):
        return None
    moment = datetime.fromisoformat(text)
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def check_required(schema: Schema, file: DataFile) -> None:
    for field in schema.fields:
        if field.required and file.null_value_counts.get(field.field_id):
            raise SparkError("NOT_NULL_ASSERT_VIOLATION", walkedTypePath=f"\n{field.name}\n")
