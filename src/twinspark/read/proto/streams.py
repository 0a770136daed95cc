"""Reads streaming relations for their schema only: sources with a schema, watermarks, deduplication."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, reasons
from twinspark.plan.contents import contents_of
from twinspark.plan.expressions import Subquery
from twinspark.plan.relations import Field, Relation, Values
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_schema_text
from twinspark.types import LONG, STRING, TIMESTAMP, StructField, StructType, TimestampType, as_nullable

RATE = StructType([StructField("timestamp", TIMESTAMP), StructField("value", LONG)])
LINES = StructType([StructField("value", STRING)])
FILES = frozenset({"parquet", "csv", "json", "orc"})
DELAY = re.compile(r"(\d{1,6}) (millisecond|second|minute|hour|day|week)s?")
MILLISECONDS = {"millisecond": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
MILLISECONDS["week"] = 7 * MILLISECONDS["day"]
WATERMARK = "spark.watermarkDelayMs"


def read_stream(message: relations_pb2.Read, context: Context) -> Frame:
    """A row of nulls stands for the stream, whose rows are not read."""
    if not context.streams or message.WhichOneof("read_type") != "data_source":
        raise NotNative(reasons.STREAMING)
    fields = tuple(Field(field.name, field.dataType, True) for field in stream_schema(message.data_source).fields)
    return frame_of(Values(rows=(tuple(build.literal(None, field.type) for field in fields),), fields=fields))


def stream_schema(source: relations_pb2.Read.DataSource) -> StructType:
    format = source.format.lower()
    if format == "rate" and not source.schema:
        return RATE
    paths = list(source.paths) or [v for k, v in source.options.items() if k.lower() == "path"]
    if len(paths) != 1 or not holds_no_partitions(paths[0]):
        raise NotNative(reasons.STREAMING)
    if format == "text" and not source.schema:
        return LINES
    if format not in FILES or not source.schema:
        raise NotNative(reasons.STREAMING)
    found = as_nullable(read_schema_text(source.schema))
    assert isinstance(found, StructType)
    return found


def holds_no_partitions(path: str) -> bool:
    """Whether there are no directories such as `k=v`, which would add columns."""
    return os.path.isdir(path) and not any(entry.is_dir() for entry in os.scandir(path))


@RELATIONS.handles("with_watermark")
def read_with_watermark(message: relations_pb2.WithWatermark, context: Context) -> Frame:
    """A watermark has no effect on a batch; in a stream it is metadata of the column."""
    frame = read_frame(message.input, context)
    delay = DELAY.fullmatch(message.delay_threshold)
    column = resolve(Scope(frame, context), attribute_parts(message.event_time))
    if delay is None or column.passes is None or not isinstance(column.expression.type, TimestampType):
        raise NotNative(reasons.STREAMING)
    if not context.streams:
        return frame
    known = (WATERMARK, int(delay[1]) * MILLISECONDS[delay[2]])
    marked = [
        replace(make.passed_column(frame, a), metadata=(*a.metadata, known), passes=None, is_whole=True)
        if a.id == column.passes.id
        else make.passed_column(frame, a)
        for a in frame.attributes
    ]
    return make.project(frame, marked)


def check_subqueries(plan: Relation) -> None:
    """Falls back for subqueries, which may not read a stream (CheckAnalysis.checkSubqueryExpression)."""
    if contents_of(plan).has(Subquery):
        raise NotNative(reasons.STREAMING)


def check_windows(schema: StructType) -> None:
    """Falls back for time windows, whose watermark metadata is not known here."""
    all_metadata = [field.metadata or {} for field in schema.fields]
    if any(key.endswith("Window") for metadata in all_metadata for key in metadata):
        raise NotNative(reasons.STREAMING)
