"""Walks WHERE: conditions joined by AND are filters of their own, so that NOT IN keeps its knowledge of nulls."""

from __future__ import annotations

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Expression
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.subqueries import in_subquery


def where(frame: Frame, node: tree.Expression, walk: Walk) -> Frame:
    scope = walk.scope(frame, reveals=True)
    conditions = [condition(part, scope, walk) for part in conjuncts(node)]
    for one in conditions:
        check_condition(one, walk)
        frame = make.filter(scope.frame if frame is not scope.frame else frame, one, walk.settings)
        scope.frame = frame
    return frame


def conjuncts(node: tree.Expression) -> list[tree.Expression]:
    if isinstance(node, tree.Logical) and node.operator == "AND":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


def condition(node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
    """A bare NOT IN is a null-aware anti join: unknown drops the row."""
    inner = node.child if isinstance(node, tree.Not) else node
    if isinstance(inner, tree.InSubquery) and inner.negated != isinstance(node, tree.Not):
        return build.call("not", [in_subquery(inner, scope, walk)], walk.settings)
    return walk.read(node, scope)


def check_condition(condition: Expression, walk: Walk) -> None:
    if has_aggregate(condition):
        raise SparkError("INVALID_WHERE_CONDITION", condition=quoted(condition.text), expressionList=condition.text)
    if has_generator(condition):
        raise NotNative("SQL: a generator in WHERE")
