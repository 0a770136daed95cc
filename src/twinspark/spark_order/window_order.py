"""The row order after windows over rows whose positions are known, and the order of ties within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.partitions.row_positions import ascending, first_columns
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal, SortOrder, Subquery, WindowCall
from twinspark.plan.relations import Field, Project, Relation, Sort
from twinspark.plan.rewrite import map_children, walk

POSITIONAL = frozenset({"row_number", "lag", "lead", "ntile"})  # window functions whose result differs between ties
# Aggregates whose result depends on the order of ties.
ENDS = frozenset({"first", "last", "any_value", "nth_value", "collect_list"})


def windows_in(expressions: Sequence[Expression]) -> list[WindowCall]:
    computed = [e for e in expressions if e.__class__ is not Column]
    return [node for e in computed for node in walk(e) if isinstance(node, WindowCall)]


def without_unused_windows(relation: Project) -> Relation:
    """The input without windows whose results are not used: Spark does not compute them, and so does not sort for
    them."""
    input = relation.input
    if not isinstance(input, Project) or not windows_in(input.expressions):
        return input
    nodes = [node for e in relation.expressions for node in walk(e)]
    if any(isinstance(node, Subquery) for node in nodes):
        return input
    used = {node.index for node in nodes if isinstance(node, Column)}
    kept = [e if i in used or not windows_in([e]) else null_of(e) for i, e in enumerate(input.expressions)]
    return replace(input, expressions=tuple(kept))


def null_of(expression: Expression) -> Expression:
    return Literal(type=expression.type, nullable=True, value=None)


def key_field(key: SortOrder) -> Field:
    return Field("key", key.child.type, key.child.nullable)


def sort_windows(relation: Project, windows: Sequence[WindowCall], numbered: Relation) -> Relation | None:
    """Sorts rows by the windows' partition keys, then by their order, then by position; only if all windows agree on
    both."""
    first = windows[0]
    if any((w.partition, w.ordering) != (first.partition, first.ordering) for w in windows):
        return None
    position = numbered.column(len(numbered.fields) - 1)
    expressions = tuple(with_position(e, position) for e in relation.expressions)
    return sort_by_windows(replace(relation, expressions=expressions), first, numbered, ascending(position))


def sort_by_windows(relation: Project, first: WindowCall, input: Relation, *ties: SortOrder) -> Relation:
    """The projection over this input, sorted by the keys of a window and then by `ties`."""
    keys = (*map(ascending, first.partition), *first.ordering, *ties)
    wide = replace(relation, input=input, expressions=(*relation.expressions, *(key.child for key in keys)))
    wide = replace(wide, fields=(*relation.fields, *(key_field(key) for key in keys)))
    width = len(relation.fields)
    ordering = tuple(replace(key, child=wide.column(width + i)) for i, key in enumerate(keys))
    return first_columns(Sort(input=wide, ordering=ordering, fields=wide.fields), width)


def with_position(expression: Expression, position: Column) -> Expression:
    """Rows that tie in a window's order keep their input order."""

    def rule(node: Expression) -> Expression:
        if not isinstance(node, WindowCall):
            return map_children(node, rule)
        by_rows = node.frame is not None and node.frame.rows and isinstance(node.function, AggregateCall)
        order = (*node.ordering, ascending(position))
        if node.function.name in POSITIONAL or by_rows:
            return replace(node, ordering=order)
        if isinstance(node.function, AggregateCall) and node.function.name in ENDS and node.ordering:
            return replace(node, function=replace(node.function, ordering=order))
        return node

    return rule(expression)
