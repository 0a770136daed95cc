"""Parses SET and RESET, whose values are taken verbatim from the text."""

import re

from twinspark.read.sql.expressions.literals import parse_interval
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.lexer.strings import is_string_or_marker, parse_string_value
from twinspark.read.sql.lexer.tokens import unquote
from twinspark.read.sql.statements.variables import parse_set_variable
from twinspark.read.sql.tree import (
    CalendarInterval,
    Command,
    DayTimeInterval,
    Expression,
    Name,
    ResetConfiguration,
    SetCatalog,
    SetConfiguration,
    SetPath,
    SetTimeZone,
    YearMonthInterval,
)

_KEY_AND_VALUE = re.compile(r"([a-zA-Z_\d\\.:]+)\s*=([^;]*);*", re.DOTALL)
_KEY = re.compile(r"([a-zA-Z_\d\\.:]+)\s*")
_VALUE = re.compile(r"([^;]*);*", re.DOTALL)
_PATH_WORDS = ("DEFAULT_PATH", "SYSTEM_PATH", "PATH", "CURRENT_DATABASE", "CURRENT_SCHEMA")
_HOUR = 3_600_000_000


def parse_set_command(cursor: Cursor) -> Command:
    start, second = cursor.start, cursor.kinds[cursor.at + 1]
    if second == "CATALOG" and (catalog := cursor.attempt(_parse_catalog)):
        return catalog
    if second == "ROLE":
        cursor.rest_of_text()
        cursor.defer_error("INVALID_STATEMENT_OR_CLAUSE", start, cursor.stop, operation="SET ROLE")
        return SetConfiguration(*cursor.span(start), None, None)
    if second == "TIME" and cursor.kinds[cursor.at + 2] == "ZONE":
        return _parse_time_zone(cursor, start)
    if second == "PATH" and cursor.kinds[cursor.at + 2] == "=" and (path := cursor.attempt(_parse_path)):
        return path
    if second in ("VARIABLE", "VAR") and (variable := cursor.attempt(_parse_variable)):
        return variable
    if second in ("VARIABLE", "VAR") and cursor.config.legacy_identifier_clause_only and cursor.is_name(cursor.at + 2):
        cursor.at += 2
        return parse_set_variable(cursor, start)
    return _parse_configuration(cursor, start)


def _parse_catalog(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("SET", "CATALOG")
    name: Expression = parse_expression(cursor)
    return cursor.expect_end(SetCatalog(*cursor.span(start), name))


def _parse_variable(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.at += 2
    return cursor.expect_end(parse_set_variable(cursor, start))


# ------------------------------------------------------------ raw text


def _parse_configuration(cursor: Cursor, start: int) -> Command:
    if cursor.kinds[cursor.at + 1] in ("backquoted", *_quoted_names(cursor)):
        return _parse_quoted_key(cursor, start)
    if _is_backquoted_value(cursor):
        return _parse_quoted_value(cursor, start)
    cursor.is_raw = True
    cursor.at += 1
    rest = re.sub(r";+$", "", cursor.rest_of_text().strip())
    if found := _KEY_AND_VALUE.fullmatch(rest):
        return SetConfiguration(*cursor.span(start), found[1], found[2].strip())
    if found := _KEY.fullmatch(rest):
        return SetConfiguration(*cursor.span(start), found[1], None)
    if rest.strip() in ("-v", ""):
        return SetConfiguration(*cursor.span(start), rest.strip() or None, None)
    cursor.defer_error("INVALID_SET_SYNTAX", start, cursor.stop)
    return SetConfiguration(*cursor.span(start), None, None)


def _quoted_names(cursor: Cursor) -> tuple[str, ...]:
    return ("doublequoted",) if cursor.config.double_quoted_identifiers else ()


def _parse_quoted_key(cursor: Cursor, start: int) -> Command:
    """SET `key`, SET `key` = value, SET `key` = `value`"""
    key = unquote(cursor.tokens.word(cursor.at + 1))
    cursor.at += 2
    if cursor.kinds[cursor.at] in ("eof", ";"):
        return SetConfiguration(*cursor.span(start), key, None)
    cursor.expect("=")
    if cursor.kinds[cursor.at] == "backquoted" and cursor.kinds[cursor.at + 1] in ("eof", ";"):
        cursor.at += 1
        return SetConfiguration(*cursor.span(start), key, unquote(cursor.tokens.word(cursor.at - 1)))
    cursor.is_raw = True
    rest = cursor.rest_of_text().strip()
    found = _VALUE.fullmatch(rest)
    if found is None:
        parameters = {"value": f'"{rest}"', "key": f'"{key}"'}
        cursor.defer_error("INVALID_PROPERTY_VALUE", start, cursor.stop, **parameters)
    return SetConfiguration(*cursor.span(start), key, found[1] if found else rest)


def _is_backquoted_value(cursor: Cursor) -> bool:
    """SET … = `value` and nothing after it."""
    end = cursor.kinds.index("eof")
    while cursor.kinds[end - 1] == ";":
        end -= 1
    return cursor.kinds[end - 1] == "backquoted" and cursor.kinds[end - 2] == "="


def _parse_quoted_value(cursor: Cursor, start: int) -> Command:
    end = cursor.kinds.index("eof")
    while cursor.kinds[end - 1] == ";":
        end -= 1
    value = unquote(cursor.tokens.word(end - 1))
    key = cursor.text[cursor.stops[cursor.at] : cursor.starts[end - 2]].strip()
    cursor.at = end
    if not _KEY.fullmatch(key):
        parameters = {"key": f'"{key}"', "value": f'"{value}"'}
        cursor.defer_error("INVALID_PROPERTY_KEY", start, cursor.stop, **parameters)
    return SetConfiguration(*cursor.span(start), key, value)


def parse_reset_command(cursor: Cursor) -> Command:
    start = cursor.start
    if cursor.kinds[cursor.at + 1] in ("backquoted", *_quoted_names(cursor)):
        cursor.at += 2
        return ResetConfiguration(*cursor.span(start), unquote(cursor.tokens.word(cursor.at - 1)))
    cursor.at += 1
    rest = re.sub(r";+$", "", cursor.rest_of_text().strip())
    found = _KEY.fullmatch(rest)
    if found is None and rest.strip():
        cursor.defer_error("INVALID_RESET_COMMAND_FORMAT", start, cursor.stop)
    return ResetConfiguration(*cursor.span(start), found[1] if found else None)


# ------------------------------------------------------------ time zone and path
def _parse_time_zone(cursor: Cursor, start: int) -> Command:
    cursor.at += 3
    zone = cursor.attempt(_parse_zone)
    if zone is not None and cursor.kinds[cursor.at] in ("eof", ";"):
        if isinstance(zone, str):
            return SetTimeZone(*cursor.span(start), zone or None)
        return _zone_interval(cursor, start, zone)
    cursor.rest_of_text()
    cursor.defer_error("_LEGACY_ERROR_TEMP_0045", start, cursor.stop)
    return SetTimeZone(*cursor.span(start), None)


def _parse_zone(cursor: Cursor) -> Expression | str:
    """A string, LOCAL (empty) or an interval."""
    if cursor.take("LOCAL"):
        return ""
    if is_string_or_marker(cursor, cursor.at):
        return parse_string_value(cursor)
    return parse_interval(cursor)


def _zone_interval(cursor: Cursor, start: int, zone: Expression) -> Command:
    value = _out_of_range(zone)
    if value is not None:
        problem = "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE"
        cursor.defer_error(problem, start, cursor.stop, input=value)
    micros = zone.microseconds if isinstance(zone, CalendarInterval | DayTimeInterval) else 0
    return SetTimeZone(*cursor.span(start), _offset(micros // 1_000_000))


def _parse_path(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("SET", "PATH", "=")
    elements = cursor.list_of(_parse_path_element)
    for element in elements:
        if isinstance(element, Name) and len(element.parts) < 2:
            name = ".".join(element.parts)
            problem = "INVALID_SQL_PATH_SCHEMA_REFERENCE"
            cursor.deferred_errors.append(ParseError(problem, cursor.text, start, (), qualifiedName=name))
    return cursor.expect_end(SetPath(*cursor.span(start), elements))


def _parse_path_element(cursor: Cursor) -> str | Name:
    if cursor.kinds[cursor.at] in _PATH_WORDS and cursor.kinds[cursor.at + 1] in (",", "eof", ";"):
        cursor.at += 1
        return cursor.kinds[cursor.at - 1]
    return parse_multipart_identifier(cursor)


def _out_of_range(zone: Expression) -> str | None:
    """The field of the interval that no zone offset can have, as Spark prints it."""
    if isinstance(zone, YearMonthInterval):
        return str(zone.months)
    if isinstance(zone, CalendarInterval) and (zone.months or zone.days):
        return str(zone.months or zone.days)
    micros = zone.microseconds if isinstance(zone, CalendarInterval | DayTimeInterval) else 0
    if abs(micros) >= 24 * _HOUR and isinstance(zone, DayTimeInterval) and zone.unit_from == 0:
        return str(abs(micros) // (24 * _HOUR))
    if abs(micros) > 18 * _HOUR:
        return str(abs(micros) // _HOUR)
    return str(micros // 1_000_000) if micros % 1_000_000 else None


def _offset(seconds: int) -> str:
    """The id of a java.time.ZoneOffset."""
    if not seconds:
        return "Z"
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return text + (f":{seconds % 60:02d}" if seconds % 60 else "")
