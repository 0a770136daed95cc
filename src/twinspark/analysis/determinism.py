"""Values that may be others the next time (`rand()`, `uuid()`), where Spark allows none (CheckAnalysis)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import AggregateCall, Call, Expression, PythonCall
from twinspark.plan.rewrite import walk


def is_certain(expression: Expression) -> bool:
    return all(map(is_certain_part, walk(expression)))


def is_certain_part(node: Expression) -> bool:
    if isinstance(node, PythonCall):
        return node.function.deterministic
    return not isinstance(node, Call) or node.signature.deterministic


def check_aggregate(call: AggregateCall) -> None:
    if not all(map(is_certain, call.arguments)):
        refuse("AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", sqlExpr=quoted(call.text))
    if call.filter is not None and not is_certain(call.filter):
        refuse("INVALID_AGGREGATE_FILTER.NON_DETERMINISTIC", filterExpr=quoted(call.filter.text))


def check_join(condition: Expression | None) -> None:
    if condition is not None and not is_certain(condition):
        refuse("INVALID_NON_DETERMINISTIC_EXPRESSIONS", sqlExprs=quoted(condition.text))


def check_values(cells: Iterable[Expression]) -> None:
    for cell in cells:
        if not is_certain(cell):
            refuse("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", expr=quoted(cell.text))


def refuse(condition: str, **parameters: Any) -> None:
    """Where in the query it stands is Spark's to say."""
    raise NotNative("what may be another value the next time", nearest=SparkError(condition, **parameters))
