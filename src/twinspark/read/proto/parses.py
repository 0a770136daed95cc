"""Reads `parse`: texts in a column, read as JSON; CSV and XML go to Spark."""

import json
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.aggregates import aggregate
from twinspark.analysis.context import Context
from twinspark.analysis.generators import generate
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import DataType, is_string

JSON = 2  # Parse.ParseFormat


@RELATIONS.handles("parse")
def read_parse(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    if message.format != JSON:
        raise NotNative("texts in a column read as CSV or XML")
    if len(frame.attributes) != 1 or not is_string(frame.attributes[0].type):
        raise NotNative("JSON in other columns than one string")
    options = {name.lower(): value for name, value in message.options.items()}
    return json_frame(frame, read_type(message.schema) if message.HasField("schema") else None, options, context)


def json_frame(frame: Frame, schema: DataType | None, options: dict[str, str], context: Context) -> Frame:
    """The rows of JSON texts in a frame's one column; options are named in lower case."""
    told = json.dumps(options)
    known = found_schema(frame, told, context) if schema is None else schema.json()
    return rows_of(frame, known, told, context.settings)


def found_schema(frame: Frame, options: str, context: Context) -> str:
    """Every text is looked at, as Spark does: the schema is part of the plan."""
    found = build.call("$json_schema", [texts(frame), build.literal(options)], context.settings)
    table = context.collect(aggregate(frame, [], [Named(found, "schema")]).plain(), context)
    made: str | None = table.column(0)[0].as_py()
    return made or "STRUCT<>"


def rows_of(frame: Frame, schema: str, options: str, settings: Settings) -> Frame:
    """The rows of the first column's texts, and beside them the other columns."""
    arguments = [texts(frame), build.literal(schema), build.literal(options)]
    rows = build.call("$json_rows", arguments, settings)
    call = build.call("inline", [rows], settings)
    others = [Named(frame.column(attribute), attribute.name) for attribute in frame.attributes[1:]]
    return generate(frame, [Named(call, call.text), *others], settings)


def texts(frame: Frame) -> Expression:
    return frame.column(frame.attributes[0])
