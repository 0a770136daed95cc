"""EXECUTE IMMEDIATE: evaluates a text, binds its parameters, and executes it as a statement."""

from typing import Any

from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions.literal_text import inner_text
from twinspark.analysis.scope.frames import frame_of
from twinspark.commands.dispatch import TABLE_STATEMENTS, session_statement
from twinspark.commands.names import value_of
from twinspark.commands.script.variables import evaluate, find_variable, has_query, set_from_query
from twinspark.compile.query import CompiledQuery
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.notation.typing import type_text
from twinspark.plan.relations import OneRow
from twinspark.read.sql import ParseError, bind_parameters, parameter_markers, parse_statement, tree
from twinspark.read.sql_text import parser_config
from twinspark.read.walk import Walk
from twinspark.sessions.services import Services
from twinspark.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    is_integral,
    is_string,
    quote_identifier,
)
from twinspark.wire.connect.proto_fields import bytes_field
from twinspark.wire.connect.response_frames import SQL_RESULT

INSERTS = tuple(kind for kind in TABLE_STATEMENTS if kind.__name__.startswith("Insert"))
SPARK_NEED_NOT_KNOW = (tree.Query, *TABLE_STATEMENTS)  # our tables become visible to Spark when it reads them


def execute_immediate(statement: Any, source: str, context: Context, services: Services) -> Any:
    walk = Walk(source, context)
    if any(has_query(each) for each in (statement.query, *statement.arguments)):
        raise NotNative(reasons.EXECUTE_IMMEDIATE, "the text of the statement is a query's value")
    text = statement_text(statement.query, walk, context, services)
    bound = with_arguments(text, statement.arguments, walk, context, services)
    inner = inner_statement(text, bound, context)
    if statement.targets and isinstance(inner, INSERTS):
        raise SparkError("INVALID_STATEMENT_FOR_EXECUTE_INTO", sqlString=text.upper())
    if services.engine_wanted != "duckdb" and (statement.targets or not isinstance(inner, SPARK_NEED_NOT_KNOW)):
        raise NotNative(reasons.EXECUTE_IMMEDIATE, "the statement changes the session, and Spark needs that change too")
    if statement.targets:
        return into_variables(statement, inner, bound, source, context, services)
    if isinstance(inner, tree.Query):
        return query_result(bound, text, context, services)
    return session_statement(inner, bound, context, services)


def inner_statement(text: str, bound: str, context: Context) -> Any:
    """For a text that does not parse Spark reports the whole text, as it was before its parameters were bound."""
    try:
        return parse_statement(bound, parser_config(context))
    except ParseError as error:
        if bound != text:
            raise NotNative(
                reasons.EXECUTE_IMMEDIATE, "the statement can be parsed only after its arguments are inserted"
            ) from error
        error.contexts = (QueryContext(text, 0, len(text) - 1, "EXECUTE IMMEDIATE"),)
        raise


def statement_text(node: Any, walk: Walk, context: Context, services: Services) -> str:
    made = walk.read(node, walk.scope(frame_of(OneRow())))
    if not is_string(made.type):
        raise SparkError("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", exprType=type_text(made.type))
    text = value_of(made, context, services)
    if text is None:
        shown = ".".join(node.parts) if isinstance(node, tree.Column) else made.text
        raise SparkError("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", varName=quote_identifier(shown))
    return str(text)


def with_arguments(text: str, arguments: Any, walk: Walk, context: Context, services: Services) -> str:
    """USING 1, 2 binds `?`; USING 1 AS x binds `:x`, and so does a variable named x."""
    if not arguments:
        return text
    markers = {name for _, _, name in parameter_markers(text, parser_config(context))}
    values = [argument_text(node, walk, context, services) for node in arguments]
    names = [argument_name(node) for node in arguments]
    if markers == {""}:
        return bind_parameters(text, {}, values, parser_config(context))
    if "" in markers or None in names:
        raise NotNative(reasons.EXECUTE_IMMEDIATE, "named and positional arguments together")
    return bind_parameters(text, dict(zip(map(str, names), values, strict=True)), (), parser_config(context))


def argument_name(node: Any) -> str | None:
    if isinstance(node, tree.Alias):
        return str(node.names[0])
    return str(node.parts[-1]) if isinstance(node, tree.Column) else None


def argument_text(node: Any, walk: Walk, context: Context, services: Services) -> str:
    made = walk.read(node.child if isinstance(node, tree.Alias) else node, walk.scope(frame_of(OneRow())))
    return literal_text(evaluate(made, made.type, context, services), made.type)


WRITTEN = (BooleanType, DecimalType, DoubleType, FloatType, DateType, BinaryType)


def literal_text(value: Any, type: DataType) -> str:
    """A constant as SQL text; a decimal's type then follows from its digits, whatever type it had."""
    if value is not None and not (is_string(type) or is_integral(type) or isinstance(type, WRITTEN)):
        raise NotNative(reasons.EXECUTE_IMMEDIATE, f"an argument of the type {type.simpleString()}")
    return inner_text(value, type, "UTC")


def query_result(bound: str, text: str, context: Context, services: Services) -> Any:
    """The query is returned as a relation, as by any other spark.sql."""
    relation = relations_pb2.Relation()
    relation.sql.query = bound
    try:
        CompiledQuery.read(relation, context, services.native.cursor())
    except SparkError as error:
        if error.contexts:  # Spark reports positions within the nested text
            raise NotNative(reasons.EXECUTE_IMMEDIATE, f"the query fails with {error.condition}") from error
        raise
    result = base_pb2.ExecutePlanResponse.SqlCommandResult(relation=relation)
    return lambda: (bytes_field(SQL_RESULT, result.SerializeToString()),)


def into_variables(statement: Any, inner: Any, text: str, source: str, context: Context, services: Services) -> Any:
    if not isinstance(inner, tree.Query):
        raise NotNative(reasons.EXECUTE_IMMEDIATE, "INTO with a statement that is not a query")
    targets = [find_variable(name, source, context, services) for name in statement.targets]
    return set_from_query(targets, inner, text, context, services, services.variables.put)
