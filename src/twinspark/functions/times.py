"""The TIME type: Spark 4.2 refuses it unless `spark.sql.timeType.enabled` says otherwise, so Spark answers."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.typing import Call, Typed

REASON = "the TIME type, which is off unless spark.sql.timeType.enabled"


def of_time(call: Call) -> Typed:
    raise NotNative(f"{call.name}: {REASON}")


NAMES = (
    *("current_time", "make_time", "to_time", "try_to_time", "time_diff", "time_trunc"),
    *("time_from_seconds", "time_from_millis", "time_from_micros"),
    *("time_to_seconds", "time_to_millis", "time_to_micros"),
)
for name in NAMES:
    fn(f"{name}(any...)", SPARK, rule=of_time, reason=REASON)
