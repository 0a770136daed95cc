"""Functions of the TIME type: make_time, to_time, time_from_seconds, time_to_seconds, time_diff, time_trunc,
current_time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.times import DAY, HOUR, MINUTE, SECOND, cut
from twinspark.functions.notation.error_sql import error, error_with, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.time_fields import check_enabled
from twinspark.functions.time.timestamp_fields import fits
from twinspark.functions.time.timestamps import local_now
from twinspark.types import (
    INT,
    LONG,
    STRING,
    TEXT,
    TIME,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    LongType,
    TimeType,
    is_integral,
    is_null,
    is_string,
)
from twinspark.types.duckdb import duck_text

# Other functions that accept TIME: its nanoseconds compare, group and hash as Spark's TIME does.
COMPARING = "== < <= > >= <=> equal_null in isnull isnotnull coalesce if case nullif nvl nvl2 ifnull greatest least"
NESTING = "array struct named_struct map getarrayitem getmapvalue element_at size explode explode_outer typeof"
GATHERING = "min max count first last any_value max_by min_by collect_list array_agg lag lead count_if"
OTHER = "+ - hash xxhash64 hour minute second extract date_part to_pretty_string"
STAMPS = "make_timestamp make_timestamp_ltz make_timestamp_ntz"
TRIED_STAMPS = "try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz"
DOCUMENTS = "to_json to_csv to_xml"
OWN = "time_diff time_trunc time_to_seconds time_to_millis time_to_micros"
TIME_FUNCTIONS = frozenset(
    " ".join((COMPARING, NESTING, GATHERING, OTHER, STAMPS, TRIED_STAMPS, DOCUMENTS, OWN)).split(" ")
)

OUT_OF_BOUNDS = "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION"


def any_null(*sqls: str) -> str:
    return " OR ".join(f"{sql} IS NULL" for sql in sqls)


def quote_value(sql: str) -> str:
    """The string as a quoted literal in error messages (toSQLValue)."""
    escaped = f"replace(replace({sql}, '\\', '\\\\'), chr(39), '\\' || chr(39))"
    return f"chr(39) || {escaped} || chr(39)"


def check_casts_next_to_null(call: Call, casts: Sequence[DataType]) -> None:
    """Falls back for a cast that may fail next to a null: whether Spark evaluates it depends on code generation
    (InvokeLike)."""
    pairs = zip(call.arguments, casts, strict=True)
    tried = [a for a, cast in pairs if a.type != cast and isinstance(a.type, FAILING) and not hasattr(a, "value")]
    if call.settings.ansi and any(other.nullable for a in tried for other in call.arguments if other is not a):
        raise NotNative(reasons.ERROR_TIMING, f"{call.name} of a nullable argument and a cast that may fail")


FAILING = (*TEXT, FloatType, DoubleType, LongType, DecimalType)


# ---- from fields


def make_time_type(call: Call) -> Typed:
    check_enabled(call)
    casts = (INT, INT, DecimalType(16, 6))
    if any(not fits(type, cast) for type, cast in zip(call.types, casts, strict=True)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "make_time")
    check_casts_next_to_null(call, casts)
    return Typed(TIME, True, casts, write_make_time)


def write_make_time(call: Any, hour: str, minute: str, second: str) -> str:
    return f"spark_make_time({hour}, {minute}, {second})"


fn("make_time(any, any, any)", "", rule=make_time_type)


# ---- from text

DEFAULT_PATTERN = "HH:mm:ss.SSSSSS"  # the pattern in error messages, although the text is parsed like a cast
QUOTED = re.compile("'[^']*'")
MORE = "[A-GI-RT-Zb-gi-ln-rt-z]|S.*S.*S.*S.*S.*S.*S"  # other letters than H h m s a, or more than six S
MORE_THAN_CLOCKS = "a pattern of more than hours, minutes and seconds"


def check_pattern(call: Call) -> None:
    """Only letters of the clock, with at most microseconds: then the timestamp parser gives the same result."""
    value = getattr(call.arguments[1], "value", "")
    if isinstance(value, str) and re.search(MORE, QUOTED.sub("", value)):
        raise NotNative(reasons.DATETIME_PATTERN, f"{call.name} with {MORE_THAN_CLOCKS}")


def read_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        check_enabled(call)
        if not all(is_string(type) or is_null(type) for type in call.types):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of a value that is not a string")
        if any(map(is_null, call.types)):
            writer: Any = "CAST(NULL AS BIGINT)"
        else:
            writer = (
                read_by_pattern(call, tries) if len(call.arguments) == 2 else read(tries, "spark_string_to_time({0})")
            )
        inner = f"to_time({', '.join(argument.text for argument in call.arguments)})"
        return Typed(TIME, True, None, writer, f"try_to_time({inner})" if tries else inner)

    return rule


def read_by_pattern(call: Call, tries: bool) -> str:
    check_pattern(call)
    found = "(epoch_us(spark_parse_timestamp_ntz({0}, {1})) * 1000)"
    plain = f"regexp_replace({{1}}, {duck_text(QUOTED.pattern)}, '', 'g')"
    more = not_native(reasons.DATETIME_PATTERN, MORE_THAN_CLOCKS)
    guarded = f"(CASE WHEN regexp_matches({plain}, {duck_text(MORE)}) THEN {more} ELSE {found} END)"
    return read(tries, guarded, quote_value("{1}"))


def read(tries: bool, found: str, pattern: str = duck_text(f"'{DEFAULT_PATTERN}'")) -> str:
    if tries:
        return found
    failure = error_with("CANNOT_PARSE_TIME", input=quote_value("{0}"), format=pattern)
    known = any_null("{0}", "{1}") if "{1}" in found else any_null("{0}")
    return f"(CASE WHEN {known} THEN NULL ELSE coalesce({found}, {failure}) END)"


for name, tries in (("to_time", False), ("try_to_time", True)):
    fn(f"{name}(any)", "", rule=read_type(tries))
    fn(f"{name}(any, any)", "", rule=read_type(tries))


# ---- from numbers

OVERFLOW = error(OUT_OF_BOUNDS, rangeMessage="Overflow in TIME conversion")
NO_NUMBER = error(OUT_OF_BOUNDS, rangeMessage="Cannot convert NaN or Infinite value to TIME")
BEYOND = duck_text("Invalid TIME value: must be between 00:00:00 and 23:59:59.999999999, but got ")


def in_the_day(nanos: str) -> str:
    beyond = f"{BEYOND} || CAST({nanos} AS VARCHAR) || ' nanoseconds'"
    return (
        f"(CASE WHEN {nanos} BETWEEN 0 AND {DAY - 1} THEN CAST({nanos} AS BIGINT) WHEN {nanos} IS NULL THEN NULL "
        f"WHEN {nanos} BETWEEN {-(1 << 63)} AND {(1 << 63) - 1} THEN {error_with(OUT_OF_BOUNDS, rangeMessage=beyond)} "
        f"ELSE {OVERFLOW} END)"
    )


def of_decimal(wide: str) -> str:
    """More than nine fractional digits overflow too (longValueExact)."""
    nanos = "(CAST({0} AS {wide}) * CAST(1000000000 AS DECIMAL(10, 0)))".replace("{wide}", wide)
    return f"(CASE WHEN {nanos} <> trunc({nanos}) THEN {OVERFLOW} ELSE {in_the_day(f'CAST({nanos} AS HUGEINT)')} END)"


def of_real() -> str:
    """Java's double to long: truncates, and values out of range become the limits."""
    nanos = "(CAST({0} AS DOUBLE) * 1000000000)"
    most = f"CAST({(1 << 63) - 1} AS HUGEINT)"
    least = f"CAST({-(1 << 63)} AS HUGEINT)"
    wide = (
        f"(CASE WHEN {nanos} >= 9.2e18 THEN least({most}, CAST(least({nanos}, 1e30) AS HUGEINT)) "
        f"WHEN {nanos} <= -9.2e18 THEN greatest({least}, CAST(greatest({nanos}, -1e30) AS HUGEINT)) "
        f"ELSE CAST(trunc({nanos}) AS HUGEINT) END)"
    )
    return f"(CASE WHEN NOT isfinite(CAST({{0}} AS DOUBLE)) THEN {NO_NUMBER} ELSE {in_the_day(wide)} END)"


def since_midnight(unit: int) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        check_enabled(call)
        source = call.types[0]
        if is_integral(source) or is_null(source):
            return Typed(TIME, True, (LONG,) if is_null(source) else None, f"spark_{call.name}({{0}})")
        if unit != SECOND:
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")
        if isinstance(source, DecimalType) and source.precision <= 28 and source.scale <= 18:
            return Typed(TIME, True, None, of_decimal(f"DECIMAL(28, {source.scale})"))
        if isinstance(source, DoubleType | FloatType):
            return Typed(TIME, True, None, of_real())
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")

    return rule


fn("time_from_seconds(any)", "", rule=since_midnight(SECOND))
fn("time_from_millis(any)", "", rule=since_midnight(1_000_000))
fn("time_from_micros(any)", "", rule=since_midnight(1_000))


# ---- to numbers


def time_rule(result: DataType, writer: str) -> Callable[[Call], Typed]:
    """An argument that Spark does not cast (ExpectsInputTypes)."""

    def rule(call: Call) -> Typed:
        check_enabled(call)
        source = call.types[0]
        if not isinstance(source, TimeType) and not is_null(source):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")
        return Typed(result, True, (TIME,) if is_null(source) else None, writer)

    return rule


fn("time_to_seconds(any)", "", rule=time_rule(DecimalType(14, 6), "spark_time_to_seconds({0})"))
fn("time_to_millis(any)", "", rule=time_rule(LONG, "({0} // 1000000)"))
fn("time_to_micros(any)", "", rule=time_rule(LONG, "({0} // 1000)"))


# ---- by units

UNITS = {"HOUR": HOUR, "MINUTE": MINUTE, "SECOND": SECOND, "MILLISECOND": 1_000_000, "MICROSECOND": 1_000}


def by_unit(call: Call, times: tuple[str, ...], write: Callable[[int], str]) -> str:
    """The SQL for a constant unit, or a CASE over all units; an unknown unit is an error unless an argument is null."""
    failure = error_with(
        "INVALID_PARAMETER_VALUE.TIME_UNIT",
        functionName=duck_text(f"`{call.name}`"),
        parameter=duck_text("`unit`"),
        invalidValue=quote_value("{0}"),
    )
    value = getattr(call.arguments[0], "value", None)
    if isinstance(value, str) and value.upper() in UNITS:
        return write(UNITS[value.upper()])
    branches = " ".join(
        f"WHEN spark_upper({{0}}) = {duck_text(name)} THEN {write(unit)}" for name, unit in UNITS.items()
    )
    return f"(CASE WHEN {any_null('{0}', *times)} THEN NULL {branches} ELSE {failure} END)"


def as_time(type: DataType) -> DataType:
    return type if isinstance(type, TimeType) else TIME


def difference(call: Call) -> Typed:
    check_enabled(call)
    casts = (STRING, *map(as_time, call.types[1:]))
    check_casts_next_to_null(call, casts)
    writer = by_unit(call, ("{1}", "{2}"), lambda unit: f"(({{2}} - {{1}}) // {unit})")
    return Typed(LONG, True, casts, writer)


def cut_off(call: Call) -> Typed:
    check_enabled(call)
    kind = as_time(call.types[1])
    check_casts_next_to_null(call, (STRING, kind))
    return Typed(kind, True, (STRING, kind), by_unit(call, ("{1}",), lambda unit: f"spark_time_trunc({{1}}, {unit})"))


fn("time_diff(string, time, time)", "", rule=difference)
fn("time_trunc(string, time)", "", rule=cut_off)


# ---- now


def now_type(call: Call) -> Typed:
    """Allowed even if the TIME type is disabled, unlike the other functions."""
    precision = getattr(call.arguments[0], "value", None) if call.arguments else 6
    if not isinstance(precision, int) or not 0 <= precision <= 6:
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_VALUE, "current_time with a precision that is not a constant from 0 to 6"
        )
    return Typed(TimeType(precision), False, None, now(precision))


@cache
def now(precision: int) -> Callable[..., str]:
    return lambda call, *_: cut(f"(epoch_us({local_now(call)}) % 86400000000 * 1000)", precision)


fn("current_time(any = 6)", "", rule=now_type, shows_defaults=True)
