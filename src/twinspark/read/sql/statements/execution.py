"""Parses EXPLAIN, CALL and EXECUTE IMMEDIATE."""

from twinspark.read.sql.expressions.calls import parse_function_argument, parse_identifier_reference
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.statements.variables import parse_using_arguments
from twinspark.read.sql.tree import (
    Alias,
    CallProcedure,
    Command,
    ExecuteImmediate,
    Explain,
    Expression,
)


def parse_explain(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("EXPLAIN")
    mode = cursor.take_any("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")
    statement = cursor.grammar.statement(cursor)
    if mode == "LOGICAL":
        cursor.defer_error("INVALID_STATEMENT_OR_CLAUSE", start, cursor.stop, operation="EXPLAIN LOGICAL")
    return Explain(*cursor.span(start), mode, statement)


def parse_call(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("CALL")
    procedure = parse_identifier_reference(cursor)
    cursor.expect("(")
    arguments = () if cursor.peek(")") else cursor.list_of(parse_function_argument)
    cursor.expect(")")
    return CallProcedure(*cursor.span(start), procedure, arguments)


def parse_execute_immediate(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("EXECUTE", "IMMEDIATE")
    query = parse_expression(cursor)
    targets = cursor.list_of(parse_multipart_identifier) if cursor.take("INTO") else ()
    begin = cursor.start
    arguments: tuple[Expression, ...] = ()
    if cursor.take("USING"):
        arguments = parse_using_arguments(cursor)
        _check_arguments(cursor, arguments, begin)
    return ExecuteImmediate(*cursor.span(start), query, targets, arguments)


def _check_arguments(cursor: Cursor, arguments: tuple[Expression, ...], begin: int) -> None:
    names = [argument.names[0] for argument in arguments if isinstance(argument, Alias)]
    repeated = sorted({name for name in names if names.count(name) > 1}, key=names.index)
    if repeated:
        aliases = ", ".join(f"`{name}`" for name in repeated)
        cursor.defer_error("EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", begin, cursor.stop, aliases=aliases)
