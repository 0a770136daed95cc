"""One named catalog: Iceberg, file and Delta tables, views and functions in one namespace."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables import collations
from twinspark.tables.catalog import Identifier, Namespace, StagedTable, TableSpec, Version
from twinspark.tables.changes import TableChange
from twinspark.tables.char_types import pad_rows
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files import table as file_table
from twinspark.tables.files import warehouse_paths as places
from twinspark.tables.files.formats import scan
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.scan import FileScan, ScanContext
from twinspark.tables.files.table import FileTable
from twinspark.tables.files.table_details import Details
from twinspark.tables.files.write import FileRows
from twinspark.tables.iceberg.catalog import IcebergCatalog, quote_namespace
from twinspark.tables.iceberg.import_tables import adopt_table
from twinspark.tables.iceberg.maintenance import keep_short, sweep
from twinspark.tables.iceberg.newest_metadata import newest_metadata
from twinspark.tables.iceberg.sqlite_catalog import is_local, local
from twinspark.tables.iceberg.staged_write import has_batch
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.views_and_functions import Function as Function
from twinspark.tables.views_and_functions import View as View
from twinspark.tables.views_and_functions import ViewsAndFunctions, key

AnyTable = IcebergTable | FileTable | DeltaTable
Properties = Mapping[str, str]


class SessionCatalog(ViewsAndFunctions):
    """TableCatalog over all providers; a name is unique among them."""

    def __init__(self, iceberg: IcebergCatalog, warehouse: str | None = None) -> None:
        """With a `warehouse`, managed file tables are stored where Spark would store them."""
        self.iceberg = iceberg
        self.store = iceberg.store
        self.name = iceberg.name
        self.warehouse = warehouse

    @classmethod
    def local(cls, name: str, directory: str, warehouse: str | None = None) -> "SessionCatalog":
        """Opens the embedded catalog: removes files of writers that died, and creates the database `default`."""
        made = cls(IcebergCatalog.local(name, directory, is_flat=warehouse is not None), warehouse)
        sweep(made.iceberg)
        if ("default",) not in made.list_namespaces():
            made.create_namespace(["default"], {"comment": "default database"})
        return made

    @classmethod
    def open_shared(cls, iceberg: IcebergCatalog) -> "SessionCatalog":
        """Opens a catalog that other programs use, too; removes files of our own writers that died."""
        sweep(iceberg)
        return cls(iceberg)

    def on_branch(self, branch: str) -> "SessionCatalog":
        """The same catalog for writes to a branch of an Iceberg table."""
        made = copy(self)
        made.iceberg = self.iceberg.on_branch(branch)
        return made

    # Tables

    def table_exists(self, identifier: Identifier) -> bool:
        return self.other(identifier) is not None or self.iceberg.table_exists(identifier)

    def load_table(self, identifier: Identifier) -> AnyTable:
        return self.other(identifier) or self.iceberg.load_table(identifier)

    def refresh_table(self, identifier: Identifier) -> AnyTable:
        return self.load_table(identifier)

    def find_table(self, identifier: Identifier) -> AnyTable | None:
        """The table, or None if there is none of that name."""
        try:
            return self.load_table(identifier)
        except SparkError as error:
            if error.condition == "TABLE_OR_VIEW_NOT_FOUND":
                return None
            raise

    def other(self, identifier: Identifier) -> FileTable | DeltaTable | None:
        """A table of another provider than Iceberg."""
        definition = self.store.get(self.name, "table", *key(identifier))
        if definition is None:
            return None
        if definition["provider"] == "delta":
            return DeltaTable.from_definition(identifier, definition)
        if not definition.get("tracked"):
            return FileTable.from_definition(identifier, definition, (), {})
        known = self.store.partitions(self.name, *key(identifier))
        return FileTable.from_definition(identifier, definition, known, self.details(identifier).places)

    def details(self, identifier: Identifier) -> Details:
        """The statistics and partition locations of a file table."""
        return Details.from_definition(self.store.get(self.name, "details", *key(identifier)))

    def keep_details(self, identifier: Identifier, details: Details) -> None:
        if details == Details():
            self.store.remove(self.name, "details", *key(identifier))
        else:
            self.store.put(self.name, "details", *key(identifier), details.definition())

    def create_table(self, identifier: Identifier, spec: TableSpec) -> AnyTable:
        self.check_free(identifier)
        if spec.provider.lower() == "iceberg":
            return self.create_iceberg_table(identifier, spec)
        self.load_namespace(identifier.namespace)
        made = self.other_table(identifier, spec)
        self.store.put(self.name, "table", *key(identifier), made.definition())
        return made

    def create_iceberg_table(self, identifier: Identifier, spec: TableSpec) -> IcebergTable:
        """Creates a table, or registers the one that exists at the location."""
        place = spec.location
        metadata = newest_metadata(local(place)) if place is not None and is_local(place) else None
        if metadata is None:
            return self.iceberg.create_table(identifier, spec)
        adopt_table(self.iceberg, identifier, spec, metadata)
        return self.iceberg.load_table(identifier)

    def other_table(self, identifier: Identifier, spec: TableSpec) -> FileTable | DeltaTable:
        provider = spec.provider.lower()
        if provider == "delta":
            return DeltaTable.create(identifier, spec, self.iceberg.new_location)
        if provider not in file_table.FORMATS:
            raise NotNative(reasons.TABLE_FORMAT, provider)
        return self.file_table(identifier, provider, spec)

    def file_table(self, identifier: Identifier, provider: str, spec: TableSpec) -> FileTable:
        schema, said_binary = collations.split_marks(spec.schema)
        names = file_table.partition_columns(spec.schema, spec.partitioning)
        shown = {"provider": spec.provider} if spec.provider != provider else {}  # shown as the statement spells it
        made = FileTable(
            identifier,
            provider,
            file_table.partitions_last(schema, names),
            tuple(spec.partitioning),
            spec.location or self.managed_directory(identifier),
            spec.options,
            {**spec.properties, **shown},
            spec.location is None,
            () if spec.partitioning else None,
        )
        return replace(made, created=time.time(), said_binary=said_binary)

    def managed_directory(self, identifier: Identifier) -> str:
        """The directory of a new managed file table."""
        if self.warehouse is None:
            return self.iceberg.new_location(identifier)
        namespace, name = self.load_namespace(identifier.namespace), identifier.name
        return places.table_directory(namespace, name, self.warehouse, self.iceberg.full_name(identifier))

    def directory_of(self, database: str) -> str:
        """The directory of the managed file tables of a database."""
        assert self.warehouse is not None
        return places.database_directory(self.load_namespace((database,)), self.warehouse)

    def absolute_location(self, namespace: Sequence[str], location: str) -> str:
        """The absolute path of a relative LOCATION."""
        if self.warehouse is None:
            return location
        return places.absolute_path(location, places.database_directory(self.load_namespace(namespace), self.warehouse))

    def alter_table(self, identifier: Identifier, changes: Sequence[TableChange]) -> AnyTable:
        other = self.other(identifier)
        if other is None:
            return self.iceberg.alter_table(identifier, changes)
        changed = (
            other.alter(changes)
            if isinstance(other, DeltaTable)
            else file_table.alter(other, changes, self.iceberg.full_name(identifier))
        )
        self.store.put(self.name, "table", *key(identifier), changed.definition())
        return changed

    def redefine(self, table: FileTable) -> None:
        """Stores a changed definition of a file table under its name."""
        self.store.put(self.name, "table", *key(table.identifier), table.definition())

    def drop_table(self, identifier: Identifier, purge: bool = False) -> bool:
        other = self.other(identifier)
        if other is None:
            return self.iceberg.drop_table(identifier, purge)
        self.store.remove(self.name, "table", *key(identifier))
        self.change_partitions(other, gone=known_of(other))
        self.keep_details(identifier, Details())
        other.drop_data()
        return True

    def change_partitions(self, table: AnyTable, gone: Iterable[str] = (), new: Iterable[str] = ()) -> None:
        """Removes and adds registered partitions of a file table; other tables have none."""
        if not isinstance(table, FileTable):
            return
        lost = set(gone)
        known = self.details(table.identifier)
        if known != Details():
            self.keep_details(table.identifier, known.without_statistics().without(lost))
        if table.known is not None:
            self.store.change_partitions(self.name, *key(table.identifier), lost, new)

    def set_partition_locations(self, table: FileTable, places: Mapping[str, str]) -> None:
        """Registers partitions that are stored outside of the table's directory."""
        self.change_partitions(table, new=places)
        self.keep_details(table.identifier, self.details(table.identifier).with_locations(places))

    def recover_partitions(self, identifier: Identifier, add: bool = True, drop: bool = False) -> None:
        """MSCK REPAIR: registers partitions whose directories exist, and removes those whose do not, if requested."""
        table = self.load_table(identifier)
        if isinstance(table, FileTable):
            there = table.directories()
            gone = set(table.partition_paths) - set(there) - set(table.places) if drop else ()
            self.change_partitions(table, gone, there if add else ())

    def rename_table(self, identifier: Identifier, new_identifier: Identifier) -> None:
        self.check_free(new_identifier)
        other = self.other(identifier)
        if other is None:
            self.iceberg.rename_table(identifier, new_identifier)
            return
        self.load_namespace(new_identifier.namespace)
        if isinstance(other, FileTable) and other.managed:
            other = self.move_directory(other, new_identifier)
        self.store.put(self.name, "table", *key(new_identifier), other.definition())
        self.store.change_partitions(self.name, *key(new_identifier), new=known_of(other))
        self.keep_details(new_identifier, self.details(identifier))
        self.keep_details(identifier, Details())
        self.store.remove(self.name, "table", *key(identifier))
        self.change_partitions(other, gone=known_of(other))

    def move_directory(self, table: FileTable, new_identifier: Identifier) -> FileTable:
        """Renames the directory of a managed table with the table."""
        if self.warehouse is None:
            return table
        place = self.managed_directory(new_identifier)
        places.move(table.location, place)
        return replace(table, location=place)

    def list_tables(self, namespace: Sequence[str]) -> list[Identifier]:
        """Tables and views sorted by name, as in SHOW TABLES."""
        mine = [each.name for each in self.iceberg.list_tables(namespace)]
        others = [name for kind in ("table", "view") for name in self.store.names(self.name, kind, ".".join(namespace))]
        return [Identifier(tuple(namespace), name) for name in sorted({*mine, *others})]

    def read(
        self,
        identifier: Identifier,
        context: ScanContext,
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> FileScan:
        """The table's rows as DuckDB SQL, for any provider; `predicate` prunes files, it does not filter rows."""
        return self.read_loaded(self.load_table(identifier), context, predicate, version)

    def read_loaded(
        self,
        table: AnyTable,
        context: ScanContext,
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> FileScan:
        """The same for a loaded table: all reads through it see one snapshot."""
        if isinstance(table, IcebergTable):
            planned = table.scan(predicate, version)
            files = [f"file://{path}" for path in planned.files]
            return FileScan(planned.schema, pad_rows(duck_scan(planned), planned.schema), files, planned.size_in_bytes)
        if isinstance(table, DeltaTable):
            return table.read(context, version)
        if version is not None:
            raise SparkError("UNSUPPORTED_FEATURE.TIME_TRAVEL", relationId=self.iceberg.full_name(table.identifier))
        return table.read(context)

    # Staged tables and writes

    def stage_create(self, identifier: Identifier, spec: TableSpec) -> StagedTable:
        self.check_free(identifier)
        return self.iceberg.stage_create(identifier, only_iceberg(spec))

    def stage_replace(self, identifier: Identifier, spec: TableSpec) -> StagedTable:
        return self.iceberg.stage_replace(identifier, only_iceberg(spec))

    def stage_create_or_replace(self, identifier: Identifier, spec: TableSpec) -> StagedTable:
        return self.iceberg.stage_create_or_replace(identifier, only_iceberg(spec))

    def append(self, identifier: Identifier, connection: Any, select: str) -> None:
        """INSERT INTO: `select` has the table's column names and types."""
        self.insert(identifier, connection, select, "append")

    def overwrite(self, identifier: Identifier, connection: Any, select: str) -> None:
        """INSERT OVERWRITE of the whole table."""
        self.insert(identifier, connection, select, "overwrite")

    def insert(self, identifier: Identifier, connection: Any, select: str, mode: str) -> None:
        table = self.load_table(identifier)
        if isinstance(table, DeltaTable):
            table.write(select, mode, connection)
            return
        if isinstance(table, FileTable):
            self.insert_into_files(table, FileRows(select), mode, connection)
            return
        stage = self.iceberg.stage_append if mode == "append" else self.iceberg.stage_overwrite
        with stage(identifier) as write:
            write.write(connection, select)
            write.commit()
        keep_short(self.iceberg, identifier)

    def insert_into_files(
        self,
        table: FileTable,
        rows: FileRows,
        mode: str,
        connection: Any,
        dynamic: bool = False,
        partition: str | None = None,
    ) -> None:
        """Registers the partitions that got rows, and removes those that an overwrite emptied.

        `partition` is the only one that rows may go to: it is registered, and overwritten, even without rows."""
        written = table.write(rows, mode, connection, dynamic)
        reached = [] if written is None else [relative_folder(file, table) for file in written.files]
        if partition is not None and not reached:
            table.make_partition(partition, empty=mode == "overwrite")
            reached = [partition]
        emptied = set(known_of(table)) - set(reached) if mode == "overwrite" and not dynamic else ()
        self.change_partitions(table, emptied, reached)

    def insert_files(self, identifier: Identifier, context: ScanContext, directory: str, mode: str) -> None:
        """Inserts rows that Spark wrote as Parquet files to a directory, through the same staged commit."""
        found = scan("parquet", [directory], {}, None, context)
        self.insert(identifier, context.connection, f"SELECT * FROM {found.sql}", mode)

    def commit_batch(
        self, identifier: Identifier, context: ScanContext, stream: str, batch: int, files: Sequence[str]
    ) -> None:
        """Adds the rows of one batch of a stream to an Iceberg table, once."""
        if has_batch(self.iceberg.load_table(identifier).table, stream, batch):
            return
        with self.iceberg.stage_append(identifier) as write:
            if files:
                rows = scan("parquet", files, {}, write.schema, context)
                write.write(context.connection, f"SELECT * FROM {rows.sql}")
            write.batch = (stream, batch)
            write.commit()
        keep_short(self.iceberg, identifier)

    # Namespaces

    def list_namespaces(self, parent: Sequence[str] = ()) -> list[tuple[str, ...]]:
        return self.iceberg.list_namespaces(parent)

    def load_namespace(self, namespace: Sequence[str]) -> Namespace:
        return self.iceberg.load_namespace(namespace)

    def create_namespace(self, namespace: Sequence[str], properties: Properties | None = None) -> None:
        self.iceberg.create_namespace(namespace, properties)

    def alter_namespace(self, namespace: Sequence[str], changes: Sequence[TableChange]) -> None:
        self.iceberg.alter_namespace(namespace, changes)

    def drop_namespace(self, namespace: Sequence[str], cascade: bool = False) -> None:
        dropped = self.load_namespace(namespace)
        others = [(kind, name) for kind in KINDS for name in self.store.names(self.name, kind, ".".join(namespace))]
        if others and not cascade:
            raise SparkError("SCHEMA_NOT_EMPTY", schemaName=quote_namespace(namespace))
        for kind, name in others:
            if kind == "table":
                self.drop_table(Identifier(tuple(namespace), name), purge=True)
            self.store.remove(self.name, kind, ".".join(namespace), name)
        self.iceberg.drop_namespace(namespace, cascade)
        if self.warehouse is not None:
            places.forget_database(dropped, self.warehouse)

    def check_free(self, identifier: Identifier) -> None:
        if self.load_view(identifier) is not None or self.table_exists(identifier):
            raise self.iceberg.already_exists(identifier)


KINDS = ("table", "view", "function")


def known_of(table: AnyTable) -> tuple[str, ...]:
    return (table.known or ()) if isinstance(table, FileTable) else ()


def relative_folder(file: str, table: FileTable) -> str:
    return os.path.relpath(os.path.dirname(file), local_path(table.location))


def only_iceberg(spec: TableSpec) -> TableSpec:
    provider = spec.provider.lower()
    if provider != "iceberg":
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=provider, operation="REPLACE TABLE")
    return spec
