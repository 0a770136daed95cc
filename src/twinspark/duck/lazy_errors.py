"""Says when an error of a running plan may not be Spark's: Spark looks at fewer values, or in another order."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.errors import NotNative
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    Column,
    Expression,
    OuterColumn,
    Subquery,
    Variable,
    children_of,
)
from twinspark.plan.relations import Aggregate, Filter, Join, Limit, Relation, own_expressions
from twinspark.plan.rewrite import walk
from twinspark.types import is_string

# What cannot fail itself, whatever its arguments do.
QUIET = {"=", "==", "<=>", "<", "<=", ">", ">=", "!=", "and", "or", "not", "isnull", "isnotnull", "in", "coalesce"}


# The divisor is looked at first (DivModLike.eval).
RIGHT_FIRST = {"/", "%", "mod", "div", "pmod", "try_divide", "try_mod"}


def may_fail(node: Expression) -> bool:
    """As far as its kind tells."""
    if isinstance(node, Cast):
        return node.mode == "ansi" and not is_string(node.type)
    return isinstance(node, Call) and node.name not in QUIET


def doubtful(plan: Relation) -> str:
    """Why Spark may have no such error, or another one; nothing where it surely has this one."""
    found = (reason for relation in relations(plan) for reason in reasons(relation))
    return next(found, "")


def relations(plan: Relation) -> Iterator[Relation]:
    yield plan
    for below in plan.inputs:
        yield from relations(below)


def reasons(relation: Relation) -> Iterator[str]:
    if isinstance(relation, Limit):
        yield "rows that a limit may leave out"
    if isinstance(relation, Join):  # conditions, those above it too, move to its sides or stay behind it
        yield "which rows meet in a join"
    if isinstance(relation, Filter) and isinstance(relation.input, Filter) and any(map(is_busy, conditions(relation))):
        yield "which of several conditions comes first"
    if any(map(beside_null, own_expressions(relation))):
        yield "beside a null Spark looks no further"


def conditions(relation: Relation) -> Iterator[Expression]:
    """Those joined by AND are filters over each other."""
    while isinstance(relation, Filter):
        yield relation.condition
        relation = relation.input


def beside_null(expression: Expression) -> bool:
    """A call stops at its first null argument (BinaryExpression.eval), before what stands behind it can fail."""
    if isinstance(expression, Subquery) and doubtful(expression.relation):
        return True
    arguments = expression.arguments if isinstance(expression, Call) else ()
    if isinstance(expression, Call) and expression.name in RIGHT_FIRST:
        arguments = arguments[::-1]
    for place in range(1, len(arguments)):
        if any(one.nullable for one in arguments[:place]) and is_busy(arguments[place]):
            return True
    return any(map(beside_null, children_of(expression)))


def is_busy(expression: Expression) -> bool:
    """Whether it may fail. What is constant fails before any row is looked at, beside a null or not."""
    nodes = list(walk(expression))
    return any(isinstance(node, Column | OuterColumn | Variable | Subquery) for node in nodes) and any(
        map(may_fail, nodes)
    )


# ---- where Spark looks at more

FAILING = {"+", "-", "*", "/", "%", "div", "mod", "pmod", "abs", "negative", "element_at", "getarrayitem"}


def check_filtered_arguments(plan: Relation) -> None:
    """Beside distinct ones Spark may compute an aggregate's arguments before its FILTER (RewriteDistinctAggregates)."""
    for relation in relations(plan):
        if isinstance(relation, Aggregate):
            calls = [node for each in relation.aggregates for node in walk(each) if isinstance(node, AggregateCall)]
            if any(call.distinct for call in calls) and any(map(fails_unfiltered, calls)):
                raise NotNative("an argument that may fail in rows that its FILTER leaves out, beside distinct values")


def fails_unfiltered(call: AggregateCall) -> bool:
    nodes = [node for argument in call.arguments for node in walk(argument)]
    return call.filter is not None and call.settings.ansi and any(map(is_failing, nodes))


def is_failing(node: Expression) -> bool:
    if isinstance(node, Cast):
        return may_fail(node)
    return isinstance(node, Call) and node.name in FAILING
