"""String functions that choose, encode, format and mask text: elt, encode, decode, base64, format_number, mask,
randstr."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.notation.error_sql import error_with
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    any_of,
    is_foldable,
    non_foldable_input,
    quote_expression,
    unexpected_input_type,
)
from twinspark.functions.strings.collations import normalize_name
from twinspark.types import (
    BINARY,
    INT,
    LONG,
    STRING,
    ArrayType,
    BinaryType,
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
from twinspark.types.duckdb import duck_text


def constant(argument: Any) -> Any:
    """The value of a literal; None for other expressions and for null."""
    return getattr(argument, "value", None)


# ---- elt


def element_type(call: Call) -> Typed:
    values = call.types[1:]
    if not values:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "elt without values")
    kind = BINARY if all(isinstance(t, BinaryType) for t in values) else STRING
    return Typed(kind, True, (INT, *[kind] * len(values)))


def element(call: Any, index: str, *values: str) -> str:
    """The index counts from one; an index out of range is an error under ANSI, otherwise null."""
    outside = "NULL"
    if call.settings.ansi:
        size = duck_text(str(len(values)))
        shown = f"CAST({index} AS VARCHAR)"
        outside = error_with("INVALID_ARRAY_INDEX", indexValue=shown, arraySize=size)
    branches = " ".join(f"WHEN {index} = {place} THEN {value}" for place, value in enumerate(values, 1))
    return f"(CASE WHEN {index} IS NULL THEN NULL {branches} ELSE {outside} END)"


fn("elt(int, string|binary...)", element, rule=element_type)


# ---- validation

for name in ("make_valid_utf8", "validate_utf8", "try_validate_utf8"):
    fn(f"{name}(string) -> string?", "{0}")  # a VARCHAR of DuckDB is always valid UTF-8
fn("is_valid_utf8(string) -> boolean?", "({0} IS NOT NULL OR NULL)")

fn("luhn_check(string) -> boolean?", "spark_luhn_check({0})")


# ---- encoding


CHARSETS = ("UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32")


def conversion(call: Call, type: str) -> str:
    """SQL of encode and decode; a character set that Spark does not know is an error of rows whose value is not null
    (CharsetProvider)."""
    value = constant(call.arguments[1])
    if isinstance(value, str) and value.upper() in CHARSETS:
        return convert_text(call.name, value.upper())
    names = CHARSETS if value is None else ()
    branches = "".join(f" WHEN lower({{1}}) = '{n.lower()}' THEN {convert_text(call.name, n)}" for n in names)
    return (
        f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN CAST(NULL AS {type}){branches} "
        f"ELSE {unknown_charset(call.name)} END)"
    )


def convert_text(function: str, charset: str) -> str:
    return f"{function}({{0}})" if charset == "UTF-8" else f"spark_{function}({{0}}, {duck_text(charset)})"


def unknown_charset(function: str) -> str:
    return error_with(
        "INVALID_PARAMETER_VALUE.CHARSET",
        functionName=duck_text(f"`{function}`"),
        parameter=duck_text("`charset`"),
        charset="{1}",
        charsets=duck_text(", ".join(sorted(CHARSETS)).lower()),
    )


def encode_type(call: Call) -> Typed:
    return Typed(BINARY, True, (STRING, STRING), conversion(call, "BLOB"))


def decode_type(call: Call) -> Typed:
    return Typed(STRING, True, (BINARY, STRING), conversion(call, "VARCHAR"))


def choice_type(call: Call) -> Typed:
    """decode(value, search, result, ..., default), with one type for searches and one for results."""
    value, *rest = call.types
    searches, results = rest[0 : len(rest) // 2 * 2 : 2], rest[1::2] + rest[-1:] * (len(rest) % 2)
    if not all(t == value or is_null(t) for t in searches) or any(t != results[0] for t in results):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "decode that returns values of different types")
    nullable = len(rest) % 2 == 0 or any(a.nullable for a in [*call.arguments[2::2], call.arguments[-1]])
    return Typed(results[0], nullable, None, write_decode)


def write_decode(call: Any, value: str, *rest: str) -> str:
    """A null value matches a null search."""
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
        raise NotNative(reasons.NUMBER_FORMAT, "format_number with a pattern, or of a value that is not a number")
    return Typed(STRING, True, (DoubleType() if isinstance(number, FloatType) else None, INT))


def write_format_number(call: Any, number: str, digits: str) -> str:
    source = call.arguments[0].type
    if isinstance(source, DoubleType):
        return f"spark_format_number({number}, {digits})"
    if isinstance(source, DecimalType) or is_integral(source):
        return f"spark_format_decimal({number}, {digits})"
    raise NotNative(reasons.NUMBER_FORMAT, "format_number")


fn("format_number(any, any)", write_format_number, rule=format_number_type)

fn("quote(string) -> string?", "chr(39) || replace({0}, chr(39), chr(92) || chr(39)) || chr(39)")


# ---- masking

STANDARD = ("X", "x", "n", None)
MARKS = ("upperChar", "lowerChar", "digitChar", "otherChar")


def mask_type(call: Call) -> Typed:
    if len(call.arguments) > len(STANDARD) + 1:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "mask with more than five arguments")
    missing = STANDARD[len(call.arguments) - 1 :]
    shown = [a.text for a in call.arguments] + [mark or "NULL" for mark in missing]
    call = replace(call, text=f"mask({', '.join(shown)})")
    for index, type in enumerate(call.types):
        if not is_string(type) and not is_null(type):
            raise unexpected_input_type(call, index, '"STRING"')
    marks = [mark_of(call, index) for index in range(1, len(call.arguments))]
    wanted = (STRING, *[None] * len(marks))
    return Typed(STRING, True, wanted, mask_writer([*marks, *missing]), call.text)


def mark_of(call: Call, index: int) -> str | None:
    """A replacement character: a constant of length one, or null (Mask.checkInputDataTypes)."""
    argument, name = call.arguments[index], MARKS[index - 1]
    if not is_foldable(argument):
        raise non_foldable_input(call, index, name)
    if not hasattr(argument, "value"):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "mask: the replacement characters")
    if argument.value is not None and len(argument.value) != 1:
        text = quote_expression(call.text)
        raise SparkError("DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE", sqlExpr=text, exprName=name)
    return argument.value


def mask_writer(marks: list[str | None]) -> Callable[..., str]:
    """An empty replacement keeps characters of its kind; falls back for letters outside ASCII, which Java
    classifies."""
    shown = ", ".join(duck_text(mark or "") for mark in marks)

    def write(call: Any, value: str, *_: str) -> str:
        return f"spark_mask({value}, {shown})"

    return write


fn("mask(any, any...)", "{0}", rule=mask_type)  # the rule returns the writer, since it knows the replacement characters


# ---- functions that run only on Spark, or depend on its random numbers

WORDS = ArrayType(ArrayType(STRING, False), False)


def sentences_type(call: Call) -> Typed:
    return Typed(WORDS, True, (STRING, STRING, STRING))


fn(
    "sentences(string, string = '', string = '')",
    SPARK,
    rule=sentences_type,
    shows_defaults=True,
    cause=Cause(reasons.FUNCTION_SPARK_ONLY, "it needs Java's BreakIterator"),
)


def random_type(call: Call) -> Typed:
    """For a constant length and a constant seed; analysis supplies the position of the row."""
    length, *seed = call.arguments
    check_random_arguments(call)
    value = getattr(length, "value", None)
    if not isinstance(value, int) or value < 0 or not isinstance(length.type, IntegerType | ShortType) or not seed:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "randstr: the length and the seed")
    return Typed(STRING, False, (INT, None))


def check_random_arguments(call: Call) -> None:
    """The checks of RandStr.checkInputDataTypes; a length of another type than int falls back."""
    length, *seed = call.types
    if is_null(length) or not isinstance(length, IntegerType | ShortType) or any(map(is_null, seed)):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "randstr with a length that is not an int, or an untyped seed")
    if not all(isinstance(type, IntegerType | LongType) for type in seed):
        raise unexpected_input_type(call, 1, any_of((INT, LONG)))
    for index, name in enumerate(("length", "seed")[: len(call.arguments)]):
        if not is_foldable(call.arguments[index]):
            raise non_foldable_input(call, index, name, "integer")


fn("randstr(any, any = null)", SPARK, rule=random_type, deterministic=False, cause=Cause(reasons.RANDOM_NUMBERS))


def collation_type(call: Call) -> Typed:
    """For the default collation; analysis handles other collations."""
    if not is_string(call.types[0]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"collation of {call.types[0].simpleString()}")
    return Typed(STRING, False, None, duck_text("SYSTEM.BUILTIN.UTF8_BINARY"))


def collate_type(call: Call) -> Typed:
    """The column name shows the last part of the collation's name as written."""
    name = constant(call.arguments[1])
    if not is_string(call.types[0]) or not isinstance(name, str):
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE,
            "collate of a value that is not a string, or with a collation that is not a constant",
        )
    shown = f"collate({call.arguments[0].text}, {name.rpartition('.')[2]})"
    return Typed(StringType(normalize_name(name)), call.arguments[0].nullable, None, "{0}", shown)


fn("collate(any, any)", "", rule=collate_type)
fn("collation(any)", "", rule=collation_type)
