"""Detects relations of at most one row: Spark does not group them, so that -0.0 is preserved (OptimizeOneRowPlan)."""

from __future__ import annotations

from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    LocalData,
    OneRow,
    Project,
    Range,
    Relation,
    Repartition,
    SetOperation,
    Sort,
    Tail,
    Values,
    Window,
)

PASSING = Project | Filter | Sort | Repartition | Window | Distinct | Aggregate


def is_single(relation: Relation) -> bool:
    """Whether the plan has at most one row, known before it runs."""
    match relation:
        case OneRow() | Aggregate(grouping=()):
            return True
        case Values(rows=rows):
            return len(rows) <= 1
        case LocalData(table=table):
            return bool(table.num_rows <= 1)
        case Range():
            return len(range(relation.start, relation.end, relation.step)) <= 1
        case Limit(limit=int(limit)) | Tail(limit=limit) if limit <= 1:
            return True
        case Join(kind="inner" | "cross"):
            return is_single(relation.left) and is_single(relation.right)
        case Join(kind="semi" | "anti"):
            return is_single(relation.left)
        case Limit() | Aggregate(grouping_sets=None):
            return is_single(relation.input)
    return isinstance(relation, PASSING) and not isinstance(relation, Aggregate) and is_single(relation.input)


def is_surely_one(relation: Relation) -> bool:
    """Whether the plan has exactly one row for any data."""
    match relation:
        case OneRow() | Aggregate(grouping=(), grouping_sets=None):
            return True
        case Values(rows=rows):
            return len(rows) == 1
        case LocalData(table=table):
            return bool(table.num_rows == 1)
        case Project() | Sort() | Repartition() | Window():
            return is_surely_one(relation.input)
    return False


def may_stay_one_row(relation: SetOperation) -> bool:
    """Whether Spark may not group the rows of a set operation; it groups a union of two rows that certainly exist."""
    if relation.kind == "union" and is_surely_one(relation.left) and is_surely_one(relation.right):
        return False
    return is_single(relation.left)


def covers(relation: Distinct) -> bool:
    return relation.keys is None or set(relation.keys) == set(range(len(relation.fields)))


def is_group_only(relation: Aggregate) -> bool:
    return not relation.aggregates and relation.grouping_sets is None and bool(relation.grouping)
