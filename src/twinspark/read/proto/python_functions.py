"""Python functions in Connect messages: calls inside expressions, and relations made by functions over batches."""

from __future__ import annotations

from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import python_call, workers_of
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.plan.python_functions import MAPS, PythonFunction
from twinspark.plan.pythons import PythonMap
from twinspark.plan.relations import Field
from twinspark.read.proto.expressions import EXPRESSIONS
from twinspark.read.proto.functions import read_argument
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.types import read_type
from twinspark.types import DataType, StructType


@EXPRESSIONS.handles("common_inline_user_defined_function")
def read_python_call(message: Any, scope: Scope) -> Expression:
    function, type = read_python_function(message)
    arguments = [read_argument(each, scope) for each in message.arguments]
    return python_call(function, type, arguments, message.is_distinct, scope.context)


def read_python_function(message: Any) -> tuple[PythonFunction, DataType]:
    """The function and the type it is said to return."""
    if message.WhichOneof("function") != "python_udf":
        raise NotNative("Java and Scala functions run on Spark")
    python = message.python_udf
    function = PythonFunction(
        message.function_name,
        python.command,
        python.eval_type,
        python.python_ver,
        message.deterministic,
        tuple(python.additional_includes),
    )
    return function, read_type(python.output_type)


# ---- functions over batches of rows


@RELATIONS.handles("map_partitions")
def read_map_partitions(message: Any, context: Context) -> Frame:
    """All rows are one partition: how Spark cuts them is Spark's own choice, and no answer may depend on it."""
    if message.is_barrier or message.HasField("profile_id"):
        raise NotNative("barriers and resource profiles")
    frame = read_frame(message.input, context)
    function, type = read_python_function(message.func)
    if function.eval_type not in MAPS:
        raise NotNative(f"a Python function of kind {function.eval_type} over partitions")
    return frame_of(
        PythonMap(input=frame.plain(), function=function, fields=fields_of(type), workers=workers_of(context))
    )


def fields_of(type: DataType) -> tuple[Field, ...]:
    if not isinstance(type, StructType):
        raise NotNative("a Python function over rows that returns no struct")
    return tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in type.fields)
