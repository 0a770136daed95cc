"""As-of joins and NEAREST BY joins: each left row with its nearest rows of the right side.

Which of several equally near rows Spark keeps depends on the order in which its tasks finish; where that would matter,
the query falls back to Spark while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.analysis.relations.basics import visible
from twinspark.analysis.relations.joins import join_frames, make_nullable, with_join_kind
from twinspark.analysis.scope.frames import Frame, deeper
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.guards import requiring
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, SortOrder
from twinspark.plan.relations import Field, Filter, Join, Project, Relation, Repartition
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
TIE = "an as-of join where several rows are equally near"


@dataclass(frozen=True)
class Nearest:
    """Which right rows are joined: up to `count` of those that meet the condition, by `distance`."""

    condition: Expression | None
    distance: Expression
    count: int = 1
    largest: bool = False


FindNearest = Callable[[Frame], Nearest]  # resolved against both sides


def nearest_join(left: Frame, right: Frame, kind: str, sought: FindNearest, settings: Settings) -> Frame:
    """kind: inner or left. Rows whose distance is null do not match."""
    sides = join_frames(left, right, "inner")
    assert isinstance(sides.relation, Join)
    wanted = sought(sides)
    if not is_numeric(wanted.distance.type) and not isinstance(wanted.distance.type, ORDERABLE):
        raise NotNative(reasons.JOIN_AS_OF, f"the distance is a {wanted.distance.type.simpleString()}")
    result = with_join_kind(sides, left, kind)
    relation = nearest_rows(sides.relation, result.relation.fields, wanted, kind, settings)
    return replace(result, relation=relation, plans=deeper(result.plans, visible(result)))


def nearest_rows(sides: Join, fields: tuple[Field, ...], wanted: Nearest, kind: str, settings: Settings) -> Relation:
    """Ranks the right rows of each left row by distance and keeps the nearest."""
    paired = pairs(sides, wanted, kind, settings)
    ranked, known, rank, number = with_ranks(paired, wanted, settings)
    last = build.literal(wanted.count)
    near = build.call("and", [known, at_most(rank, last, settings)], settings)
    both = build.call("and", [near, at_most(number, last, settings)], settings)
    assert isinstance(both, Call)
    kept: Expression = replace(both, signature=requiring(both.signature, reasons.PARTITIONS, TIE))
    if kind == "left":
        alone = build.call("and", [negate(known, settings), at_most(number, build.literal(1), settings)], settings)
        kept = build.call("or", [alone, kept], settings)
    filtered = Filter(input=ranked, condition=kept, fields=ranked.fields)
    made = Project(input=filtered, expressions=side_columns(sides, filtered, known, kind, settings), fields=fields)
    return made if kind == "left" else Repartition(input=made, fields=fields)  # Spark's inner join shuffles its rows


def pairs(sides: Join, wanted: Nearest, kind: str, settings: Settings) -> Join:
    """Numbers the left rows and marks the right ones."""
    left = add_column(sides.left, ranking_call("row_number", (), (), settings), Field("row", INT, False))
    right = add_column(sides.right, build.literal(True), Field("found", BOOLEAN, False))
    right_fields = tuple(replace(f, nullable=f.nullable or kind == "left") for f in right.fields)
    condition = None if wanted.condition is None else shift_right_columns(wanted.condition, len(sides.left.fields))
    return Join(left=left, right=right, kind=kind, condition=condition, fields=(*left.fields, *right_fields))


def with_ranks(
    paired: Join, wanted: Nearest, settings: Settings
) -> tuple[Relation, Expression, Expression, Expression]:
    """Adds three columns: whether the distance is known, the rank by distance, and the row number by distance."""
    distance = shift_right_columns(wanted.distance, len(paired.left.fields) - 1)
    is_there = [build.call("isnotnull", [e], settings) for e in (paired.columns()[-1], distance)]
    known = build.call("and", is_there, settings)
    ordering = (
        SortOrder(child=known, ascending=False),
        SortOrder(child=distance, ascending=not wanted.largest, nulls_first=False),
    )
    row = paired.column(len(paired.left.fields) - 1)
    ranks = [ranking_call(name, (row,), ordering, settings) for name in ("rank", "row_number")]
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


def shift_right_columns(expression: Expression, width: int) -> Expression:
    """Shifts the columns of the right side by one, since the left side has one column more."""

    def rule(column: Column) -> Column:
        return replace(column, index=column.index + 1) if column.index >= width else column

    return replace_columns(expression, rule)


def add_column(relation: Relation, expression: Expression, field: Field) -> Project:
    return Project(input=relation, expressions=(*relation.columns(), expression), fields=(*relation.fields, field))


def at_most(value: Expression, most: Expression, settings: Settings) -> Expression:
    return build.call("<=", [value, most], settings)


def negate(test: Expression, settings: Settings) -> Expression:
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
    context: Context,
) -> Frame:
    """The columns of both sides are nullable (NearestByJoin.output)."""
    check_nearest_by(context)

    def sought(sides: Frame) -> Nearest:
        found = ranking(sides)
        if any(isinstance(node, Call) and node.name in BY_CHANCE for node in walk(found)):
            raise NotNative(reasons.NONDETERMINISTIC, "an as-of join whose condition or distance is nondeterministic")
        return Nearest(None, found, count, largest)

    return nullable(nearest_join(left, right, kind, sought, context.settings))


def check_nearest_by(context: Context) -> None:
    """Falls back where Spark rejects these joins: of streams, and with cross joins disabled (CheckAnalysis)."""
    if context.streams:
        raise NotNative(reasons.STREAMING)
    if not context.flag("spark.sql.crossJoin.enabled"):
        raise NotNative(reasons.SETTING_VALUE, "a nearest-by join with spark.sql.crossJoin.enabled = false")


def nullable(frame: Frame) -> Frame:
    relation = replace(frame.relation, fields=tuple(replace(f, nullable=True) for f in frame.relation.fields))
    attributes, hidden = (make_nullable(each, True) for each in (frame.attributes, frame.hidden))
    return replace(frame, relation=relation, attributes=attributes, hidden=hidden)
