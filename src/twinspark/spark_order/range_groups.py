"""Groups by the id column of `range`: its rows are sorted and partitioned by it, so Spark neither shuffles nor sorts
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_positions import (
    POSITION_FIELDS,
    ascending,
    sorted_by,
    with_positions_in_task,
    without_positions,
)
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Aggregate, Filter, Generate, Project, Range, Relation
from twinspark.spark_order.task_sums import has_tasks


def in_range_order(relation: Aggregate, below: Relation, settings: Settings) -> Relation | None:
    """Groups in the order of their first rows; None if the id is not among the keys, or if a key is nullable."""
    number = number_column(relation.input)
    keys = relation.grouping
    if number is None or any(key.nullable for key in keys):
        return None
    if not any(isinstance(key, Column) and key.index == number for key in keys):
        return None
    rows = below if has_tasks(below) else with_positions_in_task(below, 0)
    positions = tuple(build.call("min", [column], settings) for column in rows.columns()[-2:])
    fields = (*relation.fields, *POSITION_FIELDS)
    made = replace(relation, input=rows, aggregates=(*relation.aggregates, *positions), fields=fields)
    return without_positions(sorted_by(made, (ascending(made.columns()[-1]),)))


def number_column(relation: Relation) -> int | None:
    """The index of the column that still holds the id of the range below."""
    match relation:
        case Range():
            return 0
        case Filter(input=input) | Generate(input=input):
            return number_column(input)
        case Project(input=input, expressions=expressions):
            index = number_column(input)
            passed = (i for i, e in enumerate(expressions) if isinstance(e, Column) and e.index == index)
            return next(passed, None) if index is not None else None
        case _:
            return None


def shuffles_range(keys: Sequence[Expression], relation: Relation, slices: int) -> bool:
    """Whether rows of a range in several tasks are grouped by columns other than its id."""
    base = relation
    while isinstance(base, Filter | Project):
        base = base.input
    if not isinstance(base, Range) or (base.partitions or slices) == 1:
        return False
    number = number_column(relation)
    return all(isinstance(key, Column) and key.index != number for key in keys)
