"""from_csv, to_csv and schema_of_csv: the extension splits lines as univocity does with Spark's default options."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.documents.from_json import DATE_PATTERN, read_later, schema_type, struct_schema
from twinspark.functions.documents.json import (
    CLOCK_PATTERN,
    WRITE_PATTERNS,
    check_document,
    check_options,
    check_schema,
    checked_options,
    is_moment,
    leaf_text,
)
from twinspark.functions.notation.decimal_sql import sql_string_to_decimal
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.sql_text import ColumnName
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.time_parser_policy import check_legacy_patterns
from twinspark.types import (
    STRING,
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    StructType,
    TimestampType,
    TimeType,
    is_integral,
    is_null,
    is_string,
)
from twinspark.types.duckdb import duck_name, duck_text, duck_type

SEPARATOR = re.compile(r"[,;|\t~^#!]")
NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
BLANKS = "[\\x00-\\x20]"
READ_OPTIONS = {
    "mode": re.compile("(?i)permissive|failfast"),
    "sep": SEPARATOR,
    "delimiter": SEPARATOR,
    "dateformat": re.compile(DATE_PATTERN),
    "timestampformat": re.compile(rf"{DATE_PATTERN}( HH:mm(:ss([.]SSS)?)?)?"),
    "timeformat": CLOCK_PATTERN,
    "ignoreleadingwhitespace": re.compile("(?i)true|false"),
}


def separator_of(options: dict[str, str]) -> str:
    return options.get("sep", options.get("delimiter", ","))


# ---- from_csv


def from_csv_type(call: Call) -> Typed:
    source, schema = call.arguments[:2]
    check_schema(schema, "schema_of_csv")
    type = struct_schema(schema_type(constant_schema(schema)), schema)
    options = checked_options(call, 2, READ_OPTIONS)
    if not (is_string(source.type) or is_null(source.type)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_csv of a value that is not a string")
    if "_corrupt_record" in type.names:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_csv with a column for corrupt records")
    check_legacy_patterns("from_csv", type, call.settings)
    casts = [STRING, *([None] * (len(call.arguments) - 1))]
    shown = f"from_csv({source.text})"
    return Typed(type, source.nullable, casts, writer=csv_reader(type, options), text=shown)


def constant_schema(schema: Any) -> str:
    """The schema argument: a constant, or schema_of_csv of a constant."""
    if getattr(schema, "name", "") == "schema_of_csv":
        return line_schema(schema)
    if not isinstance(getattr(schema, "value", None), str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "from_csv: the schema")
    return str(schema.value)


def csv_reader(type: StructType, options: dict[str, str]) -> Callable[..., str]:
    duck_type(type)
    stops = options.get("mode", "").lower() == "failfast"

    def write(made: Any, value: str, *others: str) -> str:
        names = [duck_name(field.name) for field in type.fields]
        read = [read_field(f"f[{i}]", f.dataType, options, made.settings) for i, f in enumerate(type.fields, 1)]
        pack = f"struct_pack({', '.join(f'{n} := {r}' for n, r in zip(names, read, strict=True))})"
        if stops:
            unread = (f"f[{i}] IS NOT NULL AND {r} IS NULL" for i, r in enumerate(read, 1))
            bad = " OR ".join([f"len(f) <> {len(read)}", *unread])
            failed = not_native(reasons.CSV_VALUE, "a value that does not fit its type, in FAILFAST mode")
            pack = f"CASE WHEN {bad} THEN {failed} ELSE {pack} END"
        fields = line_fields(value, options)
        return f"list_transform([{fields}], lambda f: CASE WHEN f IS NOT NULL THEN {pack} END)[1]"

    return write


def line_fields(line: str, options: dict[str, str]) -> str:
    """Removes blanks around fields if the options ask for it, but not inside quotes."""
    fields = f"spark_csv_fields({line}, {duck_text(separator_of(options))}, '')"
    if options.get("ignoreleadingwhitespace", "").lower() != "true":
        return fields
    if separator_of(options) == "\t":
        raise NotNative(
            reasons.FUNCTION_OPTION,
            "a blank as separator together with ignoreLeadingWhiteSpace or ignoreTrailingWhiteSpace",
        )
    blank = f"nullif(regexp_replace(b_, '^{BLANKS}+', ''), '')"
    quoted = not_native(reasons.CSV_VALUE, "quotes together with ignoreLeadingWhiteSpace or ignoreTrailingWhiteSpace")
    return f"CASE WHEN contains({line}, '\"') THEN {quoted} ELSE list_transform({fields}, lambda b_: {blank}) END"


def read_field(sql: str, type: DataType, options: dict[str, str], settings: Settings) -> str:
    """The field converted to its type; null if it does not fit."""
    if is_string(type):
        return sql
    if isinstance(type, BooleanType):
        return f"(CASE lower({sql}) WHEN 'true' THEN true WHEN 'false' THEN false END)"
    if is_integral(type):
        ascii = f"regexp_full_match({sql}, '[+-]?[0-9]+')"
        wide = not_native(reasons.CSV_VALUE, "digits outside ASCII")
        plain = f"TRY_CAST({sql} AS {duck_type(type)})"
        return f"(CASE WHEN {ascii} THEN {plain} WHEN {beyond_ascii(sql)} THEN {wide} END)"
    if isinstance(type, FloatType | DoubleType):
        return read_floating(sql, type, settings)
    if isinstance(type, DecimalType):
        return read_decimal(sql, type)
    if isinstance(type, DateType | TimestampType | TimeType):
        return read_later(sql, type, settings, options)
    raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"from_csv to {type.simpleString()}")


def beyond_ascii(sql: str) -> str:
    return f"NOT regexp_full_match({sql}, '[\\x00-\\x7f]*')"


def read_floating(sql: str, type: DataType, settings: Settings) -> str:
    """Falls back for other forms that Java's parseDouble accepts, such as 1d, 0x1p3 and surrounding blanks."""
    plain = cast_sql(sql, STRING, type, "try", settings)
    words = f"WHEN {sql} = 'NaN' THEN 'nan' WHEN {sql} = 'Inf' THEN 'inf' WHEN {sql} = '-Inf' THEN '-inf'"
    known = f"CAST(CASE {words} END AS {duck_type(type)})"
    odd = f"regexp_full_match({sql}, '[0-9a-fA-FxXpPnNiItTyY+.\\x00-\\x20-]*') OR {beyond_ascii(sql)}"
    unusual = not_native(reasons.CSV_VALUE, "a number in an unusual form")
    return (
        f"(CASE WHEN regexp_full_match({sql}, '{NUMBER}') THEN {plain} "
        f"WHEN {sql} IN ('NaN', 'Inf', '-Inf') THEN {known} WHEN {odd} THEN {unusual} END)"
    )


def read_decimal(sql: str, type: DecimalType) -> str:
    found = sql_string_to_decimal(sql, (type.precision, type.scale), False)
    odd = f"regexp_full_match({sql}, '[0-9eE+.,-]*') OR {beyond_ascii(sql)}"
    unusual = not_native(reasons.CSV_VALUE, "a decimal in an unusual form")
    return f"(CASE WHEN regexp_full_match({sql}, '{NUMBER}') THEN {found} WHEN {odd} THEN {unusual} END)"


fn("from_csv(any, any)", "", rule=from_csv_type)
fn("from_csv(any, any, any)", "", rule=from_csv_type)


# ---- to_csv

WRITE_OPTIONS = {
    "sep": SEPARATOR,
    "delimiter": SEPARATOR,
    **WRITE_PATTERNS,
}


def to_csv_type(call: Call) -> Typed:
    type = call.types[0]
    if len(call.arguments) > 1:
        check_options(call.arguments[1])
    if not isinstance(type, StructType) or not type.fields:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "to_csv of a value that is not a struct")
    check_legacy_patterns("to_csv", type, call.settings)
    options = checked_options(call, 1, WRITE_OPTIONS)
    duck_type(type)
    return Typed(STRING, True, text=f"to_csv({call.arguments[0].text})", writer=csv_writer(type, options))


def csv_writer(type: StructType, options: dict[str, str]) -> Callable[..., str]:
    """A row with a single null is null. The lambda parameter is `r_`, since `r.a` could mean a field of a column
    `r`."""
    separator = separator_of(options)

    def write(made: Any, value: str, *others: str) -> str:
        of = value if isinstance(value, ColumnName) else "r_"
        fields = [(f"({of}).{duck_name(field.name)}", field.dataType) for field in type.fields]
        texts = [csv_text(sql, kind, options, made.settings, i == 0) for i, (sql, kind) in enumerate(fields)]
        shown = [f"coalesce({shown}, '')" for shown in texts]
        line = f" || {duck_text(separator)} || ".join(shown)
        line = line if len(fields) > 1 else f"CASE WHEN {fields[0][0]} IS NOT NULL THEN {line} END"
        line = f"CASE WHEN {of} IS NOT NULL THEN {line} END"
        return line if of == value else f"list_transform([{value}], lambda r_: {line})[1]"

    return write


def csv_text(sql: str, type: DataType, options: dict[str, str], settings: Settings, is_first: bool) -> str:
    if is_null(type):
        return "CAST(NULL AS VARCHAR)"
    if is_string(type):
        return csv_string(sql, separator_of(options), is_first)
    if is_moment(type):
        patterns = {name: options.get(name) for name in WRITE_PATTERNS}
        return leaf_text(sql, type, patterns, settings)
    if isinstance(type, DecimalType) and type.scale > 6:
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE, "to_csv of decimals with a large scale, which Java writes with exponents"
        )
    if is_integral(type) or isinstance(type, BooleanType | FloatType | DoubleType | DecimalType):
        return cast_sql(sql, type, STRING, "ansi", settings)
    if not isinstance(type, ArrayType | MapType | StructType) or type == StructType([]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"to_csv of {type.simpleString()}")
    return csv_string(inner_text(sql, type, options, settings), separator_of(options), is_first)


def inner_text(sql: str, type: DataType, options: dict[str, str], settings: Settings, depth: int = 0) -> str:
    """UnivocityGenerator.makeConverter: an array, map or struct as one string, in which nulls are empty."""
    name = f"c{depth}_"

    def part(inner: str, kind: DataType, before: str = " ") -> str:
        return f"coalesce('{before}' || {inner_text(inner, kind, options, settings, depth + 1)}, '')"

    if is_string(type):
        return sql
    if isinstance(type, ArrayType):
        texts = f"array_to_string(list_transform({sql}, lambda {name}: {part(name, type.elementType)}), ',')"
        return f"'[' || substr({texts}, CASE WHEN ({sql})[1] IS NULL THEN 1 ELSE 2 END) || ']'"
    if isinstance(type, MapType):
        entry = f"{inner_text(f'{name}.key', type.keyType, options, settings, depth + 1)} || ' ->'"
        texts = f"list_transform(map_entries({sql}), lambda {name}: {entry} || {part(f'{name}.value', type.valueType)})"
        return f"'{{' || array_to_string({texts}, ', ') || '}}'"
    if isinstance(type, StructType) and type.fields:
        members = [(f"({sql}).{duck_name(f.name)}", f.dataType) for f in type.fields]
        texts = " || ',' || ".join(part(m, kind, " " if i else "") for i, (m, kind) in enumerate(members))
        return f"CASE WHEN {sql} IS NOT NULL THEN '{{' || {texts} || '}}' END"
    return csv_text(sql, type, options, settings, False)


def csv_string(value: str, separator: str, is_first: bool) -> str:
    return f"spark_csv_text({value}, {duck_text(separator)}, {str(is_first).lower()})"


fn("to_csv(any)", "", rule=to_csv_type)
fn("to_csv(any, any)", "", rule=to_csv_type)


# ---- schema_of_csv of a constant, computed once

TYPES = (
    ("INT", re.compile(r"-?(0|[1-9][0-9]{0,8})")),
    ("BIGINT", re.compile(r"-?[1-9][0-9]{10,17}")),
    ("DOUBLE", re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")),
    ("BOOLEAN", re.compile(r"(?i)true|false")),
    ("DATE", re.compile(r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])")),
    ("STRING", re.compile(r"|[a-cg-hj-mo-zA-CG-HJ-MO-Z][a-zA-Z _]*")),
)


def schema_of_csv_type(call: Call) -> Typed:
    check_document(replace(call, text=f"schema_of_csv({call.arguments[0].text})"), "csv")
    check_legacy_patterns("schema_of_csv", DateType(), call.settings)
    made = duck_text(line_schema(call))
    return Typed(STRING, False, text=f"schema_of_csv({call.arguments[0].text})", writer=lambda made_, *others: made)


def line_schema(call: Any) -> str:
    line = getattr(call.arguments[0], "value", None)
    separator = separator_of(checked_options(call, 1, {"sep": SEPARATOR, "delimiter": SEPARATOR}))
    if not isinstance(line, str) or not line or set(line) & set("\\\n\r"):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "schema_of_csv: the line")
    fields = ", ".join(f"_c{i}: {field_type(field)}" for i, field in enumerate(fields_of(line, separator)))
    return f"STRUCT<{fields}>"


def fields_of(line: str, separator: str) -> list[str]:
    """Splits a line; quotes must surround a whole field."""
    end = re.escape(separator)
    field = f'("[^"]*"|[^"{end}]*){end}'
    if not re.fullmatch(f"({field})+", line + separator):
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_csv of a line with quotes inside its fields")
    return [found.strip('"') for found in re.findall(field, line + separator)]


def field_type(field: str) -> str:
    """CSVInferSchema for simple cases; a field that may have several types falls back."""
    for name, pattern in TYPES:
        if pattern.fullmatch(field):
            return name
    raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_csv of a field whose type only Spark infers")


fn("schema_of_csv(any)", "", rule=schema_of_csv_type)
fn("schema_of_csv(any, any)", "", rule=schema_of_csv_type)
