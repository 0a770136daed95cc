"""Outer references: finds and rewrites the columns of the outer query that a subquery or a lateral join uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from twinspark.plan.expressions import Expression, OuterColumn, SortOrder, Subquery
from twinspark.plan.relations import Filter, Join, Relation, own_expressions
from twinspark.plan.rewrite import map_children, walk

Rule = Callable[[OuterColumn], Expression]


def outer_columns(relation: Relation, depth: int = 1) -> Iterator[OuterColumn]:
    """Every use of a column of the directly enclosing query, from the top of the plan down (SubExprUtils)."""
    if reach(relation) < depth:
        return
    nodes = conditions(relation)
    for node in reversed(nodes):
        for expression in own_expressions(node):
            yield from outer_in(expression, depth)
    for below in nodes[-1].inputs:
        yield from outer_columns(below, depth + is_lateral(nodes[-1], below))


FACTS = "_reach_and_size"


def reach(relation: Relation) -> int:
    """The number of query levels that its farthest outer reference crosses."""
    return facts_of(relation)[0]


def size_of(relation: Relation) -> int:
    """The number of relations, including those of subqueries, each counted as often as it is used."""
    return facts_of(relation)[1]


def facts_of(relation: Relation) -> tuple[int, int]:
    """Reach and size, cached per relation, since each enclosing query computes them for all nested ones."""
    known: tuple[int, int] | None = relation.__dict__.get(FACTS)
    if known is None:
        known = relation.__dict__[FACTS] = count_facts(relation)
    return known


def count_facts(relation: Relation) -> tuple[int, int]:
    found = [(0, 1)]
    for each in own_expressions(relation):
        for node in walk(each):
            if isinstance(node, OuterColumn):
                found.append((node.depth, 0))
            elif isinstance(node, Subquery):
                far, size = facts_of(node.relation)
                found.append((far - 1, size))
    for below in relation.inputs:
        far, size = facts_of(below)
        found.append((far - is_lateral(relation, below), size))
    return max(far for far, _ in found), sum(size for _, size in found)


def conditions(relation: Relation) -> list[Relation]:
    """The relation; for a chain of filters, which Spark merges into one condition, all of them."""
    chain = [relation]
    while isinstance(chain[-1], Filter) and isinstance(chain[-1].input, Filter):
        chain.append(chain[-1].input)
    return chain


def is_lateral(relation: Relation, below: Relation) -> bool:
    return isinstance(relation, Join) and relation.lateral and below is relation.right


def outer_in(expression: Expression, depth: int = 1) -> Iterator[OuterColumn]:
    for node in walk(expression):
        if isinstance(node, OuterColumn) and node.depth == depth:
            yield node
        elif isinstance(node, Subquery):
            yield from outer_columns(node.relation, depth + 1)


def map_outer(value: Any, rule: Rule, depth: int = 1) -> Any:
    """Rewrites the outer references in a relation or in any field of one."""
    if isinstance(value, Relation):
        return map_relation(value, rule, depth)
    if isinstance(value, Expression):
        return map_expression(value, rule, depth)
    if isinstance(value, SortOrder):
        return replace(value, child=map_expression(value.child, rule, depth))
    if isinstance(value, tuple):
        return tuple(map_outer(part, rule, depth) for part in value)
    return value


def map_relation(relation: Relation, rule: Rule, depth: int) -> Relation:
    lateral = isinstance(relation, Join) and relation.lateral
    parts = {
        one.name: map_outer(getattr(relation, one.name), rule, depth + (lateral and one.name == "right"))
        for one in fields(relation)
    }
    return replace(relation, **parts)


def map_expression(expression: Expression, rule: Rule, depth: int) -> Expression:
    if isinstance(expression, OuterColumn):
        return rule(expression) if expression.depth == depth else expression
    made = map_children(expression, lambda child: map_expression(child, rule, depth))
    if isinstance(made, Subquery):
        return replace(made, relation=map_relation(made.relation, rule, depth + 1))
    return made
