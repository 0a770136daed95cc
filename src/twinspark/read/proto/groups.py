"""Reads Connect's Aggregate relation: group by, rollup, cube, grouping sets and pivot."""

from __future__ import annotations

from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations.aggregates import aggregate, has_aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.data_dependent import pivot_values
from twinspark.analysis.relations.pivot import pivot
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.python_relations import PythonAggregateCall
from twinspark.plan.rewrite import walk
from twinspark.read.proto.expressions import is_position, read_columns, read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.spark_order.grouping_sets import cube_sets

GROUPBY, ROLLUP, CUBE, PIVOT, GROUPING_SETS = 1, 2, 3, 4, 5


@RELATIONS.handles("aggregate")
def read_aggregate(message: relations_pb2.Aggregate, context: Context) -> Frame:
    """Returns the grouping columns, then the aggregates: Connect's server ignores spark.sql.retainGroupColumns."""
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    if any(e.WhichOneof("expr_type") in ("unresolved_star", "unresolved_regex") for e in message.grouping_expressions):
        raise NotNative(reasons.GROUP_BY_EXPRESSION, "a star")
    grouping = read_columns(message.grouping_expressions, scope)
    outputs = read_columns(message.aggregate_expressions, scope)
    if any(has_aggregate(g.expression) for g in grouping):
        raise NotNative(reasons.GROUP_BY_EXPRESSION, "an aggregate function")
    if message.group_type == PIVOT:
        if any(map(has_star, message.aggregate_expressions)):
            raise NotNative(reasons.PIVOT, "a star")
        return read_pivot(frame, grouping, outputs, message.pivot, scope)
    columns = [*grouping, *outputs]
    messages = message.grouping_expressions
    keys = [by_position(g.expression, columns, context, m) for g, m in zip(grouping, messages, strict=True)]
    return aggregate(frame, keys, columns, grouping_sets(message, keys, scope))


def text_contexts(message: expressions_pb2.Expression) -> tuple[QueryContext, ...]:
    """The query contexts of integer literals in expression texts."""
    if message.WhichOneof("expr_type") != "expression_string":
        return ()
    text = message.expression_string.expression
    start = len(text) - len(text.lstrip())
    return (QueryContext(text.strip(), start, start + len(text.strip()) - 1, text=text),)


def by_position(
    key: Expression, columns: list[Named], context: Context, message: expressions_pb2.Expression
) -> Expression:
    """An integer literal is an ordinal of the output list."""
    if not is_position(key) or not context.flag("spark.sql.groupByOrdinal"):
        return key
    assert isinstance(key, Literal)
    if not 1 <= key.value <= len(columns):
        contexts = text_contexts(message)
        raise SparkError("GROUP_BY_POS_OUT_OF_RANGE", contexts=contexts, index=key.value, size=len(columns))
    found = columns[key.value - 1].expression
    if has_aggregate(found):
        raise NotNative(reasons.GROUP_BY_EXPRESSION, "the position of an aggregate function")
    return found


def has_star(message: expressions_pb2.Expression) -> bool:
    """Whether there is count(*), under an alias or inside other calls."""
    kind = message.WhichOneof("expr_type")
    if kind == "alias":
        return has_star(message.alias.expr)
    if kind == "unresolved_function":
        return any(map(has_star, message.unresolved_function.arguments))
    return bool(kind == "unresolved_star")


def read_pivot(
    frame: Frame, grouping: list[Named], outputs: list[Named], message: relations_pb2.Aggregate.Pivot, scope: Scope
) -> Frame:
    if any(isinstance(node, PythonAggregateCall) for each in outputs for node in walk(each.expression)):
        raise SparkError("UNSUPPORTED_FEATURE.PANDAS_UDAF_IN_PIVOT")
    column = pivot_column(message, scope)
    values = [read_literal(value, scope.settings) for value in message.values]
    found = values or pivot_values(frame, column, scope.context)
    return pivot(frame, grouping, outputs, column, found, scope.settings)


def pivot_column(message: relations_pb2.Aggregate.Pivot, scope: Scope) -> Expression:
    try:
        return read_expression(message.col, scope)
    except SparkError as error:
        raise NotNative(
            reasons.ERROR_MESSAGE, f"the pivot column fails with {error.condition}"
        ) from error  # Spark's message differs


def grouping_sets(
    message: relations_pb2.Aggregate, keys: list[Expression], scope: Scope
) -> tuple[tuple[int, ...], ...] | None:
    count = len(keys)
    if not keys and message.group_type in (ROLLUP, CUBE):
        raise NotNative(reasons.GROUPING_SETS, "rollup or cube without columns")
    if message.group_type == ROLLUP:
        return tuple(tuple(range(n)) for n in range(count, -1, -1))
    if message.group_type == CUBE:
        return tuple(map(tuple, cube_sets(range(count))))
    if message.group_type == GROUPING_SETS:
        return tuple(
            tuple(keys.index(read_expression(e, scope)) for e in one.grouping_set) for one in message.grouping_sets
        )
    return None
