"""A fast path for long chains of withColumn: appends columns without rebuilding those that exist."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.partitions.row_values import SEEDED, UNSEEDED
from twinspark.analysis.relations.basics import Named, projection_frame
from twinspark.analysis.scope.frames import Frame, Passed
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Column
from twinspark.plan.relations import Project
from twinspark.plan.rewrite import walk

POSITION_DEPENDENT = SEEDED | UNSEEDED | {"input_file_name", "input_file_block_start", "input_file_block_length"}


def append_columns(frame: Frame, columns: Sequence[Named], settings: Settings) -> Frame | None:
    """Appends the columns to the frame's own; None if a name exists already or an expression needs full analysis."""
    known = passed_of(frame)
    names = {column.name.lower() for column in columns}
    if known is None or settings.case_sensitive or not names.isdisjoint(known.names):
        return None
    if any(column.passes is not None or depends_on_position(column) for column in columns):
        return None
    new = tuple(column.attribute() for column in columns)
    relation = Project(
        input=frame.relation,
        expressions=(*known.columns, *(column.expression for column in columns)),
        fields=(*frame.relation.fields, *(a.as_field() for a in new)),
    )
    attributes = (*frame.attributes, *new)
    first = len(frame.attributes)
    slots = {**frame.slots, **{a.id: first + i for i, a in enumerate(new)}}
    shown = (
        *known.columns,
        *(Column(type=a.type, nullable=a.nullable, text=a.name, index=first + i) for i, a in enumerate(new)),
    )
    passed = Passed(attributes, slots, shown, known.names | names)
    return projection_frame(frame, relation, attributes, slots, passed)


def passed_of(frame: Frame) -> Passed | None:
    """The columns of the frame as its parent sees them, if they are all columns of its relation, in order."""
    found = frame.passed
    if found is not None and found.attributes is frame.attributes and found.slots is frame.slots:
        return found if len(frame.relation.fields) == len(frame.attributes) else None
    if frame.hidden or not frame.is_plain():
        return None
    names = frozenset(a.name.lower() for a in frame.attributes)
    return Passed(frame.attributes, frame.slots, frame.columns(), names)


def depends_on_position(column: Named) -> bool:
    return any(isinstance(node, Call) and node.name in POSITION_DEPENDENT for node in walk(column.expression))
