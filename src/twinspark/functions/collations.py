"""Collations: their names, the keys that strings are compared by, and how functions answer under those without ICU."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.listings import lines_of
from twinspark.functions.registry import Signature
from twinspark.functions.spelling import error, quoted_name
from twinspark.types import (
    STRING,
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    has_collation,
    is_collated,
    nested_types,
)

UTF8_BINARY, UTF8_LCASE = "UTF8_BINARY", "UTF8_LCASE"
RTRIM = "_RTRIM"
INDETERMINATE = "null"  # the name of IndeterminateStringType's
WITHOUT_ICU = frozenset({UTF8_BINARY, UTF8_LCASE, UTF8_BINARY + RTRIM, UTF8_LCASE + RTRIM})
SPECIFIERS = ("CS", "CI", "AS", "AI", "RTRIM")
_keys = itertools.count(1)


# ---- names


@cache
def locales() -> dict[str, str]:
    """ICU's, as Spark spells them, by their names in capitals."""
    names = [line.split("\t")[0] for line in lines_of("spark_collations.txt")]
    return {name.upper(): name for name in names}


@cache
def normalized(name: str) -> str:
    """The name as Spark spells it (`sr_ai_ci` -> `sr_CI_AI`); how Spark refuses others only Spark can tell."""
    parts = name.upper().split(".")
    if parts[:-1] not in ([], ["SYSTEM", "BUILTIN"]):
        raise NotNative(f"collation {name}")
    if parts[-1] in WITHOUT_ICU:
        return parts[-1]
    base, told = split_specifiers(parts[-1])
    if base not in locales() or len(set(told)) < len(told) or {"CS", "CI"} <= set(told) or {"AS", "AI"} <= set(told):
        raise NotNative(f"collation {name}")
    kept = [one for one in ("CI", "AI", "RTRIM") if one in told]
    return "_".join([locales()[base], *kept])


def split_specifiers(name: str) -> tuple[str, list[str]]:
    told: list[str] = []
    while (base := name.rpartition("_"))[2] in SPECIFIERS and base[0]:
        name = base[0]
        told.append(base[2])
    return name, told


def collated(type: DataType, collation: str) -> DataType:
    """The type with all strings in it of the collation."""
    return with_strings(type, StringType(collation))


def with_strings(type: DataType, string: StringType) -> DataType:
    match type:
        case StructType():
            return StructType(
                [StructField(f.name, with_strings(f.dataType, string), f.nullable, f.metadata) for f in type.fields]
            )
        case ArrayType():
            return ArrayType(with_strings(type.elementType, string), type.containsNull)
        case MapType():
            key, value = with_strings(type.keyType, string), with_strings(type.valueType, string)
            return MapType(key, value, type.valueContainsNull)
        case StringType():
            return string
    return type


def is_indeterminate(type: DataType) -> bool:
    return any(isinstance(part, StringType) and part.collation == INDETERMINATE for part in nested_types(type))


def uncollated(type: DataType) -> DataType:
    return with_strings(type, STRING) if has_collation(type) else type


def with_normal_names(type: DataType) -> DataType:
    """A type that a client wrote, its collations spelled as Spark spells them."""
    match type:
        case StructType():
            fields = [StructField(f.name, with_normal_names(f.dataType), f.nullable, f.metadata) for f in type.fields]
            return StructType(fields)
        case ArrayType():
            return ArrayType(with_normal_names(type.elementType), type.containsNull)
        case MapType():
            key, value = with_normal_names(type.keyType), with_normal_names(type.valueType)
            return MapType(key, value, type.valueContainsNull)
    return StringType(normalized(type.collation)) if is_collated(type) else type


# ---- keys


def is_lcase(collation: str) -> bool:
    return collation.startswith(UTF8_LCASE)


def ignores_spaces(collation: str) -> bool:
    return collation.endswith(RTRIM)


def check_without_icu(collation: str) -> None:
    if collation not in WITHOUT_ICU:
        raise NotNative(f"comparing by the collation {collation}")


def key_sql(sql: str, type: DataType) -> str:
    """What Spark compares, sorts and groups by (CollationFactory: the sort key's bytes)."""
    if not has_collation(type):
        return sql
    if isinstance(type, ArrayType):
        element = f"key_{next(_keys)}_"
        return f"list_transform({sql}, lambda {element}: {key_sql(element, type.elementType)})"
    if isinstance(type, StructType):
        return struct_key(sql, type)
    if not isinstance(type, StringType):
        raise NotNative("comparing maps with collations inside")
    check_without_icu(type.collation)
    text = f"rtrim({sql}, ' ')" if ignores_spaces(type.collation) else sql
    return f"spark_lcase_key({text})" if is_lcase(type.collation) else text


def struct_key(sql: str, type: StructType) -> str:
    fields = [(quoted_name(f.name), f.dataType) for f in type.fields]
    parts = [f"{name} := {key_sql(f'({sql}).{name}', each)}" for name, each in fields]
    return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"


def only_one(sql: str) -> str:
    """A group's value: which of several equal ones Spark shows depends on the order in which it meets them."""
    several = not_native("groups of strings that are equal under their collation and yet differ")
    return f"(CASE WHEN min({sql}) IS DISTINCT FROM max({sql}) THEN {several} ELSE min({sql}) END)"


def write_key(call: Any, value: str) -> str:
    return key_sql(value, call.arguments[0].type)


def internal(name: str, writer: Any) -> Signature:
    """What analysis puts around arguments; not a function that anybody can call."""
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
# Which arguments lose the spaces at their end where a collation ignores them (CollationSupport).
LOSE_SPACES = {"contains": (0, 1), "startswith": (0, 1), "endswith": (0, 1), "instr": (1,), "locate": (0,)} | {
    "substring_index": (1,),
    "split_part": (1,),
    "find_in_set": (0,),
    "replace": (),
    "translate": (),
    **dict.fromkeys(SIDES, ()),
}


def searching_writer(name: str, collation: str) -> str | None:
    """How a function that searches is spelled under the collation; None: as always."""
    if name in SIDES:
        return trimming_writer(name, collation)
    writer = LCASE[name] if is_lcase(collation) else None
    if name == "find_in_set" and ignores_spaces(collation):
        writer = writer or "spark_find_in_set({0}, {1})"
        return writer.replace("{1}", r"regexp_replace({1}, ' +(,|$)', '\1', 'g')")
    return writer


def trimming_writer(name: str, collation: str) -> str:
    """Spaces at the end are kept by what trims the end (CollationFactory.ignoresSpacesInTrimFunctions)."""
    how = SIDES[name] + SMALL_LETTERS * is_lcase(collation)
    how += KEEPS_SPACES * (ignores_spaces(collation) and name != "ltrim")
    source, characters = ("{0}", "{1}") if name == "btrim" else ("{1}", "{0}")
    return f"spark_collation_trim({source}, {characters}, {how})"
