"""Parses PIVOT and UNPIVOT."""

from twinspark.read.sql.expressions.precedence import parse_expression, parse_named_expressions
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_captured_identifier,
    parse_identifier,
    parse_identifier_list,
    parse_multipart_identifier,
)
from twinspark.read.sql.lexer.keywords_as_names import is_alias
from twinspark.read.sql.tree import Alias, Expression, Name, Pivot, Relation, Unpivot, UnpivotColumns


# ------------------------------------------------------------ PIVOT
def parse_pivot(cursor: Cursor, relation: Relation | None) -> Pivot:
    start = cursor.start if relation is None else relation.start
    cursor.expect("PIVOT", "(")
    aggregates = parse_named_expressions(cursor)
    cursor.expect("FOR")
    columns = parse_identifier_list(cursor) if cursor.kinds[cursor.at] == "(" else (parse_captured_identifier(cursor),)
    cursor.expect("IN")
    values = cursor.in_parentheses(_parse_pivot_value)
    cursor.expect(")")
    return Pivot(start, cursor.stop, relation, aggregates, columns, values, _parse_pivot_alias(cursor))


def _parse_pivot_value(cursor: Cursor) -> Expression:
    start = cursor.start
    child = parse_expression(cursor)
    if not cursor.take("AS") and not is_alias(cursor, cursor.at, cursor.names):
        return child
    name = parse_captured_identifier(cursor)
    return Alias(start, cursor.stop, child, (name,))


def _parse_pivot_alias(cursor: Cursor) -> str | None:
    if cursor.kinds[cursor.at] == "AS" and cursor.is_name(cursor.at + 1):
        cursor.at += 1
        return parse_captured_identifier(cursor)
    return parse_captured_identifier(cursor) if is_alias(cursor, cursor.at, cursor.strict_names) else None


# ------------------------------------------------------------ UNPIVOT
def parse_unpivot(cursor: Cursor, relation: Relation | None) -> Unpivot:
    start = cursor.start if relation is None else relation.start
    cursor.expect("UNPIVOT")
    nulls = cursor.take_any("INCLUDE", "EXCLUDE")
    if nulls:
        cursor.expect("NULLS")
    cursor.expect("(")
    multiple = cursor.kinds[cursor.at] == "("
    values = cursor.in_parentheses(parse_identifier) if multiple else (parse_identifier(cursor),)
    cursor.expect("FOR")
    name = parse_identifier(cursor)
    cursor.expect("IN")
    columns = cursor.in_parentheses(_parse_unpivot_set if multiple else _parse_unpivot_column)
    cursor.expect(")")
    alias = _parse_pivot_alias(cursor)
    return Unpivot(start, cursor.stop, relation, nulls == "INCLUDE", values, name, columns, multiple, alias)


def _parse_unpivot_column(cursor: Cursor) -> UnpivotColumns:
    start = cursor.start
    columns: tuple[Name, ...] = (parse_multipart_identifier(cursor),)
    return UnpivotColumns(start, cursor.stop, columns, _parse_pivot_alias(cursor))


def _parse_unpivot_set(cursor: Cursor) -> UnpivotColumns:
    start = cursor.start
    columns = cursor.in_parentheses(parse_multipart_identifier)
    return UnpivotColumns(start, cursor.stop, columns, _parse_pivot_alias(cursor))
