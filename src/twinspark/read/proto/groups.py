"""Connect's Aggregate relation: group by, rollup, cube, grouping sets and pivot."""

from __future__ import annotations

from typing import Any

from twinspark.analysis.aggregates import aggregate, has_aggregate
from twinspark.analysis.collected import pivot_values
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.pivot import pivot
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.analysis.set_order import cubed
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.pythons import PythonAggregateCall
from twinspark.plan.rewrite import walk
from twinspark.read.proto.expressions import is_position, read_columns, read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.relations import RELATIONS, read_frame

GROUPBY, ROLLUP, CUBE, PIVOT, GROUPING_SETS = 1, 2, 3, 4, 5


@RELATIONS.handles("aggregate")
def read_aggregate(message: Any, context: Context) -> Frame:
    """Output: the grouping columns, then the aggregates; Connect's server retains them whatever the setting says."""
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    if any(e.WhichOneof("expr_type") in ("unresolved_star", "unresolved_regex") for e in message.grouping_expressions):
        raise NotNative("a star as grouping expression")
    grouping = read_columns(message.grouping_expressions, scope)
    outputs = read_columns(message.aggregate_expressions, scope)
    if any(has_aggregate(g.expression) for g in grouping):
        raise NotNative("an aggregate as grouping expression")
    if message.group_type == PIVOT:
        if any(map(has_star, message.aggregate_expressions)):
            raise NotNative("a star in a pivot")
        return read_pivot(frame, grouping, outputs, message.pivot, scope)
    columns = [*grouping, *outputs]
    messages = message.grouping_expressions
    keys = [by_position(g.expression, columns, context, m) for g, m in zip(grouping, messages, strict=True)]
    return aggregate(frame, keys, columns, grouping_sets(message, keys, scope))


def text_places(message: Any) -> tuple[QueryContext, ...]:
    """Where a constant stands that is written as SQL."""
    if message.WhichOneof("expr_type") != "expression_string":
        return ()
    text = message.expression_string.expression
    start = len(text) - len(text.lstrip())
    return (QueryContext(text.strip(), start, start + len(text.strip()) - 1, text=text),)


def by_position(key: Expression, columns: list[Named], context: Context, message: Any) -> Expression:
    """A constant int is a place in the list of what comes out."""
    if not is_position(key) or not context.flag("spark.sql.groupByOrdinal"):
        return key
    assert isinstance(key, Literal)
    if not 1 <= key.value <= len(columns):
        places = text_places(message)
        raise SparkError("GROUP_BY_POS_OUT_OF_RANGE", contexts=places, index=key.value, size=len(columns))
    found = columns[key.value - 1].expression
    if has_aggregate(found):
        raise NotNative("grouping by the place of an aggregate")
    return found


def has_star(message: Any) -> bool:
    """count(*), under an alias or inside other calls."""
    kind = message.WhichOneof("expr_type")
    if kind == "alias":
        return has_star(message.alias.expr)
    if kind == "unresolved_function":
        return any(map(has_star, message.unresolved_function.arguments))
    return bool(kind == "unresolved_star")


def read_pivot(frame: Frame, grouping: list[Named], outputs: list[Named], message: Any, scope: Scope) -> Frame:
    if any(isinstance(node, PythonAggregateCall) for each in outputs for node in walk(each.expression)):
        raise SparkError("UNSUPPORTED_FEATURE.PANDAS_UDAF_IN_PIVOT")
    column = pivot_column(message, scope)
    values = [read_literal(value, scope.settings) for value in message.values]
    found = values or pivot_values(frame, column, scope.context)
    return pivot(frame, grouping, outputs, column, found, scope.settings)


def pivot_column(message: Any, scope: Scope) -> Expression:
    try:
        return read_expression(message.col, scope)
    except SparkError as error:
        raise NotNative(
            f"a pivot over a column that fails with {error.condition}"
        ) from error  # Spark says it otherwise


def grouping_sets(message: Any, keys: list[Expression], scope: Scope) -> tuple[tuple[int, ...], ...] | None:
    count = len(keys)
    if not keys and message.group_type in (ROLLUP, CUBE):
        raise NotNative("a rollup or cube of nothing: later plans cannot name its columns by it")
    if message.group_type == ROLLUP:
        return tuple(tuple(range(n)) for n in range(count, -1, -1))
    if message.group_type == CUBE:
        return tuple(map(tuple, cubed(range(count))))
    if message.group_type == GROUPING_SETS:
        return tuple(
            tuple(keys.index(read_expression(e, scope)) for e in one.grouping_set) for one in message.grouping_sets
        )
    return None
