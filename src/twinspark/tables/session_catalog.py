"""One named catalog: Iceberg tables, file tables, Delta tables, views and functions under common names."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from pyspark.sql.types import StructType

from twinspark.errors import NotNative, SparkError
from twinspark.tables import collations, file_table, places
from twinspark.tables.catalog import Identifier, Namespace, StagedTable, Version
from twinspark.tables.changes import TableChange
from twinspark.tables.char_types import padded
from twinspark.tables.delta import DeltaTable
from twinspark.tables.file_details import Details
from twinspark.tables.file_table import FileTable
from twinspark.tables.files import scan
from twinspark.tables.filescan import FileScan, ScanContext
from twinspark.tables.iceberg.catalog import IcebergCatalog, quoted
from twinspark.tables.iceberg.maintenance import keep_short, sweep
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.listing import local_path
from twinspark.tables.persisted import Function as Function
from twinspark.tables.persisted import View as View
from twinspark.tables.persisted import ViewsAndFunctions, key
from twinspark.tables.predicates import Predicate
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.transforms import Transform
from twinspark.tables.write import FileRows

AnyTable = IcebergTable | FileTable | DeltaTable
Properties = Mapping[str, str]


class SessionCatalog(ViewsAndFunctions):
    """TableCatalog over all providers; a name means one thing, whatever provides it."""

    def __init__(self, iceberg: IcebergCatalog, warehouse: str | None = None) -> None:
        """In a `warehouse` like Spark's, tables of files lie where Spark would put them."""
        self.iceberg = iceberg
        self.store = iceberg.store
        self.name = iceberg.name
        self.warehouse = warehouse

    @classmethod
    def local(cls, name: str, directory: str, warehouse: str | None = None) -> "SessionCatalog":
        """The embedded catalog; what dead writers left is swept, and the database `default` exists."""
        made = cls(IcebergCatalog.local(name, directory), warehouse)
        sweep(made.iceberg)
        if ("default",) not in made.list_namespaces():
            made.create_namespace(["default"], {"comment": "default database"})
        return made

    @classmethod
    def shared(cls, iceberg: IcebergCatalog) -> "SessionCatalog":
        """One that other programs have too; what our dead writers left in it is swept."""
        sweep(iceberg)
        return cls(iceberg)

    def on_branch(self, branch: str) -> "SessionCatalog":
        """The same, for writes to a branch of an Iceberg table."""
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
        """The table if it is there, looked up once."""
        try:
            return self.load_table(identifier)
        except SparkError as error:
            if error.condition == "TABLE_OR_VIEW_NOT_FOUND":
                return None
            raise

    def other(self, identifier: Identifier) -> FileTable | DeltaTable | None:
        """A table that is not Iceberg's."""
        told = self.store.get(self.name, "table", *key(identifier))
        if told is None:
            return None
        if told["provider"] == "delta":
            return DeltaTable.defined(identifier, told)
        if not told.get("tracked"):
            return FileTable.defined(identifier, told, (), {})
        known = self.store.partitions(self.name, *key(identifier))
        return FileTable.defined(identifier, told, known, self.details(identifier).places)

    def details(self, identifier: Identifier) -> Details:
        """What is known of a table of files beside its definition."""
        return Details.told(self.store.get(self.name, "details", *key(identifier)))

    def keep_details(self, identifier: Identifier, details: Details) -> None:
        if details == Details():
            self.store.remove(self.name, "details", *key(identifier))
        else:
            self.store.put(self.name, "details", *key(identifier), details.definition())

    def create_table(
        self,
        identifier: Identifier,
        schema: StructType,
        partitions: Sequence[Transform] = (),
        properties: Properties | None = None,
    ) -> AnyTable:
        """`provider`, `location` and `option.*` among the properties say what kind of table it is."""
        given = dict(properties or {})
        written = given.pop("provider", "iceberg")
        provider = written.lower()
        self.check_free(identifier)
        if provider == "iceberg":
            return self.iceberg.create_table(identifier, schema, partitions, given)
        self.load_namespace(identifier.namespace)
        if provider in file_table.FORMATS and provider != written:
            given["provider"] = written  # what is shown of it is what was written
        made = self.other_table(identifier, provider, schema, partitions, given)
        self.store.put(self.name, "table", *key(identifier), made.definition())
        return made

    def other_table(
        self,
        identifier: Identifier,
        provider: str,
        schema: StructType,
        partitions: Sequence[Transform],
        given: dict[str, str],
    ) -> FileTable | DeltaTable:
        location = given.pop("location", None)
        names = file_table.partition_columns(schema, partitions)
        if provider == "delta":
            place = location or self.iceberg.new_location(identifier)
            return DeltaTable.create(identifier, place, schema, names, given, location is None)
        if provider not in file_table.FORMATS:
            raise NotNative(f"tables of {provider}")
        options = {name.removeprefix("option."): v for name, v in given.items() if name.startswith("option.")}
        schema, said_binary = collations.told_apart(schema)
        whole = file_table.partitions_last(schema, names)
        known = () if partitions else None
        place = location or self.own_place(identifier)
        made = FileTable(identifier, provider, whole, tuple(partitions), place, options, given, location is None, known)
        return replace(made, created=time.time(), said_binary=said_binary)

    def own_place(self, identifier: Identifier) -> str:
        """The directory of a new managed table of files."""
        if self.warehouse is None:
            return self.iceberg.new_location(identifier)
        namespace, name = self.load_namespace(identifier.namespace), identifier.name
        return places.of_table(namespace, name, self.warehouse, self.iceberg.full_name(identifier))

    def whole_place(self, namespace: Sequence[str], location: str) -> str:
        """Where a LOCATION leads that is no whole path."""
        if self.warehouse is None:
            return location
        return places.whole(location, places.of_database(self.load_namespace(namespace), self.warehouse))

    def alter_table(self, identifier: Identifier, changes: Sequence[TableChange]) -> AnyTable:
        other = self.other(identifier)
        if other is None:
            return self.iceberg.alter_table(identifier, changes)
        changed = (
            other.altered(changes)
            if isinstance(other, DeltaTable)
            else file_table.altered(other, changes, self.iceberg.full_name(identifier))
        )
        self.store.put(self.name, "table", *key(identifier), changed.definition())
        return changed

    def redefine(self, table: FileTable) -> None:
        """The same name for a table that is elsewhere, or is read otherwise."""
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
        """What a table of files knows of its partitions; others have none to be told of."""
        if not isinstance(table, FileTable):
            return
        lost = set(gone)
        known = self.details(table.identifier)
        if known != Details():
            self.keep_details(table.identifier, known.changed().without(lost))
        if table.known is not None:
            self.store.change_partitions(self.name, *key(table.identifier), lost, new)

    def place_partitions(self, table: FileTable, places: Mapping[str, str]) -> None:
        """Partitions that lie elsewhere than in the table's directory, and are known from then on."""
        self.change_partitions(table, new=places)
        self.keep_details(table.identifier, self.details(table.identifier).with_places(places))

    def recover_partitions(self, identifier: Identifier, add: bool = True, drop: bool = False) -> None:
        """Those whose directories are there become known; those whose are not are forgotten, where that is asked."""
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
            other = self.moved(other, new_identifier)
        self.store.put(self.name, "table", *key(new_identifier), other.definition())
        self.store.change_partitions(self.name, *key(new_identifier), new=known_of(other))
        self.keep_details(new_identifier, self.details(identifier))
        self.keep_details(identifier, Details())
        self.store.remove(self.name, "table", *key(identifier))
        self.change_partitions(other, gone=known_of(other))

    def moved(self, table: FileTable, new_identifier: Identifier) -> FileTable:
        """A managed table's directory has its name."""
        if self.warehouse is None:
            return table
        place = self.own_place(new_identifier)
        places.move(table.location, place)
        return replace(table, location=place)

    def list_tables(self, namespace: Sequence[str]) -> list[Identifier]:
        """Tables and views, by name, as SHOW TABLES lists them."""
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
        """The table's rows as DuckDB SQL, whatever provides it; `predicate` prunes files, it does not filter rows."""
        return self.read_loaded(self.load_table(identifier), context, predicate, version)

    def read_loaded(
        self,
        table: AnyTable,
        context: ScanContext,
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> FileScan:
        """The same for a table at hand: all reads through it see one snapshot."""
        if isinstance(table, IcebergTable):
            planned = table.scan(predicate, version)
            files = [f"file://{path}" for path in planned.files]
            return FileScan(planned.schema, padded(duck_scan(planned), planned.schema), files, planned.size_in_bytes)
        if isinstance(table, DeltaTable):
            return table.read(context, version)
        if version is not None:
            raise SparkError("UNSUPPORTED_FEATURE.TIME_TRAVEL", relationId=self.iceberg.full_name(table.identifier))
        return table.read(context)

    # Staged tables and writes

    def stage_create(
        self,
        identifier: Identifier,
        schema: StructType,
        partitions: Sequence[Transform] = (),
        properties: Properties | None = None,
    ) -> StagedTable:
        self.check_free(identifier)
        return self.iceberg.stage_create(identifier, schema, partitions, only_iceberg(properties))

    def stage_replace(
        self,
        identifier: Identifier,
        schema: StructType,
        partitions: Sequence[Transform] = (),
        properties: Properties | None = None,
    ) -> StagedTable:
        return self.iceberg.stage_replace(identifier, schema, partitions, only_iceberg(properties))

    def stage_create_or_replace(
        self,
        identifier: Identifier,
        schema: StructType,
        partitions: Sequence[Transform] = (),
        properties: Properties | None = None,
    ) -> StagedTable:
        return self.iceberg.stage_create_or_replace(identifier, schema, partitions, only_iceberg(properties))

    def append(self, identifier: Identifier, connection: Any, select: str) -> None:
        """INSERT INTO: `select` gives the table's columns, named and typed as they are."""
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
        """The partitions that rows went to are known from then on; those an overwrite emptied are forgotten.

        `partition` is the only one that rows may go to: it is known, and overwritten, even when no row does."""
        written = table.write(rows, mode, connection, dynamic)
        reached = [] if written is None else [relative_folder(file, table) for file in written.files]
        if partition is not None and not reached:
            table.make_partition(partition, empty=mode == "overwrite")
            reached = [partition]
        emptied = set(known_of(table)) - set(reached) if mode == "overwrite" and not dynamic else ()
        self.change_partitions(table, emptied, reached)

    def insert_files(self, identifier: Identifier, context: ScanContext, directory: str, mode: str) -> None:
        """Rows that Spark left as Parquet in a directory of ours become the table's, through the same staged commit."""
        found = scan("parquet", [directory], {}, None, context)
        self.insert(identifier, context.connection, f"SELECT * FROM {found.sql}", mode)

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
            raise SparkError("SCHEMA_NOT_EMPTY", schemaName=quoted(namespace))
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


def only_iceberg(properties: Properties | None) -> dict[str, str]:
    given = dict(properties or {})
    provider = given.pop("provider", "iceberg").lower()
    if provider != "iceberg":
        raise SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=provider, operation="REPLACE TABLE")
    return given
