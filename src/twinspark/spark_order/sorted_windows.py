"""Windows and groups over rows that a query sorted below them: Spark's shuffle keeps that order, and rows that tie in a
window stay in it, since its sort is stable. DuckDB does not keep the order of a sort below."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.partitions.row_positions import leaves_of, with_positions_in_task
from twinspark.plan.relations import (
    Aggregate,
    CachedRelation,
    Filter,
    Limit,
    Project,
    Recursion,
    Relation,
    Scan,
    SharedRelation,
    Sort,
    relations_in,
)
from twinspark.spark_order.grouping_sets import over_positions, shows_order
from twinspark.spark_order.window_order import sort_windows, windows_in, with_position

ADVISORY_BYTES = 64 * 1024 * 1024  # spark.sql.adaptive.advisoryPartitionSizeInBytes


def keep_sorts_below_windows(relation: Relation) -> Relation:
    """Returns the same relation if no window and no order-dependent aggregate is above a sort."""
    parts = list(relations_in(relation))
    if not any(isinstance(part, Sort) for part in parts):
        return relation
    windows = {id(part) for part in parts if isinstance(part, Project) and windows_in(part.expressions)}
    groups = any(isinstance(part, Aggregate) and shows_order(part) for part in parts)
    return rewrite(relation, windows)[0] if windows or groups else relation


def rewrite(relation: Relation, windows: set[int]) -> tuple[Relation, bool]:
    """The rewritten relation, and whether its rows are in the order of a sort."""
    if isinstance(
        relation, SharedRelation | CachedRelation | Recursion
    ):  # relations that are used several times must not be rewritten
        return relation, False
    parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
    inner = {name: rewrite(part, windows) for name, part in parts.items() if isinstance(part, Relation)}
    changed: dict[str, Any] = {name: part for name, (part, _) in inner.items() if part is not parts[name]}
    made = replace(relation, **changed) if changed else relation
    below = isinstance(relation, Project | Filter | Limit) and inner["input"][1]
    if isinstance(made, Aggregate):
        return (over_positions(made) if inner["input"][1] else made), False
    if not isinstance(made, Project) or id(relation) not in windows:
        return made, below or (isinstance(relation, Sort) and relation.is_global)
    return (sort_as_windows(made) if below else made), False


def sort_as_windows(relation: Project) -> Relation:
    """Sorts the rows as the windows do, if one partition holds all rows and all windows have the same order."""
    numbered = with_positions_in_task(relation.input, 0)
    if is_one_partition(relation):
        found = sort_windows(relation, windows_in(relation.expressions), numbered)
        if found is not None:
            return found
    position = numbered.columns()[-1]
    return replace(
        relation, input=numbered, expressions=tuple(with_position(e, position) for e in relation.expressions)
    )


def is_one_partition(relation: Relation) -> bool:
    sizes = [leaf.size_in_bytes for leaf in leaves_of(relation) if isinstance(leaf, Scan)]
    return sum(sizes) <= ADVISORY_BYTES
