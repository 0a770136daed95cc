"""What + - * / % make of pairs of types with dates, timestamps, intervals or booleans among them; asks a session."""

from collections.abc import Iterator
from typing import Any

from pyspark.errors import PySparkException

TYPES = (
    "void",
    "int",
    "double",
    "string",
    "boolean",
    "date",
    "timestamp",
    "timestamp_ntz",
    "interval",
    "interval day to second",
    "interval month",
)
ASKED = ("boolean", "date", "timestamp", "timestamp_ntz", "interval", "interval day to second", "interval month")


def pairs() -> Iterator[tuple[str, str, str]]:
    for operator in "+-*/%":
        for left in TYPES:
            for right in TYPES:
                if left in ASKED or right in ASKED:
                    yield operator, left, right


def answer(spark: Any, operator: str, left: str, right: str) -> list[Any]:
    """Name, type and nullability, or the error."""
    try:
        field = spark.sql(f"SELECT {null_of(left)} {operator} {null_of(right)}").schema.fields[0]
        return [field.name, field.dataType.simpleString(), field.nullable]
    except PySparkException as error:
        return [error.getCondition(), dict(sorted((error.getMessageParameters() or {}).items()))]


def null_of(type: str) -> str:
    return "NULL" if type == "void" else f"CAST(NULL AS {type})"
