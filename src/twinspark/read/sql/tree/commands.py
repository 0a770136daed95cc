"""Nodes of the other commands: SET, SHOW, DESCRIBE, CACHE, EXPLAIN, ANALYZE, CALL, EXECUTE IMMEDIATE, cursors."""

from dataclasses import dataclass

from twinspark.read.sql.tree.base import Command, Expression, Identifier, Name, Statement
from twinspark.read.sql.tree.changes import Assignment, PartitionSpec
from twinspark.read.sql.tree.queries import Properties, Query


# ---------------------------------------------------------------- settings
@dataclass(frozen=True, slots=True)
class SetConfiguration(Command):
    """SET key = value, SET key (`value` None), SET -v (`key` is -v), SET (`key` None)."""

    key: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class ResetConfiguration(Command):
    key: str | None


@dataclass(frozen=True, slots=True)
class SetTimeZone(Command):
    """`zone` is a name or offset; None is LOCAL."""

    zone: str | None


@dataclass(frozen=True, slots=True)
class SetPath(Command):
    """Elements are keywords in capitals or names."""

    elements: tuple[str | Name, ...]


@dataclass(frozen=True, slots=True)
class SetVariable(Command):
    """SET VAR a = 1, b = 2 (`assignments`) or SET VAR (a, b) = (query)."""

    assignments: tuple[Assignment, ...]
    targets: tuple[Name, ...]
    query: Query | None


# ---------------------------------------------------------------- EXPLAIN, CALL and others
@dataclass(frozen=True, slots=True)
class ExecuteImmediate(Command):
    query: Expression
    targets: tuple[Name, ...]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Explain(Command):
    """`mode` is empty, LOGICAL, FORMATTED, EXTENDED, CODEGEN or COST."""

    mode: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class CallProcedure(Command):
    procedure: Identifier
    arguments: tuple[Expression, ...]


# ---------------------------------------------------------------- SHOW
@dataclass(frozen=True, slots=True)
class ShowNamespaces(Command):
    parent: Name | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowTables(Command):
    namespace: Identifier | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowTableExtended(Command):
    namespace: Identifier | None
    pattern: str
    partition: PartitionSpec | None


@dataclass(frozen=True, slots=True)
class ShowTableProperties(Command):
    table: Identifier
    key: str | None


@dataclass(frozen=True, slots=True)
class ShowColumns(Command):
    table: Identifier
    namespace: Name | None


@dataclass(frozen=True, slots=True)
class ShowViews(Command):
    namespace: Identifier | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowPartitions(Command):
    table: Identifier
    partition: PartitionSpec | None


@dataclass(frozen=True, slots=True)
class ShowFunctions(Command):
    """`scope` is ALL, SYSTEM or USER; `pattern` a pattern or, in the old form, a name."""

    scope: str
    namespace: Identifier | None
    pattern: str | Name | None


@dataclass(frozen=True, slots=True)
class ShowProcedures(Command):
    namespace: Identifier | None


@dataclass(frozen=True, slots=True)
class ShowCreateTable(Command):
    table: Identifier
    as_serde: bool


@dataclass(frozen=True, slots=True)
class ShowCurrentNamespace(Command):
    pass


@dataclass(frozen=True, slots=True)
class ShowCatalogs(Command):
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowCollations(Command):
    pattern: str | None


# ---------------------------------------------------------------- DESCRIBE
@dataclass(frozen=True, slots=True)
class DescribeFunction(Command):
    """`name` is a name, or an operator or string as written."""

    name: Identifier | str
    extended: bool


@dataclass(frozen=True, slots=True)
class DescribeProcedure(Command):
    name: Identifier


@dataclass(frozen=True, slots=True)
class DescribeNamespace(Command):
    name: Identifier
    extended: bool


@dataclass(frozen=True, slots=True)
class DescribeTable(Command):
    name: Identifier
    extended: bool
    partition: PartitionSpec | None
    column: tuple[str, ...]
    as_json: bool


@dataclass(frozen=True, slots=True)
class DescribeQuery(Command):
    query: Query


# ---------------------------------------------------------------- maintenance
@dataclass(frozen=True, slots=True)
class CommentOn(Command):
    """`kind` is TABLE or NAMESPACE; None removes the comment."""

    kind: str
    name: Identifier
    comment: str | None


@dataclass(frozen=True, slots=True)
class Refresh(Command):
    """REFRESH TABLE t, REFRESH FUNCTION f, REFRESH 'path' (`kind` empty)."""

    kind: str
    name: Identifier | str


@dataclass(frozen=True, slots=True)
class CacheTable(Command):
    name: Identifier
    lazy: bool
    options: Properties
    query: Query | None


@dataclass(frozen=True, slots=True)
class UncacheTable(Command):
    name: Identifier
    if_exists: bool


@dataclass(frozen=True, slots=True)
class ClearCache(Command):
    pass


@dataclass(frozen=True, slots=True)
class RepairTable(Command):
    """`option` is ADD, DROP, SYNC or empty."""

    table: Identifier
    option: str


@dataclass(frozen=True, slots=True)
class ManageResource(Command):
    """ADD or LIST, with a kind (JAR, FILE …) and the rest as written."""

    operation: str
    kind: str
    rest: str


@dataclass(frozen=True, slots=True)
class AnalyzeTable(Command):
    table: Identifier
    partition: PartitionSpec | None
    no_scan: bool
    columns: tuple[str, ...]
    all_columns: bool


@dataclass(frozen=True, slots=True)
class AnalyzeTables(Command):
    namespace: Identifier | None
    no_scan: bool


# ---------------------------------------------------------------- cursors
@dataclass(frozen=True, slots=True)
class DeclareCursor(Command):
    name: str
    sensitivity: str
    query: Query


@dataclass(frozen=True, slots=True)
class OpenCursor(Command):
    name: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FetchCursor(Command):
    name: Name
    targets: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class CloseCursor(Command):
    name: Name
