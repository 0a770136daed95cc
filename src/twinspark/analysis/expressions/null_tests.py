"""Finds IN subqueries whose left side is a NULL constant of a projection below: Spark folds the test (CollapseProject,
NullPropagation), so that it is NULL, while the test of a null in a column is false."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.typing import is_null_constant
from twinspark.plan.expressions import Cast, Column, Expression, Subquery
from twinspark.plan.relations import Filter, Project, Relation, Sort, own_expressions, relations_in
from twinspark.plan.rewrite import walk


def check_null_tests(plan: Relation) -> None:
    for relation in relations_in(plan):
        if isinstance(relation, Project | Filter) and any(
            is_null_below(value, relation.input) for test in tests_in(relation) for value in test.values
        ):
            raise NotNative(reasons.SUBQUERY_POSITION, "IN of a column that is always NULL")


def tests_in(relation: Relation) -> list[Subquery]:
    nodes = (node for expression in own_expressions(relation) for node in walk(expression))
    return [node for node in nodes if isinstance(node, Subquery) and node.kind == "in"]


def is_null_below(value: Expression, relation: Relation) -> bool:
    plain = value.child if isinstance(value, Cast) else value
    if not isinstance(plain, Column):
        return False  # in_subquery knows a NULL that is written there
    while isinstance(plain, Column):
        if isinstance(relation, Project):
            plain = relation.expressions[plain.index]
        elif not isinstance(relation, Filter | Sort):
            return False
        relation = relation.input
    return is_null_constant(plain)
