"""Formats Arrow columns as text like Spark's own Thrift server, or as JSON; never row by row."""

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t
from pyspark.sql.types import VariantVal

from twinspark.doors.thrift.number_text import decimal_text, java_double_text
from twinspark.doors.thrift.time_text import (
    calendar_text,
    date_text,
    day_time_text,
    time_text,
    timestamp_text,
    year_month_text,
)

HIVE, JSON = "hive", "json"
BARE_IN_JSON = (t.BooleanType, t.NumericType, t.NullType)
ESCAPES = [("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\b", "\\b"), ("\f", "\\f")]


def text_of(array: pa.Array, kind: t.DataType, style: str = HIVE) -> pa.Array:
    """One string per value; null stays null."""
    nested = NESTED.get(type(kind))
    if nested is not None:
        return nested(array, kind, style)
    if isinstance(kind, t.BinaryType):
        return binary_text(array, style)
    if isinstance(kind, t.StringType):
        return array
    return LEAVES[type(kind)](array)


def inner_text(array: pa.Array, kind: t.DataType, style: str) -> pa.Array:
    """A nested value: strings in quotes, null as the text null."""
    texts = text_of(array, kind, style)
    if isinstance(kind, t.StringType) or (style == JSON and type(kind) not in NESTED and not is_bare(kind)):
        texts = join_texts('"', escape_json(texts) if style == JSON else texts, '"')
    elif style == JSON and isinstance(kind, t.FloatType | t.DoubleType):
        texts = pc.replace_substring_regex(texts, r"^(NaN|-?Infinity)$", r'"\1"')
    return pc.fill_null(texts, "null")


def is_bare(kind: t.DataType) -> bool:
    return isinstance(kind, (*BARE_IN_JSON, t.VariantType))


def join_texts(*parts: Any) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def escape_json(texts: pa.Array) -> pa.Array:
    for raw, shown in ESCAPES:
        texts = pc.replace_substring(texts, raw, shown)
    if pc.any(pc.match_substring_regex(texts, "[\x00-\x1f]")).as_py():
        for code in range(0x20):
            texts = pc.replace_substring(texts, chr(code), f"\\u{code:04x}")
    return texts


def list_text(array: pa.Array, kind: t.ArrayType, style: str) -> pa.Array:
    inside = inner_text(array.flatten(), kind.elementType, style)
    return enclose("[", join_rows(array, inside), "]")


def map_text(array: pa.Array, kind: t.MapType, style: str) -> pa.Array:
    array = as_list(array)
    entries = array.flatten()
    keys = inner_text(pc.struct_field(entries, 0), kind.keyType, style)
    if style == JSON and not isinstance(kind.keyType, t.StringType):
        keys = join_texts('"', escape_json(pc.replace_substring_regex(keys, r'^"(.*)"$', r"\1")), '"')
    texts = join_texts(keys, ":", inner_text(pc.struct_field(entries, 1), kind.valueType, style))
    return enclose("{", join_rows(array, sorted_within(array, texts) if style == HIVE else texts), "}")


def as_list(array: pa.Array) -> pa.Array:
    """The same map as a list of pairs, which Arrow's list functions support."""
    pairs = pa.StructArray.from_arrays([array.keys, array.items], names=["key", "value"])
    kind = pa.list_(pa.field("entries", pairs.type, nullable=False))
    return pa.Array.from_buffers(kind, len(array), array.buffers()[:2], offset=array.offset, children=[pairs])


def sorted_within(array: pa.Array, texts: pa.Array) -> pa.Array:
    """Spark's server sorts a map's entries by their text."""
    rows = np.repeat(np.arange(len(array)), lengths(array))
    order = pc.sort_indices(
        pa.table({"row": rows, "text": texts}), sort_keys=[("row", "ascending"), ("text", "ascending")]
    )
    return texts.take(order)


def struct_text(array: pa.Array, kind: t.StructType, style: str) -> pa.Array:
    parts: list[Any] = ["{" if kind.fields else "{}"]
    for index, (field, child) in enumerate(zip(kind.fields, array.flatten(), strict=True)):
        name = field.name.replace("\\", "\\\\").replace('"', '\\"') if style == JSON else field.name
        parts += [f'{"," if index else ""}"{name}":', inner_text(child, field.dataType, style)]
    whole = join_texts(*parts, "}") if kind.fields else pa.array(["{}"] * len(array))
    return pc.if_else(pc.is_valid(array), whole, pa.scalar(None, pa.string()))


def lengths(array: pa.Array) -> Any:
    return np.asarray(pc.fill_null(array.value_lengths(), 0))


def join_rows(array: pa.Array, inside: pa.Array) -> pa.Array:
    """The flat texts, joined with commas by the rows of `array`; null rows stay null."""
    offsets = np.concatenate([[0], np.cumsum(lengths(array))]).astype(np.int32)
    rows = pa.ListArray.from_arrays(pa.array(offsets), inside)
    whole = pc.binary_join(rows, ",")
    return pc.if_else(pc.is_valid(array), whole, pa.scalar(None, pa.string()))


def enclose(start: str, texts: pa.Array, end: str) -> pa.Array:
    return join_texts(start, texts, end)


def binary_text(array: pa.Array, style: str) -> pa.Array:
    """Spark decodes the bytes as UTF-8 with replacement characters; JSON has base64, like Spark's to_json."""
    if style == JSON:
        return map_values(array, lambda value: base64.b64encode(value).decode())
    try:
        return array.cast(pa.string())
    except pa.ArrowInvalid:
        return map_values(array, lambda value: value.decode("utf-8", "replace"))


def variant_text(array: pa.Array) -> pa.Array:
    """A variant is a document; PySpark formats it, one at a time."""
    return map_values(array, lambda value: VariantVal(value["value"], value["metadata"]).toJson())


def map_values(array: pa.Array, change: Callable[[Any], str]) -> pa.Array:
    return pa.array([None if value is None else change(value) for value in array.to_pylist()], pa.string())


def plain(array: pa.Array) -> pa.Array:
    return pc.cast(array, pa.string())


LEAVES: dict[type[t.DataType], Callable[[pa.Array], pa.Array]] = {
    t.NullType: plain,
    t.BooleanType: plain,
    t.ByteType: plain,
    t.ShortType: plain,
    t.IntegerType: plain,
    t.LongType: plain,
    t.FloatType: java_double_text,
    t.DoubleType: java_double_text,
    t.DecimalType: decimal_text,
    t.DateType: date_text,
    t.TimestampType: timestamp_text,
    t.TimestampNTZType: timestamp_text,
    t.YearMonthIntervalType: year_month_text,
    t.DayTimeIntervalType: day_time_text,
    t.CalendarIntervalType: calendar_text,
    t.VariantType: variant_text,
    t.TimeType: time_text,
}
NESTED: dict[type[t.DataType], Callable[..., pa.Array]] = {
    t.ArrayType: list_text,
    t.MapType: map_text,
    t.StructType: struct_text,
}
