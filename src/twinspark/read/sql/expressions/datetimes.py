"""Parses the values of DATE, TIME and TIMESTAMP literals, in the formats of Spark's DateTimeUtils."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from twinspark.config.zones import region_of

# Spark trims all characters up to the space, and DEL.
_BLANKS = "".join(map(chr, range(33))) + "\x7f"
_DATE = re.compile(r"([+-]?)([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_CLOCK = r"([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?(?P<zone>[^0-9.:].*)?)?)?"
_TIMESTAMP = re.compile(rf"([+-]?)([0-9]{{4,6}})(?:-([0-9]{{1,2}})(?:-([0-9]{{1,2}})(?:[ T]{_CLOCK})?)?)?", re.DOTALL)
_TIME = re.compile(rf"T?{_CLOCK}", re.DOTALL)
_SPECIAL_DATES = ("epoch", "now", "today", "tomorrow", "yesterday")
_SPECIAL = re.compile(r"([A-Za-z]+)[ \t]*(.*)", re.DOTALL)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2})(?::?(\d{2}))?)?")
_EPOCH_DAYS = 719468  # days from 0000-03-01 to 1970-01-01


@dataclass(frozen=True, slots=True)
class Moment:
    """Microseconds since 1970 in local time; with a written zone, also in UTC."""

    microseconds: int
    zoned: bool
    clock: int


def is_special(text: str) -> bool:
    """'now', 'today UTC' and others, whose value depends on the session's current time."""
    found = _SPECIAL.fullmatch(text.strip())
    if found is None or found[1].lower() not in _SPECIAL_DATES:
        return False
    return not found[2] or (found[1].lower() != "now" and zone_of(found[2]) is not None)


def days_of(text: str) -> int | None:
    found = _DATE.fullmatch(text.strip(_BLANKS))
    if found is None:
        return None
    sign, year, month, day = found.groups()
    days = civil_days(int(year) * (-1 if sign == "-" else 1), int(month or 1), int(day or 1))
    return days if days is not None and -(2**31) <= days < 2**31 else None


def moment_of(text: str) -> Moment | None:
    """A timestamp with a date; None if the text is not one."""
    found = _TIMESTAMP.fullmatch(text.strip(_BLANKS))
    if found is None:
        return None
    sign, year, month, day, *clock, zone = found.groups()
    days = civil_days(int(year) * (-1 if sign == "-" else 1), int(month or 1), int(day or 1))
    micros = _clock_micros(clock)
    if days is None or micros is None:
        return None
    local = days * 86_400_000_000 + micros
    if zone is None:
        return Moment(local, False, local) if -(2**63) <= local < 2**63 else None
    offset = _offset_at(zone.strip(), local)
    return None if offset is None else Moment(local - offset, True, local)


def is_clock_with_zone_ok(text: str) -> bool:
    """A time of day alone, to which TIMESTAMP adds the current date."""
    found = _TIME.fullmatch(text.strip(_BLANKS))
    if found is None or (":" not in text and not text.startswith("T")):
        return False
    *clock, zone = found.groups()
    return _clock_micros(clock) is not None and (zone is None or zone_of(zone.strip()) is not None)


def nanoseconds_of_day(text: str) -> int | None:
    """The value of a TIME literal, with AM or PM if written."""
    text = text.rstrip(" ")
    suffix = text[-2:].upper() if len(text) > 2 and text[-2:].upper() in ("AM", "PM") else ""
    body = (text[:-2] if suffix else text).strip(_BLANKS)
    found = _TIME.fullmatch(body)
    if found is None or found["zone"] is not None or (":" not in body and not body.startswith("T")):
        return None
    hour, minute, second, fraction = found.groups()[:4]
    hours = int(hour)
    if suffix:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if suffix == "PM" else 0)
    micros = _clock_micros([str(hours), minute, second, fraction])
    return None if micros is None else micros * 1000


def _clock_micros(clock: list[str | None]) -> int | None:
    hour, minute, second = (int(part or 0) for part in clock[:3])
    if hour > 23 or minute > 59 or second > 59:
        return None
    micros = int((clock[3] or "").ljust(6, "0")[:6])
    return (hour * 3600 + minute * 60 + second) * 1_000_000 + micros


def civil_days(year: int, month: int, day: int) -> int | None:
    """Days since 1970 in the proleptic Gregorian calendar, for any year; None if the day does not exist."""
    if not 1 <= month <= 12 or not 1 <= day <= _month_length(year, month):
        return None
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _EPOCH_DAYS


def _month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


# ---------------------------------------------------------------- zones
@cache
def zone_of(name: str) -> tzinfo | None:
    """The zone that Java has under this name."""
    name = region_of(name)
    if name in ("Z", "UTC", "GMT", "UT"):
        return UTC
    if found := _OFFSET.fullmatch(name):
        hours, minutes, seconds = int(found[2]), int(found[3] or 0), int(found[4] or 0)
        if hours > 18 or minutes > 59 or seconds > 59 or hours * 3600 + minutes * 60 + seconds > 64800:
            return None
        offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        return timezone(-offset if found[1] == "-" else offset)
    try:
        return ZoneInfo(name) if re.fullmatch(r"[A-Za-z][A-Za-z0-9~/._+-]+", name) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _offset_at(name: str, local_micros: int) -> int | None:
    """The zone's offset from UTC in microseconds at that local time."""
    zone = zone_of(name)
    if zone is None:
        return None
    cycle = 146097 * 86_400  # 400 years: brings any year into the range of Python's datetime
    seconds = local_micros // 1_000_000
    if not -62135596800 + 86400 <= seconds < 253402300800 - 86400:
        seconds = seconds % cycle + (-4 * cycle if seconds < 0 else cycle)
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    offset = moment.replace(tzinfo=zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds() * 1_000_000)
