"""split, by Java's regular expressions or plain separators, and split_part."""

from __future__ import annotations

from typing import Any

from twinspark.errors import reasons
from twinspark.functions.notation.error_sql import error, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.strings.regex import constant, repeatable
from twinspark.types.duckdb import duck_text


def split(call: Any, value: str, pattern: str, limit: str) -> str:
    """A plain separator uses DuckDB's fastest function, and may have a limit."""
    found, most = repeatable(call), constant(call, 2)
    if found is None or not isinstance(most, int) or (most > 0 and found.plain is None):
        return f"spark_split({value}, {pattern}, {limit})"
    if found.plain is None:
        return f"string_split_regex({value}, {duck_text(found.re2)})"
    parts = f"string_split({value}, {duck_text(found.plain)})"
    return parts if most <= 0 else with_limit(parts, duck_text(found.plain), most)


def with_limit(parts: str, separator: str, most: int) -> str:
    rest = f"array_to_string({parts}[{most}:], {separator})"
    return f"(CASE WHEN len({parts}) > {most} THEN list_append({parts}[:{most - 1}], {rest}) ELSE {parts} END)"


fn("split(string, string, int = -1) -> array<string!>", split, shows_defaults=True)

PART = (
    "CASE WHEN {2} = 0 THEN " + error("INVALID_INDEX_OF_ZERO") + " "
    "WHEN {1} = '' AND {2} > -2147483648 THEN CASE WHEN {2} IN (1, -1) THEN {0} ELSE '' END "
    f"WHEN {{2}} = -2147483648 THEN {not_native(reasons.FUNCTION_ARGUMENT_VALUE, 'split_part with the smallest int')} "
    "ELSE split_part({0}, {1}, {2}) END"
)
fn(
    "split_part(string, string, int) -> string?",
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND {2} IS NOT NULL THEN " + PART + " END",
)
