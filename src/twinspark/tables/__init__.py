"""Tables and files: Spark's TableCatalog on Apache Iceberg, and files as Spark reads and writes them.

This module imports little; `twinspark.tables.catalogs.Catalogs` imports PyIceberg when a table is first used.
"""

from twinspark.tables.catalog import Identifier, StagedTable, Table, TableCatalog, TableScan, Version
from twinspark.tables.changes import (
    AddColumn,
    After,
    DeleteColumn,
    First,
    MoveColumn,
    RemoveProperty,
    RenameColumn,
    SetProperty,
    TableChange,
    UpdateColumn,
    UpdateColumnComment,
    UpdateColumnDefault,
    UpdateColumnNullability,
)
from twinspark.tables.transforms import Bucket, Day, Hour, Identity, Month, Transform, Truncate, Year

__all__ = [
    "AddColumn",
    "After",
    "Bucket",
    "Day",
    "DeleteColumn",
    "First",
    "Hour",
    "Identifier",
    "Identity",
    "Month",
    "MoveColumn",
    "RemoveProperty",
    "RenameColumn",
    "SetProperty",
    "StagedTable",
    "Table",
    "TableCatalog",
    "TableChange",
    "TableScan",
    "Transform",
    "Truncate",
    "UpdateColumn",
    "UpdateColumnComment",
    "UpdateColumnDefault",
    "UpdateColumnNullability",
    "Version",
    "Year",
]
