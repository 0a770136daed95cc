"""Finds the expression that raised a run-time error, for the error's query context, if only one can have raised it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.duck.lazy_errors import doubt_about, may_be_zero, rival
from twinspark.errors import JavaError, NotNative, QueryContext, SparkError, reasons
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Call, Cast, Expression, Literal, Subquery, children_of
from twinspark.plan.relations import Recursion, Relation, Values, own_expressions
from twinspark.plan.rewrite import walk
from twinspark.types import INTERVAL, STRING, DecimalType, is_string

Test = Callable[[Expression, SparkError], bool]


def is_call(*names: str) -> Test:
    return lambda node, error: isinstance(node, Call) and node.name in names


def divides(*names: str) -> Test:
    return lambda node, error: isinstance(node, Call) and node.name in names and may_be_zero(node.arguments[-1])


def is_cast(node: Expression, error: SparkError) -> bool:
    if not isinstance(node, Cast) or node.mode == "try":
        return False
    types = (error.parameters.get("sourceType"), error.parameters.get("targetType"))
    constant = constant_text(node.child)
    if constant is not None and f"'{constant}'" != error.parameters.get("expression"):
        return False
    source = STRING if is_string(node.child.type) else node.child.type  # of any collation
    return types == (type_text(source), type_text(node.type))


def constant_text(expression: Expression) -> str | None:
    """The value of a string literal, or of an integer literal cast to a string."""
    if isinstance(expression, Cast) and is_string(expression.type) and isinstance(expression.child, Literal):
        value = expression.child.value
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, str) else None


def makes_decimal(node: Expression, error: SparkError) -> bool:
    return isinstance(node, Cast | Call) and isinstance(node.type, DecimalType)


def is_scalar(node: Expression, error: SparkError) -> bool:
    """A correlated subquery becomes a join in Spark, whose errors have no query context."""
    return isinstance(node, Subquery) and node.kind == "scalar" and not any(outer_columns(node.relation))


def counts_from_one(node: Expression, error: SparkError) -> bool:
    """element_at has a query context only in ANSI mode."""
    if not isinstance(node, Call):
        return False
    return node.name == "array_insert" or (node.name == "element_at" and node.settings.ansi)


def divides_interval(node: Expression, error: SparkError) -> bool:
    """Errors of interval sums have no query context."""
    is_quotient = isinstance(node, Call) and node.name == "/" and isinstance(node.type, INTERVAL)
    return is_quotient and error.parameters["functionName"] == "`try_divide`"


OVERFLOWING = is_call("+", "-", "*", "/", "div", "%", "sum", "conv", "make_dt_interval")
ROUNDING = is_call("round", "bround")


def overflows(node: Expression, error: SparkError) -> bool:
    """BigDecimal's message begins with a capital letter."""
    return (ROUNDING if error.parameters.get("message") == "Overflow" else OVERFLOWING)(node, error)


TESTS: dict[str, Test] = {
    "DIVIDE_BY_ZERO": divides("/", "div"),
    "REMAINDER_BY_ZERO": divides("%", "mod", "pmod"),
    "CAST_INVALID_INPUT": is_cast,
    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION": makes_decimal,
    "ARITHMETIC_OVERFLOW": overflows,
    "INTERVAL_DIVIDED_BY_ZERO": is_call("/"),
    "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION": divides_interval,
    "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION": is_call("make_dt_interval", "make_ym_interval"),
    "INVALID_ARRAY_INDEX": is_call("getarrayitem", "elt"),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": is_call("element_at"),
    "INVALID_INDEX_OF_ZERO": counts_from_one,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": is_scalar,
}


DECIMAL_SUM = "Overflow in sum of decimals"
NOWHERE = QueryContext()  # for functions of the DataFrame API


# Conditions that Spark may report differently: it evaluates VALUES while planning, and counts recursion level by level.
UNSURE = (
    "RECURSION_LEVEL_LIMIT_EXCEEDED",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "DIVIDE_BY_ZERO",
    "CANNOT_PARSE_TIMESTAMP",
)
MOST_ROWS = 1_000_000


def unsure(plan: Relation, condition: str) -> str:
    if isinstance(plan, Recursion) and plan.rows != MOST_ROWS:
        return "which of two limits a recursion reaches first"
    kinds = Call if condition == "DIVIDE_BY_ZERO" else Cast | Call
    if isinstance(plan, Values) and any(isinstance(n, kinds) for row in plan.rows for each in row for n in walk(each)):
        return "it may be an error in a row of VALUES"
    return next((found for below in plan.inputs if (found := unsure(below, condition))), "")


def locate_error(error: Exception, plan: Relation) -> Exception:
    """The error with its query context, or NotNative if Spark may raise another error."""
    found = with_context(error, plan)
    if not isinstance(found, SparkError | JavaError):
        return found
    condition = found.condition if isinstance(found, SparkError) else "JAVA"
    why = doubt_about(plan) or rival(plan, condition)
    return NotNative(reasons.ERROR_TIMING, f"{condition}: {why}", likely_error=found) if why else found


def with_context(error: Exception, plan: Relation) -> Exception:
    """The error with the only possible query context; unchanged if no expression was written as SQL, and NotNative if
    several may have raised it."""
    if isinstance(error, SparkError) and error.condition in UNSURE and (why := unsure(plan, error.condition)):
        return NotNative(reasons.ERROR_TIMING, why, likely_error=error)
    if isinstance(error, SparkError) and error.parameters.get("message") == DECIMAL_SUM:
        return NotNative(reasons.AGGREGATE_OVERFLOW, "a sum of decimals", likely_error=error)
    test = TESTS.get(error.condition) if isinstance(error, SparkError) and not error.contexts else None
    if test is None or not isinstance(error, SparkError):
        return error
    found = {origin for node, origin in nodes(plan) if test(node, error)}
    if len(found) > 1:
        return NotNative(reasons.ERROR_POSITION, error.condition, likely_error=error)
    if found and error.condition != "SCALAR_SUBQUERY_TOO_MANY_ROWS":
        error.contexts = (found.pop() or NOWHERE,)
    elif found and (origin := found.pop()) is not None:
        error.contexts = (origin,)
    elif not found and error.condition == "SCALAR_SUBQUERY_TOO_MANY_ROWS":
        # A correlated subquery is a join in Spark, which raises another class.
        error.exception = "SparkRuntimeException"
    return error


def nodes(plan: Relation) -> Iterator[tuple[Expression, QueryContext | None]]:
    """Every expression of the plan with its query context; an implicit cast has that of the expression around it."""
    for expression in own_expressions(plan):
        yield from with_origins(expression, None)
    for below in plan.inputs:
        yield from nodes(below)


def with_origins(
    expression: Expression, around: QueryContext | None
) -> Iterator[tuple[Expression, QueryContext | None]]:
    origin = expression.origin or around
    is_sum = isinstance(expression, Call) and expression.name == "sum"
    yield expression, NOWHERE if is_sum else origin  # it fails where Spark merges partial sums, without a query context
    if isinstance(expression, Subquery):
        yield from nodes(expression.relation)
    for child in children_of(expression):
        yield from with_origins(child, origin)
