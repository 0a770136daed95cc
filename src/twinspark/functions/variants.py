"""Variant functions: a variant is a struct of Spark's two byte strings, which the extension builds and reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from twinspark.errors import NotNative, SparkError
from twinspark.functions.castable import can_ansi_cast
from twinspark.functions.casts import cast_sql
from twinspark.functions.registry import AGGREGATE, GENERATOR, fn
from twinspark.functions.schema_texts import schema_of
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed, quoted, type_text, unexpected_input_type
from twinspark.functions.variant_casts import FromVariant, castable_with_variant, to_variant
from twinspark.types import (
    BOOLEAN,
    INT,
    STRING,
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    VariantType,
    as_nullable,
    is_null,
    is_string,
)

PATH = re.compile(r"""\$(\.[^.\[]+|\['[^']*'\]|\["[^"]*"\]|\[\d{1,9}\])*""", re.S | re.A)


def of_string(nullable: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if not (is_string(call.types[0]) or is_null(call.types[0])):
            raise unexpected_input_type(call, 0, '"STRING"')
        return Typed(VARIANT, nullable or call.any_nullable, [STRING])

    return rule


fn("parse_json(any)", "spark_parse_json({0})", rule=of_string(nullable=False))
fn("try_parse_json(any)", "spark_try_parse_json({0})", rule=of_string(nullable=True))


def of_variant(result: DataType, nullable: bool | None = None) -> Callable[[Call], Typed]:
    """`nullable` None: when the argument is."""

    def rule(call: Call) -> Typed:
        check_variant(call)
        return Typed(result, call.any_nullable if nullable is None else nullable, [VARIANT])

    return rule


def check_variant(call: Call) -> None:
    if not (isinstance(call.types[0], VariantType) or is_null(call.types[0])):
        raise unexpected_input_type(call, 0, '"VARIANT"')


SCHEMA = "(CASE WHEN {0} IS NOT NULL THEN spark_schema_of_variants([{0}]) END)"


class Parsed(NamedTuple):
    """A text that becomes a variant: its SQL, and the mark of parsing that tries."""

    sql: str
    tried: str


def parsed_text(variant: str) -> Parsed | None:
    """Where a variant is made of a text only to be looked at, it need not be built (duck/native/variantparts.c)."""
    for tried in ("", "try_"):
        if variant.startswith(f"spark_{tried}parse_json("):
            return Parsed(variant.removeprefix(f"spark_{tried}parse_json(").removesuffix(")"), tried)
    return None


def is_variant_null(call: Any, variant: str) -> str:
    if parsed := parsed_text(variant):
        return f"coalesce(spark_{parsed.tried}json_is_null({parsed.sql}), false)"
    return f"coalesce(spark_variant_kind({variant}) = 2, false)"


def is_valid_variant(call: Any, variant: str) -> str:
    """What is parsed is valid, or null."""
    if parsed := parsed_text(variant):
        return f"(spark_{parsed.tried}json_is_null({parsed.sql}) >= false)"
    return f"spark_is_valid_variant({variant})"


fn("is_variant_null(any)", is_variant_null, rule=of_variant(BOOLEAN, False))
fn("is_valid_variant(any)", is_valid_variant, rule=of_variant(BOOLEAN))
fn("schema_of_variant(any)", SCHEMA, rule=of_variant(STRING))
fn(
    "schema_of_variant_agg(any)",
    "coalesce(spark_schema_of_variants(list({0}){suffix}), 'VOID')",
    kind=AGGREGATE,
    rule=of_variant(STRING, False),
)


# ---- variant_get


def got_type(call: Call) -> Typed:
    check_variant(call)
    if not is_string(call.types[1]):
        raise NotNative(f"{call.name} with a path that is no string")
    check_path(call.arguments[1])
    target = target_type(call) if len(call.arguments) > 2 else VARIANT
    shown = f"{call.name}({call.arguments[0].text}, {call.arguments[1].text})"
    casts = [VARIANT, STRING, *([None] * (len(call.arguments) - 2))]
    return Typed(target, True, casts, writer=got_writer(target, call.name), text=shown)


def check_path(path: Any) -> None:
    """A constant path is read once, before any row: what is wrong in it shows even where there is no row."""
    constant = getattr(path, "value", path)
    if constant is None or (isinstance(constant, str) and not PATH.fullmatch(constant)):
        raise NotNative("a path that is null or refused")


def target_type(call: Call) -> DataType:
    named = getattr(call.arguments[2], "value", None)
    if not isinstance(named, str):
        raise NotNative(f"{call.name} with a type that is no constant")
    try:
        type = as_nullable(schema_of(named))
    except SparkError as error:
        raise NotNative(f"{call.name} with a type that is refused") from error
    if not castable_with_variant(type, nested=True):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=quoted(f"{call.name}({call.arguments[0].text}, {call.arguments[1].text})"),
            srcType=type_text(VARIANT),
            targetType=type_text(type),
        )
    return type


def got_writer(target: DataType, name: str) -> Callable[..., str]:
    def write(made: Any, value: str, path: str, *type: str) -> str:
        found = f"spark_variant_get({value}, {path}, {text(name)})"
        if isinstance(target, VariantType):
            return found
        if hasattr(made.arguments[1], "value") and (parsed := parsed_text(value)):
            found = f"spark_{parsed.tried}json_part({parsed.sql}, {path})"
        fails = name == "variant_get"
        return FromVariant(fails, made.settings, cast_sql, can_ansi_cast).write(found, target)

    return write


for name in ("variant_get", "try_variant_get"):
    fn(f"{name}(any, any)", "", rule=got_type)
    fn(f"{name}(any, any, any)", "", rule=got_type)


# ---- to_variant_object, variant_explode


def object_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, ArrayType | MapType | StructType) or not castable_with_variant(type, nested=True):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=quoted(call.text),
            srcType=type_text(type),
            targetType=type_text(VARIANT),
        )
    return Typed(VARIANT, call.any_nullable, writer=lambda made, value: to_variant(value, type))


fn("to_variant_object(any)", "", rule=object_type)


def exploded_type(call: Call) -> Typed:
    check_variant(call)
    fields = [StructField("pos", INT, False), StructField("key", STRING, True), StructField("value", VARIANT, False)]
    return Typed(StructType(fields), False, [VARIANT])


for name in ("variant_explode", "variant_explode_outer"):
    fn(f"{name}(any)", "", kind=GENERATOR, rule=exploded_type)
