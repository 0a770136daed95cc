"""The order of ties in sorts by one nullable key: Spark's radix sort is not stable then, since inserting a null moves
other rows, so the order of ties depends on the order of arrival (UnsafeInMemorySorter.insertRecord)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions.determinism import is_deterministic
from twinspark.analysis.partitions.partition_counts import Partitions
from twinspark.analysis.partitions.row_positions import LEAVES, ascending, rows_of
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.plan.expressions import Expression, SortOrder
from twinspark.plan.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Limit,
    Observe,
    Project,
    Range,
    Relation,
    Repartition,
    SetOperation,
    Sort,
    Tail,
    TieOrder,
)
from twinspark.spark_order.window_order import windows_in
from twinspark.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

WHOLE = (BooleanType, ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType)
TIMES = (DateType, TimestampType, TimestampNTZType, TimeType, YearMonthIntervalType, DayTimeIntervalType)
LONG_DIGITS = 18  # largest precision of a decimal that is stored as a long (Decimal.MAX_LONG_DIGITS)


def swaps_rows(key: Expression) -> bool:
    return key.nullable and is_its_prefix(key.type)


def is_its_prefix(type: DataType) -> bool:
    """Types that are sorted by their 64-bit prefix alone (SortPrefixUtils.canSortFullyWithPrefix)."""
    if isinstance(type, DecimalType):
        return type.precision <= LONG_DIGITS
    return isinstance(type, (*WHOLE, *TIMES))


def with_tie_order(numbered: Relation, ordering: Sequence[SortOrder], part: Expression | None = None) -> Relation:
    """Gives rows the positions that ties have in a sort, after a shuffle by the hash partition `part` if there is
    one."""
    if len(ordering) != 1 or not swaps_rows(ordering[0].child) or not stands_alone(numbered, ordering):
        return numbered
    return TieOrder(input=numbered, keys=tuple(ordering), partition=part, fields=numbered.fields)


def with_tie_order_in_tasks(numbered: Relation, ordering: Sequence[SortOrder]) -> Relation:
    """The order of ties if each task sorts its own rows."""
    found = with_tie_order(numbered, ordering)
    return replace(found, in_tasks=True) if isinstance(found, TieOrder) else found


def stands_alone(relation: Relation, ordering: Sequence[SortOrder]) -> bool:
    """Whether the rows can be computed before the query runs: without outer references and nondeterministic keys."""
    return all(is_deterministic(order.child) for order in ordering) and not any(outer_columns(relation))


def with_tie_order_by_ranges(numbered: Relation, relation: Sort, partitions: Partitions) -> Relation:
    """The order of ties in a global sort, which shuffles rows by range partitioning."""
    found = with_tie_order(numbered, relation.ordering)
    if not isinstance(found, TieOrder) or is_one_partition(relation.input):
        return found
    return TieOrder(input=numbered, keys=found.keys, ranges=partitions.shuffled, fields=numbered.fields)


def is_one_partition(relation: Relation) -> bool:
    """Whether all rows are in one partition, so that a global sort needs no shuffle."""
    match relation:
        case Limit() | Tail() | Range(partitions=1):
            return True
        case Aggregate(grouping=grouping):
            return not grouping
        case Project(expressions=expressions):
            windows = windows_in(expressions)
            return is_one_partition(relation.input) if not windows else not windows[0].partition
        case Filter() | Generate() | Observe():
            return is_one_partition(relation.input)
    return False


def take_first_rows(numbered: Relation, relation: Sort, count: int) -> Relation:
    """The first rows of a sort as TakeOrderedAndProject selects them; the order of ties differs only in inputs of more
    than twice as many rows."""
    if not stands_alone(numbered, relation.ordering):
        order = (*relation.ordering, ascending(numbered.columns()[-1]))
        return replace(relation, input=numbered, ordering=order, fields=numbered.fields)
    ties = TieOrder(input=numbered, keys=relation.ordering, first=count, fields=numbered.fields)
    return replace(relation, input=ties, ordering=(ascending(ties.columns()[-1]),), fields=ties.fields)


def most_rows(relation: Relation) -> float:
    """The upper bound of a relation's rows: LogicalPlan.maxRows."""
    match relation:
        case Project() | Filter() | Sort() | Repartition():
            return most_rows(relation.input)
        case Limit(limit=int(count)):
            return min(count, most_rows(relation.input))
        case Join(kind="semi" | "anti"):
            return most_rows(relation.left)
        case Join(kind="inner" | "cross"):
            return most_rows(relation.left) * most_rows(relation.right)
        case Join(kind="left" | "right"):
            left, right = (most_rows(side) for side in relation.inputs)
            return left * max(right, 1) if relation.kind == "left" else right * max(left, 1)
        case SetOperation(kind="union", all=True):
            return most_rows(relation.left) + most_rows(relation.right)
        case Aggregate(grouping=grouping):
            return most_rows(relation.input) if grouping else 1
    return rows_of(relation) if isinstance(relation, LEAVES) else math.inf


def top_sort(relation: Relation) -> Sort | None:
    """The global sort of which only the first rows are used: Spark selects them without a shuffle
    (TakeOrderedAndProject)."""
    while isinstance(relation, Project) and not windows_in(relation.expressions):
        relation = relation.input
    return relation if isinstance(relation, Sort) and relation.is_global else None
