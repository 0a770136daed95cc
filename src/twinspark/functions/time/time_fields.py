"""Fields of TIME values: hour, minute, second, and extract."""

from __future__ import annotations

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.times import MINUTE
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import INT, DataType, DecimalType, TimeType

EXTRACTS = {
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), "minute"),
    **dict.fromkeys(("second", "s", "sec", "seconds", "secs"), "second"),
}


def check_enabled(call: Call) -> None:
    """Functions of TIME raise if the type is disabled (TimeExpression)."""
    if not call.settings.time_type:
        raise SparkError("UNSUPPORTED_TIME_TYPE")


def time_of_day_field(name: str, index: int, call: Call) -> Typed:
    """Always nullable, since Spark invokes a Java method for it."""
    check_enabled(call)
    return Typed(INT, True, None, f"spark_time_{name}({{{index}}})")


def field_of_time(field: str, source: DataType, call: Call) -> Typed | None:
    """extract(field FROM time); seconds include their fraction."""
    if not isinstance(source, TimeType):
        return None
    if field not in EXTRACTS:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, f"{field} from TIME")
    if EXTRACTS[field] != "second":
        return time_of_day_field(EXTRACTS[field], 1, call)
    check_enabled(call)
    cut = f"({{1}} % {MINUTE} - {{1}} % {10 ** (9 - source.precision)}) // 1000"
    return Typed(DecimalType(8, 6), True, None, f"CAST({cut} * CAST(0.000001 AS DECIMAL(7, 6)) AS DECIMAL(8, 6))")
