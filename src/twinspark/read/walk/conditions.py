"""Walks WHERE: conditions joined by AND are filters of their own, so that NOT IN keeps its knowledge of nulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk, conjuncts
from twinspark.read.walk.operators import pushed
from twinspark.read.walk.subqueries import in_subquery


def where(frame: Frame, node: tree.Expression, walk: Walk) -> Frame:
    scope = walk.scope(frame, reveals=True)
    parts = [pushed(part) for part in conjuncts(node)]
    conditions = [condition(part, scope, walk) for part in conjuncts_of(parts)]
    check_conditions(conditions, node, scope, walk)
    for one in conditions:
        frame = make.filter(scope.frame if frame is not scope.frame else frame, one, walk.settings)
        scope.frame = frame
    return frame


def conjuncts_of(nodes: Sequence[tree.Expression]) -> list[tree.Expression]:
    return [part for node in nodes for part in conjuncts(node)]


def condition(node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
    """A bare NOT IN is a null-aware anti join: unknown drops the row."""
    inner = node.child if isinstance(node, tree.Not) else node
    if isinstance(inner, tree.InSubquery) and inner.negated != isinstance(node, tree.Not):
        try:
            return build.call("not", [in_subquery(inner, scope, walk)], walk.settings)
        except SparkError as error:
            raise walk.located(error, inner) from error
    return walk.read(node, scope)


def check_conditions(conditions: Sequence[Expression], node: tree.Expression, scope: Scope, walk: Walk) -> None:
    if any(map(has_generator, conditions)):
        raise NotNative("SQL: a generator in WHERE")
    if any(has_window(c) for c in conditions):
        raise SparkError("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", clauseName="WHERE")
    if any(map(has_aggregate, conditions)):
        if has_open_star(node):
            raise NotNative("SQL: an aggregate of a star in WHERE")
        shown = walk.read(node, replace(scope, qualifies=True))
        calls = [n.text for n in nodes_of(shown) if isinstance(n, AggregateCall)]
        whole = walk.read(node, scope)
        raise SparkError("INVALID_WHERE_CONDITION", condition=quoted(whole.text), expressionList=", ".join(calls))


def has_open_star(node: tree.Expression) -> bool:
    """One that stands for columns: that of `count(*)` does not."""
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
