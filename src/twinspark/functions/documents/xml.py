"""to_xml, from_xml and schema_of_xml for simple documents of elements and text; others fall back to Spark."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.documents.from_json import read_clock, schema_type
from twinspark.functions.documents.json import (
    CLOCK_PATTERN,
    WRITE_PATTERNS,
    check_document,
    check_options,
    check_schema,
    checked_options,
    leaf_text,
)
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.settings import Settings
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
    IntegerType,
    LongType,
    StructType,
    TimestampType,
    TimeType,
    is_integral,
    is_null,
    is_string,
)
from twinspark.types.duckdb import duck_name, duck_text, duck_type

NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")  # names that start with _ are attributes, or the text beside attributes


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise NotNative(reasons.XML_VALUE, "element names with other characters than letters and digits")
    return name


# ---- to_xml


def to_xml_type(call: Call) -> Typed:
    type = call.types[0]
    if len(call.arguments) > 1:
        check_options(call.arguments[1])
    if not isinstance(type, StructType) or not type.fields:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "to_xml of a value that is not a struct")
    check_legacy_patterns("to_xml", type, call.settings)
    options = checked_options(call, 1, {"rowtag": NAME, "indent": re.compile(" *"), **WRITE_PATTERNS})
    tag = options.get("rowtag", "ROW")
    duck_type(type)

    def write(made: Any, value: str, *others: str) -> str:
        lines = Lines(options, made.settings)
        row = f"list_transform([{value}], lambda x0_: {struct_text('x0_', type, tag, 0, lines)})[1]"
        return row if lines.before(0) else f"({row} || chr(10))"

    struct_text("x0_", type, tag, 0, Lines(options, call.settings))
    return Typed(STRING, True, text=f"to_xml({call.arguments[0].text})", writer=write)


@dataclass(frozen=True)
class Lines:
    """How elements are written: with line breaks and indentation, or in one line if the option `indent` is empty."""

    options: dict[str, str]
    settings: Settings

    def before(self, depth: int) -> str:
        indent = self.options.get("indent", " " * 4)
        return f"\n{indent * depth}" if indent else ""


def struct_text(sql: str, type: StructType, tag: str, depth: int, lines: Lines) -> str:
    """Null for a null struct; an element without children is written as an empty tag."""
    fields = ((f"({sql}).{duck_name(check_name(f.name))}", f) for f in type.fields)
    inner = " || ".join(element(member, f.dataType, f.name, depth + 1, lines) for member, f in fields)
    end = duck_text(f"{lines.before(depth)}</{tag}>")
    whole = f"list_transform([{inner}], lambda y{depth}_: CASE WHEN y{depth}_ = '' THEN '<{tag}/>' "
    return f"CASE WHEN {sql} IS NOT NULL THEN {whole}ELSE '<{tag}>' || y{depth}_ || {end} END)[1] END"


def element(sql: str, type: DataType, name: str, depth: int, lines: Lines) -> str:
    """One line, or several for an array; nothing for null."""
    before = duck_text(lines.before(depth))
    if is_null(type):
        return "''"
    if isinstance(type, ArrayType):
        if isinstance(type.elementType, ArrayType):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "to_xml of arrays inside arrays")
        one = element(f"x{depth}_", type.elementType, name, depth, lines)
        return f"coalesce(array_to_string(list_transform({sql}, lambda x{depth}_: {one}), ''), '')"
    if isinstance(type, StructType) and type.fields:
        return f"coalesce({before} || {struct_text(sql, type, name, depth, lines)}, '')"
    return f"coalesce({before} || '<{name}>' || {leaf(sql, type, lines.options, lines.settings)} || '</{name}>', '')"


def leaf(sql: str, type: DataType, options: dict[str, str], settings: Settings) -> str:
    if is_string(type):  # whether > is escaped depends on its position in the buffer of Spark's writer
        odd = f"regexp_matches({sql}, '[\\x00-\\x1f>\\x7f-\\x{{9f}}\\x{{2028}}\\x{{d800}}-\\x{{10ffff}}]')"
        shown = f"replace(replace({sql}, '&', '&amp;'), '<', '&lt;')"
        unusual = not_native(reasons.XML_VALUE, "to_xml of texts with control or other special characters")
        return f"CASE WHEN {odd} THEN {unusual} ELSE {shown} END"
    if isinstance(type, DateType | TimestampType | TimeType):
        return leaf_text(sql, type, {name: options.get(name) for name in WRITE_PATTERNS}, settings)
    small = isinstance(type, DecimalType) and type.scale > 6
    if small or not (is_integral(type) or isinstance(type, BooleanType | FloatType | DoubleType | DecimalType)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"to_xml of {type.simpleString()}")
    return cast_sql(sql, type, STRING, "ansi", settings)


# ---- schema_of_xml of a constant, computed once

PLAIN = re.compile(r"""(<[A-Za-z][A-Za-z0-9_]*( [a-z]+="[A-Za-z0-9 ]*")*>|</[A-Za-z0-9_]+>|[A-Za-z0-9 ._-]+)+""")
LEAVES = (
    ("BIGINT", re.compile("-?(0|[1-9][0-9]{0,17})")),
    ("DOUBLE", re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")),
    ("BOOLEAN", re.compile("true|false")),
    ("STRING", re.compile("|[a-cg-hj-mo-su-zA-CG-HJ-MO-SU-Z][a-zA-Z_]*")),
)
Found = str | list["Found"] | dict[str, "Found"]


def schema_of_xml_type(call: Call) -> Typed:
    check_document(replace(call, text=f"schema_of_xml({call.arguments[0].text})"), "xml")
    check_legacy_patterns("schema_of_xml", DateType(), call.settings)
    made = duck_text(document_schema(call))
    return Typed(STRING, False, text=f"schema_of_xml({call.arguments[0].text})", writer=lambda made_, *others: made)


def document_schema(call: Any) -> str:
    document = getattr(call.arguments[0], "value", None)
    options = checked_options(call, 1, {"excludeattribute": re.compile("true|false")})
    if not isinstance(document, str) or not PLAIN.fullmatch(document):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "schema_of_xml: the document")
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of a malformed document") from error
    if options.get("excludeattribute") != "true" and any(each.attrib for each in root.iter()):
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of attributes")
    if not len(root):
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of a document without elements")
    return schema_text(element_type(root))


def element_type(node: Any) -> Found:
    """The type of an element: a struct of its child elements, or the type of its text."""
    if not len(node):
        return leaf_type(node.text or "")
    if any((part or "").strip() for part in (node.text, *(child.tail for child in node))):
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of text between elements")
    made: dict[str, Found] = {}
    for child in node:
        type = element_type(child)
        before = made.get(check_name(child.tag))
        many = isinstance(before, list)
        made[child.tag] = type if before is None else [merge_types(before[0] if many else before, type)]  # type: ignore[index]
    if len({name.lower() for name in made}) != len(made):
        raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of names that differ only in case")
    return made


def merge_types(a: Found, b: Found) -> Found:
    if a == b:
        return a
    if isinstance(a, dict) and isinstance(b, dict):
        return {name: merge_types(a.get(name, b.get(name, "")), b.get(name, a.get(name, ""))) for name in {**a, **b}}
    if {str(a), str(b)} == {"BIGINT", "DOUBLE"}:
        return "DOUBLE"
    raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of elements that have several types")


def leaf_type(value: str) -> str:
    for name, pattern in LEAVES:
        if pattern.fullmatch(value):
            return name
    raise NotNative(reasons.SCHEMA_INFERENCE, "schema_of_xml of a document whose types only Spark infers")


def schema_text(type: Found) -> str:
    if isinstance(type, dict):
        return f"STRUCT<{', '.join(f'{name}: {schema_text(type[name])}' for name in sorted(type))}>"
    return f"ARRAY<{schema_text(type[0])}>" if isinstance(type, list) else type


# ---- from_xml: documents that have only elements and text

FLAT = "<[A-Za-z][A-Za-z0-9_]*>(<[A-Za-z][A-Za-z0-9_]*>[!-%''-;=?-~]*</[A-Za-z][A-Za-z0-9_]*>)*</[A-Za-z][A-Za-z0-9_]*>"


# from_xml reads the root element, whatever its name is.
OPENED = "regexp_extract_all(x_, '<([A-Za-z][A-Za-z0-9_]*)>', 1)"  # the names of the elements of the document x_
READ_OPTIONS = {"rowtag": NAME, "timeformat": CLOCK_PATTERN}


def from_xml_type(call: Call) -> Typed:
    source = call.arguments[0]
    check_schema(call.arguments[1], "schema_of_xml")
    type = schema_type(constant_schema(call.arguments[1]))
    options = checked_options(call, 2, READ_OPTIONS)
    if not (is_string(source.type) or is_null(source.type)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_xml of a value that is not a string")
    if not isinstance(type, StructType) or not type.fields:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "from_xml to a type that is not a struct")
    casts = [STRING, *[None] * (len(call.arguments) - 1)]
    return Typed(type, True, casts, writer=document_reader(type, options), text=f"from_xml({source.text})")


def constant_schema(schema: Any) -> str:
    if getattr(schema, "name", "") == "schema_of_xml":
        return document_schema(schema)
    if not isinstance(getattr(schema, "value", None), str):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "from_xml: the schema")
    return str(schema.value)


def document_reader(type: StructType, options: dict[str, str]) -> Callable[..., str]:
    """Falls back unless closing tags match opening tags, and no element name differs from a column name only in
    case."""
    duck_type(type)
    texts = ((duck_name(f.name), column("x_", check_name(f.name), f.dataType, options)) for f in type.fields)
    columns = ", ".join(f"{name} := {text}" for name, text in texts)
    opened = OPENED
    closed = "regexp_extract_all(x_, '</([A-Za-z][A-Za-z0-9_]*)>', 1)"
    matched = f"{opened}[2:] = {closed}[:-2] AND {opened}[1] = {closed}[-1]"
    known = ", ".join(duck_text(f.name.lower()) for f in type.fields)
    same = ", ".join(duck_text(f.name) for f in type.fields)
    cased = f"len(list_filter({opened}, lambda n_: lower(n_) IN ({known}) AND n_ NOT IN ({same}))) = 0"
    plain = f"regexp_full_match(x_, '{FLAT}') AND {matched} AND {cased} AND {opened}[1] NOT IN ({same})"
    odd = not_native(reasons.XML_VALUE, "from_xml of a document with attributes, comments or mixed content")

    def write(made: Any, value: str, *others: str) -> str:
        read = f"CASE WHEN x_ IS NULL THEN NULL WHEN {plain} THEN struct_pack({columns}) ELSE {odd} END"
        return f"list_transform([{value}], lambda x_: {read})[1]"

    return write


def column(document: str, name: str, type: DataType, options: dict[str, str]) -> str:
    """The last element of that name, or all of them for an array."""
    texts = f"regexp_extract_all({document}, '<{name}>([^<]*)</', 1)"
    if isinstance(type, ArrayType):
        values = f"list_transform({texts}, lambda e_: {value_of('e_', type.elementType, options)})"
        return f"CASE WHEN len({texts}) > 0 THEN {values} END"
    return value_of(f"{texts}[-1]", type, options)


def value_of(sql: str, type: DataType, options: dict[str, str]) -> str:
    if type == STRING:
        return sql
    if isinstance(type, TimeType):
        return clock_value(sql, options)
    if not isinstance(type, IntegerType | LongType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"from_xml to {type.simpleString()}")
    digits = 9 if isinstance(type, IntegerType) else 18
    number = f"WHEN regexp_full_match({sql}, '-?[0-9]{{1,{digits}}}') THEN CAST({sql} AS {duck_type(type)})"
    unusual = not_native(reasons.XML_VALUE, "from_xml of a number in an unusual form")
    return f"(CASE WHEN {sql} IS NULL THEN NULL {number} ELSE {unusual} END)"


def clock_value(sql: str, options: dict[str, str]) -> str:
    """A text that is not a time is null; falls back if there are further elements, which Spark may not read then."""
    later = not_native(reasons.XML_VALUE, "from_xml of a text that is not a time, beside other elements")
    malformed = f"CASE WHEN {sql} <> '' AND len({OPENED}) > 2 THEN {later} END"
    return f"coalesce({read_clock(sql, options)}, {malformed})"


RULES = {"from_xml": from_xml_type, "to_xml": to_xml_type, "schema_of_xml": schema_of_xml_type}
for function, rule in RULES.items():
    least = "any, any" if function == "from_xml" else "any"
    fn(f"{function}({least})", "", rule=rule)
    fn(f"{function}({least}, any)", "", rule=rule)
