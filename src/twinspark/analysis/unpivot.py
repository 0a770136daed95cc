"""Makes Unpivot: one row per value column, named and typed alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from twinspark.analysis import build
from twinspark.analysis.relations import Named, positions
from twinspark.analysis.scope import Attribute, Frame, deeper
from twinspark.errors import NotNative, SparkError
from twinspark.functions.common_types import common_type_without_strings
from twinspark.functions.settings import Settings
from twinspark.functions.typing import type_text
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.relations import Field, Generate, Project
from twinspark.plan.rewrite import walk
from twinspark.types import STRING, DataType, quote_identifier


def unpivot(
    frame: Frame, ids: Sequence[Named], values: Sequence[Named], variable: str, value: str, settings: Settings
) -> Frame:
    """The ids, the value column's name, and its value; nulls stay."""
    if any(isinstance(node, Subquery) for named in (*ids, *values) for node in walk(named.expression)):
        raise NotNative("a subquery in unpivot")
    if not values:
        raise SparkError("UNPIVOT_REQUIRES_VALUE_COLUMNS")
    type = value_type(values)
    cells = [(named.name, build.implicit_cast(named.expression, type, settings)) for named in values]
    new = (Field(variable, STRING, False), Field(value, type, any(cell.nullable for _, cell in cells)))
    relation = Generate(
        input=frame.relation,
        generator=stack_of(cells, settings),
        outer=False,
        fields=(*frame.relation.fields, *new),
    )
    width = len(frame.relation.fields)
    made = tuple(Column(type=f.type, nullable=f.nullable, text=f.name, index=width + i) for i, f in enumerate(new))
    kept = (named if named.passes is not None else replace(named, metadata=()) for named in ids)
    attributes = (*(named.attribute() for named in kept), *(Attribute(f.name, f.type, f.nullable) for f in new))
    project = Project(
        input=relation,
        expressions=(*(named.expression for named in ids), *made),
        fields=tuple(a.as_field() for a in attributes),
    )
    return Frame(project, attributes, positions(attributes), plans=deeper(frame.plans, attributes))


def stack_of(cells: Sequence[tuple[str, Expression]], settings: Settings) -> Call:
    parts = [part for name, cell in cells for part in (build.literal(name), cell)]
    made = build.call("stack", [build.literal(len(cells)), *parts], settings)
    assert isinstance(made, Call)
    return made


def value_type(values: Sequence[Named]) -> DataType:
    # ANSI or not, types meet as they do without it (UnpivotTypeCoercion).
    found = common_type_without_strings([named.expression.type for named in values], False)
    if found is None:
        refused = SparkError("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", types=types_text(values))
        if any("." in named.name or "`" in named.name for named in values):  # Spark reads them as names of parts
            raise NotNative("columns of different types whose names are no plain ones", nearest=refused)
        raise refused
    return found


def types_text(values: Sequence[Named]) -> str:
    """The types in the order of their names, each with its columns, in order too."""
    pairs = sorted((type_text(named.expression.type), quote_identifier(named.name)) for named in values)
    groups = groupby(pairs, key=lambda pair: pair[0])
    return ", ".join(f"{type} ({', '.join(name for _, name in each)})" for type, each in groups)
