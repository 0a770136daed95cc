"""Groups by the numbers of a range: its rows stand by them already, so that Spark neither shuffles nor sorts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.row_places import PLACES, ascending, placed, sorted_by, without_places
from twinspark.analysis.task_sums import has_tasks
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Aggregate, Filter, Generate, Project, Range, Relation


def in_range_order(relation: Aggregate, below: Relation, settings: Settings) -> Relation | None:
    """The groups as the first row of each came; None of groups by anything else, or by what may be null."""
    number = number_column(relation.input)
    keys = relation.grouping
    if number is None or any(key.nullable for key in keys):
        return None
    if not any(isinstance(key, Column) and key.index == number for key in keys):
        return None
    rows = below if has_tasks(below) else placed(below, 0)
    places = tuple(build.call("min", [column], settings) for column in rows.columns()[-2:])
    fields = (*relation.fields, *PLACES)
    made = replace(relation, input=rows, aggregates=(*relation.aggregates, *places), fields=fields)
    return without_places(sorted_by(made, (ascending(made.columns()[-1]),)))


def number_column(relation: Relation) -> int | None:
    """Which column still holds the numbers of the range below."""
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
    """Whether rows of a range, in several tasks, are grouped by other columns than its numbers."""
    base = relation
    while isinstance(base, Filter | Project):
        base = base.input
    if not isinstance(base, Range) or (base.partitions or slices) == 1:
        return False
    number = number_column(relation)
    return all(isinstance(key, Column) and key.index != number for key in keys)
