"""Builds Unpivot: one output row per group of value columns, cast to common types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Named, positions, without_missing_columns
from twinspark.analysis.scope.frames import Attribute, Frame
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import common_type_without_strings
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Call, Column, Expression, Subquery
from twinspark.plan.relations import Field, Generate, Project
from twinspark.plan.rewrite import walk
from twinspark.types import STRING, DataType, quote_identifier


@dataclass(frozen=True)
class Cells:
    """One output row: its name, and a value for each value column."""

    name: str
    values: tuple[Named, ...]


def unpivot(
    frame: Frame, ids: Sequence[Named], values: Sequence[Named], variable: str, value: str, settings: Settings
) -> Frame:
    """The id columns, the name of the value column, and its value; nulls are included."""
    return unpivot_cells(frame, ids, [Cells(named.name, (named,)) for named in values], variable, [value], settings)


def unpivot_cells(
    frame: Frame, ids: Sequence[Named], rows: Sequence[Cells], variable: str, values: Sequence[str], settings: Settings
) -> Frame:
    """The id columns, the name of the row, and its values; nulls are included."""
    if any(isinstance(node, Subquery) for named in (*ids, *all_of(rows)) for node in walk(named.expression)):
        raise NotNative(reasons.PIVOT, "UNPIVOT of a subquery")
    if not rows:
        raise SparkError("UNPIVOT_REQUIRES_VALUE_COLUMNS")
    columns = [cast_cells([row.values[index] for row in rows], len(values), settings) for index in range(len(values))]
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
    return without_missing_columns(Frame(project, attributes, positions(attributes)), frame)


def all_of(rows: Sequence[Cells]) -> Iterator[Named]:
    return (named for row in rows for named in row.values)


def cast_cells(values: Sequence[Named], count: int, settings: Settings) -> list[Expression]:
    """The values of one output column, cast to their common type; with several output columns the error shows
    structs."""
    try:
        type = value_type(values)
    except SparkError as refused:
        if count > 1:
            raise NotNative(
                reasons.ERROR_MESSAGE,
                "UNPIVOT into several columns whose types have no common type",
                likely_error=refused,
            ) from refused
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
    # Types are coerced by the non-ANSI rules in both modes (UnpivotTypeCoercion).
    found = common_type_without_strings([named.expression.type for named in values], False)
    if found is None:
        error = SparkError("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", types=types_text(values))
        if any("." in named.name or "`" in named.name for named in values):  # Spark parses them as multi-part names
            raise NotNative(
                reasons.ERROR_MESSAGE, "UNPIVOT of columns with different types and unusual names", likely_error=error
            )
        raise error
    return found


def types_text(values: Sequence[Named]) -> str:
    """The types sorted by name, each with its sorted columns."""
    pairs = sorted((type_text(named.expression.type), quote_identifier(named.name)) for named in values)
    groups = groupby(pairs, key=lambda pair: pair[0])
    return ", ".join(f"{type} ({', '.join(name for _, name in each)})" for type, each in groups)
