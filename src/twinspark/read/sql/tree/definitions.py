"""Nodes of statements that create, alter or drop namespaces, tables, views, functions, variables and indexes."""

from dataclasses import dataclass

from pyspark.sql.types import DataType, StructType

from twinspark.read.sql.tree.base import Command, Expression, Identifier, Name, Node
from twinspark.read.sql.tree.changes import FileFormat
from twinspark.read.sql.tree.queries import Properties, Query, RowFormat


# ---------------------------------------------------------------- namespaces
@dataclass(frozen=True, slots=True)
class CreateNamespace(Command):
    name: Identifier
    if_not_exists: bool
    comment: str | None
    location: str | None
    collation: str | None
    properties: Properties


@dataclass(frozen=True, slots=True)
class AlterNamespace(Command):
    """`change` is SET PROPERTIES, UNSET PROPERTIES, LOCATION or COLLATION."""

    name: Identifier
    change: str
    properties: Properties = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class DropNamespace(Command):
    name: Identifier
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class UseNamespace(Command):
    """USE a.b; `explicit` when USE DATABASE, SCHEMA or NAMESPACE was written."""

    name: Identifier
    explicit: bool


@dataclass(frozen=True, slots=True)
class SetCatalog(Command):
    catalog: Expression


# ---------------------------------------------------------------- tables
@dataclass(frozen=True, slots=True)
class Constraint(Node):
    """`kind` is CHECK, UNIQUE, PRIMARY KEY, FOREIGN KEY or REFERENCES; characteristics as written, in capitals."""

    name: str | None
    kind: str
    condition: Expression | None
    columns: tuple[str, ...]
    parent: Name | None
    parent_columns: tuple[str, ...]
    characteristics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identity(Node):
    always: bool
    start_with: int
    increment: int


@dataclass(frozen=True, slots=True)
class ColumnDefinition(Node):
    """A column of CREATE TABLE or a parameter of a function."""

    name: str
    type: DataType
    nullable: bool = True
    default: Expression | None = None
    generated: Expression | None = None
    identity: Identity | None = None
    comment: str | None = None
    constraint: Constraint | None = None


@dataclass(frozen=True, slots=True)
class PartitionTransform(Node):
    """PARTITIONED BY a, days(ts), bucket(4, id), or a column with its type (`type` set)."""

    name: str
    arguments: tuple[Name | Expression, ...]
    type: DataType | None = None
    comment: str | None = None

    @property
    def column(self) -> Name | None:
        """The column, if the transform is just a column."""
        first = self.arguments[0] if self.arguments else None
        return first if isinstance(first, Name) and first.start == self.start else None


@dataclass(frozen=True, slots=True)
class BucketSpec(Node):
    columns: tuple[str, ...]
    sorted_by: tuple[tuple[str, str], ...]
    buckets: int


@dataclass(frozen=True, slots=True)
class TableClauses(Node):
    """The clauses after the columns of a table, in any order."""

    options: tuple[tuple[str, Expression | None], ...] = ()
    partitioning: tuple[PartitionTransform, ...] = ()
    cluster_by: tuple[Name, ...] = ()
    bucket: BucketSpec | None = None
    row_format: RowFormat | None = None
    file_format: FileFormat | None = None
    location: str | None = None
    comment: str | None = None
    collation: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class CreateTable(Command):
    """CREATE TABLE and, with `replace`, [CREATE OR] REPLACE TABLE (`or_create`)."""

    name: Identifier
    temporary: bool
    external: bool
    if_not_exists: bool
    replace: bool
    or_create: bool
    columns: tuple[ColumnDefinition, ...]
    constraints: tuple[Constraint, ...]
    provider: Name | None
    clauses: TableClauses
    query: Query | None


@dataclass(frozen=True, slots=True)
class CreateTableLike(Command):
    target: Identifier
    source: Identifier
    if_not_exists: bool
    provider: Name | None
    clauses: TableClauses


@dataclass(frozen=True, slots=True)
class CreatePipelineDataset(Command):
    """`kind` is MATERIALIZED VIEW or STREAMING TABLE."""

    kind: str
    name: Identifier
    if_not_exists: bool
    columns: tuple[ColumnDefinition, ...]
    provider: Name | None
    clauses: TableClauses
    query: Query | None


@dataclass(frozen=True, slots=True)
class CreateFlow(Command):
    name: Identifier
    comment: str | None
    insert: Command


@dataclass(frozen=True, slots=True)
class DropTable(Command):
    name: Identifier
    if_exists: bool
    purge: bool


# ---------------------------------------------------------------- views
@dataclass(frozen=True, slots=True)
class CreateView(Command):
    """`columns` have names and comments; `binding` is as written after WITH SCHEMA, or empty."""

    name: Identifier
    replace: bool
    temporary: bool
    is_global: bool
    if_not_exists: bool
    columns: tuple[tuple[str, str | None], ...]
    comment: str | None
    binding: str
    collation: str | None
    properties: Properties
    query: Query


@dataclass(frozen=True, slots=True)
class CreateMetricView(Command):
    name: Identifier
    replace: bool
    if_not_exists: bool
    columns: tuple[tuple[str, str | None], ...]
    comment: str | None
    properties: Properties
    definition: str


@dataclass(frozen=True, slots=True)
class CreateTemporaryViewUsing(Command):
    name: Name
    replace: bool
    is_global: bool
    schema: StructType | None
    provider: Name
    options: Properties


@dataclass(frozen=True, slots=True)
class AlterViewQuery(Command):
    name: Identifier
    query: Query


@dataclass(frozen=True, slots=True)
class AlterViewBinding(Command):
    name: Identifier
    binding: str


@dataclass(frozen=True, slots=True)
class DropView(Command):
    name: Identifier
    if_exists: bool


# ---------------------------------------------------------------- functions, variables, indexes
@dataclass(frozen=True, slots=True)
class CreateFunction(Command):
    """A function implemented by a class; `resources` are kind and path."""

    name: Identifier
    replace: bool
    temporary: bool
    if_not_exists: bool
    class_name: str
    resources: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CreateSqlFunction(Command):
    """A SQL function: returns a type, a table (`returns_table`), or the type of its body."""

    name: Identifier
    replace: bool
    temporary: bool
    if_not_exists: bool
    parameters: tuple[ColumnDefinition, ...] | None
    returns: DataType | None
    returns_table: StructType | bool
    characteristics: tuple[str, ...]
    comment: str | None
    collation: str | None
    body: Query | Expression
    body_text: str
    returns_text: str = ""  # the columns of RETURNS TABLE


@dataclass(frozen=True, slots=True)
class DropFunction(Command):
    name: Identifier
    temporary: bool
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CreateVariable(Command):
    names: tuple[Identifier, ...]
    replace: bool
    type: DataType | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class DropVariable(Command):
    name: Identifier
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CreateIndex(Command):
    name: str
    table: Identifier
    if_not_exists: bool
    method: str | None
    columns: tuple[tuple[Name, Properties], ...]
    options: Properties


@dataclass(frozen=True, slots=True)
class DropIndex(Command):
    name: str
    table: Identifier
    if_exists: bool
