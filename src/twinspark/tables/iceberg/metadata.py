"""Rows of Iceberg's metadata tables (`db.table.history`, `.snapshots`, `.files`, …) as Arrow."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from pyiceberg.table import Table

TABLES: Mapping[str, Callable[[Table], Any]] = {
    "history": lambda table: table.inspect.history(),
    "snapshots": lambda table: table.inspect.snapshots(),
    "refs": lambda table: table.inspect.refs(),
    "files": lambda table: table.inspect.files(),
    "data_files": lambda table: table.inspect.data_files(),
    "delete_files": lambda table: table.inspect.delete_files(),
    "entries": lambda table: table.inspect.entries(),
    "manifests": lambda table: table.inspect.manifests(),
    "partitions": lambda table: table.inspect.partitions(),
    "metadata_log_entries": lambda table: table.inspect.metadata_log_entries(),
    "all_files": lambda table: table.inspect.all_files(),
    "all_data_files": lambda table: table.inspect.all_data_files(),
    "all_delete_files": lambda table: table.inspect.all_delete_files(),
    "all_manifests": lambda table: table.inspect.all_manifests(),
}


def metadata_table(table: Table, name: str) -> Any | None:
    """The metadata table's rows, or None when there is none of that name."""
    read = TABLES.get(name.lower())
    return None if read is None else as_spark(read(table))


def as_spark(rows: pa.Table) -> pa.Table:
    """PyIceberg's timestamps have no zone: they are in UTC, and TIMESTAMP in Spark. The column of partition values is
    omitted for unpartitioned tables, as in Iceberg's Java library."""
    columns = {name: plain(rows.column(name).combine_chunks()) for name in rows.schema.names}
    return pa.table({name: column for name, column in columns.items() if not is_empty_struct(column.type)})


def plain(column: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", "UTC"))
    if pa.types.is_struct(column.type) and any(is_empty_struct(field.type) for field in column.type):
        kept = [field for field in column.type if not is_empty_struct(field.type)]
        parts = [column.field(field.name) for field in kept]
        return pa.StructArray.from_arrays(parts, fields=kept, mask=column.is_null())
    return column


def is_empty_struct(type: pa.DataType) -> bool:
    return bool(pa.types.is_struct(type) and type.num_fields == 0)
