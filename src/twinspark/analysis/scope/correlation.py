"""Falls back for correlated subqueries that Spark rejects or plans in a way that changes the result."""

from __future__ import annotations

from collections.abc import Iterator

from twinspark.analysis.scope.outer_references import outer_columns, outer_in
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Call, Column, Expression, Literal
from twinspark.plan.relations import Aggregate, Filter, Join, Limit, OneRow, Project, Relation, Sort, relations_in
from twinspark.plan.rewrite import walk
from twinspark.types import DoubleType, FloatType, MapType


def check_correlated(relation: Relation) -> None:
    """Checks any subquery and lateral join: raises NotNative where Spark has an error or a plan that changes the
    result."""
    if not any(outer_columns(relation)):
        return
    if any(isinstance(column.type, MapType) for column in outer_columns(relation)):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "an outer column that is a map")
    for node in relations_in(relation):
        if isinstance(node, Project) and shows_outer_float(node):
            raise NotNative(
                reasons.SUBQUERY_CORRELATED, "an outer column that is a float or double, which Spark joins by"
            )
        if isinstance(node, Join) and node.kind not in ("inner", "cross") and any(outer_columns(node.right)):
            raise NotNative(reasons.SUBQUERY_CORRELATED, "an outer column below an outer, semi or anti join")
        if isinstance(node, Join) and node.kind in ("right", "full") and any(outer_columns(node.left)):
            raise NotNative(reasons.SUBQUERY_CORRELATED, "an outer column below a right or full join")


def shows_outer_float(relation: Project) -> bool:
    """Whether a float of the outer query is in the result: Spark first makes outer values distinct, which turns -0.0
    into 0.0."""
    below: Relation = relation.input
    while isinstance(below, Project | Filter):
        below = below.input
    shown = (node for each in relation.expressions for node in outer_in(each))
    return not isinstance(below, OneRow) and any(isinstance(node.type, FloatType | DoubleType) for node in shown)


def check_scalar(relation: Relation) -> None:
    """A correlated scalar subquery must return one row, which Spark guarantees only if it groups by the correlated
    columns."""
    if not any(outer_columns(relation)):
        return
    if any(isinstance(node, Limit) for node in relations_in(relation)) and any(
        map(is_outer_only, conditions(relation))
    ):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "a subquery with LIMIT whose condition uses only outer columns")
    group = topmost_group(relation)
    if group is not None and not all(is_fixed(key, group) for key in group.grouping):
        raise NotNative(
            reasons.SUBQUERY_CORRELATED, "a scalar subquery grouped by other columns than those it is correlated by"
        )


def topmost_group(relation: Relation) -> Aggregate | None:
    while isinstance(relation, Project | Filter | Sort | Limit):
        relation = relation.input
    return relation if isinstance(relation, Aggregate) and relation.grouping else None


def is_fixed(key: Expression, group: Aggregate) -> bool:
    """Whether the key is equal to something that does not depend on the subquery's own rows."""
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
