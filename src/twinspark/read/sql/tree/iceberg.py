"""Nodes of Iceberg's extensions of ALTER TABLE: partition fields, write order, identifier fields, branches and tags."""

from dataclasses import dataclass
from typing import TypeAlias

from twinspark.read.sql.tree.base import Name, Node
from twinspark.read.sql.tree.definitions import PartitionTransform


@dataclass(frozen=True, slots=True)
class AddPartitionField(Node):
    field: PartitionTransform
    name: str | None


@dataclass(frozen=True, slots=True)
class DropPartitionField(Node):
    """The field, given by its transform or by its name, which parses as the transform of a column."""

    field: PartitionTransform


@dataclass(frozen=True, slots=True)
class ReplacePartitionField(Node):
    field: PartitionTransform
    replacement: PartitionTransform
    name: str | None


@dataclass(frozen=True, slots=True)
class OrderField(Node):
    """`ordering` and `nulls` are as written, or empty."""

    transform: PartitionTransform
    ordering: str
    nulls: str


@dataclass(frozen=True, slots=True)
class WriteOrder(Node):
    """WRITE [DISTRIBUTED BY PARTITION] [[LOCALLY] ORDERED BY … | UNORDERED]; `ordering` is as written."""

    distributed: bool
    ordering: str
    order: tuple[OrderField, ...]


@dataclass(frozen=True, slots=True)
class SetIdentifierFields(Node):
    fields: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class DropIdentifierFields(Node):
    fields: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Age(Node):
    """7 DAYS, 12 HOURS, 30 MINUTES."""

    number: int
    unit: str


@dataclass(frozen=True, slots=True)
class CreateReference(Node):
    """CREATE, REPLACE or CREATE OR REPLACE a BRANCH or TAG (`kind`); `retain` is its lifetime, `min_snapshots` and
    `snapshot_age` the retention of a branch's snapshots."""

    kind: str
    name: str
    create: bool
    replace: bool
    if_not_exists: bool
    version: int | None
    retain: Age | None
    min_snapshots: int | None
    snapshot_age: Age | None


@dataclass(frozen=True, slots=True)
class DropReference(Node):
    kind: str
    name: str
    if_exists: bool


IcebergChange: TypeAlias = (
    AddPartitionField
    | DropPartitionField
    | ReplacePartitionField
    | WriteOrder
    | SetIdentifierFields
    | DropIdentifierFields
    | CreateReference
    | DropReference
)
