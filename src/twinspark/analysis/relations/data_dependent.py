"""Plans whose schema depends on data (pivot without values, transpose): the data is read during analysis, as in
Spark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Attribute, Frame, frame_of
from twinspark.config.values import number_of
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import tightest_common_type
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Expression, Literal, SortOrder
from twinspark.plan.relations import Field, OneRow, Values
from twinspark.types import (
    STRING,
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    MapType,
    StructType,
    VariantType,
    is_null,
    is_numeric,
    is_string,
)

EPOCH = dt.date(1970, 1, 1)


def collect(frame: Frame, context: Context) -> list[list[Any]]:
    """The rows, as columns of Python values."""
    table = context.collect(frame.plain(), context)
    return [column.to_pylist() for column in table.columns]


def pivot_values(frame: Frame, column: Expression, context: Context) -> list[Literal]:
    """The column's distinct values in ascending order (RelationalGroupedDataset.collectPivotValues)."""
    if not (is_string(column.type) or is_numeric(column.type) or isinstance(column.type, DateType | BooleanType)):
        raise NotNative(reasons.PIVOT, "the pivot column is not a string, number, date or boolean")
    most = number_of(context.config, "spark.sql.pivotMaxValues")
    values = make.distinct(make.project(frame, [Named(column, "value")]))
    limited = make.limit(values, most + 1)
    (found,) = collect(make.sort(limited, [SortOrder(child=limited.column(limited.attributes[0]))]), context)
    if len(found) > most:
        raise NotNative(reasons.PIVOT, "the pivot column has too many values")
    return [build.literal(constant(value, column.type), column.type, context.settings) for value in found]


def constant(value: Any, type: DataType) -> Any:
    return (value - EPOCH).days if isinstance(type, DateType) and value is not None else value


def transpose(frame: Frame, index: Attribute | None, context: Context) -> Frame:
    """Columns become rows: the values of the index column name the new columns (ResolveTranspose)."""
    if not frame.attributes:
        return frame_of(OneRow())
    key = index or frame.attributes[0]
    check_index(key.type)
    rest = [a for a in frame.attributes if a.id != key.id]
    type = common_type([a.type for a in rest])
    rows = collected_rows(frame, key, rest, type, context)
    fields = (Field("key", STRING, False), *(Field(row[0], type, True) for row in rows))
    cells = tuple(
        (build.literal(a.name), *(build.literal(constant(row[1 + i], type), type) for row in rows))
        for i, a in enumerate(rest)
    )
    return frame_of(Values(rows=cells, fields=fields)) if cells else nothing(fields)


def nothing(fields: tuple[Field, ...]) -> Frame:
    empty = frame_of(Values(rows=(tuple(build.literal(None, f.type) for f in fields),), fields=fields))
    return make.limit(empty, 0)


def check_index(type: DataType) -> None:
    if isinstance(type, ArrayType | MapType | StructType | VariantType) or is_null(type):
        raise NotNative(reasons.DATAFRAME_METHOD, "transpose: the index column is of a nested type")


def common_type(types: Sequence[DataType]) -> DataType:
    found: DataType = types[0] if types else STRING
    for type in types[1:]:
        wider = tightest_common_type(found, type, True)
        if wider is None:
            raise SparkError("TRANSPOSE_NO_LEAST_COMMON_TYPE", dt1=type_text(found), dt2=type_text(type))
        found = wider
    if not (is_string(found) or is_numeric(found) or isinstance(found, DateType | BooleanType)):
        raise NotNative(reasons.DATAFRAME_METHOD, "transpose: the values are not strings, numbers, dates or booleans")
    return found


def collected_rows(
    frame: Frame, key: Attribute, rest: Sequence[Attribute], type: DataType, context: Context
) -> list[tuple[Any, ...]]:
    settings = context.settings
    most = number_of(context.config, "spark.sql.transposeMaxValues")
    present = make.filter(frame, build.call("isnotnull", [frame.column(key)], settings), settings)
    ordered = make.sort(present, [SortOrder(child=present.column(key))])
    name = build.cast(ordered.column(key), STRING, settings)
    values = [Named(build.implicit_cast(ordered.column(a), type, settings), a.name) for a in rest]
    columns = collect(make.limit(make.project(ordered, [Named(name, key.name), *values]), most + 1), context)
    if len(columns[0]) > most:
        raise SparkError("TRANSPOSE_EXCEED_ROW_LIMIT", maxValues=most, config="spark.sql.transposeMaxValues")
    return list(zip(*columns, strict=True))
