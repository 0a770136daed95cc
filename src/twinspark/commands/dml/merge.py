"""MERGE: joins the source with the table, and writes each clause's condition and values as SQL over both."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.relations import joins
from twinspark.analysis.scope.frames import Frame, alike
from twinspark.commands.ddl.targets import at_name, connection_of, written_parts
from twinspark.commands.dml.delete_update import Changing, assigned_values, changing, is_true, without_hidden
from twinspark.commands.dml.expressions import Texts, columns_of
from twinspark.commands.dml.insert import done, is_default
from twinspark.commands.dml.replace_where import filter_condition
from twinspark.commands.dml.schema_evolution import evolve_table
from twinspark.commands.dml.source import Source, write_rows_of
from twinspark.commands.dml.sql_arguments import query_message
from twinspark.commands.dml.write import again, settle, spark_errors
from twinspark.commands.results import Answer
from twinspark.compile.query import CompiledQuery
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Join
from twinspark.read.sql import tree
from twinspark.read.views import table_frame
from twinspark.read.walk import read_query
from twinspark.read.walk.sources import with_alias
from twinspark.sessions.services import Services
from twinspark.tables import char_types
from twinspark.tables.iceberg import dml
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.types import StructField

Command = Callable[[], Answer]
MATCHED, NOT_MATCHED, BY_SOURCE = "MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"


@dataclass(frozen=True)
class Action:
    """One analyzed clause: its condition, and the new values by column (None deletes)."""

    when: str
    condition: Expression | None
    values: dict[str, Expression] | None


@dataclass(frozen=True)
class Merging:
    """The two sides of a MERGE, and the columns that its clauses can reference."""

    found: Changing
    source: Frame
    joined: Frame
    on: Expression

    @classmethod
    def of(cls, found: Changing, source: Frame, on: Callable[[Frame], Expression]) -> "Merging":
        source = without_hidden(source)
        joined = joins.join(
            found.frame, source, "inner", lambda sides: filter_condition(sides, on(sides), found.context)
        )
        assert isinstance(joined.relation, Join) and joined.relation.condition is not None
        return cls(found, source, joined, joined.relation.condition)

    def visible_columns(self, when: str) -> Frame:
        """The columns that a clause's expressions can reference."""
        return {MATCHED: self.joined, NOT_MATCHED: self.source, BY_SOURCE: self.found.frame}[when]

    @property
    def target_of_joined(self) -> Frame:
        """The target's columns at their positions in the joined rows."""
        count = len(self.found.frame.attributes)
        ids = self.joined.attributes[:count]
        return Frame(self.joined.relation, ids, self.joined.slots)

    # ---- UPDATE * and INSERT *

    def star(self, when: str) -> dict[str, Expression]:
        """UPDATE * and INSERT *: each column of the table from the source's column of that name."""
        frame = self.visible_columns(when)
        count = len(self.found.frame.attributes) if when == MATCHED else 0
        wide = Frame(frame.relation, frame.attributes[count:], frame.slots)
        made = {}
        for field in self.star_columns(wide):
            node = tree.Column(0, 0, (field.name,))
            value = self.found.walk.read(node, self.found.walk.scope(wide))
            made[field.name] = self.cast_value(value, field)
        return made

    def star_columns(self, source: Frame) -> list[StructField]:
        """All columns of the table; with schema evolution only those that the source has."""
        if not self.found.evolves:
            return list(self.found.schema.fields)
        same = alike(self.found.context.settings.case_sensitive)
        return [f for f in self.found.schema.fields if any(same(a.name, f.name) for a in source.attributes)]

    def cast_value(self, value: Expression, field: StructField) -> Expression:
        return self.found.assignment.value(value, field.dataType, (field.name,), True)

    def with_defaults(self, given: dict[str, Expression]) -> dict[str, Expression]:
        """INSERT (a, b): the other columns take their defaults."""
        assignment = self.found.assignment
        return {
            f.name: given[f.name] if f.name in given else assignment.missing(f, True).expression
            for f in self.found.schema.fields
        }

    # ---- writing SQL

    def merge(self, actions: Sequence[Action], query: CompiledQuery, texts: Texts) -> dml.Merge:
        target = columns_of("t", self.found.schema.names)
        source = columns_of("s", [f"c{at}" for at in range(len(self.source.attributes))])
        inputs = {MATCHED: (*target, *source), NOT_MATCHED: source, BY_SOURCE: target}

        def written_action(action: Action) -> dml.MergeAction:
            columns = inputs[action.when]
            known = action.condition is None or is_true(action.condition)
            condition = "true" if known or action.condition is None else texts.write(action.condition, columns)
            if action.values is None:
                return dml.MergeAction(None, condition)
            values = {
                name: char_types.write_value(texts.write(value, columns), self.found.field(name))
                for name, value in action.values.items()
            }
            return dml.MergeAction(values, condition)

        by_kind = {kind: [written_action(a) for a in actions if a.when == kind] for kind in inputs}
        on = texts.write(self.on, inputs[MATCHED])
        return dml.Merge(query.text, on, by_kind[MATCHED], by_kind[NOT_MATCHED], by_kind[BY_SOURCE])

    def command(self, actions: Sequence[Action]) -> Command:
        context = self.found.context
        cursor = connection_of(context)
        query = CompiledQuery.of(self.source.plain(), context, cursor)
        texts = Texts(context)
        whole = self.merge(actions, query, texts)

        def carry_out() -> None:
            query.bind()
            texts.bind(cursor)
            with spark_errors():
                again(lambda: dml.merge(*self.found.where, cursor, whole))
                settle(self.found.target)

        return done(carry_out)


def merge_rows(statement: tree.Merge, text: str, context: Context, services: Services) -> Command:
    found = changing(
        statement.target, statement.target_alias, statement.ctes, "MERGE INTO TABLE", text, context, services
    )

    def write(source: Frame) -> Command:
        nonlocal found
        if statement.schema_evolution:
            found = evolved_for(found, without_hidden(source), stars(statement), again)
        merging = Merging.of(found, with_alias(source, statement.source_alias), lambda sides: condition(sides))
        with statement_as_context(statement, text):
            actions = [action(each, merging) for each in statement.clauses]
        found.check_changeable()
        return merging.command(actions)

    def again() -> Changing:
        target, alias = statement.target, statement.target_alias
        return changing(target, alias, statement.ctes, "MERGE INTO TABLE", text, context, services)

    def condition(sides: Frame) -> Expression:
        return found.walk.read(statement.condition, found.walk.scope(sides))

    return write_rows_of(services, context, source_of(statement, found, text, context, services), write)


def stars(statement: tree.Merge) -> bool:
    return any(clause.action.upper().endswith("*") for clause in statement.clauses)


def evolved_for(found: Changing, source: Frame, stars: bool, again: Callable[[], Changing]) -> Changing:
    """UPDATE * and INSERT * add all columns of the source; columns named explicitly must exist."""
    found.check_changeable()
    if not isinstance(found.target.table, IcebergTable):
        raise found.target.unsupported_error("MERGE WITH SCHEMA EVOLUTION")
    if stars:
        evolve_table(found.target, source, True, found.context)
    return replace(again(), evolves=True)


def source_of(statement: tree.Merge, found: Changing, text: str, context: Context, services: Services) -> Source:
    node = statement.source
    if isinstance(node, tree.Query):
        return Source(
            lambda: read_query(node, found.walk), lambda: query_message(text[node.start : node.stop], context)
        )
    parts = written_parts(node, text, context, services)
    cte = found.walk.ctes.get(parts[0].lower()) if len(parts) == 1 else None

    def read() -> Frame:
        try:
            return cte.frame() if cte is not None else table_frame(parts, context)
        except SparkError as error:
            raise at_name(error, node, text) from error

    if cte is not None:
        return Source(read, not_on_spark)
    return Source(read, lambda: query_message(f"TABLE {text[node.start : node.stop]}", context))


def not_on_spark() -> Any:
    raise NotNative(
        reasons.OPERATION_KIND, "a WITH query: the source of MERGE is a WITH query that falls back to Spark"
    )


@contextmanager
def statement_as_context(statement: tree.Merge, text: str) -> Iterator[None]:
    """For an unknown column of an INSERT clause, Spark reports the whole statement."""
    try:
        yield
    except SparkError as error:
        if error.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION" and not error.contexts:
            whole = text[statement.start : statement.stop]
            error.contexts = (QueryContext(whole, statement.start, statement.stop - 1, text=text),)
        raise


def action(clause: tree.MergeClause, merging: Merging) -> Action:
    walk, frame = merging.found.walk, merging.visible_columns(clause.when)
    condition = None
    if clause.condition is not None:
        condition = filter_condition(frame, walk.read(clause.condition, walk.scope(frame)), merging.found.context)
    return Action(clause.when, condition, values_of(clause, merging, frame))


def values_of(clause: tree.MergeClause, merging: Merging, frame: Frame) -> dict[str, Expression] | None:
    kind = clause.action.upper()
    if kind == "DELETE":
        return None
    if kind.endswith("*"):
        given = merging.star(clause.when)
        return merging.with_defaults(given) if clause.when == NOT_MATCHED else given
    if kind == "UPDATE":
        names = merging.target_of_joined if clause.when == MATCHED else frame
        return assigned_values(clause.assignments, merging.found, names, frame)
    return merging.with_defaults(inserted_values(clause, merging, frame))


def inserted_values(clause: tree.MergeClause, merging: Merging, frame: Frame) -> dict[str, Expression]:
    walk = merging.found.walk
    made = {}
    for name, node in zip(clause.columns, clause.values, strict=True):
        field = merging.found.assignment.field(name.parts[-1], merging.found.schema.fields)
        value = merging.found.assignment.default(field) if is_default(node) else walk.read(node, walk.scope(frame))
        made[field.name] = merging.cast_value(value, field)
    return made
