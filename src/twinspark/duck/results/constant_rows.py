"""Answers plans of literals and local rows without running a query."""

import struct
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from twinspark.plan.expressions import Column, Expression, Literal
from twinspark.plan.relations import Limit, LocalData, OneRow, Project, Relation
from twinspark.types import BooleanType, ByteType, DoubleType, IntegerType, LongType, ShortType, StringType

# Types whose values DuckDB returns unchanged; by class, since CHAR and VARCHAR are others.
PLAIN = (BooleanType, ByteType, ShortType, IntegerType, LongType, DoubleType, StringType)
CODES = {pa.bool_(): "?", pa.int8(): "b", pa.int16(): "h", pa.int32(): "i", pa.int64(): "q", pa.float64(): "d"}

Columns = Sequence[pa.ChunkedArray | pa.Array]


def constant_rows(plan: Relation, schema: pa.Schema) -> pa.Table | None:
    """The rows of the plan; None if they have to be computed."""
    if not plan.fields or any(field.type.__class__ not in PLAIN for field in plan.fields):
        return None
    columns = constant_columns(plan, schema)
    if columns is None or [each.type for each in columns] != schema.types:
        return None
    return pa.Table.from_arrays(list(columns), schema=schema)


def constant_columns(plan: Relation, schema: pa.Schema) -> Columns | None:
    match plan:
        case Project(input=OneRow(), expressions=expressions):
            return literals(expressions, schema)
        case Project(input=LocalData(table=table), expressions=expressions) if table.num_columns:
            return select_columns(expressions, table.columns)
        case LocalData(table=table) if table.num_columns:  # with at least one column
            return list(table.columns)
        case Limit(input=input, limit=int(limit), offset=0):
            columns = constant_columns(input, schema)
            return None if columns is None else [each.slice(0, limit) for each in columns]
    return None


def literals(expressions: Sequence[Expression], schema: pa.Schema) -> Columns | None:
    if not all(isinstance(each, Literal) for each in expressions):
        return None
    values = [each.value for each in expressions if isinstance(each, Literal)]
    return [one_value(value, field.type) for value, field in zip(values, schema, strict=True)]


def one_value(value: Any, type: pa.DataType) -> pa.Array:
    """As `pa.array([value], type)`, whose first call would import pandas and delay the first query."""
    is_there = None if value is not None else b"\0"
    if pa.types.is_string(type):
        text = (value or "").encode()
        parts = [is_there, struct.pack("=ii", 0, len(text)), text]
    else:
        parts = [is_there, struct.pack(f"={CODES[type]}", value or 0)]
    return pa.Array.from_buffers(type, 1, [None if each is None else pa.py_buffer(each) for each in parts])


def select_columns(expressions: Sequence[Expression], columns: Sequence[pa.ChunkedArray]) -> Columns | None:
    if not all(isinstance(each, Column) for each in expressions):
        return None
    return [columns[each.index] for each in expressions if isinstance(each, Column)]
