"""Plans a scan of a Delta table from the files and partition values in its log, for either engine."""

import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql.types import BinaryType, DataType, DoubleType, FloatType, StructField, StructType, TimestampType

from twinspark.errors import NotNative, reasons
from twinspark.tables.catalog import ScanGroup, TableScan
from twinspark.tables.files import parquet
from twinspark.tables.files.listing import SCHEME, LeafFile, leaf_of, local_path
from twinspark.tables.files.partition_columns import Partitioning
from twinspark.tables.reshape import Field, Missing

ESCAPED_BYTES = re.compile(rb"(?:\\u00[0-9A-Fa-f]{2})*")
# Types whose values DuckDB would read differently from a directory's name.
NOT_IN_DIRECTORIES = (TimestampType, BinaryType)
Quote = Callable[[str], str]


@dataclass(frozen=True)
class DeltaFile:
    """A data file and the values of its partition columns, in their order."""

    leaf: LeafFile
    values: tuple[Any, ...]


def files_of(table: Any) -> list[DeltaFile]:
    """The files of the version that delta-rs has loaded."""
    added = pa.table(table.get_add_actions(flatten=True))
    names = [f"partition.{name}" for name in table.metadata().partition_columns]
    values = zip(*(added.column(name).to_pylist() for name in names), strict=True) if names else [()] * len(added)
    places = [file_path(path, table.table_uri) for path in added.column("path").to_pylist()]
    return [DeltaFile(leaf_of(place, os.stat(place)), tuple(each)) for place, each in zip(places, values, strict=True)]


def file_path(path: str, table_uri: str) -> str:
    """The local path of a file of the log: an absolute URI, or one relative to the table's directory."""
    if SCHEME.match(path) or path.startswith("/"):
        return local_path(unquote(path))
    return os.path.join(local_path(unquote(table_uri) if SCHEME.match(table_uri) else table_uri), unquote(path))


def are_in_directories(partitions: Sequence[StructField], files: Sequence[DeltaFile]) -> bool:
    """Whether directory names have the same values as the log, so that DuckDB may read them there. An empty string is
    null in the log."""
    if any(isinstance(field.dataType, NOT_IN_DIRECTORIES) for field in partitions):
        return False
    prefixes = [f"/{field.name}=" for field in partitions]
    return all(name in file.leaf.path and f"{name}/" not in file.leaf.path for name in prefixes for file in files)


def scan_of(
    schema: StructType, partitions: Sequence[str], files: Sequence[DeltaFile], connection: Any, quote: Quote
) -> TableScan:
    """A scan of all files, by partition; `quote` writes a string literal for the engine that reads the scan."""
    groups = [
        group
        for texts, leaves in by_partition(schema, partitions, files, quote).items()
        for group in groups_of(schema, dict(zip(partitions, texts, strict=True)), leaves, connection)
    ]
    return TableScan(schema, tuple(groups), 0, 0, 0)


def by_partition(
    schema: StructType, partitions: Sequence[str], files: Sequence[DeltaFile], quote: Quote
) -> dict[tuple[str | None, ...], list[LeafFile]]:
    found: dict[tuple[str | None, ...], list[LeafFile]] = {}
    types = [schema[name].dataType for name in partitions]
    for file in files:
        texts = tuple(value_sql(value, type, quote) for value, type in zip(file.values, types, strict=True))
        found.setdefault(texts, []).append(file.leaf)
    return found


def value_sql(value: Any, type: DataType, quote: Quote) -> str | None:
    """SQL that a cast to the type turns into the value, on both engines."""
    match value:
        case None:
            return None
        case bytes():
            return f"unhex('{binary(value).hex()}')"
        case bool():
            return str(value).lower()
        case float() if isinstance(type, DoubleType | FloatType):
            return quote(fraction(value))
        case datetime() if isinstance(type, TimestampType):
            return quote(f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(' ')}Z")
        case datetime():
            return quote(value.isoformat(" "))
    return quote(str(value))


def fraction(value: float) -> str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if math.isnan(value) else repr(value)


def binary(text: bytes) -> bytes:
    r"""Delta's log has the bytes of a binary value as \u00XX."""
    if not ESCAPED_BYTES.fullmatch(text):
        raise NotNative(reasons.DELTA_TABLE, "a binary partition value that is not escaped")
    return bytes(int(each, 16) for each in text.decode().split("\\u")[1:])


def groups_of(
    schema: StructType, texts: dict[str, str | None], leaves: Sequence[LeafFile], connection: Any
) -> list[ScanGroup]:
    """The files of one partition, grouped by their schemas."""
    held = StructType([field for field in schema.fields if field.name not in texts])
    footers = parquet.footers_of(leaves, connection)
    scans = parquet.scan_groups(footers, held, Partitioning(StructType([]), tuple(leaves)), case_sensitive=False)
    return [ScanGroup(tuple(paths), with_values(schema, fields, texts), held) for fields, paths in scans]


def with_values(schema: StructType, fields: Sequence[Field], texts: dict[str, str | None]) -> tuple[Field, ...]:
    read = {field.name: field for field in fields}
    return tuple(
        read.get(field.name) or Field(field.name, None, Missing(field.dataType, texts[field.name]))
        for field in schema.fields
    )
