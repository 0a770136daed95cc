"""Computes which Spark task would write a row: each task writes one file, and later scans read the largest file
first."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.context import Context
from twinspark.analysis.partitions.partition_counts import partitions_of
from twinspark.analysis.partitions.repartition import with_partitions
from twinspark.analysis.partitions.row_positions import ascending, first_columns, is_small, sorted_by
from twinspark.plan.relations import Project, Relation
from twinspark.spark_order.setting import emulates_spark


def with_task(plan: Relation, context: Context) -> Relation:
    """Adds the number of the task that Spark would give each row as a last column; returns the plan itself if not
    known."""
    known = partitions_of(context.config) if emulates_spark(context.config) else None
    if known is None or not is_small(plan) or not (known.folds or is_unfiltered(plan)):
        return plan
    wide = with_partitions(plan, replace(context.settings, slices=known.slices), alike=False)
    if wide is None:
        return plan
    placed = sorted_by(wide, tuple(map(ascending, wide.columns()[-2:])))
    return first_columns(placed, len(wide.fields) - 1)


def is_unfiltered(plan: Relation) -> bool:
    """Whether slicing the rows before and after the projections gives the same tasks, since no row is filtered out."""
    while isinstance(plan, Project):
        plan = plan.input
    return not plan.inputs
