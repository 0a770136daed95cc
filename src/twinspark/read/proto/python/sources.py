"""Reads Python data sources in Connect messages: creates an instance for its schema; rows are read later."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.python.calls import workers_of
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.errors import NotNative, reasons
from twinspark.plan.python_functions import CreatedDataSource, Options, PythonFunction
from twinspark.plan.python_relations import PythonScan
from twinspark.read.proto.python.functions import fields_of
from twinspark.read.proto.python.table_functions import read_columns_text
from twinspark.read.proto.types import read_schema_text
from twinspark.types import DataType, StructType

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def read_python_source(message: relations_pb2.Read.DataSource, definition: PythonFunction, context: Context) -> Frame:
    if context.flag(PUSHDOWN):
        raise NotNative(reasons.PYTHON_DATA_SOURCE, "filters that are pushed down")
    workers = workers_of(context)
    options = options_of(message.options, list(message.paths))
    created = None if message.schema else workers.create_source(definition, options, None)
    type = columns_of(created) if created is not None else read_schema_text(message.schema)
    source = created.source if created is not None else None
    return frame_of(
        PythonScan(definition=definition, options=options, source=source, fields=fields_of(type), workers=workers)
    )


def options_of(options: Mapping[str, str], paths: list[str]) -> Options:
    """Option names are in lower case in Python (CaseInsensitiveMap)."""
    if len(paths) > 1:
        raise NotNative(reasons.PYTHON_DATA_SOURCE, "several paths")
    path = [("path", paths[0])] if paths else []
    return tuple({**{key.lower(): value for key, value in options.items()}, **dict(path)}.items())


def columns_of(created: CreatedDataSource) -> DataType:
    return StructType.fromJson(json.loads(created.columns)) if created.is_json else read_columns_text(created.columns)
