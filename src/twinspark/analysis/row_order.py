"""Puts the rows of small results in Spark's order where that is known: of data that came with the query, and ranges.

Spark promises no order, but of small data it always gives the same one, and `show` lets users see it. What is known:
local rows are sliced among the tasks in their order; a shuffle of little data ends in one partition, which holds the
rows task by task, of each task part by part of the hash; hashed groups come as they arrived, sorted ones sorted; a
broadcast join keeps the streamed side's order. The rules were compared with Spark over random plans."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.collated_groups import as_groups, has_collated_keys, in_other_words, with_first_values
from twinspark.analysis.distinct_lists import distinct_values, listed, listed_value
from twinspark.analysis.group_order import Grouping, are_groups, grouping_of, hashable, mutable
from twinspark.analysis.join_columns import Sides, asked_sides
from twinspark.analysis.join_order import streamed_of
from twinspark.analysis.joined_rows import JoinedRows
from twinspark.analysis.merge_order import Pairs, cluster_of, has_subquery, merge_keys, merged, query_steps
from twinspark.analysis.partitions import Partitions
from twinspark.analysis.pushed_filters import may_end_outer, pushed, without_null_keys
from twinspark.analysis.range_groups import in_range_order, number_column
from twinspark.analysis.row_matches import copies, counted, equal, first_places, places_first
from twinspark.analysis.row_places import (
    LEAVES,
    PLACES,
    ascending,
    first_columns,
    has_range,
    has_union,
    is_small,
    keeps_range,
    sorted_by,
    without_places,
)
from twinspark.analysis.scan_tasks import is_small_scan
from twinspark.analysis.set_order import in_place, turn_of, with_sets
from twinspark.analysis.shuffles import Ordered, Shuffles
from twinspark.analysis.sort_turns import first_in_turn, most_rows, swaps_rows, top_sort, turned_by_ranges
from twinspark.analysis.spreads import spread_rows
from twinspark.analysis.task_sums import has_tasks, needs_tasks, with_task
from twinspark.analysis.window_order import needed_of, windowed, windows_in
from twinspark.analysis.window_turns import in_turn
from twinspark.functions.settings import Settings
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Field,
    Filter,
    Generate,
    Join,
    Keep,
    Limit,
    LocalData,
    Observe,
    OneRow,
    Project,
    Range,
    Recursion,
    Relation,
    Scan,
    SetOperation,
    Shared,
    ShowString,
    Sort,
    Spread,
    Tail,
    Values,
)
from twinspark.plan.rewrite import shifted
from twinspark.types import DoubleType, FloatType, has_collation

KEPT = (Shared, Keep, Recursion)  # parts that are used in several places have to stay what they are


def in_spark_order(relation: Relation, partitions: Partitions | None, settings: Settings) -> Relation:
    """The same relation where nothing is known, or nothing is to be done."""
    shown = relation.input if isinstance(relation, ShowString) else relation
    if partitions is None or isinstance(shown, LEAVES) or not is_small(shown):
        return relation
    shown = pushed(shown, settings)
    ordering = Ordering(partitions, settings, asked_sides(shown))
    if not isinstance(relation, ShowString):
        return ordering.below(shown)
    ordering.take_first(shown, relation.rows + 1)
    return replace(relation, input=ordering.below(shown))


@dataclass(frozen=True)
class Ordering(Shuffles):
    """Rewrites a relation from its leaves up; None as soon as something below has an order that is not known."""

    asked: dict[int, Sides] = field(default_factory=dict, compare=False, repr=False)
    known: dict[int, tuple[Relation, Ordered | None]] = field(default_factory=dict, compare=False, repr=False)
    tops: dict[int, int] = field(default_factory=dict, compare=False, repr=False)  # how many rows of a sort are taken

    def below(self, relation: Relation) -> Relation:
        """What has no known order may stand over parts that have one: their sums are Spark's to the last bit."""
        found = self.of(relation)
        if found is not None:
            return found.relation
        parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
        inner: dict[str, Any] = {n: self.below(part) for n, part in parts.items() if isinstance(part, Relation)}
        return replace(relation, **inner) if inner and not isinstance(relation, KEPT) else relation

    def of(self, relation: Relation) -> Ordered | None:
        if id(relation) not in self.known:
            self.known[id(relation)] = (relation, self.made(relation))
        return self.known[id(relation)][1]

    @by_class
    def made(self, relation: Relation) -> Ordered | None:
        return None

    @made.register
    def _(self, relation: Scan) -> Ordered | None:
        return Ordered(relation, sliced=True) if is_small_scan(relation) and self.partitions.plain_files else None

    @made.register(LocalData)
    @made.register(Values)
    @made.register(Range)
    @made.register(OneRow)
    def _(self, relation: Any) -> Ordered | None:
        return Ordered(relation, sliced=True)

    def take_first(self, relation: Relation, count: int) -> None:
        top = top_sort(relation)
        if top is not None and most_rows(top) > count:  # else there is no limit to Spark (EliminateLimits)
            self.tops[id(top)] = count

    @made.register(Limit)
    @made.register(Tail)
    @made.register(Observe)
    def _(self, relation: Any) -> Ordered | None:
        if isinstance(relation, Limit) and isinstance(relation.limit, int):
            self.take_first(relation.input, relation.limit + relation.offset)
        below = self.of(relation.input)
        return below and Ordered(replace(relation, input=below.relation))

    @made.register
    def _(self, relation: Spread) -> Ordered | None:
        """Partition by partition, in each as the tasks before sent their rows."""
        settings = replace(self.settings, slices=self.partitions.slices)
        rows = spread_rows(relation, settings, alike=False)
        if rows is None:
            return None
        return Ordered(without_places(sorted_by(rows, tuple(map(ascending, rows.columns()[-2:])))))

    @made.register
    def _(self, relation: Generate) -> Ordered | None:
        below = self.of(relation.input)
        return below and Ordered(replace(relation, input=below.relation), below.sliced)

    @made.register
    def _(self, relation: Filter) -> Ordered | None:
        below = None if may_end_outer(relation) else self.of(relation.input)
        if below is None or self.partitions.broadcasts or not has_subquery(relation.condition):
            return below and replace(below, relation=replace(relation, input=below.relation))
        steps = query_steps(relation.condition)
        if steps is None:
            return None
        for part, key in steps:
            below = below if key is None else self.merged_by(key, below)
            below = replace(below, relation=replace(relation, input=below.relation, condition=part))
        return below

    @made.register
    def _(self, relation: Sort) -> Ordered | None:
        """Equal rows stay as they were: Spark's sorts are stable, and little data is one partition."""
        below = self.of(relation.input)
        if below is None or not relation.is_global:
            return below and self.sorted_in_tasks(relation, below)
        numbered = self.numbered(below)
        if id(relation) in self.tops:
            return Ordered(without_places(first_in_turn(numbered, relation, self.tops[id(relation)])))
        numbered = turned_by_ranges(numbered, relation, self.partitions)
        order = (*relation.ordering, ascending(numbered.column(len(numbered.fields) - 1)))
        return Ordered(without_places(replace(relation, input=numbered, ordering=order, fields=numbered.fields)))

    def sorted_in_tasks(self, relation: Sort, below: Ordered) -> Ordered | None:
        if not below.sliced or (len(relation.ordering) == 1 and swaps_rows(relation.ordering[0].child)):
            return None
        numbered = self.numbered(below)
        task, place = map(ascending, numbered.columns()[-2:])
        return Ordered(without_places(sorted_by(numbered, (task, *relation.ordering, place))))

    # ---- projections and windows

    @made.register
    def _(self, relation: Project) -> Ordered | None:
        relation = in_turn(replace(relation, input=needed_of(relation)))
        below = self.of(relation.input)
        windows = windows_in(relation.expressions)
        if below is None or not windows:
            return below and Ordered(replace(relation, input=below.relation), below.sliced)
        found = windowed(relation, windows, self.numbered(below))
        return None if found is None else Ordered(found)

    # ---- groups

    @made.register
    def _(self, relation: Aggregate) -> Ordered | None:
        value = listed_value(relation)
        if value is not None:
            values = self.of(distinct_values(relation, value))
            return values and Ordered(listed(relation, self.numbered(values)))
        below, kind = self.of(relation.input), grouping_of(relation)
        if below is None or kind is None:
            return None
        if below.sliced and not has_union(below.relation) and any(map(needs_tasks, relation.aggregates)):
            numbered = self.numbered(below)
            task, place = numbered.columns()[-2:]
            relation = replace(relation, aggregates=tuple(with_task(e, task, place) for e in relation.aggregates))
            below = replace(below, relation=numbered)
        if relation.grouping_sets is not None:
            return self.by_sets(relation, below, kind)
        if not relation.grouping:
            return Ordered(replace(relation, input=below.relation))
        width = len(relation.grouping)
        if has_collated_keys(relation):
            numbered = below.relation if has_tasks(below.relation) else self.numbered(below)
            return Ordered(with_first_values(relation, numbered, self.settings))
        if kind is Grouping.SORTED:
            made: Relation = replace(relation, input=below.relation)
            return Ordered(sorted_by(made, tuple(map(ascending, made.columns()[:width]))))
        if below.clustered is not None:
            made = self.with_places(relation, below)
            stays = bool(below.clustered) and below.clustered <= set(map(column_index, relation.grouping))
            return Ordered(self.shuffled(made, made.columns()[:width], kind, parts=1 if stays else 0))
        in_place = in_range_order(relation, below.relation, self.settings)
        if in_place is not None or not below.sliced:
            return None if in_place is None else Ordered(in_place)
        if self.stays(relation.input, relation.grouping):
            return Ordered(replace(relation, input=below.relation)) if has_tasks(below.relation) else None
        made = self.with_places(relation, below)
        return Ordered(self.shuffled(made, made.columns()[:width], kind))

    def by_sets(self, relation: Aggregate, below: Ordered, kind: Grouping) -> Ordered | None:
        wide = with_sets(relation, self.settings)
        if wide is None or not below.sliced or has_collated_keys(relation):
            return None
        width = len(relation.grouping)
        if kind is Grouping.SORTED:
            made: Relation = replace(wide, input=below.relation)
            keys = (*made.columns()[:width], made.columns()[-1])
            return Ordered(first_columns(sorted_by(made, tuple(map(ascending, keys))), len(relation.fields)))
        made = in_place(self.with_places(wide, below))
        number = made.columns()[-3]
        keys = (*made.columns()[:width], number)
        sets = self.shuffled(made, keys, kind, turn_of(relation, number, self.settings))
        return Ordered(first_columns(sets, len(relation.fields)))

    def with_places(self, relation: Aggregate, below: Ordered) -> Aggregate:
        """With two columns more: where the first row of each group stood."""
        numbered = below.relation if has_tasks(below.relation) else self.numbered(below)
        places = [build.call("min", [numbered.column(len(numbered.fields) - i)], self.settings) for i in (2, 1)]
        return replace(
            relation,
            input=numbered,
            aggregates=(*relation.aggregates, *places),
            fields=(*relation.fields, *PLACES),
        )

    @made.register
    def _(self, relation: Distinct) -> Ordered | None:
        """The first row of each key."""
        if relation.keys is None and any(has_collation(field.type) for field in relation.fields):
            return self.of(as_groups(relation))
        below = self.of(relation.input)
        width = len(relation.fields)
        keys = tuple(range(width)) if relation.keys is None else relation.keys
        if relation.keys is None and are_groups(relation.input):
            return below  # grouped once (RemoveRedundantAggregates)
        columns = relation.columns()
        if below is None or not keys or any(is_float(columns[i]) or not hashable(columns[i].type) for i in keys):
            return None
        rest = [columns[i] for i in range(width) if i not in keys]
        by_number = number_column(relation.input) in keys
        if not by_number and (not below.sliced or self.stays(relation.input, [columns[i] for i in keys])):
            return None
        numbered = self.numbered(below)
        first = copies(numbered, [numbered.column(i) for i in keys], self.settings)
        one = build.call("==", [first.column(width + 2), build.literal(1)], self.settings)
        kept = first_columns(Filter(input=first, condition=one, fields=first.fields), width + 2)
        chosen = [kept.column(i) for i in keys]
        if by_number:
            return self.of_range(kept, chosen, below.sliced, all(mutable(column.type) for column in rest))
        if any(not mutable(column.type) for column in rest):
            return Ordered(without_places(sorted_by(kept, tuple(map(ascending, chosen)))))
        kind = Grouping.QUICK if rest else Grouping.VALUES
        return Ordered(self.shuffled(kept, chosen, kind))

    # ---- two inputs

    @made.register
    def _(self, relation: SetOperation) -> Ordered | None:
        by_collation = any(has_collation(field.type) for field in relation.fields)
        if by_collation and not relation.all:
            return self.of(in_other_words(relation))
        if by_collation and relation.kind != "union":
            return None
        if relation.kind == "union" and not relation.all:
            return self.of(Distinct(input=replace(relation, all=True), fields=relation.fields))
        left, right = self.of(relation.left), self.of(relation.right)
        if left is None or right is None:
            return None
        if relation.kind == "union":
            made = replace(relation, left=left.relation, right=right.relation)
            return Ordered(made, left.sliced and right.sliced)
        return self.matched(relation, left, right) if left.sliced else None

    def matched(self, relation: SetOperation, left: Ordered, right: Ordered) -> Ordered | None:
        """Rows of the left by whether the right has them too: a half join, grouped by all columns."""
        width = len(relation.fields)
        by_number = number_column(relation.left) is not None and not relation.all
        if any(is_float(f) or not hashable(f.type) for f in relation.fields):
            return None
        if keeps_range(None, left.relation) and not by_number:
            return None
        ours = self.numbered(left)
        ours = first_places(counted(ours, width, self.settings), width, self.settings)
        theirs = self.numbered(right)
        theirs = counted(theirs, width, self.settings)
        kind = {"intersect": "semi", "except": "anti"}[relation.kind]
        pairs = [(i, i) for i in range(width)] + ([(width + 2, width + 2)] if relation.all else [])
        condition = equal(ours, theirs, pairs, self.settings)
        joined = Join(left=ours, right=theirs, kind=kind, condition=condition, fields=ours.fields)
        if relation.all:
            chosen = places_first(joined, width)
            return Ordered(self.shuffled(chosen, chosen.columns()[:width], Grouping.QUICK))
        one = build.call("==", [joined.column(width + 2), build.literal(1)], self.settings)
        kept = first_columns(Filter(input=joined, condition=one, fields=joined.fields), width + 2)
        if by_number:
            return self.of_range(kept, kept.columns()[:width], left.sliced, True)
        return Ordered(self.shuffled(kept, kept.columns()[:width], Grouping.VALUES))

    @made.register
    def _(self, relation: Join) -> Ordered | None:
        nobody: Sides = (None, None)
        streamed = streamed_of(relation, self.asked.get(id(relation), nobody)) if self.partitions.broadcasts else None
        pairs = None if self.partitions.broadcasts else merge_keys(relation)
        left = self.of(relation.left) if streamed or pairs else None
        right = self.other_side(relation) if left else None
        if left is None or right is None:
            return None
        if streamed is not None:
            left, right = self.with_keys(relation, streamed.left, left, right)
        rows = JoinedRows(relation, *self.sides(relation, left, right, pairs or []))
        if streamed is not None:
            sliced = (left if streamed.left else right).sliced and not has_range(relation)
            joined = rows.in_order(streamed.ordering(rows.left_place, rows.right_place), streamed.left)
            return Ordered(without_places(joined), sliced)
        assert pairs is not None
        keys = [(rows.moved(one), rows.moved(other)) for one, other in pairs]
        ordering = merged(relation.kind, keys, rows.left_place, rows.right_place)
        joined = rows.in_order(ordering, relation.kind != "right")
        return Ordered(without_places(joined), clustered=cluster_of(relation, pairs))

    def sides(self, relation: Join, left: Ordered, right: Ordered, pairs: Pairs) -> tuple[Relation, Relation]:
        """Only the followed side of an outer or anti join still has null keys when it is sorted to be merged."""
        ours, theirs = self.numbered(left), self.numbered(right)
        if len(pairs) == 1 and relation.kind in ("left", "anti"):
            ours = self.turned_by_hash(ours, pairs[0][0])
        elif len(pairs) == 1 and relation.kind == "right":
            theirs = self.turned_by_hash(theirs, shifted(pairs[0][1], -len(relation.left.fields)))
        return ours, theirs

    def with_keys(self, relation: Join, by_left: bool, left: Ordered, right: Ordered) -> tuple[Ordered, Ordered]:
        """The side that is followed without rows that cannot match: they leave before tasks are made."""
        if relation.kind not in ("inner", "semi"):
            return left, right
        side, first = (relation.left, 0) if by_left else (relation.right, len(relation.left.fields))
        kept = without_null_keys(side, first, relation.condition, self.settings)
        followed = self.of(kept) if kept is not None else None
        if followed is None:
            followed = replace(left if by_left else right, sliced=False)
        return (followed, right) if by_left else (left, followed)

    def other_side(self, relation: Join) -> Ordered | None:
        """In which order the right side of a half join comes does not show."""
        half = relation.kind in ("semi", "anti")
        return self.of(relation.right) or (Ordered(self.below(relation.right)) if half else None)


def column_index(key: Expression) -> int:
    return key.index if isinstance(key, Column) else -1


def is_float(column: Column | Field) -> bool:
    return isinstance(column.type, FloatType | DoubleType)
