"""Approximate percentiles of decimals have a double's digits until they are in a row: what sees those is Spark's."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal
from twinspark.plan.relations import Aggregate, Project, Relation
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DecimalType


def check_decimal_percentiles(plan: Relation) -> None:
    """What is computed of one beside it, or in a projection that becomes one with the aggregation, sees them."""
    if isinstance(plan, Aggregate) and any(map(is_within, plan.aggregates)):
        raise NotNative("an expression of an approximate percentile of decimals")
    if isinstance(plan, Project) and not all(map(is_plain, plan.expressions)) and gives_percentiles(plan.input):
        raise NotNative("an expression above an approximate percentile of decimals")
    for each in plan.inputs:
        check_decimal_percentiles(each)


def gives_percentiles(plan: Relation) -> bool:
    """Through projections and filters, which become one with what they stand on."""
    while not isinstance(plan, Aggregate):
        if len(plan.inputs) != 1:
            return False
        plan = plan.inputs[0]
    return any(map(is_percentile, plan.aggregates))


def is_percentile(expression: Expression) -> bool:
    kind = expression.type.elementType if isinstance(expression.type, ArrayType) else expression.type
    name = expression.name if isinstance(expression, AggregateCall) else ""
    return name in ("percentile_approx", "approx_percentile") and isinstance(kind, DecimalType)


def is_within(expression: Expression) -> bool:
    return not is_percentile(expression) and any(map(is_percentile, walk(expression)))


def is_plain(expression: Expression) -> bool:
    return isinstance(expression, Column | Literal)
