"""Makes Unpivot: one row per value column, named and typed alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Cells:
    """What one row of the result takes: its name, and a value for each value column."""

    name: str
    values: tuple[Named, ...]


def unpivot(
    frame: Frame, ids: Sequence[Named], values: Sequence[Named], variable: str, value: str, settings: Settings
) -> Frame:
    """The ids, the value column's name, and its value; nulls stay."""
    return unpivot_cells(frame, ids, [Cells(named.name, (named,)) for named in values], variable, [value], settings)


def unpivot_cells(
    frame: Frame, ids: Sequence[Named], rows: Sequence[Cells], variable: str, values: Sequence[str], settings: Settings
) -> Frame:
    """The ids, the name of a row's cells, and their values; nulls stay."""
    if any(isinstance(node, Subquery) for named in (*ids, *all_of(rows)) for node in walk(named.expression)):
        raise NotNative("a subquery in unpivot")
    if not rows:
        raise SparkError("UNPIVOT_REQUIRES_VALUE_COLUMNS")
    columns = [cast_cells([row.values[place] for row in rows], len(values), settings) for place in range(len(values))]
    shown = (Field(n, c[0].type, any(cell.nullable for cell in c)) for n, c in zip(values, columns, strict=True))
    new = (Field(variable, STRING, False), *shown)
    relation = Generate(
        input=frame.relation,
        generator=stack_of([row.name for row in rows], columns, settings),
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


def all_of(rows: Sequence[Cells]) -> Iterator[Named]:
    return (named for row in rows for named in row.values)


def cast_cells(values: Sequence[Named], count: int, settings: Settings) -> list[Expression]:
    """One value column's cells, in the type where they meet; of several columns the error shows structs."""
    try:
        type = value_type(values)
    except SparkError as refused:
        if count > 1:
            raise NotNative("UNPIVOT into several columns of types that do not meet", nearest=refused) from refused
        raise
    return [build.implicit_cast(named.expression, type, settings) for named in values]


def stack_of(names: Sequence[str], columns: Sequence[Sequence[Expression]], settings: Settings) -> Call:
    parts = [
        part
        for name, cells in zip(names, zip(*columns, strict=True), strict=True)
        for part in (build.literal(name), *cells)
    ]
    made = build.call("stack", [build.literal(len(names)), *parts], settings)
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
