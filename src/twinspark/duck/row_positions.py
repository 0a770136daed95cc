"""Computes the Spark task and position of rows without a window function, where they are known without counting."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from twinspark.duck.relation_texts import has_window
from twinspark.duck.select import Select
from twinspark.plan.relations import LocalData, Project, Range, Relation, RowPositions

SAFE = 1 << 62  # differences of smaller numbers fit into a long


def numbered_below(relation: RowPositions) -> Project | None:
    """Numbers the rows below a projection instead of its result: the rows are the same, and in the same order unless
    the projection has window functions."""
    above = relation.input
    if not isinstance(above, Project) or not isinstance(below_projections(above), LocalData | Range):
        return None
    below = above.input
    numbered = replace(relation, input=below, fields=(*below.fields, *relation.fields[-2:]))
    expressions = (*above.expressions, *numbered.columns()[-2:])
    return Project(input=numbered, expressions=expressions, fields=relation.fields)


def below_projections(relation: Relation) -> Relation:
    while isinstance(relation, Project) and not any(map(has_window, relation.expressions)):
        relation = relation.input
    return relation


def numbered_locals(relation: RowPositions) -> LocalData | None:
    """Local rows with two additional columns."""
    rows = relation.input
    if not isinstance(rows, LocalData) or not rows.fields or not rows.table.num_columns:
        return None
    table = add_positions(rows.table, relation.slices)
    return replace(rows, table=table, key=f"{rows.key}_{relation.slices}", fields=relation.fields)


def add_positions(table: pa.Table, slices: int) -> pa.Table:
    """Splits local rows into slices of which none is empty."""
    places = np.arange(table.num_rows, dtype=np.int64)
    tasks = ((places + 1) * min(slices, len(places)) - 1) // max(len(places), 1) if slices else np.zeros_like(places)
    return table.append_column("task", pa.array(tasks)).append_column("place", pa.array(places))


def numbered_range(relation: RowPositions, select: Select) -> Select | None:
    """A range, in which a row's position is computed from its value."""
    found = relation.input
    if not isinstance(found, Range) or max(map(abs, (found.start, found.end, found.step))) >= SAFE:
        return None
    (number,) = select.columns
    count = len(range(found.start, found.end, found.step))
    place = f"(({number} - CAST({found.start} AS BIGINT)) // CAST({found.step} AS BIGINT))"
    task = f"((({place} + 1) * {relation.slices} - 1) // {count})" if relation.slices else "CAST(0 AS BIGINT)"
    return select.with_columns((number, task, place))
