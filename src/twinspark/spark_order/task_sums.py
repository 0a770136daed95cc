"""Aggregates whose result depends on how rows are split into tasks: sums and moments of doubles, bytes of sketches."""

from __future__ import annotations

import re
from dataclasses import replace

from twinspark.analysis.partitions.row_positions import POSITION_FIELDS, ascending
from twinspark.functions.session_info.partition_values import PAIR_AGGREGATES, TASK_AGGREGATES, of_tasks
from twinspark.functions.sketches.histograms import in_tasks
from twinspark.plan.expressions import AggregateCall, Column, Expression, SortOrder
from twinspark.plan.relations import Relation
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import DoubleType, FloatType, is_integral

KLL = re.compile(r"kll_sketch_agg_\w+")


def needs_tasks(expression: Expression) -> bool:
    return any(is_float_sum(node) or is_kll(node) or is_histogram(node) for node in walk(expression))


def is_histogram(node: Expression) -> bool:
    """histogram_numeric over integers or doubles, without DISTINCT and FILTER."""
    if not isinstance(node, AggregateCall) or node.signature.function != "histogram_numeric":
        return False
    type = node.arguments[0].type
    return not node.distinct and node.filter is None and (is_integral(type) or isinstance(type, DoubleType))


def is_kll(node: Expression) -> bool:
    return isinstance(node, AggregateCall) and KLL.fullmatch(node.signature.function) is not None


def is_float_sum(node: Expression) -> bool:
    """A sum or a statistical moment of floats or doubles."""
    if not isinstance(node, AggregateCall):
        return False
    if node.signature.function in PAIR_AGGREGATES:
        return True
    if node.signature.function not in TASK_AGGREGATES:
        return False
    return len(node.arguments) == 1 and isinstance(node.arguments[0].type, FloatType | DoubleType)


def with_task(expression: Expression, task: Column, position: Column) -> Expression:
    """Adds task and position as arguments. A KLL sketch lists its newest item first and each merge reverses it, so that
    the items of the last task come first."""

    def rule(node: Expression) -> Expression:
        if is_kll(node):
            assert isinstance(node, AggregateCall)
            return replace(node, ordering=(SortOrder(child=task, ascending=False), ascending(position)))
        if is_histogram(node):
            assert isinstance(node, AggregateCall)
            return replace(node, signature=in_tasks(node.signature), arguments=(*node.arguments, task, position))
        if not is_float_sum(node):
            return map_children(node, rule)
        assert isinstance(node, AggregateCall)
        return replace(node, signature=of_tasks(node.signature), arguments=(*node.arguments, task, position))

    return rule(expression)


def has_tasks(relation: Relation) -> bool:
    return relation.fields[-2:] == POSITION_FIELDS
