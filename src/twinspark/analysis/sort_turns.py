"""Sorts by one key that may be null: Spark's radix sort makes room for nulls by moving rows, so that equal rows do not
stand as they came; in which turn they stand depends on how they arrive (UnsafeInMemorySorter.insertRecord)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.determinism import is_certain
from twinspark.analysis.outer import outer_columns
from twinspark.analysis.partitions import Partitions
from twinspark.analysis.row_places import LEAVES, ascending, rows_of
from twinspark.analysis.window_order import windows_in
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
    SetOperation,
    Sort,
    Tail,
    Turned,
)
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
LONG_DIGITS = 18  # of a decimal that is one long (Decimal.MAX_LONG_DIGITS)


def swaps_rows(key: Expression) -> bool:
    return key.nullable and is_its_prefix(key.type)


def is_its_prefix(type: DataType) -> bool:
    """Values that are sorted by 64 bits of theirs alone (SortPrefixUtils.canSortFullyWithPrefix)."""
    if isinstance(type, DecimalType):
        return type.precision <= LONG_DIGITS
    return isinstance(type, (*WHOLE, *TIMES))


def turned(numbered: Relation, ordering: Sequence[SortOrder], part: Expression | None = None) -> Relation:
    """As rows stand in a sort, if they come by the `part` of a shuffle, or as they are."""
    if len(ordering) != 1 or not swaps_rows(ordering[0].child) or not stands_alone(numbered, ordering):
        return numbered
    return Turned(input=numbered, keys=tuple(ordering), part=part, fields=numbered.fields)


def stands_alone(relation: Relation, ordering: Sequence[SortOrder]) -> bool:
    """Whether the rows can be looked at before the query runs over them: they need no column of the query around, and
    their keys are what they are."""
    return all(is_certain(order.child) for order in ordering) and not any(outer_columns(relation))


def turned_by_ranges(numbered: Relation, relation: Sort, partitions: Partitions) -> Relation:
    """As rows stand in a sort of the whole."""
    found = turned(numbered, relation.ordering)
    if not isinstance(found, Turned) or is_one_partition(relation.input):
        return found
    return Turned(input=numbered, keys=found.keys, ranges=partitions.shuffled, fields=numbered.fields)


def is_one_partition(relation: Relation) -> bool:
    """Rows that need no shuffle to be sorted."""
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


def first_in_turn(numbered: Relation, relation: Sort, count: int) -> Relation:
    """So many rows, as they are chosen; only where there are more than twice as many does it show."""
    if not stands_alone(numbered, relation.ordering):
        order = (*relation.ordering, ascending(numbered.columns()[-1]))
        return replace(relation, input=numbered, ordering=order, fields=numbered.fields)
    turns = Turned(input=numbered, keys=relation.ordering, first=count, fields=numbered.fields)
    return replace(relation, input=turns, ordering=(ascending(turns.columns()[-1]),), fields=turns.fields)


def most_rows(relation: Relation) -> float:
    """LogicalPlan.maxRows."""
    match relation:
        case Project() | Filter() | Sort():
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
    """The sort of which only the first rows are taken: these are chosen without a shuffle (TakeOrderedAndProject)."""
    while isinstance(relation, Project) and not windows_in(relation.expressions):
        relation = relation.input
    return relation if isinstance(relation, Sort) and relation.is_global else None
