"""Recognizes plans that Spark's optimizer may reduce to a relation without rows."""

from __future__ import annotations

from twinspark.plan.expressions import Call, Column, Expression, Literal
from twinspark.plan.relations import Filter, Join, Limit, Relation, relations_in
from twinspark.plan.rewrite import walk


def may_be_reduced(plan: Relation) -> bool:
    """Whether the optimizer may find that there are no rows (PruneFilters, PropagateEmptyRelation): it infers that from
    several conditions, from constants and from joins."""
    nodes = list(relations_in(plan))
    filters = [each for each in nodes if isinstance(each, Filter)]
    limits = [each for each in nodes if isinstance(each, Limit)]
    return (
        len(filters) > 1
        or not all(is_one_comparison(each.condition) for each in filters)
        or any(each.limit == 0 for each in limits)
        or any(isinstance(each, Join) for each in nodes)
    )


def is_one_comparison(condition: Expression) -> bool:
    """Of a column with values that are not null."""
    nodes = list(walk(condition))
    is_whole = isinstance(condition, Call) and condition.name not in ("and", "or", "not")
    constants = [node for node in nodes if isinstance(node, Literal)]
    return is_whole and any(isinstance(node, Column) for node in nodes) and all(c.value is not None for c in constants)
