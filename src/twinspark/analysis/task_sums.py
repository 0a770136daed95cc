"""Sums and moments of doubles: their last bits depend on which rows a task adds before the tasks are merged."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.row_places import PLACES
from twinspark.functions.places import TASK_AGGREGATES, of_tasks
from twinspark.plan.expressions import AggregateCall, Column, Expression
from twinspark.plan.relations import Relation
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import DoubleType, FloatType


def needs_tasks(expression: Expression) -> bool:
    return any(is_summed(node) for node in walk(expression))


def is_summed(node: Expression) -> bool:
    """A sum of doubles, or a moment."""
    if not isinstance(node, AggregateCall) or node.signature.function not in TASK_AGGREGATES:
        return False
    return len(node.arguments) == 1 and isinstance(node.arguments[0].type, FloatType | DoubleType)


def with_task(expression: Expression, task: Column) -> Expression:
    def rule(node: Expression) -> Expression:
        if not is_summed(node):
            return map_children(node, rule)
        assert isinstance(node, AggregateCall)
        return replace(node, signature=of_tasks(node.signature), arguments=(*node.arguments, task))

    return rule(expression)


def has_tasks(relation: Relation) -> bool:
    return relation.fields[-2:] == PLACES
