"""Streams as far as their columns are known without running them: sources by their schemas, watermarks, duplicates."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope, resolve
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.plan.relations import Field, Values
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_schema_text
from twinspark.types import LONG, STRING, TIMESTAMP, StructField, StructType, TimestampType, as_nullable

STREAMING = "streaming runs on Spark"
RATE = StructType([StructField("timestamp", TIMESTAMP), StructField("value", LONG)])
LINES = StructType([StructField("value", STRING)])
FILES = frozenset({"parquet", "csv", "json", "orc"})
DELAY = re.compile(r"(\d{1,6}) (millisecond|second|minute|hour|day|week)s?")
MILLISECONDS = {"millisecond": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
MILLISECONDS["week"] = 7 * MILLISECONDS["day"]
WATERMARK = "spark.watermarkDelayMs"


def read_stream(message: Any, context: Context) -> Frame:
    """A row of nulls stands for all that may come: nobody asks for the rows."""
    if not context.streams or message.WhichOneof("read_type") != "data_source":
        raise NotNative(STREAMING)
    fields = tuple(Field(field.name, field.dataType, True) for field in stream_schema(message.data_source).fields)
    return frame_of(Values(rows=(tuple(build.literal(None, field.type) for field in fields),), fields=fields))


def stream_schema(source: Any) -> StructType:
    format = source.format.lower()
    if format == "rate" and not source.schema:
        return RATE
    paths = list(source.paths) or [v for k, v in source.options.items() if k.lower() == "path"]
    if len(paths) != 1 or not holds_no_partitions(paths[0]):
        raise NotNative(STREAMING)
    if format == "text" and not source.schema:
        return LINES
    if format not in FILES or not source.schema:
        raise NotNative(STREAMING)
    found = as_nullable(read_schema_text(source.schema))
    assert isinstance(found, StructType)
    return found


def holds_no_partitions(path: str) -> bool:
    """Directories such as `k=v` would add columns."""
    return os.path.isdir(path) and not any(entry.is_dir() for entry in os.scandir(path))


@RELATIONS.handles("with_watermark")
def read_with_watermark(message: Any, context: Context) -> Frame:
    """Of rows that have an end a watermark says nothing; of a stream the column tells of it."""
    frame = read_frame(message.input, context)
    delay = DELAY.fullmatch(message.delay_threshold)
    column = resolve(Scope(frame, context), attribute_parts(message.event_time))
    if delay is None or column.passes is None or not isinstance(column.expression.type, TimestampType):
        raise NotNative(STREAMING)
    if not context.streams:
        return frame
    known = (WATERMARK, int(delay[1]) * MILLISECONDS[delay[2]])
    marked = [
        replace(make.passing(frame, a), metadata=(*a.metadata, known), passes=None, is_whole=True)
        if a.id == column.passes.id
        else make.passing(frame, a)
        for a in frame.attributes
    ]
    return make.project(frame, marked)


def check_windows(schema: StructType) -> None:
    """What a window of time tells of a watermark is not known here."""
    told = [field.metadata or {} for field in schema.fields]
    if any(key.endswith("Window") for metadata in told for key in metadata):
        raise NotNative(STREAMING)
