"""from_json: the extension rewrites JSON to fit the schema, DuckDB converts it, SQL parses dates and decimals."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.documents.json import CLOCK_PATTERN, MOST_FIELDS, check_schema, checked_options, schema_letters
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.schema_texts import schema_of, schema_of_json
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import Call, Typed, quote_expression, type_text
from twinspark.functions.time.time_parser_policy import check_legacy_patterns
from twinspark.types import (
    STRING,
    ArrayType,
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
    ShortType,
    StructField,
    StructType,
    TimestampType,
    TimeType,
    as_nullable,
    is_null,
    is_string,
    nested_types,
    same_type,
)
from twinspark.types.duckdb import duck_name, duck_text, duck_type

CORRUPT = "_corrupt_record"
_keys = itertools.count(1)
LETTERS: dict[type, str] = {
    BooleanType: "b",
    ByteType: "t",
    ShortType: "s",
    IntegerType: "i",
    LongType: "l",
    FloatType: "f",
    DoubleType: "d",
    DecimalType: "q",
    DateType: "Q",
    TimestampType: "Q",
    TimeType: "Q",
}
# Date patterns with an optional time that DateFormatter and TimestampFormatter parse alike.
DATE_PATTERN = r"(yyyy[/.-]MM[/.-]dd|dd[/.-]MM[/.-]yyyy|MM[/.-]dd[/.-]yyyy)"
TRUTH = re.compile("(?i)true|false")
OPTIONS = {
    "mode": re.compile("(?i)permissive|failfast"),
    "dateformat": re.compile(DATE_PATTERN),
    "timestampformat": re.compile(rf"{DATE_PATTERN}( HH:mm(:ss([.]SSS)?)?)?"),
    "timeformat": CLOCK_PATTERN,
    "columnnameofcorruptrecord": re.compile(".+", re.S),
    "allowsinglequotes": TRUTH,
    "allownonnumericnumbers": TRUTH,
    "allowunquotedcontrolchars": TRUTH,
    "allowunquotedfieldnames": TRUTH,
}
# Options with these values are passed to the extension as these letters.
OPTION_LETTERS = {
    ("allowsinglequotes", "false"): "q",
    ("allownonnumericnumbers", "false"): "n",
    ("allowunquotedcontrolchars", "true"): "u",
    ("allowunquotedfieldnames", "true"): "o",
    ("mode", "failfast"): "F",
    ("mode", "dropmalformed"): "D",
}
READ_LATER = DecimalType | DateType | TimestampType | TimeType  # types that DuckDB reads as strings at first


def letters(type: DataType, corrupt: str = "") -> str:
    """The schema in the extension's notation; `corrupt` is the column of the root that receives malformed documents."""
    if type == STRING:
        return "v"
    if isinstance(type, ArrayType):
        return f"[{letters(type.elementType)}"
    if isinstance(type, MapType) and type.keyType == STRING:
        return f"m{letters(type.valueType)}"
    if isinstance(type, StructType):
        if not type.fields:
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_json to a struct without fields")
        spelled = ("c" if n == corrupt else letters(f.dataType) for n, f in field_names(type))
        return "(" + "".join(f"{len(n.encode())}:{n}{s}" for n, s in zip(type.names, spelled, strict=True)) + ")"
    if type.__class__ not in LETTERS:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"from_json to {type.simpleString()}")
    return LETTERS[type.__class__]


def field_names(type: StructType) -> list[tuple[str, StructField]]:
    return [(field.name, field) for field in type.fields]


def check_corrupt(type: DataType, corrupt: str, letters: str, of_rows: bool) -> None:
    """Dates, timestamps and decimals are checked only after parsing, so they cannot be combined with a column for
    corrupt records, unless whole rows are read."""
    fields = {f.name: f.dataType for f in type.fields} if isinstance(type, StructType) else {}
    if fields.get(corrupt, STRING) != STRING:
        raise NotNative(
            reasons.FUNCTION_OPTION, "from_json: columnNameOfCorruptRecord names a column that is not a string"
        )
    unseen = [each for each in fields.values() if not isinstance(each, READ_LATER)] if of_rows else [type]
    later = any(isinstance(inner, READ_LATER) for each in unseen for inner in nested_types(each))
    if later and (corrupt in fields or set(letters) & {"F", "D"}):
        raise NotNative(
            reasons.FUNCTION_OPTION,
            "from_json to dates, timestamps or decimals, with FAILFAST or a column for corrupt records",
        )


def read_first(type: DataType) -> DataType:
    """The DuckDB type into which the JSON is converted first."""
    if isinstance(type, StructType):
        return StructType([StructField(f.name, read_first(f.dataType), True) for f in type.fields])
    if isinstance(type, ArrayType):
        return ArrayType(read_first(type.elementType), True)
    if isinstance(type, MapType):
        return MapType(type.keyType, read_first(type.valueType), True)
    return STRING if isinstance(type, READ_LATER) else type


def read_members(values: str, type: DataType, settings: Settings, patterns: dict[str, str]) -> tuple[str, str]:
    """The elements of an array or values of a map, and whether one of them does not fit: then all of it is null."""
    key = f"j{next(_keys)}"
    read = read_later(key, type, settings, patterns)
    failed = f"len(list_filter({values}, lambda {key}: {key} IS NOT NULL AND {read} IS NULL)) > 0"
    return f"list_transform({values}, lambda {key}: {read})", failed


def read_later(sql: str, type: DataType, settings: Settings, patterns: dict[str, str]) -> str:
    if read_first(type) == type:
        return sql
    if isinstance(type, StructType):
        parts = [
            f"{duck_name(n)} := {read_later(f'({sql}).{duck_name(n)}', f.dataType, settings, patterns)}"
            for n, f in field_names(type)
        ]
        return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
    if isinstance(type, ArrayType):
        made, failed = read_members(sql, type.elementType, settings, patterns)
        return f"(CASE WHEN NOT ({failed}) THEN {made} END)"
    if isinstance(type, MapType):
        made, failed = read_members(f"map_values({sql})", type.valueType, settings, patterns)
        return f"(CASE WHEN {sql} IS NOT NULL AND NOT ({failed}) THEN MAP(map_keys({sql}), {made}) END)"
    if isinstance(type, TimestampType) and "timestampformat" in patterns:
        return f"spark_parse_timestamp({sql}, '{patterns['timestampformat']}', {duck_text(settings.zone)})"
    if isinstance(type, DateType) and "dateformat" in patterns:
        return f"CAST(spark_parse_timestamp_ntz({sql}, '{patterns['dateformat']}') AS DATE)"
    if isinstance(type, TimeType):
        return read_clock(sql, patterns)
    found = cast_sql(sql, STRING, type, "try", settings)
    if isinstance(type, DecimalType):
        plain = f"regexp_full_match({sql}, '[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?')"
        unusual = not_native(reasons.JSON_VALUE, "a decimal in an unusual form")
        return f"(CASE WHEN {plain} THEN {found} WHEN {sql} IS NOT NULL THEN {unusual} END)"
    odd = f"contains({sql}, 'GMT') OR regexp_full_match({sql}, '[+-]?[0-9]+')"
    unusual = not_native(reasons.JSON_VALUE, "a date or timestamp in an unusual form")
    return f"(CASE WHEN {odd} THEN coalesce({found}, {unusual}) ELSE {found} END)"


def struct_schema(type: DataType, schema: Any) -> StructType:
    """The check of ExprUtils.evalSchemaExpr."""
    if not isinstance(type, StructType):
        text = quote_expression(schema.text)
        raise SparkError("INVALID_SCHEMA.NON_STRUCT_TYPE", inputSchema=text, dataType=type_text(type))
    return type


def read_clock(sql: str, patterns: dict[str, str]) -> str:
    """TIME keeps the digits that its precision lacks, since the parsers ignore the precision (TimeFormatter)."""
    if "timeformat" in patterns:
        return f"(epoch_us(spark_parse_timestamp_ntz({sql}, '{patterns['timeformat']}')) * 1000)"
    return f"spark_string_to_time({sql})"


def from_json_type(call: Call) -> Typed:
    source, schema = call.arguments[:2]
    check_schema(schema, "schema_of_json")
    type = schema_type(constant_schema(schema))
    options = checked_options(call, 2, OPTIONS)
    if not (is_string(source.type) or is_null(source.type)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_json of a value that is not a string")
    if getattr(source, "name", "") == "to_json" and same_type(as_nullable(source.arguments[0].type), type):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_json of to_json, both of which Spark may optimize away")
    check_legacy_patterns("from_json", type, call.settings)
    shown = "entries" if isinstance(type, MapType) else f"from_json({source.text})"
    casts = [STRING, *([None] * (len(call.arguments) - 1))]
    return Typed(type, True, casts, writer=reader_of(type, type, options, ""), text=shown)


def fields_of_flat(type: DataType) -> int:
    """The number of fields of a struct without nested types; 0 for other types, and for very many fields."""
    fields = type.fields if isinstance(type, StructType) else []
    nested = any(isinstance(field.dataType, StructType | ArrayType | MapType) for field in fields)
    return 0 if nested or len(fields) > MOST_FIELDS else len(fields)


def reader_of(type: DataType, root: DataType, options: dict[str, str], more: str) -> Callable[..., str]:
    """Writes SQL that parses texts as `type`; `root` has the column for corrupt records, `more` are letters for the
    extension."""
    chosen = "".join(OPTION_LETTERS.get((name, value.lower()), "") for name, value in options.items()) + more
    corrupt = options.get("columnnameofcorruptrecord", CORRUPT)
    check_corrupt(root, corrupt, chosen, of_rows=root is not type)
    spelled = letters(root, corrupt) if root is type else f"[{letters(root, corrupt)}"
    duck_type(type)
    flat = fields_of_flat(type) if root is type else 0

    def write(made: Any, value: str, *others: str) -> str:
        arguments = f"{value}, {duck_text(spelled)}, '{chosen}'"
        json = f"spark_from_json_flat_{flat}({arguments})" if flat else f"CAST(spark_from_json({arguments}) AS JSON)"
        first = f"CAST({json} AS {duck_type(read_first(type))})"
        if read_first(type) == type:
            return first
        read = read_later("j", type, made.settings, options)
        if isinstance(root, StructType) and root is not type:
            read = check_rows(read, value, root, corrupt, chosen, made.settings, options)
        return f"list_transform([{first}], lambda j: {read})[1]"

    return write


def check_rows(
    rows: str, value: str, row: StructType, corrupt: str, letters: str, settings: Settings, patterns: dict[str, str]
) -> str:
    """The rows of a text (`j`); if a date, timestamp or decimal in one row does not fit, the whole text is
    malformed."""
    later = [f for f in row.fields if isinstance(f.dataType, READ_LATER)]
    if not later or (corrupt not in row.names and not set(letters) & {"F", "D"}):
        return rows
    texts = [(f"j_.{duck_name(f.name)}", f.dataType) for f in later]
    fails = (f"({sql} IS NOT NULL AND {read_later(sql, type, settings, patterns)} IS NULL)" for sql, type in texts)
    bad = f"len(list_filter(j, lambda j_: {' OR '.join(fails)})) > 0"
    return f"CASE WHEN {bad} THEN {malformed_rows(rows, value, row, corrupt, letters)} ELSE {rows} END"


def malformed_rows(rows: str, value: str, row: StructType, corrupt: str, letters: str) -> str:
    if "F" in letters:
        return not_native(reasons.JSON_VALUE, "a document that does not fit the schema, in FAILFAST mode")
    if "D" in letters:
        return f"CAST([] AS {duck_type(ArrayType(row, False))})"
    kept = (f"{duck_name(n)} := {value if n == corrupt else f'r_.{duck_name(n)}'}" for n in row.names)
    return f"list_transform({rows}, lambda r_: struct_pack({', '.join(kept)}))"


def constant_schema(schema: Any) -> str:
    """The schema argument: a constant, or schema_of_json of a constant."""
    if getattr(schema, "name", "") == "schema_of_json":
        return schema_of_json(schema.arguments[0].value, schema_letters(schema))
    if not isinstance(getattr(schema, "value", None), str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "from_json: the schema")
    return str(schema.value)


def schema_type(source: str) -> DataType:
    try:
        type = as_nullable(schema_of(source))
    except SparkError as error:
        raise NotNative(reasons.ERROR_MESSAGE, "the schema of from_json is not valid") from error
    if not isinstance(type, StructType | ArrayType | MapType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_json to a type that is not a struct, array or map")
    return type


fn("from_json(any, any)", "", rule=from_json_type)
fn("from_json(any, any, any)", "", rule=from_json_type)
