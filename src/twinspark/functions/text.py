"""String functions that join, format, encode and check text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions import casts
from twinspark.functions.families import implicit_type
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import ANSI_CONFIG, error, error_with, text
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    BINARY,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)


def constant(argument: Any) -> Any:
    """The value of a literal; None for what is not known before running (and for a null)."""
    return getattr(argument, "value", None)


# ---- joining

STRINGS = ArrayType(STRING, True)


def joined_type(call: Call) -> Typed:
    """Only a null separator makes it null; arrays give their elements."""
    separator = call.arguments[0]
    wanted = [joined_part(call, index) for index in range(1, len(call.arguments))]
    nullable = separator.nullable or is_null(separator.type)
    return Typed(STRING, nullable, (STRING, *wanted))


def joined_part(call: Call, index: int) -> DataType:
    found = implicit_type(call.types[index], ("array<string>", "string"), call.settings.ansi)
    if found is None:
        raise unexpected_input_type(call, index, '("ARRAY<STRING>" or "STRING")')
    return STRINGS if isinstance(found, ArrayType) else STRING


def joined(call: Any, separator: str, *parts: str) -> str:
    if not parts:
        return f"(CASE WHEN {separator} IS NOT NULL THEN '' END)"
    arrays = [isinstance(argument.type, ArrayType) for argument in call.arguments[1:]]
    if not any(arrays):
        return f"concat_ws({', '.join([separator, *parts])})"
    lists = [f"coalesce({p}, [])" if array else f"[{p}]" for p, array in zip(parts, arrays, strict=True)]
    filled = f"list_filter(flatten([{', '.join(lists)}]), lambda e: e IS NOT NULL)"
    return f"(CASE WHEN {separator} IS NOT NULL THEN coalesce(array_to_string({filled}, {separator}), '') END)"


fn("concat_ws(string, any...)", joined, rule=joined_type)


# ---- choosing


def element_type(call: Call) -> Typed:
    values = call.types[1:]
    if not values:
        raise NotNative("elt without values")
    kind = BINARY if all(isinstance(t, BinaryType) for t in values) else STRING
    return Typed(kind, True, (INT, *[kind] * len(values)))


def element(call: Any, index: str, *values: str) -> str:
    """Counted from one; outside is an error with ANSI, null without."""
    outside = "NULL"
    if call.settings.ansi:
        size = text(str(len(values)))
        shown = f"CAST({index} AS VARCHAR)"
        outside = error_with("INVALID_ARRAY_INDEX", indexValue=shown, arraySize=size, ansiConfig=text(ANSI_CONFIG))
    branches = " ".join(f"WHEN {index} = {place} THEN {value}" for place, value in enumerate(values, 1))
    return f"(CASE WHEN {index} IS NULL THEN NULL {branches} ELSE {outside} END)"


fn("elt(int, string|binary...)", element, rule=element_type)

PART = (
    "CASE WHEN {2} = 0 THEN " + error("INVALID_INDEX_OF_ZERO") + " "
    "WHEN {1} = '' THEN CASE WHEN {2} IN (1, -1) THEN {0} ELSE '' END "
    "ELSE split_part({0}, {1}, {2}) END"
)
fn(
    "split_part(string, string, int) -> string?",
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND {2} IS NOT NULL THEN " + PART + " END",
)


# ---- checking

for name in ("make_valid_utf8", "validate_utf8", "try_validate_utf8"):
    fn(f"{name}(string) -> string?", "{0}")  # DuckDB's VARCHAR is valid always
fn("is_valid_utf8(string) -> boolean?", "CASE WHEN {0} IS NOT NULL THEN true END")

DIGITS = "list_transform(string_split(reverse({0}), ''), lambda c, i: CAST(c AS INTEGER) * (2 - i % 2))"
fn(
    "luhn_check(string) -> boolean?",
    "CASE WHEN {0} IS NULL THEN NULL WHEN regexp_full_match({0}, '[0-9]+') "
    f"THEN list_sum(list_transform({DIGITS}, lambda n: n // 10 + n % 10)) % 10 = 0 ELSE false END",
)


# ---- encoding


def needs_utf8(call: Call, index: int) -> None:
    value = constant(call.arguments[index])
    if not isinstance(value, str) or value.upper() not in ("UTF-8", "UTF8"):
        raise NotNative(f"{call.name} with a character set that is not UTF-8")


def encode_type(call: Call) -> Typed:
    needs_utf8(call, 1)
    return Typed(BINARY, True, (STRING, STRING))


def decode_type(call: Call) -> Typed:
    needs_utf8(call, 1)
    return Typed(STRING, True, (BINARY, STRING))


def to_decoding(call: Call) -> Typed:
    raise NotNative("decode that chooses")


fn("encode(string, string)", "encode({0})", rule=encode_type)
fn("decode(binary, string)", "decode({0})", rule=decode_type)
fn("decode(any, any, any, any...)", SPARK, rule=to_decoding, reason="its common type: not written yet")

LINE = 76  # Spark's base64 breaks lines as MIME does
BROKEN = "rtrim(regexp_replace(to_base64({0}), '(.{{76}})', '\\1' || chr(13) || chr(10), 'g'), chr(13) || chr(10))"
fn(
    "base64(binary) -> string",
    f"CASE WHEN octet_length({{0}}) <= {LINE // 4 * 3} THEN to_base64({{0}}) ELSE {BROKEN} END",
)
fn("unbase64(string) -> binary", "spark_unbase64({0})")


# ---- numbers as text


def format_number_type(call: Call) -> Typed:
    number, form = call.types
    if not isinstance(form, IntegerType) or not (is_numeric(number) or is_null(number)):
        raise NotNative("format_number with a pattern, or of what is no number")
    return Typed(STRING, True, (DoubleType() if isinstance(number, FloatType) else None, INT))


def formatted(call: Any, number: str, digits: str) -> str:
    source = call.arguments[0].type
    if isinstance(source, DoubleType):
        return f"spark_format_number({number}, {digits})"
    if isinstance(source, DecimalType) or is_integral(source):
        return f"spark_format_decimal({number}, {digits})"
    raise NotNative("format_number of this")


fn("format_number(any, any)", formatted, rule=format_number_type)

fn("quote(string) -> string?", "chr(39) || replace({0}, chr(39), chr(92) || chr(39)) || chr(39)")


# ---- masking

KINDS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789")
STANDARD = ("X", "x", "n", None)


def mask_type(call: Call) -> Typed:
    if not is_string(call.types[0]) and not is_null(call.types[0]):
        raise unexpected_input_type(call, 0, '"STRING"')
    marks = [mark_of(argument) for argument in call.arguments[1:]]
    shown = [a.text for a in call.arguments] + [m or "NULL" for m in STANDARD[len(marks) :]]
    wanted = (STRING, *[None] * len(marks))
    return Typed(STRING, True, wanted, mask_writer([*marks, *STANDARD[len(marks) :]]), f"mask({', '.join(shown)})")


def mark_of(argument: Any) -> str | None:
    value = constant(argument)
    if not hasattr(argument, "value") or not (value is None or (isinstance(value, str) and len(value) == 1)):
        raise NotNative("mask with what is no single constant character")
    return value


def mask_writer(marks: list[str | None]) -> Callable[..., str]:
    """Letters and digits of ASCII; what else is a letter Spark's Java knows."""
    groups = zip(KINDS, marks, strict=False)
    pairs = [(letter, mark) for letters, mark in groups if mark for letter in letters]
    if marks[3] is not None:
        raise NotNative("mask of other characters")
    letters, instead = "".join(p[0] for p in pairs), "".join(p[1] for p in pairs)

    def write(call: Any, value: str, *_: str) -> str:
        plain = f"strlen({value}) = length({value})"
        masked = f"translate({value}, {text(letters)}, {text(instead)})" if pairs else value
        beyond = casts.not_native("mask of letters beyond ASCII")
        return f"(CASE WHEN {value} IS NULL THEN NULL WHEN {plain} THEN {masked} ELSE {beyond} END)"

    return write


fn("mask(any, any...)", "{0}", rule=mask_type)  # the rule gives the right half: it knows the marks


# ---- with Spark

WORDS = ArrayType(ArrayType(STRING, False), False)


def sentences_type(call: Call) -> Typed:
    return Typed(WORDS, True, (STRING, STRING, STRING))


fn(
    "sentences(string, string = '', string = '')",
    SPARK,
    rule=sentences_type,
    shows_defaults=True,
    reason="Java's BreakIterator",
)


def random_type(call: Call) -> Typed:
    raise NotNative("random strings")


fn("randstr(any, any...)", SPARK, rule=random_type, deterministic=False, reason="Spark's random numbers")


def collation_type(call: Call) -> Typed:
    raise NotNative(f"{call.name}: collations")


fn("collate(any, any)", SPARK, rule=collation_type, reason="collations")
fn("collation(any)", SPARK, rule=collation_type, reason="collations")
