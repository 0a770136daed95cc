"""Collations: their names, the keys by which strings are compared, and functions under collations without ICU."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error, not_native
from twinspark.functions.notation.registry import Signature
from twinspark.functions.session_info.listings import lines_of
from twinspark.types import (
    STRING,
    DataType,
    MapType,
    StringType,
    has_collation,
    has_inner,
    is_collated,
    nested_types,
    rewrite_leaves,
)
from twinspark.types.duckdb import ValueRewriter

UTF8_BINARY, UTF8_LCASE = "UTF8_BINARY", "UTF8_LCASE"
RTRIM = "_RTRIM"
INDETERMINATE = "null"  # the collation name of IndeterminateStringType
WITHOUT_ICU = frozenset({UTF8_BINARY, UTF8_LCASE, UTF8_BINARY + RTRIM, UTF8_LCASE + RTRIM})
SPECIFIERS = ("CS", "CI", "AS", "AI", "RTRIM")
_keys = itertools.count(1)


# ---- names


@cache
def locales() -> dict[str, str]:
    """The ICU locales as Spark spells them, by their names in upper case."""
    names = [line.split("\t")[0] for line in lines_of("spark_collations.txt")]
    return {name.upper(): name for name in names}


@cache
def normalize_name(name: str) -> str:
    """The name as Spark spells it (`sr_ai_ci` -> `sr_CI_AI`); falls back for unknown names, whose error only Spark
    reports."""
    parts = name.upper().split(".")
    if parts[:-1] not in ([], ["SYSTEM", "BUILTIN"]):
        raise NotNative(reasons.COLLATION_ICU, name)
    if parts[-1] in WITHOUT_ICU:
        return parts[-1]
    base, specifiers = split_specifiers(parts[-1])
    if (
        base not in locales()
        or len(set(specifiers)) < len(specifiers)
        or {"CS", "CI"} <= set(specifiers)
        or {"AS", "AI"} <= set(specifiers)
    ):
        raise NotNative(reasons.COLLATION_ICU, name)
    kept = [one for one in ("CI", "AI", "RTRIM") if one in specifiers]
    return "_".join([locales()[base], *kept])


def split_specifiers(name: str) -> tuple[str, list[str]]:
    specifiers: list[str] = []
    while (base := name.rpartition("_"))[2] in SPECIFIERS and base[0]:
        name = base[0]
        specifiers.append(base[2])
    return name, specifiers


def collated_type(type: DataType, collation: str) -> DataType:
    """The type with this collation for all its strings."""
    return with_strings(type, StringType(collation))


def with_strings(type: DataType, string: StringType) -> DataType:
    return rewrite_leaves(type, lambda leaf: string if isinstance(leaf, StringType) else leaf)


def is_indeterminate(type: DataType) -> bool:
    return any(isinstance(part, StringType) and part.collation == INDETERMINATE for part in nested_types(type))


def uncollated_type(type: DataType) -> DataType:
    return with_strings(type, STRING) if has_collation(type) else type


def with_normal_names(type: DataType) -> DataType:
    """A type from a client, with collation names as Spark spells them."""
    return rewrite_leaves(type, lambda leaf: StringType(normalize_name(leaf.collation)) if is_collated(leaf) else leaf)


# ---- keys


def is_lcase(collation: str) -> bool:
    return collation.startswith(UTF8_LCASE)


def ignores_spaces(collation: str) -> bool:
    return collation.endswith(RTRIM)


def check_without_icu(collation: str) -> None:
    if collation not in WITHOUT_ICU:
        raise NotNative(reasons.COLLATION_ICU, collation)


def key_sql(sql: str, type: DataType) -> str:
    """SQL of the key by which Spark compares, sorts and groups (CollationFactory: the bytes of the sort key)."""
    if has_collation(type) and has_inner(type, MapType):
        raise NotNative(reasons.COLLATION_FUNCTION, "a comparison of maps that contain strings with a collation")
    return ValueRewriter(string_key, has_collation, f"key_{next(_keys)}_").rewrite(sql, type)


def string_key(sql: str, type: DataType) -> str:
    assert isinstance(type, StringType)
    check_without_icu(type.collation)
    text = f"rtrim({sql}, ' ')" if ignores_spaces(type.collation) else sql
    return f"spark_lcase_key({text})" if is_lcase(type.collation) else text


def only_one(sql: str) -> str:
    """The value of a group; falls back if it has several strings that are equal under the collation, since Spark's row
    order decides which one it returns."""
    several = not_native(reasons.COLLATION_GROUPS, "GROUP BY")
    return f"(CASE WHEN min({sql}) IS DISTINCT FROM max({sql}) THEN {several} ELSE min({sql}) END)"


def write_key(call: Any, value: str) -> str:
    return key_sql(value, call.arguments[0].type)


def internal(name: str, writer: Any) -> Signature:
    """Registers a function that analysis inserts and that users cannot call."""
    return Signature(name, (), "", None, writer)


KEY = internal("collation_key", write_key)
BARE = internal("uncollated", "{0}")
TRIMMED = internal("without_spaces_at_end", "rtrim({0}, ' ')")


# ---- functions under UTF8_LCASE

PART = "CASE WHEN {2} = 0 THEN " + error("INVALID_INDEX_OF_ZERO") + " ELSE spark_lcase_split_part({0}, {1}, {2}) END"
LCASE: dict[str, str] = {
    "contains": "(spark_lcase_find({0}, {1}, 0) >= 0)",
    "startswith": "spark_lcase_starts({0}, {1})",
    "endswith": "spark_lcase_ends({0}, {1})",
    "instr": "(spark_lcase_find({0}, {1}, 0) + 1)",
    "locate": (
        "(CASE WHEN {2} IS NULL THEN 0 WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN {2} < 1 THEN 0 "
        "WHEN {0} = '' THEN 1 ELSE spark_lcase_find({1}, {0}, {2} - 1) + 1 END)"
    ),
    "replace": "spark_lcase_replace({0}, {1}, {2})",
    "substring_index": "spark_lcase_substring_index({0}, {1}, {2})",
    "split_part": "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND {2} IS NOT NULL THEN " + PART + " END",
    "translate": "spark_lcase_translate({0}, {1}, {2})",
    "find_in_set": "spark_find_in_set(spark_lcase_key({0}), spark_lcase_key({1}))",
}
SIDES = {"trim": 3, "btrim": 3, "ltrim": 1, "rtrim": 2}
SMALL_LETTERS, KEEPS_SPACES = 4, 8
# The arguments whose trailing spaces are removed if the collation ignores them (CollationSupport).
LOSE_SPACES = {"contains": (0, 1), "startswith": (0, 1), "endswith": (0, 1), "instr": (1,), "locate": (0,)} | {
    "substring_index": (1,),
    "split_part": (1,),
    "find_in_set": (0,),
    "replace": (),
    "translate": (),
    **dict.fromkeys(SIDES, ()),
}


def searching_writer(name: str, collation: str) -> str | None:
    """The SQL of a search function under the collation; None if it is the same as without."""
    if name in SIDES:
        return trimming_writer(name, collation)
    writer = LCASE[name] if is_lcase(collation) else None
    if name == "find_in_set" and ignores_spaces(collation):
        writer = writer or "spark_find_in_set({0}, {1})"
        return writer.replace("{1}", r"regexp_replace({1}, ' +(,|$)', '\1', 'g')")
    return writer


def trimming_writer(name: str, collation: str) -> str:
    """Functions that trim the end keep trailing spaces (CollationFactory.ignoresSpacesInTrimFunctions)."""
    how = SIDES[name] + SMALL_LETTERS * is_lcase(collation)
    how += KEEPS_SPACES * (ignores_spaces(collation) and name != "ltrim")
    source, characters = ("{0}", "{1}") if name == "btrim" else ("{1}", "{0}")
    return f"spark_collation_trim({source}, {characters}, {how})"
