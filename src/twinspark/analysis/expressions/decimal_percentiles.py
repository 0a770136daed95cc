"""percentile_approx over decimals keeps double precision until it is projected; expressions that would observe that
precision fall back to Spark."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal
from twinspark.plan.relations import Aggregate, Project, Relation
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DecimalType

PERCENTILES = frozenset({"percentile_approx", "approx_percentile"})


def check_decimal_percentiles(plan: Relation) -> None:
    """Falls back if an expression is computed from such a percentile in the aggregate itself or in a projection that
    Spark merges with it."""
    if isinstance(plan, Aggregate) and any(map(is_within, plan.aggregates)):
        raise NotNative(reasons.FLOAT_PRECISION, "an expression over percentile_approx of decimals")
    if isinstance(plan, Project) and not all(map(is_plain, plan.expressions)) and gives_percentiles(plan.input):
        raise NotNative(
            reasons.FLOAT_PRECISION, "an expression over a column that percentile_approx of decimals computed"
        )
    for each in plan.inputs:
        check_decimal_percentiles(each)


def gives_percentiles(plan: Relation) -> bool:
    """Looks through projections and filters, which Spark merges with their input."""
    while not isinstance(plan, Aggregate):
        if len(plan.inputs) != 1:
            return False
        plan = plan.inputs[0]
    return any(map(is_percentile, plan.aggregates))


def is_percentile(expression: Expression) -> bool:
    kind = expression.type.elementType if isinstance(expression.type, ArrayType) else expression.type
    name = expression.name if isinstance(expression, AggregateCall) else ""
    return name in PERCENTILES and isinstance(kind, DecimalType)


def is_within(expression: Expression) -> bool:
    return not is_percentile(expression) and any(map(is_percentile, walk(expression)))


def is_plain(expression: Expression) -> bool:
    return isinstance(expression, Column | Literal)
