"""Timestamp functions: to_timestamp, date_format, unix_timestamp, from_utc_timestamp, months_between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import between_datetimes
from twinspark.functions.notation.error_sql import java_error, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, is_foldable
from twinspark.functions.time.dates import check_special_values
from twinspark.functions.time.pattern_errors import pattern_error_sql
from twinspark.functions.time.time_parser_policy import EXCEPTION, format_instant, parse_error, parse_instant
from twinspark.types import (
    DATE,
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
    is_string,
)
from twinspark.types.duckdb import duck_text

NTZ = TimestampNTZType()
MOMENTS = (DateType, TimestampType, TimestampNTZType)
DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def local_of(sql: str, call: Any) -> str:
    return between_datetimes(sql, TIMESTAMP, NTZ, call.settings)


# ---- from text by a pattern


def parse_timestamp(kind: DataType, source: str, pattern: str, fails: bool, call: Any) -> str:
    """TIMESTAMP_NTZ is always parsed with java.time."""
    if kind == NTZ and call.settings.time_parser == EXCEPTION:
        raise NotNative(
            reasons.DATETIME_LEGACY_POLICY,
            "TIMESTAMP_NTZ by a pattern with spark.sql.legacy.timeParserPolicy = EXCEPTION",
        )
    if kind == NTZ and (error := pattern_error_sql(call, source, reads=True, zoneless=True)) is not None:
        return f"CAST({error} AS TIMESTAMP)"
    if kind == NTZ:
        read = f"spark_parse_timestamp_ntz({source}, {pattern})"
        wrong = parse_error(source, pattern, "try_to_timestamp")
        return f"coalesce({read}, CAST({wrong} AS TIMESTAMP))" if fails else read
    return parse_instant(source, pattern, fails, call)


def reader(result: DataType | None, tries: bool) -> Callable[[Call], Typed]:
    """to_timestamp and its variants; `result` None means the session's default timestamp type."""

    def rule(call: Call) -> Typed:
        kind = result or default_kind(call)
        source = call.types[0]
        if is_string(source):
            return read_by_pattern(call, kind, tries) if len(call.arguments) == 2 else read_plainly(call, kind, tries)
        if is_null(source) and len(call.arguments) == 1 and not tries:
            return Typed(kind, True, (kind,), "{0}")
        if not isinstance(source, MOMENTS) or tries or len(call.arguments) == 2:
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")
        return Typed(kind, False, (kind,), "{0}", add_nullable_casts=True)

    return rule


def default_kind(call: Call) -> DataType:
    """The session's default timestamp type (spark.sql.timestampType)."""
    return TIMESTAMP if call.settings.timestamp_type == "TIMESTAMP_LTZ" else NTZ


def read_plainly(call: Call, kind: DataType, tries: bool) -> Typed:
    if not tries:
        return Typed(kind, True, (kind,), "{0}")
    check_special_values(call)
    if kind == NTZ:
        return Typed(kind, True, None, "spark_string_to_timestamp_ntz({0})")
    zone = f", {duck_text(call.settings.zone)}"
    return Typed(kind, True, None, f"spark_string_to_timestamp({{0}}{zone})")


def read_by_pattern(call: Call, kind: DataType, tries: bool) -> Typed:
    if not is_string(call.types[1]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with a pattern that is not a string")
    fails = call.settings.ansi and not tries
    return Typed(
        kind, call.any_nullable or not fails, None, lambda made, s, p: parse_timestamp(kind, s, p, fails, made)
    )


READERS = {"to_timestamp": None, "to_timestamp_ltz": TIMESTAMP, "to_timestamp_ntz": NTZ}
for name, result in READERS.items():
    fn(f"{name}(any)", "", rule=reader(result, False))
    fn(f"{name}(any, any)", "", rule=reader(result, False))
fn("try_to_timestamp(any)", "", rule=reader(None, True))
fn("try_to_timestamp(any, any)", "", rule=reader(None, True))


# ---- to text by a pattern


def write_date_format(call: Any, value: str, pattern: str) -> str:
    return format_instant(value, pattern, call)


fn("date_format(timestamp, string) -> string", write_date_format)

MOST_SECONDS = 9223372022399


def instant_of_seconds(seconds: str, unit: int = 1000000) -> str:
    """Falls back where DuckDB's timestamps end, since Java's long wraps or raises later."""
    most = MOST_SECONDS * 1000000 // unit
    made = f"make_timestamptz({seconds} * {unit})" if unit > 1 else f"make_timestamptz({seconds})"
    far = not_native(reasons.DATETIME_RANGE, "a timestamp that DuckDB cannot hold")
    return f"(CASE WHEN {seconds} BETWEEN -{most} AND {most} THEN {made} WHEN {seconds} IS NOT NULL THEN {far} END)"


LONGEST = (1 << 63) - 1


def checked_instant(unit: int) -> Callable[..., str]:
    """Math.multiplyExact fails beyond 64 bits; what Java's long holds and DuckDB's timestamp does not falls back."""

    def write(call: Any, seconds: str) -> str:
        made = instant_of_seconds(seconds, unit)
        if unit == 1 or not all(map(is_foldable, call.arguments)):
            return made
        most = LONGEST // unit
        overflow = f"CAST({java_error(duck_text('long overflow'))} AS TIMESTAMPTZ)"
        return f"(CASE WHEN {seconds} NOT BETWEEN -{most} AND {most} THEN {overflow} ELSE {made} END)"

    return write


def from_seconds(call: Any, seconds: str, pattern: str) -> str:
    return write_date_format(call, instant_of_seconds(seconds), pattern)


fn(f"from_unixtime(bigint, string = '{DEFAULT_PATTERN}') -> string?", from_seconds, shows_defaults=True)


# ---- seconds since 1970


def seconds_since(call: Call) -> Typed:
    """unix_timestamp: of a string by the pattern; of a date or timestamp, ignoring the pattern; truncated towards
    zero."""
    source = call.types[0]
    if any(not is_string(type) for type in call.types[1:]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with a pattern that is not a string")
    if is_string(source):
        fails = call.settings.ansi
        return Typed(LONG, call.any_nullable or not fails, None, seconds_of_text)
    if isinstance(source, TimestampType):
        return Typed(LONG, call.any_nullable or not call.settings.ansi, None, "(epoch_us({0}) // 1000000)")
    if isinstance(source, DateType):
        return Typed(LONG, call.any_nullable or not call.settings.ansi, None, seconds_of_date)
    raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")


def seconds_of_text(call: Any, source: str, pattern: str) -> str:
    instant = parse_timestamp(TIMESTAMP, source, pattern, call.settings.ansi, call)
    return f"(epoch_us({instant}) // 1000000)"


def seconds_of_date(call: Any, source: str, pattern: str) -> str:
    return f"(epoch_us({between_datetimes(source, DATE, TIMESTAMP, call.settings)}) // 1000000)"


for name in ("unix_timestamp", "to_unix_timestamp"):
    fn(f"{name}(any, any = '{DEFAULT_PATTERN}')", "", rule=seconds_since, shows_defaults=True)


def exact_instant(call: Call) -> Typed:
    """An argument that Spark does not cast (ExpectsInputTypes)."""
    if not isinstance(call.types[0], TimestampType | NullType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {call.types[0].simpleString()}")
    return Typed(LONG, call.any_nullable, (TIMESTAMP,))


fn("unix_seconds(any)", "spark_unix_seconds({0})", rule=exact_instant)
fn("unix_millis(any)", "spark_unix_millis({0})", rule=exact_instant)
fn("unix_micros(any)", "epoch_us({0})", rule=exact_instant)


FAR_INSTANT = not_native(reasons.DATETIME_RANGE, "a timestamp that DuckDB cannot hold")


def instant_of_real(seconds: str) -> str:
    """Truncates after six fractional digits; NaN returns null."""
    micros = f"(CAST({seconds} AS DOUBLE) * 1000000)"
    near = f"abs({micros}) < 9.2e18"
    made = f"make_timestamptz(CAST(trunc(CASE WHEN {near} THEN {micros} ELSE 0 END) AS BIGINT))"
    far = f"WHEN {near} IS NOT NULL THEN {FAR_INSTANT}"
    return f"(CASE WHEN NOT isfinite({seconds}) THEN NULL WHEN {near} THEN {made} {far} END)"


def instant_of_decimal(seconds: str) -> str:
    near = f"abs({seconds}) < 9200000000000"
    made = f"make_timestamptz(CAST(CASE WHEN {near} THEN {seconds} * 1000000 END AS BIGINT))"
    return f"(CASE WHEN {near} THEN {made} WHEN {seconds} IS NOT NULL THEN {FAR_INSTANT} END)"


def instant_of_fine_decimal(seconds: str, source: DecimalType) -> str:
    """BigDecimal.longValueExact: digits after the microseconds must be zero."""
    if source.precision - source.scale > 12:
        raise NotNative(reasons.DECIMAL_PRECISION, "timestamp_seconds")
    short = f"CAST({seconds} AS DECIMAL({source.precision - source.scale + 7}, 6))"
    wrong = f"CAST({java_error(duck_text('Rounding necessary'))} AS TIMESTAMPTZ)"
    return f"(CASE WHEN {short} <> {seconds} THEN {wrong} ELSE {instant_of_decimal(short)} END)"


def since_1970(unit: int) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source = call.types[0]
        if call.name == "timestamp_seconds" and isinstance(source, DoubleType | FloatType):
            return Typed(TIMESTAMP, True, None, instant_of_real("{0}"))
        if call.name == "timestamp_seconds" and isinstance(source, DecimalType) and source.scale <= 6:
            if source.precision - source.scale > 32:  # the cast below would drop digits for which Spark raises an error
                raise NotNative(reasons.DECIMAL_PRECISION, "timestamp_seconds")
            return Typed(TIMESTAMP, call.any_nullable, (DecimalType(38, 6),), instant_of_decimal("{0}"))
        if call.name == "timestamp_seconds" and isinstance(source, DecimalType) and is_foldable(call.arguments[0]):
            return Typed(TIMESTAMP, call.any_nullable, None, instant_of_fine_decimal("{0}", source))
        if not (is_integral(source) or is_null(source)):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of {source.simpleString()}")
        return Typed(TIMESTAMP, call.any_nullable, (LONG,), checked_instant(unit))

    return rule


fn("timestamp_seconds(any)", "", rule=since_1970(1000000))
fn("timestamp_millis(any)", "", rule=since_1970(1000))
fn("timestamp_micros(any)", "", rule=since_1970(1))


# ---- conversions between zones

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
    """With two arguments, the source is the session time zone."""
    zone, value = (argument.text for argument in call.arguments)
    writer = f"spark_instant_to_local(spark_local_to_instant({{1}}, {duck_text(call.settings.zone)}), {{0}})"
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
    """Elapsed seconds since the start of the local day, which differ from the clock's time on days when clocks
    change."""
    begins = between_datetimes(f"CAST({local} AS DATE)", DATE, TIMESTAMP, call.settings)
    return f"((epoch_us({instant}) - epoch_us({begins})) // 1000000)"


fn(
    "months_between(timestamp, timestamp, boolean = true) -> double",
    months_between,
    shows_defaults=True,
)
