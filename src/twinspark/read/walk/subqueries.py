"""Reads subqueries inside expressions: scalar, EXISTS and IN."""

from __future__ import annotations

from twinspark.analysis.expressions import subqueries
from twinspark.analysis.scope.correlation import check_correlated, check_scalar
from twinspark.analysis.scope.names import Scope
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Limit, Project, Relation, Sort
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk, walks
from twinspark.read.walk.queries import read_query


def relation_of(query: tree.Query, scope: Scope, walk: Walk) -> Relation:
    relation = read_query(query, walk.inside(scope)).plain()
    check_correlated(relation)
    return relation


@walks(tree.Subquery)
def walk_scalar(node: tree.Subquery, scope: Scope, walk: Walk) -> Expression:
    relation = relation_of(node.query, scope, walk)
    check_scalar(relation)
    return subqueries.scalar_subquery(relation)


@walks(tree.Exists)
def walk_exists(node: tree.Exists, scope: Scope, walk: Walk) -> Expression:
    return subqueries.exists_subquery(relation_of(node.query, scope, walk))


def in_relation(query: tree.Query, scope: Scope, walk: Walk) -> Relation:
    """Falls back for a correlated LIMIT without ORDER BY: which rows it keeps depends on how Spark plans the join."""
    relation = relation_of(query, scope, walk)
    if has_loose_limit(relation) and any(outer_columns(relation)):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "IN with a correlated subquery that has LIMIT without ORDER BY")
    return relation


def has_loose_limit(relation: Relation) -> bool:
    if isinstance(relation, Limit) and not is_sorted(relation.input):
        return True
    return any(map(has_loose_limit, relation.inputs))


def is_sorted(relation: Relation) -> bool:
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, Sort)


@walks(tree.InSubquery)
def walk_in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    relation = in_relation(node.query, scope, walk)
    return subqueries.in_subquery(in_values(node.child, scope, walk), relation, node.negated, walk.settings)


def in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    """IN as a conjunct of its own keeps an unknown result."""
    relation = in_relation(node.query, scope, walk)
    subqueries.check_correlation(relation)
    return subqueries.raw_in(in_values(node.child, scope, walk), relation, walk.settings)


def in_values(node: tree.Expression, scope: Scope, walk: Walk) -> list[Expression]:
    return walk.reads(node.fields, scope) if isinstance(node, tree.Row) else [walk.read(node, scope)]
