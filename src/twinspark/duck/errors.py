"""DuckDB's run-time errors in Spark's terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

import duckdb

from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.functions.spelling import ANSI_CONFIG

SYMBOLS = {"addition": "+", "subtraction": "-", "multiplication": "*"}
TRY_NAMES = {"addition": "try_add", "subtraction": "try_subtract", "multiplication": "try_multiply"}


def translated(error: duckdb.Error) -> Exception:
    """The error Spark would have raised, or NotNative: what DuckDB refuses for reasons of its own Spark may know."""
    message = str(error)
    for pattern, make in RULES:
        found = re.search(pattern, message, re.S)
        if found is not None:
            return make(found)
    if isinstance(error, duckdb.InterruptException):
        return error
    return NotNative(f"DuckDB refused it: {message.splitlines()[0] if message else type(error).__name__}")


def spark_error(found: re.Match[str]) -> Exception:
    condition, *parts = found[1].split("|")
    pairs = (part.partition("=") for part in parts)
    parameters = {name: unquote(value) for name, _, value in pairs}
    if condition == "JAVA":
        return JavaError(parameters["class"], parameters["message"])
    return SparkError(condition, **parameters)  # type: ignore[arg-type]


def overflow(found: re.Match[str]) -> Exception:
    operation, type, left, right = found[1], found[2], found[3], found[4]
    if type in ("INT8", "INT16"):
        return SparkError(
            "BINARY_ARITHMETIC_OVERFLOW",
            value1=f"{left}S",
            symbol=SYMBOLS[operation],
            value2=f"{right}S",
            functionName=f"`{TRY_NAMES[operation]}`",
        )
    return arithmetic_overflow(TRY_NAMES[operation])


def arithmetic_overflow(alternative: str = "", message: str = "overflow") -> SparkError:
    hint = f" Use '{alternative}' to tolerate overflow and return NULL instead." if alternative else ""
    return SparkError("ARITHMETIC_OVERFLOW", message=message, alternative=hint, config=ANSI_CONFIG)


def division_by_zero(found: re.Match[str]) -> Exception:
    condition = "REMAINDER_BY_ZERO" if outer_operator(found[1]) == "%" else "DIVIDE_BY_ZERO"
    return SparkError(condition, config=ANSI_CONFIG)


def outer_operator(expression: str) -> str:
    """Of `a // (b % c)` it is `//`: DuckDB prints the whole operation, what stands in parentheses or quotes too."""
    depth = 0
    for part in re.findall(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]| % | // | / """, expression):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth == 0 and part in (" % ", " // ", " / "):
            return str(part).strip()
    return ""


def decimal_overflow(found: re.Match[str]) -> Exception:
    return SparkError(
        "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
        value=found[1],
        precision=found[2],
        scale=found[3],
        config=ANSI_CONFIG,
    )


def elsewhere(found: re.Match[str]) -> NotNative:
    """`crash` is what Spark says of a worker that it lost, but for its own numbers of tasks and stages."""
    crash = JavaError("org.apache.spark.SparkException", unquote(found[2])) if found[2] else None
    return NotNative(unquote(found[1] or "this input"), nearest=crash)


Rule = tuple[str, Callable[[re.Match[str]], Exception]]
RULES: list[Rule] = [
    (r"SPARK:ELSEWHERE(?:\|reason=([^\n|]*))?(?:\|crash=([^\n|]*))?", elsewhere),
    (r"SPARK:([A-Z0-9_.]+(?:\|(?:(?!\n\nLINE ).)*)?)", spark_error),
    (r"NOT_NATIVE:([^\n]*)", lambda found: NotNative(found[1])),
    (r"Overflow in (\w+) of (INT\d+) \((-?\d+) . (-?\d+)\)", overflow),
    (r"Overflow on abs\(-\d+\)", lambda found: arithmetic_overflow()),
    (r"Division by zero in expression \(([^\n]*)\)", division_by_zero),
    (r'(?:Casting|Could not cast) value "?([^"\s]+)"? to (?:type )?DECIMAL\((\d+),(\d+)\)', decimal_overflow),
    (r"Type INT128 with value -?\d+ can't be cast .* INT64", lambda found: arithmetic_overflow("try_add")),
    (r"Map keys must be unique", lambda found: NotNative("a map key twice")),
    (r"Map keys can not be NULL", lambda found: SparkError("NULL_MAP_KEY")),
    (r"Failure in decode", lambda found: NotNative("bytes that are no UTF-8 as a string")),
    (r"More than one row returned by a subquery", lambda found: SparkError("SCALAR_SUBQUERY_TOO_MANY_ROWS")),
    (r"(?s)(Out of Memory Error.*)", lambda found: NotNative("DuckDB ran out of memory")),
]
