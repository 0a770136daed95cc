"""ALTER TABLE in all its forms, DROP TABLE and TRUNCATE TABLE: each is a few steps of the catalog, in one commit."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.plan.relations import Relation
from twinspark.read.sql import tree
from twinspark.read.sql.tree import alterations as changes
from twinspark.session.sql_names import constant
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands_create import default_text, literal_text
from twinspark.session.table_commands_definition import check_name
from twinspark.session.table_commands_partitions import CHANGES as PARTITION_CHANGES
from twinspark.session.table_commands_partitions import Partitions, alter_partitions
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import (
    Target,
    at_name,
    commanded,
    connection_of,
    find_target,
    name_of,
    quoted,
    written_parts,
)
from twinspark.session.writes_sql import done
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
from twinspark.tables.changes import exact_path, find_field
from twinspark.tables.char_types import raw_type
from twinspark.tables.ducktext import identifier
from twinspark.tables.file_table import FileTable
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.listing import local_path
from twinspark.tables.scan_sql import duck_scan
from twinspark.types import quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]


class Altering:
    """One ALTER TABLE while its changes are worked out."""

    def __init__(self, target: Target, text: str, context: Context, session: "Session") -> None:
        self.target = target
        self.text = text
        self.context = context
        self.session = session

    def default(self, node: Any, name: str) -> str | None:
        if node.default is None:
            return None
        return default_text(node, self.text, self.context, "ALTER TABLE ADD COLUMNS", name)

    def constant(self, node: Any) -> str | None:
        """The value of a default at this moment, written as both engines read it."""
        if node.default is None:
            return None
        value = constant(node.default, self.text, self.context, self.session)
        made = literal_text(value)
        if made is None and value is not None:
            raise self.target.refuses("ADD COLUMN with such a default")
        return made

    def path(self, name: tree.Name) -> tuple[str, ...]:
        """The column a change is about; Spark looks it up as it would in a query."""
        try:
            return exact_path(self.target.table.schema, name.parts)
        except SparkError as error:
            proposal = ", ".join(quote_identifier(each) for each in self.target.table.schema.names)
            raise SparkError(
                "UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=quoted(name.parts), proposal=proposal
            ) from error


@singledispatch
def steps(change: Any, altering: Altering) -> Sequence[TableChange]:
    raise altering.target.refuses(f"ALTER TABLE {type(change).__name__}")


@steps.register
def _(change: changes.AddColumns, altering: Altering) -> Sequence[TableChange]:
    return [added(each, altering) for each in change.columns]


def added(each: changes.AddedColumn, altering: Altering) -> AddColumn:
    *parent, name = each.name.parts
    return AddColumn(
        tuple(parent),
        name,
        each.type,
        each.comment,
        each.nullable,
        position(each),
        altering.default(each, name),
        altering.constant(each),
    )


def position(each: Any) -> First | After | None:
    if each.position.upper() == "FIRST":
        return First()
    return After(each.after) if each.after else None


@steps.register
def _(change: changes.ReplaceColumns, altering: Altering) -> Sequence[TableChange]:
    """All columns go, then the new ones come: none keeps its rows."""
    gone = [DeleteColumn((name,)) for name in altering.target.table.schema.names]
    return [*gone, *(added(each, altering) for each in change.columns)]


@steps.register
def _(change: changes.RenameColumn, altering: Altering) -> Sequence[TableChange]:
    return [RenameColumn(altering.path(change.column), change.to)]


@steps.register
def _(change: changes.DropColumns, altering: Altering) -> Sequence[TableChange]:
    if change.if_exists:
        return [DeleteColumn(each.parts, True) for each in change.columns]
    return [DeleteColumn(altering.path(each)) for each in change.columns]


@steps.register
def _(change: changes.AlterColumns, altering: Altering) -> Sequence[TableChange]:
    return [step for each in change.columns for step in column_steps(each, altering)]


def column_steps(each: changes.ColumnChange, altering: Altering) -> list[TableChange]:
    path = altering.path(each.column)
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
        made.append(UpdateColumnDefault(path, new_default(each, altering)))
    return made


def new_default(each: changes.ColumnChange, altering: Altering) -> str:
    found = find_field(altering.target.table.schema, each.column.parts)
    asked = AskedDefault(each.default, raw_type(found))
    return default_text(asked, altering.text, altering.context, "ALTER TABLE ALTER COLUMN", each.column.parts[-1])


class AskedDefault:
    """A default for a column whose type is the table's."""

    def __init__(self, default: Any, type: Any) -> None:
        self.default = default
        self.type = type
        self.name = ""


@steps.register
def _(change: changes.SetProperties, altering: Altering) -> Sequence[TableChange]:
    return [SetProperty(key, value or "") for key, value in change.properties]


@steps.register
def _(change: changes.UnsetProperties, altering: Altering) -> Sequence[TableChange]:
    return [RemoveProperty(key) for key, _ in change.properties]


@steps.register
def _(change: changes.ClusterBy, altering: Altering) -> Sequence[TableChange]:
    names = str([list(name.parts) for name in change.columns]).replace("'", '"')
    return [SetProperty("clusteringColumns", names)]


# ---- ALTER TABLE


def alter_table(statement: tree.AlterTable, text: str, context: Context, session: "Session") -> Command:
    if statement.is_view:
        raise NotNative("SQL: ALTER VIEW")
    try:
        target = commanded(written_parts(statement.name, text, context, session), context, operation_of(text))
    except SparkError as error:
        raise at_name(error, statement.name, text) from error
    if isinstance(statement.change, changes.RenameTable):
        return rename_table(target, statement.change, context)
    if isinstance(statement.change, PARTITION_CHANGES):
        return alter_partitions(statement, Partitions(target, text, context, session))
    if statement.partition is not None:
        if isinstance(statement.change, changes.SetLocation):
            partitions = Partitions(target, text, context, session)
            return partitions.set_location(statement.partition, statement.change.location)
        raise target.refuses("ALTER TABLE … PARTITION")
    if isinstance(statement.change, changes.SetLocation | changes.SetSerde):
        return stored_elsewhere(target, statement.change)
    with told_of(statement, text):
        made = steps(statement.change, Altering(target, text, context, session))
    check_no_nulls(target, made, context)
    return done(lambda: altered(target, made, statement, text))


def stored_elsewhere(target: Target, change: changes.SetLocation | changes.SetSerde) -> Command:
    """Where a table of files lies, and how it is read: only said anew, no file is touched."""
    table = target.table
    if not isinstance(table, FileTable):
        raise target.refuses(f"ALTER TABLE {type(change).__name__}")
    if isinstance(change, changes.SetLocation):
        place = target.catalog.whole_place(target.name.identifier.namespace, change.location)
        return done(lambda: move_to(place, table, target))
    if change.serde is not None:
        raise NotNative("SQL: ALTER TABLE SET SERDE")
    told = {key: value or "" for key, value in change.properties}
    return done(lambda: target.catalog.redefine(replace(table, options={**table.options, **told})))


def move_to(location: str, table: FileTable, target: Target) -> None:
    """The partitions that are known stay where they are."""
    if table.known:
        target.catalog.place_partitions(table, {path: table.partition_place(path) for path in table.known})
    target.catalog.redefine(replace(table, location=location))


# Of these Spark shows the whole statement.
OF_THE_STATEMENT = frozenset({"NOT_SUPPORTED_CHANGE_COLUMN", "UNRESOLVED_COLUMN.WITH_SUGGESTION"})


@contextmanager
def told_of(statement: tree.AlterTable, text: str) -> Iterator[None]:
    try:
        yield
    except SparkError as error:
        if error.condition in OF_THE_STATEMENT and not error.contexts:
            whole = text[statement.start : statement.stop]
            error.contexts = (QueryContext(whole, statement.start, statement.stop - 1, text=text),)
        raise


def altered(target: Target, made: Sequence[TableChange], statement: tree.AlterTable, text: str) -> None:
    with told_of(statement, text):
        target.catalog.alter_table(target.name.identifier, made)


COLUMN_WORDS = re.compile(r"\b(ADD|DROP|RENAME|ALTER|REPLACE)\s+(COLUMNS?)\b", re.IGNORECASE)


def operation_of(text: str) -> str:
    """As Spark names the command to someone who gave it a view; empty for those whose name is not known here."""
    found = COLUMN_WORDS.search(text)
    return f"ALTER TABLE ... {found[1].upper()} {found[2].upper()}" if found else ""


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
    """Spark would refuse as well, but in words of a catalog that has both tables."""
    if (spark := tables_of(context).elsewhere) is not None and spark.claims(name.qualifier):
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=str(name.identifier))


def check_no_nulls(target: Target, made: Sequence[TableChange], context: Context) -> None:
    """SET NOT NULL holds for the rows that are there; nothing checks them later."""
    table = target.table
    for change in made:
        if isinstance(change, UpdateColumnNullability) and not change.nullable and isinstance(table, IcebergTable):
            path = ".".join(identifier(part) for part in change.column)
            query = f"SELECT 1 FROM {duck_scan(table.scan())} WHERE {path} IS NULL LIMIT 1"
            if connection_of(context).execute(query).fetchall():
                raise SparkError("NOT_NULL_ASSERT_VIOLATION", walkedTypePath=f"\n{'.'.join(change.column)}\n")
        if isinstance(change, AddColumn) and not change.nullable and change.exists is None and has_rows(table):
            raise target.refuses("ADD COLUMN NOT NULL without a default")


def has_rows(table: Any) -> bool:
    return isinstance(table, IcebergTable) and table.scan().rows > 0


# ---- DROP TABLE, TRUNCATE TABLE


def drop_table(statement: tree.DropTable, text: str, context: Context, session: "Session") -> Command:
    parts = written_parts(statement.name, text, context, session)
    if (view := context.views.get(tuple(part.lower() for part in parts))) is not None:
        return drop_temporary_view(parts, view, session)
    target = find_target(parts, context)
    if target is None and statement.if_exists:
        return done(lambda: None)
    if target is None:
        name = name_of(parts, context)
        full = (*name.qualifier[:-1], parts[-1])
        raise SparkError(
            "TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(full), searchPath=f"[{quoted(name.qualifier[:-1])}]"
        )
    purge = statement.purge if target.catalog.iceberg.shared else is_managed(target)
    return done(lambda: target.catalog.drop_table(target.name.identifier, purge=purge))


def is_managed(target: Target) -> bool:
    """A managed table's files go with it, as Spark's do; those at a LOCATION of the user's stay. Of a catalog that
    others share they stay unless PURGE is said, as Iceberg has it."""
    home = target.catalog.iceberg.home
    return bool(home) and local_path(target.table.location).startswith(home)


def drop_temporary_view(parts: tuple[str, ...], view: Any, session: "Session") -> Command:
    is_global = len(parts) == 2
    if session.views.is_on_spark(parts[-1], is_global) or isinstance(view, Relation):
        raise NotNative("SQL: DROP of a view that lives on Spark")
    return done(lambda: session.views.drop(parts[-1], is_global))


def truncate_table(statement: tree.TruncateTable, text: str, context: Context, session: "Session") -> Command:
    try:
        target = commanded(written_parts(statement.table, text, context, session), context)
    except SparkError as error:
        raise at_name(error, statement.table, text) from error
    if statement.partition is not None:
        return Partitions(target, text, context, session).truncate(statement.partition)
    if isinstance(target.table, FileTable) and not target.table.managed:
        raise SparkError("CANNOT_TRUNCATE_EXTERNAL_TABLE", tableName=target.full_name)
    return done(lambda: empty(target, context))


def empty(target: Target, context: Context) -> None:
    table, connection = target.table, connection_of(context)
    if isinstance(table, IcebergTable):
        dml.delete(target.catalog.iceberg, target.name.identifier, connection, "true")
        return
    columns = ", ".join(f"NULL AS {identifier(name)}" for name in table.schema.names)
    if isinstance(table, FileTable):
        table.drop_rows()
        target.catalog.change_partitions(table)
    else:
        table.write(f"SELECT {columns} WHERE false", "overwrite", connection)
