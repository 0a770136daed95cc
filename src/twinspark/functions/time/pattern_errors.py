"""Spark's errors for invalid datetime patterns, where the pattern and its operand are constants."""

from __future__ import annotations

import re
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error

LEGACY = "LEGACY"
DOCROOT = "https://spark.apache.org/docs/latest"
CONFIG = '"spark.sql.legacy.timeParserPolicy"'
# The maximal repetition of each pattern letter in java.time as Spark configures it; for parsing, four less.
MOST = {
    **dict.fromkeys("a", (1,)),
    **dict.fromkeys("dhkmsHK", (1, 2)),
    **dict.fromkeys("D", (1, 2, 3)),
    **dict.fromkeys("zGLM", (1, 2, 3, 4)),
    **dict.fromkeys("xXZ", (1, 2, 3, 4, 5)),
    **dict.fromkeys("y", (1, 2, 3, 4, 5, 6)),
    **dict.fromkeys("gS", (1, 2, 3, 4, 5, 6, 7, 8, 9)),
    **dict.fromkeys("Ov", (1, 4)),
    **dict.fromkeys("V", (2,)),
}
MOST_WRITTEN = MOST | dict.fromkeys("qQE", (1, 2, 3, 4)) | {"F": (1,)}
OLD_LETTERS = frozenset("GyYMLwWDdFEuaHkKhmsSzZX")  # the letters of java.text.SimpleDateFormat
NO_LETTERS = frozenset("bfijlortCIJPRTU")
ODD = re.compile(r"[\[\]{}#]")  # optional sections, and characters that java.time reserves
Items = list[tuple[str, int]]


def pattern_error_sql(call: Any, value: str, reads: bool, zoneless: bool = False) -> str | None:
    """SQL that raises the error if the call's constant pattern is invalid; None if it is valid."""
    pattern = getattr(call.arguments[1], "value", None)
    if not isinstance(pattern, str):
        return None
    found = pattern_error(pattern, reads, zoneless, call.settings.time_parser == LEGACY)
    if found is None:
        return None
    if not is_constant(call.arguments[0]):
        raise NotNative(
            reasons.ERROR_TIMING, "a datetime pattern that is not valid, which Spark reports only when there are rows"
        )
    return f"(CASE WHEN {value} IS NOT NULL THEN {found} END)"


def is_constant(argument: Any) -> bool:
    while hasattr(argument, "child"):
        argument = argument.child
    return hasattr(argument, "value")


def pattern_error(pattern: str, reads: bool, zoneless: bool, old: bool) -> str | None:
    """The error of the pattern, or None; complicated patterns are left to the functions that parse them."""
    items = items_of(pattern)
    if items is None:
        return None
    taken_by_old = all(letter in OLD_LETTERS and not (letter == "X" and count > 3) for letter, count in items)
    if old and not zoneless:
        return None if taken_by_old else not_recognized(pattern)
    wrong = [item for item in items if item[1] not in (MOST if reads else MOST_WRITTEN).get(item[0], ())]
    if len(wrong) != 1:
        return None
    if zoneless:
        return not_recognized(pattern)
    if taken_by_old:
        parameters = {"pattern": quote_pattern(pattern), "config": CONFIG, "docroot": DOCROOT}
        return error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", **parameters)
    return never_known(pattern, *wrong[0], reads)


def items_of(pattern: str) -> Items | None:
    """The pattern letters and their repetitions; quoted text is skipped."""
    plain = re.sub(r"'[^']*'", " ", pattern)
    if "'" in plain or ODD.search(pattern):
        return None
    return [(found[0][0], len(found[0])) for found in re.finditer(r"([A-Za-z])\1*", plain)]


def never_known(pattern: str, letter: str, count: int, reads: bool) -> str | None:
    """Neither java.time nor SimpleDateFormat accepts the pattern: the error of java.time, or Spark's own."""
    if letter in "ce":
        return error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", c=letter)
    if letter in "npABN" or (reads and letter in "qQ"):
        return error("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", c=letter, pattern=pattern)
    if letter in "qQ":
        return error("INVALID_DATETIME_PATTERN.LENGTH", pattern=letter * 5)
    return not_recognized(pattern) if letter in NO_LETTERS or letter in "xOVvX" else None


def not_recognized(pattern: str) -> str:
    return error("INVALID_DATETIME_PATTERN.WITH_SUGGESTION", pattern=quote_pattern(pattern), docroot=DOCROOT)


def quote_pattern(pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
