"""SET and RESET: values are taken as they stand in the text, whatever their tokens."""

import re

from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.shows import Shows
from twinspark.read.sql.tokens import unquote
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


class Settings(Shows):
    """The layer of SET and RESET."""

    def set_command(self) -> Command:
        start, second = self.start, self.kinds[self.at + 1]
        if second == "CATALOG" and (catalog := self.attempt(self._catalog)):
            return catalog
        if second == "ROLE":
            self._to_end()
            self.complain("INVALID_STATEMENT_OR_CLAUSE", start, self.stop, operation="SET ROLE")
            return SetConfiguration(*self.span(start), None, None)
        if second == "TIME" and self.kinds[self.at + 2] == "ZONE":
            return self._time_zone(start)
        if second == "PATH" and self.kinds[self.at + 2] == "=" and (path := self.attempt(self._path)):
            return path
        if second in ("VARIABLE", "VAR") and (variable := self.attempt(self._variable)):
            return variable
        if second in ("VARIABLE", "VAR") and self.config.legacy_identifier_clause_only and self.is_name(self.at + 2):
            self.at += 2
            return self.set_variable(start)
        return self._configuration(start)

    def _catalog(self) -> Command:
        start = self.start
        self.expect("SET", "CATALOG")
        name: Expression = self.expression()
        return self.at_end(SetCatalog(*self.span(start), name))

    def _variable(self) -> Command:
        start = self.start
        self.at += 2
        return self.at_end(self.set_variable(start))

    # ------------------------------------------------------------ raw text
    def _to_end(self) -> str:
        """Everything that is left, as it stands; the cursor goes to the end."""
        rest = self.text[self.stop if self.at else 0 :]
        self.at = self.kinds.index("eof")
        return rest

    def _configuration(self, start: int) -> Command:
        if self.kinds[self.at + 1] in ("backquoted", *self._quoted_names()):
            return self._quoted_key(start)
        if self._is_backquoted_value():
            return self._quoted_value(start)
        self.is_raw = True
        self.at += 1
        rest = re.sub(r";+$", "", self._to_end().strip())
        if found := _KEY_AND_VALUE.fullmatch(rest):
            return SetConfiguration(*self.span(start), found[1], found[2].strip())
        if found := _KEY.fullmatch(rest):
            return SetConfiguration(*self.span(start), found[1], None)
        if rest.strip() in ("-v", ""):
            return SetConfiguration(*self.span(start), rest.strip() or None, None)
        self.complain("INVALID_SET_SYNTAX", start, self.stop)
        return SetConfiguration(*self.span(start), None, None)

    def _quoted_names(self) -> tuple[str, ...]:
        return ("doublequoted",) if self.config.double_quoted_identifiers else ()

    def _quoted_key(self, start: int) -> Command:
        """SET `key`, SET `key` = value, SET `key` = `value`"""
        key = unquote(self.tokens.word(self.at + 1))
        self.at += 2
        if self.kinds[self.at] in ("eof", ";"):
            return SetConfiguration(*self.span(start), key, None)
        self.expect("=")
        if self.kinds[self.at] == "backquoted" and self.kinds[self.at + 1] in ("eof", ";"):
            self.at += 1
            return SetConfiguration(*self.span(start), key, unquote(self.tokens.word(self.at - 1)))
        self.is_raw = True
        rest = self._to_end().strip()
        found = _VALUE.fullmatch(rest)
        if found is None:
            shown = {"value": f'"{rest}"', "key": f'"{key}"'}
            self.complain("INVALID_PROPERTY_VALUE", start, self.stop, **shown)
        return SetConfiguration(*self.span(start), key, found[1] if found else rest)

    def _is_backquoted_value(self) -> bool:
        """SET … = `value` and nothing behind it."""
        end = self.kinds.index("eof")
        while self.kinds[end - 1] == ";":
            end -= 1
        return self.kinds[end - 1] == "backquoted" and self.kinds[end - 2] == "="

    def _quoted_value(self, start: int) -> Command:
        end = self.kinds.index("eof")
        while self.kinds[end - 1] == ";":
            end -= 1
        value = unquote(self.tokens.word(end - 1))
        key = self.text[self.stops[self.at] : self.starts[end - 2]].strip()
        self.at = end
        if not _KEY.fullmatch(key):
            shown = {"key": f'"{key}"', "value": f'"{value}"'}
            self.complain("INVALID_PROPERTY_KEY", start, self.stop, **shown)
        return SetConfiguration(*self.span(start), key, value)

    def reset_command(self) -> Command:
        start = self.start
        if self.kinds[self.at + 1] in ("backquoted", *self._quoted_names()):
            self.at += 2
            return ResetConfiguration(*self.span(start), unquote(self.tokens.word(self.at - 1)))
        self.at += 1
        rest = re.sub(r";+$", "", self._to_end().strip())
        found = _KEY.fullmatch(rest)
        if found is None and rest.strip():
            self.complain("INVALID_RESET_COMMAND_FORMAT", start, self.stop)
        return ResetConfiguration(*self.span(start), found[1] if found else None)

    # ------------------------------------------------------------ time zone and path
    def _time_zone(self, start: int) -> Command:
        self.at += 3
        zone = self.attempt(self._zone)
        if zone is not None and self.kinds[self.at] in ("eof", ";"):
            if isinstance(zone, str):
                return SetTimeZone(*self.span(start), zone or None)
            return self._zone_interval(start, zone)
        self._to_end()
        self.complain("_LEGACY_ERROR_TEMP_0045", start, self.stop)
        return SetTimeZone(*self.span(start), None)

    def _zone(self) -> Expression | str:
        """A string, LOCAL (empty) or an interval."""
        if self.take("LOCAL"):
            return ""
        if self.is_string_or_marker(self.at):
            return self.string_value()
        return self.interval()

    def _zone_interval(self, start: int, zone: Expression) -> Command:
        value = _out_of_range(zone)
        if value is not None:
            problem = "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE"
            self.complain(problem, start, self.stop, input=value)
        micros = zone.microseconds if isinstance(zone, CalendarInterval | DayTimeInterval) else 0
        return SetTimeZone(*self.span(start), _offset(micros // 1_000_000))

    def _path(self) -> Command:
        start = self.start
        self.expect("SET", "PATH", "=")
        elements = self.listed(self._path_element)
        for element in elements:
            if isinstance(element, Name) and len(element.parts) < 2:
                name = ".".join(element.parts)
                problem = "INVALID_SQL_PATH_SCHEMA_REFERENCE"
                self.complaints.append(ParseError(problem, self.text, start, (), qualifiedName=name))
        return self.at_end(SetPath(*self.span(start), elements))

    def _path_element(self) -> str | Name:
        if self.kinds[self.at] in _PATH_WORDS and self.kinds[self.at + 1] in (",", "eof", ";"):
            self.at += 1
            return self.kinds[self.at - 1]
        return self.multipart_identifier()


def _out_of_range(zone: Expression) -> str | None:
    """The part of the interval that no zone offset can have, as Spark tells it."""
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
    """As java.time.ZoneOffset names it."""
    if not seconds:
        return "Z"
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return text + (f":{seconds % 60:02d}" if seconds % 60 else "")
