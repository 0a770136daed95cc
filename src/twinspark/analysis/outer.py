"""Outer references: the columns of the relation around that a subquery or a lateral side uses, found and rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from twinspark.plan.expressions import Expression, OuterColumn, SortOrder, Subquery
from twinspark.plan.relations import Filter, Join, Relation, own_expressions
from twinspark.plan.rewrite import map_children, walk

Rule = Callable[[OuterColumn], Expression]


def outer_columns(relation: Relation, depth: int = 1) -> Iterator[OuterColumn]:
    """Every use of a column of the nearest relation around, from the top of the plan down (SubExprUtils)."""
    nodes = conditions(relation)
    for node in reversed(nodes):
        for expression in own_expressions(node):
            yield from outer_in(expression, depth)
    for below in nodes[-1].inputs:
        yield from outer_columns(below, depth + is_lateral(nodes[-1], below))


def conditions(relation: Relation) -> list[Relation]:
    """The relation; of a chain of filters, which in Spark is one condition, all of them."""
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
    """A relation, or any part of one, with its references to the relation around rewritten."""
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
