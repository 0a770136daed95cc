"""Reads partitions of file tables that are stored at locations of their own (ALTER TABLE … SET LOCATION)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from pyspark.sql.types import StructField, StructType

from twinspark.tables.column_types import column_type
from twinspark.tables.files.formats import scan
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, checked_user_type, unescape
from twinspark.tables.files.scan import FileScan, ScanContext
from twinspark.types.duckdb import duck_name, duck_text


class PartitionedTable(Protocol):
    """The attributes of a file table that are used here."""

    @property
    def provider(self) -> str: ...
    @property
    def schema(self) -> StructType: ...
    @property
    def options(self) -> Mapping[str, str]: ...
    @property
    def partition_names(self) -> Sequence[str]: ...
    def partition_directory(self, path: str) -> str: ...


def with_partition(found: FileScan, table: PartitionedTable, path: str, context: ScanContext) -> FileScan:
    """The scan with the rows of one more partition."""
    place = table.partition_directory(path)
    if not os.path.isdir(place):
        return found
    names = table.partition_names
    held = StructType([field for field in table.schema.fields if field.name not in names])
    more = scan(table.provider, [place], table.options, held, context)
    values = dict(zip(names, path.split("/"), strict=True))
    columns = [
        partition_value(field, values[field.name]) if field.name in values else duck_name(field.name)
        for field in table.schema.fields
    ]
    own = ", ".join(map(duck_name, table.schema.names))
    return replace(
        found,
        sql=f"(SELECT {own} FROM {found.sql} UNION ALL SELECT {', '.join(columns)} FROM {more.sql})",
        input_files=[*found.input_files, *more.input_files],
        size_in_bytes=found.size_in_bytes + more.size_in_bytes,
        arrow=(*found.arrow, *more.arrow),
        file_sizes=(),
    )


def partition_value(field: StructField, folder: str) -> str:
    """The partition's value, as read from a directory name."""
    raw = folder.partition("=")[2]
    checked_user_type(field.dataType, [raw])
    value = "NULL" if raw == DEFAULT_PARTITION else duck_text(unescape(raw))
    return f"CAST({value} AS {column_type(field.dataType)}) AS {duck_name(field.name)}"
