"""Reads the Connect relation `parse` for JSON texts in a column; CSV and XML fall back to Spark."""

import json

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.aggregates import aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.generators import generate
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import DataType, is_string

JSON = 2  # Parse.ParseFormat


@RELATIONS.handles("parse")
def read_parse(message: relations_pb2.Parse, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    if message.format != JSON:
        raise NotNative(reasons.FILE_FORMAT, "spark.read.csv or spark.read.xml of a DataFrame of strings")
    if len(frame.attributes) != 1 or not is_string(frame.attributes[0].type):
        raise NotNative(reasons.LOCAL_DATA, "spark.read.json of a DataFrame that is not one column of strings")
    options = {name.lower(): value for name, value in message.options.items()}
    return json_frame(frame, read_type(message.schema) if message.HasField("schema") else None, options, context)


def json_frame(frame: Frame, schema: DataType | None, options: dict[str, str], context: Context) -> Frame:
    """The rows of the JSON texts in a frame's only column; option names are in lower case."""
    options_json = json.dumps(options)
    known = infer_json_schema(frame, options_json, context) if schema is None else schema.json()
    return rows_of(frame, known, options_json, context.settings)


def infer_json_schema(frame: Frame, options: str, context: Context) -> str:
    """Infers the schema from all texts during analysis, as Spark does, since it is part of the plan."""
    found = build.call("$json_schema", [texts(frame), build.literal(options)], context.settings)
    table = context.collect(aggregate(frame, [], [Named(found, "schema")]).plain(), context)
    made: str | None = table.column(0)[0].as_py()
    return made or "STRUCT<>"


def rows_of(frame: Frame, schema: str, options: str, settings: Settings) -> Frame:
    """The parsed rows of the first column's texts, followed by the other columns."""
    arguments = [texts(frame), build.literal(schema), build.literal(options)]
    rows = build.call("$json_rows", arguments, settings)
    call = build.call("inline", [rows], settings)
    others = [Named(frame.column(attribute), attribute.name) for attribute in frame.attributes[1:]]
    return generate(frame, [Named(call, call.text), *others], settings)


def texts(frame: Frame) -> Expression:
    return frame.column(frame.attributes[0])
