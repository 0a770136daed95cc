"""Reads the Connect relations of DataFrame.na (fill, drop, replace) and of DataFrame.to."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.relations.to_schema import to_schema
from twinspark.analysis.scope.frames import Attribute, Frame
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Expression, GetField, Literal
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import (
    BOOLEAN,
    DOUBLE,
    STRING,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    StructType,
    is_numeric,
    is_string,
)


def column_of(name: str, frame: Frame, context: Context) -> Attribute | None:
    """The attribute that a name refers to; None for a nested field."""
    try:
        found = resolve(Scope(frame, context), attribute_parts(name))
    except SparkError as error:
        raise NotNative(
            reasons.ERROR_MESSAGE, f"a column of DataFrame.na fails with {error.condition}"
        ) from error  # Spark's suggestions differ
    if found.passes is None and not isinstance(found.expression, GetField):
        raise NotNative(reasons.COLUMN_NAME_AMBIGUOUS, "a column of DataFrame.na that has the name of a function")
    return found.passes


def fills(value: Literal, type: DataType) -> bool:
    """Numbers fill numbers, strings fill strings, booleans fill booleans."""
    if is_numeric(value.type):
        return is_numeric(type)
    if is_string(value.type):
        return type == STRING
    return isinstance(type, BooleanType)


@RELATIONS.handles("fill_na")
def read_fill_na(message: relations_pb2.NAFill, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    values = [read_literal(v, context.settings) for v in message.values]
    names = list(message.cols)
    by_id = {}
    if len(values) > 1:
        by_id = {a.id: v for n, v in zip(names, values, strict=True) if (a := column_of(n, frame, context))}
    else:
        chosen = [column_of(n, frame, context) for n in names] if names else list(frame.attributes)
        by_id = {a.id: values[0] for a in chosen if a is not None and fills(values[0], a.type)}
    return make.project(frame, [fill_column(frame, a, by_id.get(a.id), context) for a in frame.attributes])


def fill_column(frame: Frame, attribute: Attribute, value: Literal | None, context: Context) -> Named:
    if value is None:
        return passed_column(frame, attribute)
    column: Expression = frame.column(attribute)
    if isinstance(attribute.type, DoubleType | FloatType):
        column = build.call("nanvl", [column, build.literal(None)], context.settings)
    other = build.cast(value, attribute.type, context.settings) if value.type != attribute.type else value
    return Named(build.call("coalesce", [column, other], context.settings), attribute.name)


@RELATIONS.handles("drop_na")
def read_drop_na(message: relations_pb2.NADrop, context: Context) -> Frame:
    """Keeps rows with enough values that are neither null nor NaN."""
    frame = read_frame(message.input, context)
    chosen = [column_of(n, frame, context) for n in message.cols] if message.cols else list(frame.attributes)
    if any(a is None for a in chosen):
        raise NotNative(reasons.DATAFRAME_METHOD, "dropna of a nested field")
    attributes = [a for a in chosen if a is not None]
    if not attributes:
        return frame
    needed = message.min_non_nulls if message.HasField("min_non_nulls") else len(attributes)
    counts = [present_count(frame.column(a), context) for a in attributes]
    enough = build.call(">=", [total(counts, context), build.literal(needed)], context.settings)
    return make.filter(frame, enough, context.settings)


def total(counts: Sequence[Expression], context: Context) -> Expression:
    """Adds as a balanced tree: a chain would be as deep as there are columns, and DuckDB fails at a depth of 1,000."""
    if len(counts) == 1:
        return counts[0]
    middle = len(counts) // 2
    return build.call("+", [total(counts[:middle], context), total(counts[middle:], context)], context.settings)


def present_count(column: Expression, context: Context) -> Expression:
    settings = context.settings
    present = build.call("isnotnull", [column], settings)
    if isinstance(column.type, DoubleType | FloatType):
        number = build.call("not", [build.call("isnan", [column], settings)], settings)
        present = build.call("and", [present, number], settings)
    return build.case_when([(present, build.literal(1))], build.literal(0), settings)


@RELATIONS.handles("replace")
def read_replace(message: relations_pb2.NAReplace, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    pairs = [
        (read_literal(r.old_value, context.settings), read_literal(r.new_value, context.settings))
        for r in message.replacements
    ]
    chosen = [column_of(n, frame, context) for n in message.cols] if message.cols else list(frame.attributes)
    if not pairs or any(a is None for a in chosen):
        raise NotNative(reasons.DATAFRAME_METHOD, "replace without pairs, or of a nested field")
    ids = {a.id for a in chosen if a is not None}
    target = target_type(pairs[0][0])
    columns = [
        replace_values(frame, a, pairs, context) if a.id in ids and takes(target, a.type) else passed_column(frame, a)
        for a in frame.attributes
    ]
    return make.project(frame, columns)


def target_type(old: Literal) -> DataType:
    if isinstance(old.type, BooleanType):
        return BOOLEAN
    return STRING if is_string(old.type) else DOUBLE


def takes(target: DataType, type: DataType) -> bool:
    return type == target or (is_numeric(type) and isinstance(target, DoubleType))


def replace_values(frame: Frame, attribute: Attribute, pairs: list[tuple[Literal, Literal]], context: Context) -> Named:
    """CASE column WHEN old THEN new … ELSE column; numbers are compared as doubles."""
    settings = context.settings
    column = frame.column(attribute)
    branches = []
    for old, new in pairs:
        test = build.call("==", [column, as_double(old)], settings)
        value = build.cast(as_double(new), attribute.type, settings) if new.type != attribute.type else new
        branches.append((test, value))
    return Named(build.case_when(branches, column, settings), attribute.name)


def as_double(value: Literal) -> Expression:
    return build.literal(float(value.value), DOUBLE) if is_numeric(value.type) and value.value is not None else value


@RELATIONS.handles("to_schema")
def read_to_schema(message: relations_pb2.ToSchema, context: Context) -> Frame:
    target = read_type(message.schema)
    if not isinstance(target, StructType):
        raise NotNative(reasons.ERROR_MESSAGE, "DataFrame.to with a schema that is not a struct")
    return to_schema(read_frame(message.input, context), target, context.settings)
