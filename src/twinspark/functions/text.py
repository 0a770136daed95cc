"""String functions that join, format, encode and check text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions import casts
from twinspark.functions.collations import normalized
from twinspark.functions.families import implicit_type
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import error, error_with, text
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
    LongType,
    ShortType,
    StringType,
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
        outside = error_with("INVALID_ARRAY_INDEX", indexValue=shown, arraySize=size)
    branches = " ".join(f"WHEN {index} = {place} THEN {value}" for place, value in enumerate(values, 1))
    return f"(CASE WHEN {index} IS NULL THEN NULL {branches} ELSE {outside} END)"


fn("elt(int, string|binary...)", element, rule=element_type)

PART = (
    "CASE WHEN {2} = 0 THEN " + error("INVALID_INDEX_OF_ZERO") + " "
    "WHEN {1} = '' AND {2} > -2147483648 THEN CASE WHEN {2} IN (1, -1) THEN {0} ELSE '' END "
    f"WHEN {{2}} = -2147483648 THEN {casts.not_native('split_part of the smallest number')} "
    "ELSE split_part({0}, {1}, {2}) END"
)
fn(
    "split_part(string, string, int) -> string?",
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND {2} IS NOT NULL THEN " + PART + " END",
)


# ---- checking

for name in ("make_valid_utf8", "validate_utf8", "try_validate_utf8"):
    fn(f"{name}(string) -> string?", "{0}")  # DuckDB's VARCHAR is valid always
fn("is_valid_utf8(string) -> boolean?", "({0} IS NOT NULL OR NULL)")

fn("luhn_check(string) -> boolean?", "spark_luhn_check({0})")


# ---- encoding


CHARSETS = ("UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32")


def charset_of(call: Call) -> str:
    value = constant(call.arguments[1])
    if not isinstance(value, str) or value.upper() not in CHARSETS:
        raise NotNative(f"{call.name} with a character set that is no constant, or that Spark refuses")
    return value.upper()


def encode_type(call: Call) -> Typed:
    charset = charset_of(call)
    writer = "encode({0})" if charset == "UTF-8" else f"spark_encode({{0}}, {text(charset)})"
    return Typed(BINARY, True, (STRING, STRING), writer)


def decode_type(call: Call) -> Typed:
    charset = charset_of(call)
    writer = "decode({0})" if charset == "UTF-8" else f"spark_decode({{0}}, {text(charset)})"
    return Typed(STRING, True, (BINARY, STRING), writer)


def choice_type(call: Call) -> Typed:
    """decode(value, search, result, ..., otherwise), of one type each."""
    value, *rest = call.types
    searches, results = rest[0 : len(rest) // 2 * 2 : 2], rest[1::2] + rest[-1:] * (len(rest) % 2)
    if not all(t == value or is_null(t) for t in searches) or any(t != results[0] for t in results):
        raise NotNative("decode that chooses among different types")
    nullable = len(rest) % 2 == 0 or any(a.nullable for a in [*call.arguments[2::2], call.arguments[-1]])
    return Typed(results[0], nullable, None, chosen)


def chosen(call: Any, value: str, *rest: str) -> str:
    """A null is found by a null."""
    pairs = zip(rest[0::2], rest[1::2], strict=False)
    branches = " ".join(f"WHEN {value} IS NOT DISTINCT FROM {search} THEN {result}" for search, result in pairs)
    return f"(CASE {branches} ELSE {rest[-1] if len(rest) % 2 else 'NULL'} END)"


fn("encode(string, string)", "", rule=encode_type)
fn("decode(binary, string)", "", rule=decode_type)
fn("decode(any, any, any, any...)", "", rule=choice_type)

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

STANDARD = ("X", "x", "n", None)


def mask_type(call: Call) -> Typed:
    if not is_string(call.types[0]) and not is_null(call.types[0]):
        raise unexpected_input_type(call, 0, '"STRING"')
    marks = [mark_of(argument) for argument in call.arguments[1:]]
    if len(marks) > len(STANDARD):
        raise NotNative("mask of more than five arguments")
    shown = [a.text for a in call.arguments] + [m or "NULL" for m in STANDARD[len(marks) :]]
    wanted = (STRING, *[None] * len(marks))
    return Typed(STRING, True, wanted, mask_writer([*marks, *STANDARD[len(marks) :]]), f"mask({', '.join(shown)})")


def mark_of(argument: Any) -> str | None:
    value = constant(argument)
    if not hasattr(argument, "value") or not (value is None or (isinstance(value, str) and len(value) == 1)):
        raise NotNative("mask with what is no single constant character")
    return value


def mask_writer(marks: list[str | None]) -> Callable[..., str]:
    """An empty mark keeps the letters of its kind; letters beyond ASCII are Spark's Java's to know."""
    shown = ", ".join(text(mark or "") for mark in marks)

    def write(call: Any, value: str, *_: str) -> str:
        return f"spark_mask({value}, {shown})"

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
    """Of a constant length and a constant seed (analysis.chance tells where a row stands)."""
    length, *seed = call.arguments
    value = getattr(length, "value", None)
    if not isinstance(value, int) or value < 0 or not isinstance(length.type, IntegerType | ShortType) or not seed:
        raise NotNative("random strings of a length or a seed that is no constant")
    if not isinstance(seed[0].type, IntegerType | LongType):
        raise NotNative("random strings with a seed that is no whole number")
    return Typed(STRING, False, (INT, None))


fn("randstr(any, any = null)", SPARK, rule=random_type, deterministic=False, reason="Spark's random numbers")


def collation_type(call: Call) -> Typed:
    """Those of other collations are answered where calls are made."""
    if not is_string(call.types[0]):
        raise NotNative(f"collation of {call.types[0].simpleString()}")
    return Typed(STRING, False, None, text("SYSTEM.BUILTIN.UTF8_BINARY"))


def collate_type(call: Call) -> Typed:
    """The name shows the collation's last part as it was written."""
    name = constant(call.arguments[1])
    if not is_string(call.types[0]) or not isinstance(name, str):
        raise NotNative("collate of what is no string, or by what is no constant")
    shown = f"collate({call.arguments[0].text}, {name.rpartition('.')[2]})"
    return Typed(StringType(normalized(name)), call.arguments[0].nullable, None, "{0}", shown)


fn("collate(any, any)", "", rule=collate_type)
fn("collation(any)", "", rule=collation_type)
