"""Rows grouped by windows of time: those without an instant are in none, overlapping windows multiply the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.build import call
from twinspark.analysis.relations import WINDOWS, Named, is_time_window
from twinspark.analysis.scope import Frame
from twinspark.analysis.session_windows import sessions_of
from twinspark.errors import NotNative
from twinspark.functions.time_windows import overlap
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression
from twinspark.plan.relations import Field, Filter, Generate, Relation
from twinspark.plan.rewrite import map_children, walk

Grouped = tuple[Frame, Sequence[Expression], Sequence[Named]]


def in_windows(frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named]) -> Grouped:
    """What is grouped, by what, and what comes out, where a key is a window of time; else as it was."""
    sessions = [key for key in grouping if isinstance(key, Call) and key.name == "session_window"]
    if sessions:
        return in_sessions(frame, grouping, outputs, sessions[0])
    found = [key for key in grouping if isinstance(key, Call) and is_time_window(key)]
    if not found:
        return frame, grouping, outputs
    if any(window != found[0] for window in found):
        raise NotNative("groups by several windows of time")
    (window,) = found[:1]
    if not overlap(window):
        return replace(frame, relation=with_instant(frame.relation, window)), grouping, outputs
    relation, column = spread(frame.relation, window)
    return by_column(replace(frame, relation=relation), grouping, outputs, window, column)


def by_column(
    frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named], window: Call, column: Column
) -> Grouped:
    columns = [replace(o, expression=put(column, window, o.expression), metadata=o.told) for o in outputs]
    return frame, [put(column, window, key) for key in grouping], columns


def with_instant(relation: Relation, window: Call) -> Relation:
    instant = window.arguments[0]
    if not instant.nullable:
        return relation
    condition = call("isnotnull", [instant], window.settings)
    return Filter(input=relation, condition=condition, fields=relation.fields)


def in_sessions(frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named], window: Call) -> Grouped:
    calls = [node for o in outputs for node in walk(o.expression)]
    windows = {node for node in (*calls, *grouping) if isinstance(node, Call) and node.name in WINDOWS}
    if windows != {window} or any(isinstance(node, AggregateCall) and node.distinct for node in calls):
        raise NotNative("sessions and other windows of time, or distinct values in them")
    keys = [key for key in grouping if key != window]
    relation, column = sessions_of(with_instant(frame.relation, window), keys, window)
    return by_column(replace(frame, relation=relation), grouping, outputs, window, column)


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
