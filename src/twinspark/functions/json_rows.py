"""What spark.read.json makes of texts in a column: their schema, and the rows of each. Not for users, hence the `$`."""

from __future__ import annotations

import json
import re
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.from_json import CORRUPT, OPTIONS, reader_of, schema_type
from twinspark.functions.json import SCHEMA_LETTERS
from twinspark.functions.registry import AGGREGATE, fn
from twinspark.functions.spelling import text
from twinspark.functions.time_parser import refuse_old_patterns
from twinspark.functions.typing import Call, Typed
from twinspark.types import STRING, ArrayType, StructType

READ_OPTIONS = OPTIONS | {"mode": re.compile("(?i)permissive|failfast|dropmalformed")}
EXACT = "$exact"  # no user's: strings of what is no string are as they stand in a file, JSON_EXACT_STRING_PARSING
ONCE = "$once"  # no user's: a record with a key twice is Spark's, as its pushed filters (JsonFilters) fail over them
TRUTHS = {"primitivesasstring", "dropfieldifallnull", EXACT, ONCE}
# Without a schema these would change how one is found.
FINDS_OTHERWISE = {"allowsinglequotes", "allownonnumericnumbers", "allowunquotedcontrolchars"}


def options_of(argument: Any) -> dict[str, str]:
    """As a JSON object; names are in lower case."""
    found: dict[str, str] = json.loads(argument.value)
    for name, value in found.items():
        if name in TRUTHS and value.lower() in ("true", "false"):
            continue
        if name not in READ_OPTIONS or not READ_OPTIONS[name].fullmatch(value):
            raise NotNative(f"JSON read with the option {name}")
    return found


def rows_type(call: Call) -> Typed:
    """$json_rows(texts, schema, options)"""
    options = options_of(call.arguments[2])
    row = schema_type(call.arguments[1].value)
    if not isinstance(row, StructType) or row.names == [options.get("columnnameofcorruptrecord", CORRUPT)]:
        raise NotNative("JSON read without columns")
    refuse_old_patterns("JSON", row, call.settings)
    type = ArrayType(row, False)
    read = reader_of(type, row, options, "re" if EXACT in options else "r")

    def write(made: Any, value: str, *others: str) -> str:
        nothing = not_native("a null read as JSON")
        twice = f"WHEN {has_key_twice(value)} THEN {not_native('a key twice in a record')} " if ONCE in options else ""
        return f"(CASE WHEN {value} IS NULL THEN {nothing} {twice}ELSE {read(made, value)} END)"

    return Typed(type, False, [STRING, None, None], writer=write)


def has_key_twice(value: str) -> str:
    keys = f"json_keys(CASE WHEN json_valid({value}) THEN {value} END)"
    return f"len({keys}) <> len(list_distinct({keys}))"


fn("$json_rows(any, any, any)", "", rule=rows_type)


def inferred_type(call: Call) -> Typed:
    """$json_schema(texts, options): the schema as spark.read.json finds it, as text."""
    options = options_of(call.arguments[1])
    if set(options) & FINDS_OTHERWISE or options.get("mode", "permissive").lower() != "permissive":
        raise NotNative("the schema of JSON with such options")
    letters = "".join(SCHEMA_LETTERS[n] for n, v in options.items() if n in SCHEMA_LETTERS and v.lower() == "true")
    corrupt = text(options.get("columnnameofcorruptrecord", CORRUPT))

    def write(made: Any, value: str, *others: str, **places: str) -> str:
        return f"spark_infer_json(coalesce(list({value}), []), {text(letters)}, {corrupt})"

    return Typed(STRING, False, [STRING, None], writer=write)


fn("$json_schema(any, any)", "", kind=AGGREGATE, rule=inferred_type)
