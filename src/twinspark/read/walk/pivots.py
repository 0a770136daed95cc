"""Reads PIVOT and UNPIVOT, after a relation or as pipe operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.relations.pivot import pivot_by, values_name
from twinspark.analysis.relations.unpivot import Cells, unpivot_cells
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Column, Expression, Literal
from twinspark.plan.relations import OneRow
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.types import is_null


def pivot_frame(node: tree.Pivot, frame: Frame, walk: Walk) -> Frame:
    """Groups by all columns that are neither in the aggregates nor in FOR."""
    if any(is_null(frame.column(a).type) for a in frame.attributes):
        raise NotNative(reasons.PIVOT, "beside a column of untyped nulls")
    scope = walk.scope(frame)
    start = walk.text.upper().find("PIVOT", node.start if node.relation is None else node.relation.stop)
    columns = [walk.read(tree.Column(start, node.stop, (name,)), scope) for name in node.columns]
    outputs = walk.columns(node.aggregates, scope)
    plain = [column for column in columns if isinstance(column, Column)]
    if len(plain) != len(columns) or not all(has_aggregate(o.expression) for o in outputs):
        raise NotNative(reasons.ERROR_MESSAGE, "PIVOT without an aggregate function")
    used = {c.index for c in plain} | {i for output in outputs for i in columns_of(output.expression)}
    grouping = [passed_column(frame, a) for a in frame.attributes if frame.slots[a.id] not in used]
    values = [values_of(value, plain, walk) for value in node.values]
    made = pivot_by(frame, grouping, outputs, plain, [value for value, _ in values], walk.settings)
    names = [name_of(name, o, len(outputs)) for _, name in values for o in outputs]
    return with_alias(rename_pivot_columns(made, len(grouping), names), node.alias)


def columns_of(expression: Expression) -> list[int]:
    return [node.index for node in nodes_of(expression) if isinstance(node, Column)]


def values_of(node: tree.Expression, columns: Sequence[Column], walk: Walk) -> tuple[tuple[Literal, ...], str]:
    """A constant for each column, and the name of their combination."""
    inner = node.child if isinstance(node, tree.Alias) else node
    nodes = inner.fields if isinstance(inner, tree.Row | tree.Struct) and len(columns) > 1 else (inner,)
    if len(nodes) != len(columns):
        raise NotNative(reasons.ERROR_MESSAGE, "PIVOT with another number of values than columns")
    values = tuple(value_of(one, column, walk) for one, column in zip(nodes, columns, strict=True))
    if len(columns) > 1 and any(value.type != column.type for value, column in zip(values, columns, strict=True)):
        raise NotNative(reasons.PIVOT, "values that are not constants, or of another type than the column")
    return values, node.names[0] if isinstance(node, tree.Alias) else values_name(values)


def value_of(node: tree.Expression, column: Column, walk: Walk) -> Literal:
    try:
        value = walk.read(node, walk.scope(frame_of(OneRow())))
    except SparkError as error:
        raise NotNative(reasons.PIVOT, "values that are not constants") from error
    if not isinstance(value, Literal) or (value.type != column.type and value.value is not None):
        raise NotNative(reasons.PIVOT, "values that are not constants, or of another type than the column")
    return value


def name_of(value: str, output: Named, count: int) -> str:
    return value if count == 1 else f"{value}_{output.name}"


def rename_pivot_columns(frame: Frame, kept: int, names: Sequence[str]) -> Frame:
    before = [passed_column(frame, a) for a in frame.attributes[:kept]]
    made = [Named(frame.column(a), n) for a, n in zip(frame.attributes[kept:], names, strict=True)]
    return make.project(frame, [*before, *made])


def unpivot_frame(node: tree.Unpivot, frame: Frame, walk: Walk) -> Frame:
    """The other columns, a name and values; rows whose values are all null are dropped unless INCLUDE NULLS."""
    rows = [cells_of(one, walk.scope(frame), walk) for one in node.columns]
    if any(len(row.values) != len(node.value_columns) for row in rows):
        raise NotNative(reasons.ERROR_MESSAGE, "UNPIVOT with another number of columns than names")
    taken = {i for row in rows for value in row.values for i in columns_of(value.expression)}
    ids = [passed_column(frame, a) for a in frame.attributes if frame.slots[a.id] not in taken]
    made = unpivot_cells(frame, ids, rows, node.name_column, node.value_columns, walk.settings)
    made = made if node.include_nulls else with_a_value(made, len(node.value_columns), walk)
    return made if node.alias is None else with_alias(made, node.alias)


def with_a_value(frame: Frame, count: int, walk: Walk) -> Frame:
    values = [frame.column(a) for a in frame.attributes[-count:]]
    if any(value.type != values[0].type for value in values):  # Spark tests their coalesce, which casts them
        raise NotNative(reasons.PIVOT, "UNPIVOT of columns of several types without INCLUDE NULLS")
    found = values[0] if count == 1 else build.call("coalesce", values, walk.settings)
    return make.filter(frame, build.call("isnotnull", [found], walk.settings), walk.settings)


def cells_of(node: tree.UnpivotColumns, scope: Scope, walk: Walk) -> Cells:
    """Columns without an alias are named by their names, joined with `_`."""
    made = tuple(walk.column(tree.Column(node.start, node.stop, name.parts), scope) for name in node.columns)
    if not all(isinstance(one.expression, Column) for one in made):
        raise NotNative(reasons.PIVOT, "UNPIVOT of an expression that is not a column")
    return Cells(node.alias if node.alias is not None else "_".join(one.name for one in made), made)


def with_alias(frame: Frame, alias: str | None) -> Frame:
    return replace(frame, source=None) if alias is None else frame.with_qualifier((alias,))
