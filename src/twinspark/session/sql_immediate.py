"""EXECUTE IMMEDIATE: a text is computed, its markers are filled, and it runs as any other statement."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.literal_text import inner_text
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.functions.typing import type_text
from twinspark.plan.relations import OneRow
from twinspark.read.sql import ParseError, bind_parameters, parameter_markers, parse_statement, tree
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk
from twinspark.session.frames import SQL_RESULT
from twinspark.session.native import Query
from twinspark.session.sql_names import value_of
from twinspark.session.sql_variables import computed, has_query, known, set_from_query
from twinspark.session.table_commands import TABLE_HANDLERS
from twinspark.spark.wire import bytes_field
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

if TYPE_CHECKING:
    from twinspark.session.session import Session


INSERTS = tuple(kind for kind in TABLE_HANDLERS if kind.__name__.startswith("Insert"))
SPARK_NEED_NOT_KNOW = (tree.Query, *TABLE_HANDLERS)  # our tables are brought to Spark when it reads them


def execute_immediate(statement: Any, source: str, context: Context, session: "Session") -> Any:
    walk = Walk(source, context)
    if any(has_query(each) for each in (statement.query, *statement.arguments)):
        raise NotNative("SQL: EXECUTE IMMEDIATE of a query's value")
    text = statement_text(statement.query, walk, context, session)
    bound = with_arguments(text, statement.arguments, walk, context, session)
    inner = inner_statement(text, bound, context)
    if statement.targets and isinstance(inner, INSERTS):
        raise SparkError("INVALID_STATEMENT_FOR_EXECUTE_INTO", sqlString=text.upper())
    if session.engine_wanted != "duckdb" and (statement.targets or not isinstance(inner, SPARK_NEED_NOT_KNOW)):
        raise NotNative("SQL: EXECUTE IMMEDIATE of what changes the session, which Spark has to know too")
    if statement.targets:
        return into_variables(statement, inner, bound, source, context, session)
    if isinstance(inner, tree.Query):
        return query_result(bound, text, context, session)
    from twinspark.session.sql_commands import session_statement

    return session_statement(inner, bound, context, session)


def inner_statement(text: str, bound: str, context: Context) -> Any:
    """Spark names the whole text where it does not read, as it was before its markers were filled."""
    try:
        return parse_statement(bound, parser_config(context))
    except ParseError as error:
        if bound != text:
            raise NotNative("SQL: EXECUTE IMMEDIATE of a text that does not read with its arguments put in") from error
        error.contexts = (QueryContext(text, 0, len(text) - 1, "EXECUTE IMMEDIATE"),)
        raise


def statement_text(node: Any, walk: Walk, context: Context, session: "Session") -> str:
    made = walk.read(node, walk.scope(frame_of(OneRow())))
    if not is_string(made.type):
        raise SparkError("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", exprType=type_text(made.type))
    text = value_of(made, context, session)
    if text is None:
        shown = ".".join(node.parts) if isinstance(node, tree.Column) else made.text
        raise SparkError("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", varName=quote_identifier(shown))
    return str(text)


def with_arguments(text: str, arguments: Any, walk: Walk, context: Context, session: "Session") -> str:
    """USING 1, 2 fills `?`; USING 1 AS x fills `:x`, and so does a variable called x."""
    if not arguments:
        return text
    markers = {name for _, _, name in parameter_markers(text, parser_config(context))}
    values = [argument_text(node, walk, context, session) for node in arguments]
    names = [argument_name(node) for node in arguments]
    if markers == {""}:
        return bind_parameters(text, {}, values, parser_config(context))
    if "" in markers or None in names:
        raise NotNative("SQL: EXECUTE IMMEDIATE with named and positional arguments")
    return bind_parameters(text, dict(zip(map(str, names), values, strict=True)), (), parser_config(context))


def argument_name(node: Any) -> str | None:
    if isinstance(node, tree.Alias):
        return str(node.names[0])
    return str(node.parts[-1]) if isinstance(node, tree.Column) else None


def argument_text(node: Any, walk: Walk, context: Context, session: "Session") -> str:
    made = walk.read(node.child if isinstance(node, tree.Alias) else node, walk.scope(frame_of(OneRow())))
    return literal_text(computed(made, made.type, context, session), made.type)


WRITTEN = (BooleanType, DecimalType, DoubleType, FloatType, DateType, BinaryType)


def literal_text(value: Any, type: DataType) -> str:
    """A constant as SQL writes it; decimals become as long as they are written, whatever type they had."""
    if value is not None and not (is_string(type) or is_integral(type) or isinstance(type, WRITTEN)):
        raise NotNative(f"SQL: EXECUTE IMMEDIATE with an argument of {type.simpleString()}")
    return inner_text(value, type, "UTC")


def query_result(bound: str, text: str, context: Context, session: "Session") -> Any:
    """The query goes back as a relation, as that of any other spark.sql does."""
    relation = relations_pb2.Relation()
    relation.sql.query = bound
    try:
        Query.read(relation, context, session.shared.native.cursor())
    except SparkError as error:
        if error.contexts:  # Spark tells places in the text within the text
            raise NotNative(f"SQL: EXECUTE IMMEDIATE of a query with an error: {error.condition}") from error
        raise
    result = base_pb2.ExecutePlanResponse.SqlCommandResult(relation=relation)
    return lambda: (bytes_field(SQL_RESULT, result.SerializeToString()),)


def into_variables(statement: Any, inner: Any, text: str, source: str, context: Context, session: "Session") -> Any:
    if not isinstance(inner, tree.Query):
        raise NotNative("SQL: EXECUTE IMMEDIATE … INTO of a command")
    targets = [known(name, source, context, session) for name in statement.targets]
    return set_from_query(targets, inner, text, context, session, session.variables.put)
