"""Where the order of a relation's rows cannot be seen in the result, so that it need not be emulated: below a sort by
columns that are unique, and below aggregates that give the same value for any order of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from twinspark.analysis.expressions.determinism import is_deterministic
from twinspark.analysis.partitions.group_order import hashable
from twinspark.plan.expressions import AggregateCall, Column, Expression, Literal, WindowCall
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    LocalData,
    Observe,
    OneRow,
    Project,
    Range,
    Relation,
    SetOperation,
    Sort,
    Tail,
    Values,
    own_expressions,
)
from twinspark.plan.rewrite import walk
from twinspark.spark_order.window_order import ENDS
from twinspark.types import LongType

Columns = frozenset[int]
# Aggregates of exact values whose result does not depend on the order of the rows.
ORDER_FREE = frozenset({"count", "sum", "try_sum", "avg", "mean", "try_avg", "min", "max", "count_if"}) | {
    *("bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "every", "some", "any")
}
AVERAGES = frozenset({"avg", "mean", "try_avg"})  # of longs these are sums of doubles, which may round (Average)


def is_total_sort(relation: Sort) -> bool:
    """Whether no two rows have equal sort keys."""
    return relation.is_global and has_key(relation.input, columns_of(order.child for order in relation.ordering))


def is_total_window(relation: Project, windows: Sequence[WindowCall]) -> bool:
    """Whether all windows see the rows in one order without ties."""
    first = windows[0]
    if not all(w.partition == first.partition and w.ordering == first.ordering for w in windows):
        return False
    return all(has_no_ties(window, relation.input) for window in windows) and is_repeatable(relation)


def has_no_ties(window: WindowCall, relation: Relation) -> bool:
    """Whether no two rows of a window's partition have the same order."""
    if not window.ordering or window.function.name in ENDS:
        return False
    return has_key(relation, columns_of((*window.partition, *(order.child for order in window.ordering))))


def columns_of(expressions: Iterable[Expression]) -> Columns:
    """The indexes of expressions that are columns of a type whose equal values are the same value."""
    return frozenset(each.index for each in expressions if isinstance(each, Column) and hashable(each.type))


def has_key(relation: Relation, columns: Columns) -> bool:
    """Whether no two rows have the same values, nulls included, in these columns; False if that is not known."""
    match relation:
        case OneRow():
            return True
        case Range():
            return 0 in columns
        case LocalData(table=table):  # a table without rows may have no columns either
            return not table.num_rows or any(is_distinct_column(table.column(index)) for index in columns)
        case Values(rows=rows):
            return any(is_distinct_literals([row[index] for row in rows]) for index in columns)
        case Project(expressions=expressions):
            return has_key(relation.input, columns_of(expressions[index] for index in columns))
        case Filter() | Sort() | Limit() | Tail() | Observe():
            return has_key(relation.input, columns)
        case Aggregate(grouping=grouping, grouping_sets=None):
            return columns >= frozenset(range(len(grouping)))
        case Distinct(keys=keys):
            return columns >= (all_of(relation) if keys is None else frozenset(keys))
        case Join(lateral=False):
            return has_joined_key(relation, columns)
        case SetOperation(all=False):
            return columns >= all_of(relation)
    return False


def all_of(relation: Relation) -> Columns:
    return frozenset(range(len(relation.fields)))


def has_joined_key(relation: Join, columns: Columns) -> bool:
    """A key of each side together; in a full join, rows without a match may have only nulls in them."""
    width = len(relation.left.fields)
    left = frozenset(index for index in columns if index < width)
    if relation.kind in ("semi", "anti"):
        return has_key(relation.left, left)
    right = frozenset(index - width for index in columns if index >= width)
    return relation.kind != "full" and has_key(relation.left, left) and has_key(relation.right, right)


def is_distinct_column(values: pa.ChunkedArray) -> bool:
    return len(values.unique()) == len(values)


def is_distinct_literals(cells: Sequence[Expression]) -> bool:
    values = [cell.value for cell in cells if isinstance(cell, Literal)]
    return len(set(values)) == len(cells)


def is_repeatable(relation: Relation) -> bool:
    """Whether the expressions of a relation give the same values for any order of the rows."""
    return all(map(is_deterministic, own_expressions(relation)))


def is_order_free(relation: Aggregate) -> bool:
    """Whether the keys and all aggregates have the same value for any order of the rows."""
    if not all(hashable(key.type) for key in relation.grouping):
        return False  # the value of a group may be that of its first row
    nodes = [node for each in relation.aggregates if each.__class__ is not Column for node in walk(each)]
    calls = [node for node in nodes if isinstance(node, AggregateCall)]
    return all(map(is_order_free_call, calls)) and all(map(is_deterministic, relation.aggregates))


def is_order_free_call(call: AggregateCall) -> bool:
    if call.name not in ORDER_FREE or call.ordering or not all(hashable(each.type) for each in call.arguments):
        return False
    return call.name not in AVERAGES or not any(isinstance(each.type, LongType) for each in call.arguments)
