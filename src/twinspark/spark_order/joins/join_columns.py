"""The columns that each side of a join still has after column pruning, when Spark compares the sizes of the sides."""

from __future__ import annotations

from collections.abc import Iterable

from twinspark.plan.column_pruning import ColumnSet, all_columns, referenced_columns, required_input_columns, union
from twinspark.plan.relations import Join, Project, Relation, SetOperation, Unary, own_expressions

Sides = tuple[ColumnSet, ColumnSet]


def required_sides(relation: Relation) -> dict[int, Sides]:
    """By the id of the Join."""
    return dict(sides_below(relation, all_columns(relation)))


def sides_below(relation: Relation, required: ColumnSet) -> Iterable[tuple[int, Sides]]:
    if isinstance(relation, Join):
        left, right = sides = sides_of(relation, union(required, referenced_columns(own_expressions(relation))))
        yield id(relation), sides
        yield from sides_below(relation.left, left)
        yield from sides_below(relation.right, right)
    elif isinstance(relation, Project):
        shown = relation.expressions if required is None else [relation.expressions[position] for position in required]
        yield from sides_below(relation.input, referenced_columns(shown))
    elif isinstance(relation, Unary):
        yield from sides_below(relation.input, required_input_columns(relation, required))
    elif isinstance(relation, SetOperation):
        for side in relation.inputs:
            yield from sides_below(
                side, required if relation.kind == "union" and relation.all else all_columns(relation)
            )


def sides_of(relation: Join, required: ColumnSet) -> Sides:
    if required is None:
        return None, None
    width = len(relation.left.fields)
    return frozenset(p for p in required if p < width), frozenset(p - width for p in required if p >= width)
