"""Variant functions: a variant is a struct of two BLOBs (value and metadata), which the extension builds and reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.casts.castable import can_ansi_cast
from twinspark.functions.casts.variants import FromVariant, castable_with_variant, to_variant
from twinspark.functions.notation.registry import AGGREGATE, GENERATOR, fn
from twinspark.functions.notation.schema_texts import schema_of
from twinspark.functions.notation.typing import Call, Typed, quote_expression, type_text, unexpected_input_type
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
from twinspark.types.duckdb import duck_text

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
    """`nullable` is None if the result is null exactly when the argument is."""

    def rule(call: Call) -> Typed:
        check_variant(call)
        return Typed(result, call.any_nullable if nullable is None else nullable, [VARIANT])

    return rule


def check_variant(call: Call) -> None:
    if not (isinstance(call.types[0], VariantType) or is_null(call.types[0])):
        raise unexpected_input_type(call, 0, '"VARIANT"')


SCHEMA = "(CASE WHEN {0} IS NOT NULL THEN spark_schema_of_variants([{0}]) END)"


class Parsed(NamedTuple):
    """A string that is parsed as a variant: its SQL, and whether by try_parse_json."""

    sql: str
    tried: str


def parsed_text(variant: str) -> Parsed | None:
    """If a variant is parsed only to extract a value, the variant need not be built (variantextract.c)."""
    for tried in ("", "try_"):
        if variant.startswith(f"spark_{tried}parse_json("):
            return Parsed(variant.removeprefix(f"spark_{tried}parse_json(").removesuffix(")"), tried)
    return None


def is_variant_null(call: Any, variant: str) -> str:
    if parsed := parsed_text(variant):
        return f"coalesce(spark_{parsed.tried}json_is_null({parsed.sql}), false)"
    return f"coalesce(spark_variant_kind({variant}) = 2, false)"


def is_valid_variant(call: Any, variant: str) -> str:
    """The result of parse_json is always valid or null."""
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


def variant_get_type(call: Call) -> Typed:
    check_variant(call)
    if not is_string(call.types[1]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with a path that is not a string")
    check_path(call.arguments[1])
    target = target_type(call) if len(call.arguments) > 2 else VARIANT
    shown = f"{call.name}({call.arguments[0].text}, {call.arguments[1].text})"
    casts = [VARIANT, STRING, *([None] * (len(call.arguments) - 2))]
    return Typed(target, True, casts, writer=variant_get_writer(target, call.name), text=shown)


def check_path(path: Any) -> None:
    """A constant path is parsed before the query runs: an invalid path is an error even if there are no rows."""
    constant = getattr(path, "value", path)
    if constant is None or (isinstance(constant, str) and not PATH.fullmatch(constant)):
        raise NotNative(reasons.VARIANT_PATH, "a path that is null or not valid")


def target_type(call: Call) -> DataType:
    named = getattr(call.arguments[2], "value", None)
    if not isinstance(named, str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the type")
    try:
        type = as_nullable(schema_of(named))
    except SparkError as error:
        raise NotNative(reasons.ERROR_MESSAGE, f"{call.name} with a type that is not valid") from error
    if not castable_with_variant(type, nested=True):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=quote_expression(f"{call.name}({call.arguments[0].text}, {call.arguments[1].text})"),
            srcType=type_text(VARIANT),
            targetType=type_text(type),
        )
    return type


def variant_get_writer(target: DataType, name: str) -> Callable[..., str]:
    def write(made: Any, value: str, path: str, *type: str) -> str:
        found = f"spark_variant_get({value}, {path}, {duck_text(name)})"
        if isinstance(target, VariantType):
            return found
        if hasattr(made.arguments[1], "value") and (parsed := parsed_text(value)):
            found = f"spark_{parsed.tried}json_part({parsed.sql}, {path})"
        fails = name == "variant_get"
        return FromVariant(fails, made.settings, cast_sql, can_ansi_cast).write(found, target)

    return write


for name in ("variant_get", "try_variant_get"):
    fn(f"{name}(any, any)", "", rule=variant_get_type)
    fn(f"{name}(any, any, any)", "", rule=variant_get_type)


# ---- to_variant_object, variant_explode


def object_type(call: Call) -> Typed:
    type = call.types[0]
    if not isinstance(type, ArrayType | MapType | StructType) or not castable_with_variant(type, nested=True):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=quote_expression(call.text),
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
