"""Builds Pivot: one column per pivot value and aggregate, aggregated over the rows with that value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.aggregates import aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import AggregateCall, Expression, Literal
from twinspark.plan.rewrite import map_children
from twinspark.types import (
    BooleanType,
    DataType,
    DateType,
    is_numeric,
    is_string,
)

# Where Spark does not pivot in two steps, it sets the arguments in other rows to null: these aggregates skip nulls.
SKIPS_NULLS = frozenset({"sum", "avg", "mean", "min", "max", "count", "collect_list", "collect_set"})
NULL_OF_NO_ROWS = frozenset({"sum", "avg", "mean", "min", "max"})


def pivot(
    frame: Frame,
    grouping: Sequence[Named],
    outputs: Sequence[Named],
    column: Expression,
    values: Sequence[Literal],
    settings: Settings,
) -> Frame:
    return pivot_by(frame, grouping, outputs, [column], [(value,) for value in values], settings)


def pivot_by(
    frame: Frame,
    grouping: Sequence[Named],
    outputs: Sequence[Named],
    columns: Sequence[Expression],
    values: Sequence[tuple[Literal, ...]],
    settings: Settings,
) -> Frame:
    """With several pivot columns a value is a constant for each of them."""
    if len({tuple(part.value for part in value) for value in values}) < len(values):
        raise NotNative(reasons.PIVOT, "a pivot value is given twice")
    in_two_steps = all(takes_two_steps(output.expression.type) for output in outputs)
    made = [
        pivot_column(output, columns, value, len(outputs) == 1, in_two_steps, settings)
        for value in values
        for output in outputs
    ]
    return aggregate(frame, [g.expression for g in grouping], [*grouping, *made])


def takes_two_steps(type: DataType) -> bool:
    """PivotFirst.supportsDataType: Spark groups by the pivot value first, so a missing combination is null, even for
    counts."""
    return is_numeric(type) or isinstance(type, BooleanType)


def pivot_column(
    output: Named,
    columns: Sequence[Expression],
    value: tuple[Literal, ...],
    alone: bool,
    in_two_steps: bool,
    settings: Settings,
) -> Named:
    if in_two_steps and any(part.value != part.value for part in value):
        # PivotFirst looks values up by Scala's ==, which does not find NaN.
        raise NotNative(reasons.PIVOT, "NaN as pivot value")
    test = matches(columns, value, settings)
    shown = values_name(value)
    name = shown if alone else f"{shown}_{output.name}"
    made = filter_aggregates(output.expression, test, in_two_steps)
    if in_two_steps and not is_null_of_no_rows(made):
        made = present_or_null(made, test, settings)
    return Named(made, name)


def is_null_of_no_rows(made: Expression) -> bool:
    """Aggregates that are null without rows need no row count, which would double the aggregates of a wide pivot."""
    return isinstance(made, AggregateCall) and made.name in NULL_OF_NO_ROWS


def matches(columns: Sequence[Expression], value: tuple[Literal, ...], settings: Settings) -> Expression:
    tests = [
        build.call("<=>", [column, build.implicit_cast(part, column.type, settings)], settings)
        for column, part in zip(columns, value, strict=True)
    ]
    return reduce(lambda left, right: build.call("and", [left, right], settings), tests)


def values_name(value: tuple[Literal, ...]) -> str:
    """Values of several columns are shown like a struct."""
    names = [value_name(part) for part in value]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def value_name(value: Literal) -> str:
    type = value.type
    if value.value is None:
        return "null"
    if isinstance(type, BooleanType):
        return "true" if value.value else "false"
    if is_string(type) or is_numeric(type) or isinstance(type, DateType):
        return value.text.removeprefix("DATE '").removesuffix("'") if isinstance(type, DateType) else value.text
    raise NotNative(reasons.PIVOT, "the pivot column is not a string, number, date or boolean")


def present_or_null(made: Expression, test: Expression, settings: Settings) -> Expression:
    rows = build.call("count", [build.literal(1)], settings)
    assert isinstance(rows, AggregateCall)
    some = build.call(">", [replace(rows, filter=test), build.literal(0)], settings)
    return build.case_when([(some, made)], None, settings)


def filter_aggregates(expression: Expression, test: Expression, in_two_steps: bool) -> Expression:
    def rule(node: Expression) -> Expression:
        if not isinstance(node, AggregateCall):
            return map_children(node, rule)
        if node.filter is not None or (not in_two_steps and node.name not in SKIPS_NULLS):
            raise NotNative(reasons.PIVOT, f"{node.name} as aggregate function")
        return replace(node, filter=test)

    return rule(expression)
