"""time_bucket: timestamps put into buckets of an interval."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.casts import UTC_ZONES, between_datetimes
from twinspark.functions.registry import fn
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed, quoted
from twinspark.types import DATE, INTERVAL, TIMESTAMP, DayTimeIntervalType, TimestampNTZType, TimestampType

MOMENTS = (TimestampType, TimestampNTZType)


def bucket_type(call: Call) -> Typed:
    """A constant interval; without an origin the buckets begin with 1970 on the session's clock."""
    size, value = call.arguments[0], call.arguments[1]
    check_bucket_size(call, size)
    if not isinstance(size.type, INTERVAL) or not isinstance(getattr(size, "value", None), int) or size.value <= 0:
        raise NotNative("time_bucket by what is no constant interval above zero")
    kind = value.type
    if len(call.arguments) == 3 and not hasattr(call.arguments[2], "value"):
        raise NotNative("time_bucket with an origin that is no constant")
    if not isinstance(kind, MOMENTS) or (len(call.arguments) == 3 and call.types[2] != kind):
        raise NotNative(f"time_bucket of {kind.simpleString()}")
    return Typed(kind, call.any_nullable, None, bucketed, bucket_text(call))


def check_bucket_size(call: Call, size: Any) -> None:
    """Only of a moment: what else is wrong is told first."""
    given = getattr(size, "value", None)
    if not isinstance(size.type, INTERVAL) or not isinstance(given, int) or given > 0:
        return
    kind = call.types[1]
    if not isinstance(kind, MOMENTS) or (len(call.arguments) == 3 and call.types[2] != kind):
        return
    raise SparkError(
        "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        sqlExpr=quoted(bucket_text(call)),
        exprName="`bucketSize`",
        valueRange="(0, inf)",
        currentValue=size.text,
    )


def bucket_text(call: Call) -> str:
    """An origin that is not given is shown."""
    name = "TIMESTAMP_NTZ" if isinstance(call.types[1], TimestampNTZType) else "TIMESTAMP"
    shown = [a.text for a in call.arguments] + [f"{name} '1970-01-01 00:00:00'"] * (3 - len(call.arguments))
    return f"time_bucket({', '.join(shown)})"


def bucketed(call: Any, size: str, value: str, *origin: str) -> str:
    kind = call.arguments[1].type
    local = isinstance(kind, TimestampNTZType)
    begins = between_datetimes("DATE '1970-01-01'", DATE, TIMESTAMP, call.settings) if not local else None
    start = origin[0] if origin else begins or "TIMESTAMP '1970-01-01 00:00:00'"
    unit = "micros" if isinstance(call.arguments[0].type, DayTimeIntervalType) else "months"
    zone = text("UTC" if local or call.settings.zone in UTC_ZONES else call.settings.zone)
    value, start = (f"make_timestamptz(epoch_us({v}))" if local else v for v in (value, start))
    made = f"spark_bucket_{unit}(CAST({size} AS BIGINT), {value}, {start}, {zone})"
    return f"make_timestamp(epoch_us({made}))" if local else made


fn("time_bucket(any, any)", "", rule=bucket_type)
fn("time_bucket(any, any, any)", "", rule=bucket_type)
