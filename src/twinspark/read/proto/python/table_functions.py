"""Reads calls of Python table functions in Connect messages, with arguments that are values or tables."""

from __future__ import annotations

from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.python.table_functions import AnalyzeTexts, Given, TableArgument, table_call
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, reasons
from twinspark.plan.python_functions import TABLES, PythonFunction
from twinspark.plan.relations import Field, OneRow
from twinspark.read.proto.expressions import read_expression, read_orders
from twinspark.read.proto.functions import read_argument
from twinspark.read.proto.python.functions import fields_of
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.subqueries import TABLE_ARGUMENT
from twinspark.read.proto.types import read_schema_argument, read_type, read_type_text
from twinspark.read.sql import ParseError
from twinspark.read.sql_text import is_aliased, read_expression_text
from twinspark.types import DataType

TEXTS = AnalyzeTexts(read_expression_text, is_aliased)


@RELATIONS.handles("common_inline_user_defined_table_function")
def read_table_call(message: relations_pb2.CommonInlineUserDefinedTableFunction, context: Context) -> Frame:
    function, fields = read_table_function(message)
    scope = Scope(frame_of(OneRow()), context)
    arguments = [read_table_argument(each, scope) for each in message.arguments]
    return frame_of(table_call(function, fields, arguments, context, TEXTS))


def read_table_argument(message: expressions_pb2.Expression, scope: Scope) -> Given:
    """A value or a table, and its name if it is a named argument."""
    named = message.WhichOneof("expr_type") == "named_argument_expression"
    value = message.named_argument_expression.value if named else message
    if not is_table(value):
        return read_argument(message, scope)
    key = message.named_argument_expression.key if named else None
    return key, read_table(value.subquery_expression, scope)


def is_table(message: expressions_pb2.Expression) -> bool:
    kind = message.WhichOneof("expr_type")
    return kind == "subquery_expression" and message.subquery_expression.subquery_type == TABLE_ARGUMENT


def read_table(message: expressions_pb2.SubqueryExpression, scope: Scope) -> TableArgument:
    reference = scope.context.references.get(message.plan_id)
    if reference is None:
        raise NotNative(reasons.PROTOCOL, "a table argument that is not among the plan's relations")
    frame = read_frame(reference, scope.context)
    options, inside = message.table_arg_options, Scope(frame, scope.context)
    partition = tuple(read_expression(each, inside) for each in options.partition_spec)
    ordering = tuple(read_orders(options.order_spec, inside))
    return TableArgument(frame, partition, ordering, options.with_single_partition)


def read_table_function(
    message: relations_pb2.CommonInlineUserDefinedTableFunction,
) -> tuple[PythonFunction, tuple[Field, ...] | None]:
    """The function and its declared columns; None if its analyze method returns them."""
    python = message.python_udtf
    if python.eval_type not in TABLES:
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, f"eval type {python.eval_type}")
    function = PythonFunction(
        message.function_name, python.command, python.eval_type, python.python_ver, message.deterministic
    )
    if not python.HasField("return_type"):
        return function, None
    unparsed = python.return_type.WhichOneof("kind") == "unparsed"
    text = python.return_type.unparsed.data_type_string
    type = read_columns_text(text) if unparsed else read_type(python.return_type)
    return function, fields_of(type)


def read_columns_text(text: str) -> DataType:
    """Columns in the syntax of a table or of a struct: `a int` and `a: int`."""
    try:
        return read_schema_argument(text)
    except ParseError:
        return read_type_text(f"struct<{text}>")
