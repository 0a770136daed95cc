"""Values as Spark SQL literals, so that a found row becomes a case of its own."""

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql import types as t

SUFFIXES = {t.ByteType: "Y", t.ShortType: "S", t.LongType: "L", t.IntegerType: ""}
ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def literal(value: Any, kind: t.DataType) -> str:
    if value is None:
        return f"CAST(NULL AS {kind.simpleString()})"
    if isinstance(kind, t.ArrayType):
        inside = ", ".join(literal(element, kind.elementType) for element in value)
        return f"array({inside})" if value else f"CAST(array() AS {kind.simpleString()})"
    if isinstance(kind, t.MapType):
        pairs = (f"{literal(key, kind.keyType)}, {literal(inside, kind.valueType)}" for key, inside in value)
        return f"map({', '.join(pairs)})" if value else f"CAST(map() AS {kind.simpleString()})"
    if isinstance(kind, t.StructType):
        pairs = (f"'{field.name}', {literal(value[field.name], field.dataType)}" for field in kind.fields)
        return f"named_struct({', '.join(pairs)})"
    return simple_literal(value, kind)


def simple_literal(value: Any, kind: t.DataType) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return f"{value}{SUFFIXES[type(kind)]}"
        case float():
            return float_literal(value, "float" if isinstance(kind, t.FloatType) else "double")
        case Decimal():
            return f"CAST('{value:f}' AS {kind.simpleString()})"
        case str():
            return quoted(value)
        case bytes():
            return f"X'{value.hex().upper()}'"
        case _:
            return time_literal(value, kind)


def quoted(text: str) -> str:
    return "'" + "".join(ESCAPES.get(character, character) for character in text) + "'"


def float_literal(value: float, name: str) -> str:
    special = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return f"{name}('{repr(value) if math.isfinite(value) else special}')"


def time_literal(value: date | datetime | time | timedelta, kind: t.DataType) -> str:
    if isinstance(value, timedelta):
        micros = value // timedelta(microseconds=1)
        return f"make_dt_interval(0, 0, 0, CAST('{Decimal(micros).scaleb(-6):f}' AS DECIMAL(18,6)))"
    if isinstance(value, time):
        return f"TIME'{value.isoformat()}'"
    if isinstance(value, datetime):
        zone = "Z" if isinstance(kind, t.TimestampType) else ""
        name = "TIMESTAMP" if zone else "TIMESTAMP_NTZ"
        return f"{name}'{value.replace(tzinfo=None).isoformat(' ')}{zone}'"
    return f"DATE'{value.isoformat()}'"
