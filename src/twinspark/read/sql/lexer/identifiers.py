"""Parses names: identifiers, quoted or not, multi-part names, and IDENTIFIER('…') where a name is expected."""

from twinspark.errors import NotNative, reasons
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.syntax_errors import parse_all
from twinspark.read.sql.lexer.tokens import unescape, unquote
from twinspark.read.sql.tree import Name


def parse_identifier(cursor: Cursor) -> str:
    """A single-part name, which may be a keyword unless it is reserved."""
    at = cursor.at
    parts = _parse_identifier_parts(cursor, cursor.names)
    return parts[0] if len(parts) == 1 else _reject_name_parts(cursor, parts, cursor.starts[at])


def parse_strict_identifier(cursor: Cursor) -> str:
    """Like `parse_identifier`, without the keywords of joins and set operations: a table alias."""
    at = cursor.at
    parts = _parse_identifier_parts(cursor, cursor.strict_names)
    return parts[0] if len(parts) == 1 else _reject_name_parts(cursor, parts, cursor.starts[at])


def parse_simple_identifier(cursor: Cursor) -> str:
    """A name that is never IDENTIFIER('…')."""
    kind = cursor.kinds[cursor.at]
    if kind not in cursor.names:
        raise cursor.fail()
    return _parse_name_token(cursor, kind)


def parse_captured_identifier(cursor: Cursor) -> str:
    """A name that no expression can follow, so that `a-b` is reported as a name that needs quotes."""
    at = cursor.at
    name = parse_identifier(cursor)
    _reject_dashes(cursor, at)
    return name


def parse_multipart_identifier(cursor: Cursor) -> Name:
    start = cursor.start
    parts = _parse_captured_parts(cursor)
    while cursor.kinds[cursor.at] == "." and cursor.is_name(cursor.at + 1):
        cursor.at += 1
        if cursor.config.legacy_identifier_clause_only and cursor.peek("IDENTIFIER", "("):
            raise cursor.fail(cursor.at + 1)
        parts += _parse_captured_parts(cursor)
    return Name(start, cursor.stop, parts)


def parse_identifier_list(cursor: Cursor) -> tuple[str, ...]:
    """(name, name, …)"""
    return cursor.in_parentheses(parse_captured_identifier)


def parse_identifier_sequence(cursor: Cursor) -> tuple[str, ...]:
    """name, name, …"""
    return cursor.list_of(parse_captured_identifier)


def parse_name_parts(cursor: Cursor, value: str, start: int) -> tuple[str, ...]:
    """The parts of a name given as a string, between that offset and the cursor."""
    inner = Cursor(value, cursor.config, cursor.grammar)
    try:
        return parse_all(inner, parse_multipart_identifier).parts
    except ParseError as error:
        cursor.defer_error(error.condition, start, cursor.stop, **error.parameters)
        return (value,)


# ---------------------------------------------------------------- single parts
def _parse_captured_parts(cursor: Cursor) -> tuple[str, ...]:
    at = cursor.at
    parts = _parse_identifier_parts(cursor, cursor.names)
    if cursor.kinds[cursor.at] == "-":
        _reject_dashes(cursor, at)
    return parts


def _parse_identifier_parts(cursor: Cursor, names: frozenset[str]) -> tuple[str, ...]:
    """One part, or the parts of IDENTIFIER('a.b')."""
    kind = cursor.kinds[cursor.at]
    if kind == "identifier":
        return (_parse_name_token(cursor, kind),)
    if kind == "IDENTIFIER" and cursor.kinds[cursor.at + 1] == "(" and not cursor.config.legacy_identifier_clause_only:
        literal = _parse_identifier_literal(cursor) or _parse_marked_identifier(cursor)
        if literal is not None:
            return literal
    if kind not in names:
        raise cursor.fail()
    return (_parse_name_token(cursor, kind),)


def _parse_name_token(cursor: Cursor, kind: str) -> str:
    word = cursor.text[cursor.starts[cursor.at] : cursor.stops[cursor.at]]
    if kind in ("backquoted", "doublequoted"):
        word = unquote(word)
        if cursor.config.quoted_regex_columns and not word.replace("_", "").isalnum():
            raise NotNative(reasons.REGEX, "spark.sql.parser.quotedRegexColumnNames = true")
    elif not word.isascii() or "/" in word:
        cursor.deferred_errors.append(ParseError("INVALID_IDENTIFIER", cursor.text, cursor.start, ident=word))
    cursor.at += 1
    return word


def _parse_identifier_literal(cursor: Cursor) -> tuple[str, ...] | None:
    """IDENTIFIER('a.b') where a name is expected."""
    if cursor.kinds[cursor.at + 2] not in cursor.string_kinds:
        return None
    at = cursor.at + 2
    value = ""
    while cursor.kinds[at] in cursor.string_kinds:
        value += unescape(cursor.tokens.word(at))
        at += 1
    if cursor.kinds[at] != ")":
        return None
    start, cursor.at = cursor.start, at + 1
    return parse_name_parts(cursor, value, start)


def _parse_marked_identifier(cursor: Cursor) -> tuple[str, ...] | None:
    """IDENTIFIER(:name '.b') is a name once its parameter markers are bound."""
    at, markers = cursor.at + 2, []
    while cursor.looks_for_markers and cursor.kinds[at] in (*cursor.string_kinds, "?", ":"):
        start, is_named = cursor.starts[at], cursor.kinds[at] == ":" and cursor.is_name(at + 1)
        at += 2 if is_named else 1
        if cursor.text[start] in "?:":
            markers.append((start, cursor.stops[at - 1], cursor.tokens.word(at - 1) if is_named else ""))
    if not markers or cursor.kinds[at] != ")":
        return None
    cursor.markers += markers
    cursor.at = at + 1
    return ("marked",)


# ---------------------------------------------------------------- errors
def _reject_dashes(cursor: Cursor, at: int) -> None:
    if cursor.kinds[cursor.at] != "-" or not cursor.is_name(cursor.at + 1):
        return
    first = cursor.at
    while cursor.kinds[cursor.at] == "-" and cursor.is_name(cursor.at + 1):
        cursor.at += 2
    ident = "".join(cursor.tokens.word(i) for i in range(at, cursor.at))
    cursor.deferred_errors.append(ParseError("INVALID_IDENTIFIER", cursor.text, cursor.starts[first], ident=ident))


def _reject_name_parts(cursor: Cursor, parts: tuple[str, ...], start: int) -> str:
    name = ".".join(f"`{part.replace('`', '``')}`" for part in parts)
    cursor.defer_error("IDENTIFIER_TOO_MANY_NAME_PARTS", start, cursor.stop, identifier=name, limit="1")
    return parts[0]
