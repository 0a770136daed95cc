"""A LIMIT right above a recursion ends it: Spark makes no more levels than it needs rows (UnionLoopExec)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis import build
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Column, Subquery
from twinspark.plan.relations import (
    Filter,
    OneRow,
    Project,
    Recursion,
    RecursionReference,
    Relation,
    Values,
    own_expressions,
)
from twinspark.plan.rewrite import walk
from twinspark.types import INT

NO_LIMIT = 1 << 62


def limited(relation: Relation, count: int, settings: Settings) -> Relation:
    """Where every level has one row at most, so that so many rows are so many levels; otherwise as it is."""
    if isinstance(relation, Project):
        below = limited(relation.input, count, settings)
        return relation if below is relation.input else replace(relation, input=below)
    if isinstance(relation, Recursion) and count > 0 and is_one_row(relation.anchor) and is_followed(relation.step):
        return ended(relation, count, settings)
    return relation


def is_one_row(relation: Relation) -> bool:
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, OneRow) or (isinstance(relation, Values) and len(relation.rows) == 1)


def is_followed(step: Relation) -> bool:
    """Each row of the last level makes one of the next, or none."""
    while isinstance(step, Project | Filter):
        if any(isinstance(node, Subquery) for each in own_expressions(step) for node in walk(each)):
            return False
        step = step.input
    return isinstance(step, RecursionReference)


def ended(relation: Recursion, count: int, settings: Settings) -> Recursion:
    key = f"{relation.key}, {count} rows"
    step = ending(relation.step, key, count, settings)
    return replace(relation, step=step, key=key, rows=NO_LIMIT, elsewhere=False)


def ending(step: Relation, key: str, count: int, settings: Settings) -> Relation:
    """The step without the levels that nobody asks for: its rows are not even computed."""
    if isinstance(step, Project | Filter):
        return replace(step, input=ending(step.input, key, count, settings))
    assert isinstance(step, RecursionReference)
    level = Column(type=INT, nullable=False, text="level", index=len(step.fields) - 1)
    is_needed = build.call("<", [level, build.literal(count - 1, INT)], settings)
    return Filter(input=replace(step, key=key), condition=is_needed, fields=step.fields)
