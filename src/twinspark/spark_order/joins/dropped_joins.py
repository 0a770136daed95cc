"""Removes outer joins that cannot change a result: Spark's optimizer drops them and so does not shuffle their rows
(EliminateOuterJoin)."""

from __future__ import annotations

from dataclasses import replace

from twinspark.plan.expressions import AggregateCall, Column
from twinspark.plan.relations import Aggregate, Join, Project, Relation, own_expressions
from twinspark.plan.rewrite import walk

# Aggregates whose result does not change when a row comes twice.
AGNOSTIC = frozenset({"max", "min", "bit_and", "bit_or", "collect_set", "first", "last", "first_value", "last_value"})


def without_join(relation: Aggregate) -> Aggregate:
    """Aggregates the left side alone if the right side's columns are not used and it could only duplicate rows."""
    below = relation.input
    join = below.input if isinstance(below, Project) else below
    if not isinstance(join, Join) or join.kind != "left" or join.lateral or not all_agnostic(relation):
        return relation
    width = len(join.left.fields)
    users: Relation = below if isinstance(below, Project) else relation
    nodes = [node for expression in own_expressions(users) for node in walk(expression)]
    if any(isinstance(node, Column) and node.index >= width for node in nodes):
        return relation
    return replace(relation, input=replace(below, input=join.left) if isinstance(below, Project) else join.left)


def all_agnostic(relation: Aggregate) -> bool:
    calls = [node for each in relation.aggregates for node in walk(each) if isinstance(node, AggregateCall)]
    return all(call.distinct or call.name in AGNOSTIC for call in calls)
