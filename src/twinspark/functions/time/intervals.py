"""Interval functions: arithmetic, fields, make_interval, make_dt_interval, make_ym_interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import between_datetimes
from twinspark.functions.notation.error_sql import ANSI_CONFIG, error, java_error, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.timestamp_arithmetic import add_micros_sql, check_texts
from twinspark.types import (
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    TIMESTAMP,
    ByteType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import duck_text

DAY_TIME, YEAR_MONTH, NTZ = DayTimeIntervalType(0, 3), YearMonthIntervalType(0, 1), TimestampNTZType()
MOMENTS = (TimestampType, TimestampNTZType)
LIMITS = {DayTimeIntervalType: 1 << 63, YearMonthIntervalType: 1 << 31}


def within(sum: str, kind: DataType, otherwise: str) -> str:
    """An exact sum if it fits the type, else `otherwise`."""
    return step_by_step([sum], kind, otherwise)


def step_by_step(sums: Sequence[str], kind: DataType, otherwise: str) -> str:
    """The last of these sums if each of them fits, else `otherwise`."""
    limit = LIMITS[kind.__class__]
    made = f"CAST({sums[-1]} AS {'BIGINT' if limit > 1 << 31 else 'INTEGER'})"
    low, high = (f"CAST('{bound}' AS HUGEINT)" for bound in (-limit, limit - 1))
    fit = " AND ".join(f"{sum} BETWEEN {low} AND {high}" for sum in sums)
    return f"(CASE WHEN {fit} THEN {made} WHEN {sums[-1]} IS NOT NULL THEN {otherwise} END)"


FAR = not_native(reasons.DATETIME_RANGE, "an interval")


# ---- + - * /


def interval_arithmetic(call: Call) -> Typed | None:
    """Arithmetic of intervals, and of a date or timestamp and an interval; None for other operands."""
    left, right = call.types
    if isinstance(left, MOMENTS) and isinstance(right, CalendarIntervalType):
        return add_calendar_interval(call)
    if isinstance(left, DateType) and isinstance(right, DayTimeIntervalType):
        return add_to_date(call)
    if isinstance(left, DateType) and isinstance(right, CalendarIntervalType):
        return add_calendar_to_date(call)
    if call.name in ("+", "-") and type(left) is type(right) and isinstance(left, INTERVAL):
        return add_intervals(call)
    return None


def swap_operands(typed: Typed | None) -> Typed | None:
    """The operands are in the other order."""
    if typed is None or not isinstance(typed.writer, str):
        return None
    writer = typed.writer.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    casts = None if typed.casts is None else tuple(reversed(typed.casts))
    return replace(typed, casts=casts, writer=writer)


def add_to_date(call: Call) -> Typed:
    """A date plus a day-time interval is a timestamp."""
    date, interval = call.arguments
    begins = between_datetimes("{0}", DATE, TIMESTAMP, call.settings)
    writer = add_micros_sql(TIMESTAMP, begins, "{1}", 1 if call.name == "+" else -1, call.settings.zone)
    shown = f"{date.text} {call.name} {interval.text}"
    return Typed(TIMESTAMP, call.any_nullable, None, writer, shown, knows_limits=True)


def add_calendar_interval(call: Call) -> Typed:
    value, interval = call.arguments
    zone = "UTC" if isinstance(value.type, TimestampNTZType) else call.settings.zone
    sign = "" if call.name == "+" else "-"
    parts = ", ".join(f"{sign}({{1}}).{part}" for part in ("months", "days", "micros"))
    start = "{0}" if value.type == TIMESTAMP else "make_timestamptz(epoch_us({0}))"
    sum = f"spark_add_interval({start}, {parts}, {duck_text(zone)})"
    sum = sum if value.type == TIMESTAMP else f"make_timestamp(epoch_us({sum}))"
    return Typed(value.type, call.any_nullable, None, sum, f"{value.text} {call.name} {interval.text}")


def add_calendar_to_date(call: Call) -> Typed:
    """Without ANSI the time of day is ignored; with ANSI it is an error."""
    if not call.settings.ansi:
        raise NotNative(reasons.DATETIME_ARITHMETIC, "a date and an interval with spark.sql.ansi.enabled = false")
    date, interval = call.arguments
    sign = "" if call.name == "+" else "-"
    sum = f"CAST({{0}} + to_months({sign}({{1}}).months) AS DATE) + ({sign}({{1}}).days)"
    timed = not_native(reasons.DATETIME_ARITHMETIC, "a date and an interval with hours")
    writer = f"(CASE WHEN ({{1}}).micros <> 0 THEN {timed} ELSE {sum} END)"
    shown = f"{date.text} {call.name} {interval.text}"
    return Typed(DATE, call.any_nullable, None, writer, shown, knows_limits=True)


def add_intervals(call: Call) -> Typed:
    left, right = call.types
    kind = type(left)(min(left.startField, right.startField), max(left.endField, right.endField))
    beyond = call.failure(interval_overflow("try_add" if call.name == "+" else "try_subtract"))
    writer = within(f"(CAST({{0}} AS HUGEINT) {call.name} CAST({{1}} AS HUGEINT))", kind, beyond)
    return Typed(kind, call.any_nullable, None, writer, knows_limits=True)


def interval_overflow(instead: str) -> str:
    return error("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", functionName=f"`{instead}`")


def interval_scaling(call: Call) -> Typed | None:
    """An interval multiplied by a number, in either order, or divided by one."""
    left, right = call.arguments
    if isinstance(left.type, CalendarIntervalType) and is_number(right.type):
        return write_calendar_scaling(call, left, right)
    if call.name == "*" and isinstance(right.type, CalendarIntervalType) and is_number(left.type):
        return write_calendar_scaling(call, right, left)
    if call.name == "*" and isinstance(right.type, INTERVAL) and is_number(left.type):
        return swap_operands(scale_interval(replace(call, arguments=(right, left))))
    if isinstance(left.type, INTERVAL) and is_number(right.type):
        return scale_interval(call)
    return None


def is_number(type: DataType) -> bool:
    """Whether the type is a number or is cast to one: strings and nulls become doubles."""
    return is_numeric(type) or is_string(type) or is_null(type)


MOMENT = "(b_.micros + CAST(86400000000 AS DOUBLE) * (b_.days - trunc(b_.days)))"
ROUNDED = f"CAST(floor({MOMENT}) AS BIGINT) + CAST({MOMENT} - floor({MOMENT}) >= 0.5 AS BIGINT)"
OF_DOUBLES = (
    f"CASE WHEN abs(b_.months) < 2147483648 AND abs(b_.days) < 2147483648 AND abs({MOMENT}) < 9e18 THEN struct_pack("
    f"months := CAST(trunc(b_.months) AS INTEGER), days := CAST(trunc(b_.days) AS INTEGER), micros := {ROUNDED}) "
    f"ELSE {FAR} END"
)


def write_calendar_scaling(call: Call, interval: Any, number: Any) -> Typed:
    """IntervalUtils.fromDoubles: fractions of a day become microseconds, fractions of a month are dropped."""
    check_texts(call)
    first = call.arguments[0] is interval
    i, n = ("{0}", "{1}") if first else ("{1}", "{0}")
    over_zero = call.failure(error("INTERVAL_DIVIDED_BY_ZERO")) if call.settings.ansi else "NULL"
    zero = f"WHEN a_.n = 0 THEN {over_zero} " if call.name == "/" else ""
    parts = ", ".join(f"{p} := CAST(a_.i.{p} AS DOUBLE) {call.name} a_.n" for p in ("months", "days", "micros"))
    made = f"list_transform([struct_pack({parts})], lambda b_: {OF_DOUBLES})[1]"
    made = f"CASE WHEN a_.i IS NULL OR a_.n IS NULL THEN NULL {zero}ELSE {made} END"
    once = f"list_transform([struct_pack(i := {i}, n := {n})], lambda a_: {made})"
    shown = f"{'divide' if call.name == '/' else 'multiply'}_interval({interval.text}, {number.text})"
    casts = (None, DOUBLE) if first else (DOUBLE, None)
    return Typed(CALENDAR_INTERVAL, True, casts, f"{once}[1]", shown, knows_limits=True)


def scale_interval(call: Call) -> Typed:
    interval, number = call.arguments
    kind = DAY_TIME if isinstance(interval.type, DayTimeIntervalType) else YEAR_MONTH
    check_texts(call)
    factor = number.type if is_numeric(number.type) else DOUBLE
    exact = product(call.name, factor)
    writer = within(exact, kind, call.failure(scaling_overflow(call.name, factor, exact)))
    if isinstance(factor, DoubleType | FloatType):
        endless = call.failure(java_error(duck_text("input is infinite or NaN")))
        writer = f"(CASE WHEN NOT isfinite({in_doubles(call.name)}) THEN {endless} ELSE {writer} END)"
    if call.name == "/":
        over_zero = call.failure(error("INTERVAL_DIVIDED_BY_ZERO"))
        writer = f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} = 0 THEN {over_zero} ELSE {writer} END)"
    casts = None if factor is number.type else (None, DOUBLE)
    shown = f"({interval.text} {call.name} {number.text})"
    return Typed(kind, call.any_nullable, casts, writer, shown, add_nullable_casts=casts is not None, knows_limits=True)


def scaling_overflow(operator: str, number: DataType, exact: str) -> str:
    """The exceptions of Guava, BigDecimal and Math; for quotients of whole numbers, Spark's."""
    if isinstance(number, DoubleType | FloatType):
        input = f"spark_double_to_string({in_doubles(operator)})"
        return java_error(f"'rounded value is out of range for input ' || {input} || ' and rounding mode HALF_UP'")
    if isinstance(number, DecimalType):
        return java_error(duck_text("Overflow"))
    if operator == "/":
        return interval_overflow("try_divide")
    wide = f"{exact} BETWEEN CAST('{-(1 << 63)}' AS HUGEINT) AND CAST('{(1 << 63) - 1}' AS HUGEINT)"
    return java_error(f"CASE WHEN {wide} THEN 'integer overflow' ELSE 'long overflow' END")


def in_doubles(operator: str) -> str:
    number = "CAST({1} AS DOUBLE)" if operator == "*" else "nullif(CAST({1} AS DOUBLE), 0)"
    return f"(CAST({{0}} AS DOUBLE) {operator} {number})"


def product(operator: str, number: DataType) -> str:
    """A HUGEINT, rounded half away from zero."""
    if isinstance(number, DoubleType | FloatType):
        real = in_doubles(operator)
        return f"CAST(round(CASE WHEN abs({real}) >= 1e19 THEN 1e19 ELSE {real} END) AS HUGEINT)"
    if isinstance(number, DecimalType):
        if number.precision > 18:
            raise NotNative(reasons.DATETIME_ARITHMETIC, "an interval and a decimal of many digits")
        if operator == "/":
            power = 10**number.scale
            return divide_half_away(
                f"(CAST({{0}} AS HUGEINT) * {power})", f"nullif(CAST({{1}} * {power} AS HUGEINT), 0)"
            )
        return "CAST(round(CAST({0} AS DECIMAL(19,0)) * {1}, 0) AS HUGEINT)"
    if operator == "*":
        return "(CAST({0} AS HUGEINT) * {1})"
    return divide_half_away("CAST({0} AS HUGEINT)", "nullif(CAST({1} AS HUGEINT), 0)")


def divide_half_away(a: str, b: str) -> str:
    """The quotient of two whole numbers, rounded half away from zero."""
    return f"(sign({a}) * sign({b}) * ((2 * abs({a}) + abs({b})) // (2 * abs({b}))))"


def divide_intervals(call: Call) -> Typed:
    """`div`: how often one interval fits into another of its kind."""
    left, right = call.types
    if left.__class__ is not right.__class__ or not call.settings.ansi:
        raise NotNative(
            reasons.DATETIME_ARITHMETIC, "div of intervals of two kinds, or with spark.sql.ansi.enabled = false"
        )
    over_zero = error("DIVIDE_BY_ZERO", config=ANSI_CONFIG)
    whole = within("(CAST({0} AS HUGEINT) // nullif(CAST({1} AS HUGEINT), 0))", DAY_TIME, FAR)
    writer = f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} = 0 THEN {over_zero} ELSE {whole} END)"
    return Typed(LONG, True, None, writer)


# ---- fields

DAY_TIME_FIELDS = {
    **dict.fromkeys(("day", "d", "days"), 0),
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), 1),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), 2),
    **dict.fromkeys(("second", "s", "sec", "seconds", "secs"), 3),
}
YEAR_MONTH_FIELDS = {
    **dict.fromkeys(("year", "y", "years", "yr", "yrs"), 0),
    **dict.fromkeys(("month", "mon", "mons", "months"), 1),
}
DAY_TIME_SQL = (
    "CAST({1} // 86400000000 AS INTEGER)",
    "CAST({1} % 86400000000 // 3600000000 AS TINYINT)",
    "CAST({1} % 3600000000 // 60000000 AS TINYINT)",
    "CAST(({1} % 60000000) * CAST(0.000001 AS DECIMAL(7, 6)) AS DECIMAL(8, 6))",
)
DAY_TIME_TYPES = (INT, ByteType(), ByteType(), DecimalType(8, 6))


def field_of_interval(field: str, source: DataType, call: Call) -> Typed | None:
    """extract(hour FROM interval), for the fields that the type has."""
    nullable = call.arguments[1].nullable
    if isinstance(source, DayTimeIntervalType) and field in DAY_TIME_FIELDS:
        unit = DAY_TIME_FIELDS[field]
        if source.startField <= unit <= source.endField:
            return Typed(DAY_TIME_TYPES[unit], nullable, None, DAY_TIME_SQL[unit])
    if isinstance(source, YearMonthIntervalType) and field in YEAR_MONTH_FIELDS:
        unit = YEAR_MONTH_FIELDS[field]
        if source.startField <= unit <= source.endField:
            sql = "({1} // 12)" if unit == 0 else "CAST({1} % 12 AS TINYINT)"
            return Typed(INT if unit == 0 else ByteType(), nullable, None, sql)
    return None


# ---- made of numbers

SECONDS = DecimalType(18, 6)
OVERFLOW = error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")


def takes(type: DataType, cast: DataType) -> bool:
    return is_numeric(type) or is_string(type) or type.simpleString() == "void"


def whole_type(wanted: tuple[DataType, ...], kind: DataType, writer: Callable[..., str]) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if not all(map(takes, call.types, wanted)):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, call.name)
        return Typed(kind, False, wanted, writer, add_nullable_casts=True)

    return rule


def write_make_ym_interval(call: Any, years: str, months: str) -> str:
    """Each step must fit the type (IntervalUtils.makeYearMonthInterval)."""
    whole = f"(CAST({years} AS HUGEINT) * 12)"
    return step_by_step([whole, f"({whole} + {months})"], YEAR_MONTH, OVERFLOW)


def write_make_dt_interval(call: Any, days: str, hours: str, minutes: str, seconds: str) -> str:
    """Each step must fit the type (IntervalUtils.makeDayTimeInterval); hours and minutes alone always do."""
    micros = f"CAST(CAST({seconds} AS DECIMAL(38,6)) * 1000000 AS HUGEINT)"
    sums = [f"(CAST({days} AS HUGEINT) * 86400000000)"]
    for more in (micros, f"CAST({hours} AS HUGEINT) * 3600000000", f"CAST({minutes} AS HUGEINT) * 60000000"):
        sums.append(f"({sums[-1]} + {more})")
    return step_by_step(sums, DAY_TIME, OVERFLOW)


fn(
    "make_ym_interval(any = 0, any = 0)",
    "",
    rule=whole_type((INT, INT), YEAR_MONTH, write_make_ym_interval),
    shows_defaults=True,
)


def with_seconds(rule: Callable[[Call], Typed], count: int, fills: tuple[str, ...]) -> Callable[[Call], Typed]:
    """Spark shows missing seconds in the column name as a decimal with six digits."""

    def type_call(call: Call) -> Typed:
        typed = rule(call)
        texts = [a.text for a in call.arguments] + list(fills[len(call.arguments) :])
        return Typed(
            typed.type,
            typed.nullable,
            typed.casts,
            typed.writer,
            f"{call.name}({', '.join(texts)})",
            typed.add_nullable_casts,
        )

    return type_call


DAY_TIME_CASTS = (INT, INT, INT, SECONDS)
fn(
    "make_dt_interval(any = 0, any = 0, any = 0, any = 0)",
    "",
    rule=with_seconds(whole_type(DAY_TIME_CASTS, DAY_TIME, write_make_dt_interval), 4, ("0", "0", "0", "0.000000")),
)


def make_interval_writer(fails: bool) -> Callable[..., str]:
    """Months and days have 32 bits, microseconds 64; a value that does not fit is an error or null."""

    def write(call: Any, y: str, mo: str, w: str, d: str, h: str, mi: str, s: str) -> str:
        months = f"(CAST({y} AS HUGEINT) * 12 + {mo})"
        days = f"(CAST({w} AS HUGEINT) * 7 + {d})"
        clock = f"(CAST({h} AS HUGEINT) * 3600000000 + CAST({mi} AS HUGEINT) * 60000000)"
        micros = f"({clock} + CAST(CAST({s} AS DECIMAL(38,6)) * 1000000 AS HUGEINT))"
        fits = f"{months} BETWEEN -2147483648 AND 2147483647 AND {days} BETWEEN -2147483648 AND 2147483647"
        wrong = not_native(reasons.DATETIME_RANGE, "an interval") if fails else "NULL"
        made = (
            f"struct_pack(months := CAST({months} AS INTEGER), days := CAST({days} AS INTEGER), "
            f"micros := CAST({micros} AS BIGINT))"
        )
        known = f"({months} + {days} + {micros}) IS NOT NULL"
        return f"(CASE WHEN {known} AND {fits} THEN {made} WHEN {known} THEN {wrong} END)"

    return write


CALENDAR_CASTS = (INT, INT, INT, INT, INT, INT, SECONDS)
CALENDAR_FILLS = ("0", "0", "0", "0", "0", "0", "0.000000")


def calendar_rule(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        fails = call.settings.ansi and not tries
        typed = whole_type(CALENDAR_CASTS, CALENDAR_INTERVAL, make_interval_writer(fails))(call)
        return typed if fails else Typed(typed.type, True, typed.casts, typed.writer)

    return with_seconds(rule, 7, CALENDAR_FILLS)


SEVEN = ", ".join(["any = 0"] * 7)
fn(f"make_interval({SEVEN})", "", rule=calendar_rule(False))
fn(f"try_make_interval({SEVEN.replace(' = 0', '', 1)})", "", rule=calendar_rule(True))
