"""Parses CREATE FUNCTION and DROP FUNCTION."""

from pyspark.sql.types import DataType, StructType

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.expressions.data_types import parse_column_types, parse_data_type
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_identifier, parse_simple_identifier
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.columns import parse_column_definition
from twinspark.read.sql.statements.partitions import parse_if_not_exists
from twinspark.read.sql.statements.views import check_temporary_name
from twinspark.read.sql.tree import (
    ColumnDefinition,
    Command,
    CreateFunction,
    CreateSqlFunction,
    DropFunction,
    Expression,
    Identifier,
    Query,
)


# ------------------------------------------------------------ functions
def parse_create_function(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CREATE")
    replace = cursor.take("OR", "REPLACE")
    temporary = cursor.take("TEMPORARY")
    cursor.expect("FUNCTION")
    if_not_exists = parse_if_not_exists(cursor)
    name = parse_identifier_reference(cursor)
    if cursor.take("AS"):
        class_name = parse_string_value(cursor)
        resources = cursor.list_of(_parse_resource) if cursor.take("USING") else ()
        function: Command = CreateFunction(
            *cursor.span(start), name, replace, temporary, if_not_exists, class_name, resources
        )
    else:
        function = _parse_sql_function(cursor, start, name, replace, temporary, if_not_exists)
    _check_function(cursor, start, name, replace, temporary, if_not_exists)
    return function


def _check_function(
    cursor: Cursor, start: int, name: Identifier, replace: bool, temporary: bool, if_not_exists: bool
) -> None:
    if replace and if_not_exists:
        problem = "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE"
        cursor.defer_error(problem, start, cursor.stop)
    if temporary and if_not_exists:
        cursor.defer_error("INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS", start, cursor.stop)
    if temporary:
        check_temporary_name(cursor, "FUNCTION", name, start)


def _parse_resource(cursor: Cursor) -> tuple[str, str]:
    return parse_simple_identifier(cursor), parse_string_value(cursor)


def _parse_sql_function(
    cursor: Cursor, start: int, name: Identifier, replace: bool, temporary: bool, if_not_exists: bool
) -> Command:
    cursor.expect("(")
    parameters = () if cursor.peek(")") else cursor.list_of(parse_column_definition)
    cursor.expect(")")
    returns: DataType | None = None
    returns_table: StructType | bool = False
    returns_text = ""
    if cursor.take("RETURNS"):
        if cursor.take("TABLE", "("):
            columns_at = cursor.start
            returns_table = parse_column_types(cursor)
            returns_text = cursor.text[columns_at : cursor.stop]
            cursor.expect(")")
        elif cursor.take("TABLE"):
            returns_table = True
        else:
            returns = parse_data_type(cursor)
    characteristics, comment, collation = _parse_characteristics(cursor)
    cursor.expect("RETURN")
    begin = cursor.start
    body = _parse_body(cursor)
    _check_parameters(cursor, start, parameters)
    return CreateSqlFunction(
        *cursor.span(start),
        name,
        replace,
        temporary,
        if_not_exists,
        parameters,
        returns,
        returns_table,
        characteristics,
        comment,
        collation,
        body,
        cursor.text[begin : cursor.stop],
        returns_text,
    )


def _parse_body(cursor: Cursor) -> Query | Expression:
    query = cursor.attempt(parse_query)
    if query is not None and cursor.kinds[cursor.at] in ("eof", ";"):
        return query
    if query is not None:
        cursor.at = cursor.starts.index(query.start)
    return parse_expression(cursor)


def _check_parameters(cursor: Cursor, start: int, parameters: tuple[ColumnDefinition, ...]) -> None:
    for parameter in parameters:
        if parameter.generated is not None or parameter.identity is not None:
            problem = "INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_GENERATED_COLUMNS_AS_PARAMETERS"
            cursor.defer_error(problem, start, cursor.stop)
        if parameter.constraint is not None:
            cursor.defer_error("INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_COLUMN_CONSTRAINTS", start, cursor.stop)


def _parse_characteristics(cursor: Cursor) -> tuple[tuple[str, ...], str | None, str | None]:
    found: list[str] = []
    comment = collation = None
    while True:
        if cursor.take("COMMENT"):
            comment = parse_string_value(cursor)
        elif cursor.take("DEFAULT", "COLLATION"):
            collation = parse_identifier(cursor)
        elif word := _parse_characteristic_words(cursor):
            found.append(word)
        else:
            return tuple(found), comment, collation


def _parse_characteristic_words(cursor: Cursor) -> str:
    if cursor.take("LANGUAGE"):
        return f"LANGUAGE {parse_simple_identifier(cursor)}"
    if cursor.take("SPECIFIC"):
        return f"SPECIFIC {parse_captured_identifier(cursor)}"
    for words in _CHARACTERISTICS:
        if cursor.take(*words):
            return " ".join(words)
    return ""


def parse_drop_function(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("DROP")
    temporary = cursor.take("TEMPORARY")
    cursor.expect("FUNCTION")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    if temporary:
        check_temporary_name(cursor, "FUNCTION", name, start)
    return DropFunction(*cursor.span(start), name, temporary, if_exists)


_CHARACTERISTICS = (
    ("DETERMINISTIC",),
    ("NOT", "DETERMINISTIC"),
    ("NO", "SQL"),
    ("CONTAINS", "SQL"),
    ("READS", "SQL", "DATA"),
    ("MODIFIES", "SQL", "DATA"),
    ("RETURNS", "NULL", "ON", "NULL", "INPUT"),
    ("CALLED", "ON", "NULL", "INPUT"),
    ("SQL", "SECURITY", "INVOKER"),
    ("SQL", "SECURITY", "DEFINER"),
)
