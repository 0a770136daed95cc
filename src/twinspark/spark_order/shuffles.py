"""The row order after Spark's shuffles below the row-order limit: by task, then hash partition, then input order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinspark.analysis.collations.calls import collation_key as collation_key
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.group_order import GroupOrder
from twinspark.analysis.partitions.partition_counts import Partitions
from twinspark.analysis.partitions.row_positions import (
    ascending,
    keeps_range,
    sorted_by,
    with_positions_in_task,
    with_tasks,
    without_positions,
)
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Relation
from twinspark.spark_order.range_groups import shuffles_range
from twinspark.spark_order.sorts.radix_sort import with_tie_order


@dataclass(frozen=True)
class Ordered:
    """A relation whose rows are in Spark's order. `sliced`: their tasks are known too. `single`: one task has all rows.
    `clustered`: the columns by whose hash the rows were shuffled last; Spark does not shuffle again to group by a
    superset of these."""

    relation: Relation
    sliced: bool = False
    clustered: frozenset[int] | None = None
    single: bool = False


@dataclass(frozen=True)
class Shuffles:
    partitions: Partitions
    settings: Settings

    def with_positions(self, ordered: Ordered) -> Relation:
        """The relation with the task and position of each row."""
        slices, folds = self.partitions.slices, self.partitions.folds
        return (
            with_tasks(ordered.relation, slices, folds)
            if ordered.sliced
            else with_positions_in_task(ordered.relation, 0)
        )

    def stays_in_tasks(self, relation: Relation, keys: Sequence[Expression]) -> bool:
        return keeps_range(keys, relation) and not shuffles_range(keys, relation, self.partitions.slices)

    def with_tie_order_by_hash(self, numbered: Relation, key: Expression) -> Relation:
        return with_tie_order(numbered, [ascending(key)], self.hash_partition([key]))

    def hash_partition(self, keys: Sequence[Expression], parts: int = 0) -> Expression:
        """The partition of a shuffle by the hash of the keys."""
        hashed = build.call("hash", [collation_key(key) for key in keys], self.settings)
        return build.call("pmod", [hashed, build.literal(parts or self.partitions.shuffled)], self.settings)

    def shuffle(
        self, made: Relation, keys: Sequence[Column], kind: GroupOrder, *then: Expression, parts: int = 0
    ) -> Relation:
        """Sorts by task, then hash partition, then position; the last two columns are task and position."""
        part = self.hash_partition(keys, parts)
        task, position = made.columns()[-2:]
        nulls = [build.call("isnull", [key], self.settings) for key in keys if key.nullable]
        some = [self.any_of(nulls)] if nulls else []
        last, later = (some if kind is each else [] for each in (GroupOrder.VALUES, GroupOrder.QUICK))
        return without_positions(sorted_by(made, tuple(map(ascending, (*last, task, part, *later, position, *then)))))

    def any_of(self, tests: Sequence[Expression]) -> Expression:
        found = tests[0]
        for test in tests[1:]:
            found = build.call("or", [found, test], self.settings)
        return found

    def sort_by_merge_key(self, key: Expression, below: Ordered) -> Ordered:
        """Sorts by the key as SortMergeJoinExec sorts its inputs."""
        numbered = self.with_tie_order_by_hash(self.with_positions(below), key)
        ordering = (ascending(key), ascending(numbered.columns()[-1]))
        clustered = frozenset([key.index] if isinstance(key, Column) else [])
        return Ordered(without_positions(sorted_by(numbered, ordering)), clustered=clustered)

    def order_range(self, kept: Relation, keys: Sequence[Column], sliced: bool, hashed: bool) -> Ordered | None:
        """Groups over a range need no shuffle: they are ordered by task, then position, groups with a null key last in
        each task."""
        nulls = [build.call("isnull", [key], self.settings) for key in keys if key.nullable]
        if (not sliced and (nulls or not hashed)) or (not hashed and len(keys) > 1):
            return None
        task, position = kept.columns()[-2:]
        some = [self.any_of(nulls)] if nulls else []
        order = (task, *some, position) if hashed else (task, *keys)
        return Ordered(without_positions(sorted_by(kept, tuple(map(ascending, order)))))
