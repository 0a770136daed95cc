"""Puts the rows of small results into Spark's order where that order is known.

Spark promises no order, but for inputs below the row-order limit it always returns the same one, and users see it in
`show`. The rules: local rows are sliced among the tasks in their order; adaptive execution coalesces a small shuffle
into one partition, which holds the rows task by task and, within a task, hash partition by hash partition; a hash
aggregate returns groups in the order of their first rows, a sort aggregate in the order of the keys; a broadcast join
keeps the order of the streamed side. The rules were compared with Spark over random plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.group_order import GroupOrder, are_groups, grouping_of, hashable, mutable
from twinspark.analysis.partitions.partition_counts import Partitions, partitions_of
from twinspark.analysis.partitions.row_positions import (
    LEAVES,
    POSITION_FIELDS,
    ascending,
    first_columns,
    has_range,
    has_union,
    is_small,
    keeps_range,
    sorted_by,
    with_new_positions,
    without_positions,
)
from twinspark.analysis.partitions.scan_tasks import is_small_scan
from twinspark.functions.notation.settings import Settings
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import (
    Aggregate,
    CachedRelation,
    Distinct,
    Field,
    Filter,
    Generate,
    Join,
    Limit,
    LocalData,
    Observe,
    OneRow,
    Project,
    Range,
    Recursion,
    Relation,
    Repartition,
    Scan,
    SetOperation,
    SharedRelation,
    ShowString,
    Sort,
    Tail,
    Values,
)
from twinspark.plan.rewrite import shift_columns
from twinspark.spark_order.collated_groups import as_groups, has_collated_keys, rewrite_set_operation, with_first_values
from twinspark.spark_order.distinct_listagg import distinct_values, listagg_in_order, listagg_value
from twinspark.spark_order.filter_pushdown import may_become_inner, push_filters, without_null_keys
from twinspark.spark_order.grouping_sets import over_positions, set_position, with_input_order, with_set_number
from twinspark.spark_order.inlined_ctes import inline_ctes
from twinspark.spark_order.joins.join_columns import Sides, required_sides
from twinspark.spark_order.joins.join_order import streamed_of
from twinspark.spark_order.joins.numbered_joins import JoinedRows
from twinspark.spark_order.joins.sort_merge_joins import (
    Pairs,
    cluster_of,
    has_subquery,
    merge_keys,
    merge_ordering,
    query_steps,
)
from twinspark.spark_order.range_groups import in_range_order, number_column
from twinspark.spark_order.repartition_checks import check_repartitions
from twinspark.spark_order.repartition_order import (
    collapse_repartitions,
    is_already_partitioned,
    moved_cluster,
    repartition_in_order,
)
from twinspark.spark_order.set_operations import (
    equal,
    use_first_positions,
    with_copy_number,
    with_first_positions,
    with_row_copy_number,
)
from twinspark.spark_order.setting import emulates_spark
from twinspark.spark_order.shuffles import Ordered, Shuffles
from twinspark.spark_order.sorted_windows import keep_sorts_below_windows
from twinspark.spark_order.sorts.eliminated_sorts import eliminate_sorts
from twinspark.spark_order.sorts.radix_sort import (
    most_rows,
    take_first_rows,
    top_sort,
    with_tie_order_by_ranges,
    with_tie_order_in_tasks,
)
from twinspark.spark_order.sorts.stable_sorts import with_stable_sort
from twinspark.spark_order.task_sums import has_tasks, needs_tasks, with_task
from twinspark.spark_order.transposed_windows import transpose_windows
from twinspark.spark_order.unobserved_order import is_order_free, is_repeatable, is_total_sort, is_total_window
from twinspark.spark_order.window_order import sort_by_windows, sort_windows, windows_in, without_unused_windows
from twinspark.types import DoubleType, FloatType, has_collation

REUSED = (SharedRelation, CachedRelation, Recursion)  # relations that are used several times must not be rewritten


def emulate_row_order(relation: Relation, config: Mapping[str, str], settings: Settings) -> Relation:
    """The one entry point of the compiler. With `twinspark.rowOrder = engine` only windows and aggregates over
    rows that the query itself sorts keep that order (docs/reference/row-order.md)."""
    if not emulates_spark(config):
        return keep_sorts_below_windows(relation)
    return with_stable_sort(follow_spark(relation, config, settings))


def follow_spark(relation: Relation, config: Mapping[str, str], settings: Settings) -> Relation:
    """Gives rows Spark's order where it is known; a window over a sort sees the sort's order in any case."""
    ordered = in_spark_order(relation, partitions_of(config), settings)
    return ordered if ordered is not relation else keep_sorts_below_windows(relation)


def in_spark_order(relation: Relation, partitions: Partitions | None, settings: Settings) -> Relation:
    """Returns the same relation if the order is not known or needs no change."""
    shown = relation.input if isinstance(relation, ShowString) else relation
    if partitions is None or isinstance(shown, LEAVES) or not is_small(shown):
        return relation
    shown = eliminate_sorts(push_filters(inline_ctes(shown), settings))
    ordering = Ordering(partitions, settings, required_sides(shown))
    whole = replace(relation, input=shown) if isinstance(relation, ShowString) else shown
    check_repartitions(whole, lambda each: ordering.of(each) is not None)
    if not isinstance(relation, ShowString):
        return ordering.below(shown)
    ordering.take_first(shown, relation.rows + 1)
    return replace(relation, input=ordering.below(shown))


@dataclass(frozen=True)
class Ordering(Shuffles):
    """Computes the row order from the leaves up; None as soon as the order of an input is not known."""

    required: dict[int, Sides] = field(default_factory=dict, compare=False, repr=False)
    known: dict[int, tuple[Relation, Ordered | None]] = field(default_factory=dict, compare=False, repr=False)
    # by id of a Sort: how many of its first rows are used
    top_counts: dict[int, int] = field(default_factory=dict, compare=False, repr=False)

    def below(self, relation: Relation) -> Relation:
        """A relation of unknown order may have inputs of known order, and then sums over those are equal to Spark's bit
        by bit."""
        found = self.of(relation)
        if found is not None:
            return found.relation
        parts = {f.name: getattr(relation, f.name) for f in fields(relation)}
        inner: dict[str, Any] = {n: self.below(part) for n, part in parts.items() if isinstance(part, Relation)}
        made = replace(relation, **inner) if inner and not isinstance(relation, REUSED) else relation
        if isinstance(made, Aggregate) and made.grouping_sets is not None and self.of(relation.inputs[0]):
            return over_positions(made)
        return made

    def in_any_order(self, relation: Relation) -> Relation:
        """The same rows, where nothing above observes their order; below, only what depends on an order follows it."""
        match relation:
            case Aggregate() if not is_order_free(relation):
                return self.below(relation)
            case Project(expressions=expressions) if windows_in(expressions):
                return self.below(relation)
            case Distinct() | SetOperation() if not all(hashable(field.type) for field in relation.fields):
                return self.below(relation)
            case Project() | Filter() | Generate() | Aggregate() | Distinct(keys=None):
                made = self.in_any_order(relation.input) if is_repeatable(relation) else self.below(relation.input)
                return relation if made is relation.input else replace(relation, input=made)
            case Join(lateral=False) | SetOperation():
                left, right = self.in_any_order(relation.left), self.in_any_order(relation.right)
                same = left is relation.left and right is relation.right
                return relation if same else replace(relation, left=left, right=right)
        return self.below(relation)

    def of(self, relation: Relation) -> Ordered | None:
        if id(relation) not in self.known:
            self.known[id(relation)] = (relation, self.order(relation))
        return self.known[id(relation)][1]

    @by_class
    def order(self, relation: Relation) -> Ordered | None:
        return None

    @order.register
    def order_scan(self, relation: Scan) -> Ordered | None:
        return Ordered(relation, sliced=True) if is_small_scan(relation) and self.partitions.plain_files else None

    @order.register(LocalData)
    @order.register(Values)
    @order.register(Range)
    @order.register(OneRow)
    def order_local_rows(self, relation: Any) -> Ordered | None:
        return Ordered(relation, sliced=True)

    def take_first(self, relation: Relation, count: int) -> None:
        top = top_sort(relation)
        if top is not None and most_rows(top) > count:  # otherwise Spark drops the limit (EliminateLimits)
            self.top_counts[id(top)] = count

    @order.register(Limit)
    @order.register(Tail)
    @order.register(Observe)
    def order_limit(self, relation: Any) -> Ordered | None:
        if isinstance(relation, Limit) and isinstance(relation.limit, int):
            self.take_first(relation.input, relation.limit + relation.offset)
        below = self.of(relation.input)
        return below and Ordered(replace(relation, input=below.relation))

    @order.register
    def order_repartition(self, relation: Repartition) -> Ordered | None:
        relation = collapse_repartitions(relation)
        below = self.of(relation.input)
        if below is None or not relation.how or not (below.sliced or below.single):
            return None
        there = is_already_partitioned(relation, below, self.partitions.shuffled)
        return (
            repartition_in_order(relation, self.with_positions(below), self)
            if there is False
            else below
            if there
            else None
        )

    @order.register
    def order_generate(self, relation: Generate) -> Ordered | None:
        below = self.of(relation.input)
        return below and replace(below, relation=replace(relation, input=below.relation))

    @order.register
    def order_filter(self, relation: Filter) -> Ordered | None:
        below = None if may_become_inner(relation) else self.of(relation.input)
        if below is None or self.partitions.broadcasts or not has_subquery(relation.condition):
            return below and replace(below, relation=replace(relation, input=below.relation))
        steps = query_steps(relation.condition)
        if steps is None:
            return None
        for part, key in steps:
            below = below if key is None else self.sort_by_merge_key(key, below)
            below = replace(below, relation=replace(relation, input=below.relation, condition=part))
        return below

    @order.register
    def order_sort(self, relation: Sort) -> Ordered | None:
        """Rows with equal keys keep their order: Spark's sorts are stable, and below the row-order limit there is one
        partition."""
        if is_total_sort(relation):
            return Ordered(replace(relation, input=self.in_any_order(relation.input)), single=True)
        below = self.of(relation.input)
        if below is None or not relation.is_global:
            return below and self.sorted_in_tasks(relation, below)
        numbered = self.with_positions(below)
        if id(relation) in self.top_counts:
            top = take_first_rows(numbered, relation, self.top_counts[id(relation)])
            return Ordered(without_positions(top), single=True)
        numbered = with_tie_order_by_ranges(numbered, relation, self.partitions)
        order = (*relation.ordering, ascending(numbered.column(len(numbered.fields) - 1)))
        made = replace(relation, input=numbered, ordering=order, fields=numbered.fields)
        return Ordered(without_positions(made), single=True)

    def sorted_in_tasks(self, relation: Sort, below: Ordered) -> Ordered | None:
        if not below.sliced and not below.single:
            return None
        numbered = with_tie_order_in_tasks(self.with_positions(below), relation.ordering)
        task, position = map(ascending, numbered.columns()[-2:])
        ordered = sorted_by(numbered, (task, *relation.ordering, position))
        made = with_new_positions(ordered, ordered.columns()[:-2], ordered.columns()[-2])
        return replace(below, relation=without_positions(made))

    # ---- projections and windows

    @order.register
    def order_project(self, relation: Project) -> Ordered | None:
        relation = transpose_windows(replace(relation, input=without_unused_windows(relation)))
        below = self.of(relation.input)
        windows = windows_in(relation.expressions)
        if below is None or not windows:
            if below is None:
                return None
            clustered = moved_cluster(below.clustered, relation.expressions)
            return replace(below, relation=replace(relation, input=below.relation), clustered=clustered)
        if is_total_window(relation, windows):
            return Ordered(sort_by_windows(relation, windows[0], self.in_any_order(relation.input)))
        found = sort_windows(relation, windows, self.with_positions(below))
        return None if found is None else Ordered(found)

    # ---- groups

    @order.register
    def order_aggregate(self, relation: Aggregate) -> Ordered | None:
        value = listagg_value(relation)
        if value is not None:
            values = self.of(distinct_values(relation, value))
            return values and Ordered(listagg_in_order(relation, self.with_positions(values)))
        below, kind = self.of(relation.input), grouping_of(relation)
        if below is None or kind is None:
            return None
        if below.sliced and not has_union(below.relation) and any(map(needs_tasks, relation.aggregates)):
            numbered = self.with_positions(below)
            task, position = numbered.columns()[-2:]
            relation = replace(relation, aggregates=tuple(with_task(e, task, position) for e in relation.aggregates))
            below = replace(below, relation=numbered)
        if relation.grouping_sets is not None:
            return self.by_sets(relation, below, kind)
        if is_order_free(relation) and (kind is GroupOrder.SORTED or not relation.grouping):
            below = replace(below, relation=self.in_any_order(relation.input))
        if not relation.grouping:
            return Ordered(replace(relation, input=below.relation))
        width = len(relation.grouping)
        if has_collated_keys(relation):
            numbered = below.relation if has_tasks(below.relation) else self.with_positions(below)
            return Ordered(with_first_values(relation, numbered, self.settings))
        if kind is GroupOrder.SORTED:
            made: Relation = replace(relation, input=below.relation)
            return Ordered(sorted_by(made, tuple(map(ascending, made.columns()[:width]))))
        if below.clustered is not None:
            made = self.with_group_positions(relation, below)
            stays = bool(below.clustered) and below.clustered <= set(map(column_index, relation.grouping))
            ordered = self.shuffle(made, made.columns()[:width], kind, parts=1 if stays else 0)
            return Ordered(ordered, clustered=frozenset(range(width)), single=not stays or below.single)
        in_place = in_range_order(relation, below.relation, self.settings)
        if in_place is not None or not below.sliced:
            return None if in_place is None else Ordered(in_place)
        if self.stays_in_tasks(relation.input, relation.grouping):
            return Ordered(replace(relation, input=below.relation)) if has_tasks(below.relation) else None
        made = self.with_group_positions(relation, below)
        return Ordered(self.shuffle(made, made.columns()[:width], kind), clustered=frozenset(range(width)), single=True)

    def by_sets(self, relation: Aggregate, below: Ordered, kind: GroupOrder) -> Ordered | None:
        wide = with_set_number(relation, self.settings)
        if wide is None or has_collated_keys(relation) or not (below.sliced or below.single):
            return None
        width = len(relation.grouping)
        if kind is GroupOrder.SORTED:
            made: Relation = replace(wide, input=below.relation)
            keys = (*made.columns()[:width], made.columns()[-1])
            return Ordered(first_columns(sorted_by(made, tuple(map(ascending, keys))), len(relation.fields)))
        made = with_input_order(self.with_group_positions(wide, below))
        number = made.columns()[-3]
        keys = (*made.columns()[:width], number)
        sets = self.shuffle(made, keys, kind, set_position(relation, number, self.settings))
        return Ordered(first_columns(sets, len(relation.fields)))

    def with_group_positions(self, relation: Aggregate, below: Ordered) -> Aggregate:
        """Adds two columns: the task and position of the first row of each group."""
        numbered = below.relation if has_tasks(below.relation) else self.with_positions(below)
        positions = [build.call("min", [numbered.column(len(numbered.fields) - i)], self.settings) for i in (2, 1)]
        return replace(
            relation,
            input=numbered,
            aggregates=(*relation.aggregates, *positions),
            fields=(*relation.fields, *POSITION_FIELDS),
        )

    @order.register
    def order_distinct(self, relation: Distinct) -> Ordered | None:
        """Keeps the first row of each key."""
        if relation.keys is None and any(has_collation(field.type) for field in relation.fields):
            return self.of(as_groups(relation))
        below = self.of(relation.input)
        width = len(relation.fields)
        keys = tuple(range(width)) if relation.keys is None else relation.keys
        if relation.keys is None and are_groups(relation.input):
            return below  # Spark groups only once (RemoveRedundantAggregates)
        columns = relation.columns()
        if below is None or not keys or any(is_float(columns[i]) or not hashable(columns[i].type) for i in keys):
            return None
        rest = [columns[i] for i in range(width) if i not in keys]
        by_number = number_column(relation.input) in keys
        spread = below.clustered is not None and (below.sliced or below.single)
        stays = not spread and self.stays_in_tasks(relation.input, [columns[i] for i in keys])
        if not by_number and (stays or not (spread or below.sliced)):
            return None
        numbered = self.with_positions(below)
        first = with_copy_number(numbered, [numbered.column(i) for i in keys], self.settings)
        one = build.call("==", [first.column(width + 2), build.literal(1)], self.settings)
        kept = first_columns(Filter(input=first, condition=one, fields=first.fields), width + 2)
        chosen = [kept.column(i) for i in keys]
        if by_number:
            return self.order_range(kept, chosen, below.sliced, all(mutable(column.type) for column in rest))
        if any(not mutable(column.type) for column in rest):
            return Ordered(without_positions(sorted_by(kept, tuple(map(ascending, chosen)))))
        kind = GroupOrder.QUICK if rest else GroupOrder.VALUES
        stays = below.clustered is not None and bool(below.clustered) and below.clustered <= set(keys)
        ordered = self.shuffle(kept, chosen, kind, parts=1 if stays else 0)
        return Ordered(ordered, clustered=frozenset(keys), single=not stays or below.single)

    # ---- set operations and joins

    @order.register
    def order_set_operation(self, relation: SetOperation) -> Ordered | None:
        by_collation = any(has_collation(field.type) for field in relation.fields)
        if by_collation and not relation.all:
            return self.of(rewrite_set_operation(relation))
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
        return self.match_rows(relation, left, right) if left.sliced and left.clustered is None else None

    def match_rows(self, relation: SetOperation, left: Ordered, right: Ordered) -> Ordered | None:
        """INTERSECT and EXCEPT: a semi or anti join of the left rows with the right ones, then a group by all
        columns."""
        width = len(relation.fields)
        by_number = number_column(relation.left) is not None and not relation.all
        if any(is_float(f) or not hashable(f.type) for f in relation.fields):
            return None
        if keeps_range(None, left.relation) and not by_number:
            return None
        ours = self.with_positions(left)
        ours = with_first_positions(with_row_copy_number(ours, width, self.settings), width, self.settings)
        theirs = self.with_positions(right)
        theirs = with_row_copy_number(theirs, width, self.settings)
        kind = {"intersect": "semi", "except": "anti"}[relation.kind]
        pairs = [(i, i) for i in range(width)] + ([(width + 2, width + 2)] if relation.all else [])
        condition = equal(ours, theirs, pairs, self.settings)
        joined = Join(left=ours, right=theirs, kind=kind, condition=condition, fields=ours.fields)
        if relation.all:
            chosen = use_first_positions(joined, width)
            return Ordered(self.shuffle(chosen, chosen.columns()[:width], GroupOrder.QUICK))
        one = build.call("==", [joined.column(width + 2), build.literal(1)], self.settings)
        kept = first_columns(Filter(input=joined, condition=one, fields=joined.fields), width + 2)
        if by_number:
            return self.order_range(kept, kept.columns()[:width], left.sliced, True)
        return Ordered(self.shuffle(kept, kept.columns()[:width], GroupOrder.VALUES))

    @order.register
    def order_join(self, relation: Join) -> Ordered | None:
        unknown: Sides = (None, None)
        streamed = (
            streamed_of(relation, self.required.get(id(relation), unknown)) if self.partitions.broadcasts else None
        )
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
            joined = rows.in_order(streamed.ordering(rows.left_position, rows.right_position), streamed.left)
            return Ordered(without_positions(joined), sliced)
        assert pairs is not None
        keys = [(rows.shift_columns(one), rows.shift_columns(other)) for one, other in pairs]
        ordering = merge_ordering(relation.kind, keys, rows.left_position, rows.right_position)
        joined = rows.in_order(ordering, relation.kind != "right")
        return Ordered(without_positions(joined), clustered=cluster_of(relation, pairs))

    def sides(self, relation: Join, left: Ordered, right: Ordered, pairs: Pairs) -> tuple[Relation, Relation]:
        """Sorting for a merge join changes the order of rows with null keys, which only the streamed side of an outer
        or anti join still has."""
        ours, theirs = self.with_positions(left), self.with_positions(right)
        if len(pairs) == 1 and relation.kind in ("left", "anti"):
            ours = self.with_tie_order_by_hash(ours, pairs[0][0])
        elif len(pairs) == 1 and relation.kind == "right":
            theirs = self.with_tie_order_by_hash(theirs, shift_columns(pairs[0][1], -len(relation.left.fields)))
        return ours, theirs

    def with_keys(self, relation: Join, by_left: bool, left: Ordered, right: Ordered) -> tuple[Ordered, Ordered]:
        """Removes rows with null join keys from the streamed side: Spark filters them before it slices rows into
        tasks."""
        if relation.kind not in ("inner", "semi"):
            return left, right
        side, first = (relation.left, 0) if by_left else (relation.right, len(relation.left.fields))
        kept = without_null_keys(side, first, relation.condition, self.settings)
        followed = self.of(kept) if kept is not None else None
        if followed is None:
            followed = replace(left if by_left else right, sliced=False)
        return (followed, right) if by_left else (left, followed)

    def other_side(self, relation: Join) -> Ordered | None:
        """The row order of the right side of a semi or anti join does not matter."""
        half = relation.kind in ("semi", "anti")
        return self.of(relation.right) or (Ordered(self.below(relation.right)) if half else None)


def column_index(key: Expression) -> int:
    return key.index if isinstance(key, Column) else -1


def is_float(column: Column | Field) -> bool:
    return isinstance(column.type, FloatType | DoubleType)
