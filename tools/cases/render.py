"""The one way a value is written in the cases: exact, by Spark's type, the same for both engines."""

import json
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.types import VariantVal

NULL = "NULL"
EPOCH = datetime(1970, 1, 1)
DAYS_OF_PYTHON = (date.min.toordinal() - EPOCH.toordinal(), date.max.toordinal() - EPOCH.toordinal())
ROW_SEPARATOR = " ¦ "


def render_column(column: pa.ChunkedArray | pa.Array, kind: t.DataType) -> list[str]:
    """Every value of an Arrow column as text."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [text for chunk in chunks for text in render_array(chunk, kind)]


def render_array(array: pa.Array, kind: t.DataType) -> list[str]:
    present = array.is_valid().to_pylist()
    if not any(present):
        return [NULL] * len(array)
    texts = renderer_of(kind)(array, kind)
    return [text if valid else NULL for text, valid in zip(texts, present, strict=True)]


def renderer_of(kind: t.DataType) -> Callable[[pa.Array, Any], list[str]]:
    return next((render for known, render in RENDERERS.items() if isinstance(kind, known)), render_plain)


def render_plain(array: pa.Array, _: t.DataType) -> list[str]:
    return [str(value) for value in array.to_pylist()]


def render_boolean(array: pa.Array, _: t.DataType) -> list[str]:
    return [str(value).lower() for value in array.to_pylist()]


def render_double(array: pa.Array, _: t.DataType) -> list[str]:
    return [double_text(repr(value)) for value in array.to_pylist()]


def render_float(array: pa.Array, _: t.DataType) -> list[str]:
    return [double_text(str(np.float32(value))) if value is not None else NULL for value in array.to_pylist()]


def double_text(text: str) -> str:
    """Python's shortest exact text, with Spark's words for what is not a number."""
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text)


def render_decimal(array: pa.Array, _: t.DataType) -> list[str]:
    return [format(value, "f") if value is not None else NULL for value in array.to_pylist()]


def render_string(array: pa.Array, _: t.DataType) -> list[str]:
    raw = array.cast(pa.large_binary()) if pa.types.is_large_string(array.type) else array.cast(pa.binary())
    return [quote(value) if value is not None else NULL for value in raw.to_pylist()]


def quote(value: bytes) -> str:
    """A JSON string; bytes that are not UTF-8 stay visible as lone surrogates."""
    text = json.dumps(value.decode("utf-8", "surrogateescape"), ensure_ascii=False)
    return re.sub("[\udc80-\udcff\x7f-\x9f\u2028\u2029\ufeff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def render_binary(array: pa.Array, _: t.DataType) -> list[str]:
    return [f"X'{bytes(value).hex().upper()}'" if value is not None else NULL for value in array.to_pylist()]


def render_date(array: pa.Array, _: t.DataType) -> list[str]:
    days = array.cast(pa.int32()).to_pylist()
    return [date_text(value) if value is not None else NULL for value in days]


def date_text(days: int) -> str:
    least, most = DAYS_OF_PYTHON
    return (EPOCH.date() + timedelta(days)).isoformat() if least <= days <= most else f"{days} days"


def render_timestamp(array: pa.Array, _: t.DataType) -> list[str]:
    return [micros_text(value) if value is not None else NULL for value in micros_of(array)]


def micros_of(array: pa.Array) -> list[int | None]:
    micros: list[int | None] = array.cast(pa.timestamp("us", array.type.tz)).cast(pa.int64()).to_pylist()
    return micros


def micros_text(micros: int) -> str:
    """The instant in UTC, to the microsecond."""
    days, rest = divmod(micros, 86_400_000_000)
    time = (EPOCH + timedelta(microseconds=rest)).time().isoformat()
    return f"{date_text(days)}T{time}"


def render_day_time(array: pa.Array, _: t.DataType) -> list[str]:
    micros = array.cast(pa.duration("us")).cast(pa.int64()).to_pylist()
    return [f"{value} microseconds" for value in micros]


def render_calendar(array: pa.Array, _: t.DataType) -> list[str]:
    return [calendar_text(value) if value is not None else NULL for value in array.to_pylist()]


def calendar_text(value: pa.MonthDayNano) -> str:
    return f"{value.months} months {value.days} days {value.nanoseconds // 1000} microseconds"


def render_list(array: pa.Array, kind: t.ArrayType) -> list[str]:
    return [list_text(inside, kind) if inside is not None else NULL for inside in inner_arrays(array)]


def list_text(elements: pa.Array, kind: t.ArrayType) -> str:
    return f"[{', '.join(render_array(elements, kind.elementType))}]"


def inner_arrays(array: pa.Array) -> list[pa.Array | None]:
    return [scalar.values if scalar.is_valid else None for scalar in array]


def render_map(array: pa.Array, kind: t.MapType) -> list[str]:
    return [map_text(inside, kind) if inside is not None else NULL for inside in inner_arrays(array)]


def map_text(entries: pa.StructArray, kind: t.MapType) -> str:
    """In Spark's own order of entries: it is visible to users."""
    keys = render_array(entries.field(0), kind.keyType)
    values = render_array(entries.field(1), kind.valueType)
    return "{" + ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True)) + "}"


def render_struct(array: pa.StructArray, kind: t.StructType) -> list[str]:
    fields = [render_array(inside, field.dataType) for inside, field in zip(array.flatten(), kind.fields, strict=True)]
    names = [field.name for field in kind.fields]
    rows = zip(*fields, strict=True) if fields else [()] * len(array)
    return ["(" + ", ".join(f"{name}: {text}" for name, text in zip(names, row, strict=True)) + ")" for row in rows]


def render_variant(array: pa.StructArray, _: t.DataType) -> list[str]:
    return [variant_text(value) if value is not None else NULL for value in array.to_pylist()]


def variant_text(value: dict[str, bytes]) -> str:
    return "variant " + VariantVal(value["value"], value["metadata"]).toJson("UTC")


RENDERERS: dict[type[t.DataType], Callable[[pa.Array, Any], list[str]]] = {
    t.BooleanType: render_boolean,
    t.DoubleType: render_double,
    t.FloatType: render_float,
    t.DecimalType: render_decimal,
    t.StringType: render_string,
    t.BinaryType: render_binary,
    t.DateType: render_date,
    t.TimestampType: render_timestamp,
    t.TimestampNTZType: render_timestamp,
    t.DayTimeIntervalType: render_day_time,
    t.CalendarIntervalType: render_calendar,
    t.ArrayType: render_list,
    t.MapType: render_map,
    t.StructType: render_struct,
    t.VariantType: render_variant,
}


def without_arrow_form(kind: t.DataType) -> bool:
    """Arrow's month interval has no form in PyArrow: such values are asked for, and compared, as strings."""
    if isinstance(kind, t.ArrayType):
        return without_arrow_form(kind.elementType)
    if isinstance(kind, t.MapType):
        return without_arrow_form(kind.keyType) or without_arrow_form(kind.valueType)
    if isinstance(kind, t.StructType):
        return any(without_arrow_form(field.dataType) for field in kind.fields)
    return isinstance(kind, t.YearMonthIntervalType)
