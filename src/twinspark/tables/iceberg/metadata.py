"""Metadata tables of an Iceberg table (history, snapshots, files, …) as Arrow, by the name that follows the table's."""

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
    "all_manifests": lambda table: table.inspect.all_manifests(),
}


def metadata_table(table: Table, name: str) -> Any | None:
    """The metadata table's rows, or None when there is none of that name."""
    read = TABLES.get(name.lower())
    return None if read is None else with_zones(read(table))


def with_zones(rows: pa.Table) -> pa.Table:
    """PyIceberg gives moments without a zone: they are UTC, and Spark's TIMESTAMP. A table without partitions has
    no column for them (Iceberg's own tables leave it out)."""
    plain = rows.select([field.name for field in rows.schema if not is_empty_struct(field.type)])
    kinds = [
        field.with_type(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(field.type) else field
        for field in plain.schema
    ]
    return plain.cast(pa.schema(kinds))


def is_empty_struct(type: pa.DataType) -> bool:
    return bool(pa.types.is_struct(type) and type.num_fields == 0)
