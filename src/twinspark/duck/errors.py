"""Translates DuckDB's run-time errors to Spark's."""

from __future__ import annotations

import re
from collections.abc import Callable

import duckdb

from twinspark.errors import NotNative, OutOfMemory, SparkError, reasons
from twinspark.errors.marker import unmark, without_token
from twinspark.functions.notation.error_sql import ANSI_CONFIG

NOT_UTF8 = "bytes that are not valid UTF-8"
SYMBOLS = {"addition": "+", "subtraction": "-", "multiplication": "*"}
TRY_NAMES = {"addition": "try_add", "subtraction": "try_subtract", "multiplication": "try_multiply"}


def translate_error(error: duckdb.Error) -> Exception:
    """The error that Spark would have raised, or NotNative where DuckDB rejects what Spark may accept."""
    message = str(error)
    if (marked := unmark(message)) is not None:
        return marked
    for pattern, make in RULES:
        if (found := pattern.match(message)) is not None:
            return make(found)
    if isinstance(error, duckdb.InterruptException):
        return error
    first_line = message.splitlines()[0] if message else type(error).__name__
    return NotNative(reasons.DUCKDB_ERROR, without_token(first_line))


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
    """The outermost operator of the expression that DuckDB prints: of `a // (b % c)` it is `//`."""
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


SIZES = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def out_of_buffers(found: re.Match[str]) -> NotNative:
    """DuckDB's buffer limit corresponds to Spark's execution memory; its temporary directory to Spark's spill files."""
    if "max_temp_directory_size" in found[1] or "offload data block" in found[1]:
        return out_of_disk(found)
    size = re.search(r"of (?:size )?([\d.]+) (bytes|[KMGT]iB)", found[1])
    if size is None:
        return OutOfMemory()
    requested = int(float(size[1]) * SIZES[size[2]])
    error = SparkError("UNABLE_TO_ACQUIRE_MEMORY", requestedBytes=requested, receivedBytes=0)
    return OutOfMemory(likely_error=error)


def out_of_disk(found: re.Match[str]) -> NotNative:
    error = SparkError("SPILL_OUT_OF_MEMORY", consumerToSpill="DuckDB", message="No space left on device")
    return NotNative(reasons.OUT_OF_DISK, likely_error=error)


def not_built(found: re.Match[str]) -> NotNative:
    """DuckDB raises this while it binds a statement, before it runs."""
    return NotNative(reasons.NATIVE_LIBRARY, found[1])


Make = Callable[[re.Match[str]], Exception]


def rule(kind: str, pattern: str, make: Make) -> tuple[re.Pattern[str], Make]:
    """A rule for messages that begin with the pattern: later text may contain the user's values."""
    return re.compile(f"{kind} Error: {pattern}", re.S), make


# DuckDB's errors; those of generated SQL and of the C extension are marked (errors.marker).
RULES = (
    rule("Catalog", r"\w+ Function with name (spark_\w+) does not exist", not_built),
    rule("Out of Range", r"Overflow in (\w+) of (INT\d+) \((-?\d+) . (-?\d+)\)", overflow),
    rule("Out of Range", r"Overflow on abs\(-\d+\)", lambda found: arithmetic_overflow()),
    rule("Invalid Input", r"Division by zero in expression \(([^\n]*)\)", division_by_zero),
    rule(
        "Conversion",
        r'(?:Casting|Could not cast) value "?([^"\s]+)"? to (?:type )?DECIMAL\((\d+),(\d+)\)',
        decimal_overflow,
    ),
    rule(
        "Conversion",
        r"Type INT128 with value -?\d+ can't be cast [^\n]* INT64",
        lambda found: arithmetic_overflow("try_add"),
    ),
    rule("Invalid Input", "Map keys must be unique", lambda found: NotNative(reasons.MAP_KEYS, "a key occurs twice")),
    rule("Invalid Input", "Map keys can not be NULL", lambda found: SparkError("NULL_MAP_KEY")),
    rule("Conversion", "Failure in decode", lambda found: NotNative(reasons.CHARACTER_SET, NOT_UTF8)),
    rule(
        "Invalid Input",
        "More than one row returned by a subquery",
        lambda found: SparkError("SCALAR_SUBQUERY_TOO_MANY_ROWS"),
    ),
    rule("Out of Memory", "(.*)", out_of_buffers),
    rule("IO", r"[^\n]*: No space left on device\Z", out_of_disk),
)
