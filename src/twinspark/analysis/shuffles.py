"""How Spark's shuffles send the rows of little data: task by task, part by part of a hash, as each had them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinspark.analysis import build
from twinspark.analysis.collated_calls import key as collation_key
from twinspark.analysis.group_order import Grouping
from twinspark.analysis.partitions import Partitions
from twinspark.analysis.range_groups import shuffles_range
from twinspark.analysis.row_places import ascending, keeps_range, placed, sorted_by, tasked, without_places
from twinspark.analysis.sort_turns import turned
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Relation


@dataclass(frozen=True)
class Ordered:
    """A relation whose rows come in Spark's order; `sliced` when its tasks are known as well; `clustered`: by the hash
    of which columns they were shuffled last, if they were; groups by these and others are made where the rows are."""

    relation: Relation
    sliced: bool = False
    clustered: frozenset[int] | None = None


@dataclass(frozen=True)
class Shuffles:
    partitions: Partitions
    settings: Settings

    def numbered(self, ordered: Ordered) -> Relation:
        """The relation with each row's task and place."""
        slices, folds = self.partitions.slices, self.partitions.folds
        return tasked(ordered.relation, slices, folds) if ordered.sliced else placed(ordered.relation, 0)

    def stays(self, relation: Relation, keys: Sequence[Expression]) -> bool:
        return keeps_range(keys, relation) and not shuffles_range(keys, relation, self.partitions.slices)

    def turned_by_hash(self, numbered: Relation, key: Expression) -> Relation:
        return turned(numbered, [ascending(key)], self.part_of([key]))

    def part_of(self, keys: Sequence[Expression], parts: int = 0) -> Expression:
        """Of a shuffle, by the hash of the keys."""
        hashed = build.call("hash", [collation_key(key) for key in keys], self.settings)
        return build.call("pmod", [hashed, build.literal(parts or self.partitions.shuffled)], self.settings)

    def shuffled(
        self, made: Relation, keys: Sequence[Column], kind: Grouping, *then: Expression, parts: int = 0
    ) -> Relation:
        """Task by task, part by part, as they came; the last two columns are the places."""
        part = self.part_of(keys, parts)
        task, place = made.columns()[-2:]
        nulls = [build.call("isnull", [key], self.settings) for key in keys if key.nullable]
        some = [self.any_of(nulls)] if nulls else []
        last, later = (some if kind is each else [] for each in (Grouping.VALUES, Grouping.QUICK))
        return without_places(sorted_by(made, tuple(map(ascending, (*last, task, part, *later, place, *then)))))

    def any_of(self, tests: Sequence[Expression]) -> Expression:
        found = tests[0]
        for test in tests[1:]:
            found = build.call("or", [found, test], self.settings)
        return found

    def merged_by(self, key: Expression, below: Ordered) -> Ordered:
        """Sorted by the key, as the rows of a side of a merge join are."""
        numbered = self.turned_by_hash(self.numbered(below), key)
        ordering = (ascending(key), ascending(numbered.columns()[-1]))
        clustered = frozenset([key.index] if isinstance(key, Column) else [])
        return Ordered(without_places(sorted_by(numbered, ordering)), clustered=clustered)

    def of_range(self, kept: Relation, keys: Sequence[Column], sliced: bool, hashed: bool) -> Ordered | None:
        """Rows of a range are not shuffled: task by task, as they came, in each those with a null behind."""
        nulls = [build.call("isnull", [key], self.settings) for key in keys if key.nullable]
        if (not sliced and (nulls or not hashed)) or (not hashed and len(keys) > 1):
            return None
        task, place = kept.columns()[-2:]
        some = [self.any_of(nulls)] if nulls else []
        order = (task, *some, place) if hashed else (task, *keys)
        return Ordered(without_places(sorted_by(kept, tuple(map(ascending, order)))))
