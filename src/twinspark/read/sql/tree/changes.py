"""Nodes of statements that change data: INSERT, UPDATE, DELETE, MERGE, LOAD, TRUNCATE."""

from dataclasses import dataclass
from typing import TypeAlias

from twinspark.read.sql.tree.base import Command, Expression, Identifier, Name, Node
from twinspark.read.sql.tree.queries import From, Organization, Properties, Query, RowFormat, Select, TableAlias, With

Assignment: TypeAlias = tuple[Name, Expression]


@dataclass(frozen=True, slots=True)
class PartitionSpec(Node):
    """PARTITION (a = 1, b): the value is None if only the name is given, and Column DEFAULT for DEFAULT."""

    values: tuple[tuple[str, Expression | None], ...]


@dataclass(frozen=True, slots=True)
class InsertTarget(Node):
    """The target of an INSERT; `replace` is WHERE or ON (with a condition), USING (with `replace_columns`), or
    empty."""

    table: Identifier
    overwrite: bool
    schema_evolution: bool
    options: Properties
    partition: PartitionSpec | None
    if_not_exists: bool
    by_name: bool
    columns: tuple[str, ...]
    alias: TableAlias | None = None
    replace: str = ""
    replace_condition: Expression | None = None
    replace_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectoryTarget(Node):
    """INSERT OVERWRITE [LOCAL] DIRECTORY."""

    local: bool
    path: str | None
    provider: Name | None
    options: Properties
    row_format: RowFormat | None
    file_format: "FileFormat | None"


@dataclass(frozen=True, slots=True)
class FileFormat(Node):
    """STORED AS name, STORED AS INPUTFORMAT … OUTPUTFORMAT …, STORED BY handler."""

    name: str | None
    input_format: str | None = None
    output_format: str | None = None
    handler: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class Insert(Command):
    ctes: With | None
    target: InsertTarget | DirectoryTarget
    query: Query
    query_alias: TableAlias | None


@dataclass(frozen=True, slots=True)
class MultiInsert(Command):
    """FROM t INSERT … SELECT … INSERT … SELECT …"""

    ctes: With | None
    source: From
    inserts: tuple[tuple[InsertTarget | DirectoryTarget, Select, Organization | None], ...]


@dataclass(frozen=True, slots=True)
class Delete(Command):
    ctes: With | None
    table: Identifier
    alias: TableAlias | None
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Update(Command):
    ctes: With | None
    table: Identifier
    alias: TableAlias | None
    assignments: tuple[Assignment, ...]
    where: Expression | None


@dataclass(frozen=True, slots=True)
class MergeClause(Node):
    """`when` is MATCHED, NOT MATCHED or NOT MATCHED BY SOURCE; `action` DELETE, UPDATE [*] or INSERT [*]."""

    when: str
    condition: Expression | None
    action: str
    assignments: tuple[Assignment, ...] = ()
    columns: tuple[Name, ...] = ()
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Merge(Command):
    ctes: With | None
    schema_evolution: bool
    target: Identifier
    target_alias: TableAlias | None
    source: Identifier | Query
    source_alias: TableAlias | None
    condition: Expression
    clauses: tuple[MergeClause, ...]


@dataclass(frozen=True, slots=True)
class LoadData(Command):
    local: bool
    path: str
    overwrite: bool
    table: Identifier
    partition: PartitionSpec | None


@dataclass(frozen=True, slots=True)
class TruncateTable(Command):
    table: Identifier
    partition: PartitionSpec | None
