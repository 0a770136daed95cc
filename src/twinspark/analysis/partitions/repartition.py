"""Computes the partition of each row, for local rows and ranges and after repartition, coalesce and DISTRIBUTE BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.evaluation_counts import calls_skipped_or_repeated
from twinspark.analysis.partitions.group_order import hashable
from twinspark.analysis.partitions.java_random import first_int
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.analysis.partitions.row_positions import (
    LEAVES,
    MOST_ROWS,
    ascending,
    is_folded,
    is_small,
    rows_of,
    sorted_by,
    with_positions_in_task,
    with_tasks,
)
from twinspark.analysis.partitions.row_values import SEEDED, UNSEEDED, counts_evaluations, seed_of
from twinspark.errors import reasons
from twinspark.functions.notation.guards import requiring
from twinspark.functions.notation.settings import Settings
from twinspark.functions.session_info.partition_values import in_partition
from twinspark.plan.expressions import Call, Case, Column, Expression, Literal, WindowCall
from twinspark.plan.relations import (
    Field,
    Filter,
    Limit,
    Project,
    Range,
    Relation,
    Repartition,
    RowPositions,
    Scan,
    Sort,
    own_expressions,
)
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import INT, LONG

MOST_PARTITIONS = 200
SAMPLED = 100  # rows sampled per range partition: spark.sql.execution.rangeExchange.sampleSizePerPartition
PARTITION = (Field("partition", LONG, False), Field("row", LONG, False))


def needs_partition(expression: Expression) -> bool:
    return any(needs_partition_arguments(node) for node in walk(expression))


def needs_partition_arguments(node: Expression) -> bool:
    """A call that depends on the partition and does not have it as an argument yet."""
    if not isinstance(node, Call) or (node.name not in UNSEEDED and node.name not in SEEDED):
        return False
    return len(node.arguments) == (1 if node.name in SEEDED else 0)


def with_partition_columns(
    relation: Relation, expressions: Sequence[Expression]
) -> tuple[Relation, list[Expression]] | None:
    """Adds two columns, partition and row, and passes them to the expressions; None if the partitions are not known."""
    calls = [node for e in expressions for node in walk(e) if needs_partition_arguments(node)]
    settings = calls[0].settings if isinstance(calls[0], Call) else Settings()
    if settings.slices == 0 or not all(map(has_seed, calls)) or any(map(counts_irregularly, expressions)):
        return None
    alike = not any(isinstance(node, Column) for e in expressions for node in walk(e))
    wide = with_partitions(relation, settings, alike)
    if wide is None:
        return None
    positions = wide.columns()[-2:]
    return sorted_by(wide, tuple(map(ascending, positions))), [
        with_partition_arguments(e, *positions) for e in expressions
    ]


def counts_irregularly(expression: Expression) -> bool:
    return any(map(counts_evaluations, calls_skipped_or_repeated(expression)))


def has_seed(call: Expression) -> bool:
    return not isinstance(call, Call) or not call.arguments or seed_of(call.arguments[0]) is not None


def with_partition_arguments(expression: Expression, partition: Column, row: Column) -> Expression:
    def rule(node: Expression) -> Expression:
        if not needs_partition_arguments(node):
            return map_children(node, rule)
        assert isinstance(node, Call)
        seed = seed_of(node.arguments[0]) if node.arguments else 0
        arguments = (build.literal(seed, LONG), partition, row)
        return replace(node, signature=in_partition(node.signature), arguments=arguments)

    return rule(expression)


def with_partitions(relation: Relation, settings: Settings, alike: bool) -> Relation | None:
    """Adds the partition of each row and its position there. `alike`: no expression distinguishes rows by their
    values."""
    if isinstance(relation, Repartition):
        return repartition_rows(relation, settings, alike)
    if isinstance(relation, Limit):
        return limited_rows(relation, settings)
    if has_partition_columns(relation):
        again = (*relation.columns(), *relation.columns()[-2:])
        return Project(input=relation, expressions=again, fields=(*relation.fields, *PARTITION))
    if isinstance(relation, Project) and has_known_partitions(relation):
        below = with_partitions(relation.input, settings, alike)
        if below is None or any(needs_partition(e) for e in relation.expressions):
            return None
        columns = (*relation.expressions, *below.columns()[-2:])
        return replace(relation, input=below, expressions=columns, fields=(*relation.fields, *PARTITION))
    return sliced_rows(relation, settings)


def has_known_partitions(relation: Relation) -> bool:
    if isinstance(relation, Project):
        return has_known_partitions(relation.input)
    return isinstance(relation, Repartition | Limit) or has_partition_columns(relation)


def has_partition_columns(relation: Relation) -> bool:
    """Whether `with_partition_columns` has sorted the rows by partition and added its columns."""
    return isinstance(relation, Sort) and relation.fields[-2:] == PARTITION


def limited_rows(relation: Limit, settings: Settings) -> Relation | None:
    """A limit leaves one partition, unless it does not remove rows; over local rows the optimizer evaluates it."""
    most = most_rows(relation.input)
    if most is None or not isinstance(relation.limit, int | None):
        return None
    if relation.limit is not None and most <= relation.limit and not relation.offset:
        return with_partitions(relation.input, settings, alike=False)
    if not is_small(relation) or is_folded(relation.input) or not comes_in_order(relation.input):
        return None
    rows = with_positions_in_task(relation, 0)
    task, position = rows.columns()[-2:]
    return with_row_in_partition(rows, task, (position,), settings)


def comes_in_order(relation: Relation) -> bool:
    """Whether rows are in input order or sorted by partition."""
    if has_partition_columns(relation):
        return True
    if isinstance(relation, Project | Filter):
        return all(map(keeps_positions, own_expressions(relation))) and comes_in_order(relation.input)
    return isinstance(relation, LEAVES)


def sliced_rows(relation: Relation, settings: Settings) -> Relation | None:
    """Local rows and ranges, with the partition in which they start."""
    if not is_small(relation) or not keeps_slices(relation):
        return None
    rows = with_tasks(relation, settings.slices)
    task, position = rows.columns()[-2:]
    return with_row_in_partition(rows, task, (position,), settings)


def keeps_slices(relation: Relation) -> bool:
    while isinstance(relation, Project | Filter):
        if not all(keeps_positions(e) for e in own_expressions(relation)):
            return is_folded(relation)
        relation = relation.input
    return isinstance(relation, LEAVES)


def keeps_positions(expression: Expression) -> bool:
    """Windows keep the partitions only if they are a plain row_number over all rows (zipWithIndex)."""
    nodes = list(walk(expression))
    windows = [node for node in nodes if isinstance(node, WindowCall)]
    if windows and any(isinstance(node, Call) and node.name in SEEDED | UNSEEDED for node in nodes):
        return False  # Spark's optimizer has evaluated these over local rows
    return all(w.function.name == "row_number" and not w.ordering and not w.partition for w in windows)


def with_row_in_partition(
    rows: Relation, partition: Expression, order: Sequence[Column], settings: Settings
) -> Relation:
    """Replaces the last two columns by the partition and the row's index in it, from zero."""
    wide = Project(
        input=rows,
        expressions=(*rows.columns(), build.cast(partition, LONG, settings)),
        fields=(*rows.fields, PARTITION[0]),
    )
    number = ranking_call("row_number", (wide.columns()[-1],), tuple(map(ascending, order)), settings)
    row = build.call("-", [build.cast(number, LONG, settings), build.literal(1, LONG)], settings)
    width = len(rows.fields) - 2
    columns = (*wide.columns()[:width], wide.columns()[-1], row)
    return Project(input=wide, expressions=columns, fields=(*rows.fields[:width], *PARTITION))


# ---- repartition and coalesce


def repartition_rows(relation: Repartition, settings: Settings, alike: bool) -> Relation | None:
    below = sliced_rows(relation.input, settings)
    if below is None or not 0 < relation.count <= MOST_PARTITIONS:
        return None
    if any(isinstance(key.child, Literal) for key in relation.keys):
        return None  # by a constant all rows go to one partition
    partition = partition_of(relation, below, settings, alike)
    return None if partition is None else with_row_in_partition(below, partition, below.columns()[-2:], settings)


def partition_of(relation: Repartition, below: Relation, settings: Settings, alike: bool) -> Expression | None:
    keys, count = [key.child for key in relation.keys], relation.count
    if relation.how == "id":
        return modulo(build.call("coalesce", [keys[0], build.literal(0)], settings), count, settings)
    if relation.how == "hash" and all(hashable(key.type) for key in keys):
        return modulo(build.call("hash", keys, settings), count, settings)
    if relation.how == "rounds" and alike:
        return round_robin_partition(relation, below, settings)
    if relation.how == "coalesce":
        return coalesced_partition(relation, below, settings)
    if relation.how == "range":
        return range_partition(relation, settings)
    return None


def modulo(value: Expression, count: int, settings: Settings) -> Expression:
    return build.call("pmod", [value, build.literal(count)], settings)


def round_robin_partition(relation: Repartition, below: Relation, settings: Settings) -> Expression | None:
    """Round robin: each task starts at a random partition (XORShiftRandom of the task number)."""
    count, tasks = relation.count, tasks_of(relation.input, settings)
    if tasks is None or tasks > MOST_PARTITIONS:
        return None
    task, row = below.columns()[-2:]
    starts = [build.literal(first_int(t, count) + 1, LONG) for t in range(tasks)]
    known = [build.call("==", [task, build.literal(t, LONG)], settings) for t in range(tasks)]
    branches = tuple(zip(known, starts, strict=True))
    start = Case(type=LONG, nullable=False, branches=branches, otherwise=build.literal(0, LONG))
    return modulo(build.call("+", [start, row], settings), count, settings)


def coalesced_partition(relation: Repartition, below: Relation, settings: Settings) -> Expression | None:
    """coalesce merges neighbouring partitions."""
    tasks = tasks_of(relation.input, settings)
    if relation.count == 1 or tasks is None:
        return build.literal(0, LONG) if relation.count == 1 else None
    count = min(relation.count, tasks)
    task = below.columns()[-2]
    one, parts, all_tasks, less = (build.literal(value, LONG) for value in (1, count, tasks, tasks - 1))
    above = build.call("*", [build.call("+", [task, one], settings), parts], settings)
    share = build.call("div", [build.call("+", [above, less], settings), all_tasks], settings)
    return build.call("-", [share, one], settings)


def tasks_of(relation: Relation, settings: Settings) -> int | None:
    rows = known_rows(relation)
    while isinstance(relation, Project | Filter):
        relation = relation.input
    if isinstance(relation, Range):
        return relation.partitions or settings.slices
    if isinstance(relation, Scan) and len(relation.input_files) == 1:
        return 1
    return None if rows is None else min(max(rows, 1), settings.slices)


def most_rows(relation: Relation) -> int | None:
    while isinstance(relation, Project | Filter | Sort | RowPositions):
        relation = relation.input
    return rows_of(relation) if isinstance(relation, LEAVES) else None


def known_rows(relation: Relation) -> int | None:
    while isinstance(relation, Project):
        relation = relation.input
    return rows_of(relation) if isinstance(relation, LEAVES) else None


def range_partition(relation: Repartition, settings: Settings) -> Expression | None:
    """RangePartitioner over rows that it samples completely; rows with equal keys on a boundary fall back to Spark."""
    rows, tasks = known_rows(relation.input), tasks_of(relation.input, settings)
    if not rows or tasks is None or rows > MOST_ROWS:
        return None
    if -(-rows // tasks) > -(-3 * SAMPLED * relation.count // tasks):
        return None  # Spark would sample the rows
    rank = ranking_call("rank", (), relation.keys, settings)
    number = ranking_call("row_number", (), relation.keys, settings)
    tests = [build.literal(True), build.call("==", [rank, number], settings)]
    both = build.call("and", tests, settings)
    assert isinstance(both, Call)
    alone = replace(
        both, signature=requiring(both.signature, reasons.PARTITIONS, "repartitionByRange of rows with equal keys")
    )
    cuts = enumerate(range_ends(rows, relation.count))
    branches = [(build.call("<=", [number, build.literal(end)], settings), build.literal(at)) for at, end in cuts]
    last = build.literal(len(branches))
    shared = Case(type=INT, nullable=False, branches=tuple(branches), otherwise=last) if branches else last
    return Case(type=INT, nullable=True, branches=((alone, shared),), otherwise=None)


def range_ends(rows: int, count: int) -> list[int]:
    """The number of rows up to the end of each partition but the last (RangePartitioner.determineBounds)."""
    parts = min(count, rows)
    step = rows / parts
    ends: list[int] = []
    target = step
    for seen in range(1, rows + 1):
        if len(ends) < parts - 1 and seen >= target:
            ends.append(seen)
            target += step
    return ends
