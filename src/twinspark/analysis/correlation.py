"""What Spark refuses, or answers in its own way, of queries that use columns of the query around them."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.analysis.outer import outer_columns, outer_in
from twinspark.errors import NotNative
from twinspark.plan.expressions import Call, Column, Expression, Literal
from twinspark.plan.relations import Aggregate, Filter, Join, Limit, OneRow, Project, Relation, Sort, relations_in
from twinspark.plan.rewrite import walk
from twinspark.types import DoubleType, FloatType, MapType


def check_correlated(relation: Relation) -> None:
    """Of any subquery and of a lateral side: NotNative where Spark has an error, or a plan that changes the answer."""
    if not any(outer_columns(relation)):
        return
    if any(isinstance(column.type, MapType) for column in outer_columns(relation)):
        raise NotNative("a map of the query around")
    for node in relations_in(relation):
        if isinstance(node, Project) and shows_outer_float(node):
            raise NotNative("a float of the query around, which Spark joins by")
        if isinstance(node, Join) and node.kind not in ("inner", "cross") and any(outer_columns(node.right)):
            raise NotNative("a column of the query around below an outer, semi or anti join")


def shows_outer_float(relation: Project) -> bool:
    """Where there are rows below, the values around are made distinct first: -0.0 is 0.0 then."""
    below: Relation = relation.input
    while isinstance(below, Project | Filter):
        below = below.input
    shown = (node for each in relation.expressions for node in outer_in(each))
    return not isinstance(below, OneRow) and any(isinstance(node.type, FloatType | DoubleType) for node in shown)


def check_scalar(relation: Relation) -> None:
    """A correlated scalar subquery gives one row for sure only if it groups by what it is correlated by."""
    if not any(outer_columns(relation)):
        return
    if any(isinstance(node, Limit) for node in relations_in(relation)) and any(
        map(is_outer_only, conditions(relation))
    ):
        raise NotNative("a cut subquery whose condition is all about the query around")
    group = topmost_group(relation)
    if group is not None and not all(is_fixed(key, group) for key in group.grouping):
        raise NotNative("a correlated scalar subquery grouped by what it is not correlated by")


def topmost_group(relation: Relation) -> Aggregate | None:
    while isinstance(relation, Project | Filter | Sort | Limit):
        relation = relation.input
    return relation if isinstance(relation, Aggregate) and relation.grouping else None


def is_fixed(key: Expression, group: Aggregate) -> bool:
    """Equal to something that does not come from the subquery's own rows."""
    below: Relation = group.input
    while isinstance(below, Filter):
        test = below.condition
        if isinstance(test, Call) and test.name in ("==", "="):
            left, right = test.arguments
            if (left == key and is_foreign(right)) or (right == key and is_foreign(left)):
                return True
        below = below.input
    return isinstance(key, Literal)


def is_foreign(expression: Expression) -> bool:
    return not any(isinstance(node, Column) for node in walk(expression))


def is_outer_only(condition: Expression) -> bool:
    return any(outer_in(condition)) and is_foreign(condition)


def conditions(relation: Relation) -> Iterator[Expression]:
    for node in relations_in(relation):
        if isinstance(node, Filter):
            yield node.condition
