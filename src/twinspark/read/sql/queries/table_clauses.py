"""Parses the clauses after a table, and table functions with their arguments."""

from collections.abc import Callable
from typing import TypeVar

from twinspark.read.sql.expressions.calls import parse_function_argument, parse_identifier_reference, parse_sort_item
from twinspark.read.sql.expressions.literals import parse_interval
from twinspark.read.sql.expressions.precedence import (
    is_query_ahead,
    parse_expression,
    parse_named_expression,
    parse_parenthesized_query,
    parse_value,
)
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier, parse_identifier_list, parse_strict_identifier
from twinspark.read.sql.lexer.keywords_as_names import is_alias
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.statements.properties import parse_property_list
from twinspark.read.sql.tree import (
    Changes,
    Expression,
    Identifier,
    NamedArgument,
    Node,
    Properties,
    Query,
    SortItem,
    TableAlias,
    TableArgument,
    TableFunction,
    TimeTravel,
    Watermark,
)

N = TypeVar("N", bound=Node)
_VERSIONS = ("SYSTEM_VERSION", "VERSION")
_TIMESTAMPS = ("SYSTEM_TIME", "TIMESTAMP")


def parse_table_alias(cursor: Cursor) -> TableAlias | None:
    start = cursor.start
    if cursor.kinds[cursor.at] == "AS" and cursor.kinds[cursor.at + 1] in cursor.strict_names:
        cursor.at += 1
    elif not is_alias(cursor, cursor.at, cursor.strict_names):
        return None
    name = parse_strict_identifier(cursor)
    columns = parse_identifier_list(cursor) if cursor.kinds[cursor.at] == "(" else ()
    return TableAlias(start, cursor.stop, name, columns)


# ------------------------------------------------------------ after a table
def parse_time_travel(cursor: Cursor) -> TimeTravel | None:
    at = cursor.at + (cursor.kinds[cursor.at] == "FOR")
    kind = cursor.kinds[at]
    if kind not in (*_VERSIONS, *_TIMESTAMPS) or cursor.kinds[at + 1 : at + 3] != ["AS", "OF"]:
        return None
    start, cursor.at = cursor.start, at + 3
    if kind in _TIMESTAMPS:
        timestamp = parse_value(cursor)
        return TimeTravel(start, cursor.stop, None, timestamp)
    version = _parse_version(cursor)
    return TimeTravel(start, cursor.stop, version, None)


def _parse_version(cursor: Cursor) -> str:
    return cursor.tokens.word(cursor.at - 1) if cursor.take("integer") else parse_string_value(cursor)


def parse_changes_clause(cursor: Cursor, *, stream: bool) -> Changes:
    start = cursor.start
    cursor.expect("CHANGES")
    begin, begin_exclusive = (
        (None, False) if stream and not cursor.peek("FROM") else _parse_change_bound(cursor, "FROM")
    )
    end, end_exclusive = (None, False)
    if not stream and cursor.kinds[cursor.at] == "TO":
        end, end_exclusive = _parse_change_bound(cursor, "TO")
    return Changes(start, cursor.stop, begin, begin_exclusive, end, end_exclusive)


def _parse_change_bound(cursor: Cursor, word: str) -> "tuple[str | Expression | None, bool]":
    cursor.expect(word)
    kind = cursor.expect_any(*_VERSIONS, *_TIMESTAMPS)
    bound: str | Expression = _parse_version(cursor) if kind in _VERSIONS else parse_value(cursor)
    return bound, cursor.take_any("INCLUSIVE", "EXCLUSIVE") == "EXCLUSIVE"


def parse_options_clause(cursor: Cursor) -> Properties:
    return parse_property_list(cursor) if cursor.peek("WITH", "(") and cursor.take("WITH") else ()


def parse_watermark(cursor: Cursor) -> Watermark | None:
    if cursor.kinds[cursor.at] != "WATERMARK" or cursor.kinds[cursor.at + 1] in ("eof", ",", ")", "(", ";"):
        return None
    return cursor.attempt(_parse_watermark_clause)


def _parse_watermark_clause(cursor: Cursor) -> Watermark:
    start = cursor.start
    cursor.expect("WATERMARK")
    column = parse_named_expression(cursor)
    cursor.expect("DELAY", "OF")
    delay = parse_interval(cursor)
    return Watermark(start, cursor.stop, column, delay)


# ------------------------------------------------------------ table functions
def parse_table_function(cursor: Cursor, name: Identifier, start: int) -> TableFunction:
    cursor.expect("(")
    arguments = () if cursor.peek(")") else cursor.list_of(parse_table_function_argument)
    cursor.expect(")")
    watermark = parse_watermark(cursor)
    alias = parse_table_alias(cursor)
    return TableFunction(start, cursor.stop, name, arguments, watermark, alias)


def parse_table_function_argument(cursor: Cursor) -> Expression:
    if cursor.kinds[cursor.at + 1] == "=>" and cursor.kinds[cursor.at + 2] == "TABLE":
        start = cursor.start
        name = parse_identifier(cursor)
        cursor.expect("=>")
        if found := cursor.attempt(_parse_table_argument):
            return NamedArgument(start, cursor.stop, name, found)
        cursor.at -= 2
    if cursor.kinds[cursor.at] == "TABLE" and (found := cursor.attempt(_parse_table_argument)):
        return found
    return parse_function_argument(cursor)


def _parse_table_argument(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("TABLE")
    relation = cursor.attempt(parse_parenthesized_query, "query") if is_query_ahead(cursor) else None
    if relation is not None:
        return _parse_partitioning(cursor, start, relation)
    parenthesized = cursor.take("(")
    name = parse_identifier_reference(cursor)
    if parenthesized:
        cursor.expect(")")
    found = _parse_partitioning(cursor, start, name)
    if not parenthesized:
        problem = "INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES"
        written = cursor.text[name.start : name.stop]
        cursor.defer_error(problem, start, cursor.stop, argumentName=f"`{written}`")
    return found


def _parse_partitioning(cursor: Cursor, start: int, relation: Identifier | Query) -> TableArgument:
    partitioning = ""
    partition: tuple[Expression, ...] = ()
    order: tuple[SortItem, ...] = ()
    if cursor.take("WITH", "SINGLE", "PARTITION"):
        partitioning = "SINGLE"
    elif cursor.take("PARTITION", "BY") or cursor.take("DISTRIBUTE", "BY"):
        partitioning, partition = "BY", _parse_one_or_parenthesized(cursor, start)
    if partitioning and (cursor.take("ORDER", "BY") or cursor.take("SORT", "BY")):
        order = _parse_order_or_parenthesized(cursor, start)
    return TableArgument(start, cursor.stop, relation, partitioning, partition, order)


def _parse_one_or_parenthesized(cursor: Cursor, start: int) -> tuple[Expression, ...]:
    if cursor.kinds[cursor.at] == "(" and not is_query_ahead(cursor):
        found = cursor.attempt(lambda cursor: cursor.in_parentheses(parse_expression))
        if found is not None and cursor.kinds[cursor.at] in (",", ")", "ORDER", "SORT"):
            return found
    return _parse_one(cursor, _parse_up_to_name(cursor, parse_expression), "PARTITION BY", start)


def _parse_order_or_parenthesized(cursor: Cursor, start: int) -> tuple[SortItem, ...]:
    if cursor.kinds[cursor.at] == "(":
        found = cursor.attempt(lambda cursor: cursor.in_parentheses(parse_sort_item))
        if found is not None and cursor.kinds[cursor.at] in (",", ")"):
            return found
    return _parse_one(cursor, _parse_up_to_name(cursor, parse_sort_item), "ORDER BY", start)


def _parse_up_to_name(cursor: Cursor, rule: Callable[[Cursor], N]) -> tuple[N, ...]:
    """item, item, …, optionally followed by the function's next named argument."""
    items = [rule(cursor)]
    while cursor.kinds[cursor.at] == "," and cursor.kinds[cursor.at + 2] != "=>":
        cursor.at += 1
        items.append(rule(cursor))
    return tuple(items)


def _parse_one(cursor: Cursor, found: tuple[N, ...], clause: str, start: int) -> tuple[N, ...]:
    """Several items need parentheses."""
    if len(found) > 1:
        message = (
            "The table function call includes a table argument with an invalid partitioning/ordering "
            f"specification: the {clause} clause included multiple expressions without parentheses surrounding "
            "them; please add parentheses around these expressions and then retry the query again"
        )
        cursor.defer_error("_LEGACY_ERROR_TEMP_0064", start, cursor.stop, msg=message)
    return found
