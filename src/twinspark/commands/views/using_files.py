"""CREATE TEMPORARY VIEW … USING: a temporary view over files."""

import uuid
from typing import Any

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations.local_data import empty
from twinspark.commands.results import Answer, answer
from twinspark.errors import NotNative, reasons
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import PlanView
from twinspark.types import StructField, StructType


def create_using(statement: Any, source: str, context: Context, services: Services) -> Any:
    """A temporary view over files; without a path it has no rows."""
    name, is_global = statement.name.parts[-1], statement.is_global
    if len(statement.name.parts) > 1:
        raise NotNative(reasons.ERROR_MESSAGE, "CREATE TEMPORARY VIEW USING with a qualified name")
    message = relations_pb2.Relation()
    files = message.read.data_source
    files.format = ".".join(statement.provider.parts)
    files.options.update(dict(statement.options))
    if statement.schema is not None:
        files.schema = statement.schema.json()
    has_path = any(key.lower() == "path" for key, _ in statement.options)
    if not has_path and statement.schema is None:
        raise NotNative(reasons.FILE_PATH, "CREATE TEMPORARY VIEW USING without files")
    view: Any = PlanView(message, context) if has_path else empty(nullable(statement.schema), uuid.uuid4().hex)
    if has_path:
        view.frame(context)

    def create() -> Answer:
        services.views.keep(name, is_global, statement.replace, view)
        return answer()

    return create


def nullable(schema: StructType) -> StructType:
    return StructType([replace_nullable(field) for field in schema.fields])


def replace_nullable(field: StructField) -> StructField:
    return StructField(field.name, field.dataType, True, field.metadata)
