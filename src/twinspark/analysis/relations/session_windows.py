"""session_window: groups rows of the same keys that follow each other within a gap, computed by window functions."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.expressions.build import call
from twinspark.analysis.expressions.windows import RUNNING_ROWS, WHOLE, window_call
from twinspark.plan.expressions import Call, Column, Expression, SortOrder
from twinspark.plan.relations import Field, Project, Relation


def sessions_of(relation: Relation, keys: Sequence[Expression], window: Call) -> tuple[Relation, Column]:
    """Adds a column with the session of each row; the session of one row lasts from its time to the end of its gap."""
    instant, gap = window.arguments
    in_time = (SortOrder(child=instant),)

    def over(function: str, of: Expression, *more: Expression, ordered: bool) -> Expression:
        made = call(function, [of], window.settings)
        order, frame = (in_time, None if function == "lag" else RUNNING_ROWS) if ordered else ((), WHOLE)
        return window_call(made, (*keys, *more), order, frame, window.settings)

    relation, before = with_column(relation, "before", over("lag", instant, ordered=True))
    relation, begins = with_column(relation, "begins", call("sessionbegins", [instant, before, gap], window.settings))
    relation, number = with_column(relation, "number", over("sum", begins, ordered=True))
    ends = [over(side, instant, number, ordered=False) for side in ("min", "max")]
    return with_column(relation, "session_window", call("sessionbounds", [*ends, gap], window.settings))


def with_column(relation: Relation, name: str, expression: Expression) -> tuple[Relation, Column]:
    fields = (*relation.fields, Field(name, expression.type, expression.nullable))
    made = Project(input=relation, expressions=(*relation.columns(), expression), fields=fields)
    return made, Column(type=expression.type, nullable=expression.nullable, text=name, index=len(relation.fields))
