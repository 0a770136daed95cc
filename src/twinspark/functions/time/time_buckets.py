"""time_bucket: assigns timestamps to buckets of an interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import UTC_ZONES, between_datetimes
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    non_foldable_input,
    type_text,
    unexpected_input_type,
    value_out_of_range,
)
from twinspark.types import DATE, INTERVAL, TIMESTAMP, DayTimeIntervalType, TimestampNTZType, TimestampType, is_null
from twinspark.types.duckdb import duck_text

MOMENTS = (TimestampType, TimestampNTZType)
WIDTHS = '("INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")'
ANY_TIMESTAMP = '"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)"'


def bucket_type(call: Call) -> Typed:
    """The interval is a constant; without an origin, buckets start at 1970-01-01 in the session time zone."""
    shown = replace(call, text=bucket_text(call))
    check_types(shown)
    check_bucket_size(shown)
    check_origin(shown)
    if len(call.arguments) == 3 and not hasattr(call.arguments[2], "value"):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "time_bucket: the origin")
    return Typed(call.types[1], call.any_nullable, None, write_time_bucket, shown.text)


def check_types(call: Call) -> None:
    if any(map(is_null, call.types)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "time_bucket of an untyped null")
    if not isinstance(call.types[0], INTERVAL):
        raise unexpected_input_type(call, 0, WIDTHS)
    for index, type in enumerate(call.types[1:], 1):
        if not isinstance(type, MOMENTS):
            raise unexpected_input_type(call, index, ANY_TIMESTAMP)


def check_bucket_size(call: Call) -> None:
    size = call.arguments[0]
    if not is_foldable(size):
        raise non_foldable_input(call, 0, "bucketSize")
    if not isinstance(getattr(size, "value", None), int):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "time_bucket: the width, above zero")
    if size.value <= 0:
        raise value_out_of_range(call, "`bucketSize`", "(0, inf)", size.text)


def check_origin(call: Call) -> None:
    if len(call.arguments) < 3:
        return
    if not is_foldable(call.arguments[2]):
        raise non_foldable_input(call, 2, "origin")
    if call.types[2] != call.types[1]:
        raise unexpected_input_type(call, 2, type_text(call.types[1]))


def bucket_text(call: Call) -> str:
    """The column name shows a missing origin."""
    name = "TIMESTAMP_NTZ" if isinstance(call.types[1], TimestampNTZType) else "TIMESTAMP"
    shown = [a.text for a in call.arguments] + [f"{name} '1970-01-01 00:00:00'"] * (3 - len(call.arguments))
    return f"time_bucket({', '.join(shown)})"


def write_time_bucket(call: Any, size: str, value: str, *origin: str) -> str:
    kind = call.arguments[1].type
    local = isinstance(kind, TimestampNTZType)
    begins = between_datetimes("DATE '1970-01-01'", DATE, TIMESTAMP, call.settings) if not local else None
    start = origin[0] if origin else begins or "TIMESTAMP '1970-01-01 00:00:00'"
    unit = "micros" if isinstance(call.arguments[0].type, DayTimeIntervalType) else "months"
    zone = duck_text("UTC" if local or call.settings.zone in UTC_ZONES else call.settings.zone)
    value, start = (f"make_timestamptz(epoch_us({v}))" if local else v for v in (value, start))
    made = f"spark_bucket_{unit}(CAST({size} AS BIGINT), {value}, {start}, {zone})"
    return f"make_timestamp(epoch_us({made}))" if local else made


fn("time_bucket(any, any)", "", rule=bucket_type)
fn("time_bucket(any, any, any)", "", rule=bucket_type)
