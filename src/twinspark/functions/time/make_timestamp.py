"""make_timestamp(date[, time[, zone]]) and its variants: timestamps from a date and a TIME."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import reasons
from twinspark.functions.casts.cast_sql import between_datetimes
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    DATE,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DateType,
    TimeType,
    is_null,
    is_string,
)


def check_arguments(call: Call, shows: str) -> list[DataType | None]:
    """Spark casts only untyped nulls here (ExpectsInputTypes)."""
    call = replace(call, text=f"{shows}({', '.join(argument.text for argument in call.arguments)})")
    kinds: tuple[tuple[type, DataType], ...] = ((DateType, DATE), (TimeType, TIME))
    casts: list[DataType | None] = []
    for index, (type, (known, kind)) in enumerate(zip(call.types, kinds, strict=False)):
        if not isinstance(type, known) and not is_null(type):
            raise unexpected_input_type(call, index, f'"{"DATE" if known is DateType else "TIME"}"')
        casts.append(kind if is_null(type) else None)
    if len(call.types) == 3:
        if not is_string(call.types[2]) and not is_null(call.types[2]):
            raise unexpected_input_type(call, 2, '"STRING"')
        casts.append(STRING)
    return casts


def local(date: str, time: str) -> str:
    far = not_native(reasons.DATETIME_RANGE, "make_timestamp of a year outside 1 to 9999")
    near = f"{date} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
    made = f"{date} + to_microseconds({time} // 1000)"
    return f"(CASE WHEN {near} THEN {made} WHEN {date} IS NOT NULL THEN {far} END)"


def write_make_timestamp(call: Any, date: str, time: str = "CAST(0 AS BIGINT)", zone: str = "") -> str:
    if zone:
        return f"spark_local_to_instant({local(date, time)}, {zone})"
    return between_datetimes(local(date, time), TIMESTAMP_NTZ, TIMESTAMP, call.settings)


def write_make_timestamp_ntz(call: Any, date: str, time: str) -> str:
    return local(date, time)


def instant(shows: str) -> Callable[[Call], Typed]:
    """Null only if an argument is null; allowed even if the TIME type is disabled."""

    def rule(call: Call) -> Typed:
        text = f"{shows}({', '.join(argument.text for argument in call.arguments)})"
        return Typed(TIMESTAMP, call.any_nullable, check_arguments(call, "make_timestamp"), write_make_timestamp, text)

    return rule


def without_zone(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        inner = f"make_timestamp_ntz({', '.join(argument.text for argument in call.arguments)})"
        casts = check_arguments(call, "make_timestamp_ntz")
        return Typed(
            TIMESTAMP_NTZ, True, casts, write_make_timestamp_ntz, f"try_make_timestamp_ntz({inner})" if tries else inner
        )

    return rule


SHOWN = {
    "make_timestamp": "make_timestamp",
    "make_timestamp_ltz": "make_timestamp",
    "try_make_timestamp": "try_make_timestamp",
    "try_make_timestamp_ltz": "make_timestamp",
}
for name, shows in SHOWN.items():
    if not name.endswith("_ltz"):
        fn(f"{name}(any)", "", rule=instant(shows))
    fn(f"{name}(any, any)", "", rule=instant(shows))
    fn(f"{name}(any, any, any)", "", rule=instant(shows))
fn("make_timestamp_ntz(any, any)", "", rule=without_zone(False))
fn("try_make_timestamp_ntz(any, any)", "", rule=without_zone(True))
