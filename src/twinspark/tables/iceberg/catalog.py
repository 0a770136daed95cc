"""TableCatalog over Iceberg: tables, namespaces and staged writes; every write is one commit."""

import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.schema import Schema
from pyiceberg.table import CreateTableTransaction, Table
from pyiceberg.table.refs import MAIN_BRANCH

from twinspark.errors import JavaError, NotNative, SparkError, reasons
from twinspark.tables.catalog import Identifier, Namespace, TableSpec
from twinspark.tables.changes import RemoveProperty, SetProperty, TableChange
from twinspark.tables.files.partition_columns import escape
from twinspark.tables.iceberg.alter import apply_changes
from twinspark.tables.iceberg.datafile import WriteTarget
from twinspark.tables.iceberg.format_version import check_version
from twinspark.tables.iceberg.locks import TableLock, TableLocks
from twinspark.tables.iceberg.newest_metadata import newest_metadata
from twinspark.tables.iceberg.spec import order_sql, partition_spec
from twinspark.tables.iceberg.sqlite_catalog import LocalCatalog, is_local, local, open_local
from twinspark.tables.iceberg.staged_write import (
    EVERYTHING,
    Commit,
    CommitConflict,
    QuickTransaction,
    Replacement,
    StagedWrite,
    commit_append,
    commit_create,
    commit_overwrite,
    new_target,
)
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.iceberg.types import iceberg_schema, remembered_types
from twinspark.tables.iceberg.write_cleanup import WriteCleanup
from twinspark.tables.store import Store
from twinspark.types import quote_identifier

# Manifests of small appends are merged, so that planning stays fast; commits are retried after those of other
# processes; the last hundred metadata files are kept.
TABLE_DEFAULTS = {
    "format-version": "2",
    "commit.manifest-merge.enabled": "true",
    "commit.manifest.min-count-to-merge": "20",
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "20",
    "commit.retry.max-wait-ms": "1000",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.parquet.compression-codec": "zstd",
}
LONGEST_FOLDER = 200  # bytes: file systems allow 255, and a table's directory ends with a UUID
RESERVED = {"location", "provider", "external", "is_managed_location"}
Properties = Mapping[str, str]


class IcebergCatalog:
    """One catalog of Iceberg tables; PyIceberg's catalog below it may be SQLite, REST, Hive, Glue or SQL."""

    def __init__(
        self, name: str, catalog: Catalog, store: Store, locks: TableLocks | None = None, shared: bool = True
    ) -> None:
        self.name = name
        self.catalog = catalog
        self.store = store
        # With other programs: the catalog chooses locations, and files of unknown writes are not removed.
        self.shared = shared
        self.branch = MAIN_BRANCH  # the branch that writes commit to
        self._locks = locks or TableLocks()

    def on_branch(self, branch: str) -> "IcebergCatalog":
        """The same catalog for writes to a branch; a new branch starts at the current snapshot."""
        made = copy(self)
        made.branch = branch
        return made

    @classmethod
    def local(cls, name: str, directory: str, is_flat: bool = False) -> "IcebergCatalog":
        """The embedded catalog: SQLite metadata and a warehouse in one directory; flat: namespaces have one part."""
        database = os.path.join(directory, "catalog.db")
        opened = open_local(name, database, f"file://{os.path.join(directory, 'warehouse')}", is_flat)
        return cls(name, opened, Store(database), TableLocks(os.path.join(directory, "locks")), shared=False)

    # Tables

    def table_exists(self, identifier: Identifier) -> bool:
        return is_stored(identifier) and bool(self.catalog.table_exists(key(identifier)))

    def load_table(self, identifier: Identifier) -> IcebergTable:
        return IcebergTable(identifier, self.load(identifier), self.branch)

    def refresh_table(self, identifier: Identifier) -> IcebergTable:
        return self.load_table(identifier)

    def create_table(self, identifier: Identifier, spec: TableSpec) -> IcebergTable:
        self.stage_create(identifier, spec).commit()
        return self.load_table(identifier)

    def alter_table(self, identifier: Identifier, changes: Sequence[TableChange]) -> IcebergTable:
        with self.lock(identifier):
            transaction = QuickTransaction(self.load(identifier))
            apply_changes(transaction, changes, self.full_name(identifier))
            try:
                transaction.commit_transaction()
            except CommitFailedException as error:
                raise CommitConflict(str(error)) from error
        return self.load_table(identifier)

    def drop_table(self, identifier: Identifier, purge: bool = False) -> bool:
        try:
            location = self.catalog.load_table(key(identifier)).location()
            if purge and (self.shared or not is_local(location)):
                self.catalog.purge_table(key(identifier))
                return True
            self.catalog.drop_table(key(identifier))
        except NoSuchTableError:
            return False
        if purge and not (isinstance(self.catalog, LocalCatalog) and self.catalog.is_table_location(location)):
            # The directory contains only this table's files: PyIceberg would read every manifest to find them.
            shutil.rmtree(local(location), ignore_errors=True)
        return True

    def rename_table(self, identifier: Identifier, new_identifier: Identifier) -> None:
        try:
            self.catalog.rename_table(key(identifier), key(new_identifier))
        except NoSuchTableError as error:
            raise self.not_found(identifier) from error
        except TableAlreadyExistsError as error:
            raise self.already_exists(new_identifier) from error
        except NoSuchNamespaceError as error:
            raise self.no_namespace(new_identifier.namespace) from error

    def list_tables(self, namespace: Sequence[str]) -> list[Identifier]:
        try:
            found = self.catalog.list_tables(tuple(namespace))
        except NoSuchNamespaceError as error:
            raise self.no_namespace(namespace) from error
        return [Identifier(tuple(each[:-1]), each[-1]) for each in sorted(found)]

    # Staged tables and writes

    def stage_create(self, identifier: Identifier, spec: TableSpec) -> StagedWrite:
        if self.table_exists(identifier):
            raise self.already_exists(identifier)
        self.load_namespace(identifier.namespace)
        self.check_free_location(spec.location)
        transaction = self.create_transaction(identifier, spec)
        metadata = transaction.table_metadata
        target = new_target(metadata.location, metadata.schema(), metadata.spec(), metadata.current_schema_id)
        return StagedWrite(
            self.store,
            target,
            metadata.location,
            metadata.properties,
            self.lock(identifier),
            self.unless_created(identifier, commit_create(transaction)),
            self.leftovers(identifier, metadata.location),
        )

    def create_transaction(self, identifier: Identifier, spec: TableSpec) -> CreateTableTransaction:
        check_version(spec.properties, self.full_name(identifier))
        made, _ = iceberg_schema(spec.schema)
        transaction = self.catalog.create_table_transaction(
            key(identifier),
            made,
            location=spec.location or self.location_for(identifier),
            partition_spec=partition_spec(made, spec.partitioning),
            properties=table_properties(spec.properties),
        )
        remembered = remembered_types(spec.schema, transaction.table_metadata.schema())
        if remembered:
            transaction.set_properties(remembered)
        return transaction

    def check_free_location(self, location: str | None) -> None:
        """A new table at another table's location would hide its metadata from programs that look for the newest
        file."""
        if location is not None and is_local(location) and newest_metadata(local(location)) is not None:
            raise JavaError(
                "org.apache.iceberg.exceptions.AlreadyExistsException", f"Table already exists at location {location}"
            )

    def unless_created(self, identifier: Identifier, commit: Commit) -> Commit:
        """The second of two concurrent creations of one name raises Spark's TABLE_OR_VIEW_ALREADY_EXISTS."""

        def commit_once(write: StagedWrite) -> None:
            try:
                commit(write)
            except (TableAlreadyExistsError, CommitFailedException) as error:
                write.abort()
                raise self.already_exists(identifier) from error

        return commit_once

    def location_for(self, identifier: Identifier) -> str | None:
        """The location of a new table; None if the catalog's server chooses it."""
        return self.new_location(identifier) if self.home else None

    def new_location(self, identifier: Identifier) -> str:
        """A unique directory: a renamed table keeps its directory, and a new table of the old name must not share
        it."""
        if not self.home:
            raise NotNative(reasons.CATALOG, f"tables of files in the catalog {self.name}")
        warehouse = self.catalog.properties["warehouse"].rstrip("/")
        folders = "/".join(map(folder_name, identifier.namespace))
        return f"{warehouse}/{folders}/{folder_name(identifier.name)}-{uuid.uuid4()}"

    def stage_replace(self, identifier: Identifier, spec: TableSpec) -> StagedWrite:
        base = self.load(identifier)
        check_version(spec.properties, self.full_name(identifier))
        made, _ = iceberg_schema(spec.schema)
        replacement = Replacement(
            base, made, lambda numbered: partition_spec(numbered, spec.partitioning), table_properties(spec.properties)
        )
        remembered = remembered_types(spec.schema, replacement.schema)
        replacement.properties = {**replacement.properties, **remembered}
        target = new_target(base.location(), replacement.schema, replacement.spec, replacement.schema_id)
        return self.staged_write(identifier, base, target, replacement.commit, replacement.properties)

    def stage_create_or_replace(self, identifier: Identifier, spec: TableSpec) -> StagedWrite:
        stage = self.stage_replace if self.table_exists(identifier) else self.stage_create
        return stage(identifier, spec)

    def stage_append(self, identifier: Identifier) -> StagedWrite:
        base = self.load_for_write(identifier)
        return self.staged_write(
            identifier, base, current_target(base), commit_append(base, self.branch), base.properties
        )

    def stage_overwrite(self, identifier: Identifier) -> StagedWrite:
        """Stages a write that replaces all rows and keeps the schema."""
        base = self.load_for_write(identifier)
        files = list(IcebergTable(identifier, base, self.branch).files())
        write = self.stage_rewrite(identifier, base)
        write.delete_files(files)
        return write

    def load_for_write(self, identifier: Identifier) -> Table:
        """The table; a new branch starts at the current snapshot."""
        with self.lock(identifier):
            base = self.load(identifier)
            current = base.current_snapshot()
            if self.branch not in (MAIN_BRANCH, *base.metadata.refs) and current is not None:
                base.manage_snapshots().create_branch(current.snapshot_id, self.branch).commit()
        return base

    def stage_rewrite(self, identifier: Identifier, base: Table) -> StagedWrite:
        """Stages a write that also removes files of `base`; it conflicts with rows that were added since."""
        commit = commit_overwrite(base, EVERYTHING, self.branch)
        return self.staged_write(identifier, base, current_target(base), commit, base.properties)

    def staged_write(
        self, identifier: Identifier, base: Table, target: WriteTarget, commit: Commit, properties: Properties
    ) -> StagedWrite:
        location = base.location()
        left = self.leftovers(identifier, location)
        return StagedWrite(self.store, target, location, properties, self.lock(identifier), commit, left)

    # Namespaces

    def list_namespaces(self, parent: Sequence[str] = ()) -> list[tuple[str, ...]]:
        try:
            return sorted(tuple(each) for each in self.catalog.list_namespaces(tuple(parent)))
        except NoSuchNamespaceError as error:
            raise self.no_namespace(parent) from error

    def load_namespace(self, namespace: Sequence[str]) -> Namespace:
        try:
            return Namespace(tuple(namespace), self.catalog.load_namespace_properties(tuple(namespace)))
        except NoSuchNamespaceError as error:
            raise self.no_namespace(namespace) from error

    def create_namespace(self, namespace: Sequence[str], properties: Properties | None = None) -> None:
        try:
            # PyIceberg's SQL catalog stores a namespace as its properties: one without any would not exist.
            self.catalog.create_namespace(tuple(namespace), {"exists": "true", **(properties or {})})
        except NamespaceAlreadyExistsError as error:
            raise SparkError("SCHEMA_ALREADY_EXISTS", schemaName=quote_namespace(namespace)) from error
        except NoSuchNamespaceError as error:  # the parent namespace does not exist
            raise self.no_namespace(namespace[:-1]) from error

    def alter_namespace(self, namespace: Sequence[str], changes: Sequence[TableChange]) -> None:
        self.load_namespace(namespace)
        for change in changes:
            if isinstance(change, SetProperty):
                self.catalog.update_namespace_properties(tuple(namespace), updates={change.property: change.value})
            elif isinstance(change, RemoveProperty):
                self.catalog.update_namespace_properties(tuple(namespace), removals={change.property})
            else:
                raise NotNative(reasons.CATALOG, "a change of a namespace that is not one of its properties")

    def drop_namespace(self, namespace: Sequence[str], cascade: bool = False) -> None:
        self.load_namespace(namespace)
        if cascade:
            for identifier in self.list_tables(namespace):
                self.drop_table(identifier, purge=True)
        try:
            self.catalog.drop_namespace(tuple(namespace))
        except NamespaceNotEmptyError as error:
            raise SparkError("SCHEMA_NOT_EMPTY", schemaName=quote_namespace(namespace)) from error

    # Names, locks, errors

    @property
    def home(self) -> str:
        """The directory that contains only this catalog's files; empty if there is none, since the warehouse of a REST
        catalog is a name."""
        warehouse = self.catalog.properties.get("warehouse", "")
        return local(warehouse) if is_local(warehouse) and not isinstance(self.catalog, RestCatalog) else ""

    def leftovers(self, identifier: Identifier, location: str) -> WriteCleanup:
        return WriteCleanup(lambda: self.table_at(identifier, location), self.home)

    def table_at(self, identifier: Identifier, location: str) -> Table | None:
        """The table of that name, if it has that location."""
        try:
            found = self.catalog.load_table(key(identifier))
        except NoSuchTableError:
            return None
        return found if found.location() == location else None

    def load(self, identifier: Identifier) -> Table:
        if not is_stored(identifier):
            raise self.not_found(identifier)
        try:
            return self.catalog.load_table(key(identifier))
        except NoSuchTableError as error:
            raise self.not_found(identifier) from error
        except FileNotFoundError as gone:
            message = f"Failed to open input stream for file: {gone.filename}"
            raise JavaError("org.apache.iceberg.exceptions.NotFoundException", message) from gone

    def lock(self, identifier: Identifier) -> TableLock:
        return self._locks.of(key(identifier))

    def full_name(self, identifier: Identifier) -> str:
        return f"{quote_identifier(self.name)}.{identifier}"

    def not_found(self, identifier: Identifier) -> SparkError:
        path = quote_namespace((self.name, *identifier.namespace))
        return SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=self.full_name(identifier), searchPath=f"[{path}]")

    def already_exists(self, identifier: Identifier) -> SparkError:
        return SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=self.full_name(identifier))

    def no_namespace(self, namespace: Sequence[str]) -> SparkError:
        return SparkError("SCHEMA_NOT_FOUND", schemaName=quote_namespace((self.name, *namespace)))


def is_stored(identifier: Identifier) -> bool:
    """PyIceberg strips spaces around the parts of a namespace, so that ` a`.t would find a.t."""
    return all(part and part == part.strip() for part in identifier.namespace)


def folder_name(part: str) -> str:
    """Part of a name as a directory name, escaped and truncated; the UUID at the end of a location keeps names apart
    that become equal."""
    escaped = escape(part).replace("\0", "%00")
    shown = f"%2E{escaped[1:]}" if escaped.startswith(".") else escaped
    return shown.encode()[:LONGEST_FOLDER].decode(errors="ignore") or "_"


def key(identifier: Identifier) -> tuple[str, ...]:
    return (*identifier.namespace, identifier.name)


def quote_namespace(parts: Sequence[str]) -> str:
    return ".".join(quote_identifier(part) for part in parts)


def table_properties(properties: Properties) -> dict[str, str]:
    given = {name: value for name, value in properties.items() if name not in RESERVED}
    return {**TABLE_DEFAULTS, **given}


def current_target(table: Table) -> WriteTarget:
    schema: Schema = table.schema()
    return replace(new_target(table.location(), schema, table.spec(), schema.schema_id), order=order_sql(table))
