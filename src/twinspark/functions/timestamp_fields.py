"""Dates and timestamps made of fields: make_date, make_timestamp and their kin, and what is wrong in Java's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import between_datetimes, not_native
from twinspark.functions.registry import fn
from twinspark.functions.spelling import ANSI_CONFIG, error_with, text
from twinspark.functions.timestamps import NTZ, default_kind
from twinspark.functions.typing import Call, Typed
from twinspark.types import (
    DATE,
    INT,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
    is_null,
    is_numeric,
    is_string,
)

LAST_DAY = (
    "CASE WHEN {m} IN (4, 6, 9, 11) THEN 30 WHEN {m} <> 2 THEN 31 "
    "WHEN {y} % 4 = 0 AND ({y} % 100 <> 0 OR {y} % 400 = 0) THEN 29 ELSE 28 END"
)


MONTHS = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
]
INVALID, LEAP, NO_LEAP = map(text, ("Invalid date '", "Invalid date 'February 29' as '", "' is not a leap year"))


def out_of_bounds(message: str) -> str:
    return error_with(
        "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", rangeMessage=message, ansiConfig=text(ANSI_CONFIG)
    )


def bounds_text(field: str, bounds: str, value: str) -> str:
    return f"'Invalid value for {field} (valid values {bounds}): ' || CAST({value} AS VARCHAR)"


def no_such_date(y: str, m: str, d: str) -> str:
    """In Java's words (LocalDate.of)."""
    names = "[" + ", ".join(map(text, MONTHS)) + "]"
    leap = f"{LEAP} || CAST({y} AS VARCHAR) || {NO_LEAP}"
    other = f"{INVALID} || {names}[{m}] || ' ' || CAST({d} AS VARCHAR) || chr(39)"
    return out_of_bounds(
        f"CASE WHEN {m} NOT BETWEEN 1 AND 12 THEN {bounds_text('MonthOfYear', '1 - 12', m)} "
        f"WHEN {d} NOT BETWEEN 1 AND 31 THEN {bounds_text('DayOfMonth', '1 - 28/31', d)} "
        f"WHEN {d} = 29 THEN {leap} ELSE {other} END"
    )


def fraction_of_a_minute() -> str:
    """Refused before the date is looked at."""
    return not_native("a fraction of the second that ends a minute")


def no_such_time(h: str, n: str, s: str) -> str:
    wrong = out_of_bounds(
        f"CASE WHEN {h} NOT BETWEEN 0 AND 23 THEN {bounds_text('HourOfDay', '0 - 23', h)} "
        f"WHEN {n} NOT BETWEEN 0 AND 59 THEN {bounds_text('MinuteOfHour', '0 - 59', n)} "
        f"ELSE {bounds_text('SecondOfMinute', '0 - 59', f'CAST(trunc({s}) AS BIGINT)')} END"
    )
    return f"(CASE WHEN {s} >= 60 AND {s} < 61 OR {s} > -1 AND {s} < 0 THEN {fraction_of_a_minute()} ELSE {wrong} END)"


def date_made(fails: bool) -> Callable[..., str]:
    def write(call: Any, y: str, m: str, d: str) -> str:
        right = f"{m} BETWEEN 1 AND 12 AND {d} BETWEEN 1 AND {LAST_DAY.format(m=m, y=y)}"
        known = f"{y} IS NULL OR {m} IS NULL OR {d} IS NULL"
        near = f"{y} BETWEEN -290307 AND 294246"
        far = not_native("make_date of a far year")
        wrong = f"CASE WHEN abs({y}) > 999999999 THEN {far} ELSE {no_such_date(y, m, d)} END" if fails else "NULL"
        made = f"spark_make_date({y}, {m}, {d})"  # null where it is not that simple
        return (
            f"coalesce({made}, CASE WHEN {known} THEN NULL WHEN NOT ({right}) THEN {wrong} "
            f"WHEN {near} THEN make_date({y}, {m}, {d}) ELSE {far} END)"
        )

    return write


def fields_made(named: DataType | None, tries: bool, parts: int) -> Callable[[Call], Typed]:
    """make_timestamp of 6 fields, or 7 with a zone; without a named kind, of the session's."""

    def rule(call: Call) -> Typed:
        kind = named or default_kind(call)
        fails = call.settings.ansi and not tries
        casts = (INT, INT, INT, INT, INT, DecimalType(16, 6), STRING)[:parts]
        if any(not fits(type, cast) for type, cast in zip(call.types, casts, strict=True)):
            raise NotNative(f"{call.name} of these types")
        nullable = not fails
        hides_zone = call.name == "try_make_timestamp" and parts == 7
        shown = f"{call.name}({', '.join(a.text for a in call.arguments[:6])})" if hides_zone else None
        return Typed(kind, nullable, casts, timestamp_made(kind, fails), shown, add_nullable_casts=True)

    return rule


def fits(type: DataType, cast: DataType) -> bool:
    if is_null(type) or is_string(cast):
        return is_null(type) or is_string(type)
    return is_numeric(type) or is_string(type)


def timestamp_made(kind: DataType, fails: bool) -> Callable[..., str]:
    def write(call: Any, y: str, m: str, d: str, h: str, n: str, s: str, zone: str = "") -> str:
        date = date_made(fails)(call, y, m, d)
        right = f"{h} BETWEEN 0 AND 23 AND {n} BETWEEN 0 AND 59 AND {s} BETWEEN 0 AND 60"
        clock = f"({h} * 3600 + {n} * 60) * CAST(1000000 AS BIGINT) + CAST({s} * 1000000 AS BIGINT)"
        given = [y, m, d, h, n, s, *([zone] if zone else [])]
        missing = " OR ".join(f"{part} IS NULL" for part in given)
        local = (
            f"coalesce(spark_make_timestamp({y}, {m}, {d}, {h}, {n}, {s}), "
            f"CASE WHEN {right} AND NOT ({missing}) THEN {date} + to_microseconds({clock}) "
            f"WHEN {missing} THEN NULL WHEN {s} > 60 AND {s} < 61 THEN {fraction_of_a_minute() if fails else 'NULL'} "
            f"WHEN {date} IS NOT NULL THEN {no_such_time(h, n, s) if fails else 'NULL'} END)"
        )
        if zone:  # Java looks for the zone before it looks at the fields
            known = f"spark_local_to_instant(TIMESTAMP '2000-01-01 00:00:00', {zone}) IS NULL"
            there = local if kind == NTZ else f"spark_local_to_instant({local}, {zone})"
            return f"(CASE WHEN {missing} OR {known} THEN NULL ELSE {there} END)"
        return local if kind == NTZ else between_datetimes(local, NTZ, TIMESTAMP, call.settings)

    return write


def made_date(call: Call) -> Typed:
    if any(not fits(type, INT) for type in call.types):
        raise NotNative("make_date of these types")
    fails = call.settings.ansi
    return Typed(DATE, not fails, (INT, INT, INT), date_made(fails), add_nullable_casts=True)


fn("make_date(any, any, any)", "", rule=made_date)
SIX = "any, any, any, any, any, any"
for prefix, tries in (("", False), ("try_", True)):
    for name, kind in (("make_timestamp", None), ("make_timestamp_ltz", TIMESTAMP), ("make_timestamp_ntz", NTZ)):
        fn(f"{prefix}{name}({SIX})", "", rule=fields_made(kind, tries, 6))
        if kind != NTZ:
            fn(f"{prefix}{name}({SIX}, any)", "", rule=fields_made(kind, tries, 7))
