"""INTERSECT and EXCEPT over rows with positions: numbers equal rows and finds the position of the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.analysis.partitions.row_positions import POSITION_FIELDS, ascending
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, WindowCall
from twinspark.plan.relations import Field, Project, Relation
from twinspark.plan.rewrite import shift_columns
from twinspark.types import INT, LONG


def with_row_copy_number(numbered: Relation, width: int, settings: Settings) -> Relation:
    """Numbers the rows that are equal in their first columns."""
    return with_copy_number(numbered, numbered.columns()[:width], settings)


def with_copy_number(numbered: Relation, keys: Sequence[Expression], settings: Settings) -> Relation:
    """Adds a column that numbers the rows with equal keys from one."""
    order = (ascending(numbered.column(len(numbered.fields) - 1)),)
    number = ranking_call("row_number", tuple(keys), order, settings)
    return Project(
        input=numbered,
        expressions=(*numbered.columns(), number),
        fields=(*numbered.fields, Field("copy", INT, False)),
    )


def with_first_positions(rows: Relation, width: int, settings: Settings) -> Relation:
    """Adds two columns: the task and position of the first row with the same values."""
    keys = rows.columns()[:width]
    positions = [least_of(rows.column(width + i), keys, settings) for i in (0, 1)]
    return Project(input=rows, expressions=(*rows.columns(), *positions), fields=(*rows.fields, *POSITION_FIELDS))


def least_of(column: Column, keys: Sequence[Expression], settings: Settings) -> Expression:
    function = build.call("min", [column], settings)
    assert isinstance(function, Call)
    return WindowCall(type=LONG, nullable=False, function=function, partition=tuple(keys), ordering=(), frame=None)


def use_first_positions(joined: Relation, width: int) -> Relation:
    columns = joined.columns()
    chosen = (*columns[:width], *columns[-2:])
    return Project(input=joined, expressions=chosen, fields=tuple(joined.fields[c.index] for c in chosen))


def equal(ours: Relation, theirs: Relation, pairs: Sequence[tuple[int, int]], settings: Settings) -> Expression:
    offset = len(ours.fields)
    tests = [build.call("<=>", [ours.column(a), shift_columns(theirs.column(b), offset)], settings) for a, b in pairs]
    return reduce(lambda found, test: build.call("and", [found, test], settings), tests)
