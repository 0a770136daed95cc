"""Joins with the nearest rows of the other side: as-of joins and joins NEAREST BY.

Spark keeps one of several rows that are equally near by the order its tasks finish in; where that would matter the
plan is left to Spark, while the rows are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from twinspark.analysis import build
from twinspark.analysis.joins import joined, joined_as, nulled
from twinspark.analysis.relations import visible
from twinspark.analysis.row_numbers import ranked
from twinspark.analysis.scope import Frame, deeper
from twinspark.errors import NotNative
from twinspark.functions.guards import requiring
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, SortOrder
from twinspark.plan.relations import Field, Filter, Join, Project, Relation, Spread
from twinspark.plan.rewrite import replace_columns, walk
from twinspark.types import (
    BOOLEAN,
    INT,
    DateType,
    DayTimeIntervalType,
    TimestampNTZType,
    TimestampType,
    is_numeric,
)

ORDERABLE = (DateType, TimestampType, TimestampNTZType, DayTimeIntervalType)
TIE = "several rows as near: which of them is joined is a matter of Spark's partitions"


@dataclass(frozen=True)
class Nearest:
    """Which rows of the right are joined: up to `count` of those that meet the condition, by their `distance`."""

    condition: Expression | None
    distance: Expression
    count: int = 1
    largest: bool = False


Sought = Callable[[Frame], Nearest]  # resolved against both sides


def nearest_join(left: Frame, right: Frame, kind: str, sought: Sought, settings: Settings) -> Frame:
    """kind: inner or left. Rows of which the distance is not known are not near."""
    sides = joined(left, right, "inner")
    assert isinstance(sides.relation, Join)
    wanted = sought(sides)
    if not is_numeric(wanted.distance.type) and not isinstance(wanted.distance.type, ORDERABLE):
        raise NotNative(f"the nearest rows by a {wanted.distance.type.simpleString()}")
    result = joined_as(sides, left, kind)
    relation = chosen(sides.relation, result.relation.fields, wanted, kind, settings)
    return replace(result, relation=relation, plans=deeper(result.plans, visible(result)))


def chosen(sides: Join, fields: tuple[Field, ...], wanted: Nearest, kind: str, settings: Settings) -> Relation:
    """The pairs, each with its rank among those of its row on the left, and of them the nearest."""
    paired = pairs(sides, wanted, kind, settings)
    ranked, known, rank, number = with_ranks(paired, wanted, settings)
    last = build.literal(wanted.count)
    near = build.call("and", [known, at_most(rank, last, settings)], settings)
    both = build.call("and", [near, at_most(number, last, settings)], settings)
    assert isinstance(both, Call)
    kept: Expression = replace(both, signature=requiring(both.signature, TIE))
    if kind == "left":
        alone = build.call("and", [negated(known, settings), at_most(number, build.literal(1), settings)], settings)
        kept = build.call("or", [alone, kept], settings)
    filtered = Filter(input=ranked, condition=kept, fields=ranked.fields)
    made = Project(input=filtered, expressions=side_columns(sides, filtered, known, kind, settings), fields=fields)
    return made if kind == "left" else Spread(input=made, fields=fields)  # Spark shuffles rows that may have none


def pairs(sides: Join, wanted: Nearest, kind: str, settings: Settings) -> Join:
    """Rows of the left are told apart by a number, and those of the right marked."""
    left = widened(sides.left, ranked("row_number", (), (), settings), Field("row", INT, False))
    right = widened(sides.right, build.literal(True), Field("found", BOOLEAN, False))
    right_fields = tuple(replace(f, nullable=f.nullable or kind == "left") for f in right.fields)
    condition = None if wanted.condition is None else moved(wanted.condition, len(sides.left.fields))
    return Join(left=left, right=right, kind=kind, condition=condition, fields=(*left.fields, *right_fields))


def with_ranks(
    paired: Join, wanted: Nearest, settings: Settings
) -> tuple[Relation, Expression, Expression, Expression]:
    """The pairs with three columns more: whether there is a distance, the rank by it, and the place by it."""
    distance = moved(wanted.distance, len(paired.left.fields) - 1)
    is_there = [build.call("isnotnull", [e], settings) for e in (paired.columns()[-1], distance)]
    known = build.call("and", is_there, settings)
    ordering = (
        SortOrder(child=known, ascending=False),
        SortOrder(child=distance, ascending=not wanted.largest, nulls_first=False),
    )
    row = paired.column(len(paired.left.fields) - 1)
    ranks = [ranked(name, (row,), ordering, settings) for name in ("rank", "row_number")]
    made = paired.columns()
    fields = (*paired.fields, Field("known", BOOLEAN, False), Field("rank", INT, False), Field("number", INT, False))
    whole = Project(input=paired, expressions=(*made, known, *ranks), fields=fields)
    known_column, rank, number = whole.columns()[-3:]
    return whole, known_column, rank, number


def side_columns(
    sides: Join, filtered: Relation, known: Expression, kind: str, settings: Settings
) -> tuple[Expression, ...]:
    width = len(sides.left.fields)
    columns = filtered.columns()
    theirs: tuple[Expression, ...] = columns[width + 1 : width + 1 + len(sides.right.fields)]
    if kind == "left":
        theirs = tuple(build.case_when([(known, column)], None, settings) for column in theirs)
    return (*columns[:width], *theirs)


def moved(expression: Expression, width: int) -> Expression:
    """Columns of the right, behind so many of the left, stand one place farther."""

    def rule(column: Column) -> Column:
        return replace(column, index=column.index + 1) if column.index >= width else column

    return replace_columns(expression, rule)


def widened(relation: Relation, expression: Expression, field: Field) -> Project:
    return Project(input=relation, expressions=(*relation.columns(), expression), fields=(*relation.fields, field))


def at_most(value: Expression, most: Expression, settings: Settings) -> Expression:
    return build.call("<=", [value, most], settings)


def negated(test: Expression, settings: Settings) -> Expression:
    return build.call("not", [test], settings)


# ---- NEAREST BY

BY_CHANCE = frozenset(["rand", "randn", "uuid", "shuffle", "uniform", "randstr", "monotonically_increasing_id"])


def nearest_by_join(
    left: Frame,
    right: Frame,
    kind: str,
    ranking: Callable[[Frame], Expression],
    count: int,
    largest: bool,
    settings: Settings,
) -> Frame:
    """Both sides' columns may be null (NearestByJoin.output)."""

    def sought(sides: Frame) -> Nearest:
        found = ranking(sides)
        if any(isinstance(node, Call) and node.name in BY_CHANCE for node in walk(found)):
            raise NotNative("the nearest rows by chance")
        return Nearest(None, found, count, largest)

    return nullable(nearest_join(left, right, kind, sought, settings))


def nullable(frame: Frame) -> Frame:
    relation = replace(frame.relation, fields=tuple(replace(f, nullable=True) for f in frame.relation.fields))
    attributes, hidden = (nulled(each, True) for each in (frame.attributes, frame.hidden))
    return replace(frame, relation=relation, attributes=attributes, hidden=hidden)
