"""Converts typed literals such as `{"lit": "2024-01-31", "type": "date"}` to Python values for PySpark's `lit`."""

import base64
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

INT = range(-(2**31), 2**31)


def literal_problem(value: Any, type: DataType) -> str | None:
    """The error message for a text that is no value of the declared type, or None."""
    try:
        python_value(value, type)
    except (ValueError, InvalidOperation):
        return f"{value!r} is no value of type {type.simpleString()}"
    return None


def python_value(value: Any, type: DataType) -> tuple[Any, bool]:
    """The value, and whether PySpark's `lit` of it has exactly this type; otherwise a cast is needed."""
    match type, value:
        case _, None:
            return None, False
        case DateType(), str():
            return date.fromisoformat(value), True
        case TimestampType(), str() if has_zone(value):
            return datetime.fromisoformat(value), True
        case DoubleType(), str() | int() if not isinstance(value, bool):
            return float(value), True
        case IntegerType(), int():
            return value, value in INT
        case LongType(), int():
            return value, value not in INT
        case (StringType(), str()) | (BooleanType(), bool()) | (DoubleType(), float()):
            return value, True
        case DecimalType(), str():
            return Decimal(value), False
        case BinaryType(), str():
            return base64.b64decode(value, validate=True), True
        case DayTimeIntervalType(), int() | float():
            return timedelta(seconds=value), type == DayTimeIntervalType(0, 3)
        case TimestampNTZType(), str():
            return datetime.fromisoformat(value), True
    return value, False


def has_zone(text: str) -> bool:
    """Whether a timestamp's text has a zone; without one it is in the session time zone, so Spark has to cast it."""
    return datetime.fromisoformat(text).tzinfo is not None
