"""from_json: the extension makes JSON that fits the schema, DuckDB values of that; SQL reads dates and decimals."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.casts import cast_sql, not_native
from twinspark.functions.json import MOST_FIELDS, constant_options, schema_letters
from twinspark.functions.registry import fn
from twinspark.functions.schema_texts import schema_of, schema_of_json
from twinspark.functions.settings import Settings
from twinspark.functions.spelling import duck_type, quoted_name, text
from twinspark.functions.time_parser import refuse_old_patterns
from twinspark.functions.typing import Call, Typed
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
    as_nullable,
    is_null,
    is_string,
    nested_types,
)

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
}
# Patterns of a whole date, and a time after it if need be: what DateFormatter and TimestampFormatter read alike.
DATE_PATTERN = r"(yyyy[/.-]MM[/.-]dd|dd[/.-]MM[/.-]yyyy|MM[/.-]dd[/.-]yyyy)"
TRUTH = re.compile("(?i)true|false")
OPTIONS = {
    "mode": re.compile("(?i)permissive|failfast"),
    "dateformat": re.compile(DATE_PATTERN),
    "timestampformat": re.compile(rf"{DATE_PATTERN}( HH:mm(:ss([.]SSS)?)?)?"),
    "columnnameofcorruptrecord": re.compile(".+", re.S),
    "allowsinglequotes": TRUTH,
    "allownonnumericnumbers": TRUTH,
    "allowunquotedcontrolchars": TRUTH,
    "allowunquotedfieldnames": TRUTH,
}
# An option at this value is this letter for the extension.
OPTION_LETTERS = {
    ("allowsinglequotes", "false"): "q",
    ("allownonnumericnumbers", "false"): "n",
    ("allowunquotedcontrolchars", "true"): "u",
    ("allowunquotedfieldnames", "true"): "o",
    ("mode", "failfast"): "F",
    ("mode", "dropmalformed"): "D",
}
READ_LATER = DecimalType | DateType | TimestampType  # as strings first


def letters(type: DataType, corrupt: str = "") -> str:
    """The schema as the extension reads it; `corrupt` is the root's column for texts that do not fit."""
    if type == STRING:
        return "v"
    if isinstance(type, ArrayType):
        return f"[{letters(type.elementType)}"
    if isinstance(type, MapType) and type.keyType == STRING:
        return f"m{letters(type.valueType)}"
    if isinstance(type, StructType):
        if not type.fields:
            raise NotNative("from_json without columns")
        spelled = ("c" if n == corrupt else letters(f.dataType) for n, f in named(type))
        return "(" + "".join(f"{len(n.encode())}:{n}{s}" for n, s in zip(type.names, spelled, strict=True)) + ")"
    if type.__class__ not in LETTERS:
        raise NotNative(f"from_json to {type.simpleString()}")
    return LETTERS[type.__class__]


def named(type: StructType) -> list[tuple[str, StructField]]:
    return [(field.name, field) for field in type.fields]


def check_corrupt(type: DataType, corrupt: str, letters: str, of_rows: bool) -> None:
    """What is read later is known to fit only later; columns of rows are looked at once more."""
    fields = {f.name: f.dataType for f in type.fields} if isinstance(type, StructType) else {}
    if fields.get(corrupt, STRING) != STRING:
        raise NotNative("a column for corrupt records that is no string")
    unseen = [each for each in fields.values() if not isinstance(each, READ_LATER)] if of_rows else [type]
    later = any(isinstance(inner, READ_LATER) for each in unseen for inner in nested_types(each))
    if later and (corrupt in fields or set(letters) & {"F", "D"}):
        raise NotNative("from_json to dates, timestamps or decimals, where what does not fit is to be told")


def read_first(type: DataType) -> DataType:
    """What DuckDB makes of the JSON."""
    if isinstance(type, StructType):
        return StructType([StructField(f.name, read_first(f.dataType), True) for f in type.fields])
    if isinstance(type, ArrayType):
        return ArrayType(read_first(type.elementType), True)
    if isinstance(type, MapType):
        return MapType(type.keyType, read_first(type.valueType), True)
    return STRING if isinstance(type, READ_LATER) else type


def read_members(values: str, type: DataType, settings: Settings, patterns: dict[str, str]) -> tuple[str, str]:
    """An array's elements or a map's values, and whether one of them could not be read: then all of it is null."""
    key = f"j{next(_keys)}"
    read = read_later(key, type, settings, patterns)
    failed = f"len(list_filter({values}, lambda {key}: {key} IS NOT NULL AND {read} IS NULL)) > 0"
    return f"list_transform({values}, lambda {key}: {read})", failed


def read_later(sql: str, type: DataType, settings: Settings, patterns: dict[str, str]) -> str:
    if read_first(type) == type:
        return sql
    if isinstance(type, StructType):
        parts = [
            f"{quoted_name(n)} := {read_later(f'({sql}).{quoted_name(n)}', f.dataType, settings, patterns)}"
            for n, f in named(type)
        ]
        return f"(CASE WHEN {sql} IS NOT NULL THEN struct_pack({', '.join(parts)}) END)"
    if isinstance(type, ArrayType):
        made, failed = read_members(sql, type.elementType, settings, patterns)
        return f"(CASE WHEN NOT ({failed}) THEN {made} END)"
    if isinstance(type, MapType):
        made, failed = read_members(f"map_values({sql})", type.valueType, settings, patterns)
        return f"(CASE WHEN {sql} IS NOT NULL AND NOT ({failed}) THEN MAP(map_keys({sql}), {made}) END)"
    if isinstance(type, TimestampType) and "timestampformat" in patterns:
        return f"spark_parse_timestamp({sql}, '{patterns['timestampformat']}', {text(settings.zone)})"
    if isinstance(type, DateType) and "dateformat" in patterns:
        return f"CAST(spark_parse_timestamp_ntz({sql}, '{patterns['dateformat']}') AS DATE)"
    found = cast_sql(sql, STRING, type, "try", settings)
    if isinstance(type, DecimalType):
        plain = f"regexp_full_match({sql}, '[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?')"
        return f"(CASE WHEN {plain} THEN {found} WHEN {sql} IS NOT NULL THEN {not_native('a decimal of odd text')} END)"
    odd = f"contains({sql}, 'GMT') OR regexp_full_match({sql}, '[+-]?[0-9]+')"
    return f"(CASE WHEN {odd} THEN coalesce({found}, {not_native('a moment of odd text')}) ELSE {found} END)"


def from_json_type(call: Call) -> Typed:
    source, schema = call.arguments[:2]
    options = constant_options(call.arguments[2]) if len(call.arguments) > 2 else {}
    if not all(name in OPTIONS and OPTIONS[name].fullmatch(value) for name, value in options.items()):
        raise NotNative("from_json with such options")
    if not (is_string(source.type) or is_null(source.type)):
        raise NotNative("from_json of what is no string")
    if getattr(source, "name", "") == "to_json":
        raise NotNative("from_json of to_json, which Spark may leave out both")
    type = schema_type(constant_schema(schema))
    refuse_old_patterns("from_json", type, call.settings)
    shown = "entries" if isinstance(type, MapType) else f"from_json({source.text})"
    casts = [STRING, *([None] * (len(call.arguments) - 1))]
    return Typed(type, True, casts, writer=reader_of(type, type, options, ""), text=shown)


def fields_of_flat(type: DataType) -> int:
    """How many fields a struct has that holds no other nested type; 0 for other types, and for a great many fields."""
    fields = type.fields if isinstance(type, StructType) else []
    nested = any(isinstance(field.dataType, StructType | ArrayType | MapType) for field in fields)
    return 0 if nested or len(fields) > MOST_FIELDS else len(fields)


def reader_of(type: DataType, root: DataType, options: dict[str, str], more: str) -> Callable[..., str]:
    """What reads texts as `type`; the corrupt column is one of `root`, `more` are letters for the extension."""
    chosen = "".join(OPTION_LETTERS.get((name, value.lower()), "") for name, value in options.items()) + more
    corrupt = options.get("columnnameofcorruptrecord", CORRUPT)
    check_corrupt(root, corrupt, chosen, of_rows=root is not type)
    spelled = letters(root, corrupt) if root is type else f"[{letters(root, corrupt)}"
    duck_type(type)
    flat = fields_of_flat(type) if root is type else 0

    def write(made: Any, value: str, *others: str) -> str:
        asked = f"{value}, {text(spelled)}, '{chosen}'"
        json = f"spark_from_json_flat_{flat}({asked})" if flat else f"CAST(spark_from_json({asked}) AS JSON)"
        first = f"CAST({json} AS {duck_type(read_first(type))})"
        if read_first(type) == type:
            return first
        read = read_later("j", type, made.settings, options)
        if isinstance(root, StructType) and root is not type:
            read = judged(read, value, root, corrupt, chosen, made.settings, options)
        return f"list_transform([{first}], lambda j: {read})[1]"

    return write


def judged(
    rows: str, value: str, row: StructType, corrupt: str, letters: str, settings: Settings, patterns: dict[str, str]
) -> str:
    """The rows of a text (`j`): if a date, a timestamp or a decimal in one does not fit, the text does not."""
    later = [f for f in row.fields if isinstance(f.dataType, READ_LATER)]
    if not later or (corrupt not in row.names and not set(letters) & {"F", "D"}):
        return rows
    texts = [(f"j_.{quoted_name(f.name)}", f.dataType) for f in later]
    fails = (f"({sql} IS NOT NULL AND {read_later(sql, type, settings, patterns)} IS NULL)" for sql, type in texts)
    bad = f"len(list_filter(j, lambda j_: {' OR '.join(fails)})) > 0"
    return f"CASE WHEN {bad} THEN {malformed(rows, value, row, corrupt, letters)} ELSE {rows} END"


def malformed(rows: str, value: str, row: StructType, corrupt: str, letters: str) -> str:
    if "F" in letters:
        return not_native("a text that does not fit, in the mode FAILFAST")
    if "D" in letters:
        return f"CAST([] AS {duck_type(ArrayType(row, False))})"
    kept = (f"{quoted_name(n)} := {value if n == corrupt else f'r_.{quoted_name(n)}'}" for n in row.names)
    return f"list_transform({rows}, lambda r_: struct_pack({', '.join(kept)}))"


def constant_schema(schema: Any) -> str:
    """A constant, or what schema_of_json makes of one."""
    if getattr(schema, "name", "") == "schema_of_json":
        return schema_of_json(schema.arguments[0].value, schema_letters(schema))
    if not isinstance(getattr(schema, "value", None), str):
        raise NotNative("a schema that is no constant")
    return str(schema.value)


def schema_type(source: str) -> DataType:
    try:
        type = as_nullable(schema_of(source))
    except SparkError as error:
        raise NotNative("from_json by a schema that is refused") from error
    if not isinstance(type, StructType | ArrayType | MapType):
        raise NotNative("from_json to what is no struct, array or map")
    return type


fn("from_json(any, any)", "", rule=from_json_type)
fn("from_json(any, any, any)", "", rule=from_json_type)
