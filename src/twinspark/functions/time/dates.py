"""Date functions: fields, extract, date_add, to_date, trunc, next_day, date_trunc, current_date."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.cast_sql import UTC_ZONES, between_datetimes, in_utc
from twinspark.functions.notation.error_sql import error_with
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    non_foldable_argument,
    quote_expression,
    unexpected_input_type,
)
from twinspark.functions.time.intervals import field_of_interval
from twinspark.functions.time.time_fields import field_of_time, time_of_day_field
from twinspark.functions.time.time_parser_policy import parse_instant
from twinspark.types import (
    DATE,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    is_null,
    is_string,
)
from twinspark.types.duckdb import duck_text

NTZ = TimestampNTZType()

# ---- fields of a date

FIELDS = {
    "year": "year({0})",
    "quarter": "quarter({0})",
    "month": "month({0})",
    "day": "day({0})",
    "dayofyear": "dayofyear({0})",
    "dayofweek": "dayofweek({0}) + 1",
    "weekday": "isodow({0}) - 1",
    "weekofyear": "weekofyear({0})",
}
for name, sql in FIELDS.items():
    fn(f"{name}(date) -> int", f"CAST({sql} AS INTEGER)", *(["dayofmonth"] if name == "day" else []), keeps_alias=True)


def extract_type(call: Call) -> Typed:
    """extract(field FROM source) and date_part: the functions of the same name."""
    if not is_foldable(call.arguments[0]):
        raise non_foldable_argument(call.name, "field", STRING)
    field = str(getattr(call.arguments[0], "value", "")).lower()
    source = call.types[1]
    typed = field_of_interval(field, source, call) or field_of_time(field, source, call)
    typed = typed or moment_extracted(field, source, call)
    field_from = f"{call.name}({call.arguments[0].text} FROM {call.arguments[1].text})"
    shown = field_from if call.name in ("datepart", "extract") else None
    return replace(typed, text=shown)


def moment_extracted(field: str, source: DataType, call: Call) -> Typed:
    if not (isinstance(source, DateType | TimestampType | TimestampNTZType) or is_string(source) or is_null(source)):
        raise invalid_extract_field(call, f"{call.name} {field} from {source.simpleString()}")
    return time_extracted(field, source, call) if field in TIME_EXTRACTS else date_extracted(field, call)


def invalid_extract_field(call: Call, detail: str) -> Exception:
    """The error of Extract.createExpr; falls back for fields that may not be one identifier, and for other sources
    than dates, timestamps, strings and intervals."""
    field, source = getattr(call.arguments[0], "value", None), call.types[1]
    known = is_string(source) or isinstance(source, (DateType, TimestampType, TimestampNTZType, *INTERVAL))
    if not known or not isinstance(field, str) or not re.fullmatch("[A-Za-z_]+", field):
        return NotNative(reasons.FUNCTION_ARGUMENT_VALUE, detail)
    return SparkError("INVALID_EXTRACT_FIELD", field=f"`{field}`", expr=quote_expression(call.arguments[1].text))


def date_extracted(field: str, call: Call) -> Typed:
    if field not in EXTRACTS:
        raise invalid_extract_field(call, field)
    sql = EXTRACTED_FIELDS[EXTRACTS[field]].format("{1}")
    return Typed(INT, False, (None, DATE), f"CAST({sql} AS INTEGER)", add_nullable_casts=True)


def time_extracted(field: str, source: DataType, call: Call) -> Typed:
    kind = source if isinstance(source, TimestampNTZType) else TIMESTAMP
    name = TIME_EXTRACTS[field]
    local = "{1}" if kind == NTZ else between_datetimes("{1}", kind, NTZ, call.settings)
    writer = f"CAST({name}({local}) AS INTEGER)"
    if name == "second":  # including the fraction
        micros = f"((epoch_us({local}) % 60000000 + 60000000) % 60000000)"
        writer = f"CAST({micros} * CAST(0.000001 AS DECIMAL(7, 6)) AS DECIMAL(8, 6))"
    result = DecimalType(8, 6) if name == "second" else INT
    return Typed(result, False, (None, kind), writer, add_nullable_casts=True)


EXTRACTED_FIELDS = {**FIELDS, "yearofweek": "isoyear({0})", "dayofweek_iso": "isodow({0})"}
EXTRACTS = {
    **dict.fromkeys(("year", "y", "years", "yr", "yrs"), "year"),
    "yearofweek": "yearofweek",
    **dict.fromkeys(("month", "mon", "mons", "months"), "month"),
    **dict.fromkeys(("day", "d", "days"), "day"),
    **dict.fromkeys(("quarter", "qtr"), "quarter"),
    **dict.fromkeys(("week", "w", "weeks"), "weekofyear"),
    **dict.fromkeys(("dayofweek", "dow"), "dayofweek"),
    **dict.fromkeys(("dayofweek_iso", "dow_iso"), "dayofweek_iso"),
    "doy": "dayofyear",
}
TIME_EXTRACTS = {
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), "minute"),
    **dict.fromkeys(("second", "s", "sec", "seconds", "secs"), "second"),
}
fn("extract(any, any)", "", rule=extract_type)
fn("date_part(any, any)", "", "datepart", rule=extract_type, keeps_alias=True)


# ---- days added and subtracted


WHOLE_DAYS = IntegerType | ShortType | ByteType


def day_arithmetic(call: Call) -> Typed:
    source, days = call.types
    if not (is_string(source) or is_null(source) or isinstance(source, DateType | TimestampType | TimestampNTZType)):
        raise unexpected_input_type(call, 0, '"DATE"')
    if is_string(days) and not call.settings.ansi:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} by a string with spark.sql.ansi.enabled = false")
    if not (is_string(days) or is_null(days) or isinstance(days, WHOLE_DAYS)):
        raise unexpected_input_type(call, 1, '("INT" or "SMALLINT" or "TINYINT")')
    return Typed(DATE, False, (DATE, INT), add_nullable_casts=True)


fn("date_add(any, any)", "({0} + {1})", "dateadd", rule=day_arithmetic)
fn("date_sub(any, any)", "({0} - {1})", rule=day_arithmetic)
fn("datediff(date, date) -> int", "CAST({0} - {1} AS INTEGER)", "date_diff", keeps_alias=True)


# ---- from text


def pattern_of(call: Call, index: int) -> str:
    value = getattr(call.arguments[index], "value", None)
    if not isinstance(value, str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the pattern")
    return value


SPECIAL_MOMENTS = ("epoch", "now", "today", "tomorrow", "yesterday")


def check_special_values(call: Call) -> None:
    """Falls back for a constant such as 'now', which means a moment (SpecialDatetimeValues); in a column it is plain
    text."""
    value = getattr(call.arguments[0], "value", None)
    if isinstance(value, str) and value.strip().lower().startswith(SPECIAL_MOMENTS):
        raise NotNative(reasons.DATETIME_SPECIAL, call.name)


def date_by_pattern(call: Call, tries: bool) -> Typed:
    """Parses a timestamp, then takes its date in the session time zone."""
    if not all(map(is_string, call.types)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with a pattern, of a value that is not a string")
    fails = call.settings.ansi and not tries
    read = parse_instant("{0}", "{1}", fails, call, "try_to_date")
    writer = between_datetimes(read, TIMESTAMP, DATE, call.settings)
    return Typed(DATE, call.any_nullable or not fails, None, writer)


def to_date_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source = call.types[0]
        if len(call.arguments) == 2:
            return date_by_pattern(call, tries)
        if is_null(source) and not tries:
            return Typed(DATE, True, (DATE,), "{0}")
        if not (is_string(source) or isinstance(source, DateType | TimestampType | TimestampNTZType)):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")
        if tries and not is_string(source):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of a value that is not a string")
        check_special_values(call)
        writer = "spark_string_to_date({0})" if tries else "{0}"
        nullable = tries or not isinstance(source, DateType | TimestampType)
        return Typed(DATE, nullable or call.any_nullable, None if tries else (DATE,), writer)

    return rule


fn("to_date(any)", "", rule=to_date_type(False))
fn("to_date(any, any)", "", rule=to_date_type(False))
fn("try_to_date(any)", "", rule=to_date_type(True))
fn("try_to_date(any, any)", "", rule=to_date_type(True))


# ---- truncation

DATE_UNITS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    "quarter": "quarter",
    **dict.fromkeys(("month", "mm", "mon"), "month"),
    "week": "week",
}


def truncated_type(call: Call) -> Typed:
    """trunc(date, unit): an unknown unit returns null."""
    return Typed(DATE, True, (DATE, STRING), chosen_unit(call, 1, DATE_UNITS, "DATE", date_truncated))


def date_truncated(unit: str, call: Call) -> str:
    return f"CAST(date_trunc('{unit}', {{0}}) AS DATE)"


def chosen_unit(call: Call, index: int, units: dict[str, str], type: str, cut: Callable[[str, Call], str]) -> str:
    """The truncation by a constant unit, or a CASE over all units."""
    argument = call.arguments[index]
    if hasattr(argument, "value"):
        unit = units.get(argument.value.lower()) if isinstance(argument.value, str) else None
        return f"CAST(NULL AS {type})" if unit is None else cut(unit, call)
    branches = [
        f"WHEN spark_upper({{{index}}}) = {duck_text(name.upper())} THEN {cut(unit, call)}"
        for name, unit in units.items()
    ]
    return f"(CASE {' '.join(branches)} END)"


fn("trunc(date, string)", "", rule=truncated_type)

# ---- named days and months


def short_name(names: str, number: str) -> str:
    """A constant list of names, which is many times as fast as a format."""
    return "([" + ", ".join(map(duck_text, names.split())) + f"])[{number}]"


fn("dayname(date) -> string", "spark_dayname({0})")
fn(
    "monthname(date) -> string",
    short_name("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "month({0})"),
)

WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
DAY_NAMES = ", ".join(duck_text(name[:length]) for name in WEEKDAYS for length in (2, 3, len(name)))


def weekday_named(name: object) -> int | None:
    """The number of a constant day name, where Monday is 0."""
    names = [day[:length] for day in WEEKDAYS for length in (2, 3, len(day))]
    return (
        names.index(name.upper()) // 3 if isinstance(name, str) and name.isascii() and name.upper() in names else None
    )


def next_day(call: Any, date: str, name: str) -> str:
    """The first two or three letters of the day or its full name; others are an error under ANSI, otherwise null."""
    known_day = weekday_named(getattr(call.arguments[1], "value", None))
    if known_day is not None:
        return f"spark_next_day({date}, {known_day})"
    day = f"((list_position([{DAY_NAMES}], spark_upper({name})) - 1) // 3)"  # Monday is 0
    wrong = error_with("ILLEGAL_DAY_OF_WEEK", string=name) if call.settings.ansi else "NULL"
    found = f"({date} + CAST(({day} - isodow({date}) + 7) % 7 + 1 AS INTEGER))"
    known = f"{date} IS NOT NULL AND {name} IS NOT NULL"
    return f"(CASE WHEN {known} AND {day} IS NOT NULL THEN {found} WHEN {known} THEN {wrong} END)"


fn("next_day(date, string) -> date?", next_day)
fn("date_from_unix_date(int) -> date", "(DATE '1970-01-01' + {0})")

TIME_UNITS = {
    **DATE_UNITS,
    **dict.fromkeys(("day", "dd"), "day"),
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "millisecond",
    "microsecond": "microsecond",
}


def time_truncated_type(call: Call) -> Typed:
    writer = chosen_unit(call, 0, TIME_UNITS, "TIMESTAMPTZ", time_truncated)
    return Typed(TIMESTAMP, True, (STRING, TIMESTAMP), writer)


def time_truncated(unit: str, call: Call) -> str:
    zone = call.settings.zone
    if zone in UTC_ZONES or unit in ("second", "millisecond", "microsecond"):
        return in_utc(f"date_trunc('{unit}', {in_utc('{1}', TIMESTAMP, NTZ)})", NTZ, TIMESTAMP)
    if unit in ("day", "hour", "minute"):
        return f"spark_trunc_clock({{1}}, '{unit}', {duck_text(zone)})"
    day = f"CAST(date_trunc('{unit}', {between_datetimes('{1}', TIMESTAMP, DATE, call.settings)}) AS DATE)"
    return between_datetimes(day, DATE, TIMESTAMP, call.settings)


fn("date_trunc(string, timestamp)", "", rule=time_truncated_type)


# ---- fields of a time


def time_field(name: str) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source = call.types[0]
        kind = source if isinstance(source, TimestampNTZType) else TIMESTAMP
        if isinstance(source, TimeType):
            return time_of_day_field(name, 0, call)
        local = "{0}" if kind == NTZ else between_datetimes("{0}", kind, NTZ, call.settings)
        return Typed(INT, False, (kind,), f"CAST({name}({local}) AS INTEGER)", add_nullable_casts=True)

    return rule


for name in ("hour", "minute", "second"):
    fn(f"{name}(timestamp|timestamp_ntz|time)", "", rule=time_field(name))


# ---- months

fn("last_day(date) -> date", "last_day({0})")
fn("add_months(date, int) -> date", "CAST({0} + to_months({1}) AS DATE)")


def exactly(kind: DataType, result: DataType) -> Callable[[Call], Typed]:
    """An argument that Spark does not cast (ExpectsInputTypes)."""

    def rule(call: Call) -> Typed:
        if is_null(call.types[0]):
            return Typed(result, True, (kind,))
        if call.types[0] != kind:
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {call.types[0].simpleString()}")
        return Typed(result, call.any_nullable)

    return rule


fn("unix_date(any)", "CAST({0} - DATE '1970-01-01' AS INTEGER)", rule=exactly(DATE, INT))


# ---- now


def instant(call: Any) -> str:
    return f"make_timestamptz(CAST({call.settings.now_micros} AS BIGINT))"


def today(call: Any) -> str:
    if call.settings.zone not in UTC_ZONES:
        return f"CAST(spark_instant_to_local({instant(call)}, {duck_text(call.settings.zone)}) AS DATE)"
    return f"CAST({instant(call)} AS DATE)"


fn("current_timestamp() -> timestamp!", instant)
fn("now() -> timestamp!", instant)
fn("current_date() -> date!", today, "curdate")
fn("current_timezone() -> string!", lambda call: duck_text(call.settings.session_zone or call.settings.zone))
