"""JSON functions: the extension reads and writes JSON as Jackson does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.casts import cast_sql
from twinspark.functions.registry import GENERATOR, fn
from twinspark.functions.settings import Settings
from twinspark.functions.spelling import duck_type, quoted_name, text
from twinspark.functions.time_parser import refuse_old_patterns
from twinspark.functions.typing import Call, Typed, quoted
from twinspark.types import (
    INT,
    STRING,
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    has_variant,
    is_null,
    is_string,
    nested_types,
)


def of_strings(result: DataType) -> Callable[[Call], Typed]:
    """Nothing is cast to a string here; what is malformed gives null."""

    def rule(call: Call) -> Typed:
        if not all(is_string(t) or is_null(t) for t in call.types):
            raise NotNative(f"{call.name} of what are no strings")
        return Typed(result, True, [STRING] * len(call.arguments))

    return rule


fn("get_json_object(any, any)", "spark_get_json_object({0}, {1})", rule=of_strings(STRING))
fn("json_array_length(any)", "spark_json_array_length({0})", rule=of_strings(INT))
fn("json_object_keys(any)", "spark_json_object_keys({0})", rule=of_strings(ArrayType(STRING, True)))


MOST_FIELDS = 48  # that the extension makes of one text (native.h)


def tuple_type(call: Call) -> Typed:
    if len(call.arguments) < 2:
        raise NotNative("json_tuple without fields")
    if not all(map(is_string, call.types)):
        raise SparkError("DATATYPE_MISMATCH.NON_STRING_TYPE", sqlExpr=quoted(call.text), funcName="`json_tuple`")
    if len(call.arguments) > MOST_FIELDS + 1:
        raise NotNative("json_tuple of so many fields")
    fields = [StructField(f"c{i}", STRING, True) for i in range(len(call.arguments) - 1)]
    return Typed(StructType(fields), False)


fn("json_tuple(any, any...)", "", kind=GENERATOR, rule=tuple_type)


# ---- schema_of_json

SCHEMA_LETTERS = {
    "allownumericleadingzeros": "z",
    "allowunquotedfieldnames": "o",
    "primitivesasstring": "p",
    "dropfieldifallnull": "d",
}


def schema_letters(call: Call) -> str:
    options = constant_options(call.arguments[1]) if len(call.arguments) > 1 else {}
    if not all(name in SCHEMA_LETTERS and value.lower() in ("true", "false") for name, value in options.items()):
        raise NotNative(f"{call.name} with such options")
    return "".join(SCHEMA_LETTERS[name] for name, value in options.items() if value.lower() == "true")


def schema_of_json_type(call: Call) -> Typed:
    source = call.arguments[0]
    if not isinstance(getattr(source, "value", None), str):
        raise NotNative("schema_of_json of what is no constant string")
    letters = schema_letters(call)

    def write(made: Any, value: str, *options: str) -> str:
        return f"spark_schema_of_json({value}, {text(letters)})"

    return Typed(STRING, False, writer=write, text=f"schema_of_json({source.text})")


fn("schema_of_json(any)", "", rule=schema_of_json_type)
fn("schema_of_json(any, any)", "", rule=schema_of_json_type)


# ---- to_json

TIMESTAMP_PATTERN = "yyyy-MM-dd''T''HH:mm:ss.SSSXXXXX"
NTZ_PATTERN = "yyyy-MM-dd''T''HH:mm:ss.SSS"
SIMPLE_PATTERN = re.compile(r"[yMdHmsS/:. -]+")
WRITTEN_AS_IT_IS = BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DecimalType
WRITTEN_AS_TEXT = BinaryType | NullType | VariantType
KEYS = BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType


def constant_options(argument: Any) -> dict[str, str]:
    """The options of a call: a map of constant strings; their names are taken in lower case."""
    parts = [getattr(part, "value", None) for part in getattr(argument, "arguments", ())]
    if getattr(argument, "name", "") != "map" or not all(isinstance(part, str) for part in parts):
        raise NotNative("options that are no constant strings")
    return {str(name).lower(): str(value) for name, value in zip(parts[0::2], parts[1::2], strict=True)}


def check_written(type: DataType) -> None:
    if isinstance(type, ArrayType):
        check_written(type.elementType)
    elif isinstance(type, MapType):
        if not isinstance(type.keyType, KEYS) and not is_string(type.keyType):
            raise NotNative(f"to_json of a map whose keys are {type.keyType.simpleString()}")
        check_written(type.valueType)
    elif isinstance(type, StructType):
        for field in type.fields:
            check_written(field.dataType)
    elif not (isinstance(type, WRITTEN_AS_IT_IS | WRITTEN_AS_TEXT) or is_string(type) or is_moment(type)):
        raise NotNative(f"to_json of {type.simpleString()}")


def is_moment(type: DataType) -> bool:
    return isinstance(type, DateType | TimestampType | TimestampNTZType)


def to_json_type(call: Call) -> Typed:
    type = call.types[0]
    if isinstance(type, VariantType) and len(call.arguments) == 1:
        return Typed(STRING, True, writer=variant_writer)
    if not isinstance(type, ArrayType | MapType | StructType):
        raise NotNative("to_json of what is no struct, array or map")
    check_written(type)
    refuse_old_patterns("to_json", type, call.settings)
    options = constant_options(call.arguments[1]) if len(call.arguments) > 1 else {}
    if set(options) - {"ignorenullfields", "timestampformat", "dateformat"}:
        raise NotNative("to_json with such options")
    return Typed(STRING, True, text=f"to_json({call.arguments[0].text})", writer=json_writer(options))


def json_writer(options: dict[str, str]) -> Callable[..., str]:
    ignored = options.get("ignorenullfields", "true").lower()
    patterns = {name: options.get(name) for name in ("timestampformat", "dateformat")}
    if ignored not in ("true", "false") or not all(p is None or SIMPLE_PATTERN.fullmatch(p) for p in patterns.values()):
        raise NotNative("to_json with such options")

    def write(call: Any, value: str, *options: str) -> str:
        shown = prepared(value, call.arguments[0].type, patterns, call.settings)
        zone = f", {text(call.settings.zone)}" if has_variant(call.arguments[0].type) else ""
        return f"spark_to_json({shown}, {ignored}{zone})"

    return write


def variant_writer(call: Any, value: str) -> str:
    return f"spark_variant_json({value}, {text(call.settings.zone)})"


def needs_text(type: DataType) -> bool:
    return any(is_moment(t) or isinstance(t, BinaryType) for t in nested_types(type))


def prepared(sql: str, type: DataType, patterns: dict[str, str | None], settings: Settings, depth: int = 0) -> str:
    """Dates, timestamps and bytes become the strings that are written for them."""
    if not needs_text(type):
        return sql
    key = f"j{depth}"
    if isinstance(type, ArrayType):
        inner = prepared(key, type.elementType, patterns, settings, depth + 1)
        return f"list_transform({sql}, lambda {key}: {inner})"
    if isinstance(type, MapType):
        inner = prepared(key, type.valueType, patterns, settings, depth + 1)
        values = f"list_transform(map_values({sql}), lambda {key}: {inner})"
        return f"(CASE WHEN {sql} IS NOT NULL THEN MAP(map_keys({sql}), {values}) END)"
    if isinstance(type, StructType):
        duck_type(type)
        names = (quoted_name(field.name) for field in type.fields)
        parts = [
            f"{name} := {prepared(f'({sql}).{name}', field.dataType, patterns, settings, depth)}"
            for name, field in zip(names, type.fields, strict=True)
        ]
        return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
    return leaf_text(sql, type, patterns, settings)


def leaf_text(sql: str, type: DataType, patterns: dict[str, str | None], settings: Settings) -> str:
    if isinstance(type, BinaryType):
        return f"to_base64({sql})"
    if isinstance(type, DateType):
        pattern = patterns["dateformat"]
        if pattern is None:
            return cast_sql(sql, type, STRING, "ansi", settings)
        return as_if_utc(f"CAST({sql} AS TIMESTAMP)", pattern)
    custom = patterns["timestampformat"]
    if isinstance(type, TimestampNTZType):
        return as_if_utc(sql, NTZ_PATTERN)
    return f"spark_date_format({sql}, '{custom or TIMESTAMP_PATTERN}', {text(settings.zone)})"


def as_if_utc(local: str, pattern: str) -> str:
    return f"spark_date_format(make_timestamptz(epoch_us({local})), '{pattern}', 'UTC')"


fn("to_json(any)", "", rule=to_json_type)
fn("to_json(any, any)", "", rule=to_json_type)
