"""Python table functions in Connect messages: their rows for arguments that are values."""

from __future__ import annotations

from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import table_call
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.plan.python_functions import TABLES, PythonFunction
from twinspark.plan.relations import Field, OneRow
from twinspark.read.proto.functions import read_argument
from twinspark.read.proto.python_functions import fields_of
from twinspark.read.proto.relations import RELATIONS
from twinspark.read.proto.types import read_schema_argument, read_type, read_type_text
from twinspark.read.sql import ParseError
from twinspark.types import DataType


@RELATIONS.handles("common_inline_user_defined_table_function")
def read_table_call(message: Any, context: Context) -> Frame:
    function, fields = read_table_function(message)
    scope = Scope(frame_of(OneRow()), context)
    return frame_of(table_call(function, fields, [read_argument(each, scope) for each in message.arguments], context))


def read_table_function(message: Any) -> tuple[PythonFunction, tuple[Field, ...]]:
    """The function and the columns of its rows."""
    python = message.python_udtf
    if not python.HasField("return_type"):
        raise NotNative("a Python table function whose analyze method tells its columns")
    if python.eval_type not in TABLES:
        raise NotNative(f"a Python table function of kind {python.eval_type}")
    unparsed = python.return_type.WhichOneof("kind") == "unparsed"
    text = python.return_type.unparsed.data_type_string
    type = read_columns_text(text) if unparsed else read_type(python.return_type)
    function = PythonFunction(
        message.function_name, python.command, python.eval_type, python.python_ver, message.deterministic
    )
    return function, fields_of(type)


def read_columns_text(text: str) -> DataType:
    """Columns as a table has them, or as a struct has them: `a int` and `a: int`."""
    try:
        return read_schema_argument(text)
    except ParseError:
        return read_type_text(f"struct<{text}>")
