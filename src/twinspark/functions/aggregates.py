"""Aggregate functions. {distinct} and {suffix} (FILTER, OVER) stand where DuckDB wants them, inside any cast."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.native_spelling import sql_decimal_average, sql_decimal_sum
from twinspark.functions.registry import AGGREGATE, SPARK, fn
from twinspark.functions.spelling import duck_type
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    DOUBLE,
    INTERVAL,
    LONG,
    DecimalType,
    bounded_decimal,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)

NUMERIC_OR_INTERVAL = '("NUMERIC" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")'


def aggregate(signature: str, writer: Any, *aliases: str, **facts: Any) -> None:
    fn(signature, writer, *aliases, kind=AGGREGATE, **facts)


# ---- counting


def count_of(call: Call) -> Typed:
    return Typed(LONG, False)


def counted(call: Any, *arguments: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Rows in which no argument is null; a constant counts rows."""
    if len(arguments) == 1:
        return f"count({distinct}{arguments[0]}){suffix}"
    filled = " AND ".join(f"{a} IS NOT NULL" for a in arguments)
    inner = f"CASE WHEN {filled} THEN ROW({', '.join(arguments)}) END"
    return f"count({distinct}{inner}){suffix}"


aggregate("count(any...+) -> bigint!", counted)
aggregate("count_if(boolean?) -> bigint!", "CAST(coalesce(count_if({0}){suffix}, 0) AS BIGINT)")


# ---- sums and averages


def summed_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 10, type.scale), True)
    if is_integral(type):
        return Typed(LONG, True)
    if is_string(type) or is_null(type) or is_numeric(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if isinstance(type, INTERVAL):
        raise NotNative("sums of intervals")
    raise unexpected_input_type(call, 0, NUMERIC_OR_INTERVAL)


def summed(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        of = (type.precision, type.scale)
        return sql_decimal_sum(value, of, call.settings.ansi, bool(distinct), suffix)
    if isinstance(call.type, type_of(LONG)):
        if not call.settings.ansi:
            raise NotNative("a sum that may wrap around")
        return f"CAST(sum({distinct}{value}){suffix} AS BIGINT)"
    return f"sum({distinct}{value}){suffix}"


def type_of(value: Any) -> Any:
    return value.__class__


aggregate("sum(any)", summed, rule=summed_type)


def averaged_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 4, type.scale + 4), True)
    if is_numeric(type) or is_string(type) or is_null(type):
        return Typed(DOUBLE, True, (type if is_integral(type) else DOUBLE,))
    if isinstance(type, INTERVAL):
        raise NotNative("averages of intervals")
    raise unexpected_input_type(call, 0, NUMERIC_OR_INTERVAL)


def averaged(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Spark sums whole numbers as doubles; while all partial sums are below 2^53 both ways give the same."""
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        return sql_decimal_average(value, (type.precision, type.scale), call.settings.ansi, bool(distinct), suffix)
    return f"avg({distinct}CAST({value} AS DOUBLE)){suffix}"


aggregate("avg(any)", averaged, "mean", rule=averaged_type)


# ---- smallest, largest, first


def same_type(call: Call) -> Typed:
    return Typed(call.types[0], True)


def plain(name: str) -> Any:
    def write(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        from_type = call.arguments[0].type
        if hasattr(from_type, "fields") or hasattr(from_type, "elementType"):
            raise NotNative(f"{name} of nested values")
        return f"{name}({value}){suffix}"

    return write


aggregate("min(any)", plain("min"), rule=same_type)
aggregate("max(any)", plain("max"), rule=same_type)


def first_value(name: str) -> Any:
    """The first row's value, nulls counted; the order is whatever the rows come in."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        ignores = call.ignore_nulls or (len(values) > 1 and values[1] == "true")
        if "OVER" in suffix:
            word = " IGNORE NULLS" if ignores else ""
            return f"{name}_value({values[0]}{word}){suffix}"
        if ignores:
            return f"any_value({values[0]}){suffix}" if name == "first" else last_non_null(values[0], suffix)
        return f"{name}({values[0]}){suffix}"

    return write


def last_non_null(value: str, suffix: str) -> str:
    raise NotNative("last value that is not null")


def first_type(call: Call) -> Typed:
    """Names leave the second argument out."""
    return Typed(call.types[0], True, text=f"{call.name}({call.arguments[0].text})")


aggregate("first(any, boolean = false)", first_value("first"), "first_value", rule=first_type)
aggregate("last(any, boolean = false)", first_value("last"), "last_value", rule=first_type)
aggregate("any_value(any, boolean = false)", first_value("first"), rule=first_type)


# ---- collections


def collected(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    over = suffix.partition(" OVER ")
    if " FILTER " in suffix:
        raise NotNative("collect_list with FILTER")
    condition = f" FILTER (WHERE {value} IS NOT NULL)"
    behind = f" OVER {over[2]}" if over[1] else ""
    empty = f"CAST([] AS {duck_type(call.type)})"
    return f"coalesce(list({distinct}{value}{order}){condition}{behind}, {empty})"


aggregate("collect_list(T) -> array<T!>!", collected, "array_agg", keeps_alias=False)
aggregate("collect_set(T) -> array<T!>!", SPARK, reason="the order of the set's elements")


# ---- statistics

for name, sql in {
    "stddev_samp": "stddev_samp",
    "stddev_pop": "stddev_pop",
    "var_samp": "var_samp",
    "var_pop": "var_pop",
}.items():
    more = {"stddev_samp": ("stddev", "std"), "var_samp": ("variance",)}.get(name, ())
    aggregate(f"{name}(double) -> double?", f"{sql}({{0}}){{suffix}}", *more, keeps_alias=True)

aggregate("bool_and(boolean) -> boolean?", "bool_and({0}){suffix}", "every", keeps_alias=True)
aggregate("bool_or(boolean) -> boolean?", "bool_or({0}){suffix}", "some", "any", keeps_alias=True)
