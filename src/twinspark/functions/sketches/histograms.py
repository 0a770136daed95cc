"""histogram_numeric of few distinct values; with more, Spark merges bins in the order of partitions, so it falls
back."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import Signature
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import constant
from twinspark.types import (
    DATETIME,
    DOUBLE,
    INTERVAL,
    NUMERIC,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    LongType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
)
from twinspark.types.duckdb import duck_type

EXACT = 2**53  # whole numbers up to here are exact doubles; so are timestamps up to the year 2255
DIGITS = 15


def bins_type(call: Call) -> Typed:
    type, bins = call.types[0], constant(call, 1, None)
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2 or not is_binned(type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"histogram_numeric of {type.simpleString()} in {bins} bins")
    entry = StructType([StructField("x", type, True), StructField("y", DOUBLE, True)])
    return Typed(ArrayType(entry, True), True)


def is_binned(type: DataType) -> bool:
    if isinstance(type, DecimalType):
        return type.precision <= DIGITS
    return isinstance(type, NUMERIC + DATETIME + INTERVAL) and not isinstance(type, TimeType)


def is_exact_double(type: DataType, value: str) -> str:
    """Whether a value is unchanged after a conversion to double and back."""
    if isinstance(type, FloatType | DoubleType):
        return f"NOT isnan({value})"
    if isinstance(type, TimestampType | TimestampNTZType):
        return f"abs(epoch_us({value})) <= {EXACT}"
    return f"abs({value}) <= {EXACT}" if isinstance(type, LongType | DayTimeIntervalType) else "true"


def write_histogram(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if suffix or distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, "histogram_numeric with FILTER, DISTINCT or over a window")
    values = f"list_sort(list({value}) FILTER (WHERE {value} IS NOT NULL))"
    bins = f"list_transform({values}, lambda bin: struct_pack(x := bin, y := CAST(1 AS DOUBLE)))"
    clear = f"coalesce(bool_and({is_exact_double(call.arguments[0].type, value)}), true)"
    few = f"count({value}) <= {constant(call, 1, None)} AND count(DISTINCT {value}) = count({value})"
    fallback = not_native(reasons.PARTITIONS, "histogram_numeric of more values than bins, or of repeated values")
    return f"CASE WHEN count({value}) = 0 THEN NULL WHEN {clear} AND {few} THEN {bins} ELSE {fallback} END"


def of_known_tasks(call: Any, value: str, bins: str, task: str, place: str, **_: str) -> str:
    """Each task merges its values in row order, and then the bins of the tasks are merged in task order."""
    type = call.arguments[0].type
    rows = f" ORDER BY {place}) FILTER (WHERE {value} IS NOT NULL)"
    found = f"spark_numeric_histogram(list(CAST({value} AS DOUBLE){rows}, list({task}{rows}, {bins})"
    center = "f_[2 * i_ + 1]" if isinstance(type, DoubleType) else f"CAST(trunc(f_[2 * i_ + 1]) AS {duck_type(type)})"
    made = f"list_transform(range(len(f_) // 2), lambda i_: struct_pack(x := {center}, y := f_[2 * i_ + 2]))"
    clear = f"coalesce(bool_and({is_exact_double(type, value)}), true)"
    fallback = not_native(reasons.FLOAT_PRECISION, "histogram_numeric of values that are not exact doubles")
    binned = f"list_transform([{found}], lambda f_: {made})[1]"
    return f"CASE WHEN count({value}) = 0 THEN NULL WHEN {clear} THEN {binned} ELSE {fallback} END"


@cache
def in_tasks(signature: Signature) -> Signature:
    return replace(signature, writer=of_known_tasks)


aggregate("histogram_numeric(any, any)", write_histogram, rule=bins_type)
