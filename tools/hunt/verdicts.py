"""Judges the native engine's answer to a statement beside Spark's."""

import re

from tools.hunt.answers import NOT_NATIVE, TIMEOUT, Answer
from tools.hunt.scripts import is_volatile

EQUAL, ERRORS, NATIVE_NOT, UNTRIED = "equal", "equal errors", "not native", "untried"
ORDER, DIGITS, BY_CHANCE = "order", "last digits", "rows, by order"
FINDINGS = ("rows", "schema", "answers", "fails", "other error", BY_CHANCE, ORDER, DIGITS)
EXPLAIN = re.compile(r"(?i)\s*explain\b")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


# Rows of a table that several statements wrote lie in files with random names, so their order is random on Spark, too.
BY_ORDER = re.compile(
    r"(?i)\b(first|first_value|last|last_value|any_value|collect_list|collect_set|array_agg|listagg|string_agg|limit"
    r"|row_number|lag|lead|nth_value|ntile|mode|max_by|min_by|offset|over|sort|distribute|cluster|group_concat|head)\b"
)


def verdict(statement: str, spark: Answer, ours: Answer) -> str:
    """One word; those in FINDINGS are differences."""
    if EXPLAIN.match(statement):
        return UNTRIED  # in auto mode Spark explains its own plan
    if TIMEOUT in (spark.condition, ours.condition) or spark.condition.startswith("client"):
        return UNTRIED
    if ours.condition == NOT_NATIVE:
        return NATIVE_NOT
    if spark.is_error or ours.is_error:
        return verdict_of_errors(spark, ours)
    if spark.schema != ours.schema:
        return "schema"
    word = EQUAL if is_volatile(statement) else verdict_of_rows(spark, ours)
    return BY_CHANCE if word == "rows" and BY_ORDER.search(statement) else word


def verdict_of_errors(spark: Answer, ours: Answer) -> str:
    if not ours.is_error:
        return "answers"
    if not spark.is_error:
        return "fails"
    return ERRORS if spark.condition == ours.condition else "other error"


def verdict_of_rows(spark: Answer, ours: Answer) -> str:
    if spark.rows == ours.rows:
        return EQUAL
    if sorted(spark.rows) == sorted(ours.rows):
        return ORDER
    return DIGITS if are_close(spark.rows, ours.rows) else "rows"


def are_close(spark: tuple[str, ...], ours: tuple[str, ...]) -> bool:
    """Equal but for the last digits of floating point numbers."""
    mine, theirs = (NUMBER.findall("\n".join(sorted(rows))) for rows in (ours, spark))
    plain = [NUMBER.sub("#", "\n".join(sorted(rows))) for rows in (ours, spark)]
    return plain[0] == plain[1] and all(is_near(float(a), float(b)) for a, b in zip(mine, theirs, strict=True))


def is_near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-6)
