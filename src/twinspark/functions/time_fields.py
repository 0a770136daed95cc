"""Fields of a time of day: hour, minute, second, and extract of them."""

from __future__ import annotations

from twinspark.errors import NotNative, SparkError
from twinspark.functions.time_casts import MINUTE
from twinspark.functions.typing import Call, Typed
from twinspark.types import INT, DataType, DecimalType, TimeType

EXTRACTS = {
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), "minute"),
    **dict.fromkeys(("second", "s", "sec", "seconds", "secs"), "second"),
}


def check_enabled(call: Call) -> None:
    """Functions of times are refused where the type is off (TimeExpression)."""
    if not call.settings.time_type:
        raise SparkError("UNSUPPORTED_TIME_TYPE")


def part_of_time(name: str, place: int, call: Call) -> Typed:
    """Nullable always: Spark calls a Java method for it."""
    check_enabled(call)
    return Typed(INT, True, None, f"spark_time_{name}({{{place}}})")


def field_of_time(field: str, source: DataType, call: Call) -> Typed | None:
    """extract(field FROM time); the second comes with its fraction."""
    if not isinstance(source, TimeType):
        return None
    if field not in EXTRACTS:
        raise NotNative(f"extract {field} from a time of day")
    if EXTRACTS[field] != "second":
        return part_of_time(EXTRACTS[field], 1, call)
    check_enabled(call)
    cut = f"({{1}} % {MINUTE} - {{1}} % {10 ** (9 - source.precision)}) // 1000"
    return Typed(DecimalType(8, 6), True, None, f"CAST({cut} * CAST(0.000001 AS DECIMAL(7, 6)) AS DECIMAL(8, 6))")
