"""Writes typed literals as DuckDB SQL."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    MapType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    is_integral,
    is_string,
)
from twinspark.types.duckdb import duck_name, duck_text, duck_type


def literal_sql(value: Any, type: DataType) -> str:
    if value is None:
        return f"CAST(NULL AS {duck_type(type)})"
    if isinstance(type, BooleanType):
        return "true" if value else "false"
    if is_string(type):
        return f"CAST({duck_text(value)} AS VARCHAR)"
    if isinstance(type, IntegerType) and value >= 0:
        return str(value)
    if is_integral(type) or isinstance(type, DayTimeIntervalType | YearMonthIntervalType | TimeType):
        return f"CAST({value} AS {duck_type(type)})"
    if isinstance(type, DoubleType | FloatType):
        return floating_sql(value, type)
    if isinstance(type, DecimalType):
        return f"CAST('{Decimal(value):f}' AS {duck_type(type)})"
    return other_sql(value, type)


def floating_sql(value: float, type: DataType) -> str:
    if math.isnan(value):
        return f"CAST('nan' AS {duck_type(type)})"
    if math.isinf(value):
        return f"CAST('{'-' if value < 0 else ''}inf' AS {duck_type(type)})"
    return f"CAST('{value!r}' AS {duck_type(type)})"


def other_sql(value: Any, type: DataType) -> str:
    if isinstance(type, BinaryType):
        return f"unhex('{bytes(value).hex()}')"
    if isinstance(type, DateType):
        return f"(DATE '1970-01-01' + CAST({value} AS INTEGER))"
    if isinstance(type, TimestampType):
        return f"make_timestamptz(CAST({value} AS BIGINT))"
    if isinstance(type, TimestampNTZType):
        return f"make_timestamp(CAST({value} AS BIGINT))"
    return nested_sql(value, type)


def nested_sql(value: Any, type: DataType) -> str:
    if isinstance(type, ArrayType):
        items = ", ".join(literal_sql(v, type.elementType) for v in value)
        return f"CAST([{items}] AS {duck_type(type)})"
    if isinstance(type, MapType):
        keys = ", ".join(literal_sql(k, type.keyType) for k, _ in value)
        values = ", ".join(literal_sql(v, type.valueType) for _, v in value)
        return f"CAST(MAP([{keys}], [{values}]) AS {duck_type(type)})"
    if isinstance(type, StructType):
        duck_type(type)
        parts = [
            f"{duck_name(f.name)} := {literal_sql(v, f.dataType)}" for v, f in zip(value, type.fields, strict=True)
        ]
        return f"struct_pack({', '.join(parts)})"
    raise NotNative(reasons.LITERAL, type.simpleString())
