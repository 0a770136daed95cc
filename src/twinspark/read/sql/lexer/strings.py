"""Parses string literals: adjacent ones are concatenated, and parameter markers may be among them."""

from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_simple_identifier
from twinspark.read.sql.lexer.tokens import unescape
from twinspark.read.sql.tree import CoalescedString, Expression, Parameter, StringLiteral


def is_string(cursor: Cursor, at: int) -> bool:
    return cursor.kinds[at] in cursor.string_kinds


def is_marker(cursor: Cursor, at: int) -> bool:
    kind = cursor.kinds[at]
    return kind == "?" or (kind == ":" and cursor.is_name(at + 1))


def is_string_or_marker(cursor: Cursor, at: int) -> bool:
    return is_string(cursor, at) or (not cursor.config.legacy_parameters_constants_only and is_marker(cursor, at))


def parse_one_string(cursor: Cursor) -> str:
    if not is_string(cursor, cursor.at):
        raise cursor.fail()
    cursor.at += 1
    return unescape_string(cursor, cursor.at - 1)


def unescape_string(cursor: Cursor, at: int) -> str:
    word = cursor.tokens.word(at)
    if cursor.config.escaped_string_literals:
        return word[2:-1] if word[0] in "rR" else word[1:-1]
    return unescape(word)


def parse_marker(cursor: Cursor) -> Parameter:
    start, name = cursor.start, ""
    if not cursor.take("?"):
        cursor.expect(":")
        name = parse_simple_identifier(cursor)
    cursor.markers.append((start, cursor.stop, name))
    return Parameter(start, cursor.stop, name)


def parse_string(cursor: Cursor) -> Expression:
    """One string, concatenated from adjacent ones."""
    if not is_string_or_marker(cursor, cursor.at):
        raise cursor.fail()
    start = cursor.start
    if is_string(cursor, cursor.at) and not is_string_or_marker(cursor, cursor.at + 1):
        return _parse_literal(cursor)
    parts: list[Expression] = []
    while is_string_or_marker(cursor, cursor.at):
        parts.append(_parse_literal(cursor) if is_string(cursor, cursor.at) else parse_marker(cursor))
    literals = [part for part in parts if isinstance(part, StringLiteral)]
    if len(literals) == len(parts):
        return StringLiteral(start, cursor.stop, "".join(literal.value for literal in literals))
    return parts[0] if len(parts) == 1 else CoalescedString(start, cursor.stop, tuple(parts))


def _parse_literal(cursor: Cursor) -> StringLiteral:
    return StringLiteral(cursor.start, cursor.stops[cursor.at], parse_one_string(cursor))


def parse_string_value(cursor: Cursor) -> str:
    """A string in a command, where parameter markers are not replaced."""
    found = parse_string(cursor)
    return found.value if isinstance(found, StringLiteral) else cursor.text[found.start : found.stop]
