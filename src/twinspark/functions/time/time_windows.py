"""window, session_window and window_time: time windows of a timestamp."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import Signature, fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import (
    TIMESTAMP,
    ArrayType,
    DataType,
    DateType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    is_null,
    is_string,
)

UNITS = {
    "week": 7 * 86_400_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
DURATION = re.compile(r"\s*(?:interval\s+)?((?:-?\d+\s+[a-z]+\s*)+)", re.I)


def micros(argument: Any) -> int:
    """Parses `10 minutes` or `1 hour 30 minutes`; falls back for months, which have no fixed length, and other
    formats."""
    value = getattr(argument, "value", None)
    found = DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise NotNative(reasons.TIME_WINDOW, "a duration that is not a plain constant")
    words = found[1].lower().split()
    pairs = list(zip(words[::2], words[1::2], strict=True))
    if any(unit.removesuffix("s") not in UNITS for _, unit in pairs):
        raise NotNative(reasons.TIME_WINDOW, "a duration that is not a plain constant")
    return sum(int(number) * UNITS[unit.removesuffix("s")] for number, unit in pairs)


def lengths(call: Any) -> tuple[int, int, int]:
    """The length of a window, the slide, and the start offset."""
    length, *more = [micros(argument) for argument in call.arguments[1:]]
    slide = more[0] if more else length
    start = more[1] if len(more) > 1 else 0
    if not 0 < slide <= length or not -slide < start < slide:
        raise NotNative(reasons.TIME_WINDOW, "a slide or start that is longer than the window")
    return length, slide, start


def overlap(call: Any) -> bool:
    length, slide, _ = lengths(call)
    return slide < length


def window_type(call: Call) -> Typed:
    overlapping = overlap(call)
    type = call.types[0]
    if not (is_null(type) or is_string(type) or isinstance(type, DateType | TimestampType | TimestampNTZType)):
        raise NotNative(reasons.TIME_WINDOW, f"over {type.simpleString()}")
    kind = type if isinstance(type, TimestampNTZType) else TIMESTAMP
    return Typed(ends_of(kind), overlapping, (kind,), text="window")


def ends_of(kind: DataType) -> StructType:
    return StructType([StructField("start", kind, True), StructField("end", kind, True)])


def window(call: Any, instant: str, *_: str) -> str:
    """Falls back for null timestamps, since Spark drops these rows."""
    length, slide, start = lengths(call)
    if slide < length:
        raise NotNative(reasons.TIME_WINDOW, "sliding windows outside GROUP BY")
    rest = f"(((epoch_us({instant}) - {start}) % {length}) + {length}) % {length}"
    begins = f"(epoch_us({instant}) - {rest})"
    kind = "make_timestamp" if isinstance(call.arguments[0].type, TimestampNTZType) else "make_timestamptz"
    ends = f'struct_pack(start := {kind}({begins}), "end" := {kind}({begins} + {length}))'
    return f"(CASE WHEN {instant} IS NULL THEN {not_native(reasons.TIME_WINDOW, 'a null timestamp')} ELSE {ends} END)"


fn("window(any, string)", window, rule=window_type)
fn("window(any, string, string)", window, rule=window_type)
fn("window(any, string, string, string)", window, rule=window_type)


def windows_type(call: Call) -> Typed:
    return Typed(ArrayType(window_type(call).type, True), True)


def windows(call: Any, instant: str, *_: str) -> str:
    """All windows that contain a timestamp, the latest first; none for null."""
    length, slide, start = lengths(call)
    rest = f"(((epoch_us({instant}) - {start}) % {slide} + {slide}) % {slide})"
    begins = f"(epoch_us({instant}) - {rest} - place_ * {slide})"
    kind = "make_timestamp" if isinstance(call.arguments[0].type, TimestampNTZType) else "make_timestamptz"
    ends = f'struct_pack(start := {kind}({begins}), "end" := {kind}({begins} + {length}))'
    return f"list_transform(range(({length - 1} - {rest}) // {slide} + 1), lambda place_: {ends})"


fn("timewindows(any, any...)", windows, rule=windows_type)


# ---- session windows: a row within the gap after another one belongs to the same session


def session_type(call: Call) -> Typed:
    """Gaps in days fall back, since a day differs in length when clocks change."""
    gap = micros(call.arguments[1])
    if gap <= 0 or re.search("day|week", str(getattr(call.arguments[1], "value", "")), re.I):
        raise NotNative(reasons.TIME_WINDOW, "session_window with a gap of zero or less, or in days")
    return replace(window_type(Call("window", call.arguments, call.settings, call.text)), text="session_window")


def alone(call: Any, *_: str) -> str:
    raise NotNative(reasons.TIME_WINDOW, f"{call.name} outside GROUP BY")


def new_session(call: Any, instant: str, before: str, *gap: str) -> str:
    """1 for the first row of a session; a row exactly at the end still belongs to the session."""
    late = f"epoch_us({instant}) - epoch_us({before}) > {micros(call.arguments[2])}"
    return f"(CASE WHEN {before} IS NULL OR {late} THEN 1 ELSE 0 END)"


def session(call: Any, first: str, last: str, *gap: str) -> str:
    kind = "make_timestamp" if isinstance(call.arguments[0].type, TimestampNTZType) else "make_timestamptz"
    return f'struct_pack(start := {first}, "end" := {kind}(epoch_us({last}) + {micros(call.arguments[2])}))'


def bounds_type(call: Call) -> Typed:
    return Typed(ends_of(call.types[0]), False)


fn("session_window(any, string)", alone, rule=session_type)
fn("sessionbegins(any, any, any) -> int!", new_session)
fn("sessionbounds(any, any, any)", session, rule=bounds_type)


# ---- window_time: the last instant of a window


def window_time_type(call: Call) -> Typed:
    (type,) = call.types
    kind = type.fields[1].dataType if isinstance(type, StructType) and type.names == ["start", "end"] else None
    if not isinstance(kind, TimestampType | TimestampNTZType):
        raise NotNative(reasons.TIME_WINDOW, "window_time of a column that is not a time window")
    return Typed(kind, True)


def window_time(call: Any, window: str) -> str:
    raise NotNative(reasons.TIME_WINDOW, "window_time outside a select list, or of a column that is not a time window")


def last_instant(call: Any, window: str) -> str:
    kind = "make_timestamp" if isinstance(call.type, TimestampNTZType) else "make_timestamptz"
    return f'{kind}(epoch_us(({window})."end") - 1)'


@cache
def of_known_window(signature: Signature) -> Signature:
    """window_time of a column that is known to be a window."""
    return replace(signature, writer=last_instant)


fn("window_time(any)", window_time, rule=window_time_type)
