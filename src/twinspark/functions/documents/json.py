"""JSON functions: get_json_object, json_tuple, to_json, schema_of_json; the extension parses JSON as Jackson does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.notation.registry import GENERATOR, fn
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    is_null_constant,
    non_foldable_input,
    quote_expression,
    type_text,
    unexpected_input_type,
    unexpected_null,
)
from twinspark.functions.time.time_parser_policy import check_legacy_patterns
from twinspark.types import (
    INT,
    NULL,
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
    TimeType,
    VariantType,
    has_variant,
    is_null,
    is_string,
    nested_types,
)
from twinspark.types.duckdb import ValueRewriter, duck_text


def of_strings(result: DataType) -> Callable[[Call], Typed]:
    """Arguments must be strings, since these functions cast nothing; malformed JSON returns null."""

    def rule(call: Call) -> Typed:
        for index, type in enumerate(call.types):
            if not is_string(type) and not is_null(type):
                raise unexpected_input_type(call, index, type_text(STRING))
        return Typed(result, True, [STRING] * len(call.arguments))

    return rule


fn("get_json_object(any, any)", "spark_get_json_object({0}, {1})", rule=of_strings(STRING))
fn("json_array_length(any)", "spark_json_array_length({0})", rule=of_strings(INT))
fn("json_object_keys(any)", "spark_json_object_keys({0})", rule=of_strings(ArrayType(STRING, True)))


MOST_FIELDS = 48  # that the extension extracts from one text (native.h)


def tuple_type(call: Call) -> Typed:
    if len(call.arguments) < 2:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "json_tuple without fields")
    if not all(map(is_string, call.types)):
        raise SparkError(
            "DATATYPE_MISMATCH.NON_STRING_TYPE", sqlExpr=quote_expression(call.text), funcName="`json_tuple`"
        )
    if len(call.arguments) > MOST_FIELDS + 1:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "json_tuple of so many fields")
    fields = [StructField(f"c{i}", STRING, True) for i in range(len(call.arguments) - 1)]
    return Typed(StructType(fields), False)


fn("json_tuple(any, any...+)", "", kind=GENERATOR, rule=tuple_type)


# ---- schema_of_json

SCHEMA_LETTERS = {
    "allownumericleadingzeros": "z",
    "allowunquotedfieldnames": "o",
    "primitivesasstring": "p",
    "dropfieldifallnull": "d",
}


def schema_letters(call: Call) -> str:
    options = checked_options(call, 1, dict.fromkeys(SCHEMA_LETTERS, TRUTH))
    return "".join(SCHEMA_LETTERS[name] for name, value in options.items() if value.lower() == "true")


def schema_of_json_type(call: Call) -> Typed:
    source = call.arguments[0]
    check_document(replace(call, text=f"schema_of_json({source.text})"), "json")
    if not isinstance(getattr(source, "value", None), str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "schema_of_json: the document")
    letters = schema_letters(call)

    def write(made: Any, value: str, *options: str) -> str:
        return f"spark_schema_of_json({value}, {duck_text(letters)})"

    return Typed(STRING, False, writer=write, text=f"schema_of_json({source.text})")


def check_document(call: Call, name: str) -> None:
    """The checks of SchemaOfJson, SchemaOfCsv and SchemaOfXml: a constant that is not null; those of the options take
    precedence."""
    for options in call.arguments[1:]:
        check_options(options)
    if not is_foldable(call.arguments[0]):
        raise non_foldable_input(call, 0, name)
    if is_null_constant(call.arguments[0]):
        raise unexpected_null(call, name)
    if name != "json" and not is_string(call.types[0]):
        raise unexpected_input_type(call, 0, type_text(STRING))


fn("schema_of_json(any)", "", rule=schema_of_json_type)
fn("schema_of_json(any, any)", "", rule=schema_of_json_type)


# ---- to_json

TIMESTAMP_PATTERN = "yyyy-MM-dd''T''HH:mm:ss.SSSXXXXX"
NTZ_PATTERN = "yyyy-MM-dd''T''HH:mm:ss.SSS"
SIMPLE_PATTERN = re.compile(r"[yMdHmsS/:. -]+")
TRUTH = re.compile("(?i)true|false")
CLOCK_PATTERN = re.compile("HH[:-]mm([:-]ss([.]S{1,6})?)?")  # as TIME is read and written
WRITE_PATTERNS = {"timestampformat": SIMPLE_PATTERN, "dateformat": SIMPLE_PATTERN, "timeformat": CLOCK_PATTERN}
WRITE_OPTIONS = {"ignorenullfields": TRUTH, **WRITE_PATTERNS}
WRITTEN_AS_IT_IS = BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DecimalType
WRITTEN_AS_TEXT = BinaryType | NullType | VariantType
KEYS = BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType


def check_options(argument: Any) -> None:
    """The checks of ExprUtils.convertToMapData: a call of map() with strings."""
    if getattr(argument, "name", "") != "map":
        raise SparkError("INVALID_OPTIONS.NON_MAP_FUNCTION")
    type = argument.type if argument.arguments else MapType(NULL, NULL)
    if not (is_string(type.keyType) and is_string(type.valueType)):
        raise SparkError("INVALID_OPTIONS.NON_STRING_TYPE", mapType=type_text(type))


def constant_options(argument: Any) -> dict[str, str]:
    """The options of a call: a map of constant strings, with names in lower case."""
    check_options(argument)
    parts = [getattr(part, "value", None) for part in getattr(argument, "arguments", ())]
    if getattr(argument, "name", "") != "map" or not all(isinstance(part, str) for part in parts):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "the options")
    return {str(name).lower(): str(value) for name, value in zip(parts[0::2], parts[1::2], strict=True)}


def checked_options(call: Any, index: int, known: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    """The options in the argument at this index; falls back for unknown names or values."""
    options = constant_options(call.arguments[index]) if len(call.arguments) > index else {}
    for name, value in options.items():
        if name not in known or not known[name].fullmatch(value):
            raise NotNative(reasons.FUNCTION_OPTION, f"{call.name} with {name} = {value!r}")
    return options


def check_schema(schema: Any, function: str) -> None:
    """The checks of ExprUtils.evalTypeExpr: a constant string, or the result of schema_of_json and similar."""
    if getattr(schema, "name", "") == function:
        return
    if not is_foldable(schema) or (hasattr(schema, "value") and not isinstance(schema.value, str)):
        raise SparkError("INVALID_SCHEMA.NON_STRING_LITERAL", inputSchema=quote_expression(schema.text))


def check_json_type(type: DataType) -> None:
    if isinstance(type, ArrayType):
        check_json_type(type.elementType)
    elif isinstance(type, MapType):
        if not isinstance(type.keyType, KEYS) and not is_string(type.keyType):
            raise NotNative(
                reasons.FUNCTION_ARGUMENT_TYPE, f"to_json of a map whose keys are {type.keyType.simpleString()}"
            )
        check_json_type(type.valueType)
    elif isinstance(type, StructType):
        for field in type.fields:
            check_json_type(field.dataType)
    elif not (isinstance(type, WRITTEN_AS_IT_IS | WRITTEN_AS_TEXT) or is_string(type) or is_moment(type)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"to_json of {type.simpleString()}")


def is_moment(type: DataType) -> bool:
    return isinstance(type, DateType | TimestampType | TimestampNTZType | TimeType)


def to_json_type(call: Call) -> Typed:
    type = call.types[0]
    if len(call.arguments) > 1:
        check_options(call.arguments[1])
    if isinstance(type, VariantType) and len(call.arguments) == 1:
        return Typed(STRING, True, writer=variant_writer)
    if not isinstance(type, ArrayType | MapType | StructType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "to_json of a value that is not a struct, array or map")
    check_json_type(type)
    check_legacy_patterns("to_json", type, call.settings)
    options = checked_options(call, 1, WRITE_OPTIONS)
    return Typed(STRING, True, text=f"to_json({call.arguments[0].text})", writer=json_writer(options))


def json_writer(options: dict[str, str]) -> Callable[..., str]:
    ignored = options.get("ignorenullfields", "true").lower()
    patterns = {name: options.get(name) for name in WRITE_PATTERNS}

    def write(call: Any, value: str, *options: str) -> str:
        shown = to_json_values(value, call.arguments[0].type, patterns, call.settings)
        zone = f", {duck_text(call.settings.zone)}" if has_variant(call.arguments[0].type) else ""
        return f"spark_to_json({shown}, {ignored}{zone})"

    return write


def variant_writer(call: Any, value: str) -> str:
    return f"spark_variant_json({value}, {duck_text(call.settings.zone)})"


def needs_text(type: DataType) -> bool:
    return any(is_moment(t) or isinstance(t, BinaryType) for t in nested_types(type))


def to_json_values(sql: str, type: DataType, patterns: dict[str, str | None], settings: Settings) -> str:
    """Replaces dates, timestamps and binary values by the strings that JSON contains for them."""

    def leaf(value: str, kind: DataType) -> str:
        return leaf_text(value, kind, patterns, settings)

    return ValueRewriter(leaf, needs_text, "j", keys=False).rewrite(sql, type)


def leaf_text(sql: str, type: DataType, patterns: dict[str, str | None], settings: Settings) -> str:
    if isinstance(type, BinaryType):
        return f"to_base64({sql})"
    if isinstance(type, DateType):
        pattern = patterns["dateformat"]
        if pattern is None:
            return cast_sql(sql, type, STRING, "ansi", settings)
        return as_if_utc(f"CAST({sql} AS TIMESTAMP)", pattern)
    if isinstance(type, TimeType):
        return clock_text(sql, type, patterns["timeformat"], settings)
    custom = patterns["timestampformat"]
    if isinstance(type, TimestampNTZType):
        return as_if_utc(sql, NTZ_PATTERN)
    return f"spark_date_format({sql}, '{custom or TIMESTAMP_PATTERN}', {duck_text(settings.zone)})"


def clock_text(sql: str, type: DataType, pattern: str | None, settings: Settings) -> str:
    """The default pattern stands for all digits of the fraction (TimeFormatter.getFractionFormatter)."""
    if pattern in (None, "HH:mm:ss"):
        return cast_sql(sql, type, STRING, "ansi", settings)
    return as_if_utc(f"make_timestamp({sql} // 1000)", str(pattern))


def as_if_utc(local: str, pattern: str) -> str:
    return f"spark_date_format(make_timestamptz(epoch_us({local})), '{pattern}', 'UTC')"


fn("to_json(any)", "", rule=to_json_type)
fn("to_json(any, any)", "", rule=to_json_type)
