"""Sampling: each row draws the next number of its task's random stream, which decides whether, or how often, it is
taken."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.partition_counts import Partitions, folding_partitions
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.analysis.partitions.row_positions import (
    ascending,
    first_columns,
    has_union,
    is_folded,
    is_small,
    leaves_of,
    rows_of,
    sorted_by,
    with_positions_in_task,
    with_tasks,
)
from twinspark.analysis.partitions.row_values import position_arguments, range_id_column
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.session_info.partition_values import by_row_number as at_place
from twinspark.functions.session_info.partition_values import by_task_position
from twinspark.plan.expressions import Call, Column, Expression
from twinspark.plan.relations import Field, Filter, Join, LocalData, Project, Range, Relation
from twinspark.plan.rewrite import shift_columns
from twinspark.spark_order.emulate import Ordering
from twinspark.spark_order.poisson import MOST_MEAN, counts, task_seeds
from twinspark.types import DOUBLE, INT, LONG, MapType, VariantType, nested_types

Keeps = Callable[[Expression], Expression]  # from a row's random number in [0, 1) to whether the row is taken
FARTHEST = (1 << 63) - (1 << 40)  # the sum of a seed and a task number must fit into a long


def sample_rows(relation: Relation, seed: int, keeps: Keeps, context: Context, sorts: int, folds: bool) -> Relation:
    """Sampling without replacement. `sorts`: by how many of the first columns each task sorts its rows before; `folds`:
    Spark's optimizer samples local rows itself, before they are sliced into tasks."""
    partitions = folding_partitions(context.config)
    if partitions is None or abs(seed) > FARTHEST:
        raise NotNative(reasons.SAMPLE, "which rows it takes depends on Spark's partitions")
    is_sorted = not sorts or (isinstance(relation, Range) and relation.step > 0)
    made = by_number(relation, seed, partitions, context.settings) if is_sorted else None
    made = made or by_position(relation, seed, partitions, context.settings, sorts, folds)
    width = len(relation.fields)
    number = next(i for i, field in enumerate(made.fields) if field == NUMBER)
    kept = Filter(input=made, condition=keeps(made.column(number)), fields=made.fields)
    positions = tuple(map(ascending, kept.columns()[number + 1 :]))
    return first_columns(sorted_by(kept, positions) if positions else kept, width)


NUMBER = Field("number", DOUBLE, False)


def by_number(relation: Relation, seed: int, partitions: Partitions, settings: Settings) -> Relation | None:
    """The id of a range determines the task and the index of a row."""
    index, source = range_id_column(relation, partitions.slices)
    if index is None or source is None:
        return None
    standing = position_arguments(index, source, partitions.slices)
    call = rand(seed, settings)
    draw = replace(call, signature=at_place(call.signature), arguments=(build.literal(seed, LONG), *standing))
    return with_columns(relation, [draw], [NUMBER])


def by_position(
    relation: Relation, seed: int, partitions: Partitions, settings: Settings, sorts: int, folds: bool
) -> Relation:
    known = is_small(relation) and not has_union(relation)
    found = Ordering(partitions, settings).of(relation) if known else None
    if found is None or not found.sliced:
        raise NotNative(reasons.SAMPLE, "which rows it takes depends on Spark's partitions")
    alone = folds and is_folded(found.relation)
    rows = with_positions_in_task(found.relation, 0) if alone else with_tasks(found.relation, partitions.slices)
    task, position = rows.columns()[-2:]
    keys = list(filter(is_orderable, rows.columns()[:sorts]))
    counted = with_columns(rows, [row_number(task, [*keys, position], settings)], [Field("row", INT, False)])
    row = build.call("-", [build.cast(counted.columns()[-1], LONG, settings), build.literal(1, LONG)], settings)
    call = rand(seed, settings)
    draw = replace(call, signature=by_task_position(call.signature), arguments=(build.literal(seed, LONG), task, row))
    width = len(relation.fields)
    columns = counted.columns()
    return Project(
        input=counted,
        expressions=(*columns[:width], draw, task, row),
        fields=(*relation.fields, NUMBER, Field("task", LONG, False), Field("row", LONG, False)),
    )


def sample_with_replacement(relation: Relation, seed: int, mean: float, context: Context) -> Relation:
    """Sampling with replacement: each row as often as it is drawn, the copies one after another."""
    partitions = folding_partitions(context.config)
    known = partitions is not None and is_small(relation) and not has_union(relation)
    found = Ordering(partitions, context.settings).of(relation) if known and partitions is not None else None
    if partitions is None or found is None or not found.sliced or not 0.0 < mean < MOST_MEAN:
        raise NotNative(reasons.SAMPLE, "with replacement, which rows it takes depends on Spark's partitions")
    rows = with_tasks(found.relation, partitions.slices)
    task, position = rows.columns()[-2:]
    counted = with_columns(rows, [row_number(task, [position], context.settings)], [Field("row", INT, False)])
    (leaf,) = leaves_of(relation)
    tasks = leaf.partitions or partitions.slices if isinstance(leaf, Range) else partitions.slices
    if isinstance(leaf, Range) and rows_of(leaf) < tasks:
        raise NotNative(reasons.SAMPLE, "with replacement, over a range with fewer rows than tasks")
    return join_draws(counted, draws(seed, mean, tasks, rows_of(leaf)), len(relation.fields), context.settings)


DRAWS = (Field("drawn_task", LONG, False), Field("drawn_row", INT, False), Field("copy", INT, False))
DRAWN = {LONG: pa.int64(), INT: pa.int32()}


def draws(seed: int, mean: float, tasks: int, rows: int) -> LocalData:
    """The task, row and copy number of every draw, for the largest number of rows that a task can have."""
    most = min(rows, -(-rows // tasks) + 1)
    found = [
        (task, row + 1, copy)
        for task, own in enumerate(task_seeds(seed, tasks))
        for row, count in enumerate(counts(own, mean, most))
        for copy in range(count)
    ]
    columns = list(zip(*found, strict=True)) or [(), (), ()]
    arrays = [pa.array(values, DRAWN[field.type]) for values, field in zip(columns, DRAWS, strict=True)]
    key = hashlib.sha256(f"{seed} {mean} {tasks} {rows}".encode()).hexdigest()
    return LocalData(table=pa.table(arrays, names=[field.name for field in DRAWS]), key=key, fields=DRAWS)


def join_draws(counted: Relation, drawn: LocalData, width: int, settings: Settings) -> Relation:
    wide = len(counted.fields)
    task, _, row = counted.columns()[-3:]
    pairs = ((task, drawn.column(0)), (row, drawn.column(1)))
    tests = [build.call("==", [mine, shift_columns(theirs, wide)], settings) for mine, theirs in pairs]
    fields = (*counted.fields, *drawn.fields)
    both = Join(left=counted, right=drawn, kind="inner", condition=build.call("and", tests, settings), fields=fields)
    return first_columns(sorted_by(both, tuple(map(ascending, both.columns()[-3:]))), width)


def rand(seed: int, settings: Settings) -> Call:
    call = build.call("rand", [build.literal(seed, LONG)], settings)
    assert isinstance(call, Call)
    return call


def row_number(task: Column, keys: Sequence[Column], settings: Settings) -> Expression:
    return ranking_call("row_number", (task,), tuple(map(ascending, keys)), settings)


def is_orderable(column: Column) -> bool:
    """RowOrdering.isOrderable."""
    return not any(isinstance(part, MapType | VariantType) for part in nested_types(column.type))


def with_columns(relation: Relation, expressions: Sequence[Expression], fields: Sequence[Field]) -> Project:
    return Project(input=relation, expressions=(*relation.columns(), *expressions), fields=(*relation.fields, *fields))
