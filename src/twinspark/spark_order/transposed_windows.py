"""Of two nested windows Spark may compute the outer one first (TransposeWindow), which changes the order of ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.partitions.row_values import SEEDED, UNSEEDED
from twinspark.plan.expressions import Call, Column, Expression, Literal, PythonCall, Subquery, WindowCall
from twinspark.plan.relations import Field, Project, Relation
from twinspark.plan.rewrite import map_children, replace_columns, walk
from twinspark.spark_order.window_order import windows_in


def transpose_windows(outer: Project) -> Project:
    """Swaps the windows if the outer one partitions by some of the inner one's keys and does not use its result."""
    inner = outer.input
    if not isinstance(inner, Project):
        return outer
    ours, theirs = windows_in(outer.expressions), windows_in(inner.expressions)
    if not ours or not theirs or not (is_one(ours) and is_one(theirs)):
        return outer
    if not all(map(is_deterministic, (*outer.expressions, *inner.expressions))) or not keeps_inputs(inner, ours):
        return outer
    below = [at_input(window, inner) for window in ours]
    coarse, fine = below[0].partition, theirs[0].partition
    if len(coarse) >= len(fine) or any(key not in fine for key in coarse):
        return outer
    return compute_outer_first(outer, inner, ours, below)


def is_one(windows: Sequence[WindowCall]) -> bool:
    first = windows[0]
    return all((w.partition, w.ordering) == (first.partition, first.ordering) for w in windows)


def is_deterministic(expression: Expression) -> bool:
    return not any(
        isinstance(node, Subquery | PythonCall) or (isinstance(node, Call) and node.name in SEEDED | UNSEEDED)
        for node in walk(expression)
    )


def keeps_inputs(inner: Project, windows: Sequence[WindowCall]) -> bool:
    """Whether the outer windows use only columns that the inner projection passes on unchanged: a rename, or an
    expression that Spark computes between the two (ExtractWindowExpressions), would be another column."""
    parts = [part for window in windows for part in inputs_of(window)]
    used = {part.index for part in parts if isinstance(part, Column)}
    return all(isinstance(part, Column | Literal) for part in parts) and all(
        is_own(inner.expressions[index], inner.fields[index], inner.input) for index in used
    )


def inputs_of(window: WindowCall) -> list[Expression]:
    return [*window.function.arguments, *window.partition, *(order.child for order in window.ordering)]


def is_own(expression: Expression, field: Field, input: Relation) -> bool:
    return isinstance(expression, Column) and input.fields[expression.index].name == field.name


def at_input(window: WindowCall, inner: Project) -> WindowCall:
    found = replace_columns(window, lambda column: inner.expressions[column.index])
    assert isinstance(found, WindowCall)
    return found


def compute_outer_first(
    outer: Project, inner: Project, ours: Sequence[WindowCall], below: Sequence[WindowCall]
) -> Project:
    made = tuple(Field(f"window{i}", window.type, window.nullable) for i, window in enumerate(ours))
    input, width = inner.input, len(inner.fields)
    first = Project(input=input, expressions=(*input.columns(), *below), fields=(*input.fields, *made))
    passed = first.columns()[len(input.fields) :]
    second = Project(input=first, expressions=(*inner.expressions, *passed), fields=(*inner.fields, *made))
    known = {id(window): second.column(width + i) for i, window in enumerate(ours)}
    return replace(outer, input=second, expressions=tuple(use_computed_windows(e, known) for e in outer.expressions))


def use_computed_windows(expression: Expression, known: dict[int, Column]) -> Expression:
    def rule(node: Expression) -> Expression:
        return known.get(id(node)) or map_children(node, rule)

    return rule(expression)
