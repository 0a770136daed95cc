"""Replaces the rows that match a condition by new ones, for INSERT … REPLACE WHERE and writeTo.overwrite."""

from collections.abc import Callable

from twinspark.analysis.context import Context
from twinspark.analysis.relations import basics as make
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.ddl.targets import Target
from twinspark.commands.dml.expressions import Texts, columns_of
from twinspark.commands.dml.write import Rows, overwrite_where
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Filter
from twinspark.sessions.tables import tables_of
from twinspark.tables.pruning import predicate_of


def table_frame(target: Target, context: Context) -> Frame:
    """The table, in which the condition's columns are resolved."""
    relation, qualifier = tables_of(context).relation(target.name.qualifier, context)
    return frame_of(relation, qualifier)


def filter_condition(frame: Frame, condition: Expression, context: Context) -> Expression:
    """The condition as a filter takes it: a boolean, or the error of a WHERE clause."""
    filtered = make.filter(frame, condition, context.settings).relation
    assert isinstance(filtered, Filter)
    return filtered.condition


def replacing(target: Target, frame: Frame, condition: Expression, context: Context) -> Callable[[Rows], None]:
    texts = Texts(context)
    text = texts.write(condition, columns_of("t", target.table.schema.names))
    predicate = predicate_of(condition, frame.relation)

    def replace(rows: Rows) -> None:
        texts.bind(rows.connection)
        overwrite_where(target, rows, text, predicate)

    return replace
