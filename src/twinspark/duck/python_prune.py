"""Python functions whose results nobody asks for are not called: Spark prunes such columns before it runs them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twinspark.plan.expressions import Column, Expression, Literal, PythonCall, Subquery
from twinspark.plan.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Limit,
    Project,
    Relation,
    SetOperation,
    Sort,
    Tail,
    Unary,
    own_expressions,
)
from twinspark.plan.rewrite import walk

Places = frozenset[int] | None  # of the columns that are asked for; None: all


def pruned(relation: Relation, asked: Places = None) -> Relation:
    """The same relation under the same columns; of those nobody asks for the calls are nulls."""
    if isinstance(relation, Project):
        made = tuple(as_asked(each, asked is None or place in asked) for place, each in enumerate(relation.expressions))
        shown = (each for place, each in enumerate(made) if asked is None or place in asked)
        return replace(relation, expressions=made, input=pruned(relation.input, used(shown)))
    if isinstance(relation, Aggregate):
        return replace(relation, input=pruned(relation.input, used(own_expressions(relation))))
    if isinstance(relation, Filter | Sort | Generate | Limit | Tail):
        return replace(relation, input=pruned(relation.input, together(asked, used(own_expressions(relation)))))
    if isinstance(relation, Join):
        return join(relation, together(asked, used(own_expressions(relation))))
    if isinstance(relation, SetOperation):
        same = asked if relation.kind == "union" and relation.all else None
        return replace(relation, left=pruned(relation.left, same), right=pruned(relation.right, same))
    if isinstance(relation, Unary):
        return replace(relation, input=pruned(relation.input))
    return relation


def join(relation: Join, asked: Places) -> Relation:
    width = len(relation.left.fields)
    if asked is None or relation.lateral:
        return replace(relation, left=pruned(relation.left), right=pruned(relation.right))
    left = frozenset(place for place in asked if place < width)
    right = frozenset(place - width for place in asked if place >= width)
    return replace(relation, left=pruned(relation.left, left), right=pruned(relation.right, right))


def as_asked(expression: Expression, asked: bool) -> Expression:
    if asked or not any(isinstance(node, PythonCall) for node in walk(expression)):
        return expression
    return Literal(type=expression.type, nullable=True, value=None, text=expression.text)


def used(expressions: Iterable[Expression]) -> Places:
    nodes = [node for each in expressions for node in walk(each)]
    if any(isinstance(node, Subquery) for node in nodes):
        return None
    return frozenset(node.index for node in nodes if isinstance(node, Column))


def together(first: Places, second: Places) -> Places:
    return None if first is None or second is None else first | second
