"""Parses the values of interval literals: '1 day 2 hours', '10-9' YEAR TO MONTH, '1 02:03:04' DAY TO SECOND."""

import re
from dataclasses import dataclass

_INT = 2**31
_LONG = 2**63
_UNITS = {  # months, days and microseconds of one unit
    "year": (12, 0, 0),
    "month": (1, 0, 0),
    "week": (0, 7, 0),
    "day": (0, 1, 0),
    "hour": (0, 0, 3_600_000_000),
    "minute": (0, 0, 60_000_000),
    "second": (0, 0, 1_000_000),
    "millisecond": (0, 0, 1_000),
    "microsecond": (0, 0, 1),
}
_ITEM = re.compile(r"([+-]?)\s*(?:(\d+)(?:\.(\d{0,9}))?|\.(\d{1,9}))\s+([a-z]+?)s?(?:\s+|$)")
DAY_TIME = {"day": 0, "hour": 1, "minute": 2, "second": 3}
YEAR_MONTH = {"year": 0, "month": 1}


class IntervalFormat(Exception):
    """The text is not a valid interval; `condition` and `parameters` are those of Spark's error."""

    def __init__(self, condition: str, **parameters: str) -> None:
        self.condition = condition
        self.parameters = parameters
        super().__init__(condition)


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, days and microseconds, like Spark's CalendarInterval."""

    months: int = 0
    days: int = 0
    microseconds: int = 0

    def in_range(self) -> bool:
        return -_INT <= self.months < _INT and -_INT <= self.days < _INT and -_LONG <= self.microseconds < _LONG


def duration_of(text: str) -> Duration:
    """A list of values with units (IntervalUtils.stringToInterval)."""
    rest = re.sub(r"^interval\s", "", text.strip().lower()).strip()
    if not rest or rest == "interval":
        raise IntervalFormat("INVALID_INTERVAL_FORMAT.INPUT_IS_EMPTY", input=text)
    total, position = Duration(), 0
    while position < len(rest):
        found = _ITEM.match(rest, position)
        if found is None or found[5] not in _UNITS:
            raise _what_is_wrong(text, rest[position:], found)
        total = _add_unit(total, found)
        if not total.in_range():
            raise IntervalFormat("INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION", input=text)
        position = found.end()
    return total


def _add_unit(total: Duration, found: re.Match[str]) -> Duration:
    sign, whole, fraction, bare_fraction, unit = found.groups()
    factor = -1 if sign == "-" else 1
    value = factor * int(whole or 0)
    digits = fraction if fraction is not None else bare_fraction
    if digits is not None and unit != "second":
        raise IntervalFormat("INVALID_INTERVAL_FORMAT.INVALID_FRACTION", input=found.string, unit=unit)
    micros = factor * int((digits or "").ljust(9, "0")[:6])
    months, days, microseconds = _UNITS[unit]
    return Duration(
        total.months + value * months,
        total.days + value * days,
        total.microseconds + value * microseconds + micros,
    )


def _what_is_wrong(text: str, rest: str, found: re.Match[str] | None) -> IntervalFormat:
    words = rest.split()
    if found is not None:
        return IntervalFormat("INVALID_INTERVAL_FORMAT.INVALID_UNIT", input=text, unit=words[1])
    if not re.match(r"[+-]?\.?\d", words[0]) and words[0] not in "+-":
        return IntervalFormat("INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", input=text, number=words[0])
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", words[0]):
        return IntervalFormat("INVALID_INTERVAL_FORMAT.INVALID_VALUE", input=text, value=words[0])
    if len(words) == 1:
        return IntervalFormat("INVALID_INTERVAL_FORMAT.MISSING_UNIT", input=text, word=words[0])
    if len(words[0].partition(".")[2]) > 9:
        return IntervalFormat("INVALID_INTERVAL_FORMAT.INVALID_PRECISION", input=text, value=words[0])
    return IntervalFormat("INVALID_INTERVAL_FORMAT.INVALID_UNIT", input=text, unit=words[1])


# ---------------------------------------------------------------- unit TO unit
_SIGN = r"([+|-])?"
_LITERAL = r"(?:INTERVAL\s+([+|-])?')?"
_BODIES = {
    ("year", "month"): r"(\d+)-(\d+)",
    ("day", "hour"): r"(\d{1,9}) (\d{1,2})",
    ("day", "minute"): r"(\d{1,9}) (\d{1,2}):(\d{1,2})",
    ("day", "second"): r"(\d{1,9}) (\d{1,2}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)",
    ("hour", "minute"): r"(\d{1,10}):(\d{1,2})",
    ("hour", "second"): r"(\d{1,10}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)",
    ("minute", "second"): r"(\d{1,12}):(\d{1,2}(?:\.\d{1,9})?)",
}
_SHAPES = {
    ("year", "month"): "y-m",
    ("day", "hour"): "d h",
    ("day", "minute"): "d h:m",
    ("day", "second"): "d h:m:s.n",
    ("hour", "minute"): "h:m",
    ("hour", "second"): "h:m:s.n",
    ("minute", "second"): "m:s.n",
}
_LARGEST = {"day": 106751991, "hour": 2562047788, "minute": 153722867280, "second": 9223372036854}
_NEXT_LARGEST = {"hour": 23, "minute": 59, "second": 59}
_MICROSECONDS = {"day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}


def is_unit_to_unit(first: str, last: str) -> bool:
    return (first, last) in _BODIES


def duration_between(text: str, first: str, last: str) -> Duration:
    """'10-9' YEAR TO MONTH and day-time intervals (fromYearMonthString, fromDayTimeString)."""
    body = _BODIES[first, last]
    trimmed = text.strip()
    found = re.fullmatch(rf"{_SIGN}{body}", trimmed)
    signs, values = ([found[1]], found.groups()[1:]) if found else ([], ())
    if not found:
        named = rf"INTERVAL\s+{_SIGN}'{_SIGN}{body}'\s+{first}\s+TO\s+{last}"
        found = re.fullmatch(named, trimmed, re.IGNORECASE)
        if not found:
            raise _format_error(text, first, last)
        signs, values = [found[1], found[2]], found.groups()[2:]
    sign = -1 if signs.count("-") == 1 else 1
    return _year_month(values, sign, trimmed) if first == "year" else _day_time(values, first, sign)


def _format_error(text: str, first: str, last: str) -> IntervalFormat:
    shape, kind = _SHAPES[first, last], "year-month" if first == "year" else "day-time"
    notice = "" if first == "year" else "_WITH_NOTICE"
    units = f"{first} TO {last}"
    return IntervalFormat(
        f"INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING{notice}",
        intervalStr=kind,
        supportedFormat=f"`[+|-]{shape}`, `INTERVAL [+|-]'[+|-]{shape}' {units.upper()}`",
        typeName=f"interval {units.lower()}",
        input=text,
    )


def _year_month(values: tuple[str, ...], sign: int, text: str) -> Duration:
    years, months = map(int, values)
    total = Duration(sign * (years * 12 + months))
    if months > 11 or years > (_INT - 1) // 12 or not total.in_range():
        raise IntervalFormat("INVALID_INTERVAL_FORMAT.INTERVAL_PARSING", input=text, interval="year-month")
    return total


def _day_time(values: tuple[str, ...], first: str, sign: int) -> Duration:
    units = list(_MICROSECONDS)[DAY_TIME[first] :]
    total = 0
    for unit, value in zip(units, values, strict=False):
        whole, _, fraction = value.partition(".")
        most = _LARGEST[unit] if unit == first else _NEXT_LARGEST[unit]
        if int(whole) > most:
            raise _out_of_range(f"requirement failed: {unit} {int(whole)} outside range [0, {most}]")
        total += sign * (int(whole) * _MICROSECONDS[unit] + int(fraction.ljust(9, "0")[:6]))
        if not -_LONG <= total < _LONG:
            raise _out_of_range("long overflow")
    return Duration(microseconds=total)


def _out_of_range(message: str) -> IntervalFormat:
    return IntervalFormat("_LEGACY_ERROR_TEMP_0063", msg=message)
