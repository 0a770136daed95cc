"""Pivot: one column per value and aggregate, each an aggregate filtered by the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.aggregates import aggregate
from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.plan.expressions import AggregateCall, Expression, Literal
from twinspark.plan.rewrite import map_children
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.types import is_numeric, is_string

NULL_ON_NO_ROWS = frozenset({"sum", "avg", "min", "max", "first", "last", "mean"})


def pivot(frame: Frame, grouping: Sequence[Named], outputs: Sequence[Named], message: Any, scope: Scope) -> Frame:
    column = read_expression(message.col, scope)
    if not message.values:
        raise NotNative("a pivot whose values must be looked up")
    values = [build.implicit_cast(read_literal(v, scope.settings), column.type, scope.settings) for v in message.values]
    made = [pivoted(output, column, value, len(outputs) == 1, scope) for value in values for output in outputs]
    return aggregate(frame, [g.expression for g in grouping], [*grouping, *made])


def pivoted(output: Named, column: Expression, value: Expression, alone: bool, scope: Scope) -> Named:
    if not isinstance(value, Literal) or not (is_string(value.type) or is_numeric(value.type)):
        raise NotNative("a pivot over values that are no strings or numbers")
    test = build.call("<=>", [column, value], scope.settings)
    shown = "null" if value.value is None else value.text
    name = shown if alone else f"{shown}_{output.name}"
    return Named(filtered(output.expression, test), name)


def filtered(expression: Expression, test: Expression) -> Expression:
    """Spark pivots in two steps, so a missing combination is null, even for counts."""

    def rule(node: Expression) -> Expression:
        if isinstance(node, AggregateCall):
            if node.filter is not None or node.name not in NULL_ON_NO_ROWS:
                raise NotNative(f"a pivot of {node.name}")
            return replace(node, filter=test, nullable=True)
        return map_children(node, rule)

    return rule(expression)
