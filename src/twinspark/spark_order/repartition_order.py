"""The row order after repartition, repartitionByRange, coalesce, DISTRIBUTE BY and CLUSTER BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.repartition import MOST_PARTITIONS, partition_of
from twinspark.analysis.partitions.row_positions import ascending, sorted_by, with_new_positions, without_positions
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import is_foldable
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Field, Project, Relation, Repartition, Sort
from twinspark.spark_order.shuffles import Ordered, Shuffles
from twinspark.types import LONG


def collapse_repartitions(relation: Repartition) -> Repartition:
    """Drops a repartition directly below another one, and sorts whose order a shuffle by keys destroys
    (CollapseRepartition)."""
    below = relation.input
    while relation.how and isinstance(below, Repartition) and below.how and hides(relation, below):
        below = below.input
    while relation.keys and is_global_sort(below):
        below = below.inputs[0]
    return relation if below is relation.input else replace(relation, input=below)


def hides(relation: Repartition, below: Repartition) -> bool:
    """Whether dropping the lower repartition changes nothing: a coalesce depends on a shuffle below it."""
    return relation.how != "coalesce" or below.how == "coalesce"


def is_global_sort(relation: Relation) -> bool:
    return isinstance(relation, Sort) and relation.is_global


def is_already_partitioned(relation: Repartition, below: Ordered, shuffled: int) -> bool | None:
    """Rows that are already partitioned by the hash of the same keys are not shuffled again (EnsureRequirements); None
    for several keys, whose order matters."""
    keys = hashed_columns(relation)
    if relation.count not in (0, shuffled) or not keys or keys != below.clustered:
        return False
    return True if len(keys) == 1 else None


def repartition_in_order(relation: Repartition, rows: Relation, shuffles: Shuffles) -> Ordered | None:
    """Sorts rows, which have task and position columns, into the order after the shuffle."""
    settings = replace(shuffles.settings, slices=shuffles.partitions.slices)
    if relation.count == 1 or (relation.keys and all(is_foldable(key.child) for key in relation.keys)):
        return Ordered(without_positions(rows), single=True)  # all rows go to one partition (OptimizeRepartition)
    if relation.how in ("hash", "range") and not relation.count:
        return coalesced_shuffle(relation, rows, shuffles)
    if not 0 < relation.count <= MOST_PARTITIONS:
        return None
    partition = partition_of(relation, rows, settings, alike=False)
    if partition is None:
        return None
    made = in_partitions(rows, build.cast(partition, LONG, settings), settings)
    return Ordered(without_positions(made), sliced=True, clustered=hashed_columns(relation))


def coalesced_shuffle(relation: Repartition, rows: Relation, shuffles: Shuffles) -> Ordered | None:
    """Without a number of partitions, adaptive execution coalesces all into one: by task, then partition, then
    position."""
    settings = replace(shuffles.settings, slices=shuffles.partitions.slices)
    part = partition_of(replace(relation, count=shuffles.partitions.shuffled), rows, settings, alike=False)
    if part is None:
        return None
    task, position = rows.columns()[-2:]
    order = tuple(map(ascending, (task, part, position)))
    return Ordered(without_positions(sorted_by(rows, order)), single=True, clustered=hashed_columns(relation))


def in_partitions(rows: Relation, partition: Expression, settings: Settings) -> Relation:
    """Orders by the new partition, then by task and position before the shuffle; the partition becomes the task."""
    width = len(rows.fields) - 2
    wide = with_column(rows, partition)
    task, position, part = wide.columns()[-3:]
    ordered = sorted_by(wide, tuple(map(ascending, (part, task, position))))
    return with_new_positions(ordered, ordered.columns()[:width], part)


def with_column(rows: Relation, expression: Expression) -> Relation:
    columns = (*rows.columns(), expression)
    return Project(input=rows, expressions=columns, fields=(*rows.fields, Field("part", LONG, False)))


def hashed_columns(relation: Repartition) -> frozenset[int]:
    """The columns by whose hash rows are partitioned; none for other partitionings."""
    keys = [key.child for key in relation.keys]
    if relation.how != "hash" or not all(isinstance(key, Column) for key in keys):
        return frozenset()
    return frozenset(key.index for key in keys if isinstance(key, Column))


def moved_cluster(clustered: frozenset[int] | None, expressions: Sequence[Expression]) -> frozenset[int] | None:
    """The same columns above a projection; none if the projection drops one of them."""
    if clustered is None:
        return None
    positions = {e.index: i for i, e in reversed(list(enumerate(expressions))) if isinstance(e, Column)}
    return frozenset(positions[i] for i in clustered) if clustered <= set(positions) else frozenset()
