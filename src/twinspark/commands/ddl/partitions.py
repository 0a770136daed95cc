"""ALTER TABLE … PARTITION for tables of files: a partition is a directory that is created, renamed, emptied or
deleted."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import frame_of
from twinspark.commands.ddl.targets import Target
from twinspark.commands.dml.insert import done
from twinspark.commands.dml.sql_arguments import walk_of
from twinspark.commands.names import value_of
from twinspark.commands.results import Answer
from twinspark.errors import SparkError
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree import alterations as changes
from twinspark.sessions.services import Services
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, partition_folder, unescape
from twinspark.tables.files.table import FileTable
from twinspark.tables.files.warehouse_paths import absolute_path as whole_path
from twinspark.types import StringType, quote_identifier

Command = Callable[[], Answer]
Spec = dict[str, str]  # a partition's values as in its directory names, by column in the table's order
CHANGES = (changes.AddPartitions, changes.DropPartitions, changes.RenamePartition, changes.RecoverPartitions)


@dataclass(frozen=True)
class Partitions:
    """The partitions of a table, and the statement that changes some of them."""

    target: Target
    text: str
    context: Context
    services: Services

    @property
    def table(self) -> FileTable:
        """Only tables of files have partitions that can be altered: those of Iceberg and Delta follow their rows."""
        if not isinstance(self.target.table, FileTable):
            raise SparkError(
                "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", name=self.target.full_name
            )
        return self.target.table

    @property
    def short_name(self) -> str:
        return str(self.target.name.identifier)

    def location(self, spec: Spec) -> str:
        return self.table.partition_directory(folder(spec))

    def present(self) -> list[Spec]:
        names = self.table.partition_names
        found = self.table.partition_paths
        return [dict(zip(names, map(value_in, path.split("/")), strict=True)) for path in found]

    # ---- partition specifications of the statement

    def spec(self, node: tree.PartitionSpec) -> Spec:
        """The specification in the table's order and types; unknown columns raise an error."""
        names = {name.lower(): name for name in self.table.partition_names}
        given: Spec = {}
        self.check_known([name for name, _ in node.values])
        for name, value in node.values:
            if names[name.lower()] in given:
                raise SparkError("DUPLICATE_KEY", keyColumn=quote_identifier(name))
            given[names[name.lower()]] = self.value(names[name.lower()], value)
        return {name: given[name] for name in self.table.partition_names if name in given}

    def check_known(self, names: Sequence[str]) -> None:
        known = {name.lower() for name in self.table.partition_names}
        for name in names:
            if name.lower() not in known:
                raise SparkError(
                    "PARTITIONS_NOT_FOUND", partitionList=quote_identifier(name), tableName=self.target.full_name
                )

    def complete_spec(self, node: tree.PartitionSpec) -> Spec:
        found = self.spec(node)
        if len(found) < len(self.table.partition_names):
            raise SparkError(
                "_LEGACY_ERROR_TEMP_1232",
                specKeys=", ".join(found),
                partitionColumnNames=", ".join(self.table.partition_names),
                tableName=self.target.full_name,
            )
        return found

    def value(self, name: str, node: Any) -> str:
        """The value as its directory name: cast to the column's type, as text."""
        walk, settings = walk_of(self.text, self.context), self.context.settings
        given = walk.read(node, walk.scope(frame_of(OneRow())))
        typed = build.cast(given, self.table.schema[name].dataType, settings, "ansi")
        found = value_of(build.cast(typed, StringType(), settings, "ansi"), self.context, self.services)
        return DEFAULT_PARTITION if found is None else str(found)

    # ---- errors

    def not_found(self, specs: Sequence[Spec]) -> SparkError:
        return SparkError("PARTITIONS_NOT_FOUND", partitionList=specs_text(specs), tableName=self.short_name)

    def already_there(self, specs: Sequence[Spec]) -> SparkError:
        return SparkError("PARTITIONS_ALREADY_EXIST", partitionList=specs_text(specs), tableName=self.short_name)

    def check_partitioned(self, action: str) -> None:
        if not self.table.partitioning:
            name = self.target.name.identifier.name
            raise SparkError("_LEGACY_ERROR_TEMP_1251", action=f"ALTER TABLE {action} PARTITION", tableName=name)

    # ---- the changes

    def each(self, specs: Sequence[Spec], change: Callable[[str], None], known: bool = True) -> Command:
        """Applies a change to each directory, and records it as a partition or removes it."""

        def carry_out() -> None:
            for spec in specs:
                change(self.location(spec))
            paths = list(map(folder, specs))
            self.target.catalog.change_partitions(self.table, () if known else paths, paths if known else ())

        return done(carry_out)

    def add(self, change: changes.AddPartitions) -> Command:
        self.check_partitioned("ADD")
        specs = [self.complete_spec(node) for node, _ in change.partitions]
        there = [spec for spec in specs if spec in self.present()]
        if there and not change.if_not_exists:
            raise self.already_there(there)
        locations = {
            folder(spec): self.absolute_location(location)
            for spec, (_, location) in zip(specs, change.partitions, strict=True)
            if location is not None and spec not in there
        }
        return done(lambda: self.make(specs, locations))

    def make(self, specs: Sequence[Spec], locations: Mapping[str, str]) -> None:
        for spec in specs:
            os.makedirs(local_path(locations.get(folder(spec), self.location(spec))), exist_ok=True)
        self.target.catalog.change_partitions(self.table, new=map(folder, specs))
        if locations:
            self.target.catalog.set_partition_locations(self.table, locations)

    def absolute_location(self, location: str) -> str:
        """A relative path is resolved against the table's directory."""
        return whole_path(location, self.table.location)

    def set_location(self, node: tree.PartitionSpec, location: str) -> Command:
        """Changes the catalog only: no file is touched."""
        spec, place = self.complete_spec(node), self.absolute_location(location)
        if spec not in self.present():
            raise self.not_found([spec])
        return done(lambda: self.target.catalog.set_partition_locations(self.table, {folder(spec): place}))

    def drop(self, change: changes.DropPartitions) -> Command:
        self.check_partitioned("DROP")
        specs = [self.spec(node) for node in change.partitions]
        present = self.present()
        gone = [spec for spec in specs if spec not in present]
        if gone and not change.if_exists:
            raise self.not_found(gone)
        dropped = [spec for spec in specs if spec in present]
        return self.each(dropped, remove_files if self.table.managed else leave_files, known=False)

    def rename(self, change: changes.RenamePartition, node: tree.PartitionSpec) -> Command:
        self.check_partitioned("RENAME")
        old, new = self.complete_spec(node), self.complete_spec(change.to)
        if old not in self.present():
            raise self.not_found([old])
        if new in self.present():
            raise self.already_there([new])
        return done(lambda: self.move(old, new))

    def move(self, old: Spec, new: Spec) -> None:
        """Moves the partition into the table's directory; an external table's files stay where they are."""
        if not self.table.managed:
            place = self.location(old)
            self.target.catalog.change_partitions(self.table, [folder(old)])
            self.target.catalog.set_partition_locations(self.table, {folder(new): place})
            return
        os.makedirs(os.path.dirname(self.location(new)), exist_ok=True)
        shutil.move(self.location(old), self.location(new))
        self.target.catalog.change_partitions(self.table, [folder(old)], [folder(new)])

    def recover(self) -> Command:
        """Makes existing directories partitions of the table."""
        if not self.table.partitioning:
            operation = "ALTER TABLE RECOVER PARTITIONS"
            raise SparkError("NOT_A_PARTITIONED_TABLE", operation=operation, tableIdentWithDB=self.target.full_name)
        return done(lambda: self.target.catalog.recover_partitions(self.target.name.identifier))

    def truncate(self, node: tree.PartitionSpec) -> Command:
        """A partial specification applies to all partitions that match it."""
        if not self.table.partitioning:
            raise SparkError("_LEGACY_ERROR_TEMP_1267", tableIdentWithDB=self.target.full_name)
        if not self.table.managed:
            raise SparkError("CANNOT_TRUNCATE_EXTERNAL_TABLE", tableName=self.target.full_name)
        wanted = self.spec(node)
        fitting = [spec for spec in self.present() if wanted.items() <= spec.items()]
        if not fitting and len(wanted) == len(self.table.partition_names):
            raise self.not_found([wanted])
        return self.each(fitting, empty)


def value_in(folder: str) -> str:
    return unescape(folder.partition("=")[2])


def specs_text(specs: Sequence[Spec]) -> str:
    return ", ".join(f"PARTITION ({', '.join(f'`{k}` = {v}' for k, v in spec.items())})" for spec in specs)


def folder(spec: Spec) -> str:
    return partition_folder(spec)


def remove_files(directory: str) -> None:
    shutil.rmtree(directory, ignore_errors=True)  # the directory of a partition may be missing


def leave_files(directory: str) -> None:
    """An external table does not own its files."""


def empty(directory: str) -> None:
    remove_files(directory)
    os.makedirs(directory)


def alter_partitions(statement: tree.AlterTable, partitions: Partitions) -> Command:
    match statement.change:
        case changes.AddPartitions() as change:
            return partitions.add(change)
        case changes.DropPartitions() as change:
            return partitions.drop(change)
        case changes.RenamePartition() as change if statement.partition is not None:
            return partitions.rename(change, statement.partition)
    return partitions.recover()
