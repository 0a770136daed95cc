"""Parses literals: numbers with suffixes, typed strings, intervals, booleans, NULL, parameter markers."""

from decimal import Decimal

from twinspark.read.sql.expressions import datetimes as moments
from twinspark.read.sql.expressions import intervals
from twinspark.read.sql.expressions.intervals import DAY_TIME, YEAR_MONTH, Duration, IntervalFormat
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_identifier
from twinspark.read.sql.lexer.keywords import words
from twinspark.read.sql.lexer.strings import (
    is_string,
    is_string_or_marker,
    parse_one_string,
    parse_string,
    parse_string_value,
)
from twinspark.read.sql.tree import (
    CalendarInterval,
    DayTimeInterval,
    Expression,
    NumberLiteral,
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


# ------------------------------------------------------------ numbers
def parse_number(cursor: Cursor) -> NumberLiteral:
    """The cursor is at a number, or at a minus sign before one."""
    start = cursor.start
    sign = "-" if cursor.take("-") else ""
    kind = cursor.kinds[cursor.at]
    word = cursor.tokens.word(cursor.at)
    cursor.at += 1
    text = sign + word[: len(word) - _SUFFIX_LENGTH.get(kind, 0)]
    if kind not in ("integer", "decimal"):
        _check_range(cursor, kind, text, start)
    elif len(text) > 38:
        _check_digits(cursor, kind, text, start)
    return NumberLiteral(start, cursor.stop, kind, text)


def _check_range(cursor: Cursor, kind: str, text: str, start: int) -> None:
    if kind == "exponent":
        kind = "decimal" if cursor.config.legacy_exponent_literal_as_decimal else "double"
    if kind in ("bigdecimal", "decimal"):
        return _check_digits(cursor, kind, text, start)
    lowest, highest = _RANGES[kind]
    if not Decimal(lowest) <= Decimal(text) <= Decimal(highest):
        cursor.defer_error(
            "INVALID_NUMERIC_LITERAL_RANGE",
            start,
            cursor.stop,
            rawStrippedQualifier=text,
            minValue=lowest,
            maxValue=highest,
            typeName=kind,
        )
    return None


def _check_digits(cursor: Cursor, kind: str, text: str, start: int) -> None:
    _, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    precision = max(len(digits), -exponent) if exponent <= 0 else len(digits) + exponent
    if precision <= 38:
        return
    problem, counts = "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", {"precision": precision, "maxPrecision": 38}
    if kind == "bigdecimal":
        cursor.defer_error(problem, start, cursor.stop, **counts)
    else:
        cursor.defer_plain_error(problem, "SparkArithmeticException", start, **counts)


# ------------------------------------------------------------ typed strings
def parse_typed_literal(cursor: Cursor) -> Expression:
    """The cursor is at a name with a string after it."""
    start, kind = cursor.start, cursor.kinds[cursor.at]
    name = cursor.tokens.word(cursor.at)
    if kind == "TIME":
        cursor.at += 1
    else:
        parse_identifier(cursor)
    text = parse_one_string(cursor)
    if kind == "INTERVAL":
        return _parse_interval_string(cursor, start, text)
    value, zoned = _typed_value(cursor, kind, text)
    if value is None:
        _reject_typed_literal(cursor, kind, name, text, start)
        value = text
    return TypedLiteral(start, cursor.stop, kind, text, value, zoned)


def _reject_typed_literal(cursor: Cursor, kind: str, name: str, text: str, start: int) -> None:
    if kind in ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "X"):
        cursor.defer_error(
            "INVALID_TYPED_LITERAL", start, cursor.stop, valueType=f'"{name.upper()}"', value=_quote(text)
        )
    else:
        cursor.defer_error(
            "UNSUPPORTED_TYPED_LITERAL",
            start,
            cursor.stop,
            unsupportedType=f'"{name.upper()}"',
            supportedTypes=_SUPPORTED,
        )


def _typed_value(cursor: Cursor, kind: str, text: str) -> tuple[int | bytes | str | None, bool]:
    if kind == "DATE":
        return (text, False) if moments.is_special(text) else (moments.days_of(text), False)
    if kind == "TIME":
        return moments.nanoseconds_of_day(text), False
    if kind == "X":
        return _unhex(text), False
    if kind in ("TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"):
        return _timestamp_value(cursor, kind, text)
    return None, False


def _timestamp_value(cursor: Cursor, kind: str, text: str) -> tuple[int | str | None, bool]:
    if moments.is_special(text):
        return text, False
    found = moments.moment_of(text)
    if found is not None:  # TIMESTAMP_NTZ ignores a zone
        return (found.clock, False) if kind == "TIMESTAMP_NTZ" else (found.microseconds, found.zoned)
    without_date = kind == "TIMESTAMP_NTZ" or (kind == "TIMESTAMP" and cursor.config.timestamp_ntz)
    # A time of day gets the current date, which depends on the session.
    return (text if not without_date and moments.is_clock_with_zone_ok(text) else None), False


# ------------------------------------------------------------ intervals
def is_interval(cursor: Cursor) -> bool:
    """INTERVAL [sign] value unit."""
    at = cursor.at + 1
    if cursor.kinds[at] in ("+", "-"):
        at += 1
    if cursor.kinds[at] in ("integer", "decimal"):
        if cursor.kinds[at + 1] not in _MULTI_UNITS:
            cursor.fail(at + 1)
        return cursor.kinds[at + 1] in _MULTI_UNITS
    if not is_string_or_marker(cursor, at):
        return False
    while is_string_or_marker(cursor, at):
        at += 2 if cursor.kinds[at] == ":" else 1
    return cursor.kinds[at] in _MULTI_UNITS


def parse_interval(cursor: Cursor) -> Expression:
    start = cursor.start
    cursor.expect("INTERVAL")
    if _is_unit_to_unit(cursor):
        return _parse_unit_to_unit_literal(cursor, start)
    begin = cursor.start
    parts = [_parse_multi_unit(cursor)]
    while _is_interval_value(cursor) and not _is_unit_to_unit(cursor):
        parts.append(_parse_multi_unit(cursor))
    stop = cursor.stop
    if _is_interval_value(cursor):
        _parse_unit_to_unit(cursor)
        cursor.defer_error("_LEGACY_ERROR_TEMP_0024", start, cursor.stop)
        return CalendarInterval(start, cursor.stop, 0, 0, 0)
    return _parse_multi_units_literal(cursor, start, begin, stop, parts)


def _is_interval_value(cursor: Cursor) -> bool:
    """Whether a value with a unit is next (inside an interval, another one)."""
    at = cursor.at + (cursor.kinds[cursor.at] in ("+", "-"))
    if cursor.kinds[at] not in ("integer", "decimal") and not is_string(cursor, at):
        return False
    while is_string(cursor, at) and is_string(cursor, at + 1):
        at += 1
    return cursor.kinds[at + 1] in _MULTI_UNITS


def _is_unit_to_unit(cursor: Cursor) -> bool:
    at = cursor.at + (cursor.kinds[cursor.at] in ("+", "-"))
    while is_string_or_marker(cursor, at) and is_string_or_marker(cursor, at + 1):
        at += 1
    at += cursor.kinds[at] == ":"
    kinds = cursor.kinds
    return kinds[at + 1] in _SINGLE_UNITS and kinds[at + 2] == "TO" and kinds[at + 3] in _SINGLE_UNITS


def _parse_interval_value(cursor: Cursor) -> tuple[str, bool]:
    """The value with its sign, and whether it was a string."""
    sign = cursor.take_any("+", "-")
    if cursor.take_any("integer", "decimal"):
        return sign + cursor.tokens.word(cursor.at - 1), False
    text = parse_string_value(cursor)
    if sign == "-":
        return (text.replace("-", "", 1) if text.startswith("-") else f"-{text}"), True
    return text, True


def _parse_multi_unit(cursor: Cursor) -> tuple[str, str, bool]:
    value, is_text = _parse_interval_value(cursor)
    if cursor.kinds[cursor.at] not in _MULTI_UNITS:
        raise cursor.fail()
    cursor.at += 1
    return value, cursor.tokens.word(cursor.at - 1).lower(), is_text


def _parse_multi_units_literal(
    cursor: Cursor, start: int, begin: int, stop: int, parts: list[tuple[str, str, bool]]
) -> Expression:
    for value, _, is_text in parts:
        if is_text and any(character.isalpha() for character in value):
            cursor.defer_error("_LEGACY_ERROR_TEMP_0026", begin, stop, value=value)
            return CalendarInterval(start, stop, 0, 0, 0)
    try:
        found = intervals.duration_of("".join(f" {value} {unit}" for value, unit, _ in parts))
    except IntervalFormat as error:
        cursor.defer_plain_error(error.condition, "SparkIllegalArgumentException", begin, **error.parameters)
        return CalendarInterval(start, stop, 0, 0, 0)
    return _interval_of_units(cursor, start, found, [unit for _, unit, _ in parts])


def _interval_of_units(cursor: Cursor, start: int, found: Duration, units: list[str]) -> Expression:
    if cursor.config.legacy_interval:
        return CalendarInterval(start, cursor.stop, found.months, found.days, found.microseconds)
    names = [unit.removesuffix("s") for unit in units]
    year_month = [YEAR_MONTH[name] for name in names if name in YEAR_MONTH]
    day_time = [_day_time_field(name) for name in names if name not in YEAR_MONTH]
    if year_month and day_time:
        cursor.defer_error("_LEGACY_ERROR_TEMP_0029", start, cursor.stop, literal=cursor.text[start : cursor.stop])
        return CalendarInterval(start, cursor.stop, found.months, found.days, found.microseconds)
    if year_month:
        return YearMonthInterval(start, cursor.stop, found.months, min(year_month), max(year_month))
    micros = found.days * 86_400_000_000 + found.microseconds
    return DayTimeInterval(start, cursor.stop, micros, min(day_time), max(day_time))


def _parse_interval_string(cursor: Cursor, start: int, text: str) -> Expression:
    """INTERVAL '1 day 2 hours'."""
    try:
        found = intervals.duration_of(text)
    except IntervalFormat:
        cursor.defer_error("INVALID_TYPED_LITERAL", start, cursor.stop, valueType='"INTERVAL"', value=_quote(text))
        return CalendarInterval(start, cursor.stop, 0, 0, 0)
    words = [word.lower().removesuffix("s") for word in text.split()]
    return _interval_of_units(cursor, start, found, [w for w in words if w != "interval" and w.isalpha()])


def _parse_unit_to_unit(cursor: Cursor) -> tuple[str, bool, str, str]:
    value, is_text = _parse_interval_value(cursor)
    first = cursor.expect_any(*_SINGLE_UNITS)
    cursor.expect("TO")
    last = cursor.expect_any(*_SINGLE_UNITS)
    return value, is_text, first.lower(), last.lower()


def _parse_unit_to_unit_literal(cursor: Cursor, start: int) -> Expression:
    begin = cursor.start
    value, is_text, first, last = _parse_unit_to_unit(cursor)
    stop = cursor.stop
    nothing = CalendarInterval(start, stop, 0, 0, 0)
    if _is_interval_value(cursor) or _is_unit_to_unit(cursor):
        if _is_unit_to_unit(cursor):
            _parse_unit_to_unit(cursor)
        else:
            while _is_interval_value(cursor) and not _is_unit_to_unit(cursor):
                _parse_multi_unit(cursor)
        cursor.defer_error("_LEGACY_ERROR_TEMP_0024", start, cursor.stop)
    elif not is_text:
        cursor.defer_error("_LEGACY_ERROR_TEMP_0027", begin, stop)
    elif not intervals.is_unit_to_unit(first, last):
        cursor.defer_error(
            "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
            begin,
            stop,
            input=value.strip("-"),
            **{"from": first, "to": last},
        )
    else:
        return _parse_between_units(cursor, start, begin, value, first, last) or nothing
    return nothing


def _parse_between_units(
    cursor: Cursor, start: int, begin: int, value: str, first: str, last: str
) -> Expression | None:
    try:
        found = intervals.duration_between(value, first, last)
    except IntervalFormat as error:
        cursor.defer_error(error.condition, begin, cursor.stop, **error.parameters)
        return None
    if cursor.config.legacy_interval:
        day = 86_400_000_000
        days = abs(found.microseconds) // day * (-1 if found.microseconds < 0 else 1)
        return CalendarInterval(start, cursor.stop, found.months, days, found.microseconds - days * day)
    if first == "year":
        return YearMonthInterval(start, cursor.stop, found.months, 0, 1)
    return DayTimeInterval(start, cursor.stop, found.microseconds, DAY_TIME[first], DAY_TIME[last])


def constant_string(cursor: Cursor) -> Expression:
    found = parse_string(cursor)
    assert isinstance(found, Expression)
    return found


def _day_time_field(unit: str) -> int:
    return DAY_TIME.get(unit, 0 if unit == "week" else 3)


def _quote(text: str) -> str:
    """A string value as Spark shows it in messages."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _unhex(text: str) -> bytes | None:
    digits = text if len(text) % 2 == 0 else f"0{text}"
    return bytes.fromhex(digits) if all(c in "0123456789abcdefABCDEF" for c in digits) else None
