"""DuckDB's run-time errors in Spark's terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

import duckdb

from twinspark.errors import NotNative, SparkError
from twinspark.functions.spelling import ANSI_CONFIG

INTEGER_NAMES = {"INT8": "byte", "INT16": "short", "INT32": "integer", "INT64": "long"}
SYMBOLS = {"addition": "+", "subtraction": "-", "multiplication": "*"}
TRY_NAMES = {"addition": "try_add", "subtraction": "try_subtract", "multiplication": "try_multiply"}


def translated(error: duckdb.Error) -> Exception:
    """The error Spark would have raised, NotNative when only Spark can tell, or the error itself: a bug of ours."""
    message = str(error)
    for pattern, make in RULES:
        found = re.search(pattern, message, re.S)
        if found is not None:
            return make(found)
    if isinstance(error, duckdb.OutOfMemoryException):
        return NotNative("DuckDB ran out of memory")
    return error


def spark_error(found: re.Match[str]) -> Exception:
    condition, *parts = found[1].split("|")
    pairs = (part.partition("=") for part in parts)
    parameters = {name: unquote(value) for name, _, value in pairs}
    return SparkError(condition, **parameters)  # type: ignore[arg-type]


def overflow(found: re.Match[str]) -> Exception:
    operation, type, left, right = found[1], found[2], found[3], found[4]
    if type in ("INT8", "INT16"):
        suffix = "T" if type == "INT8" else "S"
        return SparkError(
            "BINARY_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
            value1=f"{left}{suffix}",
            symbol=SYMBOLS[operation],
            value2=f"{right}{suffix}",
            functionName=f"`{TRY_NAMES[operation]}`",
        )
    return SparkError(
        "ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
        message=f"{INTEGER_NAMES.get(type, type)} overflow",
        functionName=f"`{TRY_NAMES[operation]}`",
        config=ANSI_CONFIG,
    )


def division_by_zero(found: re.Match[str]) -> Exception:
    condition = "REMAINDER_BY_ZERO" if "%" in found[1] else "DIVIDE_BY_ZERO"
    return SparkError(condition, config=ANSI_CONFIG)


def decimal_overflow(found: re.Match[str]) -> Exception:
    return SparkError(
        "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
        value=found[1],
        precision=found[2],
        scale=found[3],
        config=ANSI_CONFIG,
    )


def sum_overflow(found: re.Match[str]) -> Exception:
    return SparkError(
        "ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
        message="long overflow",
        functionName="`try_add`",
        config=ANSI_CONFIG,
    )


Rule = tuple[str, Callable[[re.Match[str]], Exception]]
RULES: list[Rule] = [
    (r"SPARK:([A-Z0-9_.]+(?:\|[^\n]*)?)", spark_error),
    (r"NOT_NATIVE:([^\n]*)", lambda found: NotNative(found[1])),
    (r"Overflow in (\w+) of (INT\d+) \((-?\d+) . (-?\d+)\)", overflow),
    (r"Division by zero in expression \(([^\n]*)\)", division_by_zero),
    (r'(?:Casting|Could not cast) value "?([^"\s]+)"? to (?:type )?DECIMAL\((\d+),(\d+)\)', decimal_overflow),
    (r"Type INT128 with value -?\d+ can't be cast .* INT64", sum_overflow),
    (r"Failure in decode", lambda found: NotNative("bytes that are no UTF-8 as a string")),
    (r"More than one row returned by a subquery", lambda found: SparkError("SCALAR_SUBQUERY_TOO_MANY_ROWS")),
    (r"(?s)(Out of Memory Error.*)", lambda found: NotNative("DuckDB ran out of memory")),
]
