"""Python data sources in Connect messages: which columns an instance has, for its rows to be read later."""

from __future__ import annotations

import json
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.python_calls import workers_of
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.plan.python_functions import Created, Options, PythonFunction
from twinspark.plan.pythons import PythonScan
from twinspark.read.proto.python_functions import fields_of
from twinspark.read.proto.python_tables import read_columns_text
from twinspark.read.proto.types import read_schema_text
from twinspark.types import DataType, StructType

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def read_python_source(message: Any, definition: PythonFunction, context: Context) -> Frame:
    if context.config.get(PUSHDOWN, "false").lower() == "true":
        raise NotNative("filters that are pushed down to a Python data source")
    workers = workers_of(context)
    options = options_of(message.options, list(message.paths))
    created = None if message.schema else workers.create_source(definition, options, None)
    type = columns_of(created) if created is not None else read_schema_text(message.schema)
    source = created.source if created is not None else None
    return frame_of(
        PythonScan(definition=definition, options=options, source=source, fields=fields_of(type), workers=workers)
    )


def options_of(options: Any, paths: list[str]) -> Options:
    """Names of options are small letters for Python (CaseInsensitiveMap)."""
    if len(paths) > 1:
        raise NotNative("several paths of a Python data source")
    path = [("path", paths[0])] if paths else []
    return tuple({**{key.lower(): value for key, value in options.items()}, **dict(path)}.items())


def columns_of(created: Created) -> DataType:
    return StructType.fromJson(json.loads(created.columns)) if created.is_json else read_columns_text(created.columns)
