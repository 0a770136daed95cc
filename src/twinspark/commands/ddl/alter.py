"""ALTER TABLE, DROP TABLE and TRUNCATE TABLE: each becomes a list of catalog changes in one commit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl import constraints
from twinspark.commands.ddl.alteration import Alteration
from twinspark.commands.ddl.branches import CHANGES as REFERENCE_CHANGES
from twinspark.commands.ddl.create import default_text
from twinspark.commands.ddl.definition import check_name
from twinspark.commands.ddl.iceberg_layout import CHANGES as LAYOUT_CHANGES
from twinspark.commands.ddl.partitions import CHANGES as PARTITION_CHANGES
from twinspark.commands.ddl.partitions import Partitions, alter_partitions
from twinspark.commands.ddl.targets import (
    Target,
    at_name,
    connection_of,
    find_target,
    name_of,
    quote_name,
    require_table,
    written_parts,
)
from twinspark.commands.dml.insert import done
from twinspark.commands.results import Answer
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.plan.relations import Relation
from twinspark.read.sql import leading_kinds, tree
from twinspark.read.sql.tree import alterations as changes
from twinspark.sessions.services import Services
from twinspark.sessions.tables import tables_of
from twinspark.tables import (
    AddColumn,
    After,
    DeleteColumn,
    First,
    MoveColumn,
    RemoveProperty,
    RenameColumn,
    SetProperty,
    TableChange,
    UpdateColumn,
    UpdateColumnComment,
    UpdateColumnDefault,
    UpdateColumnNullability,
)
from twinspark.tables.catalogs import Name
from twinspark.tables.changes import find_field
from twinspark.tables.char_types import raw_type
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.table import FileTable
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.scan_sql import duck_scan
from twinspark.types import quote_identifier
from twinspark.types.duckdb import duck_name

Command = Callable[[], Answer]
ICEBERG_CHANGES = {**LAYOUT_CHANGES, **REFERENCE_CHANGES}


@singledispatch
def steps(change: Any, alteration: Alteration) -> Sequence[TableChange]:
    raise alteration.target.unsupported_error(f"ALTER TABLE {type(change).__name__}")


@steps.register
def add_columns_steps(change: changes.AddColumns, alteration: Alteration) -> Sequence[TableChange]:
    return [add_column_change(each, alteration) for each in change.columns]


def add_column_change(each: changes.AddedColumn, alteration: Alteration) -> AddColumn:
    *parent, name = each.name.parts
    return AddColumn(
        tuple(parent),
        name,
        each.type,
        each.comment,
        each.nullable,
        position(each),
        alteration.default(each, name),
        alteration.constant(each),
    )


def position(each: Any) -> First | After | None:
    if each.position.upper() == "FIRST":
        return First()
    return After(each.after) if each.after else None


@steps.register
def replace_columns_steps(change: changes.ReplaceColumns, alteration: Alteration) -> Sequence[TableChange]:
    """Drops all columns and adds the new ones: no column keeps its values."""
    gone = [DeleteColumn((name,)) for name in alteration.target.table.schema.names]
    return [*gone, *(add_column_change(each, alteration) for each in change.columns)]


@steps.register
def rename_column_steps(change: changes.RenameColumn, alteration: Alteration) -> Sequence[TableChange]:
    return [RenameColumn(alteration.path(change.column), change.to)]


@steps.register
def drop_columns_steps(change: changes.DropColumns, alteration: Alteration) -> Sequence[TableChange]:
    if change.if_exists:
        return [DeleteColumn(each.parts, True) for each in change.columns]
    return [DeleteColumn(alteration.path(each)) for each in change.columns]


@steps.register
def alter_columns_steps(change: changes.AlterColumns, alteration: Alteration) -> Sequence[TableChange]:
    return [step for each in change.columns for step in column_steps(each, alteration)]


def check_not_partition(path: Sequence[str], alteration: Alteration) -> None:
    """AlterTableChangeColumnCommand changes data columns only."""
    target = alteration.target
    if isinstance(target.table, FileTable) and path[0] in target.table.partition_names:
        shown = quote_identifier(path[0])
        raise SparkError("CANNOT_ALTER_PARTITION_COLUMN", columnName=shown, tableName=target.full_name)


def column_steps(each: changes.ColumnChange, alteration: Alteration) -> list[TableChange]:
    path = alteration.path(each.column)
    check_not_partition(path, alteration)
    made: list[TableChange] = []
    if each.type is not None:
        made.append(UpdateColumn(path, each.type))
    if each.nullable is not None:
        made.append(UpdateColumnNullability(path, each.nullable))
    if each.comment is not None:
        made.append(UpdateColumnComment(path, each.comment))
    if (place := position(each)) is not None:
        made.append(MoveColumn(path, place))
    if each.drop_default:
        made.append(UpdateColumnDefault(path, None))
    if each.default is not None:
        made.append(UpdateColumnDefault(path, new_default(each, alteration)))
    return made


def new_default(each: changes.ColumnChange, alteration: Alteration) -> str:
    found = find_field(alteration.target.table.schema, each.column.parts)
    declared = NewDefault(each.default, raw_type(found))
    return default_text(
        declared, alteration.text, alteration.context, "ALTER TABLE ALTER COLUMN", each.column.parts[-1]
    )


class NewDefault:
    """A default for a column that has the type of the table's column."""

    def __init__(self, default: Any, type: Any) -> None:
        self.default = default
        self.type = type
        self.name = ""


@steps.register
def set_properties_steps(change: changes.SetProperties, alteration: Alteration) -> Sequence[TableChange]:
    constraints.check_properties(change, alteration.target.table)
    return [SetProperty(key, value or "") for key, value in change.properties]


@steps.register
def unset_properties_steps(change: changes.UnsetProperties, alteration: Alteration) -> Sequence[TableChange]:
    return [RemoveProperty(key) for key, _ in change.properties]


@steps.register
def cluster_by_steps(change: changes.ClusterBy, alteration: Alteration) -> Sequence[TableChange]:
    names = str([list(name.parts) for name in change.columns]).replace("'", '"')
    return [SetProperty("clusteringColumns", names)]


@steps.register
def add_constraint_steps(change: changes.AddConstraint, alteration: Alteration) -> Sequence[TableChange]:
    return constraints.add_constraint(change, alteration.target, alteration.text, alteration.context)


@steps.register
def drop_constraint_steps(change: changes.DropConstraint, alteration: Alteration) -> Sequence[TableChange]:
    return constraints.drop_constraint(change, alteration.target, alteration.context)


# ---- ALTER TABLE


def alter_table(statement: tree.AlterTable, text: str, context: Context, services: Services) -> Command:
    if statement.is_view:
        raise NotNative(reasons.SQL_STATEMENT, "ALTER VIEW")
    try:
        target = require_table(
            written_parts(statement.name, text, context, services), context, operation_of(statement, text)
        )
    except SparkError as error:
        raise at_name(error, statement.name, text) from error
    if isinstance(statement.change, changes.RenameTable):
        return rename_table(target, statement.change, context)
    alteration = Alteration(target, text, context, services)
    if (iceberg_change := ICEBERG_CHANGES.get(type(statement.change))) is not None:
        return iceberg_change(statement.change, alteration)
    if isinstance(statement.change, PARTITION_CHANGES):
        return alter_partitions(statement, Partitions(target, text, context, services))
    if statement.partition is not None:
        if isinstance(statement.change, changes.SetLocation):
            partitions = Partitions(target, text, context, services)
            return partitions.set_location(statement.partition, statement.change.location)
        raise target.unsupported_error("ALTER TABLE … PARTITION")
    if isinstance(statement.change, changes.SetLocation | changes.SetSerde):
        return change_storage(target, statement.change)
    with statement_as_context(statement, text):
        made = steps(statement.change, alteration)
    check_no_nulls(target, made, context)
    return done(lambda: apply_changes(target, made, statement, text))


def change_storage(target: Target, change: changes.SetLocation | changes.SetSerde) -> Command:
    """Changes the location or serde of a table of files in the catalog only; no file is touched."""
    table = target.table
    if not isinstance(table, FileTable):
        raise target.unsupported_error(f"ALTER TABLE {type(change).__name__}")
    if isinstance(change, changes.SetLocation):
        place = target.catalog.absolute_location(target.name.identifier.namespace, change.location)
        return done(lambda: move_to(place, table, target))
    if change.serde is not None:
        raise NotNative(reasons.SQL_CLAUSE, "ALTER TABLE SET SERDE")
    options = {key: value or "" for key, value in change.properties}
    return done(lambda: target.catalog.redefine(replace(table, options={**table.options, **options})))


def move_to(location: str, table: FileTable, target: Target) -> None:
    """Existing partitions keep their locations."""
    if table.known:
        target.catalog.set_partition_locations(table, {path: table.partition_directory(path) for path in table.known})
    target.catalog.redefine(replace(table, location=location))


# For these errors Spark reports the whole statement as the query context.
OF_THE_STATEMENT = frozenset({"NOT_SUPPORTED_CHANGE_COLUMN", "UNRESOLVED_COLUMN.WITH_SUGGESTION"})


@contextmanager
def statement_as_context(statement: tree.AlterTable, text: str) -> Iterator[None]:
    try:
        yield
    except SparkError as error:
        if error.condition in OF_THE_STATEMENT and not error.contexts:
            whole = text[statement.start : statement.stop]
            error.contexts = (QueryContext(whole, statement.start, statement.stop - 1, text=text),)
        raise


def apply_changes(target: Target, made: Sequence[TableChange], statement: tree.AlterTable, text: str) -> None:
    with statement_as_context(statement, text):
        target.catalog.alter_table(target.name.identifier, made)


COLUMN_VERBS = ("ADD", "DROP", "RENAME", "ALTER", "REPLACE")


def operation_of(statement: tree.AlterTable, text: str) -> str:
    """Spark's name for the command in an error about a view; empty if it is unknown here."""
    verb, noun = leading_kinds(text[statement.change.start : statement.change.stop], 2)
    return f"ALTER TABLE ... {verb} {noun}" if verb in COLUMN_VERBS and noun in ("COLUMN", "COLUMNS") else ""


def rename_table(target: Target, change: changes.RenameTable, context: Context) -> Command:
    wanted = change.to.parts
    parts = wanted if len(wanted) > 1 else (*target.name.qualifier[:-1], *wanted)
    name = name_of(parts, context)
    check_name(name)
    if target.catalog.table_exists(name.identifier) or target.catalog.load_view(name.identifier) is not None:
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=str(name.identifier))
    check_not_on_spark(name, context)
    return done(lambda: target.catalog.rename_table(target.name.identifier, name.identifier))


def check_not_on_spark(name: Name, context: Context) -> None:
    """Spark's own error would name its catalog, which has both tables."""
    if (spark := tables_of(context).elsewhere) is not None and spark.claims(name.qualifier):
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=str(name.identifier))


def check_no_nulls(target: Target, made: Sequence[TableChange], context: Context) -> None:
    """SET NOT NULL requires that existing rows have no nulls; nothing checks them later."""
    table = target.table
    for change in made:
        if isinstance(change, UpdateColumnNullability) and not change.nullable and isinstance(table, IcebergTable):
            path = ".".join(duck_name(part) for part in change.column)
            query = f"SELECT 1 FROM {duck_scan(table.scan())} WHERE {path} IS NULL LIMIT 1"
            if connection_of(context).execute(query).fetchall():
                raise SparkError("NOT_NULL_ASSERT_VIOLATION", walkedTypePath=f"\n{'.'.join(change.column)}\n")
        if isinstance(change, AddColumn) and not change.nullable and change.exists is None and has_rows(table):
            raise target.unsupported_error("ADD COLUMN NOT NULL without a default")


def has_rows(table: Any) -> bool:
    return isinstance(table, IcebergTable) and table.scan().rows > 0


# ---- DROP TABLE, TRUNCATE TABLE


def drop_table(statement: tree.DropTable, text: str, context: Context, services: Services) -> Command:
    parts = written_parts(statement.name, text, context, services)
    if (view := context.views.get(tuple(part.lower() for part in parts))) is not None:
        return drop_temporary_view(parts, view, services)
    target = find_target(parts, context)
    if target is None and statement.if_exists:
        return done(lambda: None)
    if target is None:
        name = name_of(parts, context)
        full = (*name.qualifier[:-1], parts[-1])
        raise SparkError(
            "TABLE_OR_VIEW_NOT_FOUND", relationName=quote_name(full), searchPath=f"[{quote_name(name.qualifier[:-1])}]"
        )
    purge = statement.purge if target.catalog.iceberg.shared else is_managed(target)
    return done(lambda: target.catalog.drop_table(target.name.identifier, purge=purge))


def is_managed(target: Target) -> bool:
    """Dropping a managed table deletes its files, as in Spark; files at a LOCATION chosen by the user stay. In a shared
    catalog files stay unless PURGE is given, as in Iceberg."""
    home = target.catalog.iceberg.home
    return bool(home) and local_path(target.table.location).startswith(home)


def drop_temporary_view(parts: tuple[str, ...], view: Any, services: Services) -> Command:
    is_global = len(parts) == 2
    if services.views.is_on_spark(parts[-1], is_global) or isinstance(view, Relation):
        raise NotNative(reasons.LIVES_ON_SPARK, "the view to drop")
    return done(lambda: services.views.drop(parts[-1], is_global))


def truncate_table(statement: tree.TruncateTable, text: str, context: Context, services: Services) -> Command:
    try:
        target = require_table(written_parts(statement.table, text, context, services), context)
    except SparkError as error:
        raise at_name(error, statement.table, text) from error
    if statement.partition is not None:
        return Partitions(target, text, context, services).truncate(statement.partition)
    if isinstance(target.table, FileTable) and not target.table.managed:
        raise SparkError("CANNOT_TRUNCATE_EXTERNAL_TABLE", tableName=target.full_name)
    return done(lambda: empty(target, context))


def empty(target: Target, context: Context) -> None:
    table, connection = target.table, connection_of(context)
    if isinstance(table, IcebergTable):
        dml.delete(target.catalog.iceberg, target.name.identifier, connection, "true")
        return
    columns = ", ".join(f"NULL AS {duck_name(name)}" for name in table.schema.names)
    if isinstance(table, FileTable):
        table.drop_rows()
        target.catalog.change_partitions(table)
    else:
        table.write(f"SELECT {columns} WHERE false", "overwrite", connection)
