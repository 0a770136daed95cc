"""Which columns each side of a join still has when Spark compares the sides' sizes: those that somebody asks for."""

from __future__ import annotations

from collections.abc import Iterable

from twinspark.plan.asked import Places, asked_below, every_place, together, used
from twinspark.plan.relations import Join, Project, Relation, SetOperation, Unary, own_expressions

Sides = tuple[Places, Places]


def asked_sides(relation: Relation) -> dict[int, Sides]:
    """By the identity of the join."""
    return dict(sides_below(relation, every_place(relation)))


def sides_below(relation: Relation, asked: Places) -> Iterable[tuple[int, Sides]]:
    if isinstance(relation, Join):
        left, right = sides = sides_of(relation, together(asked, used(own_expressions(relation))))
        yield id(relation), sides
        yield from sides_below(relation.left, left)
        yield from sides_below(relation.right, right)
    elif isinstance(relation, Project):
        shown = relation.expressions if asked is None else [relation.expressions[place] for place in asked]
        yield from sides_below(relation.input, used(shown))
    elif isinstance(relation, Unary):
        yield from sides_below(relation.input, asked_below(relation, asked))
    elif isinstance(relation, SetOperation):
        for side in relation.inputs:
            yield from sides_below(side, asked if relation.kind == "union" and relation.all else every_place(relation))


def sides_of(relation: Join, asked: Places) -> Sides:
    if asked is None:
        return None, None
    width = len(relation.left.fields)
    return frozenset(p for p in asked if p < width), frozenset(p - width for p in asked if p >= width)
