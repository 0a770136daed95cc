"""Columns put behind those that are there: of long chains of withColumn nothing is made twice."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.chance import SEEDED, UNSEEDED
from twinspark.analysis.relations import Named, projected
from twinspark.analysis.scope import Frame, Passed
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column
from twinspark.plan.relations import Project
from twinspark.plan.rewrite import walk

ELSEWHERE = SEEDED | UNSEEDED | {"input_file_name", "input_file_block_start", "input_file_block_length"}


def appended(frame: Frame, columns: Sequence[Named], settings: Settings) -> Frame | None:
    """The frame with these columns behind its own; None where one is there already, or needs a closer look."""
    known = passed_of(frame)
    names = {column.name.lower() for column in columns}
    if known is None or settings.case_sensitive or not names.isdisjoint(known.names):
        return None
    if any(column.passes is not None or depends_on_place(column) for column in columns):
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
    return projected(frame, relation, attributes, slots, passed)


def passed_of(frame: Frame) -> Passed | None:
    """What the frame's columns are from above, if they are all that its relation has, in their order."""
    found = frame.passed
    if found is not None and found.attributes is frame.attributes and found.slots is frame.slots:
        return found if len(frame.relation.fields) == len(frame.attributes) else None
    if frame.hidden or not frame.is_plain():
        return None
    names = frozenset(a.name.lower() for a in frame.attributes)
    return Passed(frame.attributes, frame.slots, frame.columns(), names)


def depends_on_place(column: Named) -> bool:
    return any(isinstance(node, Call) and node.name in ELSEWHERE for node in walk(column.expression))
