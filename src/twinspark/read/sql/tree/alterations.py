"""Nodes of ALTER TABLE and of what ALTER VIEW shares with it: one class per change."""

from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql.types import DataType

from twinspark.read.sql.tree.base import Command, Expression, Identifier, Name, Node
from twinspark.read.sql.tree.changes import PartitionSpec
from twinspark.read.sql.tree.definitions import Constraint
from twinspark.read.sql.tree.iceberg import IcebergChange
from twinspark.read.sql.tree.queries import Properties


@dataclass(frozen=True, slots=True)
class AddedColumn(Node):
    """`position` is FIRST, the name of the column before, or empty."""

    name: Name
    type: DataType
    nullable: bool
    default: Expression | None
    comment: str | None
    position: str
    after: str | None


@dataclass(frozen=True, slots=True)
class AddColumns(Node):
    columns: tuple[AddedColumn, ...]


@dataclass(frozen=True, slots=True)
class ReplaceColumns(Node):
    columns: tuple[AddedColumn, ...]


@dataclass(frozen=True, slots=True)
class RenameColumn(Node):
    column: Name
    to: str


@dataclass(frozen=True, slots=True)
class DropColumns(Node):
    columns: tuple[Name, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class ColumnChange(Node):
    """One column of ALTER COLUMN; fields that are None or empty are not changed. `nullable` False is SET NOT NULL."""

    column: Name
    type: DataType | None = None
    comment: str | None = None
    position: str = ""
    after: str | None = None
    nullable: bool | None = None
    default: Expression | None = None
    drop_default: bool = False


@dataclass(frozen=True, slots=True)
class AlterColumns(Node):
    columns: tuple[ColumnChange, ...]


@dataclass(frozen=True, slots=True)
class RenameTable(Node):
    to: Name


@dataclass(frozen=True, slots=True)
class SetProperties(Node):
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetProperties(Node):
    properties: Properties
    if_exists: bool


@dataclass(frozen=True, slots=True)
class SetSerde(Node):
    serde: str | None
    properties: Properties


@dataclass(frozen=True, slots=True)
class AddPartitions(Node):
    partitions: tuple[tuple[PartitionSpec, str | None], ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class RenamePartition(Node):
    to: PartitionSpec


@dataclass(frozen=True, slots=True)
class DropPartitions(Node):
    partitions: tuple[PartitionSpec, ...]
    if_exists: bool
    purge: bool


@dataclass(frozen=True, slots=True)
class SetLocation(Node):
    location: str


@dataclass(frozen=True, slots=True)
class RecoverPartitions(Node):
    pass


@dataclass(frozen=True, slots=True)
class ClusterBy(Node):
    """CLUSTER BY (…) or CLUSTER BY NONE."""

    columns: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class SetCollation(Node):
    collation: str


@dataclass(frozen=True, slots=True)
class AddConstraint(Node):
    constraint: Constraint


@dataclass(frozen=True, slots=True)
class DropConstraint(Node):
    name: str
    if_exists: bool
    cascade: bool


TableChange: TypeAlias = (
    AddColumns
    | ReplaceColumns
    | RenameColumn
    | DropColumns
    | AlterColumns
    | RenameTable
    | SetProperties
    | UnsetProperties
    | SetSerde
    | AddPartitions
    | RenamePartition
    | DropPartitions
    | SetLocation
    | RecoverPartitions
    | ClusterBy
    | SetCollation
    | AddConstraint
    | DropConstraint
    | IcebergChange
)


@dataclass(frozen=True, slots=True)
class AlterTable(Command):
    """ALTER TABLE or, with `is_view`, ALTER VIEW; one change, optionally of one partition."""

    name: Identifier
    is_view: bool
    partition: PartitionSpec | None
    change: TableChange
