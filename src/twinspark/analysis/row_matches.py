"""Rows of one relation that another has too: how often each has come, and where the first of its like stood."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from twinspark.analysis import build
from twinspark.analysis.row_numbers import ranked
from twinspark.analysis.row_places import PLACES, ascending
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, WindowCall
from twinspark.plan.relations import Field, Project, Relation
from twinspark.plan.rewrite import shifted
from twinspark.types import INT, LONG


def counted(numbered: Relation, width: int, settings: Settings) -> Relation:
    """`copies` of the first columns."""
    return copies(numbered, numbered.columns()[:width], settings)


def copies(numbered: Relation, keys: Sequence[Expression], settings: Settings) -> Relation:
    """With a column more: how many rows of the same keys have come, itself among them."""
    order = (ascending(numbered.column(len(numbered.fields) - 1)),)
    number = ranked("row_number", tuple(keys), order, settings)
    return Project(
        input=numbered,
        expressions=(*numbered.columns(), number),
        fields=(*numbered.fields, Field("copy", INT, False)),
    )


def first_places(rows: Relation, width: int, settings: Settings) -> Relation:
    """With two columns more: where the first row of the same values stood."""
    keys = rows.columns()[:width]
    places = [least_of(rows.column(width + i), keys, settings) for i in (0, 1)]
    return Project(input=rows, expressions=(*rows.columns(), *places), fields=(*rows.fields, *PLACES))


def least_of(column: Column, keys: Sequence[Expression], settings: Settings) -> Expression:
    function = build.call("min", [column], settings)
    assert isinstance(function, Call)
    return WindowCall(type=LONG, nullable=False, function=function, partition=tuple(keys), ordering=(), frame=None)


def places_first(joined: Relation, width: int) -> Relation:
    columns = joined.columns()
    chosen = (*columns[:width], *columns[-2:])
    return Project(input=joined, expressions=chosen, fields=tuple(joined.fields[c.index] for c in chosen))


def equal(ours: Relation, theirs: Relation, pairs: Sequence[tuple[int, int]], settings: Settings) -> Expression:
    offset = len(ours.fields)
    tests = [build.call("<=>", [ours.column(a), shifted(theirs.column(b), offset)], settings) for a, b in pairs]
    return reduce(lambda found, test: build.call("and", [found, test], settings), tests)
