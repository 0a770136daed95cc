"""Parses session variables and SQL cursors: DECLARE, SET VARIABLE, OPEN, FETCH, CLOSE."""

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.expressions.data_types import parse_data_type
from twinspark.read.sql.expressions.precedence import (
    parse_expression,
    parse_named_expression,
    parse_named_expressions,
    parse_parenthesized_query,
)
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_multipart_identifier
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.dml import parse_assignment
from twinspark.read.sql.statements.functions import parse_drop_function
from twinspark.read.sql.statements.unsupported import reject_unsupported
from twinspark.read.sql.tree import (
    CloseCursor,
    Command,
    CreateVariable,
    DeclareCursor,
    DropVariable,
    Expression,
    FetchCursor,
    OpenCursor,
    SetVariable,
)


def parse_declare(cursor: Cursor) -> Command:
    """DECLARE a variable or a cursor."""
    start = cursor.start
    if _is_cursor(cursor):
        return _parse_declare_cursor(cursor, start)
    cursor.expect("DECLARE")
    replace = cursor.take("OR", "REPLACE")
    if cursor.kinds[cursor.at] in ("VARIABLE", "VAR") and cursor.is_name(cursor.at + 1):
        cursor.at += 1
    names = cursor.list_of(parse_identifier_reference)
    data_type = None
    if cursor.kinds[cursor.at] not in ("eof", ";", "DEFAULT", "="):
        data_type = parse_data_type(cursor)
    default = parse_expression(cursor) if cursor.take_any("DEFAULT", "=") else None
    if data_type is None and default is None:
        cursor.defer_error("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", start, cursor.stop)
    return CreateVariable(*cursor.span(start), names, replace, data_type, default)


def parse_drop_temporary(cursor: Cursor) -> Command:
    """DROP TEMPORARY FUNCTION, MACRO or VARIABLE."""
    kind = cursor.kinds[cursor.at + 2]
    if kind == "FUNCTION":
        return parse_drop_function(cursor)
    if kind == "MACRO":
        return reject_unsupported(cursor)
    return _parse_drop_variable(cursor)


def _parse_drop_variable(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("DROP", "TEMPORARY")
    cursor.expect_any("VARIABLE", "VAR")
    if_exists = cursor.take("IF", "EXISTS")
    name = parse_identifier_reference(cursor)
    return DropVariable(*cursor.span(start), name, if_exists)


def parse_set_variable(cursor: Cursor, start: int) -> Command:
    """After SET [VAR]: a = 1, b = 2, or (a, b) = (query)."""
    if cursor.kinds[cursor.at] != "(":
        assignments = cursor.list_of(parse_assignment)
        return SetVariable(*cursor.span(start), assignments, (), None)
    targets = cursor.in_parentheses(parse_multipart_identifier)
    cursor.expect("=")
    query = parse_parenthesized_query(cursor)
    return SetVariable(*cursor.span(start), (), targets, query)


def _is_cursor(cursor: Cursor) -> bool:
    at = cursor.at + 2
    at += cursor.kinds[at] in ("ASENSITIVE", "INSENSITIVE")
    return cursor.kinds[at] == "CURSOR" and cursor.kinds[at + 1] == "FOR"


def _parse_declare_cursor(cursor: Cursor, start: int) -> Command:
    cursor.expect("DECLARE")
    name = parse_captured_identifier(cursor)
    sensitivity = cursor.take_any("ASENSITIVE", "INSENSITIVE")
    cursor.expect("CURSOR", "FOR")
    query = parse_query(cursor)
    cursor.take("FOR", "READ", "ONLY")
    return DeclareCursor(*cursor.span(start), name, sensitivity, query)


def parse_open_cursor(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("OPEN")
    name = parse_multipart_identifier(cursor)
    arguments = parse_using_arguments(cursor) if cursor.take("USING") else ()
    return OpenCursor(*cursor.span(start), name, arguments)


def parse_using_arguments(cursor: Cursor) -> tuple[Expression, ...]:
    """(a, b AS c) or the same without parentheses."""
    if cursor.kinds[cursor.at] == "(":
        found = cursor.attempt(lambda cursor: cursor.in_parentheses(parse_named_expression))
        if found is not None and cursor.kinds[cursor.at] in ("eof", ";"):
            return found
        if found is not None:
            raise cursor.fail()
    return parse_named_expressions(cursor)


def parse_fetch_cursor(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("FETCH")
    if not cursor.take("NEXT", "FROM") and cursor.is_name(cursor.at + 1):
        cursor.take("FROM")
    name = parse_multipart_identifier(cursor)
    cursor.expect("INTO")
    targets = cursor.list_of(parse_multipart_identifier)
    return FetchCursor(*cursor.span(start), name, targets)


def parse_close_cursor(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CLOSE")
    name = parse_multipart_identifier(cursor)
    return CloseCursor(*cursor.span(start), name)
