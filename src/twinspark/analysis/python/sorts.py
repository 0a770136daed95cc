"""Sorts by results of Python functions: calls each function once in a projection below the sort, which then uses
columns."""

from __future__ import annotations

from dataclasses import replace

from twinspark.plan.expressions import Expression, PythonCall, SortOrder
from twinspark.plan.relations import Field, Limit, Project, Relation, ShowString, Sort, Tail
from twinspark.plan.rewrite import walk


def with_called_keys(relation: Relation) -> Relation:
    """Rewrites only the last sort of a plan, since the order of others is not visible."""
    match relation:
        case Project() | Limit() | Tail() | ShowString():
            below = with_called_keys(relation.input)
            return relation if below is relation.input else replace(relation, input=below)
        case Sort() if any(is_called(order.child) for order in relation.ordering):
            return by_columns(relation)
    return relation


def is_called(expression: Expression) -> bool:
    return any(isinstance(node, PythonCall) for node in walk(expression))


def by_columns(relation: Sort) -> Relation:
    width = len(relation.input.fields)
    keys = [order.child for order in relation.ordering]
    named = tuple(Field(f"_{index}", key.type, key.nullable) for index, key in enumerate(keys))
    own = tuple(map(relation.input.column, range(width)))
    below = Project(input=relation.input, expressions=(*own, *keys), fields=(*relation.input.fields, *named))
    ordering: tuple[SortOrder, ...] = tuple(
        replace(order, child=below.column(width + index)) for index, order in enumerate(relation.ordering)
    )
    rows = replace(relation, input=below, ordering=ordering, fields=below.fields)
    return Project(input=rows, expressions=tuple(map(rows.column, range(width))), fields=relation.fields)
