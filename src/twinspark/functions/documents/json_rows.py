"""Internal functions for spark.read.json of strings: the inferred schema and the rows. Their names start with `$`."""

from __future__ import annotations

import json
import re
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.documents.from_json import CORRUPT, OPTIONS, reader_of, schema_type
from twinspark.functions.documents.json import SCHEMA_LETTERS
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import AGGREGATE, fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.time.time_parser_policy import check_legacy_patterns
from twinspark.types import STRING, ArrayType, StructType
from twinspark.types.duckdb import duck_text

READ_OPTIONS = OPTIONS | {"mode": re.compile("(?i)permissive|failfast|dropmalformed")}
EXACT = "$exact"  # internal: non-string values read as strings keep their source text, JSON_EXACT_STRING_PARSING
# internal: a duplicate key in a record falls back, since Spark's pushed-down filters (JsonFilters) fail over it
ONCE = "$once"
TRUTHS = {"primitivesasstring", "dropfieldifallnull", EXACT, ONCE}
# These options change how a schema is inferred.
FINDS_OTHERWISE = {"allowsinglequotes", "allownonnumericnumbers", "allowunquotedcontrolchars"}


def options_of(argument: Any) -> dict[str, str]:
    """The options as a JSON object, with names in lower case."""
    found: dict[str, str] = json.loads(argument.value)
    for name, value in found.items():
        if name in TRUTHS and value.lower() in ("true", "false"):
            continue
        if name not in READ_OPTIONS or not READ_OPTIONS[name].fullmatch(value):
            raise NotNative(reasons.FUNCTION_OPTION, f"JSON with {name} = {value!r}")
    return found


def rows_type(call: Call) -> Typed:
    """$json_rows(texts, schema, options)"""
    options = options_of(call.arguments[2])
    row = schema_type(call.arguments[1].value)
    if not isinstance(row, StructType) or row.names == [options.get("columnnameofcorruptrecord", CORRUPT)]:
        raise NotNative(reasons.SCHEMA_INFERENCE, "no columns")
    check_legacy_patterns("JSON", row, call.settings)
    type = ArrayType(row, False)
    read = reader_of(type, row, options, "re" if EXACT in options else "r")

    def write(made: Any, value: str, *others: str) -> str:
        nothing = not_native(reasons.JSON_VALUE, "a null instead of a document")
        twice = (
            f"WHEN {has_key_twice(value)} THEN {not_native(reasons.JSON_VALUE, 'a key that occurs twice in a record')} "
            if ONCE in options
            else ""
        )
        return f"(CASE WHEN {value} IS NULL THEN {nothing} {twice}ELSE {read(made, value)} END)"

    return Typed(type, False, [STRING, None, None], writer=write)


def has_key_twice(value: str) -> str:
    keys = f"json_keys(CASE WHEN json_valid({value}) THEN {value} END)"
    return f"len({keys}) <> len(list_distinct({keys}))"


fn("$json_rows(any, any, any)", "", rule=rows_type)


def inferred_type(call: Call) -> Typed:
    """$json_schema(texts, options): the schema that spark.read.json infers, as text."""
    options = options_of(call.arguments[1])
    if set(options) & FINDS_OTHERWISE or options.get("mode", "permissive").lower() != "permissive":
        raise NotNative(reasons.FUNCTION_OPTION, f"the inference of a JSON schema with {', '.join(options)}")
    letters = "".join(SCHEMA_LETTERS[n] for n, v in options.items() if n in SCHEMA_LETTERS and v.lower() == "true")
    corrupt = duck_text(options.get("columnnameofcorruptrecord", CORRUPT))

    def write(made: Any, value: str, *others: str, **places: str) -> str:
        return f"spark_infer_json(coalesce(list({value}), []), {duck_text(letters)}, {corrupt})"

    return Typed(STRING, False, [STRING, None], writer=write)


fn("$json_schema(any, any)", "", kind=AGGREGATE, rule=inferred_type)
