"""Raises Spark's errors for nondeterministic expressions (`rand()`, `uuid()`) where they are not allowed
(CheckAnalysis)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import AggregateCall, Call, Expression, PythonCall
from twinspark.plan.rewrite import walk


def is_deterministic(expression: Expression) -> bool:
    return all(map(is_deterministic_node, walk(expression)))


def is_deterministic_node(node: Expression) -> bool:
    if isinstance(node, PythonCall):
        return node.function.deterministic
    return not isinstance(node, Call) or node.signature.deterministic


def check_aggregate(call: AggregateCall) -> None:
    if not all(map(is_deterministic, call.arguments)):
        raise_nondeterministic(
            "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", sqlExpr=quote_expression(call.text)
        )
    if call.filter is not None and not is_deterministic(call.filter):
        raise_nondeterministic(
            "INVALID_AGGREGATE_FILTER.NON_DETERMINISTIC", filterExpr=quote_expression(call.filter.text)
        )


def check_join(condition: Expression | None) -> None:
    if condition is not None and not is_deterministic(condition):
        raise_nondeterministic("INVALID_NON_DETERMINISTIC_EXPRESSIONS", sqlExprs=quote_expression(condition.text))


def check_values(cells: Iterable[Expression]) -> None:
    for cell in cells:
        if not is_deterministic(cell):
            raise_nondeterministic(
                "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", expr=quote_expression(cell.text)
            )


def raise_nondeterministic(condition: str, **parameters: Any) -> None:
    """Falls back, since the query context of this error is known only to Spark."""
    raise NotNative(
        reasons.ERROR_MESSAGE,
        "a nondeterministic expression stands where Spark allows none",
        likely_error=SparkError(condition, **parameters),
    )
