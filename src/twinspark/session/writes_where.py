"""Rows for which a condition is true give way to new ones: what INSERT … REPLACE WHERE and writeTo.overwrite share."""

from collections.abc import Callable

from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, frame_of
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Filter
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import Target
from twinspark.session.writes import Rows, overwrite_where
from twinspark.session.writes_expressions import Texts, columns_of
from twinspark.tables.pruning import predicate_of


def table_frame(target: Target, context: Context) -> Frame:
    """The table as conditions name its columns."""
    relation, qualifier = tables_of(context).relation(target.name.qualifier, context)
    return frame_of(relation, qualifier)


def checked(frame: Frame, condition: Expression, context: Context) -> Expression:
    """The condition as a filter takes it: of the right type, or refused as WHERE refuses it."""
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
