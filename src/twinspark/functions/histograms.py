"""histogram_numeric of few different values, each met once: beyond that bins are merged as the partitions come in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.aggregates import aggregate
from twinspark.functions.casts import not_native
from twinspark.functions.registry import Signature
from twinspark.functions.sketch_arguments import constant
from twinspark.functions.spelling import duck_type
from twinspark.functions.typing import Call, Typed
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

EXACT = 2**53  # whole numbers up to here are doubles; so are timestamps up to the year 2255
DIGITS = 15


def bins_type(call: Call) -> Typed:
    type, bins = call.types[0], constant(call, 1, None)
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2 or not is_binned(type):
        raise NotNative(f"histogram_numeric of {type.simpleString()} in {bins} bins")
    entry = StructType([StructField("x", type, True), StructField("y", DOUBLE, True)])
    return Typed(ArrayType(entry, True), True)


def is_binned(type: DataType) -> bool:
    if isinstance(type, DecimalType):
        return type.precision <= DIGITS
    return isinstance(type, NUMERIC + DATETIME + INTERVAL) and not isinstance(type, TimeType)


def comes_back(type: DataType, value: str) -> str:
    """Whether a value is still itself after it was a double, and is compared as others are."""
    if isinstance(type, FloatType | DoubleType):
        return f"NOT isnan({value})"
    if isinstance(type, TimestampType | TimestampNTZType):
        return f"abs(epoch_us({value})) <= {EXACT}"
    return f"abs({value}) <= {EXACT}" if isinstance(type, LongType | DayTimeIntervalType) else "true"


def binned(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if suffix or distinct:
        raise NotNative("histogram_numeric of some rows, of distinct values or in a window")
    values = f"list_sort(list({value}) FILTER (WHERE {value} IS NOT NULL))"
    bins = f"list_transform({values}, lambda bin: struct_pack(x := bin, y := CAST(1 AS DOUBLE)))"
    clear = f"coalesce(bool_and({comes_back(call.arguments[0].type, value)}), true)"
    few = f"count({value}) <= {constant(call, 1, None)} AND count(DISTINCT {value}) = count({value})"
    refused = not_native("a histogram of more values than bins, or of some that are met again")
    return f"CASE WHEN count({value}) = 0 THEN NULL WHEN {clear} AND {few} THEN {bins} ELSE {refused} END"


def of_known_tasks(call: Any, value: str, bins: str, task: str, place: str, **_: str) -> str:
    """Each task joins its values in their order, and the tasks' bins are joined in theirs."""
    type = call.arguments[0].type
    rows = f" ORDER BY {place}) FILTER (WHERE {value} IS NOT NULL)"
    found = f"spark_numeric_histogram(list(CAST({value} AS DOUBLE){rows}, list({task}{rows}, {bins})"
    center = "f_[2 * i_ + 1]" if isinstance(type, DoubleType) else f"CAST(trunc(f_[2 * i_ + 1]) AS {duck_type(type)})"
    made = f"list_transform(range(len(f_) // 2), lambda i_: struct_pack(x := {center}, y := f_[2 * i_ + 2]))"
    clear = f"coalesce(bool_and({comes_back(type, value)}), true)"
    refused = not_native("a histogram of values that are no exact doubles")
    binned = f"list_transform([{found}], lambda f_: {made})[1]"
    return f"CASE WHEN count({value}) = 0 THEN NULL WHEN {clear} THEN {binned} ELSE {refused} END"


@cache
def in_tasks(signature: Signature) -> Signature:
    return replace(signature, writer=of_known_tasks)


aggregate("histogram_numeric(any, any)", binned, rule=bins_type)
