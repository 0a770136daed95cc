"""GROUP BY window(...): drops rows without a timestamp and repeats rows that are in several sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions.build import call
from twinspark.analysis.relations.basics import WINDOWS, Named, is_time_window
from twinspark.analysis.relations.session_windows import sessions_of
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, reasons
from twinspark.functions.time.time_windows import overlap
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression
from twinspark.plan.relations import Field, Filter, Generate, Relation
from twinspark.plan.rewrite import map_children, walk

Grouped = tuple[Frame, Sequence[Expression], Sequence[Named]]


def in_windows(frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named]) -> Grouped:
    """Adds a column for a time window among the grouping keys, and replaces the key by it; otherwise unchanged."""
    sessions = [key for key in grouping if isinstance(key, Call) and key.name == "session_window"]
    if sessions:
        return in_sessions(frame, grouping, outputs, sessions[0])
    found = [key for key in grouping if isinstance(key, Call) and is_time_window(key)]
    if not found:
        return frame, grouping, outputs
    if any(window != found[0] for window in found):
        raise NotNative(reasons.TIME_WINDOW, "grouping by several time windows")
    (window,) = found[:1]
    if not overlap(window):
        return replace(frame, relation=with_instant(frame.relation, window)), grouping, outputs
    relation, column = expand_windows(frame.relation, window)
    return by_column(replace(frame, relation=relation), grouping, outputs, window, column)


def by_column(
    frame: Frame, grouping: Sequence[Expression], outputs: Sequence[Named], window: Call, column: Column
) -> Grouped:
    columns = [
        replace(o, expression=replace_window(column, window, o.expression), metadata=o.output_metadata) for o in outputs
    ]
    return frame, [replace_window(column, window, key) for key in grouping], columns


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
        raise NotNative(reasons.TIME_WINDOW, "session_window beside another time window, or with DISTINCT aggregates")
    keys = [key for key in grouping if key != window]
    relation, column = sessions_of(with_instant(frame.relation, window), keys, window)
    return by_column(replace(frame, relation=relation), grouping, outputs, window, column)


def expand_windows(relation: Relation, window: Call) -> tuple[Relation, Column]:
    """Repeats each row for each sliding window that contains its timestamp."""
    generator = call("explode", [call("timewindows", window.arguments, window.settings)], window.settings)
    assert isinstance(generator, Call)
    field = Field("window", window.type, True)
    made = Generate(input=relation, generator=generator, outer=False, fields=(*relation.fields, field))
    return made, Column(type=field.type, nullable=True, text="window", index=len(relation.fields))


def replace_window(column: Column, window: Call, into: Expression) -> Expression:
    def rule(node: Expression) -> Expression:
        return column if node == window else map_children(node, rule)

    return rule(into)
