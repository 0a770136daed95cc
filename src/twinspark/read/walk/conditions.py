"""Reads WHERE: each conjunct is a filter of its own, so that NOT IN can be a null-aware anti join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.generators import has_generator
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope, read_at_levels
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk, conjuncts
from twinspark.read.walk.operators import push_not
from twinspark.read.walk.subqueries import in_subquery
from twinspark.types import BOOLEAN, is_null


def where(frame: Frame, node: tree.Expression, walk: Walk) -> Frame:
    scope = walk.scope(frame, reveals=True)
    parts = [push_not(part) for part in conjuncts(node)]
    conditions = read_at_levels(scope, lambda: [condition(part, scope, walk) for part in conjuncts_of(parts)])
    check_conditions(conditions, node, scope, walk)
    if len(conditions) > 1:
        conditions = [build.implicit_cast(c, BOOLEAN, walk.settings) if is_null(c.type) else c for c in conditions]
    for one in conditions:
        frame = make.filter(scope.frame if frame is not scope.frame else frame, one, walk.settings)
        scope.frame = frame
    return frame


def conjuncts_of(nodes: Sequence[tree.Expression]) -> list[tree.Expression]:
    return [part for node in nodes for part in conjuncts(node)]


def condition(node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
    """A conjunct that is a NOT IN is a null-aware anti join: an unknown result drops the row."""
    inner = node.child if isinstance(node, tree.Not) else node
    if isinstance(inner, tree.InSubquery) and inner.negated != isinstance(node, tree.Not):
        try:
            return build.call("not", [in_subquery(inner, scope, walk)], walk.settings)
        except SparkError as error:
            raise walk.with_context(error, inner) from error
    return walk.read(node, scope)


GROUPING = ("grouping", "grouping_id")


def check_conditions(conditions: Sequence[Expression], node: tree.Expression, scope: Scope, walk: Walk) -> None:
    if any(map(has_generator, conditions)):
        raise NotNative(reasons.GENERATOR_POSITION, "WHERE")
    if any(has_window(c) for c in conditions):
        raise SparkError("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", clauseName="WHERE")
    if any(isinstance(n, AggregateCall) and n.name in GROUPING for c in conditions for n in nodes_of(c)):
        raise SparkError("UNSUPPORTED_GROUPING_EXPRESSION")
    if any(map(has_aggregate, conditions)):
        if has_open_star(node):
            raise NotNative(reasons.ERROR_MESSAGE, "an aggregate function of * in WHERE")
        shown = walk.read(node, replace(scope, qualifies=True))
        calls = [n.text for n in nodes_of(shown) if isinstance(n, AggregateCall)]
        whole = walk.read(node, scope)
        raise SparkError(
            "INVALID_WHERE_CONDITION", condition=quote_expression(whole.text), expressionList=", ".join(calls)
        )


def has_open_star(node: tree.Expression) -> bool:
    """A star that expands to columns, unlike that of `count(*)`."""
    nodes = list(tree_nodes(node))
    stars = [one for one in nodes if isinstance(one, tree.Star)]
    counts = [one for one in nodes if isinstance(one, tree.Function) and is_count_of_all(one)]
    return len(stars) > len(counts)


def is_count_of_all(node: tree.Function) -> bool:
    name = node.name.parts if isinstance(node.name, tree.Name) else ()
    return [part.lower() for part in name] == ["count"] and list(map(is_plain_star, node.arguments)) == [True]


def is_plain_star(node: tree.Node) -> bool:
    return isinstance(node, tree.Star) and not node.target and not node.excluded


def has_window(expression: Expression) -> bool:
    return any(isinstance(node, WindowCall) for node in nodes_of(expression))
