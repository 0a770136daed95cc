"""Dates and timestamps: fields, arithmetic with days and intervals."""

from __future__ import annotations

from collections.abc import Callable

from twinspark.errors import NotNative
from twinspark.functions.registry import fn
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import DATE, INT, ByteType, DateType, IntegerType, ShortType, is_null, is_string

# ---- fields of a date

FIELDS = {
    "year": "year({0})",
    "quarter": "quarter({0})",
    "month": "month({0})",
    "day": "day({0})",
    "dayofyear": "dayofyear({0})",
    "dayofweek": "dayofweek({0}) + 1",
    "weekday": "isodow({0}) - 1",
    "weekofyear": "weekofyear({0})",
}
for name, sql in FIELDS.items():
    fn(f"{name}(date) -> int", f"CAST({sql} AS INTEGER)", *(["dayofmonth"] if name == "day" else []), keeps_alias=True)


def extracted(call: Call) -> Typed:
    """EXTRACT(field FROM source): the functions of the same name."""
    field = str(getattr(call.arguments[0], "value", "")).lower()
    name = EXTRACTS.get(field)
    source = call.types[1]
    if name is None or not (isinstance(source, DateType) or is_string(source) or is_null(source)):
        raise NotNative(f"extract {field} from {source.simpleString()}")
    return Typed(INT, call.any_nullable or is_string(source), (None, DATE), writer=field_writer(name))


def field_writer(name: str) -> Callable[..., str]:
    return lambda call, field, source: f"CAST({FIELDS[name].format(source)} AS INTEGER)"


EXTRACTS = {
    **dict.fromkeys(("year", "y", "years", "yr", "yrs"), "year"),
    **dict.fromkeys(("month", "mon", "mons", "months"), "month"),
    **dict.fromkeys(("day", "d", "days"), "day"),
    **dict.fromkeys(("quarter", "qtr"), "quarter"),
    **dict.fromkeys(("week", "w", "weeks"), "weekofyear"),
    "doy": "dayofyear",
}
fn("extract(any, any)", "", rule=extracted)


# ---- days added and taken away


WHOLE_DAYS = IntegerType | ShortType | ByteType


def day_arithmetic(call: Call) -> Typed:
    days = call.types[1]
    if not (is_string(days) or is_null(days) or isinstance(days, WHOLE_DAYS)):
        raise unexpected_input_type(call, 1, '("INT" or "SMALLINT" or "TINYINT")')
    return Typed(DATE, False, (DATE, INT), add_nullable_casts=True)


fn("date_add(any, any)", "({0} + {1})", "dateadd", rule=day_arithmetic)
fn("date_sub(any, any)", "({0} - {1})", rule=day_arithmetic)
fn("datediff(date, date) -> int", "CAST({0} - {1} AS INTEGER)", "date_diff", keeps_alias=True)
