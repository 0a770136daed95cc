"""Partitions of a table of files that lie in places of their own: their rows, with the values the partition has."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField, StructType

from twinspark.tables.ducktext import duck_type, identifier, literal
from twinspark.tables.files import scan
from twinspark.tables.filescan import FileScan, ScanContext
from twinspark.tables.partitions import DEFAULT_PARTITION, checked_user_type, unescape

if TYPE_CHECKING:
    from twinspark.tables.file_table import FileTable


def with_partition(found: FileScan, table: "FileTable", path: str, context: ScanContext) -> FileScan:
    """The rows so far, and those of the partition."""
    place = table.partition_place(path)
    if not os.path.isdir(place):
        return found
    names = table.partition_names
    held = StructType([field for field in table.schema.fields if field.name not in names])
    more = scan(table.provider, [place], table.options, held, context)
    values = dict(zip(names, path.split("/"), strict=True))
    columns = [
        partition_value(field, values[field.name]) if field.name in values else identifier(field.name)
        for field in table.schema.fields
    ]
    own = ", ".join(map(identifier, table.schema.names))
    return replace(
        found,
        sql=f"(SELECT {own} FROM {found.sql} UNION ALL SELECT {', '.join(columns)} FROM {more.sql})",
        input_files=[*found.input_files, *more.input_files],
        size_in_bytes=found.size_in_bytes + more.size_in_bytes,
        arrow=(*found.arrow, *more.arrow),
        file_sizes=(),
    )


def partition_value(field: StructField, folder: str) -> str:
    """As a directory of that name would give it."""
    raw = folder.partition("=")[2]
    checked_user_type(field.dataType, [raw])
    value = "NULL" if raw == DEFAULT_PARTITION else literal(unescape(raw))
    return f"CAST({value} AS {duck_type(field.dataType)}) AS {identifier(field.name)}"
