"""What depends on which rows a task took before tasks are merged: sums and moments of doubles, bytes of sketches."""

from __future__ import annotations

import re
from dataclasses import replace

from twinspark.analysis.row_places import PLACES, ascending
from twinspark.functions.histograms import in_tasks
from twinspark.functions.places import PAIR_AGGREGATES, TASK_AGGREGATES, of_tasks
from twinspark.plan.expressions import AggregateCall, Column, Expression, SortOrder
from twinspark.plan.relations import Relation
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import DoubleType, FloatType, is_integral

KLL = re.compile(r"kll_sketch_agg_\w+")


def needs_tasks(expression: Expression) -> bool:
    return any(is_summed(node) or is_kll(node) or is_histogram(node) for node in walk(expression))


def is_histogram(node: Expression) -> bool:
    """Of whole numbers or doubles, of all rows."""
    if not isinstance(node, AggregateCall) or node.signature.function != "histogram_numeric":
        return False
    type = node.arguments[0].type
    return not node.distinct and node.filter is None and (is_integral(type) or isinstance(type, DoubleType))


def is_kll(node: Expression) -> bool:
    return isinstance(node, AggregateCall) and KLL.fullmatch(node.signature.function) is not None


def is_summed(node: Expression) -> bool:
    """A sum of doubles, or a moment."""
    if not isinstance(node, AggregateCall):
        return False
    if node.signature.function in PAIR_AGGREGATES:
        return True
    if node.signature.function not in TASK_AGGREGATES:
        return False
    return len(node.arguments) == 1 and isinstance(node.arguments[0].type, FloatType | DoubleType)


def with_task(expression: Expression, task: Column, place: Column) -> Expression:
    """A KLL sketch lists the newest item first, and is turned round by each merge: the last task's items come first."""

    def rule(node: Expression) -> Expression:
        if is_kll(node):
            assert isinstance(node, AggregateCall)
            return replace(node, ordering=(SortOrder(child=task, ascending=False), ascending(place)))
        if is_histogram(node):
            assert isinstance(node, AggregateCall)
            return replace(node, signature=in_tasks(node.signature), arguments=(*node.arguments, task, place))
        if not is_summed(node):
            return map_children(node, rule)
        assert isinstance(node, AggregateCall)
        return replace(node, signature=of_tasks(node.signature), arguments=(*node.arguments, task, place))

    return rule(expression)


def has_tasks(relation: Relation) -> bool:
    return relation.fields[-2:] == PLACES
