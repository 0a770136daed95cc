"""Parses primary expressions: names, calls, casts, keyword syntax, fields, subscripts, :: and COLLATE."""

import re

from twinspark.read.sql.expressions.calls import parse_function_call
from twinspark.read.sql.expressions.data_types import parse_data_type
from twinspark.read.sql.expressions.forms import FORMS
from twinspark.read.sql.expressions.literals import NUMBERS, parse_number, parse_typed_literal
from twinspark.read.sql.expressions.precedence import (
    is_query_ahead,
    parse_expression,
    parse_named_expression,
    parse_parenthesized_query,
    parse_value,
)
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier, parse_multipart_identifier, parse_simple_identifier
from twinspark.read.sql.lexer.keywords_as_names import is_infix
from twinspark.read.sql.lexer.strings import (
    is_string,
    is_string_or_marker,
    parse_marker,
    parse_string,
    parse_string_value,
)
from twinspark.read.sql.lexer.tokens import unquote
from twinspark.read.sql.tree import (
    Cast,
    Collate,
    Column,
    Dereference,
    Expression,
    Lambda,
    Name,
    Row,
    SemiStructuredExtract,
    Star,
    Subquery,
    Subscript,
)

_POSTFIX = frozenset({".", "[", "::", ":", "COLLATE"})


def parse_primary(cursor: Cursor) -> Expression:
    start, kind = cursor.starts[cursor.at], cursor.kinds[cursor.at]
    if cursor.at >= cursor.next_check:
        cursor.check_wanted()
    if kind == "identifier":
        found = _parse_name(cursor)
    else:
        form = FORMS.get(kind)
        found = (form(cursor) if form is not None else None) or _parse_ordinary(cursor, kind)
    while cursor.kinds[cursor.at] in _POSTFIX:
        outer = _parse_postfix(cursor, found, start)
        if outer is None:
            return found
        found = outer
    return found


def _parse_ordinary(cursor: Cursor, kind: str) -> Expression:
    if kind in NUMBERS or kind == "-":
        return parse_number(cursor)
    if is_string_or_marker(cursor, cursor.at):
        return parse_string(cursor)
    if kind == "?" or kind == ":":
        return parse_marker(cursor)
    if kind == "*":
        return _parse_star(cursor, cursor.start, ())
    if kind == "(":
        return _parse_parenthesized(cursor)
    if kind in cursor.names or kind in ("LEFT", "RIGHT", "FILTER"):
        return _parse_name(cursor)
    if kind == "TIME" and is_string(cursor, cursor.at + 1):
        return parse_typed_literal(cursor)
    raise cursor.fail()


# ------------------------------------------------------------ names and calls
def _parse_name(cursor: Cursor) -> Expression:
    at = cursor.at
    second = cursor.kinds[at + 1]
    if second == "(":
        return parse_function_call(cursor)
    if second == "->":
        return _parse_lambda(cursor, (parse_identifier(cursor),), cursor.starts[at])
    if second in cursor.string_kinds:
        return parse_typed_literal(cursor)
    if second == "doublequoted":
        raise cursor.fail(at + 1)  # a typed literal if these quotes were string quotes; Spark's parser fails here too
    if cursor.kinds[at] not in cursor.names:
        raise cursor.fail()
    start = cursor.starts[at]
    parts = [parse_identifier(cursor)]
    while cursor.kinds[cursor.at] == ".":
        if cursor.kinds[cursor.at + 1] == "*":
            cursor.at += 1
            return _parse_star(cursor, start, tuple(parts))
        if cursor.kinds[cursor.at + 1] not in cursor.names:
            cursor.fail(cursor.at + 1)
            break
        is_function = _is_identifier_call(cursor, cursor.at + 1)  # a.IDENTIFIER('b') calls a function of that name
        cursor.at += 1
        parts.append(parse_simple_identifier(cursor) if is_function else parse_identifier(cursor))
    if cursor.kinds[cursor.at] == "(" and len(parts) > 1:
        return parse_function_call(cursor, Name(start, cursor.stop, tuple(parts)))
    return Column(start, cursor.stop, tuple(parts))


def _is_identifier_call(cursor: Cursor, at: int) -> bool:
    return cursor.kinds[at] == "IDENTIFIER" and cursor.kinds[at + 1] == "("


def _parse_star(cursor: Cursor, start: int, target: tuple[str, ...]) -> Expression:
    cursor.expect("*")
    excluded: tuple[Name, ...] = ()
    if cursor.peek("EXCEPT", "(") and not is_query_ahead_at(cursor, cursor.at + 1):
        cursor.at += 1
        excluded = cursor.in_parentheses(parse_multipart_identifier)
    elif cursor.kinds[cursor.at] == "EXCEPT" and cursor.kinds[cursor.at + 1] in ("identifier", "backquoted"):
        raise cursor.fail(cursor.at + 1)
    return Star(start, cursor.stop, target, excluded)


def is_query_ahead_at(cursor: Cursor, at: int) -> bool:
    here, cursor.at = cursor.at, at
    ahead = is_query_ahead(cursor)
    inner = cursor.kinds[at + 2]
    cursor.at = here
    return ahead and inner not in (",", ")", ".")


def _parse_lambda(cursor: Cursor, parameters: tuple[str, ...], start: int) -> Expression:
    cursor.expect("->")
    body = parse_expression(cursor)
    return Lambda(start, cursor.stop, parameters, body)


# ------------------------------------------------------------ parentheses
def _parse_parenthesized(cursor: Cursor) -> Expression:
    start = cursor.start
    if _is_row_of_select(cursor) and (row := cursor.attempt(_parse_row, "row")):
        return row
    if is_query_ahead(cursor) and (query := cursor.attempt(parse_parenthesized_query, "query")):
        return Subquery(start, cursor.stop, query)
    if _is_lambda(cursor):
        return _parse_lambda(cursor, cursor.in_parentheses(parse_identifier), start)
    cursor.expect("(")
    first = parse_named_expression(cursor)
    if cursor.kinds[cursor.at] != ",":
        return _close_parenthesis(cursor, first, start)
    fields = [first]
    while cursor.take(","):
        fields.append(parse_named_expression(cursor))
    cursor.expect(")")
    return Row(start, cursor.stop, tuple(fields))


def _is_row_of_select(cursor: Cursor) -> bool:
    """(SELECT a, b) is also a row of a column named select with the alias a, and of b. The grammar prefers that."""
    kinds, at = cursor.kinds, cursor.at
    if kinds[at + 1] in ("SELECT", "VALUES") and kinds[at + 2] == "(":
        return True  # a row whose first field is the call of a function of that name
    return kinds[at + 1] == "SELECT" and kinds[at + 3] == "," and (cursor.is_name(at + 2) or is_string(cursor, at + 2))


def _parse_row(cursor: Cursor) -> Expression:
    start = cursor.start
    fields = cursor.in_parentheses(parse_named_expression)
    if len(fields) < 2:
        raise cursor.fail()
    return Row(start, cursor.stop, fields)


def _close_parenthesis(cursor: Cursor, inner: Expression, start: int) -> Expression:
    if cursor.kinds[cursor.at] == ")" and type(inner).__name__ == "Alias":
        raise cursor.fail()  # (a AS b) alone is not a row
    cursor.expect(")")
    return inner


def _is_lambda(cursor: Cursor) -> bool:
    """( name, name ) ->"""
    at = cursor.at + 1
    while cursor.is_name(at) and cursor.kinds[at + 1] == ",":
        at += 2
    return at > cursor.at + 1 and cursor.is_name(at) and cursor.kinds[at + 1] == ")" and cursor.kinds[at + 2] == "->"


# ------------------------------------------------------------ postfix operators
def _parse_postfix(cursor: Cursor, base: Expression, start: int) -> Expression | None:
    kind = cursor.kinds[cursor.at]
    if kind == ".":
        return _parse_dereference(cursor, base, start)
    if kind == "[":
        cursor.at += 1
        index = parse_value(cursor)
        cursor.expect("]")
        return Subscript(start, cursor.stop, base, index)
    if kind == "::":
        cursor.at += 1
        data_type = parse_data_type(cursor)
        return Cast(start, cursor.stop, "::", base, data_type)
    if kind == "COLLATE":
        return _parse_collate(cursor, base, start)
    return _parse_semi_structured(cursor, base, start)


def _parse_dereference(cursor: Cursor, base: Expression, start: int) -> Expression | None:
    if not cursor.is_name(cursor.at + 1):
        cursor.fail(cursor.at + 1)
        return None
    cursor.at += 1
    field = parse_identifier(cursor)
    if isinstance(base, Column):
        return Column(start, cursor.stop, (*base.parts, field))
    return Dereference(start, cursor.stop, base, field)


def _parse_collate(cursor: Cursor, base: Expression, start: int) -> Expression | None:
    if not cursor.is_name(cursor.at + 1) or not is_infix(cursor, cursor.at):
        return None
    cursor.at += 1
    collation = parse_multipart_identifier(cursor)
    return Collate(start, cursor.stop, base, collation)


def _parse_semi_structured(cursor: Cursor, base: Expression, start: int) -> Expression | None:
    """base:a.b[0]['c']; the path is the source text without its back quotes."""
    cursor.expect(":")
    begin = cursor.at
    names = [_parse_path_part(cursor, first=True)]
    while cursor.kinds[cursor.at] == "[" or (cursor.kinds[cursor.at] == "." and cursor.is_name(cursor.at + 1)):
        names.append(_parse_path_part(cursor, first=False))
    words = [unquote(w) if w[0] == "`" else w for w in map(cursor.tokens.word, range(begin, cursor.at))]
    path = "".join(words)
    last = next((name for name in reversed(names) if name is not None), None)
    return SemiStructuredExtract(start, cursor.stop, base, f"${'' if path[0] == '[' else '.'}{path}", last)


def _parse_path_part(cursor: Cursor, *, first: bool) -> str | None:
    """The name of a field, or None for an index."""
    if not cursor.take("["):
        if not first:
            cursor.expect(".")
        return parse_identifier(cursor).rsplit(".", 1)[-1]  # a dot inside back quotes separates path elements too
    name = None
    if not cursor.take("integer"):
        if not is_string_or_marker(cursor, cursor.at):
            raise cursor.fail()
        name = parse_string_value(cursor)
        _check_path_name(cursor, cursor.at - 1)
    cursor.expect("]")
    return name


def _check_path_name(cursor: Cursor, at: int) -> None:
    """JsonPathParser accepts only ['name']."""
    if not re.fullmatch(r"'[^']+'", cursor.tokens.word(at)):
        cursor.defer_error("PARSE_SYNTAX_ERROR", cursor.starts[at], cursor.stops[at])
