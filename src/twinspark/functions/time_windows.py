"""Windows of time: which stretch of ten minutes, of a day, of a week an instant lies in."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.registry import Signature, fn
from twinspark.functions.typing import Call, Typed
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
    """`10 minutes`, `1 hour 30 minutes`: months have no length, and other forms are left to Spark."""
    value = getattr(argument, "value", None)
    found = DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise NotNative("a window of time whose length is no plain constant")
    words = found[1].lower().split()
    pairs = list(zip(words[::2], words[1::2], strict=True))
    if any(unit.removesuffix("s") not in UNITS for _, unit in pairs):
        raise NotNative("a window of time whose length is no plain constant")
    return sum(int(number) * UNITS[unit.removesuffix("s")] for number, unit in pairs)


def lengths(call: Any) -> tuple[int, int, int]:
    """How long a window is, how far the next one, and where the first starts."""
    length, *more = [micros(argument) for argument in call.arguments[1:]]
    slide = more[0] if more else length
    start = more[1] if len(more) > 1 else 0
    if not 0 < slide <= length or not -slide < start < slide:
        raise NotNative("a window of time whose slide or start is beyond its length")
    return length, slide, start


def overlap(call: Any) -> bool:
    length, slide, _ = lengths(call)
    return slide < length


def window_type(call: Call) -> Typed:
    overlapping = overlap(call)
    type = call.types[0]
    if not (is_null(type) or is_string(type) or isinstance(type, DateType | TimestampType | TimestampNTZType)):
        raise NotNative(f"a window of time over {type.simpleString()}")
    kind = type if isinstance(type, TimestampNTZType) else TIMESTAMP
    return Typed(ends_of(kind), overlapping, (kind,), text="window")


def ends_of(kind: DataType) -> StructType:
    return StructType([StructField("start", kind, True), StructField("end", kind, True)])


def window(call: Any, instant: str, *_: str) -> str:
    """Rows without an instant are in no window: Spark drops them, so they send the plan there."""
    length, slide, start = lengths(call)
    if slide < length:
        raise NotNative("windows of time that overlap, and are not what rows are grouped by")
    rest = f"(((epoch_us({instant}) - {start}) % {length}) + {length}) % {length}"
    begins = f"(epoch_us({instant}) - {rest})"
    kind = "make_timestamp" if isinstance(call.arguments[0].type, TimestampNTZType) else "make_timestamptz"
    ends = f'struct_pack(start := {kind}({begins}), "end" := {kind}({begins} + {length}))'
    return f"(CASE WHEN {instant} IS NULL THEN {not_native('a window of time of a null')} ELSE {ends} END)"


fn("window(any, string)", window, rule=window_type)
fn("window(any, string, string)", window, rule=window_type)
fn("window(any, string, string, string)", window, rule=window_type)


def windows_type(call: Call) -> Typed:
    return Typed(ArrayType(window_type(call).type, True), True)


def windows(call: Any, instant: str, *_: str) -> str:
    """All windows that an instant lies in, the latest first; none for a null."""
    length, slide, start = lengths(call)
    rest = f"(((epoch_us({instant}) - {start}) % {slide} + {slide}) % {slide})"
    begins = f"(epoch_us({instant}) - {rest} - place_ * {slide})"
    kind = "make_timestamp" if isinstance(call.arguments[0].type, TimestampNTZType) else "make_timestamptz"
    ends = f'struct_pack(start := {kind}({begins}), "end" := {kind}({begins} + {length}))'
    return f"list_transform(range(({length - 1} - {rest}) // {slide} + 1), lambda place_: {ends})"


fn("timewindows(any, any...)", windows, rule=windows_type)


# ---- sessions: what follows something within a gap is of its session


def session_type(call: Call) -> Typed:
    """A gap in days is longer or shorter where clocks are changed."""
    gap = micros(call.arguments[1])
    if gap <= 0 or re.search("day|week", str(getattr(call.arguments[1], "value", "")), re.I):
        raise NotNative("sessions whose gap is none, or is counted in days")
    return replace(window_type(Call("window", call.arguments, call.settings, call.text)), text="session_window")


def alone(call: Any, *_: str) -> str:
    raise NotNative(f"{call.name} elsewhere than where rows are grouped")


def new_session(call: Any, instant: str, before: str, *gap: str) -> str:
    """1 for the first row of a session: an end is still of it."""
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


# ---- the instant that stands for a window


def window_time_type(call: Call) -> Typed:
    (type,) = call.types
    kind = type.fields[1].dataType if isinstance(type, StructType) and type.names == ["start", "end"] else None
    if not isinstance(kind, TimestampType | TimestampNTZType):
        raise NotNative("window_time of what is no window of time")
    return Typed(kind, True)


def window_time(call: Any, window: str) -> str:
    raise NotNative("window_time of what is no window of time, or not in a list of columns")


def last_instant(call: Any, window: str) -> str:
    kind = "make_timestamp" if isinstance(call.type, TimestampNTZType) else "make_timestamptz"
    return f'{kind}(epoch_us(({window})."end") - 1)'


@cache
def of_known_window(signature: Signature) -> Signature:
    """window_time of what is known to be a window."""
    return replace(signature, writer=last_instant)


fn("window_time(any)", window_time, rule=window_time_type)
