"""A LIMIT directly above a recursive CTE ends the recursion: Spark computes no more levels than it needs
(UnionLoopExec)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.functions.notation.settings import Settings
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


def limit_levels(relation: Relation, count: int, settings: Settings) -> Relation:
    """Limits the levels if each has at most one row, so that the number of rows is that of levels; otherwise
    unchanged."""
    if isinstance(relation, Project):
        below = limit_levels(relation.input, count, settings)
        return relation if below is relation.input else replace(relation, input=below)
    if isinstance(relation, Recursion) and count > 0 and is_one_row(relation.anchor) and is_followed(relation.step):
        return end_after(relation, count, settings)
    return relation


def is_one_row(relation: Relation) -> bool:
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, OneRow) or (isinstance(relation, Values) and len(relation.rows) == 1)


def is_followed(step: Relation) -> bool:
    """Whether each row of a level produces at most one row of the next."""
    while isinstance(step, Project | Filter):
        if any(isinstance(node, Subquery) for each in own_expressions(step) for node in walk(each)):
            return False
        step = step.input
    return isinstance(step, RecursionReference)


def end_after(relation: Recursion, count: int, settings: Settings) -> Recursion:
    key = f"{relation.key}, {count} rows"
    step = filter_levels(relation.step, key, count, settings)
    return replace(relation, step=step, key=key, rows=NO_LIMIT, falls_back=False)


def filter_levels(step: Relation, key: str, count: int, settings: Settings) -> Relation:
    """Filters out the levels above the limit before their rows are computed."""
    if isinstance(step, Project | Filter):
        return replace(step, input=filter_levels(step.input, key, count, settings))
    assert isinstance(step, RecursionReference)
    level = Column(type=INT, nullable=False, text="level", index=len(step.fields) - 1)
    is_needed = build.call("<", [level, build.literal(count - 1, INT)], settings)
    return Filter(input=replace(step, key=key), condition=is_needed, fields=step.fields)
