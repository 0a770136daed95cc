"""Spark's TableCatalog (SPIP: Spark API for Table Metadata) as Python protocols: what every provider offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql.types import StructType

from twinspark.tables.changes import TableChange
from twinspark.tables.predicates import Predicate
from twinspark.tables.reshape import Field
from twinspark.tables.transforms import Transform
from twinspark.types import quote_identifier

SCHEMA_MODE = "view.schemaMode"  # a view's property: what happens when the columns of its tables change
COLLATION = "view.collation"  # a view's property: its DEFAULT COLLATION


@dataclass(frozen=True)
class Identifier:
    """A table's name inside one catalog."""

    namespace: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        return ".".join(quote_identifier(part) for part in (*self.namespace, self.name))

    @classmethod
    def of(cls, *parts: str) -> "Identifier":
        return cls(tuple(parts[:-1]), parts[-1])


@dataclass(frozen=True)
class TableSpec:
    """The definition of a new table, as CREATE and REPLACE TABLE give it, for any catalog.

    Properties named `option.*` are the options of its provider; without a location the catalog chooses one."""

    schema: StructType
    partitioning: Sequence[Transform] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    provider: str = "iceberg"
    location: str | None = None

    @property
    def options(self) -> dict[str, str]:
        return {name.removeprefix("option."): v for name, v in self.properties.items() if name.startswith("option.")}


@dataclass(frozen=True)
class Version:
    """Which state of a table is read: a snapshot (or its tag or branch), or the one current at a timestamp."""

    snapshot: str | None = None
    timestamp_ms: int | None = None


@dataclass(frozen=True)
class EqualityDelete:
    """Iceberg equality deletes: rows with the values in these files are deleted; column names in data and delete
    files."""

    files: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ScanGroup:
    """Files written with one schema, how their columns become the table's, and the delete files that apply to them."""

    files: tuple[str, ...]
    fields: tuple[Field, ...]
    physical: StructType
    deletes: tuple[str, ...] = ()
    equality_deletes: tuple[EqualityDelete, ...] = ()


@dataclass(frozen=True)
class TableScan:
    """A planned scan of a table, in terms that either engine can run."""

    schema: StructType
    groups: tuple[ScanGroup, ...]
    rows: int
    size_in_bytes: int
    files_in_table: int

    @property
    def files(self) -> list[str]:
        return [file for group in self.groups for file in group.files]


class Table(Protocol):
    """A loaded table: its metadata at one point in time."""

    @property
    def identifier(self) -> Identifier: ...

    @property
    def schema(self) -> StructType: ...

    @property
    def partitioning(self) -> tuple[Transform, ...]: ...

    @property
    def properties(self) -> Mapping[str, str]: ...

    @property
    def provider(self) -> str: ...

    @property
    def location(self) -> str: ...

    def scan(self, predicate: Predicate | None = None, version: Version | None = None) -> TableScan: ...


class StagedTable(Protocol):
    """A table, or a table's new contents, that is not visible before `commit`; `abort` removes all its files."""

    @property
    def schema(self) -> StructType: ...

    def write(self, connection: Any, select: str) -> int:
        """Writes the rows of `select` (named and typed as the schema) to staged files; returns their count."""
        ...

    def commit(self) -> None: ...

    def abort(self) -> None: ...


class TableCatalog(Protocol):
    """Creates, loads, alters and drops tables by name: the methods of the SPIP."""

    def table_exists(self, identifier: Identifier) -> bool: ...

    def load_table(self, identifier: Identifier) -> Table: ...

    def refresh_table(self, identifier: Identifier) -> Table: ...

    def create_table(self, identifier: Identifier, spec: TableSpec) -> Table: ...

    def alter_table(self, identifier: Identifier, changes: Sequence[TableChange]) -> Table: ...

    def drop_table(self, identifier: Identifier, purge: bool = False) -> bool: ...

    def rename_table(self, identifier: Identifier, new_identifier: Identifier) -> None: ...

    def list_tables(self, namespace: Sequence[str]) -> list[Identifier]: ...


class TransactionalTableCatalog(TableCatalog, Protocol):
    """The atomic variants: nothing happens before the staged table is committed."""

    def stage_create(self, identifier: Identifier, spec: TableSpec) -> StagedTable: ...

    def stage_replace(self, identifier: Identifier, spec: TableSpec) -> StagedTable: ...

    def stage_create_or_replace(self, identifier: Identifier, spec: TableSpec) -> StagedTable: ...


@dataclass(frozen=True)
class Namespace:
    """A database: its name and properties."""

    name: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)


class NamespaceCatalog(Protocol):
    """Databases by name."""

    def list_namespaces(self, parent: Sequence[str] = ()) -> list[tuple[str, ...]]: ...

    def load_namespace(self, namespace: Sequence[str]) -> Namespace: ...

    def create_namespace(self, namespace: Sequence[str], properties: Mapping[str, str] | None = None) -> None: ...

    def alter_namespace(self, namespace: Sequence[str], changes: Sequence[TableChange]) -> None: ...

    def drop_namespace(self, namespace: Sequence[str], cascade: bool = False) -> None: ...
