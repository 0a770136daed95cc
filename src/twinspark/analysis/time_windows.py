"""Rows grouped by windows of time: those without an instant are in none, overlapping windows multiply the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.build import call
from twinspark.analysis.relations import Named, is_time_window
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.functions.time_windows import overlap
from twinspark.plan.expressions import Call, Column, Expression
from twinspark.plan.relations import Field, Filter, Generate, Relation
from twinspark.plan.rewrite import map_children

Grouped = tuple[Frame, Sequence[Expression], Sequence[Named]]


def in_windows(frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named]) -> Grouped:
    """What is grouped, by what, and what comes out, where a key is a window of time; else as it was."""
    found = [key for key in grouping if isinstance(key, Call) and is_time_window(key)]
    if not found:
        return frame, grouping, outputs
    if any(window != found[0] for window in found):
        raise NotNative("groups by several windows of time")
    (window,) = found[:1]
    if not overlap(window):
        return replace(frame, relation=with_instant(frame.relation, window)), grouping, outputs
    relation, column = spread(frame.relation, window)
    columns = [replace(o, expression=put(column, window, o.expression), metadata=o.told) for o in outputs]
    return replace(frame, relation=relation), [put(column, window, key) for key in grouping], columns


def with_instant(relation: Relation, window: Call) -> Relation:
    instant = window.arguments[0]
    if not instant.nullable:
        return relation
    condition = call("isnotnull", [instant], window.settings)
    return Filter(input=relation, condition=condition, fields=relation.fields)


def spread(relation: Relation, window: Call) -> tuple[Relation, Column]:
    """Each row as often as there are windows around its instant."""
    generator = call("explode", [call("timewindows", window.arguments, window.settings)], window.settings)
    assert isinstance(generator, Call)
    field = Field("window", window.type, True)
    made = Generate(input=relation, generator=generator, outer=False, fields=(*relation.fields, field))
    return made, Column(type=field.type, nullable=True, text="window", index=len(relation.fields))


def put(column: Column, window: Call, into: Expression) -> Expression:
    def rule(node: Expression) -> Expression:
        return column if node == window else map_children(node, rule)

    return rule(into)
