"""Applies a rule to a whole text and raises the syntax error of Spark's parser if the text does not match."""

from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

from twinspark.errors import NotNative, reasons
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError, SyntaxFailure, too_complex

T = TypeVar("T")


def parse_all(cursor: Cursor, rule: Callable[[Cursor], T], *, semicolons: bool = False) -> T:
    """The rule must take all tokens."""
    try:
        result = rule(cursor)
    except SyntaxFailure:
        raise _first_error(cursor) from None
    except RecursionError:
        raise too_complex(cursor.text) from None
    while semicolons and cursor.take(";"):
        pass
    if cursor.kinds[cursor.at] != "eof":
        raise _trailing_error(cursor)
    if cursor.tokens.unclosed_comment is not None and not cursor.is_raw:
        raise ParseError("UNCLOSED_BRACKETED_COMMENT", cursor.text, cursor.tokens.unclosed_comment)
    if cursor.deferred_errors:
        raise _deferred_error(cursor.deferred_errors[0])
    return result


def _deferred_error(error: ParseError) -> Exception:
    if error.condition == "IDENTIFIER_TOO_MANY_NAME_PARTS":
        return NotNative(
            reasons.ERROR_MESSAGE,
            "a name of too many parts: only Spark's parser decides which text to show",
            likely_error=error,
        )
    return error


def _first_error(cursor: Cursor) -> ParseError:
    """Spark reports invalid names as soon as it meets them; otherwise the farthest position that was reached."""
    for error in cursor.deferred_errors:
        if error.condition == "INVALID_IDENTIFIER":
            return error
    return _syntax_error(cursor)


def _trailing_error(cursor: Cursor) -> ParseError:
    """A single surplus token at the end is reported as extra input, as ANTLR does if the text matches without it."""
    extra = cursor.kinds[cursor.at - 1] == ";" or cursor.kinds[cursor.at + 1] in ("eof", ";")
    extra = extra and cursor.farthest <= cursor.at and cursor.names_extra_input
    cursor.fail()
    found = _first_error(cursor)
    if not extra or found.condition != "PARSE_SYNTAX_ERROR":
        return found
    return _syntax_error(cursor, f": extra input '{cursor.tokens.word(cursor.at)}'")


def _syntax_error(cursor: Cursor, hint: str = "") -> ParseError:
    at = cursor.farthest
    if not cursor.text.strip():
        return ParseError("PARSE_EMPTY_STATEMENT", cursor.text, cursor.starts[at])
    token = "end of input" if cursor.kinds[at] == "eof" else f"'{_escape_token(cursor.tokens.word(at))}'"
    hint = hint or (f": extra input {token}" if at == cursor.extra_token else "")
    found = ParseError("PARSE_SYNTAX_ERROR", cursor.text, cursor.starts[at], error=token, hint=hint)
    if _may_name_another_token(cursor):
        raise NotNative(
            reasons.ERROR_MESSAGE,
            "a syntax error: only Spark's parser decides which token to blame",
            likely_error=found,
        )
    return found


def _may_name_another_token(cursor: Cursor) -> bool:
    """Whether ANTLR may report an earlier token: near IDENTIFIER(…), open parentheses, strings that are called or
    dotted, after WINDOW, inside CASE, and in or after EXISTS (…) and FILTER (…)."""
    kinds, farthest = cursor.kinds, cursor.farthest
    if 0 <= cursor.named_window < farthest:
        return True
    before = kinds[:farthest]
    if before[-1:] == ["FOR"] or before[-2:] == ["OVER", "("]:
        return True
    if before.count("CASE") > before.count("END") or {"EXISTS", "FILTER"}.intersection(before):
        return True
    pairs = pairwise(kinds)
    if any(pair == ("IDENTIFIER", "(") or (pair[0] == "doublequoted" and pair[1] in "(.") for pair in pairs):
        return True
    return kinds[farthest] != "eof" and kinds.count("(") > kinds.count(")")


def _escape_token(word: str) -> str:
    """A token as ANTLR prints it in messages."""
    return word.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
