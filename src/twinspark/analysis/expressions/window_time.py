"""Resolves window_time(column) for columns that are time windows: the last instant of the window."""

from __future__ import annotations

from dataclasses import replace

from twinspark.functions.time.time_windows import of_known_window
from twinspark.plan.expressions import Call, Column, Expression
from twinspark.plan.relations import Relation
from twinspark.plan.rewrite import map_children

MARKS = frozenset(["spark.timeWindow", "spark.sessionWindow"])


def with_window_times(expression: Expression, relation: Relation) -> Expression:
    """ResolveWindowTime: the metadata of a column says whether it comes from a time window."""

    def rule(node: Expression) -> Expression:
        if not isinstance(node, Call) or node.name != "window_time":
            return map_children(node, rule)
        return replace(node, signature=of_known_window(node.signature)) if is_window(node.arguments[0]) else node

    def is_window(argument: Expression) -> bool:
        fields = relation.fields[argument.index : argument.index + 1] if isinstance(argument, Column) else ()
        return any(key in MARKS for field in fields for key, _ in field.metadata)

    return rule(expression)
