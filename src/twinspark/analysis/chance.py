"""Random numbers of a seed: Spark draws them row after row of a partition, so a row's place in it must be known."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.build import call, literal
from twinspark.functions.maths import seeded
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Cast, Column, Expression, Literal
from twinspark.plan.relations import OneRow, Project, Range, Relation
from twinspark.plan.rewrite import map_children
from twinspark.types import LONG

RANDOM = frozenset({"rand", "randn"})


def with_places(expression: Expression, relation: Relation) -> Expression:
    """rand(seed) and randn(seed) over rows of one partition, told where each row stands."""

    def rule(node: Expression) -> Expression:
        if isinstance(node, Call) and node.name in RANDOM:
            seed, place = seed_of(node.arguments[0]), place_in(relation)
            return node if seed is None or place is None else drawn(node, seed, place)
        return map_children(node, rule)

    return rule(expression)


def seed_of(argument: Expression) -> int | None:
    while isinstance(argument, Cast):
        argument = argument.child
    value = argument.value if isinstance(argument, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def place_in(relation: Relation) -> Expression | None:
    if isinstance(relation, OneRow):
        return literal(0, LONG)
    index, source = numbered(relation)
    if index is None or source is None:
        return None
    number = Column(type=LONG, nullable=False, text="id", index=index)
    settings = Settings()
    moved = call("-", [number, literal(source.start, LONG)], settings)
    return call("div", [moved, literal(source.step, LONG)], settings)


def numbered(relation: Relation) -> tuple[int | None, Range | None]:
    """The column that still holds the numbers of a range in one partition, and the range."""
    if isinstance(relation, Range) and relation.partitions == 1:
        return 0, relation
    if not isinstance(relation, Project):
        return None, None
    index, source = numbered(relation.input)
    passed = (i for i, e in enumerate(relation.expressions) if isinstance(e, Column) and e.index == index)
    return next(passed, None), source


def drawn(node: Call, seed: int, place: Expression) -> Expression:
    return replace(node, signature=seeded(node.signature), arguments=(literal(seed, LONG), place))
