"""Walks PIVOT and UNPIVOT, which stand behind a relation or after a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.pivot import pivot, value_name
from twinspark.analysis.relations import Named, passing
from twinspark.analysis.scope import Frame, frame_of
from twinspark.analysis.unpivot import unpivot
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Column, Expression, Literal
from twinspark.plan.relations import OneRow
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.types import is_null


def pivoted(node: tree.Pivot, frame: Frame, walk: Walk) -> Frame:
    """Grouped by every column that neither the aggregates nor FOR name."""
    if len(node.columns) != 1:
        raise NotNative("SQL: PIVOT over several columns")
    if any(is_null(frame.column(a).type) for a in frame.attributes):
        raise NotNative("SQL: PIVOT beside a column of no type, which is forgotten where it is used")
    scope = walk.scope(frame)
    start = walk.text.upper().find("PIVOT", node.start if node.relation is None else node.relation.stop)
    column = walk.read(tree.Column(start, node.stop, node.columns), scope)
    outputs = walk.columns(node.aggregates, scope)
    if not isinstance(column, Column) or not all(has_aggregate(o.expression) for o in outputs):
        raise NotNative("SQL: PIVOT of what is no aggregate")
    used = {column.index, *(i for output in outputs for i in columns_of(output.expression))}
    grouping = [passing(frame, a) for a in frame.attributes if frame.slots[a.id] not in used]
    values = [value_of(value, column, walk) for value in node.values]
    made = pivot(frame, grouping, outputs, column, [value for value, _ in values], walk.settings)
    names = [name_of(name, o, len(outputs)) for _, name in values for o in outputs]
    return aliased(renamed(made, len(grouping), names), node.alias)


def columns_of(expression: Expression) -> list[int]:
    return [node.index for node in nodes_of(expression) if isinstance(node, Column)]


def value_of(node: tree.Expression, column: Column, walk: Walk) -> tuple[Literal, str]:
    inner = node.child if isinstance(node, tree.Alias) else node
    try:
        value = walk.read(inner, walk.scope(frame_of(OneRow())))
    except SparkError as error:
        raise NotNative("SQL: PIVOT values that are no constants") from error
    if not isinstance(value, Literal) or (value.type != column.type and value.value is not None):
        raise NotNative("SQL: PIVOT values of another type than the column's, or no constants")
    return value, node.names[0] if isinstance(node, tree.Alias) else value_name(value)


def name_of(value: str, output: Named, count: int) -> str:
    return value if count == 1 else f"{value}_{output.name}"


def renamed(frame: Frame, kept: int, names: Sequence[str]) -> Frame:
    before = [passing(frame, a) for a in frame.attributes[:kept]]
    made = [Named(frame.column(a), n) for a, n in zip(frame.attributes[kept:], names, strict=True)]
    return make.project(frame, [*before, *made])


def unpivoted(node: tree.Unpivot, frame: Frame, walk: Walk) -> Frame:
    """The other columns, a name and a value; rows whose value is null are left out unless INCLUDE NULLS."""
    if node.multiple:
        raise NotNative("SQL: UNPIVOT into several columns")
    scope = walk.scope(frame)
    values = [
        column_of(one, walk.column(tree.Column(one.start, one.stop, one.columns[0].parts), scope))
        for one in node.columns
    ]
    taken = {i for value in values for i in columns_of(value.expression)}
    ids = [passing(frame, a) for a in frame.attributes if frame.slots[a.id] not in taken]
    made = unpivot(frame, ids, values, node.name_column, node.value_columns[0], walk.settings)
    if not node.include_nulls:
        known = build.call("isnotnull", [made.column(made.attributes[-1])], walk.settings)
        made = make.filter(made, known, walk.settings)
    return aliased(made, node.alias)


def column_of(node: tree.UnpivotColumns, made: Named) -> Named:
    if not isinstance(made.expression, Column):
        raise NotNative("SQL: UNPIVOT of what is no column")
    return replace(made, name=node.alias) if node.alias is not None else made


def aliased(frame: Frame, alias: str | None) -> Frame:
    return replace(frame, source=None) if alias is None else frame.qualified((alias,))
