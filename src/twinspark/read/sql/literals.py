"""Literals: numbers with their suffixes, typed strings, intervals, booleans, NULL, parameter markers."""

from decimal import Decimal

from twinspark.read.sql import intervals, moments
from twinspark.read.sql.data_types import DataTypes
from twinspark.read.sql.intervals import DAY_TIME, YEAR_MONTH, Duration, IntervalFormat
from twinspark.read.sql.keywords import words
from twinspark.read.sql.tree import (
    CalendarInterval,
    DayTimeInterval,
    Expression,
    NumberLiteral,
    StringLiteral,
    TypedLiteral,
    YearMonthInterval,
)

NUMBERS = frozenset(
    {"integer", "bigint", "smallint", "tinyint", "decimal", "exponent", "float", "double", "bigdecimal"}
)
_SUFFIX_LENGTH = {"bigint": 1, "smallint": 1, "tinyint": 1, "float": 1, "double": 1, "bigdecimal": 2}
_MAX_FLOAT, _MAX_DOUBLE = "3.4028234663852886E+38", "1.7976931348623157E+308"
_RANGES = {
    "bigint": ("-9223372036854775808", "9223372036854775807"),
    "smallint": ("-32768", "32767"),
    "tinyint": ("-128", "127"),
    "float": (f"-{_MAX_FLOAT}", _MAX_FLOAT),
    "double": (f"-{_MAX_DOUBLE}", _MAX_DOUBLE),
}
_MULTI_UNITS = frozenset(
    f"{unit}{plural}"
    for unit in words("NANOSECOND MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH YEAR")
    for plural in ("", "S")
)
_SINGLE_UNITS = words("SECOND MINUTE HOUR DAY MONTH YEAR")
_SUPPORTED = '"DATE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP", "INTERVAL", "X", "TIME"'


class Literals(DataTypes):
    """The layer that reads constants."""

    # ------------------------------------------------------------ numbers
    def number(self) -> NumberLiteral:
        """Cursor at a number, or at a minus sign before one."""
        start = self.start
        sign = "-" if self.take("-") else ""
        kind = self.kinds[self.at]
        word = self.tokens.word(self.at)
        self.at += 1
        text = sign + word[: len(word) - _SUFFIX_LENGTH.get(kind, 0)]
        if kind not in ("integer", "decimal"):
            self._check_range(kind, text, start)
        elif len(text) > 38:
            self._check_digits(kind, text, start)
        return NumberLiteral(start, self.stop, kind, text)

    def _check_range(self, kind: str, text: str, start: int) -> None:
        if kind == "exponent":
            kind = "decimal" if self.config.legacy_exponent_literal_as_decimal else "double"
        if kind in ("bigdecimal", "decimal"):
            return self._check_digits(kind, text, start)
        lowest, highest = _RANGES[kind]
        if not Decimal(lowest) <= Decimal(text) <= Decimal(highest):
            self.complain(
                "INVALID_NUMERIC_LITERAL_RANGE",
                start,
                self.stop,
                rawStrippedQualifier=text,
                minValue=lowest,
                maxValue=highest,
                typeName=kind,
            )
        return None

    def _check_digits(self, kind: str, text: str, start: int) -> None:
        _, digits, exponent = Decimal(text).as_tuple()
        assert isinstance(exponent, int)
        precision = max(len(digits), -exponent) if exponent <= 0 else len(digits) + exponent
        if precision <= 38:
            return
        problem, counts = "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", {"precision": precision, "maxPrecision": 38}
        if kind == "bigdecimal":
            self.complain(problem, start, self.stop, **counts)
        else:
            self.complain_plainly(problem, "SparkArithmeticException", start, **counts)

    # ------------------------------------------------------------ typed strings
    def typed_literal(self) -> Expression:
        """Cursor at a name with one string behind it."""
        start, kind = self.start, self.kinds[self.at]
        name = self.tokens.word(self.at)
        if kind == "TIME":
            self.at += 1
        else:
            self.identifier()
        text = self.one_string()
        if kind == "INTERVAL":
            return self._interval_string(start, text)
        value, zoned = self._typed_value(kind, text)
        if value is None:
            self._complain_of_typed(kind, name, text, start)
            value = text
        return TypedLiteral(start, self.stop, kind, text, value, zoned)

    def _complain_of_typed(self, kind: str, name: str, text: str, start: int) -> None:
        if kind in ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "X"):
            self.complain("INVALID_TYPED_LITERAL", start, self.stop, valueType=f'"{name.upper()}"', value=_quoted(text))
        else:
            self.complain(
                "UNSUPPORTED_TYPED_LITERAL",
                start,
                self.stop,
                unsupportedType=f'"{name.upper()}"',
                supportedTypes=_SUPPORTED,
            )

    def _typed_value(self, kind: str, text: str) -> tuple[int | bytes | str | None, bool]:
        if kind == "DATE":
            return (text, False) if moments.is_special(text) else (moments.days_of(text), False)
        if kind == "TIME":
            return moments.nanoseconds_of_day(text), False
        if kind == "X":
            return _unhex(text), False
        if kind in ("TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"):
            return self._timestamp_value(kind, text)
        return None, False

    def _timestamp_value(self, kind: str, text: str) -> tuple[int | str | None, bool]:
        if moments.is_special(text):
            return text, False
        found = moments.moment_of(text)
        if found is not None:  # TIMESTAMP_NTZ takes no notice of a zone
            return (found.clock, False) if kind == "TIMESTAMP_NTZ" else (found.microseconds, found.zoned)
        without_date = kind == "TIMESTAMP_NTZ" or (kind == "TIMESTAMP" and self.config.timestamp_ntz)
        # A time of day takes today's date, which only a session knows.
        return (text if not without_date and moments.is_clock_with_zone_ok(text) else None), False

    # ------------------------------------------------------------ intervals
    def is_interval(self) -> bool:
        """INTERVAL [sign] value unit."""
        at = self.at + 1
        if self.kinds[at] in ("+", "-"):
            at += 1
        if self.kinds[at] in ("integer", "decimal"):
            if self.kinds[at + 1] not in _MULTI_UNITS:
                self.fail(at + 1)
            return self.kinds[at + 1] in _MULTI_UNITS
        if not self.is_string_or_marker(at):
            return False
        while self.is_string_or_marker(at):
            at += 2 if self.kinds[at] == ":" else 1
        return self.kinds[at] in _MULTI_UNITS

    def interval(self) -> Expression:
        start = self.start
        self.expect("INTERVAL")
        if self._is_unit_to_unit():
            return self._unit_to_unit_literal(start)
        begin = self.start
        parts = [self._multi_unit()]
        while self._is_interval_value() and not self._is_unit_to_unit():
            parts.append(self._multi_unit())
        stop = self.stop
        if self._is_interval_value():
            self._unit_to_unit()
            self.complain("_LEGACY_ERROR_TEMP_0024", start, self.stop)
            return CalendarInterval(start, self.stop, 0, 0, 0)
        return self._multi_units_literal(start, begin, stop, parts)

    def _is_interval_value(self) -> bool:
        """A value and its unit stand here (in an interval, another one)."""
        at = self.at + (self.kinds[self.at] in ("+", "-"))
        if self.kinds[at] not in ("integer", "decimal") and not self.is_string(at):
            return False
        while self.is_string(at) and self.is_string(at + 1):
            at += 1
        return self.kinds[at + 1] in _MULTI_UNITS

    def _is_unit_to_unit(self) -> bool:
        at = self.at + (self.kinds[self.at] in ("+", "-"))
        while self.is_string_or_marker(at) and self.is_string_or_marker(at + 1):
            at += 1
        at += self.kinds[at] == ":"
        kinds = self.kinds
        return kinds[at + 1] in _SINGLE_UNITS and kinds[at + 2] == "TO" and kinds[at + 3] in _SINGLE_UNITS

    def _interval_value(self) -> tuple[str, bool]:
        """The value with its sign, and whether it was a string."""
        sign = self.take_any("+", "-")
        if self.take_any("integer", "decimal"):
            return sign + self.tokens.word(self.at - 1), False
        text = self.string_value()
        if sign == "-":
            return (text.replace("-", "", 1) if text.startswith("-") else f"-{text}"), True
        return text, True

    def _multi_unit(self) -> tuple[str, str, bool]:
        value, is_string = self._interval_value()
        if self.kinds[self.at] not in _MULTI_UNITS:
            raise self.fail()
        self.at += 1
        return value, self.tokens.word(self.at - 1).lower(), is_string

    def _multi_units_literal(self, start: int, begin: int, stop: int, parts: list[tuple[str, str, bool]]) -> Expression:
        for value, _, is_string in parts:
            if is_string and any(character.isalpha() for character in value):
                self.complain("_LEGACY_ERROR_TEMP_0026", begin, stop, value=value)
                return CalendarInterval(start, stop, 0, 0, 0)
        try:
            found = intervals.duration_of("".join(f" {value} {unit}" for value, unit, _ in parts))
        except IntervalFormat as error:
            self.complain_plainly(error.condition, "SparkIllegalArgumentException", begin, **error.parameters)
            return CalendarInterval(start, stop, 0, 0, 0)
        return self._interval_of_units(start, found, [unit for _, unit, _ in parts])

    def _interval_of_units(self, start: int, found: Duration, units: list[str]) -> Expression:
        if self.config.legacy_interval:
            return CalendarInterval(start, self.stop, found.months, found.days, found.microseconds)
        names = [unit.removesuffix("s") for unit in units]
        year_month = [YEAR_MONTH[name] for name in names if name in YEAR_MONTH]
        day_time = [_day_time_field(name) for name in names if name not in YEAR_MONTH]
        if year_month and day_time:
            self.complain("_LEGACY_ERROR_TEMP_0029", start, self.stop, literal=self.text[start : self.stop])
            return CalendarInterval(start, self.stop, found.months, found.days, found.microseconds)
        if year_month:
            return YearMonthInterval(start, self.stop, found.months, min(year_month), max(year_month))
        micros = found.days * 86_400_000_000 + found.microseconds
        return DayTimeInterval(start, self.stop, micros, min(day_time), max(day_time))

    def _interval_string(self, start: int, text: str) -> Expression:
        """INTERVAL '1 day 2 hours'."""
        try:
            found = intervals.duration_of(text)
        except IntervalFormat:
            self.complain("INVALID_TYPED_LITERAL", start, self.stop, valueType='"INTERVAL"', value=_quoted(text))
            return CalendarInterval(start, self.stop, 0, 0, 0)
        words = [word.lower().removesuffix("s") for word in text.split()]
        return self._interval_of_units(start, found, [w for w in words if w != "interval" and w.isalpha()])

    def _unit_to_unit(self) -> tuple[str, bool, str, str]:
        value, is_string = self._interval_value()
        first = self.expect_any(*_SINGLE_UNITS)
        self.expect("TO")
        last = self.expect_any(*_SINGLE_UNITS)
        return value, is_string, first.lower(), last.lower()

    def _unit_to_unit_literal(self, start: int) -> Expression:
        begin = self.start
        value, is_string, first, last = self._unit_to_unit()
        stop = self.stop
        nothing = CalendarInterval(start, stop, 0, 0, 0)
        if self._is_interval_value() or self._is_unit_to_unit():
            if self._is_unit_to_unit():
                self._unit_to_unit()
            else:
                while self._is_interval_value() and not self._is_unit_to_unit():
                    self._multi_unit()
            self.complain("_LEGACY_ERROR_TEMP_0024", start, self.stop)
        elif not is_string:
            self.complain("_LEGACY_ERROR_TEMP_0027", begin, stop)
        elif not intervals.is_unit_to_unit(first, last):
            self.complain(
                "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
                begin,
                stop,
                input=value.strip("-"),
                **{"from": first, "to": last},
            )
        else:
            return self._between_units(start, begin, value, first, last) or nothing
        return nothing

    def _between_units(self, start: int, begin: int, value: str, first: str, last: str) -> Expression | None:
        try:
            found = intervals.duration_between(value, first, last)
        except IntervalFormat as error:
            self.complain(error.condition, begin, self.stop, **error.parameters)
            return None
        if self.config.legacy_interval:
            day = 86_400_000_000
            days = abs(found.microseconds) // day * (-1 if found.microseconds < 0 else 1)
            return CalendarInterval(start, self.stop, found.months, days, found.microseconds - days * day)
        if first == "year":
            return YearMonthInterval(start, self.stop, found.months, 0, 1)
        return DayTimeInterval(start, self.stop, found.microseconds, DAY_TIME[first], DAY_TIME[last])

    def constant_string(self) -> Expression:
        found = self.string()
        assert isinstance(found, Expression)
        return found


def _day_time_field(unit: str) -> int:
    return DAY_TIME.get(unit, 0 if unit == "week" else 3)


def _quoted(text: str) -> str:
    """As Spark shows a string value in its messages."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _unhex(text: str) -> bytes | None:
    digits = text if len(text) % 2 == 0 else f"0{text}"
    return bytes.fromhex(digits) if all(c in "0123456789abcdefABCDEF" for c in digits) else None


__all__ = ["NUMBERS", "Literals", "StringLiteral"]
