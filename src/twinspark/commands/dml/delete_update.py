"""DELETE and UPDATE: conditions and values are analyzed like a query's, then the affected rows are rewritten."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.scope.frames import Attribute, Frame, alike, frame_of
from twinspark.commands.ddl.targets import at_name, connection_of, write_target, written_parts
from twinspark.commands.dml.expressions import Texts, columns_of
from twinspark.commands.dml.insert import done, is_default
from twinspark.commands.dml.replace_where import filter_condition
from twinspark.commands.dml.source import either, from_spark
from twinspark.commands.dml.sql_arguments import query_message, walk_of
from twinspark.commands.dml.write import Rows, again, changes_of, insert, settle, spark_errors
from twinspark.commands.dml.write_statement import WriteStatement
from twinspark.commands.results import Answer, answer
from twinspark.errors import SparkError
from twinspark.plan.expressions import Expression, GetField, Literal, MakeStruct
from twinspark.read.sql import tree
from twinspark.read.walk.queries import with_ctes
from twinspark.read.walk.sources import with_alias
from twinspark.sessions.services import Services
from twinspark.sessions.tables import tables_of
from twinspark.tables import char_types
from twinspark.tables.catalog import Identifier
from twinspark.tables.delta.changes import DeltaChanges
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.predicates import Predicate
from twinspark.tables.pruning import predicate_of
from twinspark.types import BOOLEAN, StructField, StructType, quote_identifier

Command = Callable[[], Answer]
HIT, SET = "twinspark_hit", "twinspark_set"


@dataclass(frozen=True)
class Changing(WriteStatement):
    """The table whose rows a statement changes, as the statement's names resolve in it."""

    frame: Frame
    operation: str
    evolves: bool = False

    def check_changeable(self) -> None:
        """Checked after names are resolved, since Spark raises this error during planning."""
        if self.target.table.provider not in ("iceberg", "delta"):
            raise self.target.unsupported_error(self.operation)
        if isinstance(self.target.table, DeltaTable) and self.operation != "MERGE INTO TABLE":
            self.target.table.check_removable()

    def condition(self, node: tree.Expression | None) -> Expression:
        if node is None:
            return build.literal(True)
        return filter_condition(self.frame, self.walk.read(node, self.walk.scope(self.frame)), self.context)

    def predicate(self, condition: Expression) -> Predicate | None:
        return predicate_of(condition, self.frame.relation)

    @property
    def where(self) -> tuple[IcebergCatalog | DeltaChanges, Identifier]:
        return changes_of(self.target, connection_of(self.context)), self.target.name.identifier

    def change(self, texts: Texts, run: Callable[[Any], object]) -> Command:
        def carry_out() -> None:
            cursor = connection_of(self.context)
            texts.bind(cursor)
            with spark_errors():
                again(lambda: run(cursor))
                settle(self.target)

        return done(carry_out)

    def replace_rows(self, read: Callable[[], Frame]) -> Answer:
        """Rewrites all rows: the table's version is read before Spark's rows, so that a concurrent write is a
        conflict."""

        def rewrite() -> None:
            name = self.target.name.identifier
            if isinstance(self.target.table, DeltaTable):
                insert(self.target, Rows.of(read(), self.schema, self.context, into_files=False), "overwrite")
                return
            with self.target.catalog.iceberg.stage_overwrite(name) as staged:
                rows = Rows.of(read(), self.schema, self.context, into_files=False)
                with spark_errors(rows):
                    staged.write(rows.connection, rows.select())
                staged.commit()

        again(rewrite)
        settle(self.target)
        return answer()

    # ---- the statement's text, for Spark

    def fragment(self, node: tree.Node) -> str:
        return self.walk.text[node.start : node.stop]

    def before(self, statement: Any) -> str:
        return "" if statement.ctes is None else f"{self.fragment(statement.ctes)} "

    def aliased_table(self, statement: Any) -> str:
        alias = "" if statement.alias is None else f" AS {quote_identifier(statement.alias.name)}"
        return f"{self.fragment(statement.table)}{alias}"

    def field(self, name: str) -> StructField:
        same = alike(self.context.settings.case_sensitive)
        return next(field for field in self.schema.fields if same(field.name, name))


def changing(name: Any, alias: Any, ctes: Any, operation: str, text: str, context: Context, services: Any) -> Changing:
    try:
        target = write_target(written_parts(name, text, context, services), context)
    except SparkError as error:
        raise at_name(error, name, text) from error
    walk = walk_of(text, context)
    relation, qualifier = tables_of(context).relation(target.name.qualifier, context)
    frame = with_alias(frame_of(relation, qualifier), alias)
    return Changing(target, walk if ctes is None else with_ctes(ctes, walk), frame, operation)


# ---- DELETE


def delete_rows(statement: tree.Delete, text: str, context: Context, services: Services) -> Command:
    found = changing(statement.table, statement.alias, statement.ctes, "DELETE", text, context, services)

    def natively() -> Command:
        condition = found.condition(statement.where)
        found.check_changeable()
        texts = Texts(context)
        sql = texts.write(condition, columns_of("t", found.schema.names))
        predicate = found.predicate(condition)
        return found.change(texts, lambda cursor: dml.delete(*found.where, cursor, sql, predicate))

    return either(services, context, natively, lambda: delete_by_spark(statement, found, services))


# ---- UPDATE


def update_rows(statement: tree.Update, text: str, context: Context, services: Services) -> Command:
    found = changing(statement.table, statement.alias, statement.ctes, "UPDATE TABLE", text, context, services)

    def natively() -> Command:
        condition = found.condition(statement.where)
        texts = Texts(context)
        columns = columns_of("t", found.schema.names)
        values = assigned_values(statement.assignments, found, found.frame, found.frame)
        found.check_changeable()
        sql = texts.write(condition, columns)
        written = {name: column_sql(value, name, found, texts, columns) for name, value in values.items()}
        predicate = found.predicate(condition)
        return found.change(texts, lambda cursor: dml.update(*found.where, cursor, written, sql, predicate))

    return either(services, context, natively, lambda: update_by_spark(statement, found, services))


# ---- conditions and values that only Spark computes: Spark reads the table, and all rows are rewritten


def delete_by_spark(statement: tree.Delete, found: Changing, services: Services) -> Answer:
    found.check_changeable()
    condition = found.fragment(statement.where) if statement.where is not None else "true"
    query = f"{found.before(statement)}SELECT * FROM {found.aliased_table(statement)} WHERE ({condition}) IS NOT TRUE"
    return found.replace_rows(lambda: from_spark(services, found.context, query_message(query, found.context)))


def update_by_spark(statement: tree.Update, found: Changing, services: Services) -> Answer:
    """Spark computes which rows match and the new values, which are cast and assigned here."""
    found.check_changeable()
    condition = found.fragment(statement.where) if statement.where is not None else "true"
    values = [f"({found.fragment(node)}) AS {SET}{at}" for at, (_, node) in enumerate(statement.assignments)]
    names = ", ".join(quote_identifier(name) for name in found.schema.names)
    hit = f"({condition}) AS {HIT}"
    inner = f"SELECT {', '.join([hit, *values])}, * FROM {found.aliased_table(statement)}"
    query = f"{found.before(statement)}SELECT {HIT}, {sets(len(values))} {names} FROM ({inner})"

    def read() -> Frame:
        frame = from_spark(services, found.context, query_message(query, found.context))
        return updated_rows(frame, statement, found, len(values))

    return found.replace_rows(read)


def sets(count: int) -> str:
    return "".join(f"{SET}{at}, " for at in range(count))


def updated_rows(frame: Frame, statement: tree.Update, found: Changing, count: int) -> Frame:
    hit, *rest = frame.attributes
    values, columns = rest[:count], rest[count:]
    names = Frame(frame.relation, tuple(columns), frame.slots)
    pairs = [
        (column(name, names, found, assignments_span(statement.assignments)), frame.column(value))
        for (name, _), value in zip(statement.assignments, values, strict=True)
    ]
    new = cast_assignments(pairs, found, names)
    condition = build.implicit_cast(frame.column(hit), BOOLEAN, found.context.settings)
    made = []
    for attribute in columns:
        old = frame.column(attribute)
        value = new.get(attribute.name)
        chosen = old if value is None else build.case_when([(condition, value)], old, found.context.settings)
        made.append(make.Named(chosen, attribute.name))
    return make.project(frame, made)


def column_sql(value: Expression, name: str, found: Changing, texts: Texts, columns: Sequence[str]) -> str:
    return char_types.write_value(texts.write(value, columns), found.field(name))


def assigned_values(
    assignments: Sequence[tree.Assignment], found: Changing, names: Frame, values: Frame
) -> dict[str, Expression]:
    """What SET assigns to each column; `names` resolves the target's columns, `values` the new values."""
    place = assignments_span(assignments)
    pairs = [
        (column(name, names, found, place), None if is_default(node) else read(node, values, found))
        for name, node in assignments
    ]
    return cast_assignments(pairs, found, names)


def assignments_span(assignments: Sequence[tree.Assignment]) -> tuple[int, int]:
    return assignments[0][0].start, assignments[-1][1].stop


def column(name: tree.Name, names: Frame, found: Changing, place: tuple[int, int]) -> Expression:
    """A column that is set; for an unknown column Spark reports the position of all assignments."""
    try:
        return found.walk.read(tree.Column(name.start, name.stop, name.parts), found.walk.scope(names))
    except SparkError as error:
        raise found.walk.with_context(without_context(error), tree.Node(*place)) from error


def without_context(error: SparkError) -> SparkError:
    error.contexts = ()
    return error


def cast_assignments(
    pairs: Sequence[tuple[Expression, Expression | None]], found: Changing, names: Frame
) -> dict[str, Expression]:
    """The new value of each column that is set, cast as in an INSERT; None stands for the default."""
    made: dict[str, Expression] = {}
    for key, given in pairs:
        attribute, path = column_path(key, names)
        field = found.field(attribute.name)
        value = found.assignment.default(field) if given is None else given
        if field.name in made and not path:
            raise conflict(field.name)
        old = made.get(field.name, names.column(attribute))
        made[field.name] = put(old, path, value, field, found)
    return made


def column_path(key: Expression, names: Frame) -> tuple[Attribute, list[int]]:
    """The column that is set, and the path to the field inside it."""
    expression = key
    path: list[int] = []
    while isinstance(expression, GetField):
        assert isinstance(expression.child.type, StructType)
        path.insert(0, expression.ordinal)
        expression = expression.child
    index = getattr(expression, "index", None)
    for attribute in names.attributes:
        if names.slots[attribute.id] == index:
            return attribute, path
    raise SparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", objectName=quote_identifier(key.text))


def read(node: tree.Expression, values: Frame, found: Changing) -> Expression:
    return found.walk.read(node, found.walk.scope(values))


def put(old: Expression, path: Sequence[int], value: Expression, field: StructField, found: Changing) -> Expression:
    """The column's new value; with a path, the old struct with one field changed."""
    if not path:
        return found.assignment.value(value, field.dataType, (field.name,), True)
    type = old.type
    assert isinstance(type, StructType)
    parts = []
    for at, each in enumerate(type.fields):
        part: Expression = GetField(child=old, ordinal=at, type=each.dataType, nullable=True, text=each.name)
        parts.append(put(part, path[1:], value, each, found) if at == path[0] else part)
    return MakeStruct(type=type, nullable=False, text=old.text, values=tuple(parts))


def conflict(name: str) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS",
        sqlExpr="",
        errors=f"\n- Multiple assignments for {quote_identifier(name)}",
    )


def is_true(condition: Expression) -> bool:
    return isinstance(condition, Literal) and condition.value is True


def without_hidden(frame: Frame) -> Frame:
    return replace(frame, hidden=(), source=None, plans={})
