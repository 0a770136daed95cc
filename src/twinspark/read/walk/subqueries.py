"""Walks queries that stand inside expressions: scalar, EXISTS and IN."""

from __future__ import annotations

from twinspark.analysis import subqueries
from twinspark.analysis.correlation import check_correlated, check_scalar
from twinspark.analysis.names import Scope
from twinspark.analysis.outer import outer_columns
from twinspark.errors import NotNative
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


def chosen_from(query: tree.Query, scope: Scope, walk: Walk) -> Relation:
    """Which rows a LIMIT without an order leaves for each row around is a matter of how Spark joins them."""
    relation = relation_of(query, scope, walk)
    if has_loose_limit(relation) and any(outer_columns(relation)):
        raise NotNative("SQL: IN of a query with LIMIT and no order that looks at the row around")
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
    relation = chosen_from(node.query, scope, walk)
    return subqueries.in_subquery(in_values(node.child, scope, walk), relation, node.negated, walk.settings)


def in_subquery(node: tree.InSubquery, scope: Scope, walk: Walk) -> Expression:
    """As a condition of its own: unknown is unknown."""
    relation = chosen_from(node.query, scope, walk)
    subqueries.check_correlation(relation)
    return subqueries.raw_in(in_values(node.child, scope, walk), relation, walk.settings)


def in_values(node: tree.Expression, scope: Scope, walk: Walk) -> list[Expression]:
    return walk.reads(node.fields, scope) if isinstance(node, tree.Row) else [walk.read(node, scope)]
