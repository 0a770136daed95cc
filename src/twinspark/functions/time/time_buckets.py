"""time_bucket: assigns timestamps to buckets of an interval."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.cast_sql import UTC_ZONES, between_datetimes
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, quote_expression
from twinspark.types import DATE, INTERVAL, TIMESTAMP, DayTimeIntervalType, TimestampNTZType, TimestampType
from twinspark.types.duckdb import duck_text

MOMENTS = (TimestampType, TimestampNTZType)


def bucket_type(call: Call) -> Typed:
    """The interval is a constant; without an origin, buckets start at 1970-01-01 in the session time zone."""
    size, value = call.arguments[0], call.arguments[1]
    check_bucket_size(call, size)
    if not isinstance(size.type, INTERVAL) or not isinstance(getattr(size, "value", None), int) or size.value <= 0:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "time_bucket: the width, above zero")
    kind = value.type
    if len(call.arguments) == 3 and not hasattr(call.arguments[2], "value"):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "time_bucket: the origin")
    if not isinstance(kind, MOMENTS) or (len(call.arguments) == 3 and call.types[2] != kind):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"time_bucket of {kind.simpleString()}")
    return Typed(kind, call.any_nullable, None, write_time_bucket, bucket_text(call))


def check_bucket_size(call: Call, size: Any) -> None:
    """Only for dates and timestamps, since other errors take precedence."""
    given = getattr(size, "value", None)
    if not isinstance(size.type, INTERVAL) or not isinstance(given, int) or given > 0:
        return
    kind = call.types[1]
    if not isinstance(kind, MOMENTS) or (len(call.arguments) == 3 and call.types[2] != kind):
        return
    raise SparkError(
        "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        sqlExpr=quote_expression(bucket_text(call)),
        exprName="`bucketSize`",
        valueRange="(0, inf)",
        currentValue=size.text,
    )


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
