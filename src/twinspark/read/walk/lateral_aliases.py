"""Rejects lateral column aliases where Spark does not support them: in windows, aggregate functions and generators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.generators import has_generator
from twinspark.analysis.scope.names import LATERAL
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.types import quote_identifier

# Their texts depend on what Spark had resolved by then (frames, fields), so the plan falls back for the exact message.


def check_in_window(made: Expression) -> None:
    for name in aliases_in(nodes_of(made)):
        nearest = alias_error("IN_WINDOW", lca=name, windowExpr=quote_expression(made.text))
        raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "inside a window function", likely_error=nearest)


def check_in_groups(columns: Sequence[Named], has_condition: bool) -> None:
    nodes = [node for column in columns for node in nodes_of(column.expression)]
    for call in (node for node in nodes if isinstance(node, AggregateCall)):
        for name in aliases_in(part for part in nodes_of(call) if part is not call):
            nearest = alias_error("IN_AGGREGATE_FUNC", lca=name, aggFunc=quote_expression(call.text))
            raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "inside an aggregate function", likely_error=nearest)
    if has_condition and any(isinstance(node, WindowCall) for node in nodes):
        for name in aliases_in(nodes):
            nearest = alias_error("IN_AGGREGATE_WITH_WINDOW_AND_HAVING", lca=name)
            raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "beside a window function and HAVING", likely_error=nearest)


def check_not_named_before(columns: Sequence[Named]) -> None:
    """In |> AGGREGATE, where the aliased expression is not an aggregate function."""
    if any(True for column in columns for _ in aliases_in(nodes_of(column.expression))):
        raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "in the pipe operator AGGREGATE")


def check_in_generators(columns: Sequence[Named]) -> None:
    made = [column.expression for column in columns if has_generator(column.expression)]
    if any(True for one in made for _ in aliases_in(nodes_of(one))):
        raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "inside a generator function")


def aliases_in(nodes: Iterable[Expression]) -> Iterable[str]:
    start = f"{LATERAL}("
    return (quote_identifier(node.text[len(start) : -1]) for node in nodes if node.text.startswith(start))


def alias_error(kind: str, **parameters: Any) -> SparkError:
    return SparkError(f"UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_{kind}", **parameters)
