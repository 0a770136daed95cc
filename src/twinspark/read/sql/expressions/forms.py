"""Parses expressions with keyword syntax: CASE, CAST, EXTRACT, TRIM, DATEADD with a unit and others."""

from collections.abc import Callable
from functools import partial

from twinspark.read.sql.expressions.calls import parse_identifier_expression
from twinspark.read.sql.expressions.data_types import parse_data_type
from twinspark.read.sql.expressions.literals import is_interval, parse_interval
from twinspark.read.sql.expressions.precedence import parse_expression, parse_named_expressions, parse_value
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import SyntaxFailure
from twinspark.read.sql.lexer.identifiers import parse_simple_identifier
from twinspark.read.sql.lexer.keywords import words
from twinspark.read.sql.lexer.strings import is_string, is_string_or_marker, parse_string
from twinspark.read.sql.tree import (
    BooleanLiteral,
    Case,
    Cast,
    CurrentLike,
    Expression,
    Extract,
    FirstLast,
    NullLiteral,
    Overlay,
    Position,
    Struct,
    Substring,
    TimestampAdd,
    TimestampDiff,
    Trim,
)

_UNITS = words("YEAR QUARTER MONTH WEEK DAY DAYOFYEAR HOUR MINUTE SECOND MILLISECOND MICROSECOND")
# If one of these follows, the keyword syntax was just a call of a function of that name.
_CALL_SUFFIX = {"OVER": None, "FILTER": "(", "WITHIN": "GROUP", "IGNORE": "NULLS", "RESPECT": "NULLS"}
_NAME_CONTINUES = ("(", ".", "->")


def _parse_call_form(rule: Callable[[Cursor], Expression], cursor: Cursor) -> Expression | None:
    """CAST(… AS …) and others, if the tokens match and no suffix of a function call follows; otherwise None."""
    if cursor.kinds[cursor.at + 1] != "(":
        return None
    at, errors = cursor.at, len(cursor.deferred_errors)
    found = cursor.attempt(rule, "form")
    if found is not None and _is_call_suffix(cursor):
        cursor.give_up(at, errors, "form")
        return None
    return found


def _is_call_suffix(cursor: Cursor) -> bool:
    kind = cursor.kinds[cursor.at]
    if kind not in _CALL_SUFFIX:
        return False
    needed = _CALL_SUFFIX[kind]
    second = cursor.kinds[cursor.at + 1]
    return second == needed if needed else second == "(" or (cursor.is_name(cursor.at + 1) and second != "FROM")


def _parse_null(cursor: Cursor) -> Expression | None:
    if cursor.kinds[cursor.at + 1] in _NAME_CONTINUES:
        return None
    cursor.at += 1
    return NullLiteral(cursor.starts[cursor.at - 1], cursor.stop)


def _parse_boolean(cursor: Cursor) -> Expression | None:
    if cursor.kinds[cursor.at + 1] in _NAME_CONTINUES:
        return None
    cursor.at += 1
    return BooleanLiteral(cursor.starts[cursor.at - 1], cursor.stop, cursor.kinds[cursor.at - 1] == "TRUE")


def _parse_interval_form(cursor: Cursor) -> Expression | None:
    return parse_interval(cursor) if is_interval(cursor) else None


def _parse_current_like(cursor: Cursor) -> Expression | None:
    if cursor.kinds[cursor.at + 1] in _NAME_CONTINUES:
        return None
    kind = cursor.kinds[cursor.at]
    cursor.at += 1
    return CurrentLike(cursor.starts[cursor.at - 1], cursor.stop, kind, cursor.tokens.word(cursor.at - 1))


def _parse_cast(cursor: Cursor) -> Expression:
    start, form = cursor.start, cursor.kinds[cursor.at]
    cursor.at += 1
    cursor.expect("(")
    child = parse_expression(cursor)
    cursor.expect("AS")
    data_type = parse_data_type(cursor)
    cursor.expect(")")
    return Cast(start, cursor.stop, form, child, data_type)


def _parse_case(cursor: Cursor) -> Expression | None:
    if cursor.kinds[cursor.at + 1] in ("eof", ",", ")", ".", ";", "="):
        return None
    return cursor.attempt(_parse_case_form, "case")


def _parse_case_form(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("CASE")
    searched = cursor.attempt(_parse_branches, "branches") if cursor.kinds[cursor.at] == "WHEN" else None
    value = None
    if searched is None:
        value = parse_expression(cursor)
        searched = _parse_branches(cursor)
    otherwise = parse_expression(cursor) if cursor.take("ELSE") else None
    cursor.expect("END")
    return Case(start, cursor.stop, value, searched, otherwise)


def _parse_branches(cursor: Cursor) -> tuple[tuple[Expression, Expression], ...]:
    branches = []
    cursor.expect("WHEN")
    while True:
        condition = parse_expression(cursor)
        cursor.expect("THEN")
        branches.append((condition, parse_expression(cursor)))
        if not cursor.take("WHEN"):
            return tuple(branches)


def _parse_struct(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("STRUCT", "(")
    fields = () if cursor.peek(")") else parse_named_expressions(cursor)
    cursor.expect(")")
    return Struct(start, cursor.stop, fields)


def _parse_first_last(cursor: Cursor) -> Expression:
    start, function = cursor.start, cursor.kinds[cursor.at]
    cursor.at += 1
    cursor.expect("(")
    child = parse_expression(cursor)
    ignore_nulls = cursor.take("IGNORE", "NULLS")
    cursor.expect(")")
    return FirstLast(start, cursor.stop, function, child, ignore_nulls)


def _parse_position(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("POSITION", "(")
    substring = parse_value(cursor)
    cursor.expect("IN")
    string = parse_value(cursor)
    cursor.expect(")")
    return Position(start, cursor.stop, substring, string)


def _parse_extract(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("EXTRACT", "(")
    field = parse_simple_identifier(cursor)
    cursor.expect("FROM")
    source = parse_value(cursor)
    cursor.expect(")")
    return Extract(start, cursor.stop, field, source)


def _parse_substring(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.at += 1
    cursor.expect("(")
    string = parse_value(cursor)
    first = cursor.expect_any("FROM", ",")
    position = parse_value(cursor)
    second = cursor.take_any("FOR", ",")
    length = parse_value(cursor) if second else None
    cursor.expect(")")
    if first == "," and second != "FOR":
        raise SyntaxFailure  # with commas alone it is a call
    return Substring(start, cursor.stop, string, position, length)


def _parse_trim(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("TRIM", "(")
    option = ""
    if cursor.kinds[cursor.at + 1] not in (",", ")"):
        option = cursor.take_any("BOTH", "LEADING", "TRAILING")
    characters = None
    if not option and cursor.kinds[cursor.at] == "FROM" and is_string_or_marker(cursor, cursor.at + 1):
        raise SyntaxFailure  # Spark reads a call whose argument is a literal of a type called FROM
    if cursor.kinds[cursor.at] != "FROM" or cursor.kinds[cursor.at + 1] == "FROM":
        characters = parse_value(cursor)
    cursor.expect("FROM")
    source = parse_value(cursor)
    cursor.expect(")")
    return Trim(start, cursor.stop, option, characters, source)


def _parse_overlay(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("OVERLAY", "(")
    source = parse_value(cursor)
    cursor.expect("PLACING")
    replace = parse_value(cursor)
    cursor.expect("FROM")
    position = parse_value(cursor)
    length = parse_value(cursor) if cursor.take("FOR") else None
    cursor.expect(")")
    return Overlay(start, cursor.stop, source, replace, position, length)


def _parse_timestamp_function(cursor: Cursor) -> Expression:
    """DATEADD(unit, quantity, timestamp), DATEDIFF(unit, begin, end) and their synonyms."""

    start, function = cursor.start, cursor.kinds[cursor.at]
    name = cursor.tokens.word(cursor.at)
    cursor.at += 1
    cursor.expect("(")
    unit = _parse_unit(cursor, start, name)
    cursor.expect(",")
    first = parse_value(cursor)
    cursor.expect(",")
    second = parse_value(cursor)
    cursor.expect(")")
    _reject_unit(cursor, unit, start, name)
    if function in ("TIMESTAMPADD", "DATEADD", "DATE_ADD"):
        return TimestampAdd(start, cursor.stop, function, unit, first, second)
    return TimestampDiff(start, cursor.stop, function, unit, first, second)


def _parse_unit(cursor: Cursor, start: int, name: str) -> str:
    if cursor.kinds[cursor.at] in _UNITS:
        cursor.at += 1
        return cursor.tokens.word(cursor.at - 1)
    if not is_string(cursor, cursor.at):
        raise cursor.fail()
    begin = cursor.at
    parse_string(cursor)
    return cursor.text[cursor.starts[begin] : cursor.stop]


def _reject_unit(cursor: Cursor, unit: str, start: int, name: str) -> None:
    if unit[0] in "'\"rR":
        cursor.defer_error(
            "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
            start,
            cursor.stop,
            functionName=f"`{name}`",
            parameter="`unit`",
            invalidValue=unit,
        )


_WORD_FORMS: dict[str, Callable[[Cursor], Expression | None]] = {
    "NULL": _parse_null,
    "TRUE": _parse_boolean,
    "FALSE": _parse_boolean,
    "INTERVAL": _parse_interval_form,
    "CASE": _parse_case,
    "CURRENT_DATE": _parse_current_like,
    "CURRENT_TIMESTAMP": _parse_current_like,
    "CURRENT_USER": _parse_current_like,
    "USER": _parse_current_like,
    "SESSION_USER": _parse_current_like,
    "CURRENT_TIME": _parse_current_like,
    "CURRENT_PATH": _parse_current_like,
}
_CALL_FORMS: dict[str, Callable[[Cursor], Expression]] = {
    "CAST": _parse_cast,
    "TRY_CAST": _parse_cast,
    "STRUCT": _parse_struct,
    "FIRST": _parse_first_last,
    "LAST": _parse_first_last,
    "ANY_VALUE": _parse_first_last,
    "POSITION": _parse_position,
    "EXTRACT": _parse_extract,
    "SUBSTR": _parse_substring,
    "SUBSTRING": _parse_substring,
    "TRIM": _parse_trim,
    "OVERLAY": _parse_overlay,
    "IDENTIFIER": parse_identifier_expression,
    "TIMESTAMPADD": _parse_timestamp_function,
    "DATEADD": _parse_timestamp_function,
    "DATE_ADD": _parse_timestamp_function,
    "TIMESTAMPDIFF": _parse_timestamp_function,
    "DATEDIFF": _parse_timestamp_function,
    "DATE_DIFF": _parse_timestamp_function,
    "TIMEDIFF": _parse_timestamp_function,
}
# By the first keyword: the rule, which returns None where the keyword is only a name.
FORMS: dict[str, Callable[[Cursor], Expression | None]] = {
    **_WORD_FORMS,
    **{keyword: partial(_parse_call_form, rule) for keyword, rule in _CALL_FORMS.items()},
}
