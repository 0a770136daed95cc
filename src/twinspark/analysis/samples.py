"""Samples: each row draws the next number of its task's stream, which says whether it stays, or how often."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from twinspark.analysis import build
from twinspark.analysis.chance import numbered, standing_of
from twinspark.analysis.context import Context
from twinspark.analysis.partitions import Partitions, folding_partitions
from twinspark.analysis.poisson import MOST_MEAN, counts, task_seeds
from twinspark.analysis.row_numbers import ranked
from twinspark.analysis.row_order import Ordering
from twinspark.analysis.row_places import (
    ascending,
    first_columns,
    has_union,
    is_folded,
    is_small,
    leaves_of,
    placed,
    rows_of,
    sorted_by,
    tasked,
)
from twinspark.errors import NotNative
from twinspark.functions.places import drawn
from twinspark.functions.places import placed as at_place
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression
from twinspark.plan.relations import Field, Filter, Join, LocalData, Project, Range, Relation
from twinspark.plan.rewrite import shifted
from twinspark.types import DOUBLE, INT, LONG, MapType, VariantType, nested_types

Keeps = Callable[[Expression], Expression]  # a row's number between zero and one -> whether it stays
FARTHEST = (1 << 63) - (1 << 40)  # a seed and the number of a task make a long


def sampled(relation: Relation, seed: int, keeps: Keeps, context: Context, sorts: bool, folds: bool) -> Relation:
    """The rows that stay. `sorts`: each task sorts its rows first; `folds`: Spark's optimizer samples local rows
    itself, before there are tasks."""
    partitions = folding_partitions(context.config)
    if partitions is None or abs(seed) > FARTHEST:
        raise NotNative("a sample: which rows it takes depends on Spark's partitions")
    is_sorted = not sorts or (isinstance(relation, Range) and relation.step > 0)
    made = by_number(relation, seed, partitions, context.settings) if is_sorted else None
    made = made or by_place(relation, seed, partitions, context.settings, sorts, folds)
    width = len(relation.fields)
    number = next(i for i, field in enumerate(made.fields) if field == NUMBER)
    kept = Filter(input=made, condition=keeps(made.column(number)), fields=made.fields)
    places = tuple(map(ascending, kept.columns()[number + 1 :]))
    return first_columns(sorted_by(kept, places) if places else kept, width)


NUMBER = Field("number", DOUBLE, False)


def by_number(relation: Relation, seed: int, partitions: Partitions, settings: Settings) -> Relation | None:
    """Of a range the numbers themselves tell where a row stands."""
    index, source = numbered(relation, partitions.slices)
    if index is None or source is None:
        return None
    standing = standing_of(index, source, partitions.slices)
    call = rand(seed, settings)
    draw = replace(call, signature=at_place(call.signature), arguments=(build.literal(seed, LONG), *standing))
    return with_columns(relation, [draw], [NUMBER])


def by_place(
    relation: Relation, seed: int, partitions: Partitions, settings: Settings, sorts: bool, folds: bool
) -> Relation:
    known = is_small(relation) and not has_union(relation)
    found = Ordering(partitions, settings).of(relation) if known else None
    if found is None or not found.sliced:
        raise NotNative("a sample: which rows it takes depends on Spark's partitions")
    alone = folds and is_folded(found.relation)
    rows = placed(found.relation, 0) if alone else tasked(found.relation, partitions.slices)
    task, place = rows.columns()[-2:]
    keys = [c for c in rows.columns()[:-2] if is_orderable(c)] if sorts else []
    counted = with_columns(rows, [row_number(task, [*keys, place], settings)], [Field("row", INT, False)])
    row = build.call("-", [build.cast(counted.columns()[-1], LONG, settings), build.literal(1, LONG)], settings)
    call = rand(seed, settings)
    draw = replace(call, signature=drawn(call.signature), arguments=(build.literal(seed, LONG), task, row))
    width = len(relation.fields)
    columns = counted.columns()
    return Project(
        input=counted,
        expressions=(*columns[:width], draw, task, row),
        fields=(*relation.fields, NUMBER, Field("task", LONG, False), Field("row", LONG, False)),
    )


def resampled(relation: Relation, seed: int, mean: float, context: Context) -> Relation:
    """With replacement: each row as often as it is drawn, one after another."""
    partitions = folding_partitions(context.config)
    known = partitions is not None and is_small(relation) and not has_union(relation)
    found = Ordering(partitions, context.settings).of(relation) if known and partitions is not None else None
    if partitions is None or found is None or not found.sliced or not 0.0 < mean < MOST_MEAN:
        raise NotNative("a sample with replacement: which rows it takes depends on Spark's partitions")
    rows = tasked(found.relation, partitions.slices)
    task, place = rows.columns()[-2:]
    counted = with_columns(rows, [row_number(task, [place], context.settings)], [Field("row", INT, False)])
    (leaf,) = leaves_of(relation)
    tasks = leaf.partitions or partitions.slices if isinstance(leaf, Range) else partitions.slices
    if isinstance(leaf, Range) and rows_of(leaf) < tasks:
        raise NotNative("a sample with replacement of a range that has fewer numbers than tasks")
    return joined(counted, draws(seed, mean, tasks, rows_of(leaf)), len(relation.fields), context.settings)


DRAWS = (Field("drawn_task", LONG, False), Field("drawn_row", INT, False), Field("copy", INT, False))
DRAWN = {LONG: pa.int64(), INT: pa.int32()}


def draws(seed: int, mean: float, tasks: int, rows: int) -> LocalData:
    """Task, row and number of every draw; a task has no more rows than there are."""
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


def joined(counted: Relation, drawn: LocalData, width: int, settings: Settings) -> Relation:
    wide = len(counted.fields)
    task, _, row = counted.columns()[-3:]
    pairs = ((task, drawn.column(0)), (row, drawn.column(1)))
    tests = [build.call("==", [mine, shifted(theirs, wide)], settings) for mine, theirs in pairs]
    fields = (*counted.fields, *drawn.fields)
    both = Join(left=counted, right=drawn, kind="inner", condition=build.call("and", tests, settings), fields=fields)
    return first_columns(sorted_by(both, tuple(map(ascending, both.columns()[-3:]))), width)


def rand(seed: int, settings: Settings) -> Call:
    call = build.call("rand", [build.literal(seed, LONG)], settings)
    assert isinstance(call, Call)
    return call


def row_number(task: Column, keys: Sequence[Column], settings: Settings) -> Expression:
    return ranked("row_number", (task,), tuple(map(ascending, keys)), settings)


def is_orderable(column: Column) -> bool:
    """RowOrdering.isOrderable."""
    return not any(isinstance(part, MapType | VariantType) for part in nested_types(column.type))


def with_columns(relation: Relation, expressions: Sequence[Expression], fields: Sequence[Field]) -> Project:
    return Project(input=relation, expressions=(*relation.columns(), *expressions), fields=(*relation.fields, *fields))
