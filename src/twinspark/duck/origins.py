"""Finds the part of the SQL text that an error of a running plan came from, where only one part can have raised it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twinspark.analysis.outer import outer_columns
from twinspark.duck.lazy_errors import doubtful, may_be_zero, rival
from twinspark.errors import JavaError, NotNative, QueryContext, SparkError
from twinspark.functions.typing import type_text
from twinspark.plan.expressions import Call, Cast, Expression, Literal, Subquery, children_of
from twinspark.plan.relations import Recursion, Relation, Values, own_expressions
from twinspark.plan.rewrite import walk
from twinspark.types import INTERVAL, STRING, DecimalType, is_string

Test = Callable[[Expression, SparkError], bool]


def called(*names: str) -> Test:
    return lambda node, error: isinstance(node, Call) and node.name in names


def divides(*names: str) -> Test:
    return lambda node, error: isinstance(node, Call) and node.name in names and may_be_zero(node.arguments[-1])


def is_cast(node: Expression, error: SparkError) -> bool:
    if not isinstance(node, Cast) or node.mode == "try":
        return False
    told = (error.parameters.get("sourceType"), error.parameters.get("targetType"))
    constant = constant_text(node.child)
    if constant is not None and f"'{constant}'" != error.parameters.get("expression"):
        return False
    source = STRING if is_string(node.child.type) else node.child.type  # whatever its collation
    return told == (type_text(source), type_text(node.type))


def constant_text(expression: Expression) -> str | None:
    """A constant string: written as one, or a whole number cast to one."""
    if isinstance(expression, Cast) and is_string(expression.type) and isinstance(expression.child, Literal):
        value = expression.child.value
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, str) else None


def makes_decimal(node: Expression, error: SparkError) -> bool:
    return isinstance(node, Cast | Call) and isinstance(node.type, DecimalType)


def is_scalar(node: Expression, error: SparkError) -> bool:
    """One that uses columns around it becomes a join, which does not know the text."""
    return isinstance(node, Subquery) and node.kind == "scalar" and not any(outer_columns(node.relation))


def counts_from_one(node: Expression, error: SparkError) -> bool:
    """element_at tells where it stands only where it may fail for other reasons too."""
    if not isinstance(node, Call):
        return False
    return node.name == "array_insert" or (node.name == "element_at" and node.settings.ansi)


def divides_interval(node: Expression, error: SparkError) -> bool:
    """Sums of intervals do not say where they stand."""
    is_quotient = isinstance(node, Call) and node.name == "/" and isinstance(node.type, INTERVAL)
    return is_quotient and error.parameters["functionName"] == "`try_divide`"


OVERFLOWING = called("+", "-", "*", "/", "div", "%", "sum", "conv", "make_dt_interval")
ROUNDING = called("round", "bround")


def overflows(node: Expression, error: SparkError) -> bool:
    """BigDecimal says it with a large letter."""
    return (ROUNDING if error.parameters.get("message") == "Overflow" else OVERFLOWING)(node, error)


TESTS: dict[str, Test] = {
    "DIVIDE_BY_ZERO": divides("/", "div"),
    "REMAINDER_BY_ZERO": divides("%", "mod", "pmod"),
    "CAST_INVALID_INPUT": is_cast,
    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION": makes_decimal,
    "ARITHMETIC_OVERFLOW": overflows,
    "INTERVAL_DIVIDED_BY_ZERO": called("/"),
    "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION": divides_interval,
    "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION": called("make_dt_interval", "make_ym_interval"),
    "INVALID_ARRAY_INDEX": called("getarrayitem", "elt"),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": called("element_at"),
    "INVALID_INDEX_OF_ZERO": counts_from_one,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": is_scalar,
}


DECIMAL_SUM = "Overflow in sum of decimals"
NOWHERE = QueryContext()  # a function of the DataFrame API does not say where it was called


# What may be told otherwise: Spark computes the rows of VALUES while it reads the plan, and counts rows level by level.
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
        return "which of two limits a recursion meets first"
    kinds = Call if condition == "DIVIDE_BY_ZERO" else Cast | Call
    if isinstance(plan, Values) and any(isinstance(n, kinds) for row in plan.rows for each in row for n in walk(each)):
        return "an error that may be one of the rows of VALUES"
    return next((found for below in plan.inputs if (found := unsure(below, condition))), "")


def located(error: Exception, plan: Relation) -> Exception:
    """The error with its context, or NotNative where it may not be Spark's error."""
    found = with_context(error, plan)
    if not isinstance(found, SparkError | JavaError):
        return found
    condition = found.condition if isinstance(found, SparkError) else "JAVA"
    why = doubtful(plan) or rival(plan, condition)
    return NotNative(f"{condition}: {why}", nearest=found) if why else found


def with_context(error: Exception, plan: Relation) -> Exception:
    """As it was where none was written as SQL. Only Spark knows which of several parts."""
    if isinstance(error, SparkError) and error.condition in UNSURE and (why := unsure(plan, error.condition)):
        return NotNative(why, nearest=error)
    if isinstance(error, SparkError) and error.parameters.get("message") == DECIMAL_SUM:
        return NotNative("decimals whose sum overflows: Spark says so where its tasks meet", nearest=error)
    test = TESTS.get(error.condition) if isinstance(error, SparkError) and not error.contexts else None
    if test is None or not isinstance(error, SparkError):
        return error
    found = {origin for node, origin in nodes(plan) if test(node, error)}
    if len(found) > 1:
        return NotNative(f"{error.condition}: which part of the text raised it", nearest=error)
    if found and error.condition != "SCALAR_SUBQUERY_TOO_MANY_ROWS":
        error.contexts = (found.pop() or NOWHERE,)
    elif found and (origin := found.pop()) is not None:
        error.contexts = (origin,)
    elif not found and error.condition == "SCALAR_SUBQUERY_TOO_MANY_ROWS":
        error.exception = "SparkRuntimeException"  # one that uses columns around it is a join, which counts by itself
    return error


def nodes(plan: Relation) -> Iterator[tuple[Expression, QueryContext | None]]:
    """Every expression of the plan; one that nobody wrote, such as a cast, stands where the one around it does."""
    for expression in own_expressions(plan):
        yield from with_origins(expression, None)
    for below in plan.inputs:
        yield from nodes(below)


def with_origins(
    expression: Expression, around: QueryContext | None
) -> Iterator[tuple[Expression, QueryContext | None]]:
    origin = expression.origin or around
    is_sum = isinstance(expression, Call) and expression.name == "sum"
    yield expression, NOWHERE if is_sum else origin  # it fails where Spark merges sums, far from the text
    if isinstance(expression, Subquery):
        yield from nodes(expression.relation)
    for child in children_of(expression):
        yield from with_origins(child, origin)
