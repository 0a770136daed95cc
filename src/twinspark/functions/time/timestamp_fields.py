"""make_date and make_timestamp from fields, with Java's error messages for invalid fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import between_datetimes
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error_with, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.timestamps import NTZ, default_kind
from twinspark.types import DATE, INT, STRING, TIMESTAMP, DataType, DecimalType, is_null, is_numeric, is_string
from twinspark.types.duckdb import duck_text

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
INVALID, LEAP, NO_LEAP = map(duck_text, ("Invalid date '", "Invalid date 'February 29' as '", "' is not a leap year"))


def out_of_bounds(message: str) -> str:
    return error_with(
        "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", rangeMessage=message, ansiConfig=duck_text(ANSI_CONFIG)
    )


def bounds_text(field: str, bounds: str, value: str) -> str:
    return f"'Invalid value for {field} (valid values {bounds}): ' || CAST({value} AS VARCHAR)"


def no_such_date(y: str, m: str, d: str) -> str:
    """Java's error message (LocalDate.of)."""
    names = "[" + ", ".join(map(duck_text, MONTHS)) + "]"
    leap = f"{LEAP} || CAST({y} AS VARCHAR) || {NO_LEAP}"
    other = f"{INVALID} || {names}[{m}] || ' ' || CAST({d} AS VARCHAR) || chr(39)"
    return out_of_bounds(
        f"CASE WHEN {m} NOT BETWEEN 1 AND 12 THEN {bounds_text('MonthOfYear', '1 - 12', m)} "
        f"WHEN {d} NOT BETWEEN 1 AND 31 THEN {bounds_text('DayOfMonth', '1 - 28/31', d)} "
        f"WHEN {d} = 29 THEN {leap} ELSE {other} END"
    )


def fraction_of_a_minute(s: str) -> str:
    """The error for 60 seconds with a fraction, which is raised before the date is checked."""
    return error_with("INVALID_FRACTION_OF_SECOND", secAndMicros=f"spark_double_to_string(CAST({s} AS DOUBLE))")


def no_such_time(h: str, n: str, s: str) -> str:
    wrong = out_of_bounds(
        f"CASE WHEN {h} NOT BETWEEN 0 AND 23 THEN {bounds_text('HourOfDay', '0 - 23', h)} "
        f"WHEN {n} NOT BETWEEN 0 AND 59 THEN {bounds_text('MinuteOfHour', '0 - 59', n)} "
        f"ELSE {bounds_text('SecondOfMinute', '0 - 59', f'CAST(trunc({s}) AS BIGINT)')} END"
    )
    negative = not_native(reasons.DATETIME_RANGE, "a negative fraction of a second")
    return (
        f"(CASE WHEN {s} > 60 AND {s} < 61 THEN {fraction_of_a_minute(s)} "
        f"WHEN {s} = 60 OR {s} > -1 AND {s} < 0 THEN {negative} ELSE {wrong} END)"
    )


def make_date_writer(fails: bool) -> Callable[..., str]:
    def write(call: Any, y: str, m: str, d: str) -> str:
        right = f"{m} BETWEEN 1 AND 12 AND {d} BETWEEN 1 AND {LAST_DAY.format(m=m, y=y)}"
        known = f"{y} IS NULL OR {m} IS NULL OR {d} IS NULL"
        near = f"{y} BETWEEN -290307 AND 294246"
        far = not_native(reasons.DATETIME_RANGE, "make_date of a year far from today")
        wrong = f"CASE WHEN abs({y}) > 999999999 THEN {far} ELSE {no_such_date(y, m, d)} END" if fails else "NULL"
        made = f"spark_make_date({y}, {m}, {d})"  # null for cases that need the checks below
        return (
            f"coalesce({made}, CASE WHEN {known} THEN NULL WHEN NOT ({right}) THEN {wrong} "
            f"WHEN {near} THEN make_date({y}, {m}, {d}) ELSE {far} END)"
        )

    return write


def make_timestamp_rule(named: DataType | None, tries: bool, parts: int) -> Callable[[Call], Typed]:
    """make_timestamp of 6 fields, or 7 with a zone; without a given type, the session's default timestamp type."""

    def rule(call: Call) -> Typed:
        kind = named or default_kind(call)
        fails = call.settings.ansi and not tries
        casts = (INT, INT, INT, INT, INT, DecimalType(16, 6), STRING)[:parts]
        if any(not fits(type, cast) for type, cast in zip(call.types, casts, strict=True)):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, call.name)
        nullable = not fails
        hides_zone = call.name == "try_make_timestamp" and parts == 7
        shown = f"{call.name}({', '.join(a.text for a in call.arguments[:6])})" if hides_zone else None
        return Typed(kind, nullable, casts, make_timestamp_writer(kind, fails), shown, add_nullable_casts=True)

    return rule


def fits(type: DataType, cast: DataType) -> bool:
    if is_null(type) or is_string(cast):
        return is_null(type) or is_string(type)
    return is_numeric(type) or is_string(type)


def make_timestamp_writer(kind: DataType, fails: bool) -> Callable[..., str]:
    def write(call: Any, y: str, m: str, d: str, h: str, n: str, s: str, zone: str = "") -> str:
        date = make_date_writer(fails)(call, y, m, d)
        right = f"{h} BETWEEN 0 AND 23 AND {n} BETWEEN 0 AND 59 AND {s} BETWEEN 0 AND 60"
        clock = f"({h} * 3600 + {n} * 60) * CAST(1000000 AS BIGINT) + CAST({s} * 1000000 AS BIGINT)"
        given = [y, m, d, h, n, s, *([zone] if zone else [])]
        missing = " OR ".join(f"{part} IS NULL" for part in given)
        local = (
            f"coalesce(spark_make_timestamp({y}, {m}, {d}, {h}, {n}, {s}), "
            f"CASE WHEN {right} AND NOT ({missing}) THEN {date} + to_microseconds({clock}) "
            f"WHEN {missing} THEN NULL WHEN {s} > 60 AND {s} < 61 THEN {fraction_of_a_minute(s) if fails else 'NULL'} "
            f"WHEN {date} IS NOT NULL THEN {no_such_time(h, n, s) if fails else 'NULL'} END)"
        )
        if zone:  # Java resolves the zone before it checks the fields
            known = f"spark_local_to_instant(TIMESTAMP '2000-01-01 00:00:00', {zone}) IS NULL"
            there = local if kind == NTZ else f"spark_local_to_instant({local}, {zone})"
            return f"(CASE WHEN {missing} OR {known} THEN NULL ELSE {there} END)"
        return local if kind == NTZ else between_datetimes(local, NTZ, TIMESTAMP, call.settings)

    return write


def make_date_type(call: Call) -> Typed:
    if any(not fits(type, INT) for type in call.types):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "make_date")
    fails = call.settings.ansi
    return Typed(DATE, not fails, (INT, INT, INT), make_date_writer(fails), add_nullable_casts=True)


fn("make_date(any, any, any)", "", rule=make_date_type)
SIX = "any, any, any, any, any, any"
for prefix, tries in (("", False), ("try_", True)):
    for name, kind in (("make_timestamp", None), ("make_timestamp_ltz", TIMESTAMP), ("make_timestamp_ntz", NTZ)):
        fn(f"{prefix}{name}({SIX})", "", rule=make_timestamp_rule(kind, tries, 6))
        if kind != NTZ:
            fn(f"{prefix}{name}({SIX}, any)", "", rule=make_timestamp_rule(kind, tries, 7))
