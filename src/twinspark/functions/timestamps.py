"""Timestamps: read and written by Java's patterns, counted since 1970, made of fields, moved between zones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import between_datetimes, not_native
from twinspark.functions.dates import refuse_special
from twinspark.functions.refused_patterns import refused
from twinspark.functions.registry import fn
from twinspark.functions.spelling import ANSI_CONFIG, error_with, text
from twinspark.functions.time_parser import EXCEPTION, instant_read, instant_written
from twinspark.functions.typing import Call, Typed
from twinspark.types import (
    DATE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    NullType,
    TimestampNTZType,
    TimestampType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)

NTZ = TimestampNTZType()
MOMENTS = (DateType, TimestampType, TimestampNTZType)
DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def floor_divided(sql: str, by: int) -> str:
    """Java's floorDiv: DuckDB's // cuts towards zero."""
    return f"({sql} // {by} - CAST({sql} % {by} < 0 AS BIGINT))"


def local_of(sql: str, call: Any) -> str:
    return between_datetimes(sql, TIMESTAMP, NTZ, call.settings)


# ---- from text by a pattern


def parsed(kind: DataType, source: str, pattern: str, fails: bool, call: Any) -> str:
    """Without a zone it is always java.time that reads."""
    if kind == NTZ and call.settings.time_parser == EXCEPTION:
        raise NotNative("a local time by a pattern under spark.sql.legacy.timeParserPolicy = EXCEPTION")
    if kind == NTZ and (error := refused(call, source, reads=True, zoneless=True)) is not None:
        return f"CAST({error} AS TIMESTAMP)"
    if kind == NTZ:
        return f"spark_parse_timestamp_ntz{'_ansi' if fails else ''}({source}, {pattern})"
    return instant_read(source, pattern, fails, call)


def reader(result: DataType | None, tries: bool) -> Callable[[Call], Typed]:
    """to_timestamp and its kin; result None: what the session calls a timestamp."""

    def rule(call: Call) -> Typed:
        kind = result or default_kind(call)
        source = call.types[0]
        if is_string(source):
            return read_by_pattern(call, kind, tries) if len(call.arguments) == 2 else read_plainly(call, kind, tries)
        if is_null(source) and len(call.arguments) == 1 and not tries:
            return Typed(kind, True, (kind,), "{0}")
        if not isinstance(source, MOMENTS) or tries or len(call.arguments) == 2:
            raise NotNative(f"{call.name} of {source.simpleString()}")
        return Typed(kind, False, (kind,), "{0}", add_nullable_casts=True)

    return rule


def default_kind(call: Call) -> DataType:
    """What the session calls a timestamp."""
    return TIMESTAMP if call.settings.timestamp_type == "TIMESTAMP_LTZ" else NTZ


def read_plainly(call: Call, kind: DataType, tries: bool) -> Typed:
    if not tries:
        return Typed(kind, True, (kind,), "{0}")
    refuse_special(call)
    if kind == NTZ:
        return Typed(kind, True, None, "spark_string_to_timestamp_ntz({0})")
    zone = f", {text(call.settings.zone)}"
    return Typed(kind, True, None, f"spark_string_to_timestamp({{0}}{zone})")


def read_by_pattern(call: Call, kind: DataType, tries: bool) -> Typed:
    if not is_string(call.types[1]):
        raise NotNative(f"{call.name} with a pattern that is no string")
    fails = call.settings.ansi and not tries
    return Typed(kind, call.any_nullable or not fails, None, lambda made, s, p: parsed(kind, s, p, fails, made))


READERS = {"to_timestamp": None, "to_timestamp_ltz": TIMESTAMP, "to_timestamp_ntz": NTZ}
for name, result in READERS.items():
    fn(f"{name}(any)", "", rule=reader(result, False))
    fn(f"{name}(any, any)", "", rule=reader(result, False))
fn("try_to_timestamp(any)", "", rule=reader(None, True))
fn("try_to_timestamp(any, any)", "", rule=reader(None, True))


# ---- to text by a pattern


def formatted(call: Any, value: str, pattern: str) -> str:
    return instant_written(value, pattern, call)


fn("date_format(timestamp, string) -> string", formatted)

MOST_SECONDS = 9223372022399


def instant_of_seconds(seconds: str, unit: int = 1000000) -> str:
    """Java's long wraps or raises where DuckDB's timestamps end: Spark answers there."""
    most = MOST_SECONDS * 1000000 // unit
    made = f"make_timestamptz({seconds} * {unit})" if unit > 1 else f"make_timestamptz({seconds})"
    far = not_native("an instant beyond DuckDB's timestamps")
    return f"(CASE WHEN {seconds} BETWEEN -{most} AND {most} THEN {made} WHEN {seconds} IS NOT NULL THEN {far} END)"


def from_seconds(call: Any, seconds: str, pattern: str) -> str:
    return formatted(call, instant_of_seconds(seconds), pattern)


fn(f"from_unixtime(bigint, string = '{DEFAULT_PATTERN}') -> string?", from_seconds, shows_defaults=True)


# ---- counted since 1970


def seconds_since(call: Call) -> Typed:
    """unix_timestamp: of text by the pattern; of a date or timestamp, whatever the pattern; cut towards zero."""
    source = call.types[0]
    if any(not is_string(type) for type in call.types[1:]):
        raise NotNative(f"{call.name} with a pattern that is no string")
    if is_string(source):
        fails = call.settings.ansi
        return Typed(LONG, call.any_nullable or not fails, None, seconds_of_text)
    if isinstance(source, TimestampType):
        return Typed(LONG, call.any_nullable or not call.settings.ansi, None, "(epoch_us({0}) // 1000000)")
    if isinstance(source, DateType):
        return Typed(LONG, call.any_nullable or not call.settings.ansi, None, seconds_of_date)
    raise NotNative(f"{call.name} of {source.simpleString()}")


def seconds_of_text(call: Any, source: str, pattern: str) -> str:
    instant = parsed(TIMESTAMP, source, pattern, call.settings.ansi, call)
    return f"(epoch_us({instant}) // 1000000)"


def seconds_of_date(call: Any, source: str, pattern: str) -> str:
    return f"(epoch_us({between_datetimes(source, DATE, TIMESTAMP, call.settings)}) // 1000000)"


for name in ("unix_timestamp", "to_unix_timestamp"):
    fn(f"{name}(any, any = '{DEFAULT_PATTERN}')", "", rule=seconds_since, shows_defaults=True)


def exact_instant(call: Call) -> Typed:
    """An argument that Spark does not cast (ExpectsInputTypes)."""
    if not isinstance(call.types[0], TimestampType | NullType):
        raise NotNative(f"{call.name} of {call.types[0].simpleString()}")
    return Typed(LONG, call.any_nullable, (TIMESTAMP,))


fn("unix_seconds(any)", floor_divided("epoch_us({0})", 1000000), rule=exact_instant)
fn("unix_millis(any)", floor_divided("epoch_us({0})", 1000), rule=exact_instant)
fn("unix_micros(any)", "epoch_us({0})", rule=exact_instant)


FAR_INSTANT = not_native("an instant beyond DuckDB's timestamps")


def instant_of_real(seconds: str) -> str:
    """Cut off after six digits; what is no number gives null."""
    micros = f"(CAST({seconds} AS DOUBLE) * 1000000)"
    near = f"abs({micros}) < 9.2e18"
    made = f"make_timestamptz(CAST(trunc(CASE WHEN {near} THEN {micros} ELSE 0 END) AS BIGINT))"
    far = f"WHEN {near} IS NOT NULL THEN {FAR_INSTANT}"
    return f"(CASE WHEN NOT isfinite({seconds}) THEN NULL WHEN {near} THEN {made} {far} END)"


def instant_of_decimal(seconds: str) -> str:
    near = f"abs({seconds}) < 9200000000000"
    made = f"make_timestamptz(CAST(CASE WHEN {near} THEN {seconds} * 1000000 END AS BIGINT))"
    return f"(CASE WHEN {near} THEN {made} WHEN {seconds} IS NOT NULL THEN {FAR_INSTANT} END)"


def since_1970(unit: int) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source = call.types[0]
        if call.name == "timestamp_seconds" and isinstance(source, DoubleType | FloatType):
            return Typed(TIMESTAMP, True, None, instant_of_real("{0}"))
        if call.name == "timestamp_seconds" and isinstance(source, DecimalType) and source.scale <= 6:
            if source.precision - source.scale > 32:  # the cast below would lose what Spark raises an error for
                raise NotNative("timestamp_seconds of a decimal of many digits")
            return Typed(TIMESTAMP, call.any_nullable, (DecimalType(38, 6),), instant_of_decimal("{0}"))
        if not (is_integral(source) or is_null(source)):
            raise NotNative(f"{call.name} of {source.simpleString()}")
        return Typed(TIMESTAMP, call.any_nullable, (LONG,), instant_of_seconds("{0}", unit))

    return rule


fn("timestamp_seconds(any)", "", rule=since_1970(1000000))
fn("timestamp_millis(any)", "", rule=since_1970(1000))
fn("timestamp_micros(any)", "", rule=since_1970(1))


# ---- made of fields

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


# ---- moved between zones

fn(
    "from_utc_timestamp(timestamp, string) -> timestamp",
    "spark_local_to_instant(spark_instant_to_local({0}, {1}), 'UTC')",
)
fn(
    "to_utc_timestamp(timestamp, string) -> timestamp",
    "spark_local_to_instant(spark_instant_to_local({0}, 'UTC'), {1})",
)
fn(
    "convert_timezone(string, string, timestamp_ntz) -> timestamp_ntz",
    "spark_instant_to_local(spark_local_to_instant({2}, {0}), {1})",
)


def here_to(call: Call) -> Typed:
    """Of two arguments the source is the session's zone."""
    zone, value = (argument.text for argument in call.arguments)
    writer = f"spark_instant_to_local(spark_local_to_instant({{1}}, {text(call.settings.zone)}), {{0}})"
    shown = f"convert_timezone(current_timezone(), {zone}, {value})"
    return Typed(NTZ, False, (STRING, NTZ), writer, shown, add_nullable_casts=True)


fn("convert_timezone(string, timestamp_ntz)", "", rule=here_to)


def local_now(call: Any) -> str:
    return local_of(f"make_timestamptz(CAST({call.settings.now_micros} AS BIGINT))", call)


fn("localtimestamp() -> timestamp_ntz!", local_now)


# ---- months between


def months_between(call: Any, later: str, earlier: str, rounds: str) -> str:
    a, b = local_of(later, call), local_of(earlier, call)
    seconds = f"{day_seconds(later, a, call)}, {day_seconds(earlier, b, call)}"
    return f"spark_months_between({a}, {b}, {seconds}, {rounds})"


def day_seconds(instant: str, local: str, call: Any) -> str:
    """Seconds since the day began there: not the clock's when the clocks change that day."""
    begins = between_datetimes(f"CAST({local} AS DATE)", DATE, TIMESTAMP, call.settings)
    return f"((epoch_us({instant}) - epoch_us({begins})) // 1000000)"


fn(
    "months_between(timestamp, timestamp, boolean = true) -> double",
    months_between,
    shows_defaults=True,
)
