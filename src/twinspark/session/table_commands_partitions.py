"""ALTER TABLE … PARTITION for tables of files: a partition is a directory, made, renamed, emptied or removed."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scope import frame_of
from twinspark.errors import SparkError
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree import alterations as changes
from twinspark.session.sql_names import value_of
from twinspark.session.sql_results import Answer
from twinspark.session.tables_targets import Target
from twinspark.session.writes_sql import done
from twinspark.session.writes_statement import walk_of
from twinspark.tables.file_table import FileTable
from twinspark.tables.listing import local_path
from twinspark.tables.partitions import DEFAULT_PARTITION, partition_folder, unescape
from twinspark.tables.places import whole as whole_path
from twinspark.types import StringType, quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
Spec = dict[str, str]  # a partition's values as its directory names them, by column in the table's order
CHANGES = (changes.AddPartitions, changes.DropPartitions, changes.RenamePartition, changes.RecoverPartitions)


@dataclass(frozen=True)
class Partitions:
    """The partitions of a table, and the statement that is about some of them."""

    target: Target
    text: str
    context: Context
    session: "Session"

    @property
    def table(self) -> FileTable:
        """Only tables of files have partitions to manage: Iceberg's and Delta's come and go with their rows."""
        if not isinstance(self.target.table, FileTable):
            raise SparkError(
                "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", name=self.target.full_name
            )
        return self.target.table

    @property
    def short_name(self) -> str:
        return str(self.target.name.identifier)

    def place(self, spec: Spec) -> str:
        return self.table.partition_place(folder(spec))

    def present(self) -> list[Spec]:
        names = self.table.partition_names
        found = self.table.partition_paths
        return [dict(zip(names, map(value_in, path.split("/")), strict=True)) for path in found]

    # ---- what the statement says

    def spec(self, node: tree.PartitionSpec) -> Spec:
        """In the table's order and types; unknown columns are refused."""
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

    def whole(self, node: tree.PartitionSpec) -> Spec:
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
        """As the directory says it: the value in the column's type, as text."""
        walk, settings = walk_of(self.text, self.context), self.context.settings
        given = walk.read(node, walk.scope(frame_of(OneRow())))
        typed = build.cast(given, self.table.schema[name].dataType, settings, "ansi")
        found = value_of(build.cast(typed, StringType(), settings, "ansi"), self.context, self.session)
        return DEFAULT_PARTITION if found is None else str(found)

    # ---- errors

    def not_found(self, specs: Sequence[Spec]) -> SparkError:
        return SparkError("PARTITIONS_NOT_FOUND", partitionList=listed(specs), tableName=self.short_name)

    def already_there(self, specs: Sequence[Spec]) -> SparkError:
        return SparkError("PARTITIONS_ALREADY_EXIST", partitionList=listed(specs), tableName=self.short_name)

    def check_partitioned(self, action: str) -> None:
        if not self.table.partitioning:
            name = self.target.name.identifier.name
            raise SparkError("_LEGACY_ERROR_TEMP_1251", action=f"ALTER TABLE {action} PARTITION", tableName=name)

    # ---- the changes

    def each(self, specs: Sequence[Spec], change: Callable[[str], None], known: bool = True) -> Command:
        """The change of each directory, which is a known partition afterwards, or is not."""

        def carry_out() -> None:
            for spec in specs:
                change(self.place(spec))
            paths = list(map(folder, specs))
            self.target.catalog.change_partitions(self.table, () if known else paths, paths if known else ())

        return done(carry_out)

    def add(self, change: changes.AddPartitions) -> Command:
        self.check_partitioned("ADD")
        specs = [self.whole(node) for node, _ in change.partitions]
        there = [spec for spec in specs if spec in self.present()]
        if there and not change.if_not_exists:
            raise self.already_there(there)
        places = {
            folder(spec): self.whole_place(location)
            for spec, (_, location) in zip(specs, change.partitions, strict=True)
            if location is not None and spec not in there
        }
        return done(lambda: self.make(specs, places))

    def make(self, specs: Sequence[Spec], places: Mapping[str, str]) -> None:
        for spec in specs:
            os.makedirs(local_path(places.get(folder(spec), self.place(spec))), exist_ok=True)
        self.target.catalog.change_partitions(self.table, new=map(folder, specs))
        if places:
            self.target.catalog.place_partitions(self.table, places)

    def whole_place(self, location: str) -> str:
        """A path that begins nowhere begins in the table's directory."""
        return whole_path(location, self.table.location)

    def set_location(self, node: tree.PartitionSpec, location: str) -> Command:
        """Only said anew: no file is touched."""
        spec, place = self.whole(node), self.whole_place(location)
        if spec not in self.present():
            raise self.not_found([spec])
        return done(lambda: self.target.catalog.place_partitions(self.table, {folder(spec): place}))

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
        old, new = self.whole(node), self.whole(change.to)
        if old not in self.present():
            raise self.not_found([old])
        if new in self.present():
            raise self.already_there([new])
        return done(lambda: self.move(old, new))

    def move(self, old: Spec, new: Spec) -> None:
        """Into the table's directory, wherever it lay; an external table's files stay where they are."""
        if not self.table.managed:
            place = self.place(old)
            self.target.catalog.change_partitions(self.table, [folder(old)])
            self.target.catalog.place_partitions(self.table, {folder(new): place})
            return
        os.makedirs(os.path.dirname(self.place(new)), exist_ok=True)
        shutil.move(self.place(old), self.place(new))
        self.target.catalog.change_partitions(self.table, [folder(old)], [folder(new)])

    def recover(self) -> Command:
        """The directories that are there become partitions."""
        if not self.table.partitioning:
            operation = "ALTER TABLE RECOVER PARTITIONS"
            raise SparkError("NOT_A_PARTITIONED_TABLE", operation=operation, tableIdentWithDB=self.target.full_name)
        return done(lambda: self.target.catalog.recover_partitions(self.target.name.identifier))

    def truncate(self, node: tree.PartitionSpec) -> Command:
        """Part of a specification means all partitions that fit it."""
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


def listed(specs: Sequence[Spec]) -> str:
    return ", ".join(f"PARTITION ({', '.join(f'`{k}` = {v}' for k, v in spec.items())})" for spec in specs)


def folder(spec: Spec) -> str:
    return partition_folder(spec)


def remove_files(directory: str) -> None:
    shutil.rmtree(directory, ignore_errors=True)  # a partition may be known whose directory is gone


def leave_files(directory: str) -> None:
    """An external table's files are not its own."""


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
