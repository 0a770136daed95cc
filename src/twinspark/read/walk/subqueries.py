"""Walks queries that stand inside expressions: scalar, EXISTS and IN."""

from __future__ import annotations

from twinspark.analysis import subqueries
from twinspark.analysis.correlation import check_correlated, check_scalar
from twinspark.analysis.names import Scope
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Relation
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


@walks(tree.InSubquery)
def walk_in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    relation = relation_of(node.query, scope, walk)
    return subqueries.in_subquery(in_values(node.child, scope, walk), relation, node.negated, walk.settings)


def in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    """As a condition of its own: unknown is unknown."""
    relation = relation_of(node.query, scope, walk)
    subqueries.check_correlation(relation)
    return subqueries.raw_in(in_values(node.child, scope, walk), relation, walk.settings)


def in_values(node: tree.Expression, scope: Scope, walk: Walk) -> list[Expression]:
    return walk.reads(node.fields, scope) if isinstance(node, tree.Row) else [walk.read(node, scope)]
