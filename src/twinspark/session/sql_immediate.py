"""EXECUTE IMMEDIATE: a text is computed, its markers are filled, and it runs as any other statement."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import base_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import type_text
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import bind_parameters, parse_statement, tree
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk
from twinspark.session.frames import SQL_RESULT
from twinspark.session.native import Query
from twinspark.session.sql_names import value_of
from twinspark.session.sql_variables import computed, known, set_from_query
from twinspark.spark.wire import bytes_field
from twinspark.types import (
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    LongType,
    is_integral,
    is_string,
    quote_identifier,
)

if TYPE_CHECKING:
    from twinspark.session.session import Session


def execute_immediate(statement: Any, source: str, context: Context, session: "Session") -> Any:
    walk = Walk(source, context)
    text = statement_text(walk.read(statement.query, walk.scope(frame_of(OneRow()))), context, session)
    bound = with_arguments(text, statement.arguments, walk, context, session)
    inner = parse_statement(bound, parser_config(context))
    if statement.targets:
        return into_variables(statement, inner, bound, source, context, session)
    if isinstance(inner, tree.Query):
        return query_result(bound, context, session)
    from twinspark.session.sql_commands import session_statement

    return session_statement(inner, bound, context, session)


def statement_text(made: Expression, context: Context, session: "Session") -> str:
    if not is_string(made.type):
        raise SparkError("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", exprType=type_text(made.type))
    text = value_of(made, context, session)
    if text is None:
        raise SparkError("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", varName=quote_identifier(made.text))
    return str(text)


def with_arguments(text: str, arguments: Any, walk: Walk, context: Context, session: "Session") -> str:
    """USING 1, 2 fills `?`; USING 1 AS x fills `:x`."""
    named, positional = {}, []
    for node in arguments:
        name = node.names[0] if isinstance(node, tree.Alias) else None
        made = walk.read(node.child if isinstance(node, tree.Alias) else node, walk.scope(frame_of(OneRow())))
        literal = literal_text(computed(made, made.type, context, session), made.type)
        if name is None:
            positional.append(literal)
        else:
            named[name] = literal
    if named and positional:
        raise NotNative("SQL: EXECUTE IMMEDIATE with named and positional arguments")
    return bind_parameters(text, named, positional, parser_config(context)) if arguments else text


def literal_text(value: Any, type: DataType) -> str:
    """A constant as SQL writes it."""
    if value is None:
        return f"CAST(NULL AS {type.simpleString()})"
    if is_string(type):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(type, BooleanType):
        return str(value).upper()
    if is_integral(type):
        return f"{value}L" if isinstance(type, LongType) else f"CAST({value} AS {type.simpleString()})"
    if isinstance(type, DecimalType):
        return f"CAST({value}BD AS {type.simpleString()})"
    if isinstance(type, DoubleType):
        return f"{value!r}D"
    raise NotNative(f"SQL: EXECUTE IMMEDIATE with an argument of {type.simpleString()}")


def query_result(text: str, context: Context, session: "Session") -> Any:
    """The query goes back as a relation, as that of any other spark.sql does."""
    relation = relations_pb2.Relation()
    relation.sql.query = text
    Query.read(relation, context, session.shared.native.cursor())
    result = base_pb2.ExecutePlanResponse.SqlCommandResult(relation=relation)
    return lambda: (bytes_field(SQL_RESULT, result.SerializeToString()),)


def into_variables(statement: Any, inner: Any, text: str, source: str, context: Context, session: "Session") -> Any:
    if not isinstance(inner, tree.Query):
        raise NotNative("SQL: EXECUTE IMMEDIATE … INTO of a command")
    targets = [known(name, source, context, session) for name in statement.targets]
    return set_from_query(targets, inner, text, context, session)
