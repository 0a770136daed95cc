"""Builds literals with the types and texts that Spark gives them."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

from twinspark.analysis.expressions.literal_text import literal_text
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.time.time_parser_policy import check_legacy_date
from twinspark.plan.expressions import (
    Literal,
)
from twinspark.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
)


def literal(value: Any, type: DataType | None = None, settings: Settings | None = None) -> Literal:
    type = type if type is not None else type_of_value(value)
    if isinstance(type, DayTimeIntervalType) and value is not None and not -(1 << 63) <= value < 1 << 63:
        raise SparkError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
    if settings is not None and isinstance(type, DateType) and value is not None:
        check_legacy_date(value, settings)
    zone = settings.zone if settings is not None else "UTC"
    return Literal(value=value, type=type, nullable=value is None, text=literal_text(value, type, zone))


def type_of_value(value: Any) -> DataType:
    """The type of a plain Python value."""
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int():
            return INT if -(1 << 31) <= value < 1 << 31 else LONG
        case float():
            return DOUBLE
        case str():
            return STRING
        case bytes():
            return BINARY
        case decimal.Decimal():
            return decimal_type(value)
        case dt.date():
            return DATE
    raise NotNative(reasons.LITERAL, f"a Python value of the type {type(value).__name__}")


def decimal_type(value: decimal.Decimal) -> DecimalType:
    """The smallest decimal type that holds the digits (DecimalType.fromDecimal)."""
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    precision = max(len(digits) + max(int(exponent), 0), scale, 1)
    return DecimalType(precision, scale)
